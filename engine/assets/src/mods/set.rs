//! The mods of a running level, as one value: who loads, in what order, what each changes and may do.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use semver::Version;

use crate::{
    ActionDef, AssetError, Assets, Diagnostic, LevelDef, LogicalPath, PROJECT_SPACE, Permission,
    mods::{
        Conflict, Edge, FoundMods, LeftOut, Mod, ModFiles, ModManifest, OverrideKind, order,
        overrides::Overrides, requirement::version,
    },
};

/// What mods need to know of the level that they are for.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ModLevel {
    /// Its id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// What its own scripts and those of the project may do.
    pub permissions: Vec<Permission>,
    /// Its own actions.
    pub actions: BTreeMap<String, ActionDef>,
}

impl ModLevel {
    /// Of a level file.
    pub fn of(level: &LevelDef) -> Self {
        Self {
            id: level.id.clone(),
            version: level.version.clone(),
            permissions: level.permissions.clone(),
            actions: level.actions.clone(),
        }
    }
}

/// Mods in use, or ready to be. A pure function of what was found and of the level.
#[derive(Clone, Debug, Default)]
pub struct ModSet {
    /// The level that they are for.
    pub level: ModLevel,
    /// Those that load, in load order.
    pub mods: Vec<Mod>,
    /// Those that do not, in order of ids.
    pub left_out: Vec<LeftOut>,
    /// What loads before what, also wishes that were dropped.
    pub edges: Vec<Edge>,
    /// Manifests and archives that do not read, wishes that were dropped, overrides of files that are not there.
    pub faults: Vec<Diagnostic>,
    /// What two mods replace.
    pub conflicts: Vec<Conflict>,
    /// Actions of the level, as it was when the set was made, and of the mods together.
    pub actions: BTreeMap<String, ActionDef>,
    pub(crate) overrides: Overrides,
}

impl ModSet {
    /// Decides which mods load and in what order. Which files overrides act on is known when the set is put into use:
    /// [`Assets::use_mods`] leaves out those whose files are not there.
    pub fn new(found: FoundMods, level: ModLevel) -> Self {
        let base = version(&level.version).unwrap_or_else(|| Version::new(0, 0, 0));
        let base = BTreeMap::from([(level.id.clone(), base)]);
        let order = order::order(&found.mods, &base);
        let mut mods: Vec<Option<Mod>> = found.mods.into_iter().map(Some).collect();
        let mods: Vec<Mod> = order
            .order
            .iter()
            .filter_map(|&index| mods[index].take())
            .collect();
        let mut set = Self {
            level,
            mods,
            left_out: order.left_out,
            edges: order.edges,
            faults: found.faults,
            ..Self::default()
        };
        set.faults.extend(order.warnings);
        let joined = set.join_actions(&set.level.actions);
        set.faults.extend(joined.faults);
        (set.actions, set.conflicts) = (joined.actions, joined.conflicts);
        let there: BTreeSet<&str> = set.spaces().collect();
        let overrides = Overrides::of(set.mods.iter(), |target, _| {
            there.contains(target.space.as_str())
        });
        set.take_overrides(overrides);
        set
    }

    /// All spaces that files can be of: the project, the level and the mods.
    pub fn spaces(&self) -> impl Iterator<Item = &str> {
        let mods = self.mods.iter().map(|one| one.manifest.id.as_str());
        [PROJECT_SPACE, self.level.id.as_str()]
            .into_iter()
            .chain(mods)
    }

    /// The manifest of a mod that loads.
    pub fn manifest(&self, id: &str) -> Option<&ModManifest> {
        let found = self.mods.iter().find(|one| one.manifest.id == id);
        found.map(|one| &one.manifest)
    }

    /// The files that patch a script or graph, in load order: the last one acts first and the original last.
    pub fn patches(&self, path: &LogicalPath) -> &[LogicalPath] {
        self.overrides.patches.get(path).map_or(&[], Vec::as_slice)
    }

    /// The files that replace another one, in load order: the last one counts.
    pub fn replacements(&self, path: &LogicalPath) -> &[LogicalPath] {
        self.overrides
            .replacements
            .get(path)
            .map_or(&[], Vec::as_slice)
    }

    /// Every file that is patched or replaced, with what does it, in order of paths.
    pub fn overridden(&self) -> impl Iterator<Item = (&LogicalPath, &[LogicalPath])> {
        let all = self
            .overrides
            .patches
            .iter()
            .chain(&self.overrides.replacements);
        let mut all: Vec<_> = all.map(|(path, list)| (path, list.as_slice())).collect();
        all.sort();
        all.into_iter()
    }

    /// The file that is read where `path` is asked for.
    pub fn source_of<'a>(&'a self, path: &'a LogicalPath) -> &'a LogicalPath {
        self.overrides.source_of(path)
    }

    /// Whether scripts of a space may do something. Those of the project are of the level that runs them; no space but
    /// these and mods that load may do anything.
    pub fn allows(&self, space: &str, permission: Permission) -> bool {
        if space == PROJECT_SPACE || space == self.level.id {
            return self.level.permissions.contains(&permission);
        }
        self.manifest(space)
            .is_some_and(|manifest| manifest.permissions.contains(&permission))
    }

    fn take_overrides(&mut self, overrides: Overrides) {
        self.conflicts
            .retain(|conflict| conflict.what.starts_with(ACTION));
        self.conflicts.extend(overrides.conflicts());
        self.overrides = overrides;
    }

    /// The actions of the level and of the mods together, where the level's are these.
    pub fn actions_over(&self, level: &BTreeMap<String, ActionDef>) -> BTreeMap<String, ActionDef> {
        self.join_actions(level).actions
    }

    /// A level's actions, and over them those of mods in load order. One that is there already gets other keys, not
    /// another kind.
    fn join_actions(&self, level: &BTreeMap<String, ActionDef>) -> Joined {
        let mut joined = Joined {
            actions: level.clone(),
            ..Joined::default()
        };
        let mut from: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for one in &self.mods {
            for (name, action) in &one.manifest.actions {
                let known = joined.actions.get(name);
                if known.is_some_and(|known| known.is_vector() != action.is_vector()) {
                    joined.faults.push(another_kind(one, name, action));
                    continue;
                }
                if known.is_none_or(|known| known != action) {
                    from.entry(name).or_default().push(one.manifest.id.clone());
                }
                joined.actions.insert(name.clone(), action.clone());
            }
        }
        let several = from.into_iter().filter(|(_, mods)| mods.len() > 1);
        joined.conflicts = several
            .map(|(name, mods)| Conflict {
                what: format!("{ACTION}{name}"),
                mods,
            })
            .collect();
        joined
    }

    /// All that people should know: who is left out and why, what does not read or act, which wishes are dropped, and
    /// what two mods replace.
    pub fn remarks(&self) -> Vec<Diagnostic> {
        let left_out = self.left_out.iter().map(|out| out.fault.clone());
        let conflicts = self.conflicts.iter().map(|conflict| {
            let mods: Vec<String> = conflict.mods.iter().map(|id| format!("`{id}`")).collect();
            let last = mods.last().cloned().unwrap_or_default();
            let message = format!(
                "{} replace {}: {last} has its way",
                mods.join(" and "),
                conflict.what
            );
            Diagnostic::warning("W-MOD-CONFLICT", message)
        });
        let faults = self.faults.iter().cloned();
        left_out.chain(faults).chain(conflicts).collect()
    }
}

/// Actions of a level and mods.
#[derive(Default)]
struct Joined {
    actions: BTreeMap<String, ActionDef>,
    faults: Vec<Diagnostic>,
    conflicts: Vec<Conflict>,
}

fn another_kind(one: &Mod, name: &str, action: &ActionDef) -> Diagnostic {
    let kind = |vector| if vector { "directions" } else { "`keys`" };
    let message = format!(
        "the action `{name}` is there already and has {}: it cannot have {}",
        kind(!action.is_vector()),
        kind(action.is_vector())
    );
    let fault = Diagnostic::error("E-MOD-ACTION-KIND", message);
    let fault = fault.help("give the action of the mod another name");
    one.at(fault, &format!("/actions/{name}"))
}

/// How an action stands in a conflict.
const ACTION: &str = "action ";

impl Assets {
    /// Puts mods into use: their files become spaces, their overrides act. What was loaded before is not read again, so
    /// this comes before anything is loaded. An override whose own file or whose original is not there does not act, and
    /// [`ModSet::faults`] says so.
    pub fn use_mods(&mut self, mut set: ModSet) {
        for one in &self.mods.mods {
            self.files.remove_space(&one.manifest.id);
        }
        for one in &set.mods {
            match &one.files {
                ModFiles::Folder(folder) => self.files.add_space(&one.manifest.id, folder),
                ModFiles::Archive { file, packed } => {
                    let shown = self.files.show(file);
                    self.files
                        .add_packed(&one.manifest.id, &shown, Arc::clone(packed));
                }
            }
        }
        let faults = self.override_faults(&set);
        let there: BTreeSet<&str> = set.spaces().collect();
        let wrong: BTreeSet<(&LogicalPath, &LogicalPath)> = faults
            .iter()
            .map(|(target, own, _)| (target, own))
            .collect();
        let overrides = Overrides::of(set.mods.iter(), |target, own| {
            there.contains(target.space.as_str()) && !wrong.contains(&(target, own))
        });
        set.take_overrides(overrides);
        set.faults
            .extend(faults.into_iter().map(|(_, _, fault)| fault));
        self.mods = Arc::new(set);
    }

    /// Overrides that cannot act, in load order: whose original is not there, or whose own file.
    fn override_faults(&self, set: &ModSet) -> Vec<(LogicalPath, LogicalPath, Diagnostic)> {
        let there: BTreeSet<&str> = set.spaces().collect();
        let mut faults = Vec::new();
        for one in &set.mods {
            for (written, own) in &one.manifest.overrides {
                let id = &one.manifest.id;
                let (Ok(target), Ok(own)) =
                    (LogicalPath::parse(written, id), LogicalPath::parse(own, id))
                else {
                    continue;
                };
                if !there.contains(target.space.as_str()) || OverrideKind::of(&target).is_none() {
                    continue;
                }
                let missing = |path: &LogicalPath| self.files.exists(path).err();
                if let Some(error) = missing(&target).or_else(|| missing(&own)) {
                    let fault = override_fault(error);
                    let pointer = written.replace('~', "~0").replace('/', "~1");
                    let fault = one.at(fault, &format!("/overrides/{pointer}"));
                    faults.push((target, own, fault));
                }
            }
        }
        faults
    }
}

fn override_fault(error: AssetError) -> Diagnostic {
    let fault = Diagnostic::from(error);
    let message = format!("the override does not act: {}", fault.message);
    Diagnostic { message, ..fault }
}

#[cfg(test)]
mod tests;
