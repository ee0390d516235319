use std::fs;

use tempfile::TempDir;

use super::*;

const TRIANGLE: &str = r#"{
  "asset": { "version": "2.0" },
  "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "name": "triangle", "mesh": 0 }],
  "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
  "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [9, 9, 9] }],
  "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
  "buffers": [{ "uri": "parts/triangle%20a.bin", "byteLength": 36 }]
}"#;

const LEVEL: &str = r#"id = "plaza"
version = "1.0.0"
[[actor]]
name = "prop"
model = "triangle.gltf"
scripts = ["prop.lua"]
"#;

/// Positions of a triangle whose first corner is at `x`.
fn corners(x: f32) -> Vec<u8> {
    let numbers = [x, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn path(text: &str) -> LogicalPath {
    LogicalPath::parse(text, "plaza").expect("a valid path")
}

/// A project on disk with a level that is open.
fn project() -> (TempDir, Assets) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let plaza = folder.path().join("samples/plaza");
    fs::create_dir_all(plaza.join("parts")).expect("can be made");
    for (name, bytes) in [
        ("level.toml", LEVEL.as_bytes().to_vec()),
        ("prop.lua", b"\xef\xbb\xbfreturn {}".to_vec()),
        ("walk.animgraph.json", b"{}".to_vec()),
        ("triangle.gltf", TRIANGLE.as_bytes().to_vec()),
        ("parts/triangle a.bin", corners(0.0)),
    ] {
        fs::write(plaza.join(name), bytes).expect("can be written");
    }
    let mut assets = Assets::new(folder.path());
    assets.open_level(&plaza).expect("a valid level");
    (folder, assets)
}

fn first_corner(model: &Model) -> f32 {
    model.meshes[0].primitives[0].positions[0].x
}

#[test]
fn a_file_is_read_once_and_shared() {
    let (_folder, mut assets) = project();
    let text = assets.text(&path("prop.lua")).expect("a script");
    assert_eq!(&*text.value, "return {}", "without the byte order mark");
    let again = assets.text(&path("prop.lua")).expect("a script");
    assert!(Arc::ptr_eq(&text.value, &again.value));
    assert_eq!(again.generation, 1);
    let model = assets.model(&path("triangle.gltf")).expect("a model");
    let again = assets.model(&path("triangle.gltf")).expect("a model");
    assert!(Arc::ptr_eq(&model.value, &again.value));
    assert_eq!(first_corner(&model.value), 0.0);
}

#[test]
fn everything_that_was_loaded_and_what_it_refers_to_is_listed() {
    let (_folder, mut assets) = project();
    assets.model(&path("triangle.gltf")).expect("a model");
    assets.text(&path("prop.lua")).expect("a script");
    let loaded: Vec<String> = assets.loaded().map(|path| path.path.clone()).collect();
    assert_eq!(
        loaded,
        [
            "level.toml",
            "parts/triangle a.bin",
            "prop.lua",
            "triangle.clips.json",
            "triangle.gltf"
        ]
    );
}

#[test]
fn a_good_version_replaces_the_old_one() {
    let (_folder, mut assets) = project();
    let old = assets.text(&path("prop.lua")).expect("a script");
    let changed = assets
        .replace(&path("prop.lua"), b"return 2".to_vec())
        .expect("text");
    assert_eq!(changed.texts, [path("prop.lua")]);
    let new = assets.text(&path("prop.lua")).expect("a script");
    assert_eq!((&*new.value, new.generation), ("return 2", 2));
    assert_eq!(
        (&*old.value, old.generation),
        ("return {}", 1),
        "who holds the old one keeps it"
    );
}

#[test]
fn a_bad_version_leaves_the_old_one() {
    let (_folder, mut assets) = project();
    let texts = (
        path("prop.lua"),
        b"return \xff".to_vec(),
        "E-ASSET-NOT-TEXT",
    );
    assets.text(&texts.0).expect("a script");
    assets.model(&path("triangle.gltf")).expect("a model");
    let no_json = (path("triangle.gltf"), b"{".to_vec(), "E-");
    let short = (path("parts/triangle a.bin"), vec![0; 35], "E-BUFFER");
    for (path, bytes, code) in [texts, no_json, short] {
        let fault = assets.replace(&path, bytes).expect_err(code);
        assert!(fault.code.starts_with(code), "{fault}");
    }
    assert_eq!(
        assets.text(&path("prop.lua")).expect("loaded").generation,
        1
    );
    let model = assets.model(&path("triangle.gltf")).expect("loaded");
    assert_eq!((model.generation, first_corner(&model.value)), (1, 0.0));
}

#[test]
fn a_changed_buffer_reloads_its_model() {
    let (_folder, mut assets) = project();
    assets.model(&path("triangle.gltf")).expect("a model");
    let buffer = path("parts/triangle a.bin");
    let changed = assets
        .replace(&buffer, corners(5.0))
        .expect("a good buffer");
    assert_eq!(changed.models, [path("triangle.gltf")]);
    let model = assets.model(&path("triangle.gltf")).expect("loaded");
    assert_eq!((model.generation, first_corner(&model.value)), (2, 5.0));
}

#[test]
fn a_file_that_nothing_was_loaded_from_changes_nothing() {
    let (_folder, mut assets) = project();
    let changed = assets
        .replace(&path("prop.lua"), b"return 2".to_vec())
        .expect("no fault");
    assert!(changed.is_empty());
    let text = assets.text(&path("prop.lua")).expect("a script");
    assert_eq!(
        &*text.value, "return {}",
        "read from disk, for the first time"
    );
}

#[test]
fn files_that_change_together_are_taken_together_or_not_at_all() {
    let (_folder, mut assets) = project();
    assets.text(&path("prop.lua")).expect("a script");
    assets.model(&path("triangle.gltf")).expect("a model");
    let moved = TRIANGLE.replace("parts/triangle%20a.bin", "moved.bin");
    let together = |script: &[u8]| {
        vec![
            (path("prop.lua"), script.to_vec()),
            (path("triangle.gltf"), moved.clone().into_bytes()),
            (path("moved.bin"), corners(7.0)),
        ]
    };
    let faults = assets
        .prepare(together(b"\xff"))
        .expect_err("one of them is bad");
    assert_eq!(faults.len(), 1, "{faults:?}");
    let prepared = assets.prepare(together(b"return 2")).expect("all good");
    assert_eq!(
        first_corner(&prepared.models[0].1),
        7.0,
        "the new buffer with the new model"
    );
    assert_eq!(
        assets.text(&path("prop.lua")).expect("loaded").generation,
        1,
        "not yet"
    );
    let changed = assets.commit(prepared);
    assert_eq!((changed.models.len(), changed.texts.len()), (1, 1));
    assert!(assets.loaded().any(|loaded| *loaded == path("moved.bin")));
    assert!(
        !assets
            .loaded()
            .any(|loaded| loaded.path == "parts/triangle a.bin")
    );
}

/// The triangle with a clip of a second.
fn moving_triangle() -> String {
    let extra = r#""bufferViews": [{ "buffer": 0, "byteLength": 36 }, { "buffer": 1, "byteLength": 32 }],
  "animations": [{ "name": "spin", "channels": [{ "sampler": 0, "target": { "node": 0, "path": "translation" } }],
                   "samplers": [{ "input": 1, "output": 2 }] }],"#;
    TRIANGLE
        .replace(
            r#""bufferViews": [{ "buffer": 0, "byteLength": 36 }],"#,
            extra,
        )
        .replace(
            r#""max": [9, 9, 9] }]"#,
            r#""max": [9, 9, 9] },
    { "bufferView": 1, "componentType": 5126, "count": 2, "type": "SCALAR" },
    { "bufferView": 1, "byteOffset": 8, "componentType": 5126, "count": 2, "type": "VEC3" }]"#,
        )
        .replace(
            r#""byteLength": 36 }]
}"#,
            r#""byteLength": 36 },
    { "byteLength": 32, "uri": "data:;base64,AAAAAAAAgD8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" }]
}"#,
        )
}

#[test]
fn a_clips_file_is_part_of_its_model_from_when_it_is_written() {
    let (folder, mut assets) = project();
    let plaza = folder.path().join("samples/plaza");
    fs::write(plaza.join("triangle.gltf"), moving_triangle()).expect("can be written");
    let model = assets.model(&path("triangle.gltf")).expect("a model");
    assert_eq!(model.value.clips[0].duration, 1.0);
    assert!(model.value.clips[0].markers.is_empty());

    let clips = path("triangle.clips.json");
    let marked = |time: f32| {
        format!(
            "{{ \"version\": 1, \"clips\": {{ \"spin\": {{ \"markers\": [{{ \"name\": \"half\", \"time\": {time} }}] }} }} }}"
        )
    };
    let changed = assets
        .replace(&clips, marked(0.5).into_bytes())
        .expect("a good file");
    assert_eq!(changed.models, [path("triangle.gltf")]);
    let model = assets.model(&path("triangle.gltf")).expect("loaded");
    assert_eq!(
        (model.generation, model.value.clips[0].markers[0].time),
        (2, 0.5)
    );

    let wrong = "{ \"version\": 1,\n  \"clips\": {\n    \"spni\": {} } }";
    let fault = assets
        .replace(&clips, wrong.into())
        .expect_err("no such clip");
    assert_eq!(
        fault.to_string(),
        "samples/plaza/triangle.clips.json:3:5: error[E-CLIPS-UNKNOWN]: the model has no clip `spni`; did you mean `spin`?"
    );
    let fault = assets
        .replace(&clips, b"\xff".to_vec())
        .expect_err("no text");
    assert_eq!(fault.code, "E-ASSET-NOT-TEXT");
    let model = assets.model(&path("triangle.gltf")).expect("loaded");
    assert_eq!(
        model.value.clips[0].markers.len(),
        1,
        "the last good version"
    );

    // Read from disk by whoever loads the model for the first time.
    fs::write(plaza.join("triangle.clips.json"), marked(7.0)).expect("can be written");
    let mut fresh = Assets::new(folder.path());
    fresh.open_level(&plaza).expect("a valid level");
    let model = fresh.model(&path("triangle.gltf")).expect("a model");
    assert_eq!(model.value.clips[0].markers[0].time, 1.0);
    let told = model.value.warnings.last().expect("a warning");
    assert_eq!(
        (told.code, told.file.as_deref()),
        ("W-MARK-CLAMPED", Some("triangle.clips.json"))
    );
}

#[test]
fn no_disk_is_needed() {
    let mut assets = Assets::new(Path::new("no such folder"));
    assets.insert(&path("triangle.gltf"), TRIANGLE.into());
    assets.insert(&path("parts/triangle a.bin"), corners(1.0));
    let model = assets.model(&path("triangle.gltf")).expect("a model");
    assert_eq!(first_corner(&model.value), 1.0);
    assets
        .replace(&path("parts/triangle a.bin"), corners(2.0))
        .expect("a good buffer");
    assets
        .replace(&path("triangle.gltf"), TRIANGLE.into())
        .expect("a good model");
    let model = assets.model(&path("triangle.gltf")).expect("loaded");
    assert_eq!(
        (model.generation, first_corner(&model.value)),
        (3, 2.0),
        "the buffer stays new"
    );
    assert_eq!(
        assets.display(&path("triangle.gltf")),
        "plaza:triangle.gltf"
    );
    assert_eq!(assets.list("plaza").len(), 2);
}

#[test]
fn a_missing_file_is_told_with_the_nearest_name() {
    let (folder, mut assets) = project();
    let fault = assets.text(&path("porp.lua")).expect_err("no such file");
    assert_eq!(
        fault.help.as_deref(),
        Some("did you mean `plaza:prop.lua`?")
    );
    assert!(fault.message.contains("`samples/plaza`"), "{fault}");
    fs::remove_file(folder.path().join("samples/plaza/parts/triangle a.bin")).expect("removed");
    let fault = assets.model(&path("triangle.gltf")).expect_err("no buffer");
    assert_eq!(fault.file.as_deref(), Some("samples/plaza/triangle.gltf"));
    assert_eq!(fault.span.map(|span| span.line), Some(7), "{fault}");
}

#[test]
fn a_level_is_opened_by_its_folder_or_its_file() {
    let (folder, mut assets) = project();
    let plaza = folder.path().join("samples/plaza");
    let level = assets
        .open_level(&plaza.join("level.toml"))
        .expect("a valid level");
    assert_eq!(level.id, "plaza");
    let text = assets.text(&path("level.toml")).expect("loaded");
    assert_eq!((&*text.value, text.generation), (LEVEL, 1));
    fs::write(plaza.join("level.toml"), format!("{LEVEL}yaw = 5\n")).expect("can be written");
    let level = assets.open_level(&plaza).expect("a valid level");
    assert_eq!(level.actors[0].yaw, 5.0);
    assert_eq!(
        assets.text(&path("level.toml")).expect("loaded").generation,
        2
    );
}

#[test]
fn a_level_that_cannot_be_opened_says_why() {
    let (folder, mut assets) = project();
    let samples = folder.path().join("samples");
    let twin = samples.join("twin");
    fs::create_dir_all(&twin).expect("can be made");
    fs::write(twin.join("level.toml"), LEVEL).expect("can be written");
    let broken = samples.join("broken");
    fs::create_dir_all(&broken).expect("can be made");
    fs::write(broken.join("level.toml"), "id = ").expect("can be written");
    let upper = samples.join("upper");
    fs::create_dir_all(&upper).expect("can be made");
    fs::write(upper.join("Level.toml"), LEVEL).expect("can be written");
    for (at, expected) in [
        (
            "samples/plazza",
            "error[E-LEVEL-MISSING]: there is no folder `samples/plazza`; did you mean `samples/plaza`?",
        ),
        (
            "samples",
            "error[E-LEVEL-MISSING]: there is no `level.toml` in `samples`; name the folder",
        ),
        (
            "samples/twin",
            "samples/twin/level.toml:1:6: error[E-LEVEL-ID-TAKEN]: there is already",
        ),
        ("samples/broken", "samples/broken/level.toml:1:"),
        (
            "samples/upper",
            "error[E-ASSET-CASE]: `samples/upper/level.toml` is really spelled `samples/upper/Level.toml`",
        ),
    ] {
        let faults = assets.open_level(&folder.path().join(at)).expect_err(at);
        let told = faults[0].to_string();
        assert!(told.starts_with(expected), "{at}: {told}");
    }
}

#[test]
fn a_level_is_preloaded_and_every_wrong_name_told_at_its_place() {
    let (folder, mut assets) = project();
    let level = assets
        .open_level(&folder.path().join("samples/plaza"))
        .expect("a valid level");
    assert_eq!(assets.preload_level(&level), []);
    assert_eq!(assets.loaded().count(), 5);

    let wrong = r#"id = "plaza"
version = "1.0.0"
[[actor]]
name = "prop"
model = "traingle.gltf"
scripts = ["Prop.lua", "prop.lua"]
[[actor]]
name = "rider"
model = "triangle.gltf"
clip = "walk"
variant = "gold"
parent = "carrier"
parent_joint = "traingle"
[[actor]]
name = "carrier"
model = "triangle.gltf"
[[actor]]
name = "broken"
model = "broken.gltf"
"#;
    let plaza = folder.path().join("samples/plaza");
    fs::write(plaza.join("level.toml"), wrong).expect("can be written");
    fs::write(plaza.join("broken.gltf"), "{").expect("can be written");
    let level = assets
        .open_level(&plaza)
        .expect("a level with a right form");
    let faults = assets.preload_level(&level);
    let told: Vec<(&str, u32, Option<&str>)> = faults
        .iter()
        .map(|fault| {
            let edit = fault.edit.as_ref().map(|edit| edit.replacement.as_str());
            (
                fault.code.as_str(),
                fault.span.map_or(0, |span| span.line),
                edit,
            )
        })
        .collect();
    assert_eq!(
        told[..5],
        [
            ("E-ASSET-MISSING", 5, Some("\"plaza:triangle.gltf\"")),
            ("E-ASSET-CASE", 6, Some("\"plaza:prop.lua\"")),
            ("E-LEVEL-UNKNOWN-CLIP", 10, None),
            ("E-LEVEL-UNKNOWN-VARIANT", 11, None),
            ("E-LEVEL-UNKNOWN-JOINT", 13, Some("\"triangle\"")),
        ]
    );
    assert_eq!(faults[0].actor.as_deref(), Some("prop"));
    let broken = &faults[5];
    assert_eq!(broken.file.as_deref(), Some("samples/plaza/broken.gltf"));
    assert_eq!(
        broken.notes,
        ["named by the actor `broken` of samples/plaza/level.toml"]
    );
    assert_eq!(faults.len(), 6);
}

#[test]
fn a_graph_is_read_and_a_bad_version_told_at_its_place() {
    let (_folder, mut assets) = project();
    let graph = path("walk.animgraph.json");
    let first = assets.graph(&graph).expect("an empty graph");
    let text = "{\n  \"layers\": [\n    { \"name\": \"base\", \"mode\": 1 }\n  ]\n}";
    let fault = assets
        .replace(&graph, text.into())
        .expect_err("an unknown key");
    assert_eq!(
        fault.file.as_deref(),
        Some("samples/plaza/walk.animgraph.json")
    );
    let span = fault.span.expect("a place");
    assert_eq!(
        (span.line, &text[span.start..span.end]),
        (3, "\"mode\""),
        "{fault}"
    );
    let fault = assets
        .replace(&graph, b"{\n  oh".to_vec())
        .expect_err("no JSON");
    assert_eq!(
        fault.span.map(|span| (span.line, span.column)),
        Some((2, 3)),
        "{fault}"
    );
    let same = assets.graph(&graph).expect("loaded");
    assert!(Arc::ptr_eq(&first.value, &same.value));
    let better = r#"{ "parameters": { "speed": 1.5 } }"#;
    let changed = assets.replace(&graph, better.into()).expect("a good graph");
    assert_eq!(changed.graphs, std::slice::from_ref(&graph));
    let new = assets.graph(&graph).expect("loaded");
    assert_eq!((new.generation, new.value.parameters.len()), (2, 1));
}

#[test]
fn the_levels_of_the_samples_name_files_that_are_there() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let samples = fs::read_dir(project.join("samples"))
        .into_iter()
        .flatten()
        .flatten();
    let mut levels = 0;
    for sample in samples.filter(|sample| sample.path().join("level.toml").is_file()) {
        let mut assets = Assets::new(&project);
        let level = assets.open_level(&sample.path()).expect("a valid level");
        assert_eq!(assets.preload_level(&level), [], "{}", level.id);
        levels += 1;
    }
    assert!(levels > 0, "there are samples");
}
