//! The way of a foot through one cycle: planted without sliding, then through the air, leaving and landing at the speed
//! of the ground.

use crate::ease::{hermite, smooth};
use crate::elementary::pow;
use crate::skeleton::turn;
use glam::Vec3;

/// Where a foot is: ankle in root space, yaw and pitch (toes up positive) in degrees.
#[derive(Clone, Copy)]
pub struct Foot {
    /// Root space, metres.
    pub ankle: Vec3,
    /// Toes outwards on the left.
    pub yaw: f32,
    /// Toes up.
    pub pitch: f32,
}

/// Metres and degrees; shares of the stance, of the swing or of the cycle.
#[derive(Clone, Copy)]
pub struct FootPath {
    /// Ankle in the middle of the stance, foot flat.
    pub flat: Vec3,
    pub yaw: f32,
    /// What the foot covers in root space while planted, along the heading.
    pub stride: Vec3,
    /// Share of the cycle on the ground.
    pub duty: f32,
    /// Toes up at the strike, about `heel`; heel up at the push, about `ball` (both from the ankle).
    pub strike: f32,
    pub push: f32,
    pub heel: Vec3,
    pub ball: Vec3,
    /// Shares of the stance after which the foot is flat, and from which the heel leaves.
    pub flat_from: f32,
    pub heel_off: f32,
    /// Rise of the ankle in mid swing, and the share of it that is left late in the swing.
    pub lift: f32,
    pub carry: f32,
    /// Share of the swing after which the foot turns back to meet the ground.
    pub arrive: f32,
    /// The whole path in reverse, for walking backwards.
    pub reversed: bool,
}

impl FootPath {
    /// The foot at a phase of its own cycle, 0 at its strike.
    pub fn at(&self, phase: f32) -> Foot {
        let phase = if self.reversed {
            (self.duty - phase).rem_euclid(1.0)
        } else {
            phase
        };
        if phase <= self.duty {
            self.stance(phase / self.duty)
        } else {
            self.swing((phase - self.duty) / (1.0 - self.duty))
        }
    }

    fn stance(&self, u: f32) -> Foot {
        let flat = self.flat + self.stride * if self.reversed { u - 0.5 } else { 0.5 - u };
        let (pitch, pivot) = if u < self.flat_from {
            (self.strike * (1.0 - smooth(u / self.flat_from)), self.heel)
        } else if u > self.heel_off {
            (
                -self.push * pow((u - self.heel_off) / (1.0 - self.heel_off), 1.8),
                self.ball,
            )
        } else {
            (0.0, Vec3::ZERO)
        };
        let ankle = flat + turn(0.0, self.yaw, 0.0) * pivot - turn(-pitch, self.yaw, 0.0) * pivot;
        Foot {
            ankle,
            yaw: self.yaw,
            pitch,
        }
    }

    fn swing(&self, u: f32) -> Foot {
        let (off, on) = (self.stance(1.0), self.stance(0.0));
        let e = 0.01;
        let ratio = (1.0 - self.duty) / (self.duty * e);
        let slope = |a: Foot, b: Foot| ((b.ankle - a.ankle) * ratio, (b.pitch - a.pitch) * ratio);
        let (v_off, w_off) = slope(self.stance(1.0 - e), off);
        let (v_on, w_on) = slope(on, self.stance(e));
        let along = |k: usize| self.along([off.ankle[k], v_off[k]], [on.ankle[k], v_on[k]], u);
        let y = self.height([off.ankle.y, v_off.y], [on.ankle.y, v_on.y], u);
        let pitch = hermite(
            u,
            &[
                (0.0, off.pitch, w_off),
                (0.22, off.pitch * 0.95, -off.pitch * 1.2),
                (0.72, on.pitch * 0.7, on.pitch * 1.2),
                (1.0, on.pitch, w_on),
            ],
        );
        Foot {
            ankle: Vec3::new(along(0), y, along(2)),
            yaw: off.yaw,
            pitch,
        }
    }

    /// One horizontal coordinate: the foot coasts on and turns round in the first and the last part of the swing.
    fn along(&self, [a, v_off]: [f32; 2], [b, v_on]: [f32; 2], u: f32) -> f32 {
        const LEAVE: f32 = 0.16;
        const COAST: f32 = 0.42;
        let p = a + v_off * LEAVE * COAST;
        let q = b - v_on * (1.0 - self.arrive) * COAST;
        hermite(
            u,
            &[
                (0.0, a, v_off),
                (LEAVE, p, (q - p) * 0.35),
                (self.arrive, q, (q - p) * 0.25),
                (1.0, b, v_on),
            ],
        )
    }

    fn height(&self, [a, v_off]: [f32; 2], [b, v_on]: [f32; 2], u: f32) -> f32 {
        let top = (self.flat.y + self.lift).max(a + 0.01);
        let left = self.carry * (top - b).max(0.02);
        hermite(
            u,
            &[
                (0.0, a, v_off),
                (0.38, top, 0.0),
                (0.80, b + left, -1.9 * left),
                (1.0, b, v_on),
            ],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: FootPath = FootPath {
        flat: Vec3::new(0.1, 0.085, 0.0),
        yaw: 0.0,
        stride: Vec3::new(0.0, 0.0, 0.8),
        duty: 0.6,
        strike: 20.0,
        push: 45.0,
        heel: Vec3::new(0.0, -0.085, -0.06),
        ball: Vec3::new(0.0, -0.073, 0.135),
        flat_from: 0.2,
        heel_off: 0.5,
        lift: 0.08,
        carry: 0.3,
        arrive: 0.9,
        reversed: false,
    };

    /// The point the foot turns about must move at the speed of the ground throughout the stance.
    #[test]
    fn pivots_stay_on_the_ground() {
        for path in [
            PATH,
            FootPath {
                reversed: true,
                ..PATH
            },
        ] {
            for k in 1..60 {
                let phase = k as f32 / 60.0 * path.duty;
                let foot = path.at(phase);
                let pivot = if foot.pitch > 0.0 {
                    path.heel
                } else {
                    path.ball
                };
                let at = foot.ankle + turn(-foot.pitch, 0.0, 0.0) * pivot;
                let share = phase / path.duty - 0.5;
                let ground = path.flat + pivot - path.stride * share;
                assert!(
                    at.distance(ground) < 1e-4,
                    "phase {phase}: {at} instead of {ground}"
                );
            }
        }
    }

    /// No jump in place or speed where stance and swing meet.
    #[test]
    fn strike_and_push_are_smooth() {
        let e = 1e-3;
        for seam in [0.0, PATH.duty] {
            let at = |d: f32| PATH.at((seam + d).rem_euclid(1.0)).ankle;
            let (before, after) = ((at(-e) - at(-2.0 * e)) / e, (at(2.0 * e) - at(e)) / e);
            assert!(
                at(-e).distance(at(e)) < 0.01 && before.distance(after) < 0.35,
                "{before} then {after}"
            );
        }
    }
}
