//! Writes a character as binary glTF 2.0: plain core features plus `MSFT_lod` and `KHR_materials_variants`.
//!
//! - Level of detail: each level is a mesh node on the one skin. Only the first is in the default scene; the others hang
//!   on its `MSFT_lod` and in a second scene named `lods`, so a plain viewer shows the finest level only.
//! - Vertices are ordered by the coarsest level that uses them, so a coarser level's accessors are prefixes of the finer
//!   one's buffers and cost no bytes.
//! - Rotations are normalised i16, keys that linear interpolation would give anyway are left out, equal accessors shared.

mod animation;
mod material;
mod vertices;

use crate::clip::Clip;
use crate::mesh::{Mesh, Triangle};
use crate::skeleton::Skeleton;
use animation::write_animations;
use glam::{Mat4, Quat, Vec3};
pub use material::linear;
use material::materials;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use vertices::write_meshes;

/// A material without textures.
pub struct Material {
    /// Unique within a character.
    pub name: &'static str,
    /// sRGB hex, as in a paint program.
    pub colour: &'static str,
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f32,
    /// 0 for everything but metal.
    pub metallic: f32,
    /// Colour under each of the character's variants, in their order; empty for the same in all.
    pub variants: &'static [&'static str],
}

/// Everything that goes into a file.
pub struct Character<'a> {
    /// Names the mesh and its levels of detail.
    pub name: &'a str,
    /// The joints, in the order of their nodes.
    pub skeleton: &'a Skeleton,
    /// What triangles index.
    pub materials: &'a [Material],
    /// Names of the looks; none for a character with a single one.
    pub variant_names: &'a [&'a str],
    /// The vertices of all levels.
    pub mesh: &'a Mesh,
    /// Triangles of each level, finest first.
    pub levels: &'a [Vec<Triangle>],
    /// The animations, in the order of the file.
    pub clips: &'a [Clip],
    /// Joints whose rotation keys must be exact because feet hang on them.
    pub precise: &'a dyn Fn(&str) -> bool,
}

const FLOAT: u32 = 5126;
const U8: u32 = 5121;
const U16: u32 = 5123;
const I16: u32 = 5122;

#[derive(Default)]
struct Writer {
    bin: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    shared: BTreeMap<String, usize>,
    shared_views: BTreeMap<Vec<u8>, usize>,
    animation_bytes: Vec<u8>,
}

impl Writer {
    /// A view of vertex data with `stride` bytes a vertex.
    fn vertex_view(&mut self, bytes: &[u8], stride: usize) -> usize {
        let view = self.view(bytes, Some(34962));
        self.views[view]["byteStride"] = json!(stride);
        view
    }

    fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
        let mut view =
            json!({"buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len()});
        if let Some(t) = target {
            view["target"] = json!(t);
        }
        self.bin.extend_from_slice(bytes);
        self.views.push(view);
        self.views.len() - 1
    }

    /// A view that is made once for equal bytes.
    fn shared_view(&mut self, bytes: &[u8]) -> usize {
        if let Some(&view) = self.shared_views.get(bytes) {
            return view;
        }
        let view = self.view(bytes, None);
        self.shared_views.insert(bytes.to_vec(), view);
        view
    }

    /// Adds an accessor, or finds the equal one that is already there.
    fn accessor(&mut self, accessor: Value) -> usize {
        let accessors = &mut self.accessors;
        *self.shared.entry(accessor.to_string()).or_insert_with(|| {
            accessors.push(accessor);
            accessors.len() - 1
        })
    }

    /// Offset of `bytes` in the one view that holds all animation data; equal runs are stored once.
    fn animation_offset(&mut self, bytes: &[u8]) -> usize {
        let found = self
            .animation_bytes
            .windows(bytes.len())
            .position(|w| w == bytes)
            .filter(|p| p % 4 == 0);
        found.unwrap_or_else(|| {
            let at = self.animation_bytes.len();
            self.animation_bytes.extend_from_slice(bytes);
            self.animation_bytes
                .resize(self.animation_bytes.len().next_multiple_of(4), 0);
            at
        })
    }
}

fn floats(values: impl IntoIterator<Item = f32>) -> Vec<u8> {
    values.into_iter().flat_map(f32::to_le_bytes).collect()
}

fn vectors(values: &[Vec3]) -> Vec<u8> {
    floats(values.iter().flat_map(|v| v.to_array()))
}

fn shorts(values: impl IntoIterator<Item = u16>) -> Vec<u8> {
    values.into_iter().flat_map(u16::to_le_bytes).collect()
}

/// The whole file.
pub fn write(character: &Character) -> Vec<u8> {
    let mut w = Writer::default();
    let skeleton = character.skeleton;
    let joints = skeleton.len();
    let meshes = write_meshes(&mut w, character);
    let inverse_bind = write_inverse_bind(&mut w, skeleton);
    let animations = write_animations(&mut w, character);
    let mut nodes = joint_nodes(skeleton);
    nodes.extend(mesh_nodes(character.name, joints, meshes.len()));
    let mut scenes = vec![json!({"name": character.name, "nodes": [0, joints]})];
    let mut used = Vec::new();
    if meshes.len() > 1 {
        let all: Vec<usize> = std::iter::once(0)
            .chain(joints + 1..joints + meshes.len())
            .collect();
        scenes.push(json!({"name": "lods", "nodes": all}));
        used.push("MSFT_lod");
    }
    let (materials, _) = materials(character);
    let mut root = json!({
        "asset": {"version": "2.0", "generator": "sinew character generator", "copyright": "CC0-1.0"},
        "scene": 0, "scenes": scenes, "nodes": nodes, "meshes": meshes, "materials": materials,
        "skins": [{"joints": (0..joints).collect::<Vec<_>>(), "inverseBindMatrices": inverse_bind, "skeleton": 0}],
    });
    if !animations.is_empty() {
        root["animations"] = json!(animations);
    }
    if !character.variant_names.is_empty() {
        used.push("KHR_materials_variants");
        let names: Vec<Value> = character
            .variant_names
            .iter()
            .map(|n| json!({"name": n}))
            .collect();
        root["extensions"] = json!({"KHR_materials_variants": {"variants": names}});
    }
    if !used.is_empty() {
        root["extensionsUsed"] = json!(used);
    }
    pack(w, root)
}

fn pack(mut w: Writer, mut root: Value) -> Vec<u8> {
    w.bin.resize(w.bin.len().next_multiple_of(4), 0);
    root["buffers"] = json!([{"byteLength": w.bin.len()}]);
    root["bufferViews"] = Value::Array(w.views);
    root["accessors"] = Value::Array(w.accessors);
    let mut text = root.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + w.bin.len();
    let mut out = Vec::with_capacity(total);
    for word in [0x4654_6C67, 2, total as u32, text.len() as u32, 0x4E4F_534A] {
        out.extend_from_slice(&u32::to_le_bytes(word));
    }
    out.extend_from_slice(&text);
    for word in [w.bin.len() as u32, 0x004E_4942] {
        out.extend_from_slice(&u32::to_le_bytes(word));
    }
    out.extend_from_slice(&w.bin);
    out
}

fn joint_nodes(skeleton: &Skeleton) -> Vec<Value> {
    let node = |j: usize| {
        let parent = skeleton.parents[j].map_or(Quat::IDENTITY, |p| skeleton.orient[p]);
        let offset = parent.inverse() * skeleton.rest_offset(j);
        let mut node = json!({"name": skeleton.names[j], "translation": rounded(offset)});
        let rotation = (parent.inverse() * skeleton.orient[j]).normalize();
        if rotation.angle_between(Quat::IDENTITY) > 1e-5 {
            node["rotation"] = json!(rotation.to_array());
        }
        let children: Vec<usize> = (0..skeleton.len())
            .filter(|&c| skeleton.parents[c] == Some(j))
            .collect();
        if !children.is_empty() {
            node["children"] = json!(children);
        }
        node
    };
    (0..skeleton.len()).map(node).collect()
}

/// Share of the screen's height down to which each level is meant to be used.
const COVERAGE: [f64; 3] = [0.35, 0.12, 0.0];

fn mesh_nodes(name: &str, first: usize, levels: usize) -> Vec<Value> {
    let node = |lod: usize| {
        let name = if lod == 0 {
            name.to_string()
        } else {
            format!("{name}_lod{lod}")
        };
        let mut node = json!({"name": name, "mesh": lod, "skin": 0});
        if lod == 0 && levels > 1 {
            node["extensions"] =
                json!({"MSFT_lod": {"ids": (first + 1..first + levels).collect::<Vec<_>>()}});
            node["extras"] = json!({"MSFT_screencoverage": &COVERAGE[..levels]});
        }
        node
    };
    (0..levels).map(node).collect()
}

/// Micrometres are enough, and keep the text short.
fn rounded(v: Vec3) -> [f64; 3] {
    v.to_array().map(|x| (f64::from(x) * 1e6).round() / 1e6)
}

fn write_inverse_bind(w: &mut Writer, skeleton: &Skeleton) -> usize {
    let inverse = |j: usize| {
        Mat4::from_rotation_translation(skeleton.orient[j], skeleton.rest_model[j]).inverse()
    };
    // An exact last row is asked for by the specification.
    let clean = |m: Mat4| {
        let mut c = m.to_cols_array();
        [3, 7, 11].iter().for_each(|&i| c[i] = 0.0);
        c[15] = 1.0;
        c
    };
    let bytes = floats((0..skeleton.len()).flat_map(|j| clean(inverse(j))));
    let view = w.view(&bytes, None);
    w.accessor(json!({"bufferView": view, "componentType": FLOAT, "count": skeleton.len(), "type": "MAT4"}))
}
