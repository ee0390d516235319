//! What mods change of others: which files are patched, which are replaced, and where two mods want the same.

use std::collections::BTreeMap;

use sinew_model::ClipsFile;

use crate::{LogicalPath, mods::Mod};

/// How a file of a mod acts on another file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum OverrideKind {
    /// Functions of the script are laid over those of the original.
    Script,
    /// The graph is laid over the original by name.
    Graph,
    /// The model takes the original's place.
    Model,
    /// The clips file takes the original's place.
    Clips,
    /// The image takes the original's place.
    Image,
    /// The binary data of a model takes the original's place.
    Data,
}

impl OverrideKind {
    /// By the ending; `None` for what mods cannot change, such as a level.
    pub fn of(path: &LogicalPath) -> Option<Self> {
        if path.path.ends_with(".animgraph.json") {
            return Some(Self::Graph);
        }
        if path.path.ends_with(ClipsFile::ENDING) {
            return Some(Self::Clips);
        }
        match path.extension() {
            "lua" | "rhai" => Some(Self::Script),
            "glb" | "gltf" => Some(Self::Model),
            "png" | "jpg" | "jpeg" | "webp" => Some(Self::Image),
            "bin" => Some(Self::Data),
            _ => None,
        }
    }

    /// True for what is laid over the original and does not take its place.
    pub fn is_patch(self) -> bool {
        matches!(self, Self::Script | Self::Graph)
    }

    /// What may stand for it, as the end of a sentence.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Script => "a script is patched by a `.lua` or `.rhai` file",
            Self::Graph => "a graph is patched by an `.animgraph.json` file",
            Self::Model => "a model is replaced by a `.glb` or `.gltf` file",
            Self::Clips => "a clips file is replaced by a `.clips.json` file",
            Self::Image => "an image is replaced by a `.png`, `.jpg` or `.webp` file",
            Self::Data => "a `.bin` file is replaced by a `.bin` file",
        }
    }
}

/// Two or more mods that replace the same thing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// A file, or an action.
    pub what: String,
    /// The mods in load order; the last one has its way.
    pub mods: Vec<String>,
}

/// By file that is changed: the files that change it, in load order.
pub(crate) type Changes = BTreeMap<LogicalPath, Vec<LogicalPath>>;

/// What all mods patch and replace.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Overrides {
    pub(crate) patches: Changes,
    pub(crate) replacements: Changes,
}

impl Overrides {
    /// Of mods in load order, where `is_used` says whether an override counts.
    pub(crate) fn of<'a>(
        mods: impl Iterator<Item = &'a Mod>,
        mut is_used: impl FnMut(&LogicalPath, &LogicalPath) -> bool,
    ) -> Self {
        let mut all = Self::default();
        for one in mods {
            for (target, own) in one.manifest.override_paths() {
                let Some(kind) = OverrideKind::of(&target) else {
                    continue;
                };
                if is_used(&target, &own) {
                    let list = if kind.is_patch() {
                        &mut all.patches
                    } else {
                        &mut all.replacements
                    };
                    list.entry(target).or_default().push(own);
                }
            }
        }
        all
    }

    /// The file that is read where `path` is asked for: the last replacement, and what replaces that in turn. Mods that
    /// replace each other in a circle end where it closes.
    pub(crate) fn source_of<'a>(&'a self, path: &'a LogicalPath) -> &'a LogicalPath {
        let mut seen = vec![path];
        let mut at = path;
        while let Some(next) = self.replacements.get(at).and_then(|list| list.last()) {
            if seen.contains(&next) {
                break;
            }
            seen.push(next);
            at = next;
        }
        at
    }

    /// Files that more than one mod replaces.
    pub(crate) fn conflicts(&self) -> Vec<Conflict> {
        let several = self.replacements.iter().filter(|(_, list)| list.len() > 1);
        several
            .map(|(target, list)| Conflict {
                what: target.to_string(),
                mods: list.iter().map(|own| own.space.clone()).collect(),
            })
            .collect()
    }
}
