//! Numbers of scripts as plain data, to the bit: JSON has no infinities and no NaN, and scripts may keep them. Texts get
//! their bits in hexadecimal instead.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A number, or the bits of one that is not finite.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Exact {
    Number(f64),
    Bits(String),
}

fn write(number: f64) -> Exact {
    if number.is_finite() {
        Exact::Number(number)
    } else {
        Exact::Bits(format!("{:016x}", number.to_bits()))
    }
}

fn read<E: Error>(exact: Exact) -> Result<f64, E> {
    match exact {
        Exact::Number(number) => Ok(number),
        Exact::Bits(bits) => u64::from_str_radix(&bits, 16)
            .map(f64::from_bits)
            .map_err(|_| E::custom(format!("`{bits}` is not the bits of a number"))),
    }
}

/// For a number.
pub(crate) mod number {
    use super::*;

    pub(crate) fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            write(*number).serialize(serializer)
        } else {
            number.serialize(serializer)
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<f64, D::Error> {
        if reader.is_human_readable() {
            Exact::deserialize(reader).and_then(read)
        } else {
            f64::deserialize(reader)
        }
    }
}

/// For three numbers.
pub(crate) mod vector {
    use glam::Vec3;

    use super::*;

    pub(crate) fn serialize<S: Serializer>(
        vector: &Vec3,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let numbers = vector.to_array().map(|number| write(f64::from(number)));
            numbers.serialize(serializer)
        } else {
            vector.serialize(serializer)
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec3, D::Error> {
        if !reader.is_human_readable() {
            return Vec3::deserialize(reader);
        }
        let [x, y, z] = <[Exact; 3]>::deserialize(reader)?;
        let number = |exact| read(exact).map(|number: f64| number as f32);
        Ok(Vec3::new(number(x)?, number(y)?, number(z)?))
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec3;

    use crate::Data;

    #[test]
    fn every_number_comes_back_from_a_text_to_the_bit() {
        let numbers = [
            0.1 + 0.2,
            -0.0,
            5e-324,
            f64::MAX,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            1.000_000_000_000_000_2,
        ];
        for number in numbers {
            let text = serde_json::to_string(&Data::Number(number)).expect("plain data");
            let Data::Number(back) = serde_json::from_str(&text).expect(&text) else {
                unreachable!("{text}");
            };
            assert_eq!(back.to_bits(), number.to_bits(), "{text}");
        }
        let vector = Vec3::new(f32::INFINITY, -0.0, 0.1);
        let text = serde_json::to_string(&Data::Vec3(vector)).expect("plain data");
        let back: Data = serde_json::from_str(&text).expect(&text);
        assert_eq!(back, Data::Vec3(vector), "{text}");
        assert!(serde_json::from_str::<Data>("{\"Number\":\"x\"}").is_err());
    }
}
