//! `sinew check` of a mod: its manifest, what it needs, the files that it changes and its own.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use sinew_assets::{
    Assets, Diagnostic, FoundMods, LogicalPath, Mod, ModLevel, ModSet, OverrideKind, PROJECT_SPACE,
    Requirement,
};

use sinew_model::Model;

use crate::project::root_of;

/// Names that a message lists.
const SHOWN: usize = 6;

/// Everything that is wrong with a mod, which `place` is the folder or archive of. The levels and mods that it needs are
/// looked for among the samples of its project, in the project's `mods` and beside it.
pub(super) fn mod_faults(place: &Path) -> Vec<Diagnostic> {
    let place = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    let around = place.parent().unwrap_or(&place);
    let root = root_of(around);
    let mut assets = Assets::new(&root);
    let own = assets.find_mods(std::slice::from_ref(&place));
    let Some(id) = own.mods.first().map(|one| one.manifest.id.clone()) else {
        return own.faults;
    };
    let mut found = own;
    let others = assets.find_mods(&[around.to_owned(), root.join("mods")]);
    let needed = needed_by(&id, &found, &others);
    let known = others.mods.into_iter();
    found
        .mods
        .extend(known.filter(|one| one.manifest.id != id && needed.contains(&one.manifest.id)));
    let level = level_of(&root, &needed, &mut assets);
    assets.use_mods(ModSet::new(found, level));
    let set = assets.mods.clone();
    let mut faults: Vec<Diagnostic> = set
        .left_out
        .iter()
        .filter(|out| out.id == id)
        .map(|out| out.fault.clone())
        .collect();
    let Some(own) = set.mods.iter().find(|one| one.manifest.id == id) else {
        return faults;
    };
    let about = |fault: &&Diagnostic| fault.file.as_ref() == Some(&own.shown);
    faults.extend(set.faults.iter().filter(about).cloned());
    faults.extend(entry_fault(own, &assets));
    for path in assets.list(&id) {
        faults.extend(file_fault(&path, &mut assets));
    }
    for (target, patches) in set.overridden() {
        let patched = patches.iter().any(|patch| patch.space == id);
        if patched && OverrideKind::of(target) == Some(OverrideKind::Graph) {
            faults.extend(assets.graph(target).err().map(|fault| *fault));
        }
    }
    for (target, model) in own.manifest.overrides.iter() {
        faults.extend(lacking(own, target, model, &root, &mut assets));
    }
    faults
}

/// What levels and graphs may name of a model that is replaced, and that the replacement lacks.
fn lacking(
    own: &Mod,
    target: &str,
    model: &str,
    root: &Path,
    assets: &mut Assets,
) -> Option<Diagnostic> {
    let id = &own.manifest.id;
    let model = LogicalPath::parse(model, id).ok()?;
    let target_path = LogicalPath::parse(target, id).ok()?;
    if OverrideKind::of(&model) != Some(OverrideKind::Model) || target_path.space != PROJECT_SPACE {
        return None;
    }
    // As it is without mods.
    let original = Assets::new(root).model(&target_path).ok()?.value;
    let replacement = assets.model(&model).ok()?.value;
    let clips = |model: &Model| model.clips.iter().map(|clip| clip.name.clone()).collect();
    let parts: [(&str, Vec<String>, Vec<String>); 3] = [
        ("the clip", clips(&original), clips(&replacement)),
        (
            "the joint",
            original.skeleton.names.to_vec(),
            replacement.skeleton.names.to_vec(),
        ),
        (
            "the look",
            original.variants.clone(),
            replacement.variants.clone(),
        ),
    ];
    let lacks: Vec<String> = parts
        .iter()
        .flat_map(|(what, wanted, there)| {
            let missing = wanted.iter().filter(|name| !there.contains(name));
            missing.map(move |name| format!("{what} `{name}`"))
        })
        .collect();
    if lacks.is_empty() {
        return None;
    }
    let more = lacks.len().saturating_sub(SHOWN);
    let mut message = format!(
        "`{}` stands for `{target}` and lacks {}",
        model.path,
        lacks[..lacks.len() - more].join(", ")
    );
    if more > 0 {
        message += &format!(" and {more} more");
    }
    let fault = Diagnostic::warning("W-MOD-MODEL", message)
        .help("a level, graph or script that names it will not run with this mod");
    Some(fault.in_file(&own.shown))
}

/// Ids that a mod needs or can make use of, and those that these need.
fn needed_by(id: &str, own: &FoundMods, others: &FoundMods) -> BTreeSet<String> {
    let mut needed = BTreeSet::new();
    let mut open = vec![id.to_owned()];
    while let Some(id) = open.pop() {
        let known = own.mods.iter().chain(&others.mods);
        for one in known.filter(|one| one.manifest.id == id) {
            let lists = [&one.manifest.depends, &one.manifest.optional];
            for text in lists.into_iter().flatten() {
                let Ok(requirement) = Requirement::parse(text) else {
                    continue;
                };
                if needed.insert(requirement.id.clone()) {
                    open.push(requirement.id);
                }
            }
        }
    }
    needed
}

/// The level among the project's that is needed; a level of no name where none is.
fn level_of(root: &Path, needed: &BTreeSet<String>, assets: &mut Assets) -> ModLevel {
    let listed = std::fs::read_dir(root.join("samples"));
    let mut folders: Vec<PathBuf> = listed
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    folders.push(root.to_owned());
    folders.retain(|folder| folder.join("level.toml").is_file());
    folders.sort();
    let mut levels = folders.iter().filter_map(|folder| {
        let level = Assets::new(root).open_level(folder).ok()?;
        needed.contains(&level.id).then_some(folder)
    });
    let opened = levels
        .next()
        .and_then(|folder| assets.open_level(folder).ok());
    opened.map_or_else(ModLevel::default, |level| ModLevel::of(&level))
}

fn entry_fault(own: &Mod, assets: &Assets) -> Option<Diagnostic> {
    let entry = LogicalPath::parse(own.manifest.entry.as_ref()?, &own.manifest.id).ok()?;
    let fault = Diagnostic::from(assets.read(&entry).err()?);
    Some(fault.in_file(&own.shown))
}

/// What is wrong with one file of the mod by itself.
fn file_fault(path: &LogicalPath, assets: &mut Assets) -> Option<Diagnostic> {
    let fault = match OverrideKind::of(path)? {
        OverrideKind::Script => {
            sinew_script::check_script(assets.clone(), path, &assets.display(path))?
        }
        OverrideKind::Graph => assets.graph(path).err()?,
        OverrideKind::Model => assets.model(path).err()?,
        OverrideKind::Clips | OverrideKind::Image | OverrideKind::Data => return None,
    };
    Some(*fault)
}
