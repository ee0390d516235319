//! Plain data from one actor's scripts to another's, delivered at the start of the next update.

use serde::{Deserialize, Serialize};

use crate::{ActorId, Data};

/// One message to one actor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Message>", into = "Vec<Message>")]
pub struct Messages {
    pending: Vec<Message>,
    /// Bytes of all that is pending, roughly.
    bytes: usize,
}

/// The most messages that scripts should leave under way.
const MOST_MESSAGES: usize = 20_000;
/// The most bytes of messages that scripts should leave under way.
const MOST_BYTES: usize = 32 << 20;

impl Messages {
    /// Queues a message for the next update.
    pub fn send(&mut self, message: Message) {
        self.bytes = self
            .bytes
            .saturating_add(message.name.len() + size(&message.data));
        self.pending.push(message);
    }

    /// Whether so much is under way that scripts should be refused more.
    pub fn is_full(&self) -> bool {
        self.pending.len() >= MOST_MESSAGES || self.bytes >= MOST_BYTES
    }

    /// Takes everything that is due, by sender and then by the order of sending.
    pub fn take_due(&mut self) -> Vec<Message> {
        self.bytes = 0;
        let mut due = std::mem::take(&mut self.pending);
        due.sort_by_key(|message| message.from);
        due
    }
}

impl From<Vec<Message>> for Messages {
    fn from(pending: Vec<Message>) -> Self {
        let mut messages = Self::default();
        pending
            .into_iter()
            .for_each(|message| messages.send(message));
        messages
    }
}

impl From<Messages> for Vec<Message> {
    fn from(messages: Messages) -> Self {
        messages.pending
    }
}

/// Bytes of a piece of data, roughly.
fn size(data: &Data) -> usize {
    let own = size_of::<Data>();
    match data {
        Data::Text(text) => own + text.len(),
        Data::List(items) => own + items.iter().map(size).sum::<usize>(),
        Data::Map(map) => {
            let entry =
                |(key, value): (&String, &Data)| size_of::<String>() + key.len() + size(value);
            own + map.iter().map(entry).sum::<usize>()
        }
        _ => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(data: Data) -> Message {
        let to = ActorId {
            index: 0,
            generation: 0,
        };
        Message {
            to,
            from: None,
            name: "x".to_owned(),
            data,
        }
    }

    #[test]
    fn many_and_large_messages_fill_and_delivery_empties() {
        let mut messages = Messages::default();
        for _ in 0..MOST_MESSAGES {
            assert!(!messages.is_full());
            messages.send(message(Data::Nil));
        }
        assert!(messages.is_full());
        assert_eq!(messages.take_due().len(), MOST_MESSAGES);
        assert!(!messages.is_full());
        let large = Data::List(vec![Data::Text("x".repeat(MOST_BYTES / 2)); 2]);
        messages.send(message(large));
        assert!(messages.is_full(), "by bytes");
    }
}
