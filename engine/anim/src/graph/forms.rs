//! Reading values that may be written in several forms ("speed", 1.5, a list or a table), with
//! messages that name every form.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error, MapAccess, SeqAccess, Visitor,
};

use super::shapes::TEXT_OR_LIST;

/// A value with several written forms; what a type does not accept stays an error that says what
/// would have been right.
pub(super) trait Forms: Sized {
    /// "a number, true, false, \"trigger\" or a table".
    const EXPECTED: &'static str;

    /// From a word; `None` where no word is accepted, `Err` names the words that are.
    fn text(_text: &str) -> Option<Result<Self, &'static [&'static str]>> {
        None
    }

    /// From a number.
    fn number(_number: f64) -> Option<Self> {
        None
    }

    /// From true or false.
    fn flag(_flag: bool) -> Option<Self> {
        None
    }

    /// From a list.
    fn list<'de, A: SeqAccess<'de>>(_list: A) -> Result<Self, A::Error> {
        Err(A::Error::custom(format_args!(
            "invalid type: list, expected {}",
            Self::EXPECTED
        )))
    }

    /// From a table.
    fn table<'de, A: MapAccess<'de>>(_table: A) -> Result<Self, A::Error> {
        Err(A::Error::custom(format_args!(
            "invalid type: table, expected {}",
            Self::EXPECTED
        )))
    }
}

/// Deserializes a type with several forms.
pub(super) fn forms<'de, D: Deserializer<'de>, T: Forms>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(FormsVisitor(PhantomData))
}

/// As [`forms`], of a type that may be a list and never a table.
pub(super) fn text_or_list<'de, D: Deserializer<'de>, T: Forms>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(TEXT_OR_LIST, FormsVisitor(PhantomData))
}

struct FormsVisitor<T>(PhantomData<T>);

impl<'de, T: Forms> Visitor<'de> for FormsVisitor<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::EXPECTED)
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<T, E> {
        T::flag(flag).ok_or_else(|| E::invalid_type(serde::de::Unexpected::Bool(flag), &self))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        self.visit_f64(number as f64)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
        T::number(number)
            .ok_or_else(|| E::invalid_type(serde::de::Unexpected::Float(number), &self))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        match T::text(text) {
            None => Err(E::invalid_type(serde::de::Unexpected::Str(text), &self)),
            Some(Ok(value)) => Ok(value),
            Some(Err(words)) => Err(E::unknown_variant(text, words)),
        }
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<T, A::Error> {
        T::list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<T, A::Error> {
        T::table(table)
    }
}

/// Every item of a list.
pub(super) fn items<'de, A: SeqAccess<'de>, T: Deserialize<'de>>(
    mut list: A,
) -> Result<Vec<T>, A::Error> {
    let mut items = Vec::new();
    while let Some(item) = list.next_element()? {
        items.push(item);
    }
    Ok(items)
}

/// A list.
pub(super) fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct ListVisitor<T>(PhantomData<T>);
    impl<'de, T: DeserializeOwned> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Vec<T>, A::Error> {
            items(list)
        }
    }
    deserializer.deserialize_seq(ListVisitor(PhantomData))
}

/// As [`list`], for keys whose absence means something.
pub(super) fn some_list<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<Vec<T>>, D::Error> {
    list(deserializer).map(Some)
}

/// A table keyed by name; a name twice is an error.
pub(super) fn table<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<BTreeMap<String, T>, D::Error> {
    struct TableVisitor<T>(PhantomData<T>);
    impl<'de, T: DeserializeOwned> Visitor<'de> for TableVisitor<T> {
        type Value = BTreeMap<String, T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a table keyed by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut table = BTreeMap::new();
            while let Some((name, value)) = map.next_entry::<String, T>()? {
                if table.contains_key(&name) {
                    return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
                }
                table.insert(name, value);
            }
            Ok(table)
        }
    }
    deserializer.deserialize_map(TableVisitor(PhantomData))
}

/// A whole number or nothing. Script languages hand over `1.0` where `1` was meant.
pub(super) fn whole<'de, D: Deserializer<'de>, T: TryFrom<i64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    struct WholeVisitor<T>(PhantomData<T>);
    impl<'de, T: TryFrom<i64>> Visitor<'de> for WholeVisitor<T> {
        type Value = Option<T>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a whole number")
        }

        fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_i64<E: Error>(self, number: i64) -> Result<Option<T>, E> {
            let unexpected = serde::de::Unexpected::Signed(number);
            let fits = T::try_from(number).map(Some);
            fits.map_err(|_| E::invalid_value(unexpected, &self))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
            self.visit_i64(i64::try_from(number).unwrap_or(i64::MAX))
        }

        fn visit_f64<E: Error>(self, number: f64) -> Result<Option<T>, E> {
            if number.fract() == 0.0 && number.abs() < 1e15 {
                self.visit_i64(number as i64)
            } else {
                Err(E::invalid_type(serde::de::Unexpected::Float(number), &self))
            }
        }
    }
    deserializer.deserialize_any(WholeVisitor(PhantomData))
}
