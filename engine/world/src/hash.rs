//! A hash over all state: equal for equal runs, on any number of threads.

use std::hash::Hasher;

use sinew_anim::Pose;

use crate::{Actor, Behaviour, Data, World};

/// FNV-1a over 64 bits: the same on every machine and in every version of the standard library.
#[derive(Clone, Debug)]
pub struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl StableHasher {
    /// The bits of numbers; −0 and 0 differ, as they may later.
    pub fn floats(&mut self, values: &[f32]) {
        for value in values {
            self.write(&value.to_bits().to_le_bytes());
        }
    }

    /// Text with its length, so that neighbours cannot run together.
    pub fn text(&mut self, text: &str) {
        self.write_u64(text.len() as u64);
        self.write(text.as_bytes());
    }

    /// Plain data, maps in key order.
    pub fn data(&mut self, data: &Data) {
        match data {
            Data::Nil => self.write_u8(0),
            Data::Bool(value) => self.write(&[1, u8::from(*value)]),
            Data::Int(value) => {
                self.write_u8(2);
                self.write_i64(*value);
            }
            Data::Number(value) => {
                self.write_u8(3);
                self.write_u64(value.to_bits());
            }
            Data::Vec3(value) => {
                self.write_u8(4);
                self.floats(&value.to_array());
            }
            Data::Text(text) => {
                self.write_u8(5);
                self.text(text);
            }
            Data::Actor(id) => {
                self.write_u8(6);
                self.write_u32(id.index);
                self.write_u32(id.generation);
            }
            Data::List(items) => {
                self.write_u8(7);
                self.write_u64(items.len() as u64);
                items.iter().for_each(|item| self.data(item));
            }
            Data::Map(map) => {
                self.write_u8(8);
                self.write_u64(map.len() as u64);
                for (key, value) in map {
                    self.text(key);
                    self.data(value);
                }
            }
        }
    }

    fn pose(&mut self, pose: &Pose) {
        for block in &pose.blocks {
            self.floats(block.translation.as_flattened());
            self.floats(block.rotation.as_flattened());
            self.floats(block.scale.as_flattened());
        }
        self.floats(&pose.morphs);
    }
}

/// The hash of a world and of what its scripts keep.
pub fn hash(world: &World, behaviour: &dyn Behaviour) -> u64 {
    let mut hasher = StableHasher::default();
    hasher.write_u64(world.clock.frame);
    hasher.write_u64(world.clock.time.to_bits());
    hasher.write_u64(world.seed);
    world
        .actors
        .iter()
        .for_each(|actor| hash_actor(actor, &mut hasher));
    world.timers.hash_into(&mut hasher);
    world.messages.hash_into(&mut hasher);
    world.camera.hash_into(&mut hasher);
    for action in &world.controls.actions {
        hasher.floats(&action.value.to_array());
    }
    behaviour.hash_into(&mut hasher);
    hasher.finish()
}

fn hash_actor(actor: &Actor, hasher: &mut StableHasher) {
    hasher.write_u32(actor.id.index);
    hasher.write_u32(actor.id.generation);
    hasher.text(&actor.name);
    hasher.floats(&actor.position_world.to_array());
    hasher.floats(&actor.velocity_world.to_array());
    hasher.floats(&[actor.yaw, actor.yaw_rate]);
    hasher.write_u8(
        u8::from(actor.grounded) | u8::from(actor.alive) << 1 | u8::from(actor.visible) << 2,
    );
    hasher.floats(&actor.tint);
    actor.properties.iter().for_each(|(key, value)| {
        hasher.text(key);
        hasher.data(value);
    });
    std::hash::Hash::hash(&actor.random, hasher);
    if let Some(animation) = &actor.animation {
        animation.state.hash_into(hasher);
        animation.hash_into(hasher);
        hasher.pose(&animation.pose);
    }
}
