//! How an actor stands: its yaw, and how far root motion of all axes leans it.

use glam::Quat;
use sinew_anim::{RootDelta, heading};

use crate::Actor;

impl Actor {
    /// Model space to world without the place: the lean, then the yaw.
    pub fn rotation_world(&self) -> Quat {
        Quat::from_rotation_y(self.yaw) * self.tilt
    }

    /// Turns by the root motion of a step. A heading that is lost, upside down, stays what it was.
    pub(crate) fn turn_by(&mut self, root: &RootDelta) {
        if root.is_upright() && self.tilt == Quat::IDENTITY {
            self.yaw += root.yaw;
            return;
        }
        let turned = self.rotation_world() * root.rotation;
        if let Some(yaw) = heading(turned.as_dquat()) {
            self.yaw += wrapped(yaw as f32 - self.yaw);
        }
        let tilt = Quat::from_rotation_y(-self.yaw) * turned;
        self.tilt = tilt * tilt.length_recip();
    }

    /// Straightens up by at most `most` radians.
    pub(crate) fn straighten(&mut self, most: f32) {
        let lean = 2.0 * self.tilt.xyz().length().atan2(self.tilt.w.abs());
        self.tilt = if lean <= most.abs() {
            Quat::IDENTITY
        } else {
            Quat::IDENTITY.slerp(self.tilt, 1.0 - most.abs() / lean)
        };
    }
}

/// The same angle within half a turn of zero.
fn wrapped(angle: f32) -> f32 {
    use std::f32::consts::{PI, TAU};
    (angle + PI).rem_euclid(TAU) - PI
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use super::*;

    fn leaned(yaw: f32, root: Quat) -> Actor {
        let mut actor = Actor::named("a");
        actor.yaw = yaw;
        actor.turn_by(&delta(root));
        actor
    }

    fn delta(rotation: Quat) -> RootDelta {
        RootDelta {
            rotation,
            yaw: heading(rotation.as_dquat()).unwrap_or(0.0) as f32,
            ..RootDelta::default()
        }
    }

    #[test]
    fn turns_add_up_to_the_product_of_rotations() {
        let turns = [
            Quat::from_rotation_x(0.3),
            Quat::from_rotation_y(1.1),
            Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.7),
            Quat::from_rotation_z(-2.0),
        ];
        let mut actor = Actor::named("a");
        let mut product = Quat::IDENTITY;
        for step in 0..400 {
            let turn = turns[step % turns.len()];
            actor.turn_by(&delta(turn));
            product = (product * turn).normalize();
            let off = product.dot(actor.rotation_world()).abs();
            assert!((1.0 - off) < 1e-5, "{step}: {off}");
        }
    }

    #[test]
    fn upright_turns_change_yaw_alone_and_to_the_bit() {
        let mut actor = Actor::named("a");
        let mut yaw = 0.0;
        for _ in 0..100 {
            let root = RootDelta::upright(Vec3::Z, 0.037);
            actor.turn_by(&root);
            yaw += root.yaw;
        }
        assert_eq!((actor.yaw, actor.tilt), (yaw, Quat::IDENTITY));
    }

    #[test]
    fn a_heading_that_is_lost_upside_down_stays() {
        let mut actor = leaned(0.8, Quat::from_rotation_x(std::f32::consts::PI));
        assert!((actor.yaw - 0.8).abs() < 1e-4, "{}", actor.yaw);
        let up = actor.rotation_world() * Vec3::Y;
        assert!(up.abs_diff_eq(Vec3::NEG_Y, 1e-5), "{up}");
        actor.turn_by(&delta(Quat::from_rotation_x(std::f32::consts::PI)));
        assert!((actor.yaw - 0.8).abs() < 1e-4, "{}", actor.yaw);
    }

    #[test]
    fn straightening_takes_no_more_than_it_may_and_ends_upright() {
        let mut actor = leaned(0.8, Quat::from_rotation_x(1.0));
        actor.straighten(0.4);
        let lean = (actor.rotation_world() * Vec3::Y).angle_between(Vec3::Y);
        assert!((lean - 0.6).abs() < 1e-3, "{lean}");
        actor.straighten(0.7);
        assert_eq!(actor.tilt, Quat::IDENTITY);
    }
}
