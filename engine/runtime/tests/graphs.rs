//! What the command line tells of graphs: verdicts in traces, faults against a model.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod common;

use common::{TestProject, answer, errors};
use serde_json::Value;
use std::fs;

const GRAPH: &str = r#"{
  "version": 1,
  "layers": [
    {
      "name": "base",
      "entry": "walk",
      "states": { "walk": { "clip": "walk" }, "run": { "clip": "run" } },
      "transitions": [{ "from": "walk", "to": "run", "when": "speed > 2" }]
    }
  ],
  "parameters": { "speed": 0.0 }
}
"#;

const SCRIPT: &str = r#"
local hero = {}
hero.graph = graph {
  parameters = { go = "trigger", ready = false, fed = { type = "float", source = "speed" } },
  layers = { { name = "base", entry = "idle",
    states = { idle = { clip = "idle" }, walk = { clip = "walk" } },
    transitions = { { from = "idle", to = "walk", when = "go and ready" } } } },
}
function hero:on_start() self.frames = 0 end
function hero:on_update(dt)
  self.frames += 1
  if self.frames == 10 then self.actor:set_trigger("go") end
  if self.frames == 12 then self.actor:set_bool("ready", true) end
end
return hero
"#;

fn traced(project: &TestProject) -> Vec<Value> {
    let trace = project.out("trace.jsonl");
    let output = project.sinew(&[
        "run",
        "samples/yard",
        "--headless",
        "--frames",
        "60",
        "--trace",
        trace.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", errors(&output));
    let text = fs::read_to_string(&trace).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_trace_says_why_only_where_something_changes_and_who_set_parameters() {
    let project = TestProject::new();
    project.write("hero.lua", SCRIPT);
    let lines = traced(&project);
    let of_hero = |key: &str| {
        let lines = lines.iter().filter(|line| line["actor"] == "hero");
        lines
            .filter(|line| !line[key].is_null())
            .collect::<Vec<_>>()
    };
    let verdicts = of_hero("ways");
    let idle: Vec<&&Value> = verdicts
        .iter()
        .filter(|line| line["state"] == "idle")
        .collect();
    assert_eq!(idle.len(), 2, "held, then starts: {verdicts:#?}");
    assert_eq!(idle[0]["frame"], 1);
    let held = &idle[0]["ways"][0];
    assert_eq!(
        (&held["name"], &held["verdict"], &held["by"]),
        (&"idle>walk".into(), &"held".into(), &"condition".into())
    );
    assert!(held["why"].as_str().unwrap().contains("go"), "{held}");
    let starts = &idle[1]["ways"][0];
    assert_eq!(idle[1]["frame"], 12);
    assert_eq!(
        (&starts["verdict"], &starts["to"], &starts["uses"][0]),
        (&"starts".into(), &"walk".into(), &"go".into())
    );
    let set: Vec<&Value> = of_hero("set_by")
        .iter()
        .map(|line| &line["set_by"])
        .collect();
    let last = |name: &str| {
        let found = set.iter().rev().find_map(|set| set[name].as_str());
        found.unwrap_or_else(|| panic!("{name} in {set:?}"))
    };
    let line_of = |words: &str| {
        SCRIPT
            .lines()
            .position(|line| line.contains(words))
            .unwrap()
            + 1
    };
    assert_eq!(
        last("go"),
        format!("samples/yard/hero.lua:{}", line_of("set_trigger"))
    );
    assert_eq!(
        last("ready"),
        format!("samples/yard/hero.lua:{}", line_of("set_bool"))
    );
    assert_eq!(last("fed"), "the engine (speed)");
}

#[test]
fn check_judges_a_graph_by_the_model_that_is_named() {
    let project = TestProject::without_scripts();
    project.write("hero.animgraph.json", GRAPH);
    let file = "samples/yard/hero.animgraph.json";
    let model = ["--model", "assets/hero.glb"];
    let good = project.sinew(&[&["check", file][..], &model].concat());
    assert!(good.status.success(), "{}{}", answer(&good), errors(&good));

    let wrong = GRAPH
        .replace("\"clip\": \"run\"", "\"clip\": \"rum\"")
        .replace("speed > 2", "sped > 2");
    project.write("hero.animgraph.json", &wrong);
    let form = project.sinew(&["check", file]);
    assert!(form.status.success(), "{}{}", answer(&form), errors(&form));
    let json = ["--format", "json"];
    let output = project.sinew(&[&["check", file][..], &model, &json].concat());
    assert_eq!(output.status.code(), Some(1));
    let faults: Vec<Value> = answer(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(faults.len(), 2, "{faults:#?}");
    for (words, line, pointer) in [
        ("run", 7, "/layers/0/states/run/clip"),
        ("speed", 8, "/layers/0/transitions/0/when"),
    ] {
        let fault = faults
            .iter()
            .find(|fault| fault["pointer"] == pointer)
            .unwrap_or_else(|| panic!("{pointer} in {faults:#?}"));
        assert_eq!(fault["span"]["line"], line);
        assert!(fault["help"].as_str().unwrap().contains(words), "{fault}");
        assert!(fault["file"].as_str().unwrap().ends_with(file));
    }
    let none = project.sinew(&["check", file, "--model", "assets/none.glb"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(errors(&none).contains("none.glb"), "{}", errors(&none));
}

/// A motion that nothing names, and a transition that never starts.
const UNEVEN: &str = r#"
local hero = {}
hero.graph = graph {
  motions = { lost = { clip = "idle" } },
  layers = { { name = "base", states = { a = { clip = "idle" }, b = { clip = "walk" }, c = { clip = "run" } }, entry = "a",
    transitions = { { from = "a", to = "b" }, { from = "a", to = "c", exit_time = 1 } } } },
}
function hero:on_start() end
return hero
"#;

#[test]
fn check_and_a_run_tell_what_works_in_another_way_than_expected_and_do_not_fail() {
    let project = TestProject::new();
    project.write("hero.lua", UNEVEN);
    let output = project.sinew(&["check", "samples/yard", "--format", "json"]);
    assert!(output.status.success(), "{}", errors(&output));
    let told: Vec<Value> = answer(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let codes: Vec<&str> = told
        .iter()
        .map(|told| told["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["W-GRAPH-UNUSED-MOTION", "W-GRAPH-SHADOWED"]);
    for (told, line, pointer) in [
        (&told[0], 4, "/motions/lost"),
        (&told[1], 5, "/layers/0/states/a"),
    ] {
        assert_eq!(
            (&told["severity"], &told["pointer"]),
            (&"warning".into(), &pointer.into())
        );
        assert_eq!(told["span"]["line"], line, "{told}");
        assert!(told["help"].is_string());
        assert!(told["file"].as_str().unwrap().ends_with("hero.lua"));
    }
    let output = project.sinew(&["check", "samples/yard"]);
    assert!(
        errors(&output).contains("0 errors, 2 warnings"),
        "{}",
        errors(&output)
    );
    let output = project.sinew(&["run", "samples/yard", "--headless", "--frames", "5"]);
    assert!(output.status.success());
    let log = errors(&output);
    for code in codes {
        assert_eq!(log.matches(code).count(), 1, "{log}");
    }
}

#[test]
fn check_tells_warnings_of_a_graph_file_with_a_model() {
    let project = TestProject::without_scripts();
    let unused = GRAPH.replace(
        "\"layers\"",
        "\"motions\": { \"lost\": { \"clip\": \"run\" } },\n  \"layers\"",
    );
    project.write("hero.animgraph.json", &unused);
    let file = "samples/yard/hero.animgraph.json";
    let output = project.sinew(&["check", file, "--model", "assets/hero.glb"]);
    assert!(
        output.status.success(),
        "{}{}",
        answer(&output),
        errors(&output)
    );
    assert!(
        answer(&output).contains("warning[W-GRAPH-UNUSED-MOTION]"),
        "{}",
        answer(&output)
    );
    assert!(errors(&output).contains("1 warning"), "{}", errors(&output));
}

#[test]
fn a_graph_that_is_named_without_a_space_is_beside_the_file_that_names_it() {
    let project = TestProject::without_scripts();
    let one = |state: &str| {
        format!(
            r#"{{ "version": 1, "layers": [{{ "name": "base", "states": {{ "s": {state} }} }}] }}"#
        )
    };
    let assets = project.folder.path().join("assets");
    fs::write(
        assets.join("mid.animgraph.json"),
        one(r#"{ "graph": "inner.animgraph.json" }"#),
    )
    .unwrap();
    fs::write(
        assets.join("inner.animgraph.json"),
        one(r#"{ "clip": "walk" }"#),
    )
    .unwrap();
    project.write(
        "outer.animgraph.json",
        &one(r#"{ "graph": "sinew:mid.animgraph.json" }"#),
    );
    let check = || {
        let file = "samples/yard/outer.animgraph.json";
        project.sinew(&["check", file, "--model", "assets/hero.glb"])
    };
    let output = check();
    assert!(
        output.status.success(),
        "{}{}",
        answer(&output),
        errors(&output)
    );
    // One of the same name in the level is another file.
    project.write("inner.animgraph.json", &one(r#"{ "clip": "none" }"#));
    assert!(check().status.success());
    fs::remove_file(assets.join("inner.animgraph.json")).unwrap();
    let output = check();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        answer(&output).contains("sinew:inner.animgraph.json"),
        "{}",
        answer(&output)
    );
}
