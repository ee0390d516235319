//! The architecture as Cargo sees it: who may use whom.

use std::{collections::BTreeSet, fs, path::Path};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Direct dependencies that each crate may have. `docs/architecture.md` says why.
const ALLOWED: &[(&str, &str)] = &[
    (
        "sinew-anim",
        "glam serde serde_json serde_path_to_error schemars thiserror bytemuck",
    ),
    (
        "sinew-model",
        "sinew-anim glam serde serde_json serde_path_to_error schemars thiserror tracing bytemuck base64 draco-core meshopt image",
    ),
    (
        "sinew-assets",
        "sinew-anim sinew-model glam serde serde_json schemars thiserror tracing toml zip flate2 semver",
    ),
    (
        "sinew-world",
        "sinew-anim sinew-model sinew-assets glam serde serde_json thiserror tracing rayon rapier3d",
    ),
    (
        "sinew-script",
        "sinew-anim sinew-model sinew-assets sinew-world glam serde serde_json thiserror tracing annotate-snippets mlua rhai",
    ),
    (
        "sinew-render",
        "sinew-anim sinew-model glam bytemuck thiserror tracing wgpu pollster",
    ),
    (
        "sinew",
        "sinew-anim sinew-model sinew-assets sinew-world sinew-script sinew-render glam serde serde_json tracing tracing-subscriber \
         anyhow image winit notify clap egui egui-wgpu wgpu",
    ),
    ("generator", "glam libm serde serde_json thiserror"),
];

#[test]
fn every_crate_keeps_to_its_allowed_dependencies() {
    let manifest = sinew_tests::project().join("Cargo.toml");
    let metadata = MetadataCommand::new()
        .manifest_path(manifest)
        .no_deps()
        .exec()
        .expect("cargo describes the workspace");
    for package in metadata.workspace_packages() {
        if package.name.as_str() == "sinew-tests" {
            continue;
        }
        let allowed = ALLOWED
            .iter()
            .find(|(name, _)| *name == package.name.as_str());
        let (_, allowed) =
            allowed.unwrap_or_else(|| panic!("`{}` is not in the list", package.name));
        let allowed: BTreeSet<&str> = allowed.split_whitespace().collect();
        let surplus: Vec<&str> = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.as_str())
            .filter(|name| !allowed.contains(name))
            .collect();
        assert!(
            surplus.is_empty(),
            "`{}` may not use {surplus:?}",
            package.name
        );
    }
}

#[test]
fn every_file_with_unsafe_code_is_in_the_list() {
    let root = sinew_tests::project();
    let listed = fs::read_to_string(root.join("docs/architecture.md")).expect("the page is there");
    let mut sources = Vec::new();
    for folder in ["engine", "scripting", "assets/generator"] {
        rust_files(&root.join(folder), &mut sources);
    }
    let tests = Path::new("tests");
    for file in sources {
        let text = fs::read_to_string(&file).expect("readable");
        let path = file.strip_prefix(&root).expect("inside");
        let in_tests = path.components().any(|part| part.as_os_str() == tests);
        if text.contains("unsafe_code") && !in_tests {
            let name = path.to_string_lossy().replace('\\', "/");
            assert!(
                listed.contains(&format!("`{name}`")),
                "`{name}` is not in docs/architecture.md"
            );
        }
    }
}

fn rust_files(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}
