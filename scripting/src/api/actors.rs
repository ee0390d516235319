//! An actor's own things: name, tags, looks, and its end.

use sinew_world::{ActorId, Data};

use super::{ApiError, Call, rows};
use crate::value::{List, Rgba};

rows! {
    /// The name that the level or `world.spawn_actor` gave it; unique among living actors.
    get "name" name() -> String;
    /// False from `destroy` on; the one thing that a dead handle still answers.
    get "alive" alive() -> bool;
    /// The words that `world.find_tagged` finds it by.
    get "tags" tags() -> Vec<String>;
    /// Replaces its tags by a list of words.
    set "tags" set_tags(tags: List<'_> => Data::List(vec![Data::Text("guard".into())])) -> ();
    /// Whether it is drawn.
    get "visible" visible() -> bool;
    /// Shows or hides it; a hidden actor still moves and thinks.
    set "visible" set_visible(visible: bool => true) -> ();
    /// The colour that multiplies its own: red, green, blue, each 0 to 1.
    get "tint" tint() -> glam::Vec3;
    /// Multiplies its colours: a name such as "gold", "#rrggbb", or a vector.
    set "tint" set_tint(tint: Rgba => "gold") -> ();
    /// Takes the actor out of the level at the end of this phase; `alive` is false at once.
    ///
    /// `on_stop` of its scripts still runs. Destroying an actor that is going already changes nothing.
    method "destroy" destroy() -> ();
}

fn name(call: &mut Call<'_>, actor: ActorId) -> Result<String, ApiError> {
    Ok(call.actor(actor)?.name.to_string())
}

fn alive(call: &mut Call<'_>, actor: ActorId) -> Result<bool, ApiError> {
    Ok(call
        .world
        .actors
        .get(actor)
        .is_some_and(|actor| actor.alive))
}

fn tags(call: &mut Call<'_>, actor: ActorId) -> Result<Vec<String>, ApiError> {
    Ok(call.actor(actor)?.tags.clone())
}

fn set_tags(call: &mut Call<'_>, actor: ActorId, tags: List<'_>) -> Result<(), ApiError> {
    let words = words(tags, "tags")?;
    call.actor_mut(actor)?.tags = words;
    Ok(())
}

/// The texts of a list.
pub(super) fn words(list: List<'_>, parameter: &str) -> Result<Vec<String>, ApiError> {
    list.0
        .iter()
        .map(|item| match item {
            Data::Text(text) => Ok(text.clone()),
            other => Err(ApiError::new(
                "E-SCRIPT-ARGUMENT",
                format!(
                    "`{parameter}` must be a list of texts, but it holds {}",
                    other.kind()
                ),
            )),
        })
        .collect()
}

fn visible(call: &mut Call<'_>, actor: ActorId) -> Result<bool, ApiError> {
    Ok(call.actor(actor)?.visible)
}

fn set_visible(call: &mut Call<'_>, actor: ActorId, visible: bool) -> Result<(), ApiError> {
    call.actor_mut(actor)?.visible = visible;
    Ok(())
}

fn tint(call: &mut Call<'_>, actor: ActorId) -> Result<glam::Vec3, ApiError> {
    Ok(glam::Vec3::from_slice(&call.actor(actor)?.tint[..3]))
}

fn set_tint(call: &mut Call<'_>, actor: ActorId, tint: Rgba) -> Result<(), ApiError> {
    call.actor_mut(actor)?.tint = tint.0;
    Ok(())
}

fn destroy(call: &mut Call<'_>, actor: ActorId) -> Result<(), ApiError> {
    Ok(call.world.destroy(actor)?)
}
