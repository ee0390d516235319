//! The plaza as people play it: a session of the sample level, with input from a score.

use glam::{Vec2, Vec3};
use sinew::{
    project::Project,
    session::{Options, Session},
};
use sinew_anim::GraphEventKind;
use sinew_world::{Actor, Change, Input};

const DT: f32 = 1.0 / 60.0;

/// Seconds, action, value.
type Note = (f32, &'static str, Vec2);

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

/// Runs whole steps; `see` is called after each.
fn play(session: &mut Session, frames: usize, score: &[Note], mut see: impl FnMut(&Session)) {
    for frame in 0..frames {
        let due = score
            .iter()
            .filter(|(t, ..)| (t / DT).round() as usize == frame);
        let changes = due.map(|&(_, action, value)| Change {
            action: session.world.controls.find(action).unwrap(),
            value,
        });
        let input = Input {
            changes: changes.collect(),
            ..Input::default()
        };
        session.step(&input, DT);
        see(session);
    }
    let said: Vec<&str> = session
        .console
        .entries
        .iter()
        .map(|entry| &*entry.rendered)
        .collect();
    assert!(said.is_empty(), "{}", said.join("\n"));
}

fn actor<'a>(session: &'a Session, name: &str) -> &'a Actor {
    session.world.actors.find(name).unwrap()
}

fn joint(session: &Session, name: &str, joint: &str) -> Vec3 {
    let actor = actor(session, name);
    let joint = session.world.need_joint(actor.id, joint).unwrap();
    actor.joint_world(joint).unwrap().0
}

fn state_of(session: &Session, name: &str, layer: u16) -> String {
    let animation = actor(session, name).animation.as_ref().unwrap();
    let status = animation.state.layer_status(&animation.graph, layer);
    animation.graph.states(layer)[usize::from(status.state)]
        .name
        .clone()
}

/// The clip that an actor plays in a slot.
fn in_slot(session: &Session, name: &str, slot: &str) -> Option<String> {
    let animation = actor(session, name).animation.as_ref().unwrap();
    let graph = &animation.graph;
    let status = animation
        .state
        .slot_status(graph, graph.slot(slot).unwrap())?;
    let clip = &graph.clips[usize::from(status.clip)].clip;
    Some(clip.name.clone())
}

/// Names of the markers that an actor crossed in this step.
fn markers(session: &Session, name: &str) -> Vec<String> {
    let actor = actor(session, name);
    let graph = &actor.animation.as_ref().unwrap().graph;
    let own = session
        .world
        .events
        .iter()
        .filter(|event| event.actor == actor.id);
    own.filter_map(|event| match event.event.kind {
        GraphEventKind::Marker { name, .. } => Some(graph.names[usize::from(name)].clone()),
        _ => None,
    })
    .collect()
}

fn put(session: &mut Session, name: &str, at: Vec3, yaw_degrees: f32) {
    let id = actor(session, name).id;
    session
        .world
        .teleport(id, at, Some(yaw_degrees.to_radians()))
        .unwrap();
}

/// The way of the camera's forward, so that `move` by +Y goes to −Z.
fn look_north(session: &mut Session) {
    session.world.camera.yaw = 0.0;
}

#[test]
fn ten_seconds_of_play_say_nothing_and_are_the_same_on_any_number_of_threads() {
    let score = [
        (0.5, "move", Vec2::Y),
        (1.0, "run", Vec2::X),
        (2.0, "move", Vec2::X),
        (2.5, "jump", Vec2::X),
        (2.6, "jump", Vec2::ZERO),
        (4.0, "move", Vec2::ZERO),
        (5.0, "wave", Vec2::X),
        (5.1, "wave", Vec2::ZERO),
        (8.0, "use", Vec2::X),
    ];
    let hashes = [1, 2, 4].map(|threads| {
        let mut session = plaza(threads);
        play(&mut session, 600, &score, |_| {});
        session.hash()
    });
    assert_eq!(hashes, [hashes[0]; 3]);
}

#[test]
fn walking_is_as_fast_as_asked_without_a_hitch_and_sets_foot_after_foot() {
    let mut session = plaza(1);
    look_north(&mut session);
    put(&mut session, "hero", Vec3::new(-3.0, 0.0, 6.0), 180.0);
    let mut steps = Vec::new();
    let (mut phase_before, mut turned) = (0.0, 0.0);
    let mut frame = 0;
    play(&mut session, 360, &[(0.0, "move", Vec2::Y)], |session| {
        steps.extend(markers(session, "hero"));
        let hero = actor(session, "hero");
        let animation = hero.animation.as_ref().unwrap();
        let phase = animation.state.layer_status(&animation.graph, 0).progress;
        if frame >= 60 {
            let speed = hero.velocity_world.length();
            assert!((speed - 1.2).abs() < 0.01, "{speed} in frame {frame}");
            turned += (phase - phase_before).rem_euclid(1.0);
        }
        phase_before = phase;
        frame += 1;
    });
    let seconds = 300.0 * DT;
    let laps = seconds / (32.0 / 30.0);
    assert!((turned - laps).abs() < 0.05, "{turned} laps, not {laps}");
    assert!(steps.len() >= 10, "{steps:?}");
    for pair in steps.windows(2) {
        assert_ne!(pair[0], pair[1], "{steps:?}");
    }
}

#[test]
fn a_planted_foot_stays_where_it_is_while_the_hero_walks() {
    let mut session = plaza(1);
    look_north(&mut session);
    put(&mut session, "hero", Vec3::new(-3.0, 0.0, 6.0), 180.0);
    let mut before: Option<[Vec3; 2]> = None;
    let mut slides = Vec::new();
    let mut frame = 0;
    play(&mut session, 300, &[(0.0, "move", Vec2::Y)], |session| {
        let feet = ["toes_L", "toes_R"].map(|toes| joint(session, "hero", toes));
        if let Some(before) = before.filter(|_| frame > 60) {
            // Below 13 mm the ball of the foot is on the ground.
            let planted = (0..2).filter(|&foot| feet[foot].y.max(before[foot].y) < 0.013);
            slides.extend(planted.map(|foot| feet[foot].distance(before[foot]) / DT));
        }
        before = Some(feet);
        frame += 1;
    });
    slides.sort_by(f32::total_cmp);
    assert!(slides.len() > 150, "{} steps on the ground", slides.len());
    let most = slides[slides.len() * 9 / 10];
    assert!(most < 0.1, "nine of ten below {most} m/s");
}

#[test]
fn a_jump_leaves_the_ground_once_the_legs_push_and_lands_once() {
    let mut session = plaza(1);
    let mut frame = 0;
    let (mut left_at, mut lands, mut top) = (None, 0, 0.0_f32);
    let score = [(0.5, "jump", Vec2::X), (0.6, "jump", Vec2::ZERO)];
    play(&mut session, 200, &score, |session| {
        let hero = actor(session, "hero");
        lands += markers(session, "hero")
            .iter()
            .filter(|name| *name == "land")
            .count();
        top = top.max(hero.position_world.y);
        if !hero.grounded && left_at.is_none() {
            let animation = hero.animation.as_ref().unwrap();
            left_at = Some(animation.state.layer_status(&animation.graph, 0).progress);
        }
        frame += 1;
    });
    let left_at = left_at.unwrap();
    assert!(
        (0.65..0.85).contains(&left_at),
        "left at {left_at} of the clip"
    );
    assert!(top > 0.4, "jumped {top} m");
    assert_eq!(lands, 1);
    assert!(actor(&session, "hero").position_world.y.abs() < 1e-3);
    assert_eq!(state_of(&session, "hero", 0), "ground");
}

#[test]
fn strafing_goes_sideways_and_back_without_turning_and_walking_goes_on_from_it() {
    let mut session = plaza(1);
    look_north(&mut session);
    put(&mut session, "hero", Vec3::new(-3.0, 0.0, 4.0), 180.0);
    let score = [
        (0.0, "strafe", Vec2::X),
        (0.0, "move", Vec2::X),
        (2.0, "move", -Vec2::Y),
        (4.0, "strafe", Vec2::ZERO),
        (4.0, "move", Vec2::Y),
    ];
    let mut frame = 0;
    let mut told = Vec::new();
    play(&mut session, 330, &score, |session| {
        let hero = actor(session, "hero");
        let animation = hero.animation.as_ref().unwrap();
        let path = animation
            .state
            .current_path(&animation.graph, 0)
            .unwrap_or("none");
        let clip = |name: &str| {
            let mut weight = 0.0;
            animation
                .state
                .clips_of_layer(&animation.graph, 0, &mut |clip, share, _| {
                    if animation.graph.clips[usize::from(clip)].clip.name == name {
                        weight += share;
                    }
                });
            weight
        };
        let velocity = hero.velocity_world;
        told.extend(markers(session, "hero"));
        match frame {
            // To the right of one who faces -Z.
            100 => {
                assert_eq!(path, "ground/strafe");
                assert!((velocity.x - 0.6).abs() < 0.02, "{velocity}");
                assert!(clip("strafe_right") > 0.95);
                assert!(hero.forward_world().z < -0.99);
            }
            220 => {
                assert!((velocity.z - 0.8).abs() < 0.02, "{velocity}");
                assert!(clip("walk_back") > 0.95);
                assert!(hero.forward_world().z < -0.99);
            }
            310 => {
                assert_eq!(path, "ground/move");
                assert!(clip("walk") > 0.95);
            }
            _ => {}
        }
        frame += 1;
    });
    let steps: Vec<&String> = told
        .iter()
        .filter(|name| name.starts_with("footstep"))
        .collect();
    assert!(steps.len() > 10, "{steps:?}");
}

#[test]
fn the_hero_leans_into_a_turn_and_stands_upright_after_it() {
    let mut session = plaza(1);
    look_north(&mut session);
    put(&mut session, "hero", Vec3::new(-3.0, 0.0, 4.0), 180.0);
    let score = [(0.0, "move", Vec2::Y), (1.0, "move", -Vec2::X)];
    let mut leans = Vec::new();
    play(&mut session, 150, &score, |session| {
        let animation = actor(session, "hero").animation.as_ref().unwrap();
        let lean = animation.graph.parameter("lean").unwrap();
        match animation.state.value(lean) {
            sinew_anim::ParameterValue::Float(lean) => leans.push(lean),
            other => panic!("{other:?}"),
        }
    });
    assert!(leans[..60].iter().all(|lean| lean.abs() < 1e-3));
    let most = leans.iter().fold(0.0_f32, |most, &lean| most.max(lean));
    assert!(most > 0.3, "leans {most} to the left");
    assert!(leans.last().is_some_and(|lean| lean.abs() < 0.05));
}

#[test]
fn the_hero_s_table_and_the_companion_s_file_are_the_same_graph() {
    let session = plaza(1);
    let [table, file] = ["hero", "companion"].map(|name| {
        let animation = actor(&session, name).animation.as_ref().unwrap();
        match &animation.motion {
            sinew_world::Motion::Graph { def, .. } => (**def).clone(),
            other => panic!("{name} has {other:?}"),
        }
    });
    assert_eq!(file.version, Some(1));
    let mut as_table = file;
    as_table.version = None;
    assert_eq!(table, as_table);
}

#[test]
fn the_companion_stops_turns_to_the_hero_and_waves_back() {
    let mut session = plaza(1);
    let mut waved = 0;
    let score = [(3.0, "wave", Vec2::X), (3.1, "wave", Vec2::ZERO)];
    play(&mut session, 420, &score, |session| {
        if in_slot(session, "companion", "upper").as_deref() != Some("wave") {
            return;
        }
        waved += 1;
        if waved == 90 {
            let companion = actor(session, "companion");
            let to = actor(session, "hero").position_world - companion.position_world;
            assert!(companion.forward_world().dot(to.normalize_or_zero()) > 0.95);
            assert!(companion.velocity_world.length() < 0.05);
            let hand = joint(session, "companion", "hand_R");
            let head = joint(session, "companion", "head");
            assert!(hand.y > head.y - 0.1, "hand {hand}, head {head}");
        }
    });
    assert!(waved > 90, "waved for {waved} steps");
}

#[test]
fn the_robot_travels_by_its_clip_s_own_motion_and_greets() {
    let mut session = plaza(1);
    put(&mut session, "hero", Vec3::new(8.0, 0.0, 8.0), 180.0);
    let mut walked = 0.0;
    let mut before = actor(&session, "robot").position_world;
    let mut asked = 0.0;
    play(&mut session, 330, &[], |session| {
        let robot = actor(session, "robot");
        walked += robot.position_world.distance(before);
        before = robot.position_world;
        asked += robot.animation.as_ref().unwrap().root.translation.length();
    });
    assert!(walked > 2.0, "walked {walked} m");
    assert!(
        (walked - asked).abs() < 0.02 * asked,
        "{walked} m by {asked} m of root motion"
    );
    let near = actor(&session, "robot").position_world + Vec3::new(1.0, 0.0, 1.0);
    put(&mut session, "hero", near, 180.0);
    let mut greeted = false;
    play(&mut session, 60, &[], |session| {
        greeted |= state_of(session, "robot", 0) == "wave";
    });
    assert!(greeted);
}

#[test]
fn the_lever_takes_a_user_from_any_side_by_the_hand_and_lets_go() {
    for (place, yaw) in [
        (Vec3::new(0.0, 0.0, 0.8), 180.0),
        (Vec3::new(0.7, 0.0, 0.5), 30.0),
    ] {
        let mut session = plaza(1);
        let lever = actor(&session, "lever");
        let at = lever.position_world + glam::Quat::from_rotation_y(lever.yaw) * place;
        let yaw = yaw + lever.yaw.to_degrees();
        put(&mut session, "hero", at, yaw);
        let mut held = 0;
        let score = [(0.1, "use", Vec2::X), (0.2, "use", Vec2::ZERO)];
        play(&mut session, 300, &score, |session| {
            let chain = &actor(session, "hero").animation.as_ref().unwrap().chains[0];
            if chain.target.is_none() || chain.weight.value < 1.0 {
                return;
            }
            held += 1;
            let hand = joint(session, "hero", "hand_R");
            let handle = joint(session, "lever", "handle");
            assert!(chain.report.reached, "{:?}", chain.report);
            assert!(hand.distance(handle) < 0.01, "{}", hand.distance(handle));
        });
        assert!(held > 30, "held for {held} steps from {place}");
        let hero = actor(&session, "hero");
        let chain = &hero.animation.as_ref().unwrap().chains[0];
        assert_eq!(chain.weight.value, 0.0);
        assert!(
            hero.position_world.y.abs() < 1e-3,
            "{}",
            hero.position_world
        );
    }
}

#[test]
fn walls_hold_and_steps_carry() {
    let mut session = plaza(1);
    look_north(&mut session);
    put(&mut session, "hero", Vec3::new(-1.5, 0.0, -7.5), 180.0);
    play(&mut session, 150, &[(0.0, "move", Vec2::Y)], |session| {
        let at = actor(session, "hero").position_world;
        assert!(at.z > -8.8 && at.y < 0.1, "{at}");
    });
    assert!(actor(&session, "hero").position_world.z < -8.0);

    put(&mut session, "hero", Vec3::new(-5.2, 0.0, -3.6), 180.0);
    let mut heights = Vec::new();
    play(&mut session, 210, &[], |session| {
        heights.push(actor(session, "hero").position_world.y);
    });
    let at = actor(&session, "hero").position_world;
    assert!((at.y - 0.4).abs() < 0.02, "{at}");
    let jump = heights.windows(2).map(|pair| (pair[1] - pair[0]).abs());
    let most = jump.fold(0.0, f32::max);
    assert!(most < 0.08, "rises at most {most} m in a step");
}
