//! Parts of a character before they are written: dense triangles with everything a vertex carries.

use crate::surface::Surface;
use glam::Vec3;
use std::collections::BTreeMap;

/// Up to four joints and their shares, heaviest first; shares sum to 1.
pub type Influences = [(u16, f32); 4];

/// Vertices as parallel lists, and the triangles over them.
#[derive(Clone, Default)]
pub struct Mesh {
    /// Model space, metres.
    pub positions: Vec<Vec3>,
    /// Unit length.
    pub normals: Vec<Vec3>,
    /// What each vertex follows.
    pub influences: Vec<Influences>,
    /// Linear colour that multiplies the material's.
    pub tints: Vec<Vec3>,
    /// Sparse displacement of each morph target: (vertex, metres).
    pub morphs: BTreeMap<String, BTreeMap<u32, Vec3>>,
    /// Seen from outside counterclockwise.
    pub triangles: Vec<Triangle>,
    /// How much a vertex resists simplification; 1 is ordinary.
    pub importance: Vec<f32>,
}

/// Three vertices and what is known about the patch between them.
#[derive(Clone, Copy)]
pub struct Triangle {
    /// Indices of vertices.
    pub corners: [u32; 3],
    /// Index into the character's materials; borders between materials stay where they are when simplified.
    pub material: u8,
    /// Finer meaning for whoever builds the part (upper lip, lower lip); also kept apart by the simplifier.
    pub region: u8,
    /// The coarsest level of detail in which this triangle may appear.
    pub last_lod: u8,
}

/// Follows one joint alone.
pub fn rigid(joint: usize) -> Influences {
    [(joint as u16, 1.0), (0, 0.0), (0, 0.0), (0, 0.0)]
}

impl Mesh {
    /// A mesh of one surface whose triangles get `(material, region)` from their centroid.
    pub fn from_surface(surface: &Surface, paint: &dyn Fn(Vec3) -> (u8, u8)) -> Mesh {
        let mut mesh = Mesh {
            positions: surface.positions.clone(),
            ..Default::default()
        };
        for &corners in &surface.triangles {
            let centroid = corners
                .iter()
                .map(|&i| surface.positions[i as usize])
                .sum::<Vec3>()
                / 3.0;
            let (material, region) = paint(centroid);
            mesh.triangles.push(Triangle {
                corners,
                material,
                region,
                last_lod: 2,
            });
        }
        mesh.fill_defaults();
        mesh
    }

    /// Brings every list up to the number of positions, and computes normals.
    pub fn fill_defaults(&mut self) {
        let n = self.positions.len();
        self.tints.resize(n, Vec3::ONE);
        self.importance.resize(n, 1.0);
        self.influences.resize(n, rigid(0));
        self.normals = self.smooth_normals();
    }

    /// Angle-weighted vertex normals.
    pub fn smooth_normals(&self) -> Vec<Vec3> {
        let mut normals = vec![Vec3::ZERO; self.positions.len()];
        for t in &self.triangles {
            let p = t.corners.map(|i| self.positions[i as usize]);
            let face = (p[1] - p[0]).cross(p[2] - p[0]).normalize_or_zero();
            for k in 0..3 {
                let (a, b) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
                normals[t.corners[k] as usize] += face * a.angle_between(b).max(0.0);
            }
        }
        normals
            .into_iter()
            .map(|n| n.try_normalize().unwrap_or(Vec3::Y))
            .collect()
    }

    /// Binds the whole part to one joint.
    pub fn bind_rigid(mut self, joint: usize) -> Mesh {
        self.influences = vec![rigid(joint); self.positions.len()];
        self
    }

    /// Sets how much the whole part resists simplification.
    pub fn weigh(mut self, importance: f32) -> Mesh {
        self.importance = vec![importance; self.positions.len()];
        self
    }

    /// Leaves the part out of the levels of detail after `lod`.
    pub fn until_lod(mut self, lod: u8) -> Mesh {
        self.triangles.iter_mut().for_each(|t| t.last_lod = lod);
        self
    }

    /// Adds another part behind this one.
    pub fn append(&mut self, other: Mesh) {
        let base = self.positions.len() as u32;
        self.positions.extend(other.positions);
        self.normals.extend(other.normals);
        self.influences.extend(other.influences);
        self.tints.extend(other.tints);
        self.importance.extend(other.importance);
        self.triangles
            .extend(other.triangles.into_iter().map(|t| Triangle {
                corners: t.corners.map(|i| i + base),
                ..t
            }));
        for (name, moves) in other.morphs {
            self.morphs
                .entry(name)
                .or_default()
                .extend(moves.into_iter().map(|(v, d)| (v + base, d)));
        }
    }

    /// Adds `displace(position)` to a morph for every vertex that it moves by more than a hundredth of a millimetre.
    pub fn morph(&mut self, name: &str, displace: &dyn Fn(Vec3) -> Vec3) {
        let moves = self.morphs.entry(name.into()).or_default();
        for (i, p) in self.positions.iter().enumerate() {
            let d = displace(*p);
            if d.length() > 1e-5 {
                *moves.entry(i as u32).or_default() += d;
            }
        }
    }

    /// For each vertex, the vertices it shares an edge with.
    pub fn neighbours(&self) -> Vec<Vec<u32>> {
        let mut near = vec![Vec::new(); self.positions.len()];
        for t in &self.triangles {
            for k in 0..3 {
                near[t.corners[k] as usize]
                    .extend([t.corners[(k + 1) % 3], t.corners[(k + 2) % 3]]);
            }
        }
        near.iter_mut().for_each(|n| {
            n.sort_unstable();
            n.dedup();
        });
        near
    }
}
