//! From the world to a picture: the same for a window and for a file.

use std::{collections::BTreeMap, path::Path};

use anyhow::Context as _;
use glam::{Affine3A, Quat, Vec3};
use sinew_assets::{EnvironmentDef, LogicalPath, SunDef};
use sinew_render::{
    Camera, Draw, FrameStats, Gpu, Line, ModelId, OFFSCREEN_FORMAT, Picture, RenderError, Renderer,
    Scene, Shape, ShapeDraw, Sky, Sun, wgpu,
};
use sinew_world::{Actor, Actors, Animation, Debug, DebugShape, Static, StaticShape, World};

use crate::{
    overlay::{Overlay, Words},
    session::Session,
};

/// Draws sessions into targets of one format.
pub struct Painter {
    renderer: Renderer,
    overlay: Overlay,
    models: BTreeMap<LogicalPath, Uploaded>,
    shapes: Vec<ShapeDraw>,
    lines: Vec<Line>,
}

/// A model on the GPU; without an id it did not fit.
struct Uploaded {
    generation: u64,
    id: Option<ModelId>,
}

impl Painter {
    /// Builds all pipelines; takes a moment.
    ///
    /// # Errors
    /// The device takes nothing at all.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Result<Self, RenderError> {
        Ok(Self {
            renderer: Renderer::new(gpu, format)?,
            overlay: Overlay::new(gpu, format),
            models: BTreeMap::new(),
            shapes: Vec::new(),
            lines: Vec::new(),
        })
    }

    /// Draws what a session shows. `scale` is pixels a point of text; `stats` is the line of figures, if any.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        target: &wgpu::TextureView,
        size: [u32; 2],
        scale: f32,
        session: &Session,
        stats: Option<&str>,
    ) -> FrameStats {
        self.gather(gpu, &session.world);
        let draws = draws(&session.world, &self.models);
        let scene = scene(&session.world, &draws, &self.shapes, &self.lines);
        let drawn = self.renderer.render(gpu, target, size, &scene);
        let words = Words::of(session, &scene.camera, size, scale, stats);
        self.overlay.draw(gpu, target, size, scale, &words);
        drawn
    }

    /// Draws what a session shows into memory.
    ///
    /// # Errors
    /// A size that the device cannot make, or pixels that do not come back.
    pub fn picture(
        &mut self,
        gpu: &Gpu,
        size: [u32; 2],
        session: &Session,
    ) -> Result<Picture, RenderError> {
        self.gather(gpu, &session.world);
        let draws = draws(&session.world, &self.models);
        let scene = scene(&session.world, &draws, &self.shapes, &self.lines);
        let words = Words::of(session, &scene.camera, size, 1.0, None);
        let overlay = &mut self.overlay;
        let mut over =
            |gpu: &Gpu, view: &wgpu::TextureView| overlay.draw(gpu, view, size, 1.0, &words);
        sinew_render::capture(
            gpu,
            &mut self.renderer,
            &scene,
            size[0],
            size[1],
            Some(&mut over),
        )
    }

    fn gather(&mut self, gpu: &Gpu, world: &World) {
        for animation in world
            .actors
            .iter()
            .filter_map(|actor| actor.animation.as_ref())
        {
            self.upload(gpu, animation);
        }
        self.shapes.clear();
        self.shapes.extend(world.level.statics.iter().map(shape));
        self.lines.clear();
        add_lines(&world.debug, &world.actors, &mut self.lines);
    }

    fn upload(&mut self, gpu: &Gpu, animation: &Animation) {
        let loaded = &animation.model;
        let known = self.models.get(&animation.model_path);
        if known.is_some_and(|known| known.generation == loaded.generation) {
            return;
        }
        let sent = match known.and_then(|known| known.id) {
            Some(id) => self.renderer.replace(gpu, id, &loaded.value).map(|()| id),
            None => self.renderer.upload(gpu, &loaded.value),
        };
        let id = sent
            .inspect_err(|error| {
                tracing::error!("error: `{}` cannot be drawn: {error}", animation.model_path)
            })
            .ok();
        let uploaded = Uploaded {
            generation: loaded.generation,
            id,
        };
        self.models.insert(animation.model_path.clone(), uploaded);
    }
}

/// Draws the session's present moment into a PNG file, on any device, software included.
///
/// # Errors
/// No device, a size that it cannot make, a file that cannot be written.
pub fn save_picture(session: &Session, size: [u32; 2], file: &Path) -> anyhow::Result<()> {
    let gpu = Gpu::offscreen()?;
    let picture = Painter::new(&gpu, OFFSCREEN_FORMAT)?.picture(&gpu, size, session)?;
    if let Some(folder) = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    }
    let [width, height] = [picture.width, picture.height];
    image::save_buffer_with_format(
        file,
        &picture.rgba,
        width,
        height,
        image::ColorType::Rgba8,
        image::ImageFormat::Png,
    )
    .with_context(|| format!("cannot write the picture `{}`", file.display()))
}

fn scene<'a>(
    world: &World,
    draws: &'a [Draw<'a>],
    shapes: &'a [ShapeDraw],
    lines: &'a [Line],
) -> Scene<'a> {
    let environment = &world.level.def.environment;
    Scene {
        camera: camera(world),
        sun: sun(&environment.sun),
        sky: sky(environment),
        draws,
        shapes,
        lines,
        grid: environment.grid,
    }
}

fn camera(world: &World) -> Camera {
    Camera {
        eye_world: world.camera.eye_world,
        target_world: world.camera.target_world,
        fov_y: world.camera.fov_y,
        ..Camera::default()
    }
}

fn sun(sun: &SunDef) -> Sun {
    let (sin_yaw, cos_yaw) = sun.yaw.to_radians().sin_cos();
    let (sin_pitch, cos_pitch) = sun.pitch.to_radians().sin_cos();
    let towards = Vec3::new(sin_yaw * cos_pitch, sin_pitch, cos_yaw * cos_pitch);
    Sun {
        direction_world: -towards,
        color: Vec3::from(sun.color.linear()) * sun.strength * SUN,
    }
}

/// The renderer's own sun and sky are balanced against each other; a level's 1 and its default stand for them.
const SUN: f32 = 1.9;
const AMBIENT: f32 = 0.75 / 0.35;

fn sky(environment: &EnvironmentDef) -> Sky {
    Sky {
        zenith: environment.sky_top.linear().into(),
        horizon: environment.sky_horizon.linear().into(),
        ground: environment.ground.linear().into(),
        ambient: environment.ambient * AMBIENT,
        ..Sky::default()
    }
}

fn draws<'a>(world: &'a World, models: &BTreeMap<LogicalPath, Uploaded>) -> Vec<Draw<'a>> {
    let shown = world.actors.iter().filter(|actor| actor.visible);
    shown.filter_map(|actor| draw(actor, models)).collect()
}

fn draw<'a>(actor: &'a Actor, models: &BTreeMap<LogicalPath, Uploaded>) -> Option<Draw<'a>> {
    let animation = actor.animation.as_ref()?;
    let model = models.get(&animation.model_path)?.id?;
    Some(Draw {
        world: actor.world,
        morphs: &animation.pose.morphs,
        variant: actor.variant,
        tint: actor.tint,
        ..Draw::new(model, &animation.model_joints)
    })
}

fn shape(solid: &Static) -> ShapeDraw {
    let [red, green, blue] = solid.color;
    ShapeDraw {
        shape: match solid.shape {
            StaticShape::Box { half_extents } => Shape::Box { half_extents },
            StaticShape::Plane => Shape::Plane,
        },
        world: Affine3A::from_rotation_translation(
            Quat::from_rotation_y(solid.yaw),
            solid.center_world,
        ),
        color: [red, green, blue, 1.0],
    }
}

fn add_lines(debug: &Debug, actors: &Actors, lines: &mut Vec<Line>) {
    for &(shape, color, _) in &debug.shapes {
        match shape {
            DebugShape::Line(from_world, to_world) => lines.push(Line {
                from_world,
                to_world,
                color,
            }),
            DebugShape::Ring {
                center_world,
                radius,
            } => {
                add_circle(
                    center_world,
                    Vec3::X * radius,
                    Vec3::Z * radius,
                    color,
                    lines,
                );
            }
            DebugShape::Sphere {
                center_world,
                radius,
            } => {
                let [x, y, z] = Vec3::AXES.map(|axis| axis * radius);
                for (a, b) in [(x, y), (y, z), (z, x)] {
                    add_circle(center_world, a, b, color, lines);
                }
            }
            DebugShape::Skeleton(id) => {
                if let Some(actor) = actors.get(id) {
                    add_skeleton(actor, color, lines);
                }
            }
        }
    }
}

fn add_circle(center: Vec3, a: Vec3, b: Vec3, color: [f32; 4], lines: &mut Vec<Line>) {
    const SIDES: u16 = 28;
    let at = |side: u16| {
        let (sin, cos) = (f32::from(side) / f32::from(SIDES) * std::f32::consts::TAU).sin_cos();
        center + a * cos + b * sin
    };
    lines.extend((0..SIDES).map(|side| Line {
        from_world: at(side),
        to_world: at(side + 1),
        color,
    }));
}

fn add_skeleton(actor: &Actor, color: [f32; 4], lines: &mut Vec<Line>) {
    let Some(animation) = &actor.animation else {
        return;
    };
    let at = |joint: usize| {
        Some(
            actor
                .world
                .transform_point3(animation.model_joints.get(joint)?.translation.into()),
        )
    };
    for (joint, &parent) in animation.model.value.skeleton.parents.iter().enumerate() {
        if let (Some(from_world), Some(to_world)) = (at(usize::from(parent)), at(joint)) {
            lines.push(Line {
                from_world,
                to_world,
                color,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_circle_closes_and_keeps_its_radius() {
        let mut lines = Vec::new();
        add_circle(Vec3::Y, Vec3::X * 2.0, Vec3::Z * 2.0, [1.0; 4], &mut lines);
        for (line, next) in lines.iter().zip(lines.iter().cycle().skip(1)) {
            assert!(line.to_world.abs_diff_eq(next.from_world, 1e-5));
            assert!(((line.from_world - Vec3::Y).length() - 2.0).abs() < 1e-5);
        }
    }

    #[test]
    fn light_travels_away_from_where_the_sun_stands() {
        let noon = SunDef {
            yaw: 0.0,
            pitch: 90.0,
            ..SunDef::default()
        };
        assert!(sun(&noon).direction_world.abs_diff_eq(Vec3::NEG_Y, 1e-6));
        let east = SunDef {
            yaw: 90.0,
            pitch: 0.0,
            ..SunDef::default()
        };
        assert!(sun(&east).direction_world.abs_diff_eq(Vec3::NEG_X, 1e-6));
    }
}
