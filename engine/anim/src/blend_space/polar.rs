//! Gradient bands in polar coordinates.

use glam::{DVec2, Vec2};

use super::band_weights;

/// [`crate::gradient_band_weights`] in polar coordinates, for samples that are velocities: directions and speeds blend
/// apart, so that a turn of the direction does not lead through slower samples.
///
/// The way from `a` to `b` is `((|b| - |a|) / m, 2 angle(a, b))` with `m` the mean length of the two samples that are compared
/// (Johansen 2009, 6.3.2); the angle is signed, in (-pi, pi], and none where either is the origin. Continuous where a sample
/// stands at the origin and the others at equal distances around it, unless [`directions_leave_gap`].
pub fn polar_band_weights(at: &[Vec2], p: Vec2, weights: &mut [f32]) {
    band_weights(at, p, weights, |own, other| {
        band(own.as_dvec2(), other.as_dvec2(), p.as_dvec2()) as f32
    });
}

/// 1 at `own`, 0 at `other`.
fn band(own: DVec2, other: DVec2, p: DVec2) -> f64 {
    let mean = (own.length() + other.length()) * 0.5;
    let way = |to: DVec2| {
        let longer = (to.length() - own.length()) / mean;
        DVec2::new(longer, 2.0 * angle(own, to))
    };
    let to_other = way(other);
    let length = to_other.length_squared();
    // Equal samples are refused when a graph is built; here they must only not divide by zero.
    if length > 0.0 {
        1.0 - way(p).dot(to_other) / length
    } else {
        1.0
    }
}

/// From `a` to `b`, in (-pi, pi]; 0 where either is the origin.
fn angle(a: DVec2, b: DVec2) -> f64 {
    // A cross product of -0 would make half a turn negative.
    (a.perp_dot(b) + 0.0).atan2(a.dot(b) + 0.0)
}

/// True where the directions of the samples (those at the origin have none) leave half a turn or more without a
/// sample: polar weights jump there.
pub fn directions_leave_gap(at: &[Vec2]) -> bool {
    let directions = || {
        at.iter()
            .map(|p| p.as_dvec2())
            .filter(|p| *p != DVec2::ZERO)
    };
    // Nothing lies less than half a turn to the left of some direction.
    directions().any(|a| directions().all(|b| a.perp_dot(b) <= 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Random;

    fn polar(at: &[Vec2], p: Vec2) -> Vec<f32> {
        let mut weights = vec![f32::NAN; at.len()];
        polar_band_weights(at, p, &mut weights);
        weights
    }

    #[track_caller]
    fn assert_weights(weights: &[f32], expected: &[f32], tolerance: f32) {
        let near = weights
            .iter()
            .zip(expected)
            .all(|(w, e)| (w - e).abs() < tolerance);
        assert!(
            near && weights.len() == expected.len(),
            "{weights:?} is not {expected:?}"
        );
    }

    const CROSS: [Vec2; 5] = [Vec2::ZERO, Vec2::X, Vec2::Y, Vec2::NEG_X, Vec2::NEG_Y];

    #[test]
    fn the_cross_of_five_favours_its_arms_between_two_of_them() {
        let expected = [0.2265, 0.3867, 0.3867, 0.0, 0.0];
        assert_weights(&polar(&CROSS, Vec2::splat(0.5)), &expected, 5e-5);
    }

    #[test]
    fn on_a_circle_neighbours_share_by_angle() {
        for degrees in 0..=90 {
            let share = degrees as f32 / 90.0;
            let p = Vec2::from_angle((degrees as f32).to_radians());
            let expected = [0.0, 1.0 - share, share, 0.0, 0.0];
            assert_weights(&polar(&CROSS, p), &expected, 1e-6);
        }
    }

    /// The formula with angles from two arctangents, wrapped.
    fn twin(at: &[Vec2], p: Vec2) -> Vec<f64> {
        let angle = |a: Vec2, b: Vec2| {
            if a == Vec2::ZERO || b == Vec2::ZERO {
                return 0.0;
            }
            let turn = f64::from(b.y).atan2(f64::from(b.x)) - f64::from(a.y).atan2(f64::from(a.x));
            turn.sin().atan2(turn.cos())
        };
        let length = |a: Vec2| f64::from(a.x).hypot(f64::from(a.y));
        let mut out = Vec::new();
        for (i, &own) in at.iter().enumerate() {
            let mut least: f64 = 1.0;
            for (j, &other) in at.iter().enumerate() {
                if i != j {
                    let m = (length(own) + length(other)) / 2.0;
                    let (x, y) = ((length(p) - length(own)) / m, 2.0 * angle(own, p));
                    let (u, v) = ((length(other) - length(own)) / m, 2.0 * angle(own, other));
                    least = least.min(1.0 - (x * u + y * v) / (u * u + v * v));
                }
            }
            out.push(least.max(0.0));
        }
        let sum: f64 = out.iter().sum();
        out.iter().map(|h| h / sum).collect()
    }

    #[test]
    fn random_sets_agree_with_the_formula_are_exact_at_samples_and_know_no_order() {
        let mut random = Random::new(54);
        for case in 0..200 {
            let mut at: Vec<Vec2> = (0..2 + case % 7)
                .map(|_| random.vec3(2.0).truncate())
                .collect();
            at.push(Vec2::ZERO);
            for (own, &sample) in at.iter().enumerate() {
                let weights = polar(&at, sample);
                assert!((weights[own] - 1.0).abs() < 1e-6, "{at:?} {weights:?}");
            }
            let p = random.vec3(3.0).truncate();
            let weights = polar(&at, p);
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
            let expected: Vec<f32> = twin(&at, p).iter().map(|w| *w as f32).collect();
            assert_weights(&weights, &expected, 1e-5);
            at.reverse();
            let mut reversed = polar(&at, p);
            reversed.reverse();
            assert_weights(&reversed, &weights, 1e-6);
        }
    }

    #[test]
    fn around_a_centre_without_gaps_weights_do_not_jump() {
        let mut random = Random::new(55);
        let mut tried = 0;
        while tried < 40 {
            let count = 3 + random.below(5);
            let angles: Vec<f64> = (0..count)
                .map(|_| random.range(0.0, std::f64::consts::TAU))
                .collect();
            let mut at: Vec<Vec2> = angles.iter().map(|a| Vec2::from_angle(*a as f32)).collect();
            let apart = at
                .iter()
                .enumerate()
                .all(|(i, a)| at[i + 1..].iter().all(|b| a.distance(*b) > 0.3));
            if directions_leave_gap(&at) || !apart {
                continue;
            }
            tried += 1;
            at.push(Vec2::ZERO);
            let (from, to) = (random.vec3(2.0).truncate(), random.vec3(2.0).truncate());
            let mut before: Option<Vec<f32>> = None;
            for step in 0..=20_000 {
                let weights = polar(&at, from.lerp(to, step as f32 / 20_000.0));
                if let Some(before) = before {
                    let jumps = weights.iter().zip(&before).map(|(a, b)| (a - b).abs());
                    let jump = jumps.fold(0.0, f32::max);
                    assert!(jump < 0.02, "{at:?} {from} {to} {step}: {jump}");
                }
                before = Some(weights);
            }
        }
    }

    #[test]
    fn directions_leave_a_gap_where_half_the_plane_is_empty() {
        let arms = |degrees: &[f32]| -> Vec<Vec2> {
            let arms = degrees.iter().map(|d| Vec2::from_angle(d.to_radians()));
            arms.chain([Vec2::ZERO]).collect()
        };
        assert!(!directions_leave_gap(&CROSS));
        assert!(!directions_leave_gap(&arms(&[0.0, 120.0, 240.0])));
        assert!(!directions_leave_gap(&arms(&[0.0, 179.0, 181.0])));
        assert!(directions_leave_gap(&arms(&[0.0, 90.0])));
        assert!(directions_leave_gap(&arms(&[10.0, 170.0, 90.0])));
        assert!(directions_leave_gap(&[Vec2::X, Vec2::NEG_X, Vec2::ZERO]));
        assert!(directions_leave_gap(&CROSS[..4]));
        assert!(directions_leave_gap(&[Vec2::new(0.0, 3.0)]));
        assert!(!directions_leave_gap(&[Vec2::ZERO]));
        assert!(!directions_leave_gap(&[]));
    }

    #[test]
    fn half_a_turn_is_positive_whatever_the_sign_of_zero() {
        for zero in [0.0, -0.0] {
            let half = angle(DVec2::new(1.0, zero), DVec2::new(-1.0, 0.0));
            assert_eq!(half, std::f64::consts::PI);
        }
        assert_eq!(angle(DVec2::ZERO, DVec2::NEG_X), 0.0);
        assert_eq!(angle(DVec2::NEG_X, DVec2::new(-0.0, -0.0)), 0.0);
    }

    #[test]
    fn degenerate_input_gives_weights_too() {
        assert_eq!(polar(&[Vec2::ONE; 2], Vec2::ONE), [0.5, 0.5]);
        assert_eq!(polar(&[Vec2::ZERO; 2], Vec2::ONE), [0.5, 0.5]);
        assert_eq!(polar(&[Vec2::ONE], Vec2::ZERO), [1.0]);
        assert_eq!(polar(&CROSS, Vec2::NAN), [1.0, 0.0, 0.0, 0.0, 0.0]);
        let far = polar(&CROSS, Vec2::splat(f32::MAX));
        assert!((far.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{far:?}");
        assert!(polar(&[], Vec2::ONE).is_empty());
    }
}
