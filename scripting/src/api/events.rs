//! The animation events of the last step.

use sinew_anim::{EndReason, EventSource, Graph, GraphEvent, GraphEventKind};
use sinew_world::{ActorId, Data};

use super::{ApiError, Call, rows};
use crate::value::{Answer, Field, Record, Type};

rows! {
    /// Whether an event of this name fired in the last step; a window when it begins.
    method "fired" fired(
        /// Name of the event.
        event: &str => "footstep_l",
    ) -> bool;
    /// The animation events of the last step, in order. `on_animation_event` is told of each as it comes.
    method "events" events() -> Vec<EventInfo>;
}

/// An event of a clip or a window as scripts are told it.
pub(crate) struct EventWords<'g> {
    pub name: &'g str,
    /// As the clip says; for a window how far it has come.
    pub value: f32,
    /// Clip seconds.
    pub time: f32,
    pub clip: &'g str,
    pub layer: &'g str,
    /// Path of the state; none in a slot.
    pub state: Option<&'g str>,
    pub slot: Option<&'g str>,
    pub weight: f32,
    /// "begin", "tick" or "end" of a window.
    pub window: Option<&'static str>,
    /// Why a window ended.
    pub reason: Option<&'static str>,
}

/// The words of an event, where it is a marker's or a window's.
pub(crate) fn words_of<'g>(graph: &'g Graph, event: &GraphEvent) -> Option<EventWords<'g>> {
    let (name, clip) = match event.kind {
        GraphEventKind::Marker { name, clip, .. } => (name, clip),
        GraphEventKind::WindowBegin { name, clip }
        | GraphEventKind::WindowTick { name, clip, .. }
        | GraphEventKind::WindowEnd { name, clip, .. } => (name, Some(clip)),
        _ => return None,
    };
    let source = graph.source_name(event.source);
    let in_slot = matches!(event.source, EventSource::Slot(_));
    let played = clip.and_then(|clip| graph.clips.get(usize::from(clip)));
    let layer = graph.layers.get(usize::from(event.layer));
    let mut words = EventWords {
        name: graph
            .names
            .get(usize::from(name))
            .map_or("", String::as_str),
        value: 0.0,
        time: 0.0,
        clip: played.map_or("", |played| played.clip.name.as_str()),
        layer: layer.map_or("", |layer| layer.name.as_str()),
        state: (!in_slot).then_some(source),
        slot: in_slot.then_some(source),
        weight: event.weight,
        window: None,
        reason: None,
    };
    let own = |window: &&sinew_anim::ClipWindow| window.name == name;
    let span = played.and_then(|played| {
        let window = played.windows.iter().find(own)?;
        let seconds = |phase: f64| (played.start + phase * played.duration) as f32;
        Some([seconds(window.begin), seconds(window.end)])
    });
    let [begin, end] = span.unwrap_or_default();
    match event.kind {
        GraphEventKind::Marker { value, time, .. } => {
            words.value = value;
            words.time = time;
        }
        GraphEventKind::WindowBegin { .. } => {
            words.window = Some("begin");
            words.time = begin;
        }
        GraphEventKind::WindowTick { progress, .. } => {
            words.window = Some("tick");
            words.value = progress;
            words.time = begin + (end - begin) * progress;
        }
        GraphEventKind::WindowEnd { reason, .. } => {
            words.window = Some("end");
            words.value = 1.0;
            words.time = end;
            words.reason = Some(reason_name(reason));
        }
        _ => {}
    }
    Some(words)
}

/// The word for a reason.
pub(crate) fn reason_name(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Finished => "finished",
        EndReason::Interrupted => "interrupted",
        EndReason::Despawn => "despawn",
        EndReason::Reload => "reload",
        EndReason::Seek => "seek",
    }
}

impl EventWords<'_> {
    /// The table that `on_animation_event` gets.
    pub(crate) fn table(&self) -> Data {
        let text = |text: &str| Data::Text(text.to_owned());
        let mut entries = vec![
            ("clip", text(self.clip)),
            ("layer", text(self.layer)),
            ("weight", Data::Number(f64::from(self.weight))),
        ];
        entries.extend(self.state.map(|state| ("state", text(state))));
        entries.extend(self.slot.map(|slot| ("slot", text(slot))));
        if let Some(window) = self.window {
            entries.push(("window", text(window)));
            entries.push(("progress", Data::Number(f64::from(self.value))));
        }
        entries.extend(self.reason.map(|reason| ("reason", text(reason))));
        let entries = entries.into_iter();
        Data::Map(
            entries
                .map(|(key, value)| (key.to_owned(), value))
                .collect(),
        )
    }
}

/// One animation event.
struct EventInfo {
    name: String,
    value: f32,
    time: f32,
    table: Data,
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
            doc: "Its number, as the clip says; for a window how far it has come, 0 to 1.",
        },
        Field {
            name: "time",
            ty: Type::Number,
            doc: "Clip seconds where it sits.",
        },
        Field {
            name: "clip",
            ty: Type::Text,
            doc: "The clip; empty for an event of a state itself.",
        },
        Field {
            name: "layer",
            ty: Type::Text,
            doc: "The layer that plays it, or that its slot lies over.",
        },
        Field {
            name: "state",
            ty: Type::Optional(&Type::Text),
            doc: "The state that plays it, as a path.",
        },
        Field {
            name: "slot",
            ty: Type::Optional(&Type::Text),
            doc: "The slot that plays it.",
        },
        Field {
            name: "weight",
            ty: Type::Number,
            doc: "How much of its clip is seen, 0 to 1.",
        },
        Field {
            name: "window",
            ty: Type::Optional(&Type::OneOf(&["begin", "tick", "end"])),
            doc: "What a window does: it begins, is open at the end of the step, or ends.",
        },
        Field {
            name: "progress",
            ty: Type::Optional(&Type::Number),
            doc: "How far a window has come, 0 to 1.",
        },
        Field {
            name: "reason",
            ty: Type::Optional(&Type::OneOf(&[
                "finished",
                "interrupted",
                "despawn",
                "reload",
                "seek",
            ])),
            doc: "Why a window ended.",
        },
    ],
};

impl Answer for EventInfo {
    const TYPE: Type = Type::Record(&EVENT_INFO);
    fn answer(self) -> Data {
        let mut entries = match self.table {
            Data::Map(entries) => entries,
            _ => Default::default(),
        };
        entries.insert("name".to_owned(), Data::Text(self.name));
        entries.insert("value".to_owned(), self.value.answer());
        entries.insert("time".to_owned(), self.time.answer());
        Data::Map(entries)
    }
}

fn fired(call: &mut Call<'_>, actor: ActorId, event: &str) -> Result<bool, ApiError> {
    let graph = &call.animation(actor)?.graph;
    let own = call.world.events.iter().filter(|own| own.actor == actor);
    let mut words = own.filter_map(|own| words_of(graph, &own.event));
    Ok(words.any(|words| words.name == event && words.window.is_none_or(|at| at == "begin")))
}

fn events(call: &mut Call<'_>, actor: ActorId) -> Result<Vec<EventInfo>, ApiError> {
    let graph = &call.animation(actor)?.graph;
    let own = call.world.events.iter().filter(|own| own.actor == actor);
    let words = own.filter_map(|own| words_of(graph, &own.event));
    Ok(words
        .map(|words| EventInfo {
            name: words.name.to_owned(),
            value: words.value,
            time: words.time,
            table: words.table(),
        })
        .collect())
}
