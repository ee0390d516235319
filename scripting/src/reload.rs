//! Live reload: changed bytes in, new versions of scripts, graphs, models and the level out, all or nothing.

use std::collections::BTreeSet;

use sinew_assets::{Changed, Diagnostic, LogicalPath};
use sinew_world::{ActorId, Changes, Data, Motion, World};

use crate::{
    actors::{check_size, graph_fault},
    callbacks::Callback,
    host::{ScriptHost, ScriptLanguage},
    language::{Failure, Source, Summary},
    library::{AGAIN, text_of},
    properties,
    stage::Lent,
};

/// What a reload changed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReloadReport {
    /// Scripts that have a new version, or one of whose modules has.
    pub scripts: Vec<LogicalPath>,
    /// Modules that have a new version, or one of whose modules has.
    pub modules: Vec<LogicalPath>,
    /// Other files that have a new version.
    pub changed: Changed,
    /// Instances that run a new version.
    pub instances: usize,
    /// Coroutines that were cancelled.
    pub cancelled: usize,
}

/// A script's new version, not in use yet.
struct New {
    slot: usize,
    source: Source,
    summary: Summary,
}

impl ScriptHost {
    /// Applies changed files between two steps. Fields of instances, edited properties, graph states and named timers
    /// are kept; file-level locals and coroutines are not. `on_reload` is called, `on_start` is not.
    ///
    /// # Errors
    /// Everything that is wrong with the files. Nothing changes then, and the errors stand in [`Self::problems`] until
    /// good versions come.
    pub fn reload(
        &mut self,
        world: &mut World,
        changed: Vec<(LogicalPath, Vec<u8>)>,
    ) -> Result<ReloadReport, Vec<Diagnostic>> {
        let outcome = self.apply(world, changed);
        if let Err(faults) = &outcome {
            for fault in faults {
                let script = self
                    .scripts
                    .iter()
                    .position(|script| Some(&script.source.shown) == fault.file.as_ref());
                self.problems.add(script, fault.clone(), false);
            }
        }
        outcome
    }

    fn apply(
        &mut self,
        world: &mut World,
        changed: Vec<(LogicalPath, Vec<u8>)>,
    ) -> Result<ReloadReport, Vec<Diagnostic>> {
        let prepared = {
            let _lent = Lent::new(&self.stage.clone(), world);
            self.stage.lock().incoming = changed.iter().cloned().collect();
            let prepared = self.prepare_all(&changed);
            self.stage.lock().incoming.clear();
            prepared
        };
        let new = match prepared {
            Ok(new) => new,
            Err(faults) => {
                self.discard_all();
                return Err(faults);
            }
        };
        let motions = self.motions(world, &new);
        let shown: Vec<String> = changed
            .iter()
            .map(|(path, _)| world.assets.display(path))
            .collect();
        let changes = Changes {
            files: changed,
            motions: motions
                .iter()
                .map(|(id, _, motion)| (*id, motion.clone()))
                .collect(),
        };
        let changed = world.reload(changes).map_err(|faults| {
            self.discard_all();
            self.place_graph_faults(faults, &motions, &new, world)
        })?;
        let _lent = Lent::new(&self.stage.clone(), world);
        shown
            .iter()
            .for_each(|shown| self.problems.clear_file(shown));
        Ok(self.commit_all(new, changed))
    }

    fn discard_all(&mut self) {
        for vm in self
            .modules
            .iter_mut()
            .flat_map(|module| module.vms.iter_mut().flatten())
        {
            vm.discard();
        }
    }

    /// Compiles and runs the new versions of scripts in fresh environments, and the scripts whose modules change, each
    /// once. Modules are loaded when a script asks for them, so in the order in which they need each other.
    fn prepare_all(
        &mut self,
        changed: &[(LogicalPath, Vec<u8>)],
    ) -> Result<Vec<New>, Vec<Diagnostic>> {
        let paths: BTreeSet<LogicalPath> = changed.iter().map(|(path, _)| path.clone()).collect();
        let mut slots: BTreeSet<usize> = BTreeSet::new();
        for vm in self.modules.iter().flat_map(|module| &module.vms).flatten() {
            slots.extend(vm.library().lock().change(&paths));
        }
        let scripts = self.scripts.iter().enumerate();
        let own = scripts.filter(|(_, script)| paths.contains(&script.source.path));
        slots.extend(own.map(|(slot, _)| slot));
        let (mut new, mut faults) = (Vec::new(), Vec::new());
        for slot in slots {
            let path = &self.scripts[slot].source.path;
            let bytes = changed.iter().find(|(changed, _)| changed == path);
            match self.prepare_one(slot, bytes.map(|(_, bytes)| &bytes[..])) {
                Ok(version) => new.push(version),
                Err(fault) => faults.push(*fault),
            }
        }
        // Scripts of one broken module would all say so.
        if faults.iter().any(|fault| fault.code != AGAIN) {
            faults.retain(|fault| fault.code != AGAIN);
        }
        for version in &new {
            faults.extend(self.property_faults(version));
        }
        if faults.is_empty() {
            Ok(new)
        } else {
            Err(faults)
        }
    }

    fn prepare_one(&mut self, slot: usize, bytes: Option<&[u8]>) -> Result<New, Failure> {
        let mut source = self.scripts[slot].source.clone();
        if let Some(bytes) = bytes {
            // A file that was not there before is shown otherwise.
            source.shown = self.stage.lock().world.assets.display(&source.path);
            source.text = text_of(bytes, &source.shown)?;
        }
        check_size(&source)?;
        let summary = self.prepare(slot, &source)?;
        Ok(New {
            slot,
            source,
            summary,
        })
    }

    /// Values of the level that do not fit what a new version declares. What an inspector set is not the level's fault:
    /// [`Self::drop_misfits`] takes it back.
    fn property_faults(&self, version: &New) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for id in self.users(version.slot) {
            let others = self.other_properties(id, version.slot);
            let declared = || others.iter().copied().chain([&version.summary.properties]);
            for (name, value) in self.level_properties(id) {
                let own = version.summary.properties.get(&name);
                if let Some(Err(fault)) = own.map(|property| property.fit(&name, &value)) {
                    faults.push(self.level_fault(id, fault));
                }
                if !declared().any(|properties| properties.contains_key(&name)) {
                    faults.push(self.level_fault(id, properties::unknown(&name, declared())));
                }
            }
        }
        faults
    }

    /// The properties of an actor that its level file names, with the values that hold now.
    fn level_properties(&self, id: ActorId) -> Vec<(String, Data)> {
        let world = &self.stage.lock().world;
        let Some(actor) = world.actors.get(id) else {
            return Vec::new();
        };
        let def = world
            .level
            .def
            .actors
            .iter()
            .find(|def| *def.name == *actor.name);
        let named = def.into_iter().flat_map(|def| def.properties.keys());
        named
            .filter_map(|name| Some((name.clone(), actor.properties.get(name)?.clone())))
            .collect()
    }

    /// Takes values back that an inspector set and that a new version has no place for.
    fn drop_misfits(&mut self, slot: usize, summary: &Summary) {
        for id in self.users(slot) {
            let level: Vec<String> = self
                .level_properties(id)
                .into_iter()
                .map(|(name, _)| name)
                .collect();
            let others: Vec<String> = self
                .other_properties(id, slot)
                .iter()
                .flat_map(|properties| properties.keys().cloned())
                .collect();
            let world = &mut self.stage.lock().world;
            if let Some(actor) = world.actors.get_mut(id) {
                actor.properties.retain(|name, value| {
                    let fits = summary
                        .properties
                        .get(name)
                        .map(|property| property.fit(name, value).is_ok());
                    fits.unwrap_or_else(|| level.contains(name) || others.contains(name))
                });
            }
        }
    }

    fn other_properties(&self, id: ActorId, slot: usize) -> Vec<&properties::Properties> {
        let scripts = self.actors.get(id.index as usize).and_then(Option::as_ref);
        let instances = scripts.into_iter().flat_map(|scripts| &scripts.instances);
        instances
            .filter(|instance| instance.script != slot)
            .filter_map(|instance| self.scripts[instance.script].summary.as_ref())
            .map(|summary| &summary.properties)
            .collect()
    }

    /// The actors that run a script.
    fn users(&self, slot: usize) -> Vec<ActorId> {
        let scripts = self.actors.iter().flatten();
        scripts
            .filter(|scripts| {
                scripts
                    .instances
                    .iter()
                    .any(|instance| instance.script == slot)
            })
            .map(|scripts| scripts.id)
            .collect()
    }

    /// The graphs that new versions ask for, where they differ from the old ones.
    fn motions(&self, world: &World, new: &[New]) -> Vec<(ActorId, usize, Motion)> {
        let mut motions = Vec::new();
        for version in new {
            let old = self.scripts[version.slot]
                .summary
                .as_ref()
                .and_then(|summary| summary.graph.as_ref());
            let Some(graph) = &version.summary.graph else {
                // The script gave its graph up: its actors go back to rest.
                let users = self.users(version.slot).into_iter();
                let users = users.filter(|&id| old.is_some() && world.need_animation(id).is_ok());
                motions.extend(users.map(|id| (id, version.slot, Motion::Rest)));
                continue;
            };
            if old.is_some_and(|old| old.def == graph.def && old.file == graph.file) {
                continue;
            }
            let motion = graph.motion();
            let users = self
                .users(version.slot)
                .into_iter()
                .filter(|&id| world.need_animation(id).is_ok());
            motions.extend(users.map(|id| (id, version.slot, motion.clone())));
        }
        motions
    }

    /// Faults of graphs from scripts, at their place in the script.
    fn place_graph_faults(
        &self,
        faults: Vec<Diagnostic>,
        motions: &[(ActorId, usize, Motion)],
        new: &[New],
        world: &World,
    ) -> Vec<Diagnostic> {
        let place = |fault: Diagnostic| {
            let named = |id: ActorId| world.actors.get(id).map(|actor| actor.name.to_string());
            let slot = motions
                .iter()
                .find(|(id, ..)| fault.actor.is_some() && named(*id) == fault.actor)
                .map(|(_, slot, _)| *slot);
            let version = slot.and_then(|slot| new.iter().find(|version| version.slot == slot));
            let Some(version) = version.filter(|_| fault.file.is_none() && fault.pointer.is_some())
            else {
                return fault;
            };
            let first = usize::from(self.scripts[version.slot].language == ScriptLanguage::Lua);
            let line = version.summary.graph.as_ref().map_or(0, |graph| graph.line);
            let actor = fault.actor.clone();
            graph_fault(&version.source, first, line, actor, fault)
        };
        faults.into_iter().map(place).collect()
    }

    /// Puts everything in place; nothing can fail any more but `on_reload` of single actors.
    fn commit_all(&mut self, new: Vec<New>, changed: Changed) -> ReloadReport {
        let slots: BTreeSet<usize> = new.iter().map(|version| version.slot).collect();
        let scripts = new
            .iter()
            .map(|version| version.source.path.clone())
            .collect();
        let cancelled = self.cancel_old_tasks(&slots);
        let mut modules = BTreeSet::new();
        for vm in self
            .modules
            .iter_mut()
            .flat_map(|module| module.vms.iter_mut().flatten())
        {
            modules.extend(vm.commit());
        }
        for New {
            slot,
            source,
            summary,
        } in new
        {
            let module = self.scripts[slot].module;
            // A saved script of a mod that was switched off switches it on again.
            self.modules[module].disabled = false;
            self.modules[module].overruns = 0;
            self.problems.clear(slot);
            self.drop_misfits(slot, &summary);
            let script = &mut self.scripts[slot];
            script.source = source;
            script.summary = Some(summary);
        }
        let mut ids = Vec::new();
        self.stage.lock().world.actors.ids_into(&mut ids);
        for &id in &ids {
            self.refresh_props(id);
            self.check_properties(id);
        }
        let instances = self.call_on_reload(&slots);
        ReloadReport {
            scripts,
            modules: modules.into_iter().collect(),
            changed,
            instances,
            cancelled,
        }
    }

    fn cancel_old_tasks(&mut self, slots: &BTreeSet<usize>) -> usize {
        let old: Vec<(ActorId, u16)> = self
            .places()
            .into_iter()
            .filter_map(|place| {
                let (scripts, instance) = self.at(place)?;
                slots
                    .contains(&instance.script)
                    .then_some((scripts.id, place.order as u16))
            })
            .collect();
        self.cancel_tasks(|waiting| old.contains(&(waiting.actor, waiting.script)))
    }

    fn call_on_reload(&mut self, slots: &BTreeSet<usize>) -> usize {
        let mut count = 0;
        for place in self.places() {
            let Some((_, instance)) = self.at(place) else {
                continue;
            };
            if !slots.contains(&instance.script) {
                continue;
            }
            let (made, started) = (instance.number.is_some(), instance.started);
            count += 1;
            if let Some(scripts) = &mut self.actors[place.actor] {
                scripts.instances[place.order].strikes.clear();
            }
            match (made, started) {
                // The first good version of the script: the instance begins its life with the next update.
                (false, _) => self.instantiate(place),
                (true, true) => self.callback(place, Callback::Reload, &[]),
                (true, false) => {}
            }
        }
        count
    }
}
