//! Names by index, in the order of first use or of their bytes.

use std::collections::BTreeMap;

/// Names with an index each.
#[derive(Default)]
pub(super) struct Names<'a> {
    indices: BTreeMap<&'a str, u16>,
}

impl<'a> Names<'a> {
    /// The index of a name, a new one where it is not known; none where no more fit.
    pub(super) fn index(&mut self, name: &'a str) -> Option<u16> {
        let next = u16::try_from(self.indices.len()).ok();
        match self.indices.get(name) {
            Some(&index) => Some(index),
            None => {
                self.indices.insert(name, next?);
                next
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.indices.len()
    }

    /// All names in byte order.
    pub(super) fn sorted(&self) -> impl Iterator<Item = &'a str> {
        self.indices.keys().copied()
    }

    /// By index: `place` of the name.
    pub(super) fn places(&self, place: impl Fn(&str) -> u16) -> Vec<u16> {
        let mut places = vec![0; self.indices.len()];
        for (name, &index) in &self.indices {
            places[usize::from(index)] = place(name);
        }
        places
    }
}
