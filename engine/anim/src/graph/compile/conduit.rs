//! Conduits: states that are passed through and never stayed in.

use super::Compiler;
use crate::graph::compiled::{State, Transition};
use crate::graph::def::StateDef;
use crate::graph::error::pointer;

impl Compiler<'_> {
    /// Nothing plays in a conduit, so how it plays says nothing.
    pub(super) fn refuse_with_conduit(&mut self, def: &StateDef, place: &str) {
        let keys = [
            ("mode", def.mode.is_some()),
            ("speed", def.speed.is_some()),
            ("speed_parameter", def.speed_parameter.is_some()),
            ("sync_group", def.sync_group.is_some()),
            ("sync_role", def.sync_role.is_some()),
            ("speaks", def.speaks.is_some()),
            ("events", def.events.is_some()),
        ];
        self.no_effect(place, &keys, "has no effect in a conduit: nothing plays");
    }

    /// A conduit leads somewhere, and in the end to a state that is stayed in.
    pub(super) fn check_conduits(
        &mut self,
        states: &[State],
        transitions: &[Transition],
        place: &str,
    ) {
        for state in states.iter().filter(|state| state.conduit) {
            if state.ways_out.is_empty() {
                let message = format!("no transition leads out of conduit `{}`", state.name);
                let help = format!("add one such as {{ from = \"{}\", to = ... }}", state.name);
                let place = pointer(place, &state.name);
                self.report
                    .error_with_help("E-GRAPH-CONDUIT", place, message, help);
            }
        }
        if let Some(round) = round(states, transitions) {
            let names: Vec<&str> = round
                .iter()
                .map(|&state| states[usize::from(state)].name.as_str())
                .collect();
            let message = format!(
                "conduits lead round to themselves: `{}`",
                names.join("` > `")
            );
            let place = pointer(place, names[0]);
            self.report.error("E-GRAPH-CYCLE", place, message);
        }
    }
}

/// A way from a conduit through conduits back to it, first and last the same.
fn round(states: &[State], transitions: &[Transition]) -> Option<Vec<u16>> {
    /// Whether a state has been looked at: `On` is on the way that is being followed.
    #[derive(Clone, Copy, PartialEq)]
    enum Seen {
        No,
        On,
        Done,
    }
    let next_conduits = |state: u16| {
        let ways = states[usize::from(state)].ways_out.iter();
        let to = ways.map(|&way| transitions[usize::from(way)].to);
        to.filter(|&to| states[usize::from(to)].conduit)
            .collect::<Vec<u16>>()
    };
    let mut seen = vec![Seen::No; states.len()];
    for start in (0..states.len() as u16).filter(|&state| states[usize::from(state)].conduit) {
        if seen[usize::from(start)] != Seen::No {
            continue;
        }
        seen[usize::from(start)] = Seen::On;
        // The way so far, each with the conduits that it still leads to.
        let mut way = vec![(start, next_conduits(start))];
        while let Some((state, next)) = way.last_mut() {
            let Some(to) = next.pop() else {
                seen[usize::from(*state)] = Seen::Done;
                way.pop();
                continue;
            };
            match seen[usize::from(to)] {
                Seen::Done => {}
                Seen::No => {
                    seen[usize::from(to)] = Seen::On;
                    way.push((to, next_conduits(to)));
                }
                Seen::On => {
                    let on_way = way.iter().map(|(state, _)| *state);
                    let mut round: Vec<u16> = on_way.skip_while(|&state| state != to).collect();
                    round.push(to);
                    return Some(round);
                }
            }
        }
    }
    None
}
