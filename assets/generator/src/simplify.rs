//! Levels of detail by half-edge collapse with quadric error (Garland & Heckbert 1997).
//!
//! A vertex only ever moves onto a neighbour, so every level uses a subset of the original vertices and whatever they
//! carry (weights, morphs, colours) stays exact. Borders between materials or regions only shrink along themselves.

use crate::mesh::{Mesh, Triangle};
use glam::{DVec3, Vec3};
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

/// Symmetric 4x4 quadric: squared distance to a set of planes, weighted.
#[derive(Clone, Copy, Default)]
struct Quadric([f64; 10]);

impl Quadric {
    fn plane(n: DVec3, d: f64, weight: f64) -> Quadric {
        let [a, b, c] = n.to_array();
        Quadric(
            [
                a * a,
                a * b,
                a * c,
                a * d,
                b * b,
                b * c,
                b * d,
                c * c,
                c * d,
                d * d,
            ]
            .map(|v| v * weight),
        )
    }

    fn add(&mut self, other: &Quadric) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a += b);
    }

    fn error(&self, p: DVec3) -> f64 {
        let q = &self.0;
        let [x, y, z] = p.to_array();
        q[0] * x * x
            + 2.0 * (q[1] * x * y + q[2] * x * z + q[3] * x)
            + q[4] * y * y
            + 2.0 * (q[5] * y * z + q[6] * y)
            + q[7] * z * z
            + 2.0 * q[8] * z
            + q[9]
    }
}

#[derive(PartialEq)]
struct Collapse {
    cost: f64,
    from: u32,
    to: u32,
    stamp: u32,
}

impl Eq for Collapse {}

impl Ord for Collapse {
    fn cmp(&self, other: &Self) -> Ordering {
        let key = |c: &Collapse| (c.from, c.to, c.stamp);
        self.cost
            .total_cmp(&other.cost)
            .then(key(self).cmp(&key(other)))
    }
}

impl PartialOrd for Collapse {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A mesh on its way to fewer triangles.
pub struct Simplifier<'a> {
    mesh: &'a Mesh,
    triangles: Vec<Option<Triangle>>,
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    stamps: Vec<u32>,
    /// The collapses of each vertex that are not queued yet, dearest first.
    waiting: Vec<Vec<Collapse>>,
    /// The cheapest collapse of each vertex; one whose stamp is old no longer counts.
    heap: BinaryHeap<Reverse<Collapse>>,
    live: usize,
}

/// Least height of a triangle over its longest side that a collapse may leave behind.
const SLIVER: f32 = 0.09;

fn thinness(p: [Vec3; 3]) -> f32 {
    let longest = p[0]
        .distance(p[1])
        .max(p[1].distance(p[2]))
        .max(p[2].distance(p[0]));
    (p[1] - p[0]).cross(p[2] - p[0]).length() / (longest * longest).max(1e-12)
}

/// How strongly a border resists leaving its line, relative to the surface itself.
const BORDER_WEIGHT: f64 = 3.0;

impl<'a> Simplifier<'a> {
    /// Queues every collapse of a mesh.
    pub fn new(mesh: &'a Mesh) -> Self {
        let n = mesh.positions.len();
        let mut s = Simplifier {
            mesh,
            triangles: mesh.triangles.iter().copied().map(Some).collect(),
            around: vec![Vec::new(); n],
            quadrics: vec![Quadric::default(); n],
            stamps: vec![0; n],
            waiting: (0..n).map(|_| Vec::new()).collect(),
            heap: BinaryHeap::new(),
            live: mesh.triangles.len(),
        };
        for (i, t) in mesh.triangles.iter().enumerate() {
            t.corners
                .iter()
                .for_each(|&v| s.around[v as usize].push(i as u32));
        }
        s.measure();
        for v in 0..n as u32 {
            s.consider(v);
        }
        s
    }

    /// The triangles left when at most `target` remain (or when no legal collapse is left), for level `lod`.
    pub fn reduce(&mut self, target: usize, lod: u8) -> Vec<Triangle> {
        self.drop_parts(lod);
        while self.live > target {
            let Some(Reverse(c)) = self.heap.pop() else {
                break;
            };
            if c.stamp != self.stamps[c.from as usize] {
                continue;
            }
            if self.legal(c.from, c.to) {
                self.collapse(c.from, c.to);
            } else {
                self.queue_next(c.from);
            }
        }
        self.triangles.iter().flatten().copied().collect()
    }

    fn drop_parts(&mut self, lod: u8) {
        for i in 0..self.triangles.len() {
            if self.triangles[i].is_some_and(|t| t.last_lod < lod) {
                self.remove(i as u32);
            }
        }
    }

    fn remove(&mut self, triangle: u32) {
        if let Some(t) = self.triangles[triangle as usize].take() {
            t.corners
                .iter()
                .for_each(|&v| self.around[v as usize].retain(|&i| i != triangle));
            self.live -= 1;
        }
    }

    fn position(&self, v: u32) -> DVec3 {
        self.mesh.positions[v as usize].as_dvec3()
    }

    fn measure(&mut self) {
        let mut edges: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
        for (i, t) in self.mesh.triangles.iter().enumerate() {
            let p = t.corners.map(|v| self.position(v));
            let cross = (p[1] - p[0]).cross(p[2] - p[0]);
            let n = cross.normalize_or_zero();
            for k in 0..3 {
                let v = t.corners[k];
                let weight = cross.length() * f64::from(self.mesh.importance[v as usize]);
                self.quadrics[v as usize].add(&Quadric::plane(n, -n.dot(p[0]), weight));
                let w = t.corners[(k + 1) % 3];
                edges
                    .entry((v.min(w), v.max(w)))
                    .or_default()
                    .push(i as u32);
            }
        }
        for ((a, b), triangles) in edges {
            if self.is_border(&triangles) {
                self.fence(a, b, triangles[0]);
            }
        }
    }

    /// A plane through a border edge, upright on its triangle: leaving the border's line costs.
    fn fence(&mut self, a: u32, b: u32, triangle: u32) {
        let p = self.mesh.triangles[triangle as usize]
            .corners
            .map(|v| self.position(v));
        let along = self.position(b) - self.position(a);
        let n = along
            .cross((p[1] - p[0]).cross(p[2] - p[0]))
            .normalize_or_zero();
        for v in [a, b] {
            let weight = along.length_squared()
                * BORDER_WEIGHT
                * f64::from(self.mesh.importance[v as usize]);
            let plane = Quadric::plane(n, -n.dot(self.position(a)), weight);
            self.quadrics[v as usize].add(&plane);
        }
    }

    fn is_border(&self, triangles: &[u32]) -> bool {
        let kind = |i: u32| self.triangles[i as usize].map(|t| (t.material, t.region));
        triangles.len() != 2 || kind(triangles[0]) != kind(triangles[1])
    }

    fn neighbours(&self, v: u32) -> Vec<u32> {
        let corners = |&i: &u32| self.triangles[i as usize].map_or([v; 3], |t| t.corners);
        let mut near: Vec<u32> = self.around[v as usize]
            .iter()
            .flat_map(corners)
            .filter(|&w| w != v)
            .collect();
        near.sort_unstable();
        near.dedup();
        near
    }

    fn shared(&self, v: u32, w: u32) -> Vec<u32> {
        let has = |&&i: &&u32| self.triangles[i as usize].is_some_and(|t| t.corners.contains(&w));
        self.around[v as usize]
            .iter()
            .filter(has)
            .copied()
            .collect()
    }

    fn queue_next(&mut self, v: u32) {
        self.heap
            .extend(self.waiting[v as usize].pop().map(Reverse));
    }

    /// Weighs the collapses of `v` onto its neighbours anew and queues the cheapest.
    fn consider(&mut self, v: u32) {
        self.waiting[v as usize].clear();
        let near = self.neighbours(v);
        let on_border: Vec<u32> = near
            .iter()
            .copied()
            .filter(|&w| self.is_border(&self.shared(v, w)))
            .collect();
        let targets = match on_border.len() {
            0 => near,
            2 => on_border,
            _ => return,
        };
        for to in targets {
            let mut q = self.quadrics[v as usize];
            q.add(&self.quadrics[to as usize]);
            let length = (self.position(v) - self.position(to)).length();
            let scale = f64::from(self.mesh.importance[v as usize]);
            let cost = q.error(self.position(to)).max(0.0) + self.strain(v, to, length) * scale;
            let stamp = self.stamps[v as usize];
            self.waiting[v as usize].push(Collapse {
                cost,
                from: v,
                to,
                stamp,
            });
        }
        self.waiting[v as usize].sort_by(|a, b| b.cmp(a));
        self.queue_next(v);
    }

    /// What a collapse costs beyond distance: short edges go first, and weights or normals that differ stay apart.
    fn strain(&self, v: u32, to: u32, length: f64) -> f64 {
        let normals = &self.mesh.normals;
        let turn = f64::from(1.0 - normals[v as usize].dot(normals[to as usize])).max(0.0);
        // Squared, as if a normal off by one radian were a surface off by two millimetres.
        1e-9 * length * length
            + 4e-6 * turn * length * length
            + 2e-7 * self.bend(v, to) * length * length
    }

    /// How differently two vertices follow the skeleton, 0 to 2.
    fn bend(&self, a: u32, b: u32) -> f64 {
        let (a, b) = (
            &self.mesh.influences[a as usize],
            &self.mesh.influences[b as usize],
        );
        let share = |set: &[(u16, f32); 4], j: u16| {
            set.iter().filter(|w| w.0 == j).map(|w| w.1).sum::<f32>()
        };
        let miss = |x: &[(u16, f32); 4], y: &[(u16, f32); 4]| -> f32 {
            x.iter().map(|&(j, w)| (w - share(y, j)).max(0.0)).sum()
        };
        f64::from(miss(a, b) + miss(b, a))
    }

    fn legal(&self, from: u32, to: u32) -> bool {
        let edge = self.shared(from, to);
        let (a, b) = (self.neighbours(from), self.neighbours(to));
        let common = a.iter().filter(|w| b.binary_search(w).is_ok()).count();
        !edge.is_empty() && edge.len() <= 2 && common == edge.len() && !self.flips(from, to)
    }

    fn flips(&self, from: u32, to: u32) -> bool {
        self.around[from as usize].iter().any(|&i| {
            let Some(t) = self.triangles[i as usize].filter(|t| !t.corners.contains(&to)) else {
                return false;
            };
            let before = t.corners.map(|v| self.mesh.positions[v as usize]);
            let after = t
                .corners
                .map(|v| self.mesh.positions[if v == from { to } else { v } as usize]);
            let normal = |p: [Vec3; 3]| (p[1] - p[0]).cross(p[2] - p[0]);
            let flipped = normal(before)
                .normalize_or_zero()
                .dot(normal(after).normalize_or_zero())
                < 0.25;
            flipped || thinness(after) < SLIVER.min(thinness(before))
        })
    }

    fn collapse(&mut self, from: u32, to: u32) {
        for i in self.shared(from, to) {
            self.remove(i);
        }
        for i in std::mem::take(&mut self.around[from as usize]) {
            if let Some(t) = &mut self.triangles[i as usize] {
                t.corners = t.corners.map(|v| if v == from { to } else { v });
                self.around[to as usize].push(i);
            }
        }
        let q = self.quadrics[from as usize];
        self.quadrics[to as usize].add(&q);
        self.stamps[from as usize] += 1;
        let mut stale = self.neighbours(to);
        stale.push(to);
        for v in stale {
            self.stamps[v as usize] += 1;
            self.consider(v);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::grid_triangles;

    /// A flat sheet of two materials keeps its outline and its inner border, and gives up the rest.
    #[test]
    fn flat_sheets_collapse_to_their_borders() {
        let mut mesh = Mesh::default();
        for i in 0..100 {
            mesh.positions
                .push(Vec3::new((i % 10) as f32, (i / 10) as f32, 0.0));
        }
        grid_triangles(&mut mesh, 0, 10, 10, false, 0);
        for t in mesh.triangles.iter_mut() {
            t.material = u8::from(t.corners.iter().any(|c| c % 10 > 5));
        }
        mesh.fill_defaults();
        let area = |material: u8, triangles: &[Triangle]| -> f32 {
            let of = |t: &Triangle| {
                let p = t.corners.map(|v| mesh.positions[v as usize]);
                (p[1] - p[0]).cross(p[2] - p[0]).length() * 0.5
            };
            triangles
                .iter()
                .filter(|t| t.material == material)
                .map(of)
                .sum()
        };
        let left = Simplifier::new(&mesh).reduce(24, 0);
        assert!(left.len() <= 24, "{} triangles are left", left.len());
        assert!((area(0, &left) - 45.0).abs() < 1e-3 && (area(1, &left) - 36.0).abs() < 1e-3);
    }
}
