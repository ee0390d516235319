//! One shader module, and one pipeline for all meshes (times the ways to cull).

use wgpu::BindGroupLayout;

use crate::{
    Gpu,
    layouts::Layouts,
    lines::LINE_LAYOUT,
    read_skinned::POINT_FORMAT,
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
