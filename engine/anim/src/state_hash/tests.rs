use std::collections::BTreeMap;

use serde::Serialize;

use super::*;

/// Collects what it is fed, so that equal hashes mean equal bytes.
#[derive(Default)]
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3) + 1;
        }
    }
}

#[derive(Clone, Serialize)]
enum Kind {
    Idle,
    At(f32),
    Both { from: f32, to: f32 },
}

#[derive(Clone, Serialize)]
struct Inner {
    value: f64,
    at: glam::Vec3,
    kind: Kind,
    names: Vec<String>,
}

#[derive(Clone, Serialize)]
struct Outer {
    layers: Vec<Inner>,
    speed: f32,
    fields: BTreeMap<String, Option<i32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    second: Option<u8>,
}

fn state() -> Outer {
    let inner = |value| Inner {
        value,
        at: glam::Vec3::new(1.0, 2.0, 3.0),
        kind: Kind::Both { from: 1.0, to: 2.0 },
        names: vec!["ab".to_owned(), "c".to_owned()],
    };
    Outer {
        layers: vec![inner(0.5), inner(1.5)],
        speed: 1.0,
        fields: [("a".to_owned(), Some(1)), ("b".to_owned(), None)].into(),
        first: Some(1),
        second: None,
    }
}

fn hash(state: &Outer) -> u64 {
    let mut hasher = Fnv::default();
    state_hash(state, &mut hasher);
    hasher.finish()
}

type Edit = fn(&mut Outer);

/// Every way to change one thing, and the part that it belongs to at three names deep.
fn changes() -> Vec<(&'static str, Edit)> {
    vec![
        ("layers/0/value", |state| {
            state.layers[0].value = 0.5 + f64::EPSILON
        }),
        ("layers/1/at", |state| state.layers[1].at.y = -2.0),
        ("layers/1/kind", |state| state.layers[1].kind = Kind::Idle),
        ("layers/0/kind", |state| {
            state.layers[0].kind = Kind::At(1.0)
        }),
        ("layers/0/names", |state| {
            state.layers[0].names = vec!["a".to_owned(), "bc".to_owned()];
        }),
        ("layers/0/names", |state| state.layers[0].names.clear()),
        ("speed", |state| state.speed = -1.0),
        ("fields/b", |state| {
            state.fields.insert("b".to_owned(), Some(0));
        }),
        ("first", |state| state.first = Some(2)),
    ]
}

#[test]
fn every_bit_counts_and_the_part_that_differs_has_its_name() {
    let before = state();
    let parts = field_hashes::<Fnv>(&before, 3);
    for (name, change) in changes() {
        let mut after = before.clone();
        change(&mut after);
        assert_ne!(hash(&before), hash(&after), "{name}");
        let differing: Vec<String> = field_hashes::<Fnv>(&after, 3)
            .into_iter()
            .filter(|part| !parts.contains(part))
            .map(|(name, _)| name)
            .collect();
        let expected = |found: &str| found.strip_prefix(name).is_some();
        assert!(
            differing.iter().all(|found| expected(found)),
            "{name}: {differing:?}"
        );
        assert_eq!(differing.len(), 1, "{name}: {differing:?}");
    }
}

#[test]
fn minus_nought_one_of_two_absent_fields_and_a_shifted_text_are_different() {
    let (mut a, mut b) = (state(), state());
    (a.speed, b.speed) = (0.0, -0.0);
    assert_ne!(hash(&a), hash(&b));
    let (mut a, mut b) = (state(), state());
    (a.first, a.second) = (Some(7), None);
    (b.first, b.second) = (None, Some(7));
    assert_ne!(hash(&a), hash(&b));
}

#[test]
fn depth_one_names_the_fields_and_depth_nought_nothing() {
    let names = |depth| {
        let parts = field_hashes::<Fnv>(&state(), depth);
        parts.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(names(0), Vec::<String>::new());
    assert_eq!(names(1), ["layers", "speed", "fields", "first"]);
    assert_eq!(
        names(2),
        [
            "layers/0", "layers/1", "speed", "fields/a", "fields/b", "first"
        ]
    );
}
