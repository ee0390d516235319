//! A small seeded generator for property tests (SplitMix64).

use glam::{DQuat, Quat, Vec3};

pub(crate) struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// 0 included, 1 not.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, count: u32) -> u32 {
        (self.unit() * f64::from(count)) as u32
    }

    pub fn vec3(&mut self, reach: f64) -> Vec3 {
        Vec3::from([0; 3].map(|_| self.range(-reach, reach) as f32))
    }

    /// Uniform over all rotations.
    pub fn rotation(&mut self) -> Quat {
        loop {
            let [x, y, z, w] = [0; 4].map(|_| self.range(-1.0, 1.0));
            let q = DQuat::from_xyzw(x, y, z, w);
            if (0.01..1.0).contains(&q.length_squared()) {
                return (q * q.length().recip()).as_quat();
            }
        }
    }

    pub fn direction(&mut self) -> Vec3 {
        self.rotation() * Vec3::Z
    }
}
