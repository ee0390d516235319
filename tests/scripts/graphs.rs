//! What scripts ask of an actor's graph and are told by it, in both languages.

mod replacing;

use sinew_anim::Pose;
use sinew_script::ScriptLanguage;
use sinew_world::Data;

use super::bench::{Bench, LANGUAGES, ending, path};

const LUA_GRAPH: &str = "graph {
  parameters = { speed = { type = 'float', source = 'speed' }, jump = 'trigger', ready = false, back = 'trigger' },
  layers = { { name = 'base', entry = 'walk', states = {
      walk = { clip = 'walk' }, wave = { clip = 'wave', mode = 'once' }, frozen = { pose = 'frozen' },
      air = { machine = { entry = 'rise', states = { rise = { clip = 'jump_start', mode = 'once' }, fall = { clip = 'fall' } },
        transitions = { { from = 'rise', to = 'fall', exit_time = 1.0, duration = 0.1 } } } } },
    transitions = { { from = 'walk', to = 'air', when = 'jump and ready' }, { from = 'air', to = 'walk', when = 'back' } } } },
  slots = { arms = { after = 'base', mask = 'spine+' }, head = { after = 'base', mask = 'head+' } } }";

const RHAI_GRAPH: &str = r#"graph(#{
  parameters: #{ speed: #{ type: "float", source: "speed" }, jump: "trigger", ready: false, back: "trigger" },
  layers: [ #{ name: "base", entry: "walk", states: #{
      walk: #{ clip: "walk" }, wave: #{ clip: "wave", mode: "once" }, frozen: #{ pose: "frozen" },
      air: #{ machine: #{ entry: "rise", states: #{ rise: #{ clip: "jump_start", mode: "once" }, fall: #{ clip: "fall" } },
        transitions: [ #{ from: "rise", to: "fall", exit_time: 1.0, duration: 0.1 } ] } } },
    transitions: [ #{ from: "walk", to: "air", when: "jump and ready" }, #{ from: "air", to: "walk", when: "back" } ] } ],
  slots: #{ arms: #{ after: "base", mask: "spine+" }, head: #{ after: "base", mask: "head+" } } })"#;

/// A hero with the graph above, whose script writes down what it is told.
fn hero(language: ScriptLanguage) -> Bench {
    let lua = format!(
        "local s = {{}}
s.graph = {LUA_GRAPH}
function s:on_start() self.log = {{}} self.windows = {{}} end
function s:on_state_enter(layer, state, previous) table.insert(self.log, `enter {{state}} from {{previous}}`) end
function s:on_state_exit(layer, state, following) table.insert(self.log, `exit {{state}} to {{following}}`) end
function s:on_animation_finished(layer, state, slot)
  table.insert(self.log, `finished {{state}}`)
  if slot then self.ended = slot end
end
function s:on_slot_end(slot, clip, reason, handle)
  table.insert(self.log, `over {{slot}} {{clip}} {{reason}}`)
  self.over = handle
end
function s:on_animation_event(name, value, time, event)
  if event.window then
    table.insert(self.windows, {{ name = name, window = event.window, value = value, time = time, reason = event.reason or '',
      state = event.state or '', slot = event.slot or '', clip = event.clip }})
  end
end
function s:set() self.actor:set_trigger('jump') end
function s:on_stop() world.get('fox'):send('stopped', {{ windows = self.windows, log = self.log }}) end
return s"
    );
    let rhai = format!(
        r#"const GRAPH = {RHAI_GRAPH};
fn on_start() {{ this.log = []; this.windows = []; }}
fn word(value) {{ if value == () {{ "nil" }} else {{ value }} }}
fn on_state_enter(layer, state, previous) {{ this.log.push(`enter ${{state}} from ${{word(previous)}}`); }}
fn on_state_exit(layer, state, following) {{ this.log.push(`exit ${{state}} to ${{word(following)}}`); }}
fn on_animation_finished(layer, state, slot) {{
  this.log.push(`finished ${{state}}`);
  if slot != () {{ this.ended = slot; }}
}}
fn on_slot_end(slot, clip, reason, handle) {{
  this.log.push(`over ${{slot}} ${{clip}} ${{reason}}`);
  this.over = handle;
}}
fn on_animation_event(name, value, time, event) {{
  if event.window != () {{
    this.windows.push(#{{ name: name, window: event.window, value: value, time: time,
      reason: if event.reason == () {{ "" }} else {{ event.reason }}, state: if event.state == () {{ "" }} else {{ event.state }},
      slot: if event.slot == () {{ "" }} else {{ event.slot }}, clip: event.clip }});
  }}
}}
fn set() {{ this.actor.set_trigger("jump"); }}
fn on_stop() {{ world.get("fox").send("stopped", #{{ windows: this.windows, log: this.log }}); }}"#
    );
    let listener = match language {
        ScriptLanguage::Lua => {
            "local s = {} function s:on_message(name, data) self.got = data end return s"
        }
        ScriptLanguage::Rhai => "fn on_message(name, data, sender) { this.got = data; }",
    };
    let script = match language {
        ScriptLanguage::Lua => lua,
        ScriptLanguage::Rhai => rhai,
    };
    let end = ending(language);
    let actors = format!(
        "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"hero.{end}\"]\n\
         [[actor]]\nname = \"fox\"\nmodel = \"sinew:fox.glb\"\nposition = [5.0, 0.0, 5.0]\nscripts = [\"fox.{end}\"]\n"
    );
    let files = [
        (format!("hero.{end}"), script),
        (format!("fox.{end}"), listener.to_owned()),
    ];
    let files = files
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let mut bench = Bench::new(&actors, &files.collect::<Vec<_>>());
    bench.run(2);
    bench.assert_quiet();
    bench
}

/// Calls a method of the hero: `play("wave")`, with a table of options as `{ a = 1, b = "c" }`.
fn ask(bench: &mut Bench, language: ScriptLanguage, call: &str) -> Data {
    answer(bench, language, call).unwrap_or_else(|fault| panic!("{call}: {fault}"))
}

fn answer(
    bench: &mut Bench,
    language: ScriptLanguage,
    call: &str,
) -> Result<Data, Box<sinew_assets::Diagnostic>> {
    let code = match language {
        ScriptLanguage::Lua => format!("return self.actor:{call}"),
        ScriptLanguage::Rhai => {
            let call = call.replace('{', "#{").replace(" =", ":");
            format!("this.actor.{call}")
        }
    };
    let id = bench.id("hero");
    bench.host.evaluate(&mut bench.world, id, 0, &code)
}

fn entry(data: &Data, key: &str) -> Data {
    match data {
        Data::Map(map) => map.get(key).cloned().unwrap_or_default(),
        other => panic!("no table with {key}: {other:?}"),
    }
}

fn text(data: &Data, key: &str) -> String {
    match entry(data, key) {
        Data::Text(text) => text,
        other => panic!("{key} is {other:?}"),
    }
}

fn number(data: &Data, key: &str) -> f64 {
    entry(data, key)
        .as_number()
        .unwrap_or_else(|| panic!("{key} of {data:?}"))
}

fn list(data: Data) -> Vec<Data> {
    match data {
        Data::List(items) => items,
        Data::Map(map) if map.is_empty() => Vec::new(),
        other => panic!("no list: {other:?}"),
    }
}

fn log(bench: &Bench) -> Vec<String> {
    let lines = list(bench.field("hero", "log"));
    let lines = lines.into_iter().map(|line| match line {
        Data::Text(text) => text,
        other => panic!("{other:?}"),
    });
    lines.collect()
}

#[test]
fn a_window_begins_once_goes_on_and_ends_once() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "play(\"wave\")");
        bench.run(400);
        bench.assert_quiet();
        let windows = list(bench.field("hero", "windows"));
        let kinds: Vec<String> = windows
            .iter()
            .map(|window| text(window, "window"))
            .collect();
        let (first, last) = (&windows[0], &windows[windows.len() - 1]);
        assert_eq!(kinds[0], "begin");
        assert!(kinds[1..kinds.len() - 1].iter().all(|kind| kind == "tick"));
        assert_eq!(kinds[kinds.len() - 1], "end");
        assert_eq!(text(last, "reason"), "finished");
        assert_eq!(
            (
                text(first, "name"),
                text(first, "state"),
                text(first, "clip")
            ),
            ("waving".to_owned(), "wave".to_owned(), "wave".to_owned())
        );
        let values: Vec<f64> = windows
            .iter()
            .map(|window| number(window, "value"))
            .collect();
        let times: Vec<f64> = windows
            .iter()
            .map(|window| number(window, "time"))
            .collect();
        assert!(values.is_sorted() && times.is_sorted(), "{values:?}");
        assert_eq!((values[0], values[values.len() - 1]), (0.0, 1.0));
        assert!(values.len() > 20);
    }
}

#[test]
fn an_interrupted_window_says_so() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "play(\"wave\")");
        bench.run(60);
        ask(&mut bench, language, "play(\"walk\", { fade = 0.1 })");
        bench.run(60);
        bench.assert_quiet();
        let windows = list(bench.field("hero", "windows"));
        let ends = windows
            .iter()
            .filter(|window| text(window, "window") == "end");
        let reasons: Vec<String> = ends.map(|window| text(window, "reason")).collect();
        assert_eq!(reasons, ["interrupted"]);
    }
}

#[test]
fn windows_and_slots_of_a_destroyed_actor_end_before_it_stops() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "play(\"wave\")");
        bench.run(60);
        ask(&mut bench, language, "destroy()");
        bench.run(2);
        bench.assert_quiet();
        let got = bench.field("fox", "got");
        let windows = list(entry(&got, "windows"));
        let last = &windows[windows.len() - 1];
        assert_eq!(
            (text(last, "window"), text(last, "reason")),
            ("end".to_owned(), "despawn".to_owned())
        );
    }
}

#[test]
fn states_inside_states_are_told_played_and_shown_by_their_paths() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "set_bool(\"ready\", true)");
        ask(&mut bench, language, "set_trigger(\"jump\")");
        bench.run(3);
        let state = ask(&mut bench, language, "state()");
        assert_eq!(
            (text(&state, "name"), text(&state, "path")),
            ("air".to_owned(), "air/rise".to_owned())
        );
        assert_eq!(
            ask(&mut bench, language, "is_in(\"air/rise\")"),
            Data::Bool(true)
        );
        assert_eq!(
            ask(&mut bench, language, "is_in(\"air/fall\")"),
            Data::Bool(false)
        );
        bench.run(120);
        let log_now = log(&bench);
        for line in ["enter air from walk", "enter air/fall from air/rise"] {
            assert!(log_now.iter().any(|known| known == line), "{log_now:?}");
        }
        ask(&mut bench, language, "set_trigger(\"back\")");
        bench.run(30);
        ask(
            &mut bench,
            language,
            "play(\"air/fall\", { fade = 0.1, by = \"inertial\" })",
        );
        bench.run(2);
        bench.assert_quiet();
        let state = ask(&mut bench, language, "state()");
        assert_eq!(text(&state, "path"), "air/fall");
        assert_eq!(
            ask(&mut bench, language, "is_fading()"),
            Data::Bool(true),
            "an inertial change is one"
        );
        let fault = answer(&mut bench, language, "play(\"air/fell\")").unwrap_err();
        assert!(
            fault
                .help
                .as_deref()
                .is_some_and(|help| help.contains("air/fall")),
            "{fault:?}"
        );
    }
}

#[test]
fn a_clip_in_a_slot_has_a_handle_that_ends_once() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        let handle = ask(
            &mut bench,
            language,
            "play_slot(\"arms\", \"hit_front\", { fade_in = 0.05, fade_out = 0.05, priority = 1 })",
        );
        let handle = handle.as_number().expect("a handle");
        let refused = ask(
            &mut bench,
            language,
            "play_slot(\"arms\", \"wave\", { priority = 0 })",
        );
        assert_eq!(refused, Data::Nil, "a lower priority waits for nobody");
        let other = ask(&mut bench, language, "play_slot(\"head\", \"wave\")");
        assert_ne!(other.as_number(), Some(handle));
        bench.run(6);
        let state = ask(&mut bench, language, &format!("slot_state({handle})"));
        assert_eq!(text(&state, "clip"), "hit_front");
        assert!(number(&state, "progress") > 0.0 && number(&state, "weight") > 0.9);
        bench.run(200);
        bench.assert_quiet();
        let log_now = log(&bench);
        let finished = log_now.iter().filter(|line| *line == "finished arms");
        assert_eq!(finished.count(), 1, "{log_now:?}");
        assert_eq!(ask(&mut bench, language, "slot_state(\"arms\")"), Data::Nil);
        ask(
            &mut bench,
            language,
            "play_slot(\"arms\", \"wave\", { mode = \"loop\" })",
        );
        bench.run(30);
        assert_eq!(
            ask(
                &mut bench,
                language,
                "stop_slot(\"arms\", { fade_out = 0.1 })"
            ),
            Data::Bool(true)
        );
        assert_eq!(
            ask(&mut bench, language, "stop_slot(\"arms\")"),
            Data::Bool(false)
        );
        let fault = answer(&mut bench, language, "play_slot(\"arm\", \"wave\")").unwrap_err();
        assert!(fault.message.contains("no slot `arm`"), "{fault}");
    }
}

#[test]
fn a_slot_by_inertia_is_whole_at_once_and_each_handle_is_told_once_with_its_reason() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        bench.run(20);
        let play = "play_slot(\"arms\", \"wave\", { by = \"inertial\", mode = \"loop\" })";
        ask(&mut bench, language, play);
        bench.run(1);
        let state = ask(&mut bench, language, "slot_state(\"arms\")");
        assert_eq!(number(&state, "weight"), 1.0);
        let hit = "play_slot(\"arms\", \"hit_front\", { by = \"inertial\", fade_out = 0.1 })";
        ask(&mut bench, language, hit);
        bench.run(200);
        ask(&mut bench, language, play);
        bench.run(5);
        let stop = "stop_slot(\"arms\", { by = \"inertial\", fade_out = 0.2 })";
        assert_eq!(ask(&mut bench, language, stop), Data::Bool(true));
        bench.run(5);
        bench.assert_quiet();
        let log_now = log(&bench);
        let over: Vec<&String> = log_now
            .iter()
            .filter(|line| line.starts_with("over"))
            .collect();
        let expected = [
            "over arms wave interrupted",
            "over arms hit_front finished",
            "over arms wave interrupted",
        ];
        assert_eq!(over, expected, "{log_now:?}");
    }
}

#[test]
fn a_kept_pose_is_shown_as_it_was() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        bench.run(20);
        ask(&mut bench, language, "keep_pose(\"frozen\")");
        let id = bench.id("hero");
        let kept = bench.world.need_animation(id).unwrap().pose.clone();
        ask(&mut bench, language, "force_state(\"frozen\")");
        bench.run(10);
        bench.assert_quiet();
        let shown = &bench.world.need_animation(id).unwrap().pose;
        assert_same(&kept, shown);
        let fault = answer(&mut bench, language, "keep_pose(\"forzen\")").unwrap_err();
        assert!(
            fault
                .help
                .as_deref()
                .is_some_and(|help| help.contains("frozen"))
        );
    }
}

#[test]
fn what_plays_can_be_read_back() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "play(\"wave\", { fade = 0.5 })");
        bench.run(15);
        let clips = list(ask(&mut bench, language, "playing_clips()"));
        let names: Vec<String> = clips.iter().map(|clip| text(clip, "clip")).collect();
        assert_eq!(names, ["walk", "wave"]);
        let weights: f64 = clips.iter().map(|clip| number(clip, "weight")).sum();
        assert!((weights - 1.0).abs() < 1e-4, "{weights}");
        assert_eq!(ask(&mut bench, language, "is_fading()"), Data::Bool(true));
        let lock = ask(&mut bench, language, "curve_value(\"foot_lock_l\")");
        assert!((0.0..=1.0).contains(&lock.as_number().expect("a number")));
        let fault = answer(&mut bench, language, "curve_value(\"foot_lock\")").unwrap_err();
        assert!(
            fault
                .help
                .as_deref()
                .is_some_and(|help| help.contains("foot_lock_"))
        );
        bench.run(60);
        assert_eq!(ask(&mut bench, language, "is_fading()"), Data::Bool(false));
    }
}

#[test]
fn a_graph_can_be_taken_given_and_begun_again() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "set_bool(\"ready\", true)");
        ask(&mut bench, language, "force_state(\"air\")");
        let state = ask(&mut bench, language, "state()");
        assert_eq!(text(&state, "path"), "air/rise");
        ask(&mut bench, language, "reset()");
        let state = ask(&mut bench, language, "state()");
        assert_eq!(text(&state, "name"), "walk");
        assert_eq!(
            ask(&mut bench, language, "get_bool(\"ready\")"),
            Data::Bool(false)
        );
        ask(&mut bench, language, "clear_graph()");
        bench.run(30);
        let fault = answer(&mut bench, language, "state()").unwrap_err();
        assert!(fault.message.contains("plays no graph"), "{fault}");
        let id = bench.id("hero");
        let animation = bench.world.need_animation(id).unwrap();
        let rest = &animation.model.value.skeleton.rest;
        assert_same(rest, &animation.pose);
        ask(
            &mut bench,
            language,
            "play_clip(\"wave\", { mode = \"once\" })",
        );
        bench.run(3);
        let state = ask(&mut bench, language, "state()");
        assert_eq!(entry(&state, "finished"), Data::Bool(false));
        assert!(number(&state, "progress") > 0.0, "a clip needs no graph");
        bench.run(600);
        let state = ask(&mut bench, language, "state()");
        assert_eq!(entry(&state, "finished"), Data::Bool(true));
        assert_eq!(number(&state, "progress"), 1.0);
        let graph = match language {
            ScriptLanguage::Lua => {
                "self.actor:set_graph(graph { layers = { { name = 'base', states = { stand = { clip = 'idle' } } } } })"
            }
            ScriptLanguage::Rhai => {
                r#"this.actor.set_graph(graph(#{ layers: [ #{ name: "base", states: #{ stand: #{ clip: "idle" } } } ] }));"#
            }
        };
        bench.host.evaluate(&mut bench.world, id, 0, graph).unwrap();
        let state = ask(&mut bench, language, "state()");
        assert_eq!(text(&state, "name"), "stand");
        let fault = answer(&mut bench, language, "set_graph(\"none.animgraph.json\")").unwrap_err();
        assert!(fault.message.contains("none.animgraph.json"), "{fault}");
    }
}

#[test]
fn a_script_can_ask_why_its_actor_does_not_go_on() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        let Data::Text(first) = ask(&mut bench, language, "why_not(\"air\")") else {
            panic!("no text")
        };
        assert!(first.contains("walk>air"), "{first}");
        // From now on it is noted who sets parameters.
        let id = bench.id("hero");
        let call = match language {
            ScriptLanguage::Lua => "self:set()",
            ScriptLanguage::Rhai => "this.set()",
        };
        bench.host.evaluate(&mut bench.world, id, 0, call).unwrap();
        let Data::Text(words) = ask(&mut bench, language, "why_not(\"air\")") else {
            panic!("no text")
        };
        let line = match language {
            ScriptLanguage::Lua => "hero.lua:",
            ScriptLanguage::Rhai => "hero.rhai:",
        };
        assert!(words.contains("ready"), "{words}");
        assert!(words.contains("jump was set last by"), "{words}");
        assert!(words.contains(line), "{words}");
        let Data::Text(why) = ask(&mut bench, language, "why()") else {
            panic!("no text")
        };
        assert!(why.contains("layer `base` is in `walk`"), "{why}");
        let Data::Text(inside) = ask(&mut bench, language, "why_not(\"air/fall\")") else {
            panic!("no text")
        };
        assert!(inside.contains("walk>air"), "{inside}");
        bench.assert_quiet();
    }
}

#[test]
fn nobody_notes_who_sets_parameters_until_somebody_asks() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        let id = bench.id("hero");
        ask(&mut bench, language, "set_bool(\"ready\", true)");
        let graph = bench.world.need_animation(id).unwrap().graph.clone();
        let ready = graph.parameter("ready").unwrap();
        let speed = graph.parameter("speed").unwrap();
        assert_eq!(bench.host.set_by(&bench.world, id, ready), None);
        bench.host.note_setters();
        ask(&mut bench, language, "set_params({ ready = true })");
        assert!(bench.host.set_by(&bench.world, id, ready).is_some());
        assert_eq!(
            bench.host.set_by(&bench.world, id, speed).as_deref(),
            Some("the engine (speed)")
        );
    }
}

/// Rotations of all joints are the same but for rounding.
fn assert_same(expected: &Pose, shown: &Pose) {
    for joint in 0..expected.joints {
        let (a, b) = (expected.rotation(joint), shown.rotation(joint));
        assert!(a.abs_diff_eq(b, 1e-5), "joint {joint}: {a} {b}");
    }
}
