//! Reading a clip's named curves.

use crate::Curve;

/// The value of a curve at a time in clip seconds: straight between keys, held before the first and after the last. A
/// time that is not a number counts as before the first key; a curve without keys is 0.
pub fn sample_curve(curve: &Curve, seconds: f32) -> f32 {
    let keys = &curve.keys;
    let after = keys.partition_point(|&[time, _]| time <= seconds);
    let Some(before) = after.checked_sub(1) else {
        return keys.first().map_or(0.0, |&[_, value]| value);
    };
    let [from, value] = keys[before];
    let Some(&[to, next]) = keys.get(after) else {
        return value;
    };
    let t = (seconds - from) / (to - from);
    // Exact at both keys, and without overflow between numbers far apart.
    value * (1.0 - t) + next * t
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn curve(keys: &[[f32; 2]]) -> Curve {
        Curve {
            name: "lock".to_owned(),
            keys: keys.to_vec(),
        }
    }

    #[test]
    fn it_is_straight_between_keys_and_holds_its_ends() {
        let lock = curve(&[[0.5, 1.0], [1.0, 0.0], [2.0, -4.0]]);
        let cases = [
            (f32::NEG_INFINITY, 1.0),
            (0.0, 1.0),
            (0.5, 1.0),
            (0.625, 0.75),
            (1.0, 0.0),
            (1.25, -1.0),
            (2.0, -4.0),
            (9.0, -4.0),
            (f32::INFINITY, -4.0),
            (f32::NAN, 1.0),
        ];
        for (seconds, expected) in cases {
            assert_eq!(sample_curve(&lock, seconds), expected, "{seconds}");
        }
        assert_eq!(sample_curve(&curve(&[[0.3, 7.0]]), 0.0), 7.0);
        assert_eq!(sample_curve(&curve(&[]), 0.0), 0.0);
        let wide = curve(&[[0.0, f32::MIN], [1.0, f32::MAX]]);
        assert!(sample_curve(&wide, 0.5).is_finite());
    }

    /// Walks over all keys in f64.
    fn by_walking(keys: &[[f32; 2]], seconds: f64) -> f64 {
        let mut value = f64::from(keys[0][1]);
        for pair in keys.windows(2) {
            let [[from, a], [to, b]] = [pair[0], pair[1]].map(|key| key.map(f64::from));
            if seconds >= from {
                let t = ((seconds - from) / (to - from)).min(1.0);
                value = a + (b - a) * t;
            }
        }
        value
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_walk_over_all_keys(
            steps in prop::collection::vec((0.01_f32..1.0, -10.0_f32..10.0), 1..40),
            seconds in -1.0_f32..25.0,
        ) {
            let mut time = 0.0;
            let keys: Vec<[f32; 2]> = steps
                .iter()
                .map(|&(step, value)| {
                    time += step;
                    [time, value]
                })
                .collect();
            let expected = by_walking(&keys, f64::from(seconds));
            let found = sample_curve(&curve(&keys), seconds);
            prop_assert!((f64::from(found) - expected).abs() < 1e-3, "{found} for {expected}");
        }
    }
}
