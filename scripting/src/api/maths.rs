//! Vectors and numbers. They need no level and work everywhere.

use glam::Vec3;
use sinew_world::Data;

use super::{ApiError, Call, rows};
use crate::value::{Argument, Type, Value};

/// Two things of one kind to blend.
#[derive(Clone, Copy, Debug)]
enum Blendable {
    Number(f64),
    Vec3(Vec3),
}

impl Argument<'_> for Blendable {
    const TYPE: Type = Type::Data;
    fn read(value: Value<'_>) -> Option<Self> {
        match value {
            Value::Vec3(_) => Vec3::read(value).map(Self::Vec3),
            _ => f64::read(value).map(Self::Number),
        }
    }
}

rows! {
    /// A vector of three numbers.
    global "vec3" vec3(
        /// To the right of someone who faces -Z; metres where it is a place.
        x: f32 => 1.0,
        /// Up.
        y: f32 => 2.0,
        /// Where an actor at yaw 0 faces.
        z: f32 => 3.0,
    ) -> Vec3;
    /// How long a vector is.
    global "length" length(
        /// The vector.
        v: Vec3 => [3.0, 0.0, 4.0],
    ) -> f32;
    /// The vector of the same direction and length 1; one without length stays as it is.
    global "normalize" normalize(
        /// The vector.
        v: Vec3 => [3.0, 0.0, 4.0],
    ) -> Vec3;
    /// The dot product: how far two vectors point the same way.
    global "dot" dot(
        /// One vector.
        a: Vec3 => [1.0, 2.0, 3.0],
        /// The other.
        b: Vec3 => [0.5, 0.0, -1.0],
    ) -> f32;
    /// The cross product: a vector at right angles to both.
    global "cross" cross(
        /// One vector.
        a: Vec3 => [1.0, 0.0, 0.0],
        /// The other.
        b: Vec3 => [0.0, 1.0, 0.0],
    ) -> Vec3;
    /// How far two points are from each other.
    global "distance" distance(
        /// One point.
        a: Vec3 => [1.0, 0.0, 0.0],
        /// The other.
        b: Vec3 => [1.0, 3.0, 4.0],
    ) -> f32;
    /// The value between two numbers or two vectors; `t` 0 gives `a`, 1 gives `b`.
    global "lerp" lerp(
        /// Where it begins.
        a: Blendable => 2.0,
        /// Where it ends.
        b: Blendable => 4.0,
        /// How far between; not clamped.
        t: f64 => 0.25,
    ) -> Data;
    /// The number, kept between two others.
    global "clamp" clamp(
        /// The number.
        x: f64 => 5.0,
        /// The lowest.
        low: f64 => 0.0,
        /// The highest.
        high: f64 => 1.0,
    ) -> f64;
    /// Carries a number over from one range to another, without clamping.
    global "remap" remap(
        /// The number.
        x: f64 => 0.5,
        /// The first range begins.
        from_low: f64 => 0.0,
        /// The first range ends.
        from_high: f64 => 2.0,
        /// The second range begins.
        to_low: f64 => 10.0,
        /// The second range ends.
        to_high: f64 => 20.0,
    ) -> f64;
    /// Brings a number or a vector towards a target, the same at any frame rate.
    ///
    /// The distance that is left halves in every `half_life`.
    global "smooth" smooth(
        /// Where it is.
        current: Blendable => 1.0,
        /// Where it shall be.
        target: Blendable => 3.0,
        /// Time in which half the way is done.
        half_life: f64["seconds"] => 0.1,
        /// Time that passes.
        dt: f64["seconds"] => 0.016,
    ) -> Data;
}

fn vec3(_: &mut Call<'_>, x: f32, y: f32, z: f32) -> Result<Vec3, ApiError> {
    Ok(Vec3::new(x, y, z))
}

fn length(_: &mut Call<'_>, v: Vec3) -> Result<f32, ApiError> {
    Ok(v.length())
}

fn normalize(_: &mut Call<'_>, v: Vec3) -> Result<Vec3, ApiError> {
    Ok(v.try_normalize().unwrap_or(v))
}

fn dot(_: &mut Call<'_>, a: Vec3, b: Vec3) -> Result<f32, ApiError> {
    Ok(a.dot(b))
}

fn cross(_: &mut Call<'_>, a: Vec3, b: Vec3) -> Result<Vec3, ApiError> {
    Ok(a.cross(b))
}

fn distance(_: &mut Call<'_>, a: Vec3, b: Vec3) -> Result<f32, ApiError> {
    Ok(a.distance(b))
}

fn lerp(_: &mut Call<'_>, a: Blendable, b: Blendable, t: f64) -> Result<Data, ApiError> {
    blend(a, b, t, "lerp")
}

fn blend(a: Blendable, b: Blendable, t: f64, name: &str) -> Result<Data, ApiError> {
    match (a, b) {
        (Blendable::Number(a), Blendable::Number(b)) => Ok(Data::Number(a + (b - a) * t)),
        (Blendable::Vec3(a), Blendable::Vec3(b)) => Ok(Data::Vec3(a + (b - a) * t as f32)),
        _ => Err(ApiError::new(
            "E-SCRIPT-ARGUMENT",
            format!("`{name}` takes two numbers or two vectors, got one of each"),
        )
        .about(name)),
    }
}

fn clamp(_: &mut Call<'_>, x: f64, low: f64, high: f64) -> Result<f64, ApiError> {
    if low > high {
        return Err(
            ApiError::invalid(format!("`low` ({low}) is more than `high` ({high})")).about("clamp"),
        );
    }
    Ok(x.clamp(low, high))
}

fn remap(
    _: &mut Call<'_>,
    x: f64,
    from_low: f64,
    from_high: f64,
    to_low: f64,
    to_high: f64,
) -> Result<f64, ApiError> {
    let span = from_high - from_low;
    if span == 0.0 {
        return Err(ApiError::invalid("the first range is empty").about("remap"));
    }
    Ok(to_low + (x - from_low) / span * (to_high - to_low))
}

fn smooth(
    _: &mut Call<'_>,
    current: Blendable,
    target: Blendable,
    half_life: f64,
    dt: f64,
) -> Result<Data, ApiError> {
    let way = if half_life > 0.0 {
        1.0 - (-dt.max(0.0) / half_life).exp2()
    } else {
        1.0
    };
    blend(current, target, way, "smooth")
}
