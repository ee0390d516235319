//! Unique names: names are identity, files need not have them.

use std::collections::HashSet;

use crate::error::Warnings;

/// The longest name, bytes. Names are copied to whatever a file makes of them, so they must not be large.
const MAX_NAME: usize = 256;

/// A name of the file, cut where it is too long; empty ones count as none.
pub(crate) fn own<'a>(
    name: Option<&'a str>,
    pointer: &str,
    warnings: &mut Warnings,
) -> Option<&'a str> {
    let name = name.filter(|name| !name.is_empty())?;
    let end = name.floor_char_boundary(MAX_NAME);
    if end < name.len() {
        let message = format!("a name of {} bytes was cut to {end}", name.len());
        warnings.add("W-NAME-CUT", pointer, message);
    }
    name.get(..end)
}

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

    #[test]
    fn long_names_are_cut_between_characters() {
        let long = "ä".repeat(200);
        let mut warnings = Warnings::default();
        assert_eq!(
            own(Some(&long), "/nodes/0", &mut warnings).map(str::len),
            Some(256)
        );
        assert_eq!(own(Some("short"), "/nodes/1", &mut warnings), Some("short"));
        assert_eq!(own(Some(""), "/nodes/2", &mut warnings), None);
        assert_eq!(warnings.list.len(), 1);
    }
}
