//! Plain data from one actor's scripts to another's, delivered at the start of the next update.

use std::hash::Hasher;

use crate::{ActorId, Data, StableHasher};

/// One message to one actor.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Who gets it.
    pub to: ActorId,
    /// Who sent it; an embedder's message has no sender.
    pub from: Option<ActorId>,
    /// What it is about.
    pub name: String,
    /// A copy of what was sent.
    pub data: Data,
}

/// Messages under way, in the order in which they will arrive.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Messages {
    pending: Vec<Message>,
}

impl Messages {
    /// Queues a message for the next update.
    pub fn send(&mut self, message: Message) {
        self.pending.push(message);
    }

    /// Takes everything that is due, by sender and then by the order of sending.
    pub fn take_due(&mut self) -> Vec<Message> {
        let mut due = std::mem::take(&mut self.pending);
        due.sort_by_key(|message| message.from);
        due
    }

    pub(crate) fn hash_into(&self, hasher: &mut StableHasher) {
        for message in &self.pending {
            hasher.write_u32(message.to.index);
            hasher.text(&message.name);
            hasher.data(&message.data);
        }
    }
}
