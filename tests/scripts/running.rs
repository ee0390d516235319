//! What scripts do while a level runs, in both languages.

use sinew_script::ScriptLanguage;
use sinew_world::{Change, Data, Input};

use super::bench::{Bench, LANGUAGES};
use glam::Vec2;

/// The same script in both languages.
fn both(lua: &str, rhai: &str) -> [(ScriptLanguage, String); 2] {
    [(LANGUAGES[0], lua.to_owned()), (LANGUAGES[1], rhai.to_owned())]
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
        assert!((hero.position_world.z - 1.5).abs() < 0.05, "walked to {}", hero.position_world);
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
        let press = Input { changes: vec![Change { action: jump, value: Vec2::X }], ..Input::default() };
        bench.step_with(&press);
        bench.run(300);
        bench.assert_quiet();
        let Data::List(log) = bench.field("hero", "log") else { panic!("no log") };
        let log: Vec<String> = log.iter().map(|line| match line { Data::Text(text) => text.clone(), other => format!("{other:?}") }).collect();
        assert_eq!(log[0], "enter base.move from nil");
        assert!(log.contains(&"exit base.move to wave".to_owned()), "{log:?}");
        assert!(log.contains(&"enter base.wave from move".to_owned()), "{log:?}");
        assert!(log.contains(&"finished base.wave".to_owned()), "{log:?}");
    }
}
