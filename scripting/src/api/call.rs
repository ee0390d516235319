//! What an API function may touch, and how it refuses.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use sinew_anim::{Graph, nearest};
use sinew_assets::{Diagnostic, LogicalPath};
use sinew_world::{Actor, ActorId, Animation, World, WorldError};

use crate::budget;

/// What an error costs, in steps of the budget.
const ERROR_STEPS: u64 = 400;

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The mod whose script runs; paths without a prefix are its own.
    pub space: Arc<str>,
    /// The actor that the script acts for; none while a file loads.
    pub actor: Option<ActorId>,
    /// Which of the actor's scripts.
    pub script: u16,
    /// The coroutine that runs, if one does.
    pub task: Option<u64>,
}

impl Default for Caller {
    fn default() -> Self {
        Self {
            space: Arc::from(""),
            actor: None,
            script: 0,
            task: None,
        }
    }
}

/// What a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// For whoever is curious.
    Info,
    /// Something is odd.
    Warn,
    /// Something is wrong.
    Error,
}

/// A line that a script wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogLine {
    /// What it is.
    pub level: LogLevel,
    /// Name of the actor whose script wrote it.
    pub actor: Option<String>,
    /// The line.
    pub text: String,
}

/// Something that a coroutine asked an actor for, to be let go when the coroutine is cancelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// The coroutine.
    pub task: u64,
    /// Of whom.
    pub actor: ActorId,
    /// For what.
    pub asked: Asked,
    /// How long letting go takes.
    pub seconds: f32,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Asked {
    /// A chain, by name, to reach.
    Chain(String),
    /// To look at something.
    Look,
    /// A layer, by name, to change its weight from this one.
    Layer(String, f32),
}

impl Asked {
    fn same_thing(&self, other: &Asked) -> bool {
        match (self, other) {
            (Asked::Chain(a), Asked::Chain(b)) | (Asked::Layer(a, _), Asked::Layer(b, _)) => a == b,
            (Asked::Look, Asked::Look) => true,
            _ => false,
        }
    }
}

/// What scripts change outside of the world.
#[derive(Debug, Default)]
pub struct Host {
    /// Who calls.
    pub caller: Caller,
    /// True while a file's top level runs: nothing may change the world then.
    pub loading: bool,
    /// Lines since somebody last took them.
    pub log: Vec<LogLine>,
    /// What running coroutines asked for.
    pub asks: Vec<Ask>,
    /// What `parameter_id` gave.
    pub parameter_ids: ParameterIds,
    /// Coroutines started so far.
    pub tasks_started: u64,
    /// Somebody wants to know who sets parameters; until then nobody looks.
    pub tracing: bool,
    /// Where the running call stands in a script, while `tracing`.
    pub place: Option<String>,
    /// Who set a parameter last: an actor, the parameter's name, the place.
    pub set_by: BTreeMap<(ActorId, String), String>,
}

/// The most log lines that are kept until somebody takes them.
const MOST_LINES: usize = 1000;

impl Host {
    /// A number for a new coroutine; they are in the order of starting, over all mods.
    pub fn new_task(&mut self) -> u64 {
        self.tasks_started += 1;
        self.tasks_started
    }

    /// Paths without a prefix are of this mod from now on; gives the one before.
    pub fn enter(&mut self, space: &str) -> Arc<str> {
        std::mem::replace(&mut self.caller.space, Arc::from(space))
    }

    /// Adds a line; the oldest goes where nobody takes them.
    pub fn write(&mut self, line: LogLine) {
        if self.log.len() >= MOST_LINES {
            self.log.remove(0);
        }
        self.log.push(line);
    }
}

/// Ids of the names of parameters, the same for all graphs, so that no reload makes one point elsewhere.
#[derive(Debug, Default)]
pub struct ParameterIds {
    /// By id.
    pub names: Vec<String>,
    /// Where each was found last: mostly, graphs of one kind are asked again and again.
    places: Vec<u16>,
}

impl ParameterIds {
    /// The id of a name, a new one where it has none.
    pub fn of(&mut self, name: &str) -> i64 {
        let known = self.names.iter().position(|known| known == name);
        let id = known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        id as i64
    }

    /// The place of an id's parameter in a graph, or its name where the graph lacks it; none for an id that nothing has.
    pub fn find(&mut self, id: i64, graph: &Graph) -> Option<Result<u16, &str>> {
        let id = usize::try_from(id).ok()?;
        let name = self.names.get(id)?;
        self.places.resize(self.names.len(), 0);
        let place = &mut self.places[id];
        let there = graph.parameters.get(usize::from(*place));
        if there.is_some_and(|parameter| parameter.name == *name) {
            return Some(Ok(*place));
        }
        Some(match graph.parameter(name) {
            Some(found) => {
                *place = found;
                Ok(found)
            }
            None => Err(name),
        })
    }
}

/// One call from a script.
pub struct Call<'a> {
    /// The running level.
    pub world: &'a mut World,
    /// Everything else.
    pub host: &'a mut Host,
}

/// Why a call was refused. The words are the same in both languages. Boxed, so that results stay small.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ApiError(Box<Refusal>);

/// What an [`ApiError`] says.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Refusal {
    /// Stable, such as `E-SCRIPT-ARGUMENT`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
    /// The word of the script's line that the error is about.
    pub token: Option<String>,
    /// The value that was given, as a script writes it, where it stands in the line.
    pub value: Option<String>,
    /// What to write in place of `token`.
    pub replacement: Option<String>,
    /// Where in a document, for graphs.
    pub pointer: Option<String>,
    /// The word may stand in any line after the one that failed.
    pub anywhere: bool,
}

impl std::ops::Deref for ApiError {
    type Target = Refusal;

    fn deref(&self) -> &Refusal {
        &self.0
    }
}

impl std::ops::DerefMut for ApiError {
    fn deref_mut(&mut self) -> &mut Refusal {
        &mut self.0
    }
}

impl ApiError {
    /// An error without help.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        // Its words, its place and the stack are gathered even where the script swallows it.
        budget::charge(ERROR_STEPS);
        Self(Box::new(Refusal {
            code: code.into(),
            message: message.into(),
            ..Refusal::default()
        }))
    }

    /// A value that is refused for what it is.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new("E-SCRIPT-VALUE", message)
    }

    /// Sets the word of the line that it is about.
    #[must_use]
    pub fn about(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Says that the word may stand in any line after the one that failed.
    #[must_use]
    pub fn anywhere(mut self) -> Self {
        self.anywhere = true;
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Suggests a name in place of the one that it is about.
    #[must_use]
    pub fn nearest(mut self, name: &str) -> Self {
        self.help = Some(format!("did you mean `{name}`?"));
        self.replacement = Some(name.to_owned());
        self
    }

    /// A name that something does not have.
    pub fn unknown<'n>(
        owner: &str,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n str>,
    ) -> Self {
        let known: Vec<&str> = known.collect();
        let error = Self::new(
            "E-SCRIPT-UNKNOWN",
            format!("{owner} has no {what} `{name}`"),
        )
        .about(name);
        match nearest(name, known.iter().copied()) {
            Some(near) => error.nearest(near),
            None if known.is_empty() => error,
            None => error.help(format!("it has {}", listed(&known))),
        }
    }

    /// The error for a value in a parameter that is no plain data.
    #[must_use]
    pub fn within(mut self, parameter: &str) -> Self {
        self.message = format!("`{parameter}` must be plain data, but {}", self.message);
        self.about(parameter)
    }

    /// A file or a graph that could not be used.
    pub fn from_diagnostic(fault: Diagnostic) -> Self {
        let mut error = Self::new(fault.code, fault.message);
        error.help = fault.help;
        error.pointer = fault.pointer;
        error
    }
}

fn listed(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{name}`"))
        .collect();
    let more = if names.len() > MOST { ", ..." } else { "" };
    format!("{}{more}", shown.join(", "))
}

impl From<WorldError> for ApiError {
    fn from(error: WorldError) -> Self {
        let message = error.to_string();
        match error {
            WorldError::Destroyed { .. } | WorldError::NoActor => {
                Self::new("E-SCRIPT-DEAD-ACTOR", message)
            }
            WorldError::NameTaken(name) => Self::new("E-SCRIPT-NAME-TAKEN", message).about(&name),
            WorldError::NoModel(_) => Self::new("E-SCRIPT-NO-MODEL", message),
            WorldError::Unknown {
                owner,
                what,
                name,
                nearest,
            } => {
                let error = Self::new(
                    "E-SCRIPT-UNKNOWN",
                    format!("{owner} has no {what} `{name}`"),
                )
                .about(&name);
                match nearest {
                    Some(near) => error.nearest(&near),
                    None => error,
                }
            }
            WorldError::Invalid(_) => Self::invalid(message),
            WorldError::Asset(fault) => Self::from_diagnostic(*fault),
        }
    }
}

impl Call<'_> {
    /// The actor that the running script acts for.
    ///
    /// # Errors
    /// While a file loads there is none.
    pub fn this(&self) -> Result<ActorId, ApiError> {
        self.host.caller.actor.ok_or_else(|| {
            ApiError::new(
                "E-SCRIPT-LOADING",
                "this works only inside functions, while the level runs",
            )
        })
    }

    /// An actor to read.
    ///
    /// # Errors
    /// One that is gone.
    pub fn actor(&self, id: ActorId) -> Result<&Actor, ApiError> {
        Ok(self.world.actors.need(id)?)
    }

    /// An actor to change.
    ///
    /// # Errors
    /// One that is gone.
    pub fn actor_mut(&mut self, id: ActorId) -> Result<&mut Actor, ApiError> {
        Ok(self.world.actors.need_mut(id)?)
    }

    /// The moving part of an actor.
    ///
    /// # Errors
    /// An actor that is gone or has no model.
    pub fn animation(&self, id: ActorId) -> Result<&Animation, ApiError> {
        Ok(self.world.need_animation(id)?)
    }

    /// The moving part of an actor, to change it.
    ///
    /// # Errors
    /// An actor that is gone or has no model.
    pub fn animation_mut(&mut self, id: ActorId) -> Result<&mut Animation, ApiError> {
        Ok(self.world.need_animation_mut(id)?)
    }

    /// The name of an actor, for messages.
    pub fn name_of(&self, id: ActorId) -> String {
        self.world
            .actors
            .get(id)
            .map_or_else(|| "?".to_owned(), |actor| actor.name.to_string())
    }

    /// A layer of an actor's graph; the base layer where none is named.
    ///
    /// # Errors
    /// An unknown name, or a graph without layers.
    pub fn layer(&self, id: ActorId, name: Option<&str>) -> Result<u16, ApiError> {
        let graph = &self.animation(id)?.graph;
        let found = match name {
            Some(name) => graph.layer(name),
            None => (!graph.layers.is_empty()).then_some(0),
        };
        found.ok_or_else(|| match name {
            Some(name) => self.graph_lacks(
                id,
                graph,
                "layer",
                name,
                graph.layers.iter().map(|layer| &layer.name),
            ),
            None => ApiError::invalid(format!("`{}` plays no graph", self.name_of(id)))
                .help("give its script a `graph`, or use `play_clip`"),
        })
    }

    /// The error for a name that an actor's graph lacks.
    pub fn graph_lacks<'n>(
        &self,
        id: ActorId,
        _graph: &Graph,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'n String>,
    ) -> ApiError {
        let owner = format!("the graph of `{}`", self.name_of(id));
        ApiError::unknown(&owner, what, name, known.map(String::as_str))
    }

    /// A path that a script wrote; without a prefix it is in the script's own mod.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn path(&self, text: &str) -> Result<LogicalPath, ApiError> {
        LogicalPath::parse(text, &self.host.caller.space).map_err(|error| {
            ApiError::from_diagnostic(Diagnostic::from_path(&error, text)).about(text)
        })
    }

    /// Notes what the running coroutine asks for; the first note of a thing knows how it was before.
    pub fn note(&mut self, actor: ActorId, asked: Asked, seconds: f32) {
        let Some(task) = self.host.caller.task else {
            return;
        };
        let known = self
            .host
            .asks
            .iter_mut()
            .find(|ask| ask.task == task && ask.actor == actor && ask.asked.same_thing(&asked));
        match known {
            Some(ask) => ask.seconds = seconds,
            None => self.host.asks.push(Ask {
                task,
                actor,
                asked,
                seconds,
            }),
        }
    }

    /// Notes who sets a parameter, where somebody wants to know.
    pub fn note_parameter(&mut self, actor: ActorId, name: &str) {
        if let Some(place) = &self.host.place {
            let place = place.clone();
            self.host.set_by.insert((actor, name.to_owned()), place);
        }
    }

    /// Forgets what was asked for, whoever asked: it was let go.
    pub fn forget(&mut self, actor: ActorId, asked: &Asked) {
        self.host
            .asks
            .retain(|ask| ask.actor != actor || !ask.asked.same_thing(asked));
    }
}

/// Lets go what a cancelled coroutine had asked for.
pub(crate) fn release(world: &mut World, ask: &Ask) {
    let Ok(animation) = world.need_animation_mut(ask.actor) else {
        return;
    };
    match &ask.asked {
        Asked::Chain(name) => {
            let index = animation.graph.chain(name).map(usize::from);
            if let Some(chain) = index.and_then(|index| animation.chains.get_mut(index)) {
                chain.target = None;
                chain.weight.to(0.0, ask.seconds);
            }
        }
        Asked::Look => {
            animation.look.target = None;
            animation.look.weight.to(0.0, ask.seconds);
        }
        Asked::Layer(name, before) => {
            if let Some(layer) = animation.graph.layer(name) {
                animation
                    .state
                    .set_layer_weight(layer, *before, ask.seconds);
            }
        }
    }
}
