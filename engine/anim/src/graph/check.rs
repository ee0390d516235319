//! Whether a state that came from outside, such as a file, can be that of a graph.

use super::compiled::{Graph, Machine};
use super::control::{MAX_PLAYING, NO_SPEAKER};
use super::def::ParameterKind;
use super::slot::SlotState;
use super::state::{GraphState, MachineState, ParameterState, ParameterValue, Playing};
use crate::{Fade, Inertia, LANES, Pose, Skeleton};

/// Laps that a clock may have counted.
const MOST_LAPS: f64 = 1e12;

/// Why a state is not one of a graph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StateError {
    /// A list of another length than the graph's.
    #[error("{what}: {found}, but the graph has {wanted}")]
    Count {
        /// What is counted, such as "parameters".
        what: String,
        /// In the state.
        found: usize,
        /// In the graph.
        wanted: usize,
    },
    /// An index past the end of a list of the graph.
    #[error("{place}: there is no {what} {index}, the graph has {count}")]
    Index {
        /// Where in the state, such as "layer `base`".
        place: String,
        /// Kind of thing.
        what: &'static str,
        /// The index.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A value that no step leaves behind.
    #[error("{place}: {why}")]
    Value {
        /// Where in the state.
        place: String,
        /// What is wrong.
        why: String,
    },
}

impl GraphState {
    /// Checks a state from outside against the graph that is to go on with it: after this, neither a step nor a pose
    /// can go wrong by it.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check(&self, graph: &Graph) -> Result<(), StateError> {
        count("parameters", self.parameters.len(), graph.parameters.len())?;
        count("layers", self.layers.len(), graph.layers.len())?;
        count("machines", self.machines.len(), graph.machines.len())?;
        count("slots", self.slots.len(), graph.slots.len())?;
        count("choices", self.randoms.len(), usize::from(graph.randoms))?;
        count("kept poses", self.poses.len(), graph.poses.len())?;
        for (state, parameter) in self.parameters.iter().zip(&graph.parameters) {
            check_parameter(state, parameter.kind)
                .map_err(|why| value(format!("parameter `{}`", parameter.name), why))?;
        }
        for (state, layer) in self.layers.iter().zip(&graph.layers) {
            check_fade(&state.weight)
                .map_err(|why| value(format!("layer `{}`", layer.name), why))?;
            let own = &self.machines[usize::from(layer.machine)];
            if own.playing.is_empty() {
                return Err(value(
                    format!("layer `{}`", layer.name),
                    "nothing plays".to_owned(),
                ));
            }
        }
        for (state, machine) in self.machines.iter().zip(&graph.machines) {
            let layer = &graph.layers[usize::from(machine.layer)].name;
            state.check(graph, machine, format!("layer `{layer}`"))?;
        }
        for (state, slot) in self.slots.iter().zip(&graph.slots) {
            state.check(graph, format!("slot `{}`", slot.name))?;
        }
        for choice in &self.randoms {
            if choice.count > u64::MAX / 2 {
                return Err(value("a choice".to_owned(), "no room for more".to_owned()));
            }
        }
        for (kept, name) in self.poses.iter().zip(&graph.poses) {
            if let Some(kept) = kept {
                kept.check_for(&graph.skeleton)
                    .map_err(|why| value(format!("kept pose `{name}`"), why))?;
            }
        }
        check_inertia(&self.inertia).map_err(|why| value("the pose".to_owned(), why))
    }
}

impl MachineState {
    fn check(&self, graph: &Graph, machine: &Machine, place: String) -> Result<(), StateError> {
        let wrong = |why: String| Err(value(place.clone(), why));
        if self.playing.len() > MAX_PLAYING {
            return wrong(format!(
                "{} states play, it must be at most {MAX_PLAYING}",
                self.playing.len()
            ));
        }
        for playing in &self.playing {
            playing.check(machine, &place)?;
            if playing.run >= self.next_run {
                return wrong(format!("run {} has not begun yet", playing.run));
            }
        }
        if self.playing.len() > 1 && self.fade.is_none() {
            return wrong("several states play, but nothing fades".to_owned());
        }
        if self.next_run > u32::MAX / 2 {
            return wrong(format!("{} runs leave no room for more", self.next_run));
        }
        let named = [self.previous, self.request.map(|request| request.state)];
        for state in named.into_iter().flatten() {
            index(&place, "state", usize::from(state), machine.states.len())?;
        }
        let older = self.playing.len().saturating_sub(1);
        if self
            .frozen
            .is_some_and(|frozen| usize::from(frozen) > older)
        {
            return wrong("more states are frozen than fade out".to_owned());
        }
        self.check_fade(graph, machine, &place)?;
        self.check_heard(machine, &place)?;
        if !finite_transform(&self.frozen_root.translation, &self.frozen_root.scale)
            || !self.frozen_root.rotation.is_finite()
        {
            return wrong("the frozen root is not finite".to_owned());
        }
        if self
            .root_inertia
            .iter()
            .any(|part| !part.value().is_finite())
        {
            return wrong("what is left of a velocity is not finite".to_owned());
        }
        check_inertia(&self.inertia).or_else(wrong)?;
        let unused = self.frozen.is_none() && self.frozen_pose == Pose::default();
        if unused {
            return Ok(());
        }
        self.frozen_pose
            .check_for(&graph.skeleton)
            .or_else(|why| wrong(format!("the frozen pose {why}")))
    }

    fn check_fade(&self, graph: &Graph, machine: &Machine, place: &str) -> Result<(), StateError> {
        let Some(fade) = self.fade else {
            return Ok(());
        };
        if !(fade.elapsed.is_finite() && fade.duration.is_finite()) {
            return Err(value(place.to_owned(), "a fade is not finite".to_owned()));
        }
        if let Some(way) = fade.transition {
            let count = machine.transitions.len();
            index(place, "transition", usize::from(way), count)?;
        }
        if let Some(profile) = fade.blend.profile {
            index(place, "profile", usize::from(profile), graph.profiles.len())?;
        }
        Ok(())
    }

    /// What was heard and what is open belongs to states that play.
    fn check_heard(&self, machine: &Machine, place: &str) -> Result<(), StateError> {
        let state = |run: u32| {
            let playing = self.playing.iter().find(|playing| playing.run == run);
            playing.map(|playing| &machine.states[usize::from(playing.state)])
        };
        let nobody = || value(place.to_owned(), "something is heard of nobody".to_owned());
        for heard in &self.heard {
            let state = state(heard.run).ok_or_else(nobody)?;
            let choir = usize::from(heard.choir);
            index(place, "choir", choir, state.choirs.len())?;
            let markers = state.choirs[choir].markers.len();
            index(place, "marker", usize::from(heard.marker), markers)?;
        }
        for open in &self.windows {
            // Windows of states that are gone only wait to be told of.
            let Some(state) = state(open.run) else {
                continue;
            };
            let leaf = usize::from(open.leaf);
            index(place, "leaf", leaf, state.leaves.len())?;
            let windows = state.leaves[leaf].windows.len();
            index(place, "window", usize::from(open.window), windows)?;
        }
        Ok(())
    }
}

impl SlotState {
    fn check(&self, graph: &Graph, place: String) -> Result<(), StateError> {
        let ended = self.ended.iter().map(|ended| ended.clip);
        let pending = self.change.and_then(|change| change.to);
        let clips = || self.clips.iter().chain(&pending);
        for clip in clips().map(|clip| clip.clip).chain(ended) {
            index(&place, "clip", usize::from(clip), graph.clips.len())?;
        }
        let wrong = |why: String| Err(value(place.clone(), why));
        if self.clips.len() > MAX_PLAYING || self.ended.len() > 1024 {
            return wrong("more clips than a slot plays".to_owned());
        }
        let seconds = self.change.map_or(0.0, |change| change.seconds);
        if !(seconds.is_finite() && seconds >= 0.0) {
            return wrong(format!("a change takes {seconds} s"));
        }
        for clip in clips() {
            let clocks = clip.cycles.abs() <= MOST_LAPS && clip.speed.is_finite();
            if !(clocks && clip.fade_out.is_finite() && clip.fade_out >= 0.0) {
                return wrong("a clip's clock is not finite".to_owned());
            }
            check_fade(&clip.share).or_else(wrong)?;
        }
        if self.next_handle > u32::MAX / 2 {
            return wrong("no room for more handles".to_owned());
        }
        check_inertia(&self.inertia).or_else(wrong)?;
        check_fade(&self.weight).or_else(wrong)
    }
}

impl Playing {
    fn check(&self, machine: &Machine, place: &str) -> Result<(), StateError> {
        let known = usize::from(self.state);
        index(place, "state", known, machine.states.len())?;
        let state = &machine.states[known];
        let place = format!("{place}, state `{}`", state.path);
        for (speaker, choir) in self.speakers.iter().zip(&state.choirs) {
            if *speaker != NO_SPEAKER {
                index(&place, "leaf", usize::from(*speaker), choir.leaves.len())?;
            }
        }
        if self.cycles.is_nan() || self.cycles.abs() > MOST_LAPS {
            return Err(value(place, format!("{} laps", self.cycles)));
        }
        if ![self.share, self.root_share]
            .iter()
            .all(|share| share.is_finite())
            || !self.age.is_finite()
        {
            return Err(value(place, format!("a share of {}", self.share)));
        }
        Ok(())
    }
}

fn check_fade(fade: &Fade) -> Result<(), String> {
    let numbers = [fade.value, fade.target, fade.seconds_left];
    if numbers.into_iter().all(f32::is_finite) && fade.seconds_left >= 0.0 {
        Ok(())
    } else {
        Err("a weight is not finite".to_owned())
    }
}

fn check_inertia(inertia: &Inertia) -> Result<(), String> {
    if inertia.is_finite() {
        Ok(())
    } else {
        Err("what is left of a change is not finite".to_owned())
    }
}

impl Pose {
    /// Whether a pose from outside has the size of a skeleton's and holds numbers.
    ///
    /// # Errors
    /// What is wrong, to follow the pose's name in a sentence.
    pub fn check_for(&self, skeleton: &Skeleton) -> Result<(), String> {
        let (joints, morphs) = (skeleton.len(), skeleton.morphs.len());
        if self.joints != joints || self.blocks.len() != joints.div_ceil(LANES) {
            return Err(format!(
                "has {} joints in {} blocks, the skeleton {joints}",
                self.joints,
                self.blocks.len()
            ));
        }
        if self.morphs.len() != morphs {
            return Err(format!(
                "has {} morph weights, the skeleton {morphs}",
                self.morphs.len()
            ));
        }
        let numbers = self.blocks.iter().all(|block| {
            let vectors = block.translation.iter().chain(&block.scale);
            let all = vectors.chain(&block.rotation).flatten();
            all.copied().all(f32::is_finite)
        });
        if numbers && self.morphs.iter().copied().all(f32::is_finite) {
            Ok(())
        } else {
            Err("is not finite".to_owned())
        }
    }
}

fn check_parameter(state: &ParameterState, kind: ParameterKind) -> Result<(), String> {
    let fits = match (state.value, kind) {
        (ParameterValue::Float(number), ParameterKind::Float) => number.is_finite(),
        (ParameterValue::Int(_), ParameterKind::Int)
        | (ParameterValue::Bool(_), ParameterKind::Bool)
        | (ParameterValue::Trigger(_), ParameterKind::Trigger) => true,
        _ => false,
    };
    if !fits {
        return Err(format!("{:?} is no value of it", state.value));
    }
    if state.seconds_left.is_nan() {
        return Err("its time to wait is no number".to_owned());
    }
    Ok(())
}

fn finite_transform(translation: &glam::Vec3, scale: &glam::Vec3) -> bool {
    translation.is_finite() && scale.is_finite()
}

fn count(what: &str, found: usize, wanted: usize) -> Result<(), StateError> {
    if found == wanted {
        return Ok(());
    }
    Err(StateError::Count {
        what: what.to_owned(),
        found,
        wanted,
    })
}

fn index(place: &str, what: &'static str, index: usize, count: usize) -> Result<(), StateError> {
    if index < count {
        return Ok(());
    }
    Err(StateError::Index {
        place: place.to_owned(),
        what,
        index,
        count,
    })
}

fn value(place: String, why: String) -> StateError {
    StateError::Value { place, why }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphDef, Heard, Transform, test_support::chain};

    fn graph() -> Graph {
        let json = r#"{
            "parameters": { "speed": 1.0, "go": "trigger" },
            "layers": [{ "name": "base", "entry": "a", "states": { "a": { "rest": true }, "b": { "rest": true } } }]
        }"#;
        let def: GraphDef = serde_json::from_str(json).expect("a graph");
        Graph::compile(&def, &chain(&[Transform::IDENTITY; 3]).into(), &[]).expect("good")
    }

    #[test]
    fn a_state_fits_its_own_graph_and_each_kind_of_misfit_is_named() {
        type Edit = fn(&mut GraphState);
        let cases: &[(&str, Edit)] = &[
            ("parameters: 1, but the graph has 2", |state| {
                state.parameters.pop();
            }),
            ("layers: 0, but the graph has 1", |state| {
                state.layers.clear()
            }),
            ("machines: 0, but the graph has 1", |state| {
                state.machines.clear();
            }),
            ("layer `base`: more states are frozen", |state| {
                state.machines[0].frozen = Some(1);
            }),
            ("layer `base`: something is heard of nobody", |state| {
                state.machines[0].heard.push(Heard {
                    run: 7,
                    choir: 0,
                    speaker: 0,
                    marker: 0,
                    next: 0,
                });
            }),
            ("parameter `speed`: Bool(true)", |state| {
                state.parameters[1].value = ParameterValue::Bool(true);
            }),
            ("parameter `speed`: Float(NaN)", |state| {
                state.parameters[1].value = ParameterValue::Float(f32::NAN);
            }),
            ("layer `base`: nothing plays", |state| {
                state.machines[0].playing.clear();
            }),
            (
                "layer `base`: there is no state 2, the graph has 2",
                |state| {
                    state.machines[0].playing[0].state = 2;
                },
            ),
            ("layer `base`: there is no state 9", |state| {
                state.machines[0].previous = Some(9);
            }),
            ("state `a`: inf laps", |state| {
                state.machines[0].playing[0].cycles = f64::INFINITY;
            }),
            ("layer `base`: a weight is not finite", |state| {
                state.layers[0].weight.value = f32::NAN;
            }),
            ("layer `base`: the frozen pose has 1 joints", |state| {
                state.machines[0].frozen_pose = Pose::identity(1, 0);
            }),
            ("layer `base`: the frozen pose is not finite", |state| {
                state.machines[0].frozen_pose.blocks[0].scale[0][0] = f32::INFINITY;
            }),
            ("layer `base`: 4294967295 runs leave no room", |state| {
                state.machines[0].next_run = u32::MAX;
            }),
        ];
        let graph = graph();
        let state = GraphState::start(&graph);
        assert_eq!(state.check(&graph), Ok(()));
        for (expected, edit) in cases {
            let mut state = state.clone();
            edit(&mut state);
            let said = state.check(&graph).expect_err(expected).to_string();
            assert!(said.contains(expected), "{said} should say {expected}");
        }
    }
}
