//! What must neither panic nor upset the GPU.

use std::sync::atomic::Ordering;

use glam::{Affine3A, Vec3, vec3};
use sinew_model::{Mesh, Model, Primitive, Texture};
use sinew_render::{
    Camera, Draw, Line, RenderError, Renderer, Scene, Shape, ShapeDraw, Skinning, capture, wgpu,
};

use super::{
    color_at,
    figures::{GREEN, RED, cube, tube},
    pixel, stage,
};

const FRONT: Camera = Camera {
    eye_world: vec3(0.0, 0.0, 4.0),
    target_world: Vec3::ZERO,
    fov_y: 0.8,
    near: 0.05,
    far: 100.0,
};

#[test]
fn models_without_meshes_and_scenes_without_anything_are_drawn() {
    let Some(mut stage) = stage() else { return };
    let mut holes = cube();
    holes.meshes[0].primitives = vec![Primitive::default(), Primitive::default()];
    let mut nothing = cube();
    nothing.meshes = vec![Mesh::default()];
    let ids = [Model::default(), holes, nothing]
        .map(|model| stage.renderer.upload(stage.gpu, &model).expect("fits"));
    for skinning in [Skinning::Vertex, Skinning::Compute] {
        stage.renderer.skinning = skinning;
        stage.picture(&Scene::default());
        let draws = ids.map(|id| Draw::new(id, &[]));
        let picture = stage.picture(&Scene {
            draws: &draws,
            ..Default::default()
        });
        assert_eq!(picture.stats.triangles, 0);
    }
}

#[test]
fn a_window_of_no_size_draws_nothing_and_the_next_size_does() {
    let Some(mut stage) = stage() else { return };
    let shown = |stage: &mut super::Stage, width, height| {
        capture(
            stage.gpu,
            &mut stage.renderer,
            &Scene::default(),
            width,
            height,
            None,
        )
    };
    for [width, height] in [[0, 90], [160, 0], [1_000_000, 1]] {
        let error = shown(&mut stage, width, height).expect_err("no such picture");
        assert!(matches!(error, RenderError::PictureSize { .. }), "{error}");
    }
    for [width, height] in [[1, 1], [163, 91], [64, 64], [163, 91]] {
        let picture = shown(&mut stage, width, height).expect("a picture");
        assert_eq!(picture.rgba.len() as u32, width * height * 4);
    }
    let texture = stage.gpu.device.create_texture(&wgpu::TextureDescriptor {
        label: None,
        size: wgpu::Extent3d::default(),
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: stage.renderer.target_format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
        view_formats: &[],
    });
    let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
    let minimised = stage
        .renderer
        .render(stage.gpu, &view, [0, 0], &Scene::default());
    assert_eq!(minimised, sinew_render::FrameStats::default());
    assert_eq!(stage.gpu.errors.load(Ordering::Relaxed), 0);
}

#[test]
fn a_replaced_model_is_drawn_anew_and_a_removed_one_no_more() {
    let Some(mut stage) = stage() else { return };
    let id = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
    let draws = [Draw::new(id, &[])];
    let scene = Scene {
        camera: FRONT,
        draws: &draws,
        ..Default::default()
    };
    let middle = |stage: &mut super::Stage| color_at(&stage.picture(&scene), &FRONT, Vec3::ZERO);
    assert_eq!(middle(&mut stage), RED);
    let mut green = cube();
    green.materials.swap(0, 1);
    stage.renderer.replace(stage.gpu, id, &green).expect("fits");
    assert_eq!(middle(&mut stage), GREEN);
    stage.renderer.remove(id);
    let gone = middle(&mut stage);
    assert!(gone != GREEN && gone != RED);
    let other = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
    assert_ne!(other, id, "an old id never shows another model");
}

#[test]
fn wrong_indices_textures_and_numbers_of_joints_are_survived() {
    let Some(mut stage) = stage() else { return };
    let mut model = tube(3, 3);
    let primitive = &mut model.meshes[0].primitives[0];
    primitive.triangles.extend([0, 1, u32::MAX, 5]);
    primitive.influences.joints[0] = 999;
    primitive.material = Some(77);
    primitive.variant_materials = vec![(0, 99)];
    primitive.normals.truncate(3);
    model.textures = vec![Texture {
        width: 70_000,
        height: 70_000,
        rgba: vec![1],
    }];
    let id = stage.renderer.upload(stage.gpu, &model).expect("fits");
    let draws = [
        Draw::new(id, &[]),
        Draw {
            variant: Some(0),
            morphs: &[f32::NAN, 1.0, 1.0],
            world: Affine3A::from_scale(Vec3::ZERO),
            ..Draw::new(id, &[])
        },
        Draw {
            variant: Some(100),
            world: Affine3A::from_translation(Vec3::NAN),
            ..Draw::new(id, &[])
        },
    ];
    for skinning in [Skinning::Vertex, Skinning::Compute] {
        stage.renderer.skinning = skinning;
        stage.picture(&Scene {
            draws: &draws,
            ..Default::default()
        });
    }
}

#[test]
fn odd_cameras_lines_and_shapes_are_survived() {
    let Some(mut stage) = stage() else { return };
    let points = [
        Vec3::ZERO,
        Vec3::NAN,
        Vec3::INFINITY,
        Vec3::splat(1e30),
        FRONT.eye_world,
    ];
    let lines: Vec<Line> = points
        .iter()
        .flat_map(|&from_world| {
            points.map(|to_world| Line {
                from_world,
                to_world,
                color: [1.0; 4],
            })
        })
        .collect();
    for point in points {
        let shape = ShapeDraw {
            shape: Shape::Box {
                half_extents: point,
            },
            world: Affine3A::from_translation(point),
            color: [f32::NAN; 4],
        };
        stage.picture(&Scene {
            camera: Camera {
                eye_world: point,
                far: f32::INFINITY,
                ..Default::default()
            },
            shapes: &[shape],
            lines: &lines,
            ..Default::default()
        });
    }
}

#[test]
fn many_actors_and_then_few_fit_the_same_buffers() {
    let Some(mut stage) = stage() else { return };
    let id = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
    let draws: Vec<Draw<'_>> = (0..300)
        .map(|index| Draw {
            world: Affine3A::from_translation(vec3(index as f32 * 1.5, 0.0, 0.0)),
            ..Draw::new(id, &[])
        })
        .collect();
    for count in [1, 300, 0, 7] {
        let picture = stage.picture(&Scene {
            camera: FRONT,
            draws: &draws[..count],
            ..Default::default()
        });
        assert_eq!(picture.stats.instances, count as u32);
        assert_eq!(picture.stats.draw_calls, count.min(1) as u32);
        let middle = color_at(&picture, &FRONT, Vec3::ZERO);
        assert_eq!(middle == RED, count > 0);
    }
}

#[test]
fn an_overlay_is_in_the_picture() {
    let Some(mut stage) = stage() else { return };
    let mut paint = |gpu: &sinew_render::Gpu, view: &wgpu::TextureView| {
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: None,
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::GREEN),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        gpu.queue.submit([encoder.finish()]);
    };
    let scene = Scene::default();
    let picture = capture(
        stage.gpu,
        &mut stage.renderer,
        &scene,
        8,
        8,
        Some(&mut paint),
    );
    assert_eq!(pixel(&picture.expect("a picture"), [4, 4]), GREEN);
}

#[test]
fn targets_of_every_byte_order_and_encoding_look_the_same() {
    let Some(mut stage) = stage() else { return };
    let id = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
    let expected = stage.picture(&Scene {
        draws: &[Draw::new(id, &[])],
        ..Default::default()
    });
    for format in [
        wgpu::TextureFormat::Rgba8Unorm,
        wgpu::TextureFormat::Bgra8Unorm,
        wgpu::TextureFormat::Bgra8UnormSrgb,
    ] {
        stage.renderer = Renderer::new(stage.gpu, format).expect("a renderer");
        let id = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
        let picture = stage.picture(&Scene {
            draws: &[Draw::new(id, &[])],
            ..Default::default()
        });
        // Edges are averaged before or after encoding, so they may differ.
        let pairs = picture.rgba.iter().zip(&expected.rgba);
        let differing = pairs.filter(|(a, b)| a.abs_diff(**b) > 2).count();
        assert!(differing < 2000, "{format:?}: {differing}");
    }
}
