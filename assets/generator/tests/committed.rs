//! The committed files are what the generator makes, and are within its limits.

#![allow(
    clippy::print_stderr,
    reason = "says what was compared on this platform"
)]

use generator::{ASSETS, MODS, build_all, check};
use std::path::{Path, PathBuf};

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The committed files were made here. Nothing in the generator depends on the system, so other platforms should agree, but
/// nobody has tried.
const SAME_PLATFORM: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

#[test]
fn the_committed_files_are_what_the_generator_makes() {
    if !SAME_PLATFORM {
        eprintln!("not x86-64 Linux: comparing names and sizes only, not bytes");
    }
    let mods = MODS.iter().map(|asset| (asset.file, (asset.build)()));
    let made = build_all().into_iter();
    let made = made.map(|(file, made)| (format!("assets/{file}"), made));
    for (file, made) in made.chain(mods.map(|(file, made)| (file.to_owned(), made))) {
        let path = assets().join("..").join(&file);
        let committed = std::fs::read(path).expect("the file is committed");
        let (new, old) = (made.len(), committed.len());
        if SAME_PLATFORM {
            let differs = made.iter().zip(&committed).position(|(a, b)| a != b);
            let same = differs.is_none() && new == old;
            assert!(
                same,
                "{file} is not what the generator makes ({old} bytes committed, {new} made, first difference at \
                 {differs:?}); run `cargo run --release -p generator -- assets`, and with `--mods .`"
            );
        } else {
            assert_eq!(names(&made), names(&committed), "{file}");
            let close = new.abs_diff(old) * 50 <= old;
            assert!(close, "{file}: {old} bytes committed, {new} made");
        }
    }
}

/// Names of the nodes, meshes, materials and animations of a file.
fn names(glb: &[u8]) -> Vec<String> {
    let (length, json) = glb[12..].split_first_chunk().expect("a chunk");
    let json = &json[4..4 + u32::from_le_bytes(*length) as usize];
    let json: serde_json::Value = serde_json::from_slice(json).expect("JSON");
    ["nodes", "meshes", "materials", "animations"]
        .iter()
        .flat_map(|list| json[list].as_array().expect("a list"))
        .map(|thing| thing["name"].to_string())
        .collect()
}

#[test]
fn the_committed_files_are_within_the_limits() {
    let report = check::check(&assets()).expect("the files can be measured");
    assert!(report.passes(), "lines that end in '!':\n{report}");
    let table = report.to_string();
    for asset in &ASSETS {
        assert!(table.contains(asset.file), "{} is not measured", asset.file);
    }
    for asset in &MODS {
        let folder = assets().join("..").join(asset.file);
        let report = check::check(folder.parent().expect("a folder")).expect("it can be measured");
        assert!(report.passes(), "lines that end in '!':\n{report}");
    }
}

#[test]
fn characters_have_the_clips_and_looks_that_levels_rely_on() {
    let expected: [(&str, &[&str]); 4] = [
        (
            "hero.glb",
            &[
                "idle",
                "walk",
                "run",
                "jump_start",
                "fall",
                "land",
                "wave",
                "reach",
                "hand_R",
                "ranger",
                "ember",
            ],
        ),
        (
            "fox.glb",
            &["idle", "look", "sit", "walk", "trot", "gallop"],
        ),
        ("robot.glb", &["idle", "walk", "wave"]),
        ("lever.glb", &["pull", "handle"]),
    ];
    for (file, names) in expected {
        let glb = std::fs::read(assets().join(file)).expect("the file is committed");
        let text = String::from_utf8_lossy(&glb);
        for name in names {
            let named = format!("\"name\":\"{name}\"");
            assert!(text.contains(&named), "{file} has no '{name}'");
        }
    }
}
