//! Slots: single clips laid over what the graph plays.

use sinew_anim::{Graph, SlotPlay, SlotStatus, SlotStop};
use sinew_world::{ActorId, Data};

use super::{
    ApiError, Call,
    playback::{By, Mode},
    rows,
};
use crate::value::{Answer, Field, Record, SlotKey, Type};

rows! {
    /// Plays a clip once in a slot of the graph, over what plays below; gives a handle.
    ///
    /// What the slot plays gives way, unless it has a higher priority: then nothing happens and the answer is nothing.
    /// `on_animation_finished` is called when it has come to its end, and `on_slot_end` exactly once for each handle, whyever it ends.
    method "play_slot" play_slot(
        /// Name of the slot.
        slot: &str => "arms",
        /// Name of the clip.
        clip: &str => "wave",
    ) options {
        /// How long it takes to come in.
        fade_in: f32["seconds"] = 0.2 => 0.1,
        /// How long it takes to go out: at its end, by inertia after it.
        fade_out: f32["seconds"] = 0.2 => 0.3,
        /// "crossfade" fades it in and out over what is below, "inertial" shows it whole from beginning to end and lets the differences that this makes die away.
        by: By = By::Crossfade => "inertial",
        /// What plays gives way to the same or a higher priority.
        priority: i64 = 0_i64 => 2_i64,
        /// Playback rate; negative runs backwards.
        speed: f32 = 1.0 => 1.5,
        /// "loop" plays until it is stopped.
        mode: Mode = Mode::Once => "loop",
        /// Where in the clip it begins; its start unless given.
        at: Option<f32>["seconds"] => 0.1,
    } -> Option<i64>;
    /// Stops what plays in a slot; whether there was anything to stop.
    method "stop_slot" stop_slot(
        /// Name of the slot, or the handle that `play_slot` gave: another clip in its slot then plays on.
        slot: SlotKey<'_> => "arms",
    ) options {
        /// How long it takes to go out; what `play_slot` was told unless given.
        fade_out: Option<f32>["seconds"] => 0.1,
        /// "crossfade" or "inertial"; what `play_slot` was told unless given.
        by: Option<By> => "inertial",
    } -> bool;
    /// What plays in a slot; nothing where nothing does.
    method "slot_state" slot_state(
        /// Name of the slot, or the handle that `play_slot` gave.
        slot: SlotKey<'_> => "arms",
    ) -> Option<SlotInfo>;
}

/// What plays in a slot.
struct SlotInfo {
    slot: String,
    clip: String,
    handle: i64,
    status: SlotStatus,
}

static SLOT_INFO: Record = Record {
    name: "SlotInfo",
    fields: &[
        Field {
            name: "slot",
            ty: Type::Text,
            doc: "Name of the slot.",
        },
        Field {
            name: "clip",
            ty: Type::Text,
            doc: "Name of the clip.",
        },
        Field {
            name: "handle",
            ty: Type::Int,
            doc: "What `play_slot` gave for it.",
        },
        Field {
            name: "time",
            ty: Type::Number,
            doc: "Clip seconds.",
        },
        Field {
            name: "progress",
            ty: Type::Number,
            doc: "Share of the clip, 0 to 1.",
        },
        Field {
            name: "weight",
            ty: Type::Number,
            doc: "How much of it is seen over what is below, 0 to 1.",
        },
    ],
};

impl Answer for SlotInfo {
    const TYPE: Type = Type::Record(&SLOT_INFO);
    fn answer(self) -> Data {
        let status = self.status;
        Data::Map(
            [
                ("slot".to_owned(), Data::Text(self.slot)),
                ("clip".to_owned(), Data::Text(self.clip)),
                ("handle".to_owned(), Data::Int(self.handle)),
                ("time".to_owned(), status.time.answer()),
                ("progress".to_owned(), status.progress.answer()),
                ("weight".to_owned(), status.weight.answer()),
            ]
            .into(),
        )
    }
}

/// One handle for scripts: the slot in the high half, so that handles of different slots differ.
pub(crate) fn handle_of(slot: u16, handle: u32) -> i64 {
    i64::from(slot) << 32 | i64::from(handle)
}

fn slot_named(call: &Call<'_>, actor: ActorId, name: &str) -> Result<u16, ApiError> {
    let graph = &call.animation(actor)?.graph;
    graph.slot(name).ok_or_else(|| {
        let known = graph.slots.iter().map(|slot| &slot.name);
        call.graph_lacks(actor, graph, "slot", name, known)
    })
}

/// The slot of a key, and the handle that has to play in it.
fn slot_of(
    call: &Call<'_>,
    actor: ActorId,
    key: SlotKey<'_>,
) -> Result<(u16, Option<u32>), ApiError> {
    let handle = match key {
        SlotKey::Name(name) => return Ok((slot_named(call, actor, name)?, None)),
        SlotKey::Handle(handle) => handle,
    };
    let slots = call.animation(actor)?.graph.slots.len();
    let slot = u16::try_from(handle >> 32).ok();
    let slot = slot.filter(|&slot| usize::from(slot) < slots);
    let slot = slot.ok_or_else(|| {
        ApiError::invalid(format!("{handle} is no handle of a slot"))
            .help("handles come from `play_slot`")
    })?;
    Ok((slot, Some(handle as u32)))
}

/// The clip as the model has it: the first of its name in a graph with slots.
fn whole_clip(graph: &Graph, name: &str) -> Option<u16> {
    let clips = graph.clips.iter();
    let first = clips
        .map(|known| &known.clip.name)
        .position(|known| known == name);
    first.and_then(|index| u16::try_from(index).ok())
}

#[allow(
    clippy::too_many_arguments,
    reason = "one argument for each entry of the row"
)]
fn play_slot(
    call: &mut Call<'_>,
    actor: ActorId,
    slot: &str,
    clip: &str,
    fade_in: f32,
    fade_out: f32,
    by: By,
    priority: i64,
    speed: f32,
    mode: Mode,
    at: Option<f32>,
) -> Result<Option<i64>, ApiError> {
    let slot = slot_named(call, actor, slot)?;
    super::playback::need_clip(call, actor, clip)?;
    let animation = call.animation_mut(actor)?;
    let graph = &animation.graph;
    let Some(clip) = whole_clip(graph, clip) else {
        let message = format!("clip `{clip}` cannot be played in a slot of this graph");
        return Err(ApiError::invalid(message).about(clip));
    };
    let play = SlotPlay {
        fade_in: fade_in.max(0.0),
        fade_out: fade_out.max(0.0),
        inertial: by == By::Inertial,
        priority: priority.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
        speed,
        looping: mode == Mode::Loop,
        at,
    };
    let handle = animation.state.play_slot(graph, slot, clip, &play);
    Ok(handle.map(|handle| handle_of(slot, handle)))
}

fn stop_slot(
    call: &mut Call<'_>,
    actor: ActorId,
    slot: SlotKey<'_>,
    fade_out: Option<f32>,
    by: Option<By>,
) -> Result<bool, ApiError> {
    let (slot, handle) = slot_of(call, actor, slot)?;
    let state = &mut call.animation_mut(actor)?.state;
    let stop = SlotStop {
        handle,
        fade_out: fade_out.map(|seconds| seconds.max(0.0)),
        inertial: by.map(|by| by == By::Inertial),
    };
    Ok(state.stop_slot(slot, &stop))
}

fn slot_state(
    call: &mut Call<'_>,
    actor: ActorId,
    slot: SlotKey<'_>,
) -> Result<Option<SlotInfo>, ApiError> {
    let (slot, handle) = slot_of(call, actor, slot)?;
    let animation = call.animation(actor)?;
    let graph = &animation.graph;
    let status = animation.state.slot_status(graph, slot);
    let status = status.filter(|status| handle.is_none_or(|handle| handle == status.handle));
    Ok(status.map(|status| SlotInfo {
        slot: graph.slots[usize::from(slot)].name.clone(),
        clip: graph.clips[usize::from(status.clip)].clip.name.clone(),
        handle: handle_of(slot, status.handle),
        status,
    }))
}
