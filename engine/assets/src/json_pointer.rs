//! From a JSON pointer to the place in the text that it names, for the line and the caret of an error.

use std::ops::Range;

/// Where a pointer leads in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The key in quotes, where the value stands in an object.
    pub key: Option<Range<usize>>,
    /// The whole value.
    pub value: Range<usize>,
    /// True where the whole pointer was found, false where this is its deepest ancestor in the text.
    pub whole: bool,
    /// True where the value is an object or a list.
    pub container: bool,
}

impl Located {
    /// What a caret should underline: a scalar itself; of an object or a list its key, else its
    /// opening bracket.
    pub fn caret(&self) -> Range<usize> {
        match &self.key {
            Some(key) if self.container => key.clone(),
            None if self.container => self.value.start..self.value.start + 1,
            _ => self.value.clone(),
        }
    }
}

/// Finds the value that an RFC 6901 pointer names. Where the text has no such value, its deepest
/// ancestor; `None` only for a text that is no JSON up to there. Not recursive: depth costs nothing.
pub fn locate_json(text: &str, pointer: &str) -> Option<Located> {
    let mut at = skip_space(text, 0);
    let mut found = located(text, None, at)?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        match child(text, at, &token) {
            Some((key, value)) => {
                at = value;
                found = located(text, key, at)?;
            }
            None => {
                found.whole = false;
                break;
            }
        }
    }
    Some(found)
}

fn located(text: &str, key: Option<Range<usize>>, at: usize) -> Option<Located> {
    Some(Located {
        key,
        value: at..skip_value(text, at)?,
        whole: true,
        container: matches!(text.as_bytes().get(at), Some(b'{' | b'[')),
    })
}

/// The key and the start of the value of one member of the object or list that begins at `at`.
fn child(text: &str, at: usize, token: &str) -> Option<(Option<Range<usize>>, usize)> {
    let bytes = text.as_bytes();
    let object = match bytes.get(at)? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    let wanted = token.parse::<usize>().ok().filter(|_| !object);
    let mut at = skip_space(text, at + 1);
    for index in 0.. {
        if matches!(bytes.get(at)?, b'}' | b']') {
            return None;
        }
        let key = if object {
            let key = at..skip_string(text, at)?;
            let colon = skip_space(text, key.end);
            (bytes.get(colon)? == &b':').then_some(())?;
            at = skip_space(text, colon + 1);
            Some(key)
        } else {
            None
        };
        let here = match &key {
            Some(key) => key_is(&text[key.clone()], token),
            None => wanted == Some(index),
        };
        if here {
            return Some((key, at));
        }
        at = skip_space(text, skip_value(text, at)?);
        if bytes.get(at)? == &b',' {
            at = skip_space(text, at + 1);
        }
    }
    None
}

fn key_is(quoted: &str, token: &str) -> bool {
    serde_json::from_str::<String>(quoted).is_ok_and(|key| key == token)
}

fn skip_space(text: &str, at: usize) -> usize {
    let space = text.as_bytes()[at..]
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count();
    at + space
}

/// The byte after the string whose opening quote is at `at`.
fn skip_string(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (bytes.get(at)? == &b'"').then_some(())?;
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The byte after the value that begins at `at`.
fn skip_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.get(at)? {
        b'"' => return skip_string(text, at),
        b'{' | b'[' => {}
        _ => {
            let scalar = bytes[at..]
                .iter()
                .take_while(|byte| {
                    !matches!(byte, b',' | b'}' | b']') && !byte.is_ascii_whitespace()
                })
                .count();
            return (scalar > 0).then_some(at + scalar);
        }
    }
    let (mut depth, mut at) = (0_usize, at);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = skip_string(text, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    const TEXT: &str = r#"{
  "layers": [ { "name": "base, [x]" }, { "a/b": { "~": -1.5e3 }, "\u0061b": true } ],
  "": [], "last" : null
}"#;

    fn at(pointer: &str) -> &'static str {
        let found = locate_json(TEXT, pointer).expect("valid JSON");
        assert!(found.whole, "{pointer}");
        &TEXT[found.value]
    }

    #[test]
    fn pointers_lead_to_their_values() {
        assert_eq!(at(""), TEXT);
        assert_eq!(at("/layers/0/name"), r#""base, [x]""#);
        assert_eq!(at("/layers/1/a~1b/~0"), "-1.5e3");
        assert_eq!(at("/layers/1/ab"), "true", "escapes in keys are read");
        assert_eq!(at("/"), "[]");
        assert_eq!(at("/last"), "null");
    }

    #[test]
    fn a_missing_key_leads_to_the_deepest_ancestor() {
        let found = locate_json(TEXT, "/layers/0/mask/joints").expect("valid JSON");
        assert!(!found.whole);
        assert_eq!(&TEXT[found.value], r#"{ "name": "base, [x]" }"#);
        let found = locate_json(TEXT, "/layers/7").expect("valid JSON");
        assert_eq!(&TEXT[found.caret()], r#""layers""#);
    }

    #[test]
    fn broken_text_has_no_place_and_deep_text_no_cost() {
        for broken in ["", "{", "{\"a\"", "{\"a\":", "[1,", "\"", "{\"\\", "}"] {
            assert_eq!(locate_json(broken, "/a/0"), None, "{broken}");
        }
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(locate_json(&deep, "/0/0").is_some());
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i32>().prop_map(Value::from),
            "[a-z\"\\\\/~{}\\[\\],: é\n]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map("[a-c\"/~]{0,2}", inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    fn check_all(text: &str, pointer: &str, value: &Value) {
        let found = locate_json(text, pointer).expect("valid JSON");
        assert!(found.whole, "{pointer} in {text}");
        let read: Value = serde_json::from_str(&text[found.value]).expect("a whole value");
        assert_eq!(&read, value);
        match value {
            Value::Array(list) => {
                for (index, item) in list.iter().enumerate() {
                    check_all(text, &format!("{pointer}/{index}"), item);
                }
            }
            Value::Object(map) => {
                for (key, item) in map {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    check_all(text, &format!("{pointer}/{key}"), item);
                }
            }
            _ => {}
        }
    }

    proptest! {
        #[test]
        fn every_value_is_found_as_serde_reads_it(value in json(), pretty in any::<bool>()) {
            let text = if pretty {
                serde_json::to_string_pretty(&value)
            } else {
                serde_json::to_string(&value)
            };
            check_all(&text.expect("plain data"), "", &value);
        }

        #[test]
        fn no_text_and_no_pointer_panics(text in "[\\[\\]{}\",:\\\\a0 é]{0,40}", pointer in "[/~a0é]{0,9}") {
            if let Some(found) = locate_json(&text, &pointer) {
                prop_assert!(text.get(found.caret()).is_some());
                prop_assert!(text.get(found.value).is_some());
            }
        }
    }
}
