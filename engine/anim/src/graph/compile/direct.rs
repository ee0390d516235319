//! Direct blends: children with a weight each.

use super::Compiler;
use crate::graph::compiled::{DirectChild, Motion};
use crate::graph::def::DirectDef;
use crate::graph::error::pointer;

impl<'a> Compiler<'a> {
    pub(super) fn direct(&mut self, children: &'a [DirectDef], place: &str) -> Option<Motion> {
        self.check_count("a direct blend", children.len(), place)?;
        let compile = |(index, child): (usize, &'a DirectDef)| {
            let place = pointer(place, index);
            let weight = self.number_parameter(&child.weight, &pointer(&place, "weight"));
            let motion = self.inner_motion(&child.motion, &pointer(&place, "motion"));
            Some(DirectChild {
                weight: weight?,
                motion,
            })
        };
        // All of them first, so that every mistake is found.
        let children: Vec<Option<DirectChild>> = children.iter().enumerate().map(compile).collect();
        let children: Option<Vec<DirectChild>> = children.into_iter().collect();
        children.map(Motion::Direct)
    }
}
