//! Hashes of any state that can be serialised: as a whole, or field by field to find where two states differ.
//!
//! A type is hashed through its `Serialize`, so what a snapshot holds is what is hashed and nothing can be forgotten:
//! floats by their bits, enum variants by their index, texts and lists with their lengths, numbers little-endian.

use std::{fmt, hash::Hasher, mem};

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

/// Feeds every bit of a value to a hasher: equal states give equal hashes on every machine.
pub fn state_hash<T, H>(value: &T, hasher: &mut H)
where
    T: Serialize + ?Sized,
    H: Hasher + Default,
{
    let mut walk = Walk {
        hasher: mem::take(hasher),
        ..Walk::default()
    };
    walk.whole(value);
    *hasher = walk.hasher;
}

/// The hash of every named part of a value, at most `depth` names deep, in the order of serialisation. A part's name is
/// its path: `layers/0/fade`. What has no parts (numbers, vectors, enums, empty lists) is one.
pub fn field_hashes<H>(value: &(impl Serialize + ?Sized), depth: usize) -> Vec<(String, u64)>
where
    H: Hasher + Default,
{
    let mut walk: Walk<H> = Walk {
        deeper: depth,
        ..Walk::default()
    };
    walk.whole(value);
    walk.found
}

/// Walks a value. The hasher belongs to the innermost part that gets a name of its own.
#[derive(Default)]
struct Walk<H> {
    hasher: H,
    path: String,
    /// How many more names deep parts are told apart.
    deeper: usize,
    found: Vec<(String, u64)>,
}

impl<H: Hasher + Default> Walk<H> {
    fn whole(&mut self, value: &(impl Serialize + ?Sized)) {
        if value.serialize(&mut *self).is_err() {
            // A value that refuses to be serialised does so on every machine.
            self.hasher.write(b"refused");
        }
    }

    fn number(&mut self, value: u64) {
        self.hasher.write(&value.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.hasher.write(bytes);
    }

    /// A part; `name` is asked only where parts are told apart.
    fn part<T: Serialize + ?Sized>(
        &mut self,
        name: impl FnOnce() -> String,
        value: &T,
    ) -> fmt::Result {
        if self.deeper == 0 {
            return value.serialize(&mut *self);
        }
        let (outer, length, known) = (
            mem::take(&mut self.hasher),
            self.path.len(),
            self.found.len(),
        );
        if length > 0 {
            self.path.push('/');
        }
        self.path.push_str(&name());
        self.deeper -= 1;
        let done = value.serialize(&mut *self);
        self.deeper += 1;
        let own = mem::replace(&mut self.hasher, outer).finish();
        if self.found.len() == known {
            self.found.push((self.path.clone(), own));
        }
        self.path.truncate(length);
        self.number(own);
        done
    }

    /// A compound whose parts have names.
    fn named(&mut self) -> Parts<'_, H> {
        Parts {
            deeper: self.deeper,
            walk: self,
            index: 0,
            key: String::new(),
            counted: true,
        }
    }

    /// A compound that is one value to people: a vector, an enum.
    fn unnamed(&mut self) -> Parts<'_, H> {
        let deeper = mem::take(&mut self.deeper);
        Parts {
            deeper,
            walk: self,
            index: 0,
            key: String::new(),
            counted: true,
        }
    }
}

/// The parts of a compound.
struct Parts<'a, H> {
    walk: &'a mut Walk<H>,
    /// [`Walk::deeper`] outside of the compound.
    deeper: usize,
    index: usize,
    /// Of the entry of a map whose value comes next.
    key: String,
    /// Whether the length stands in front.
    counted: bool,
}

impl<H: Hasher + Default> Parts<'_, H> {
    fn next<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        let index = self.index;
        self.index += 1;
        if !self.counted {
            self.walk.hasher.write(&[1]);
        }
        self.walk.part(|| index.to_string(), value)
    }

    fn close(self) -> fmt::Result {
        if !self.counted {
            self.walk.hasher.write(&[0]);
        }
        self.walk.deeper = self.deeper;
        Ok(())
    }
}

impl<'a, H: Hasher + Default> Serializer for &'a mut Walk<H> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Parts<'a, H>;
    type SerializeTuple = Parts<'a, H>;
    type SerializeTupleStruct = Parts<'a, H>;
    type SerializeTupleVariant = Parts<'a, H>;
    type SerializeMap = Parts<'a, H>;
    type SerializeStruct = Parts<'a, H>;
    type SerializeStructVariant = Parts<'a, H>;

    fn serialize_bool(self, value: bool) -> fmt::Result {
        self.serialize_u8(u8::from(value))
    }

    fn serialize_i8(self, value: i8) -> fmt::Result {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i16(self, value: i16) -> fmt::Result {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i32(self, value: i32) -> fmt::Result {
        self.serialize_i64(i64::from(value))
    }

    fn serialize_i64(self, value: i64) -> fmt::Result {
        self.hasher.write(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_i128(self, value: i128) -> fmt::Result {
        self.hasher.write(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> fmt::Result {
        self.hasher.write(&[value]);
        Ok(())
    }

    fn serialize_u16(self, value: u16) -> fmt::Result {
        self.hasher.write(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_u32(self, value: u32) -> fmt::Result {
        self.hasher.write(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_u64(self, value: u64) -> fmt::Result {
        self.number(value);
        Ok(())
    }

    fn serialize_u128(self, value: u128) -> fmt::Result {
        self.hasher.write(&value.to_le_bytes());
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> fmt::Result {
        self.serialize_u32(value.to_bits())
    }

    fn serialize_f64(self, value: f64) -> fmt::Result {
        self.serialize_u64(value.to_bits())
    }

    fn serialize_char(self, value: char) -> fmt::Result {
        self.serialize_u32(u32::from(value))
    }

    fn serialize_str(self, value: &str) -> fmt::Result {
        self.bytes(value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> fmt::Result {
        self.bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> fmt::Result {
        self.serialize_u8(0)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        self.hasher.write(&[1]);
        value.serialize(self)
    }

    fn serialize_unit(self) -> fmt::Result {
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> fmt::Result {
        Ok(())
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
    ) -> fmt::Result {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        value: &T,
    ) -> fmt::Result {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
        value: &T,
    ) -> fmt::Result {
        self.hasher.write(&index.to_le_bytes());
        let deeper = mem::take(&mut self.deeper);
        let done = value.serialize(&mut *self);
        self.deeper = deeper;
        done
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Parts<'a, H>, fmt::Error> {
        self.number(length.map_or(u64::MAX, |length| length as u64));
        Ok(Parts {
            counted: length.is_some(),
            ..self.named()
        })
    }

    fn serialize_tuple(self, _length: usize) -> Result<Parts<'a, H>, fmt::Error> {
        Ok(self.unnamed())
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Parts<'a, H>, fmt::Error> {
        Ok(self.unnamed())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'a, H>, fmt::Error> {
        self.hasher.write(&index.to_le_bytes());
        Ok(self.unnamed())
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Parts<'a, H>, fmt::Error> {
        self.serialize_seq(length)
    }

    fn serialize_struct(
        self,
        _name: &'static str,
        _length: usize,
    ) -> Result<Parts<'a, H>, fmt::Error> {
        Ok(self.named())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        index: u32,
        _variant: &'static str,
        _length: usize,
    ) -> Result<Parts<'a, H>, fmt::Error> {
        self.hasher.write(&index.to_le_bytes());
        Ok(self.unnamed())
    }

    fn is_human_readable(&self) -> bool {
        false
    }
}

impl<H: Hasher + Default> SerializeSeq for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.next(value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl<H: Hasher + Default> SerializeTuple for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.next(value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl<H: Hasher + Default> SerializeTupleStruct for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.next(value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl<H: Hasher + Default> SerializeTupleVariant for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.next(value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl<H: Hasher + Default> SerializeMap for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        if !self.counted {
            self.walk.hasher.write(&[1]);
        }
        let deeper = mem::take(&mut self.walk.deeper);
        let done = key.serialize(&mut *self.walk);
        self.walk.deeper = deeper;
        if deeper > 0 {
            self.key = key_name(key);
        }
        done
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        let key = mem::take(&mut self.key);
        self.walk.part(|| key, value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl<H: Hasher + Default> SerializeStruct for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> fmt::Result {
        self.walk.part(|| name.to_owned(), value)
    }

    fn skip_field(&mut self, _name: &'static str) -> fmt::Result {
        // So that a field that is left out is not taken for its neighbour.
        self.walk.hasher.write(&[0xfe]);
        Ok(())
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

impl<H: Hasher + Default> SerializeStructVariant for Parts<'_, H> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        _name: &'static str,
        value: &T,
    ) -> fmt::Result {
        self.next(value)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}

fn key_name(key: &(impl Serialize + ?Sized)) -> String {
    match serde_json::to_value(key) {
        Ok(serde_json::Value::String(text)) => text,
        Ok(other) => other.to_string(),
        Err(_) => "?".to_owned(),
    }
}

#[cfg(test)]
mod tests;
