//! Profiles: fade lengths by joint.

use std::collections::BTreeMap;

use super::Compiler;
use crate::graph::error::pointer;

/// Most different profiles of a graph.
const MAX_PROFILES: usize = 256;

impl Compiler<'_> {
    /// The index of a profile, each kept once; none where all joints take the whole duration. A joint has the
    /// factor of the nearest entry at or above it.
    pub(super) fn profile(&mut self, def: &BTreeMap<String, f32>, place: &str) -> Option<u16> {
        let mut given = BTreeMap::new();
        for (name, &factor) in def {
            let place = pointer(place, name);
            let factor = self.report.number(&place, Some(factor), 1.0, 0.0..=1.0);
            given.extend(self.joint(name, &place).map(|joint| (joint, factor + 0.0)));
        }
        if given.values().all(|factor| *factor == 1.0) {
            return None;
        }
        let mut factors: Vec<f32> = Vec::with_capacity(self.skeleton.len());
        for joint in 0..self.skeleton.len() as u16 {
            // Parents come first, so theirs is known.
            let parent = self.skeleton.parent(joint);
            let above = parent.map_or(1.0, |parent| factors[usize::from(parent)]);
            factors.push(given.get(&joint).copied().unwrap_or(above));
        }
        let bits: Vec<u32> = factors.iter().map(|factor| factor.to_bits()).collect();
        if let Some(&index) = self.profiles.get(&bits) {
            return Some(index);
        }
        if self.graph.profiles.len() >= MAX_PROFILES {
            let message = format!("more than {MAX_PROFILES} different profiles");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return None;
        }
        let index = self.graph.profiles.len() as u16;
        self.profiles.insert(bits, index);
        self.graph.profiles.push(factors);
        Some(index)
    }
}
