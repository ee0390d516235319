//! Whether a state that came from outside, such as a file, can be that of a graph.

use super::compiled::{Graph, Layer, Motion};
use super::control::{MAX_PLAYING, NO_SPEAKER};
use super::def::ParameterKind;
use super::state::{GraphState, LayerState, ParameterState, ParameterValue, Playing};
use crate::{LANES, Pose, Skeleton};

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
        for (state, parameter) in self.parameters.iter().zip(&graph.parameters) {
            check_parameter(state, parameter.kind)
                .map_err(|why| value(format!("parameter `{}`", parameter.name), why))?;
        }
        for (state, layer) in self.layers.iter().zip(&graph.layers) {
            state.check(graph, layer, format!("layer `{}`", layer.name))?;
        }
        Ok(())
    }
}

impl LayerState {
    fn check(&self, graph: &Graph, layer: &Layer, place: String) -> Result<(), StateError> {
        let wrong = |why: String| Err(value(place.clone(), why));
        if !(1..=MAX_PLAYING).contains(&self.playing.len()) {
            return wrong(format!(
                "{} states play, it must be 1 to {MAX_PLAYING}",
                self.playing.len()
            ));
        }
        for playing in &self.playing {
            playing.check(graph, layer, &place)?;
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
            index(&place, "state", usize::from(state), layer.states.len())?;
        }
        let most = MAX_PLAYING * usize::from(u16::MAX);
        if self.heard.len() > most {
            return wrong(format!("{} markers were heard", self.heard.len()));
        }
        let clocks = self.fade.map(|fade| [fade.elapsed, fade.duration]);
        let numbers = clocks.into_iter().flatten().all(f64::is_finite);
        let weight = [
            self.weight.value,
            self.weight.target,
            self.weight.seconds_left,
        ];
        if !(numbers && weight.into_iter().all(f32::is_finite)) {
            return wrong("a fade is not finite".to_owned());
        }
        if !finite_transform(&self.frozen_root.translation, &self.frozen_root.scale)
            || !self.frozen_root.rotation.is_finite()
        {
            return wrong("the frozen root is not finite".to_owned());
        }
        let unused = !self.frozen && self.frozen_pose == Pose::default();
        if unused {
            return Ok(());
        }
        self.frozen_pose
            .check_for(&graph.skeleton)
            .or_else(|why| wrong(format!("the frozen pose {why}")))
    }
}

impl Playing {
    fn check(&self, graph: &Graph, layer: &Layer, place: &str) -> Result<(), StateError> {
        let known = usize::from(self.state);
        index(place, "state", known, layer.states.len())?;
        let state = &layer.states[known];
        let place = format!("{place}, state `{}`", state.name);
        if let Motion::Blend(space) = &graph.motions[usize::from(state.motion)]
            && self.speaker != NO_SPEAKER
        {
            let speaker = usize::from(self.speaker);
            index(&place, "sample", speaker, space.samples.len())?;
        }
        if self.cycles.is_nan() || self.cycles.abs() > MOST_LAPS {
            return Err(value(place, format!("{} laps", self.cycles)));
        }
        if !self.share.is_finite() {
            return Err(value(place, format!("a share of {}", self.share)));
        }
        Ok(())
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
    use crate::{GraphDef, Transform, test_support::chain};

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
            ("parameter `speed`: Bool(true)", |state| {
                state.parameters[1].value = ParameterValue::Bool(true);
            }),
            ("parameter `speed`: Float(NaN)", |state| {
                state.parameters[1].value = ParameterValue::Float(f32::NAN);
            }),
            ("layer `base`: 0 states play", |state| {
                state.layers[0].playing.clear();
            }),
            (
                "layer `base`: there is no state 2, the graph has 2",
                |state| {
                    state.layers[0].playing[0].state = 2;
                },
            ),
            ("layer `base`: there is no state 9", |state| {
                state.layers[0].previous = Some(9);
            }),
            ("state `a`: inf laps", |state| {
                state.layers[0].playing[0].cycles = f64::INFINITY;
            }),
            ("layer `base`: a fade is not finite", |state| {
                state.layers[0].weight.value = f32::NAN;
            }),
            ("layer `base`: the frozen pose has 1 joints", |state| {
                state.layers[0].frozen_pose = Pose::identity(1, 0);
            }),
            ("layer `base`: the frozen pose is not finite", |state| {
                state.layers[0].frozen_pose.blocks[0].scale[0][0] = f32::INFINITY;
            }),
            ("layer `base`: 4294967295 runs leave no room", |state| {
                state.layers[0].next_run = u32::MAX;
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
