//! A frame, from lists to commands.

use sinew_model::Model;

use crate::{
    Gpu, ModelId, RenderError, Scene, Skinning,
    frame::{FrameBuffers, FrameUniform},
    gather::{Batch, Gathered, ModelParts, Parts, ShapeModels},
    gpu_model::GpuModel,
    layouts::Layouts,
    lines::Lines,
    pipelines::Pipelines,
    shadow::SHADOW_SIZE,
    shapes,
    skin_pass::SkinPass,
    targets::{DEPTH_FORMAT, Targets, texture},
};

/// What a frame took, counted on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FrameStats {
    /// Draw calls of meshes and shapes in the picture, shadows not counted.
    pub draw_calls: u32,
    /// Parts of actors and shapes that those calls draw.
    pub instances: u32,
    /// Triangles of all instances.
    pub triangles: u64,
    /// Matrices sent.
    pub palette_joints: u32,
    /// Morph targets with a weight, a part and actor each.
    pub open_targets: u32,
    /// Draws and shapes that were blended and skinned in the compute pass.
    pub skinned_ahead: u32,
    /// Debug lines.
    pub lines: u32,
    /// Draws and shapes for which the GPU's buffers had no room.
    pub left_out: u32,
}

/// Draws scenes into targets of one format.
pub struct Renderer {
    /// Where vertices are skinned from the next frame on.
    pub skinning: Skinning,
    /// The format of the targets that it draws to.
    pub target_format: wgpu::TextureFormat,
    layouts: Layouts,
    pub(crate) pipelines: Pipelines,
    pub(crate) models: Models,
    shapes: ShapeModels,
    pub(crate) gathered: Gathered,
    pub(crate) frame: FrameBuffers,
    pub(crate) skin_pass: SkinPass,
    lines: Lines,
    targets: Targets,
    shadow: wgpu::TextureView,
    light: wgpu::BindGroup,
}

impl Renderer {
    /// Builds all pipelines; takes a moment. `target_format` may store sRGB codes or linear values.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`] on a device that does not even take a box.
    pub fn new(gpu: &Gpu, target_format: wgpu::TextureFormat) -> Result<Self, RenderError> {
        let layouts = Layouts::new(&gpu.device);
        let mut models = Models::default();
        let shapes = ShapeModels {
            cuboid: models.add(GpuModel::new(gpu, &layouts, &shapes::box_model(), false)?),
            plane: models.add(GpuModel::new(gpu, &layouts, &shapes::plane_model(), true)?),
        };
        let shadow = shadow_map(gpu);
        Ok(Self {
            skinning: Skinning::default(),
            target_format,
            pipelines: Pipelines::new(gpu, &layouts, target_format),
            models,
            shapes,
            gathered: Gathered::default(),
            frame: FrameBuffers::new(gpu, &layouts),
            skin_pass: SkinPass::default(),
            lines: Lines::new(gpu),
            targets: Targets::new(gpu, target_format, [1, 1]),
            light: layouts.bind_light(&gpu.device, &shadow),
            shadow,
            layouts,
        })
    }

    /// Sends a model to the GPU, to be drawn by any number of actors.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`].
    pub fn upload(&mut self, gpu: &Gpu, model: &Model) -> Result<ModelId, RenderError> {
        let model = GpuModel::new(gpu, &self.layouts, model, false)?;
        Ok(self.models.add(model))
    }

    /// Puts another model in the place of one; all draws of it show the new one.
    ///
    /// # Errors
    /// [`RenderError::TooLarge`]; the old model stays.
    pub fn replace(&mut self, gpu: &Gpu, id: ModelId, model: &Model) -> Result<(), RenderError> {
        let model = GpuModel::new(gpu, &self.layouts, model, false)?;
        self.models.set(id, Some(model));
        Ok(())
    }

    /// Frees a model; draws of it are left out from now on.
    pub fn remove(&mut self, id: ModelId) {
        self.models.set(id, None);
    }

    /// Draws `scene` over the whole of `target` and submits the commands. `size` is the target's, in
    /// pixels; with a side of zero (a minimised window) nothing happens.
    pub fn render(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::TextureView,
        size: [u32; 2],
        scene: &Scene<'_>,
    ) -> FrameStats {
        if size.contains(&0) {
            return FrameStats::default();
        }
        self.gather(gpu, scene, self.skinning);
        self.send(gpu, size, scene);
        self.targets.fit(gpu, self.target_format, size);
        let mut encoder = encoder(gpu);
        self.skin_pass
            .run(&mut encoder, &self.pipelines, &self.frame, &self.models);
        self.shadow_pass(&mut encoder);
        self.picture_pass(&mut encoder, target);
        gpu.queue.submit([encoder.finish()]);
        self.stats(scene)
    }

    /// Fills the frame's lists; those of the compute pass with everything if `skinning` says so.
    pub(crate) fn gather(&mut self, gpu: &Gpu, scene: &Scene<'_>, skinning: Skinning) {
        let capacity = FrameBuffers::capacity(gpu, skinning == Skinning::Compute);
        self.gathered
            .gather(scene, &self.models, self.shapes, capacity);
        self.skin_pass.plan(&self.gathered, &self.models);
    }

    /// Sends the frame's lists to the GPU.
    pub(crate) fn send(&mut self, gpu: &Gpu, size: [u32; 2], scene: &Scene<'_>) {
        let uniform = FrameUniform::new(scene, size, self.target_format);
        let jobs = self.skin_pass.jobs();
        self.frame
            .write(gpu, &self.layouts, &uniform, &self.gathered, jobs);
        self.lines.write(gpu, scene.lines);
    }

    fn shadow_pass(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadow"),
            depth_stencil_attachment: Some(cleared_depth(&self.shadow, wgpu::StoreOp::Store)),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.frame.bind_group, &[]);
        for batch in &self.gathered.batches {
            // The ground has nothing below it to shade.
            if batch.key.model == self.shapes.plane {
                continue;
            }
            self.draw_batch(&mut pass, batch, |_, cutout| {
                [&self.pipelines.shadow, &self.pipelines.shadow_cutout][usize::from(cutout)]
            });
        }
    }

    fn picture_pass(&self, encoder: &mut wgpu::CommandEncoder, target: &wgpu::TextureView) {
        let color = wgpu::RenderPassColorAttachment {
            view: &self.targets.color,
            depth_slice: None,
            resolve_target: Some(target),
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                store: wgpu::StoreOp::Discard,
            },
        };
        let depth = cleared_depth(&self.targets.depth, wgpu::StoreOp::Discard);
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("picture"),
            color_attachments: &[Some(color)],
            depth_stencil_attachment: Some(depth),
            ..Default::default()
        });
        pass.set_bind_group(0, &self.frame.bind_group, &[]);
        pass.set_bind_group(3, &self.light, &[]);
        for batch in &self.gathered.batches {
            self.draw_batch(&mut pass, batch, |double_sided, _| {
                let mirrored = usize::from(batch.key.mirrored);
                &self.pipelines.mesh[usize::from(double_sided)][mirrored]
            });
        }
        self.draw_sky_and_lines(&mut pass);
    }

    fn draw_sky_and_lines(&self, pass: &mut wgpu::RenderPass<'_>) {
        // These read neither, but their pipelines share the meshes' layout.
        if let Some(any) = self.models.get(self.shapes.plane) {
            pass.set_bind_group(1, &any.geometry, &[]);
            pass.set_bind_group(2, &any.materials[0].bind_group, &[]);
        }
        pass.set_pipeline(&self.pipelines.sky);
        pass.draw(0..3, 0..1);
        self.lines.draw(pass, &self.pipelines);
    }

    /// `pipeline` gets double-sided and cutout.
    fn draw_batch<'a>(
        &'a self,
        pass: &mut wgpu::RenderPass<'_>,
        batch: &Batch,
        pipeline: impl FnOnce(bool, bool) -> &'a wgpu::RenderPipeline,
    ) {
        let Some(model) = self.models.get(batch.key.model) else {
            return;
        };
        let part = &model.parts[batch.key.part as usize];
        let material = &model.materials[batch.key.material as usize];
        pass.set_pipeline(pipeline(material.double_sided, material.cutout));
        pass.set_bind_group(1, &model.geometry, &[]);
        pass.set_bind_group(2, &material.bind_group, &[]);
        pass.set_index_buffer(model.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(
            part.first_index..part.first_index + part.index_count,
            0,
            batch.first_instance..batch.first_instance + batch.instance_count,
        );
    }

    fn stats(&self, scene: &Scene<'_>) -> FrameStats {
        let mut stats = FrameStats {
            draw_calls: self.gathered.batches.len() as u32,
            palette_joints: self.gathered.palette.len() as u32,
            open_targets: self.gathered.open_targets.len() as u32,
            skinned_ahead: self.gathered.skinned_ahead as u32,
            lines: scene.lines.len() as u32,
            left_out: self.gathered.left_out as u32,
            ..Default::default()
        };
        for batch in &self.gathered.batches {
            if let Some(model) = self.models.get(batch.key.model) {
                let triangles = model.parts[batch.key.part as usize].index_count / 3;
                stats.instances += batch.instance_count;
                stats.triangles += u64::from(triangles) * u64::from(batch.instance_count);
            }
        }
        stats
    }
}

pub(crate) fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device.create_command_encoder(&Default::default())
}

fn cleared_depth(
    view: &wgpu::TextureView,
    store: wgpu::StoreOp,
) -> wgpu::RenderPassDepthStencilAttachment<'_> {
    wgpu::RenderPassDepthStencilAttachment {
        view,
        depth_ops: Some(wgpu::Operations {
            load: wgpu::LoadOp::Clear(1.0),
            store,
        }),
        stencil_ops: None,
    }
}

fn shadow_map(gpu: &Gpu) -> wgpu::TextureView {
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING;
    let size = [SHADOW_SIZE; 2];
    texture(gpu, "shadow", DEPTH_FORMAT, size, 1, usage).create_view(&Default::default())
}

/// Models by id; ids are given once.
#[derive(Default)]
pub(crate) struct Models(Vec<Option<GpuModel>>);

impl Models {
    fn add(&mut self, model: GpuModel) -> ModelId {
        self.0.push(Some(model));
        ModelId(self.0.len() as u32 - 1)
    }

    fn set(&mut self, id: ModelId, model: Option<GpuModel>) {
        if let Some(place) = self.0.get_mut(id.0 as usize) {
            *place = model;
        }
    }

    pub fn get(&self, id: ModelId) -> Option<&GpuModel> {
        self.0.get(id.0 as usize)?.as_ref()
    }
}

impl Parts for Models {
    fn model(&self, id: ModelId) -> Option<ModelParts<'_>> {
        self.get(id).map(|model| ModelParts {
            palette: &model.palette,
            parts: &model.parts,
            materials: model.materials.len() as u32,
            vertex_count: model.vertex_count,
        })
    }
}
