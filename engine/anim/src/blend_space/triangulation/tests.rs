use glam::{DVec2, Vec2};

use super::*;
use crate::test_support::Random;

fn weights(at: &[Vec2], p: Vec2) -> Vec<f32> {
    let mut weights = vec![f32::NAN; at.len()];
    Triangulation::new(at).weights(at, p, &mut weights);
    weights
}

#[track_caller]
fn assert_weights(weights: &[f32], expected: &[f32]) {
    let near = weights
        .iter()
        .zip(expected)
        .all(|(w, e)| (w - e).abs() < 1e-6);
    assert!(
        near && weights.len() == expected.len(),
        "{weights:?} is not {expected:?}"
    );
}

fn points(random: &mut Random, count: usize) -> Vec<Vec2> {
    (0..count).map(|_| random.vec3(2.0).truncate()).collect()
}

/// A square grid, turned by `degrees`, in no order.
fn grid(random: &mut Random, side: u16, degrees: f32) -> Vec<Vec2> {
    let turn = Vec2::from_angle(degrees.to_radians());
    let mut at: Vec<Vec2> = (0..side * side)
        .map(|i| turn.rotate(Vec2::new(f32::from(i % side), f32::from(i / side)) * 0.3))
        .collect();
    shuffle(random, &mut at);
    at
}

fn shuffle<T>(random: &mut Random, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, random.below(last as u32 + 1) as usize);
    }
}

/// The convex hull, counter-clockwise (Andrew's chain).
fn hull(at: &[Vec2]) -> Vec<DVec2> {
    let mut sorted: Vec<DVec2> = at.iter().map(|p| p.as_dvec2()).collect();
    sorted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
    let chain = |points: &mut dyn Iterator<Item = DVec2>| {
        let mut out: Vec<DVec2> = Vec::new();
        for p in points {
            while let [.., a, b] = out[..] {
                if (b - a).perp_dot(p - b) > 0.0 {
                    break;
                }
                out.pop();
            }
            out.push(p);
        }
        out.pop();
        out
    };
    let mut out = chain(&mut sorted.iter().copied());
    out.extend(chain(&mut sorted.iter().rev().copied()));
    out
}

/// The point of the hull nearest to `p`, `p` itself inside.
fn nearest_of_hull(at: &[Vec2], p: DVec2) -> DVec2 {
    let hull = hull(at);
    let edges = || (0..hull.len()).map(|i| (hull[i], hull[(i + 1) % hull.len()]));
    if edges().all(|(a, b)| (b - a).perp_dot(p - a) >= 0.0) {
        return p;
    }
    edges()
        .map(|(a, b)| {
            let t = (p - a).dot(b - a) / (b - a).length_squared();
            a + (b - a) * t.clamp(0.0, 1.0)
        })
        .min_by(|a, b| a.distance(p).total_cmp(&b.distance(p)))
        .expect("a hull has edges")
}

#[test]
fn weights_lead_to_the_point_or_to_the_nearest_one_of_the_hull() {
    let mut random = Random::new(111);
    for case in 0..150 {
        let at = match case % 3 {
            0 => grid(&mut random, 4, 0.0),
            _ => points(&mut random, 3 + case % 20),
        };
        let made = Triangulation::new(&at);
        for _ in 0..40 {
            let p = random.vec3(3.0).truncate();
            let mut weights = vec![f32::NAN; at.len()];
            made.weights(&at, p, &mut weights);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
            assert!(weights.iter().filter(|w| **w > 0.0).count() <= 3);
            let places = at.iter().zip(&weights);
            let mean: DVec2 = places.map(|(p, w)| p.as_dvec2() * f64::from(*w)).sum();
            let expected = nearest_of_hull(&at, p.as_dvec2());
            assert!(
                mean.distance(expected) < 1e-5,
                "{at:?} {p}: {mean} {expected}"
            );
        }
        for (own, &sample) in at.iter().enumerate() {
            let mut weights = vec![0.0; at.len()];
            made.weights(&at, sample, &mut weights);
            assert!((weights[own] - 1.0).abs() < 1e-6, "{at:?} {own}");
        }
    }
}

#[test]
fn no_circle_around_a_triangle_holds_another_sample_and_all_of_the_hull_is_covered() {
    let mut random = Random::new(112);
    for case in 0..100 {
        let at = points(&mut random, 3 + case % 40);
        let made = Triangulation::new(&at);
        let mut area = 0.0;
        for corners in &made.triangles {
            let [a, b, c] = corners.map(|corner| at[usize::from(corner)].as_dvec2());
            area += (b - a).perp_dot(c - a) / 2.0;
            // The centre is as far from all corners.
            let (ab, ac) = (b - a, c - a);
            let d = 2.0 * ab.perp_dot(ac);
            let center = DVec2::new(
                ac.y * ab.length_squared() - ab.y * ac.length_squared(),
                ab.x * ac.length_squared() - ac.x * ab.length_squared(),
            ) / d;
            let radius = center.length();
            for p in &at {
                assert!((p.as_dvec2() - a).distance(center) > radius * (1.0 - 1e-6) - 1e-9);
            }
        }
        let hull = hull(&at);
        let corners = hull.iter().zip(hull.iter().cycle().skip(1));
        let whole: f64 = corners.map(|(a, b)| a.perp_dot(*b) / 2.0).sum();
        assert!((area - whole).abs() < 1e-4 * whole, "{area} of {whole}");
    }
}

#[test]
fn the_order_of_samples_changes_no_bit_even_on_circles_and_grids() {
    let mut random = Random::new(113);
    for case in 0..60 {
        let mut at = match case % 3 {
            0 => grid(&mut random, 3, 0.0),
            1 => (0..8_u8)
                .map(|i| Vec2::from_angle(f32::from(i) * std::f32::consts::FRAC_PI_4))
                .chain([Vec2::ZERO])
                .collect(),
            _ => points(&mut random, 12),
        };
        let probes = points(&mut random, 20);
        let before: Vec<Vec<f32>> = probes.iter().map(|&p| weights(&at, p)).collect();
        let mut order: Vec<usize> = (0..at.len()).collect();
        shuffle(&mut random, &mut order);
        let old = at.clone();
        for (new, &from) in order.iter().enumerate() {
            at[new] = old[from];
        }
        for (p, before) in probes.iter().zip(before) {
            let after = weights(&at, *p);
            for (new, &from) in order.iter().enumerate() {
                assert_eq!(after[new], before[from], "{at:?} {p}");
            }
        }
    }
}

#[test]
fn weights_do_not_jump() {
    let mut random = Random::new(114);
    for case in 0..40 {
        let degrees = [0.0, 30.0, 45.0, 17.0][case % 4];
        let at = grid(&mut random, 4, degrees);
        let made = Triangulation::new(&at);
        let (from, to) = (random.vec3(2.0).truncate(), random.vec3(2.0).truncate());
        let mut before: Option<Vec<f32>> = None;
        for step in 0..=4000 {
            let mut weights = vec![0.0; at.len()];
            made.weights(&at, from.lerp(to, step as f32 / 4000.0), &mut weights);
            if let Some(before) = before {
                let jumps = weights.iter().zip(&before).map(|(a, b)| (a - b).abs());
                let jump = jumps.fold(0.0, f32::max);
                // At most 6 of the way in 4000 steps, over triangles 0.2 high.
                assert!(jump < 0.01, "{degrees} {from} {to} {step}: {jump}");
            }
            before = Some(weights);
        }
    }
}

#[test]
fn every_sample_of_a_straight_side_is_met_from_outside() {
    let mut random = Random::new(115);
    for degrees in 0..90 {
        let at = grid(&mut random, 4, degrees as f32);
        let turn = Vec2::from_angle((degrees as f32).to_radians());
        let center = turn.rotate(Vec2::splat(0.45));
        for (own, place) in at.iter().enumerate() {
            let out = Vec2::new(turn.x, -turn.y).rotate(*place - center);
            // From the middle of a side straight away from it.
            let away = if out.x.abs() > out.y.abs() + 0.1 {
                Vec2::new(out.x.signum(), 0.0)
            } else if out.y.abs() > out.x.abs() + 0.1 {
                Vec2::new(0.0, out.y.signum())
            } else {
                continue;
            };
            if out.abs().max_element() < 0.4 {
                continue;
            }
            let weights = weights(&at, *place + turn.rotate(away) * 0.5);
            assert!(weights[own] > 1.0 - 1e-4, "{degrees} {place} {weights:?}");
        }
    }
}

#[test]
fn a_point_between_strafes_outside_of_them_plays_both() {
    let strafe = [
        (0.0, 0.0),
        (0.0, 100.0),
        (0.0, -100.0),
        (100.0, 0.0),
        (-100.0, 0.0),
    ];
    let strafe = strafe.map(Vec2::from);
    let weights = weights(&strafe, Vec2::new(-100.0, 100.0));
    assert_weights(&weights, &[0.0, 0.5, 0.0, 0.0, 0.5]);
}

#[test]
fn samples_on_a_line_share_along_it() {
    let turn = Vec2::from_angle(0.3);
    let at = [0.6, 0.0, 0.2].map(|x| turn.rotate(Vec2::X * x));
    let off = turn.rotate(Vec2::Y * 7.0);
    for (x, expected) in [
        (-1.0, [0.0, 1.0, 0.0]),
        (0.05, [0.0, 0.75, 0.25]),
        (0.2, [0.0, 0.0, 1.0]),
        (0.5, [0.75, 0.0, 0.25]),
        (9.0, [1.0, 0.0, 0.0]),
    ] {
        for offset in [Vec2::ZERO, off, -off] {
            let weights = weights(&at, turn.rotate(Vec2::X * x) + offset);
            let near = weights
                .iter()
                .zip(expected)
                .all(|(w, e)| (w - e).abs() < 1e-4);
            assert!(near, "{x}: {weights:?}");
        }
    }
    assert_weights(&weights(&at[..2], Vec2::splat(9.0)), &[1.0, 0.0]);
}

#[test]
fn degenerate_input_gives_weights_too() {
    assert!(weights(&[], Vec2::ONE).is_empty());
    assert_eq!(weights(&[Vec2::ONE], Vec2::ZERO), [1.0]);
    assert_eq!(weights(&[Vec2::ONE; 3], Vec2::ZERO), [1.0, 0.0, 0.0]);
    assert_eq!(
        weights(&[Vec2::ZERO, Vec2::X, Vec2::Y], Vec2::NAN),
        [1.0, 0.0, 0.0]
    );
    let broken = [Vec2::NAN, Vec2::ZERO, Vec2::X, Vec2::Y];
    assert_weights(&weights(&broken, Vec2::splat(-1.0)), &[0.0, 1.0, 0.0, 0.0]);
    let mut random = Random::new(116);
    for _ in 0..200 {
        let count = 1 + random.below(12) as usize;
        let at: Vec<Vec2> = (0..count)
            .map(|_| {
                let size = 10.0_f32.powf(random.range(-38.0, 38.0) as f32);
                (random.vec3(1.0).truncate() * size).round()
                    * if random.below(2) == 0 { 1.0 } else { 1e-30 }
            })
            .collect();
        let p = random.vec3(1e30).truncate();
        let weights = weights(&at, p);
        assert!(
            (weights.iter().sum::<f32>() - 1.0).abs() < 1e-5,
            "{at:?} {weights:?}"
        );
        assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
    }
}

#[test]
fn another_list_than_it_was_made_from_does_not_panic() {
    let at = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::ONE];
    let made = Triangulation::new(&at);
    let mut weights = [0.0; 2];
    made.weights(&at[..2], Vec2::splat(0.5), &mut weights);
    made.weights(&[], Vec2::splat(0.5), &mut weights);
    assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
}
