//! Additive motions: a difference from the rest pose over a base.

use super::Compiler;
use crate::graph::compiled::{MAX_CHOIRS, Motion};
use crate::graph::def::AdditiveDef;
use crate::graph::error::pointer;

impl<'a> Compiler<'a> {
    pub(super) fn additive(&mut self, def: &'a AdditiveDef, place: &str) -> Option<Motion> {
        let base = self.inner_motion(&def.base, &pointer(place, "base"));
        let add_place = pointer(place, "add");
        if self.state.choirs == MAX_CHOIRS {
            let most = MAX_CHOIRS - 1;
            let message = format!("more than {most} additive motions in one state");
            self.report.error("E-GRAPH-LIMIT", add_place, message);
            return None;
        }
        // What is added is heard for itself, and is a difference from rest whatever the layer's are from.
        let around = (self.state.choir, self.state.added);
        (self.state.choir, self.state.added) = (self.state.choirs as u8, true);
        self.state.choirs += 1;
        let add = self.inner_motion(&def.add, &add_place);
        (self.state.choir, self.state.added) = around;
        let weight = match &def.weight {
            None => None,
            Some(name) => Some(self.number_parameter(name, &pointer(place, "weight"))?),
        };
        Some(Motion::Additive { base, add, weight })
    }
}
