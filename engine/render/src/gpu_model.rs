//! A model on the GPU, shared by every actor that uses it.

use bytemuck::{Pod, Zeroable, bytes_of, cast_slice};
use sinew_model::{Material, Model, Texture};

use crate::{
    Gpu, MAX_INFLUENCES, RenderError,
    geometry::{Geometry, PaletteEntry, Part},
    layouts::Layouts,
    texture::mip_chain,
};

/// Buffers, bindings, and what is needed to draw them.
pub(crate) struct GpuModel {
    pub palette: Vec<PaletteEntry>,
    pub parts: Vec<Part>,
    pub vertex_count: u32,
    pub indices: wgpu::Buffer,
    pub geometry: wgpu::BindGroup,
    /// In the model's order, and the default material.
    pub materials: Vec<GpuMaterial>,
}

/// A surface's look.
pub(crate) struct GpuMaterial {
    pub bind_group: wgpu::BindGroup,
    pub double_sided: bool,
    pub cutout: bool,
}

/// Mirrors `Material` in `mesh.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct MaterialUniform {
    base_color: [f32; 4],
    alpha_cutoff: f32,
    unlit: u32,
    grid: u32,
    pad: u32,
}

impl GpuModel {
    /// `grid` marks surfaces that can show the ground grid.
    pub fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        model: &Model,
        grid: bool,
    ) -> Result<Self, RenderError> {
        let geometry = Geometry::new(model);
        if geometry.cut_vertices > 0 {
            tracing::warn!(
                "{} vertices follow more than {MAX_INFLUENCES} joints; the strongest are drawn",
                geometry.cut_vertices
            );
        }
        let storage = wgpu::BufferUsages::STORAGE;
        let vertices = upload(gpu, "vertices", cast_slice(&geometry.vertices), storage)?;
        let influences = upload(gpu, "influences", cast_slice(&geometry.influences), storage)?;
        let deltas = upload(gpu, "morph targets", cast_slice(&geometry.deltas), storage)?;
        let index = wgpu::BufferUsages::INDEX;
        let indices = upload(gpu, "triangles", cast_slice(&geometry.indices), index)?;
        Ok(Self {
            geometry: layouts.bind_buffers(
                &gpu.device,
                &layouts.geometry,
                &[&vertices, &influences, &deltas],
            ),
            materials: materials(gpu, layouts, model, grid),
            vertex_count: geometry.vertices.len() as u32,
            palette: geometry.palette,
            parts: geometry.parts,
            indices,
        })
    }
}

fn upload(
    gpu: &Gpu,
    what: &'static str,
    content: &[u8],
    usage: wgpu::BufferUsages,
) -> Result<wgpu::Buffer, RenderError> {
    let limits = gpu.device.limits();
    let most = limits
        .max_buffer_size
        .min(limits.max_storage_buffer_binding_size);
    let bytes = content.len() as u64;
    if bytes > most {
        return Err(RenderError::TooLarge { what, bytes, most });
    }
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(what),
        // A binding must hold at least one element.
        size: bytes.max(64),
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    if !content.is_empty() {
        gpu.queue.write_buffer(&buffer, 0, content);
    }
    Ok(buffer)
}

fn materials(gpu: &Gpu, layouts: &Layouts, model: &Model, grid: bool) -> Vec<GpuMaterial> {
    let white = upload_texture(gpu, &Texture::default());
    let textures: Vec<wgpu::TextureView> = model
        .textures
        .iter()
        .map(|texture| upload_texture(gpu, texture))
        .collect();
    let default = Material {
        name: String::new(),
        base_color: [1.0; 4],
        base_color_texture: None,
        unlit: false,
        double_sided: false,
        alpha_cutoff: None,
    };
    let all = model.materials.iter().chain(std::iter::once(&default));
    all.map(|material| {
        let texture = material
            .base_color_texture
            .and_then(|texture| textures.get(texture))
            .unwrap_or(&white);
        gpu_material(gpu, layouts, material, texture, grid)
    })
    .collect()
}

fn gpu_material(
    gpu: &Gpu,
    layouts: &Layouts,
    material: &Material,
    texture: &wgpu::TextureView,
    grid: bool,
) -> GpuMaterial {
    let uniform = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("material"),
        size: size_of::<MaterialUniform>() as u64,
        usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let content = MaterialUniform {
        base_color: material.base_color,
        alpha_cutoff: material.alpha_cutoff.unwrap_or(-1.0),
        unlit: u32::from(material.unlit),
        grid: u32::from(grid),
        pad: 0,
    };
    gpu.queue.write_buffer(&uniform, 0, bytes_of(&content));
    GpuMaterial {
        bind_group: layouts.bind_material(&gpu.device, &uniform, texture),
        double_sided: material.double_sided,
        cutout: material.alpha_cutoff.is_some(),
    }
}

fn upload_texture(gpu: &Gpu, image: &Texture) -> wgpu::TextureView {
    let most = gpu.device.limits().max_texture_dimension_2d;
    let chain = mip_chain(image, most);
    if image.width.max(image.height) > most {
        tracing::warn!(
            "a texture of {} x {} pixels is drawn at {} x {}: the graphics device takes {most}",
            image.width,
            image.height,
            chain.width,
            chain.height
        );
    }
    let size = |level: u32| wgpu::Extent3d {
        width: (chain.width >> level).max(1),
        height: (chain.height >> level).max(1),
        depth_or_array_layers: 1,
    };
    let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: Some("base color"),
        size: size(0),
        mip_level_count: chain.levels.len() as u32,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: wgpu::TextureFormat::Rgba8UnormSrgb,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    });
    for (level, pixels) in chain.levels.iter().enumerate() {
        let level = level as u32;
        gpu.queue.write_texture(
            wgpu::TexelCopyTextureInfo {
                mip_level: level,
                ..texture.as_image_copy()
            },
            pixels,
            wgpu::TexelCopyBufferLayout {
                offset: 0,
                bytes_per_row: Some(size(level).width * 4),
                rows_per_image: None,
            },
            size(level),
        );
    }
    texture.create_view(&wgpu::TextureViewDescriptor::default())
}
