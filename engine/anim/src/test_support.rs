//! What the tests of several jobs share: seeded random numbers and f64 twins to compare with.

use glam::{DMat4, DQuat, DVec3, Quat, Vec3};

use crate::{
    Clip, Interpolation, Joint, JointTracks, MorphTrack, Pose, Skeleton, Track, Transform, Travel,
};

/// Model matrices by plain products of matrices.
pub(crate) fn forward_kinematics(skeleton: &Skeleton, pose: &Pose) -> Vec<DMat4> {
    let mut model: Vec<DMat4> = Vec::new();
    for joint in 0..skeleton.len() {
        let Transform {
            translation,
            rotation,
            scale,
        } = pose.joint(joint);
        let local = DMat4::from_translation(translation.as_dvec3())
            * DMat4::from_quat(rotation.as_dquat())
            * DMat4::from_scale(scale.as_dvec3());
        let pre = skeleton
            .pre
            .iter()
            .find(|(at, _)| usize::from(*at) == joint);
        let pre = pre.map_or(DMat4::IDENTITY, |(_, pre)| {
            glam::Mat4::from(*pre).as_dmat4()
        });
        let parent = skeleton.parent(joint as u16);
        let parent = parent.map_or(DMat4::IDENTITY, |parent| model[usize::from(parent)]);
        model.push(parent * pre * local);
    }
    model
}

/// Where a joint stands.
pub(crate) fn place_of(model: &[DMat4], joint: u16) -> DVec3 {
    model[usize::from(joint)].w_axis.truncate()
}

/// A chain, each joint the child of the one before it.
pub(crate) fn chain(locals: &[Transform]) -> Skeleton {
    let joints: Vec<Joint> = (0..locals.len())
        .map(|index| Joint {
            name: format!("joint_{index}"),
            parent: index.checked_sub(1).map(|parent| parent as u16),
            rest: locals[index],
            pre: None,
        })
        .collect();
    Skeleton::new(&joints, &[]).expect("a chain is a valid skeleton")
}

/// The textbook formula in f64: shorter arc, sines.
pub(crate) fn slerp_f64(a: DQuat, b: DQuat, t: f64) -> DQuat {
    let (dot, b) = if a.dot(b) < 0.0 {
        (-a.dot(b), -b)
    } else {
        (a.dot(b), b)
    };
    let angle = dot.min(1.0).acos();
    if angle < 1e-9 {
        return a + (b - a) * t;
    }
    a * (((1.0 - t) * angle).sin() / angle.sin()) + b * ((t * angle).sin() / angle.sin())
}

/// The largest difference of components of two rotations, whatever their signs.
pub(crate) fn rotation_error(a: Quat, b: DQuat) -> f64 {
    let a = a.as_dquat();
    let a = if a.dot(b) < 0.0 { -a } else { a };
    (a - b)
        .to_array()
        .iter()
        .fold(0.0, |worst, d| worst.max(d.abs()))
}

/// Tracks of joint 1, the root under an armature.
pub(crate) fn root_clip(
    duration: f32,
    translation: Option<Track<Vec3>>,
    rotation: Option<Track<Quat>>,
) -> Clip {
    Clip {
        duration,
        joints: vec![JointTracks {
            joint: 1,
            translation,
            rotation,
            scale: None,
        }],
        ..Clip::default()
    }
}

/// Straight between keys.
pub(crate) fn linear<T>(times: Vec<f32>, values: Vec<T>) -> Option<Track<T>> {
    Some(Track {
        interpolation: Interpolation::Linear,
        times,
        values,
    })
}

/// Along +Z at `speed`.
pub(crate) fn walk(speed: f32, duration: f32) -> Clip {
    let keys = vec![Vec3::ZERO, Vec3::Z * speed * duration];
    root_clip(duration, linear(vec![0.0, duration], keys), None)
}

/// One second of a quarter circle, one metre long.
pub(crate) fn arc() -> Clip {
    let keys = 33;
    let times: Vec<f32> = (0..keys).map(|i| i as f32 / (keys - 1) as f32).collect();
    let turn = std::f32::consts::FRAC_PI_2;
    let radius = 1.0 / turn;
    let place = |t: &f32| radius * Vec3::new(1.0 - (turn * t).cos(), 0.0, (turn * t).sin());
    let places = times.iter().map(place).collect();
    let turns = times
        .iter()
        .map(|t| Quat::from_rotation_y(turn * t))
        .collect();
    root_clip(1.0, linear(times.clone(), places), linear(times, turns))
}

/// Two seconds round a slanting axis that does not go through the origin, and along it: no two moments stand
/// alike in any of the six axes.
pub(crate) fn helix() -> Clip {
    let axis = Vec3::new(0.48, 0.6, 0.64);
    let centre = Vec3::new(0.4, 0.1, -0.3);
    let keys = 129;
    let times: Vec<f32> = (0..keys)
        .map(|i| i as f32 / (keys - 1) as f32 * 2.0)
        .collect();
    let turn = |t: &f32| Quat::from_axis_angle(axis, 0.9 * t);
    let place = |t: &f32| centre - turn(t) * centre + axis * 0.7 * *t;
    root_clip(
        2.0,
        linear(times.clone(), times.iter().map(place).collect()),
        linear(times.clone(), times.iter().map(turn).collect()),
    )
}

/// SplitMix64.
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

    pub fn pose(&mut self, joints: usize, morphs: usize) -> Pose {
        let mut pose = Pose::identity(joints, morphs);
        for joint in 0..joints {
            let local = Transform {
                translation: self.vec3(2.0),
                rotation: self.rotation(),
                scale: Vec3::ONE + self.vec3(0.5),
            };
            pose.set_joint(joint, local);
        }
        pose.morphs.fill_with(|| self.range(-1.0, 2.0) as f32);
        pose
    }

    pub fn direction(&mut self) -> Vec3 {
        self.rotation() * Vec3::Z
    }
}

/// Two motions agree in metres and radians, upright ones also in whole turns.
#[track_caller]
pub(crate) fn assert_close(a: impl Into<Travel>, b: impl Into<Travel>, tolerance: f64) {
    let (a, b) = (a.into(), b.into());
    let turned = match (a, b) {
        (Travel::Planar(a), Travel::Planar(b)) => (a.yaw - b.yaw).abs(),
        (Travel::Full(a), Travel::Full(b)) => {
            let (a, b) = (a.rotation, b.rotation);
            2.0 * (a - b).length().min((a + b).length())
        }
        _ => f64::INFINITY,
    };
    let error = (a.translation() - b.translation())
        .abs()
        .max_element()
        .max(turned);
    assert!(error <= tolerance, "{a:?} is {error} from {b:?}");
}

/// A tree of joints at random places and turns; every fifth has a turned and scaled map in front.
pub(crate) fn random_skeleton(random: &mut Random, joints: u16, morphs: u16) -> Skeleton {
    let joints: Vec<Joint> = (0..joints)
        .map(|index| Joint {
            name: format!("joint_{index}"),
            parent: index
                .checked_sub(1)
                .map(|last| random.below(u32::from(last) + 1) as u16),
            rest: Transform {
                translation: random.vec3(1.0),
                rotation: random.rotation(),
                scale: Vec3::ONE + random.vec3(0.5),
            },
            pre: (index % 5 == 4).then(|| {
                let scale = Vec3::splat(random.range(0.5, 2.0) as f32);
                glam::Affine3A::from_scale_rotation_translation(
                    scale,
                    random.rotation(),
                    random.vec3(1.0),
                )
            }),
        })
        .collect();
    let morphs: Vec<(String, f32)> = (0..morphs)
        .map(|index| (format!("mesh/{index}"), random.unit() as f32))
        .collect();
    Skeleton::new(&joints, &morphs).expect("parents come first")
}

/// A clip of one second that animates some of a skeleton's joints and the morph channels from 1 on.
pub(crate) fn random_clip(
    random: &mut Random,
    skeleton: &Skeleton,
    interpolation: Interpolation,
) -> Clip {
    let times = vec![0.0, 0.3, 0.7, 1.0];
    let keys = times.len() * interpolation.values_per_key();
    let mut joints = Vec::new();
    for joint in 0..skeleton.len() as u16 {
        let some = |random: &mut Random, values: &mut dyn FnMut(&mut Random) -> Vec3| {
            (random.below(3) > 0).then(|| Track {
                interpolation,
                times: times.clone(),
                values: (0..keys).map(|_| values(random)).collect(),
            })
        };
        let translation = some(random, &mut |random| random.vec3(2.0));
        let scale = some(random, &mut |random| Vec3::ONE + random.vec3(0.5));
        let rotation = (random.below(3) > 0).then(|| Track {
            interpolation,
            times: times.clone(),
            values: (0..keys).map(|_| random.rotation()).collect(),
        });
        joints.push(JointTracks {
            joint,
            translation,
            rotation,
            scale,
        });
    }
    let count = skeleton.morphs.len().saturating_sub(1);
    let weights = (0..keys * count).map(|_| random.range(-1.0, 2.0) as f32);
    let morphs = vec![MorphTrack {
        first: 1,
        count: count as u16,
        track: Track {
            interpolation,
            times,
            values: weights.collect(),
        },
    }];
    Clip {
        name: "random".to_owned(),
        duration: 1.0,
        joints,
        morphs,
        ..Clip::default()
    }
}
