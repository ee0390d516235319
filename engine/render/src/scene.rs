//! What a frame shows, as plain data. Colours are linear.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec3};

/// A model that a renderer holds. Never used again for another model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ModelId(pub(crate) u32);

/// Everything a frame shows. Borrowed, so that a caller can keep its lists between frames.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scene<'a> {
    /// From where.
    pub camera: Camera,
    /// The one light that casts shadows.
    pub sun: Sun,
    /// What surrounds everything, and lights it a little.
    pub sky: Sky,
    /// Models.
    pub draws: &'a [Draw<'a>],
    /// The level's boxes and planes.
    pub shapes: &'a [ShapeDraw],
    /// Debug lines.
    pub lines: &'a [Line],
    /// A metre grid on planes.
    pub grid: bool,
}

/// Where the eye is and what it looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Metres.
    pub eye_world: Vec3,
    /// Metres; shadows are sharpest around it. At the eye itself the view is along -Z.
    pub target_world: Vec3,
    /// Vertical field of view in radians, kept within 0.01 and 3.
    pub fov_y: f32,
    /// Metres to the nearest thing shown, at least a millimetre.
    pub near: f32,
    /// Metres to the farthest thing shown, beyond `near`.
    pub far: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self {
            eye_world: Vec3::new(2.2, 1.7, 3.4),
            target_world: Vec3::new(0.0, 0.9, 0.0),
            fov_y: 0.75,
            near: 0.05,
            far: 500.0,
        }
    }
}

/// Light from one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// The way that the light travels; any length. Straight down if zero.
    pub direction_world: Vec3,
    /// Linear RGB, 0 and up; 0 is no sun.
    pub color: Vec3,
}

impl Default for Sun {
    fn default() -> Self {
        Self {
            direction_world: Vec3::new(-0.5, -1.0, -0.55),
            color: Vec3::new(1.3, 1.2, 1.04),
        }
    }
}

/// A gradient that is also the light from all sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sky {
    /// Linear RGB straight up.
    pub zenith: Vec3,
    /// Linear RGB at eye level; distant things fade to it.
    pub horizon: Vec3,
    /// Linear RGB straight down: what the ground throws back.
    pub ground: Vec3,
    /// Strength of the light from all sides; 0 is none.
    pub ambient: f32,
    /// How soon things fade: the inverse of the distance in metres at which two thirds are gone.
    pub haze: f32,
}

impl Default for Sky {
    fn default() -> Self {
        Self {
            zenith: Vec3::new(0.10, 0.24, 0.52),
            horizon: Vec3::new(0.50, 0.61, 0.70),
            ground: Vec3::new(0.20, 0.18, 0.16),
            ambient: 0.62,
            haze: 1.0 / 70.0,
        }
    }
}

/// One model, posed.
#[derive(Clone, Copy, Debug)]
pub struct Draw<'a> {
    /// What [`crate::Renderer::upload`] gave; one that was removed draws nothing.
    pub model: ModelId,
    /// Model space to world space.
    pub world: Affine3A,
    /// The matrix of each skeleton joint in model space. A joint beyond the end stays at the origin.
    pub joints_model: &'a [Affine3A],
    /// The weight of each morph channel of the skeleton; those beyond the end are 0.
    pub morphs: &'a [f32],
    /// Index into [`sinew_model::Model::variants`]; the file's own look without one.
    pub variant: Option<usize>,
    /// Linear RGBA that multiplies every colour of the model.
    pub tint: [f32; 4],
    /// Whether it is drawn at all.
    pub visible: bool,
}

impl<'a> Draw<'a> {
    /// The model with these joints at the world's origin, in its own look.
    pub fn new(model: ModelId, joints_model: &'a [Affine3A]) -> Self {
        Self {
            model,
            world: Affine3A::IDENTITY,
            joints_model,
            morphs: &[],
            variant: None,
            tint: [1.0; 4],
            visible: true,
        }
    }
}

/// A simple body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Centred, sides along its own axes.
    Box {
        /// Half of each side in metres.
        half_extents: Vec3,
    },
    /// The ground: y = 0 of its own space, facing up, a kilometre each way. Casts no shadow.
    Plane,
}

/// A shape and where it stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeDraw {
    /// What.
    pub shape: Shape,
    /// The shape's space to world space.
    pub world: Affine3A,
    /// Linear RGBA.
    pub color: [f32; 4],
}

/// A straight debug line, two pixels wide; faint where something stands before it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Line {
    /// Metres.
    pub from_world: Vec3,
    /// Metres.
    pub to_world: Vec3,
    /// Linear RGBA.
    pub color: [f32; 4],
}
