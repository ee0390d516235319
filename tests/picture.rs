//! What the renderer draws, judged by looking at pixels where geometry says that something must be.
//!
//! Without a graphics device (software is enough) these tests say so and pass; with
//! `SINEW_GPU_REQUIRED=1` they fail.

mod figures;
mod look;
mod morphs;
mod robust;
mod skinning;

use std::sync::{OnceLock, atomic::Ordering};

use glam::{
    Vec3, Vec4,
    camera::rh::{proj::directx::perspective, view::look_at_mat4},
};
use sinew_render::{Camera, Gpu, OFFSCREEN_FORMAT, Picture, Renderer, Scene, capture};

/// Pixels of most pictures here.
const SIZE: [u32; 2] = [320, 180];

/// The device that all tests share, and a renderer of the test's own; `None` to skip the test.
fn stage() -> Option<Stage> {
    static GPU: OnceLock<Option<Gpu>> = OnceLock::new();
    let gpu = GPU.get_or_init(|| match Gpu::offscreen() {
        Ok(gpu) => Some(gpu),
        Err(error) => {
            let required = std::env::var("SINEW_GPU_REQUIRED").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
            eprintln!("skipped: {error}");
            None
        }
    });
    let gpu = gpu.as_ref()?;
    let renderer = Renderer::new(gpu, OFFSCREEN_FORMAT).expect("a renderer");
    Some(Stage { gpu, renderer })
}

struct Stage {
    gpu: &'static Gpu,
    renderer: Renderer,
}

impl Stage {
    fn picture(&mut self, scene: &Scene<'_>) -> Picture {
        let [width, height] = SIZE;
        let picture = capture(self.gpu, &mut self.renderer, scene, width, height, None);
        let picture = picture.expect("a picture");
        assert_eq!(self.gpu.errors.load(Ordering::Relaxed), 0, "see the log");
        picture
    }
}

/// The colour at a pixel.
fn pixel(picture: &Picture, [x, y]: [u32; 2]) -> [u8; 3] {
    let at = ((y * picture.width + x) * 4) as usize;
    [0, 1, 2].map(|channel| picture.rgba[at + channel])
}

/// The colour where a point of the world is.
fn color_at(picture: &Picture, camera: &Camera, point_world: Vec3) -> [u8; 3] {
    pixel(
        picture,
        place(picture, camera, point_world).expect("in the picture"),
    )
}

/// The pixel where a point of the world is, if it is in the picture.
fn place(picture: &Picture, camera: &Camera, point_world: Vec3) -> Option<[u32; 2]> {
    let size = [picture.width as f32, picture.height as f32];
    let projection = perspective(camera.fov_y, size[0] / size[1], camera.near, camera.far);
    let view = look_at_mat4(camera.eye_world, camera.target_world, Vec3::Y);
    let clip: Vec4 = projection * view * point_world.extend(1.0);
    let x = (clip.x / clip.w * 0.5 + 0.5) * size[0];
    let y = (0.5 - clip.y / clip.w * 0.5) * size[1];
    let inside = clip.w > 0.0 && x >= 0.0 && y >= 0.0 && x < size[0] && y < size[1];
    inside.then_some([x as u32, y as u32])
}

fn brightness(color: [u8; 3]) -> u32 {
    color.iter().map(|&channel| u32::from(channel)).sum()
}

/// The largest difference of any channel of any pixel.
fn largest_difference(a: &Picture, b: &Picture) -> u8 {
    assert_eq!((a.width, a.height), (b.width, b.height));
    let pairs = a.rgba.iter().zip(&b.rgba);
    pairs.map(|(&a, &b)| a.abs_diff(b)).max().unwrap_or(0)
}
