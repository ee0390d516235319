//! Actors by generational handle, in a fixed order.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::{Actor, WorldError};

/// Names one actor for as long as the world exists; a place that is used again has another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ActorId {
    /// Place in the world; the order of all work.
    pub index: u32,
    /// How often the place was used before.
    pub generation: u32,
}

/// Who stood in a place last, for messages about dead handles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tombstone {
    #[serde(with = "crate::shared")]
    name: Arc<str>,
    frame: u64,
}

/// A place for an actor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub generation: u32,
    pub actor: Option<Box<Actor>>,
    pub last: Option<Tombstone>,
}

/// All actors, walked by ascending index.
#[derive(Clone, Debug, Default)]
pub struct Actors {
    pub(crate) slots: Vec<Slot>,
}

impl Actors {
    /// Puts an actor into the lowest free place.
    pub fn insert(&mut self, mut actor: Actor) -> ActorId {
        let free = self.slots.iter().position(|slot| slot.actor.is_none());
        let index = free.unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        });
        let slot = &mut self.slots[index];
        let id = ActorId {
            index: index as u32,
            generation: slot.generation,
        };
        actor.id = id;
        slot.actor = Some(Box::new(actor));
        id
    }

    /// Takes an actor out; its handle is dead from now on.
    pub fn remove(&mut self, id: ActorId, frame: u64) -> Option<Actor> {
        let slot = self.slots.get_mut(id.index as usize)?;
        if slot.generation != id.generation {
            return None;
        }
        let actor = slot.actor.take()?;
        slot.generation += 1;
        slot.last = Some(Tombstone {
            name: actor.name.clone(),
            frame,
        });
        Some(*actor)
    }

    /// The actor of a handle, dying ones included.
    pub fn get(&self, id: ActorId) -> Option<&Actor> {
        let slot = self.slots.get(id.index as usize)?;
        slot.actor
            .as_deref()
            .filter(|_| slot.generation == id.generation)
    }

    /// The actor of a handle, to change it.
    pub fn get_mut(&mut self, id: ActorId) -> Option<&mut Actor> {
        let slot = self.slots.get_mut(id.index as usize)?;
        let generation = slot.generation;
        slot.actor
            .as_deref_mut()
            .filter(|_| generation == id.generation)
    }

    /// Like [`Self::get`], with the words for a dead handle.
    ///
    /// # Errors
    /// [`WorldError::Destroyed`] names who it was and when it went.
    pub fn need(&self, id: ActorId) -> Result<&Actor, WorldError> {
        self.get(id).ok_or_else(|| self.destroyed(id))
    }

    /// Like [`Self::get_mut`], with the words for a dead handle.
    ///
    /// # Errors
    /// [`WorldError::Destroyed`] names who it was and when it went.
    pub fn need_mut(&mut self, id: ActorId) -> Result<&mut Actor, WorldError> {
        if self.get(id).is_none() {
            return Err(self.destroyed(id));
        }
        self.get_mut(id).ok_or(WorldError::NoActor)
    }

    fn destroyed(&self, id: ActorId) -> WorldError {
        let slot = self.slots.get(id.index as usize);
        let last = slot
            .filter(|slot| slot.generation == id.generation + 1)
            .and_then(|slot| slot.last.as_ref());
        last.map_or(WorldError::NoActor, |last| WorldError::Destroyed {
            name: last.name.to_string(),
            frame: last.frame,
        })
    }

    /// The living actor of this name.
    pub fn find(&self, name: &str) -> Option<&Actor> {
        self.iter()
            .find(|actor| actor.alive && &*actor.name == name)
    }

    /// All actors by ascending index.
    pub fn iter(&self) -> impl Iterator<Item = &Actor> {
        self.slots.iter().filter_map(|slot| slot.actor.as_deref())
    }

    /// All actors by ascending index, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Actor> {
        self.slots
            .iter_mut()
            .filter_map(|slot| slot.actor.as_deref_mut())
    }

    /// Handles of all actors by ascending index, into a buffer that the caller keeps.
    pub fn ids_into(&self, ids: &mut Vec<ActorId>) {
        ids.clear();
        ids.extend(self.iter().map(|actor| actor.id));
    }

    /// Actors in the world.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// True for a world without actors.
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    pub(crate) fn places(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn at(&self, place: usize) -> Option<&Actor> {
        self.slots.get(place)?.actor.as_deref()
    }

    pub(crate) fn at_mut(&mut self, place: usize) -> Option<&mut Actor> {
        self.slots.get_mut(place)?.actor.as_deref_mut()
    }

    pub(crate) fn par_iter_mut(
        &mut self,
    ) -> impl rayon::iter::IndexedParallelIterator<Item = Option<&mut Actor>> {
        use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
        self.slots
            .par_iter_mut()
            .map(|slot| slot.actor.as_deref_mut())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_handle_says_who_it_was_even_when_its_place_is_used_again() {
        let mut actors = Actors::default();
        let guard = actors.insert(Actor::named("guard_2"));
        actors.remove(guard, 311).expect("it was there");
        let dog = actors.insert(Actor::named("dog"));
        assert_eq!(dog.index, guard.index);
        let error = actors.need(guard).expect_err("it is gone");
        assert_eq!(
            error.to_string(),
            "actor `guard_2` was destroyed at frame 311"
        );
        assert_eq!(&*actors.need(dog).expect("alive").name, "dog");
    }
}
