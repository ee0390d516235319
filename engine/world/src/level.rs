//! The level that a world runs: its definition and its still geometry.

use std::sync::Arc;

use glam::Vec3;
use sinew_assets::{LevelDef, LogicalPath};

/// Outline of a still thing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StaticShape {
    /// A box around its centre.
    Box {
        /// Half of each side, metres.
        half_extents: Vec3,
    },
    /// An endless level plane through its centre.
    Plane,
}

/// A solid thing that never moves by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Static {
    /// For scripts and messages.
    pub name: Option<String>,
    /// Outline.
    pub shape: StaticShape,
    /// World space.
    pub center_world: Vec3,
    /// Radians about Y.
    pub yaw: f32,
    /// Linear RGBA.
    pub color: [f32; 4],
}

/// The running level.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// File of the definition, for live reload.
    pub path: Option<LogicalPath>,
    /// What the file says.
    pub def: Arc<LevelDef>,
    /// Planes first, then boxes, in file order.
    pub statics: Vec<Static>,
}

impl Level {
    /// The geometry that a definition describes.
    pub fn new(path: Option<LogicalPath>, def: Arc<LevelDef>) -> Self {
        let planes = def.planes.iter().map(|plane| Static {
            name: None,
            shape: StaticShape::Plane,
            center_world: Vec3::Y * plane.height,
            yaw: 0.0,
            color: plane.color.linear(),
        });
        let boxes = def.boxes.iter().map(|solid| Static {
            name: solid.name.clone(),
            shape: StaticShape::Box {
                half_extents: Vec3::from(solid.size) * 0.5,
            },
            center_world: Vec3::from(solid.center),
            yaw: solid.yaw.to_radians(),
            color: solid.color.linear(),
        });
        Self {
            statics: planes.chain(boxes).collect(),
            path,
            def,
        }
    }
}
