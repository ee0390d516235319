//! Reading tables as tables, lists as lists and words as words. What serde derives for a struct also takes a list, field
//! by field, so that `[]` would be a whole graph; nobody who writes that means it.

use std::fmt;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

/// Under this name, a type that may be written as text or as a list asks for either.
pub(super) const TEXT_OR_LIST: &str = "text or list";

/// A deserializer, visitor or seed, with what is read inside of it, that takes values of the shape that is asked for.
pub(super) struct Shapes<T> {
    /// What is behind it.
    inner: T,
    /// An empty table may stand for an empty list: Lua cannot tell them apart.
    empty_table_is_list: bool,
    /// What is asked for.
    shape: Shape,
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Any,
    List,
    Table,
    Word,
}

impl<T> Shapes<T> {
    pub(super) fn new(inner: T, empty_table_is_list: bool) -> Self {
        Self {
            inner,
            empty_table_is_list,
            shape: Shape::Any,
        }
    }
}

impl<V> Shapes<V> {
    /// The visitor, where a value that is no table may be what is asked for.
    fn simple<'de, E: Error>(self, found: Unexpected<'_>) -> Result<V, E>
    where
        V: Visitor<'de>,
    {
        match self.shape {
            Shape::Any | Shape::List => Ok(self.inner),
            Shape::Table | Shape::Word => Err(E::invalid_type(found, &self)),
        }
    }
}

impl<'de, D: Deserializer<'de>> Shapes<D> {
    fn read<V: Visitor<'de>>(self, shape: Shape, inner: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(Shapes {
            inner,
            shape,
            empty_table_is_list: self.empty_table_is_list,
        })
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Shapes<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.read(Shape::Any, visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.read(Shape::List, visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.read(Shape::Table, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.read(Shape::Word, visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        match name {
            TEXT_OR_LIST => self.read(Shape::List, visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let visitor = Shapes::new(visitor, self.empty_table_is_list);
        self.inner.deserialize_option(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct tuple tuple_struct map identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Shapes<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.shape {
            Shape::Any | Shape::List => self.inner.expecting(formatter),
            Shape::Table => formatter.write_str("a table"),
            Shape::Word => formatter.write_str("a word"),
        }
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.simple(Unexpected::Bool(value))?.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.simple(Unexpected::Signed(value))?.visit_i64(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.simple(Unexpected::Unsigned(value))?.visit_u64(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        self.simple(Unexpected::Float(value))?.visit_f64(value)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        if self.shape == Shape::Word {
            return self.inner.visit_enum(StrDeserializer::new(text));
        }
        self.simple(Unexpected::Str(text))?.visit_str(text)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.simple(Unexpected::Unit)?.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        let lenient = self.empty_table_is_list;
        self.inner.visit_some(Shapes::new(deserializer, lenient))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        let lenient = self.empty_table_is_list;
        let visitor = self.simple(Unexpected::Seq)?;
        visitor.visit_seq(Shapes::new(list, lenient))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut table: A) -> Result<V::Value, A::Error> {
        let lenient = self.empty_table_is_list;
        match self.shape {
            Shape::Any | Shape::Table => self.inner.visit_map(Shapes::new(table, lenient)),
            Shape::List if lenient => match table.next_key::<String>()? {
                None => self
                    .inner
                    .visit_seq(SeqDeserializer::new(std::iter::empty::<()>())),
                Some(key) => Err(A::Error::custom(format_args!(
                    "invalid type: table with key `{key}`, expected {}",
                    &self as &dyn Expected
                ))),
            },
            Shape::List | Shape::Word => Err(A::Error::invalid_type(Unexpected::Map, &self)),
        }
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Shapes<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let seed = Shapes::new(seed, self.empty_table_is_list);
        self.inner.next_element_seed(seed)
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Shapes<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.inner.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let seed = Shapes::new(seed, self.empty_table_is_list);
        self.inner.next_value_seed(seed)
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Shapes<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        let lenient = self.empty_table_is_list;
        self.inner.deserialize(Shapes::new(deserializer, lenient))
    }
}
