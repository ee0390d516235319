//! What a model file holds, as plain data in the units of the engine.

use std::sync::Arc;

use glam::{Affine3A, Vec2, Vec3};
use sinew_anim::{Clip, Skeleton};

use crate::Warning;

/// A skeleton, the clips that move it and what is drawn on it. Immutable once built; shared by every
/// actor that uses it.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Every node that is a skin's joint, animated or carries a mesh, and their ancestors; model
    /// space is the file's scene space.
    pub skeleton: Arc<Skeleton>,
    /// In file order.
    pub clips: Vec<Arc<Clip>>,
    /// In file order.
    pub skins: Vec<Skin>,
    /// One for each node that draws a mesh, in node order.
    pub meshes: Vec<Mesh>,
    /// In file order.
    pub materials: Vec<Material>,
    /// Decoded images that materials use.
    pub textures: Vec<Texture>,
    /// Names of the looks that primitives can switch between (KHR_materials_variants).
    pub variants: Vec<String>,
    /// The joint that each glTF node became, `None` where a node is not in the skeleton.
    pub joint_of_node: Vec<Option<u16>>,
    /// Smallest and largest corner of all rest-pose vertices, in model space.
    pub bounds: [Vec3; 2],
    /// Everything that was repaired, ignored or read in another way than a user might expect.
    pub warnings: Vec<Warning>,
}

/// The joints that a mesh's vertices follow.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Skin {
    /// Skeleton joints; a vertex's joint numbers are indices into this list.
    pub joints: Vec<u16>,
    /// Model space at bind time to each joint's space.
    pub inverse_bind: Vec<Affine3A>,
}

/// A mesh as one node draws it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mesh {
    /// Name of the mesh, else of the node.
    pub name: String,
    /// glTF node index.
    pub node: usize,
    /// The joint that the node became. A mesh without a skin follows it; a skinned one ignores it.
    pub joint: u16,
    /// Index into [`Model::skins`].
    pub skin: Option<usize>,
    /// The skeleton's morph channel of each target. Levels of detail share those of the mesh that they stand in for.
    pub morphs: Vec<u16>,
    /// 0 is the finest; coarser levels (MSFT_lod) are kept and not drawn.
    pub lod: u32,
    /// Triangles with one material each.
    pub primitives: Vec<Primitive>,
}

/// Vertices and triangles of one material. Every per-vertex list has as many entries as `positions`,
/// or none where the file has none.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Primitive {
    /// Index of the primitive in its glTF mesh.
    pub index: usize,
    /// Metres, in the mesh's space.
    pub positions: Vec<Vec3>,
    /// Unit vectors; computed from the triangles where the file has none.
    pub normals: Vec<Vec3>,
    /// First texture coordinates.
    pub uvs: Vec<Vec2>,
    /// Linear RGBA that multiplies the material's colour.
    pub colors: Vec<[f32; 4]>,
    /// Three a triangle; empty for points and lines, which are kept and not drawn.
    pub triangles: Vec<u32>,
    /// All influences of the file.
    pub influences: Influences,
    /// One for each morph channel of the mesh.
    pub targets: Vec<MorphTarget>,
    /// Index into [`Model::materials`].
    pub material: Option<usize>,
    /// Other materials by variant: index into [`Model::variants`], index into [`Model::materials`].
    pub variant_materials: Vec<(usize, usize)>,
}

/// Joints and weights of all vertices, the same number a vertex, strongest first.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Influences {
    /// Entries a vertex; 0 without a skin.
    pub per_vertex: usize,
    /// Indices into [`Skin::joints`].
    pub joints: Vec<u16>,
    /// Sum to 1 over each vertex.
    pub weights: Vec<f32>,
}

/// What one morph channel adds at weight 1.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MorphTarget {
    /// Metres, one a vertex, or none.
    pub positions: Vec<Vec3>,
    /// One a vertex, or none.
    pub normals: Vec<Vec3>,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in the file.
    pub name: String,
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// Index into [`Model::textures`].
    pub base_color_texture: Option<usize>,
    /// Drawn without light (KHR_materials_unlit).
    pub unlit: bool,
    /// Drawn from both sides.
    pub double_sided: bool,
    /// Fragments below this alpha are dropped; `None` where alpha is ignored.
    pub alpha_cutoff: Option<f32>,
}

/// A decoded image.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Texture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// sRGB colour and alpha, row by row from the top, four bytes a pixel.
    pub rgba: Vec<u8>,
}
