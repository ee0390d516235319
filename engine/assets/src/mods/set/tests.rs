use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;
use crate::{AssetError, ModChanges, OverrideKind};

const GRAPH: &str = r#"{ "parameters": { "speed": 1 }, "layers": [{ "name": "base", "entry": "idle", "states": { "idle": { "clip": "idle" } } }] }"#;

/// A project with a level and a folder of mods.
struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self {
            folder: tempfile::tempdir().expect("a folder"),
        };
        let level = "id = \"plaza\"\nversion = \"1.2.0\"\npermissions = [\"camera\"]\n[actions]\njump = { keys = [\"Space\"] }\nmove = { left = [\"A\"] }\n";
        project.write("samples/plaza/level.toml", level);
        project.write("samples/plaza/hero.lua", "return {}");
        project.write("assets/hero.glb", "the hero");
        project.write("assets/graphs/walk.animgraph.json", GRAPH);
        project.write("assets/notes.bin", "notes");
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("can be made");
        fs::write(file, text).expect("can be written");
    }

    fn add(&self, id: &str, rest: &str, files: &[(&str, &str)]) {
        self.write(&format!("mods/{id}/mod.toml"), &manifest(id, rest));
        for (name, text) in files {
            self.write(&format!("mods/{id}/{name}"), text);
        }
    }

    /// The level's files with all mods in use.
    fn open(&self) -> Assets {
        let mut assets = Assets::new(self.folder.path());
        let level = assets
            .open_level(&self.path("samples/plaza"))
            .expect("a level");
        let found = assets.find_mods(&[self.path("mods")]);
        assets.use_mods(ModSet::new(found, ModLevel::of(&level)));
        assets
    }
}

fn manifest(id: &str, rest: &str) -> String {
    format!("id = \"{id}\"\nversion = \"1.0.0\"\napi = \"1.0\"\ndepends = [\"plaza\"]\n{rest}")
}

fn path(text: &str) -> LogicalPath {
    LogicalPath::parse(text, "plaza").expect(text)
}

fn read(assets: &Assets, text: &str) -> String {
    let bytes = assets
        .read(&path(text))
        .unwrap_or_else(|error| error.to_string().into());
    String::from_utf8(bytes).expect("text")
}

fn codes(faults: &[Diagnostic]) -> Vec<&str> {
    faults.iter().map(|fault| fault.code.as_str()).collect()
}

#[test]
fn a_file_is_replaced_whole_and_the_last_mod_has_its_way() {
    let project = Project::new();
    let replace = "[overrides]\n\"sinew:hero.glb\" = \"art/hero.glb\"\n";
    project.add("aa", replace, &[("art/hero.glb", "a's hero")]);
    let assets = project.open();
    assert_eq!(read(&assets, "sinew:hero.glb"), "a's hero");
    assert_eq!(read(&assets, "aa:art/hero.glb"), "a's hero");
    assert!(assets.mods.conflicts.is_empty());
    project.add("bb", replace, &[("art/hero.glb", "b's hero")]);
    let assets = project.open();
    assert_eq!(read(&assets, "sinew:hero.glb"), "b's hero");
    let conflict = Conflict {
        what: "sinew:hero.glb".to_owned(),
        mods: vec!["aa".to_owned(), "bb".to_owned()],
    };
    assert_eq!(assets.mods.conflicts, [conflict]);
    assert_eq!(
        assets.mods.source_of(&path("sinew:hero.glb")),
        &path("bb:art/hero.glb")
    );
}

#[test]
fn what_replaces_can_be_replaced_and_circles_end() {
    let project = Project::new();
    project.add(
        "aa",
        "[overrides]\n\"sinew:notes.bin\" = \"n.bin\"\n",
        &[("n.bin", "a")],
    );
    project.add(
        "bb",
        "optional = [\"aa\"]\n[overrides]\n\"aa:n.bin\" = \"n.bin\"\n",
        &[("n.bin", "b")],
    );
    assert_eq!(read(&project.open(), "sinew:notes.bin"), "b");
    project.add("aa", "optional = [\"bb\"]\n[overrides]\n\"sinew:notes.bin\" = \"n.bin\"\n\"bb:n.bin\" = \"n.bin\"\n", &[]);
    let text = read(&project.open(), "sinew:notes.bin");
    assert!(text == "a" || text == "b", "{text}");
}

#[test]
fn scripts_are_listed_as_patches_in_load_order_and_stay_as_they_are() {
    let project = Project::new();
    let patch = |own: &str| format!("[overrides]\n\"plaza:hero.lua\" = \"{own}\"\n");
    project.add(
        "aa",
        &("load_after = [\"bb\"]\n".to_owned() + &patch("x.lua")),
        &[("x.lua", "return {}")],
    );
    project.add("bb", &patch("y.rhai"), &[("y.rhai", "")]);
    let assets = project.open();
    assert_eq!(
        assets.mods.patches(&path("hero.lua")),
        [path("bb:y.rhai"), path("aa:x.lua")]
    );
    assert_eq!(read(&assets, "hero.lua"), "return {}");
    assert!(assets.mods.patches(&path("aa:x.lua")).is_empty());
    assert!(assets.mods.conflicts.is_empty(), "patches go together");
    assert_eq!(assets.mods.overridden().count(), 1);
}

#[test]
fn graphs_are_merged_in_load_order_and_follow_their_patches() {
    let project = Project::new();
    let over = "[overrides]\n\"sinew:graphs/walk.animgraph.json\" = \"g.animgraph.json\"\n";
    let moon = r#"{ "parameters": { "moon": false }, "layers": [{ "name": "base", "states": { "moon": { "graph": "moon.animgraph.json" } } }] }"#;
    project.add("aa", over, &[("g.animgraph.json", moon)]);
    project.add(
        "bb",
        over,
        &[(
            "g.animgraph.json",
            r#"{ "parameters": { "speed": 7, "moon": true } }"#,
        )],
    );
    let mut assets = project.open();
    let graph = path("sinew:graphs/walk.animgraph.json");
    let loaded = assets.graph(&graph).expect("it merges");
    let text = serde_json::to_value(&*loaded.value).expect("plain data");
    assert_eq!(
        text["parameters"],
        serde_json::json!({ "moon": true, "speed": 7.0 })
    );
    assert_eq!(text["layers"][0]["states"]["idle"]["clip"], "idle");
    // A path in a patch is of the mod that writes it.
    assert_eq!(
        text["layers"][0]["states"]["moon"]["graph"],
        "aa:moon.animgraph.json"
    );

    let patch = path("bb:g.animgraph.json");
    assert!(assets.loaded().any(|path| *path == patch), "it is watched");
    let changed = assets.replace(&patch, br#"{ "parameters": { "speed": 9 } }"#.to_vec());
    assert_eq!(
        changed.expect("a good patch").graphs,
        std::slice::from_ref(&graph)
    );
    let again = assets.graph(&graph).expect("still there");
    assert_eq!(again.generation, 2);
    let fault = assets.replace(&patch, br#"{ "parameters": { "speed": true } }"#.to_vec());
    let fault = fault.expect_err("another kind");
    assert_eq!(fault.file.as_deref(), Some("mods/bb/g.animgraph.json"));
    assert!(
        fault.message.contains("is a float") && fault.span.is_some(),
        "{fault}"
    );
    assert_eq!(
        assets.graph(&graph).expect("the last good one").generation,
        2
    );
}

#[test]
fn an_override_whose_file_is_not_there_does_not_act_and_says_what_is_nearest() {
    let project = Project::new();
    project.add(
        "aa",
        "[overrides]\n\"sinew:hreo.glb\" = \"a.glb\"\n",
        &[("a.glb", "x")],
    );
    project.add(
        "bb",
        "[overrides]\n\"sinew:hero.glb\" = \"b.glb\"\n",
        &[("bb.glb", "x")],
    );
    let assets = project.open();
    assert_eq!(read(&assets, "sinew:hero.glb"), "the hero");
    let said: Vec<String> = assets.mods.faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        codes(&assets.mods.faults),
        ["E-ASSET-MISSING", "E-ASSET-MISSING"]
    );
    assert!(
        said[0].contains("sinew:hero.glb") && said[0].contains("mods/aa/mod.toml:6"),
        "{said:?}"
    );
    assert!(said[1].contains("bb:bb.glb"), "{said:?}");
}

#[test]
fn an_override_of_a_mod_that_is_not_there_is_no_fault() {
    let project = Project::new();
    project.add(
        "aa",
        "optional = [\"hats\"]\n[overrides]\n\"hats:hat.glb\" = \"a.glb\"\n",
        &[("a.glb", "x")],
    );
    let assets = project.open();
    assert!(assets.mods.faults.is_empty() && assets.mods.overridden().count() == 0);
}

#[test]
fn a_mod_that_does_not_read_keeps_no_other_from_loading() {
    let project = Project::new();
    project.add("aa", "", &[]);
    project.write("mods/bad/mod.toml", "id = 7");
    project.write("mods/bad.zip", "no archive");
    project.write(
        "mods/zz/mod.toml",
        &manifest("zz", "").replace("plaza", "nothing"),
    );
    let mods = project.open().mods;
    assert_eq!(mods.mods.len(), 1);
    assert_eq!(mods.left_out.len(), 1);
    assert!(
        codes(&mods.faults).contains(&"E-ARCHIVE-BROKEN"),
        "{:?}",
        mods.faults
    );
    assert!(
        codes(&mods.faults).contains(&"E-MOD-TYPE"),
        "{:?}",
        mods.faults
    );
}

#[test]
fn permissions_are_those_that_are_asked_for() {
    let project = Project::new();
    project.add("aa", "permissions = [\"storage\"]", &[]);
    let mods = project.open().mods;
    for (space, camera, storage) in [
        ("plaza", true, false),
        (PROJECT_SPACE, true, false),
        ("aa", false, true),
        ("nobody", false, false),
    ] {
        assert_eq!(mods.allows(space, Permission::Camera), camera, "{space}");
        assert_eq!(mods.allows(space, Permission::Storage), storage, "{space}");
    }
}

#[test]
fn actions_are_added_and_keys_changed_but_not_kinds() {
    let project = Project::new();
    project.add(
        "aa",
        "[actions]\nmoon = { keys = [\"M\"] }\njump = { keys = [\"J\"] }\n",
        &[],
    );
    let mods = project.open().mods;
    assert_eq!(mods.actions["moon"].keys, ["M"]);
    assert_eq!(mods.actions["jump"].keys, ["J"]);
    assert!(mods.actions["move"].is_vector() && mods.conflicts.is_empty());
    project.add(
        "bb",
        "[actions]\njump = { keys = [\"K\"] }\nmove = { keys = [\"L\"] }\n",
        &[],
    );
    let mods = project.open().mods;
    assert_eq!(mods.actions["jump"].keys, ["K"]);
    assert!(mods.actions["move"].is_vector());
    assert_eq!(codes(&mods.faults), ["E-MOD-ACTION-KIND"]);
    assert_eq!(mods.conflicts[0].what, "action jump");
}

fn zip(file: &Path, entries: &[(&str, &str)]) {
    let mut writer = ZipWriter::new(fs::File::create(file).expect("a file"));
    for (name, text) in entries {
        let options = SimpleFileOptions::default();
        writer.start_file(*name, options).expect("a name");
        writer.write_all(text.as_bytes()).expect("bytes");
    }
    writer.finish().expect("an archive");
}

#[test]
fn an_archive_is_a_mod_as_a_folder_is() {
    let project = Project::new();
    fs::create_dir_all(project.path("mods")).expect("a folder");
    let toml = manifest("aa", "[overrides]\n\"sinew:hero.glb\" = \"art/hero.glb\"\n");
    let inside = [
        ("aa/mod.toml", toml.as_str()),
        ("aa/art/hero.glb", "packed"),
        ("aa/x.lua", "return 1"),
    ];
    zip(&project.path("mods/aa-1.0.zip"), &inside);
    let mut assets = project.open();
    assert!(assets.mods.faults.is_empty(), "{:?}", assets.mods.faults);
    assert_eq!(read(&assets, "sinew:hero.glb"), "packed");
    assert_eq!(
        &*assets.text(&path("aa:x.lua")).expect("a text").value,
        "return 1"
    );
    assert_eq!(assets.display(&path("aa:x.lua")), "mods/aa-1.0.zip/x.lua");
    assert_eq!(assets.list("aa").len(), 3);
    let wrong_case = assets
        .read(&path("aa:X.lua"))
        .expect_err("another spelling");
    assert!(
        matches!(wrong_case, AssetError::WrongCase { .. }),
        "{wrong_case}"
    );
    let missing = assets.read(&path("aa:y.lua")).expect_err("not there");
    assert_eq!(missing.suggestion(), Some("aa:x.lua"));
    assert_eq!(
        assets.file_of(&path("aa:x.lua")),
        None,
        "nothing is on disk"
    );
}

#[test]
fn an_archive_with_a_way_out_is_refused_and_nothing_of_it_is_used() {
    let project = Project::new();
    fs::create_dir_all(project.path("mods")).expect("a folder");
    let toml = manifest("aa", "");
    zip(
        &project.path("mods/aa.zip"),
        &[("mod.toml", &toml), ("../saves/x", "evil")],
    );
    let assets = project.open();
    assert!(assets.mods.mods.is_empty());
    assert_eq!(codes(&assets.mods.faults), ["E-PATH-PARENT"]);
    assert!(!project.path("saves").exists() && !project.path("mods/saves").exists());
    assert!(assets.read(&path("aa:mod.toml")).is_err());
}

#[test]
fn a_named_mod_is_taken_alone_and_a_missing_one_is_told() {
    let project = Project::new();
    project.add("aa", "", &[]);
    project.add("bb", "", &[]);
    let assets = Assets::new(project.folder.path());
    let found = assets.find_mods(&[project.path("mods/bb"), project.path("mods/bb")]);
    assert_eq!(found.mods.len(), 1);
    assert_eq!(found.mods[0].shown, "mods/bb/mod.toml");
    let found = assets.find_mods(&[project.path("mods/b")]);
    assert_eq!(codes(&found.faults), ["E-MOD-MISSING"]);
    let help = found.faults[0].help.as_deref();
    assert!(
        help.is_some_and(|help| help.contains("mods/bb")),
        "{help:?}"
    );
}

#[test]
fn the_difference_of_two_sets_names_what_is_to_be_done() {
    let project = Project::new();
    let before = project.open().mods;
    assert!(before.changes(&before).is_empty());
    let over = "[overrides]\n\"plaza:hero.lua\" = \"x.lua\"\n\"sinew:hero.glb\" = \"x.glb\"\n\"sinew:graphs/walk.animgraph.json\" = \"x.animgraph.json\"\n[actions]\nmoon = { keys = [\"M\"] }\n";
    project.add(
        "aa",
        over,
        &[("x.lua", ""), ("x.glb", ""), ("x.animgraph.json", "{}")],
    );
    let after = project.open().mods;
    let expected = ModChanges {
        added: vec!["aa".to_owned()],
        scripts: vec![path("hero.lua")],
        graphs: vec![path("sinew:graphs/walk.animgraph.json")],
        assets: vec![path("sinew:hero.glb")],
        actions: true,
        ..ModChanges::default()
    };
    assert_eq!(before.changes(&after), expected);
    let back = ModChanges {
        added: Vec::new(),
        removed: expected.added.clone(),
        ..expected
    };
    assert_eq!(after.changes(&before), back);
    project.add("aa", over, &[("x.lua", "new")]);
    assert!(
        after.changes(&project.open().mods).is_empty(),
        "a script's text is its own affair"
    );
    project.add("aa", &(over.to_owned() + "# a remark\n"), &[]);
    assert_eq!(after.changes(&project.open().mods).changed, ["aa"]);
}

#[test]
fn kinds_of_files_are_told_by_their_endings() {
    for (text, kind) in [
        ("a.lua", Some(OverrideKind::Script)),
        ("a.rhai", Some(OverrideKind::Script)),
        ("a.animgraph.json", Some(OverrideKind::Graph)),
        ("a.clips.json", Some(OverrideKind::Clips)),
        ("a.glb", Some(OverrideKind::Model)),
        ("a.png", Some(OverrideKind::Image)),
        ("a.bin", Some(OverrideKind::Data)),
        ("a.json", None),
        ("level.toml", None),
        ("a", None),
    ] {
        assert_eq!(OverrideKind::of(&path(text)), kind, "{text}");
    }
}
