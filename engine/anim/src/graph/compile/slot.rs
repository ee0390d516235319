//! Slots: places in the stack where scripts play one-shot clips.

use std::sync::Arc;

use super::Compiler;
use super::clips::What;
use crate::Clip;
use crate::graph::compiled::{LayerBlend, Slot};
use crate::graph::def::{LayerBlendDef, SlotDef, SpaceDef};
use crate::graph::error::pointer;

/// Most slots of a graph; each keeps what it plays for every actor.
const MAX_SLOTS: usize = 64;

impl<'a> Compiler<'a> {
    /// Any clip of the model may be played in a slot. They come before those of states, so that the first of
    /// a name is the clip as it was made.
    pub(super) fn slot_clips(&mut self) {
        if self.def.slots.is_empty() {
            return;
        }
        let names: Vec<&'a str> = self.clips.keys().copied().collect();
        for name in names {
            self.graph_clip(&What::whole(name), "/slots");
        }
    }

    /// The slots, once the layers are known.
    pub(super) fn slots(&mut self) {
        let slots = &self.def.slots;
        if slots.len() > MAX_SLOTS {
            let message = format!("more than {MAX_SLOTS} slots");
            self.report.error("E-GRAPH-LIMIT", "/slots", message);
            return;
        }
        let clips: Vec<Arc<Clip>> = self.clips.values().map(|clip| Arc::clone(clip)).collect();
        for (name, slot) in slots {
            let place = pointer("/slots", name);
            if let Some(slot) = self.slot(name, slot, &clips, &place) {
                self.graph.slots.push(slot);
            }
        }
    }

    fn slot(
        &mut self,
        name: &str,
        def: &SlotDef,
        clips: &[Arc<Clip>],
        place: &str,
    ) -> Option<Slot> {
        if name.is_empty() {
            self.report
                .error("E-GRAPH-NAME", place, "a slot needs a name");
        }
        let removed = [("remove", def.remove.is_some())];
        self.no_effect(place, &removed, "belongs to patches");
        let after = self.slot_layer(def, place);
        let mask = def
            .mask
            .as_ref()
            .and_then(|mask| self.mask(mask, clips, &pointer(place, "mask")));
        Some(Slot {
            name: name.to_owned(),
            after: after?,
            mask,
            blend: match def.blend {
                None | Some(LayerBlendDef::Override) => LayerBlend::Override,
                Some(LayerBlendDef::Additive) => LayerBlend::Additive(SpaceDef::Local),
            },
        })
    }

    /// The layer that a slot lies over.
    fn slot_layer(&mut self, def: &SlotDef, place: &str) -> Option<u16> {
        let Some(after) = &def.after else {
            let last = self.graph.layers.len().checked_sub(1);
            if last.is_none() {
                let message = "a slot lies over a layer, and the graph has none";
                self.report.error("E-GRAPH-UNKNOWN-LAYER", place, message);
            }
            return last.map(|index| index as u16);
        };
        let found = self.graph.layer(after);
        if found.is_none() {
            let names = self.def.layers.iter().map(|layer| layer.name.as_str());
            let place = pointer(place, "after");
            self.report
                .unknown("E-GRAPH-UNKNOWN-LAYER", place, "layer", after, names);
        }
        found
    }
}
