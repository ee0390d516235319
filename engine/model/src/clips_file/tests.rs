use std::{fs, path::Path};

use sinew_anim::{Joint, Marker, Skeleton, Transform};

use super::*;

/// A clip of a second with one marker, window and curve of its own, and another.
fn model() -> Model {
    let hips = Joint {
        name: "hips".to_owned(),
        parent: None,
        rest: Transform::IDENTITY,
        pre: None,
    };
    let walk = Clip {
        name: "walk".to_owned(),
        duration: 1.0,
        markers: vec![Marker {
            name: "own".to_owned(),
            time: 0.5,
            value: 1.0,
        }],
        looping: Some(false),
        ..Clip::default()
    };
    let other = Clip {
        name: "a/b~c".to_owned(),
        ..Clip::default()
    };
    Model {
        skeleton: Arc::new(Skeleton::new(&[hips], &[]).expect("sound")),
        clips: vec![Arc::new(walk), Arc::new(other)],
        ..Model::default()
    }
}

fn merged(text: &str) -> Result<Model> {
    let mut model = model();
    ClipsFile::from_json(text)?.merge_into(&mut model, "hero.clips.json")?;
    Ok(model)
}

#[test]
fn a_list_that_is_given_takes_the_place_of_the_models() {
    let model = merged(
        r#"{"$schema":"clips.schema.json","version":1,"clips":{"walk":{
            "markers":[{"name":"b","time":0.75,"value":2},{"name":"a","time":0.25}],
            "curves":[{"name":"lock","keys":[[0,1],[0.5,0]]}],"loop":true,"root_joint":"hips"}}}"#,
    )
    .expect("sound");
    let walk = &model.clips[0];
    let markers: Vec<_> = walk
        .markers
        .iter()
        .map(|m| (m.name.as_str(), m.time, m.value))
        .collect();
    assert_eq!(markers, [("a", 0.25, 0.0), ("b", 0.75, 2.0)]);
    assert_eq!(walk.curves[0].keys, [[0.0, 1.0], [0.5, 0.0]]);
    assert_eq!(
        (walk.looping, walk.root_joint.as_deref()),
        (Some(true), Some("hips"))
    );
    assert!(model.warnings.is_empty());
}

#[test]
fn what_is_left_out_stays_and_an_empty_list_empties() {
    let kept =
        merged(r#"{"version":1,"clips":{"walk":{"windows":[]},"a/b~c":{}}}"#).expect("sound");
    assert_eq!(
        (kept.clips[0].markers.len(), kept.clips[0].looping),
        (1, Some(false))
    );
    let emptied = merged(r#"{"version":1,"clips":{"walk":{"markers":[]}}}"#).expect("sound");
    assert!(emptied.clips[0].markers.is_empty());
}

#[test]
fn marks_outside_of_the_clip_are_moved_to_its_end_and_told() {
    let model = merged(
        r#"{"version":1,"clips":{"walk":{
            "markers":[{"name":"end","time":1.0004},{"name":"late","time":3},{"name":"early","time":-2}],
            "windows":[{"name":"long","begin":0.5,"end":7}]}}}"#,
    )
    .expect("sound");
    let walk = &model.clips[0];
    let times: Vec<_> = walk
        .markers
        .iter()
        .map(|m| (m.name.as_str(), m.time))
        .collect();
    assert_eq!(times, [("early", 0.0), ("end", 1.0), ("late", 1.0)]);
    assert_eq!((walk.windows[0].begin, walk.windows[0].end), (0.5, 1.0));
    let told: Vec<_> = model
        .warnings
        .iter()
        .map(|w| (w.code, w.pointer.as_str()))
        .collect();
    let at = |place| ("W-MARK-CLAMPED", place);
    assert_eq!(
        told,
        [
            at("/clips/walk/markers/1"),
            at("/clips/walk/markers/2"),
            at("/clips/walk/windows/0")
        ]
    );
    assert_eq!(model.warnings[0].file.as_deref(), Some("hero.clips.json"));
    walk.check(&model.skeleton).expect("sound");
}

#[test]
fn each_fault_has_a_code_a_pointer_and_what_is_nearest() {
    let clip = |body: &str| format!(r#"{{"version":1,"clips":{{"walk":{{{body}}}}}}}"#);
    let long = "x".repeat(65);
    let cases = [
        ("{".to_owned(), "E-CLIPS-JSON", "", "EOF"),
        (
            r#"{"version":1,"clips":{}} x"#.to_owned(),
            "E-CLIPS-JSON",
            "",
            "trailing",
        ),
        (
            r#"{"version":1}"#.to_owned(),
            "E-CLIPS-JSON",
            "",
            "missing field `clips`",
        ),
        (
            r#"{"version":2,"clips":{}}"#.to_owned(),
            "E-CLIPS-VERSION",
            "/version",
            "only 1",
        ),
        (
            r#"{"version":1,"clips":[]}"#.to_owned(),
            "E-CLIPS-JSON",
            "/clips",
            "expected a map",
        ),
        (
            r#"{"version":1,"clip":{}}"#.to_owned(),
            "E-CLIPS-UNKNOWN-KEY",
            "/clip",
            "did you mean `clips`?",
        ),
        (
            r#"{"version":1,"clips":{"wlak":{}}}"#.to_owned(),
            "E-CLIPS-UNKNOWN",
            "/clips/wlak",
            "did you mean `walk`?",
        ),
        (
            r#"{"version":1,"clips":{"x/y":{}}}"#.to_owned(),
            "E-CLIPS-UNKNOWN",
            "/clips/x~1y",
            "its clips are walk",
        ),
        (
            clip(r#""marker":[]"#),
            "E-CLIPS-UNKNOWN-KEY",
            "/clips/walk/marker",
            "did you mean `markers`?",
        ),
        (
            clip(r#""root_joint":"hisp""#),
            "E-CLIPS-UNKNOWN",
            "/clips/walk/root_joint",
            "did you mean `hips`?",
        ),
        (
            clip(r#""markers":[{"name":"a","time":"x"}]"#),
            "E-CLIPS-JSON",
            "/clips/walk/markers/0/time",
            "expected a number",
        ),
        (
            clip(r#""markers":[{"name":"a","tiem":0}]"#),
            "E-CLIPS-UNKNOWN-KEY",
            "/clips/walk/markers/0/tiem",
            "did you mean `time`?",
        ),
        (
            clip(r#""markers":[{"name":"","time":0}]"#),
            "E-CLIPS-VALUE",
            "/clips/walk/markers/0",
            "1 to 64 bytes",
        ),
        (
            clip(&format!(
                r#""windows":[{{"name":"{long}","begin":0,"end":1}}]"#
            )),
            "E-CLIPS-VALUE",
            "/clips/walk/windows/0",
            "has 65",
        ),
        (
            clip(r#""windows":[{"name":"a","begin":1,"end":0.5}]"#),
            "E-CLIPS-VALUE",
            "/clips/walk/windows/0",
            "before it begins",
        ),
        (
            clip(r#""curves":[{"name":"a","keys":[]}]"#),
            "E-CLIPS-VALUE",
            "/clips/walk/curves/0",
            "no keys",
        ),
        (
            clip(r#""curves":[{"name":"a","keys":[[1,0],[1,0]]}]"#),
            "E-CLIPS-VALUE",
            "/clips/walk/curves/0",
            "key 1",
        ),
        (
            clip(r#""curves":[{"name":"a","keys":[[1]]}]"#),
            "E-CLIPS-JSON",
            "/clips/walk/curves/0/keys/0",
            "length 1",
        ),
        (
            clip(r#""curves":[{"name":"a","keys":[[1,0]]},{"name":"a","keys":[[1,0]]}]"#),
            "E-CLIPS-VALUE",
            "/clips/walk/curves/1/name",
            "another curve `a`",
        ),
    ];
    for (text, code, pointer, says) in cases {
        let error = merged(&text).expect_err(&text);
        assert_eq!(
            (error.code, error.pointer.as_str()),
            (code, pointer),
            "{text}: {error}"
        );
        let said = format!(
            "{} {}",
            error.message,
            error.help.as_deref().unwrap_or_default()
        );
        assert!(said.contains(says), "{said} does not say {says}");
    }
}

#[test]
fn a_number_that_is_too_large_is_told_at_its_place() {
    let text = r#"{"version":1,"clips":{"walk":{"markers":[{"name":"a","time":1e39}]}}}"#;
    let error = merged(text).expect_err("no number of ours");
    assert_eq!(error.code, "E-CLIPS-VALUE");
    // The number itself or its marker, by how serde_json reads numbers.
    assert!(
        error.pointer.starts_with("/clips/walk/markers/0"),
        "{error}"
    );
    assert!(error.message.contains("too large"), "{error}");
}

#[test]
fn a_fault_leaves_the_model_as_it_was() {
    let mut changed = model();
    let file = ClipsFile::from_json(
        r#"{"version":1,"clips":{"a/b~c":{"markers":[{"name":"x","time":9}]},"walk":{"root_joint":"none"}}}"#,
    )
    .expect("it can be read");
    file.merge_into(&mut changed, "x")
        .expect_err("no such joint");
    assert_eq!(changed.clips, model().clips);
    assert!(changed.warnings.is_empty());
}

#[test]
fn a_clips_file_is_named_after_its_model() {
    let cases = [
        ("hero.glb", Some("hero.clips.json")),
        ("a.b.GLTF", Some("a.b.clips.json")),
        ("hero.png", None),
        ("hero", None),
    ];
    for (model, expected) in cases {
        assert_eq!(ClipsFile::name_for(model).as_deref(), expected, "{model}");
    }
}

#[test]
fn the_schema_in_the_docs_is_current() {
    let schema =
        serde_json::to_string_pretty(&schemars::schema_for!(ClipsFile)).expect("plain data") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/clips.schema.json");
    if std::env::var_os("SINEW_UPDATE").is_some() {
        fs::write(&path, &schema).expect("docs folder is writable");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == schema,
        "docs/schema/clips.schema.json is out of date; SINEW_UPDATE=1 cargo test -p sinew-model writes it"
    );
}

#[test]
fn the_example_of_the_guide_is_a_sound_clips_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/clips-and-morphs.md");
    let page = fs::read_to_string(path).expect("the page is there");
    let examples = page
        .split("```json")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    let (files, extras): (Vec<_>, Vec<_>) =
        examples.partition(|example| example.contains("\"version\""));
    assert_eq!((files.len(), extras.len()), (1, 1));
    let walk = &merged(files[0]).expect("sound").clips[0];
    assert_eq!(
        (walk.markers.len(), walk.windows.len(), walk.curves.len()),
        (1, 1, 1)
    );
    let animation = format!(
        r#"{{"channels":[],"samplers":[],"name":"walk","extras":{}}}"#,
        extras[0]
    );
    let read = crate::testing::import_parts(&format!(r#""animations":[{animation}]"#), b"");
    let model = read.expect("extras never refuse a file");
    assert_eq!(model.clips[0].markers[0].name, "footstep_l");
    assert_eq!(model.clips[0].root_joint.as_deref(), Some("hips"));
}
