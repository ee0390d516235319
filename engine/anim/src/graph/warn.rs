//! What works in another way than a graph's author may expect.

use std::collections::BTreeSet;

use super::compiled::{
    BlendSpace, Graph, Machine, Motion, PlaneRule, Points, SharedMarker, State, Transition,
};
use super::def::GraphDef;
use super::error::{GraphError, pointer};
use super::named::{Named, each_name};
use crate::directions_leave_gap;

/// Most warnings that are told.
const MAX_WARNINGS: usize = 64;

impl GraphDef {
    /// Motions that nothing names, each with a code of [`GRAPH_WARNINGS`](crate::GRAPH_WARNINGS) and its pointer; the
    /// first 64. A parameter that nothing names is none of these: scripts may read it.
    pub fn warnings(&self) -> Vec<GraphError> {
        let mut names = BTreeSet::new();
        each_name(&mut self.clone(), &mut |_, name| {
            if let Named::Motion(name) = name {
                names.insert(name.clone());
            }
        });
        let unused = self.motions.keys().filter(|name| !names.contains(*name));
        let told = unused.map(|name| {
            let message = format!("no state and no other motion names motion `{name}`");
            let help = "use it in a state, or take it out".to_owned();
            let place = pointer("/motions", name);
            GraphError::new("W-GRAPH-UNUSED-MOTION", place, message).with_help(Some(help))
        });
        told.take(MAX_WARNINGS).collect()
    }
}

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
                found.extend(self.shadowed(machine, state, place));
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

    /// Ways out of a state that stand behind one that always starts.
    fn shadowed(&self, machine: &Machine, state: &State, place: [u16; 2]) -> Vec<GraphError> {
        let way = |index: u16| &machine.transitions[usize::from(index)];
        let ways = &state.ways_out;
        let first = ways.iter().position(|&index| {
            let destination = &machine.states[usize::from(way(index).to)];
            way(index).always_starts() && destination.enter_when.is_none() && !destination.conduit
        });
        // With several transitions a step, what was left in it is not entered again, and what stands behind may start.
        let Some(first) = first.filter(|_| self.transitions_per_step == 1 || state.conduit) else {
            return Vec::new();
        };
        // A fade may let only those interrupt it that it lists.
        let listed = |index: u16| {
            let mut lists = machine
                .transitions
                .iter()
                .filter_map(|way| way.interrupted_by.as_ref());
            lists.any(|list| list.contains(&index))
        };
        let behind = ways[first + 1..].iter().copied();
        behind
            // What starts from any state may start from another one.
            .filter(|&index| !way(index).any && !listed(index))
            .map(|index| {
                let message = format!(
                    "in `{}` transition `{}` never starts: `{}` is tested before it and asks for nothing",
                    state.path,
                    way(index).name,
                    way(ways[first]).name,
                );
                let help = "give that one a `when` or an `exit_time`, or this one a higher `priority`";
                let error = GraphError::new("W-GRAPH-SHADOWED", self.place(place), message);
                error.with_help(Some(help.to_owned()))
            })
            .collect()
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

impl Transition {
    /// Whether nothing but a running fade keeps it from starting. One from any state does not lead back into its own.
    fn always_starts(&self) -> bool {
        self.when.is_none() && self.exit_time.is_none() && !self.any
    }
}
