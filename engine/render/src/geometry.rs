//! A model's meshes as the flat lists that the shaders read. No GPU here.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec2, Vec3};
use sinew_model::{Mesh, Model, MorphTarget, Primitive};

/// The most joints that a vertex follows on the GPU: the strongest, rescaled to sum to 1.
pub const MAX_INFLUENCES: usize = 8;

/// Mirrors `Vertex` in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Vertex {
    pub position: Vec3,
    pub first_influence: u32,
    pub normal: Vec3,
    pub influence_count: u32,
    pub color: [u16; 4],
    pub uv: Vec2,
}

/// Mirrors `Influence` in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Influence {
    pub entry: u32,
    pub weight: f32,
}

/// Mirrors `Delta` in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Delta {
    pub position: Vec3,
    pub normal: Vec3,
}

/// The matrix that a palette entry of an actor comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PaletteEntry {
    pub joint: u16,
    pub inverse_bind: Affine3A,
}

/// A morph target of one primitive, cut to the vertices that it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Target {
    /// Index into the skeleton's morph channels.
    pub channel: usize,
    pub first_delta: u32,
    pub first_vertex: u32,
    pub vertex_count: u32,
}

/// What one draw call draws.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub first_index: u32,
    pub index_count: u32,
    /// An entry that tells whether the part is mirrored.
    pub palette_entry: u32,
    /// Index into the model's materials; their number for the default material.
    pub material: u32,
    /// Variant and material.
    pub variants: Vec<(usize, u32)>,
    pub targets: Vec<Target>,
}

/// All finest meshes of a model.
#[derive(Clone, Debug, PartialEq, Default)]
pub(crate) struct Geometry {
    pub vertices: Vec<Vertex>,
    pub influences: Vec<Influence>,
    pub deltas: Vec<Delta>,
    /// Into `vertices`.
    pub indices: Vec<u32>,
    /// One for each joint of each skin, then one for each mesh without a skin.
    pub palette: Vec<PaletteEntry>,
    pub parts: Vec<Part>,
    /// Vertices that lost influences beyond [`MAX_INFLUENCES`].
    pub cut_vertices: usize,
}

impl Geometry {
    pub fn new(model: &Model) -> Self {
        let mut geometry = Self::default();
        let mut first_of_skin = Vec::with_capacity(model.skins.len());
        for skin in &model.skins {
            first_of_skin.push(geometry.palette.len() as u32);
            let entries = skin.joints.iter().zip(&skin.inverse_bind);
            geometry
                .palette
                .extend(entries.map(|(&joint, &inverse_bind)| PaletteEntry {
                    joint,
                    inverse_bind,
                }));
        }
        for mesh in model.meshes.iter().filter(|mesh| mesh.lod == 0) {
            let skin = mesh
                .skin
                .filter(|&skin| skin < first_of_skin.len())
                .map(|skin| (first_of_skin[skin], model.skins[skin].joints.len()));
            geometry.add_mesh(mesh, skin, model.materials.len() as u32);
        }
        geometry
    }

    /// `skin` is the first palette entry and the number of joints.
    fn add_mesh(&mut self, mesh: &Mesh, skin: Option<(u32, usize)>, materials: u32) {
        // The joint that what follows no skin follows: the mesh without one, the odd primitive without influences.
        let mut rigid = None;
        for primitive in &mesh.primitives {
            if primitive.triangles.is_empty() || primitive.positions.is_empty() {
                continue;
            }
            let first_vertex = self.vertices.len() as u32;
            let palette_entry = match skin.filter(|_| primitive.influences.per_vertex > 0) {
                Some((first_entry, joints)) => {
                    self.add_skinned_vertices(primitive, first_entry, joints);
                    first_entry
                }
                None => {
                    let (entry, influence) =
                        *rigid.get_or_insert_with(|| self.add_rigid_entry(mesh.joint));
                    self.add_vertices(primitive, |_| (influence, 1));
                    entry
                }
            };
            let first_index = self.indices.len() as u32;
            // A triangle that points past the end would read another primitive's vertices.
            let count = primitive.positions.len() as u32;
            let whole = primitive.triangles.chunks_exact(3);
            for triangle in whole.filter(|triangle| triangle.iter().all(|&index| index < count)) {
                self.indices
                    .extend(triangle.iter().map(|index| first_vertex + index));
            }
            let targets = self.add_targets(primitive, &mesh.morphs, first_vertex);
            let known = |material: Option<usize>| {
                material.map_or(materials, |material| (material as u32).min(materials))
            };
            self.parts.push(Part {
                first_index,
                index_count: self.indices.len() as u32 - first_index,
                palette_entry,
                material: known(primitive.material),
                variants: primitive
                    .variant_materials
                    .iter()
                    .map(|&(variant, material)| (variant, known(Some(material))))
                    .collect(),
                targets,
            });
        }
    }

    fn add_rigid_entry(&mut self, joint: u16) -> (u32, u32) {
        let entry = self.palette.len() as u32;
        self.palette.push(PaletteEntry {
            joint,
            inverse_bind: Affine3A::IDENTITY,
        });
        self.influences.push(Influence { entry, weight: 1.0 });
        (entry, self.influences.len() as u32 - 1)
    }

    fn add_skinned_vertices(&mut self, primitive: &Primitive, first_entry: u32, joints: usize) {
        let per_vertex = primitive.influences.per_vertex;
        let mut ranges = Vec::with_capacity(primitive.positions.len());
        let all_joints = primitive.influences.joints.chunks_exact(per_vertex);
        let all_weights = primitive.influences.weights.chunks_exact(per_vertex);
        for (vertex_joints, weights) in all_joints.zip(all_weights) {
            let first = self.influences.len();
            let used = vertex_joints
                .iter()
                .zip(weights)
                .filter(|&(&joint, &weight)| weight != 0.0 && usize::from(joint) < joints);
            self.influences
                .extend(used.map(|(&joint, &weight)| Influence {
                    entry: first_entry + u32::from(joint),
                    weight,
                }));
            if self.influences.len() - first > MAX_INFLUENCES {
                self.cut_vertices += 1;
                self.influences.truncate(first + MAX_INFLUENCES);
                rescale(&mut self.influences[first..]);
            }
            ranges.push((first as u32, (self.influences.len() - first) as u32));
        }
        self.add_vertices(primitive, |index| {
            ranges.get(index).copied().unwrap_or_default()
        });
    }

    fn add_vertices(&mut self, primitive: &Primitive, influences: impl Fn(usize) -> (u32, u32)) {
        for (index, &position) in primitive.positions.iter().enumerate() {
            let (first_influence, influence_count) = influences(index);
            let color = primitive.colors.get(index).copied().unwrap_or([1.0; 4]);
            self.vertices.push(Vertex {
                position,
                first_influence,
                normal: primitive.normals.get(index).copied().unwrap_or(Vec3::Y),
                influence_count,
                color: color.map(|value| (value.clamp(0.0, 1.0) * 65535.0).round() as u16),
                uv: primitive.uvs.get(index).copied().unwrap_or_default(),
            });
        }
    }

    fn add_targets(
        &mut self,
        primitive: &Primitive,
        channels: &[u16],
        first_vertex: u32,
    ) -> Vec<Target> {
        let mut targets = Vec::new();
        for (target, &channel) in primitive.targets.iter().zip(channels) {
            let delta = |vertex| delta(target, vertex);
            let moves = |&vertex: &usize| delta(vertex) != Delta::zeroed();
            let vertices = 0..primitive.positions.len();
            let Some(first) = vertices.clone().find(moves) else {
                continue;
            };
            let last = vertices.rev().find(moves).unwrap_or(first);
            let first_delta = self.deltas.len() as u32;
            self.deltas.extend((first..=last).map(delta));
            targets.push(Target {
                channel: usize::from(channel),
                first_delta,
                first_vertex: first_vertex + first as u32,
                vertex_count: (last - first + 1) as u32,
            });
        }
        targets
    }
}

fn delta(target: &MorphTarget, vertex: usize) -> Delta {
    Delta {
        position: target.positions.get(vertex).copied().unwrap_or_default(),
        normal: target.normals.get(vertex).copied().unwrap_or_default(),
    }
}

fn rescale(influences: &mut [Influence]) {
    let sum: f32 = influences.iter().map(|influence| influence.weight).sum();
    for influence in influences {
        influence.weight /= sum;
    }
}

#[cfg(test)]
mod tests {
    use sinew_model::{Influences, Skin};

    use super::*;

    /// A triangle whose corners all have `influences` equal influences, the last joints first.
    fn triangle(influences: usize) -> Primitive {
        let joints = (0..influences as u16).rev();
        Primitive {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            normals: vec![Vec3::Z; 3],
            triangles: vec![0, 1, 2],
            influences: Influences {
                per_vertex: influences,
                joints: joints.clone().chain(joints.clone()).chain(joints).collect(),
                weights: vec![1.0 / influences.max(1) as f32; influences * 3],
            },
            ..Default::default()
        }
    }

    fn model(primitives: Vec<Primitive>, skin: Option<usize>, joints: usize) -> Model {
        Model {
            skins: vec![Skin {
                joints: (0..joints as u16).map(|joint| joint + 5).collect(),
                inverse_bind: vec![Affine3A::IDENTITY; joints],
            }],
            meshes: vec![Mesh {
                joint: 3,
                skin,
                primitives,
                ..Default::default()
            }],
            ..Default::default()
        }
    }

    #[test]
    fn at_most_eight_influences_stay_and_sum_to_one() {
        let geometry = Geometry::new(&model(vec![triangle(11)], Some(0), 11));
        assert_eq!(geometry.cut_vertices, 3);
        for vertex in &geometry.vertices {
            assert_eq!(vertex.influence_count, 8);
            let first = vertex.first_influence as usize;
            let kept = &geometry.influences[first..first + 8];
            assert_eq!(kept[0].entry, 10, "the first are the strongest");
            let sum: f32 = kept.iter().map(|influence| influence.weight).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }

    #[test]
    fn weights_of_zero_cost_nothing() {
        let mut primitive = triangle(2);
        primitive.influences.weights = [1.0, 0.0].repeat(3);
        let geometry = Geometry::new(&model(vec![primitive], Some(0), 2));
        assert_eq!(geometry.influences.len(), 3);
        assert!(geometry.vertices.iter().all(|v| v.influence_count == 1));
    }

    #[test]
    fn a_mesh_without_a_skin_follows_its_joint_with_all_its_weight() {
        let geometry = Geometry::new(&model(vec![triangle(0), triangle(0)], None, 2));
        let rigid = geometry.palette.last().expect("an entry");
        assert_eq!((rigid.joint, geometry.palette.len()), (3, 3));
        assert_eq!(
            geometry.influences,
            [Influence {
                entry: 2,
                weight: 1.0
            }]
        );
        assert_eq!(geometry.indices, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_primitive_without_influences_in_a_skinned_mesh_follows_the_mesh() {
        let geometry = Geometry::new(&model(vec![triangle(1), triangle(0)], Some(0), 1));
        let entries: Vec<u32> = geometry.parts.iter().map(|p| p.palette_entry).collect();
        assert_eq!(entries, [0, 1]);
    }

    #[test]
    fn a_morph_target_is_cut_to_what_it_moves() {
        let mut primitive = triangle(0);
        primitive.targets = vec![
            MorphTarget::default(),
            MorphTarget {
                positions: vec![Vec3::ZERO, Vec3::Z, Vec3::ZERO],
                normals: vec![],
            },
        ];
        let mut model = model(vec![triangle(0), primitive], None, 0);
        model.meshes[0].morphs = vec![7, 8];
        let geometry = Geometry::new(&model);
        let expected = Target {
            channel: 8,
            first_delta: 0,
            first_vertex: 4,
            vertex_count: 1,
        };
        assert_eq!(geometry.parts[1].targets, [expected]);
        assert_eq!(geometry.deltas.len(), 1);
    }

    #[test]
    fn what_points_past_the_end_is_left_out() {
        let mut primitive = triangle(1);
        primitive.triangles = vec![0, 1, 3, 2, 1, 0, 1];
        primitive.influences.joints = vec![9, 0, 0];
        let geometry = Geometry::new(&model(vec![primitive], Some(0), 1));
        assert_eq!(geometry.indices, [2, 1, 0]);
        assert_eq!(geometry.vertices[0].influence_count, 0);
    }
}
