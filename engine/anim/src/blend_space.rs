//! Weights of the samples of a blend space at a point.

use glam::Vec2;

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
            let t = (x - a) / (b - a);
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
    weights.fill(0.0);
    let at = &at[..at.len().min(weights.len())];
    if at.is_empty() {
        return;
    }
    if !p.is_finite() {
        weights[0] = 1.0;
        return;
    }
    let mut sum = 0.0;
    for (i, (&own, weight)) in at.iter().zip(weights.iter_mut()).enumerate() {
        let others = at.iter().enumerate().filter(|(j, _)| *j != i);
        *weight = others.fold(1.0_f32, |least, (_, &other)| least.min(band(own, other, p)));
        *weight = weight.max(0.0);
        sum += *weight;
    }
    if sum > 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    } else {
        let nearest = (0..at.len()).min_by(|&a, &b| {
            at[a]
                .distance_squared(p)
                .total_cmp(&at[b].distance_squared(p))
        });
        weights[nearest.unwrap_or(0)] = 1.0;
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
