//! The command line as a person meets it: what works, and what is said when something does not.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says what it skipped"
)]

mod common;

use common::{LEVEL, TestProject, answer, command, errors};
use std::fs;

/// A refusal: exit code 1, the expected words, nothing that only a programmer understands.
fn refuse(project: &TestProject, arguments: &[&str], expected: &[&str]) {
    let output = project.sinew(arguments);
    let said = errors(&output);
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
    for words in expected {
        assert!(
            said.contains(words),
            "{arguments:?} should say {words:?}: {said}"
        );
    }
    for word in [
        "panicked",
        "RUST_BACKTRACE",
        "stack backtrace",
        "Os {",
        "unwrap",
    ] {
        assert!(!said.contains(word), "{arguments:?} says {word:?}: {said}");
    }
}

#[test]
fn bad_arguments_are_clear_errors() {
    let project = TestProject::without_scripts();
    refuse(&project, &["--nonsense"], &["--nonsense", "--help"]);
    refuse(
        &project,
        &["samples/yard", "--headless", "--frames", "many"],
        &["--frames", "many"],
    );
    refuse(
        &project,
        &["samples/yard", "--headless", "--dt", "0"],
        &["--dt", "0.0001 to 1 second"],
    );
    refuse(
        &project,
        &["samples/yard", "--headless", "--threads", "0"],
        &["--threads"],
    );
    refuse(
        &project,
        &["samples/yard", "--size", "big"],
        &["--size", "1280x720"],
    );
    refuse(
        &project,
        &["samples/yard", "--dt", "0.1"],
        &["--dt", "--headless"],
    );
    refuse(
        &project,
        &["check", "--format", "xml"],
        &["--format", "human", "json"],
    );
    refuse(&project, &["info"], &["FILE"]);
    refuse(&project, &["info", "nothing.glb"], &["nothing.glb"]);
    refuse(
        &project,
        &["info", "samples/yard/level.toml"],
        &["level.toml"],
    );
    refuse(&project, &["check", "nowhere"], &["nowhere"]);
}

#[test]
fn missing_and_broken_levels_are_clear_errors() {
    let project = TestProject::without_scripts();
    refuse(
        &project,
        &["samples/yrad", "--headless"],
        &["yrad", "samples/yard"],
    );
    refuse(&project, &["samples", "--headless"], &["level.toml"]);
    refuse(
        &project,
        &["assets/hero.glb", "--headless"],
        &["level.toml"],
    );
    project.write("level.toml", "id = \"yard\"\nversion = ");
    refuse(
        &project,
        &["samples/yard", "--headless"],
        &["samples/yard/level.toml:2"],
    );
    project.write("level.toml", &LEVEL.replace("[[plane]]", "[[plain]]"));
    refuse(
        &project,
        &["samples/yard", "--headless"],
        &["plain", "plane"],
    );
    project.write(
        "level.toml",
        &LEVEL.replace("sinew:hero.glb", "sinew:hreo.glb"),
    );
    refuse(
        &project,
        &["samples/yard", "--headless"],
        &["hreo.glb", "hero.glb"],
    );
    fs::write(project.out("assets/hero.glb"), b"glTF and no more").unwrap();
    project.write("level.toml", LEVEL);
    refuse(&project, &["samples/yard", "--headless"], &["hero.glb"]);
    refuse(&project, &["info", "assets/hero.glb"], &["hero.glb"]);
}

#[test]
fn input_and_output_files_are_checked() {
    let project = TestProject::without_scripts();
    let run = ["samples/yard", "--headless", "--frames", "2"];
    let with = |more: &[&'static str]| [&run[..], more].concat();
    refuse(&project, &with(&["--input", "none.jsonl"]), &["none.jsonl"]);
    fs::write(
        project.out("in.jsonl"),
        "{\"t\":0,\"action\":\"jmup\",\"value\":1}\n",
    )
    .unwrap();
    refuse(
        &project,
        &with(&["--input", "in.jsonl"]),
        &["in.jsonl:1", "did you mean `jump`"],
    );
    refuse(
        &project,
        &with(&["--trace", "assets/hero.glb/x.jsonl"]),
        &["assets/hero.glb"],
    );
    refuse(
        &project,
        &with(&["--trace", "t.jsonl", "--trace-joints", "hand_l"]),
        &["hand_l", "hand_L"],
    );
}

#[test]
fn help_is_there_and_no_error() {
    let project = TestProject::without_scripts();
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["check", "--help"],
        &["--version"],
    ] {
        let output = project.sinew(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty());
    }
    assert!(answer(&project.sinew(&["--help"])).contains("samples/plaza"));
}

#[test]
fn the_hash_is_the_same_on_any_number_of_threads() {
    let project = TestProject::without_scripts();
    let run = |threads: &str| {
        let output = project.sinew(&[
            "run",
            "samples/yard",
            "--headless",
            "--frames",
            "90",
            "--threads",
            threads,
            "--hash",
        ]);
        assert!(output.status.success(), "{}", errors(&output));
        let answer = answer(&output);
        let last = answer.lines().last().unwrap().to_owned();
        let words: Vec<&str> = last.split(' ').collect();
        assert!(
            words.len() == 3
                && words[0] == "hash"
                && words[1].len() == 16
                && words[2] == "portable",
            "{last}"
        );
        last
    };
    let first = run("1");
    for threads in ["1", "2", "4"] {
        assert_eq!(run(threads), first);
    }
    let other = project.sinew(&[
        "run",
        "samples/yard",
        "--headless",
        "--frames",
        "91",
        "--hash",
    ]);
    assert_ne!(
        answer(&other).trim_end(),
        first,
        "another run has another hash"
    );
}

#[test]
fn a_trace_has_a_line_a_step_and_actor() {
    let project = TestProject::without_scripts();
    let trace = project.out("trace.jsonl");
    let arguments = [
        "samples/yard/level.toml",
        "--headless",
        "--frames",
        "20",
        "--dt",
        "0.05",
        "--trace-joints",
        "hand_L,hand_R",
    ];
    let output = project.sinew(&[&arguments[..], &["--trace", trace.to_str().unwrap()]].concat());
    assert!(output.status.success(), "{}", errors(&output));
    let text = fs::read_to_string(&trace).unwrap();
    let lines: Vec<serde_json::Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let actors: Vec<&serde_json::Value> = lines
        .iter()
        .filter(|line| line["actor"].is_string())
        .collect();
    assert_eq!(actors.len(), 40);
    let last = actors.iter().rfind(|line| line["actor"] == "hero").unwrap();
    assert_eq!(last["frame"], 20);
    assert!((last["time"].as_f64().unwrap() - 1.0).abs() < 1e-6);
    assert!(
        last["position"][2].as_f64().unwrap() > 0.3,
        "root motion walks it forward: {last}"
    );
    assert_eq!(last["layers"].as_array().unwrap().len(), 1);
    assert_eq!(last["joints"].as_object().unwrap().len(), 2);
    let markers = actors
        .iter()
        .flat_map(|line| line["events"].as_array().unwrap());
    assert!(
        markers.clone().any(|event| event["event"] == "marker"),
        "a second of walking has a footstep"
    );
}

#[test]
fn without_a_display_the_level_runs_anyway_and_leaves_what_it_did() {
    let project = TestProject::without_scripts();
    let output = project.sinew(&["samples/yard", "--frames", "30", "--size", "160x90"]);
    let said = errors(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("no window"), "{said}");
    assert!(project.out("target/sinew/yard.jsonl").is_file());
    let picture = project.out("target/sinew/yard.png");
    if picture.is_file() {
        let picture = image::open(picture).unwrap().to_rgb8();
        assert_eq!(picture.dimensions(), (160, 90));
        let first = picture.get_pixel(0, 0);
        assert!(
            picture.pixels().any(|pixel| pixel != first),
            "something is drawn"
        );
    } else {
        assert!(said.contains("no picture"), "{said}");
        assert!(std::env::var_os("SINEW_GPU_REQUIRED").is_none(), "{said}");
        eprintln!("no graphics device: the picture was not checked");
    }
}

#[test]
fn info_tells_what_is_in_a_model() {
    let project = TestProject::without_scripts();
    let text = answer(&project.sinew(&["info", "assets/hero.glb"]));
    for word in ["joints", "hand_L", "walk", "footstep"] {
        assert!(text.contains(word), "{word}: {text}");
    }
    let json = answer(&project.sinew(&["info", "assets/hero.glb", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(json["clips"].as_array().unwrap().len() > 5);
    assert!(
        json["joints"]
            .as_array()
            .unwrap()
            .iter()
            .any(|joint| joint["name"] == "hand_L")
    );
}

#[test]
fn a_clips_file_is_shown_and_checked_with_its_model() {
    let project = TestProject::without_scripts();
    let write = |name: &str, text: &str| fs::write(project.out(name), text).unwrap();
    let clips = |clip: &str, time: f32| {
        format!(
            "{{ \"version\": 1,\n  \"clips\": {{\n    \"{clip}\": {{ \"markers\": [{{ \"name\": \"midway\", \"time\": {time} }}] }} }} }}"
        )
    };
    write("assets/hero.clips.json", &clips("walk", 0.25));
    let text = answer(&project.sinew(&["info", "assets/hero.glb"]));
    assert!(text.contains("0.250 s  midway"), "{text}");
    let good = project.sinew(&["check", "assets/hero.clips.json"]);
    assert!(good.status.success(), "{}{}", answer(&good), errors(&good));

    write("assets/hero.clips.json", &clips("walk", 99.0));
    let moved = project.sinew(&["check", "assets"]);
    let said = answer(&moved);
    assert!(moved.status.success(), "{said}");
    for words in ["hero.clips.json:3:", "W-MARK-CLAMPED", "midway"] {
        assert!(said.contains(words), "{words}: {said}");
    }

    write("assets/hero.clips.json", &clips("wlak", 0.25));
    let wrong = project.sinew(&["check", "assets"]);
    let said = answer(&wrong);
    assert_eq!(wrong.status.code(), Some(1), "{said}");
    for words in [
        "hero.clips.json:3:5",
        "E-CLIPS-UNKNOWN",
        "did you mean `walk`?",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }

    fs::remove_file(project.out("assets/hero.clips.json")).unwrap();
    write("assets/lone.clips.json", &clips("walk", 0.25));
    let lone = project.sinew(&["check", "assets"]);
    assert_eq!(lone.status.code(), Some(1));
    assert!(
        answer(&lone).contains("E-CLIPS-NO-MODEL"),
        "{}",
        answer(&lone)
    );
}

#[test]
fn check_finds_every_fault_and_exits_with_one() {
    let project = TestProject::without_scripts();
    let good = project.sinew(&["check", "samples/yard"]);
    assert!(good.status.success(), "{}{}", answer(&good), errors(&good));
    project.write(
        "level.toml",
        &LEVEL
            .replace("[[plane]]", "[[plain]]")
            .replace("title", "titel"),
    );
    let output = project.sinew(&["check", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let faults: Vec<serde_json::Value> = answer(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let of_level = faults
        .iter()
        .filter(|fault| fault["file"] == "samples/yard/level.toml");
    assert_eq!(of_level.count(), 2, "{faults:?}");
}

#[test]
fn docs_writes_definitions_and_reference() {
    let project = TestProject::without_scripts();
    let output = project.sinew(&["docs", "--out", "written"]);
    assert!(output.status.success(), "{}", errors(&output));
    let answer = answer(&output);
    assert!(answer.lines().count() >= 3, "{answer}");
    for line in answer.lines() {
        let file = line.strip_prefix("wrote ").unwrap();
        assert!(
            fs::metadata(project.out(file)).unwrap().len() > 1000,
            "{file}"
        );
    }
}

#[test]
fn a_broken_script_is_shown_with_its_line_and_nothing_runs() {
    let project = TestProject::new();
    project.write(
        "hero.lua",
        "local hero = {}\nfunction hero:on_update(dt)\n  x = = 1\nend\nreturn hero\n",
    );
    refuse(
        &project,
        &["samples/yard", "--headless"],
        &["samples/yard/hero.lua:3", "x = = 1"],
    );
    let output = project.sinew(&["check", "samples/yard/hero.lua"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        answer(&output).contains("samples/yard/hero.lua:3"),
        "{}",
        answer(&output)
    );
    project.write("hero.lua", &common::hero(1.0));
    project.write("companion.rhai", "fn on_update(dt) {\n  let x = ;\n}\n");
    refuse(
        &project,
        &["samples/yard", "--headless"],
        &["samples/yard/companion.rhai:2"],
    );
}

#[test]
fn output_that_nobody_reads_is_no_crash() {
    let project = TestProject::without_scripts();
    let mut child = command()
        .current_dir(project.folder.path())
        .args(["info", "assets/hero.glb"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(!errors(&output).contains("panicked"));
}
