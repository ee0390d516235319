//! Weights of an actor's layers.

use sinew_world::ActorId;

use super::{ApiError, Asked, Call, rows};

rows! {
    /// Fades how much of a layer is seen. Asking again for the same weight does not start the fade again.
    method "set_layer_weight" set_layer_weight(
        /// Name of the layer.
        layer: &str => "upper",
        /// 0 hides it, 1 shows it in full; clamped to that range.
        weight: f32 => 1.0,
        /// How long the fade takes.
        seconds: f32["seconds"] = 0.2 => 0.25,
    ) -> ();
    /// How much of a layer is seen at this moment, 0 to 1.
    method "layer_weight" layer_weight(
        /// Name of the layer.
        layer: &str => "upper",
    ) -> f32;
}

fn set_layer_weight(
    call: &mut Call<'_>,
    actor: ActorId,
    layer: &str,
    weight: f32,
    seconds: f32,
) -> Result<(), ApiError> {
    let index = call.layer(actor, Some(layer))?;
    let state = &mut call.animation_mut(actor)?.state;
    let before = state.layers[usize::from(index)].weight.target;
    state.set_layer_weight(index, weight, seconds);
    call.note(actor, Asked::Layer(layer.to_owned(), before), seconds);
    Ok(())
}

fn layer_weight(call: &mut Call<'_>, actor: ActorId, layer: &str) -> Result<f32, ApiError> {
    let index = call.layer(actor, Some(layer))?;
    Ok(call.animation(actor)?.state.layer_weight(index))
}
