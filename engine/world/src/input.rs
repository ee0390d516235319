//! Actions: what devices mean to the game.

use glam::{Vec2, Vec3};
use serde::{Deserialize, Serialize};

/// A change of one action, from a device or a recorded file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Index into [`Controls::actions`].
    pub action: u16,
    /// x alone for a button (0 or 1) or trigger (0..1); x to the right and y forward for a stick.
    pub value: Vec2,
}

/// Everything that devices did since the last step.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Input {
    /// In the order in which they happened.
    pub changes: Vec<Change>,
    /// Turn of the camera, radians: yaw and pitch.
    pub orbit: Vec2,
    /// Factor on the camera's distance, as a power of two: 0 keeps it.
    pub zoom: f32,
}

/// One action and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Action {
    /// Unique.
    pub name: String,
    /// Two-dimensional, such as `move`.
    pub axis: bool,
    /// As in [`Change::value`].
    pub value: Vec2,
    /// Went down in this step.
    pub pressed: bool,
}

/// An action that went down or up in this step, for `on_input`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// Index into [`Controls::actions`].
    pub action: u16,
    /// Down or up.
    pub pressed: bool,
    /// Strength, 0..1.
    pub value: f32,
}

/// All actions of the running level.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Controls {
    /// By name.
    pub actions: Vec<Action>,
    /// What went down or up in this step, in order.
    pub edges: Vec<Edge>,
}

impl Controls {
    /// Idle actions of these names; `axis` tells the two-dimensional ones.
    pub fn new(actions: impl IntoIterator<Item = (String, bool)>) -> Self {
        let mut actions: Vec<Action> = actions
            .into_iter()
            .map(|(name, axis)| Action {
                name,
                axis,
                value: Vec2::ZERO,
                pressed: false,
            })
            .collect();
        actions.sort_by(|a, b| a.name.cmp(&b.name));
        Self {
            actions,
            edges: Vec::new(),
        }
    }

    /// The index of an action.
    pub fn find(&self, name: &str) -> Option<u16> {
        self.actions
            .binary_search_by(|action| action.name.as_str().cmp(name))
            .ok()
            .map(|index| index as u16)
    }

    pub(crate) fn apply(&mut self, input: &Input) {
        self.edges.clear();
        for action in &mut self.actions {
            action.pressed = false;
        }
        for change in &input.changes {
            let Some(action) = self.actions.get_mut(usize::from(change.action)) else {
                continue;
            };
            let (was, is) = (is_down(action.value), is_down(change.value));
            action.value = change.value;
            action.pressed |= is && !was;
            if was != is {
                self.edges.push(Edge {
                    action: change.action,
                    pressed: is,
                    value: change.value.length().min(1.0),
                });
            }
        }
    }
}

fn is_down(value: Vec2) -> bool {
    value.length_squared() > 0.25
}

/// A stick's direction on the ground, as the camera sees it: forward is away from the camera. Length at most 1.
pub(crate) fn on_ground(stick: Vec2, forward_world: Vec3) -> Vec3 {
    let forward = Vec3::new(forward_world.x, 0.0, forward_world.z).normalize_or(Vec3::NEG_Z);
    let right = forward.cross(Vec3::Y);
    (right * stick.x + forward * stick.y).clamp_length_max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_press_makes_one_edge_and_a_held_key_none() {
        let mut controls = Controls::new([("jump".to_owned(), false), ("aim".to_owned(), false)]);
        let jump = controls.find("jump").expect("declared");
        let down = Input {
            changes: vec![Change {
                action: jump,
                value: Vec2::X,
            }],
            ..Input::default()
        };
        controls.apply(&down);
        assert_eq!(controls.edges.len(), 1);
        assert!(controls.actions[usize::from(jump)].pressed);
        controls.apply(&down);
        assert!(controls.edges.is_empty());
        assert!(!controls.actions[usize::from(jump)].pressed);
    }

    #[test]
    fn forward_on_the_stick_is_away_from_the_camera() {
        let away = Vec3::new(1.0, -0.5, 0.0);
        assert!(on_ground(Vec2::Y, away).abs_diff_eq(Vec3::X, 1e-6));
        assert!(on_ground(Vec2::X, away).abs_diff_eq(Vec3::Z, 1e-6));
        assert!(on_ground(Vec2::ONE, away).length() <= 1.0 + 1e-6);
    }
}
