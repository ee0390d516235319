//! `mod.toml`: what a mod is, what it needs and what it changes.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use crate::{
    ActionDef, Diagnostic, LogicalPath, PROJECT_SPACE, Permission, check_id,
    diagnostic::shown,
    document_check::{self, Fault, Kind},
    level_check::Check,
    mods::{OverrideKind, Requirement},
};

/// Name of a manifest in the folder or archive of its mod.
pub(crate) const FILE: &str = "mod.toml";

/// The newest version of what scripts can call, major and minor. A mod for another major version or a newer minor one
/// does not load.
pub const API_VERSION: (u32, u32) = (1, 0);

/// Entries of a list.
const MAX_LISTED: usize = 64;

/// How messages call the document.
const MOD: Kind = Kind {
    word: "mod",
    codes: "E-MOD-",
};

/// A mod, as its `mod.toml` describes it.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModManifest {
    /// Name of the mod and of its space of files: a to z, 0 to 9 and `_`.
    #[schemars(regex(pattern = "^[a-z][a-z0-9_]+$"))]
    pub id: String,
    /// Three numbers, such as `1.0.0`.
    #[schemars(regex(pattern = r"^\d+\.\d+\.\d+$"))]
    pub version: String,
    /// The version of what scripts can call that it was written for, such as `1.0`.
    #[schemars(regex(pattern = r"^\d+\.\d+$"))]
    pub api: String,
    /// For people; the id where it is left out.
    pub title: Option<String>,
    /// Mods and levels that must be there, such as `plaza >= 1.0`; it loads after them.
    #[serde(default)]
    pub depends: Vec<String>,
    /// Mods and levels that it can make use of; it loads after those that are there.
    #[serde(default)]
    pub optional: Vec<String>,
    /// Mods and levels that must not be there.
    #[serde(default)]
    pub conflicts: Vec<String>,
    /// Ids of mods that it loads after where they are there.
    #[serde(default)]
    pub load_after: Vec<String>,
    /// What its scripts may do beyond the level itself.
    #[serde(default)]
    pub permissions: Vec<Permission>,
    /// A `.lua` or `.rhai` file of the mod that runs without an actor.
    pub entry: Option<String>,
    /// Files of other mods, of levels and of the project, each with the file of this mod that patches it (scripts and
    /// graphs) or takes its place (everything else).
    #[serde(default)]
    pub overrides: BTreeMap<String, String>,
    /// More meanings of keys, by name of the action.
    #[serde(default)]
    pub actions: BTreeMap<String, ActionDef>,
}

impl ModManifest {
    /// Reads and checks a manifest. `shown` is its path as messages should show it.
    ///
    /// # Errors
    /// Every fault of the syntax, else every fault of the structure, else every fault of the content, each with its
    /// place; at most 50.
    pub fn from_toml(text: &str, shown: &str) -> Result<Self, Vec<Diagnostic>> {
        document_check::read(text, shown, MOD, &Self::schema(), faults)
    }

    /// The JSON schema of a manifest.
    pub fn schema() -> serde_json::Value {
        schemars::schema_for!(ModManifest).to_value()
    }

    /// What people call it.
    pub fn shown(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.id)
    }

    /// Major and minor version of what its scripts can call.
    pub fn api_version(&self) -> Option<(u32, u32)> {
        let number = |text: &str| {
            text.bytes()
                .all(|byte| byte.is_ascii_digit())
                .then(|| text.parse().ok())
        };
        let (major, minor) = self.api.split_once('.')?;
        Some((number(major)??, number(minor)??))
    }

    /// The list under a key as requirements. What does not read was refused when the manifest was read.
    pub(crate) fn requirements(list: &[String]) -> impl Iterator<Item = Requirement> {
        list.iter().filter_map(|text| Requirement::parse(text).ok())
    }

    /// Its overrides: the file that is meant, and its own file.
    pub(crate) fn override_paths(&self) -> impl Iterator<Item = (LogicalPath, LogicalPath)> {
        self.overrides.iter().filter_map(|(target, own)| {
            let target = LogicalPath::parse(target, &self.id).ok()?;
            Some((target, LogicalPath::parse(own, &self.id).ok()?))
        })
    }
}

/// Every fault of the content, in the order of the text.
fn faults(manifest: &ModManifest, root: &DeTable) -> Vec<Fault> {
    let mut check = Check::new(root);
    check.identity("mod", &manifest.id, &manifest.version);
    if manifest.api_version().is_none() {
        check.fault(&["api"], || Fault {
            code: "E-LEVEL-API",
            message: format!("`{}` is no version of the script API", shown(&manifest.api)),
            help: Some(format!(
                "write two numbers, such as \"{}.{}\"",
                API_VERSION.0, API_VERSION.1
            )),
            ..Fault::default()
        });
    }
    requirements(manifest, &mut check);
    if let Some(entry) = &manifest.entry {
        check.path(&["entry"], entry, &manifest.id, &[".lua", ".rhai"]);
    }
    let named = named_ids(manifest);
    for (target, own) in &manifest.overrides {
        if let Some(fault) = override_fault(manifest, target, own, &named) {
            check.fault(&["overrides", target], || fault);
        }
    }
    for (name, action) in &manifest.actions {
        check.action(name, action);
    }
    check.in_order()
}

/// Lists of other mods: each entry reads, is another mod and stands there once.
fn requirements(manifest: &ModManifest, check: &mut Check) {
    let lists = [
        ("depends", &manifest.depends),
        ("optional", &manifest.optional),
        ("conflicts", &manifest.conflicts),
        ("load_after", &manifest.load_after),
    ];
    let mut needed = BTreeSet::new();
    for (key, list) in lists {
        if list.len() > MAX_LISTED {
            check.fault(&[key], || Fault {
                code: "E-LEVEL-LIMIT",
                message: format!("`{key}` has more than {MAX_LISTED} entries"),
                ..Fault::default()
            });
            continue;
        }
        let mut seen = BTreeSet::new();
        for (index, text) in list.iter().enumerate() {
            let index = index.to_string();
            let mut fault = |message: String, help: &str| {
                check.fault(&[key, &index], || Fault {
                    code: "E-LEVEL-REQUIREMENT",
                    message,
                    help: Some(help.to_owned()),
                    ..Fault::default()
                });
            };
            let read = match key {
                "load_after" => check_id(text).map(|()| text.clone()),
                _ => Requirement::parse(text).map(|requirement| requirement.id),
            };
            let id = match read {
                Ok(id) => id,
                Err(reason) => {
                    let message = format!("`{}` cannot be read: {reason}", shown(text));
                    let help = if key == "load_after" {
                        "write the id of a mod"
                    } else {
                        "write \"plaza\" or \"plaza >= 1.0\""
                    };
                    fault(message, help);
                    continue;
                }
            };
            if id == manifest.id {
                fault(format!("`{key}` names the mod itself"), "leave it out");
            } else if id == PROJECT_SPACE {
                fault(
                    format!("`{key}` names the project, which is always there"),
                    "say which version is wanted with `api`",
                );
            } else if !seen.insert(id.clone()) {
                fault(
                    format!("`{id}` stands in `{key}` twice"),
                    "join them: \"plaza >= 1.0, < 2\"",
                );
            } else if key == "conflicts" && needed.contains(&id) {
                fault(
                    format!("`{id}` is needed and must not be there"),
                    "leave one of them out",
                );
            }
            if key == "depends" {
                needed.insert(id);
            }
        }
    }
}

/// Ids whose files the mod may change.
fn named_ids(manifest: &ModManifest) -> BTreeSet<String> {
    let lists = [&manifest.depends, &manifest.optional];
    let named = lists
        .into_iter()
        .flat_map(|list| ModManifest::requirements(list));
    named
        .map(|requirement| requirement.id)
        .chain([PROJECT_SPACE.to_owned()])
        .collect()
}

fn override_fault(
    manifest: &ModManifest,
    target: &str,
    own: &str,
    named: &BTreeSet<String>,
) -> Option<Fault> {
    let fault = |message: String, help: &str| {
        Some(Fault {
            code: "E-LEVEL-OVERRIDE",
            message,
            help: Some(help.to_owned()),
            ..Fault::default()
        })
    };
    let mut paths = Vec::new();
    for text in [target, own] {
        match LogicalPath::parse(text, &manifest.id) {
            Ok(path) => paths.push(path),
            Err(error) => {
                return Some(Fault {
                    code: error.code(),
                    message: format!("`{}` {error}", shown(text)),
                    help: Some(LogicalPath::HELP.to_owned()),
                    ..Fault::default()
                });
            }
        }
    }
    let [there, here] = paths.as_slice() else {
        return None;
    };
    if there.space == manifest.id {
        return fault(
            format!("`{}` is a file of the mod itself", shown(target)),
            "name a file of another one on the left, such as \"plaza:hero.lua\" or \"sinew:hero.glb\"",
        );
    }
    if here.space != manifest.id {
        return fault(
            format!("`{}` is no file of this mod", shown(own)),
            "name a file of the mod on the right, such as \"hero.lua\"",
        );
    }
    if !named.contains(&there.space) {
        return fault(
            format!(
                "the mod changes a file of `{}`, but does not say that it needs it",
                there.space
            ),
            &format!("add `depends = [\"{}\"]`", there.space),
        );
    }
    match (OverrideKind::of(there), OverrideKind::of(here)) {
        (None, _) => fault(
            format!("`{}` is no file that a mod can change", shown(target)),
            "scripts and graphs are patched; models, clips files, images and their data are replaced",
        ),
        (Some(wanted), found) if found != Some(wanted) => fault(
            format!(
                "`{}` cannot stand for `{}`: {}",
                shown(own),
                shown(target),
                wanted.expected()
            ),
            "name a file of the same kind",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
