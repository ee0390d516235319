//! The sun's view: a box around what the camera looks at.

use glam::{
    Mat4, Vec3,
    camera::rh::{proj::directx::orthographic, view::look_to_mat4},
};

use crate::{Camera, Sun};

/// Pixels a side of the shadow map.
pub(crate) const SHADOW_SIZE: u32 = 2048;

/// Metres before and behind the target within which things cast shadows.
const DEPTH: f32 = 150.0;

/// Where the sun looks from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SunView {
    /// World to the shadow map's clip space.
    pub projection: Mat4,
    pub to_sun_world: Vec3,
    /// Metres a texel.
    pub texel: f32,
}

impl SunView {
    pub fn new(sun: &Sun, camera: &Camera) -> Self {
        let to_sun = (-sun.direction_world).try_normalize().unwrap_or(Vec3::Y);
        let radius = radius(camera.eye_world.distance(camera.target_world));
        let texel = 2.0 * radius / SHADOW_SIZE as f32;
        let up = if to_sun.y.abs() > 0.99 {
            Vec3::Z
        } else {
            Vec3::Y
        };
        let rotation = look_to_mat4(Vec3::ZERO, -to_sun, up);
        // Moving by whole texels keeps the edges of shadows still while the camera moves.
        let center = rotation.transform_point3(camera.target_world);
        let center = (center / texel).round() * texel;
        let projection = orthographic(
            center.x - radius,
            center.x + radius,
            center.y - radius,
            center.y + radius,
            -center.z - DEPTH,
            -center.z + DEPTH,
        );
        Self {
            projection: projection * rotation,
            to_sun_world: to_sun,
            texel,
        }
    }
}

/// Half the side of the box. It grows in steps, so that a zoom does not make the shadows swim.
fn radius(distance: f32) -> f32 {
    let wanted = (distance * 1.5 + 1.0).clamp(4.0, 60.0);
    let steps = (wanted / 4.0).log(1.25).ceil();
    4.0 * 1.25_f32.powf(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_is_in_the_middle_whatever_the_sun() {
        for direction in [Vec3::NEG_Y, Vec3::new(1.0, -0.2, 0.4), Vec3::ZERO, Vec3::X] {
            let sun = Sun {
                direction_world: direction,
                ..Default::default()
            };
            let camera = Camera::default();
            let view = SunView::new(&sun, &camera);
            let clip = view.projection.project_point3(camera.target_world);
            assert!(clip.truncate().length() < 2e-3, "{direction}: {clip}");
            assert!((clip.z - 0.5).abs() < 1e-3, "{direction}: {clip}");
            let nearer = camera.target_world + view.to_sun_world;
            assert!(view.projection.project_point3(nearer).z < clip.z);
        }
    }

    #[test]
    fn a_small_move_of_the_camera_moves_the_map_by_whole_texels() {
        let sun = Sun::default();
        let mut camera = Camera::default();
        let before = SunView::new(&sun, &camera);
        let step = Vec3::new(0.013, 0.0, 0.007);
        camera.eye_world += step;
        camera.target_world += step;
        let after = SunView::new(&sun, &camera);
        let moved =
            |view: &SunView| view.projection.project_point3(Vec3::ONE) * SHADOW_SIZE as f32 / 2.0;
        let texels = (moved(&after) - moved(&before)).truncate();
        assert!((texels - texels.round()).length() < 0.02, "{texels}");
    }
}
