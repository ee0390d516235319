//! Reaching and looking.

use glam::Vec3;
use sinew_world::{ActorId, Data, Pole, Target};

use super::{ApiError, Asked, Call, rows};
use crate::value::{Aim, Answer, Field, Record, Type};

rows! {
    /// Lets the end of a chain reach for a target; the chain is one of the graph's `chains`.
    ///
    /// The weight fades in over `seconds`; asking again for the same target does not start the fade again.
    method "set_ik" set_ik(
        /// Name of the chain.
        chain: &str => "arm_r",
    ) options {
        /// A point in world space, or an actor.
        target: Aim => [0.5, 1.2, 0.4],
        /// Joint of the target actor; its origin unless given.
        socket: Option<&str> => Data::Nil,
        /// How much of the reach is seen, 0 to 1.
        weight: f32 = 1.0 => 0.8,
        /// How long the fade takes.
        seconds: f32["seconds"] = 0.2 => 0.25,
        /// A point in world space that the elbow or knee points to.
        pole: Option<Vec3> => [0.0, 1.0, -2.0],
        /// A direction in model space that the elbow or knee points along.
        pole_dir: Option<Vec3> => Data::Nil,
    } -> ();
    /// Lets go of what a chain reaches for.
    method "clear_ik" clear_ik(
        /// Name of the chain.
        chain: &str => "arm_r",
        /// How long the fade takes.
        seconds: f32["seconds"] = 0.2 => 0.25,
    ) -> ();
    /// What came of a chain's reach in the last step.
    method "ik_report" ik_report(
        /// Name of the chain.
        chain: &str => "arm_r",
    ) -> IkInfo;
    /// Turns the graph's `look_at` chain to a point or an actor; nothing lets go.
    ///
    /// Asking again for the same target does not start the fade again.
    method "look_at" look_at(
        /// A point in world space, an actor, or nothing to let go.
        target: Option<Aim> => [2.0, 1.5, 3.0],
    ) options {
        /// How long the fade takes.
        seconds: f32["seconds"] = 0.2 => 0.3,
        /// How much of the turn is seen, 0 to 1.
        weight: f32 = 1.0 => 0.8,
    } -> ();
}

/// What came of a reach.
struct IkInfo {
    reached: bool,
    error: f32,
    limit_hit: bool,
    weight: f32,
}

static IK_INFO: Record = Record {
    name: "IkInfo",
    fields: &[
        Field {
            name: "reached",
            ty: Type::Bool,
            doc: "Whether the full reach meets the target.",
        },
        Field {
            name: "error",
            ty: Type::Number,
            doc: "Metres that are missing.",
        },
        Field {
            name: "limit_hit",
            ty: Type::Bool,
            doc: "Whether a joint's limit kept it from the target.",
        },
        Field {
            name: "weight",
            ty: Type::Number,
            doc: "How much of the reach is seen at this moment, 0 to 1.",
        },
    ],
};

impl Answer for IkInfo {
    const TYPE: Type = Type::Record(&IK_INFO);
    fn answer(self) -> Data {
        Data::Map(
            [
                ("reached".to_owned(), Data::Bool(self.reached)),
                ("error".to_owned(), self.error.answer()),
                ("limit_hit".to_owned(), Data::Bool(self.limit_hit)),
                ("weight".to_owned(), self.weight.answer()),
            ]
            .into(),
        )
    }
}

fn chain_index(call: &Call<'_>, actor: ActorId, name: &str) -> Result<usize, ApiError> {
    let graph = &call.animation(actor)?.graph;
    let found = graph.chain(name).map(usize::from);
    found.ok_or_else(|| {
        call.graph_lacks(
            actor,
            graph,
            "chain",
            name,
            graph.chains.iter().map(|chain| &chain.name),
        )
    })
}

fn target(call: &Call<'_>, aim: Aim, socket: Option<&str>) -> Result<Target, ApiError> {
    match (aim, socket) {
        (Aim::Point(point), None) => Ok(Target::Point(point)),
        (Aim::Point(_), Some(_)) => Err(ApiError::invalid(
            "`socket` names a joint of the target actor, but `target` is a point",
        )
        .about("socket")),
        (Aim::Actor(actor), None) => {
            call.actor(actor)?;
            Ok(Target::Actor { actor, joint: None })
        }
        (Aim::Actor(actor), Some(socket)) => {
            let joint = super::joints::find(call, actor, crate::value::JointKey::Name(socket))?;
            Ok(Target::Actor {
                actor,
                joint: Some(joint),
            })
        }
    }
}

#[allow(
    clippy::too_many_arguments,
    reason = "one argument for each entry of the row"
)]
fn set_ik(
    call: &mut Call<'_>,
    actor: ActorId,
    chain: &str,
    aim: Aim,
    socket: Option<&str>,
    weight: f32,
    seconds: f32,
    pole: Option<Vec3>,
    pole_dir: Option<Vec3>,
) -> Result<(), ApiError> {
    let index = chain_index(call, actor, chain)?;
    let target = target(call, aim, socket)?;
    let pole = match (pole, pole_dir) {
        (None, None) => Pole::Default,
        (Some(point), None) => Pole::PointWorld(point),
        (None, Some(direction)) => Pole::DirectionModel(direction),
        (Some(_), Some(_)) => {
            return Err(ApiError::invalid("give `pole` or `pole_dir`, not both").about("pole_dir"));
        }
    };
    let goal = &mut call.animation_mut(actor)?.chains[index];
    goal.target = Some(target);
    goal.pole = pole;
    goal.weight.to(weight.clamp(0.0, 1.0), seconds);
    call.note(actor, Asked::Chain(chain.to_owned()), seconds);
    Ok(())
}

fn clear_ik(
    call: &mut Call<'_>,
    actor: ActorId,
    chain: &str,
    seconds: f32,
) -> Result<(), ApiError> {
    let index = chain_index(call, actor, chain)?;
    let goal = &mut call.animation_mut(actor)?.chains[index];
    goal.target = None;
    goal.weight.to(0.0, seconds);
    call.forget(actor, &Asked::Chain(chain.to_owned()));
    Ok(())
}

fn ik_report(call: &mut Call<'_>, actor: ActorId, chain: &str) -> Result<IkInfo, ApiError> {
    let index = chain_index(call, actor, chain)?;
    let goal = &call.animation(actor)?.chains[index];
    let report = goal.report;
    // Before the first solve nothing is known: an infinite distance would not survive plain data.
    let error = if report.error.is_finite() {
        report.error
    } else {
        0.0
    };
    Ok(IkInfo {
        reached: report.reached,
        error,
        limit_hit: report.limit_hit,
        weight: goal.weight.value,
    })
}

fn look_at(
    call: &mut Call<'_>,
    actor: ActorId,
    aim: Option<Aim>,
    seconds: f32,
    weight: f32,
) -> Result<(), ApiError> {
    if call.animation(actor)?.graph.look_at.is_none() {
        let message = format!("the graph of `{}` has no `look_at`", call.name_of(actor));
        return Err(ApiError::invalid(message).about("look_at").help(
            "add `look_at = { chain = { ... } }` to the graph, from the lowest joint to the head",
        ));
    }
    let target = aim.map(|aim| target(call, aim, None)).transpose()?;
    let look = &mut call.animation_mut(actor)?.look;
    look.target = target;
    look.weight.to(
        if target.is_some() {
            weight.clamp(0.0, 1.0)
        } else {
            0.0
        },
        seconds,
    );
    match target {
        Some(_) => call.note(actor, Asked::Look, seconds),
        None => call.forget(actor, &Asked::Look),
    }
    Ok(())
}
