use glam::{Vec3, vec3};

use super::*;

/// Models of one entry for joint 1 and two parts, the first of which has a variant and a target.
struct Two {
    palette: Vec<PaletteEntry>,
    parts: Vec<Part>,
}

impl Two {
    fn new() -> Self {
        let part = |material, variants, targets| Part {
            first_index: 0,
            index_count: 3,
            palette_entry: 0,
            material,
            variants,
            targets,
        };
        let target = Target {
            channel: 2,
            first_delta: 10,
            first_vertex: 20,
            vertex_count: 30,
        };
        Self {
            palette: vec![PaletteEntry {
                joint: 1,
                inverse_bind: Affine3A::from_translation(vec3(0.0, -1.0, 0.0)),
            }],
            parts: vec![part(0, vec![(1, 2)], vec![target]), part(1, vec![], vec![])],
        }
    }
}

impl Parts for Two {
    fn model(&self, id: ModelId) -> Option<ModelParts<'_>> {
        (id.0 < 4).then_some(ModelParts {
            palette: &self.palette,
            parts: &self.parts,
            materials: 3,
            vertex_count: 100,
        })
    }
}

const SHAPES: ShapeModels = ShapeModels {
    cuboid: ModelId(2),
    plane: ModelId(3),
};

const ROOM: Capacity = Capacity {
    palette: 1000,
    instances: 1000,
    open_targets: 1000,
    skinned: 1000,
    skin_all: false,
};

fn gathered(scene: &Scene<'_>, capacity: Capacity) -> Gathered {
    let mut gathered = Gathered::default();
    gathered.gather(scene, &Two::new(), SHAPES, capacity);
    gathered
}

fn scene<'a>(draws: &'a [Draw<'a>]) -> Scene<'a> {
    Scene {
        draws,
        ..Default::default()
    }
}

#[test]
fn actors_of_one_model_share_draw_calls() {
    let draws = [0, 1, 0, 0].map(|id| Draw::new(ModelId(id), &[]));
    let gathered = gathered(&scene(&draws), ROOM);
    let calls: Vec<_> = gathered
        .batches
        .iter()
        .map(|batch| (batch.key.model.0, batch.key.part, batch.instance_count))
        .collect();
    assert_eq!(calls, [(0, 0, 3), (0, 1, 3), (1, 0, 1), (1, 1, 1)]);
    assert_eq!(gathered.palette.len(), 4);
}

#[test]
fn another_look_is_another_draw_call() {
    let mut draws = [0, 0].map(|id| Draw::new(ModelId(id), &[]));
    draws[1].variant = Some(1);
    let gathered = gathered(&scene(&draws), ROOM);
    let materials: Vec<u32> = gathered.batches.iter().map(|b| b.key.material).collect();
    assert_eq!(materials, [0, 2, 1]);
}

#[test]
fn hidden_and_removed_models_are_left_out() {
    let mut draws = [0, 9].map(|id| Draw::new(ModelId(id), &[]));
    draws[0].visible = false;
    let gathered = gathered(&scene(&draws), ROOM);
    assert!(gathered.batches.is_empty() && gathered.palette.is_empty());
}

#[test]
fn a_palette_row_takes_a_rest_vertex_to_the_world() {
    let joints = [
        Affine3A::IDENTITY,
        Affine3A::from_rotation_z(1.0) * Affine3A::from_translation(vec3(0.5, 0.0, 0.0)),
    ];
    let world = Affine3A::from_translation(vec3(3.0, 0.0, 0.0));
    let draws = [Draw {
        world,
        ..Draw::new(ModelId(0), &joints)
    }];
    let gathered = gathered(&scene(&draws), ROOM);
    let rest = vec3(0.2, 0.7, -0.4);
    let shown = gathered.palette[0].map(|row| row.dot(rest.extend(1.0)));
    let expected = world.transform_point3(joints[1].transform_point3(rest - Vec3::Y));
    assert!(Vec3::from(shown).distance(expected) < 1e-6);
}

#[test]
fn only_targets_with_a_weight_are_open() {
    let draws = [
        Draw::new(ModelId(0), &[]),
        Draw {
            morphs: &[9.0, 9.0, 0.5],
            ..Draw::new(ModelId(0), &[])
        },
        Draw {
            morphs: &[9.0, 9.0, 0.0],
            ..Draw::new(ModelId(0), &[])
        },
    ];
    let gathered = gathered(&scene(&draws), ROOM);
    assert_eq!(gathered.open_targets.len(), 1);
    assert_eq!(gathered.open_targets[0].weight, 0.5);
    let open: Vec<u32> = gathered.instances.iter().map(|i| i.open_count).collect();
    assert_eq!(open, [0, 1, 0, 0, 0, 0]);
}

#[test]
fn more_targets_than_the_vertex_stage_is_made_for_are_blended_ahead() {
    let mut models = Two::new();
    let target = models.parts[0].targets[0];
    models.parts[0].targets = (0..9).map(|channel| Target { channel, ..target }).collect();
    let eight = [-0.5; 8];
    let nine = [0.1; 9];
    let draws = [eight.as_slice(), &nine, &eight, &nine].map(|morphs| Draw {
        morphs,
        ..Draw::new(ModelId(0), &[])
    });
    let mut gathered = Gathered::default();
    gathered.gather(&scene(&draws), &models, SHAPES, ROOM);
    let ahead: Vec<u32> = gathered.instances[..4]
        .iter()
        .map(|instance| instance.first_skinned)
        .collect();
    assert_eq!(ahead, [NOT_AHEAD, 0, NOT_AHEAD, 100]);
    assert_eq!((gathered.skinned_ahead, gathered.skinned_count), (2, 200));
    assert_eq!(gathered.open_targets.len(), 34, "none is left out");

    let no_room = Capacity {
        skinned: 150,
        ..ROOM
    };
    gathered.gather(&scene(&draws), &models, SHAPES, no_room);
    assert_eq!((gathered.skinned_ahead, gathered.left_out), (1, 0));
    assert_eq!(gathered.open_targets.len(), 34);
}

#[test]
fn what_does_not_fit_is_counted_and_left_out() {
    let draws = [0; 5].map(|id| Draw::new(ModelId(id), &[]));
    let room = Capacity { palette: 3, ..ROOM };
    let gathered = gathered(&scene(&draws), room);
    assert_eq!((gathered.left_out, gathered.palette.len()), (2, 3));
}

#[test]
fn the_second_frame_finds_all_the_room_it_needs() {
    let draws: Vec<Draw<'_>> = (0..100).map(|id| Draw::new(ModelId(id % 3), &[])).collect();
    let room = Capacity {
        skinned: 100_000,
        skin_all: true,
        ..ROOM
    };
    let mut gathered = Gathered::default();
    let rooms = |g: &Gathered| {
        [
            g.palette.capacity(),
            g.instances.capacity(),
            g.batches.capacity(),
            g.runs.capacity(),
            g.items.capacity(),
            g.order.capacity(),
            g.run_instances.capacity(),
        ]
    };
    gathered.gather(&scene(&draws), &Two::new(), SHAPES, room);
    let before = rooms(&gathered);
    gathered.gather(&scene(&draws), &Two::new(), SHAPES, room);
    assert_eq!(rooms(&gathered), before);
    assert_eq!(gathered.items.len(), 200);
}

#[test]
fn a_mirrored_actor_turns_its_triangles_round() {
    let draws = [1.0, -1.0].map(|side| Draw {
        world: Affine3A::from_scale(vec3(side, 1.0, 1.0)),
        ..Draw::new(ModelId(0), &[])
    });
    let gathered = gathered(&scene(&draws), ROOM);
    let mirrored: Vec<bool> = gathered.batches.iter().map(|b| b.key.mirrored).collect();
    assert_eq!(mirrored, [false, true, false, true]);
}

#[test]
fn the_compute_pass_gets_each_actor_once() {
    let draws = [1, 0, 1].map(|id| Draw::new(ModelId(id), &[]));
    let room = Capacity {
        skin_all: true,
        ..ROOM
    };
    let gathered = gathered(&scene(&draws), room);
    let runs: Vec<_> = gathered
        .runs
        .iter()
        .map(|run| (run.model.0, run.first_instance, run.instance_count))
        .collect();
    assert_eq!(runs, [(0, 6, 1), (1, 7, 2)]);
    let skinned: Vec<u32> = gathered.instances[6..]
        .iter()
        .map(|i| i.first_skinned)
        .collect();
    assert_eq!(skinned, [0, 100, 200]);
}
