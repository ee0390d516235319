//! The architecture as Cargo sees it: who may use whom.

use std::collections::BTreeSet;

use cargo_metadata::{DependencyKind, MetadataCommand};

/// Direct dependencies that each crate may have. `docs/architecture.md` says why.
const ALLOWED: &[(&str, &str)] = &[
    (
        "sinew-anim",
        "glam serde serde_json serde_path_to_error schemars thiserror bytemuck",
    ),
    (
        "sinew-model",
        "sinew-anim glam serde serde_json serde_path_to_error thiserror tracing bytemuck gltf base64 draco-core meshopt image",
    ),
    (
        "sinew-assets",
        "sinew-anim sinew-model glam serde serde_json schemars thiserror tracing toml",
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
         anyhow image pollster winit notify clap egui egui-wgpu wgpu rayon",
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
        let allowed = ALLOWED.iter().find(|(name, _)| *name == package.name.as_str());
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("`{}` is not in the list", package.name));
        let allowed: BTreeSet<&str> = allowed.split_whitespace().collect();
        let surplus: Vec<&str> = package
            .dependencies
            .iter()
            .filter(|dependency| dependency.kind == DependencyKind::Normal)
            .map(|dependency| dependency.name.as_str())
            .filter(|name| !allowed.contains(name))
            .collect();
        assert!(surplus.is_empty(), "`{}` may not use {surplus:?}", package.name);
    }
}
