//! The textures that a frame is drawn into on its way to the target.

use crate::Gpu;

pub(crate) const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

/// Samples a pixel.
pub(crate) const SAMPLES: u32 = 4;

/// Colour and depth of all samples, as large as the target.
pub(crate) struct Targets {
    size: [u32; 2],
    pub color: wgpu::TextureView,
    pub depth: wgpu::TextureView,
}

impl Targets {
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat, size: [u32; 2]) -> Self {
        let attachment = wgpu::TextureUsages::RENDER_ATTACHMENT;
        let view = |format| texture(gpu, "samples", format, size, SAMPLES, attachment);
        Self {
            size,
            color: view(format).create_view(&wgpu::TextureViewDescriptor::default()),
            depth: view(DEPTH_FORMAT).create_view(&wgpu::TextureViewDescriptor::default()),
        }
    }

    /// Makes them anew if the target's size has changed.
    pub fn fit(&mut self, gpu: &Gpu, format: wgpu::TextureFormat, size: [u32; 2]) {
        if self.size != size {
            *self = Self::new(gpu, format, size);
        }
    }
}

/// A plain two-dimensional texture.
pub(crate) fn texture(
    gpu: &Gpu,
    label: &str,
    format: wgpu::TextureFormat,
    size: [u32; 2],
    sample_count: u32,
    usage: wgpu::TextureUsages,
) -> wgpu::Texture {
    gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width: size[0],
            height: size[1],
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage,
        view_formats: &[],
    })
}
