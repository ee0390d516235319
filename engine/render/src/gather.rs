//! From a scene to the flat lists of a frame: palettes, open morph targets, instances and the draw
//! calls over them. No GPU here.

use bytemuck::{Pod, Zeroable};
use glam::{Affine3A, Vec4};

use crate::{
    Draw, ModelId, Scene, Shape, ShapeDraw,
    geometry::{PaletteEntry, Part, Target},
    shapes::world_of_unit,
};

/// The most morph targets with a weight, a part and actor each, that the vertex stage blends. It blends all of them
/// once for the shadow and once for the picture, so an actor with more is blended and skinned ahead, by the same function
/// in the compute pass: nothing is left out, and nothing moves when an actor goes from one way to the other.
pub const MAX_VERTEX_TARGETS: usize = 8;

/// Mirrors an element of `palette` in `frame.wgsl`: three rows.
pub(crate) type PaletteRows = [Vec4; 3];

/// Mirrors `Instance` in `frame.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct Instance {
    pub first_palette: u32,
    pub first_open: u32,
    pub open_count: u32,
    /// [`NOT_AHEAD`] for what the vertex stage skins.
    pub first_skinned: u32,
    pub tint: [f32; 4],
}

/// Mirrors `NOT_AHEAD` in `frame.wgsl`.
const NOT_AHEAD: u32 = u32::MAX;

/// Mirrors `OpenTarget` in `skin.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub(crate) struct OpenTarget {
    pub first_delta: u32,
    pub first_vertex: u32,
    pub vertex_count: u32,
    pub weight: f32,
}

/// What instances must share to be drawn by one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct BatchKey {
    pub model: ModelId,
    pub part: u32,
    pub material: u32,
    pub mirrored: bool,
}

/// One draw call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Batch {
    pub key: BatchKey,
    pub first_instance: u32,
    pub instance_count: u32,
}

/// All actors of one model, for the compute pass; their instances stand next to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ModelRun {
    pub model: ModelId,
    pub first_instance: u32,
    pub instance_count: u32,
}

/// What gathering has to know of a model.
pub(crate) trait Parts {
    /// `None` for a model that is gone.
    fn model(&self, id: ModelId) -> Option<ModelParts<'_>>;
}

/// The CPU's share of a model.
#[derive(Clone, Copy)]
pub(crate) struct ModelParts<'a> {
    pub palette: &'a [PaletteEntry],
    pub parts: &'a [Part],
    pub materials: u32,
    pub vertex_count: u32,
}

/// The most elements that the GPU's buffers take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Capacity {
    pub palette: usize,
    pub instances: usize,
    pub open_targets: usize,
    /// Vertices that the compute pass writes.
    pub skinned: usize,
    /// Everything is skinned in the compute pass, not only what the vertex stage is not made for.
    pub skin_all: bool,
}

struct Item {
    key: BatchKey,
    draw: u32,
    instance: Instance,
}

/// The lists of one frame, kept from frame to frame so that nothing is allocated once warm.
#[derive(Default)]
pub(crate) struct Gathered {
    pub palette: Vec<PaletteRows>,
    pub open_targets: Vec<OpenTarget>,
    pub instances: Vec<Instance>,
    pub batches: Vec<Batch>,
    pub runs: Vec<ModelRun>,
    /// Vertices that the compute pass writes.
    pub skinned_count: usize,
    /// Draws and shapes that the compute pass skins.
    pub skinned_ahead: usize,
    /// Draws and shapes for which the buffers had no room.
    pub left_out: usize,
    order: Vec<u32>,
    items: Vec<Item>,
    run_instances: Vec<Instance>,
}

/// The built-in models of shapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ShapeModels {
    pub cuboid: ModelId,
    pub plane: ModelId,
}

impl Gathered {
    /// Replaces all lists by those of `scene`.
    pub fn gather(
        &mut self,
        scene: &Scene<'_>,
        models: &impl Parts,
        shapes: ShapeModels,
        capacity: Capacity,
    ) {
        self.clear();
        self.order_by_model(scene.draws);
        for position in 0..self.order.len() {
            let index = self.order[position];
            let draw = &scene.draws[index as usize];
            if let Some(model) = models.model(draw.model) {
                self.add(index, draw, model, capacity);
            }
        }
        for (index, shape) in scene.shapes.iter().enumerate() {
            self.add_shape(index, shape, models, shapes, capacity);
        }
        self.make_batches();
        let first = self.instances.len() as u32;
        self.runs
            .iter_mut()
            .for_each(|run| run.first_instance += first);
        self.instances.extend_from_slice(&self.run_instances);
        self.skinned_ahead = self.run_instances.len();
    }

    fn clear(&mut self) {
        self.palette.clear();
        self.open_targets.clear();
        self.instances.clear();
        self.batches.clear();
        self.runs.clear();
        self.order.clear();
        self.items.clear();
        self.run_instances.clear();
        self.skinned_count = 0;
        self.left_out = 0;
    }

    fn order_by_model(&mut self, draws: &[Draw<'_>]) {
        let visible = draws.iter().enumerate().filter(|(_, draw)| draw.visible);
        self.order.extend(visible.map(|(index, _)| index as u32));
        self.order
            .sort_unstable_by_key(|&index| (draws[index as usize].model, index));
    }

    fn add_shape(
        &mut self,
        index: usize,
        shape: &ShapeDraw,
        models: &impl Parts,
        shapes: ShapeModels,
        capacity: Capacity,
    ) {
        let id = match shape.shape {
            Shape::Box { .. } => shapes.cuboid,
            Shape::Plane => shapes.plane,
        };
        let draw = Draw {
            world: world_of_unit(shape),
            tint: shape.color,
            ..Draw::new(id, &[])
        };
        if let Some(model) = models.model(id) {
            self.add(index as u32, &draw, model, capacity);
        }
    }

    fn add(&mut self, index: u32, draw: &Draw<'_>, model: ModelParts<'_>, capacity: Capacity) {
        let open_of = |part: &Part| {
            let targets = part.targets.iter();
            targets.filter(|target| weight(draw, target) != 0.0).count()
        };
        let open: usize = model.parts.iter().map(open_of).sum();
        let most_open = model.parts.iter().map(open_of).max().unwrap_or(0);
        let has_room = self.skinned_count + model.vertex_count as usize <= capacity.skinned;
        let fits = self.palette.len() + model.palette.len() <= capacity.palette
            && self.open_targets.len() + open <= capacity.open_targets
            && self.items.len() + self.run_instances.len() + model.parts.len() < capacity.instances
            && (!capacity.skin_all || has_room);
        if !fits {
            self.left_out += 1;
            return;
        }
        // What has no room there is blended by the vertex stage, whatever that costs.
        let ahead = has_room && (capacity.skin_all || most_open > MAX_VERTEX_TARGETS);
        let mut instance = Instance {
            first_palette: self.palette.len() as u32,
            first_open: self.open_targets.len() as u32,
            open_count: 0,
            first_skinned: if ahead {
                self.skinned_count as u32
            } else {
                NOT_AHEAD
            },
            tint: draw.tint,
        };
        let all_open = instance.first_open;
        self.add_palette(draw, model.palette);
        for (part_index, part) in model.parts.iter().enumerate() {
            instance.first_open = self.open_targets.len() as u32;
            let open = part
                .targets
                .iter()
                .filter(|target| weight(draw, target) != 0.0);
            self.open_targets.extend(open.map(|target| OpenTarget {
                first_delta: target.first_delta,
                first_vertex: target.first_vertex,
                vertex_count: target.vertex_count,
                weight: weight(draw, target),
            }));
            instance.open_count = self.open_targets.len() as u32 - instance.first_open;
            let entry = instance.first_palette as usize + part.palette_entry as usize;
            self.items.push(Item {
                key: BatchKey {
                    model: draw.model,
                    part: part_index as u32,
                    material: material(part, draw.variant).min(model.materials - 1),
                    mirrored: self.palette.get(entry).is_some_and(is_mirrored),
                },
                draw: index,
                instance,
            });
        }
        if ahead {
            instance.first_open = all_open;
            instance.open_count = self.open_targets.len() as u32 - all_open;
            self.add_to_run(draw.model, instance);
            self.skinned_count += model.vertex_count as usize;
        }
    }

    fn add_palette(&mut self, draw: &Draw<'_>, palette: &[PaletteEntry]) {
        self.palette.extend(palette.iter().map(|entry| {
            let joint = draw.joints_model.get(usize::from(entry.joint));
            let joint_model = joint.copied().unwrap_or(Affine3A::IDENTITY);
            rows(draw.world * (joint_model * entry.inverse_bind))
        }));
    }

    fn add_to_run(&mut self, model: ModelId, instance: Instance) {
        match self.runs.last_mut() {
            Some(run) if run.model == model => run.instance_count += 1,
            _ => self.runs.push(ModelRun {
                model,
                first_instance: self.run_instances.len() as u32,
                instance_count: 1,
            }),
        }
        self.run_instances.push(instance);
    }

    fn make_batches(&mut self) {
        self.items
            .sort_unstable_by_key(|item| (item.key, item.draw));
        for item in &self.items {
            match self.batches.last_mut() {
                Some(batch) if batch.key == item.key => batch.instance_count += 1,
                _ => self.batches.push(Batch {
                    key: item.key,
                    first_instance: self.instances.len() as u32,
                    instance_count: 1,
                }),
            }
            self.instances.push(item.instance);
        }
    }
}

fn weight(draw: &Draw<'_>, target: &Target) -> f32 {
    draw.morphs.get(target.channel).copied().unwrap_or(0.0)
}

fn material(part: &Part, variant: Option<usize>) -> u32 {
    let of_variant = |&&(of, _): &&(usize, u32)| Some(of) == variant;
    part.variants
        .iter()
        .find(of_variant)
        .map_or(part.material, |&(_, material)| material)
}

fn rows(matrix: Affine3A) -> PaletteRows {
    let rows = matrix.matrix3.transpose();
    let offset = matrix.translation;
    [
        rows.x_axis.extend(offset.x),
        rows.y_axis.extend(offset.y),
        rows.z_axis.extend(offset.z),
    ]
}

fn is_mirrored(rows: &PaletteRows) -> bool {
    let [x, y, z] = rows.map(Vec4::truncate);
    x.cross(y).dot(z) < 0.0
}

#[cfg(test)]
mod tests {
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
}
