//! Files: the only crate that opens them to read.
//!
//! Logical paths and their rules, levels, caches of models, graphs and texts with a generation, and
//! the one [`Diagnostic`] that every part of the engine reports with. Bytes of a changed file are
//! handed in by the caller: this crate never watches, never writes and reads no clock.

mod assets;
mod clips_file;
mod color;
mod diagnostic;
mod document_check;
mod error;
mod files;
mod json_pointer;
mod keys;
mod level;
mod level_check;
mod level_files;
mod mods;
mod open_level;
mod path;
mod toml_place;

pub use assets::{Assets, Changed, Loaded, Prepared};
pub use color::{Color, ColorError};
pub use diagnostic::{Diagnostic, Edit, Severity, Span};
pub use error::AssetError;
pub use json_pointer::{Located, locate_json};
pub use keys::{KEY_NAMES, is_key_name};
pub use level::{
    ActionDef, ActorDef, BoxDef, CameraDef, EnvironmentDef, LevelDef, Permission, PlaneDef,
    RootMotion, SunDef,
};
pub use mods::{
    API_VERSION, ArchiveError, Conflict, Edge, EdgeReason, FoundMods, LeftOut, Mod, ModChanges,
    ModFiles, ModLevel, ModManifest, ModSet, OverrideKind, Requirement,
};
pub use path::{LogicalPath, MAX_PART_BYTES, MAX_PATH_BYTES, PROJECT_SPACE, PathError, check_id};
pub use toml_place::locate_toml;
