//! A GPU buffer that grows.

use bytemuck::Pod;

use crate::Gpu;

/// Holds a list that is written anew each frame; grows by half again, never shrinks.
pub(crate) struct GrowBuffer {
    pub buffer: wgpu::Buffer,
    label: &'static str,
}

impl GrowBuffer {
    /// Never empty, as a binding must not be.
    pub fn new(
        device: &wgpu::Device,
        label: &'static str,
        usage: wgpu::BufferUsages,
        bytes: u64,
    ) -> Self {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.max(256).next_multiple_of(256),
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Self { buffer, label }
    }

    /// Makes room for `bytes`; true if the buffer is another one now, so that bindings to it are stale.
    pub fn reserve(&mut self, gpu: &Gpu, bytes: u64) -> bool {
        if bytes <= self.buffer.size() {
            return false;
        }
        let limits = gpu.device.limits();
        let grown = (bytes + bytes / 2)
            .min(limits.max_buffer_size)
            .min(limits.max_storage_buffer_binding_size);
        let usage = self.buffer.usage();
        *self = Self::new(&gpu.device, self.label, usage, grown.max(bytes));
        true
    }

    /// Replaces the content; the result is as of [`GrowBuffer::reserve`].
    pub fn write<T: Pod>(&mut self, gpu: &Gpu, items: &[T]) -> bool {
        let bytes: &[u8] = bytemuck::cast_slice(items);
        let moved = self.reserve(gpu, bytes.len() as u64);
        if !bytes.is_empty() {
            gpu.queue.write_buffer(&self.buffer, 0, bytes);
        }
        moved
    }
}
