//! Models built by hand.

use std::f32::consts::TAU;

use glam::{Affine3A, Vec2, Vec3, vec3};
use sinew_model::{Influences, Material, Mesh, Model, MorphTarget, Primitive, Skin};

/// The sRGB codes of the three plain colours that figures have.
pub const RED: [u8; 3] = [255, 0, 0];
pub const GREEN: [u8; 3] = [0, 255, 0];
pub const BLUE: [u8; 3] = [0, 0, 255];

pub fn plain(base_color: [f32; 4]) -> Material {
    Material {
        name: String::new(),
        base_color,
        base_color_texture: None,
        unlit: true,
        double_sided: false,
        alpha_cutoff: None,
    }
}

/// A box of half a metre around the origin of joint 0, red without light, green in variant 0.
pub fn cube() -> Model {
    let mut primitive = Primitive {
        material: Some(0),
        variant_materials: vec![(0, 1)],
        ..Default::default()
    };
    for axis in 0..3 {
        for side in [-1.0_f32, 1.0] {
            let normal = Vec3::AXES[axis] * side;
            let right = Vec3::AXES[(axis + 1) % 3] * side;
            quad(&mut primitive, normal, right, Vec3::AXES[(axis + 2) % 3]);
        }
    }
    Model {
        meshes: vec![Mesh {
            primitives: vec![primitive],
            ..Default::default()
        }],
        materials: vec![plain([1.0, 0.0, 0.0, 1.0]), plain([0.0, 1.0, 0.0, 1.0])],
        variants: vec!["green".to_owned()],
        ..Default::default()
    }
}

/// A square of half a metre that faces +Z, red without light.
pub fn card() -> Model {
    let mut model = cube();
    let mut primitive = Primitive {
        material: Some(0),
        ..Default::default()
    };
    quad(&mut primitive, Vec3::Z, Vec3::X, Vec3::Y);
    primitive
        .positions
        .iter_mut()
        .for_each(|point| point.z = 0.0);
    model.meshes[0].primitives = vec![primitive];
    model
}

/// Half a metre each way.
fn quad(primitive: &mut Primitive, normal: Vec3, right: Vec3, up: Vec3) {
    let first = primitive.positions.len() as u32;
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        primitive
            .positions
            .push((normal + right * x + up * y) * 0.5);
        primitive.normals.push(normal);
        primitive.uvs.push(Vec2::new(x * 0.5 + 0.5, 0.5 - y * 0.5));
    }
    let corners = [0, 1, 2, 0, 2, 3].map(|corner| first + corner);
    primitive.triangles.extend(corners);
}

/// A tube two metres tall around the Y axis. Its `joints` joints stand above each other in model space;
/// a vertex follows its `influences` nearest ones. The first morph channel makes it thicker.
pub fn tube(joints: u16, influences: usize) -> Model {
    const RINGS: u32 = 24;
    const SIDES: u32 = 16;
    let joint_height = |joint: u16| 2.0 * f32::from(joint) / f32::from(joints);
    let mut primitive = Primitive {
        influences: Influences {
            per_vertex: influences,
            ..Default::default()
        },
        targets: vec![MorphTarget::default()],
        ..Default::default()
    };
    for ring in 0..=RINGS {
        let height = 2.0 * ring as f32 / RINGS as f32;
        let nearest = weigh(joints, influences, |joint| {
            (joint_height(joint) - height).abs()
        });
        for side in 0..SIDES {
            let (sin, cos) = (TAU * side as f32 / SIDES as f32).sin_cos();
            let normal = vec3(cos, 0.0, sin);
            primitive.positions.push(normal * 0.2 + Vec3::Y * height);
            primitive.normals.push(normal);
            primitive.targets[0].positions.push(normal * 0.3);
            for &(joint, weight) in &nearest {
                primitive.influences.joints.push(joint);
                primitive.influences.weights.push(weight);
            }
            if ring < RINGS {
                let [a, b] = [ring * SIDES + side, ring * SIDES + (side + 1) % SIDES];
                let corners = [a, a + SIDES, b, b, a + SIDES, b + SIDES];
                primitive.triangles.extend(corners);
            }
        }
    }
    Model {
        skins: vec![Skin {
            joints: (0..joints).collect(),
            inverse_bind: (0..joints)
                .map(|joint| Affine3A::from_translation(Vec3::Y * -joint_height(joint)))
                .collect(),
        }],
        meshes: vec![Mesh {
            skin: Some(0),
            morphs: vec![0],
            primitives: vec![primitive],
            ..Default::default()
        }],
        ..Default::default()
    }
}

/// The nearest joints, strongest first, with weights that sum to 1.
fn weigh(joints: u16, count: usize, distance: impl Fn(u16) -> f32) -> Vec<(u16, f32)> {
    let mut nearest: Vec<(u16, f32)> = (0..joints)
        .map(|joint| (joint, 1.0 / (0.1 + distance(joint))))
        .collect();
    nearest.sort_by(|a, b| b.1.total_cmp(&a.1));
    nearest.truncate(count);
    let sum: f32 = nearest.iter().map(|(_, weight)| weight).sum();
    nearest.iter_mut().for_each(|(_, weight)| *weight /= sum);
    nearest
}

/// The tube's joints, each turned by `bend` radians against the one below.
pub fn bent(joints: u16, bend: f32) -> Vec<Affine3A> {
    let length = 2.0 / f32::from(joints);
    let step = Affine3A::from_translation(Vec3::Y * length) * Affine3A::from_rotation_z(bend);
    std::iter::successors(Some(Affine3A::IDENTITY), |&below| Some(below * step))
        .take(usize::from(joints))
        .collect()
}
