//! Bindings and pipelines: one shader module, one pipeline for all meshes (times the ways to cull).

use wgpu::{BindGroupLayout, BindingType, BufferBindingType, ShaderStages};

use crate::{
    Gpu,
    lines::LINE_LAYOUT,
    read_skinned::POINT_FORMAT,
    skin_pass::SkinJob,
    targets::{DEPTH_FORMAT, SAMPLES},
};

const SHADER: &str = concat!(
    include_str!("shaders/frame.wgsl"),
    include_str!("shaders/skin.wgsl"),
    include_str!("shaders/mesh.wgsl"),
    include_str!("shaders/sky.wgsl"),
    include_str!("shaders/line.wgsl"),
    include_str!("shaders/points.wgsl"),
);

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

/// All pipelines of a target format.
pub(crate) struct Pipelines {
    /// By double-sided, then by mirrored.
    pub mesh: [[wgpu::RenderPipeline; 2]; 2],
    pub shadow: wgpu::RenderPipeline,
    pub shadow_cutout: wgpu::RenderPipeline,
    pub sky: wgpu::RenderPipeline,
    pub line: wgpu::RenderPipeline,
    pub line_hidden: wgpu::RenderPipeline,
    pub skin: wgpu::ComputePipeline,
    /// Positions and normals of the vertex stage, to be read back.
    pub skinned_points: wgpu::RenderPipeline,
}

impl Pipelines {
    pub fn new(gpu: &Gpu, layouts: &Layouts, format: wgpu::TextureFormat) -> Self {
        let maker = Maker::new(&gpu.device, layouts, format);
        Self {
            mesh: [false, true].map(|double_sided| {
                [false, true].map(|mirrored| maker.mesh(double_sided, mirrored))
            }),
            shadow: maker.shadow(None),
            shadow_cutout: maker.shadow(Some("shadow_cutout")),
            sky: maker.sky(),
            line: maker.line("line_fragment", wgpu::CompareFunction::LessEqual),
            line_hidden: maker.line("line_hidden_fragment", wgpu::CompareFunction::Greater),
            skin: maker.skin(),
            skinned_points: maker.skinned_points(),
        }
    }
}

struct Maker<'a> {
    device: &'a wgpu::Device,
    module: wgpu::ShaderModule,
    render_layout: wgpu::PipelineLayout,
    shadow_layout: wgpu::PipelineLayout,
    points_layout: wgpu::PipelineLayout,
    skin_layout: wgpu::PipelineLayout,
    format: wgpu::TextureFormat,
}

/// What differs between the render pipelines.
struct RenderStages<'a> {
    layout: &'a wgpu::PipelineLayout,
    vertex: &'a str,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
    fragment: Option<&'a str>,
    primitive: wgpu::PrimitiveState,
    depth_write: bool,
    depth_compare: wgpu::CompareFunction,
    bias: wgpu::DepthBiasState,
    /// `None` where nothing but depth is written.
    blend: Option<wgpu::BlendState>,
    samples: u32,
}

impl<'a> Maker<'a> {
    fn new(device: &'a wgpu::Device, layouts: &Layouts, format: wgpu::TextureFormat) -> Self {
        let (frame, geometry) = (&layouts.frame, &layouts.geometry);
        let render = [frame, geometry, &layouts.material, &layouts.light];
        let skin = [&layouts.skin_frame, geometry, &layouts.skin_output];
        Self {
            device,
            module: device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("sinew"),
                source: wgpu::ShaderSource::Wgsl(SHADER.into()),
            }),
            render_layout: pipeline_layout(device, &render),
            shadow_layout: pipeline_layout(device, &render[..3]),
            points_layout: pipeline_layout(device, &render[..2]),
            skin_layout: pipeline_layout(device, &skin),
            format,
        }
    }

    fn render(&self, stages: RenderStages<'_>) -> wgpu::RenderPipeline {
        let color = [Some(wgpu::ColorTargetState {
            format: self.format,
            blend: stages.blend,
            write_mask: wgpu::ColorWrites::ALL,
        })];
        let targets = if stages.blend.is_some() {
            &color[..]
        } else {
            &[]
        };
        let fragment = stages.fragment.map(|entry_point| wgpu::FragmentState {
            module: &self.module,
            entry_point: Some(entry_point),
            compilation_options: Default::default(),
            targets,
        });
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: stages.fragment.or(Some(stages.vertex)),
                layout: Some(stages.layout),
                vertex: wgpu::VertexState {
                    module: &self.module,
                    entry_point: Some(stages.vertex),
                    compilation_options: Default::default(),
                    buffers: stages.buffers,
                },
                primitive: stages.primitive,
                depth_stencil: Some(wgpu::DepthStencilState {
                    format: DEPTH_FORMAT,
                    depth_write_enabled: Some(stages.depth_write),
                    depth_compare: Some(stages.depth_compare),
                    stencil: Default::default(),
                    bias: stages.bias,
                }),
                multisample: wgpu::MultisampleState {
                    count: stages.samples,
                    ..Default::default()
                },
                fragment,
                multiview_mask: None,
                cache: None,
            })
    }

    fn mesh(&self, double_sided: bool, mirrored: bool) -> wgpu::RenderPipeline {
        self.render(RenderStages {
            layout: &self.render_layout,
            vertex: "mesh_vertex",
            buffers: &[],
            fragment: Some("mesh_fragment"),
            primitive: wgpu::PrimitiveState {
                // A mirrored triangle runs the other way round (glTF 2.0, section 3.7.4).
                front_face: if mirrored {
                    wgpu::FrontFace::Cw
                } else {
                    wgpu::FrontFace::Ccw
                },
                cull_mode: (!double_sided).then_some(wgpu::Face::Back),
                ..Default::default()
            },
            depth_write: true,
            depth_compare: wgpu::CompareFunction::Less,
            bias: Default::default(),
            blend: Some(wgpu::BlendState::REPLACE),
            samples: SAMPLES,
        })
    }

    fn shadow(&self, fragment: Option<&str>) -> wgpu::RenderPipeline {
        self.render(RenderStages {
            layout: &self.shadow_layout,
            vertex: "shadow_vertex",
            buffers: &[],
            fragment,
            primitive: Default::default(),
            depth_write: true,
            depth_compare: wgpu::CompareFunction::Less,
            bias: wgpu::DepthBiasState {
                constant: 1,
                slope_scale: 2.0,
                clamp: 0.0,
            },
            blend: None,
            samples: 1,
        })
    }

    fn sky(&self) -> wgpu::RenderPipeline {
        self.render(RenderStages {
            layout: &self.render_layout,
            vertex: "sky_vertex",
            buffers: &[],
            fragment: Some("sky_fragment"),
            primitive: Default::default(),
            depth_write: false,
            depth_compare: wgpu::CompareFunction::LessEqual,
            bias: Default::default(),
            blend: Some(wgpu::BlendState::REPLACE),
            samples: SAMPLES,
        })
    }

    fn line(&self, fragment: &str, compare: wgpu::CompareFunction) -> wgpu::RenderPipeline {
        self.render(RenderStages {
            layout: &self.render_layout,
            vertex: "line_vertex",
            buffers: &[Some(LINE_LAYOUT)],
            fragment: Some(fragment),
            primitive: wgpu::PrimitiveState {
                topology: wgpu::PrimitiveTopology::TriangleStrip,
                ..Default::default()
            },
            depth_write: false,
            depth_compare: compare,
            bias: Default::default(),
            blend: Some(wgpu::BlendState::ALPHA_BLENDING),
            samples: SAMPLES,
        })
    }

    fn skinned_points(&self) -> wgpu::RenderPipeline {
        let targets = [Some(POINT_FORMAT.into()), Some(POINT_FORMAT.into())];
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some("skinned_points"),
                layout: Some(&self.points_layout),
                vertex: wgpu::VertexState {
                    module: &self.module,
                    entry_point: Some("point_vertex"),
                    compilation_options: Default::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState {
                    topology: wgpu::PrimitiveTopology::PointList,
                    ..Default::default()
                },
                depth_stencil: None,
                multisample: Default::default(),
                fragment: Some(wgpu::FragmentState {
                    module: &self.module,
                    entry_point: Some("point_fragment"),
                    compilation_options: Default::default(),
                    targets: &targets,
                }),
                multiview_mask: None,
                cache: None,
            })
    }

    fn skin(&self) -> wgpu::ComputePipeline {
        self.device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("skin_vertices"),
                layout: Some(&self.skin_layout),
                module: &self.module,
                entry_point: Some("skin_vertices"),
                compilation_options: Default::default(),
                cache: None,
            })
    }
}

fn pipeline_layout(device: &wgpu::Device, groups: &[&BindGroupLayout]) -> wgpu::PipelineLayout {
    let groups: Vec<Option<&BindGroupLayout>> = groups.iter().copied().map(Some).collect();
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &groups,
        immediate_size: 0,
    })
}
