//! The functions of a script that the host calls.

use crate::value::Type;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Callback {
    /// `on_start()`
    Start,
    /// `on_update(dt)`
    Update,
    /// `on_fixed_update(dt)`
    FixedUpdate,
    /// `on_late_update(dt)`
    LateUpdate,
    /// `on_animation_event(name, value, time, event)`
    AnimationEvent,
    /// `on_state_enter(layer, state, previous)`
    StateEnter,
    /// `on_state_exit(layer, state, following)`
    StateExit,
    /// `on_animation_finished(layer, state)`
    AnimationFinished,
    /// `on_slot_end(slot, clip, reason, handle)`
    SlotEnd,
    /// `on_input(action, pressed, value)`
    Input,
    /// `on_message(name, data, sender)`
    Message,
    /// `on_reload()`
    Reload,
    /// `on_stop()`
    Stop,
}

/// How one is written and what it is for.
#[derive(Debug)]
pub struct CallbackInfo {
    /// Which.
    pub callback: Callback,
    /// The function's name.
    pub name: &'static str,
    /// Names, types and meaning of its parameters; a function may leave out the last ones.
    pub parameters: &'static [(&'static str, Type, &'static str)],
    /// When it is called.
    pub doc: &'static str,
}

/// All of them, in the order of [`Callback`].
pub const CALLBACKS: &[CallbackInfo] = &[
    CallbackInfo {
        callback: Callback::Start,
        name: "on_start",
        parameters: &[],
        doc: "Once, in the first update after the actor came into the level.",
    },
    CallbackInfo {
        callback: Callback::Update,
        name: "on_update",
        parameters: &[("dt", Type::Number, "Seconds of this step.")],
        doc: "In every step, before animation and movement.",
    },
    CallbackInfo {
        callback: Callback::FixedUpdate,
        name: "on_fixed_update",
        parameters: &[(
            "dt",
            Type::Number,
            "Seconds of this part of the step, at most 1/60.",
        )],
        doc: "Before each part of a step's movement.",
    },
    CallbackInfo {
        callback: Callback::LateUpdate,
        name: "on_late_update",
        parameters: &[("dt", Type::Number, "Seconds of this step.")],
        doc: "At the end of every step, when this step's joints are known.",
    },
    CallbackInfo {
        callback: Callback::AnimationEvent,
        name: "on_animation_event",
        parameters: &[
            ("name", Type::Text, "Name of the event."),
            (
                "value",
                Type::Number,
                "Its number, as the clip says; for a window how far it has come, 0 to 1.",
            ),
            ("time", Type::Number, "Clip seconds where it sits."),
            (
                "event",
                Type::Table,
                "More: `clip`, `layer`, `state` (a path such as \"air/rise\") or `slot`, `weight`; for a window `window` (\"begin\", \"tick\" at the end of each step, \"end\"), `progress` and, at its end, `reason` (\"finished\", \"interrupted\", \"despawn\", \"reload\", \"seek\"). Built only where the function takes it.",
            ),
        ],
        doc: "When a clip that is seen passes one of its events, and while it is in one of its windows: every begin has exactly one end.",
    },
    CallbackInfo {
        callback: Callback::StateEnter,
        name: "on_state_enter",
        parameters: &[
            ("layer", Type::Text, "Name of the layer."),
            (
                "state",
                Type::Text,
                "The state that begins; a path such as \"air/rise\" for one inside another.",
            ),
            (
                "previous",
                Type::Optional(&Type::Text),
                "The state before, if there was one.",
            ),
        ],
        doc: "When a layer enters a state.",
    },
    CallbackInfo {
        callback: Callback::StateExit,
        name: "on_state_exit",
        parameters: &[
            ("layer", Type::Text, "Name of the layer."),
            ("state", Type::Text, "The state that is left."),
            (
                "following",
                Type::Optional(&Type::Text),
                "The state that comes; nothing where the state around it is left.",
            ),
        ],
        doc: "When a layer leaves a state.",
    },
    CallbackInfo {
        callback: Callback::AnimationFinished,
        name: "on_animation_finished",
        parameters: &[
            ("layer", Type::Text, "Name of the layer."),
            (
                "state",
                Type::Text,
                "The state that came to its end, or the slot.",
            ),
            (
                "slot",
                Type::Optional(&Type::Table),
                "For a slot: `slot`, `clip`, `handle`.",
            ),
        ],
        doc: "When a state that does not loop, or a clip in a slot, comes to its end.",
    },
    CallbackInfo {
        callback: Callback::SlotEnd,
        name: "on_slot_end",
        parameters: &[
            ("slot", Type::Text, "Name of the slot."),
            ("clip", Type::Text, "Name of the clip that played in it."),
            (
                "reason",
                Type::Text,
                "\"finished\" at its end; \"interrupted\" by another clip, `stop_slot` or `reset_graph`; \"reload\" where the graph was read again or another given; \"despawn\" where the actor goes.",
            ),
            ("handle", Type::Int, "What `play_slot` gave for it."),
        ],
        doc: "When a clip that `play_slot` played is over, exactly once for each handle. At its end `on_animation_finished` is called too, before.",
    },
    CallbackInfo {
        callback: Callback::Input,
        name: "on_input",
        parameters: &[
            ("action", Type::Text, "Name of the action."),
            ("pressed", Type::Bool, "Down or up."),
            ("value", Type::Number, "How far it is down, 0 to 1."),
        ],
        doc: "When an action of the level goes down or up.",
    },
    CallbackInfo {
        callback: Callback::Message,
        name: "on_message",
        parameters: &[
            ("name", Type::Text, "What it is about."),
            ("data", Type::Data, "A copy of what was sent."),
            ("sender", Type::Optional(&Type::Actor), "Who sent it."),
        ],
        doc: "For each message that was sent to the actor in the step before.",
    },
    CallbackInfo {
        callback: Callback::Reload,
        name: "on_reload",
        parameters: &[],
        doc: "After a new version of the script took over; fields, graph state and named timers are as they were.",
    },
    CallbackInfo {
        callback: Callback::Stop,
        name: "on_stop",
        parameters: &[],
        doc: "When the actor goes; its own handle still answers.",
    },
];

/// Number of callbacks.
pub const COUNT: usize = CALLBACKS.len();

impl Callback {
    /// How it is written.
    pub fn info(self) -> &'static CallbackInfo {
        &CALLBACKS[self as usize]
    }

    /// The callback of a name.
    pub fn named(name: &str) -> Option<Self> {
        CALLBACKS
            .iter()
            .find(|info| info.name == name)
            .map(|info| info.callback)
    }
}

/// The nearest callback to a function that looks like one but is none.
pub(crate) fn misspelt(name: &str) -> Option<Option<&'static str>> {
    if !name.starts_with("on_") || Callback::named(name).is_some() {
        return None;
    }
    Some(sinew_anim::nearest(
        name,
        CALLBACKS.iter().map(|info| info.name),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_kinds() {
        for (index, info) in CALLBACKS.iter().enumerate() {
            assert_eq!(info.callback as usize, index, "{}", info.name);
            assert_eq!(Callback::named(info.name), Some(info.callback));
        }
        assert_eq!(misspelt("on_udpate"), Some(Some("on_update")));
        assert_eq!(misspelt("on_update"), None);
        assert_eq!(misspelt("only_once"), None);
    }
}
