//! Graphs that change under an actor, graphs in graphs, and choices that differ between actors.

use super::*;

/// The greatest turn of a joint from one step to the next.
fn greatest_jump(
    bench: &mut Bench,
    steps: usize,
    mut between: impl FnMut(&mut Bench, usize),
) -> f32 {
    let id = bench.id("hero");
    let mut greatest = 0.0_f32;
    for step in 0..steps {
        let before = bench.world.need_animation(id).unwrap().pose.clone();
        between(bench, step);
        bench.step();
        let pose = &bench.world.need_animation(id).unwrap().pose;
        for joint in 0..pose.joints {
            let turn = before.rotation(joint).angle_between(pose.rotation(joint));
            greatest = greatest.max(turn);
        }
    }
    greatest
}

#[test]
fn a_reloaded_graph_changes_the_pose_without_a_jump_and_ends_windows() {
    for language in LANGUAGES {
        let mut bench = hero(language);
        ask(&mut bench, language, "play(\"wave\", { fade = 0.0 })");
        bench.run(60);
        let calm = greatest_jump(&mut bench, 10, |_, _| {});
        let file = format!("hero.{}", ending(language));
        let old = bench.world.assets.read(&path(&file)).unwrap();
        let old = String::from_utf8(old).unwrap();
        let quote = if language == ScriptLanguage::Lua {
            "'"
        } else {
            "\""
        };
        let new = old.replace(
            &format!("{quote}wave{quote}, mode"),
            &format!("{quote}point{quote}, mode"),
        );
        assert_ne!(old, new);
        let jump = greatest_jump(&mut bench, 3, |bench, step| {
            if step == 0 {
                bench.reload(&[(&file, &new)]).unwrap();
            }
        });
        assert!(jump < calm + 0.3, "{jump} against {calm}");
        bench.run(30);
        bench.assert_quiet();
        let windows = list(bench.field("hero", "windows"));
        let ends = windows
            .iter()
            .filter(|window| text(window, "window") == "end");
        let reasons: Vec<String> = ends.map(|window| text(window, "reason")).collect();
        assert_eq!(reasons, ["reload"]);
    }
}

const AIR: &str = r#"{ "version": 1, "layers": [{ "name": "air", "entry": "up", "states": { "up": { "clip": "jump_start" } } }] }"#;

fn with_graph_inside(language: ScriptLanguage) -> Bench {
    let script = match language {
        ScriptLanguage::Lua => {
            "local s = {} s.graph = graph { layers = { { name = 'base', states = { air = { graph = 'air.animgraph.json' } } } } } return s"
        }
        ScriptLanguage::Rhai => {
            r#"const GRAPH = graph(#{ layers: [ #{ name: "base", states: #{ air: #{ graph: "air.animgraph.json" } } } ] });"#
        }
    };
    let file = format!("hero.{}", ending(language));
    let actors =
        format!("[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"{file}\"]\n");
    Bench::new(&actors, &[(&file, script), ("air.animgraph.json", AIR)])
}

#[test]
fn a_graph_inside_a_graph_follows_its_file() {
    for language in LANGUAGES {
        let mut bench = with_graph_inside(language);
        bench.run(2);
        bench.assert_quiet();
        let state = ask(&mut bench, language, "state()");
        assert_eq!(text(&state, "path"), "air/up");
        let new = AIR.replace("up\"", "down\"");
        bench.reload(&[("air.animgraph.json", &new)]).unwrap();
        bench.run(1);
        let state = ask(&mut bench, language, "state()");
        assert_eq!(text(&state, "path"), "air/down");
        let broken = AIR.replace("clip", "clap");
        let faults = bench
            .reload(&[("air.animgraph.json", &broken)])
            .unwrap_err();
        assert!(
            faults[0]
                .file
                .as_deref()
                .is_some_and(|file| file.ends_with("air.animgraph.json")),
            "{faults:?}"
        );
        bench.run(1);
        let state = ask(&mut bench, language, "state()");
        assert_eq!(
            text(&state, "path"),
            "air/down",
            "the last good one plays on"
        );
    }
}

#[test]
fn actors_choose_differently_by_chance_and_each_run_alike() {
    let choices = |language: ScriptLanguage| {
        let script = match language {
            ScriptLanguage::Lua => {
                "local s = {} s.graph = graph { layers = { { name = 'base', states = { chance = { select = 'random', children = {
                  { clip = 'idle' }, { clip = 'walk' }, { clip = 'run' }, { clip = 'wave' } } } } } } } return s"
            }
            ScriptLanguage::Rhai => {
                r#"const GRAPH = graph(#{ layers: [ #{ name: "base", states: #{ chance: #{ select: "random", children: [
                  #{ clip: "idle" }, #{ clip: "walk" }, #{ clip: "run" }, #{ clip: "wave" } ] } } } ] });"#
            }
        };
        let file = format!("hero.{}", ending(language));
        let actors: String = (0..12)
            .map(|index| {
                format!("[[actor]]\nname = \"h{index}\"\nmodel = \"sinew:hero.glb\"\nposition = [{index}.0, 0.0, 0.0]\nscripts = [\"{file}\"]\n")
            })
            .collect();
        let mut bench = Bench::new(&actors, &[(&file, script)]);
        bench.run(2);
        bench.assert_quiet();
        let chosen = bench
            .world
            .actors
            .iter()
            .filter_map(|actor| actor.animation.as_ref());
        chosen
            .map(|animation| animation.state.randoms[0].child)
            .collect::<Vec<u16>>()
    };
    let (lua, again, rhai) = (
        choices(LANGUAGES[0]),
        choices(LANGUAGES[0]),
        choices(LANGUAGES[1]),
    );
    assert_eq!(lua, again);
    assert_eq!(lua, rhai);
    assert!(lua.iter().any(|child| *child != lua[0]), "{lua:?}");
}
