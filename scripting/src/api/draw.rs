//! Figures and words in the level, for people who watch.

use glam::Vec3;
use sinew_world::{ActorId, DebugShape, DebugText};

use super::{ApiError, Call, rows};
use crate::value::Rgba;

const WHITE: Rgba = Rgba([1.0; 4]);

rows! {
    /// A line.
    service("draw") "line" line(
        /// Where it begins, world space.
        from: Vec3 => [0.0, 0.0, 0.0],
        /// Where it ends, world space.
        to: Vec3 => [0.0, 1.0, 0.0],
    ) options {
        /// How long it stays; one step unless given.
        seconds: f32["seconds"] = 0.0 => 0.5,
        /// Its colour.
        color: Rgba = WHITE => "red",
    } -> ();
    /// A level circle.
    service("draw") "ring" ring(
        /// Its middle, world space.
        center: Vec3 => [0.0, 0.1, 0.0],
        /// From the middle to the line.
        radius: f32["metres"] => 0.5,
    ) options {
        /// How long it stays; one step unless given.
        seconds: f32["seconds"] = 0.0 => 0.5,
        /// Its colour.
        color: Rgba = WHITE => "gold",
    } -> ();
    /// A ball of three circles.
    service("draw") "sphere" sphere(
        /// Its middle, world space.
        center: Vec3 => [0.0, 1.0, 0.0],
        /// From the middle to the lines.
        radius: f32["metres"] => 0.1,
    ) options {
        /// How long it stays; one step unless given.
        seconds: f32["seconds"] = 0.0 => 0.5,
        /// Its colour.
        color: Rgba = WHITE => "green",
    } -> ();
    /// Words at a place in the level.
    service("draw") "text" write(
        /// Where, world space.
        at: Vec3 => [0.0, 2.0, 0.0],
        /// One line.
        text: &str => "hello",
    ) options {
        /// How long they stay; one step unless given.
        seconds: f32["seconds"] = 0.0 => 0.5,
        /// Their colour.
        color: Rgba = WHITE => "white",
    } -> ();
    /// Three lines along +X (red), +Y (green) and +Z (blue).
    service("draw") "axes" axes(
        /// Where they meet, world space.
        at: Vec3 => [0.0, 0.0, 0.0],
    ) options {
        /// How long each line is.
        size: f32["metres"] = 0.5 => 1.0,
        /// How long they stay; one step unless given.
        seconds: f32["seconds"] = 0.0 => 0.5,
    } -> ();
    /// The bones of an actor.
    service("draw") "skeleton" skeleton(
        /// Whose.
        actor: ActorId => ActorId { index: 0, generation: 0 },
    ) options {
        /// How long they stay; one step unless given.
        seconds: f32["seconds"] = 0.0 => 0.5,
        /// Their colour.
        color: Rgba = WHITE => "yellow",
    } -> ();
}

fn show(call: &mut Call<'_>, shape: DebugShape, seconds: f32, color: Rgba) {
    call.world.debug.shapes.push((shape, color.0, seconds));
}

fn line(
    call: &mut Call<'_>,
    from: Vec3,
    to: Vec3,
    seconds: f32,
    color: Rgba,
) -> Result<(), ApiError> {
    show(call, DebugShape::Line(from, to), seconds, color);
    Ok(())
}

fn ring(
    call: &mut Call<'_>,
    center: Vec3,
    radius: f32,
    seconds: f32,
    color: Rgba,
) -> Result<(), ApiError> {
    show(
        call,
        DebugShape::Ring {
            center_world: center,
            radius,
        },
        seconds,
        color,
    );
    Ok(())
}

fn sphere(
    call: &mut Call<'_>,
    center: Vec3,
    radius: f32,
    seconds: f32,
    color: Rgba,
) -> Result<(), ApiError> {
    show(
        call,
        DebugShape::Sphere {
            center_world: center,
            radius,
        },
        seconds,
        color,
    );
    Ok(())
}

fn write(
    call: &mut Call<'_>,
    at: Vec3,
    text: &str,
    seconds: f32,
    color: Rgba,
) -> Result<(), ApiError> {
    let text = text.chars().take(200).collect();
    call.world.debug.texts.push(DebugText {
        at_world: at,
        text,
        color: color.0,
        seconds,
    });
    Ok(())
}

fn axes(call: &mut Call<'_>, at: Vec3, size: f32, seconds: f32) -> Result<(), ApiError> {
    for (axis, color) in [
        (Vec3::X, [1.0, 0.1, 0.1, 1.0]),
        (Vec3::Y, [0.1, 0.8, 0.1, 1.0]),
        (Vec3::Z, [0.2, 0.3, 1.0, 1.0]),
    ] {
        show(
            call,
            DebugShape::Line(at, at + axis * size),
            seconds,
            Rgba(color),
        );
    }
    Ok(())
}

fn skeleton(
    call: &mut Call<'_>,
    actor: ActorId,
    seconds: f32,
    color: Rgba,
) -> Result<(), ApiError> {
    call.animation(actor)?;
    show(call, DebugShape::Skeleton(actor), seconds, color);
    Ok(())
}
