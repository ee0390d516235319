//! What changes from one set of mods to another, so that a running level can follow in one step.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    LogicalPath,
    mods::{Mod, ModSet, OverrideKind},
};

/// The difference of two sets of mods. Ids and paths are in order.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ModChanges {
    /// Mods that come.
    pub added: Vec<String>,
    /// Mods that go: their scripts stop, their actors' patches end.
    pub removed: Vec<String>,
    /// Mods whose manifest or archive is another one.
    pub changed: Vec<String>,
    /// Scripts whose list of patches is another one.
    pub scripts: Vec<LogicalPath>,
    /// Graphs that are to be merged again.
    pub graphs: Vec<LogicalPath>,
    /// Other files that are to be read again from where they are now.
    pub assets: Vec<LogicalPath>,
    /// The actions are other ones.
    pub actions: bool,
}

impl ModChanges {
    /// True where nothing changes.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl ModSet {
    /// What changes when `newer` takes the place of this set.
    pub fn changes(&self, newer: &Self) -> ModChanges {
        let (before, after) = (by_id(self), by_id(newer));
        let ids = |list: &BTreeMap<&str, &Mod>, other: &BTreeMap<&str, &Mod>| -> Vec<String> {
            let only = list.keys().filter(|id| !other.contains_key(*id));
            only.map(|id| (*id).to_owned()).collect()
        };
        let other = |(id, one): (&&str, &&Mod)| {
            let now = after.get(id)?;
            let differs = now.text != one.text || now.files != one.files;
            differs.then(|| (*id).to_owned())
        };
        let mut changes = ModChanges {
            added: ids(&after, &before),
            removed: ids(&before, &after),
            changed: before.iter().filter_map(other).collect(),
            actions: self.actions != newer.actions,
            ..ModChanges::default()
        };
        let paths: BTreeSet<&LogicalPath> = self
            .overridden()
            .chain(newer.overridden())
            .map(|(path, _)| path)
            .collect();
        for path in paths {
            let kind = OverrideKind::of(path);
            let patches = (self.patches(path), newer.patches(path));
            let sources = (self.source_of(path), newer.source_of(path));
            let list = match kind {
                Some(OverrideKind::Script) => &mut changes.scripts,
                Some(OverrideKind::Graph) => &mut changes.graphs,
                _ => &mut changes.assets,
            };
            if patches.0 != patches.1 || sources.0 != sources.1 {
                list.push(path.clone());
            }
        }
        changes
    }
}

fn by_id(set: &ModSet) -> BTreeMap<&str, &Mod> {
    let mods = set.mods.iter();
    mods.map(|one| (one.manifest.id.as_str(), one)).collect()
}
