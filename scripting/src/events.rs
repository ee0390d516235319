//! Animation events as callbacks of scripts.

use std::sync::Arc;

use sinew_anim::{EndReason, EventSource, Graph, GraphEvent, GraphEventKind};
use sinew_world::{ActorId, Data, Event, LateEvent};

use crate::{
    api::{handle_of, reason_name, words_of},
    callbacks::Callback,
    host::ScriptHost,
    value::Value,
};

impl ScriptHost {
    /// Tells what has ended since the last step, then the events of this step.
    pub(crate) fn tell_events(&mut self) {
        let (late, events) = {
            let world = &mut self.stage.lock().world;
            let graph = |event: &Event| {
                let animation = world.actors.get(event.actor)?.animation.as_ref()?;
                Some((*event, animation.graph.clone()))
            };
            let events: Vec<(Event, Arc<Graph>)> = world.events.iter().filter_map(graph).collect();
            // Those who go are told before their `on_stop`.
            let (late, kept) = std::mem::take(&mut world.late)
                .into_iter()
                .partition(|late| {
                    world
                        .actors
                        .get(late.actor)
                        .is_some_and(|actor| actor.alive)
                });
            world.late = kept;
            let late: Vec<LateEvent> = late;
            (late, events)
        };
        for LateEvent {
            actor,
            event,
            graph,
        } in late
        {
            self.tell_event(actor, event, &graph);
        }
        for (Event { actor, event }, graph) in events {
            // An actor that was given another graph since has lost its pending events.
            let same = {
                let world = &self.stage.lock().world;
                let animation = world.actors.get(actor).filter(|actor| actor.alive);
                animation
                    .and_then(|actor| actor.animation.as_ref())
                    .is_some_and(|now| Arc::ptr_eq(&now.graph, &graph))
            };
            if same {
                self.tell_event(actor, event, &graph);
            }
        }
    }

    /// Ends what is open in the graph of an actor that goes, and tells it to the actor's own scripts.
    pub(crate) fn tell_last_events(&mut self, index: usize) {
        let Some(id) = self.actors[index].as_ref().map(|scripts| scripts.id) else {
            return;
        };
        let late: Vec<LateEvent> = {
            let world = &mut self.stage.lock().world;
            world.close_windows(id, EndReason::Despawn);
            let (own, others) = std::mem::take(&mut world.late)
                .into_iter()
                .partition(|late| late.actor == id);
            world.late = others;
            own
        };
        for late in late {
            self.tell_event(id, late.event, &late.graph);
        }
    }

    fn tell_event(&mut self, actor: ActorId, event: GraphEvent, graph: &Graph) {
        if let Some(words) = words_of(graph, &event) {
            let arguments = [
                Value::Text(words.name),
                Value::Number(f64::from(words.value)),
                Value::Number(f64::from(words.time)),
            ];
            let more = || words.table();
            return self.tell_actor(actor, Callback::AnimationEvent, &arguments, &more);
        }
        let Some(layer) = graph.layers.get(usize::from(event.layer)) else {
            return;
        };
        let layer = Value::Text(&layer.name);
        let source = Value::Text(graph.source_name(event.source));
        let sibling = |state: Option<u16>| {
            let EventSource::State { machine, .. } = event.source else {
                return Value::Nil;
            };
            state.map_or(Value::Nil, |state| {
                Value::Text(graph.source_name(EventSource::State { machine, state }))
            })
        };
        let nothing = || Data::Nil;
        match event.kind {
            GraphEventKind::StateEnter { previous } => {
                let arguments = [layer, source, sibling(previous)];
                self.tell_actor(actor, Callback::StateEnter, &arguments, &nothing);
            }
            GraphEventKind::StateExit { following } => {
                let arguments = [layer, source, sibling(following)];
                self.tell_actor(actor, Callback::StateExit, &arguments, &nothing);
            }
            GraphEventKind::Finished => {
                let arguments = [layer, source];
                self.tell_actor(actor, Callback::AnimationFinished, &arguments, &nothing);
            }
            GraphEventKind::SlotEnd {
                handle,
                clip,
                reason,
            } => {
                let EventSource::Slot(slot) = event.source else {
                    return;
                };
                let played = graph.clips.get(usize::from(clip));
                let clip = played.map_or("", |played| played.clip.name.as_str());
                let name = graph.source_name(event.source);
                let handle = handle_of(slot, handle);
                if reason == EndReason::Finished {
                    let arguments = [layer, source];
                    let more = || slot_end(name, clip, handle);
                    self.tell_actor(actor, Callback::AnimationFinished, &arguments, &more);
                }
                let reason = reason_name(reason);
                let words = [name, clip, reason].map(Value::Text);
                let [name, clip, reason] = words;
                let arguments = [name, clip, reason, Value::Int(handle)];
                self.tell_actor(actor, Callback::SlotEnd, &arguments, &nothing);
            }
            _ => {}
        }
    }
}

/// What is told of a clip that came to its end in a slot.
fn slot_end(slot: &str, clip: &str, handle: i64) -> Data {
    let entries = [
        ("slot".to_owned(), Data::Text(slot.to_owned())),
        ("clip".to_owned(), Data::Text(clip.to_owned())),
        ("handle".to_owned(), Data::Int(handle)),
    ];
    Data::Map(entries.into())
}
