//! The motion of a clip's root: who applies it, and what it was.

use glam::Vec3;
use sinew_world::{ActorId, Data, RootMode};

use super::{ApiError, Call, rows};
use crate::value::{Answer, Field, Record, Type};

rows! {
    /// Says who applies the motion of the clips' root.
    ///
    /// "move" moves the actor by it, "report" takes it out of the pose and only tells it, "off" leaves it in the pose.
    method "set_root_motion" set_root_motion(
        /// Who applies it.
        mode: RootMode => "report",
    ) -> ();
    /// Who applies root motion: "move", "report" or "off".
    method "root_motion_mode" root_motion_mode() -> String;
    /// The root motion of the last step, in the frame in which the step began.
    method "root_motion" root_motion() -> RootInfo;
}

/// Root motion of a step.
struct RootInfo {
    translation: Vec3,
    yaw: f32,
    rotation: Vec3,
}

static ROOT_INFO: Record = Record {
    name: "RootInfo",
    fields: &[
        Field {
            name: "translation",
            ty: Type::Vec3,
            doc: "Metres; +Z is forward. Height is 0 unless the graph's root axes take it.",
        },
        Field {
            name: "yaw",
            ty: Type::Number,
            doc: "Degrees about +Y.",
        },
        Field {
            name: "rotation",
            ty: Type::Vec3,
            doc: "The whole turn the shorter way: its axis, as long as its angle in degrees. Along +Y unless the graph's root axes are \"full\".",
        },
    ],
};

impl Answer for RootInfo {
    const TYPE: Type = Type::Record(&ROOT_INFO);
    fn answer(self) -> Data {
        Data::Map(
            [
                ("translation".to_owned(), Data::Vec3(self.translation)),
                ("yaw".to_owned(), self.yaw.answer()),
                ("rotation".to_owned(), Data::Vec3(self.rotation)),
            ]
            .into(),
        )
    }
}

fn set_root_motion(call: &mut Call<'_>, actor: ActorId, mode: RootMode) -> Result<(), ApiError> {
    call.animation_mut(actor)?.root_mode = mode;
    Ok(())
}

fn root_motion_mode(call: &mut Call<'_>, actor: ActorId) -> Result<String, ApiError> {
    Ok(call.animation(actor)?.root_mode.name().to_owned())
}

fn root_motion(call: &mut Call<'_>, actor: ActorId) -> Result<RootInfo, ApiError> {
    let root = &call.animation(actor)?.root;
    let shorter = if root.rotation.w < 0.0 {
        -root.rotation
    } else {
        root.rotation
    };
    Ok(RootInfo {
        translation: root.translation,
        yaw: root.yaw.to_degrees(),
        rotation: shorter.to_scaled_axis() * 1_f32.to_degrees(),
    })
}
