//! Files broken at random: an import may refuse them or read them, but never panic, hang, hold more than it may or return
//! what is not finite.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{Entry, Expect, bombs::PEAK_CAP, data, entries, expected};
use crate::allocations;

/// A small generator of numbers (xorshift64*); the same seed gives the same faults on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }
}

/// The files of our own that can be read, with their bytes.
fn readable() -> Vec<(Entry, Vec<u8>)> {
    let files = entries(&data()).into_iter();
    files
        .filter(|entry| entry.expect == Expect::Accept)
        .map(|entry| {
            let bytes = fs::read(data().join(&entry.main)).expect("a file of the manifest");
            (entry, bytes)
        })
        .collect()
}

/// Imports `bytes` and holds the model, if any, to being finite. A panic says which case it was.
fn survive(bytes: &[u8], case: &str) {
    let mut fetch = |_: &str| Err("not there".to_owned());
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let (outcome, usage) = allocations::measure(|| sinew_model::import(bytes, &mut fetch));
        assert!(
            usage.peak_bytes < PEAK_CAP,
            "{case} holds {} bytes",
            usage.peak_bytes
        );
        outcome.map(|model| expected::check_finite(&model))
    }));
    match outcome {
        Ok(Ok(finite)) => assert_eq!(finite, Ok(()), "{case}"),
        Ok(Err(error)) => assert!(!error.message.is_empty(), "{case}"),
        Err(_) => panic!("the import panics: {case}"),
    }
}

#[test]
fn truncated_files_are_survived() {
    let mut random = Random(1);
    for (entry, bytes) in readable() {
        for _ in 0..8 {
            let length = random.below(bytes.len());
            survive(
                &bytes[..length],
                &format!("{} cut to {length} bytes", entry.name),
            );
        }
    }
}

#[test]
fn flipped_bytes_are_survived() {
    let mut random = Random(2);
    for (entry, bytes) in readable() {
        for round in 0..16 {
            let mut broken = bytes.clone();
            for _ in 0..=random.below(6) {
                let at = random.below(broken.len());
                broken[at] = random.next() as u8;
            }
            survive(
                &broken,
                &format!("{} with flipped bytes, round {round}", entry.name),
            );
        }
    }
}

/// The JSON of a binary container and what follows it.
fn json_of(bytes: &[u8]) -> Option<(Value, &[u8])> {
    let length = u32::from_le_bytes(bytes.get(12..16)?.try_into().ok()?) as usize;
    let json = bytes.get(20..20 + length)?;
    Some((serde_json::from_slice(json).ok()?, &bytes[20 + length..]))
}

fn container_of(json: &Value, rest: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = 20 + text.len() + rest.len();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((length as u32).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(text);
    bytes.extend(rest);
    bytes
}

/// Pointers of all numbers below `value`.
fn numbers(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Number(_) => found.push(pointer.to_owned()),
        Value::Array(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                numbers(entry, &format!("{pointer}/{index}"), found);
            }
        }
        Value::Object(entries) => {
            for (name, entry) in entries {
                let name = name.replace('~', "~0").replace('/', "~1");
                numbers(entry, &format!("{pointer}/{name}"), found);
            }
        }
        _ => {}
    }
}

#[test]
fn changed_numbers_in_the_json_are_survived() {
    let hostile = [
        "0",
        "1",
        "2",
        "3",
        "-1",
        "4",
        "5",
        "255",
        "65535",
        "5121",
        "5125",
        "5126",
        "2147483647",
        "4294967295",
        "4294967296",
        "9007199254740992",
        "18446744073709551615",
        "1e30",
        "-0.5",
        "1e308",
        "null",
        "\"x\"",
        "[]",
    ];
    let mut random = Random(3);
    for (entry, bytes) in readable() {
        let Some((json, rest)) = json_of(&bytes) else {
            continue;
        };
        let mut pointers = Vec::new();
        numbers(&json, "", &mut pointers);
        for _ in 0..24 {
            let mut broken = json.clone();
            let pointer = &pointers[random.below(pointers.len())];
            let text = hostile[random.below(hostile.len())];
            let value = serde_json::from_str(text).expect("a JSON value");
            *broken.pointer_mut(pointer).expect("a pointer of this file") = value;
            survive(
                &container_of(&broken, rest),
                &format!("{} with {text} at {pointer}", entry.name),
            );
        }
    }
}

#[test]
fn the_engine_s_own_characters_are_read_without_a_refusal() {
    let assets: PathBuf = sinew_tests::project().join("assets");
    for name in ["hero", "fox", "robot", "lever"] {
        let bytes = fs::read(assets.join(format!("{name}.glb"))).expect("a character of ours");
        let mut fetch = |uri: &str| Err(format!("{uri} is not there"));
        let model = sinew_model::import(&bytes, &mut fetch).expect(name);
        expected::check_finite(&model).expect(name);
        assert!(!model.clips.is_empty(), "{name}");
    }
}
