//! What works in another way than a graph's author may expect.

use super::compiled::{BlendSpace, Graph, Motion, PlaneRule, Points, SharedMarker, State};
use super::error::{GraphError, pointer};
use crate::directions_leave_gap;

/// Most warnings that are told.
const MAX_WARNINGS: usize = 64;

impl Graph {
    /// What works in another way than its author may expect, each with a code of
    /// [`GRAPH_WARNINGS`](crate::GRAPH_WARNINGS) and the pointer of the layer's state; the first 64.
    pub fn warnings(&self) -> Vec<GraphError> {
        let mut found = Vec::new();
        for (machine, index) in self.machines.iter().zip(0_u16..) {
            for (state, number) in machine.states.iter().zip(0_u16..) {
                let place = [index, number];
                found.extend(self.uneven_markers(state, place));
                found.extend(self.gap(state, place));
                if found.len() >= MAX_WARNINGS {
                    found.truncate(MAX_WARNINGS);
                    return found;
                }
            }
        }
        found
    }

    /// Markers that the clips of a blend have unequally often.
    fn uneven_markers(&self, state: &State, place: [u16; 2]) -> Vec<GraphError> {
        // Where one of several is played alone, nothing is blended.
        let motion = self.motions.get(usize::from(state.motion));
        if matches!(motion, Some(Motion::Select { .. } | Motion::Random { .. })) {
            return Vec::new();
        }
        let choirs = state.choirs.iter();
        let uneven = choirs.flat_map(|choir| {
            let markers = choir.markers.iter().filter(|marker| marker.shared == 0);
            markers.map(move |marker| (choir.leaves.as_slice(), marker))
        });
        uneven
            .map(|(leaves, marker)| {
                let message = format!(
                    "in `{}` marker `{}` is {}: of clips that are blended only the heaviest is heard",
                    state.path,
                    self.names[usize::from(marker.name)],
                    self.counts(state, leaves, marker),
                );
                GraphError::new("W-GRAPH-MARKERS", self.place(place), message).with_help(Some(
                    "give each clip the marker equally often, and it is one event whichever is heavier"
                        .to_owned(),
                ))
            })
            .collect()
    }

    /// A polar blend whose samples leave half a turn of directions without one.
    fn gap(&self, state: &State, place: [u16; 2]) -> Option<GraphError> {
        let mut open = vec![state.motion];
        while let Some(motion) = open.pop() {
            match self.motions.get(usize::from(motion))? {
                Motion::Blend(BlendSpace {
                    points:
                        Points::Plane {
                            at,
                            rule: PlaneRule::Polar,
                            ..
                        },
                    ..
                }) if directions_leave_gap(at) => {
                    let message = format!(
                        "in `{}` the points of a polar blend leave half a turn of directions without any: weights jump there",
                        state.path
                    );
                    let help = "add points, or write weights = \"gradient_band\"";
                    let error = GraphError::new("W-GRAPH-GAP", self.place(place), message);
                    return Some(error.with_help(Some(help.to_owned())));
                }
                Motion::Blend(space) => {
                    open.extend(space.children.iter().map(|child| child.motion));
                }
                Motion::Direct(children) => open.extend(children.iter().map(|child| child.motion)),
                Motion::Select { children, .. } | Motion::Random { children, .. } => {
                    open.extend(children);
                }
                Motion::Additive { base, add, .. } => open.extend([*base, *add]),
                Motion::Rest | Motion::Clip(_) | Motion::Scrub { .. } => {}
                Motion::Sequence { .. } | Motion::Machine(_) | Motion::Pose(_) => {}
            }
        }
        None
    }

    /// "in `walk` 2 times, in `run` once", for leaves that have the marker.
    fn counts(&self, state: &State, leaves: &[u16], marker: &SharedMarker) -> String {
        let with = leaves.iter().zip(&marker.own);
        let words: Vec<String> = with
            .filter(|(_, own)| !own.is_empty())
            .map(|(&leaf, own)| {
                let part = state.leaves[usize::from(leaf)].parts.first();
                let clip = part.map_or("", |part| &self.clips[usize::from(part.clip)].clip.name);
                match own.len() {
                    1 => format!("in `{clip}` once"),
                    count => format!("in `{clip}` {count} times"),
                }
            })
            .collect();
        words.join(", ")
    }

    /// The pointer of the layer's state that a state is, or is inside of.
    fn place(&self, [machine, state]: [u16; 2]) -> String {
        let mut at = [machine, state];
        while let Some(around) = self.machines[usize::from(at[0])].parent {
            at = around;
        }
        let machine = &self.machines[usize::from(at[0])];
        let layer = pointer("/layers", machine.layer);
        let name = &machine.states[usize::from(at[1])].name;
        pointer(&pointer(&layer, "states"), name)
    }
}
