//! Distance field -> dense triangle surface, by naive surface nets (Gibson 1998) and a few steps of tangential
//! relaxation with projection back onto the zero level.

use crate::parallel::pieces;
use crate::sdf::gradient;
use glam::{IVec3, Vec3};
use std::collections::BTreeMap;

/// A signed distance: negative inside, metres.
pub type Field<'a> = &'a (dyn Fn(Vec3) -> f32 + Sync);

/// Where to look for the surface: a box in metres and the edge of one cell.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// Corner with the least coordinates.
    pub min: Vec3,
    /// Corner with the greatest coordinates.
    pub max: Vec3,
    /// Edge of a cell.
    pub cell: f32,
}

/// A closed triangle surface, seen from outside counterclockwise.
#[derive(Clone, Default)]
pub struct Surface {
    /// Vertices, metres.
    pub positions: Vec<Vec3>,
    /// Three vertices each.
    pub triangles: Vec<[u32; 3]>,
}

/// Cells per edge of a sampling block: blocks that are certainly far from the surface are not sampled.
const BLOCK: i32 = 8;

/// Vertices that a thread relaxes at a time.
const PIECE: usize = 8192;

/// The zero level of a field within the bounds.
pub fn polygonise(field: Field, bounds: Bounds) -> Surface {
    let samples = Samples::take(field, bounds);
    let (mut positions, quads) = nets(&samples);
    for _ in 0..5 {
        relax(field, &mut positions, &quads, bounds.cell);
    }
    let triangles = quads.iter().flat_map(|q| split(&positions, *q)).collect();
    Surface {
        positions,
        triangles,
    }
}

struct Samples {
    size: IVec3,
    bounds: Bounds,
    distance: Vec<f32>,
}

impl Samples {
    fn take(field: Field, bounds: Bounds) -> Samples {
        let size = ((bounds.max - bounds.min) / bounds.cell).ceil().as_ivec3() + IVec3::ONE;
        let mut s = Samples {
            size,
            bounds,
            distance: Vec::new(),
        };
        let layer = (size.y * size.z) as usize;
        let mut distance = vec![f32::MAX; size.x as usize * layer];
        let blocks = size.map(|n| (n + BLOCK - 1) / BLOCK).with_x(1);
        pieces(&mut distance, BLOCK as usize * layer, |start, slab| {
            let corner = IVec3::X * (start / layer) as i32;
            for block in grid(blocks) {
                s.take_block(field, corner + block * BLOCK, start, slab);
            }
        });
        s.distance = distance;
        s
    }

    /// Samples a block into the slab of layers that holds it; `start` is the index of the slab's first sample.
    fn take_block(&self, field: Field, first: IVec3, start: usize, slab: &mut [f32]) {
        let half = BLOCK as f32 * 0.5;
        let centre = self.bounds.min + (first.as_vec3() + Vec3::splat(half)) * self.bounds.cell;
        let at_centre = field(centre);
        // The fields overstate distance a little, hence the generous margin.
        let far = at_centre.abs() > half * 1.7321 * self.bounds.cell * 1.6 + 0.004;
        for local in grid(IVec3::splat(BLOCK)) {
            let at = first + local;
            if at.cmplt(self.size).all() {
                slab[self.index(at) - start] = if far {
                    at_centre
                } else {
                    field(self.point(at))
                };
            }
        }
    }

    fn index(&self, at: IVec3) -> usize {
        ((at.x * self.size.y + at.y) * self.size.z + at.z) as usize
    }

    fn point(&self, at: IVec3) -> Vec3 {
        self.bounds.min + at.as_vec3() * self.bounds.cell
    }

    fn at(&self, at: IVec3) -> f32 {
        self.distance[self.index(at)]
    }
}

fn grid(size: IVec3) -> impl Iterator<Item = IVec3> {
    (0..size.x).flat_map(move |x| {
        (0..size.y).flat_map(move |y| (0..size.z).map(move |z| IVec3::new(x, y, z)))
    })
}

/// One vertex for each cell that the surface crosses, one quad for each grid edge that it crosses.
fn nets(s: &Samples) -> (Vec<Vec3>, Vec<[u32; 4]>) {
    let mut positions = Vec::new();
    let mut vertex_of_cell = BTreeMap::new();
    let mut crossed = Vec::new();
    for cell in grid(s.size - IVec3::ONE) {
        if let Some(p) = cell_vertex(s, cell) {
            vertex_of_cell.insert(s.index(cell), positions.len() as u32);
            positions.push(p);
            crossed.push(cell);
        }
    }
    let mut quads = Vec::new();
    for cell in crossed {
        for axis in 0..3 {
            let (a, u, w) = (UNIT[axis], UNIT[(axis + 1) % 3], UNIT[(axis + 2) % 3]);
            let inside = s.at(cell) < 0.0;
            if inside == (s.at(cell + a) < 0.0) || (cell * (u + w)).cmplt(u + w).any() {
                continue;
            }
            let corners = [cell - u - w, cell - w, cell, cell - u]
                .map(|c| vertex_of_cell.get(&s.index(c)).copied());
            if let [Some(i), Some(j), Some(k), Some(l)] = corners {
                quads.push(if inside { [i, j, k, l] } else { [l, k, j, i] });
            }
        }
    }
    (positions, quads)
}

const UNIT: [IVec3; 3] = [IVec3::X, IVec3::Y, IVec3::Z];

fn cell_vertex(s: &Samples, cell: IVec3) -> Option<Vec3> {
    let (mut sum, mut count) = (Vec3::ZERO, 0.0);
    for corner in grid(IVec3::splat(2)) {
        for axis in UNIT {
            if (corner * axis).max_element() > 0 {
                continue;
            }
            let (da, db) = (s.at(cell + corner), s.at(cell + corner + axis));
            if (da < 0.0) != (db < 0.0) {
                sum += corner.as_vec3() + axis.as_vec3() * (da / (da - db));
                count += 1.0;
            }
        }
    }
    (count > 0.0).then(|| s.bounds.min + (cell.as_vec3() + sum / count) * s.bounds.cell)
}

fn relax(field: Field, positions: &mut [Vec3], quads: &[[u32; 4]], cell: f32) {
    let mut sum = vec![(Vec3::ZERO, 0.0f32); positions.len()];
    for q in quads {
        for k in 0..4 {
            let (a, b) = (q[k] as usize, q[(k + 1) % 4] as usize);
            sum[a].0 += positions[b];
            sum[a].1 += 1.0;
            sum[b].0 += positions[a];
            sum[b].1 += 1.0;
        }
    }
    pieces(positions, PIECE, |first, piece| {
        for (p, (total, count)) in piece.iter_mut().zip(&sum[first..]) {
            if *count > 0.0 {
                let normal = gradient(field, *p, cell * 0.2).normalize_or_zero();
                let pull = *total / *count - *p;
                *p += (pull - normal * pull.dot(normal)) * 0.4;
            }
            *p = project(field, *p, cell);
        }
    });
}

/// One Newton step onto the zero level, at most a third of a cell so that thin features keep their side.
pub fn project(field: Field, p: Vec3, cell: f32) -> Vec3 {
    let g = gradient(field, p, cell * 0.2);
    let step = (field(p) / g.length_squared().max(0.05)).clamp(-cell * 0.33, cell * 0.33);
    p - g * step
}

fn split(positions: &[Vec3], q: [u32; 4]) -> [[u32; 3]; 2] {
    let p = q.map(|i| positions[i as usize]);
    if p[0].distance_squared(p[2]) <= p[1].distance_squared(p[3]) {
        [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]
    } else {
        [[q[0], q[1], q[3]], [q[1], q[2], q[3]]]
    }
}

/// Makes the curve `border == 0` a line of edges: vertices close to it slide onto it, edges that still cross are split.
/// Where `border` is NaN the surface is left alone.
pub fn cut(surface: &mut Surface, field: Field, border: Field, cell: f32) {
    pieces(&mut surface.positions, PIECE, |_, piece| {
        for p in piece {
            for _ in 0..3 {
                *p = slide(field, border, *p, cell);
            }
        }
    });
    split_crossing(surface, field, border, cell);
}

fn slide(field: Field, border: Field, p: Vec3, cell: f32) -> Vec3 {
    let normal = gradient(field, p, cell * 0.2).normalize_or_zero();
    let g = gradient(border, p, cell * 0.1);
    let along = g - normal * g.dot(normal);
    let (value, slope) = (border(p), along.length());
    let close = slope > 0.2 && value.abs() < 0.22 * cell * slope;
    if close {
        project(field, p - along * (value / (slope * slope)), cell)
    } else {
        p
    }
}

fn split_crossing(surface: &mut Surface, field: Field, border: Field, cell: f32) {
    let on_line = cell * 0.02;
    let value: Vec<f32> = surface.positions.iter().map(|p| border(*p)).collect();
    let crosses = |a: u32, b: u32| {
        let (x, y) = (value[a as usize], value[b as usize]);
        x.abs() > on_line
            && y.abs() > on_line
            && (x < 0.0) != (y < 0.0)
            && !x.is_nan()
            && !y.is_nan()
    };
    let mut middle: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for t in surface.triangles.clone() {
        for k in 0..3 {
            let (a, b) = (t[k].min(t[(k + 1) % 3]), t[k].max(t[(k + 1) % 3]));
            if crosses(a, b) && !middle.contains_key(&(a, b)) {
                let p = zero_between(
                    border,
                    surface.positions[a as usize],
                    surface.positions[b as usize],
                );
                middle.insert((a, b), surface.positions.len() as u32);
                surface.positions.push(project(field, p, cell));
            }
        }
    }
    let at = |a: u32, b: u32| middle.get(&(a.min(b), a.max(b))).copied();
    surface.triangles = surface
        .triangles
        .iter()
        .flat_map(|t| divided(*t, &at))
        .collect();
}

/// The zero of `border` on a segment whose ends differ in sign, by bisection.
fn zero_between(border: Field, mut a: Vec3, mut b: Vec3) -> Vec3 {
    let negative = border(a) < 0.0;
    for _ in 0..12 {
        let m = (a + b) * 0.5;
        if (border(m) < 0.0) == negative {
            a = m
        } else {
            b = m
        }
    }
    (a + b) * 0.5
}

/// A triangle divided at the midpoints that its edges have.
fn divided(t: [u32; 3], middle: &dyn Fn(u32, u32) -> Option<u32>) -> Vec<[u32; 3]> {
    for k in 0..3 {
        let (a, b, c) = (t[k], t[(k + 1) % 3], t[(k + 2) % 3]);
        match (middle(a, b), middle(b, c), middle(c, a)) {
            (Some(m), None, None) => return vec![[a, m, c], [m, b, c]],
            (Some(m), Some(n), None) => return vec![[m, b, n], [a, m, n], [a, n, c]],
            _ => {}
        }
    }
    vec![t]
}
