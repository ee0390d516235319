//! `sinew info`: what is in a model.

use std::{path::Path, sync::Arc};

use serde_json::{Value, json};
use sinew_anim::{Clip, NO_PARENT};
use sinew_assets::{Assets, Diagnostic, LogicalPath};
use sinew_model::{Mesh, Model};

use crate::{Failure, cli::InfoArgs, project::root_of, run::say};

/// Shows what is in a model, for people or as one JSON object.
pub(crate) fn info(args: &InfoArgs) -> Result<(), Failure> {
    let model = load(&args.file)?;
    let shown = args.file.display().to_string();
    let text = if args.json {
        as_json(&model, &shown).to_string()
    } else {
        as_text(&model, &shown)
    };
    say(&text)?;
    Ok(())
}

/// Loads a model by its place on disk; what it refers to must lie in the same space.
pub(crate) fn load(file: &Path) -> Result<Arc<Model>, Box<Diagnostic>> {
    let (mut assets, path) = locate(file)?;
    Ok(assets.model(&path)?.value)
}

/// The logical path of a file wherever it lies: of its project, else of a space made of its own folder.
pub(crate) fn locate(file: &Path) -> Result<(Assets, LogicalPath), Box<Diagnostic>> {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = absolute.parent().unwrap_or(&absolute);
    let mut assets = Assets::new(&root_of(folder));
    if assets.path_of(&absolute).is_none() {
        assets.add_space("folder", folder);
    }
    match assets.path_of(&absolute) {
        Some(path) => Ok((assets, path)),
        None => {
            let message = format!(
                "`{}` is no name that a file of a level can have",
                file.display()
            );
            Err(Box::new(Diagnostic::error("E-FILE-NAME", message)))
        }
    }
}

fn as_json(model: &Model, file: &str) -> Value {
    let skeleton = &model.skeleton;
    let joints = skeleton
        .names
        .iter()
        .zip(&skeleton.parents)
        .map(|(name, &parent)| {
            let parent = skeleton.names.get(usize::from(parent));
            json!({ "name": name, "parent": parent })
        });
    let warnings = model.warnings.iter().map(|warning| {
        json!({ "code": warning.code, "file": warning.file, "pointer": warning.pointer, "message": warning.message })
    });
    json!({
        "file": file,
        "bounds": model.bounds,
        "joints": joints.collect::<Vec<_>>(),
        "morphs": skeleton.morphs,
        "clips": model.clips.iter().map(|clip| clip_json(clip)).collect::<Vec<_>>(),
        "meshes": model.meshes.iter().map(mesh_json).collect::<Vec<_>>(),
        "materials": model.materials.iter().map(|material| &material.name).collect::<Vec<_>>(),
        "textures": model.textures.iter().map(|texture| [texture.width, texture.height]).collect::<Vec<_>>(),
        "variants": model.variants,
        "warnings": warnings.collect::<Vec<_>>(),
    })
}

fn clip_json(clip: &Clip) -> Value {
    json!({
        "name": clip.name,
        "duration": clip.duration,
        "looping": clip.looping,
        "root_joint": clip.root_joint,
        "joints": clip.joints.len(),
        "markers": clip.markers,
        "windows": clip.windows,
        "curves": clip.curves,
    })
}

fn mesh_json(mesh: &Mesh) -> Value {
    let (vertices, triangles) = counts(mesh);
    let influences = mesh
        .primitives
        .iter()
        .map(|part| part.influences.per_vertex)
        .max();
    json!({
        "name": mesh.name,
        "vertices": vertices,
        "triangles": triangles,
        "skinned": mesh.skin.is_some(),
        "influences": influences,
        "morphs": mesh.morphs.len(),
        "lod": mesh.lod,
    })
}

fn counts(mesh: &Mesh) -> (usize, usize) {
    let vertices = mesh
        .primitives
        .iter()
        .map(|part| part.positions.len())
        .sum();
    let triangles = mesh
        .primitives
        .iter()
        .map(|part| part.triangles.len() / 3)
        .sum();
    (vertices, triangles)
}

fn as_text(model: &Model, file: &str) -> String {
    let size = model.bounds[1] - model.bounds[0];
    let mut lines = vec![format!(
        "{file}: {:.2} x {:.2} x {:.2} m",
        size.x, size.y, size.z
    )];
    let skeleton = &model.skeleton;
    lines.push(format!("\n{} joints", skeleton.names.len()));
    let mut depths = vec![0; skeleton.names.len()];
    for (joint, (name, &parent)) in skeleton.names.iter().zip(&skeleton.parents).enumerate() {
        depths[joint] = if parent == NO_PARENT {
            0
        } else {
            depths[usize::from(parent)] + 1
        };
        lines.push(format!("  {}{name}", "  ".repeat(depths[joint])));
    }
    lines.push(format!("\n{} clips", model.clips.len()));
    lines.extend(model.clips.iter().map(|clip| clip_line(clip)));
    lines.push(format!("\n{} meshes", model.meshes.len()));
    for mesh in &model.meshes {
        let (vertices, triangles) = counts(mesh);
        let kind = if mesh.skin.is_some() {
            "skinned"
        } else {
            "rigid"
        };
        lines.push(format!(
            "  {}  {vertices} vertices, {triangles} triangles, {kind}",
            mesh.name
        ));
    }
    list(
        &mut lines,
        "morph targets",
        skeleton.morphs.iter().map(String::as_str),
    );
    list(
        &mut lines,
        "materials",
        model
            .materials
            .iter()
            .map(|material| material.name.as_str()),
    );
    list(
        &mut lines,
        "looks",
        model.variants.iter().map(String::as_str),
    );
    if !model.warnings.is_empty() {
        lines.push(format!("\n{} warnings", model.warnings.len()));
        let line = |warning: &sinew_model::Warning| {
            let file = warning.file.as_deref().map(|file| format!("{file} "));
            format!(
                "  {} at {}{}: {}",
                warning.code,
                file.unwrap_or_default(),
                warning.pointer,
                warning.message
            )
        };
        lines.extend(model.warnings.iter().map(line));
    }
    lines.join("\n")
}

fn clip_line(clip: &Clip) -> String {
    let mut line = format!("  {}  {:.3} s", clip.name, clip.duration);
    if clip.looping == Some(true) {
        line += ", loops";
    }
    if let Some(joint) = &clip.root_joint {
        line += &format!(", moves by `{joint}`");
    }
    for marker in &clip.markers {
        line += &format!("\n      {:.3} s  {}", marker.time, marker.name);
    }
    for window in &clip.windows {
        line += &format!(
            "\n      {:.3} to {:.3} s  {}",
            window.begin, window.end, window.name
        );
    }
    for curve in &clip.curves {
        line += &format!("\n      curve {}, {} keys", curve.name, curve.keys.len());
    }
    line
}

fn list<'a>(lines: &mut Vec<String>, title: &str, names: impl Iterator<Item = &'a str>) {
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        lines.push(format!("\n{} {title}\n  {}", names.len(), names.join(", ")));
    }
}
