//! `sinew mods`: which mods load for a level, in what order and why, and where two want the same.

use std::io::IsTerminal;

use serde_json::{Value, json};
use sinew_assets::{Assets, EdgeReason, Mod, ModLevel, ModSet, Permission};

use crate::{
    Failure,
    cli::{ModsArgs, ModsView},
    project::Project,
    run::say,
};

/// Answers for people or as one JSON object. Mods that are wrong are part of the answer, not a failure.
pub(crate) fn mods(args: &ModsArgs) -> Result<(), Failure> {
    let project = match &args.level {
        Some(level) => Project::of_level(level)?,
        None => Project::of_default_level()?,
    };
    let places = project.mods(&args.mods);
    let mut assets = Assets::new(&project.root);
    let level = assets.open_level(&project.level)?;
    let found = assets.find_mods(&places);
    assets.use_mods(ModSet::new(found, ModLevel::of(&level)));
    let set = &assets.mods;
    if args.json {
        return Ok(say(&as_json(set).to_string())?);
    }
    let mut answer = match args.view {
        ModsView::List => list(set),
        ModsView::Order => order(set, args.explain),
        ModsView::Conflicts => conflicts(set),
    };
    let said_already = args.view == ModsView::Conflicts;
    for fault in &set.remarks() {
        if !(said_already && fault.code == "W-MOD-CONFLICT") {
            let color = std::io::stdout().is_terminal();
            answer.push(String::new());
            answer.push(sinew_script::render(fault, color).trim_end().to_owned());
        }
    }
    Ok(say(&answer.join("\n"))?)
}

/// What each mod is, in load order.
fn list(set: &ModSet) -> Vec<String> {
    let mut lines = vec![format!(
        "{} for the level {} {}",
        count(set.mods.len(), "mod"),
        set.level.id,
        set.level.version
    )];
    for one in &set.mods {
        let manifest = &one.manifest;
        lines.push(format!(
            "  {} {}  {}",
            manifest.id,
            manifest.version,
            manifest.shown()
        ));
        lines.extend(
            details(one)
                .into_iter()
                .map(|detail| format!("      {detail}")),
        );
    }
    lines.extend(left_out(set));
    lines
}

fn details(one: &Mod) -> Vec<String> {
    let manifest = &one.manifest;
    let mut details = vec![format!("from {}", one.shown)];
    let changes = manifest.overrides.iter();
    details.extend(changes.map(|(target, own)| format!("changes {target} by {own}")));
    for (word, names) in [
        ("needs", manifest.depends.clone()),
        (
            "may",
            manifest
                .permissions
                .iter()
                .map(|&it| permission(it).to_owned())
                .collect(),
        ),
        (
            "has the actions",
            manifest.actions.keys().cloned().collect(),
        ),
    ] {
        if !names.is_empty() {
            details.push(format!("{word} {}", names.join(", ")));
        }
    }
    details
}

fn permission(permission: Permission) -> &'static str {
    match permission {
        Permission::Storage => "storage",
        Permission::Camera => "camera",
    }
}

fn left_out(set: &ModSet) -> Vec<String> {
    let ids: Vec<&str> = set.left_out.iter().map(|out| out.id.as_str()).collect();
    if ids.is_empty() {
        Vec::new()
    } else {
        vec![format!("left out: {}", ids.join(", "))]
    }
}

/// The load order; the reasons where they are asked for.
fn order(set: &ModSet, explain: bool) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, one) in set.mods.iter().enumerate() {
        let id = &one.manifest.id;
        lines.push(format!("{}. {id} {}", number + 1, one.manifest.version));
        if explain {
            lines.extend(
                reasons(set, id)
                    .into_iter()
                    .map(|reason| format!("     {reason}")),
            );
        }
    }
    if lines.is_empty() {
        lines.push("no mods".to_owned());
    }
    lines.extend(left_out(set));
    lines
}

fn reasons(set: &ModSet, id: &str) -> Vec<String> {
    let own = set.edges.iter().filter(|edge| edge.after == id);
    let mut reasons: Vec<String> = own
        .map(|edge| {
            let why = match edge.reason {
                EdgeReason::Depends => "which it needs",
                EdgeReason::Optional => "which it can make use of",
                EdgeReason::LoadAfter => "as it asks to",
            };
            if edge.dropped {
                format!(
                    "not after {}, {why}: they would wait for each other",
                    edge.before
                )
            } else {
                format!("after {}, {why}", edge.before)
            }
        })
        .collect();
    if reasons.is_empty() {
        reasons.push("waits for no other mod: by its id".to_owned());
    }
    reasons
}

fn conflicts(set: &ModSet) -> Vec<String> {
    let told = set.conflicts.iter().map(|conflict| {
        let last = conflict.mods.last().map_or("", String::as_str);
        format!(
            "{}: {} ({last} has its way)",
            conflict.what,
            conflict.mods.join(", ")
        )
    });
    let lines: Vec<String> = told.collect();
    if lines.is_empty() {
        vec!["no two mods replace the same".to_owned()]
    } else {
        lines
    }
}

fn count(number: usize, what: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {what}{end}")
}

fn as_json(set: &ModSet) -> Value {
    let mods = set.mods.iter().map(|one| {
        json!({
            "manifest": one.manifest,
            "file": one.shown,
            "why": set.edges.iter().filter(|edge| edge.after == one.manifest.id).map(|edge| json!({
                "after": edge.before, "reason": edge.reason.key(), "dropped": edge.dropped,
            })).collect::<Vec<_>>(),
        })
    });
    let left_out = set
        .left_out
        .iter()
        .map(|out| json!({ "id": out.id, "why": out.fault }));
    let conflicts = set
        .conflicts
        .iter()
        .map(|conflict| json!({ "what": conflict.what, "mods": conflict.mods }));
    json!({
        "level": { "id": set.level.id, "version": set.level.version },
        "mods": mods.collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
        "conflicts": conflicts.collect::<Vec<_>>(),
        "faults": set.faults,
    })
}
