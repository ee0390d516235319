//! The graphs of the sample level's scripts on the characters that they are written for, through a
//! minute of play.

use std::sync::Arc;

use glam::{Affine3A, Vec3};
use sinew_anim::{
    Advanced, Clip, EndReason, Fade, Graph, GraphEventKind, GraphState, Pose, RootDelta, Scratch,
    Skeleton, SlotPlay, advance, evaluate, local_to_model, sample,
};
use sinew_assets::{Assets, LogicalPath};
use sinew_script::ScriptHost;
use sinew_tests::project;
use sinew_world::{Jobs, World};

/// Steps of a quiet machine, a busy one and one that stutters.
const STEPS: [f32; 3] = [1.0 / 60.0, 1.0 / 24.0, 0.125];

/// The graph of an actor of the plaza, as its script has it compiled.
fn graph(actor: &str) -> Arc<Graph> {
    let jobs = Jobs::on_threads(1).unwrap();
    let mut world = World::new(Assets::new(&project()), jobs, 1);
    let level = world.assets.open_level(&project().join("samples/plaza"));
    let path = LogicalPath::parse("level.toml", "plaza").unwrap();
    world.start_level(path, level.unwrap()).unwrap();
    let mut host = ScriptHost::default();
    assert_eq!(host.load(&mut world), []);
    let actor = world.actors.find(actor).unwrap();
    Arc::clone(&actor.animation.as_ref().unwrap().graph)
}

/// One actor's graph without a world around it.
struct Player {
    graph: Arc<Graph>,
    state: GraphState,
    scratch: Scratch,
    out: Advanced,
    seconds: f64,
    /// From where it began, turned as it was then.
    place: Vec3,
    yaw: f32,
    /// Words and the second at which they were told.
    said: Vec<(String, f64)>,
}

impl Player {
    fn new(actor: &str) -> Self {
        let graph = graph(actor);
        Self {
            state: GraphState::start(&graph),
            graph,
            scratch: Scratch::default(),
            out: Advanced::default(),
            seconds: 0.0,
            place: Vec3::ZERO,
            yaw: 0.0,
            said: Vec::new(),
        }
    }

    fn number(&mut self, name: &str, value: f32) {
        let index = self.graph.parameter(name).unwrap();
        self.state.set_float(&self.graph, index, value).unwrap();
    }

    fn flag(&mut self, name: &str, value: bool) {
        let index = self.graph.parameter(name).unwrap();
        self.state.set_bool(&self.graph, index, value).unwrap();
    }

    fn pull(&mut self, name: &str) {
        let index = self.graph.parameter(name).unwrap();
        self.state.set_trigger(&self.graph, index).unwrap();
    }

    fn step(&mut self, dt: f32) {
        let (graph, state) = (&self.graph, &mut self.state);
        advance(graph, state, dt, &mut self.scratch, &mut self.out);
        assert_eq!(self.out.events_lost, 0);
        for event in &self.out.events {
            let state = self.graph.source_name(event.source);
            let words = match event.kind {
                GraphEventKind::Marker { name, .. } => self.graph.names[usize::from(name)].clone(),
                GraphEventKind::StateEnter { .. } => format!("enter {state}"),
                GraphEventKind::Finished => format!("finished {state}"),
                GraphEventKind::SlotEnd {
                    reason: EndReason::Finished,
                    ..
                } => format!("finished {state}"),
                _ => continue,
            };
            let at = self.seconds + f64::from(event.alpha) * f64::from(dt);
            self.said.push((words, at));
        }
        let RootDelta {
            translation, yaw, ..
        } = self.out.root;
        self.place += glam::Quat::from_rotation_y(self.yaw) * translation;
        self.yaw += yaw;
        self.seconds += f64::from(dt);
    }

    fn run_to(&mut self, seconds: f64, dt: f32) {
        while self.seconds + f64::from(dt) * 0.5 < seconds {
            self.step(dt);
        }
    }

    fn times(&self, words: &str) -> Vec<f64> {
        let same = self.said.iter().filter(|(said, _)| said == words);
        same.map(|(_, at)| *at).collect()
    }

    fn entered(&self) -> Vec<&str> {
        let said = self.said.iter().map(|(words, _)| words.as_str());
        said.filter_map(|words| words.strip_prefix("enter "))
            .collect()
    }

    fn clip(&self, name: &str) -> &Clip {
        let clips = self.graph.clips.iter().map(|played| &*played.clip);
        let found = clips.into_iter().find(|clip| clip.name == name);
        found.unwrap_or_else(|| panic!("no clip {name}"))
    }
}

/// How far a clip carries its root over the ground, by plain forward kinematics at both its ends.
fn stride(skeleton: &Skeleton, clip: &Clip, joint: u16) -> f64 {
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    let mut place = |seconds: f32| {
        let mut pose = skeleton.rest.clone();
        sample(clip, seconds, &mut pose);
        local_to_model(skeleton, &pose, &mut model);
        Vec3::from(model[usize::from(joint)].translation).as_dvec3()
    };
    let way = place(clip.duration) - place(0.0);
    way.x.hypot(way.z)
}

/// A walker, the places of its blend space and the clips there, slowest first.
struct Walker {
    actor: &'static str,
    clips: &'static [(f64, &'static str)],
    steps: [&'static str; 2],
}

const WALKERS: [Walker; 3] = [
    Walker {
        actor: "hero",
        clips: &[(0.0, "idle"), (1.2, "walk"), (3.2, "run")],
        steps: ["footstep_l", "footstep_r"],
    },
    Walker {
        actor: "companion",
        clips: &[(0.0, "idle"), (1.2, "walk"), (3.2, "run")],
        steps: ["footstep_l", "footstep_r"],
    },
    Walker {
        actor: "fox",
        clips: &[
            (0.0, "look"),
            (0.5, "walk"),
            (0.87, "trot"),
            (2.3, "gallop"),
        ],
        steps: ["footstep_fl", "footstep_fr"],
    },
];

impl Walker {
    fn player(&self) -> Player {
        let mut player = Player::new(self.actor);
        if player.graph.parameter("grounded").is_some() {
            player.flag("grounded", true);
        }
        player
    }

    /// Laps a second at a speed, worked out from the clips alone: metres a second over metres a lap.
    fn lap_rate(&self, player: &Player, speed: f64) -> f64 {
        let pairs = self.clips.windows(2);
        let pair = pairs.clone().find(|pair| speed <= pair[1].0);
        let [(low, slow), (high, fast)] = *pair.or(pairs.last()).unwrap() else {
            panic!("two places");
        };
        let t = ((speed - low) / (high - low)).clamp(0.0, 1.0);
        let root = player.graph.root.as_ref().unwrap().joint;
        let of = |name: &str| {
            let clip = player.clip(name);
            let stride = stride(&player.graph.skeleton, clip, root);
            (stride, stride / f64::from(clip.duration))
        };
        let ((slow_stride, slow_speed), (fast_stride, fast_speed)) = (of(slow), of(fast));
        let mean = |a: f64, b: f64| a * (1.0 - t) + b * t;
        mean(slow_speed, fast_speed) / mean(slow_stride, fast_stride)
    }
}

#[test]
fn a_minute_of_walking_goes_as_far_as_its_speed_says_and_no_footstep_is_lost() {
    for walker in &WALKERS {
        let fastest = walker.clips.last().unwrap().0;
        for share in [0.25, 0.5, 0.75, 1.0] {
            let speed = walker.clips[1].0 + (fastest - walker.clips[1].0) * share;
            for dt in STEPS {
                let mut player = walker.player();
                player.number("speed", speed as f32);
                player.run_to(60.0, dt);
                let case = format!("{} at {speed} m/s in steps of {dt} s", walker.actor);
                let expected = speed * player.seconds;
                let travel = f64::from(player.place.length());
                assert!(
                    (travel - expected).abs() < 0.01 * expected,
                    "{case}: {travel} m"
                );
                assert!(
                    f64::from(player.place.z) > 0.99 * travel,
                    "{case}: {}",
                    player.place
                );

                let laps = walker.lap_rate(&player, speed) * player.seconds;
                for step in walker.steps {
                    let count = player.times(step).len() as f64;
                    // The first lap begins at phase 0, on the edge of a step.
                    assert!(
                        (count - laps).abs() <= 1.0 + 1e-3,
                        "{case}: {count} of {step} in {laps} laps"
                    );
                }
            }
        }
    }
}

#[test]
fn feet_take_turns_whatever_the_speed_does() {
    for walker in WALKERS.iter().filter(|walker| walker.actor != "fox") {
        for dt in STEPS {
            let mut player = walker.player();
            let mut laps = 0.0;
            while player.seconds < 60.0 {
                let speed = 2.2 - 1.2 * (player.seconds * 0.7).cos();
                player.number("speed", speed as f32);
                player.step(dt);
                laps += walker.lap_rate(&player, speed) * f64::from(dt);
            }
            let [left, right] = walker.steps;
            let steps = player.said.iter().map(|(words, _)| words.as_str());
            let steps: Vec<&str> = steps
                .filter(|words| [left, right].contains(words))
                .collect();
            assert!(
                steps.windows(2).all(|pair| pair[0] != pair[1]),
                "{} {dt}: {steps:?}",
                walker.actor
            );
            assert!(
                (steps.len() as f64 - 2.0 * laps).abs() <= 2.0,
                "{} {dt}: {} in {laps} laps",
                walker.actor,
                steps.len()
            );
        }
    }
}

#[test]
fn the_hero_jumps_falls_lands_and_goes_on() {
    for dt in STEPS {
        let mut player = WALKERS[0].player();
        player.number("speed", 0.0);
        player.run_to(1.0, dt);
        player.pull("jump");
        player.step(dt);
        player.flag("grounded", false);
        player.run_to(3.0, dt);
        player.flag("grounded", true);
        player.run_to(6.0, dt);
        let base: Vec<&str> = player
            .entered()
            .into_iter()
            .filter(|state| *state != "lean" && !state.contains('/'))
            .collect();
        assert_eq!(
            base,
            ["ground", "jump", "fall", "land", "ground"],
            "in steps of {dt} s"
        );
        assert_eq!(player.times("finished jump").len(), 1);
    }
}

#[test]
fn leaning_to_a_side_brings_the_head_to_that_side_and_standing_still_does_not_lean() {
    let mut player = WALKERS[0].player();
    let head = player.graph.skeleton.find("head").unwrap();
    let mut aside = |speed: f32, lean: f32| {
        player.number("speed", speed);
        player.number("lean", lean);
        let mut pose = Pose::default();
        let (graph, state, scratch) = (&player.graph, &player.state, &mut player.scratch);
        evaluate(graph, state, false, scratch, &mut pose);
        let skeleton = &player.graph.skeleton;
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        local_to_model(skeleton, &pose, &mut model);
        model[usize::from(head)].translation.x
    };
    // Who faces +Z has +X to the left.
    let upright = aside(1.2, 0.0);
    assert!(aside(1.2, 1.0) > upright + 0.02);
    assert!(aside(1.2, -1.0) < upright - 0.02);
    assert_eq!(aside(0.0, 1.0), aside(0.0, 0.0));
}

#[test]
fn a_slot_is_played_to_its_end_once_each_time_and_leaves_the_legs_alone() {
    let mut player = WALKERS[0].player();
    let upper = player.graph.slot("upper").unwrap();
    let wave = player.graph.clip("wave").unwrap();
    player.number("speed", 1.2);
    let dt = STEPS[0];
    let play = |player: &mut Player| {
        let (graph, state) = (&player.graph, &mut player.state);
        state.play_slot(graph, upper, wave, &SlotPlay::default())
    };
    for round in 1..=10 {
        assert!(play(&mut player).is_some());
        player.run_to(f64::from(round) * 6.0, dt);
        assert_eq!(player.times("finished upper").len(), round as usize);
    }
    assert!(play(&mut player).is_some());
    player.run_to(61.0, dt);
    let show = |player: &mut Player| {
        let mut pose = Pose::default();
        evaluate(
            &player.graph,
            &player.state,
            false,
            &mut player.scratch,
            &mut pose,
        );
        pose
    };
    let over = show(&mut player);
    player.state.slots[usize::from(upper)].weight = Fade::at(0.0);
    let below = show(&mut player);
    let joint = |name: &str| usize::from(player.graph.skeleton.find(name).unwrap());
    for leg in ["hips", "upperLeg_L", "lowerLeg_L", "foot_L", "toes_R"] {
        assert_eq!(over.joint(joint(leg)), below.joint(joint(leg)), "{leg}");
    }
    assert_ne!(
        over.joint(joint("lowerArm_R")),
        below.joint(joint("lowerArm_R"))
    );
}

#[test]
fn the_robot_walks_by_its_clips_own_stride() {
    for dt in STEPS {
        let mut player = Player::new("robot");
        player.flag("walking", true);
        player.run_to(2.0, dt);
        let (from, began) = (player.place, player.seconds);
        player.run_to(62.0, dt);
        let walk = player.clip("walk");
        let root = player.graph.root.as_ref().unwrap().joint;
        let speed = stride(&player.graph.skeleton, walk, root) / f64::from(walk.duration);
        let expected = speed * (player.seconds - began);
        let travel = f64::from(player.place.distance(from));
        // Where in a lap the minute begins and ends is worth a step at most.
        assert!(
            (travel - expected).abs() < 0.01 * expected + 0.01,
            "{travel} of {expected} m"
        );
    }
}

#[test]
fn the_lever_swings_as_its_parameter_says_and_back() {
    let mut player = Player::new("lever");
    let handle = player.graph.skeleton.find("handle").unwrap();
    let mut places = Vec::new();
    for index in 0..=20 {
        player.number("open", 1.0 - (index as f32 * 0.1 - 1.0).abs());
        player.step(1.0 / 60.0);
        let mut pose = Pose::default();
        evaluate(
            &player.graph,
            &player.state,
            false,
            &mut player.scratch,
            &mut pose,
        );
        let skeleton = &player.graph.skeleton;
        let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
        local_to_model(skeleton, &pose, &mut model);
        places.push(Vec3::from(model[usize::from(handle)].translation));
    }
    let (there, back) = (&places[..=10], &places[10..]);
    let ways = there.iter().map(|place| place.distance(there[0]));
    let ways: Vec<f32> = ways.collect();
    assert!(ways.windows(2).all(|pair| pair[1] > pair[0]), "{ways:?}");
    assert!(ways[10] > 0.1, "{ways:?}");
    let mut mirrored = there.iter().zip(back.iter().rev());
    assert!(mirrored.all(|(a, b)| a.distance(*b) < 1e-5), "{places:?}");
    // The latch clicks on the way there and on the way back.
    assert_eq!(player.times("latch").len(), 2);
}
