//! Input without hands, for runs that nobody sits at: walk, turn, run, jump, wave.

use glam::Vec2;
use sinew_assets::LevelDef;
use sinew_world::{Change, Controls};

use crate::input::Timed;

/// Seconds that it takes.
pub const DEMO_SECONDS: f64 = 10.0;

/// What happens when: seconds, which kind of action, value.
const SCORE: &[(f64, Part, Vec2)] = &[
    (0.5, Part::Walk, Vec2::new(0.0, 1.0)),
    (2.5, Part::Walk, Vec2::new(0.7, 0.7)),
    (3.5, Part::Walk, Vec2::new(1.0, 0.0)),
    (4.0, Part::Button("run"), Vec2::X),
    (5.0, Part::Walk, Vec2::new(0.0, -1.0)),
    (6.0, Part::Button("jump"), Vec2::X),
    (6.1, Part::Button("jump"), Vec2::ZERO),
    (7.2, Part::Button("run"), Vec2::ZERO),
    (7.5, Part::Walk, Vec2::ZERO),
    (8.8, Part::Button("wave"), Vec2::X),
    (8.9, Part::Button("wave"), Vec2::ZERO),
];

enum Part {
    /// The level's first action with directions.
    Walk,
    /// The button of this name, where the level has one.
    Button(&'static str),
}

/// The score, for the actions that a level has.
pub fn demo(level: &LevelDef, controls: &Controls) -> Vec<Timed> {
    let walk = level
        .actions
        .iter()
        .find(|(_, action)| action.is_vector())
        .map(|(name, _)| name.as_str());
    let notes = SCORE.iter().filter_map(|&(t, ref part, value)| {
        let name = match part {
            Part::Walk => walk,
            Part::Button(name) => Some(*name),
        };
        let action = controls.find(name?)?;
        Some(Timed {
            t,
            change: Change { action, value },
        })
    });
    notes.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_without_some_of_the_actions_gets_the_others() {
        let text = "id = \"yard\"\nversion = \"1.0.0\"\n[actions]\ngo = { forward = [\"W\"] }\njump = { keys = [\"Space\"] }\n";
        let level = LevelDef::from_toml(text, "level.toml").expect("a level");
        let controls = Controls::new([("go".to_owned(), true), ("jump".to_owned(), false)]);
        let notes = demo(&level, &controls);
        assert!(notes.is_sorted_by_key(|note| note.t));
        let of = |name| {
            notes
                .iter()
                .filter(|note| Some(note.change.action) == controls.find(name))
                .count()
        };
        assert_eq!((of("go"), of("jump")), (5, 2));
        assert_eq!(notes.len(), 7);
    }
}
