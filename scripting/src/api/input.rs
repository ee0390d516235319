//! What devices do: the actions that the level declares.

use glam::Vec3;

use super::{ApiError, Call, rows};

rows! {
    /// A direction on the ground as the camera sees it: forward is away from the camera. Length at most 1.
    service("input") "vector" vector(
        /// Name of an action with directions.
        action: &str => "move",
    ) -> Vec3;
    /// Whether an action is down.
    service("input") "held" held(
        /// Name of the action.
        action: &str => "jump",
    ) -> bool;
    /// Whether an action went down in this step.
    service("input") "pressed" pressed(
        /// Name of the action.
        action: &str => "jump",
    ) -> bool;
    /// How far an action is down, 0 to 1; of one with directions, how far it is pushed.
    service("input") "value" value(
        /// Name of the action.
        action: &str => "jump",
    ) -> f32;
}

fn index(call: &Call<'_>, name: &str) -> Result<u16, ApiError> {
    let controls = &call.world.controls;
    controls.find(name).ok_or_else(|| {
        ApiError::unknown(
            "the level",
            "action",
            name,
            controls.actions.iter().map(|action| action.name.as_str()),
        )
    })
}

fn vector(call: &mut Call<'_>, action: &str) -> Result<Vec3, ApiError> {
    let index = index(call, action)?;
    if !call.world.controls.actions[usize::from(index)].axis {
        return Err(
            ApiError::invalid(format!("action `{action}` is a button, not a direction"))
                .about(action)
                .help("use `input.held`, `input.pressed` or `input.value`"),
        );
    }
    Ok(call.world.ground_vector(index))
}

fn held(call: &mut Call<'_>, action: &str) -> Result<bool, ApiError> {
    Ok(value(call, action)? > 0.5)
}

fn pressed(call: &mut Call<'_>, action: &str) -> Result<bool, ApiError> {
    let index = index(call, action)?;
    Ok(call.world.controls.actions[usize::from(index)].pressed)
}

fn value(call: &mut Call<'_>, action: &str) -> Result<f32, ApiError> {
    let index = index(call, action)?;
    Ok(call.world.controls.actions[usize::from(index)]
        .value
        .length()
        .min(1.0))
}
