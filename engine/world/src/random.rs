//! Seeded random numbers: one stream an actor, the same on every machine.

use serde::{Deserialize, Serialize};

/// The PCG32 generator (O'Neill 2014), 64 bits of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Random {
    state: u64,
    stream: u64,
}

impl Random {
    /// The stream of `name` under a world's seed.
    pub fn seeded(seed: u64, name: &str) -> Self {
        let mut hasher = crate::StableHasher::default();
        std::hash::Hasher::write(&mut hasher, name.as_bytes());
        let mut random = Self {
            state: seed,
            stream: std::hash::Hasher::finish(&hasher) | 1,
        };
        random.next_u32();
        random.state = random.state.wrapping_add(seed);
        random.next_u32();
        random
    }

    fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(self.stream);
        let mixed = (((old >> 18) ^ old) >> 27) as u32;
        mixed.rotate_right((old >> 59) as u32)
    }

    /// Evenly spread in `from..to`; `from` where the span is empty.
    pub fn float(&mut self, from: f64, to: f64) -> f64 {
        let unit = f64::from(self.next_u32()) / f64::from(u32::MAX) * (1.0 - f64::EPSILON);
        let value = from + (to - from) * unit;
        // The span itself may be too large for a number.
        if value.is_finite() {
            value
        } else {
            from * (1.0 - unit) + to * unit
        }
    }

    /// A whole number in `from..=to`, evenly; `from` where the span is empty.
    pub fn int(&mut self, from: i64, to: i64) -> i64 {
        if to <= from {
            return from;
        }
        let wide = (u64::from(self.next_u32()) << 32) | u64::from(self.next_u32());
        let steps = match (to.wrapping_sub(from) as u64).checked_add(1) {
            Some(span) => wide % span,
            None => wide,
        };
        from.wrapping_add(steps as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_differ_by_name_and_stay_in_range() {
        let draw = |seed, name| {
            let mut random = Random::seeded(seed, name);
            (0..100).map(|_| random.float(2.0, 3.0)).collect::<Vec<_>>()
        };
        assert_eq!(draw(1, "hero"), draw(1, "hero"));
        assert_ne!(draw(1, "hero"), draw(1, "fox"));
        assert_ne!(draw(1, "hero"), draw(2, "hero"));
        assert!(draw(7, "fox").iter().all(|&x| (2.0..3.0).contains(&x)));
        let mut dice = Random::seeded(3, "dice");
        let throws: Vec<i64> = (0..600).map(|_| dice.int(1, 6)).collect();
        for face in 1..=6 {
            let count = throws.iter().filter(|&&throw| throw == face).count();
            assert!((60..140).contains(&count), "{face} came {count} times");
        }
        assert_eq!(dice.int(4, 2), 4);
    }
}
