//! What can be seen: light, shadows, colours, lines.

use glam::{Affine3A, Vec3, vec3};
use sinew_model::Texture;
use sinew_render::{Camera, Draw, Line, Scene, Shape, ShapeDraw, Sun};

use super::{
    brightness, color_at,
    figures::{BLUE, GREEN, RED, bent, card, cube, plain, tube},
    largest_difference, pixel, stage,
};

const FLOOR: ShapeDraw = ShapeDraw {
    shape: Shape::Plane,
    world: Affine3A::IDENTITY,
    color: [0.3, 0.3, 0.3, 1.0],
};

/// In front of the origin, level with it.
const FRONT: Camera = Camera {
    eye_world: vec3(0.0, 0.0, 4.0),
    target_world: Vec3::ZERO,
    fov_y: 0.8,
    near: 0.05,
    far: 100.0,
};

/// Above, in front.
const ABOVE: Camera = Camera {
    eye_world: vec3(0.0, 4.0, 6.0),
    target_world: vec3(0.0, 0.5, 0.0),
    ..FRONT
};

fn front<'a>(draws: &'a [Draw<'a>]) -> Scene<'a> {
    Scene {
        camera: FRONT,
        draws,
        ..Default::default()
    }
}

fn shown_at(x: f32) -> Affine3A {
    Affine3A::from_translation(vec3(x, 0.0, 0.0))
}

#[test]
fn a_shadow_lies_where_the_sun_puts_it_and_is_darker_than_the_lit_floor() {
    let Some(mut stage) = stage() else { return };
    let joints = bent(4, 0.1);
    let model = stage.renderer.upload(stage.gpu, &tube(4, 4)).expect("fits");
    let draws = [Draw::new(model, &joints)];
    for side in [-1.0, 1.0] {
        let scene = Scene {
            camera: ABOVE,
            sun: Sun {
                direction_world: vec3(side, -1.0, 0.0),
                ..Default::default()
            },
            draws: &draws,
            shapes: &[FLOOR],
            ..Default::default()
        };
        let picture = stage.picture(&scene);
        // The tube is near one metre high there, so its shadow falls one metre aside.
        let shade = color_at(&picture, &ABOVE, vec3(side, 0.0, 0.0));
        let lit = color_at(&picture, &ABOVE, vec3(-side, 0.0, 0.0));
        assert!(
            brightness(shade) * 3 < brightness(lit) * 2,
            "{shade:?} against {lit:?}"
        );
    }
}

#[test]
fn a_lit_floor_has_no_stripes() {
    let Some(mut stage) = stage() else { return };
    let low = Sun {
        direction_world: vec3(1.0, -0.25, 0.3),
        ..Default::default()
    };
    let slab = ShapeDraw {
        shape: Shape::Box {
            half_extents: vec3(20.0, 0.5, 20.0),
        },
        world: Affine3A::from_translation(Vec3::Y * -0.5),
        color: FLOOR.color,
    };
    for ground in [FLOOR, slab] {
        let picture = stage.picture(&Scene {
            camera: ABOVE,
            sun: low,
            shapes: &[ground],
            ..Default::default()
        });
        let row = |x: u32| brightness(pixel(&picture, [x, 110]));
        for x in 1..320 {
            assert!(row(x).abs_diff(row(x - 1)) < 6, "a step at column {x}");
        }
    }
}

#[test]
fn a_shadow_touches_the_foot_of_what_casts_it() {
    let Some(mut stage) = stage() else { return };
    let camera = Camera {
        eye_world: vec3(0.0, 1.0, 2.0),
        target_world: Vec3::ZERO,
        ..FRONT
    };
    let cube = ShapeDraw {
        shape: Shape::Box {
            half_extents: Vec3::splat(0.25),
        },
        world: Affine3A::from_translation(Vec3::Y * 0.25),
        color: [0.8, 0.2, 0.2, 1.0],
    };
    let picture = stage.picture(&Scene {
        camera,
        sun: Sun {
            direction_world: vec3(1.0, -1.0, 0.0),
            ..Default::default()
        },
        shapes: &[FLOOR, cube],
        ..Default::default()
    });
    let lit = brightness(color_at(&picture, &camera, vec3(-0.6, 0.0, 0.2)));
    for away in [0.02, 0.05, 0.1, 0.3, 0.45] {
        let shade = brightness(color_at(&picture, &camera, vec3(0.25 + away, 0.0, 0.2)));
        assert!(
            shade * 3 < lit * 2,
            "{away} m from the foot: {shade} against {lit}"
        );
    }
}

#[test]
fn a_rigid_mesh_follows_its_joint_and_its_actor() {
    let Some(mut stage) = stage() else { return };
    let mut model = cube();
    model.meshes[0].joint = 1;
    let model = stage.renderer.upload(stage.gpu, &model).expect("fits");
    let joints = [shown_at(7.0), shown_at(1.0)];
    let draws = [Draw {
        world: shown_at(-2.0),
        ..Draw::new(model, &joints)
    }];
    let picture = stage.picture(&front(&draws));
    assert_eq!(color_at(&picture, &FRONT, vec3(-1.0, 0.0, 0.0)), RED);
    for elsewhere in [-2.0, 0.0, 1.0] {
        assert_ne!(color_at(&picture, &FRONT, vec3(elsewhere, 0.0, 0.0)), RED);
    }
}

#[test]
fn tint_and_variant_change_the_colour_of_one_actor_only() {
    let Some(mut stage) = stage() else { return };
    let model = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
    let draws = [
        Draw {
            world: shown_at(-1.5),
            ..Draw::new(model, &[])
        },
        Draw {
            variant: Some(0),
            ..Draw::new(model, &[])
        },
        Draw {
            world: shown_at(1.5),
            tint: [0.0, 1.0, 1.0, 1.0],
            ..Draw::new(model, &[])
        },
    ];
    let picture = stage.picture(&front(&draws));
    let shown = [-1.5, 0.0, 1.5].map(|x| color_at(&picture, &FRONT, vec3(x, 0.0, 0.0)));
    assert_eq!(shown, [RED, GREEN, [0, 0, 0]]);
    assert_eq!(picture.stats.draw_calls, 2, "two actors share a look");
    assert_eq!(picture.stats.instances, 3);
}

#[test]
fn a_texture_and_vertex_colours_multiply() {
    let Some(mut stage) = stage() else { return };
    let mut model = card();
    model.textures = vec![Texture {
        width: 4,
        height: 1,
        rgba: [[255; 8], [0, 0, 255, 255, 0, 0, 255, 255]].concat(),
    }];
    model.materials[0] = plain([1.0; 4]);
    model.materials[0].base_color_texture = Some(0);
    model.meshes[0].primitives[0].colors = vec![[1.0, 0.0, 1.0, 1.0]; 4];
    let model = stage.renderer.upload(stage.gpu, &model).expect("fits");
    let picture = stage.picture(&front(&[Draw::new(model, &[])]));
    let left = color_at(&picture, &FRONT, vec3(-0.2, 0.0, 0.0));
    let right = color_at(&picture, &FRONT, vec3(0.2, 0.0, 0.0));
    assert_eq!((left, right), ([255, 0, 255], BLUE));
}

#[test]
fn alpha_below_the_cutoff_is_a_hole_in_the_picture_and_in_the_shadow() {
    let Some(mut stage) = stage() else { return };
    let mut model = card();
    model.materials[0].alpha_cutoff = Some(0.5);
    model.materials[0].double_sided = true;
    let model = stage.renderer.upload(stage.gpu, &model).expect("fits");
    let camera = ABOVE;
    let sun = Sun {
        direction_world: vec3(0.5, -1.0, 0.0),
        ..Default::default()
    };
    let flat = Affine3A::from_translation(vec3(0.0, 1.0, 0.0)) * Affine3A::from_rotation_x(-1.57);
    let mut shown = |alpha: f32| {
        let draws = [Draw {
            world: flat,
            tint: [1.0, 1.0, 1.0, alpha],
            ..Draw::new(model, &[])
        }];
        let picture = stage.picture(&Scene {
            camera,
            sun,
            draws: &draws,
            shapes: &[FLOOR],
            ..Default::default()
        });
        let card = color_at(&picture, &camera, vec3(0.0, 1.0, 0.0));
        let floor = color_at(&picture, &camera, vec3(0.7, 0.0, 0.0));
        (card, brightness(floor))
    };
    let (solid, shade) = shown(0.6);
    let (hole, lit) = shown(0.4);
    assert_eq!(solid, RED);
    assert_ne!(hole, RED);
    assert!(shade * 3 < lit * 2, "{shade} against {lit}");
}

#[test]
fn the_back_of_a_surface_shows_only_if_it_is_double_sided() {
    let Some(mut stage) = stage() else { return };
    let mut both = card();
    both.materials[0].double_sided = true;
    let [single, both] =
        [card(), both].map(|m| stage.renderer.upload(stage.gpu, &m).expect("fits"));
    let turned = Affine3A::from_rotation_y(std::f32::consts::PI);
    let mirrored = Affine3A::from_scale(vec3(-1.0, 1.0, 1.0));
    let cases = [
        (single, Affine3A::IDENTITY, true),
        (single, turned, false),
        (single, mirrored, true),
        (single, turned * mirrored, false),
        (both, turned, true),
        (both, mirrored, true),
    ];
    for (model, world, seen) in cases {
        let draws = [Draw {
            world,
            ..Draw::new(model, &[])
        }];
        let picture = stage.picture(&front(&draws));
        let shown = color_at(&picture, &FRONT, Vec3::ZERO) == RED;
        assert_eq!(shown, seen, "{model:?} {world}");
    }
}

#[test]
fn a_line_is_seen_where_it_is_free_and_faintly_where_it_is_hidden() {
    let Some(mut stage) = stage() else { return };
    let model = stage.renderer.upload(stage.gpu, &cube()).expect("fits");
    let draws = [Draw::new(model, &[])];
    let across = |z: f32| Line {
        from_world: vec3(-1.5, 0.0, z),
        to_world: vec3(1.5, 0.0, z),
        color: [0.0, 0.0, 1.0, 1.0],
    };
    let mut shown = |line: Line, x: f32| {
        let scene = Scene {
            lines: &[line],
            ..front(&draws)
        };
        let point = vec3(x, 0.0, line.from_world.z);
        color_at(&stage.picture(&scene), &FRONT, point)
    };
    assert_eq!(shown(across(-1.0), 1.2), BLUE);
    assert_eq!(shown(across(0.6), 0.0), BLUE);
    let [red, _, blue] = shown(across(-1.0), 0.0);
    assert!(red > 200 && blue > 20, "{red} {blue}");
}

#[test]
fn a_line_from_behind_the_eye_runs_to_the_edge_of_the_picture() {
    let Some(mut stage) = stage() else { return };
    let line = Line {
        from_world: vec3(0.0, -1.0, 50.0),
        to_world: vec3(0.0, -1.0, 0.0),
        color: [0.0, 0.0, 1.0, 1.0],
    };
    let picture = stage.picture(&Scene {
        lines: &[line],
        ..front(&[])
    });
    let blue = |y: u32| (158..162).any(|x| pixel(&picture, [x, y]) == BLUE);
    assert!(blue(179) && blue(150), "below the horizon");
    assert!(!blue(60), "and not above it");
}

#[test]
fn the_grid_shows_on_planes_when_it_is_asked_for() {
    let Some(mut stage) = stage() else { return };
    let mut shown = |grid| {
        stage.picture(&Scene {
            camera: ABOVE,
            shapes: &[FLOOR],
            grid,
            ..Default::default()
        })
    };
    let (with, without) = (shown(true), shown(false));
    let line = |picture| brightness(color_at(picture, &ABOVE, vec3(0.0, 0.0, 1.5)));
    let between = |picture| brightness(color_at(picture, &ABOVE, vec3(0.5, 0.0, 1.5)));
    assert!(line(&with) + 15 < line(&without));
    assert_eq!(between(&with), between(&without));
}

#[test]
fn the_same_scene_gives_the_same_bytes() {
    let Some(mut stage) = stage() else { return };
    let joints = bent(4, 0.3);
    let model = stage.renderer.upload(stage.gpu, &tube(4, 4)).expect("fits");
    let draws = [Draw::new(model, &joints)];
    let scene = Scene {
        draws: &draws,
        shapes: &[FLOOR],
        grid: true,
        ..Default::default()
    };
    let first = stage.picture(&scene);
    stage.picture(&Scene::default());
    assert!(first == stage.picture(&scene));
}

#[test]
fn an_open_morph_target_moves_what_it_should() {
    let Some(mut stage) = stage() else { return };
    let joints = bent(4, 0.0);
    let model = stage.renderer.upload(stage.gpu, &tube(4, 4)).expect("fits");
    let camera = Camera {
        eye_world: vec3(0.0, 1.0, 4.0),
        target_world: vec3(0.0, 1.0, 0.0),
        ..FRONT
    };
    let mut shown = |morphs: &[f32]| {
        let draws = [Draw {
            morphs,
            ..Draw::new(model, &joints)
        }];
        stage.picture(&Scene {
            camera,
            draws: &draws,
            ..Default::default()
        })
    };
    let (thin, closed, thick) = (shown(&[]), shown(&[0.0]), shown(&[1.0]));
    assert_eq!(largest_difference(&thin, &closed), 0);
    assert_eq!(closed.stats.open_targets, 0);
    assert_eq!(thick.stats.open_targets, 1);
    // From 0.2 m to 0.5 m.
    let inside = |picture| color_at(picture, &camera, vec3(0.4, 1.0, 0.0));
    let outside = |picture| color_at(picture, &camera, vec3(0.7, 1.0, 0.0));
    assert_ne!(inside(&thin), inside(&thick));
    assert_eq!(outside(&thin), outside(&thick));
}
