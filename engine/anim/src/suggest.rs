//! "Did you mean ...": the nearest of known names.

/// The name nearest to `name` by edit distance (insertions, deletions, substitutions, swapped neighbours; a
/// change of case alone counts little), or `None` where nothing is near: more than one edit in
/// three letters. The first of equally near names wins.
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wanted: Vec<char> = name.chars().take(MAX_LETTERS).collect();
    names
        .map(|candidate| (cost(&wanted, candidate), candidate))
        .filter(|((edits, _), candidate)| {
            let letters = wanted.len().max(candidate.chars().count());
            *edits <= (letters / 3).max(1) && *edits < letters
        })
        .min_by_key(|(cost, _)| *cost)
        .map(|(_, candidate)| candidate)
}

/// Longer names are compared by their beginning, so that a hostile name costs little.
const MAX_LETTERS: usize = 64;

/// Edits without regard to case, then edits with it.
fn cost(wanted: &[char], candidate: &str) -> (usize, usize) {
    let letters: Vec<char> = candidate.chars().take(MAX_LETTERS).collect();
    let lower = |letters: &[char]| {
        letters
            .iter()
            .flat_map(|c| c.to_lowercase())
            .collect::<Vec<_>>()
    };
    (
        distance(&lower(wanted), &lower(&letters)),
        distance(wanted, &letters),
    )
}

/// Optimal string alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before = vec![0; b.len() + 1];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1; b.len() + 1];
        for j in 0..b.len() {
            let change = above[j] + usize::from(a[i] != b[j]);
            row[j + 1] = change.min(above[j + 1] + 1).min(row[j] + 1);
            let swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            if swapped {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_slips_are_met_and_strangers_are_not() {
        let names = [
            "idle",
            "walk",
            "run",
            "jump_start",
            "upperArm_L",
            "upperArm_R",
            "hips",
        ];
        let cases = [
            ("wlak", Some("walk")),
            ("Walk", Some("walk")),
            ("rum", Some("run")),
            ("jumpstart", Some("jump_start")),
            ("upperarm_r", Some("upperArm_R")),
            ("UpperArm_L", Some("upperArm_L")),
            ("walk", Some("walk")),
            ("hip", Some("hips")),
            ("x", None),
            ("", None),
            ("elephant", None),
            ("ru", Some("run")),
        ];
        for (name, expected) in cases {
            assert_eq!(nearest(name, names.into_iter()), expected, "{name}");
        }
        assert_eq!(nearest("walk", std::iter::empty()), None);
    }

    #[test]
    fn the_first_of_equals_wins_and_hostile_lengths_are_cut() {
        assert_eq!(nearest("cat", ["bat", "rat"].into_iter()), Some("bat"));
        let long = "a".repeat(100_000);
        let other = format!("{long}b");
        assert_eq!(
            nearest(&long, [other.as_str()].into_iter()),
            Some(other.as_str())
        );
    }

    #[test]
    fn distances_count_edits() {
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        for (a, b, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("ab", "ba", 1),
            ("ca", "abc", 3),
        ] {
            assert_eq!(distance(&chars(a), &chars(b)), expected, "{a} {b}");
            assert_eq!(distance(&chars(b), &chars(a)), expected, "{b} {a}");
        }
    }
}
