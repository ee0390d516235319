//! The measuring mode finds what it is there to find, and stands broken files.

use generator::check::{CheckError, check};
use std::path::Path;

fn committed(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    std::fs::read(path).expect("the file is committed")
}

/// Checks one file in a directory of its own.
fn check_alone(bytes: &[u8]) -> Result<(bool, String), CheckError> {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("a.glb"), bytes).expect("it is writable");
    check(dir.path()).map(|report| (report.passes(), report.to_string()))
}

/// Replaces a text of the JSON chunk by another of the same length.
fn with_json(glb: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len(), "the length of the chunk stays");
    let at = glb.windows(from.len()).position(|w| w == from.as_bytes());
    let at = at.expect("the text is there");
    let mut changed = glb.to_vec();
    changed[at..at + to.len()].copy_from_slice(to.as_bytes());
    changed
}

#[test]
fn faults_of_a_clip_are_found() {
    let robot = committed("robot.glb");
    let cases = [
        // A planted foot that is said to stay planted while it swings.
        (
            "[0.7027,1.0],[0.7193,0.0]",
            "[0.7027,1.0],[0.7193,1.0]",
            "walk ",
        ),
        // An event after the end of its clip.
        ("\"time\":0.5667", "\"time\":5.5667", "event 'footstep_r'"),
        (
            "\"joint\":\"Hips\"",
            "\"joint\":\"Hops\"",
            "root_motion names 'Hops'",
        ),
        (
            "\"name\":\"Neck\"",
            "\"name\":\"Head\"",
            "two nodes are named 'Head'",
        ),
    ];
    for (from, to, expected) in cases {
        let (passes, table) =
            check_alone(&with_json(&robot, from, to)).expect("it can be measured");
        let marked = |line: &str| line.contains(expected) && line.ends_with('!');
        assert!(
            !passes && table.lines().any(marked),
            "{from} -> {to}\n{table}"
        );
    }
}

#[test]
fn broken_files_are_errors_that_name_the_place() {
    let lever = committed("lever.glb");
    let cases = [
        (b"not a file".to_vec(), "not a binary glTF"),
        (lever[..100].to_vec(), "JSON chunk"),
        (with_json(&lever, "\"skins\"", "\"skinz\""), "skins"),
        (
            with_json(&lever, "\"children\":[1]", "\"children\":[9]"),
            "/nodes/0",
        ),
        (
            with_json(&lever, "\"children\":[2]", "\"children\":[0]"),
            "ancestors",
        ),
    ];
    for (bytes, expected) in cases {
        let error = check_alone(&bytes).expect_err("the file is broken");
        let CheckError::Malformed { source, .. } = error else {
            unreachable!("{error}");
        };
        assert!(source.to_string().contains(expected), "{source}");
    }
}

#[test]
fn no_cut_or_flipped_byte_makes_it_panic() {
    let lever = committed("lever.glb");
    for cut in (0..lever.len()).step_by(lever.len() / 40) {
        let _ = check_alone(&lever[..cut]);
    }
    for at in (0..6000.min(lever.len())).step_by(37) {
        let mut bytes = lever.clone();
        bytes[at] ^= 0x15;
        let _ = check_alone(&bytes);
    }
}

#[test]
fn an_empty_or_missing_directory_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(matches!(check(dir.path()), Err(CheckError::Empty(_))));
    let missing = check(&dir.path().join("nowhere"));
    assert!(matches!(missing, Err(CheckError::Unreadable { .. })));
}
