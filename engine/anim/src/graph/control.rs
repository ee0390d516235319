//! What programs and scripts do to a [`GraphState`] and read from it.

use super::compiled::{Graph, Layer, Motion, State};
use super::def::ParameterKind;
use super::fade::current_weight;
use super::motion::{lap_seconds, number, runs_backwards};
use super::state::{
    GraphState, LayerState, LayerStatus, ParameterError, ParameterState, ParameterValue, Play,
    PlayRequest, Playing, kind_name,
};
use crate::{Fade, LoopMode, Pose, Transform};

/// States that one layer plays at once; where a fade is interrupted more often, the lightest falls
/// silent.
pub(super) const MAX_PLAYING: usize = 8;

/// [`Playing::speaker`] before anybody has spoken.
pub(super) const NO_SPEAKER: u16 = u16::MAX;

impl GraphState {
    /// The state of an actor that has just begun: parameters at their defaults, each layer in its
    /// entry state.
    pub fn start(graph: &Graph) -> Self {
        let parameters: Vec<ParameterState> = graph
            .parameters
            .iter()
            .map(|parameter| ParameterState {
                value: parameter.default,
                seconds_left: 0.0,
            })
            .collect();
        let start = |layer: &Layer| LayerState::start(graph, layer, &parameters);
        Self {
            layers: graph.layers.iter().map(start).collect(),
            parameters,
            speed: 1.0,
            paused: false,
        }
    }

    /// Sets a float parameter, clamped to its range.
    ///
    /// # Errors
    /// Not such a parameter, or not a finite number.
    pub fn set_float(
        &mut self,
        graph: &Graph,
        parameter: u16,
        value: f32,
    ) -> Result<(), ParameterError> {
        let definition = checked(graph, parameter, ParameterKind::Float)?;
        if !value.is_finite() {
            let name = definition.name.clone();
            return Err(ParameterError::NotFinite { name });
        }
        let low = definition.min.unwrap_or(f32::NEG_INFINITY);
        let high = definition.max.unwrap_or(f32::INFINITY);
        self.set(parameter, ParameterValue::Float(value.max(low).min(high)));
        Ok(())
    }

    /// Sets an int parameter, clamped to its range.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn set_int(
        &mut self,
        graph: &Graph,
        parameter: u16,
        value: i32,
    ) -> Result<(), ParameterError> {
        let definition = checked(graph, parameter, ParameterKind::Int)?;
        let low = definition.min.map_or(i32::MIN, |min| min as i32);
        let high = definition.max.map_or(i32::MAX, |max| max as i32);
        self.set(parameter, ParameterValue::Int(value.max(low).min(high)));
        Ok(())
    }

    /// Sets a bool parameter.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn set_bool(
        &mut self,
        graph: &Graph,
        parameter: u16,
        value: bool,
    ) -> Result<(), ParameterError> {
        checked(graph, parameter, ParameterKind::Bool)?;
        self.set(parameter, ParameterValue::Bool(value));
        Ok(())
    }

    /// Sets a trigger. It is cleared at the end of the step in which a transition that tests it
    /// starts, or when its time is over.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn set_trigger(&mut self, graph: &Graph, parameter: u16) -> Result<(), ParameterError> {
        let definition = checked(graph, parameter, ParameterKind::Trigger)?;
        self.parameters[usize::from(parameter)] = ParameterState {
            value: ParameterValue::Trigger(true),
            seconds_left: definition.ttl.map_or(0.0, f64::from),
        };
        Ok(())
    }

    /// Clears a trigger.
    ///
    /// # Errors
    /// Not such a parameter.
    pub fn reset_trigger(&mut self, graph: &Graph, parameter: u16) -> Result<(), ParameterError> {
        checked(graph, parameter, ParameterKind::Trigger)?;
        self.set(parameter, ParameterValue::Trigger(false));
        Ok(())
    }

    /// The value of a parameter; `Float(0.0)` for an index that the graph does not have.
    pub fn value(&self, parameter: u16) -> ParameterValue {
        let found = self.parameters.get(usize::from(parameter));
        found.map_or(ParameterValue::Float(0.0), |parameter| parameter.value)
    }

    fn set(&mut self, parameter: u16, value: ParameterValue) {
        if let Some(parameter) = self.parameters.get_mut(usize::from(parameter)) {
            parameter.value = value;
        }
    }

    /// Asks for a state; it begins with the next step, by a crossfade that other transitions may
    /// interrupt. Asking for the state that plays changes nothing unless `restart`; one that is still
    /// faded out goes on where it is, unless `restart` or `at` say otherwise. The last request before a
    /// step wins. Indices that the graph does not have are ignored.
    pub fn play(&mut self, graph: &Graph, layer: u16, state: u16, play: &Play) {
        let known = graph.layers.get(usize::from(layer));
        let known = known.is_some_and(|layer| usize::from(state) < layer.states.len());
        if let Some(layer) = self.layers.get_mut(usize::from(layer)).filter(|_| known) {
            layer.request = Some(PlayRequest { state, play: *play });
        }
    }

    /// Moves the clock of a layer's current state to clip seconds, exactly. Nothing on the way is
    /// heard and nothing moves the root. States of its sync group in the layer go along. Seconds
    /// past the end wrap where the state loops and hold elsewhere. A state whose phase is a parameter
    /// stays where the parameter says.
    pub fn seek(&mut self, graph: &Graph, layer: u16, seconds: f32) {
        let index = usize::from(layer);
        let (Some(definition), Some(layer)) = (graph.layers.get(index), self.layers.get_mut(index))
        else {
            return;
        };
        let Some(current) = layer.playing.last().copied() else {
            return;
        };
        let state = &definition.states[usize::from(current.state)];
        let cycles = cycles_at(graph, state, current.mode, &self.parameters, seconds);
        let LayerState { playing, heard, .. } = layer;
        for playing in playing {
            let other = &definition.states[usize::from(playing.state)];
            let together = state.sync_group.is_some() && state.sync_group == other.sync_group;
            if playing.run == current.run || together {
                playing.cycles = cycles;
                playing.fresh = false;
                playing.finished = false;
                heard.retain(|heard| heard.run != playing.run);
            }
        }
    }

    /// Fades a layer's weight to `weight` (clamped to 0..=1) in `seconds`; asking again for the same
    /// weight does not begin the fade again.
    pub fn set_layer_weight(&mut self, layer: u16, weight: f32, seconds: f32) {
        if let Some(layer) = self.layers.get_mut(usize::from(layer)) {
            layer.weight.to(weight.clamp(0.0, 1.0), seconds);
        }
    }

    /// A layer's weight as faded by scripts, before its parameter; 0 for an unknown layer.
    pub fn layer_weight(&self, layer: u16) -> f32 {
        let layer = self.layers.get(usize::from(layer));
        layer.map_or(0.0, |layer| layer.weight.value)
    }

    /// Lets a layer's current state loop, or play once and hold, whatever its graph says, until it
    /// is left.
    pub fn set_looping(&mut self, layer: u16, looping: bool) {
        let Some(layer) = self.layers.get_mut(usize::from(layer)) else {
            return;
        };
        let LayerState { playing, heard, .. } = layer;
        let Some(current) = playing.last_mut() else {
            return;
        };
        let mode = if looping {
            LoopMode::Loop
        } else {
            LoopMode::Once
        };
        if current.mode == mode {
            return;
        }
        // A once-clock knows lap 0 only; laps are counted from there again.
        heard.retain(|heard| heard.run != current.run);
        current.cycles = current.mode.phase(current.cycles);
        current.mode = mode;
        current.finished = false;
    }

    /// What a layer is doing; for a layer that the graph does not have, state 0 at rest.
    pub fn layer_status(&self, graph: &Graph, layer: u16) -> LayerStatus {
        let index = usize::from(layer);
        let found = graph.layers.get(index).zip(self.layers.get(index));
        let found =
            found.and_then(|(definition, layer)| Some((definition, layer, layer.playing.last()?)));
        let Some((definition, layer, current)) = found else {
            return LayerStatus {
                state: 0,
                time: 0.0,
                progress: 0.0,
                length: 0.0,
                weight: 0.0,
                fading: false,
                finished: false,
                previous: None,
            };
        };
        let state = &definition.states[usize::from(current.state)];
        let motion = &graph.motions[usize::from(state.motion)];
        let length = lap_seconds(motion, &self.parameters) as f32;
        let progress = current.mode.phase(current.cycles) as f32;
        LayerStatus {
            state: current.state,
            time: progress * length,
            progress,
            length,
            weight: current_weight(layer),
            fading: layer.fade.is_some(),
            finished: current.finished,
            previous: layer.previous,
        }
    }
}

impl LayerState {
    /// In the entry state, which has not been told yet.
    pub(super) fn start(graph: &Graph, layer: &Layer, parameters: &[ParameterState]) -> Self {
        let mut playing = Vec::with_capacity(MAX_PLAYING);
        let state = &layer.states[usize::from(layer.entry)];
        let cycles = first_cycles(graph, state, parameters, 1.0, 0.0);
        playing.push(Playing::enter(layer.entry, state, 0, cycles));
        // A layer of one state can only fade when it restarts from itself; others are made ready.
        let frozen_pose = if layer.states.len() > 1 {
            graph.skeleton.rest.clone()
        } else {
            Pose::default()
        };
        Self {
            playing,
            fade: None,
            frozen: false,
            frozen_pose,
            frozen_root: Transform::IDENTITY,
            weight: Fade::at(layer.weight),
            previous: None,
            started: false,
            request: None,
            heard: Vec::with_capacity(MAX_PLAYING * most_shared_markers(graph, layer)),
            next_run: 1,
        }
    }
}

/// The most marker names that a blend space of the layer keeps count of.
fn most_shared_markers(graph: &Graph, layer: &Layer) -> usize {
    let motions = layer.states.iter();
    let motions = motions.map(|state| &graph.motions[usize::from(state.motion)]);
    let counts = motions.map(|motion| match motion {
        Motion::Blend(space) => space.markers.len(),
        Motion::Rest | Motion::Clip(_) | Motion::Scrub { .. } => 0,
    });
    counts.max().unwrap_or(0)
}

impl Playing {
    /// A state that begins at `cycles`.
    pub(super) fn enter(index: u16, state: &State, run: u32, cycles: f64) -> Self {
        Self {
            state: index,
            run,
            cycles,
            fresh: true,
            finished: false,
            mode: state.mode,
            share: 1.0,
            speaker: NO_SPEAKER,
        }
    }
}

/// Where a state begins, `offset` laps into it in running direction.
pub(super) fn first_cycles(
    graph: &Graph,
    state: &State,
    parameters: &[ParameterState],
    speed: f32,
    offset: f64,
) -> f64 {
    if let Motion::Scrub { parameter, .. } = graph.motions[usize::from(state.motion)] {
        return number(parameters, parameter).clamp(0.0, 1.0);
    }
    let backwards = runs_backwards(state, parameters, speed);
    match (backwards, state.mode) {
        (false, _) => offset,
        (true, LoopMode::Once) => 1.0 - offset,
        (true, LoopMode::Loop | LoopMode::PingPong) => -offset,
    }
}

/// The clock of a state at clip seconds; a parameter that gives the phase goes on giving it.
pub(super) fn cycles_at(
    graph: &Graph,
    state: &State,
    mode: LoopMode,
    parameters: &[ParameterState],
    seconds: f32,
) -> f64 {
    let motion = &graph.motions[usize::from(state.motion)];
    if let Motion::Scrub { parameter, .. } = motion {
        return number(parameters, *parameter).clamp(0.0, 1.0);
    }
    let length = lap_seconds(motion, parameters);
    let cycles = f64::from(seconds) / length;
    if length <= 0.0 || !cycles.is_finite() {
        return 0.0;
    }
    match mode {
        LoopMode::Once => cycles.clamp(0.0, 1.0),
        LoopMode::Loop | LoopMode::PingPong => cycles,
    }
}

fn checked(
    graph: &Graph,
    index: u16,
    asked: ParameterKind,
) -> Result<&super::compiled::Parameter, ParameterError> {
    let parameter = graph.parameters.get(usize::from(index));
    let parameter = parameter.ok_or(ParameterError::Unknown(index))?;
    if parameter.kind == asked {
        return Ok(parameter);
    }
    Err(ParameterError::Kind {
        name: parameter.name.clone(),
        is: parameter.kind,
        asked,
    })
}

impl ParameterValue {
    /// "float", "int", "bool" or "trigger".
    pub fn kind_name(self) -> &'static str {
        kind_name(match self {
            Self::Float(_) => ParameterKind::Float,
            Self::Int(_) => ParameterKind::Int,
            Self::Bool(_) => ParameterKind::Bool,
            Self::Trigger(_) => ParameterKind::Trigger,
        })
    }
}
