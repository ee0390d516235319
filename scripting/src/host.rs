//! The host: mods, scripts, the instances of actors, and how one of their functions is called.

use std::{
    collections::BTreeSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

use sinew_assets::{Diagnostic, LogicalPath};
use sinew_world::{ActorId, Data, World};

use crate::{
    api::LogLine,
    budget::{self, Budget, Used},
    callbacks::Callback,
    language::{Failure, Language, Source, Summary},
    lua::LuaVm,
    problems::{Problem, Problems},
    properties::{self, Props},
    rhai::RhaiVm,
    stage::{Lent, SharedStage},
    value::Value,
};

/// Longer files are refused, in bytes.
pub const MAX_SOURCE_BYTES: usize = 256 * 1024;
/// A callback that fails so often in a row pauses until the next reload.
const STRIKES: u8 = 3;
/// A mod that goes over its budget in so many frames in a row is switched off.
const OVERRUNS: u8 = 3;

/// A language that scripts are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptLanguage {
    /// Luau, `.lua`.
    Lua,
    /// Rhai, `.rhai`.
    Rhai,
}

impl ScriptLanguage {
    /// The language of a file, by its ending.
    pub fn of(path: &LogicalPath) -> Option<Self> {
        match path.extension() {
            "lua" | "luau" => Some(Self::Lua),
            "rhai" => Some(Self::Rhai),
            _ => None,
        }
    }
}

/// The scripts of one level or mod: a VM a language, made when first needed.
pub(crate) struct Module {
    pub space: Arc<str>,
    pub vms: [Option<Box<dyn Language>>; 2],
    pub used: Used,
    pub over: bool,
    pub overruns: u8,
    /// Why it is off.
    pub disabled: bool,
}

/// One file.
pub(crate) struct Script {
    pub source: Source,
    pub module: usize,
    pub language: ScriptLanguage,
    /// What the version that runs declares; none while no good version was seen.
    pub summary: Option<Summary>,
}

/// One script of one actor.
pub(crate) struct Instance {
    pub script: usize,
    /// The language's number; none while the script is broken.
    pub number: Option<usize>,
    pub started: bool,
    /// The properties that it sees.
    pub props: Props,
    /// Functions that failed when they were last called, and how often in a row.
    pub strikes: Vec<(String, u8)>,
}

impl Instance {
    /// An instance that is not made yet.
    pub fn of(script: usize) -> Self {
        Self {
            script,
            number: None,
            started: false,
            props: Props::default(),
            strikes: Vec::new(),
        }
    }
}

/// All scripts of one actor.
pub(crate) struct ActorScripts {
    pub id: ActorId,
    pub instances: Vec<Instance>,
}

/// Where a script's function runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub actor: usize,
    pub order: usize,
}

/// Runs the scripts of a world. One host serves one world.
pub struct ScriptHost {
    pub(crate) stage: SharedStage,
    pub(crate) modules: Vec<Module>,
    pub(crate) scripts: Vec<Script>,
    /// By index of the actor.
    pub(crate) actors: Vec<Option<ActorScripts>>,
    pub(crate) problems: Problems,
    /// Buffers that are kept from frame to frame.
    pub(crate) ids: Vec<ActorId>,
    pub(crate) places: Vec<Place>,
    /// How the time of scripts is measured.
    pub budget: Budget,
}

impl Default for ScriptHost {
    fn default() -> Self {
        Self::new(Budget::default())
    }
}

impl ScriptHost {
    /// A host without scripts.
    pub fn new(budget: Budget) -> Self {
        Self {
            stage: SharedStage::default(),
            modules: Vec::new(),
            scripts: Vec::new(),
            actors: Vec::new(),
            problems: Problems::default(),
            ids: Vec::new(),
            places: Vec::new(),
            budget,
        }
    }

    /// Compiles the scripts of all actors of a level that has just started and gives each actor its graph.
    ///
    /// What is wrong is given back and also stands in [`Self::problems`]; the level runs all the same, the broken
    /// scripts' actors idle.
    pub fn load(&mut self, world: &mut World) -> Vec<Diagnostic> {
        let lent = Lent::new(&self.stage.clone(), world);
        let before = self.problems.list.len();
        self.follow_actors();
        drop(lent);
        self.problems.list[before..]
            .iter()
            .map(|problem| problem.diagnostic.clone())
            .collect()
    }

    /// The errors that stand, each once, in the order of their first coming.
    pub fn problems(&self) -> &[Problem] {
        &self.problems.list
    }

    /// Takes the lines that scripts wrote since the last time.
    pub fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.stage.lock().host.log)
    }

    /// The paths of all scripts and of the modules that they ask for, to be watched; each once, in order, also those that
    /// could not be read.
    pub fn files(&self) -> impl Iterator<Item = LogicalPath> {
        let mut files: BTreeSet<LogicalPath> = self
            .scripts
            .iter()
            .map(|script| script.source.path.clone())
            .collect();
        let vms = self.modules.iter().flat_map(|module| &module.vms);
        for vm in vms.flatten() {
            files.extend(vm.library().lock().files().cloned());
        }
        files.into_iter()
    }

    /// Sets a property of an actor as an inspector does; it is kept over a reload.
    ///
    /// # Errors
    /// An actor that is gone, a property that its scripts do not declare, a value of the wrong kind.
    pub fn set_property(
        &mut self,
        world: &mut World,
        actor: ActorId,
        name: &str,
        value: Data,
    ) -> Result<(), Box<Diagnostic>> {
        let refuse = |message: String, help: Option<String>| {
            Box::new(Diagnostic {
                help,
                ..Diagnostic::error("E-SCRIPT-PROPERTY", message)
            })
        };
        let declared = self.declared(actor);
        let property = declared.iter().find_map(|properties| properties.get(name));
        let Some(property) = property else {
            let fault = properties::unknown(name, declared.iter().copied());
            return Err(refuse(fault.message, fault.help));
        };
        let value = property
            .fit(name, &value)
            .map_err(|fault| refuse(fault.message, fault.help))?;
        let target = world
            .actors
            .need_mut(actor)
            .map_err(|error| refuse(error.to_string(), None))?;
        target.properties.insert(name.to_owned(), value);
        let _lent = Lent::new(&self.stage.clone(), world);
        self.refresh_props(actor);
        Ok(())
    }

    /// The properties that an actor's scripts declare, script by script.
    pub fn declared(&self, actor: ActorId) -> Vec<&properties::Properties> {
        let scripts = self
            .actors
            .get(actor.index as usize)
            .and_then(Option::as_ref)
            .filter(|scripts| scripts.id == actor);
        let instances = scripts.into_iter().flat_map(|scripts| &scripts.instances);
        instances
            .filter_map(|instance| self.scripts[instance.script].summary.as_ref())
            .map(|summary| &summary.properties)
            .collect()
    }

    /// The fields of an actor's script that are plain data.
    pub fn fields(&self, actor: ActorId, order: usize) -> std::collections::BTreeMap<String, Data> {
        let place = Place {
            actor: actor.index as usize,
            order,
        };
        self.at(place)
            .filter(|(scripts, _)| scripts.id == actor)
            .and_then(|(_, instance)| {
                let number = instance.number?;
                Some(self.vm(instance.script)?.fields(number))
            })
            .unwrap_or_default()
    }

    /// Runs a piece of code as if it stood in a callback of an actor's script, and gives its result: for consoles and tests.
    ///
    /// # Errors
    /// What is wrong with the code, or what stopped it.
    pub fn evaluate(
        &mut self,
        world: &mut World,
        actor: ActorId,
        order: usize,
        code: &str,
    ) -> Result<Data, Box<Diagnostic>> {
        let _lent = Lent::new(&self.stage.clone(), world);
        let place = Place {
            actor: actor.index as usize,
            order,
        };
        let outcome = self.guarded(place, |vm, number| vm.evaluate(number, code));
        outcome.unwrap_or_else(|| {
            Err(Box::new(Diagnostic::error(
                "E-SCRIPT-VM",
                "this actor runs no such script",
            )))
        })
    }

    pub(crate) fn at(&self, place: Place) -> Option<(&ActorScripts, &Instance)> {
        let scripts = self.actors.get(place.actor)?.as_ref()?;
        Some((scripts, scripts.instances.get(place.order)?))
    }

    fn at_mut(&mut self, place: Place) -> Option<&mut Instance> {
        self.actors
            .get_mut(place.actor)?
            .as_mut()?
            .instances
            .get_mut(place.order)
    }

    pub(crate) fn vm(&self, script: usize) -> Option<&dyn Language> {
        let script = &self.scripts[script];
        self.modules[script.module].vms[script.language as usize].as_deref()
    }

    /// Every place with a script, by actor and then in order.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut places = Vec::new();
        self.places_into(&mut places);
        places
    }

    /// As [`Self::places`], into a buffer.
    pub(crate) fn places_into(&self, places: &mut Vec<Place>) {
        places.clear();
        for (actor, scripts) in self.actors.iter().enumerate() {
            let count = scripts
                .as_ref()
                .map_or(0, |scripts| scripts.instances.len());
            places.extend((0..count).map(|order| Place { actor, order }));
        }
    }

    /// Calls a callback where the script has it and it is not paused.
    pub(crate) fn callback(&mut self, place: Place, callback: Callback, arguments: &[Value<'_>]) {
        let Some((_, instance)) = self.at(place) else {
            return;
        };
        let summary = self.scripts[instance.script].summary.as_ref();
        let Some(taken) = summary.and_then(|summary| summary.callbacks[callback as usize]) else {
            return;
        };
        let taken = usize::from(taken).min(arguments.len());
        self.run(place, callback.info().name, |vm, number| {
            vm.call(number, callback, &arguments[..taken])
        });
    }

    /// How many parameters a script's callback takes; none where it lacks it.
    pub(crate) fn takes(&self, place: Place, callback: Callback) -> Option<u8> {
        let (_, instance) = self.at(place)?;
        self.scripts[instance.script].summary.as_ref()?.callbacks[callback as usize]
    }

    /// Calls a function of a script by name, as timers do.
    pub(crate) fn named(&mut self, place: Place, name: &str) {
        let missing = self.run(place, name, |vm, number| vm.call_named(number, name));
        if let (Some(false), Some((_, instance))) = (missing, self.at(place)) {
            let script = instance.script;
            let shown = self.scripts[script].source.shown.clone();
            let message = format!("a timer calls `{name}`, but the script has no such function");
            self.fail(
                place,
                name,
                script,
                Box::new(Diagnostic::error("E-SCRIPT-TIMER", message).in_file(&shown)),
            );
        }
    }

    /// Runs a function of a script unless it is paused; a failure is reported and counted.
    pub(crate) fn run<R>(
        &mut self,
        place: Place,
        what: &str,
        work: impl FnOnce(&mut dyn Language, usize) -> Result<R, Failure>,
    ) -> Option<R> {
        let (_, instance) = self.at(place)?;
        let paused = |(name, strikes): &(String, u8)| name == what && *strikes >= STRIKES;
        if instance.strikes.iter().any(paused) {
            return None;
        }
        let script = instance.script;
        match self.guarded(place, work)? {
            Ok(result) => {
                if let Some(instance) = self
                    .at_mut(place)
                    .filter(|instance| !instance.strikes.is_empty())
                {
                    instance.strikes.retain(|(name, _)| name != what);
                }
                Some(result)
            }
            Err(failure) => {
                self.fail(place, what, script, failure);
                None
            }
        }
    }

    /// Runs work in a script's VM: with the caller known, within the mod's budget, and without letting a panic out.
    fn guarded<R>(
        &mut self,
        place: Place,
        work: impl FnOnce(&mut dyn Language, usize) -> Result<R, Failure>,
    ) -> Option<Result<R, Failure>> {
        let (scripts, instance) = self.at(place)?;
        let (id, script, number) = (scripts.id, instance.script, instance.number?);
        let Script {
            module, language, ..
        } = self.scripts[script];
        let budget = self.budget;
        let module = &mut self.modules[module];
        if module.disabled {
            return None;
        }
        let vm = module.vms[language as usize].as_deref_mut()?;
        self.stage
            .set_caller(&module.space, Some(id), place.order as u16);
        let (outcome, over) = budget::run(budget, &mut module.used, || {
            catch_unwind(AssertUnwindSafe(|| work(vm, number)))
        });
        module.over |= over;
        match outcome {
            Ok(outcome) => Some(outcome),
            Err(panic) => {
                self.modules[self.scripts[script].module].disabled = true;
                Some(Err(Box::new(self.panicked(script, &*panic))))
            }
        }
    }

    fn panicked(&self, script: usize, panic: &(dyn std::any::Any + Send)) -> Diagnostic {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        let space = &self.modules[self.scripts[script].module].space;
        let message = format!(
            "the engine failed while it ran a script of `{space}`: {}",
            crate::report::cut(&text)
        );
        Diagnostic::error("E-SCRIPT-PANIC", message)
            .help("this is a fault of Sinew, please report it; the scripts of this mod are off until the level starts again")
    }

    /// Reports a failure of a script's function and counts it.
    pub(crate) fn fail(&mut self, place: Place, what: &str, script: usize, mut failure: Failure) {
        let mut paused = false;
        if let Some(instance) = self.at_mut(place) {
            match instance.strikes.iter_mut().find(|(name, _)| name == what) {
                Some((_, strikes)) => {
                    *strikes = strikes.saturating_add(1);
                    paused = *strikes >= STRIKES;
                }
                None => instance.strikes.push((what.to_owned(), 1)),
            }
        }
        if paused && failure.code == "E-SCRIPT-BUDGET" {
            // The culprit is off now, so the mod gets another chance.
            let module = self.scripts[script].module;
            self.modules[module].overruns = 0;
            self.modules[module].over = false;
        }
        let space = self.modules[self.scripts[script].module].space.clone();
        let id = self
            .actors
            .get(place.actor)
            .and_then(Option::as_ref)
            .map(|scripts| scripts.id);
        let stage = self.stage.lock();
        let actor = id
            .and_then(|id| stage.world.actors.get(id))
            .map(|actor| actor.name.to_string());
        let frame = stage.world.clock.frame;
        drop(stage);
        let whose = actor
            .as_ref()
            .map_or_else(String::new, |name| format!("actor `{name}`, "));
        failure
            .notes
            .insert(0, format!("{whose}mod `{space}`, `{what}`, frame {frame}"));
        failure.actor = actor;
        self.tell(Some(script), *failure, paused);
    }

    /// Adds an error to those that stand; a new one also to the world's remarks.
    pub(crate) fn tell(&mut self, script: Option<usize>, diagnostic: Diagnostic, paused: bool) {
        if let Some(new) = self.problems.add(script, diagnostic, paused) {
            self.stage.lock().world.remarks.push(new);
        }
    }

    /// Begins a frame of budgets, and switches mods off that went over too often.
    pub(crate) fn begin_budgets(&mut self) {
        let mut off = Vec::new();
        for module in &mut self.modules {
            module.overruns = if module.over { module.overruns + 1 } else { 0 };
            module.used = Used::default();
            module.over = false;
            if module.overruns >= OVERRUNS && !module.disabled {
                module.disabled = true;
                off.push(module.space.clone());
            }
        }
        for space in off {
            let message = format!(
                "the scripts of `{space}` took too long in {OVERRUNS} frames in a row and are off"
            );
            let help = "they run again when the level is started again or one of them is saved";
            self.tell(
                None,
                Diagnostic::error("E-SCRIPT-DISABLED", message).help(help),
                true,
            );
        }
    }
}

/// A VM for scripts of a language.
pub(crate) fn new_vm(
    language: ScriptLanguage,
    stage: &SharedStage,
) -> Result<Box<dyn Language>, Failure> {
    Ok(match language {
        ScriptLanguage::Lua => Box::new(LuaVm::new(stage.clone())?),
        ScriptLanguage::Rhai => Box::new(RhaiVm::new(stage.clone())),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, reason = "these tests are about panics")]

    use sinew_assets::{Assets, PROJECT_SPACE};
    use sinew_world::{Jobs, Spawn};

    use super::*;

    /// A world with one actor and one script.
    fn small() -> (World, ScriptHost, ActorId) {
        let path = LogicalPath {
            space: PROJECT_SPACE.to_owned(),
            path: "a.lua".to_owned(),
        };
        let mut assets = Assets::new(std::path::Path::new("."));
        assets.insert(
            &path,
            b"local s = {} function s:on_update() self.n = (self.n or 0) + 1 end return s".to_vec(),
        );
        let mut world = World::new(assets, Jobs::serial(), 1);
        let spawn = Spawn {
            name: "a".to_owned(),
            scripts: vec![path],
            ..Spawn::default()
        };
        let id = world.spawn(spawn).expect("a free name");
        let mut host = ScriptHost::default();
        assert_eq!(host.load(&mut world), Vec::new());
        (world, host, id)
    }

    #[test]
    fn a_panic_of_the_engine_switches_the_mod_off_and_the_world_comes_back() {
        let (mut world, mut host, id) = small();
        {
            let _lent = Lent::new(&host.stage.clone(), &mut world);
            let place = Place {
                actor: id.index as usize,
                order: 0,
            };
            let fault = |_: &mut dyn Language, _: usize| -> Result<(), Failure> {
                std::panic::panic_any("a fault".to_owned())
            };
            assert_eq!(host.run(place, "on_update", fault), None);
        }
        assert!(world.actors.find("a").is_some(), "the world is back");
        assert_eq!(host.problems().len(), 1);
        assert_eq!(host.problems()[0].diagnostic.code, "E-SCRIPT-PANIC");
        for _ in 0..5 {
            sinew_world::step(&mut world, &mut host, &Default::default(), 0.1);
        }
        assert_eq!(host.fields(id, 0).get("n"), None, "its scripts are off");
    }

    #[test]
    fn a_world_is_taken_off_the_stage_again_whatever_happens() {
        let (mut world, mut host, _) = small();
        let stage = host.stage.clone();
        let escaped = catch_unwind(AssertUnwindSafe(|| {
            let _lent = Lent::new(&stage, &mut world);
            std::panic::panic_any("a fault of the host");
        }));
        assert!(escaped.is_err());
        assert!(world.actors.find("a").is_some());
        sinew_world::step(&mut world, &mut host, &Default::default(), 0.1);
        assert!(host.problems().is_empty());
    }
}
