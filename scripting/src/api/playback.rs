//! States and clips: play, stop, look where they are.

use sinew_anim::{GraphEventKind, LayerStatus, Play};
use sinew_world::{ActorId, Data, Motion};

use super::{ApiError, Call, rows};
use crate::value::{Answer, Argument, Field, Record, Type, Value};

/// When a state that a script asks for begins.
#[derive(Clone, Copy, Debug, PartialEq)]
enum After {
    Finish,
}

impl Argument<'_> for After {
    const TYPE: Type = Type::OneOf(&["finish"]);
    fn read(value: Value<'_>) -> Option<Self> {
        matches!(value, Value::Text("finish")).then_some(Self::Finish)
    }
}

/// How a clip that plays without a graph goes on at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Loop,
    Once,
}

impl Argument<'_> for Mode {
    const TYPE: Type = Type::OneOf(&["loop", "once"]);
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text("loop") => Some(Self::Loop),
            Value::Text("once") => Some(Self::Once),
            _ => None,
        }
    }
}

impl crate::value::IntoData for Mode {
    fn into_data(self) -> Data {
        Data::Text(if self == Mode::Loop { "loop" } else { "once" }.to_owned())
    }
}

rows! {
    /// Fades to a state of a layer, from the next step on, whatever its transitions say.
    ///
    /// Asking for the state that plays changes nothing unless `restart`. The last call of a step wins.
    method "play" play(
        /// Name of the state.
        state: &str => "wave",
    ) options {
        /// Layer of the state; the base layer unless given.
        layer: Option<&str> => "upper",
        /// How long the fade takes; 0.2 unless given.
        fade: Option<f32>["seconds"] => 0.25,
        /// Where in the state's clip it begins; its start unless given.
        at: Option<f32>["seconds"] => 0.1,
        /// Begin again where it already plays.
        restart: bool = false => true,
        /// "finish" waits until what plays has come to its end.
        after: Option<After> => "finish",
    } -> ();
    /// Plays one clip of the model without a graph: what graph there was goes.
    method "play_clip" play_clip(
        /// Name of the clip.
        clip: &str => "walk",
    ) options {
        /// What happens at its end: "loop" starts over, "once" holds.
        mode: Mode = Mode::Loop => "once",
        /// Playback rate; negative runs backwards.
        speed: f32 = 1.0 => 1.0,
    } -> ();
    /// Lets what plays in a layer start over at its end, or not, until it is left.
    method "set_looping" set_looping(
        /// Start over.
        looping: bool => true,
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> ();
    /// Holds all animation of the actor; fades hold too.
    method "pause" pause() -> ();
    /// Goes on after `pause`.
    method "resume" resume() -> ();
    /// Moves what plays in a layer to a time of its clip, exactly. No event fires on the way.
    method "seek" seek(
        /// Clip time.
        seconds: f32["seconds"] => 0.5,
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> ();
    /// The factor on all playback of the actor.
    get "speed" speed() -> f32;
    /// Sets the factor on all playback of the actor; fades are not scaled.
    set "speed" set_speed(speed: f32 => 1.5) -> ();
    /// What a layer is doing.
    method "state" state(
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> StateInfo;
    /// Whether a layer is in a state; while fading, the one that is faded in counts.
    method "is_in" is_in(
        /// Name of the state.
        state: &str => "wave",
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> bool;
    /// Whether time passes in a layer: not paused, not at its end, its speed not 0.
    method "is_playing" is_playing(
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> bool;
    /// The names of the model's clips.
    method "clips" clips() -> Vec<String>;
    /// Whether the model has a clip.
    method "has_clip" has_clip(
        /// Name of the clip.
        clip: &str => "walk",
    ) -> bool;
    /// Whether an event of this name fired in the last step.
    method "fired" fired(
        /// Name of the event.
        event: &str => "footstep_l",
    ) -> bool;
    /// The animation events of the last step, in order. `on_animation_event` is told of each as it comes.
    method "events" events() -> Vec<EventInfo>;
}

/// What a layer is doing.
struct StateInfo {
    name: String,
    status: LayerStatus,
    previous: Option<String>,
}

static STATE_INFO: Record = Record {
    name: "StateInfo",
    fields: &[
        Field {
            name: "name",
            ty: Type::Text,
            doc: "The current state: while fading, the one that is faded in.",
        },
        Field {
            name: "time",
            ty: Type::Number,
            doc: "Clip seconds into the lap.",
        },
        Field {
            name: "progress",
            ty: Type::Number,
            doc: "Share of the lap, 0 to 1.",
        },
        Field {
            name: "length",
            ty: Type::Number,
            doc: "Seconds of a lap at speed 1.",
        },
        Field {
            name: "weight",
            ty: Type::Number,
            doc: "Weight of the state in its layer, 0 to 1.",
        },
        Field {
            name: "fading",
            ty: Type::Bool,
            doc: "Whether something is still faded out.",
        },
        Field {
            name: "finished",
            ty: Type::Bool,
            doc: "Whether the state has come to its end.",
        },
        Field {
            name: "previous",
            ty: Type::Optional(&Type::Text),
            doc: "The state before.",
        },
    ],
};

impl Answer for StateInfo {
    const TYPE: Type = Type::Record(&STATE_INFO);
    fn answer(self) -> Data {
        let status = self.status;
        Data::Map(
            [
                ("name".to_owned(), Data::Text(self.name)),
                ("time".to_owned(), status.time.answer()),
                ("progress".to_owned(), status.progress.answer()),
                ("length".to_owned(), status.length.answer()),
                ("weight".to_owned(), status.weight.answer()),
                ("fading".to_owned(), Data::Bool(status.fading)),
                ("finished".to_owned(), Data::Bool(status.finished)),
                ("previous".to_owned(), self.previous.answer()),
            ]
            .into(),
        )
    }
}

/// One animation event.
struct EventInfo {
    name: String,
    value: f32,
    time: f32,
    layer: String,
    state: String,
    weight: f32,
}

static EVENT_INFO: Record = Record {
    name: "EventInfo",
    fields: &[
        Field {
            name: "name",
            ty: Type::Text,
            doc: "Name of the event.",
        },
        Field {
            name: "value",
            ty: Type::Number,
            doc: "Its number, as the clip says.",
        },
        Field {
            name: "time",
            ty: Type::Number,
            doc: "Clip seconds where it sits.",
        },
        Field {
            name: "layer",
            ty: Type::Text,
            doc: "The layer that plays it.",
        },
        Field {
            name: "state",
            ty: Type::Text,
            doc: "The state that plays it.",
        },
        Field {
            name: "weight",
            ty: Type::Number,
            doc: "How much of its clip is seen, 0 to 1.",
        },
    ],
};

impl Answer for EventInfo {
    const TYPE: Type = Type::Record(&EVENT_INFO);
    fn answer(self) -> Data {
        Data::Map(
            [
                ("name".to_owned(), Data::Text(self.name)),
                ("value".to_owned(), self.value.answer()),
                ("time".to_owned(), self.time.answer()),
                ("layer".to_owned(), Data::Text(self.layer)),
                ("state".to_owned(), Data::Text(self.state)),
                ("weight".to_owned(), self.weight.answer()),
            ]
            .into(),
        )
    }
}

fn state_index(call: &Call<'_>, actor: ActorId, layer: u16, name: &str) -> Result<u16, ApiError> {
    let graph = &call.animation(actor)?.graph;
    graph.state(layer, name).ok_or_else(|| {
        let layer = &graph.layers[usize::from(layer)];
        let owner = format!("layer `{}` of `{}`", layer.name, call.name_of(actor));
        ApiError::unknown(
            &owner,
            "state",
            name,
            layer.states.iter().map(|state| state.name.as_str()),
        )
    })
}

#[allow(
    clippy::too_many_arguments,
    reason = "one argument for each entry of the row"
)]
fn play(
    call: &mut Call<'_>,
    actor: ActorId,
    state: &str,
    layer: Option<&str>,
    fade: Option<f32>,
    at: Option<f32>,
    restart: bool,
    after: Option<After>,
) -> Result<(), ApiError> {
    let layer = call.layer(actor, layer)?;
    let state = state_index(call, actor, layer, state)?;
    let animation = call.animation_mut(actor)?;
    let play = Play {
        fade: fade.map(|fade| fade.max(0.0)),
        at,
        restart,
        after_finish: after.is_some(),
    };
    animation.state.play(&animation.graph, layer, state, &play);
    Ok(())
}

fn play_clip(
    call: &mut Call<'_>,
    actor: ActorId,
    clip: &str,
    mode: Mode,
    speed: f32,
) -> Result<(), ApiError> {
    need_clip(call, actor, clip)?;
    let motion = Motion::Clip {
        clip: clip.to_owned(),
        looping: mode == Mode::Loop,
    };
    call.world.set_motion(actor, motion)?;
    call.animation_mut(actor)?.state.speed = speed;
    Ok(())
}

fn need_clip(call: &Call<'_>, actor: ActorId, name: &str) -> Result<(), ApiError> {
    let animation = call.animation(actor)?;
    let known = || {
        animation
            .model
            .value
            .clips
            .iter()
            .map(|clip| clip.name.as_str())
    };
    if known().any(|clip| clip == name) {
        return Ok(());
    }
    Err(ApiError::unknown(
        &format!("the model of `{}`", call.name_of(actor)),
        "clip",
        name,
        known(),
    ))
}

fn set_looping(
    call: &mut Call<'_>,
    actor: ActorId,
    looping: bool,
    layer: Option<&str>,
) -> Result<(), ApiError> {
    let layer = call.layer(actor, layer)?;
    call.animation_mut(actor)?.state.set_looping(layer, looping);
    Ok(())
}

fn pause(call: &mut Call<'_>, actor: ActorId) -> Result<(), ApiError> {
    call.animation_mut(actor)?.state.paused = true;
    Ok(())
}

fn resume(call: &mut Call<'_>, actor: ActorId) -> Result<(), ApiError> {
    call.animation_mut(actor)?.state.paused = false;
    Ok(())
}

fn seek(
    call: &mut Call<'_>,
    actor: ActorId,
    seconds: f32,
    layer: Option<&str>,
) -> Result<(), ApiError> {
    let layer = call.layer(actor, layer)?;
    let animation = call.animation_mut(actor)?;
    animation.state.seek(&animation.graph, layer, seconds);
    Ok(())
}

fn speed(call: &mut Call<'_>, actor: ActorId) -> Result<f32, ApiError> {
    Ok(call.animation(actor)?.state.speed)
}

fn set_speed(call: &mut Call<'_>, actor: ActorId, speed: f32) -> Result<(), ApiError> {
    call.animation_mut(actor)?.state.speed = speed;
    Ok(())
}

fn state(call: &mut Call<'_>, actor: ActorId, layer: Option<&str>) -> Result<StateInfo, ApiError> {
    let layer = call.layer(actor, layer)?;
    let animation = call.animation(actor)?;
    let status = animation.state.layer_status(&animation.graph, layer);
    let name = |state: u16| {
        animation.graph.layers[usize::from(layer)].states[usize::from(state)]
            .name
            .clone()
    };
    Ok(StateInfo {
        name: name(status.state),
        previous: status.previous.map(name),
        status,
    })
}

fn is_in(
    call: &mut Call<'_>,
    actor: ActorId,
    state: &str,
    layer: Option<&str>,
) -> Result<bool, ApiError> {
    let layer = call.layer(actor, layer)?;
    let state = state_index(call, actor, layer, state)?;
    let animation = call.animation(actor)?;
    Ok(animation.state.layer_status(&animation.graph, layer).state == state)
}

fn is_playing(call: &mut Call<'_>, actor: ActorId, layer: Option<&str>) -> Result<bool, ApiError> {
    let layer = call.layer(actor, layer)?;
    let animation = call.animation(actor)?;
    let state = &animation.state;
    Ok(
        !state.paused
            && state.speed != 0.0
            && !state.layer_status(&animation.graph, layer).finished,
    )
}

fn clips(call: &mut Call<'_>, actor: ActorId) -> Result<Vec<String>, ApiError> {
    let model = &call.animation(actor)?.model.value;
    Ok(model.clips.iter().map(|clip| clip.name.clone()).collect())
}

fn has_clip(call: &mut Call<'_>, actor: ActorId, clip: &str) -> Result<bool, ApiError> {
    let model = &call.animation(actor)?.model.value;
    Ok(model.clips.iter().any(|known| known.name == clip))
}

fn fired(call: &mut Call<'_>, actor: ActorId, event: &str) -> Result<bool, ApiError> {
    let graph = &call.animation(actor)?.graph;
    Ok(call
        .world
        .events
        .iter()
        .filter(|fired| fired.actor == actor)
        .any(|fired| match fired.event.kind {
            GraphEventKind::Marker { name, .. } => graph.names[usize::from(name)] == event,
            _ => false,
        }))
}

fn events(call: &mut Call<'_>, actor: ActorId) -> Result<Vec<EventInfo>, ApiError> {
    let graph = &call.animation(actor)?.graph;
    let fired = call
        .world
        .events
        .iter()
        .filter(|fired| fired.actor == actor);
    Ok(fired
        .filter_map(|fired| match fired.event.kind {
            GraphEventKind::Marker {
                name, value, time, ..
            } => {
                let layer = &graph.layers[usize::from(fired.event.layer)];
                Some(EventInfo {
                    name: graph.names[usize::from(name)].clone(),
                    value,
                    time,
                    layer: layer.name.clone(),
                    state: layer.states[usize::from(fired.event.state)].name.clone(),
                    weight: fired.event.weight,
                })
            }
            _ => None,
        })
        .collect())
}
