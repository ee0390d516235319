//! Models: a skeleton, its clips and its meshes, read from glTF 2.0.
//!
//! Bytes in, data out: this crate opens no file. What a file refers to comes through a callback that
//! the caller gives. [`import`] is the way in; `import.rs` shows its steps in order.

mod accessor;
mod budget;
mod buffers;
mod channels;
mod clips;
mod clips_file;
pub mod codes;
mod container;
mod document;
mod draco;
mod element;
mod error;
mod extensions;
mod extras;
mod hierarchy;
mod import;
mod influences;
mod marks;
mod materials;
mod meshes;
mod meshopt_ffi;
mod model;
mod morphs;
mod names;
mod primitives;
mod references;
mod rotations;
mod skeleton;
mod skinning;
mod skins;
#[cfg(test)]
mod testing;
mod textures;
mod transforms;
mod triangles;
mod uri;
mod warning;

pub use clips_file::{ClipMarks, ClipsFile, CurveDef, MarkerDef, WindowDef};
pub use error::ImportError;
pub use import::import;
pub use model::{Influences, Material, Mesh, Model, MorphTarget, Primitive, Skin, Texture};
pub use morphs::MAX_MORPH_TARGETS;
pub use skeleton::MAX_MODEL_JOINTS;
pub use skinning::{SkinnedVertices, skin_vertices};
pub use warning::Warning;
