//! What shaders are given, group by group.

use wgpu::{BindGroupLayout, BindingType, BufferBindingType, ShaderStages};

use crate::skin_pass::SkinJob;

/// What the groups of bindings hold. Those of render passes: 0 frame, 1 geometry, 2 material, 3 light;
/// those of the compute pass: 0 frame, 1 geometry, 2 output.
pub(crate) struct Layouts {
    pub frame: BindGroupLayout,
    pub skin_frame: BindGroupLayout,
    pub geometry: BindGroupLayout,
    pub material: BindGroupLayout,
    pub light: BindGroupLayout,
    pub skin_output: BindGroupLayout,
    material_sampler: wgpu::Sampler,
    shadow_sampler: wgpu::Sampler,
}

impl Layouts {
    pub fn new(device: &wgpu::Device) -> Self {
        let render = ShaderStages::VERTEX_FRAGMENT;
        let vertex = ShaderStages::VERTEX;
        let compute = ShaderStages::COMPUTE;
        let fragment = ShaderStages::FRAGMENT;
        let frame = [
            (render, UNIFORM),
            (vertex, READ),
            (vertex, READ),
            (vertex, READ),
            (vertex, READ),
        ];
        let skin_frame = [
            (compute, UNIFORM),
            (compute, READ),
            (compute, READ),
            (compute, READ),
        ];
        let geometry = [(vertex | compute, READ); 3];
        let filtering = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let comparison = BindingType::Sampler(wgpu::SamplerBindingType::Comparison);
        let color = texture_type(wgpu::TextureSampleType::Float { filterable: true });
        let depth = texture_type(wgpu::TextureSampleType::Depth);
        let material = [
            (fragment, UNIFORM),
            (fragment, color),
            (fragment, filtering),
        ];
        let light = [(fragment, depth), (fragment, comparison)];
        let skin_output = [(compute, JOBS), (compute, WRITE)];
        Self {
            frame: layout(device, "frame", &frame),
            skin_frame: layout(device, "skin frame", &skin_frame),
            geometry: layout(device, "geometry", &geometry),
            material: layout(device, "material", &material),
            light: layout(device, "light", &light),
            skin_output: layout(device, "skin output", &skin_output),
            material_sampler: material_sampler(device),
            shadow_sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("shadow"),
                compare: Some(wgpu::CompareFunction::LessEqual),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
        }
    }

    /// Whole buffers, from binding 0 on.
    pub fn bind_buffers(
        &self,
        device: &wgpu::Device,
        layout: &BindGroupLayout,
        buffers: &[&wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let entries: Vec<wgpu::BindGroupEntry<'_>> = buffers
            .iter()
            .zip(0..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    pub fn bind_material(
        &self,
        device: &wgpu::Device,
        uniform: &wgpu::Buffer,
        texture: &wgpu::TextureView,
    ) -> wgpu::BindGroup {
        let resources = [
            uniform.as_entire_binding(),
            wgpu::BindingResource::TextureView(texture),
            wgpu::BindingResource::Sampler(&self.material_sampler),
        ];
        bind(device, &self.material, resources)
    }

    pub fn bind_light(&self, device: &wgpu::Device, shadow: &wgpu::TextureView) -> wgpu::BindGroup {
        let resources = [
            wgpu::BindingResource::TextureView(shadow),
            wgpu::BindingResource::Sampler(&self.shadow_sampler),
        ];
        bind(device, &self.light, resources)
    }

    pub fn bind_skin_output(
        &self,
        device: &wgpu::Device,
        jobs: &wgpu::Buffer,
        skinned: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let job = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: jobs,
            offset: 0,
            size: wgpu::BufferSize::new(size_of::<SkinJob>() as u64),
        });
        bind(
            device,
            &self.skin_output,
            [job, skinned.as_entire_binding()],
        )
    }
}

const fn buffer_type(ty: BufferBindingType, has_dynamic_offset: bool) -> BindingType {
    BindingType::Buffer {
        ty,
        has_dynamic_offset,
        min_binding_size: None,
    }
}

const UNIFORM: BindingType = buffer_type(BufferBindingType::Uniform, false);
const JOBS: BindingType = buffer_type(BufferBindingType::Uniform, true);
const READ: BindingType = buffer_type(BufferBindingType::Storage { read_only: true }, false);
const WRITE: BindingType = buffer_type(BufferBindingType::Storage { read_only: false }, false);

fn texture_type(sample_type: wgpu::TextureSampleType) -> BindingType {
    BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

fn layout(
    device: &wgpu::Device,
    label: &str,
    bindings: &[(ShaderStages, BindingType)],
) -> BindGroupLayout {
    let entries: Vec<wgpu::BindGroupLayoutEntry> = bindings
        .iter()
        .zip(0..)
        .map(|(&(visibility, ty), binding)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty,
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries: &entries,
    })
}

fn bind<const N: usize>(
    device: &wgpu::Device,
    layout: &BindGroupLayout,
    resources: [wgpu::BindingResource<'_>; N],
) -> wgpu::BindGroup {
    let mut binding = 0;
    let entries = resources.map(|resource| {
        binding += 1;
        wgpu::BindGroupEntry {
            binding: binding - 1,
            resource,
        }
    });
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout,
        entries: &entries,
    })
}

fn material_sampler(device: &wgpu::Device) -> wgpu::Sampler {
    device.create_sampler(&wgpu::SamplerDescriptor {
        label: Some("base color"),
        address_mode_u: wgpu::AddressMode::Repeat,
        address_mode_v: wgpu::AddressMode::Repeat,
        mag_filter: wgpu::FilterMode::Linear,
        min_filter: wgpu::FilterMode::Linear,
        mipmap_filter: wgpu::MipmapFilterMode::Linear,
        ..Default::default()
    })
}
