//! Words that are read round and round, such as the names of the markers of a looping clip.

/// The places in `own` from which on it reads, round and round, as `other` does from its start; none where either
/// is empty.
///
/// Two words that agree for as long as both together agree for ever (Fine and Wilf).
pub(super) fn rotations<T: PartialEq>(own: &[T], other: &[T]) -> impl Iterator<Item = usize> {
    let count = if other.is_empty() { 0 } else { own.len() };
    (0..count).filter(move |start| {
        let mut both = 0..own.len() + other.len();
        both.all(|at| own[(start + at) % own.len()] == other[at % other.len()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_different_lengths_agree_where_they_repeat_the_same() {
        let cases: [(&str, &str, &[usize]); 8] = [
            ("lr", "lr", &[0]),
            ("rl", "lr", &[1]),
            ("lrlr", "lr", &[0, 2]),
            ("rlrlrl", "lrlr", &[1, 3, 5]),
            ("ss", "sss", &[0, 1]),
            ("lrr", "lr", &[]),
            ("lrll", "lr", &[]),
            ("lr", "", &[]),
        ];
        for (own, other, expected) in cases {
            let [own, other] = [own, other].map(str::as_bytes);
            let found: Vec<usize> = rotations(own, other).collect();
            assert_eq!(found, expected);
            // By reading both for longer than any common multiple.
            for start in 0..own.len() {
                let agrees = !other.is_empty()
                    && (0..720).all(|at| own[(start + at) % own.len()] == other[at % other.len()]);
                assert_eq!(agrees, expected.contains(&start));
            }
        }
    }
}
