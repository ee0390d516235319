//! Machines: those of layers and those inside states.

use std::collections::BTreeMap;

use super::Compiler;
use super::report::listed;
use crate::graph::compiled::{MAX_STATES, Machine, Motion};
use crate::graph::def::{InterruptionDef, MachineDef, MachineReenterDef, StateDef, TransitionDef};
use crate::graph::error::pointer;

/// Most machines of a graph; each keeps clocks and a pose for every actor.
const MAX_MACHINES: usize = 1024;

/// The written parts of a machine, whether of a layer, of a state or of another graph.
pub(super) struct MachineSource<'a> {
    pub(super) entry: Option<&'a str>,
    pub(super) states: &'a BTreeMap<String, StateDef>,
    pub(super) transitions: &'a [TransitionDef],
    pub(super) resume: bool,
    /// What it belongs to, in words.
    pub(super) owner: String,
}

impl<'a> Compiler<'a> {
    /// The machine inside a state.
    pub(super) fn inner_machine(&mut self, def: &'a MachineDef, place: &str) -> Option<Motion> {
        let source = MachineSource {
            entry: def.entry.as_deref(),
            states: &def.states,
            transitions: &def.transitions,
            resume: def.reenter == Some(MachineReenterDef::Resume),
            owner: "the machine".to_owned(),
        };
        self.machine_motion(&source, place)
    }

    /// A machine as part of a state's motion.
    pub(super) fn machine_motion(
        &mut self,
        source: &MachineSource<'a>,
        place: &str,
    ) -> Option<Motion> {
        if self.graph.machines.len() >= MAX_MACHINES {
            let message = format!(
                "more than {MAX_MACHINES} machines in the graph, named ones counted wherever they are used"
            );
            self.run_out(place, message);
            return None;
        }
        let around = std::mem::take(&mut self.state);
        self.state.added = around.added;
        let parent = [around.machine, around.state];
        // Several machines in one state are told apart by a number.
        let path = match around.machines.len() {
            0 => around.path.clone(),
            count => format!("{}#{}", around.path, count + 1),
        };
        let machine = self.machine(source, Some((parent, &path)), place);
        self.state = around;
        self.state.machines.push(machine);
        Some(Motion::Machine(machine))
    }

    /// Adds a machine, after those around it; `parent` is the machine and state it stands in and the path
    /// up to there.
    pub(super) fn machine(
        &mut self,
        source: &MachineSource<'a>,
        parent: Option<([u16; 2], &str)>,
        place: &str,
    ) -> u16 {
        let entry = self.entry(source, place).unwrap_or(0);
        let index = self.graph.machines.len() as u16;
        self.graph.machines.push(Machine {
            layer: self.layer.index,
            parent: parent.map(|(parent, _)| parent),
            states: Vec::new(),
            entry,
            transitions: Vec::new(),
            resume: source.resume,
            inertial: false,
        });
        let states_place = pointer(place, "states");
        if source.states.len() > MAX_STATES {
            let message = format!("more than {MAX_STATES} states");
            self.report.error("E-GRAPH-LIMIT", states_place, message);
            return index;
        }
        let mut states = Vec::new();
        for ((name, state), number) in source.states.iter().zip(0_u16..) {
            if self.budget.spent {
                return index;
            }
            self.state
                .begin([index, number], parent.map(|(_, path)| path), name);
            let place = pointer(&states_place, name);
            states.push(self.state(name, state, &place));
        }
        let transitions = self.transitions(source.transitions, &mut states, place);
        self.check_conduits(&states, &transitions, &states_place);
        let machine = &mut self.graph.machines[usize::from(index)];
        machine.inertial = transitions.iter().any(|transition| {
            transition.blend.inertial || transition.interruption == InterruptionDef::Inertial
        });
        machine.states = states;
        machine.transitions = transitions;
        index
    }

    fn entry(&mut self, source: &MachineSource<'_>, place: &str) -> Option<u16> {
        let MachineSource { states, owner, .. } = source;
        if states.is_empty() {
            let message = format!("{owner} has no states");
            let help = "add one, such as states = { idle = { rest = true } }";
            let place = pointer(place, "states");
            self.report
                .error_with_help("E-GRAPH-NO-STATES", place, message, help);
            return None;
        }
        let names = states.keys().map(String::as_str);
        let (index, place) = match source.entry {
            None if states.len() == 1 => (0, place.to_owned()),
            None => {
                let message = format!("{owner} does not say which state it begins in");
                let help = listed("state", names).unwrap_or_default();
                let help = format!("add `entry`: {help}");
                self.report
                    .error_with_help("E-GRAPH-ENTRY", place, message, help);
                return None;
            }
            Some(entry) => {
                let place = pointer(place, "entry");
                let Some(found) = names.clone().position(|name| name == entry) else {
                    self.report
                        .unknown("E-GRAPH-UNKNOWN-STATE", place, "state", entry, names);
                    return None;
                };
                (found, place)
            }
        };
        let state = states.values().nth(index);
        if state.is_some_and(|state| state.conduit == Some(true)) {
            let message = "a conduit is passed through; nothing can begin in it";
            self.report.error("E-GRAPH-ENTRY", place, message);
        }
        Some(index as u16)
    }
}
