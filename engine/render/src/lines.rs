//! Debug lines: a buffer of them, drawn twice, once where they are seen and once where they are hidden.

use crate::{Gpu, Line, buffers::GrowBuffer, pipelines::Pipelines};

/// How a [`Line`] reaches `line.wgsl`.
pub(crate) const LINE_LAYOUT: wgpu::VertexBufferLayout<'static> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Line>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x4],
};

/// The lines of a frame on the GPU.
pub(crate) struct Lines {
    buffer: GrowBuffer,
    count: u32,
}

impl Lines {
    pub fn new(gpu: &Gpu) -> Self {
        let usage = wgpu::BufferUsages::VERTEX;
        Self {
            buffer: GrowBuffer::new(&gpu.device, "lines", usage, 0),
            count: 0,
        }
    }

    /// Takes over `lines`, or as many of the first as a buffer takes.
    pub fn write(&mut self, gpu: &Gpu, lines: &[Line]) {
        let most = gpu.device.limits().max_buffer_size as usize / size_of::<Line>();
        let lines = &lines[..lines.len().min(most).min(u32::MAX as usize)];
        self.buffer.write(gpu, lines);
        self.count = lines.len() as u32;
    }

    /// The frame's bindings must be set.
    pub fn draw(&self, pass: &mut wgpu::RenderPass<'_>, pipelines: &Pipelines) {
        if self.count == 0 {
            return;
        }
        pass.set_vertex_buffer(0, self.buffer.buffer.slice(..));
        for pipeline in [&pipelines.line_hidden, &pipelines.line] {
            pass.set_pipeline(pipeline);
            pass.draw(0..4, 0..self.count);
        }
    }
}
