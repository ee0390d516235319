//! Faces held by scripts, in both languages.

use sinew_script::ScriptLanguage;
use sinew_world::{Data, hash};

use super::bench::{Bench, LANGUAGES};

const LUA: &str = "
local s = {}
function s:on_start()
  self.targets = self.actor:morph_targets()
  self.frame = 0
end
function s:on_update(dt)
  self.seen = self.actor:morph_weight('smile')
  self.frame += 1
  if self.frame == 2 then self.actor:set_morph('smile', 0.75) end
  if self.frame == 3 then self.actor:set_morph('hero/blink_L', -0.5) end
  if self.frame == 4 then self.actor:set_morph('smile', 0, { seconds = 0.05 }) end
  if self.frame == 10 then self.actor:set_morph('smile', nil) self.actor:set_morph('blink_L') end
end
return s";

const RHAI: &str = r#"
fn on_start() {
  this.targets = this.actor.morph_targets();
  this.frame = 0;
}
fn on_update(dt) {
  this.seen = this.actor.morph_weight("smile");
  this.frame += 1;
  if this.frame == 2 { this.actor.set_morph("smile", 0.75); }
  if this.frame == 3 { this.actor.set_morph("hero/blink_L", -0.5); }
  if this.frame == 4 { this.actor.set_morph("smile", 0, #{ seconds: 0.05 }); }
  if this.frame == 10 { this.actor.set_morph("smile", ()); this.actor.set_morph("blink_L"); }
}"#;

fn script(language: ScriptLanguage) -> &'static str {
    match language {
        ScriptLanguage::Lua => LUA,
        ScriptLanguage::Rhai => RHAI,
    }
}

/// The weight that a target of the hero is shown with.
fn shown(bench: &Bench, target: &str) -> f32 {
    let actor = bench.world.actors.need(bench.id("hero")).unwrap();
    let animation = actor.animation.as_ref().unwrap();
    let skeleton = &animation.model.value.skeleton;
    let channel = skeleton.morphs_named(target).next().unwrap();
    animation.pose.morphs[usize::from(channel)]
}

#[test]
fn scripts_hold_a_face_fade_it_and_let_it_go() {
    for language in LANGUAGES {
        let mut bench = Bench::hero(language, script(language));
        let mut smiles = Vec::new();
        for frame in 1..=11 {
            bench.step();
            smiles.push((shown(&bench, "smile") * 100.0).round() / 100.0);
            let blink = if (3..10).contains(&frame) { -0.5 } else { 0.0 };
            assert_eq!(shown(&bench, "blink_L"), blink, "frame {frame}");
        }
        bench.assert_quiet();
        let expected = [0.0, 0.75, 0.75, 0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(smiles, expected, "{language:?}");
        assert_eq!(bench.number("hero", "seen"), 0.0);
        let Data::List(targets) = bench.field("hero", "targets") else {
            panic!("a list of names");
        };
        assert!(targets.contains(&Data::Text("jaw_open".to_owned())));
        let unique = targets.iter().enumerate();
        let mut unique = unique.map(|(index, name)| !targets[..index].contains(name));
        assert!(unique.all(|unique| unique), "levels of detail add no names");
    }
}

#[test]
fn held_weights_are_part_of_the_state() {
    let hash_of = |line: &str| {
        let script = format!(
            "local s = {{}} function s:on_start() {line} end function s:on_update() end return s"
        );
        let mut bench = Bench::hero(ScriptLanguage::Lua, &script);
        bench.run(2);
        bench.assert_quiet();
        hash(&bench.world, &bench.host)
    };
    let plain = hash_of("");
    assert_eq!(plain, hash_of(""));
    let held = hash_of("self.actor:set_morph('smile', 0)");
    assert_ne!(plain, held, "held where it is anyway, and still held");
    assert_ne!(held, hash_of("self.actor:set_morph('frown', 0)"));
}

#[test]
fn a_restored_face_goes_on_with_its_fade() {
    let mut bench = Bench::hero(ScriptLanguage::Lua, LUA);
    bench.run(4);
    let taken = bench.world.snapshot();
    let at_half = shown(&bench, "smile");
    let then = |bench: &mut Bench| {
        bench.run(2);
        (shown(bench, "smile"), shown(bench, "blink_L"))
    };
    let first = then(&mut bench);
    assert!(at_half > first.0, "it was fading");
    bench.run(6);
    bench.world.restore(&taken).expect("its own snapshot");
    assert_eq!(shown(&bench, "smile"), at_half);
    // The script has counted on and asks for nothing more.
    assert_eq!(then(&mut bench), first);

    let written = serde_json::to_string(&taken).expect("plain data");
    let held = r#""held_morphs":[{"channel":"#;
    assert!(written.contains(held), "they are in it");
    let spoilt = written.replacen(held, &format!("{held}9"), 1);
    let spoilt = serde_json::from_str(&spoilt).expect("of the right shape");
    let error = bench.world.restore(&spoilt).expect_err("no such channel");
    assert!(error.to_string().contains("held morph weights"), "{error}");
}

#[test]
fn a_wrong_name_is_told_with_the_nearest() {
    for (name, near) in [
        ("smlie", "did you mean `smile`?"),
        ("hero/smlie", "did you mean `hero/smile`?"),
        ("elephant", "it has `aa`, `blink_L`"),
    ] {
        let lua = format!(
            "local s = {{}} function s:on_start() self.actor:set_morph('{name}', 1) end return s"
        );
        let rhai = format!("fn on_start() {{ this.actor.set_morph(\"{name}\", 1); }}");
        for (language, script) in LANGUAGES.into_iter().zip([lua, rhai]) {
            let mut bench = Bench::hero(language, &script);
            bench.run(2);
            let said = bench.problems();
            assert!(said.contains(near), "{language:?}: {said}");
            assert!(
                said.contains(&format!("no morph target `{name}`")),
                "{said}"
            );
        }
    }
}

#[test]
fn a_cancelled_coroutine_lets_go_of_the_face_that_it_held_and_of_no_other() {
    let script = |version: u8| {
        format!(
            "local s = {{}}
             function s:on_start()
               self.actor:set_morph('jaw_open', 0.5)
               start(function()
                 self.actor:set_morph('smile', 0.75, {{ seconds = 0.1 }})
                 self.actor:set_morph('hero/blink_L', 1)
                 self.actor:set_morph('blink_R', 1)
                 self.actor:set_morph('blink_R')
                 wait(5)
               end)
               start(function() self.actor:set_morph('frown', 0.25) wait(0.01) end)
             end
             function s:on_update() self.version = {version} end
             return s"
        )
    };
    let mut bench = Bench::hero(ScriptLanguage::Lua, &script(1));
    let targets = ["jaw_open", "smile", "blink_L", "blink_R", "frown"];
    let faces = |bench: &Bench| targets.map(|target| shown(bench, target));
    bench.run(30);
    bench.assert_quiet();
    assert_eq!(faces(&bench), [0.5, 0.75, 1.0, 0.0, 0.25]);
    let report = bench.reload(&[("hero.lua", &script(2))]).unwrap();
    assert_eq!(report.cancelled, 1);
    bench.run(1);
    let [jaw, smile, blink, ..] = faces(&bench);
    assert!(smile > 0.0 && smile < 0.75, "it fades: {smile}");
    assert_eq!((jaw, blink), (0.5, 0.0));
    bench.run(30);
    // Who came to its end was not cancelled.
    assert_eq!(faces(&bench), [0.5, 0.0, 0.0, 0.0, 0.25]);
    let held = &bench
        .world
        .need_animation(bench.id("hero"))
        .unwrap()
        .held_morphs;
    assert_eq!(held.0.len(), 2);
}
