use super::*;
use crate::{
    Model,
    testing::{codes, floats, import_parts},
};

/// One primitive over a buffer of three positions (accessor 0), then `bytes` (view 1).
fn check(primitive: &str, accessors: &str, bytes: &[u8]) -> Result<Model> {
    let mut buffer = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    buffer.extend(bytes);
    let body = format!(
        r#""nodes":[{{"mesh":0,"name":"n"}}],"meshes":[{{"name":"m","primitives":[{primitive}]}}],
           "bufferViews":[{{"buffer":0,"byteLength":36}},{{"buffer":0,"byteOffset":36,"byteLength":{}}}],
           "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}}{accessors}]"#,
        bytes.len()
    );
    import_parts(&body, &buffer)
}

#[test]
fn a_bare_triangle_gets_indices_and_normals() {
    let model = check(r#"{"attributes":{"POSITION":0}}"#, "", &[0]).expect("valid");
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.triangles, [0, 1, 2]);
    assert_eq!(primitive.normals, [Vec3::Z; 3]);
    assert_eq!(model.bounds, [Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0)]);
    assert_eq!(codes(&model), ["W-NORMALS-COMPUTED"]);
}

#[test]
fn attributes_of_other_lengths_and_vertices_past_the_end_are_refused() {
    let accessor = |count: u32, component: u32, shape: &str| {
        format!(
            r#",{{"bufferView":1,"componentType":{component},"count":{count},"type":"{shape}"}}"#
        )
    };
    let cases = [
        (
            r#"{"attributes":{"POSITION":0,"NORMAL":1}}"#,
            accessor(2, 5126, "VEC3"),
            "E-ATTRIBUTE-COUNT",
        ),
        (
            r#"{"attributes":{"POSITION":0,"JOINTS_0":1}}"#,
            accessor(3, 5121, "VEC4"),
            "E-WEIGHTS",
        ),
        (
            r#"{"attributes":{"POSITION":0},"indices":1}"#,
            accessor(3, 5121, "SCALAR"),
            "E-VERTEX-INDEX",
        ),
        (
            r#"{"attributes":{"POSITION":0},"indices":1}"#,
            accessor(3, 5121, "VEC2"),
            "E-ACCESSOR-TYPE",
        ),
        (
            r#"{"attributes":{"POSITION":0},"mode":7}"#,
            String::new(),
            "E-PRIMITIVE-MODE",
        ),
        (
            r#"{"attributes":{"POSITION":0},"targets":[{"POSITION":1}]}"#,
            accessor(2, 5126, "VEC3"),
            "E-ATTRIBUTE-COUNT",
        ),
        (
            r#"{"attributes":{"POSITION":0},"material":0}"#,
            String::new(),
            "E-INDEX",
        ),
    ];
    for (primitive, accessors, code) in cases {
        let error = check(primitive, &accessors, &[9; 24]).expect_err(primitive);
        assert_eq!(error.code, code, "{primitive}");
        assert!(
            error.pointer.starts_with("/meshes/0/primitives/0/"),
            "{error}"
        );
    }
}

#[test]
fn attributes_without_which_a_model_stands_are_left_out() {
    let normals = floats(&[f32::NAN; 9]);
    let accessors = r#",{"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"}"#;
    let model = check(
        r#"{"attributes":{"POSITION":0,"NORMAL":1}}"#,
        accessors,
        &normals,
    )
    .expect("valid");
    assert_eq!(codes(&model), ["W-ATTRIBUTE-IGNORED", "W-NORMALS-COMPUTED"]);
    let model = check(r#"{"attributes":{}}"#, "", &[0]).expect("valid");
    assert!(model.meshes[0].primitives.is_empty());
    assert_eq!(codes(&model), ["W-PRIMITIVE-NO-POSITION"]);
}

#[test]
fn colors_of_three_parts_are_opaque_and_zero_targets_take_no_memory() {
    let accessors = r#",{"bufferView":1,"componentType":5121,"normalized":true,"count":3,"type":"VEC3"},
        {"componentType":5126,"count":3,"type":"VEC3"}"#;
    let primitive = r#"{"attributes":{"POSITION":0,"COLOR_0":1},"targets":[{"POSITION":2}]}"#;
    let model = check(primitive, accessors, &[255, 0, 51, 0, 0, 0, 0, 0, 0]).expect("valid");
    let primitive = &model.meshes[0].primitives[0];
    assert_eq!(primitive.colors[0], [1.0, 0.0, 0.2, 1.0]);
    assert_eq!(primitive.targets, [MorphTarget::default()]);
    assert_eq!(model.skeleton.morphs, ["m/morph_0"]);
}
