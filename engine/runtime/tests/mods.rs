//! Mods from the command line and in sessions: which load, what they change, what is said.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use std::{
    fs,
    path::{Path, PathBuf},
};

use common::{TestProject, answer, command, errors};
use sinew::{Options, Project, Session};
use sinew_assets::LogicalPath;

fn add(project: &TestProject, id: &str, rest: &str, files: &[(&str, &str)]) {
    let folder = project.out(&format!("mods/{id}"));
    fs::create_dir_all(&folder).unwrap();
    let manifest = format!("id = \"{id}\"\nversion = \"1.0.0\"\napi = \"1.0\"\n{rest}");
    fs::write(folder.join("mod.toml"), manifest).unwrap();
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

fn open(level: &Path, mods: Vec<PathBuf>) -> Session {
    let options = Options {
        project: Project::of_level(level).unwrap(),
        mods,
        threads: 1,
        seed: 0,
        watch: false,
        budget: sinew_script::Budget::default(),
    };
    Session::open(&options).unwrap_or_else(|faults| panic!("{faults:?}"))
}

fn said(session: &Session) -> Vec<String> {
    let entries = session.console.entries.iter();
    entries.map(|entry| entry.fault.to_string()).collect()
}

const HERO: &str = "sinew:hero.glb";

#[test]
fn a_skin_gives_a_level_another_character_and_the_same_every_time() {
    let root = repository();
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("walk.jsonl");
    let walk = "{\"t\":0,\"action\":\"move\",\"value\":[0,1]}\n";
    fs::write(&input, walk).unwrap();
    let run = |mods: &[&str]| {
        let mut line = vec!["samples/plaza", "--headless", "--frames", "90", "--hash"];
        line.extend(["--input", input.to_str().unwrap()]);
        line.extend(mods);
        let output = command().current_dir(&root).args(line).output().unwrap();
        assert!(output.status.success(), "{}", errors(&output));
        answer(&output)
    };
    let skin = ["--mods", "samples/mods/skin"];
    let with = run(&skin);
    assert_ne!(with, run(&[]), "the hero walks in another way");
    assert_eq!(with, run(&skin));
}

#[test]
fn the_actor_keeps_its_model_by_name_and_gets_that_of_the_mod() {
    let root = repository();
    let level = root.join("samples/plaza");
    let mut plain = open(&level, Vec::new());
    let mut modded = open(&level, vec![root.join("samples/mods/skin")]);
    assert!(said(&modded).is_empty(), "{:?}", said(&modded));
    let path = LogicalPath::parse(HERO, "plaza").unwrap();
    let before = plain.world.assets.model(&path).unwrap().value;
    let after = modded.world.assets.model(&path).unwrap().value;
    assert_eq!(before.variants, after.variants);
    let colors = |model: &sinew_model::Model| format!("{:?}", model.materials);
    assert_ne!(colors(&before), colors(&after), "other clothes");
    assert_eq!(before.skeleton.names, after.skeleton.names);
    let walk = |model: &sinew_model::Model| {
        let clip = model.clips.iter().find(|clip| clip.name == "walk");
        format!("{:?}", clip.unwrap().joints)
    };
    assert_ne!(walk(&before), walk(&after), "another gait");
    // The file of the mod is what a change is noticed in.
    let own = LogicalPath::parse("skin:hero.glb", "plaza").unwrap();
    assert!(modded.world.assets.loaded().any(|path| *path == own));
    let bytes = fs::read(root.join("assets/hero.glb")).unwrap();
    assert!(modded.reload(vec![(own, bytes)]));
    let reloaded = modded.world.assets.model(&path).unwrap();
    assert_eq!(reloaded.generation, 2);
    assert_eq!(walk(&reloaded.value), walk(&before));
}

#[test]
fn mods_of_the_project_are_used_unless_told_otherwise() {
    let project = TestProject::without_scripts();
    add(
        &project,
        "keys",
        "[actions]\nmoon = { keys = [\"M\"] }\n",
        &[],
    );
    let line = [
        "samples/yard",
        "--headless",
        "--frames",
        "2",
        "--input",
        "moon.jsonl",
    ];
    fs::write(
        project.out("moon.jsonl"),
        "{\"t\":0,\"action\":\"moon\",\"value\":1}\n",
    )
    .unwrap();
    let output = project.sinew(&line);
    assert!(output.status.success(), "{}", errors(&output));
    let without = [&line[..], &["--no-mods"]].concat();
    let output = project.sinew(&without);
    assert!(errors(&output).contains("moon"), "{}", errors(&output));
    assert!(!output.status.success(), "there is no such action then");
}

#[test]
fn a_mod_that_is_wrong_keeps_no_level_from_running_and_is_said() {
    let project = TestProject::without_scripts();
    add(&project, "lost", "depends = [\"yrad\"]", &[]);
    add(
        &project,
        "typo",
        "[overrides]\n\"sinew:hreo.glb\" = \"x.glb\"\n",
        &[("x.glb", "")],
    );
    fs::write(project.out("mods/bad.zip"), "no archive").unwrap();
    let output = project.sinew(&["samples/yard", "--headless", "--frames", "2"]);
    let told = errors(&output);
    assert!(output.status.success(), "{told}");
    for words in [
        "`lost` is left out",
        "did you mean `yard`?",
        "mods/lost/mod.toml:4",
        "hreo.glb",
        "mods/bad.zip",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let output = project.sinew(&[
        "samples/yard",
        "--headless",
        "--frames",
        "2",
        "--mods",
        "mods/lst",
    ]);
    assert!(errors(&output).contains("mods/lost"), "{}", errors(&output));
}

#[test]
fn the_list_the_order_and_the_conflicts_are_shown() {
    let project = TestProject::without_scripts();
    let replace = "[overrides]\n\"sinew:hero.glb\" = \"x.glb\"\n";
    add(
        &project,
        "aa",
        &format!("title = \"First\"\noptional = [\"bb\"]\n{replace}"),
        &[("x.glb", "1")],
    );
    add(
        &project,
        "bb",
        &format!("optional = [\"aa\"]\n{replace}"),
        &[("x.glb", "2")],
    );
    add(
        &project,
        "cc",
        "depends = [\"dd >= 1.0\", \"yard\"]\npermissions = [\"storage\"]",
        &[],
    );
    add(&project, "dd", "", &[]);
    add(&project, "zz", "depends = [\"nothing\"]", &[]);
    let shown = |line: &[&str]| {
        let output = project.sinew(&[&["mods"], line].concat());
        assert!(output.status.success(), "{}", errors(&output));
        answer(&output)
    };
    let list = shown(&["list", "samples/yard"]);
    for words in [
        "4 mods for the level yard 1.0.0",
        "aa 1.0.0  First",
        "changes sinew:hero.glb by x.glb",
        "may storage",
        "left out: zz",
    ] {
        assert!(list.contains(words), "{words}: {list}");
    }
    let order = shown(&["order", "samples/yard", "--explain"]);
    let places: Vec<usize> = ["1. aa", "2. bb", "3. dd", "4. cc"]
        .iter()
        .map(|line| order.find(line).expect(line))
        .collect();
    assert!(places.is_sorted(), "{order}");
    for words in [
        "not after bb, which it can make use of",
        "after aa, which it can",
        "after dd, which it needs",
        "waits for no other mod",
    ] {
        assert!(order.contains(words), "{words}: {order}");
    }
    let conflicts = shown(&["conflicts", "samples/yard"]);
    assert!(
        conflicts.contains("sinew:hero.glb: aa, bb (bb has its way)"),
        "{conflicts}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&shown(&["list", "samples/yard", "--json"])).unwrap();
    assert_eq!(json["mods"][3]["manifest"]["id"], "cc");
    assert_eq!(json["left_out"][0]["id"], "zz");
    assert_eq!(
        json["conflicts"][0]["mods"],
        serde_json::json!(["aa", "bb"])
    );
    assert!(shown(&["order", "samples/yard", "--mods", "mods/dd"]).contains("1. dd"));
}

#[test]
fn a_mod_is_checked_without_a_level_that_runs() {
    let project = TestProject::without_scripts();
    let good = "depends = [\"yard\"]\n[overrides]\n\"sinew:hero.glb\" = \"x.glb\"\n";
    add(&project, "aa", good, &[]);
    fs::copy(project.out("assets/hero.glb"), project.out("mods/aa/x.glb")).unwrap();
    let check = |place: &str| {
        let output = project.sinew(&["check", place]);
        (
            output.status.success(),
            answer(&output) + errors(&output).as_str(),
        )
    };
    assert!(check("mods/aa").0, "{}", check("mods/aa").1);
    assert!(check("mods/aa/mod.toml").0);
    // A fox is no hero: it loads, and what it lacks is told.
    fs::copy(
        repository().join("assets/fox.glb"),
        project.out("mods/aa/x.glb"),
    )
    .unwrap();
    let (passes, told) = check("mods/aa");
    assert!(
        passes && told.contains("W-MOD-MODEL") && told.contains("`fall`"),
        "{told}"
    );
    add(&project, "bb", "depends = [\"yard >= 2\"]", &[]);
    add(
        &project,
        "cc",
        "depends = [\"yard\"]\n[overrides]\n\"yard:lvel.lua\" = \"x.lua\"\n",
        &[("x.lua", "return {")],
    );
    add(&project, "dd", "permissions = [\"storge\"]", &[]);
    for (place, words) in [
        ("mods/bb", vec!["`bb` is left out", "yard >=2"]),
        ("mods/cc", vec!["yard:lvel.lua", "mods/cc/x.lua"]),
        ("mods/cc/x.lua", vec!["mods/cc/x.lua"]),
        ("mods/dd", vec!["storge", "storage"]),
        ("mods", vec!["storge", "`bb` is left out", "mods/cc/x.lua"]),
    ] {
        let (passes, told) = check(place);
        assert!(!passes, "{place}: {told}");
        for word in words {
            assert!(told.contains(word), "{place} should say {word}: {told}");
        }
    }
}

#[test]
fn a_recording_names_its_mods_and_is_replayed_with_them_alone() {
    let project = TestProject::without_scripts();
    add(
        &project,
        "keys",
        "[actions]\nmoon = { keys = [\"M\"] }\n",
        &[],
    );
    let record = [
        "samples/yard",
        "--headless",
        "--frames",
        "30",
        "--record",
        "run.jsonl",
    ];
    let output = project.sinew(&record);
    assert!(output.status.success(), "{}", errors(&output));
    let output = project.sinew(&["--headless", "--replay", "run.jsonl"]);
    assert!(output.status.success(), "{}", errors(&output));
    let output = project.sinew(&["--headless", "--replay", "run.jsonl", "--no-mods"]);
    let told = errors(&output);
    assert!(
        !output.status.success() && told.contains("keys 1.0.0") && told.contains("no mods"),
        "{told}"
    );
}
