//! The files that a level names: read before the level starts, and held against what the level says of
//! them.

use std::sync::Arc;

use sinew_anim::nearest;
use sinew_model::Model;

use crate::{
    ActorDef, AssetError, Assets, Diagnostic, Edit, LevelDef, Loaded, LogicalPath,
    diagnostic::shown, locate_toml,
};

impl Assets {
    /// Loads every model, graph and script of a level that [`Assets::open_level`] opened, so that
    /// nothing is read for the first time while it runs, and checks the names that the level uses
    /// of them: clips, looks, joints that carry. Graphs are read, not compiled; scripts are read, not
    /// run. Returns every fault, in the order of the actors.
    pub fn preload_level(&mut self, level: &LevelDef) -> Vec<Diagnostic> {
        let path = LogicalPath {
            space: level.id.clone(),
            path: "level.toml".to_owned(),
        };
        let source = self.text(&path).ok();
        let mut check = Check {
            file: self.display(&path),
            source: source.map(|text| text.value),
            faults: Vec::new(),
            assets: self,
            level,
        };
        for index in 0..level.actors.len() {
            check.actor(index);
        }
        check.faults
    }
}

struct Check<'a> {
    assets: &'a mut Assets,
    level: &'a LevelDef,
    file: String,
    source: Option<Arc<str>>,
    faults: Vec<Diagnostic>,
}

impl Check<'_> {
    fn actor(&mut self, index: usize) {
        let level = self.level;
        let actor = &level.actors[index];
        let at = format!("/actor/{index}");
        let model = self.load(actor, &format!("{at}/model"), &actor.model, Assets::model);
        if let Some(model) = model {
            self.names_of(actor, &at, &model.value);
        }
        if let Some(graph) = &actor.graph {
            self.load(actor, &format!("{at}/graph"), graph, Assets::graph);
        }
        for (number, script) in actor.scripts.iter().enumerate() {
            self.load(
                actor,
                &format!("{at}/scripts/{number}"),
                script,
                Assets::text,
            );
        }
        let parent = actor.parent.as_ref().zip(actor.parent_joint.as_ref());
        let Some((parent, joint)) = parent else {
            return;
        };
        let carrier = level.actors.iter().find(|other| &other.name == parent);
        let path = carrier.and_then(|carrier| LogicalPath::parse(&carrier.model, &level.id).ok());
        // A parent's model that cannot be read is told where the parent names it.
        if let Some(model) = path.and_then(|path| self.assets.model(&path).ok()) {
            let joints = &model.value.skeleton.names;
            self.name(actor, &format!("{at}/parent_joint"), "joint", joint, joints);
        }
    }

    fn names_of(&mut self, actor: &ActorDef, at: &str, model: &Model) {
        if let Some(clip) = &actor.clip {
            let clips: Vec<String> = model.clips.iter().map(|clip| clip.name.clone()).collect();
            self.name(actor, &format!("{at}/clip"), "clip", clip, &clips);
        }
        if let Some(variant) = &actor.variant {
            self.name(
                actor,
                &format!("{at}/variant"),
                "variant",
                variant,
                &model.variants,
            );
        }
    }

    fn load<T: ?Sized>(
        &mut self,
        actor: &ActorDef,
        pointer: &str,
        text: &str,
        load: impl Fn(&mut Assets, &LogicalPath) -> Result<Loaded<T>, Box<Diagnostic>>,
    ) -> Option<Loaded<T>> {
        let path = match LogicalPath::parse(text, &self.level.id) {
            Ok(path) => path,
            Err(error) => {
                let fault = AssetError::path(text, error).into();
                self.tell(actor, pointer, fault, None);
                return None;
            }
        };
        match load(self.assets, &path) {
            Ok(loaded) => Some(loaded),
            // A file that has a place of its own is at fault itself; the others are wrongly named.
            Err(fault) if fault.file.is_some() => {
                let mut fault = *fault;
                fault.notes.push(format!(
                    "named by the actor `{}` of {}",
                    shown(&actor.name),
                    self.file
                ));
                if !self.faults.contains(&fault) {
                    self.faults.push(fault);
                }
                None
            }
            Err(fault) => {
                let read = self.assets.read(&path).err();
                let near = read.and_then(|error| error.suggestion().map(str::to_owned));
                self.tell(actor, pointer, *fault, near.as_deref());
                None
            }
        }
    }

    fn name(&mut self, actor: &ActorDef, pointer: &str, what: &str, name: &str, known: &[String]) {
        if known.iter().any(|known| known == name) {
            return;
        }
        let near = nearest(name, known.iter().map(String::as_str));
        let code = match what {
            "clip" => "E-LEVEL-UNKNOWN-CLIP",
            "joint" => "E-LEVEL-UNKNOWN-JOINT",
            _ => "E-LEVEL-UNKNOWN-VARIANT",
        };
        let mut fault =
            Diagnostic::error(code, format!("the model has no {what} `{}`", shown(name)));
        fault.help = Some(match near {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => format!("it has no {what}s at all"),
            None => format!(
                "it has: {}",
                known
                    .iter()
                    .take(24)
                    .map(String::as_str)
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
        });
        self.tell(actor, pointer, fault, near);
    }

    /// Places a fault at a value of the level file.
    fn tell(&mut self, actor: &ActorDef, pointer: &str, fault: Diagnostic, near: Option<&str>) {
        let mut fault = Diagnostic {
            actor: Some(shown(&actor.name)),
            ..fault.in_file(&self.file)
        };
        let place = self
            .source
            .as_ref()
            .and_then(|text| Some((text, locate_toml(text, pointer)?)));
        if let Some((source, range)) = place {
            fault.edit = near.map(|name| Edit {
                start: range.start,
                end: range.end,
                replacement: format!("\"{}\"", name.escape_default()),
            });
            fault = fault.at(&self.file, source, range);
        }
        self.faults.push(fault);
    }
}
