//! Small files that state much: what an import holds meanwhile stays bounded.

use sinew_model::{ImportError, Model};

use crate::allocations;

/// The most that an import of a small file may hold at once, whatever the file says.
pub const PEAK_CAP: usize = 768 << 20;

fn import(body: &str) -> Result<Model, ImportError> {
    let json = format!(r#"{{"asset":{{"version":"2.0"}},{body}}}"#);
    let mut fetch = |_: &str| Err("not there".to_owned());
    let (outcome, usage) =
        allocations::measure(|| sinew_model::import(json.as_bytes(), &mut fetch));
    assert!(
        usage.peak_bytes < PEAK_CAP,
        "holds {} bytes at once",
        usage.peak_bytes
    );
    outcome
}

fn repeat(entry: &str, count: usize) -> String {
    vec![entry; count].join(",")
}

/// The code of the refusal of a file whose accessor 0 is `count` positions that stand nowhere, drawn by `nodes` nodes of a mesh of
/// `primitives` primitives.
fn refusal(count: u64, nodes: usize, primitives: usize) -> &'static str {
    let body = format!(
        r#""accessors":[{{"componentType":5126,"count":{count},"type":"VEC3"}}],"nodes":[{}],"meshes":[{{"primitives":[{}]}}]"#,
        repeat(r#"{"mesh":0}"#, nodes),
        repeat(r#"{"attributes":{"POSITION":0},"mode":0}"#, primitives)
    );
    import(&body)
        .expect_err("more than a small file may unfold to")
        .code
}

#[test]
fn data_that_stands_nowhere_or_is_used_over_and_over_is_refused() {
    assert_eq!(refusal(3_000_000_000, 1, 1), "E-TOO-LARGE");
    assert_eq!(refusal(u64::MAX, 1, 1), "E-TOO-LARGE");
    assert_eq!(refusal(1 << 22, 1, 100), "E-TOO-LARGE");
    assert_eq!(refusal(1, 1000, 2000), "E-TOO-LARGE");
}

#[test]
fn long_names_are_not_multiplied() {
    let name = "x".repeat(1 << 20);
    let model = import(&format!(
        r#""accessors":[{{"componentType":5126,"count":1,"type":"VEC3"}}],"nodes":[{{"mesh":0}},{{"mesh":0}}],
           "meshes":[{{"name":"{name}","primitives":[{{"attributes":{{"POSITION":0}},"mode":0,"targets":[{}]}}]}}]"#,
        repeat("{}", 200)
    ))
    .expect("long names are cut");
    assert!(model.skeleton.morphs.iter().all(|name| name.len() < 1000));
    assert!(
        model
            .warnings
            .iter()
            .any(|warning| warning.code == "W-NAME-CUT")
    );
}

#[test]
fn floods_of_remarks_are_counted_rather_than_kept() {
    let events = repeat("0", 100_000);
    let model = import(&format!(
        r#""animations":[{{"channels":[],"samplers":[],"extras":{{"events":[{events}]}}}}]"#
    ))
    .expect("extras never refuse a file");
    assert!(model.warnings.len() < 5000);
    assert_eq!(
        model.warnings.last().map(|warning| warning.code),
        Some("W-MORE")
    );
}
