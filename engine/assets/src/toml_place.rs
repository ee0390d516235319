//! From a pointer to the place in a TOML text that it names.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

/// The place of the value that a pointer such as `/actor/3/model` names (tokens as in RFC 6901), else of
/// its deepest ancestor; `None` for a text that is no TOML.
pub fn locate_toml(text: &str, pointer: &str) -> Option<Range<usize>> {
    let root = DeTable::parse(text).ok()?;
    let tokens: Vec<String> = pointer
        .split('/')
        .skip(1)
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect();
    let steps: Vec<&str> = tokens.iter().map(String::as_str).collect();
    Some(range_of(root.get_ref(), &steps))
}

/// The place of the value that `steps` lead to: keys, and numbers in lists; else of its deepest
/// ancestor.
pub(crate) fn range_of(root: &DeTable, steps: &[&str]) -> Range<usize> {
    let mut range = 0..0;
    let mut table = Some(root);
    let mut here: Option<&Spanned<DeValue>> = None;
    for step in steps {
        let next = match (table, here.map(Spanned::get_ref)) {
            (Some(table), _) => table.get(*step),
            (None, Some(DeValue::Array(items))) => step
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get(index)),
            _ => None,
        };
        let Some(next) = next else { break };
        range = next.span();
        table = next.get_ref().as_table();
        here = Some(next);
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_lead_to_values_and_else_to_their_ancestors() {
        let text = "a = 1\n[[b]]\nc = [10, 20]\n[[b]]\n\"d/e\" = { f = true }\n";
        let at = |pointer| &text[locate_toml(text, pointer).expect("valid TOML")];
        assert_eq!(at("/a"), "1");
        assert_eq!(at("/b/0/c/1"), "20");
        assert_eq!(at("/b/1/d~1e/f"), "true");
        assert_eq!(at("/b/0/c/7"), "[10, 20]");
        assert_eq!(at(""), "");
        assert_eq!(locate_toml("a = ", "/a"), None);
    }
}
