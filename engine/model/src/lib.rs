//! Models: a skeleton, its clips and its meshes, read from glTF 2.0.
//!
//! Bytes in, data out: this crate opens no file. What a file refers to comes through a callback that
//! the caller gives.

mod model;
mod warning;

pub use model::{Influences, Material, Mesh, Model, MorphTarget, Primitive, Skin, Texture};
pub use warning::Warning;
