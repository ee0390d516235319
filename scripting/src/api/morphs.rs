//! Morph targets: what a face can do, and holding it.

use sinew_world::ActorId;

use super::{ApiError, Asked, Call, rows};

rows! {
    /// Holds the weight of a morph target over what the animation says; nothing in place of a weight lets it go.
    ///
    /// Asking again for the same weight does not start its fade again.
    method "set_morph" set_morph(
        /// Name of the target on all meshes that have it (`smile`), or on one of them (`face/smile`).
        name: &str => "smile",
        /// 1 shows the whole target; below 0 and beyond 1 it goes on in the same line.
        weight: Option<f32> => 0.8,
    ) options {
        /// How long the fade takes, from what is shown now.
        seconds: f32["seconds"] = 0.0 => 0.25,
    } -> ();
    /// The weight that a morph target was shown with in the last step, held or animated.
    method "morph_weight" morph_weight(
        /// Name of the target; of one that several meshes have, the first counts.
        name: &str => "smile",
    ) -> f32;
    /// The names of the model's morph targets, each once.
    method "morph_targets" morph_targets() -> Vec<String>;
}

/// The target in the name of a channel, which is `mesh/target`.
fn target_of(channel: &str) -> &str {
    channel
        .split_once('/')
        .map_or(channel, |(_, target)| target)
}

/// The names of targets in the order of channels, each once.
fn targets(channels: &[String]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for target in channels.iter().map(|channel| target_of(channel)) {
        if !names.contains(&target) {
            names.push(target);
        }
    }
    names
}

fn lacks(call: &Call<'_>, actor: ActorId, name: &str) -> ApiError {
    let channels = match call.animation(actor) {
        Ok(animation) => &animation.model.value.skeleton.morphs,
        Err(error) => return error,
    };
    let owner = format!("the model of `{}`", call.name_of(actor));
    let whole = channels.iter().map(String::as_str);
    let whole = whole.filter(|_| name.contains('/'));
    ApiError::unknown(
        &owner,
        "morph target",
        name,
        targets(channels).into_iter().chain(whole),
    )
}

fn set_morph(
    call: &mut Call<'_>,
    actor: ActorId,
    name: &str,
    weight: Option<f32>,
    seconds: f32,
) -> Result<(), ApiError> {
    let animation = call.animation_mut(actor)?;
    let model = animation.model.value.clone();
    let mut found = false;
    for channel in model.skeleton.morphs_named(name) {
        found = true;
        let held = &mut call.animation_mut(actor)?.held_morphs;
        let asked = || Asked::Morph(model.skeleton.morphs[usize::from(channel)].clone());
        match weight {
            Some(weight) => {
                held.hold(channel, weight, seconds);
                if call.host.caller.task.is_some() {
                    call.note(actor, asked(), seconds);
                }
            }
            None => {
                held.release(channel, seconds);
                if !call.host.asks.is_empty() {
                    call.forget(actor, &asked());
                }
            }
        }
    }
    if found {
        Ok(())
    } else {
        Err(lacks(call, actor, name))
    }
}

fn morph_weight(call: &mut Call<'_>, actor: ActorId, name: &str) -> Result<f32, ApiError> {
    let animation = call.animation(actor)?;
    let channel = animation.model.value.skeleton.morphs_named(name).next();
    channel
        .and_then(|channel| animation.pose.morphs.get(usize::from(channel)).copied())
        .ok_or_else(|| lacks(call, actor, name))
}

fn morph_targets(call: &mut Call<'_>, actor: ActorId) -> Result<Vec<String>, ApiError> {
    let channels = &call.animation(actor)?.model.value.skeleton.morphs;
    Ok(targets(channels).into_iter().map(str::to_owned).collect())
}
