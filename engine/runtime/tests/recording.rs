//! Recordings as a person meets them: written by one run, held against the next.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::fs;

use common::{TestProject, answer, errors, hero};

/// Records two seconds with some input, in uneven company: a jump, a turn, a stop.
fn record(project: &TestProject) -> String {
    let input = concat!(
        "{\"t\":0.2,\"action\":\"move\",\"value\":[0.6,0.7]}\n",
        "{\"t\":0.9,\"action\":\"jump\",\"value\":1}\n",
        "{\"t\":1.2,\"action\":\"move\",\"value\":[0,0]}\n",
    );
    fs::write(project.out("in.jsonl"), input).unwrap();
    let output = project.sinew(&[
        "run",
        "samples/yard",
        "--headless",
        "--frames",
        "130",
        "--seed",
        "7",
        "--input",
        "in.jsonl",
        "--record",
        "out/run.rec",
        "--hash",
    ]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(answer(&output).starts_with("hash "), "{}", answer(&output));
    fs::read_to_string(project.out("out/run.rec")).unwrap()
}

/// Replays; gives the exit code, the answer and what was said.
fn replay(project: &TestProject, more: &[&str]) -> (i32, String, String) {
    let mut arguments = vec!["run", "--headless", "--replay", "out/run.rec"];
    arguments.extend(more);
    let output = project.sinew(&arguments);
    let said = errors(&output);
    for word in ["panicked", "a fault in sinew itself"] {
        assert!(!said.contains(word), "{said}");
    }
    (output.status.code().unwrap(), answer(&output), said)
}

#[test]
fn a_replay_is_the_run_on_any_number_of_threads_and_from_anywhere() {
    let project = TestProject::new();
    let recorded = record(&project);
    assert!(
        recorded.lines().count() < 15,
        "runs of steps are short:\n{recorded}"
    );
    for threads in ["1", "2", "3"] {
        let (code, answer, said) = replay(&project, &["--threads", threads]);
        assert_eq!((code, &*said), (0, ""), "{threads} threads");
        assert!(
            answer.contains("replayed 130 steps (2.2 s): equal at all 4 checks"),
            "{answer}"
        );
    }
    let output = common::command()
        .current_dir(project.level.join(".."))
        .args([
            "run",
            "--headless",
            "--replay",
            "../out/run.rec",
            "--frames",
            "70",
        ])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert!(
        answer(&output).contains("replayed 70 of 130 steps"),
        "{}",
        answer(&output)
    );
}

#[test]
fn a_run_without_a_display_records_and_replays_too() {
    let project = TestProject::new();
    let output = project.sinew(&["samples/yard", "--record", "out/run.rec", "--frames", "90"]);
    assert!(output.status.success(), "{}", errors(&output));
    let output = project.sinew(&["--replay", "out/run.rec"]);
    assert!(output.status.success(), "{}", errors(&output));
    assert!(errors(&output).contains("replaying unseen"));
    assert!(
        answer(&output).contains("replayed 90 steps"),
        "{}",
        answer(&output)
    );
}

#[test]
fn a_changed_script_is_told_and_the_first_difference_has_a_name() {
    let project = TestProject::new();
    record(&project);
    let remark = format!("{}-- a remark\n", hero(1.2));
    project.write("hero.lua", &remark);
    let (code, _, said) = replay(&project, &[]);
    assert_eq!(code, 0, "a remark changes nothing: {said}");
    assert!(
        said.contains("`samples/yard/hero.lua` has changed since the recording"),
        "{said}"
    );
    project.write("hero.lua", &hero(1.25));
    let (code, answer, said) = replay(&project, &[]);
    assert_eq!((code, &*answer), (1, ""), "{said}");
    assert!(
        said.contains("first seen after 1.0 s (step 60), actor `hero`: `"),
        "{said}"
    );
    assert!(
        said.contains("then actor `hero`: `position_world`"),
        "{said}"
    );
    assert!(!said.contains("actor `companion`"), "{said}");
}

#[test]
fn changed_input_and_a_changed_hash_are_found() {
    let project = TestProject::new();
    let recorded = record(&project);
    let file = project.out("out/run.rec");
    let slower = recorded.replacen("0.6", "0.5", 1);
    assert_ne!(slower, recorded);
    fs::write(&file, slower).unwrap();
    let (code, _, said) = replay(&project, &[]);
    assert_eq!(code, 1);
    assert!(
        said.contains("actor `hero`") && said.contains("step 60"),
        "{said}"
    );
    let at = recorded.rfind("\"hash\":\"").unwrap() + 8;
    let mut edited = recorded.clone();
    edited.replace_range(at..at + 4, "0000");
    fs::write(&file, edited).unwrap();
    let (code, _, said) = replay(&project, &[]);
    assert_eq!(code, 1);
    assert!(said.contains("changed by hand"), "{said}");
}

#[test]
fn whatever_is_left_of_a_recording_that_was_cut_off_replays() {
    let project = TestProject::new();
    let recorded = record(&project);
    let head = recorded.lines().next().unwrap().len() + 1;
    let cuts = (0..6).map(|part| head + 1 + (recorded.len() - head - 4) * part / 5);
    for cut in cuts {
        fs::write(project.out("out/run.rec"), &recorded[..cut]).unwrap();
        let (code, answer, said) = replay(&project, &[]);
        assert_eq!(code, 0, "cut at {cut}: {said}");
        assert!(answer.starts_with("replayed "), "{answer}");
        assert!(said.contains("was cut off"), "cut at {cut}: {said}");
    }
    fs::write(project.out("out/run.rec"), &recorded[..head / 2]).unwrap();
    let (code, _, said) = replay(&project, &[]);
    assert!(code == 1 && said.contains("this is no recording"), "{said}");
}

#[test]
fn bad_recordings_are_refused_at_their_line() {
    let project = TestProject::new();
    let recorded = record(&project);
    let cases: &[(&str, &str, &str)] = &[
        (
            "\"version\":1",
            "\"version\":9",
            "has form 9, this engine reads form 1",
        ),
        (
            "\"id\":\"yard\"",
            "\"id\":\"barn\"",
            "is of the level `barn`, not of `yard`",
        ),
        (
            "\"samples/yard\"",
            "\"../../yard\"",
            "name it: `sinew run LEVEL --replay",
        ),
        (
            "\"dt\":\"3c888889\"",
            "\"dt\":\"ffc00000\"",
            "8 hexadecimal digits",
        ),
        (
            "\"dt\":\"3c888889\"",
            "\"dt\":\"3c88\"",
            "8 hexadecimal digits",
        ),
        ("{\"run\":{\"steps\":", "{\"run\":{\"steps\":9", "steps"),
        (
            "{\"run\":{\"steps\":",
            "{\"run\":{\"steps\":99999999999999",
            "1 to 100000 steps",
        ),
        ("[[\"move\",0.6,", "[[\"move\",6e30,", "from -1 to 1"),
        ("[[\"move\"", "[[\"mvoe\"", "no action `mvoe`"),
        ("{\"check\"", "{\"chekc\"", "unknown variant `chekc`"),
        ("{\"check\":{", "{\"check\":{\"x\":1,", "unknown field `x`"),
        ("{\"end\":", "{\"recording\":", "no line of a recording"),
    ];
    for (from, to, expected) in cases {
        let edited = recorded.replacen(from, to, 1);
        assert_ne!(edited, recorded, "{from}");
        fs::write(project.out("out/run.rec"), edited).unwrap();
        let (code, _, said) = replay(&project, &[]);
        assert_eq!(code, 1, "{to}: {said}");
        assert!(
            said.contains(expected),
            "{to} should say {expected:?}: {said}"
        );
    }
    for (content, expected) in [
        (&b""[..], "the recording is empty"),
        (b"{}\n", "this is no recording"),
        (b"\xff\xfe\x00", "no text"),
    ] {
        fs::write(project.out("out/run.rec"), content).unwrap();
        let (code, _, said) = replay(&project, &[]);
        assert!(code == 1 && said.contains(expected), "{said}");
    }
    let twice = format!("{recorded}{recorded}");
    fs::write(project.out("out/run.rec"), twice).unwrap();
    let (code, _, said) = replay(&project, &[]);
    assert!(code == 1 && said.contains("after the last one"), "{said}");
}

#[test]
fn flags_that_contradict_a_recording_are_refused() {
    let project = TestProject::new();
    let recorded = record(&project);
    for flag in [
        &["--seed", "1"][..],
        &["--dt", "0.1"],
        &["--input", "in.jsonl"],
        &["--record", "b.rec"],
        &["--watch"],
    ] {
        let (code, _, said) = replay(&project, flag);
        assert_eq!(code, 1, "{flag:?}");
        assert!(
            said.contains("--replay") && said.contains(flag[0]),
            "{said}"
        );
    }
    let watching = project.sinew(&["samples/yard", "--watch", "--record", "b.rec"]);
    assert_eq!(watching.status.code(), Some(1));
    let missing = project.sinew(&["--headless", "--replay", "nowhere.rec"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(errors(&missing).contains("nowhere.rec"));
    let kept = fs::read_to_string(project.out("out/run.rec")).unwrap();
    assert_eq!(kept, recorded);
}
