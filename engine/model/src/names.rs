//! Unique names: names are identity, files need not have them.

use std::collections::HashSet;

/// Hands out each name once.
#[derive(Default)]
pub(crate) struct Names {
    taken: HashSet<String>,
}

impl Names {
    /// `wanted` itself where it is free, else with `#<index>` behind it; the flag tells whether it was changed.
    pub(crate) fn claim(&mut self, wanted: &str, index: usize) -> (String, bool) {
        let mut name = wanted.to_owned();
        while !self.taken.insert(name.clone()) {
            name += &format!("#{index}");
        }
        let renamed = name != wanted;
        (name, renamed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_names_get_their_index_until_they_are_free() {
        let mut names = Names::default();
        let claimed: Vec<_> = ["bone", "bone#2", "bone", "bone"]
            .iter()
            .enumerate()
            .map(|(index, name)| names.claim(name, index).0)
            .collect();
        assert_eq!(claimed, ["bone", "bone#2", "bone#2#2", "bone#3"]);
    }
}
