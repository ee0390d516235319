//! Primitives: vertex attributes, triangles, morph targets.

use std::collections::BTreeMap;

use bytemuck::{Pod, cast_slice};
use glam::{Vec2, Vec3};
use serde::Deserialize;

use crate::{
    MorphTarget, Primitive,
    accessor::Reader,
    document,
    draco::{self, Decoded},
    element::{Numbers, Shape},
    error::{ImportError, Result, Warnings},
    influences::{self, Sets},
    references,
    triangles::{self, Mode},
};

/// What a primitive or a target takes beside its vertices, bytes.
const RECORD_BYTES: u64 = 512;

/// What the primitives of one mesh have in common.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// Joints of the node's skin; `None` without one.
    pub(crate) skin_joints: Option<usize>,
    pub(crate) materials: usize,
    pub(crate) variants: usize,
}

/// Reads one primitive; `None`, with a warning, for one without positions.
pub(crate) fn read(
    index: usize,
    primitive: &document::Primitive,
    pointer: &str,
    context: Context,
    reader: &mut Reader,
    warnings: &mut Warnings,
) -> Result<Option<Primitive>> {
    let mode = Mode::parse(primitive.mode, pointer)?;
    // One mesh can be drawn by many nodes, each with primitives and targets of its own.
    let records = 1 + primitive.targets.len() as u64;
    reader.budget.take(records, RECORD_BYTES, pointer)?;
    let draco = draco::decode(primitive, pointer, reader)?;
    let mut source = Source {
        primitive,
        pointer,
        draco,
        reader,
    };
    let Some(positions) = source.floats("POSITION", Shape::Vec3, Numbers::Any)? else {
        let message = "the primitive has no positions and is left out";
        warnings.add("W-PRIMITIVE-NO-POSITION", pointer, message);
        return Ok(None);
    };
    let positions: Vec<Vec3> = cast(&positions);
    let count = positions.len();
    let triangles = triangulate(&mut source, mode, count, warnings)?;
    let normals = source.optional("NORMAL", Shape::Vec3, Numbers::Fraction, count, warnings)?;
    let normals = unit_normals(normals, &positions, &triangles, pointer, warnings);
    let uvs = source.optional("TEXCOORD_0", Shape::Vec2, Numbers::Any, count, warnings)?;
    let colors = read_colors(&mut source, count, warnings)?;
    let sets = read_sets(&mut source, count, warnings)?;
    let influences = match (context.skin_joints, sets) {
        (Some(joints), Some(sets)) => influences::merge(&sets, count, joints, pointer, warnings)?,
        (Some(_), None) => {
            let message = "the primitive has no joints and weights; it follows its node";
            warnings.add("W-SKIN-NO-WEIGHTS", pointer, message);
            Default::default()
        }
        (None, Some(_)) => {
            let message = "the node has no skin; joints and weights are ignored";
            warnings.add("W-WEIGHTS-NO-SKIN", pointer, message);
            Default::default()
        }
        (None, None) => Default::default(),
    };
    let targets = primitive.targets.iter().enumerate();
    let targets = targets
        .map(|(t, target)| {
            read_target(
                target,
                &format!("{pointer}/targets/{t}"),
                count,
                source.reader,
            )
        })
        .collect::<Result<_>>()?;
    Ok(Some(Primitive {
        index,
        positions,
        normals,
        uvs: uvs.map_or_else(Vec::new, |values| cast::<Vec2>(&values)),
        colors,
        triangles,
        influences,
        targets,
        material: primitive.material,
        variant_materials: variant_materials(primitive, pointer, context)?,
    }))
}

/// Where a primitive's attributes come from: accessors, or a compressed stream for those that it names.
struct Source<'a, 'r> {
    primitive: &'a document::Primitive,
    pointer: &'a str,
    draco: Option<Decoded>,
    reader: &'a mut Reader<'r>,
}

impl Source<'_, '_> {
    fn floats(&mut self, name: &str, shape: Shape, numbers: Numbers) -> Result<Option<Vec<f32>>> {
        let Some(&accessor) = self.primitive.attributes.get(name) else {
            return Ok(None);
        };
        let owner = format!("{}/attributes/{name}", self.pointer);
        let compressed = self.draco.as_ref().filter(|draco| draco.has(name));
        match compressed {
            Some(draco) => draco.floats(name, accessor, &owner, shape, numbers, self.reader),
            None => self.reader.floats(accessor, &owner, shape, numbers),
        }
        .map(Some)
    }

    /// An attribute that must have `count` elements where it is there.
    fn counted(
        &mut self,
        name: &str,
        shape: Shape,
        numbers: Numbers,
        count: usize,
    ) -> Result<Option<Vec<f32>>> {
        let owner = || format!("{}/attributes/{name}", self.pointer);
        let compressed = self.draco.as_ref().is_some_and(|draco| draco.has(name));
        if let Some(&accessor) = self.primitive.attributes.get(name)
            && !compressed
        {
            check_count(self.reader.layout(accessor)?.count, count, &owner())?;
        }
        self.floats(name, shape, numbers)
    }

    /// An attribute without which the model still stands: left out, with a warning, where it holds nonsense.
    fn optional(
        &mut self,
        name: &str,
        shape: Shape,
        numbers: Numbers,
        count: usize,
        warnings: &mut Warnings,
    ) -> Result<Option<Vec<f32>>> {
        match self.counted(name, shape, numbers, count) {
            Err(error) if matches!(error.code, "E-NOT-FINITE" | "E-ACCESSOR-TYPE") => {
                let owner = format!("{}/attributes/{name}", self.pointer);
                warnings.add(
                    "W-ATTRIBUTE-IGNORED",
                    owner,
                    format!("the attribute is left out: {}", error.message),
                );
                Ok(None)
            }
            other => other,
        }
    }
}

fn check_count(found: u64, expected: usize, pointer: &str) -> Result<()> {
    if found == expected as u64 {
        return Ok(());
    }
    Err(ImportError::new(
        "E-ATTRIBUTE-COUNT",
        pointer,
        format!("{found} elements for {expected} vertices"),
    ))
}

fn triangulate(
    source: &mut Source,
    mode: Mode,
    count: usize,
    warnings: &mut Warnings,
) -> Result<Vec<u32>> {
    let pointer = format!("{}/indices", source.pointer);
    let compressed = source.draco.as_ref().map(Decoded::triangles);
    let (mode, vertices) = match (compressed, source.primitive.indices) {
        (Some(triangles), _) => (Mode::Triangles, triangles),
        (None, Some(accessor)) => (
            mode,
            source.reader.indices(accessor, &pointer, Shape::Scalar)?,
        ),
        (None, None) => {
            source.reader.budget.take(count as u64, 4, source.pointer)?;
            (mode, (0..count as u32).collect())
        }
    };
    if let Some(&vertex) = vertices.iter().find(|&&vertex| vertex as usize >= count) {
        return Err(ImportError::new(
            "E-VERTEX-INDEX",
            pointer,
            format!("vertex {vertex} is named, the primitive has {count}"),
        ));
    }
    if matches!(mode, Mode::Strip | Mode::Fan) {
        source
            .reader
            .budget
            .take(vertices.len() as u64, 12, &pointer)?;
    }
    Ok(triangles::triangulate(
        mode,
        vertices,
        source.pointer,
        warnings,
    ))
}

/// The file's normals at unit length, else computed ones; none where there is no triangle.
fn unit_normals(
    normals: Option<Vec<f32>>,
    positions: &[Vec3],
    triangles: &[u32],
    pointer: &str,
    warnings: &mut Warnings,
) -> Vec<Vec3> {
    if let Some(normals) = normals {
        let normals = cast::<Vec3>(&normals);
        let flat = normals
            .iter()
            .filter(|normal| normal.length_squared() == 0.0)
            .count();
        if flat > 0 {
            let message = format!("{flat} normals have no length; they were turned to +Y");
            warnings.add("W-NORMALS-COMPUTED", pointer, message);
        }
        return normals
            .into_iter()
            .map(|normal| normal.normalize_or(Vec3::Y))
            .collect();
    }
    if triangles.is_empty() {
        return Vec::new();
    }
    warnings.add(
        "W-NORMALS-COMPUTED",
        pointer,
        "the primitive has no usable normals; smooth ones were computed",
    );
    triangles::smooth_normals(positions, triangles)
}

fn read_colors(
    source: &mut Source,
    count: usize,
    warnings: &mut Warnings,
) -> Result<Vec<[f32; 4]>> {
    let Some(&accessor) = source.primitive.attributes.get("COLOR_0") else {
        return Ok(Vec::new());
    };
    let shape = source.reader.layout(accessor)?.shape;
    let opaque = shape == Shape::Vec3;
    let expected = if opaque { Shape::Vec3 } else { Shape::Vec4 };
    let values = source.optional("COLOR_0", expected, Numbers::Fraction, count, warnings)?;
    let values = values.unwrap_or_default();
    Ok(if opaque {
        let colors = values.as_chunks::<3>().0.iter();
        colors.map(|&[r, g, b]| [r, g, b, 1.0]).collect()
    } else {
        values.as_chunks::<4>().0.to_vec()
    })
}

/// All sets of joints and weights, numbered from 0 without a gap.
fn read_sets(source: &mut Source, count: usize, warnings: &mut Warnings) -> Result<Option<Sets>> {
    let mut sets = Sets {
        joints: Vec::new(),
        weights: Vec::new(),
    };
    loop {
        let set = sets.joints.len();
        let (joints_name, weights_name) = (format!("JOINTS_{set}"), format!("WEIGHTS_{set}"));
        let joints = source.counted(&joints_name, Shape::Vec4, Numbers::Index, count)?;
        let weights = source.counted(&weights_name, Shape::Vec4, Numbers::Any, count)?;
        match (joints, weights) {
            (Some(joints), Some(weights)) => {
                sets.joints
                    .push(joints.into_iter().map(|joint| joint as u32).collect());
                sets.weights.push(weights);
            }
            (None, None) => break,
            (joints, _) => {
                let (there, missing) = match joints {
                    Some(_) => (&joints_name, &weights_name),
                    None => (&weights_name, &joints_name),
                };
                return Err(ImportError::new(
                    "E-WEIGHTS",
                    format!("{}/attributes/{there}", source.pointer),
                    format!("{there} needs {missing}"),
                ));
            }
        }
    }
    let first_missing = sets.joints.len();
    for name in source.primitive.attributes.keys() {
        let number = name
            .strip_prefix("JOINTS_")
            .or(name.strip_prefix("WEIGHTS_"));
        let number = number.and_then(|number| number.parse::<usize>().ok());
        if number.is_some_and(|number| number >= first_missing) {
            warnings.add(
                "W-ATTRIBUTE-IGNORED",
                format!("{}/attributes/{name}", source.pointer),
                format!("set {first_missing} is missing before it"),
            );
        }
    }
    Ok((first_missing > 0).then_some(sets))
}

fn read_target(
    target: &BTreeMap<String, usize>,
    pointer: &str,
    count: usize,
    reader: &mut Reader,
) -> Result<MorphTarget> {
    let mut read = |name: &str| -> Result<Vec<Vec3>> {
        let Some(&accessor) = target.get(name) else {
            return Ok(Vec::new());
        };
        let owner = format!("{pointer}/{name}");
        let layout = reader.expect(accessor, &owner, Shape::Vec3, Numbers::Any)?;
        check_count(layout.count, count, &owner)?;
        if layout.zeros {
            return Ok(Vec::new());
        }
        let values = reader.floats(accessor, &owner, Shape::Vec3, Numbers::Any)?;
        Ok(cast(&values))
    };
    Ok(MorphTarget {
        positions: read("POSITION")?,
        normals: read("NORMAL")?,
    })
}

/// KHR_materials_variants: which variant takes which material.
fn variant_materials(
    primitive: &document::Primitive,
    pointer: &str,
    context: Context,
) -> Result<Vec<(usize, usize)>> {
    #[derive(Deserialize)]
    struct Variants {
        mappings: Vec<Mapping>,
    }
    #[derive(Deserialize)]
    struct Mapping {
        material: usize,
        variants: Vec<usize>,
    }
    let name = "KHR_materials_variants";
    let Some(Variants { mappings }) = primitive.extensions.get(name, pointer)? else {
        return Ok(Vec::new());
    };
    let mut list = Vec::new();
    for (m, mapping) in mappings.iter().enumerate() {
        let at = format!("{pointer}/extensions/{name}/mappings/{m}");
        let material = mapping.material;
        references::within(
            format_args!("{at}/material"),
            "material",
            material,
            context.materials,
        )?;
        for (v, &variant) in mapping.variants.iter().enumerate() {
            references::within(
                format_args!("{at}/variants/{v}"),
                "variant",
                variant,
                context.variants,
            )?;
            list.push((variant, material));
        }
    }
    Ok(list)
}

fn cast<T: Pod>(values: &[f32]) -> Vec<T> {
    cast_slice(values).to_vec()
}

#[cfg(test)]
mod tests;
