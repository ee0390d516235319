//! Weights of the samples of a blend space at a point.

use glam::Vec2;

mod polar;
mod triangulation;

pub use polar::{directions_leave_gap, polar_band_weights};
pub use triangulation::Triangulation;

/// Weights of samples on a line: the two neighbours of `x` share by distance, outside the ends the
/// end sample has 1. `at` in any order, no two equal; `weights` gets one entry a sample, sum 1. An
/// `x` that is not a number takes the lowest sample.
pub fn linear_weights(at: &[f32], x: f32, weights: &mut [f32]) {
    weights.fill(0.0);
    let by_place = |a: &(usize, f32), b: &(usize, f32)| a.1.total_cmp(&b.1);
    let samples = || at.iter().copied().enumerate().take(weights.len());
    let below = samples().filter(|(_, at)| *at <= x).max_by(by_place);
    let above = samples()
        .filter(|(_, at)| *at > x || x.is_nan())
        .min_by(by_place);
    match (below, above) {
        (Some((low, a)), Some((high, b))) => {
            // In f64, since the distance of two finite places may be beyond f32.
            let [x, a, b] = [x, a, b].map(f64::from);
            let t = ((x - a) / (b - a)) as f32;
            weights[low] = 1.0 - t;
            weights[high] = t;
        }
        (Some((only, _)), None) | (None, Some((only, _))) => weights[only] = 1.0,
        (None, None) => {}
    }
}

/// Gradient-band weights of samples in the plane: for each sample the least of
/// `1 - (p - p_i) . (p_j - p_i) / |p_j - p_i|^2` over the others, clamped to 0..=1, then normalised to
/// sum 1 (Johansen, "Automated Semi-Procedural Animation for Character Locomotion", 2009, chapter
/// 6). Where all vanish, the nearest sample has 1. `at` holds no two equal points; one entry of
/// `weights` a sample. Continuous in `p`; a `p` that is not finite takes the first sample.
pub fn gradient_band_weights(at: &[Vec2], p: Vec2, weights: &mut [f32]) {
    band_weights(at, p, weights, |own, other| band(own, other, p));
}

/// Weights by bands: for each sample the least of its `band`s to the others, clamped to 0..=1, then
/// normalised.
fn band_weights(at: &[Vec2], p: Vec2, weights: &mut [f32], band: impl Fn(Vec2, Vec2) -> f32) {
    weights.fill(0.0);
    let at = &at[..at.len().min(weights.len())];
    if at.is_empty() {
        return;
    }
    if !p.is_finite() {
        weights[0] = 1.0;
        return;
    }
    for (i, (&own, weight)) in at.iter().zip(weights.iter_mut()).enumerate() {
        let others = at.iter().enumerate().filter(|(j, _)| *j != i);
        let least = others.fold(1.0_f32, |least, (_, &other)| least.min(band(own, other)));
        *weight = least.max(0.0);
    }
    normalize_or_nearest(at, p, weights);
}

/// Weights with the sum 1; where all are zero the sample nearest to `p` has all.
fn normalize_or_nearest(at: &[Vec2], p: Vec2, weights: &mut [f32]) {
    let sum: f32 = weights.iter().sum();
    if sum > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= sum);
        return;
    }
    let nearest = (0..at.len()).min_by(|&a, &b| {
        at[a]
            .distance_squared(p)
            .total_cmp(&at[b].distance_squared(p))
    });
    weights[nearest.unwrap_or(0)] = 1.0;
}

/// Lets only the `count` heaviest weights (at least one) count: from each the heaviest that is left out is
/// subtracted, the rest is brought back to the sum 1. So a weight comes and goes through 0, and the result is
/// continuous in the weights and the same in any order, but where all that are kept equal the heaviest that is
/// left out: there the first `count` of the equal ones share equally. Weights of which no more than `count` are
/// above 0 stay as they are.
pub fn keep_heaviest(weights: &mut [f32], count: usize) {
    let count = count.max(1);
    let mut active = weights.iter().filter(|weight| **weight > 0.0).count();
    if active <= count {
        return;
    }
    let mut left_out = 0.0;
    while active > count {
        let above_zero = weights.iter_mut().filter(|weight| **weight > 0.0);
        let lightest = above_zero.rev().min_by(|a, b| a.total_cmp(b));
        left_out = lightest.map_or(left_out, |weight| std::mem::replace(weight, 0.0));
        active -= 1;
    }
    let kept = || weights.iter().filter(|weight| **weight > 0.0);
    let sum: f32 = kept().map(|weight| weight - left_out).sum();
    for weight in weights.iter_mut().filter(|weight| **weight > 0.0) {
        *weight = if sum > 0.0 {
            (*weight - left_out) / sum
        } else {
            1.0 / count as f32
        };
    }
}

/// 1 at `own`, 0 at `other`, straight along the line between them.
fn band(own: Vec2, other: Vec2, p: Vec2) -> f32 {
    let to_other = other - own;
    let length = to_other.length_squared();
    // Equal samples are refused when a graph is built; here they must only not divide by zero.
    if length > 0.0 {
        1.0 - (p - own).dot(to_other) / length
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::Random;

    fn linear(at: &[f32], x: f32) -> Vec<f32> {
        let mut weights = vec![f32::NAN; at.len()];
        linear_weights(at, x, &mut weights);
        weights
    }

    fn band(at: &[Vec2], p: Vec2) -> Vec<f32> {
        let mut weights = vec![f32::NAN; at.len()];
        gradient_band_weights(at, p, &mut weights);
        weights
    }

    fn points<const N: usize>(at: [(f32, f32); N]) -> [Vec2; N] {
        at.map(Vec2::from)
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

    #[test]
    fn neighbours_on_a_line_share_and_ends_hold() {
        let at = [0.0, 2.0, 6.0];
        let cases = [
            (-1.0, [1.0, 0.0, 0.0]),
            (0.0, [1.0, 0.0, 0.0]),
            (0.5, [0.75, 0.25, 0.0]),
            (2.0, [0.0, 1.0, 0.0]),
            (5.0, [0.0, 0.25, 0.75]),
            (6.0, [0.0, 0.0, 1.0]),
            (9.0, [0.0, 0.0, 1.0]),
            (f32::INFINITY, [0.0, 0.0, 1.0]),
            (f32::NAN, [1.0, 0.0, 0.0]),
        ];
        for (x, expected) in cases {
            assert_eq!(linear(&at, x), expected, "at {x}");
        }
        assert_eq!(linear(&[6.0, 0.0, 2.0], 5.0), [0.75, 0.0, 0.25]);
        assert_eq!(linear(&[-f32::MAX, f32::MAX], f32::MAX * 0.5), [0.25, 0.75]);
        assert!(linear(&[], 1.0).is_empty());
    }

    #[test]
    fn the_cross_of_five_shares_by_thirds_between_two_arms() {
        let cross = points([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]);
        let third = 1.0 / 3.0;
        assert_weights(
            &band(&cross, Vec2::splat(0.5)),
            &[third, third, third, 0.0, 0.0],
        );
    }

    #[test]
    fn outside_the_hull_the_nearest_samples_play() {
        let strafe = points([
            (0.0, 0.0),
            (0.0, 100.0),
            (0.0, -100.0),
            (100.0, 0.0),
            (-100.0, 0.0),
        ]);
        let weights = band(&strafe, Vec2::new(-100.0, 100.0));
        assert_weights(&weights, &[0.0, 0.5, 0.0, 0.0, 0.5]);
    }

    #[test]
    fn random_sets_give_weights_that_sum_to_one_are_one_at_samples_and_have_no_jumps() {
        let mut random = Random::new(51);
        let mut point = |reach: f64| {
            Vec2::new(
                random.range(-reach, reach) as f32,
                random.range(-reach, reach) as f32,
            )
        };
        for case in 0..100 {
            let at: Vec<Vec2> = (0..=case % 8).map(|_| point(1.0)).collect();
            for (own, &sample) in at.iter().enumerate() {
                let weights = band(&at, sample);
                assert!(
                    (weights[own] - 1.0).abs() < 1e-5,
                    "{at:?} {own} {weights:?}"
                );
            }
            let (from, to) = (point(3.0), point(3.0));
            let mut before: Option<Vec<f32>> = None;
            for step in 0..=4000 {
                let weights = band(&at, from.lerp(to, step as f32 / 4000.0));
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert!(weights.iter().all(|w| (0.0..=1.0).contains(w)));
                if let Some(before) = before {
                    let closest = closest_pair(&at);
                    let jump = weights
                        .iter()
                        .zip(&before)
                        .fold(0.0_f32, |a, (x, y)| a.max((x - y).abs()));
                    // The slope of a band is at most one over the distance of its samples.
                    assert!(
                        jump < 0.02 / closest.min(1.0).powi(2),
                        "{at:?} {from} {to} {step}: {jump}"
                    );
                }
                before = Some(weights);
            }
        }
    }

    fn closest_pair(at: &[Vec2]) -> f32 {
        let pairs = at
            .iter()
            .enumerate()
            .flat_map(|(i, a)| at[i + 1..].iter().map(|b| a.distance(*b)));
        pairs.fold(1.0, f32::min)
    }

    #[test]
    fn the_heaviest_weights_count_by_what_they_exceed_the_next_by() {
        let cases = [
            (
                vec![0.1, 0.4, 0.2, 0.3],
                2,
                vec![0.0, 2.0 / 3.0, 0.0, 1.0 / 3.0],
            ),
            (vec![0.25; 4], 2, vec![0.5, 0.5, 0.0, 0.0]),
            (vec![0.25, 0.5, 0.25], 2, vec![0.0, 1.0, 0.0]),
            (vec![0.2, 0.4, 0.4], 1, vec![0.0, 1.0, 0.0]),
            (vec![0.4, 0.6], 4, vec![0.4, 0.6]),
            (vec![0.4, 0.6], 0, vec![0.0, 1.0]),
            (vec![0.0, 0.0], 1, vec![0.0, 0.0]),
        ];
        for (mut weights, count, expected) in cases {
            keep_heaviest(&mut weights, count);
            assert_weights(&weights, &expected);
        }
        let mut random = Random::new(52);
        for _ in 0..100 {
            let mut weights: Vec<f32> = (0..12).map(|_| random.unit() as f32).collect();
            let mut reversed: Vec<f32> = weights.iter().rev().copied().collect();
            let mut sorted = weights.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let over = |weight: f32| (weight - sorted[4]).max(0.0);
            let total: f32 = sorted.iter().map(|&weight| over(weight)).sum();
            let expected: Vec<f32> = weights.iter().map(|&w| over(w) / total).collect();
            keep_heaviest(&mut weights, 4);
            assert_weights(&weights, &expected);
            keep_heaviest(&mut reversed, 4);
            reversed.reverse();
            assert_weights(&reversed, &expected);
        }
    }

    /// The largest change of a weight.
    fn change(before: &[f32], after: &[f32]) -> f32 {
        let pairs = before.iter().zip(after);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    /// What the kept weights exceed the heaviest that is left out by, together; 0 where they tie.
    fn excess(weights: &[f32], count: usize) -> f32 {
        let mut sorted = weights.to_vec();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let next = sorted.get(count).copied().unwrap_or(0.0);
        sorted.iter().take(count).map(|weight| weight - next).sum()
    }

    /// How many steps along random paths through random samples change a kept weight by more than the
    /// weights before them account for, and how many were looked at.
    fn jumps(rule: impl Fn(&mut [f32], usize)) -> [usize; 2] {
        let mut random = Random::new(54);
        let mut counts = [0; 2];
        for case in 0..60 {
            let at: Vec<Vec2> = (0..8).map(|_| random.vec3(1.0).truncate()).collect();
            let keep = 2 + case % 3;
            let [from, to] = [random.vec3(1.2), random.vec3(1.2)].map(|end| end.truncate());
            let along = |step: usize| {
                let all = band(&at, from.lerp(to, step as f32 / 2000.0));
                let mut kept = all.clone();
                rule(&mut kept, keep);
                (all, kept)
            };
            let mut before = along(0);
            for step in 1..=2000 {
                let after = along(step);
                assert!((after.1.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                assert!(after.1.iter().filter(|weight| **weight > 0.0).count() <= keep);
                let excess = excess(&before.0, keep).min(excess(&after.0, keep));
                if excess > 0.02 {
                    // By the rule of quotients, each difference of two weights moving by twice as much as one.
                    let allowed = 2.0 * (1 + keep) as f32 * change(&before.0, &after.0) / excess;
                    counts[0] += usize::from(change(&before.1, &after.1) > allowed + 1e-5);
                    counts[1] += 1;
                }
                before = after;
            }
        }
        counts
    }

    #[test]
    fn weights_that_are_kept_change_without_jumps_along_any_path() {
        let [jumps_now, looked_at] = jumps(keep_heaviest);
        assert_eq!(jumps_now, 0);
        assert!(looked_at > 60_000, "{looked_at} steps are away from ties");
        let [cut_off, _] = jumps(|weights, count| {
            let mut sorted = weights.to_vec();
            sorted.sort_by(|a, b| b.total_cmp(a));
            let total: f32 = sorted[..count].iter().sum();
            let lightest = sorted[count - 1];
            for weight in weights {
                *weight = if *weight >= lightest {
                    *weight / total
                } else {
                    0.0
                };
            }
        });
        assert!(cut_off > 10, "cutting off must be found out: {cut_off}");
    }

    #[test]
    fn another_order_of_samples_gives_the_same_weights_in_that_order() {
        let mut random = Random::new(53);
        for _ in 0..100 {
            let mut at: Vec<Vec2> = (0..7).map(|_| random.vec3(2.0).truncate()).collect();
            let p = random.vec3(3.0).truncate();
            let before = band(&at, p);
            at.reverse();
            let mut after = band(&at, p);
            after.reverse();
            assert_weights(&after, &before);
        }
    }

    #[test]
    fn degenerate_input_gives_weights_too() {
        let twice = points([(1.0, 1.0), (1.0, 1.0)]);
        assert_weights(&band(&twice, Vec2::ONE), &[0.5, 0.5]);
        assert_eq!(band(&points([(3.0, 4.0)]), Vec2::ZERO), [1.0]);
        assert_eq!(band(&twice, Vec2::NAN), [1.0, 0.0]);
        let far = band(&points([(0.0, 0.0), (1.0, 0.0)]), Vec2::splat(f32::MAX));
        assert!((far.iter().sum::<f32>() - 1.0).abs() < 1e-6, "{far:?}");
        assert!(band(&[], Vec2::ONE).is_empty());
    }
}
