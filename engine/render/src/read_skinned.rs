//! Reading skinned vertices back, from either place where they are skinned.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

use crate::{
    Gpu, RenderError, Renderer, Scene, Skinning, offscreen::read_texture, renderer::encoder,
    targets::texture,
};

/// A vertex in the world. Mirrors `Skinned` in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct SkinnedVertex {
    /// Metres.
    pub position_world: Vec3,
    pad0: f32,
    /// A unit vector.
    pub normal_world: Vec3,
    pad1: f32,
}

/// The format in which the vertex stage draws the bits of positions and normals.
pub(crate) const POINT_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba32Uint;

/// Vertices in a row of the textures that the vertex stage draws into.
const ROW: u32 = 1024;

impl Renderer {
    /// Skins all draws of `scene` where [`Renderer::skinning`] says and waits for the result: the
    /// vertices of each visible draw, ordered by model and then as in the scene; within a draw, the
    /// vertices of the model's finest meshes in order. A primitive without triangles has none.
    ///
    /// For tests and tools: it stops until the GPU is done.
    ///
    /// # Errors
    /// [`RenderError::ReadBack`]; [`RenderError::PictureSize`] where the vertex stage has more vertices
    /// than a texture of the device has room for.
    pub fn skin(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
    ) -> Result<Vec<SkinnedVertex>, RenderError> {
        let scene = Scene {
            shapes: &[],
            lines: &[],
            ..*scene
        };
        self.gather(gpu, &scene, Skinning::Compute);
        match self.skinning {
            Skinning::Compute => self.skin_in_compute(gpu, &scene),
            Skinning::Vertex => self.skin_in_vertex_stage(gpu, &scene),
        }
    }

    fn skin_in_compute(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
    ) -> Result<Vec<SkinnedVertex>, RenderError> {
        self.send(gpu, [1, 1], scene);
        let mut encoder = encoder(gpu);
        self.skin_pass
            .run(&mut encoder, &self.pipelines, &self.frame, &self.models);
        let bytes = (self.gathered.skinned_count * size_of::<SkinnedVertex>()) as u64;
        let content = crate::offscreen::read_buffer(gpu, encoder, bytes, |encoder, buffer| {
            encoder.copy_buffer_to_buffer(&self.frame.skinned.buffer, 0, buffer, 0, bytes);
        })?;
        Ok(bytemuck::pod_collect_to_vec(&content))
    }

    /// Draws each vertex as a point whose colour is its position and normal.
    fn skin_in_vertex_stage(
        &mut self,
        gpu: &Gpu,
        scene: &Scene<'_>,
    ) -> Result<Vec<SkinnedVertex>, RenderError> {
        let count = self.gathered.skinned_count;
        let size = [ROW, (count as u32).div_ceil(ROW).max(1)];
        let most = gpu.device.limits().max_texture_dimension_2d;
        if size[1] > most {
            let [width, height] = size;
            return Err(RenderError::PictureSize {
                width,
                height,
                most,
            });
        }
        self.send(gpu, size, scene);
        let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
        let textures =
            ["positions", "normals"].map(|label| texture(gpu, label, POINT_FORMAT, size, 1, usage));
        let mut encoder = encoder(gpu);
        self.draw_points(&mut encoder, &textures);
        gpu.queue.submit([encoder.finish()]);
        let [positions, normals] = [
            read_vectors(gpu, &textures[0])?,
            read_vectors(gpu, &textures[1])?,
        ];
        let vertices = positions.into_iter().zip(normals).take(count);
        Ok(vertices
            .map(|(position_world, normal_world)| SkinnedVertex {
                position_world,
                pad0: 0.0,
                normal_world,
                pad1: 0.0,
            })
            .collect())
    }

    fn draw_points(&self, encoder: &mut wgpu::CommandEncoder, textures: &[wgpu::Texture; 2]) {
        let views = textures
            .each_ref()
            .map(|texture| texture.create_view(&Default::default()));
        let attachments = views.each_ref().map(|view| {
            Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations::default(),
            })
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("skinned points"),
            color_attachments: &attachments,
            ..Default::default()
        });
        pass.set_pipeline(&self.pipelines.skinned_points);
        pass.set_bind_group(0, &self.frame.bind_group, &[]);
        for run in &self.gathered.runs {
            if let Some(model) = self.models.get(run.model) {
                pass.set_bind_group(1, &model.geometry, &[]);
                let instances = run.first_instance..run.first_instance + run.instance_count;
                pass.draw(0..model.vertex_count, instances);
            }
        }
    }
}

fn read_vectors(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<Vec3>, RenderError> {
    let bytes = read_texture(gpu, texture)?;
    let texels: Vec<[f32; 4]> = bytemuck::pod_collect_to_vec(&bytes);
    Ok(texels
        .iter()
        .map(|&[x, y, z, _]| Vec3::new(x, y, z))
        .collect())
}
