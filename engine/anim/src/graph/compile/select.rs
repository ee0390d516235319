//! One of several motions: by a parameter or by chance.

use super::Compiler;
use crate::graph::compiled::{Motion, RandomSlot};
use crate::graph::def::{ParameterKind, StateDef};
use crate::graph::error::pointer;

impl<'a> Compiler<'a> {
    pub(super) fn select(&mut self, def: &'a StateDef, place: &str) -> Option<Motion> {
        let children = def.children.as_deref().unwrap_or_default();
        let children = self.inner_motions("a select", children, &pointer(place, "children"));
        let name = def.select.as_deref()?;
        if name != "random" {
            let parameter =
                self.parameter_of(name, &pointer(place, "select"), &[ParameterKind::Int]);
            return Some(Motion::Select {
                parameter: parameter?,
                children: children?,
            });
        }
        let children = children?;
        // There are fewer choices than motions, and few children.
        let slot = self.graph.randoms;
        self.graph.randoms += 1;
        self.state.randoms.push(RandomSlot {
            slot,
            children: children.len() as u16,
        });
        Some(Motion::Random { slot, children })
    }
}
