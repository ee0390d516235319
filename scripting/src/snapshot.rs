//! What scripts keep, as plain data, and scripts that go on with it.
//!
//! Kept are the fields of instances that are plain data, whether they have started, what they may not do any more, and
//! what coroutines had asked for. Coroutines, closures and a file's own locals are code or belong to code: a restore
//! cancels them as a reload does.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use sinew_assets::{Diagnostic, LogicalPath};
use sinew_world::{ActorId, Data, Kept, Snapshot, SnapshotError, World};

use crate::{
    api::{Ask, release},
    host::{ActorScripts, Instance, Place, ScriptHost},
    language::{Waiting, Wake},
    stage::Lent,
};

/// The form of snapshots; another one is refused.
const VERSION: u32 = 1;

/// What the scripts of a world keep between two steps: plain data.
///
/// It is taken by [`ScriptHost::snapshot`] beside the world's own and put back together with that by
/// [`ScriptHost::restore`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptSnapshot {
    version: u32,
    actors: Vec<ActorState>,
    mods: Vec<ModState>,
    /// Names behind the ids of parameters, which scripts may keep.
    parameter_names: Vec<String>,
    tasks_started: u64,
    /// What coroutines had asked for.
    asks: Vec<Ask>,
    /// Coroutines that waited.
    coroutines: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActorState {
    actor: ActorId,
    scripts: Vec<InstanceState>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InstanceState {
    script: LogicalPath,
    started: bool,
    strikes: Vec<(String, u8)>,
    fields: BTreeMap<String, Data>,
    /// Fields that are no plain data.
    closures: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModState {
    space: String,
    over: bool,
    overruns: u8,
    disabled: bool,
}

/// What a restore could not bring back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RestoreReport {
    /// Coroutines that waited now and were cancelled.
    pub cancelled: usize,
    /// Coroutines that waited when the snapshot was taken.
    pub coroutines: usize,
    /// Fields that held functions or other things of the language when the snapshot was taken.
    pub closures: usize,
}

/// Why scripts and their world were not restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RestoreError {
    /// The world's part.
    #[error(transparent)]
    World(#[from] SnapshotError),
    /// It was taken by another version of the engine.
    #[error("the snapshot of scripts has form {found}, this engine reads form {VERSION}")]
    Version {
        /// Form of the snapshot.
        found: u32,
    },
    /// Something in it cannot be.
    #[error("{place}: {why}")]
    Invalid {
        /// Where, such as "actor 3".
        place: String,
        /// What is wrong.
        why: String,
    },
    /// A script that cannot be read.
    #[error("{}", .0.message)]
    Script(Box<Diagnostic>),
}

impl ScriptHost {
    /// What all scripts keep, between two steps.
    pub fn snapshot(&self) -> ScriptSnapshot {
        let stage = self.stage.lock();
        let host = &stage.host;
        let (parameter_names, tasks_started, asks) = (
            host.parameter_ids.names.clone(),
            host.tasks_started,
            host.asks.clone(),
        );
        drop(stage);
        let actors = self.actors.iter().flatten();
        let actors = actors.map(|scripts| ActorState {
            actor: scripts.id,
            scripts: scripts
                .instances
                .iter()
                .map(|instance| self.instance_state(instance))
                .collect(),
        });
        let mods = self.modules.iter().map(|module| ModState {
            space: module.space.to_string(),
            over: module.over,
            overruns: module.overruns,
            disabled: module.disabled,
        });
        ScriptSnapshot {
            version: VERSION,
            actors: actors.collect(),
            mods: mods.collect(),
            parameter_names,
            tasks_started,
            asks,
            coroutines: self.waiting().len(),
        }
    }

    fn instance_state(&self, instance: &Instance) -> InstanceState {
        let made = self.vm(instance.script).zip(instance.number);
        InstanceState {
            script: self.scripts[instance.script].source.path.clone(),
            started: instance.started,
            strikes: instance.strikes.clone(),
            fields: made
                .map(|(vm, number)| vm.fields(number))
                .unwrap_or_default(),
            closures: made.map_or(0, |(vm, number)| vm.other_fields(number)),
        }
    }

    /// Puts a world and what its scripts keep back; both snapshots were taken at the same moment. This host may be a fresh
    /// one that has loaded the same level. Neither `on_start` nor `on_reload` is called; what cancelled coroutines had
    /// asked for is let go with its fade.
    ///
    /// # Errors
    /// What is wrong with a snapshot; world and scripts are then as they were.
    pub fn restore(
        &mut self,
        world: &mut World,
        snapshot: &Snapshot,
        scripts: &ScriptSnapshot,
    ) -> Result<RestoreReport, RestoreError> {
        check(snapshot, scripts)?;
        {
            let _lent = Lent::new(&self.stage.clone(), world);
            for state in scripts.actors.iter().flat_map(|actor| &actor.scripts) {
                self.ensure_loaded(&state.script)
                    .map_err(RestoreError::Script)?;
            }
        }
        world.restore(snapshot)?;
        let _lent = Lent::new(&self.stage.clone(), world);
        let cancelled = self.forget_instances();
        for actor in &scripts.actors {
            self.restore_actor(actor);
        }
        for state in &scripts.mods {
            let known = |module: &&mut crate::host::Module| *module.space == *state.space;
            if let Some(module) = self.modules.iter_mut().find(known) {
                module.over = state.over;
                module.overruns = state.overruns;
                module.disabled = state.disabled;
            }
        }
        let mut stage = self.stage.lock();
        stage.host.parameter_ids.names = scripts.parameter_names.clone();
        stage.host.tasks_started = scripts.tasks_started;
        for ask in &scripts.asks {
            release(&mut stage.world, ask);
        }
        let instances = scripts.actors.iter().flat_map(|actor| &actor.scripts);
        Ok(RestoreReport {
            cancelled,
            coroutines: scripts.coroutines,
            closures: instances.map(|state| state.closures).sum(),
        })
    }

    /// Drops all instances and coroutines, whatever they had asked for; gives the number of coroutines.
    fn forget_instances(&mut self) -> usize {
        // The world that they asked is no more: there is nothing to let go.
        self.stage.lock().host.asks.clear();
        let cancelled = self.cancel_tasks(|_| true);
        for index in 0..self.actors.len() {
            self.drop_actor(index);
        }
        self.actors.clear();
        cancelled
    }

    fn restore_actor(&mut self, state: &ActorState) {
        let index = state.actor.index as usize;
        let instances = state.scripts.iter().filter_map(|instance| {
            Some(Instance {
                started: instance.started,
                strikes: instance.strikes.clone(),
                ..Instance::of(self.ensure_loaded(&instance.script).ok()?)
            })
        });
        let instances = instances.collect();
        if self.actors.len() <= index {
            self.actors.resize_with(index + 1, || None);
        }
        self.actors[index] = Some(ActorScripts {
            id: state.actor,
            instances,
        });
        for (order, instance) in state.scripts.iter().enumerate() {
            let place = Place {
                actor: index,
                order,
            };
            self.make_instance(place);
            self.set_fields(place, &instance.fields);
        }
    }

    fn set_fields(&mut self, place: Place, fields: &BTreeMap<String, Data>) {
        let Some((script, number)) = self
            .at(place)
            .and_then(|(_, instance)| Some((instance.script, instance.number?)))
        else {
            return;
        };
        let (module, language) = (self.scripts[script].module, self.scripts[script].language);
        let vm = self.modules[module].vms[language as usize].as_deref_mut();
        if let Some(Err(failure)) = vm.map(|vm| vm.set_fields(number, fields)) {
            self.tell(Some(script), *failure, false);
        }
    }

    /// All plain data outside of the world, by actor; part of the hash.
    pub(crate) fn kept_data(&self) -> Vec<Kept> {
        let state = self.snapshot();
        let mut kept = Vec::new();
        let mut add = |actor, name: String, value| kept.push(Kept { actor, name, value });
        for module in &state.mods {
            let value = [
                ("over", Data::Bool(module.over)),
                ("overruns", Data::Int(i64::from(module.overruns))),
                ("disabled", Data::Bool(module.disabled)),
            ];
            add(None, format!("mod {}", module.space), map(value));
        }
        let names = state.parameter_names.into_iter().map(Data::Text);
        add(
            None,
            "parameter ids".to_owned(),
            Data::List(names.collect()),
        );
        let asks = state.asks.iter();
        let asks = asks.map(|ask| Data::Text(format!("{ask:?}")));
        add(
            None,
            "asks of coroutines".to_owned(),
            Data::List(asks.collect()),
        );
        let started = Data::Int(state.tasks_started as i64);
        add(None, "coroutines started".to_owned(), started);
        let waiting = self.waiting();
        for actor in state.actors {
            for (order, instance) in (0_u16..).zip(actor.scripts) {
                let (id, script) = (actor.actor, &instance.script.path);
                let mine = waiting
                    .iter()
                    .filter(|task| (task.actor, task.script) == (id, order));
                let value = [
                    ("started", Data::Bool(instance.started)),
                    ("failed", map_of_strikes(&instance.strikes)),
                    ("coroutines", Data::List(mine.map(wake).collect())),
                ];
                add(Some(id), script.clone(), map(value));
                for (field, value) in instance.fields {
                    add(Some(id), format!("{script}/{field}"), value);
                }
            }
        }
        kept
    }
}

fn wake(task: &Waiting) -> Data {
    match task.wake {
        Wake::Time(time) => Data::Number(time),
        Wake::Frame(frame) => Data::Int(frame as i64),
    }
}

fn map<const N: usize>(entries: [(&str, Data); N]) -> Data {
    let entries = entries.into_iter();
    Data::Map(
        entries
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    )
}

fn map_of_strikes(strikes: &[(String, u8)]) -> Data {
    let entries = strikes.iter();
    Data::Map(
        entries
            .map(|(name, count)| (name.clone(), Data::Int(i64::from(*count))))
            .collect(),
    )
}

/// Whether two snapshots belong together and can be believed.
fn check(snapshot: &Snapshot, scripts: &ScriptSnapshot) -> Result<(), RestoreError> {
    if scripts.version != VERSION {
        return Err(RestoreError::Version {
            found: scripts.version,
        });
    }
    if scripts.tasks_started > u64::MAX / 2 {
        return Err(invalid(
            "the scripts".to_owned(),
            "too many coroutines were started",
        ));
    }
    let known: BTreeMap<ActorId, &[LogicalPath]> = snapshot.scripts().collect();
    let mut seen = BTreeSet::new();
    for state in &scripts.actors {
        let ActorId { index, generation } = state.actor;
        let place = || format!("actor {index} of generation {generation}");
        let Some(paths) = known.get(&state.actor) else {
            return Err(invalid(place(), "it is not in the world's snapshot"));
        };
        if !seen.insert(state.actor) {
            return Err(invalid(place(), "its scripts are there twice"));
        }
        if state.scripts.len() > paths.len() {
            return Err(invalid(place(), "it has more instances than scripts"));
        }
        for instance in &state.scripts {
            if !paths.contains(&instance.script) {
                let why = format!("it has no script `{}`", instance.script);
                return Err(invalid(place(), &why));
            }
        }
    }
    Ok(())
}

fn invalid(place: String, why: &str) -> RestoreError {
    RestoreError::Invalid {
        place,
        why: why.to_owned(),
    }
}
