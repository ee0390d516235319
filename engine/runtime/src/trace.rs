//! What every actor did in every step, as JSON lines, for tests and for people who search.
//!
//! A line a step and actor: `frame`, `time`, `actor`, `position`, `yaw` (degrees), `velocity`, `grounded`, `layers`,
//! `parameters`, `events`, `root`, and `joints` where some were asked for. Between them, lines with `sound`, `log` or
//! `console`, and those with `machine` and `set_by` that `verdicts` writes. Nothing is formatted while no trace
//! is written.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use glam::Vec3;
use serde::Serialize;
use sinew_anim::{EndReason, EventSource, Graph, GraphEvent, GraphEventKind, ParameterValue};
use sinew_assets::Diagnostic;
use sinew_script::LogLevel;
use sinew_world::{Actor, Animation, Sound, World};

use crate::{session::Session, verdicts::Verdicts};

/// A trace that is being written.
#[derive(Debug)]
pub struct Trace {
    out: BufWriter<File>,
    path: PathBuf,
    joints: Vec<String>,
    verdicts: Verdicts,
}

#[derive(Serialize)]
struct ActorLine<'a> {
    frame: u64,
    time: f64,
    actor: &'a str,
    position: Vec3,
    yaw: f32,
    velocity: Vec3,
    grounded: bool,
    #[serde(flatten)]
    animation: Option<AnimationPart<'a>>,
}

#[derive(Serialize)]
struct AnimationPart<'a> {
    layers: Vec<LayerPart<'a>>,
    parameters: BTreeMap<&'a str, ParameterPart>,
    events: Vec<EventPart<'a>>,
    root: RootPart,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    joints: BTreeMap<&'a str, Vec3>,
}

#[derive(Serialize)]
struct LayerPart<'a> {
    layer: &'a str,
    /// The innermost one, as a path.
    state: &'a str,
    time: f32,
    progress: f32,
    weight: f32,
    fading: bool,
    finished: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ParameterPart {
    Float(f32),
    Int(i32),
    Bool(bool),
}

#[derive(Serialize)]
struct EventPart<'a> {
    event: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    clip: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    other: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    progress: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<EndReason>,
    layer: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    slot: Option<&'a str>,
    weight: f32,
    alpha: f32,
}

#[derive(Serialize)]
struct RootPart {
    mode: &'static str,
    translation: Vec3,
    yaw: f32,
}

#[derive(Serialize)]
struct SoundLine<'a> {
    frame: u64,
    time: f64,
    sound: &'a str,
    at: Option<Vec3>,
    volume: f32,
    pitch: f32,
}

#[derive(Serialize)]
struct LogLine<'a> {
    frame: u64,
    time: f64,
    log: &'static str,
    actor: Option<&'a str>,
    text: &'a str,
}

#[derive(Serialize)]
struct ConsoleLine<'a> {
    frame: u64,
    time: f64,
    console: &'a Diagnostic,
}

impl Trace {
    /// Creates the file. `joints` are names of joints whose world positions are written for the actors that have them.
    ///
    /// # Errors
    /// The file cannot be made; no actor has such a joint.
    pub fn create(path: &Path, joints: &[String], world: &World) -> anyhow::Result<Self> {
        for joint in joints {
            check_joint(joint, world)?;
        }
        if let Some(folder) = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty())
        {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
        }
        let file = File::create(path)
            .with_context(|| format!("cannot write the trace `{}`", path.display()))?;
        Ok(Self {
            out: BufWriter::new(file),
            path: path.to_owned(),
            joints: joints.to_vec(),
            verdicts: Verdicts::default(),
        })
    }

    /// Writes the step that has just ended.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn step(&mut self, session: &mut Session) -> anyhow::Result<()> {
        self.write(session)
            .with_context(|| format!("cannot write the trace `{}`", self.path.display()))
    }

    /// Writes what is still held back.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.out
            .flush()
            .with_context(|| format!("cannot write the trace `{}`", self.path.display()))
    }

    fn write(&mut self, session: &mut Session) -> io::Result<()> {
        let (frame, time) = (session.world.clock.frame, session.world.clock.time);
        for actor in session.world.actors.iter() {
            write_line(
                &mut self.out,
                &actor_line(actor, &session.world, &self.joints),
            )?;
        }
        self.verdicts.write(session, &mut self.out)?;
        for sound in &session.world.debug.sounds {
            write_line(&mut self.out, &sound_line(sound, frame, time))?;
        }
        for line in session.log.drain(..) {
            let line = LogLine {
                frame,
                time,
                log: level_name(line.level),
                actor: line.actor.as_deref(),
                text: &line.text,
            };
            write_line(&mut self.out, &line)?;
        }
        for console in std::mem::take(&mut session.console.fresh) {
            let console = &console;
            write_line(
                &mut self.out,
                &ConsoleLine {
                    frame,
                    time,
                    console,
                },
            )?;
        }
        // A running session can be followed from outside.
        self.out.flush()
    }
}

pub(crate) fn write_line(out: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

fn check_joint(joint: &str, world: &World) -> anyhow::Result<()> {
    let animations = world
        .actors
        .iter()
        .filter_map(|actor| actor.animation.as_ref());
    let names: Vec<&str> = animations
        .flat_map(|animation| &animation.model.value.skeleton.names)
        .map(String::as_str)
        .collect();
    if names.contains(&joint) {
        return Ok(());
    }
    match sinew_anim::nearest(joint, names.into_iter()) {
        Some(near) => {
            anyhow::bail!("--trace-joints: no actor has a joint `{joint}`, did you mean `{near}`?")
        }
        None => anyhow::bail!("--trace-joints: no actor has a joint `{joint}`"),
    }
}

fn actor_line<'a>(actor: &'a Actor, world: &'a World, joints: &'a [String]) -> ActorLine<'a> {
    ActorLine {
        frame: world.clock.frame,
        time: world.clock.time,
        actor: &actor.name,
        position: actor.position_world,
        yaw: actor.yaw.to_degrees(),
        velocity: actor.velocity_world,
        grounded: actor.grounded,
        animation: actor.animation.as_ref().map(|animation| AnimationPart {
            layers: layers(animation),
            parameters: parameters(animation),
            events: events(actor, animation, world),
            root: RootPart {
                mode: animation.root_mode.name(),
                translation: animation.root.translation,
                yaw: animation.root.yaw.to_degrees(),
            },
            joints: joint_positions(actor, animation, joints),
        }),
    }
}

fn layers(animation: &Animation) -> Vec<LayerPart<'_>> {
    let graph = &animation.graph;
    let mut parts = Vec::with_capacity(graph.layers.len());
    for (index, layer) in (0..).zip(&graph.layers) {
        let status = animation.state.layer_status(graph, index);
        parts.push(LayerPart {
            layer: &layer.name,
            state: animation.state.current_path(graph, index).unwrap_or(""),
            time: status.time,
            progress: status.progress,
            weight: status.weight,
            fading: status.fading,
            finished: status.finished,
            previous: status
                .previous
                .and_then(|state| graph.states(index).get(usize::from(state)))
                .map(|state| state.name.as_str()),
        });
    }
    parts
}

fn parameters(animation: &Animation) -> BTreeMap<&str, ParameterPart> {
    let mut parts = BTreeMap::new();
    for (index, parameter) in (0..).zip(&animation.graph.parameters) {
        let value = match animation.state.value(index) {
            ParameterValue::Float(value) => ParameterPart::Float(value),
            ParameterValue::Int(value) => ParameterPart::Int(value),
            ParameterValue::Bool(value) | ParameterValue::Trigger(value) => {
                ParameterPart::Bool(value)
            }
        };
        parts.insert(parameter.name.as_str(), value);
    }
    parts
}

fn events<'a>(actor: &Actor, animation: &'a Animation, world: &World) -> Vec<EventPart<'a>> {
    let own = world.events.iter().filter(|event| event.actor == actor.id);
    own.map(|event| event_part(&animation.graph, &event.event))
        .collect()
}

fn event_part<'a>(graph: &'a Graph, event: &GraphEvent) -> EventPart<'a> {
    let layer = graph.layers.get(usize::from(event.layer));
    let in_slot = matches!(event.source, EventSource::Slot(_));
    let source = Some(graph.source_name(event.source));
    let mut part = EventPart {
        event: "",
        name: None,
        value: None,
        clip: None,
        other: None,
        progress: None,
        handle: None,
        reason: None,
        layer: layer.map_or("", |layer| &layer.name),
        state: source.filter(|_| !in_slot),
        slot: source.filter(|_| in_slot),
        weight: event.weight,
        alpha: event.alpha,
    };
    let name_of = |name: u16| graph.names.get(usize::from(name)).map(String::as_str);
    let clip_of = |clip: u16| {
        let clip = graph.clips.get(usize::from(clip))?;
        Some(clip.clip.name.as_str())
    };
    let sibling = |state: u16| match event.source {
        EventSource::State { machine, .. } => {
            Some(graph.source_name(EventSource::State { machine, state }))
        }
        EventSource::Slot(_) => None,
    };
    match event.kind {
        GraphEventKind::Marker {
            name, value, clip, ..
        } => {
            part.event = "marker";
            part.name = name_of(name);
            part.value = Some(value);
            part.clip = clip.and_then(clip_of);
        }
        GraphEventKind::WindowBegin { name, clip } => {
            part.event = "window_begin";
            (part.name, part.clip) = (name_of(name), clip_of(clip));
        }
        GraphEventKind::WindowTick {
            name,
            clip,
            progress,
        } => {
            part.event = "window_tick";
            (part.name, part.clip) = (name_of(name), clip_of(clip));
            part.progress = Some(progress);
        }
        GraphEventKind::WindowEnd { name, clip, reason } => {
            part.event = "window_end";
            (part.name, part.clip) = (name_of(name), clip_of(clip));
            part.reason = Some(reason);
        }
        GraphEventKind::SlotEnd {
            handle,
            clip,
            reason,
        } => {
            part.event = "slot_end";
            part.clip = clip_of(clip);
            (part.handle, part.reason) = (Some(handle), Some(reason));
        }
        GraphEventKind::StateEnter { previous } => {
            part.event = "enter";
            part.other = previous.and_then(sibling);
        }
        GraphEventKind::StateExit { following } => {
            part.event = "exit";
            part.other = following.and_then(sibling);
        }
        GraphEventKind::Finished => part.event = "finished",
        GraphEventKind::FullyIn => part.event = "fully_in",
    }
    part
}

fn joint_positions<'a>(
    actor: &Actor,
    animation: &Animation,
    joints: &'a [String],
) -> BTreeMap<&'a str, Vec3> {
    let skeleton = &animation.model.value.skeleton;
    let position = |name: &'a String| {
        let index = skeleton.names.iter().position(|joint| joint == name)?;
        let (position, _) = actor.joint_world(index as u16)?;
        Some((name.as_str(), position))
    };
    joints.iter().filter_map(position).collect()
}

fn sound_line(sound: &Sound, frame: u64, time: f64) -> SoundLine<'_> {
    SoundLine {
        frame,
        time,
        sound: &sound.name,
        at: sound.at_world,
        volume: sound.volume,
        pitch: sound.pitch,
    }
}

fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Info => "info",
        LogLevel::Warn => "warn",
        LogLevel::Error => "error",
    }
}
