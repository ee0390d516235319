//! What a machine has begun in a step, which says what it may begin after that.

/// The states that a machine was in during this step: once it has moved on, none begins again. Counted over
/// the whole step of the actor, however it is cut around the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Begun {
    states: [u16; 9],
    pub(super) count: usize,
}

impl Default for Begun {
    fn default() -> Self {
        Self::after(None)
    }
}

impl Begun {
    /// Nothing has begun since the first state.
    pub(super) fn after(first: Option<u16>) -> Self {
        Self {
            states: [first.unwrap_or(u16::MAX); 9],
            count: 0,
        }
    }

    /// Where the machine is, as long as nothing has begun.
    pub(super) fn stand_in(&mut self, first: Option<u16>) {
        if self.count == 0 {
            *self = Self::after(first);
        }
    }

    pub(super) fn note(&mut self, state: u16) {
        self.count += 1;
        if let Some(slot) = self.states.get_mut(self.count) {
            *slot = state;
        }
    }

    /// Whether the machine has been there in this step and moved on.
    pub(super) fn contains(&self, state: u16) -> bool {
        let known = self.states.len().min(self.count + 1);
        self.count > 0 && self.states[..known].contains(&state)
    }
}
