//! Poses that scripts keep.

use super::Compiler;
use crate::graph::compiled::{Motion, by_name};

/// Most names of poses in a graph; each is kept for every actor.
const MAX_POSES: usize = 64;

impl<'a> Compiler<'a> {
    /// A kept pose; its index is that of first use until all are known.
    pub(super) fn pose(&mut self, name: &'a str, place: &str) -> Option<Motion> {
        if name.is_empty() {
            self.report
                .error("E-GRAPH-NAME", place, "a kept pose needs a name");
            return None;
        }
        let index = self.poses.index(name);
        if self.poses.len() > MAX_POSES {
            let message = format!("more than {MAX_POSES} names of poses in the graph");
            self.run_out(place, message);
        }
        index.map(Motion::Pose)
    }

    /// Puts the names of poses in order.
    pub(super) fn name_poses(&mut self) {
        let names: Vec<String> = self.poses.sorted().map(str::to_owned).collect();
        let places = self
            .poses
            .places(|name| by_name(&names, name, |name| name).unwrap_or(0));
        for motion in &mut self.graph.motions {
            if let Motion::Pose(index) = motion {
                *index = places[usize::from(*index)];
            }
        }
        self.graph.poses = names;
    }
}
