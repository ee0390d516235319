//! Meshes: one primitive a material, vertices ordered so that every level of detail is a prefix of the finer one.

use super::material::materials;
use super::{Character, FLOAT, U8, U16, Writer, shorts, vectors};
use crate::mesh::{Influences, Mesh, Triangle};
use glam::Vec3;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Vertices of one material in buffer order, and how many of them each level needs.
struct Block {
    order: Vec<u32>,
    slot: BTreeMap<u32, u16>,
    prefix: Vec<usize>,
}

fn block(levels: &[Vec<Triangle>], material: u8) -> Block {
    let mut coarsest: BTreeMap<u32, usize> = BTreeMap::new();
    for (lod, triangles) in levels.iter().enumerate() {
        for t in triangles.iter().filter(|t| t.material == material) {
            t.corners.iter().for_each(|&v| {
                coarsest.insert(v, lod);
            });
        }
    }
    let mut order: Vec<u32> = coarsest.keys().copied().collect();
    order.sort_by_key(|v| (std::cmp::Reverse(coarsest[v]), *v));
    let slot = order
        .iter()
        .enumerate()
        .map(|(i, &v)| (v, i as u16))
        .collect();
    let prefix = (0..levels.len())
        .map(|lod| order.iter().filter(|v| coarsest[v] >= lod).count())
        .collect();
    assert!(
        order.len() < 65_536,
        "a material has too many vertices for u16 indices"
    );
    Block {
        order,
        slot,
        prefix,
    }
}

/// The `meshes` of the file, one a level of detail.
pub fn write_meshes(w: &mut Writer, character: &Character) -> Vec<Value> {
    let (_, variants) = materials(character);
    let names: Vec<&String> = character.mesh.morphs.keys().collect();
    let mut primitives: Vec<Vec<Value>> = vec![Vec::new(); character.levels.len()];
    for material in 0..character.materials.len() as u8 {
        let block = block(character.levels, material);
        if block.order.is_empty() {
            continue;
        }
        let vertices = Vertices::write(w, character.mesh, &block);
        for (lod, triangles) in character.levels.iter().enumerate() {
            let triangles: Vec<[u32; 3]> = triangles
                .iter()
                .filter(|t| t.material == material)
                .map(|t| t.corners)
                .collect();
            if triangles.is_empty() {
                continue;
            }
            let mut primitive = vertices.primitive(w, character.mesh, &block, lod, &triangles);
            primitive["material"] = json!(material);
            let mapped = &variants[material as usize];
            if !mapped.is_empty() {
                let mappings: Vec<Value> = mapped
                    .iter()
                    .enumerate()
                    .map(|(v, m)| json!({"variants": [v], "material": m}))
                    .collect();
                primitive["extensions"] = json!({"KHR_materials_variants": {"mappings": mappings}});
            }
            if lod < MORPHED_LEVELS && !names.is_empty() {
                primitive["targets"] = json!(vertices.targets(w, &block, lod));
            }
            primitives[lod].push(primitive);
        }
    }
    let mesh = |(lod, list): (usize, Vec<Value>)| {
        let name = if lod == 0 {
            character.name.to_string()
        } else {
            format!("{}_lod{lod}", character.name)
        };
        let mut mesh = json!({"name": name, "primitives": list});
        if lod < MORPHED_LEVELS && !names.is_empty() {
            mesh["weights"] = json!(vec![0.0; names.len()]);
            mesh["extras"] = json!({"targetNames": names});
        }
        mesh
    };
    primitives.into_iter().enumerate().map(mesh).collect()
}

/// Faces are a few pixels high from level 2 on.
const MORPHED_LEVELS: usize = 2;

struct Vertices {
    attributes: Vec<(&'static str, Value)>,
    /// For each morph: its sparse vertices (sorted slots), the displacements and their two views.
    morphs: Vec<(Vec<u16>, Vec<Vec3>, usize, usize)>,
}

impl Vertices {
    fn write(w: &mut Writer, mesh: &Mesh, block: &Block) -> Vertices {
        let pick = |values: &[Vec3]| -> Vec<Vec3> {
            block.order.iter().map(|&v| values[v as usize]).collect()
        };
        let position = w.vertex_view(&vectors(&pick(&mesh.positions)), 12);
        let normal = w.vertex_view(&vectors(&pick(&mesh.normals)), 12);
        let (joints, weights): (Vec<[u8; 4]>, Vec<[u8; 4]>) = block
            .order
            .iter()
            .map(|&v| quantised(&mesh.influences[v as usize]))
            .unzip();
        let joints = w.vertex_view(&joints.concat(), 4);
        let weights = w.vertex_view(&weights.concat(), 4);
        let mut attributes = vec![
            (
                "POSITION",
                json!({"bufferView": position, "componentType": FLOAT, "type": "VEC3"}),
            ),
            (
                "NORMAL",
                json!({"bufferView": normal, "componentType": FLOAT, "type": "VEC3"}),
            ),
            (
                "JOINTS_0",
                json!({"bufferView": joints, "componentType": U8, "type": "VEC4"}),
            ),
            (
                "WEIGHTS_0",
                json!({"bufferView": weights, "componentType": U8, "normalized": true, "type": "VEC4"}),
            ),
        ];
        let tints = pick(&mesh.tints);
        if tints.iter().any(|t| t.distance(Vec3::ONE) > 0.004) {
            let byte = |c: f32| (c.clamp(0.0, 1.0) * 255.0).round() as u8;
            let bytes: Vec<u8> = tints
                .iter()
                .flat_map(|t| [byte(t.x), byte(t.y), byte(t.z), 255])
                .collect();
            let view = w.vertex_view(&bytes, 4);
            let colour = json!({"bufferView": view, "componentType": U8, "normalized": true, "type": "VEC4"});
            attributes.push(("COLOR_0", colour));
        }
        let morphs = mesh
            .morphs
            .values()
            .map(|moves| write_morph(w, block, moves))
            .collect();
        Vertices { attributes, morphs }
    }

    fn primitive(
        &self,
        w: &mut Writer,
        mesh: &Mesh,
        block: &Block,
        lod: usize,
        triangles: &[[u32; 3]],
    ) -> Value {
        let count = block.prefix[lod];
        let used: Vec<Vec3> = block.order[..count]
            .iter()
            .map(|&v| mesh.positions[v as usize])
            .collect();
        let (min, max) = extent(&used);
        let mut attributes = Map::new();
        for (name, template) in &self.attributes {
            let mut accessor = template.clone();
            accessor["count"] = json!(count);
            if *name == "POSITION" {
                accessor["min"] = json!(min.to_array());
                accessor["max"] = json!(max.to_array());
            }
            attributes.insert((*name).into(), json!(w.accessor(accessor)));
        }
        let indices = shorts(triangles.iter().flatten().map(|v| block.slot[v]));
        let view = w.view(&indices, Some(34963));
        let indices = w.accessor(
            json!({"bufferView": view, "componentType": U16, "count": triangles.len() * 3, "type": "SCALAR"}),
        );
        json!({"attributes": attributes, "indices": indices})
    }

    /// Morph targets as sparse accessors over zeros.
    fn targets(&self, w: &mut Writer, block: &Block, lod: usize) -> Vec<Value> {
        let count = block.prefix[lod];
        let target = |w: &mut Writer,
                      (slots, moves, index_view, value_view): &(
            Vec<u16>,
            Vec<Vec3>,
            usize,
            usize,
        )| {
            // A morph that leaves the level alone still names one vertex: the `gltf` crate wants a sparse list or data.
            let n = slots.partition_point(|&s| (s as usize) < count).max(1);
            let (mut min, mut max) = extent(&moves[..n]);
            if n < count {
                (min, max) = (min.min(Vec3::ZERO), max.max(Vec3::ZERO));
            }
            let accessor = json!({"componentType": FLOAT, "count": count, "type": "VEC3",
                "min": min.to_array(), "max": max.to_array(), "sparse": {"count": n,
                "indices": {"bufferView": index_view, "componentType": U16}, "values": {"bufferView": value_view}}});
            json!({"POSITION": w.accessor(accessor)})
        };
        self.morphs.iter().map(|m| target(w, m)).collect()
    }
}

fn write_morph(
    w: &mut Writer,
    block: &Block,
    moves: &BTreeMap<u32, Vec3>,
) -> (Vec<u16>, Vec<Vec3>, usize, usize) {
    let mut list: Vec<(u16, Vec3)> = moves
        .iter()
        .filter_map(|(v, d)| block.slot.get(v).map(|&s| (s, *d)))
        .filter(|(_, d)| d.length() > 2e-5)
        .collect();
    list.sort_by_key(|m| m.0);
    // Coarser levels are prefixes of this list, so it must not be empty before their end.
    if list.first().is_none_or(|m| m.0 > 0) {
        list.insert(0, (0, Vec3::ZERO));
    }
    let (slots, moves): (Vec<u16>, Vec<Vec3>) = list.into_iter().unzip();
    let index_view = w.shared_view(&shorts(slots.iter().copied()));
    let value_view = w.shared_view(&vectors(&moves));
    (slots, moves, index_view, value_view)
}

/// Joint indices and weights in bytes; the weights sum to exactly 255.
fn quantised(influences: &Influences) -> ([u8; 4], [u8; 4]) {
    let mut weights = influences.map(|(_, w)| (w * 255.0).round() as i32);
    weights[0] += 255 - weights.iter().sum::<i32>();
    let mut joints = [0u8; 4];
    for k in 0..4 {
        joints[k] = if weights[k] > 0 {
            influences[k].0 as u8
        } else {
            0
        };
    }
    (joints, weights.map(|w| w as u8))
}

fn extent(values: &[Vec3]) -> (Vec3, Vec3) {
    values.iter().fold((Vec3::MAX, Vec3::MIN), |(lo, hi), v| {
        (lo.min(*v), hi.max(*v))
    })
}
