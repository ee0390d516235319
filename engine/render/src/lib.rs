//! Skinned characters, level shapes and debug lines, drawn with wgpu: the same to a window's surface
//! and to a picture in memory.
//!
//! This crate knows models, joint matrices and lines. It knows no actors and no scripts, opens no
//! window, evaluates no animation, and reads no clock and no file.
//!
//! A [`Renderer`] draws a [`Scene`] in one function, [`Renderer::render`], that submits its own
//! commands; what is to lie on top (a user interface) is drawn by the caller afterwards. Once warm, a
//! frame allocates nothing on this side of wgpu.

mod buffers;
mod frame;
mod gather;
mod geometry;
mod gpu;
mod gpu_model;
mod layouts;
mod lines;
mod offscreen;
mod pipelines;
mod read_skinned;
mod renderer;
mod scene;
mod shadow;
mod shapes;
mod skin_pass;
mod targets;
mod texture;

pub use gather::MAX_VERTEX_TARGETS;
pub use geometry::MAX_INFLUENCES;
pub use gpu::{Gpu, RenderError};
pub use offscreen::{OFFSCREEN_FORMAT, Overlay, Picture, capture};
pub use read_skinned::SkinnedVertex;
pub use renderer::{FrameStats, Renderer};
pub use scene::{Camera, Draw, Line, ModelId, Scene, Shape, ShapeDraw, Sky, Sun};
pub use skin_pass::Skinning;
/// The very wgpu that this crate's types come from.
pub use wgpu;
