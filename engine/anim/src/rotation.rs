//! Arithmetic of rotations that the jobs share: slerp by polynomials and nlerp, on one joint or on the lanes
//! of a block, and the rotation that a matrix with scale or a mirror carries.

use glam::{Affine3A, DAffine3, Mat3, Mat3A, Quat, Vec3, Vec3A};
use serde::{Deserialize, Serialize};

use crate::LANES;

/// One number a lane.
pub(crate) type Lanes = [f32; LANES];

/// Eight quaternions as [`crate::Block::rotation`] holds them: x, y, z, w.
pub(crate) type RotationLanes = [Lanes; 4];

/// How rotations are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Rotations {
    /// At an even rate along the shorter arc; of more than two the mean on the sphere.
    #[default]
    Slerp,
    /// The weighted sum, normalised: cheaper, along the same arc but not at an even rate. Two rotations of 60
    /// degrees err by at most 4.668e-3 radians, 90 degrees by 1.6e-2.
    Nlerp,
}

/// Below this half-angle (radians) slerp and lerp agree to 1e-7.
const STRAIGHT: f32 = 1e-3;

/// `acos(x) / sqrt(1 - x)` for x in 0..=1, to 2e-8 (Abramowitz and Stegun 4.4.46).
#[inline(always)]
pub(crate) fn acos_over_root(x: f32) -> f32 {
    const C: [f32; 8] = [
        std::f32::consts::FRAC_PI_2,
        -0.214_598_8,
        0.088_978_99,
        -0.050_174_305,
        0.030_891_88,
        -0.017_088_126,
        0.006_670_09,
        -0.001_262_491_1,
    ];
    C.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// `sin(x) / x` from x squared, for x in 0..=pi/2, to 2e-9 (Abramowitz and Stegun 4.3.97).
#[inline(always)]
pub(crate) fn sine_over(x2: f32) -> f32 {
    const C: [f32; 6] = [
        1.0,
        -0.166_666_67,
        0.008_333_332,
        -0.000_198_409,
        0.000_002_752_6,
        -0.000_000_023_9,
    ];
    C.iter().rev().fold(0.0, |sum, c| sum * x2 + c)
}

/// `cos(x)` from x squared, for x in 0..=pi/2, to 2e-9 (Abramowitz and Stegun 4.3.99).
#[inline(always)]
pub(crate) fn cosine(x2: f32) -> f32 {
    const C: [f32; 6] = [
        1.0,
        -0.5,
        0.041_666_64,
        -0.001_388_839_7,
        0.000_024_760_9,
        -0.000_000_260_5,
    ];
    C.iter().rev().fold(0.0, |sum, c| sum * x2 + c)
}

/// The factors of slerp for two unit quaternions with dot product `cos` (0..=1, more counts as 1)
/// at `t` in 0..=1.
#[inline(always)]
fn slerp_factors(cos: f32, t: f32) -> (f32, f32) {
    let cos = cos.min(1.0);
    let angle = (1.0 - cos).sqrt() * acos_over_root(cos);
    let straight = angle < STRAIGHT;
    let sine = |x: f32| x * sine_over(x * x);
    let scale = 1.0 / if straight { 1.0 } else { sine(angle) };
    let keep = if straight {
        1.0 - t
    } else {
        sine((1.0 - t) * angle) * scale
    };
    let take = if straight { t } else { sine(t * angle) * scale };
    (keep, take)
}

/// Spherical linear interpolation along the shorter arc, within 1e-6 of the exact value; `t` in
/// 0..=1, the bits of `a` at 0 and of `b` at 1. Half a turn apart takes the arc that the
/// quaternions' own signs give. (Shoemake 1985.)
#[inline]
pub(crate) fn slerp(a: Quat, b: Quat, t: f32) -> Quat {
    if t <= 0.0 {
        return a;
    }
    if t >= 1.0 {
        return b;
    }
    let dot = a.dot(b);
    let (keep, take) = slerp_factors(dot.abs(), t);
    a * keep + b * if dot < 0.0 { -take } else { take }
}

/// [`slerp`] of each lane at its own `t` in 0..=1; lanes at 0 have the bits of `a`, at 1 those of `b`.
#[inline]
pub(crate) fn slerp_lanes(a: &RotationLanes, b: &RotationLanes, t: &Lanes) -> RotationLanes {
    let mut keep = [1.0; LANES];
    let mut take = [0.0; LANES];
    for lane in 0..LANES {
        let dot = dot_lane(a, b, lane);
        let (k, s) = slerp_factors(dot.abs(), t[lane]);
        keep[lane] = k;
        take[lane] = if dot < 0.0 { -s } else { s };
    }
    mixed_lanes(a, b, t, &keep, &take)
}

/// Normalised linear interpolation of each lane along the shorter arc; ends as [`slerp_lanes`].
#[inline]
pub(crate) fn nlerp_lanes(a: &RotationLanes, b: &RotationLanes, t: &Lanes) -> RotationLanes {
    let mut keep = [1.0; LANES];
    let mut take = [0.0; LANES];
    for lane in 0..LANES {
        let dot = dot_lane(a, b, lane);
        let (k, s) = (1.0 - t[lane], t[lane]);
        // The length of the sum of two unit quaternions, at least the root of one half.
        let scale = 1.0 / (k * k + s * s + 2.0 * k * s * dot.abs()).sqrt();
        keep[lane] = k * scale;
        take[lane] = if dot < 0.0 { -s * scale } else { s * scale };
    }
    mixed_lanes(a, b, t, &keep, &take)
}

/// `a * keep + b * take`, but the bits of `a` where `t` is 0 and of `b` where it is 1.
#[inline(always)]
fn mixed_lanes(
    a: &RotationLanes,
    b: &RotationLanes,
    t: &Lanes,
    keep: &Lanes,
    take: &Lanes,
) -> RotationLanes {
    let mut out = *a;
    for (out, (a, b)) in out.iter_mut().zip(a.iter().zip(b)) {
        for lane in 0..LANES {
            let mixed = a[lane] * keep[lane] + b[lane] * take[lane];
            out[lane] = ends(a[lane], b[lane], t[lane], mixed);
        }
    }
    out
}

/// `mixed`, but the bits of `a` at 0 and of `b` at 1.
#[inline(always)]
pub(crate) fn ends(a: f32, b: f32, t: f32, mixed: f32) -> f32 {
    if t <= 0.0 {
        a
    } else if t >= 1.0 {
        b
    } else {
        mixed
    }
}

/// The share `t` (0..=1) of a rotation, along the shorter arc from none: slerp from the identity.
#[inline(always)]
pub(crate) fn share_of(rotation: [f32; 4], t: f32) -> [f32; 4] {
    let [x, y, z, w] = rotation;
    let (keep, take) = slerp_factors(w.abs(), t);
    let signed = if w < 0.0 { -take } else { take };
    [x * signed, y * signed, z * signed, keep + w.abs() * take]
}

/// The product of two quaternions, x, y, z, w: the right one turns first.
#[inline(always)]
pub(crate) fn product(a: [f32; 4], b: [f32; 4]) -> [f32; 4] {
    let [ax, ay, az, aw] = a;
    let [bx, by, bz, bw] = b;
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by + ay * bw + az * bx - ax * bz,
        aw * bz + az * bw + ax * by - ay * bx,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// The dot product of one lane.
#[inline(always)]
pub(crate) fn dot_lane(a: &RotationLanes, b: &RotationLanes, lane: usize) -> f32 {
    a[0][lane] * b[0][lane]
        + a[1][lane] * b[1][lane]
        + a[2][lane] * b[2][lane]
        + a[3][lane] * b[3][lane]
}

/// The axes of a matrix without its scale, and whether it mirrors: what is needed to carry a
/// rotation from model space into the space of the matrix and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axes {
    /// Orthonormal, with determinant -1 where the matrix mirrors.
    pub matrix: Mat3,
    /// 1, or -1 where the matrix mirrors.
    pub sign: f32,
}

impl Axes {
    /// Takes shear and scale out of `matrix` (Gram and Schmidt, x first). Axes scaled to nothing
    /// are replaced by some that complete the frame.
    pub fn of(matrix: Mat3A) -> Self {
        let sign = if matrix.determinant() < 0.0 {
            -1.0
        } else {
            1.0
        };
        let x = Vec3::from(matrix.x_axis).normalize_or(Vec3::X);
        let y = Vec3::from(matrix.y_axis).normalize_or_zero();
        let y = (y - x * x.dot(y)).normalize_or(x.any_orthonormal_vector());
        Self {
            matrix: Mat3::from_cols(x, y, x.cross(y) * sign),
            sign,
        }
    }

    /// A rotation of model space as the same rotation in the local space.
    pub fn to_local(self, rotation: Quat) -> Quat {
        let axis = self.matrix.transpose() * rotation.xyz() * self.sign;
        Quat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }

    /// A rotation of the local space as the same rotation in model space.
    pub fn to_model(self, rotation: Quat) -> Quat {
        let axis = self.matrix * rotation.xyz() * self.sign;
        Quat::from_xyzw(axis.x, axis.y, axis.z, rotation.w)
    }

    /// The proper rotation of these axes; a mirror is taken out along z.
    pub fn rotation(self) -> Quat {
        let [x, y, z] = [self.matrix.x_axis, self.matrix.y_axis, self.matrix.z_axis];
        unit(Quat::from_mat3(&Mat3::from_cols(x, y, z * self.sign)))
    }
}

/// The direction that `matrix` turns `direction` into; zero where it flattens it.
pub(crate) fn turned(matrix: Mat3A, direction: Vec3) -> Vec3 {
    Vec3::from(matrix * Vec3A::from(direction)).normalize_or_zero()
}

/// The same map in f64.
pub(crate) fn wide(matrix: Affine3A) -> DAffine3 {
    DAffine3 {
        matrix3: matrix.matrix3.as_dmat3(),
        translation: Vec3::from(matrix.translation).as_dvec3(),
    }
}

/// A unit quaternion; the identity where `rotation` has no length or is not finite.
#[inline]
pub(crate) fn unit(rotation: Quat) -> Quat {
    let length = rotation.length_squared();
    if length > 1e-30 && length.is_finite() {
        rotation * length.sqrt().recip()
    } else {
        Quat::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{Random, rotation_error, slerp_f64};

    fn lanes(quats: &[Quat; LANES]) -> RotationLanes {
        std::array::from_fn(|c| quats.map(|q| q.to_array()[c]))
    }

    #[test]
    fn nlerp_takes_the_shorter_arc_has_unit_length_and_the_bits_of_the_ends() {
        let mut random = Random::new(16);
        for _ in 0..200 {
            let a: [Quat; LANES] = std::array::from_fn(|_| random.rotation());
            let b: [Quat; LANES] = std::array::from_fn(|_| random.rotation());
            let t: Lanes = std::array::from_fn(|lane| match lane {
                0 => 0.0,
                1 => 1.0,
                _ => random.unit() as f32,
            });
            let mixed = nlerp_lanes(&lanes(&a), &lanes(&b), &t);
            for lane in 0..LANES {
                let got = Quat::from_array([0, 1, 2, 3].map(|c| mixed[c][lane]));
                let (from, to) = (a[lane].as_dquat(), b[lane].as_dquat());
                let to = if from.dot(to) < 0.0 { -to } else { to };
                let t64 = f64::from(t[lane]);
                let sum = from * (1.0 - t64) + to * t64;
                assert!(rotation_error(got, sum * sum.length().recip()) < 1e-6);
                assert!(t[lane] > 0.0 || got == a[lane]);
                assert!(t[lane] < 1.0 || got == b[lane]);
            }
        }
    }

    #[test]
    fn slerp_is_exact_for_all_arcs_from_none_to_a_whole_turn() {
        let mut random = Random::new(13);
        let half = std::f32::consts::PI;
        for angle in [
            0.0,
            1e-7,
            1e-4,
            1e-3,
            3e-3,
            0.1,
            1.0,
            3.0,
            half - 1e-4,
            half,
            4.0,
            6.2,
        ] {
            for _ in 0..100 {
                let a = random.rotation();
                let b = unit(Quat::from_axis_angle(random.direction(), angle) * a);
                let t = random.unit() as f32;
                let mixed = slerp(a, b, t);
                // At half a turn both ways are as short, and rounding picks one.
                let ways = [b, if angle == half { -b } else { b }];
                let error = ways
                    .map(|b| slerp_f64_as_signed(a, b, t, angle == half))
                    .map(|twin| rotation_error(mixed, twin))
                    .into_iter()
                    .fold(f64::INFINITY, f64::min);
                assert!(error < 1e-6, "{angle} {t}: {error}");
                assert!((mixed.length() - 1.0).abs() < 1e-6);
            }
        }
    }

    /// The twin; `signed` takes the arc that the signs give, however long.
    fn slerp_f64_as_signed(a: Quat, b: Quat, t: f32, signed: bool) -> glam::DQuat {
        let (a, b, t) = (a.as_dquat(), b.as_dquat(), f64::from(t));
        if !signed {
            return slerp_f64(a, b, t);
        }
        let angle = a.dot(b).clamp(-1.0, 1.0).acos();
        a * (((1.0 - t) * angle).sin() / angle.sin()) + b * ((t * angle).sin() / angle.sin())
    }

    #[test]
    fn lanes_agree_with_single_rotations_and_keep_bits_at_both_ends() {
        let mut random = Random::new(14);
        for _ in 0..100 {
            let pairs: [(Quat, Quat); LANES] =
                std::array::from_fn(|_| (random.rotation(), random.rotation()));
            let t: Lanes = std::array::from_fn(|lane| match lane {
                0 => 0.0,
                1 => 1.0,
                _ => random.unit() as f32,
            });
            let mixed = slerp_lanes(&lanes(&pairs.map(|p| p.0)), &lanes(&pairs.map(|p| p.1)), &t);
            for lane in 0..LANES {
                let got = Quat::from_array([0, 1, 2, 3].map(|c| mixed[c][lane]));
                let expected = slerp(pairs[lane].0, pairs[lane].1, t[lane]);
                assert!(got.abs_diff_eq(expected, 3e-7), "{got} {expected}");
                assert!(t[lane] > 0.0 || got == pairs[lane].0);
                assert!(t[lane] < 1.0 || got == pairs[lane].1);
            }
        }
    }

    #[test]
    fn axes_carry_rotations_through_scaled_and_mirrored_spaces() {
        let mut random = Random::new(15);
        for case in 0..200 {
            let scale = random.range(0.01, 100.0) as f32;
            let mirror = if case % 2 == 0 { 1.0 } else { -1.0 };
            let space = Mat3A::from_quat(random.rotation())
                * Mat3A::from_diagonal(Vec3::new(scale * mirror, scale, scale));
            let (axes, turn) = (Axes::of(space), random.rotation());
            let local = Mat3A::from_quat(axes.to_local(turn));
            let expected = Mat3A::from_quat(turn) * space;
            assert!((space * local).abs_diff_eq(expected, 2e-6 * scale));
            assert!(axes.to_model(axes.to_local(turn)).abs_diff_eq(turn, 1e-6));
        }
    }

    #[test]
    fn axes_of_flattened_matrices_are_still_a_frame() {
        let flat = [
            Mat3A::ZERO,
            Mat3A::from_diagonal(Vec3::new(1.0, 0.0, 1.0)),
            Mat3A::from_diagonal(Vec3::new(0.0, 0.0, 2.0)),
            Mat3A::from_cols(Vec3A::X, Vec3A::X, Vec3A::Y),
        ];
        for matrix in flat {
            let frame = Axes::of(matrix).matrix;
            let product = frame * frame.transpose();
            assert!(product.abs_diff_eq(Mat3::IDENTITY, 1e-6), "{matrix:?}");
        }
    }
}
