//! What every stage of a frame reads, on the GPU: one uniform and the gathered lists.

use bytemuck::{Pod, Zeroable, bytes_of};
use glam::{
    Mat4, Vec2, Vec3, Vec4,
    camera::rh::{proj::directx::perspective, view::look_to_mat4},
};

use crate::{
    Camera, Gpu, Scene, SkinnedVertex,
    buffers::GrowBuffer,
    gather::{Capacity, Gathered, Instance, OpenTarget, PaletteRows},
    layouts::Layouts,
    shadow::SunView,
};

/// Pixels across a debug line.
const LINE_WIDTH: f32 = 2.0;

/// Mirrors `Frame` in `frame.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct FrameUniform {
    view_projection: Mat4,
    direction_of_clip: Mat4,
    sun_projection: Mat4,
    eye_world: Vec3,
    encode_srgb: u32,
    to_sun_world: Vec3,
    shadow_texel: f32,
    sun_color: Vec3,
    pad0: f32,
    zenith: Vec3,
    ambient: f32,
    horizon: Vec3,
    haze: f32,
    ground: Vec3,
    grid: u32,
    viewport: Vec2,
    line_width: f32,
    pad1: f32,
}

impl FrameUniform {
    pub fn new(scene: &Scene<'_>, size: [u32; 2], format: wgpu::TextureFormat) -> Self {
        let viewport = Vec2::from(size.map(|side| side as f32));
        let [view, projection] = camera_matrices(&scene.camera, viewport.x / viewport.y);
        let mut view_rotation = view;
        view_rotation.w_axis = Vec4::W;
        let sun = SunView::new(&scene.sun, &scene.camera);
        Self {
            view_projection: projection * view,
            direction_of_clip: (projection * view_rotation).inverse(),
            sun_projection: sun.projection,
            eye_world: scene.camera.eye_world,
            encode_srgb: u32::from(!format.is_srgb()),
            to_sun_world: sun.to_sun_world,
            shadow_texel: sun.texel,
            sun_color: scene.sun.color,
            pad0: 0.0,
            zenith: scene.sky.zenith,
            ambient: scene.sky.ambient,
            horizon: scene.sky.horizon,
            haze: scene.sky.haze,
            ground: scene.sky.ground,
            grid: u32::from(scene.grid),
            viewport,
            line_width: LINE_WIDTH,
            pad1: 0.0,
        }
    }
}

/// World to view and view to clip space; finite for every finite camera.
fn camera_matrices(camera: &Camera, aspect: f32) -> [Mat4; 2] {
    let forward = camera.target_world - camera.eye_world;
    let forward = forward.try_normalize().unwrap_or(Vec3::NEG_Z);
    let up = if forward.y.abs() > 0.999 {
        Vec3::Z
    } else {
        Vec3::Y
    };
    let near = camera.near.max(1e-3);
    let far = camera.far.max(near * 1.01);
    [
        look_to_mat4(camera.eye_world, forward, up),
        perspective(camera.fov_y.clamp(0.01, 3.0), aspect, near, far),
    ]
}

/// The frame's buffers and the bindings to them.
pub(crate) struct FrameBuffers {
    uniform: wgpu::Buffer,
    palette: GrowBuffer,
    instances: GrowBuffer,
    open_targets: GrowBuffer,
    /// What the compute pass writes and later stages read.
    pub skinned: GrowBuffer,
    /// For render passes.
    pub bind_group: wgpu::BindGroup,
    /// For the compute pass, which writes `skinned` and so cannot read it here.
    pub skin_bind_group: wgpu::BindGroup,
    /// For the compute pass: its jobs and `skinned`.
    pub skin_output: wgpu::BindGroup,
    /// One [`crate::skin_pass::SkinJob`] every 256 bytes.
    pub skin_jobs: GrowBuffer,
}

impl FrameBuffers {
    pub fn new(gpu: &Gpu, layouts: &Layouts) -> Self {
        let device = &gpu.device;
        let storage = wgpu::BufferUsages::STORAGE;
        let uniform_usage = wgpu::BufferUsages::UNIFORM;
        let uniform_bytes = size_of::<FrameUniform>() as u64;
        let uniform = GrowBuffer::new(device, "frame", uniform_usage, uniform_bytes).buffer;
        let palette = GrowBuffer::new(device, "palette", storage, 0);
        let instances = GrowBuffer::new(device, "instances", storage, 0);
        let open_targets = GrowBuffer::new(device, "open targets", storage, 0);
        let read_back = storage | wgpu::BufferUsages::COPY_SRC;
        let skinned = GrowBuffer::new(device, "skinned vertices", read_back, 0);
        let skin_jobs = GrowBuffer::new(device, "skin jobs", uniform_usage, 0);
        let lists = [
            &uniform,
            &palette.buffer,
            &instances.buffer,
            &open_targets.buffer,
        ];
        let [a, b, c, d] = lists;
        Self {
            bind_group: layouts.bind_buffers(
                device,
                &layouts.frame,
                &[a, b, c, d, &skinned.buffer],
            ),
            skin_bind_group: layouts.bind_buffers(device, &layouts.skin_frame, &lists),
            skin_output: layouts.bind_skin_output(device, &skin_jobs.buffer, &skinned.buffer),
            uniform,
            palette,
            instances,
            open_targets,
            skinned,
            skin_jobs,
        }
    }

    /// What fits into the largest buffers that the device binds.
    pub fn capacity(gpu: &Gpu, skin_all: bool) -> Capacity {
        let limits = gpu.device.limits();
        let most = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        let fits = |size: usize| (most / size as u64).min(u64::from(u32::MAX / 2)) as usize;
        Capacity {
            palette: fits(size_of::<PaletteRows>()),
            instances: fits(size_of::<Instance>()),
            open_targets: fits(size_of::<OpenTarget>()),
            skinned: fits(size_of::<SkinnedVertex>()),
            skin_all,
        }
    }

    /// Sends the frame's lists.
    pub fn write(
        &mut self,
        gpu: &Gpu,
        layouts: &Layouts,
        uniform: &FrameUniform,
        gathered: &Gathered,
        skin_jobs: &[u8],
    ) {
        gpu.queue.write_buffer(&self.uniform, 0, bytes_of(uniform));
        let skinned_bytes = (gathered.skinned_count * size_of::<SkinnedVertex>()) as u64;
        let moved = [
            self.palette.write(gpu, &gathered.palette),
            self.instances.write(gpu, &gathered.instances),
            self.open_targets.write(gpu, &gathered.open_targets),
            self.skinned.reserve(gpu, skinned_bytes),
            self.skin_jobs.write(gpu, skin_jobs),
        ];
        if moved.contains(&true) {
            self.bind(gpu, layouts);
        }
    }

    fn bind(&mut self, gpu: &Gpu, layouts: &Layouts) {
        let device = &gpu.device;
        let skinned = &self.skinned.buffer;
        let [a, b, c, d] = [
            &self.uniform,
            &self.palette.buffer,
            &self.instances.buffer,
            &self.open_targets.buffer,
        ];
        self.bind_group = layouts.bind_buffers(device, &layouts.frame, &[a, b, c, d, skinned]);
        self.skin_bind_group = layouts.bind_buffers(device, &layouts.skin_frame, &[a, b, c, d]);
        self.skin_output = layouts.bind_skin_output(device, &self.skin_jobs.buffer, skinned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_cameras_still_make_finite_matrices() {
        let cameras = [
            Camera {
                target_world: Camera::default().eye_world,
                ..Default::default()
            },
            Camera {
                eye_world: Vec3::Y * 5.0,
                target_world: Vec3::ZERO,
                ..Default::default()
            },
            Camera {
                near: 0.0,
                far: 0.0,
                fov_y: 0.0,
                ..Default::default()
            },
        ];
        for camera in cameras {
            let [view, projection] = camera_matrices(&camera, 1.5);
            assert!(view.is_finite() && projection.is_finite(), "{camera:?}");
        }
    }
}
