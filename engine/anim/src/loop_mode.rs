//! What a clip does at its ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What playback does at the ends of a clip. Clocks count unwrapped cycles `u`: 1 is one length of
/// the clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoopMode {
    /// Stops at the end (at 0 when it runs backward) and holds the pose there.
    Once,
    /// Starts again.
    #[default]
    Loop,
    /// Turns round: forward in even cycles, backward in odd ones.
    PingPong,
}

impl LoopMode {
    /// The place in the clip, 0..=1 of its length, after `cycles` unwrapped cycles of any sign.
    /// Not a number counts as 0.
    pub fn phase(self, cycles: f64) -> f64 {
        if !cycles.is_finite() {
            return if self == Self::Once && cycles > 0.0 {
                1.0
            } else {
                0.0
            };
        }
        match self {
            Self::Once => cycles.clamp(0.0, 1.0),
            Self::Loop => cycles - cycles.floor(),
            Self::PingPong => {
                let leg = cycles - 2.0 * (cycles * 0.5).floor();
                if leg <= 1.0 { leg } else { 2.0 - leg }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_hold_wrap_and_turn() {
        let cases = [
            (LoopMode::Once, -0.5, 0.0),
            (LoopMode::Once, 0.25, 0.25),
            (LoopMode::Once, 7.0, 1.0),
            (LoopMode::Loop, 2.25, 0.25),
            (LoopMode::Loop, -0.25, 0.75),
            (LoopMode::Loop, 1.0, 0.0),
            (LoopMode::PingPong, 0.25, 0.25),
            (LoopMode::PingPong, 1.0, 1.0),
            (LoopMode::PingPong, 1.25, 0.75),
            (LoopMode::PingPong, 2.25, 0.25),
            (LoopMode::PingPong, -0.25, 0.25),
            (LoopMode::Once, f64::INFINITY, 1.0),
            (LoopMode::Loop, f64::NAN, 0.0),
        ];
        for (mode, cycles, expected) in cases {
            assert_eq!(mode.phase(cycles), expected, "{mode:?} at {cycles}");
        }
    }
}
