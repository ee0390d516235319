//! The level: finding and making actors, rays, time.

use glam::Vec3;
use sinew_world::{ActorId, Data, Spawn};

use super::{ApiError, Call, actors::words, rows};
use crate::{
    budget,
    value::{Answer, Field, List, Record, Table, Type},
};

/// The most actors that scripts may make a level have.
const MOST_ACTORS: usize = 10_000;
/// What making an actor costs, in steps of the budget.
const SPAWN_STEPS: u64 = 150;

rows! {
    /// The living actor of a name, or nothing.
    service("world") "find" find(
        /// Name of the actor.
        name: &str => "fox",
    ) -> Option<ActorId>;
    /// The living actor of a name; it is an error if there is none.
    service("world") "get" get(
        /// Name of the actor.
        name: &str => "hero",
    ) -> ActorId;
    /// All living actors with a tag, in the order of their making.
    service("world") "find_tagged" find_tagged(
        /// The tag.
        tag: &str => "guard",
    ) -> Vec<ActorId>;
    /// Makes an actor. It is found at once, starts in the next update and is seen from the next picture on.
    service("world") "spawn_actor" spawn_actor() options {
        /// Model file; without one it is a bare marker.
        model: Option<&str> => Data::Nil,
        /// Unique name; "actor_<n>" unless given.
        name: Option<&str> => "extra",
        /// Where, metres.
        position: Vec3 = Vec3::ZERO => [1.0, 0.0, 1.0],
        /// Which way it faces.
        yaw: f32["degrees"] = 0.0 => 90.0,
        /// Its scripts, in the order of their running.
        scripts: Option<List<'_>> => Data::Nil,
        /// Values for its scripts' properties, by name.
        properties: Option<Table<'_>> => Data::Nil,
        /// Words that `world.find_tagged` finds it by.
        tags: Option<List<'_>> => Data::List(vec![Data::Text("guard".into())]),
        /// The look, one of the model's variants.
        variant: Option<&str> => Data::Nil,
    } -> ActorId;
    /// The first solid thing of the level on a ray, or nothing.
    service("world") "ray" ray(
        /// Where it begins, world space.
        origin: Vec3 => [0.0, 2.0, 0.0],
        /// Where it goes; its length does not matter.
        direction: Vec3 => [0.0, -1.0, 0.0],
        /// How far it reaches.
        reach: f32["metres"] = 100.0 => 10.0,
    ) -> Option<RayInfo>;
    /// Seconds of game time since the level began.
    service("world") "time" time() -> f64;
    /// The factor on game time; 0 stops it. A number given sets it from the next step on.
    service("world") "time_scale" time_scale(
        /// The new factor, 0 or more; as before unless given.
        scale: Option<f32> => 0.5,
    ) -> f32;
}

/// Where a ray met the level.
struct RayInfo {
    hit: sinew_world::RayHit,
    name: Option<String>,
}

static RAY_INFO: Record = Record {
    name: "RayInfo",
    fields: &[
        Field {
            name: "point",
            ty: Type::Vec3,
            doc: "Where, world space.",
        },
        Field {
            name: "normal",
            ty: Type::Vec3,
            doc: "Away from the surface, length 1.",
        },
        Field {
            name: "distance",
            ty: Type::Number,
            doc: "Metres from the origin.",
        },
        Field {
            name: "name",
            ty: Type::Optional(&Type::Text),
            doc: "Name of the box that was hit, if it has one.",
        },
    ],
};

impl Answer for RayInfo {
    const TYPE: Type = Type::Record(&RAY_INFO);
    fn answer(self) -> Data {
        Data::Map(
            [
                ("point".to_owned(), Data::Vec3(self.hit.point_world)),
                ("normal".to_owned(), Data::Vec3(self.hit.normal_world)),
                ("distance".to_owned(), self.hit.distance.answer()),
                ("name".to_owned(), self.name.answer()),
            ]
            .into(),
        )
    }
}

fn find(call: &mut Call<'_>, name: &str) -> Result<Option<ActorId>, ApiError> {
    Ok(call.world.actors.find(name).map(|actor| actor.id))
}

fn get(call: &mut Call<'_>, name: &str) -> Result<ActorId, ApiError> {
    let actors = &call.world.actors;
    let found = actors.find(name).map(|actor| actor.id);
    found.ok_or_else(|| {
        let living = actors.iter().filter(|actor| actor.alive);
        ApiError::unknown("the level", "actor", name, living.map(|actor| &*actor.name))
    })
}

fn find_tagged(call: &mut Call<'_>, tag: &str) -> Result<Vec<ActorId>, ApiError> {
    let tagged = call
        .world
        .actors
        .iter()
        .filter(|actor| actor.alive && actor.tags.iter().any(|known| known == tag));
    Ok(tagged.map(|actor| actor.id).collect())
}

#[allow(
    clippy::too_many_arguments,
    reason = "one argument for each entry of the row"
)]
fn spawn_actor(
    call: &mut Call<'_>,
    model: Option<&str>,
    name: Option<&str>,
    position: Vec3,
    yaw: f32,
    scripts: Option<List<'_>>,
    properties: Option<Table<'_>>,
    tags: Option<List<'_>>,
    variant: Option<&str>,
) -> Result<ActorId, ApiError> {
    if call.world.actors.len() >= MOST_ACTORS {
        let message = format!("the level has {MOST_ACTORS} actors already");
        return Err(ApiError::invalid(message).about("spawn_actor"));
    }
    budget::charge(SPAWN_STEPS);
    let scripts = words(scripts.unwrap_or(List(&[])), "scripts")?;
    let spawn = Spawn {
        name: name.unwrap_or_default().to_owned(),
        model: model.map(|model| call.path(model)).transpose()?,
        position_world: position,
        yaw: yaw.to_radians(),
        scripts: scripts
            .iter()
            .map(|path| call.path(path))
            .collect::<Result<_, _>>()?,
        properties: properties
            .and_then(|table| table.0.cloned())
            .unwrap_or_default(),
        tags: words(tags.unwrap_or(List(&[])), "tags")?,
        variant: variant.map(str::to_owned),
        ..Spawn::default()
    };
    Ok(call.world.spawn(spawn)?)
}

fn ray(
    call: &mut Call<'_>,
    origin: Vec3,
    direction: Vec3,
    reach: f32,
) -> Result<Option<RayInfo>, ApiError> {
    let hit = call.world.physics.ray(origin, direction, reach.max(0.0));
    Ok(hit.map(|hit| RayInfo {
        name: call
            .world
            .level
            .statics
            .get(hit.shape)
            .and_then(|shape| shape.name.clone()),
        hit,
    }))
}

fn time(call: &mut Call<'_>) -> Result<f64, ApiError> {
    Ok(call.world.clock.time)
}

fn time_scale(call: &mut Call<'_>, scale: Option<f32>) -> Result<f32, ApiError> {
    match scale {
        Some(scale) if scale < 0.0 => Err(ApiError::invalid(format!(
            "`scale` must be 0 or more, got {scale}"
        ))
        .about("time_scale")),
        Some(scale) => {
            call.world.clock.scale = scale;
            Ok(scale)
        }
        None => Ok(call.world.clock.scale),
    }
}
