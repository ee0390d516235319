//! Makes Sinew's own characters and props from nothing but code: no scans, no third-party data.
//!
//! A character is drawn as distance fields and explicit solids, bound to a skeleton, simplified into levels of detail, and
//! animated by posing that skeleton with a few numbers and inverse kinematics. What comes out is one binary glTF file.
//! Nothing here asks for the time, randomness, the order of a hash map or the system's mathematics: every run gives the same
//! bytes.

pub mod check;

mod clip;
mod ease;
mod elementary;
mod footpath;
mod fox;
mod glb;
mod hero;
mod ik;
mod lever;
mod machined;
mod mesh;
mod parallel;
mod robot;
mod sdf;
mod settle;
mod shade;
mod simplify;
mod skeleton;
mod skinning;
mod solid;
mod surface;

use std::path::{Path, PathBuf};

/// A file that the generator makes.
pub struct Asset {
    /// Name of the file, with its extension.
    pub file: &'static str,
    /// Makes the bytes of the file, a binary glTF 2.0.
    pub build: fn() -> Vec<u8>,
}

/// Everything that the generator makes.
pub const ASSETS: [Asset; 4] = [
    Asset {
        file: "hero.glb",
        build: hero::build,
    },
    Asset {
        file: "fox.glb",
        build: fox::build,
    },
    Asset {
        file: "robot.glb",
        build: robot::build,
    },
    Asset {
        file: "lever.glb",
        build: lever::build,
    },
];

/// What sample mods bring, each with its path from the project's folder.
pub const MODS: [Asset; 1] = [Asset {
    file: "samples/mods/skin/hero.glb",
    build: hero::build_watch,
}];

/// A directory or file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}; is the directory there and writable?", path.display())]
pub struct WriteError {
    /// What was to be written.
    pub path: PathBuf,
    /// What the system said.
    pub source: std::io::Error,
}

/// Makes every asset; `(file name, bytes)` in the order of [`ASSETS`]. Some ten seconds of two cores when optimised.
pub fn build_all() -> Vec<(&'static str, Vec<u8>)> {
    let files = ASSETS.iter().map(|asset| asset.file);
    files.zip(parallel::run(&ASSETS.map(|a| a.build))).collect()
}

/// Makes what sample mods bring and writes it into a project's folder.
pub fn write_mods(project: &Path) -> Result<(), WriteError> {
    for asset in &MODS {
        let path = project.join(asset.file);
        std::fs::write(&path, (asset.build)()).map_err(|source| WriteError { path, source })?;
    }
    Ok(())
}

/// Makes every asset and writes it into `dir`, which is made if it is missing.
pub fn write_all(dir: &Path) -> Result<(), WriteError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| WriteError { path, source }
    };
    std::fs::create_dir_all(dir).map_err(failed(dir))?;
    for (file, bytes) in build_all() {
        let path = dir.join(file);
        std::fs::write(&path, bytes).map_err(failed(&path))?;
    }
    Ok(())
}
