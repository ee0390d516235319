//! The leaves of a state, and which of them compete for speaking.

use super::Compiler;
use crate::graph::compiled::{Choir, Leaf, LeafPart};

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
            parts,
            choir: self.state.choir,
            scrubbed,
            markers: Vec::new(),
        });
        Some(index as u16)
    }
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
