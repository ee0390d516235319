//! The hero: a stylised human with a face for close-ups, clothes in changeable colours and a full set of clips.

mod body;
mod expression;
mod face;
mod features;
mod gait;
mod gesture;
mod ground;
mod hair;
mod head;
mod rig;
pub mod skeleton;
mod stance;

use crate::clip::Clip;
use crate::elementary::exp;
use crate::glb::{Character, Material, write};
use crate::mesh::{Mesh, rigid};
use crate::parallel::run;
use crate::sdf::fold;
use crate::settle::Body;
use crate::shade::occlude;
use crate::simplify::Simplifier;
use crate::skeleton::Skeleton;
use crate::skinning::bind;
use glam::{Vec3, vec3};

/// Indices into `MATERIALS`.
pub mod material {
    pub const SKIN: u8 = 0;
    pub const LIPS: u8 = 1;
    pub const MOUTH: u8 = 2;
    pub const EYE: u8 = 3;
    pub const HAIR: u8 = 4;
    pub const JACKET: u8 = 5;
    pub const YOKE: u8 = 6;
    pub const TRIM: u8 = 7;
    pub const TROUSERS: u8 = 8;
    pub const LEATHER: u8 = 9;
    pub const SOLE: u8 = 10;
    pub const METAL: u8 = 11;
}

const fn plain(name: &'static str, colour: &'static str, roughness: f32) -> Material {
    Material {
        name,
        colour,
        roughness,
        metallic: 0.0,
        variants: &[],
    }
}

const fn dyed(
    name: &'static str,
    colour: &'static str,
    variants: &'static [&'static str],
) -> Material {
    Material {
        name,
        colour,
        roughness: 0.85,
        metallic: 0.0,
        variants,
    }
}

const VARIANTS: [&str; 2] = ["ranger", "ember"];

const MATERIALS: [Material; 12] = [
    plain("skin", "e3a981", 0.6),
    plain("lips", "c47a68", 0.45),
    plain("mouth", "ffffff", 0.4),
    plain("eye", "ffffff", 0.15),
    plain("hair", "4d2c19", 0.55),
    dyed("jacket", "2f5d7c", &["2f5d7c", "8f3228"]),
    dyed("yoke", "e8dcc2", &["e8dcc2", "33302f"]),
    dyed("trim", "d98e2b", &["d98e2b", "d9c7a0"]),
    dyed("trousers", "3b3f4a", &["3b3f4a", "5b4a38"]),
    plain("leather", "6a4530", 0.6),
    plain("sole", "241c16", 0.9),
    Material {
        name: "metal",
        colour: "c9ccd1",
        roughness: 0.35,
        metallic: 0.8,
        variants: &[],
    },
];

/// Triangles of the levels of detail.
const BUDGET: [usize; 3] = [20_000, 5_000, 1_500];

/// The night watch, a skin for the hero that a sample mod brings. Levels name its looks as they name the hero's.
const WATCH_MATERIALS: [Material; 12] = [
    plain("skin", "8c5a3c", 0.6),
    plain("lips", "7c4438", 0.45),
    plain("mouth", "ffffff", 0.4),
    plain("eye", "ffffff", 0.15),
    plain("hair", "c9c4ba", 0.55),
    dyed("jacket", "23263f", &["23263f", "3f1f33"]),
    dyed("yoke", "7fb2a8", &["7fb2a8", "c8a24c"]),
    dyed("trim", "b7c4d6", &["b7c4d6", "e3d8b4"]),
    dyed("trousers", "1d1f27", &["1d1f27", "241a22"]),
    plain("leather", "2e2a2c", 0.6),
    plain("sole", "141214", 0.9),
    Material {
        name: "metal",
        colour: "b08d4f",
        roughness: 0.3,
        metallic: 0.9,
        variants: &[],
    },
];

/// What one character of this build has of its own.
struct Looks {
    materials: &'static [Material],
    walk: gait::Gait,
}

/// Makes `hero.glb`.
pub fn build() -> Vec<u8> {
    build_as(&Looks {
        materials: &MATERIALS,
        walk: gait::WALK,
    })
}

/// Makes the hero as one of the night watch: other colours, and a walk of his own.
pub fn build_watch() -> Vec<u8> {
    build_as(&Looks {
        materials: &WATCH_MATERIALS,
        walk: gait::MARCH,
    })
}

fn build_as(looks: &Looks) -> Vec<u8> {
    let skeleton = skeleton::skeleton();
    let mesh = mesh(&skeleton);
    let mut simplifier = Simplifier::new(&mesh);
    let levels: Vec<_> = BUDGET
        .iter()
        .enumerate()
        .map(|(lod, n)| simplifier.reduce(*n, lod as u8))
        .collect();
    let clips = clips(&skeleton, &Body::new(&mesh, &levels[0]), &looks.walk);
    write(&Character {
        name: "hero",
        skeleton: &skeleton,
        materials: looks.materials,
        variant_names: &VARIANTS,
        mesh: &mesh,
        levels: &levels,
        clips: &clips,
        precise: &|name| {
            ["root", "hips", "upperLeg", "lowerLeg", "foot"]
                .iter()
                .any(|s| name.starts_with(s))
        },
    })
}

fn clips(skeleton: &Skeleton, body: &Body, walk: &gait::Gait) -> Vec<Clip> {
    let rig = rig::Rig::new(skeleton.clone());
    let mut clips = stance::clips(&rig);
    clips.extend(gait::clips(&rig, walk));
    clips.extend(gesture::clips(&rig));
    clips.extend(ground::clips(&rig, body));
    clips
}

fn mesh(skeleton: &Skeleton) -> Mesh {
    let parts: [fn(&Skeleton) -> Mesh; 4] = [head_mesh, features::build, hair::build, body::build];
    let mut mesh = Mesh::default();
    for part in run(&parts.map(|part| move || part(skeleton))) {
        mesh.append(part);
    }
    let marks = body::Landmarks::new(skeleton);
    let solid = |p: Vec3| {
        body::whole(&marks, p).min(head::head(skeleton::to_head(p)) * skeleton::HEAD_SCALE)
    };
    occlude(
        &mut mesh,
        &solid,
        &shading,
        &[material::EYE, material::MOUTH],
    );
    mesh
}

/// How much of the occlusion shows. The eyes lie deep under the brows: all of it would make them look tired.
fn shading(p: Vec3) -> f32 {
    let from_eye = (fold(skeleton::to_head(p)) - skeleton::EYE) / vec3(0.038, 0.030, 0.040);
    1.0 - 0.9 * exp(-from_eye.length_squared())
}

fn head_mesh(skeleton: &Skeleton) -> Mesh {
    let mut face = face::build();
    expression::animate_face(&mut face);
    let bones = body::bones(skeleton, &["neck", "head", "upperChest"]);
    let (sides, anchors) = (face.sides.clone(), face.anchors.clone());
    let mut mesh = face.mesh;
    bind(&mut mesh, skeleton, &bones, 0.02, 8);
    let (head, jaw) = (skeleton.joint("head"), skeleton.joint("jaw"));
    for (i, w) in mesh.influences.iter_mut().enumerate() {
        let share = features::jaw_weight(anchors[i], sides[i]);
        if share > 0.01 {
            *w = rigid(head);
            w[0].1 = 1.0 - share;
            w[1] = (jaw as u16, share);
            w.sort_by(|a, b| b.1.total_cmp(&a.1));
        }
    }
    let tint = |p: &Vec3| face::complexion(*p);
    let warm: Vec<Vec3> = mesh.positions.iter().map(tint).collect();
    let skin: Vec<u32> = mesh
        .triangles
        .iter()
        .filter(|t| t.material == material::SKIN)
        .flat_map(|t| t.corners)
        .collect();
    skin.iter()
        .for_each(|&v| mesh.tints[v as usize] = warm[v as usize]);
    mesh
}
