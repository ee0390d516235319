//! Ways between states.

use std::collections::{BTreeMap, BTreeSet};

use super::Compiler;
use super::report::at_least;
use crate::LoopMode;
use crate::graph::compiled::{Begin, State, Transition, TransitionBlend, by_name};
use crate::graph::def::{AlignDef, ByDef, FromDef, InterruptionDef, ReenterDef, TransitionDef};
use crate::graph::error::pointer;

/// Seconds of a fade where none are given.
const DEFAULT_FADE: f32 = 0.2;

/// Most transitions of a machine.
const LIMIT: usize = 16_384;

/// Most ways out of all states of a graph together: a transition from "any" is one out of each.
const MAX_WAYS: usize = 262_144;

/// The names of a machine's transitions.
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

    /// As given, or made from the states with a number where that is taken; true for one that is given twice.
    fn of(&mut self, def: &TransitionDef) -> (String, bool) {
        if let Some(name) = &def.name {
            return (name.clone(), !self.taken.insert(name.clone()));
        }
        let from = match &def.from {
            FromDef::Name(name) => name.clone(),
            FromDef::Names(names) => names.join("+"),
        };
        (self.make(format!("{from}>{}", def.to)), false)
    }
}

/// The names that the transitions of a machine have, or get from their states.
pub(in crate::graph) fn transition_names(defs: &[TransitionDef]) -> Vec<String> {
    let mut names = Names::default();
    defs.iter().map(|def| names.of(def).0).collect()
}

impl<'a> Compiler<'a> {
    /// The transitions of a machine; each state learns its ways out.
    pub(super) fn transitions(
        &mut self,
        defs: &'a [TransitionDef],
        states: &mut [State],
        place: &str,
    ) -> Vec<Transition> {
        let place = pointer(place, "transitions");
        if defs.len() > LIMIT {
            let message = format!("more than {LIMIT} transitions");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return Vec::new();
        }
        let names = self.names(defs, &place);
        let mut transitions: Vec<Transition> = Vec::new();
        for (index, (def, name)) in defs.iter().zip(&names).enumerate() {
            let place = pointer(&place, index);
            let from = self.from(def, states, &place);
            let Some(transition) = self.transition(def, name, &from, states, &place) else {
                continue;
            };
            self.ways += from.len();
            if self.ways > MAX_WAYS {
                let message = format!("more than {MAX_WAYS} ways out of states in the graph");
                self.run_out(&place, message);
            }
            if self.budget.spent {
                break;
            }
            for state in from {
                states[usize::from(state)]
                    .ways_out
                    .push(transitions.len() as u16);
            }
            transitions.push(transition);
        }
        // Where one was left out, there is a mistake and the numbers do not matter.
        let indices: BTreeMap<&str, u16> = names.iter().map(String::as_str).zip(0..).collect();
        for (index, (def, transition)) in defs.iter().zip(&mut transitions).enumerate() {
            let place = pointer(&place, index);
            transition.interrupted_by = self.interrupted_by(def, &indices, &place);
        }
        for state in states {
            state.ways_out.sort_by_key(|&index| {
                let way: &Transition = &transitions[usize::from(index)];
                (std::cmp::Reverse(way.priority), way.any, index)
            });
        }
        transitions
    }

    /// The names of all transitions of a machine.
    fn names(&mut self, defs: &[TransitionDef], place: &str) -> Vec<String> {
        let mut names = Names::default();
        let mut all = Vec::with_capacity(defs.len());
        for (index, def) in defs.iter().enumerate() {
            let place = pointer(place, index);
            let name = self.name(def, &mut names, &place);
            if !self.spend_bytes(3 * name.len(), &place) {
                break;
            }
            all.push(name);
        }
        all
    }

    /// The states that it starts from. "any" are those that are stayed in: a conduit is left by its own ways.
    fn from(&mut self, def: &TransitionDef, states: &[State], place: &str) -> Vec<u16> {
        let place = pointer(place, "from");
        let all = 0..states.len() as u16;
        let names: Vec<(&String, String)> = match &def.from {
            FromDef::Name(name) if name == "any" => {
                return all
                    .filter(|&state| !states[usize::from(state)].conduit)
                    .collect();
            }
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
        if found.is_some() {
            return found;
        }
        let own = states.iter().any(|state| {
            let rest = name.strip_prefix(state.name.as_str());
            rest.is_some_and(|rest| rest.starts_with('/'))
        });
        if own || self.layer.paths.contains(name) {
            let message = format!("there is no state `{name}` in this machine");
            let help = "ways lead only between states of one machine: go to the state around it, and let `entry` and the \
                        transitions inside lead on";
            self.report
                .error_with_help("E-GRAPH-UNKNOWN-STATE", place, message, help);
            return None;
        }
        let names = states.iter().map(|state| state.name.as_str());
        self.report
            .unknown("E-GRAPH-UNKNOWN-STATE", place, "state", name, names);
        None
    }

    /// As [`Names::of`].
    fn name(&mut self, def: &TransitionDef, names: &mut Names, place: &str) -> String {
        let (name, twice) = names.of(def);
        if twice {
            let message = format!("two transitions of the machine are named `{name}`");
            self.report
                .error("E-GRAPH-DUPLICATE", pointer(place, "name"), message);
        }
        name
    }

    fn transition(
        &mut self,
        def: &'a TransitionDef,
        name: &str,
        from: &[u16],
        states: &[State],
        place: &str,
    ) -> Option<Transition> {
        let any = matches!(&def.from, FromDef::Name(name) if name == "any");
        self.refuse_without_effect(def, any, place);
        if def.to.is_empty() {
            let message = "missing key `to`";
            self.report.error("E-GRAPH-MISSING", place, message);
            return None;
        }
        let to = self.state_index(&def.to, states, &pointer(place, "to"));
        let when = def
            .when
            .as_ref()
            .and_then(|when| self.when(when, &pointer(place, "when")));
        let exit_time = self.exit_time(def, any, from, states, place);
        let blend = self.transition_blend(def, place);
        let begin = self.begin(def, place);
        Some(Transition {
            name: name.to_owned(),
            to: to?,
            any,
            when,
            exit_time,
            latch: def.latch.unwrap_or(true),
            blend,
            begin,
            priority: def.priority.unwrap_or(0),
            interruption: def.interruption.unwrap_or(InterruptionDef::Frozen),
            interrupted_by: None,
            reenter: def.reenter.unwrap_or(ReenterDef::ByTrigger),
        })
    }

    fn refuse_without_effect(&mut self, def: &TransitionDef, any: bool, place: &str) {
        let keys = [("reenter", def.reenter.is_some() && !any)];
        self.no_effect(place, &keys, "belongs to transitions from \"any\"");
        let keys = [("latch", def.latch.is_some() && def.exit_time.is_none())];
        self.no_effect(place, &keys, "belongs to `exit_time`");
        let inertial = def.by == Some(ByDef::Inertial);
        let keys = [("curve", def.curve.is_some() && inertial)];
        self.no_effect(
            place,
            &keys,
            "belongs to crossfades; what dies away by inertia has a curve of its own",
        );
        let none = def.interruption == Some(InterruptionDef::None);
        let keys = [("interrupted_by", def.interrupted_by.is_some() && none)];
        self.no_effect(place, &keys, "says nothing where interruption = \"none\"");
        let keys = [("remove", def.remove.is_some())];
        self.no_effect(place, &keys, "belongs to patches");
    }

    fn transition_blend(&mut self, def: &'a TransitionDef, place: &str) -> TransitionBlend {
        let duration = self.report.number(
            pointer(place, "duration"),
            def.duration,
            DEFAULT_FADE,
            at_least(0.0),
        );
        TransitionBlend {
            duration,
            inertial: def.by == Some(ByDef::Inertial),
            curve: def.curve.unwrap_or_default(),
            profile: self.profile(&def.profile, &pointer(place, "profile")),
        }
    }

    /// Where the destination begins.
    fn begin(&mut self, def: &TransitionDef, place: &str) -> Begin {
        match (def.offset, def.align) {
            (None, None) => Begin::Own,
            (None, Some(AlignDef::Phase)) => Begin::Phase,
            (None, Some(AlignDef::Marker)) => Begin::Marker,
            (Some(offset), align) => {
                let keys = [("align", align.is_some())];
                self.no_effect(place, &keys, "excludes `offset`, which is given too");
                let place = pointer(place, "offset");
                let offset = self.report.number(place, Some(offset), 0.0, 0.0..=1.0);
                Begin::Offset(f64::from(offset))
            }
        }
    }

    /// The transitions that may start during the fade.
    fn interrupted_by(
        &mut self,
        def: &TransitionDef,
        indices: &BTreeMap<&str, u16>,
        place: &str,
    ) -> Option<Vec<u16>> {
        let list = def.interrupted_by.as_ref()?;
        let place = pointer(place, "interrupted_by");
        if !self.spend_bytes(size_of_val(list.as_slice()), &place) {
            return None;
        }
        let mut found = BTreeSet::new();
        for (number, name) in list.iter().enumerate() {
            let place = pointer(&place, number);
            let Some(&index) = indices.get(name.as_str()) else {
                let names = indices.keys().copied();
                let what = "transition";
                self.report
                    .unknown("E-GRAPH-UNKNOWN-TRANSITION", place, what, name, names);
                continue;
            };
            if !found.insert(index) {
                let message = format!("transition `{name}` is listed twice");
                self.report.error("E-GRAPH-DUPLICATE", place, message);
            }
        }
        Some(found.into_iter().collect())
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
        let from = from.iter().map(|&state| &states[usize::from(state)]);
        for state in from.filter(|_| !any && exit_time > 0.0) {
            let stands = state.leaves.is_empty() && state.machines.is_empty();
            let why = if state.conduit {
                "is passed through and plays nothing"
            } else if stands && state.mode != LoopMode::Once {
                "holds a pose and never gets there"
            } else {
                continue;
            };
            let message = format!("state `{}` {why}", state.name);
            self.report.error("E-GRAPH-EXIT-TIME", &place, message);
        }
        Some(f64::from(exit_time))
    }
}
