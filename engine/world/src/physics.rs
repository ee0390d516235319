//! The level's solid geometry, rays against it, and walking on it (rapier3d).

use glam::{Quat, Vec3};
use rapier3d::{
    control::{CharacterAutostep, CharacterLength, KinematicCharacterController},
    geometry::{ColliderBuilder, ColliderSet},
    math::Pose,
    parry::{
        partitioning::{Bvh, BvhBuildStrategy},
        query::{DefaultQueryDispatcher, Ray, ShapeCastOptions},
        shape::{Capsule, SharedShape},
    },
    pipeline::{QueryFilter, QueryPipeline},
    prelude::RigidBodySet,
};

use crate::{Static, StaticShape};

/// Where a ray met the level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// World space.
    pub point_world: Vec3,
    /// Unit vector away from the surface.
    pub normal_world: Vec3,
    /// Metres from the origin.
    pub distance: f32,
    /// Index into [`crate::Level::statics`].
    pub shape: usize,
}

/// Metres a second over the ground below which a walker climbs no steps.
const SLOWEST_CLIMB: f32 = 0.02;

/// Metres; the controller takes less for standing still inside of something, and pushes it out.
const SHORTEST_WAY: f32 = 2e-5;

/// Metres that the controller keeps between a capsule and everything else.
const OFFSET: f32 = 0.01;

/// Radians; the steepest slope that can be climbed and stood on.
const STEEPEST: f32 = 50.0 * std::f32::consts::PI / 180.0;

/// Metres that a walker steps down without falling.
const STEP_DOWN: f32 = 0.25;

/// What a walk came to.
pub(crate) struct Walked {
    pub moved_world: Vec3,
    pub grounded: bool,
}

/// Solid shapes that never move.
#[derive(Clone, Default)]
pub struct Physics {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    tree: Bvh,
}

impl Physics {
    /// Colliders for all solid shapes of a level.
    pub fn new(statics: &[Static]) -> Self {
        let mut physics = Self::default();
        for (index, shape) in statics.iter().enumerate() {
            let outline = match shape.shape {
                StaticShape::Box { half_extents } => {
                    ColliderBuilder::cuboid(half_extents.x, half_extents.y, half_extents.z)
                }
                StaticShape::Plane => ColliderBuilder::new(SharedShape::halfspace(Vec3::Y)),
            };
            let pose = Pose::from_parts(shape.center_world, Quat::from_rotation_y(shape.yaw));
            let collider = outline.position(pose).user_data(index as u128);
            physics.colliders.insert(collider);
        }
        let leaves = physics.colliders.iter().map(|(handle, collider)| {
            (handle.into_raw_parts().0 as usize, collider.compute_aabb())
        });
        physics.tree = Bvh::from_iter(BvhBuildStrategy::Binned, leaves);
        physics
    }

    fn queries(&self) -> QueryPipeline<'_> {
        QueryPipeline {
            dispatcher: &DefaultQueryDispatcher,
            bvh: &self.tree,
            bodies: &self.bodies,
            colliders: &self.colliders,
            filter: QueryFilter::default(),
        }
    }

    /// The first solid surface on a ray, at most `reach` metres away. `None` too for a direction without length.
    pub fn ray(&self, origin_world: Vec3, direction_world: Vec3, reach: f32) -> Option<RayHit> {
        let direction = direction_world.try_normalize()?;
        let ray = Ray::new(origin_world, direction);
        let (handle, hit) = self.queries().cast_ray_and_get_normal(&ray, reach, true)?;
        Some(RayHit {
            point_world: origin_world + direction * hit.time_of_impact,
            normal_world: hit.normal,
            distance: hit.time_of_impact,
            shape: self.colliders.get(handle)?.user_data as usize,
        })
    }

    /// Moves an upright capsule whose sole is at `sole_world`: slides along walls, climbs low steps and slopes up to
    /// 50 degrees, and keeps to the ground on the way down. First along the ground, then up or down: pressed into the
    /// ground on its way, a walker would now and then be held up by it.
    pub(crate) fn walk(
        &self,
        sole_world: Vec3,
        radius: f32,
        height: f32,
        wish_world: Vec3,
        dt: f32,
    ) -> Walked {
        let half = (height * 0.5 - radius).max(0.01);
        let capsule = Capsule::new_y(half, radius);
        // The controller keeps its offset between capsule and ground; the sole stands on the ground all the same.
        let middle = sole_world + Vec3::Y * (half + radius + OFFSET);
        let along = Vec3::new(wish_world.x, 0.0, wish_world.z);
        let controller = KinematicCharacterController {
            offset: CharacterLength::Absolute(OFFSET),
            max_slope_climb_angle: STEEPEST,
            min_slope_slide_angle: STEEPEST,
            snap_to_ground: None,
            ..KinematicCharacterController::default()
        };
        // Whoever only creeps meets no step: the controller would take the ground itself for one and throw them up.
        let climbs = along.length() > SLOWEST_CLIMB * dt;
        let walking = KinematicCharacterController {
            autostep: climbs.then_some(CharacterAutostep {
                max_height: CharacterLength::Absolute(0.3),
                min_width: CharacterLength::Absolute(0.1),
                include_dynamic_bodies: false,
            }),
            ..controller
        };
        let go = |controller: &KinematicCharacterController, from: Vec3, way: Vec3| {
            let from = Pose::from_translation(from);
            controller.move_shape(dt, &self.queries(), &capsule, &from, way, |_| {})
        };
        let along = if along.length() > SHORTEST_WAY {
            go(&walking, middle, along).translation
        } else {
            Vec3::ZERO
        };
        // Whoever is on the way up a step is not to be pulled down again.
        let keeps_down = wish_world.y <= 0.0 && along.y < 1e-4;
        let falling = KinematicCharacterController {
            snap_to_ground: keeps_down.then_some(CharacterLength::Absolute(0.2)),
            ..controller
        };
        let down = go(&falling, middle + along, Vec3::Y * wish_world.y);
        Walked {
            moved_world: along + down.translation,
            grounded: down.grounded && self.carries(&capsule, middle + along + down.translation),
        }
    }
}

impl Physics {
    /// Whether what touches a capsule from below can be stood on: it is no steeper than a slope that can be climbed,
    /// or there is ground right under the middle, as on the way down a stair. The corner of a box does neither to
    /// whoever slips off it.
    fn carries(&self, capsule: &Capsule, middle_world: Vec3) -> bool {
        let half = capsule.half_height() + capsule.radius;
        let reach = half + OFFSET + STEP_DOWN;
        if self.ray(middle_world, Vec3::NEG_Y, reach).is_some() {
            return true;
        }
        let below = ShapeCastOptions {
            max_time_of_impact: 3.0 * OFFSET,
            compute_impact_geometry_on_penetration: true,
            ..ShapeCastOptions::default()
        };
        let from = Pose::from_translation(middle_world);
        let hit = self
            .queries()
            .cast_shape(&from, Vec3::NEG_Y, capsule, below);
        hit.is_some_and(|(_, hit)| hit.normal1.y.abs() >= STEEPEST.cos())
    }
}

impl std::fmt::Debug for Physics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Physics")
            .field("colliders", &self.colliders.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Metres that gravity asks for in a step of whoever stands.
    const FALL: f32 = -9.81 / 3600.0;

    fn ground_and_wall() -> Physics {
        Physics::new(&ground_and_wall_statics())
    }

    fn ground_and_wall_statics() -> Vec<Static> {
        vec![
            Static {
                name: None,
                shape: StaticShape::Plane,
                center_world: Vec3::ZERO,
                yaw: 0.0,
                color: [1.0; 3],
            },
            Static {
                name: Some("wall".to_owned()),
                shape: StaticShape::Box {
                    half_extents: Vec3::new(0.5, 2.0, 3.0),
                },
                center_world: Vec3::new(3.0, 2.0, 0.0),
                yaw: 0.0,
                color: [1.0; 3],
            },
        ]
    }

    #[test]
    fn a_ray_finds_ground_and_wall_and_misses_the_sky() {
        let physics = ground_and_wall();
        let down = physics
            .ray(Vec3::new(0.0, 1.0, 0.0), Vec3::NEG_Y, 10.0)
            .expect("ground");
        assert!((down.distance - 1.0).abs() < 1e-5);
        assert!(down.normal_world.abs_diff_eq(Vec3::Y, 1e-5));
        let side = physics
            .ray(Vec3::new(0.0, 1.0, 0.0), Vec3::X * 7.0, 10.0)
            .expect("wall");
        assert!((side.point_world.x - 2.5).abs() < 1e-5);
        assert_eq!(side.shape, 1);
        assert!(physics.ray(Vec3::Y, Vec3::Y, 100.0).is_none());
        assert!(physics.ray(Vec3::Y, Vec3::ZERO, 100.0).is_none());
    }

    #[test]
    fn a_walker_stops_at_a_wall_slides_along_it_and_stays_on_the_ground() {
        let physics = ground_and_wall();
        let mut sole = Vec3::ZERO;
        for _ in 0..240 {
            let wish = Vec3::new(2.0, -1.0, 0.5) / 60.0;
            let walked = physics.walk(sole, 0.3, 1.8, wish, 1.0 / 60.0);
            sole += walked.moved_world;
            assert!(walked.grounded);
        }
        assert!((2.0..2.21).contains(&sole.x), "stopped at {sole}");
        assert!(sole.z > 1.0, "slid to {sole}");
        assert!(sole.y.abs() < 0.02, "stands at {sole}");
    }

    #[test]
    fn nothing_holds_a_walker_up_on_even_ground_or_on_top_of_a_box() {
        let platform = Static {
            name: None,
            shape: StaticShape::Box {
                half_extents: Vec3::new(1.8, 0.2, 1.2),
            },
            center_world: Vec3::new(-5.4, 0.2, -6.8),
            yaw: 0.0,
            color: [1.0; 3],
        };
        for (statics, sole) in [
            (vec![platform], Vec3::new(-5.2, 0.4, -5.7)),
            (ground_and_wall_statics(), Vec3::new(-3.0, 0.0, 1.0)),
        ] {
            let physics = Physics::new(&statics);
            for radius in [0.25, 0.31] {
                let mut sole = sole;
                for step in 0..100 {
                    let wish = Vec3::new(0.0, FALL, -1.2 / 60.0);
                    let walked = physics.walk(sole, radius, 1.82, wish, 1.0 / 60.0);
                    let off = (walked.moved_world - Vec3::new(0.0, 0.0, wish.z)).length();
                    assert!(off < 1e-3, "step {step} at {sole}: {}", walked.moved_world);
                    assert!(walked.grounded, "step {step} at {sole}");
                    sole += walked.moved_world;
                }
            }
        }
    }

    #[test]
    fn whoever_comes_to_rest_stays_on_the_ground() {
        let physics = ground_and_wall();
        for direction in [Vec3::X, Vec3::Z, Vec3::new(-0.6, 0.0, 0.8)] {
            let mut sole = Vec3::new(-3.0, 0.0, 1.0);
            let mut speed = 1.2;
            while speed > 1e-9 {
                let wish = direction * speed / 60.0 + Vec3::Y * FALL;
                let walked = physics.walk(sole, 0.31, 1.82, wish, 1.0 / 60.0);
                sole += walked.moved_world;
                speed *= 0.93;
                assert!(walked.grounded, "at {speed} m/s, {sole}");
                assert!(sole.y.abs() < 1e-3, "at {speed} m/s thrown to {sole}");
            }
        }
    }

    #[test]
    fn whoever_falls_beside_a_wall_or_past_its_edge_falls_freely_until_the_ground() {
        let physics = ground_and_wall();
        let dt = 1.0 / 60.0;
        for gap in [-0.01, 0.0, 0.002, 0.005, 0.01, 0.02, 0.05] {
            let mut sole = Vec3::new(2.5 - 0.3 - gap, 3.0, 0.0);
            let (mut speed, mut seconds) = (0.0_f32, 0.0);
            let grounded_at = loop {
                speed -= 9.81 * dt;
                let walked = physics.walk(sole, 0.3, 1.8, Vec3::Y * speed * dt, dt);
                sole += walked.moved_world;
                seconds += dt;
                if walked.grounded {
                    break sole.y;
                }
                assert!(
                    seconds < 1.0,
                    "gap {gap}: still at {sole} after {seconds} s"
                );
            };
            assert!(
                grounded_at < 0.25,
                "gap {gap}: counts as standing at {grounded_at}"
            );
            assert!(
                (0.6..0.9).contains(&seconds),
                "gap {gap}: fell for {seconds} s"
            );
        }
    }

    #[test]
    fn whoever_lands_on_an_edge_stands_on_it_or_falls_off_without_gliding() {
        let mut statics = ground_and_wall_statics();
        statics[1].shape = StaticShape::Box {
            half_extents: Vec3::splat(0.5),
        };
        statics[1].center_world = Vec3::new(3.0, 0.5, 0.0);
        let physics = Physics::new(&statics);
        let dt = 1.0 / 60.0;
        for overlap in 1..30 {
            let overlap = overlap as f32 * 0.01;
            let mut sole = Vec3::new(2.5 - 0.3 + overlap, 1.8, 0.0);
            let mut speed = 0.0_f32;
            let mut heights = Vec::new();
            for _ in 0..300 {
                speed -= 9.81 * dt;
                let walked = physics.walk(sole, 0.3, 1.8, Vec3::Y * speed * dt, dt);
                sole += walked.moved_world;
                if walked.grounded {
                    speed = 0.0;
                }
                heights.push(sole.y);
            }
            // On the edge, or on the way down no slower than a fall.
            let between = heights.iter().filter(|y| (0.05..0.8).contains(*y)).count();
            assert!(between < 30, "overlap {overlap}: glides: {heights:?}");
        }
    }
}
