//! Skinning ahead of drawing, as a compute pass.

use bytemuck::{Pod, Zeroable};

use crate::{
    ModelId, frame::FrameBuffers, gather::Gathered, pipelines::Pipelines, renderer::Models,
};

/// Where vertices are skinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Skinning {
    /// In the vertex stage, once a pass; actors with more than [`crate::MAX_VERTEX_TARGETS`] open morph targets on a part
    /// in the compute pass.
    #[default]
    Vertex,
    /// Everything in a compute pass before, once a frame; costs 32 bytes a vertex and actor.
    Compute,
}

/// Mirrors `SkinJob` in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
pub(crate) struct SkinJob {
    first_instance: u32,
    first_vertex: u32,
    end_vertex: u32,
    pad: u32,
}

/// A job and what keeps the next one at an offset that bindings take on any device.
type PaddedJob = [SkinJob; 16];

/// Threads of a workgroup in `skin_vertices`.
const GROUP: u32 = 64;

/// The most workgroups of a dispatch each way.
const MOST_GROUPS: u32 = 65535;

struct Dispatch {
    model: ModelId,
    groups: [u32; 2],
}

/// The dispatches of a frame, kept from frame to frame.
#[derive(Default)]
pub(crate) struct SkinPass {
    jobs: Vec<PaddedJob>,
    dispatches: Vec<Dispatch>,
}

impl SkinPass {
    /// Plans one dispatch for all actors of a model, or several where one is too large.
    pub fn plan(&mut self, gathered: &Gathered, models: &Models) {
        self.jobs.clear();
        self.dispatches.clear();
        for run in &gathered.runs {
            let vertices = models.get(run.model).map_or(0, |model| model.vertex_count);
            let instances = run.first_instance..run.first_instance + run.instance_count;
            for first_instance in instances.clone().step_by(MOST_GROUPS as usize) {
                let actors = (instances.end - first_instance).min(MOST_GROUPS);
                for first_vertex in (0..vertices).step_by((MOST_GROUPS * GROUP) as usize) {
                    let end_vertex = vertices.min(first_vertex + MOST_GROUPS * GROUP);
                    let mut padded = PaddedJob::default();
                    padded[0] = SkinJob {
                        first_instance,
                        first_vertex,
                        end_vertex,
                        pad: 0,
                    };
                    self.jobs.push(padded);
                    self.dispatches.push(Dispatch {
                        model: run.model,
                        groups: [(end_vertex - first_vertex).div_ceil(GROUP), actors],
                    });
                }
            }
        }
    }

    /// What the frame's buffers need of the plan.
    pub fn jobs(&self) -> &[u8] {
        bytemuck::cast_slice(&self.jobs)
    }

    /// Skins every vertex of the plan.
    pub fn run(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        pipelines: &Pipelines,
        frame: &FrameBuffers,
        models: &Models,
    ) {
        if self.dispatches.is_empty() {
            return;
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("skin"),
            timestamp_writes: None,
        });
        pass.set_pipeline(&pipelines.skin);
        pass.set_bind_group(0, &frame.skin_bind_group, &[]);
        for (index, dispatch) in self.dispatches.iter().enumerate() {
            if let Some(model) = models.get(dispatch.model) {
                let offset = (index * size_of::<PaddedJob>()) as u32;
                pass.set_bind_group(1, &model.geometry, &[]);
                pass.set_bind_group(2, &frame.skin_output, &[offset]);
                let [x, y] = dispatch.groups;
                pass.dispatch_workgroups(x, y, 1);
            }
        }
    }
}
