//! What one actor's graph remembers between steps: plain data, made once.

use serde::{Deserialize, Serialize};

use super::advance::EndReason;
use super::compiled::{MAX_CHOIRS, TransitionBlend};
use super::def::{InterruptionDef, ParameterKind};
use super::slot::SlotState;
use crate::{Fade, Inertia, InertiaScalar, LoopMode, Pose, Transform};

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParameterValue {
    /// A number.
    Float(f32),
    /// A whole number.
    Int(i32),
    /// True or false.
    Bool(bool),
    /// Whether it is set.
    Trigger(bool),
}

/// A parameter and, for a trigger, how long it still waits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterState {
    /// Now.
    pub value: ParameterValue,
    /// Seconds until a set trigger is cleared unused.
    pub seconds_left: f64,
}

/// Why a parameter was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// An index that is not in [`Graph::parameters`](crate::Graph).
    #[error("the graph has no parameter {0}")]
    Unknown(u16),
    /// The parameter holds something else.
    #[error("parameter `{name}` is a {}, not a {}", kind_name(*.is), kind_name(*.asked))]
    Kind {
        /// Its name.
        name: String,
        /// What it holds.
        is: ParameterKind,
        /// What was to be set.
        asked: ParameterKind,
    },
    /// Not a number, or infinite.
    #[error("parameter `{name}` must be a finite number")]
    NotFinite {
        /// Its name.
        name: String,
    },
}

/// The word for a kind of parameter.
pub(crate) fn kind_name(kind: ParameterKind) -> &'static str {
    match kind {
        ParameterKind::Float => "float",
        ParameterKind::Int => "int",
        ParameterKind::Bool => "bool",
        ParameterKind::Trigger => "trigger",
    }
}

/// How a script plays a state.
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Play {
    /// Seconds of the change; 0.2 unless given.
    pub fade: Option<f32>,
    /// Clip seconds where it begins; its start unless given.
    pub at: Option<f32>,
    /// Begin again where it already plays, which otherwise changes nothing.
    pub restart: bool,
    /// Wait until what plays has come to its end, or to the end of its lap.
    pub after_finish: bool,
    /// By inertia rather than by a crossfade.
    pub inertial: bool,
}

/// A state that was asked for and has not begun.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayRequest {
    /// Index in [`Machine::states`](crate::Machine).
    pub state: u16,
    /// How.
    pub play: Play,
}

/// A state that plays: the current one, or one that is being faded out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Playing {
    /// Index in [`Machine::states`](crate::Machine).
    pub state: u16,
    /// Tells apart two runs of one state in a fade.
    pub run: u32,
    /// The clock: laps since phase 0 of lap 0, unwrapped.
    pub cycles: f64,
    /// No time has passed since it was entered.
    pub fresh: bool,
    /// It has come to its end.
    pub finished: bool,
    /// What happens at the end.
    pub mode: LoopMode,
    /// Share of what is being faded out; 1 for the current state.
    pub share: f32,
    /// The same for its root motion: another one where a fade with a profile of the root joint was interrupted.
    pub root_share: f32,
    /// Seconds since it was entered.
    pub age: f64,
    /// The [`Playing::run`] whose phase it went on with, and so on: runs with the same keep to each
    /// other's markers.
    pub lock: u32,
    /// The leaf of each choir whose markers are heard, as a place in [`Choir::leaves`](crate::Choir).
    pub speakers: [u16; MAX_CHOIRS],
}

/// A change from everything older to the current state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FadeClock {
    /// Seconds since it began.
    pub elapsed: f64,
    /// Seconds of the whole.
    pub duration: f64,
    /// How.
    pub blend: TransitionBlend,
    /// The transition, index in [`Machine::transitions`](crate::Machine); none for `play`.
    pub transition: Option<u16>,
    /// What happens when another transition starts before it ends.
    pub interruption: InterruptionDef,
}

/// How far the markers of a name have been heard in a blend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Heard {
    /// [`Playing::run`].
    pub run: u32,
    /// Index in [`State::choirs`](crate::State).
    pub choir: u8,
    /// Index in [`Choir::markers`](crate::Choir).
    pub marker: u16,
    /// The leaf that tells them, as a place in [`Choir::leaves`](crate::Choir).
    pub speaker: u16,
    /// Forwards the next occurrence to be heard, backwards the last one that was not.
    pub next: i64,
}

/// A window of a clip that has begun and not ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenWindow {
    /// [`Playing::run`]; for a slot, the handle.
    pub run: u32,
    /// Index in [`Machine::states`](crate::Machine); 0 for a slot.
    pub state: u16,
    /// Index in [`State::leaves`](crate::State); 0 for a slot.
    pub leaf: u16,
    /// Index in [`Leaf::windows`](crate::Leaf); for a slot, in [`GraphClip::windows`](crate::GraphClip).
    pub window: u16,
    /// The lap it opened in.
    pub lap: i64,
    /// How far it has come, 0 to 1 in running direction.
    pub progress: f32,
    /// Weight in the actor's pose when it was last heard.
    pub weight: f32,
    /// Why it is to end with the next step, where the clock was moved between steps.
    pub ending: Option<EndReason>,
}

/// One machine's part of a [`GraphState`].
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct MachineState {
    /// What plays, oldest first; the last is the current state, the others are faded out. Empty for a
    /// machine in a state that has not played yet.
    pub playing: Vec<Playing>,
    /// The change into the current state, where there is one.
    pub fade: Option<FadeClock>,
    /// Whether the outgoing mix begins with `frozen_pose`, and how many of the oldest of `playing` it
    /// stands for: they run on for their events only.
    pub frozen: Option<u16>,
    /// The mix at the moment of interruption, root motion taken out.
    pub frozen_pose: Pose,
    /// The root joint of that mix with its motion in it.
    pub frozen_root: Transform,
    /// What is left of differences that die away.
    pub inertia: Inertia,
    /// What is left of differences of root velocity, a second, as in [`Travel::log`](crate::Travel).
    pub root_inertia: [InertiaScalar; 6],
    /// The state before the current one.
    pub previous: Option<u16>,
    /// The entry of the first state has been told.
    pub started: bool,
    /// What a script asked for, to begin in the next step.
    pub request: Option<PlayRequest>,
    /// Markers heard in blends.
    pub heard: Vec<Heard>,
    /// Windows of clips that are open.
    pub windows: Vec<OpenWindow>,
    /// The next [`Playing::run`].
    pub next_run: u32,
}

/// A choice of [`Motion::Random`](crate::Motion).
#[derive(Clone, Copy, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct RandomChoice {
    /// The child that plays.
    pub child: u16,
    /// Choices made so far.
    pub count: u64,
}

/// One layer's part of a [`GraphState`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerState {
    /// Fades from the layer's own weight to what scripts ask for.
    pub weight: Fade,
}

/// All that one actor's graph remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GraphState {
    /// By index in [`Graph::parameters`](crate::Graph).
    pub parameters: Vec<ParameterState>,
    /// By index in [`Graph::layers`](crate::Graph).
    pub layers: Vec<LayerState>,
    /// By index in [`Graph::machines`](crate::Graph).
    pub machines: Vec<MachineState>,
    /// By index in [`Graph::slots`](crate::Graph).
    pub slots: Vec<SlotState>,
    /// By the index that [`Motion::Random`](crate::Motion) gives.
    pub randoms: Vec<RandomChoice>,
    /// What random choices are made from.
    pub seed: u64,
    /// By index in [`Graph::poses`](crate::Graph): what scripts have kept, root motion taken out.
    pub poses: Vec<Option<Pose>>,
    /// What is left of a jump of the whole pose, such as a reload.
    pub inertia: Inertia,
    /// Factor on all clocks; fades are not scaled. Not finite counts as 0.
    pub speed: f32,
    /// Nothing moves and nothing is heard.
    pub paused: bool,
}

/// What a layer is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerStatus {
    /// The current state: while fading, the one that is faded in.
    pub state: u16,
    /// Clip seconds into the lap.
    pub time: f32,
    /// Phase of the lap, 0 to 1.
    pub progress: f32,
    /// Seconds of a lap at speed 1.
    pub length: f32,
    /// Weight of the current state in its layer, 0 to 1.
    pub weight: f32,
    /// Whether something is still faded out.
    pub fading: bool,
    /// Whether the current state has come to its end.
    pub finished: bool,
    /// The state before.
    pub previous: Option<u16>,
}
