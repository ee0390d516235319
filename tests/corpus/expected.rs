//! Values that an independent reading of glTF 2.0 gives: joint world matrices, morph weights and posed vertices, in the rest
//! pose and at chosen times of every clip.
//!
//! Each sample is taken from the rest pose with one clip alone; ends hold. Two lists of numbers agree within a tolerance if
//! `|a - b| / (1 + max |a|)` stays below it, per matrix, per node's weights, per primitive's positions.

use std::{collections::BTreeMap, fmt, fs::File, io::BufReader, path::Path};

use flate2::read::GzDecoder;
use glam::{Affine3A, Mat4};
use serde::{Deserialize, Deserializer, de::Visitor};
use sinew_anim::{Pose, local_to_model, sample};
use sinew_model::{Model, SkinnedVertices, skin_vertices};

#[derive(Deserialize)]
struct Expected {
    nodes: Vec<usize>,
    prims: Vec<Primitive>,
    rest: Posed,
    clips: Vec<Clip>,
}

#[derive(Deserialize)]
struct Primitive {
    node: usize,
    prim: usize,
    count: usize,
    verts: Vec<usize>,
}

#[derive(Deserialize)]
struct Clip {
    duration: f64,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    t: f32,
    #[serde(flatten)]
    posed: Posed,
}

#[derive(Deserialize)]
struct Posed {
    world: Vec<Vec<Number>>,
    #[serde(default)]
    weights: BTreeMap<String, Vec<Number>>,
    #[serde(default)]
    pos: Vec<Vec<Number>>,
}

/// A number, or the name of one that is not finite.
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AnyNumber;
        impl Visitor<'_> for AnyNumber {
            type Value = Number;
            fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
                out.write_str("a number or the name of one")
            }
            fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
                Ok(Number(number))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
                Ok(Number(number as f64))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
                Ok(Number(number as f64))
            }
            fn visit_str<E>(self, _: &str) -> Result<Number, E> {
                Ok(Number(f64::NAN))
            }
        }
        deserializer.deserialize_any(AnyNumber)
    }
}

/// A model in one pose.
struct Evaluated {
    pose: Pose,
    model: Vec<Affine3A>,
}

fn evaluate(model: &Model, clip_at: Option<(usize, f32)>) -> Evaluated {
    let mut pose = model.skeleton.rest.clone();
    if let Some((clip, time)) = clip_at {
        sample(&model.clips[clip], time, &mut pose);
    }
    let mut matrices = vec![Affine3A::IDENTITY; model.skeleton.len()];
    local_to_model(&model.skeleton, &pose, &mut matrices);
    Evaluated {
        pose,
        model: matrices,
    }
}

/// Holds `model` against the values at `path`.
pub fn compare(model: &Model, path: &Path, tolerance: f64) -> Result<(), String> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let expected: Expected = serde_json::from_reader(BufReader::new(GzDecoder::new(file)))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    if model.clips.len() != expected.clips.len() {
        return Err(format!(
            "has {} clips, expected {}",
            model.clips.len(),
            expected.clips.len()
        ));
    }
    let check = |place: &str, evaluated: &Evaluated, posed: &Posed| {
        compare_pose(model, &expected, evaluated, posed, tolerance)
            .map_err(|reason| format!("{place}: {reason}"))
    };
    check("rest", &evaluate(model, None), &expected.rest)?;
    for (index, clip) in expected.clips.iter().enumerate() {
        let duration = f64::from(model.clips[index].duration);
        if (duration - clip.duration).abs() > 1e-6 * (1.0 + clip.duration) {
            return Err(format!(
                "clip {index} lasts {duration} s, expected {}",
                clip.duration
            ));
        }
        for sample in &clip.samples {
            let place = format!("clip {index} at {} s", sample.t);
            check(
                &place,
                &evaluate(model, Some((index, sample.t))),
                &sample.posed,
            )?;
        }
    }
    Ok(())
}

fn compare_pose(
    model: &Model,
    expected: &Expected,
    evaluated: &Evaluated,
    posed: &Posed,
    tolerance: f64,
) -> Result<(), String> {
    for (&node, world) in expected.nodes.iter().zip(&posed.world) {
        let joint = model.joint_of_node.get(node).copied().flatten();
        let joint = joint.ok_or_else(|| format!("node {node} is no joint"))?;
        let matrix = Mat4::from(evaluated.model[usize::from(joint)]).to_cols_array();
        agree(world, &matrix, tolerance).map_err(|reason| format!("node {node}: {reason}"))?;
    }
    for (node, weights) in &posed.weights {
        let mesh = model
            .meshes
            .iter()
            .find(|mesh| mesh.node.to_string() == *node);
        let mesh = mesh.ok_or_else(|| format!("node {node} draws no mesh"))?;
        let channels = mesh.morphs.iter();
        let found: Vec<f32> = channels
            .map(|&channel| evaluated.pose.morphs[usize::from(channel)])
            .collect();
        agree(weights, &found, tolerance)
            .map_err(|reason| format!("weights of {node}: {reason}"))?;
    }
    let mut vertices = SkinnedVertices::default();
    for (primitive, positions) in expected.prims.iter().zip(&posed.pos) {
        let Primitive {
            node,
            prim,
            count,
            ref verts,
        } = *primitive;
        let mesh = model.meshes.iter().find(|mesh| mesh.node == node);
        let found = mesh.and_then(|mesh| {
            let primitive = mesh
                .primitives
                .iter()
                .find(|primitive| primitive.index == prim)?;
            Some((mesh, primitive))
        });
        let place = format!("primitive {prim} of node {node}");
        let (mesh, primitive) = found.ok_or_else(|| format!("{place} is missing"))?;
        if primitive.positions.len() != count {
            return Err(format!(
                "{place} has {} vertices, expected {count}",
                primitive.positions.len()
            ));
        }
        let skin = mesh.skin.map(|skin| &model.skins[skin]);
        let Evaluated { pose, model } = evaluated;
        skin_vertices(mesh, primitive, skin, model, &pose.morphs, &mut vertices);
        let picked: Vec<f32> = verts
            .iter()
            .flat_map(|&vertex| vertices.positions[vertex].to_array())
            .collect();
        agree(positions, &picked, tolerance).map_err(|reason| format!("{place}: {reason}"))?;
    }
    Ok(())
}

fn agree(expected: &[Number], found: &[f32], tolerance: f64) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!(
            "{} numbers, expected {}",
            found.len(),
            expected.len()
        ));
    }
    let size = expected
        .iter()
        .fold(0.0, |size: f64, number| size.max(number.0.abs()));
    let pairs = expected.iter().zip(found).enumerate();
    for (index, (Number(expected), &found)) in pairs.filter(|(_, (number, _))| number.0.is_finite())
    {
        let error = (expected - f64::from(found)).abs() / (1.0 + size);
        if error.is_nan() || error > tolerance {
            return Err(format!(
                "number {index} is {found}, expected {expected} (relative error {error:.2e})"
            ));
        }
    }
    Ok(())
}

/// Every pose of the model is finite: at rest, and at the ends and in the middle of each clip.
pub fn check_finite(model: &Model) -> Result<(), String> {
    check_finite_pose(model, &evaluate(model, None)).map_err(|what| format!("rest: {what}"))?;
    for (index, clip) in model.clips.iter().enumerate() {
        for time in [0.0, clip.duration * 0.37, clip.duration] {
            check_finite_pose(model, &evaluate(model, Some((index, time))))
                .map_err(|what| format!("clip {index} at {time} s: {what}"))?;
        }
    }
    Ok(())
}

fn check_finite_pose(model: &Model, evaluated: &Evaluated) -> Result<(), String> {
    if let Some(joint) = evaluated
        .model
        .iter()
        .position(|matrix| !matrix.is_finite())
    {
        return Err(format!("joint {joint} is not finite"));
    }
    if !evaluated
        .pose
        .morphs
        .iter()
        .all(|weight| weight.is_finite())
    {
        return Err("a morph weight is not finite".to_owned());
    }
    let mut vertices = SkinnedVertices::default();
    for mesh in &model.meshes {
        let skin = mesh.skin.map(|skin| &model.skins[skin]);
        for primitive in &mesh.primitives {
            let Evaluated { pose, model } = evaluated;
            skin_vertices(mesh, primitive, skin, model, &pose.morphs, &mut vertices);
            let mut all = vertices.positions.iter().chain(&vertices.normals);
            if !all.all(|vector| vector.is_finite()) {
                return Err(format!("a vertex of `{}` is not finite", mesh.name));
            }
        }
    }
    Ok(())
}
