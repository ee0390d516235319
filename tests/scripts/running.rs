//! What scripts do while a level runs, in both languages.

use sinew_script::ScriptLanguage;
use sinew_world::{Change, Data, Input};

use super::bench::{Bench, LANGUAGES};
use glam::Vec2;

/// The same script in both languages.
fn both(lua: &str, rhai: &str) -> [(ScriptLanguage, String); 2] {
    [
        (LANGUAGES[0], lua.to_owned()),
        (LANGUAGES[1], rhai.to_owned()),
    ]
}

#[test]
fn a_script_starts_once_and_updates_every_step() {
    let scripts = both(
        "local s = {}
         function s:on_start() self.starts = (self.starts or 0) + 1 self.updates = 0 end
         function s:on_update(dt) self.updates += 1 self.dt = dt self.actor:move(vec3(0, 0, 1.5)) end
         return s",
        "fn on_start() { this.starts = 1; this.updates = 0; }
         fn on_update(dt) { this.updates += 1; this.dt = dt; this.actor.move(vec3(0, 0, 1.5)); }",
    );
    for (language, script) in scripts {
        let mut bench = Bench::hero(language, &script);
        bench.run(60);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "starts"), 1.0);
        assert_eq!(bench.number("hero", "updates"), 60.0);
        assert!((bench.number("hero", "dt") - 1.0 / 60.0).abs() < 1e-6);
        let hero = bench.world.actors.need(bench.id("hero")).unwrap();
        assert!(
            (hero.position_world.z - 1.5).abs() < 0.05,
            "walked to {}",
            hero.position_world
        );
    }
}

#[test]
fn a_graph_plays_and_tells_its_events() {
    let scripts = both(
        "local s = {}
         s.graph = graph { parameters = { speed = 0.0, wave = 'trigger' },
           layers = { { name = 'base', entry = 'move', states = {
             move = { blend = 'speed', points = { { at = 0, clip = 'idle' }, { at = 1.2, clip = 'walk' } } },
             wave = { clip = 'wave', mode = 'once' } },
             transitions = { { from = 'move', to = 'wave', when = 'wave' } } } } }
         function s:on_start() self.steps = 0 self.log = {} self.actor:set_float('speed', 1.2) end
         function s:on_animation_event(name, value, time, event) self.steps += 1 self.clip = event.clip end
         function s:on_state_enter(layer, state, previous) table.insert(self.log, `enter {layer}.{state} from {previous}`) end
         function s:on_state_exit(layer, state, following) table.insert(self.log, `exit {layer}.{state} to {following}`) end
         function s:on_animation_finished(layer, state) table.insert(self.log, `finished {layer}.{state}`) end
         function s:on_input(action, pressed) if pressed then self.actor:set_trigger('wave') end end
         return s",
        r#"const GRAPH = graph(#{ parameters: #{ speed: 0.0, wave: "trigger" },
           layers: [ #{ name: "base", entry: "move", states: #{
             move: #{ blend: "speed", points: [ #{ at: 0, clip: "idle" }, #{ at: 1.2, clip: "walk" } ] },
             wave: #{ clip: "wave", mode: "once" } },
             transitions: [ #{ from: "move", to: "wave", when: "wave" } ] } ] });
         fn on_start() { this.steps = 0; this.log = []; this.actor.set_float("speed", 1.2); }
         fn on_animation_event(name, value, time, event) { this.steps += 1; this.clip = event.clip; }
         fn on_state_enter(layer, state, previous) { let from = if previous == () { "nil" } else { previous }; this.log.push(`enter ${layer}.${state} from ${from}`); }
         fn on_state_exit(layer, state, following) { this.log.push(`exit ${layer}.${state} to ${following}`); }
         fn on_animation_finished(layer, state) { this.log.push(`finished ${layer}.${state}`); }
         fn on_input(action, pressed) { if pressed { this.actor.set_trigger("wave"); } }"#,
    );
    for (language, script) in scripts {
        let mut bench = Bench::hero(language, &script);
        bench.run(120);
        bench.assert_quiet();
        let steps = bench.number("hero", "steps");
        assert!((2.0..=6.0).contains(&steps), "{steps} steps in two seconds");
        assert_eq!(bench.field("hero", "clip"), Data::Text("walk".to_owned()));
        let jump = bench.world.controls.find("jump").unwrap();
        let press = Input {
            changes: vec![Change {
                action: jump,
                value: Vec2::X,
            }],
            ..Input::default()
        };
        bench.step_with(&press);
        bench.run(300);
        bench.assert_quiet();
        let Data::List(log) = bench.field("hero", "log") else {
            panic!("no log")
        };
        let log: Vec<String> = log
            .iter()
            .map(|line| match line {
                Data::Text(text) => text.clone(),
                other => format!("{other:?}"),
            })
            .collect();
        assert_eq!(log[0], "enter base.move from nil");
        assert!(
            log.contains(&"exit base.move to wave".to_owned()),
            "{log:?}"
        );
        assert!(
            log.contains(&"enter base.wave from move".to_owned()),
            "{log:?}"
        );
        assert!(log.contains(&"finished base.wave".to_owned()), "{log:?}");
    }
}

#[test]
fn messages_arrive_in_the_next_update_with_data_and_sender() {
    for language in LANGUAGES {
        let (sender, receiver) = match language {
            ScriptLanguage::Lua => (
                "local s = {} function s:on_start() world.get('b'):send('hello', { list = { 1, 2 }, at = vec3(1, 2, 3), who = self.actor }) world.broadcast('all', 5) end return s",
                "local s = {} function s:on_start() self.got = {} end function s:on_message(name, data, sender) table.insert(self.got, name) self.from = sender.name if name == 'hello' then self.second = data.list[2] self.at = data.at self.who = data.who else self.number = data end end return s",
            ),
            ScriptLanguage::Rhai => (
                "fn on_start() { world.get(\"b\").send(\"hello\", #{ list: [1, 2], at: vec3(1, 2, 3), who: this.actor }); world.broadcast(\"all\", 5); }",
                "fn on_start() { this.got = []; } fn on_message(name, data, sender) { this.got.push(name); this.from = sender.name; if name == \"hello\" { this.second = data.list[1]; this.at = data.at; this.who = data.who; } else { this.number = data; } }",
            ),
        };
        let end = super::bench::ending(language);
        let actors = format!(
            "[[actor]]\nname = \"a\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"a.{end}\"]\n[[actor]]\nname = \"b\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"b.{end}\"]\n"
        );
        let mut bench = Bench::new(
            &actors,
            &[
                (&format!("a.{end}"), sender),
                (&format!("b.{end}"), receiver),
            ],
        );
        bench.run(1);
        assert_eq!(
            bench.field("b", "from"),
            Data::Nil,
            "not in the same update"
        );
        bench.run(1);
        bench.assert_quiet();
        let texts = |names: &[&str]| {
            Data::List(
                names
                    .iter()
                    .map(|name| Data::Text((*name).to_owned()))
                    .collect(),
            )
        };
        assert_eq!(bench.field("b", "got"), texts(&["hello", "all"]));
        assert_eq!(bench.field("b", "from"), Data::Text("a".to_owned()));
        assert_eq!(bench.number("b", "second"), 2.0);
        assert_eq!(
            bench.field("b", "at"),
            Data::Vec3(glam::Vec3::new(1.0, 2.0, 3.0))
        );
        assert_eq!(bench.field("b", "who"), Data::Actor(bench.id("a")));
        assert_eq!(bench.number("b", "number"), 5.0);
    }
}

#[test]
fn a_destroyed_actor_stops_and_its_handle_names_it() {
    let scripts = both(
        "local s = {}
         function s:on_start() self.fox = world.spawn_actor { name = 'fox', model = 'sinew:fox.glb', scripts = { 'fox.lua' }, properties = { size = 3 } } end
         function s:on_message(name, data) if name == 'bye' then self.last = data end if name == 'size' then self.size = data end end
         function s:on_update() self.n = (self.n or 0) + 1
           if self.n == 5 then self.fox:destroy() self.alive_at_once = self.fox.alive end
           if self.n == 15 then self.alive = self.fox.alive local _ = self.fox.name end end
         return s",
        "fn on_start() { this.n = 0; this.fox = world.spawn_actor(#{ name: \"fox\", model: \"sinew:fox.glb\", scripts: [\"fox.rhai\"], properties: #{ size: 3 } }); }
         fn on_message(name, data, sender) { if name == \"bye\" { this.last = data; } if name == \"size\" { this.size = data; } }
         fn on_update() { this.n += 1;
           if this.n == 5 { this.fox.destroy(); this.alive_at_once = this.fox.alive; }
           if this.n == 15 { this.alive = this.fox.alive; let n = this.fox.name; } }",
    );
    let foxes = [
        "local s = {} s.properties = { size = { value = 1 } } function s:on_start() world.get('hero'):send('size', self.props.size) end function s:on_stop() world.get('hero'):send('bye', self.actor.name) end return s",
        "const PROPERTIES = #{ size: #{ value: 1 } }; fn on_start() { world.get(\"hero\").send(\"size\", this.props.size); } fn on_stop() { world.get(\"hero\").send(\"bye\", this.actor.name); }",
    ];
    for ((language, script), fox) in scripts.into_iter().zip(foxes) {
        let end = super::bench::ending(language);
        let actors = format!(
            "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"hero.{end}\"]\n"
        );
        let mut bench = Bench::new(
            &actors,
            &[
                (&format!("hero.{end}"), &script),
                (&format!("fox.{end}"), fox),
            ],
        );
        bench.run(14);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "size"), 3.0);
        assert_eq!(bench.field("hero", "last"), Data::Text("fox".to_owned()));
        assert_eq!(bench.field("hero", "alive_at_once"), Data::Bool(false));
        bench.run(1);
        assert_eq!(bench.field("hero", "alive"), Data::Bool(false));
        let problem = &bench.host.problems()[0];
        assert_eq!(problem.diagnostic.code, "E-SCRIPT-DEAD-ACTOR");
        assert_eq!(
            problem.diagnostic.message,
            "actor `fox` was destroyed at frame 5"
        );
    }
}

#[test]
fn coroutines_wait_in_game_time_and_end_with_their_actor() {
    let script = "local s = {}
        function s:on_start() self.log = {}
          start(function() self.log[1] = 'now' wait(0.25) self.log[2] = 'later' wait_frames(3) self.log[3] = world.time() end)
          start(function() wait(0.5) error('in a coroutine') end)
          start(function() wait(2) self.actor:destroy() end)
          start(function() wait(3) world.get('other').tint = 'red' end) end
        return s";
    let actors = "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"hero.lua\"]\n[[actor]]\nname = \"other\"\nmodel = \"sinew:fox.glb\"\n";
    let mut bench = Bench::new(actors, &[("hero.lua", script)]);
    bench.run(1);
    assert_eq!(
        bench.field("hero", "log"),
        Data::List(vec![Data::Text("now".to_owned())])
    );
    bench.run(14);
    let Data::List(log) = bench.field("hero", "log") else {
        panic!("no list")
    };
    assert_eq!(log.len(), 1, "not yet");
    bench.run(1);
    let Data::List(log) = bench.field("hero", "log") else {
        panic!("no list")
    };
    assert_eq!(log.len(), 2, "a quarter of a second is fifteen steps");
    bench.run(3);
    let Data::List(log) = bench.field("hero", "log") else {
        panic!("no list")
    };
    let time = log[2].as_number().unwrap();
    assert!((time - 19.0 / 60.0).abs() < 1e-5, "{time}");
    bench.run(30);
    assert_eq!(bench.host.problems().len(), 1);
    let fault = &bench.host.problems()[0].diagnostic;
    assert_eq!(fault.message, "in a coroutine");
    assert_eq!(fault.span.map(|span| span.line), Some(4));
    bench.run(300);
    assert!(bench.world.actors.find("hero").is_none());
    assert_eq!(
        bench.host.problems().len(),
        1,
        "the waiting ones ended quietly: {}",
        bench.problems()
    );
    assert_eq!(bench.world.actors.find("other").unwrap().tint, [1.0; 4]);
}

#[test]
fn tweens_timers_and_random_numbers_repeat() {
    let run = |language: ScriptLanguage| {
        let script = match language {
            ScriptLanguage::Lua => "local s = {}
                s.graph = graph { parameters = { open = 0.0 }, layers = { { name = 'base', states = { a = { clip = 'walk', time_parameter = 'open' } } } } }
                function s:on_start() self.rolls = {} after(0.5, 'unlock') every(0.1, 'roll') end
                function s:unlock() self.actor:tween_float('open', 1.0, 0.5, 'in_out') cancel('roll') end
                function s:roll() table.insert(self.rolls, random.int(1, 6)) end
                function s:on_update() self.open = self.actor:get_float('open') self.pending = timer_pending('unlock') end
                return s",
            ScriptLanguage::Rhai => "const GRAPH = graph(#{ parameters: #{ open: 0.0 }, layers: [ #{ name: \"base\", states: #{ a: #{ clip: \"walk\", time_parameter: \"open\" } } } ] });
                fn on_start() { this.rolls = []; after(0.5, \"unlock\"); every(0.1, \"roll\"); }
                fn unlock() { this.actor.tween_float(\"open\", 1.0, 0.5, \"in_out\"); cancel(\"roll\"); }
                fn roll() { this.rolls.push(random.int(1, 6)); }
                fn on_update() { this.open = this.actor.get_float(\"open\"); this.pending = timer_pending(\"unlock\"); }",
        };
        let mut bench = Bench::hero(language, script);
        bench.run(20);
        bench.assert_quiet();
        assert_eq!(bench.field("hero", "pending"), Data::Bool(true));
        bench.run(80);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "open"), 1.0);
        assert_eq!(bench.field("hero", "pending"), Data::Bool(false));
        let Data::List(rolls) = bench.field("hero", "rolls") else {
            panic!("no rolls")
        };
        let rolls: Vec<f64> = rolls.iter().filter_map(Data::as_number).collect();
        (rolls, sinew_world::hash(&bench.world, &bench.host))
    };
    let [lua, rhai] = LANGUAGES.map(run);
    assert!((4..=5).contains(&lua.0.len()), "{:?}", lua.0);
    assert_eq!(lua.0, rhai.0, "one stream an actor, whatever the language");
    assert_eq!(LANGUAGES.map(run), [lua, rhai]);
}

#[test]
fn properties_come_from_the_level_and_actors_are_looked_up() {
    let scripts = both(
        "local s = {}
         s.properties = { pace = { value = 1, min = 0, max = 2 }, points = { value = { vec3(0, 0, 0) } }, friend = { value = 'nobody', type = 'actor' } }
         function s:on_update() self.pace = self.props.pace self.point = self.props.points[2] self.friend = self.props.friend and self.props.friend.name end
         return s",
        "const PROPERTIES = #{ pace: #{ value: 1, min: 0, max: 2 }, points: #{ value: [vec3(0, 0, 0)] }, friend: #{ value: \"nobody\", type: \"actor\" } };
         fn on_update() { this.pace = this.props.pace; this.point = this.props.points[1]; this.friend = if this.props.friend == () { () } else { this.props.friend.name }; }",
    );
    for (language, script) in scripts {
        let end = super::bench::ending(language);
        let actors = format!(
            "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"s.{end}\"]\nproperties = {{ pace = 9, points = [[1, 2, 3], [4, 5, 6]], friend = \"late\" }}\n"
        );
        let file = format!("s.{end}");
        let mut bench = Bench::new(&actors, &[(&file, &script)]);
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "pace"), 2.0, "clamped");
        assert_eq!(
            bench.field("hero", "point"),
            Data::Vec3(glam::Vec3::new(4.0, 5.0, 6.0))
        );
        assert_eq!(bench.field("hero", "friend"), Data::Nil);
        bench
            .world
            .spawn(sinew_world::Spawn {
                name: "late".to_owned(),
                ..Default::default()
            })
            .unwrap();
        bench.run(1);
        assert_eq!(bench.field("hero", "friend"), Data::Text("late".to_owned()));
        let misspelt = actors.replace("pace = 9", "pcae = 9");
        let bench = Bench::new(&misspelt, &[(&file, &script)]);
        let fault = &bench.host.problems()[0].diagnostic;
        assert_eq!(fault.help.as_deref(), Some("did you mean `pace`?"));
        assert_eq!(fault.file.as_deref(), Some("bench:level.toml"));
        assert!(fault.span.is_some());
    }
}

#[test]
fn handles_are_equal_to_themselves_and_can_be_keys() {
    let mut bench = Bench::hero(
        ScriptLanguage::Lua,
        "local s = {} function s:on_update() local seen = {} seen[world.get('hero')] = 1 self.same = world.get('hero') == self.actor and seen[self.actor] == 1 self.text = tostring(self.actor) self.kind = typeof(self.actor) end return s",
    );
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(bench.field("hero", "same"), Data::Bool(true));
    assert_eq!(
        bench.field("hero", "text"),
        Data::Text("actor hero".to_owned())
    );
    assert_eq!(bench.field("hero", "kind"), Data::Text("actor".to_owned()));
}
