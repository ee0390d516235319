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
