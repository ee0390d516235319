//! Why a machine does what it does: every way out of the current state with its verdict, for the step
//! that comes next, and the same in words.

use super::advance::finite_speed;
use super::begun::Begun;
use super::choose::{Closed, Held};
use super::compiled::{Graph, Machine, Transition};
use super::fade::{MachineWeight, layer_weight};
use super::motion::number;
use super::scratch::{Scratch, Slice};
use super::state::{GraphState, ParameterValue};
use super::step::{Live, MachineStep};
use super::sync::Lead;
use crate::Said;

/// What one machine is about to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// Index in [`Graph::machines`].
    pub machine: u16,
    /// The current state, index in [`Machine::states`].
    pub state: u16,
    /// The ways out of it, those that are tested first in front.
    pub candidates: Vec<Candidate>,
}

/// A way out of the current state.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Index in [`Machine::transitions`].
    pub transition: u16,
    /// Whether it starts.
    pub verdict: Verdict,
}

/// What becomes of a transition in a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It starts at this share of the step.
    Starts {
        /// The state that it ends in.
        to: u16,
        /// 0 to 1.
        share: f32,
        /// The triggers that it uses up.
        triggers: Vec<u16>,
    },
    /// It could start, but another is tested before it.
    LostTo {
        /// Index in [`Machine::transitions`]; none where a script plays a state.
        transition: Option<u16>,
    },
    /// Something holds it.
    Held {
        /// What.
        by: Held,
        /// The details, such as a condition that fails with the values in it.
        why: String,
    },
}

/// What the machines of a layer will do in a step of `dt` seconds from here, the layer's own first,
/// then those inside its current state. Changes nothing; allocates, so it is for people and not for
/// every step.
pub fn explain(graph: &Graph, state: &GraphState, layer: u16, dt: f32) -> Vec<Explanation> {
    if graph.layers.get(usize::from(layer)).is_none() {
        return Vec::new();
    }
    let mut copy = state.clone();
    let mut scratch = Scratch::default();
    let mut live = live(graph, &mut copy, &mut scratch);
    let step = MachineStep {
        base: lead_of(graph, state, layer, dt),
        ..step_of(graph, state, layer, dt)
    };
    let mut explained = Vec::new();
    explain_machine(&step, &mut live, &mut explained);
    explained
}

/// What a layer that follows the base will take its clocks from: how the base moves in the step.
fn lead_of(graph: &Graph, state: &GraphState, layer: u16, dt: f32) -> Option<Lead> {
    let follows = graph.layers[usize::from(layer)].follow_base && layer > 0;
    if !follows || state.paused {
        return None;
    }
    let mut copy = state.clone();
    let mut scratch = Scratch::default();
    let mut live = live(graph, &mut copy, &mut scratch);
    let step = step_of(graph, state, 0, dt);
    let before = step.followed(&live);
    step.run(Slice::WHOLE, &mut live);
    step.followed(&live).and_then(|now| now.lead(before))
}

/// The step of a layer's own machine.
fn step_of<'a>(graph: &'a Graph, state: &'a GraphState, layer: u16, dt: f32) -> MachineStep<'a> {
    let definition = &graph.layers[usize::from(layer)];
    let speed = finite_speed(state.speed);
    MachineStep {
        graph,
        parameters: &state.parameters,
        seed: state.seed,
        speed: if state.paused { 0.0 } else { speed },
        dt: f64::from(dt.max(0.0)),
        layer,
        machine: definition.machine,
        weight: MachineWeight::of(layer_weight(graph, definition, layer, state)),
        poses: &state.poses,
        leaving: false,
        base: None,
        crossing: None,
    }
}

fn live<'a>(graph: &Graph, copy: &'a mut GraphState, scratch: &'a mut Scratch) -> Live<'a> {
    scratch.make_room(graph);
    Live {
        machines: &mut copy.machines,
        randoms: &mut copy.randoms,
        scratch,
        lost: 0,
    }
}

fn explain_machine(step: &MachineStep<'_>, live: &mut Live<'_>, out: &mut Vec<Explanation>) {
    let Some(current) = step.state_of(live).playing.last().copied() else {
        return;
    };
    let base = live.scratch.spans.len();
    step.plan(Slice::WHOLE, live);
    let begun = Begun::after(Some(current.state));
    let played = step.requested(base, live).is_some();
    let mut first = played.then_some(None);
    let mut closed = Closed::default();
    let candidates = step.state(&current).ways_out.iter().map(|&index| {
        let verdict = step.verdict(index, base, &begun, &mut closed, live);
        let verdict = match (verdict, first) {
            (Err(by), _) => Verdict::Held {
                by,
                why: details(step, index, by, live),
            },
            (Ok(_), Some(transition)) => Verdict::LostTo { transition },
            (Ok(start), None) => {
                first = Some(Some(index));
                let way = &step.definition().transitions[usize::from(index)];
                Verdict::Starts {
                    to: start.state,
                    share: start.at as f32,
                    triggers: way
                        .when
                        .as_ref()
                        .map_or_else(Vec::new, |when| when.triggers.clone()),
                }
            }
        };
        Candidate {
            transition: index,
            verdict,
        }
    });
    out.push(Explanation {
        machine: step.machine,
        state: current.state,
        candidates: candidates.collect(),
    });
    for &machine in &step.state(&current).machines {
        let factor = step
            .context(live)
            .speed_factor(step.state(&current), step.speed);
        let inside = MachineStep {
            machine,
            speed: factor as f32,
            base: None,
            ..*step
        };
        explain_machine(&inside, live, out);
    }
}

/// What exactly holds a transition.
fn details(step: &MachineStep<'_>, index: u16, by: Held, live: &Live<'_>) -> String {
    let machine = step.definition();
    let way = &machine.transitions[usize::from(index)];
    let state = step.state_of(live);
    match by {
        Held::Fade => {
            let running = state.fade.as_ref().and_then(|fade| fade.transition);
            let running = running.map(|index| &machine.transitions[usize::from(index)]);
            match running {
                Some(running) if running.interrupted_by.is_some() => {
                    format!("the fade of `{}` is not interrupted by it", running.name)
                }
                Some(running) => format!("the fade of `{}` is not interrupted", running.name),
                None => "the running fade is not interrupted".to_owned(),
            }
        }
        Held::Reenter => format!(
            "it leads to `{}`, which plays, and none of its triggers is set",
            machine.states[usize::from(way.to)].name
        ),
        Held::Again => "its destination has begun in this step already".to_owned(),
        Held::Condition => {
            let failing = way.when.as_ref().map(|when| failing(step, when));
            failing.unwrap_or_default()
        }
        Held::Gate => {
            let current = state.playing.last();
            let at = current.map_or(0.0, |current| current.mode.phase(current.cycles));
            format!(
                "exit_time {} is not reached: `{}` is at {at:.3} of its lap",
                way.exit_time.unwrap_or(0.0) as f32,
                current.map_or("", |current| step.state(current).name.as_str()),
            )
        }
        Held::EnterWhen => {
            let to = &machine.states[usize::from(way.to)];
            let failing = to.enter_when.as_ref().map(|when| failing(step, when));
            format!(
                "enter_when of `{}` or of what follows it fails: {}",
                to.name,
                failing.unwrap_or_default()
            )
        }
        Held::Conduit => format!(
            "no way out of the conduit `{}` is open",
            machine.states[usize::from(way.to)].name
        ),
    }
}

fn failing(step: &MachineStep<'_>, when: &crate::Expression) -> String {
    let graph = step.graph;
    let said = |index: u16| Said {
        name: &graph.parameters[usize::from(index)].name,
        value: in_words(step.parameters[usize::from(index)].value),
    };
    let value = |index: u16| number(step.parameters, index);
    when.why_not(&said, &value).join(" and ")
}

/// A value as people read it.
fn in_words(value: ParameterValue) -> String {
    match value {
        ParameterValue::Float(value) => format!("{value}"),
        ParameterValue::Int(value) => format!("{value}"),
        ParameterValue::Bool(value) => format!("{value}"),
        ParameterValue::Trigger(true) => "set".to_owned(),
        ParameterValue::Trigger(false) => "not set".to_owned(),
    }
}

impl Explanation {
    /// In words: where the machine is, and each way out with its verdict, a line each. `set_by` tells
    /// who set a parameter last, where that is known.
    pub fn in_words(&self, graph: &Graph, set_by: &dyn Fn(u16) -> Option<String>) -> String {
        let machine = &graph.machines[usize::from(self.machine)];
        let state = &machine.states[usize::from(self.state)];
        let layer = &graph.layers[usize::from(machine.layer)].name;
        let mut lines = vec![format!("layer `{layer}` is in `{}`", state.path)];
        if self.candidates.is_empty() {
            lines.push("no transition leads out of it".to_owned());
        }
        for candidate in &self.candidates {
            lines.push(candidate.in_words(graph, machine));
        }
        lines.extend(self.parameters_in_words(graph, machine, set_by));
        lines.join("\n")
    }

    /// In words, why the machine does not go to a state: only the ways that lead there.
    pub fn why_not(
        &self,
        graph: &Graph,
        state: u16,
        set_by: &dyn Fn(u16) -> Option<String>,
    ) -> String {
        let machine = &graph.machines[usize::from(self.machine)];
        let [from, to] = [self.state, state].map(|state| {
            machine
                .states
                .get(usize::from(state))
                .map_or("", |state| &state.path)
        });
        if self.state == state {
            return format!("`{to}` is the current state");
        }
        let leads = |way: &Transition| {
            let conduit = machine.states[usize::from(way.to)].conduit;
            way.to == state || conduit
        };
        let ways = self
            .candidates
            .iter()
            .filter(|candidate| leads(&machine.transitions[usize::from(candidate.transition)]));
        let mut lines: Vec<String> = ways
            .map(|candidate| candidate.in_words(graph, machine))
            .collect();
        if lines.is_empty() {
            return format!("no transition leads from `{from}` to `{to}`");
        }
        lines.insert(0, format!("from `{from}` to `{to}`:"));
        lines.extend(self.parameters_in_words(graph, machine, set_by));
        lines.join("\n")
    }

    /// Who set the parameters that the ways out look at.
    fn parameters_in_words(
        &self,
        graph: &Graph,
        machine: &Machine,
        set_by: &dyn Fn(u16) -> Option<String>,
    ) -> Vec<String> {
        let ways = self.candidates.iter();
        let ways = ways.map(|candidate| &machine.transitions[usize::from(candidate.transition)]);
        let mut known: Vec<u16> = ways
            .flat_map(|way| way.when.iter().flat_map(crate::Expression::parameters))
            .collect();
        known.sort_unstable();
        known.dedup();
        let name = |index: u16| &graph.parameters[usize::from(index)].name;
        known
            .into_iter()
            .filter_map(|index| {
                Some(format!(
                    "{} was set last by {}",
                    name(index),
                    set_by(index)?
                ))
            })
            .collect()
    }
}

impl Candidate {
    fn in_words(&self, graph: &Graph, machine: &Machine) -> String {
        let way = |index: u16| &machine.transitions[usize::from(index)].name;
        let name = way(self.transition);
        match &self.verdict {
            Verdict::Starts { to, triggers, .. } => {
                let to = &machine.states[usize::from(*to)].name;
                let used = triggers.iter().map(|&index| {
                    format!(", using `{}`", graph.parameters[usize::from(index)].name)
                });
                format!("{name}: starts, to `{to}`{}", used.collect::<String>())
            }
            Verdict::LostTo {
                transition: Some(other),
            } => format!("{name}: could start, but `{}` goes before it", way(*other)),
            Verdict::LostTo { transition: None } => {
                format!("{name}: could start, but a script plays a state")
            }
            Verdict::Held { why, .. } => format!("{name}: {why}"),
        }
    }
}
