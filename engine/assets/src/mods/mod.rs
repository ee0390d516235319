//! Mods: folders and archives with a `mod.toml` that change a level without touching its files.
//!
//! [`Assets::find_mods`](crate::Assets::find_mods) reads them, [`ModSet::new`] decides which of them load and in what
//! order, from their manifests alone, and [`Assets::use_mods`](crate::Assets::use_mods) puts their files into use.

mod archive;
mod difference;
mod find;
mod manifest;
mod order;
mod overrides;
mod requirement;
mod set;

pub use archive::ArchiveError;
pub use difference::ModChanges;
pub use find::{FoundMods, Mod, ModFiles};
pub use manifest::{API_VERSION, ModManifest};
pub use order::{Edge, EdgeReason, LeftOut};
pub use overrides::{Conflict, OverrideKind};
pub use requirement::{Requirement, version};
pub use set::{ModLevel, ModSet};
