//! Parameters of an actor's graph: what scripts set and transitions read.

use sinew_anim::{Graph, GraphState, ParameterError, ParameterValue};
use sinew_world::{ActorId, Data, Ease, Tween};

use super::{ApiError, Call, rows};
use crate::value::{ParameterKey, Table, Value};

rows! {
    /// Sets a float parameter; it acts from this step's transitions on, clamped to its range.
    method "set_float" set_float(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "speed",
        /// The new value.
        value: f32 => 1.5,
    ) -> ();
    /// Sets an int parameter, clamped to its range.
    method "set_int" set_int(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "weapon",
        /// The new value.
        value: i64 => 2_i64,
    ) -> ();
    /// Sets a bool parameter.
    method "set_bool" set_bool(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "crouched",
        /// The new value.
        value: bool => true,
    ) -> ();
    /// Sets a trigger. It is used up by a transition that tests it, else it lapses after its `ttl`.
    method "set_trigger" set_trigger(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "jump",
    ) -> ();
    /// Takes a trigger back that nothing has used yet.
    method "reset_trigger" reset_trigger(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "jump",
    ) -> ();
    /// The value of a float parameter.
    method "get_float" get_float(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "speed",
    ) -> f32;
    /// The value of an int parameter.
    method "get_int" get_int(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "weapon",
    ) -> i64;
    /// The value of a bool parameter.
    method "get_bool" get_bool(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "crouched",
    ) -> bool;
    /// Whether a trigger is set and waits to be used.
    method "get_trigger" get_trigger(
        /// Its name, or the id that `parameter_id` gave.
        parameter: ParameterKey<'_> => "jump",
    ) -> bool;
    /// Sets many parameters at once: a table of values by name. A trigger is set by `true`, taken back by `false`.
    ///
    /// All or none: a wrong name or value changes nothing.
    method "set_params" set_params(
        /// Values by name.
        values: Table<'_> => Data::Map([("speed".to_owned(), Data::Number(2.0))].into()),
    ) -> ();
    /// An id for a parameter's name, to be kept and used in its place by hot code.
    method "parameter_id" parameter_id(
        /// The name of a parameter of the actor's graph.
        name: &str => "speed",
    ) -> i64;
    /// Leads a float parameter to a value over time. It is plain data: it survives a live reload.
    ///
    /// A new tween of the same parameter takes over from where the old one is.
    method "tween_float" tween_float(
        /// The name of a float parameter.
        parameter: &str => "speed",
        /// The value at the end.
        to: f32 => 2.0,
        /// How long it takes.
        seconds: f32["seconds"] => 0.5,
        /// How it moves.
        ease: Ease = Ease::Linear => "in_out",
    ) -> ();
}

fn index(call: &mut Call<'_>, actor: ActorId, key: ParameterKey<'_>) -> Result<u16, ApiError> {
    let Call { world, host } = call;
    let graph = &world.need_animation(actor)?.graph;
    let found = match key {
        ParameterKey::Name(name) => graph.parameter(name).ok_or(name),
        ParameterKey::Id(id) => host.parameter_ids.find(id, graph).ok_or_else(|| {
            ApiError::invalid(format!("no parameter has the id {id}"))
                .help("ids come from `parameter_id`")
        })?,
    };
    match found {
        Ok(index) => Ok(index),
        Err(name) => {
            let name = name.to_owned();
            Err(lacks(call, actor, &call.animation(actor)?.graph, &name))
        }
    }
}

fn lacks(call: &Call<'_>, actor: ActorId, graph: &Graph, name: &str) -> ApiError {
    call.graph_lacks(
        actor,
        graph,
        "parameter",
        name,
        graph.parameters.iter().map(|parameter| &parameter.name),
    )
}

fn set(
    call: &mut Call<'_>,
    actor: ActorId,
    key: ParameterKey<'_>,
    change: impl FnOnce(&mut GraphState, &Graph, u16) -> Result<(), ParameterError>,
) -> Result<(), ApiError> {
    let index = index(call, actor, key)?;
    let animation = call.animation_mut(actor)?;
    change(&mut animation.state, &animation.graph, index).map_err(|error| {
        let name = &animation.graph.parameters[usize::from(index)].name;
        ApiError::new("E-SCRIPT-PARAMETER", error.to_string()).about(name)
    })?;
    if call.host.tracing {
        let graph = call.animation(actor)?.graph.clone();
        call.note_parameter(actor, &graph.parameters[usize::from(index)].name);
    }
    Ok(())
}

fn set_float(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
    value: f32,
) -> Result<(), ApiError> {
    set(call, actor, parameter, |state, graph, index| {
        state.set_float(graph, index, value)
    })
}

fn set_int(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
    value: i64,
) -> Result<(), ApiError> {
    let value = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
    set(call, actor, parameter, |state, graph, index| {
        state.set_int(graph, index, value)
    })
}

fn set_bool(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
    value: bool,
) -> Result<(), ApiError> {
    set(call, actor, parameter, |state, graph, index| {
        state.set_bool(graph, index, value)
    })
}

fn set_trigger(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
) -> Result<(), ApiError> {
    set(call, actor, parameter, GraphState::set_trigger)
}

fn reset_trigger(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
) -> Result<(), ApiError> {
    set(call, actor, parameter, GraphState::reset_trigger)
}

fn get(
    call: &mut Call<'_>,
    actor: ActorId,
    key: ParameterKey<'_>,
) -> Result<(u16, ParameterValue), ApiError> {
    let index = index(call, actor, key)?;
    Ok((index, call.animation(actor)?.state.value(index)))
}

fn wrong_kind(
    call: &Call<'_>,
    actor: ActorId,
    index: u16,
    value: ParameterValue,
    asked: &str,
) -> ApiError {
    let name = call.animation(actor).map_or_else(
        |_| String::new(),
        |animation| animation.graph.parameters[usize::from(index)].name.clone(),
    );
    let kind = value.kind_name();
    ApiError::new(
        "E-SCRIPT-PARAMETER",
        format!("parameter `{name}` is a {kind}, not a {asked}"),
    )
    .about(&name)
    .help(format!("use `get_{kind}`"))
}

fn get_float(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
) -> Result<f32, ApiError> {
    match get(call, actor, parameter)? {
        (_, ParameterValue::Float(value)) => Ok(value),
        (index, other) => Err(wrong_kind(call, actor, index, other, "float")),
    }
}

fn get_int(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
) -> Result<i64, ApiError> {
    match get(call, actor, parameter)? {
        (_, ParameterValue::Int(value)) => Ok(i64::from(value)),
        (index, other) => Err(wrong_kind(call, actor, index, other, "int")),
    }
}

fn get_bool(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
) -> Result<bool, ApiError> {
    match get(call, actor, parameter)? {
        (_, ParameterValue::Bool(value)) => Ok(value),
        (index, other) => Err(wrong_kind(call, actor, index, other, "bool")),
    }
}

fn get_trigger(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: ParameterKey<'_>,
) -> Result<bool, ApiError> {
    match get(call, actor, parameter)? {
        (_, ParameterValue::Trigger(value)) => Ok(value),
        (index, other) => Err(wrong_kind(call, actor, index, other, "trigger")),
    }
}

fn set_params(call: &mut Call<'_>, actor: ActorId, values: Table<'_>) -> Result<(), ApiError> {
    let before = call.animation(actor)?.state.parameters.clone();
    let outcome = values
        .0
        .into_iter()
        .flatten()
        .try_for_each(|(name, value)| set_param(call, actor, name, value));
    if outcome.is_err() {
        call.animation_mut(actor)?.state.parameters = before;
    }
    outcome
}

fn set_param(
    call: &mut Call<'_>,
    actor: ActorId,
    name: &str,
    value: &Data,
) -> Result<(), ApiError> {
    let key = ParameterKey::Name(name);
    let (_, now) = get(call, actor, key)?;
    match (now, value) {
        (ParameterValue::Float(_), value) if value.as_number().is_some_and(f64::is_finite) => {
            set_float(
                call,
                actor,
                key,
                value.as_number().unwrap_or_default() as f32,
            )
        }
        (ParameterValue::Int(_), Data::Int(value)) => set_int(call, actor, key, *value),
        (ParameterValue::Int(_), Data::Number(value)) if value.fract() == 0.0 => {
            set_int(call, actor, key, *value as i64)
        }
        (ParameterValue::Bool(_), Data::Bool(value)) => set_bool(call, actor, key, *value),
        (ParameterValue::Trigger(_), Data::Bool(true)) => set_trigger(call, actor, key),
        (ParameterValue::Trigger(_), Data::Bool(false)) => reset_trigger(call, actor, key),
        (now, value) => {
            let wanted = match now {
                ParameterValue::Float(_) => "a number",
                ParameterValue::Int(_) => "a whole number",
                ParameterValue::Bool(_) | ParameterValue::Trigger(_) => "true or false",
            };
            let got = Value::of(value).words();
            Err(ApiError::new(
                "E-SCRIPT-ARGUMENT",
                format!("`{name}` must be {wanted}, got {got}"),
            )
            .about(name))
        }
    }
}

fn parameter_id(call: &mut Call<'_>, actor: ActorId, name: &str) -> Result<i64, ApiError> {
    index(call, actor, ParameterKey::Name(name))?;
    Ok(call.host.parameter_ids.of(name))
}

fn tween_float(
    call: &mut Call<'_>,
    actor: ActorId,
    parameter: &str,
    to: f32,
    seconds: f32,
    ease: Ease,
) -> Result<(), ApiError> {
    let from = get_float(call, actor, ParameterKey::Name(parameter))?;
    call.note_parameter(actor, parameter);
    let tweens = &mut call.actor_mut(actor)?.tweens;
    tweens.retain(|tween| tween.parameter != parameter);
    tweens.push(Tween {
        parameter: parameter.to_owned(),
        from,
        to,
        elapsed: 0.0,
        seconds: seconds.max(0.0),
        ease,
    });
    Ok(())
}
