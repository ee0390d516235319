//! What a reload changes, and what it keeps.

use sinew_script::ScriptLanguage;
use sinew_world::Data;

use super::bench::{Bench, LANGUAGES, ending};

/// Version `n` of a script that counts, waits and walks.
fn version(language: ScriptLanguage, n: usize, extra_lua: &str, extra_rhai: &str) -> String {
    match language {
        ScriptLanguage::Lua => format!(
            "local s = {{}}
             s.properties = {{ pace = {{ value = {n}.0 }}, fixed = {{ value = 1.0 }} }}
             s.graph = graph {{ parameters = {{ speed = 1.2 }}, layers = {{ {{ name = 'base', entry = 'move', states = {{
               move = {{ blend = 'speed', points = {{ {{ at = 0, clip = 'idle' }}, {{ at = 1.2, clip = 'walk' }} }} }} }} }} }} }}
             local calls = 0
             function s:on_start() self.starts = (self.starts or 0) + 1 self.kept = 'yes' every(1.0, 'tick') self.ticks = 0 end
             function s:tick() self.ticks += 1 end
             function s:on_update() calls += 1 self.calls = calls self.version = {n} self.pace = self.props.pace self.fixed = self.props.fixed end
             function s:on_reload() self.reloads = (self.reloads or 0) + 1 end
             {extra_lua}
             return s"
        ),
        ScriptLanguage::Rhai => format!(
            "const PROPERTIES = #{{ pace: #{{ value: {n}.0 }}, fixed: #{{ value: 1.0 }} }};
             const GRAPH = graph(#{{ parameters: #{{ speed: 1.2 }}, layers: [ #{{ name: \"base\", entry: \"move\", states: #{{
               move: #{{ blend: \"speed\", points: [ #{{ at: 0, clip: \"idle\" }}, #{{ at: 1.2, clip: \"walk\" }} ] }} }} }} ] }});
             fn on_start() {{ this.starts = 1; this.kept = \"yes\"; every(1.0, \"tick\"); this.ticks = 0; this.reloads = 0; }}
             fn tick() {{ this.ticks += 1; }}
             fn on_update() {{ this.version = {n}; this.pace = this.props.pace; this.fixed = this.props.fixed; }}
             fn on_reload() {{ this.reloads += 1; }}
             {extra_rhai}"
        ),
    }
}

fn phase(bench: &Bench) -> f32 {
    let animation = bench.world.need_animation(bench.id("hero")).unwrap();
    animation.state.layer_status(&animation.graph, 0).progress
}

#[test]
fn new_functions_take_over_and_fields_graph_state_timers_and_edits_stay() {
    for language in LANGUAGES {
        let file = format!("hero.{}", ending(language));
        let mut bench = Bench::hero(language, &version(language, 1, "", ""));
        bench.run(90);
        let id = bench.id("hero");
        bench
            .host
            .set_property(&mut bench.world, id, "fixed", Data::Number(5.0))
            .unwrap();
        bench.run(1);
        let before = phase(&bench);
        let report = bench
            .reload(&[(&file, &version(language, 2, "", ""))])
            .unwrap();
        assert_eq!((report.scripts.len(), report.instances), (1, 1));
        assert_eq!(phase(&bench), before, "the walk goes on where it was");
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "version"), 2.0);
        assert_eq!(
            bench.number("hero", "starts"),
            1.0,
            "on_start is not called again"
        );
        assert_eq!(bench.number("hero", "reloads"), 1.0);
        assert_eq!(bench.field("hero", "kept"), Data::Text("yes".to_owned()));
        assert_eq!(
            bench.number("hero", "pace"),
            2.0,
            "a changed default is followed"
        );
        assert_eq!(
            bench.number("hero", "fixed"),
            5.0,
            "an edited property is kept"
        );
        // One second passed before, the timer ticks on, once a second however often the script is saved.
        for n in 3..13 {
            bench
                .reload(&[(&file, &version(language, n, "", ""))])
                .unwrap();
        }
        bench.run(120);
        assert_eq!(bench.number("hero", "ticks"), 3.0, "{}", bench.problems());
        assert_eq!(bench.number("hero", "reloads"), 11.0);
    }
}

#[test]
fn whatever_is_wrong_changes_nothing_and_says_where() {
    let broken = [
        ("return {", "fn on_update( {", "E-SCRIPT-SYNTAX"),
        ("error('no')", "throw \"no\";", "E-SCRIPT-ERROR"),
        (
            "local s = {} s.graph = graph { layerz = {} } return s",
            "const GRAPH = graph(#{ layerz: [] });",
            "E-GRAPH-UNKNOWN-KEY",
        ),
        (
            "local s = {} s.graph = graph { layers = { { name = 'base', states = { a = { clip = 'wlak' } } } } } return s",
            "const GRAPH = graph(#{ layers: [ #{ name: \"base\", states: #{ a: #{ clip: \"wlak\" } } } ] });",
            "E-GRAPH-UNKNOWN-CLIP",
        ),
        (
            "local s = {} s.properties = { pace = 3 } return s",
            "const PROPERTIES = #{ pace: 3 };",
            "E-SCRIPT-PROPERTY",
        ),
        (
            "local s = {} function s:on_udpate() end return s",
            "fn on_udpate() {}",
            "E-SCRIPT-CALLBACK",
        ),
        ("while true do end", "loop {}", "E-SCRIPT-BUDGET"),
    ];
    for (lua, rhai, code) in broken {
        for (language, text) in LANGUAGES.into_iter().zip([lua, rhai]) {
            let file = format!("hero.{}", ending(language));
            let mut bench = Bench::hero(language, &version(language, 1, "", ""));
            bench.run(30);
            let before = phase(&bench);
            let faults = bench.reload(&[(&file, text)]).expect_err(text);
            assert_eq!(faults[0].code, code, "{language:?}: {:#?}", faults[0]);
            assert!(faults[0].span.is_some(), "{language:?}: {:#?}", faults[0]);
            assert_eq!(phase(&bench), before);
            bench.run(1);
            assert_eq!(
                bench.number("hero", "version"),
                1.0,
                "the old version runs on"
            );
            assert_eq!(bench.host.problems().len(), 1, "{}", bench.problems());
            bench
                .reload(&[(&file, &version(language, 2, "", ""))])
                .unwrap();
            bench.assert_quiet();
            bench.run(1);
            assert_eq!(bench.number("hero", "version"), 2.0);
        }
    }
}

#[test]
fn two_files_change_together_or_not_at_all() {
    let actors = "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"a.lua\"]\n\
                  [[actor]]\nname = \"fox\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"b.rhai\"]\n";
    let a =
        |n: usize| format!("local s = {{}} function s:on_update() self.version = {n} end return s");
    let b = |n: usize| format!("fn on_update() {{ this.version = {n}; }}");
    let mut bench = Bench::new(actors, &[("a.lua", &a(1)), ("b.rhai", &b(1))]);
    bench.run(1);
    bench
        .reload(&[("a.lua", &a(2)), ("b.rhai", "fn on_update( {")])
        .unwrap_err();
    bench.run(1);
    assert_eq!(
        (
            bench.number("hero", "version"),
            bench.number("fox", "version")
        ),
        (1.0, 1.0)
    );
    bench
        .reload(&[("a.lua", &a(2)), ("b.rhai", &b(2))])
        .unwrap();
    bench.run(1);
    assert_eq!(
        (
            bench.number("hero", "version"),
            bench.number("fox", "version")
        ),
        (2.0, 2.0)
    );
    bench.assert_quiet();
}

#[test]
fn a_cancelled_coroutine_lets_go_what_it_asked_for() {
    let script = |n: usize| {
        format!(
            "local s = {{}}
             s.graph = graph {{ layers = {{ {{ name = 'base', states = {{ a = {{ clip = 'idle' }} }} }},
               {{ name = 'upper', mask = 'spine+', weight = 0.0, states = {{ b = {{ clip = 'wave' }} }} }} }},
               chains = {{ arm_r = {{ kind = 'two_bone', joints = {{ 'upperArm_R', 'lowerArm_R', 'hand_R' }} }} }} }}
             function s:on_start() start(function()
               self.actor:set_ik('arm_r', {{ target = vec3(0.3, 1.2, 0.4), seconds = 0.1 }})
               self.actor:set_layer_weight('upper', 1.0, 0.1)
               wait(5) self.done = true end) end
             function s:on_update() self.version = {n} end
             return s"
        )
    };
    let mut bench = Bench::hero(ScriptLanguage::Lua, &script(1));
    bench.run(30);
    bench.assert_quiet();
    let id = bench.id("hero");
    let weights = |bench: &Bench| {
        let animation = bench.world.need_animation(id).unwrap();
        (
            animation.chains[0].weight.value,
            animation.state.layer_weight(1),
        )
    };
    assert_eq!(weights(&bench), (1.0, 1.0));
    let report = bench.reload(&[("hero.lua", &script(2))]).unwrap();
    assert_eq!(report.cancelled, 1);
    bench.run(1);
    let (arm, layer) = weights(&bench);
    assert!(
        arm < 1.0 && arm > 0.0 && layer < 1.0 && layer > 0.0,
        "they fade: {arm} {layer}"
    );
    bench.run(400);
    assert_eq!(weights(&bench), (0.0, 0.0));
    assert_eq!(bench.field("hero", "done"), Data::Nil);
    bench.assert_quiet();
}

#[test]
fn a_script_that_was_broken_at_the_start_begins_when_it_is_good() {
    for language in LANGUAGES {
        let file = format!("hero.{}", ending(language));
        let mut bench = Bench::hero(language, "this is no script (");
        assert_eq!(bench.host.problems().len(), 1);
        bench.run(3);
        bench
            .reload(&[(&file, &version(language, 1, "", ""))])
            .unwrap();
        bench.run(2);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "starts"), 1.0);
        assert_eq!(bench.number("hero", "version"), 1.0);
    }
}

#[test]
fn a_failing_on_reload_stops_nobody_else() {
    let actors: String = ["a", "b", "c"]
        .iter()
        .map(|name| {
            format!(
                "[[actor]]\nname = \"{name}\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"s.lua\"]\n"
            )
        })
        .collect();
    let script = |body: &str| {
        format!("local s = {{}} function s:on_reload() {body} self.reloaded = true end return s")
    };
    let mut bench = Bench::new(&actors, &[("s.lua", &script(""))]);
    bench.run(1);
    bench
        .reload(&[(
            "s.lua",
            &script("if self.actor.name == 'b' then error('no') end"),
        )])
        .unwrap();
    let reloaded: Vec<bool> = ["a", "b", "c"]
        .iter()
        .map(|name| bench.field(name, "reloaded") == Data::Bool(true))
        .collect();
    assert_eq!(reloaded, [true, false, true]);
    assert_eq!(bench.host.problems().len(), 1);
}

#[test]
fn a_level_s_new_value_reaches_the_script_and_a_misspelt_one_is_refused() {
    let actors = |name: &str, pace: f32| {
        format!(
            "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"s.lua\"]\nproperties = {{ {name} = {pace:?} }}\n"
        )
    };
    let script = "local s = {} s.properties = { pace = { value = 1.0 } } function s:on_update() self.pace = self.props.pace end return s";
    let mut bench = Bench::new(&actors("pace", 2.0), &[("s.lua", script)]);
    bench.run(1);
    assert_eq!(bench.number("hero", "pace"), 2.0);
    let level = |actors: &str| format!("{}{actors}", super::bench::HEAD);
    bench
        .reload(&[("level.toml", &level(&actors("pace", 3.0)))])
        .unwrap();
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(bench.number("hero", "pace"), 3.0);
    let _ = bench.reload(&[("level.toml", "id = ")]).unwrap_err();
    assert_eq!(bench.host.problems().len(), 1);
    bench
        .reload(&[("level.toml", &level(&actors("pace", 4.0)))])
        .unwrap();
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(bench.number("hero", "pace"), 4.0);
}

#[test]
fn an_edited_property_that_a_new_version_lacks_or_types_anew_is_taken_back() {
    let script = |properties: &str| {
        format!(
            "local s = {{}} s.properties = {{ {properties} }} function s:on_update() self.size = self.props.size end return s"
        )
    };
    let mut bench = Bench::hero(
        ScriptLanguage::Lua,
        &script("size = { value = 1 }, extra = { value = 1 }"),
    );
    bench.run(1);
    let id = bench.id("hero");
    for name in ["size", "extra"] {
        bench
            .host
            .set_property(&mut bench.world, id, name, Data::Number(5.0))
            .unwrap();
    }
    bench
        .reload(&[("hero.lua", &script("size = { value = 'big' }"))])
        .unwrap();
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(bench.field("hero", "size"), Data::Text("big".to_owned()));
    assert!(bench.world.actors.need(id).unwrap().properties.is_empty());
}

#[test]
fn a_script_without_its_graph_leaves_its_actor_at_rest() {
    let with = "local s = {} s.graph = graph { layers = { { name = 'base', states = { a = { clip = 'walk' } } } } } return s";
    let mut bench = Bench::hero(ScriptLanguage::Lua, with);
    bench.run(10);
    bench.reload(&[("hero.lua", "return {}")]).unwrap();
    bench.run(1);
    bench.assert_quiet();
    let animation = bench.world.need_animation(bench.id("hero")).unwrap();
    assert!(animation.graph.layers.is_empty());
}

#[test]
fn a_new_model_that_lacks_what_a_graph_wants_is_named_and_changes_nothing() {
    let graph = "local s = {} s.graph = graph { layers = { { name = 'base', entry = 'a', states = { a = { clip = 'wave' } } } } } \
                 function s:on_update() self.n = (self.n or 0) + 1 end return s";
    let mut bench = Bench::hero(ScriptLanguage::Lua, graph);
    bench.run(3);
    let model = sinew_assets::LogicalPath::parse("sinew:hero.glb", "bench").unwrap();
    let fox =
        std::fs::read(super::bench::project().join("assets/fox.glb")).expect("it is committed");
    for bytes in [
        fox.clone(),
        fox[..fox.len() / 2].to_vec(),
        Vec::new(),
        b"no model".to_vec(),
    ] {
        let changed = vec![(model.clone(), bytes)];
        let faults = bench
            .host
            .reload(&mut bench.world, changed)
            .expect_err("it does not fit");
        assert_eq!(
            faults[0].file.as_deref(),
            Some("assets/hero.glb"),
            "{}",
            faults[0]
        );
        bench.run(1);
    }
    assert_eq!(bench.number("hero", "n"), 7.0, "it runs on");
}
