//! What the motions of a graph name: other graphs by path, and motions.

use std::collections::BTreeMap;

use super::def::{GraphDef, MachineDef, MotionRefDef, StateDef};
use super::error::pointer;

/// How deep the tables of a graph are looked through; a graph that was read is not deeper.
const MAX_TABLES: usize = 64;

/// What a motion names.
pub(super) enum Named<'a> {
    /// Another graph, by path.
    Graph(&'a mut String),
    /// A motion of the graph's own `motions`.
    Motion(&'a mut String),
}

/// What is done with a name, at the pointer of its key.
type See<'a> = &'a mut dyn FnMut(&str, Named<'_>);

/// Shows every name in the motions of states and in `motions`.
pub(super) fn each_name(def: &mut GraphDef, see: See<'_>) {
    for (index, layer) in def.layers.iter_mut().enumerate() {
        let place = pointer("/layers", index);
        in_states(&mut layer.states, &place, 0, see);
    }
    for (name, motion) in &mut def.motions {
        in_motion(motion, &pointer("/motions", name), 0, see);
    }
}

fn in_states(states: &mut BTreeMap<String, StateDef>, place: &str, depth: usize, see: See<'_>) {
    let place = pointer(place, "states");
    for (name, state) in states {
        in_motion(state, &pointer(&place, name), depth, see);
    }
}

fn in_motion(def: &mut StateDef, place: &str, depth: usize, see: See<'_>) {
    if depth > MAX_TABLES {
        return;
    }
    if let Some(path) = &mut def.graph {
        see(&pointer(place, "graph"), Named::Graph(path));
    }
    if let Some(name) = &mut def.motion {
        see(&pointer(place, "motion"), Named::Motion(name));
    }
    let mut inside = |reference: &mut MotionRefDef, place: String| match reference {
        MotionRefDef::Motion(def) => in_motion(def, &place, depth + 1, see),
        MotionRefDef::Name(name) => see(&place, Named::Motion(name)),
    };
    let lists = [
        ("children", &mut def.children),
        ("sequence", &mut def.sequence),
    ];
    for (key, list) in lists {
        let place = pointer(place, key);
        for (index, child) in list.iter_mut().flatten().enumerate() {
            inside(child, pointer(&place, index));
        }
    }
    for (index, point) in def.points.iter_mut().flatten().enumerate() {
        let place = pointer(&pointer(&pointer(place, "points"), index), "motion");
        if let Some(motion) = &mut point.motion {
            inside(motion, place);
        }
    }
    for (index, child) in def.direct.iter_mut().flatten().enumerate() {
        let place = pointer(&pointer(&pointer(place, "direct"), index), "motion");
        inside(&mut child.motion, place);
    }
    if let Some(additive) = &mut def.additive {
        let place = pointer(place, "additive");
        inside(&mut additive.base, pointer(&place, "base"));
        inside(&mut additive.add, pointer(&place, "add"));
    }
    if let Some(MachineDef { states, .. }) = &mut def.machine {
        in_states(states, &pointer(place, "machine"), depth + 1, see);
    }
}
