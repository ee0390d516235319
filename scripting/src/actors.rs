//! Files and instances: which scripts are loaded, and what each actor runs.

use std::{panic::AssertUnwindSafe, sync::Arc};

use sinew_assets::{Diagnostic, LogicalPath};
use sinew_world::{Actor, ActorId};

use crate::{
    budget::{self, Budget, Used},
    host::{
        ActorScripts, Instance, MAX_SOURCE_BYTES, Module, Place, Script, ScriptHost,
        ScriptLanguage, new_vm,
    },
    language::{Failure, Language, Source, Summary},
    properties::{self, Props},
    report::find_word,
};

impl ScriptHost {
    /// Makes instances for actors that are new, and drops those of actors that are gone. The world is on the stage.
    pub(crate) fn follow_actors(&mut self) {
        let mut ids = std::mem::take(&mut self.ids);
        self.stage.lock().world.actors.ids_into(&mut ids);
        while let Some(index) = self.first_known(|actor| actor.is_none()) {
            self.drop_actor(index);
        }
        for &id in &ids {
            let known = self
                .actors
                .get(id.index as usize)
                .and_then(Option::as_ref)
                .map(|scripts| scripts.id);
            if known != Some(id) {
                self.add_actor(id);
            }
        }
        self.ids = ids;
    }

    /// The first actor with scripts that is as asked; none for one that the world has not any more.
    pub(crate) fn first_known(&self, asked: impl Fn(Option<&Actor>) -> bool) -> Option<usize> {
        let world = &self.stage.lock().world;
        let scripts = |scripts: &Option<ActorScripts>| {
            let scripts = scripts.as_ref()?;
            Some(asked(world.actors.get(scripts.id)))
        };
        self.actors
            .iter()
            .position(|actor| scripts(actor) == Some(true))
    }

    fn add_actor(&mut self, id: ActorId) {
        let index = id.index as usize;
        if self.actors.len() <= index {
            self.actors.resize_with(index + 1, || None);
        }
        let paths = self
            .stage
            .lock()
            .world
            .actors
            .get(id)
            .map(|actor| actor.scripts.clone())
            .unwrap_or_default();
        let mut instances = Vec::new();
        for path in paths {
            match self.ensure_loaded(&path) {
                Ok(script) => instances.push(Instance::of(script)),
                Err(fault) => match self.absent(&path, &fault) {
                    Some(script) => {
                        self.tell(Some(script), *fault, false);
                        instances.push(Instance::of(script));
                    }
                    None => self.tell(None, *fault, false),
                },
            }
        }
        self.actors[index] = Some(ActorScripts { id, instances });
        for order in 0..self.actors[index]
            .as_ref()
            .map_or(0, |scripts| scripts.instances.len())
        {
            self.instantiate(Place {
                actor: index,
                order,
            });
        }
        self.check_properties(id);
    }

    /// Makes the instance of a place whose script has a good version, and sets the script's graph.
    pub(crate) fn instantiate(&mut self, place: Place) {
        if let Some((id, script, summary)) = self.make_instance(place) {
            self.give_graph(id, script, &summary);
        }
    }

    /// Makes the instance of a place whose script has a good version.
    pub(crate) fn make_instance(&mut self, place: Place) -> Option<(ActorId, usize, Summary)> {
        let (scripts, instance) = self.at(place)?;
        let (id, script) = (scripts.id, instance.script);
        let summary = self.scripts[script].summary.clone()?;
        let props = match self.props_of(id, &summary) {
            Ok(props) => props,
            Err(fault) => {
                let fault = self.level_fault(id, fault);
                self.tell(Some(script), fault, false);
                // The script's own values, so that the actor is not left without a mind.
                properties::resolve(&summary.properties, &Default::default()).unwrap_or_default()
            }
        };
        let Script {
            module, language, ..
        } = self.scripts[script];
        let vm = self.modules[module].vms[language as usize].as_deref_mut();
        match vm.map(|vm| vm.create(script, id, &props)) {
            Some(Ok(number)) => {
                if let Some(instance) = self.actors[place.actor]
                    .as_mut()
                    .and_then(|scripts| scripts.instances.get_mut(place.order))
                {
                    instance.number = Some(number);
                    instance.props = props;
                }
                Some((id, script, summary))
            }
            Some(Err(failure)) => {
                self.tell(Some(script), *failure, false);
                None
            }
            None => None,
        }
    }

    fn give_graph(&mut self, id: ActorId, script: usize, summary: &Summary) {
        let Some(graph) = &summary.graph else {
            return;
        };
        let outcome = self.stage.lock().world.set_motion(id, graph.motion());
        if let Err(error) = outcome {
            let fault = match error {
                sinew_world::WorldError::Asset(fault) => *fault,
                other => Diagnostic::error("E-SCRIPT-GRAPH", other.to_string()),
            };
            let fault = self.graph_fault(id, script, graph.line, fault);
            self.tell(Some(script), fault, false);
        }
    }

    /// A graph's fault at its place in the script that wrote the graph.
    pub(crate) fn graph_fault(
        &self,
        id: ActorId,
        script: usize,
        line: u32,
        fault: Diagnostic,
    ) -> Diagnostic {
        let script = &self.scripts[script];
        let first = usize::from(script.language == ScriptLanguage::Lua);
        let name = self
            .stage
            .lock()
            .world
            .actors
            .get(id)
            .map(|actor| actor.name.to_string());
        graph_fault(&script.source, first, line, name, fault)
    }

    /// The number of a script, read and compiled where it is new.
    pub(crate) fn ensure_loaded(&mut self, path: &LogicalPath) -> Result<usize, Failure> {
        if let Some(known) = self
            .scripts
            .iter()
            .position(|script| script.source.path == *path)
        {
            return Ok(known);
        }
        let language = ScriptLanguage::of(path).ok_or_else(|| {
            let message =
                format!("`{path}` is no script: its name ends neither in `.lua` nor in `.rhai`");
            Box::new(Diagnostic::error("E-SCRIPT-ENDING", message))
        })?;
        let (text, shown) = {
            let stage = &mut self.stage.lock().world;
            (stage.assets.text(path)?.value, stage.assets.display(path))
        };
        let source = Source {
            path: path.clone(),
            shown,
            text,
        };
        check_size(&source)?;
        self.check_twin(path)?;
        let module = self.module(&path.space);
        self.ensure_vm(module, language)?;
        let slot = self.scripts.len();
        self.scripts.push(Script {
            source: source.clone(),
            module,
            language,
            summary: None,
        });
        match self.prepare(slot, &source) {
            Ok(summary) => {
                self.commit(module, language);
                self.scripts[slot].summary = Some(summary);
            }
            Err(failure) => {
                if let Some(vm) = self.vm_mut(module, language) {
                    vm.discard();
                }
                self.tell(Some(slot), *failure, false);
            }
        }
        Ok(slot)
    }

    /// The number of a script that cannot be read now; it begins once its file is there.
    fn absent(&mut self, path: &LogicalPath, fault: &Diagnostic) -> Option<usize> {
        let language = ScriptLanguage::of(path)?;
        if fault.code == "E-SCRIPT-TWICE" {
            return None;
        }
        let module = self.module(&path.space);
        self.ensure_vm(module, language).ok()?;
        let shown = self.stage.lock().world.assets.display(path);
        self.scripts.push(Script {
            source: Source {
                path: path.clone(),
                shown,
                text: Arc::from(""),
            },
            module,
            language,
            summary: None,
        });
        Some(self.scripts.len() - 1)
    }

    pub(crate) fn vm_mut(
        &mut self,
        module: usize,
        language: ScriptLanguage,
    ) -> Option<&mut Box<dyn Language>> {
        self.modules[module].vms[language as usize].as_mut()
    }

    /// The same name in both languages would be two scripts that look like one.
    fn check_twin(&self, path: &LogicalPath) -> Result<(), Failure> {
        let stem = |path: &LogicalPath| path.path.rsplit_once('.').map(|(stem, _)| stem.to_owned());
        let twin = self
            .scripts
            .iter()
            .map(|script| &script.source.path)
            .find(|other| other.space == path.space && stem(other) == stem(path));
        twin.map_or(Ok(()), |twin| {
            let message = format!("`{path}` and `{twin}` are one script in two languages");
            Err(Box::new(
                Diagnostic::error("E-SCRIPT-TWICE", message).help("give one of them another name"),
            ))
        })
    }

    pub(crate) fn module(&mut self, space: &str) -> usize {
        if let Some(known) = self
            .modules
            .iter()
            .position(|module| &*module.space == space)
        {
            return known;
        }
        self.modules.push(Module {
            space: Arc::from(space),
            vms: [None, None],
            used: Used::default(),
            over: false,
            overruns: 0,
            disabled: false,
        });
        self.modules.len() - 1
    }

    pub(crate) fn ensure_vm(
        &mut self,
        module: usize,
        language: ScriptLanguage,
    ) -> Result<(), Failure> {
        let place = &mut self.modules[module].vms[language as usize];
        if place.is_none() {
            *place = Some(new_vm(language, &self.stage)?);
        }
        Ok(())
    }

    /// Compiles a script and runs its top level.
    pub(crate) fn prepare(&mut self, slot: usize, source: &Source) -> Result<Summary, Failure> {
        let Script {
            module, language, ..
        } = self.scripts[slot];
        self.top_level(module, language, source, |vm| vm.prepare(slot, source))
    }

    /// Runs the top level of a file, with nothing but the log and its modules within reach.
    pub(crate) fn top_level<R>(
        &mut self,
        module: usize,
        language: ScriptLanguage,
        source: &Source,
        work: impl FnOnce(&mut dyn Language) -> Result<R, Failure>,
    ) -> Result<R, Failure> {
        let module = &mut self.modules[module];
        let Some(vm) = module.vms[language as usize].as_deref_mut() else {
            return Err(Failure::default());
        };
        self.stage.set_caller(&module.space, None, 0);
        self.stage.lock().host.loading = true;
        let work = || std::panic::catch_unwind(AssertUnwindSafe(|| work(vm)));
        // Counted also where frames are measured by a clock: whether a file loads is no matter of the machine.
        let (outcome, _) = budget::run(Budget::default(), &mut Used::default(), work);
        self.stage.lock().host.loading = false;
        outcome.unwrap_or_else(|_| {
            let message = format!("the engine failed while it loaded `{}`", source.shown);
            Err(Box::new(Diagnostic::error("E-SCRIPT-PANIC", message)))
        })
    }

    pub(crate) fn commit(&mut self, module: usize, language: ScriptLanguage) {
        if let Some(vm) = self.modules[module].vms[language as usize].as_deref_mut() {
            vm.commit();
        }
    }

    /// What an instance of a script sees of its actor's properties.
    pub(crate) fn props_of(
        &self,
        id: ActorId,
        summary: &Summary,
    ) -> Result<Props, properties::Fault> {
        let stage = self.stage.lock();
        let given = stage
            .world
            .actors
            .get(id)
            .map(|actor| actor.properties.clone())
            .unwrap_or_default();
        drop(stage);
        properties::resolve(&summary.properties, &given)
    }

    /// Gives the instances of an actor the properties that hold now.
    pub(crate) fn refresh_props(&mut self, id: ActorId) {
        let index = id.index as usize;
        let count = self
            .actors
            .get(index)
            .and_then(Option::as_ref)
            .map_or(0, |scripts| scripts.instances.len());
        for order in 0..count {
            let Some((_, instance)) = self.at(Place {
                actor: index,
                order,
            }) else {
                continue;
            };
            let (script, Some(number)) = (instance.script, instance.number) else {
                continue;
            };
            let Some(summary) = self.scripts[script].summary.as_ref() else {
                continue;
            };
            let Ok(props) = self.props_of(id, summary) else {
                continue;
            };
            if instance.props == props {
                continue;
            }
            let Script {
                module, language, ..
            } = self.scripts[script];
            if let Some(vm) = self.modules[module].vms[language as usize].as_deref_mut()
                && let Err(failure) = vm.set_props(number, &props)
            {
                self.tell(Some(script), *failure, false);
            }
            if let Some(scripts) = &mut self.actors[index] {
                scripts.instances[order].props = props;
            }
        }
    }

    /// Properties that the level gives to an actor but none of its scripts declares.
    pub(crate) fn check_properties(&mut self, id: ActorId) {
        for fault in self.unknown_properties(id) {
            self.tell(None, fault, false);
        }
    }

    fn unknown_properties(&self, id: ActorId) -> Vec<Diagnostic> {
        let scripts = self.actors.get(id.index as usize).and_then(Option::as_ref);
        let broken = scripts.is_some_and(|scripts| {
            scripts
                .instances
                .iter()
                .any(|instance| self.scripts[instance.script].summary.is_none())
        });
        if broken {
            return Vec::new();
        }
        let declared = self.declared(id);
        let stage = self.stage.lock();
        let given: Vec<String> = stage
            .world
            .actors
            .get(id)
            .map(|actor| actor.properties.keys().cloned().collect())
            .unwrap_or_default();
        drop(stage);
        given
            .iter()
            .filter(|name| {
                !declared
                    .iter()
                    .any(|properties| properties.contains_key(*name))
            })
            .map(|name| self.level_fault(id, properties::unknown(name, declared.iter().copied())))
            .collect()
    }

    /// A fault of a property at its place in the level's file.
    pub(crate) fn level_fault(&self, id: ActorId, fault: properties::Fault) -> Diagnostic {
        let mut stage = self.stage.lock();
        let name = stage
            .world
            .actors
            .get(id)
            .map(|actor| actor.name.to_string());
        let mut made = Diagnostic::error("E-SCRIPT-PROPERTY", fault.message);
        made.help = fault.help;
        let path = stage.world.level.path.clone();
        let shown = stage.world.assets.display(&path);
        if let Ok(text) = stage.world.assets.text(&path) {
            let text = text.value;
            let from = name
                .as_ref()
                .and_then(|name| text.find(&format!("\"{name}\"")))
                .unwrap_or(0);
            if let Some(place) = find_word(&text, from, text.len(), &fault.token) {
                made = made.at(&shown, &text, place);
            }
        }
        made.actor = name;
        made
    }

    /// Drops the instances of an actor, its coroutines, and what those had asked for.
    pub(crate) fn drop_actor(&mut self, index: usize) {
        let Some(scripts) = self.actors.get_mut(index).and_then(Option::take) else {
            return;
        };
        self.cancel_tasks(|waiting| waiting.actor == scripts.id);
        let set_by = &mut self.stage.lock().host.set_by;
        set_by.retain(|(actor, _), _| *actor != scripts.id);
        for instance in &scripts.instances {
            let Script {
                module, language, ..
            } = self.scripts[instance.script];
            if let (Some(vm), Some(number)) = (
                self.modules[module].vms[language as usize].as_deref_mut(),
                instance.number,
            ) {
                vm.remove(number);
            }
        }
    }
}

/// Refuses files that are too long.
pub(crate) fn check_size(source: &Source) -> Result<(), Failure> {
    let bytes = source.text.len();
    if bytes <= MAX_SOURCE_BYTES {
        return Ok(());
    }
    let message = format!(
        "`{}` has {bytes} bytes, at most {MAX_SOURCE_BYTES} are read",
        source.shown
    );
    Err(Box::new(
        Diagnostic::error("E-SCRIPT-SIZE", message).in_file(&source.shown),
    ))
}

/// A graph's fault at its place in a script.
pub(crate) fn graph_fault(
    source: &Source,
    first: usize,
    line: u32,
    actor: Option<String>,
    fault: Diagnostic,
) -> Diagnostic {
    // A graph from a file has its place there.
    if fault.span.is_some() {
        return Diagnostic { actor, ..fault };
    }
    let Some(pointer) = fault.pointer.clone() else {
        return Diagnostic { actor, ..fault }.in_file(&source.shown);
    };
    let place = crate::graph_value::readable(&pointer, first);
    let message = if place.is_empty() {
        fault.message.clone()
    } else {
        format!("graph, at `{place}`: {}", fault.message)
    };
    let from = crate::report::line_range(&source.text, line).start;
    let from = if line == 0 { 0 } else { from };
    let quoted = fault.message.split('`').nth(1).map(str::to_owned);
    let steps = pointer
        .rsplit('/')
        .filter(|step| step.parse::<usize>().is_err())
        .map(str::to_owned);
    let words = quoted
        .into_iter()
        .chain(steps)
        .filter(|word| !word.is_empty());
    let found = words
        .into_iter()
        .find_map(|word| find_word(&source.text, from, source.text.len(), &word));
    let mut made = Diagnostic {
        message,
        actor,
        file: Some(source.shown.clone()),
        span: None,
        source: None,
        ..fault
    };
    if let Some(range) = found {
        let near = made
            .help
            .as_deref()
            .and_then(|help| help.strip_prefix("did you mean `")?.strip_suffix("`?"));
        made.edit = near.map(|near| sinew_assets::Edit {
            start: range.start,
            end: range.end,
            replacement: near.to_owned(),
        });
        made = made.at(&source.shown, &source.text, range);
    }
    made
}
