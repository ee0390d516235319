//! What states play, compiled: motions, the clips in them and who of them is heard.

use glam::Vec2;

use super::def::RateDef;
use super::warp::Warp;
use crate::Triangulation;

/// Whose markers are heard in a blend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Speaks {
    /// The heaviest leaf of each choir; a challenger must exceed the speaker by 0.05.
    Dominant,
    /// Every leaf of at least this weight (and above 0).
    Threshold(f32),
    /// Nobody; state events are told all the same.
    None,
}

/// A marker of a state itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateMarker {
    /// Index in [`Graph::names`](crate::Graph).
    pub name: u16,
    /// Where in the lap.
    pub at: StateMarkerAt,
    /// For whoever listens.
    pub value: f32,
}

/// Where a [`StateMarker`] lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StateMarkerAt {
    /// Share of the lap, 0 to 1.
    Phase(f64),
    /// Seconds into the lap at speed 1; past its end it is not met.
    Seconds(f64),
}

/// Something in a state's motion that has markers of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// What it plays in a lap: one clip for phases 0 to 1, or several, one after another.
    pub parts: Vec<LeafPart>,
    /// Index in [`State::choirs`](crate::State).
    pub choir: u8,
    /// Its phase is a parameter and not the state's; it is heard only as the motion of a whole state.
    pub scrubbed: bool,
    /// Seconds that it takes for a lap of the state at speed 1.
    pub duration: f64,
    /// Metres that the root travels in that lap.
    pub stride: f64,
    /// How its own laps lie in the state's, where it is aligned to others by markers.
    pub warp: Option<Warp>,
    /// The markers of all parts, by phase of the state.
    pub markers: Vec<LeafMarker>,
    /// The windows of all parts, in the order of parts and of their begins.
    pub windows: Vec<LeafWindow>,
}

/// A clip in a [`Leaf`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafPart {
    /// Index in [`Graph::clips`](crate::Graph).
    pub clip: u16,
    /// Phase of the leaf at its start.
    pub begin: f64,
    /// Phase of the leaf at its end.
    pub end: f64,
}

/// A marker of a [`Leaf`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafMarker {
    /// Index in [`Graph::clips`](crate::Graph).
    pub clip: u16,
    /// Index in [`Graph::names`](crate::Graph).
    pub name: u16,
    /// Where in the lap of the state, 0 to 1.
    pub phase: f64,
    /// Clip seconds.
    pub time: f32,
    /// For whoever listens.
    pub value: f32,
}

/// A window of a [`Leaf`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeafWindow {
    /// Index in [`Graph::clips`](crate::Graph).
    pub clip: u16,
    /// Index in [`Graph::names`](crate::Graph).
    pub name: u16,
    /// Where in the lap of the state it opens, 0 to 1.
    pub begin: f64,
    /// Where it closes, not before `begin`; above 1 in the lap that follows.
    pub end: f64,
}

/// Leaves whose markers follow each other in the same order, so that there is a mean of where they lie: what
/// keeps step with the state goes by it.
#[derive(Clone, Debug, PartialEq)]
pub struct SyncTrack {
    /// Names that all of them have, in order; indices in [`Graph::names`](crate::Graph).
    pub names: Vec<u16>,
    /// Indices in [`State::leaves`](crate::State).
    pub leaves: Vec<u16>,
    /// Per leaf, where in the lap of the state each of `names` lies; ascending by less than a lap, and less than half a
    /// lap from those of the first leaf.
    pub places: Vec<Vec<f64>>,
}

/// Leaves that compete for speaking: those of one blend. What is laid over by an additive motion is a
/// choir of its own.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Choir {
    /// Indices in [`State::leaves`](crate::State).
    pub leaves: Vec<u16>,
    /// Their markers by name; empty where there is one leaf.
    pub markers: Vec<SharedMarker>,
}

/// A marker name in a choir. Where every leaf that has it has it equally often, its occurrences are
/// numbered through all laps, so that the j-th of a lap is one event whoever speaks.
#[derive(Clone, Debug, PartialEq)]
pub struct SharedMarker {
    /// Index in [`Graph::names`](crate::Graph).
    pub name: u16,
    /// Occurrences a lap; 0 where leaves differ and only the speaker counts.
    pub shared: u32,
    /// Per leaf of the choir: what is added to the number of its occurrences, so that markers near
    /// each other across the lap boundary count as one.
    pub shift: Vec<i32>,
    /// Per leaf of the choir: its markers of this name, as indices in [`Leaf::markers`], by phase.
    pub own: Vec<Vec<u16>>,
}

/// What a state plays. All of it shares the phase of the state, but for machines.
#[derive(Clone, Debug)]
pub enum Motion {
    /// The rest pose.
    Rest,
    /// A clip by the clock.
    Clip(Sample),
    /// A clip whose phase is a float parameter, 0 to 1.
    Scrub {
        /// What it shows.
        sample: Sample,
        /// The phase.
        parameter: u16,
    },
    /// A blend space.
    Blend(BlendSpace),
    /// Children with a weight each. What weights miss to 1 is the rest pose; above 1 they share.
    Direct(Vec<DirectChild>),
    /// A difference from the rest pose, laid over a base in local space.
    Additive {
        /// What is below; it gives rate and root motion.
        base: u16,
        /// What is added.
        add: u16,
        /// The float parameter that holds the weight, 0 to 1; 1 where absent.
        weight: Option<u16>,
    },
    /// The child whose number an int parameter holds; the nearest where there is none.
    Select {
        /// The number, from 0.
        parameter: u16,
        /// By number.
        children: Vec<u16>,
    },
    /// A child by chance, another one every lap.
    Random {
        /// Index in [`GraphState::randoms`](crate::GraphState).
        slot: u16,
        /// What is chosen from.
        children: Vec<u16>,
    },
    /// Clips one after another; the parts are those of the leaf.
    Sequence {
        /// Index in [`State::leaves`](crate::State).
        leaf: u16,
    },
    /// A machine, index in [`Graph::machines`](crate::Graph).
    Machine(u16),
    /// A pose that a script keeps, index in [`Graph::poses`](crate::Graph); at rest until it does.
    Pose(u16),
}

/// A clip in a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Index in [`Graph::clips`](crate::Graph).
    pub clip: u16,
    /// Index in [`State::leaves`](crate::State).
    pub leaf: u16,
}

/// Motions over a line or a plane that share one phase.
#[derive(Clone, Debug)]
pub struct BlendSpace {
    /// Where the children lie.
    pub points: Points,
    /// Most children that count at once; the heaviest stay.
    pub keep: Option<u8>,
    /// One a point.
    pub children: Vec<BlendChild>,
    /// How fast the shared phase runs.
    pub rate: RateDef,
}

/// A motion at a point of a blend space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendChild {
    /// Index in [`Graph::motions`](crate::Graph).
    pub motion: u16,
    /// Factor on its own speed, above 0.
    pub speed: f64,
}

/// A child of a direct blend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DirectChild {
    /// A float parameter; below 0 counts as 0.
    pub weight: u16,
    /// Index in [`Graph::motions`](crate::Graph).
    pub motion: u16,
}

/// Places of children and the parameters that are looked up among them.
#[derive(Clone, Debug, PartialEq)]
pub enum Points {
    /// Along a float parameter.
    Line {
        /// The place.
        parameter: u16,
        /// One a child.
        at: Vec<f32>,
    },
    /// Over two float parameters.
    Plane {
        /// x and y of the place.
        parameters: [u16; 2],
        /// One a child.
        at: Vec<Vec2>,
        /// How weights are found.
        rule: PlaneRule,
    },
}

/// How weights over a plane are found.
#[derive(Clone, Debug, PartialEq)]
pub enum PlaneRule {
    /// Gradient bands.
    GradientBand,
    /// Gradient bands in polar space.
    Polar,
    /// Triangles, made once.
    Delaunay(Triangulation),
}
