//! Weights of samples in the plane by the triangle around the point.

use glam::{DVec2, Vec2};

#[cfg(test)]
mod tests;

/// Samples off a line by less than this share of its length are on it.
const STRAIGHT: f64 = 1e-5;

/// How far outside a triangle a point may be, in barycentric coordinates, and still be inside.
const INSIDE: f64 = 1e-9;

/// The Delaunay triangulation of the samples of a blend space, made once.
///
/// It depends only on where samples are, not on their order: of corners on one circle, the way in which they are
/// cut into triangles follows from their places from left to right. Samples on one line give none,
/// and weights are those along the line. Of samples at one place only one ever plays.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Triangulation {
    /// Counter-clockwise.
    triangles: Vec<[u16; 3]>,
    /// What bounds the triangles, or the pieces of the line.
    edges: Vec<[u16; 2]>,
}

/// A sample and its index.
#[derive(Clone, Copy, Debug)]
struct Sample {
    place: DVec2,
    index: u16,
}

impl Triangulation {
    /// Triangulates samples at `at`; those that are not finite never play.
    pub fn new(at: &[Vec2]) -> Self {
        let samples = sorted(at);
        let Some((longest, straight)) = spread(&samples) else {
            let only = samples.first().map(|only| [only.index; 2]);
            return Self {
                edges: only.into_iter().collect(),
                ..Self::default()
            };
        };
        if straight {
            return Self::along(samples, longest);
        }
        let mut triangles = sweep(&samples);
        make_delaunay(&samples, &mut triangles);
        drop_slivers(&samples, &mut triangles, STRAIGHT * longest.length());
        let index = |corner: usize| samples[corner].index;
        let bounds = triangles.iter().flat_map(|corners| sides(*corners));
        Self {
            edges: bounds
                .filter(|&[a, b]| twin(&triangles, [a, b]).is_none())
                .map(|side| side.map(index))
                .collect(),
            triangles: triangles.iter().map(|t| t.map(index)).collect(),
        }
    }

    /// The pieces of a line between neighbours.
    fn along(mut samples: Vec<Sample>, direction: DVec2) -> Self {
        let along = |sample: &Sample| sample.place.dot(direction);
        samples.sort_by(|a, b| along(a).total_cmp(&along(b)));
        let pairs = samples.windows(2);
        Self {
            triangles: Vec::new(),
            edges: pairs.map(|pair| [pair[0].index, pair[1].index]).collect(),
        }
    }

    /// The weights of the corners of the triangle around `p`, so that `p` is their mean by weight; outside of all
    /// triangles those of the nearest point of their bounds. `at` is what the triangulation was made from; one entry of
    /// `weights` a sample, sum 1. Continuous in `p`; a `p` that is not finite takes the first sample.
    pub fn weights(&self, at: &[Vec2], p: Vec2, weights: &mut [f32]) {
        weights.fill(0.0);
        if !p.is_finite() {
            weights.iter_mut().take(1).for_each(|first| *first = 1.0);
            return;
        }
        let p = p.as_dvec2();
        let place = |index: u16| at.get(usize::from(index)).map(|p| p.as_dvec2());
        let inside = self.triangles.iter().filter_map(|&corners| {
            let [a, b, c] = corners.map(place);
            let shares = barycentric([a?, b?, c?], p);
            let least = shares[0].min(shares[1]).min(shares[2]);
            (least >= -INSIDE).then_some((least, corners, shares))
        });
        if let Some((_, corners, shares)) = inside.max_by(|a, b| a.0.total_cmp(&b.0)) {
            let sum: f64 = shares.iter().map(|share| share.max(0.0)).sum();
            for (corner, share) in corners.into_iter().zip(shares) {
                set(weights, corner, share.max(0.0) / sum);
            }
            return;
        }
        let nearest = self.edges.iter().filter_map(|&[a, b]| {
            let (from, to) = (place(a)?, place(b)?);
            let share = nearest_share(from, to, p);
            Some((from.lerp(to, share).distance_squared(p), [a, b], share))
        });
        if let Some((_, [a, b], share)) = nearest.min_by(|a, b| a.0.total_cmp(&b.0)) {
            set(weights, b, share);
            set(weights, a, 1.0 - share);
        }
    }
}

fn set(weights: &mut [f32], index: u16, share: f64) {
    if let Some(weight) = weights.get_mut(usize::from(index)) {
        *weight = share as f32;
    }
}

/// How far along the edge the point nearest to `p` is, 0..=1; 0 on an edge without length.
fn nearest_share(from: DVec2, to: DVec2, p: DVec2) -> f64 {
    let way = to - from;
    let length = way.length_squared();
    if length > 0.0 {
        ((p - from).dot(way) / length).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// The shares of the corners at `p`; far negative for a triangle without area.
fn barycentric([a, b, c]: [DVec2; 3], p: DVec2) -> [f64; 3] {
    let area = turn(a, b, c);
    if area > 0.0 {
        [turn(b, c, p), turn(c, a, p), turn(a, b, p)].map(|part| part / area)
    } else {
        [f64::NEG_INFINITY; 3]
    }
}

/// Twice the area of the triangle, positive counter-clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Finite samples from left to right, then upwards; one a place.
fn sorted(at: &[Vec2]) -> Vec<Sample> {
    let finite = (0..=u16::MAX)
        .zip(at)
        .filter(|(_, place)| place.is_finite());
    let mut samples: Vec<Sample> = finite
        .map(|(index, place)| Sample {
            place: place.as_dvec2() + DVec2::ZERO,
            index,
        })
        .collect();
    samples.sort_by(|a, b| {
        let [a, b] = [a, b].map(|sample| sample.place);
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    samples.dedup_by(|a, b| a.place == b.place);
    samples
}

/// The way between the two samples farthest from each other, and whether all others are on it; `None` for fewer than
/// two samples.
fn spread(samples: &[Sample]) -> Option<(DVec2, bool)> {
    let pairs = (samples.iter().enumerate())
        .flat_map(|(index, a)| samples[index + 1..].iter().map(move |b| (a.place, b.place)));
    let (from, to) = pairs.max_by(|a, b| {
        let [a, b] = [a, b].map(|(from, to)| from.distance_squared(*to));
        a.total_cmp(&b)
    })?;
    let way = to - from;
    let limit = STRAIGHT * way.length_squared();
    let straight = samples
        .iter()
        .all(|s| turn(from, to, s.place).abs() <= limit);
    Some((way, straight))
}

/// Some triangulation: samples from left to right, each joined to the edges of the hull that it sees.
fn sweep(samples: &[Sample]) -> Vec<[usize; 3]> {
    let side =
        |a: usize, b: usize, c: usize| turn(samples[a].place, samples[b].place, samples[c].place);
    let Some(apex) = (2..samples.len()).find(|&third| side(0, 1, third) != 0.0) else {
        return Vec::new();
    };
    let mut hull: Vec<usize> = (0..apex).collect();
    if side(0, 1, apex) < 0.0 {
        hull.reverse();
    }
    let mut triangles: Vec<[usize; 3]> = hull
        .windows(2)
        .map(|pair| [pair[0], pair[1], apex])
        .collect();
    hull.push(apex);
    for next in apex + 1..samples.len() {
        let count = hull.len();
        let sees = |at: usize| side(hull[at % count], hull[(at + 1) % count], next) < 0.0;
        let Some(first) = (0..count).find(|&at| sees(at) && !sees(at + count - 1)) else {
            continue;
        };
        let seen = (first..first + count).take_while(|&at| sees(at)).count();
        for at in first..first + seen {
            triangles.push([hull[at % count], next, hull[(at + 1) % count]]);
        }
        hull.rotate_left(first);
        hull.splice(1..seen, [next]);
    }
    triangles
}

/// The sides of a triangle, in its direction.
fn sides([a, b, c]: [usize; 3]) -> [[usize; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The triangle on the other side of a side, and its third corner.
fn twin(triangles: &[[usize; 3]], [a, b]: [usize; 2]) -> Option<(usize, usize)> {
    triangles.iter().enumerate().find_map(|(at, &[p, q, r])| {
        let third = match [b, a] {
            side if side == [p, q] => r,
            side if side == [q, r] => p,
            side if side == [r, p] => q,
            _ => return None,
        };
        Some((at, third))
    })
}

/// Flips the diagonals of two triangles until no circle around one holds a corner of its neighbour (Lawson 1977).
fn make_delaunay(samples: &[Sample], triangles: &mut [[usize; 3]]) {
    let place = |corner: usize| samples[corner].place;
    // Exact arithmetic needs fewer flips than pairs of samples; rounding must not flip for ever.
    let mut flips = samples.len() * samples.len();
    let mut at = 0;
    while at < triangles.len() && flips > 0 {
        let flip = sides(triangles[at]).into_iter().find_map(|[a, b]| {
            let third = triangles[at].into_iter().find(|&c| c != a && c != b)?;
            let (other, far) = twin(triangles, [a, b])?;
            let convex = turn(place(a), place(far), place(third)) > 0.0
                && turn(place(far), place(b), place(third)) > 0.0;
            let circle = [a, b, third].map(place);
            (convex && in_circle(circle, place(far))).then_some((
                other,
                [a, far, third],
                [far, b, third],
            ))
        });
        match flip {
            Some((other, one, two)) => {
                triangles[at] = one;
                triangles[other] = two;
                flips -= 1;
                at = at.min(other);
            }
            None => at += 1,
        }
    }
}

/// True where `p` is inside the circle through the counter-clockwise corners, by more than rounding.
fn in_circle(corners: [DVec2; 3], p: DVec2) -> bool {
    let [a, b, c] = corners.map(|corner| corner - p);
    let terms = [(a, b, c), (b, c, a), (c, a, b)]
        .map(|(own, next, last)| own.length_squared() * next.perp_dot(last));
    let sum: f64 = terms.iter().sum();
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    sum > size * 1e-12
}

/// Takes out triangles at the bounds that are flatter than `height`: rounding makes them of samples on one
/// straight side, where the sample in the middle must be met from outside too.
fn drop_slivers(samples: &[Sample], triangles: &mut Vec<[usize; 3]>, height: f64) {
    let place = |corner: usize| samples[corner].place;
    while let Some(flat) = triangles.iter().position(|&corners| {
        let mut bounds = sides(corners).into_iter();
        let outer = bounds
            .clone()
            .filter(|side| twin(triangles, *side).is_none());
        let [Some([a, b]), None] = [outer.clone().next(), outer.clone().nth(1)] else {
            return false;
        };
        let longest = bounds.all(|[p, q]| {
            place(p).distance_squared(place(q)) <= place(a).distance_squared(place(b))
        });
        let [p, q, r] = corners.map(place);
        longest && turn(p, q, r) <= height * place(a).distance(place(b))
    }) {
        triangles.remove(flat);
    }
}
