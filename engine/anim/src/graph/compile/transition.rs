//! Ways between states.

use std::collections::{BTreeMap, BTreeSet};

use super::Compiler;
use super::report::at_least;
use crate::LoopMode;
use crate::graph::begin::DEFAULT_FADE;
use crate::graph::compiled::{Motion, State, Transition, by_name};
use crate::graph::def::{ByDef, FromDef, InterruptionDef, LayerDef, ReenterDef, TransitionDef};
use crate::graph::error::pointer;

/// Most transitions of a layer.
const LIMIT: usize = 16_384;

/// Most ways out of all states of a graph together: a transition from "any" is one out of each.
const MAX_WAYS: usize = 262_144;

/// The names of a layer's transitions.
#[derive(Default)]
struct Names {
    taken: BTreeSet<String>,
    /// The number to try next for a name that is made from states, so that thousands of equal ones
    /// are not counted up from 2 each time.
    numbers: BTreeMap<String, usize>,
}

impl Names {
    /// `plain`, or with the first number that is free.
    fn make(&mut self, plain: String) -> String {
        if self.taken.insert(plain.clone()) {
            return plain;
        }
        let number = self.numbers.entry(plain.clone()).or_insert(2);
        loop {
            let name = format!("{plain}#{number}");
            *number += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl Compiler<'_> {
    /// The transitions of a layer; each state learns its ways out.
    pub(super) fn transitions(
        &mut self,
        layer: &LayerDef,
        states: &mut [State],
        place: &str,
    ) -> Vec<Transition> {
        let place = pointer(place, "transitions");
        if layer.transitions.len() > LIMIT {
            let message = format!("more than {LIMIT} transitions");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return Vec::new();
        }
        let mut names = Names::default();
        let mut transitions = Vec::new();
        for (index, def) in layer.transitions.iter().enumerate() {
            let place = pointer(&place, index);
            let from = self.from(def, states, &place);
            let name = self.name(def, &mut names, &place);
            let Some(transition) = self.transition(def, name, &from, states, &place) else {
                continue;
            };
            self.ways += from.len();
            if self.ways > MAX_WAYS {
                let message = format!("more than {MAX_WAYS} ways out of states in the graph");
                self.report.error("E-GRAPH-LIMIT", place, message);
                break;
            }
            for state in from {
                states[usize::from(state)]
                    .ways_out
                    .push(transitions.len() as u16);
            }
            transitions.push(transition);
        }
        for state in states {
            state.ways_out.sort_by_key(|&index| {
                let way: &Transition = &transitions[usize::from(index)];
                (std::cmp::Reverse(way.priority), way.any, index)
            });
        }
        transitions
    }

    /// The states that it starts from.
    fn from(&mut self, def: &TransitionDef, states: &[State], place: &str) -> Vec<u16> {
        let place = pointer(place, "from");
        let all = 0..states.len() as u16;
        let names: Vec<(&String, String)> = match &def.from {
            FromDef::Name(name) if name == "any" => return all.collect(),
            FromDef::Name(name) => vec![(name, place)],
            FromDef::Names(names) if names.is_empty() => {
                let help = "name a state, or write from = \"any\"";
                let message = "the transition starts nowhere";
                self.report
                    .error_with_help("E-GRAPH-MISSING", place, message, help);
                return Vec::new();
            }
            FromDef::Names(names) => {
                let places = (0..names.len()).map(|index| pointer(&place, index));
                names.iter().zip(places).collect()
            }
        };
        let mut from = Vec::new();
        let mut listed = vec![false; states.len()];
        for (name, place) in names {
            match self.state_index(name, states, &place) {
                Some(state) if std::mem::replace(&mut listed[usize::from(state)], true) => {
                    let message = format!("state `{name}` is listed twice");
                    self.report.error("E-GRAPH-DUPLICATE", place, message);
                }
                Some(state) => from.push(state),
                None => {}
            }
        }
        from
    }

    fn state_index(&mut self, name: &str, states: &[State], place: &str) -> Option<u16> {
        let found = by_name(states, name, |state| &state.name);
        if found.is_none() {
            let names = states.iter().map(|state| state.name.as_str());
            self.report
                .unknown("E-GRAPH-UNKNOWN-STATE", place, "state", name, names);
        }
        found
    }

    /// As given, or made from the states with a number where that is taken.
    fn name(&mut self, def: &TransitionDef, names: &mut Names, place: &str) -> String {
        if let Some(name) = &def.name {
            if !names.taken.insert(name.clone()) {
                let message = format!("two transitions of the layer are named `{name}`");
                self.report
                    .error("E-GRAPH-DUPLICATE", pointer(place, "name"), message);
            }
            return name.clone();
        }
        let from = match &def.from {
            FromDef::Name(name) => name.clone(),
            FromDef::Names(names) => names.join("+"),
        };
        names.make(format!("{from}>{}", def.to))
    }

    fn transition(
        &mut self,
        def: &TransitionDef,
        name: String,
        from: &[u16],
        states: &[State],
        place: &str,
    ) -> Option<Transition> {
        self.refuse_transition_parts(def, place);
        let any = matches!(&def.from, FromDef::Name(name) if name == "any");
        if def.reenter.is_some() && !any {
            let message = "`reenter` belongs to transitions from \"any\"";
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, "reenter"), message);
        }
        if def.latch.is_some() && def.exit_time.is_none() {
            let message = "`latch` belongs to `exit_time`";
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, "latch"), message);
        }
        let to = self.state_index(&def.to, states, &pointer(place, "to"));
        let when = def
            .when
            .as_ref()
            .and_then(|when| self.when(when, &pointer(place, "when")));
        let exit_time = self.exit_time(def, any, from, states, place);
        let duration = self.report.number(
            pointer(place, "duration"),
            def.duration,
            DEFAULT_FADE,
            at_least(0.0),
        );
        let offset = def.offset.map(|offset| {
            let place = pointer(place, "offset");
            f64::from(self.report.number(place, Some(offset), 0.0, 0.0..=1.0))
        });
        Some(Transition {
            name,
            to: to?,
            any,
            when,
            exit_time,
            latch: def.latch.unwrap_or(true),
            duration,
            curve: def.curve.unwrap_or_default(),
            offset,
            priority: def.priority.unwrap_or(0),
            interruptible: def.interruption != Some(InterruptionDef::None),
            reenter: def.reenter.unwrap_or(ReenterDef::ByTrigger),
        })
    }

    fn exit_time(
        &mut self,
        def: &TransitionDef,
        any: bool,
        from: &[u16],
        states: &[State],
        place: &str,
    ) -> Option<f64> {
        let place = pointer(place, "exit_time");
        let exit_time = def.exit_time?;
        if exit_time.is_finite() && exit_time > 1.0 {
            let message = format!("is {exit_time}, but a lap ends at 1");
            let help = "1 is the end of the clip; for later, add a condition";
            self.report
                .error_with_help("E-GRAPH-EXIT-TIME", place, message, help);
            return None;
        }
        let exit_time = self.report.number(&place, Some(exit_time), 0.0, 0.0..=1.0);
        for state in from
            .iter()
            .map(|&state| &states[usize::from(state)])
            .filter(|_| !any)
        {
            let is_rest = matches!(self.graph.motions[usize::from(state.motion)], Motion::Rest);
            if is_rest && state.mode != LoopMode::Once && exit_time > 0.0 {
                let message = format!(
                    "state `{}` is the rest pose and never gets there",
                    state.name
                );
                self.report.error("E-GRAPH-EXIT-TIME", &place, message);
            }
        }
        Some(f64::from(exit_time))
    }

    fn refuse_transition_parts(&mut self, def: &TransitionDef, place: &str) {
        let mut refuse = |key: &str, what: &str, help: &str| {
            self.report.not_supported(pointer(place, key), what, help);
        };
        if def.by == Some(ByDef::Inertial) {
            refuse("by", "`inertial`", "leave `by` out for a crossfade");
        }
        if def.align.is_some() {
            refuse(
                "align",
                "aligning",
                "use `offset`, or a sync_group on both states",
            );
        }
        if matches!(
            def.interruption,
            Some(InterruptionDef::Live | InterruptionDef::Inertial)
        ) {
            refuse("interruption", "this rule", "write \"frozen\" or \"none\"");
        }
        if def.interrupted_by.is_some() {
            refuse(
                "interrupted_by",
                "a list of transitions that may interrupt",
                "",
            );
        }
        if def.profile.is_some() {
            refuse("profile", "a fade length by joint", "");
        }
        if def.remove.is_some() {
            let message = "`remove` belongs to patches";
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, "remove"), message);
        }
    }
}
