//! The leaves of a state, and which of them compete for speaking.

use super::Compiler;
use crate::LoopMode;
use crate::graph::compiled::{Choir, GraphClip, Leaf, LeafPart};
use crate::graph::root::leaf_travel;

/// Most clips and sequences in the motion of one state.
const MAX_LEAVES: usize = 256;

impl Compiler<'_> {
    /// Adds a leaf to the state that is being compiled.
    pub(super) fn leaf(
        &mut self,
        parts: Vec<LeafPart>,
        scrubbed: bool,
        place: &str,
    ) -> Option<u16> {
        let index = self.state.leaves.len();
        if index >= MAX_LEAVES {
            let message = format!("more than {MAX_LEAVES} clips in the motion of one state");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return None;
        }
        self.state.leaves.push(Leaf {
            duration: own_duration(&parts, &self.graph.clips),
            stride: 0.0,
            parts,
            choir: self.state.choir,
            scrubbed,
            warp: None,
            markers: Vec::new(),
            windows: Vec::new(),
        });
        Some(index as u16)
    }

    /// How far leaves travel in a lap, now that the root is known.
    pub(super) fn leaf_strides(&mut self) {
        let Some(root) = &self.graph.root else {
            return;
        };
        let machines = self.graph.machines.iter_mut();
        let states = machines.flat_map(|machine| &mut machine.states);
        for leaf in states.flat_map(|state| &mut state.leaves) {
            let way = leaf_travel(root, leaf, LoopMode::Loop, 0.0, 1.0);
            leaf.stride = way.translation().length();
        }
    }
}

/// Seconds of the own lap at speed 1.
pub(super) fn own_duration(parts: &[LeafPart], clips: &[GraphClip]) -> f64 {
    let durations = parts
        .iter()
        .map(|part| clips[usize::from(part.clip)].duration);
    durations.sum()
}

/// The groups that leaves fall into; groups without leaves are left out.
pub(super) fn choirs(leaves: &mut [Leaf]) -> Vec<Choir> {
    let mut numbers: Vec<u8> = leaves.iter().map(|leaf| leaf.choir).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let mut choirs = vec![Choir::default(); numbers.len()];
    for (leaf, index) in leaves.iter_mut().zip(0_u16..) {
        let choir = numbers.partition_point(|&number| number < leaf.choir);
        leaf.choir = choir as u8;
        choirs[choir].leaves.push(index);
    }
    choirs
}
