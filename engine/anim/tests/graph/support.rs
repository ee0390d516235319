//! A small skeleton, clips that move one joint, and a player that runs a graph step by step.

use std::sync::Arc;

use glam::{Quat, Vec3};
use serde_json::{Value, json};
use sinew_anim::{
    Advanced, Clip, EventSource, Graph, GraphDef, GraphError, GraphEvent, GraphEventKind,
    GraphState, Interpolation, Joint, JointTracks, LayerStatus, Marker, Play, Pose, Scratch,
    Skeleton, Track, Transform, advance, evaluate,
};

/// Joints `root`, `j`, `arm` and `hand`, each below the one before, and `tail` below `root`.
pub fn skeleton() -> Arc<Skeleton> {
    let joint = |name: &str, parent| Joint {
        name: name.to_owned(),
        parent,
        rest: Transform::IDENTITY,
        pre: None,
    };
    let joints = [
        joint("root", None),
        joint("j", Some(0)),
        joint("arm", Some(1)),
        joint("hand", Some(2)),
        joint("tail", Some(0)),
    ];
    Arc::new(Skeleton::new(&joints, &[]).expect("valid"))
}

/// Index of joint `j`.
pub const J: usize = 1;

/// A clip under construction.
#[derive(Clone)]
pub struct Make(pub Clip);

pub fn clip(name: &str, duration: f32) -> Make {
    Make(Clip {
        name: name.to_owned(),
        duration,
        ..Clip::default()
    })
}

impl Make {
    /// A joint's x over the whole clip, straight from one value to another.
    pub fn x(self, joint: u16, from: f32, to: f32) -> Self {
        self.translation(joint, Vec3::X * from, Vec3::X * to)
    }

    /// A joint's z.
    pub fn z(self, joint: u16, from: f32, to: f32) -> Self {
        self.translation(joint, Vec3::Z * from, Vec3::Z * to)
    }

    fn translation(mut self, joint: u16, from: Vec3, to: Vec3) -> Self {
        let duration = self.0.duration;
        self.tracks(joint).translation = Some(Track {
            interpolation: Interpolation::Linear,
            times: if duration > 0.0 {
                vec![0.0, duration]
            } else {
                vec![0.0]
            },
            values: if duration > 0.0 {
                vec![from, to]
            } else {
                vec![to]
            },
        });
        self
    }

    /// A joint's yaw in degrees, in pieces of at most 90°.
    pub fn yaw(mut self, joint: u16, from: f32, to: f32) -> Self {
        let pieces = ((to - from).abs() / 90.0).ceil().max(1.0) as usize;
        let share = |index: usize| index as f32 / pieces as f32;
        let duration = self.0.duration;
        let angle = |index| (from + (to - from) * share(index)).to_radians();
        self.tracks(joint).rotation = Some(Track {
            interpolation: Interpolation::Linear,
            times: (0..=pieces).map(|index| duration * share(index)).collect(),
            values: (0..=pieces)
                .map(|index| Quat::from_rotation_y(angle(index)))
                .collect(),
        });
        self
    }

    pub fn marker(self, name: &str, time: f32) -> Self {
        self.marker_with(name, time, 0.0)
    }

    pub fn marker_with(mut self, name: &str, time: f32, value: f32) -> Self {
        let name = name.to_owned();
        self.0.markers.push(Marker { name, time, value });
        self
    }

    fn tracks(&mut self, joint: u16) -> &mut JointTracks {
        let found = self
            .0
            .joints
            .iter()
            .position(|tracks| tracks.joint == joint);
        let index = found.unwrap_or_else(|| {
            self.0.joints.push(JointTracks {
                joint,
                ..JointTracks::default()
            });
            self.0.joints.sort_by_key(|tracks| tracks.joint);
            self.0
                .joints
                .iter()
                .position(|tracks| tracks.joint == joint)
                .expect("just added")
        });
        &mut self.0.joints[index]
    }
}

/// A clip in which `j` stands at x.
pub fn still(name: &str, duration: f32, x: f32) -> Make {
    clip(name, duration).x(J as u16, x, x)
}

pub fn arcs(clips: Vec<Make>) -> Vec<Arc<Clip>> {
    clips.into_iter().map(|make| Arc::new(make.0)).collect()
}

pub fn compile(def: Value, clips: Vec<Make>) -> Result<Graph, Vec<GraphError>> {
    let def = GraphDef::from_value(def).map_err(|error| vec![error])?;
    Graph::compile(&def, &skeleton(), &arcs(clips))
}

/// A graph of one layer named `base`.
pub fn one_layer(parameters: Value, states: Value, entry: &str, transitions: Value) -> Value {
    json!({
        "parameters": parameters,
        "layers": [{ "name": "base", "entry": entry, "states": states, "transitions": transitions }],
    })
}

/// What was heard, in words: `step>`.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Seconds since the start, exact place in the step included.
    pub time: f64,
    pub words: String,
    pub weight: f32,
}

pub struct Player {
    pub graph: Graph,
    pub state: GraphState,
    pub scratch: Scratch,
    pub out: Advanced,
    pub pose: Pose,
    pub time: f64,
    pub said: Vec<Said>,
    /// Travelled so far: x, z, yaw.
    pub place: [f64; 3],
}

impl Player {
    pub fn new(def: Value, clips: Vec<Make>) -> Self {
        let graph = compile(def, clips).unwrap_or_else(|errors| panic!("{errors:#?}"));
        Self::of(graph)
    }

    pub fn of(graph: Graph) -> Self {
        let mut player = Self {
            state: GraphState::start(&graph),
            graph,
            scratch: Scratch::default(),
            out: Advanced::default(),
            pose: Pose::default(),
            time: 0.0,
            said: Vec::new(),
            place: [0.0; 3],
        };
        player.show();
        player
    }

    pub fn step(&mut self, dt: f32) {
        advance(
            &self.graph,
            &mut self.state,
            dt,
            &mut self.scratch,
            &mut self.out,
        );
        for event in &self.out.events {
            let words = words_of(&self.graph, event);
            self.said.push(Said {
                time: self.time + f64::from(event.alpha) * f64::from(dt),
                words,
                weight: event.weight,
            });
        }
        let root = self.out.root;
        let [x, z, yaw] = &mut self.place;
        let (sin, cos) = yaw.sin_cos();
        let (dx, dz) = (f64::from(root.translation.x), f64::from(root.translation.z));
        *x += dx * cos + dz * sin;
        *z += dz * cos - dx * sin;
        *yaw += f64::from(root.yaw);
        self.time += f64::from(dt);
        self.show();
    }

    pub fn show(&mut self) {
        evaluate(
            &self.graph,
            &self.state,
            false,
            &mut self.scratch,
            &mut self.pose,
        );
    }

    /// Steps until `seconds` since the start.
    pub fn run_to(&mut self, seconds: f64, dt: f32) {
        while self.time + f64::from(dt) * 0.5 < seconds {
            self.step(dt);
        }
    }

    pub fn x(&self) -> f32 {
        self.pose.translation(J).x
    }

    pub fn status(&self) -> LayerStatus {
        self.state.layer_status(&self.graph, 0)
    }

    pub fn state_name(&self) -> &str {
        &self.graph.states(0)[usize::from(self.status().state)].name
    }

    pub fn set(&mut self, name: &str, value: f32) {
        let parameter = self.graph.parameter(name).expect("known");
        self.state
            .set_float(&self.graph, parameter, value)
            .expect("float");
    }

    pub fn flag(&mut self, name: &str, value: bool) {
        let parameter = self.graph.parameter(name).expect("known");
        self.state
            .set_bool(&self.graph, parameter, value)
            .expect("bool");
    }

    pub fn pull(&mut self, name: &str) {
        let parameter = self.graph.parameter(name).expect("known");
        self.state
            .set_trigger(&self.graph, parameter)
            .expect("trigger");
    }

    pub fn play(&mut self, name: &str, play: Play) {
        let state = self.graph.state(0, name).expect("known");
        self.state.play(&self.graph, 0, state, &play);
    }

    /// How often these words were said.
    pub fn count(&self, words: &str) -> usize {
        self.said.iter().filter(|said| said.words == words).count()
    }

    /// All that was said, in order.
    pub fn words(&self) -> Vec<&str> {
        self.said.iter().map(|said| said.words.as_str()).collect()
    }
}

/// An event in words.
fn words_of(graph: &Graph, event: &GraphEvent) -> String {
    let name = |name: u16| &graph.names[usize::from(name)];
    let source = graph.source_name(event.source);
    match event.kind {
        GraphEventKind::Marker { name: marker, .. } => format!("{} in {source}", name(marker)),
        GraphEventKind::WindowBegin { name: window, .. } => {
            format!("begin {} in {source}", name(window))
        }
        GraphEventKind::WindowTick { name: window, .. } => {
            format!("tick {} in {source}", name(window))
        }
        GraphEventKind::WindowEnd {
            name: window,
            reason,
            ..
        } => format!("end {} in {source}: {reason:?}", name(window)),
        GraphEventKind::SlotEnd { handle, reason, .. } => {
            format!("end {handle} in {source}: {reason:?}")
        }
        GraphEventKind::StateEnter { .. } => format!("enter {source}"),
        GraphEventKind::StateExit { following } => {
            let EventSource::State { machine, .. } = event.source else {
                return format!("exit {source}");
            };
            let states = &graph.machines[usize::from(machine)].states;
            let following = following.map(|state| states[usize::from(state)].path.as_str());
            following.map_or_else(
                || format!("exit {source}"),
                |following| format!("exit {source} for {following}"),
            )
        }
        GraphEventKind::Finished => format!("finished {source}"),
        GraphEventKind::FullyIn => format!("in {source}"),
    }
}

/// A small generator of numbers from 0 to 1 (xorshift), so that a failing case can be run again.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// The angle between two rotations in radians, exact for small ones.
pub fn angle(a: Quat, b: Quat) -> f64 {
    let (a, b) = (a.as_dquat(), b.as_dquat());
    let b = if a.dot(b) < 0.0 { -b } else { b };
    4.0 * ((a - b).length() * 0.5).min(1.0).asin()
}
