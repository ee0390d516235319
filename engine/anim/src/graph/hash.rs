//! Every bit of a [`GraphState`] into a hash.

use std::hash::Hasher;

use super::state::GraphState;
use crate::state_hash;

impl GraphState {
    /// Feeds every bit of state to a hasher: equal states of one graph give equal hashes on every
    /// machine.
    pub fn hash_into<H: Hasher + Default>(&self, hasher: &mut H) {
        state_hash(self, hasher);
    }
}
