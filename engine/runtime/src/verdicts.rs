//! Why graphs did what they did, in a trace: every way out of every current state, and who set parameters.
//!
//! A line a machine with transitions in which something changed: `frame`, `time`, `actor`, `layer`, `machine` (the path of the state that
//! it stands in, where it stands in one), `state`, and `ways`, the transitions out of it in the order of testing: `name`,
//! `verdict` ("starts", "lost", "held"), `to`, `at` (share of the step) and `uses` (triggers that it uses up) of one that
//! starts, `lost_to`, and for a held one `by` ("condition", "gate", "fade", ...) and `why` in words. Steps in which neither
//! the state nor a verdict is another one have no line; numbers in `why` do not count.
//!
//! A line `frame`, `time`, `actor`, `set_by` tells who set parameters last, where that has changed: a script's
//! `file:line`, or the engine.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use serde::Serialize;
use sinew_anim::{Candidate, Explanation, Graph, Verdict};
use sinew_world::{Actor, ActorId};

use crate::{session::Session, trace::write_line};

/// What was written last, to write changes only.
#[derive(Debug, Default)]
pub(crate) struct Verdicts {
    machines: BTreeMap<(ActorId, u16), Vec<(u16, String)>>,
    set_by: BTreeMap<(ActorId, u16), String>,
}

#[derive(Serialize)]
struct MachineLine<'a> {
    frame: u64,
    time: f64,
    actor: &'a str,
    layer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    machine: Option<&'a str>,
    state: &'a str,
    ways: Vec<WayPart<'a>>,
}

#[derive(Serialize)]
struct WayPart<'a> {
    name: &'a str,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<f32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uses: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct SetLine<'a> {
    frame: u64,
    time: f64,
    actor: &'a str,
    set_by: BTreeMap<&'a str, &'a str>,
}

/// Lets the world and its scripts keep what a trace writes, from the next step on.
pub(crate) fn ask(session: &mut Session) {
    session.world.explain = true;
    session.host.note_setters();
}

impl Verdicts {
    /// Writes what has changed in the step that has just ended.
    pub(crate) fn write(&mut self, session: &Session, out: &mut impl Write) -> io::Result<()> {
        for actor in session.world.actors.iter() {
            self.write_machines(session, actor, out)?;
            self.write_setters(session, actor, out)?;
        }
        Ok(())
    }

    fn write_machines(
        &mut self,
        session: &Session,
        actor: &Actor,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(animation) = &actor.animation else {
            return Ok(());
        };
        let clock = session.world.clock;
        for explained in &animation.explained {
            let machine = &animation.graph.machines[usize::from(explained.machine)];
            if machine.transitions.is_empty() {
                continue;
            }
            let kinds = kinds(explained);
            let known = self.machines.get(&(actor.id, explained.machine));
            if known == Some(&kinds) {
                continue;
            }
            let (layer, machine, state) = place(&animation.graph, explained);
            let line = MachineLine {
                frame: clock.frame,
                time: clock.time,
                actor: &actor.name,
                layer,
                machine,
                state,
                ways: ways(&animation.graph, explained),
            };
            write_line(out, &line)?;
            self.machines.insert((actor.id, explained.machine), kinds);
        }
        Ok(())
    }

    fn write_setters(
        &mut self,
        session: &Session,
        actor: &Actor,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let Some(animation) = &actor.animation else {
            return Ok(());
        };
        let mut changed = Vec::new();
        for (index, parameter) in (0..).zip(&animation.graph.parameters) {
            let Some(who) = session.host.set_by(&session.world, actor.id, index) else {
                continue;
            };
            if self.set_by.get(&(actor.id, index)) != Some(&who) {
                self.set_by.insert((actor.id, index), who.clone());
                changed.push((parameter.name.as_str(), who));
            }
        }
        if changed.is_empty() {
            return Ok(());
        }
        let clock = session.world.clock;
        let set_by = changed.iter().map(|(name, who)| (*name, who.as_str()));
        let line = SetLine {
            frame: clock.frame,
            time: clock.time,
            actor: &actor.name,
            set_by: set_by.collect(),
        };
        write_line(out, &line)
    }
}

/// What has to differ for a line: the state, and the kind of each verdict.
fn kinds(explained: &Explanation) -> Vec<(u16, String)> {
    let ways = explained.candidates.iter();
    let kind = |way: &Candidate| match &way.verdict {
        Verdict::Starts { to, .. } => format!("starts {to}"),
        Verdict::LostTo { transition } => format!("lost {transition:?}"),
        Verdict::Held { by, .. } => format!("{by:?}"),
    };
    let ways = ways.map(|way| (way.transition, kind(way)));
    let state = (u16::MAX, explained.state.to_string());
    std::iter::once(state).chain(ways).collect()
}

fn place<'g>(graph: &'g Graph, explained: &Explanation) -> (&'g str, Option<&'g str>, &'g str) {
    let machine = &graph.machines[usize::from(explained.machine)];
    let around = machine.parent.map(|[around, state]| {
        let states = &graph.machines[usize::from(around)].states;
        states[usize::from(state)].path.as_str()
    });
    let layer = &graph.layers[usize::from(machine.layer)].name;
    let state = &machine.states[usize::from(explained.state)].path;
    (layer, around, state)
}

fn ways<'a>(graph: &'a Graph, explained: &'a Explanation) -> Vec<WayPart<'a>> {
    let machine = &graph.machines[usize::from(explained.machine)];
    let name = |way: u16| machine.transitions[usize::from(way)].name.as_str();
    let part = |way: &'a Candidate| {
        let mut part = WayPart {
            name: name(way.transition),
            verdict: "held",
            to: None,
            at: None,
            uses: Vec::new(),
            lost_to: None,
            by: None,
            why: None,
        };
        match &way.verdict {
            Verdict::Starts {
                to,
                share,
                triggers,
            } => {
                let trigger = |&index: &u16| graph.parameters[usize::from(index)].name.as_str();
                part.verdict = "starts";
                part.to = Some(&machine.states[usize::from(*to)].path);
                part.at = Some(*share);
                part.uses = triggers.iter().map(trigger).collect();
            }
            Verdict::LostTo { transition } => {
                part.verdict = "lost";
                part.lost_to = Some(transition.map_or("play", name));
            }
            Verdict::Held { by, why } => {
                part.by = Some(snake_case(&format!("{by:?}")));
                part.why = Some(why);
            }
        }
        part
    };
    explained.candidates.iter().map(part).collect()
}

/// `EnterWhen` as `enter_when`.
fn snake_case(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}
