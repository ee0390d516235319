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
mod tests;
