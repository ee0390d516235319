//! Snapshots of all state: a restored run goes on to the bit, and nothing that is wrong in one does harm.

use glam::Vec2;
use serde_json::{Value, json};
use sinew::{
    project::Project,
    session::{Options, Saved, Session},
};
use sinew_assets::{Assets, LogicalPath, PROJECT_SPACE};
use sinew_script::{RestoreError, ScriptHost};
use sinew_world::{ActorId, Change, Data, Event, Input, Jobs, Spawn, World};

const DT: f32 = 1.0 / 60.0;

/// Small, seeded, good enough to vary tests.
struct Dice(u64);

impl Dice {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }
}

fn plaza(threads: usize) -> Session {
    let level = sinew_tests::project().join("samples/plaza");
    Session::open(&Options {
        project: Project::of_level(&level).unwrap(),
        mods: Vec::new(),
        threads,
        seed: 1,
        watch: false,
        budget: sinew_script::Budget::default(),
    })
    .unwrap()
}

/// Keys that are hit at random, one input a step.
fn keys(seed: u64, steps: usize, session: &Session) -> Vec<(Input, f32)> {
    let mut dice = Dice(seed);
    let actions = &session.world.controls.actions;
    let stick = [Vec2::Y, Vec2::X, Vec2::NEG_Y, Vec2::NEG_X, Vec2::ZERO];
    let step = |_| {
        let mut input = Input::default();
        if dice.next(12) == 0 {
            let action = dice.next(actions.len());
            let value = if actions[action].axis {
                stick[dice.next(stick.len())]
            } else {
                Vec2::X * dice.next(2) as f32
            };
            input.changes.push(Change {
                action: action as u16,
                value,
            });
        }
        let dt = [DT, DT, DT, 0.004, 0.05, 0.1][dice.next(6)];
        (input, dt)
    };
    (0..steps).map(step).collect()
}

/// Hash and events of every step.
fn run(session: &mut Session, steps: &[(Input, f32)]) -> Vec<(u64, Vec<Event>)> {
    let step = |(input, dt): &(Input, f32)| {
        session.step(input, *dt);
        (session.hash(), session.world.events.clone())
    };
    steps.iter().map(step).collect()
}

/// As a file has it.
fn through_a_file(saved: &Saved) -> Saved {
    serde_json::from_str(&serde_json::to_string(saved).unwrap()).unwrap()
}

#[test]
fn a_restored_run_goes_on_to_the_bit_in_the_same_and_in_a_fresh_session() {
    let mut compared = 0;
    for seed in 0..6 {
        let mut session = plaza(1 + seed as usize % 3);
        let steps = keys(seed, 400, &session);
        let (before, after) = steps.split_at(60 + seed as usize * 31);
        let after = &after[..120];
        run(&mut session, before);
        let saved = session.snapshot();
        let hash = session.hash();
        let first = run(&mut session, after);
        let report = session.restore(&saved).unwrap();
        let waited = report.coroutines > 0;
        if !waited {
            assert_eq!(session.hash(), hash, "seed {seed}");
        }
        let second = run(&mut session, after);
        if !waited {
            compared += 1;
            assert_eq!(first, second, "seed {seed}");
        }
        for threads in 1..=3 {
            let mut fresh = plaza(threads);
            assert_eq!(fresh.restore(&through_a_file(&saved)).unwrap().cancelled, 0);
            assert_eq!(
                run(&mut fresh, after),
                second,
                "seed {seed}, {threads} threads"
            );
        }
    }
    assert!(compared >= 3, "{compared} moments without coroutines");
}

#[test]
fn restoring_twice_and_from_another_place_in_time_changes_nothing() {
    let mut session = plaza(2);
    let steps = keys(77, 200, &session);
    run(&mut session, &steps[..90]);
    let saved = session.snapshot();
    let there = run(&mut session, &steps[90..140]);
    run(&mut session, &steps[140..]);
    for _ in 0..2 {
        session.restore(&saved).unwrap();
        assert_eq!(run(&mut session, &steps[90..140]), there);
    }
}

/// All places of a document, as pointers.
fn pointers(value: &Value, at: String, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, format!("{at}/{index}"), found);
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                let key = key.replace('~', "~0").replace('/', "~1");
                pointers(item, format!("{at}/{key}"), found);
            }
        }
        _ => {}
    }
    found.push(at);
}

/// Changes one thing of a document, at random.
fn spoil(document: &mut Value, places: &[String], dice: &mut Dice) -> String {
    let place = &places[dice.next(places.len())];
    let target = document.pointer_mut(place).unwrap();
    let numbers = [
        json!(0),
        json!(-1),
        json!(1),
        json!(65535),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(3.0e38),
        json!(-1e300),
        json!(0.5),
        json!(null),
    ];
    match target {
        Value::Array(items) if dice.next(3) > 0 => match dice.next(3) {
            0 => drop(items.pop()),
            1 => items.extend(items.clone()),
            _ => {
                let first = items.first().cloned().unwrap_or_default();
                items.resize(items.len() + 3000, first);
            }
        },
        Value::Object(map) if dice.next(2) > 0 => {
            if let Some(key) = map.keys().next().cloned() {
                let value = map.remove(&key).unwrap_or_default();
                map.insert(format!("{key}x"), value);
            }
        }
        Value::String(text) => {
            *text = [
                format!("{text}x"),
                "../../etc/passwd".to_owned(),
                String::new(),
            ][dice.next(3)]
            .clone();
        }
        Value::Bool(flag) => *flag = !*flag,
        _ => *target = numbers[dice.next(numbers.len())].clone(),
    }
    place.clone()
}

#[test]
fn a_snapshot_that_was_changed_by_hand_is_refused_whole_or_does_no_harm() {
    let mut session = plaza(1);
    let steps = keys(5, 150, &session);
    run(&mut session, &steps[..120]);
    let saved = session.snapshot();
    let document = serde_json::to_value(&saved).unwrap();
    let mut places = Vec::new();
    pointers(&document, String::new(), &mut places);
    // Poses are most of a snapshot, and all alike.
    let mut dice = Dice(9);
    places.retain(|place| {
        !["/blocks/", "/model_joints/"]
            .iter()
            .any(|part| place.contains(part))
            || dice.next(40) == 0
    });
    session.restore(&saved).unwrap();
    let hash = session.hash();
    let (mut unread, mut refused, mut taken) = (0, 0, 0);
    for _ in 0..600 {
        let mut spoilt = document.clone();
        let place = spoil(&mut spoilt, &places, &mut dice);
        let Ok(read) = serde_json::from_value::<Saved>(spoilt) else {
            unread += 1;
            continue;
        };
        match session.restore(&read) {
            Err(error) => {
                refused += 1;
                let said = error.to_string();
                assert!(said.len() > 10, "{place}: {said}");
                assert_eq!(session.hash(), hash, "{place} was refused: {said}");
            }
            Ok(_) => {
                taken += 1;
                run(&mut session, &steps[120..140]);
                session.restore(&saved).unwrap();
            }
        }
        assert_eq!(session.hash(), hash, "after {place}");
    }
    assert!(
        unread > 30 && refused > 30 && taken > 30,
        "{unread} unread, {refused} refused, {taken} taken"
    );
}

#[test]
fn what_is_wrong_with_a_snapshot_is_said() {
    let mut session = plaza(1);
    let saved = session.snapshot();
    let document = serde_json::to_value(&saved).unwrap();
    let hero = document["world"]["places"]
        .as_array()
        .unwrap()
        .iter()
        .position(|place| place["actor"]["actor"]["name"] == "hero")
        .unwrap();
    let of_hero = |rest: &str| format!("/world/places/{hero}/actor/{rest}");
    let cases = [
        ("/world/version".to_owned(), json!(7), "has form 7"),
        ("/scripts/version".to_owned(), json!(7), "has form 7"),
        (
            "/world/level/path/space".to_owned(),
            json!("yard"),
            "yard:level.toml",
        ),
        (
            "/world/level/ground".to_owned(),
            json!(1),
            "boxes, planes or gravity",
        ),
        (
            of_hero("animation/state/parameters"),
            json!([]),
            "actor `hero`: parameters: 0",
        ),
        (of_hero("animation/motion"), json!(999), "no motion 999"),
        (
            of_hero("animation/pose/morphs"),
            json!([0.5]),
            "actor `hero`: its pose has 1 morph weights",
        ),
        (
            of_hero("animation/model/path"),
            json!("../x.glb"),
            "actor `hero`: the path",
        ),
        (
            of_hero("animation/model/path"),
            json!("nobody.glb"),
            "nobody.glb",
        ),
        (
            of_hero("actor/id/generation"),
            json!(4),
            "not in the world's snapshot",
        ),
        (
            of_hero("actor/scripts"),
            json!([]),
            "more instances than scripts",
        ),
        (
            "/scripts/actors/0/actor/index".to_owned(),
            json!(700),
            "actor 700",
        ),
    ];
    let hash = session.hash();
    for (place, value, expected) in cases {
        let mut spoilt = document.clone();
        *spoilt
            .pointer_mut(&place)
            .unwrap_or_else(|| panic!("no {place}")) = value;
        let read: Saved = serde_json::from_value(spoilt).unwrap();
        let error = session.restore(&read).expect_err(&place);
        assert!(error.to_string().contains(expected), "{place}: {error}");
        assert_eq!(session.hash(), hash, "{place}");
    }
}

/// A world of one actor with these scripts, in memory.
fn scripted(files: &[(&str, &str)]) -> (World, ScriptHost, ActorId) {
    let mut assets = Assets::new(std::path::Path::new("."));
    let path = |name: &str| LogicalPath {
        space: PROJECT_SPACE.to_owned(),
        path: name.to_owned(),
    };
    for (name, text) in files {
        assets.insert(&path(name), text.as_bytes().to_vec());
    }
    let mut world = World::new(assets, Jobs::serial(), 3);
    let spawn = Spawn {
        name: "a".to_owned(),
        scripts: files.iter().map(|(name, _)| path(name)).collect(),
        ..Spawn::default()
    };
    let id = world.spawn(spawn).unwrap();
    let mut host = ScriptHost::default();
    assert_eq!(host.load(&mut world), Vec::new());
    (world, host, id)
}

const LUA: &str = r#"
local s = {}
function s:on_start()
  self.count = 0
  self.list = { 1.5, "two", vec3(1, 2, 3), { deep = true } }
  self.friend = self.actor
  self.callback = function() end
  self.best = math.huge
  start(function() while true do wait(0.1) self.woken = (self.woken or 0) + 1 end end)
  after(0.35, "chime")
  self.actor:send("hello", { to = self.actor })
end
function s:on_update() self.count = self.count + 1; self.last = random.int(1, 1000) end
function s:on_message(name, data) self.said = data.to == self.friend end
function s:chime() self.rung = true end
return s
"#;

const RHAI: &str = r#"
fn on_start() {
    this.count = 0;
    this.list = [1.5, 2, "two", vec3(1.0, 2.0, 3.0), #{ deep: true }];
    this.friend = this.actor;
    this.callback = |x| x;
    after(0.35, "chime");
}
fn on_update(dt) { this.count += 1; this.last = random.int(1, 1000); }
fn chime() { this.rung = true; }
"#;

fn steps(world: &mut World, host: &mut ScriptHost, count: usize) -> Vec<u64> {
    let step = |_| {
        sinew_world::step(world, host, &Input::default(), DT);
        sinew_world::hash(world, host)
    };
    (0..count).map(step).collect()
}

#[test]
fn fields_timers_handles_and_messages_of_both_languages_come_back_and_coroutines_do_not() {
    let (mut world, mut host, id) = scripted(&[("a.lua", LUA), ("b.rhai", RHAI)]);
    steps(&mut world, &mut host, 1);
    let (snapshot, scripts) = (world.snapshot(), host.snapshot());
    let kept = [host.fields(id, 0), host.fields(id, 1)];
    assert_eq!(kept[0]["friend"], Data::Actor(id));
    steps(&mut world, &mut host, 50);
    let report = host.restore(&mut world, &snapshot, &scripts).unwrap();
    assert_eq!(
        (report.cancelled, report.coroutines, report.closures),
        (1, 1, 2)
    );
    assert_eq!([host.fields(id, 0), host.fields(id, 1)], kept);
    let there = steps(&mut world, &mut host, 40);
    assert_eq!(host.fields(id, 0)["said"], Data::Bool(true));
    for order in 0..2 {
        let fields = host.fields(id, order);
        assert_eq!(fields["rung"], Data::Bool(true), "script {order}");
        assert_eq!(fields.get("woken"), None, "its coroutine is gone");
        let count = fields["count"].as_number();
        assert_eq!(count, Some(41.0), "`on_start` was not called again");
    }
    let (mut world, mut host, _) = scripted(&[("a.lua", LUA), ("b.rhai", RHAI)]);
    let text = serde_json::to_string(&(&snapshot, &scripts)).unwrap();
    let (snapshot, scripts) = serde_json::from_str(&text).unwrap();
    host.restore(&mut world, &snapshot, &scripts).unwrap();
    assert_eq!(
        steps(&mut world, &mut host, 40),
        there,
        "in a fresh world, through a file"
    );
}

#[test]
fn a_callback_that_is_paused_stays_paused() {
    let bad =
        "local s = {} function s:on_update() self.n = (self.n or 0) + 1 error('no') end return s";
    let (mut world, mut host, id) = scripted(&[("a.lua", bad)]);
    steps(&mut world, &mut host, 10);
    let (snapshot, scripts) = (world.snapshot(), host.snapshot());
    let (mut world, mut host, _) = scripted(&[("a.lua", bad)]);
    host.restore(&mut world, &snapshot, &scripts).unwrap();
    steps(&mut world, &mut host, 10);
    assert_eq!(host.fields(id, 0)["n"], Data::Number(3.0));
}

#[test]
fn a_script_that_is_not_there_any_more_is_named_and_nothing_changes() {
    let (world, host, _) = scripted(&[("a.lua", LUA)]);
    let (snapshot, scripts) = (world.snapshot(), host.snapshot());
    let (mut world, mut host, _) = scripted(&[("b.rhai", RHAI)]);
    let before = steps(&mut world, &mut host, 1)[0];
    let error = host
        .restore(&mut world, &snapshot, &scripts)
        .expect_err("no such file");
    assert!(matches!(error, RestoreError::Script(_)), "{error}");
    assert!(error.to_string().contains("a.lua"), "{error}");
    assert_eq!(sinew_world::hash(&world, &host), before);
}
