//! States and clips: play, stop, look where they are.

use sinew_anim::{LayerStatus, Play};
use sinew_world::{ActorId, Changeover, Data, Motion};

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

/// How a change to another state is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum By {
    Crossfade,
    Inertial,
}

impl Argument<'_> for By {
    const TYPE: Type = Type::OneOf(&["crossfade", "inertial"]);
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Text("crossfade") => Some(Self::Crossfade),
            Value::Text("inertial") => Some(Self::Inertial),
            _ => None,
        }
    }
}

impl crate::value::IntoData for By {
    fn into_data(self) -> Data {
        let text = match self {
            By::Crossfade => "crossfade",
            By::Inertial => "inertial",
        };
        Data::Text(text.to_owned())
    }
}

/// How a clip goes on at its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Mode {
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
        /// Name of the state, or its path, such as "air/rise".
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
        /// "crossfade" blends both, "inertial" plays the new state at once and lets the difference die away.
        by: By = By::Crossfade => "inertial",
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
        /// How long the change takes, by inertia.
        fade: f32["seconds"] = 0.2 => 0.3,
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
        /// Name of the state, or its path, such as "air/rise".
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
    /// Whether something is still faded out in a layer.
    method "is_fading" is_fading(
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> bool;
    /// The clips that a layer plays at this moment, with their weights in the layer.
    method "playing_clips" playing_clips(
        /// Name of the layer; the base layer unless given.
        layer: Option<&str> => "upper",
    ) -> Vec<ClipInfo>;
    /// The value of a named curve in what plays, blended as the pose is; 0 where nothing that plays has it.
    method "curve_value" curve_value(
        /// Name of the curve.
        name: &str => "foot_lock_l",
    ) -> f32;
}

/// What a layer is doing.
struct StateInfo {
    name: String,
    path: String,
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
            name: "path",
            ty: Type::Text,
            doc: "The state in it that plays, where it has states inside: \"air/rise\"; else its name.",
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
                ("path".to_owned(), Data::Text(self.path)),
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

/// A clip that plays.
struct ClipInfo {
    clip: String,
    weight: f32,
    progress: f64,
}

static CLIP_INFO: Record = Record {
    name: "ClipInfo",
    fields: &[
        Field {
            name: "clip",
            ty: Type::Text,
            doc: "Name of the clip.",
        },
        Field {
            name: "weight",
            ty: Type::Number,
            doc: "How much of it is in the layer, 0 to 1.",
        },
        Field {
            name: "progress",
            ty: Type::Number,
            doc: "Share of its lap, 0 to 1.",
        },
    ],
};

impl Answer for ClipInfo {
    const TYPE: Type = Type::Record(&CLIP_INFO);
    fn answer(self) -> Data {
        Data::Map(
            [
                ("clip".to_owned(), Data::Text(self.clip)),
                ("weight".to_owned(), self.weight.answer()),
                ("progress".to_owned(), self.progress.answer()),
            ]
            .into(),
        )
    }
}

/// The machine and the state of a name or a path in a layer.
pub(super) fn state_index(
    call: &Call<'_>,
    actor: ActorId,
    layer: u16,
    name: &str,
) -> Result<[u16; 2], ApiError> {
    let graph = &call.animation(actor)?.graph;
    graph.state_at(layer, name).ok_or_else(|| {
        let owner = &graph.layers[usize::from(layer)];
        let owner = format!("layer `{}` of `{}`", owner.name, call.name_of(actor));
        let machines = graph.machines.iter().filter(|own| own.layer == layer);
        let states = machines.flat_map(|machine| &machine.states);
        let known = states.map(|state| state.path.as_str());
        ApiError::unknown(&owner, "state", name, known)
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
    by: By,
) -> Result<(), ApiError> {
    let layer = call.layer(actor, layer)?;
    let [machine, index] = state_index(call, actor, layer, state)?;
    let animation = call.animation_mut(actor)?;
    let graph = &animation.graph;
    if graph.machines[usize::from(machine)].states[usize::from(index)].conduit {
        let message = format!("`{state}` is a conduit: it is passed through, never stayed in");
        return Err(ApiError::invalid(message).about(state));
    }
    let play = Play {
        fade: fade.map(|fade| fade.max(0.0)),
        at,
        restart,
        after_finish: after.is_some(),
        inertial: by == By::Inertial,
    };
    animation.state.play_in(graph, machine, index, &play);
    Ok(())
}

fn play_clip(
    call: &mut Call<'_>,
    actor: ActorId,
    clip: &str,
    mode: Mode,
    speed: f32,
    fade: f32,
) -> Result<(), ApiError> {
    need_clip(call, actor, clip)?;
    let motion = Motion::Clip {
        clip: clip.to_owned(),
        looping: mode == Mode::Loop,
    };
    let change = Changeover {
        seconds: fade.max(0.0),
        ..Changeover::ASKED
    };
    call.world.change_motion(actor, motion, change)?;
    call.animation_mut(actor)?.state.speed = speed;
    Ok(())
}

pub(super) fn need_clip(call: &Call<'_>, actor: ActorId, name: &str) -> Result<(), ApiError> {
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
    let animation = call.animation_mut(actor)?;
    let graph = &animation.graph;
    animation.state.set_looping(graph, layer, looping);
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
    let states = animation.graph.states(layer);
    let name = |state: u16| states[usize::from(state)].name.clone();
    let path = animation.state.current_path(&animation.graph, layer);
    Ok(StateInfo {
        name: name(status.state),
        path: path.unwrap_or_default().to_owned(),
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
    let [machine, index] = state_index(call, actor, layer, state)?;
    let animation = call.animation(actor)?;
    let (graph, state) = (&animation.graph, &animation.state);
    let mut place = Some([machine, index]);
    while let Some([machine, index]) = place {
        if state.machine_status(graph, machine).state != index {
            return Ok(false);
        }
        place = graph.machines[usize::from(machine)].parent;
    }
    Ok(true)
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

fn is_fading(call: &mut Call<'_>, actor: ActorId, layer: Option<&str>) -> Result<bool, ApiError> {
    let layer = call.layer(actor, layer)?;
    let animation = call.animation(actor)?;
    let status = animation.state.layer_status(&animation.graph, layer);
    Ok(status.fading)
}

fn playing_clips(
    call: &mut Call<'_>,
    actor: ActorId,
    layer: Option<&str>,
) -> Result<Vec<ClipInfo>, ApiError> {
    let layer = call.layer(actor, layer)?;
    let animation = call.animation(actor)?;
    let graph = &animation.graph;
    let mut clips = Vec::new();
    let mut add = |clip: u16, weight: f32, progress: f64| {
        clips.push(ClipInfo {
            clip: graph.clips[usize::from(clip)].clip.name.clone(),
            weight,
            progress,
        });
    };
    animation.state.clips_of_layer(graph, layer, &mut add);
    Ok(clips)
}

fn curve_value(call: &mut Call<'_>, actor: ActorId, name: &str) -> Result<f32, ApiError> {
    let animation = call.animation(actor)?;
    let graph = &animation.graph;
    match graph.curve(name) {
        Some(curve) => Ok(sinew_anim::curve_value(graph, &animation.state, curve)),
        None => Err(call.graph_lacks(actor, graph, "curve", name, graph.curves.iter())),
    }
}
