//! Why an actor's graph does what it does, in words.

use sinew_anim::{Explanation, ParameterSource};
use sinew_world::{ActorId, Animation};

use super::{ApiError, Call, Host, playback::state_index, rows};

rows! {
    /// Why a layer is where it is: every transition out of its state, and whether it starts or what holds it.
    ///
    /// From the first call on the engine notes where scripts set parameters, and tells it: `file:line`.
    method "why" why(
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> String;
    /// Why a layer does not go to a state: each transition that leads there, and what holds it.
    method "why_not" why_not(
        /// Name of the state, or its path, such as "air/rise".
        state: &str => "wave",
    ) options {
        /// Layer of the state; the base layer unless given.
        layer: Option<&str> => "upper",
    } -> String;
}

/// Length of a step before the first one, seconds.
const STEP: f32 = 1.0 / 60.0;

fn explained(call: &Call<'_>, actor: ActorId, layer: u16) -> Result<Vec<Explanation>, ApiError> {
    let animation = call.animation(actor)?;
    let dt = call.world.clock.dt;
    let dt = if dt > 0.0 { dt } else { STEP };
    Ok(sinew_anim::explain(
        &animation.graph,
        &animation.state,
        layer,
        dt,
    ))
}

fn why(call: &mut Call<'_>, actor: ActorId, layer: Option<&str>) -> Result<String, ApiError> {
    call.host.tracing = true;
    let layer = call.layer(actor, layer)?;
    let explained = explained(call, actor, layer)?;
    let animation = call.animation(actor)?;
    let set_by = |index: u16| setter(call.host, actor, animation, index);
    let machines = explained
        .iter()
        .map(|machine| machine.in_words(&animation.graph, &set_by));
    let mut text = machines.collect::<Vec<_>>().join("\n");
    if animation.state.paused {
        text.push_str("\nthe actor is paused: nothing starts");
    }
    Ok(text)
}

fn why_not(
    call: &mut Call<'_>,
    actor: ActorId,
    state: &str,
    layer: Option<&str>,
) -> Result<String, ApiError> {
    call.host.tracing = true;
    let layer = call.layer(actor, layer)?;
    let [mut machine, mut state] = state_index(call, actor, layer, state)?;
    let explained = explained(call, actor, layer)?;
    let animation = call.animation(actor)?;
    let graph = &animation.graph;
    let set_by = |index: u16| setter(call.host, actor, animation, index);
    // A machine that does not play has no say: what matters is why the state around it does not.
    let found = loop {
        if let Some(found) = explained.iter().find(|found| found.machine == machine) {
            break found;
        }
        match graph.machines[usize::from(machine)].parent {
            Some(around) => [machine, state] = around,
            None => return Ok("the layer has not begun".to_owned()),
        }
    };
    let mut text = found.why_not(graph, state, &set_by);
    if animation.state.paused {
        text.push_str("\nthe actor is paused: nothing starts");
    }
    Ok(text)
}

/// Who set a parameter last, where that is known.
pub(crate) fn setter(
    host: &Host,
    actor: ActorId,
    animation: &Animation,
    index: u16,
) -> Option<String> {
    let parameter = animation.graph.parameters.get(usize::from(index))?;
    if let Some(source) = parameter.source {
        return Some(format!("the engine ({})", source_name(source)));
    }
    host.set_by.get(&(actor, parameter.name.clone())).cloned()
}

fn source_name(source: ParameterSource) -> &'static str {
    match source {
        ParameterSource::Speed => "speed",
        ParameterSource::VerticalSpeed => "vertical_speed",
        ParameterSource::YawRate => "yaw_rate",
        ParameterSource::Grounded => "grounded",
    }
}
