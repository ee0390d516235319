//! Live reload of models, graphs and the level: between steps, all or nothing.

use std::sync::Arc;

use sinew_anim::Graph;
use sinew_assets::{Changed, Diagnostic, LevelDef, LogicalPath};

use crate::{ActorId, Changeover, Level, Motion, World, WorldError};

/// What is to change between two steps.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// New bytes of files; files that nobody loaded are ignored.
    pub files: Vec<(LogicalPath, Vec<u8>)>,
    /// New graphs of actors, from scripts that changed.
    pub motions: Vec<(ActorId, Motion)>,
}

impl World {
    /// Applies changes. What is still there by name goes on where it was: actors, states, phases, parameters.
    ///
    /// # Errors
    /// Everything that is wrong with the new files; the world is then as it was.
    pub fn reload(&mut self, changes: Changes) -> Result<Changed, Vec<Diagnostic>> {
        let prepared = self.assets.prepare(changes.files)?;
        // The work is done on a copy, so that a fault halfway leaves nothing half done.
        let mut next = self.clone();
        let changed = next.assets.commit(prepared);
        let stale = next.forget_stale_graphs(&changed);
        let mut faults = next.follow_files(&changed, &stale, &changes.motions);
        for (id, motion) in changes.motions {
            let name = next.actors.get(id).map(|actor| actor.name.to_string());
            if let (Some(name), Err(error)) =
                (name, next.change_motion(id, motion, Changeover::RELOAD))
            {
                faults.push(fault_of(&name, error));
            }
        }
        if changed.texts.contains(&next.level.path)
            && let Err(level_faults) = next.reload_level()
        {
            faults.extend(level_faults);
        }
        if faults.is_empty() {
            *self = next;
            Ok(changed)
        } else {
            Err(faults)
        }
    }

    /// Gives actors the new versions of the models and graph files that they use.
    fn follow_files(
        &mut self,
        changed: &Changed,
        stale: &[Arc<Graph>],
        replaced: &[(ActorId, Motion)],
    ) -> Vec<Diagnostic> {
        let mut ids = Vec::new();
        self.actors.ids_into(&mut ids);
        let mut faults = Vec::new();
        for id in ids {
            if let Err(error) = self.follow_files_of(id, changed, stale, replaced) {
                let is_replaced = replaced.iter().any(|(actor, _)| *actor == id);
                faults.push(self.fault_of_files(id, is_replaced, error));
            }
        }
        faults
    }

    /// A fault that names no file, such as a clip that the graph wants and the new model lacks, is one of the model.
    /// Where the graph comes anew as well, its giver knows the place.
    fn fault_of_files(&self, id: ActorId, is_replaced: bool, error: WorldError) -> Diagnostic {
        let Some(actor) = self.actors.get(id) else {
            return fault_of("", error);
        };
        let fault = fault_of(&actor.name, error);
        let Some(animation) = actor
            .animation
            .as_ref()
            .filter(|_| fault.file.is_none() && !is_replaced)
        else {
            return fault;
        };
        let mut fault = fault.in_file(&self.assets.display(&animation.model_path));
        fault
            .notes
            .push(format!("actor `{}` has this model", actor.name));
        fault
    }

    fn follow_files_of(
        &mut self,
        id: ActorId,
        changed: &Changed,
        stale: &[Arc<Graph>],
        replaced: &[(ActorId, Motion)],
    ) -> Result<(), WorldError> {
        let Some(animation) = self.actors.need(id)?.animation.as_ref() else {
            return Ok(());
        };
        let model_path = animation.model_path.clone();
        let file = match &animation.motion {
            Motion::Graph { file, .. } => file.clone().filter(|file| changed.graphs.contains(file)),
            Motion::Rest | Motion::Clip { .. } => None,
        };
        let model_changed = changed.models.contains(&model_path);
        let is_stale = stale
            .iter()
            .any(|graph| Arc::ptr_eq(graph, &animation.graph));
        if file.is_none() && !model_changed && !is_stale {
            return Ok(());
        }
        let coming = replaced.iter().find(|(actor, _)| *actor == id);
        let motion = match (coming, file) {
            (Some((_, motion)), _) => motion.clone(),
            (None, Some(file)) => Motion::Graph {
                def: self.assets.graph(&file).map_err(WorldError::Asset)?.value,
                space: file.space.clone(),
                file: Some(file),
            },
            (None, None) => animation.motion.clone(),
        };
        let model = self.load_model(&model_path)?;
        let graph = self.graph_for(&motion, &model.value)?;
        self.take_graph(id, model, motion, graph, Changeover::RELOAD)
    }

    /// Takes graphs out of the cache that name graph files of which there is a new version.
    fn forget_stale_graphs(&mut self, changed: &Changed) -> Vec<Arc<Graph>> {
        let mut stale = Vec::new();
        self.graphs.retain(|cached| {
            let names = |file: &LogicalPath| cached.depends.contains(file);
            let is_stale = changed.graphs.iter().any(names);
            if is_stale {
                stale.push(cached.graph.clone());
            }
            !is_stale
        });
        stale
    }

    fn reload_level(&mut self) -> Result<(), Vec<Diagnostic>> {
        let path = self.level.path.clone();
        let text = self.assets.text(&path).map_err(|fault| vec![*fault])?;
        let def = LevelDef::from_toml(&text.value, &self.assets.display(&path))?;
        let old = self.level.def.clone();
        if def.id != old.id {
            let message = format!("the level's id changed from `{}` to `{}`", old.id, def.id);
            let fault =
                Diagnostic::error("E-LEVEL-ID", message).in_file(&self.assets.display(&path));
            return Err(vec![
                fault.help("a level keeps its id while it runs; start it again"),
            ]);
        }
        self.change_level(Level::new(path, Arc::new(def)), Some(&old))
    }
}

fn fault_of(actor: &str, error: WorldError) -> Diagnostic {
    let mut fault = match error {
        WorldError::Asset(fault) => *fault,
        other => Diagnostic::error("E-RELOAD", other.to_string()),
    };
    fault.actor = Some(actor.to_owned());
    fault
}
