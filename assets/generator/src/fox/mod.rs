//! The fox: a stylised quadruped.

mod body;
mod clips;
mod rig;
mod skeleton;

use crate::glb::{Character, Material, write};
use crate::settle::Body;
use crate::shade::occlude;
use crate::simplify::Simplifier;

/// Indices into `MATERIALS`.
pub mod material {
    pub const ORANGE: u8 = 0;
    pub const WHITE: u8 = 1;
    pub const DARK: u8 = 2;
    pub const PINK: u8 = 3;
    pub const NOSE: u8 = 4;
    pub const EYE: u8 = 5;
}

const fn plain(
    name: &'static str,
    colour: &'static str,
    roughness: f32,
    variants: &'static [&'static str],
) -> Material {
    Material {
        name,
        colour,
        roughness,
        metallic: 0.0,
        variants,
    }
}

const VARIANTS: [&str; 2] = ["red", "arctic"];

const MATERIALS: [Material; 6] = [
    plain("fur", "d2702c", 0.9, &["d2702c", "dfe3e8"]),
    plain("fur_white", "f2e8da", 0.9, &["f2e8da", "f6f7f9"]),
    plain("fur_dark", "33211a", 0.9, &["33211a", "9aa3b0"]),
    plain("inside", "9c5a50", 0.8, &[]),
    plain("nose", "191413", 0.3, &[]),
    plain("eye", "ffffff", 0.12, &[]),
];

const BUDGET: [usize; 3] = [12_000, 3_500, 1_200];

/// Makes `fox.glb`.
pub fn build() -> Vec<u8> {
    let skeleton = skeleton::skeleton();
    let mut mesh = body::build(&skeleton);
    occlude(&mut mesh, &body::coat, &|_| 1.0, &[material::EYE]);
    let mut simplifier = Simplifier::new(&mesh);
    let levels: Vec<_> = BUDGET
        .iter()
        .enumerate()
        .map(|(lod, n)| simplifier.reduce(*n, lod as u8))
        .collect();
    let clips = clips::clips(
        &rig::Rig::new(skeleton.clone()),
        &Body::new(&mesh, &levels[0]),
    );
    write(&Character {
        name: "fox",
        skeleton: &skeleton,
        materials: &MATERIALS,
        variant_names: &VARIANTS,
        mesh: &mesh,
        levels: &levels,
        clips: &clips,
        precise: &|name| {
            !["tail", "ear", "head", "neck", "eye"]
                .iter()
                .any(|s| name.starts_with(s))
        },
    })
}
