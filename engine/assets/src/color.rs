//! Colours in levels and scripts: `"#rrggbb"` or a name.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An opaque colour as it is written, in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Color {
    /// Red, green, blue.
    pub srgb: [u8; 3],
}

/// A text that is no colour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is no colour: write \"#rrggbb\" or a name such as \"{}\"", crate::diagnostic::shown(.text), .nearest.unwrap_or("gold"))]
pub struct ColorError {
    /// What was written.
    pub text: String,
    /// The name that is nearest to it.
    pub nearest: Option<&'static str>,
}

/// Names, in byte order; the values are those of CSS.
const NAMES: &[(&str, u32)] = &[
    ("aqua", 0x00ffff),
    ("beige", 0xf5f5dc),
    ("black", 0x000000),
    ("blue", 0x0000ff),
    ("brown", 0xa52a2a),
    ("coral", 0xff7f50),
    ("crimson", 0xdc143c),
    ("cyan", 0x00ffff),
    ("gold", 0xffd700),
    ("gray", 0x808080),
    ("green", 0x008000),
    ("grey", 0x808080),
    ("indigo", 0x4b0082),
    ("ivory", 0xfffff0),
    ("khaki", 0xf0e68c),
    ("lavender", 0xe6e6fa),
    ("lime", 0x00ff00),
    ("magenta", 0xff00ff),
    ("maroon", 0x800000),
    ("navy", 0x000080),
    ("olive", 0x808000),
    ("orange", 0xffa500),
    ("orchid", 0xda70d6),
    ("pink", 0xffc0cb),
    ("plum", 0xdda0dd),
    ("purple", 0x800080),
    ("red", 0xff0000),
    ("salmon", 0xfa8072),
    ("sienna", 0xa0522d),
    ("silver", 0xc0c0c0),
    ("skyblue", 0x87ceeb),
    ("tan", 0xd2b48c),
    ("teal", 0x008080),
    ("tomato", 0xff6347),
    ("turquoise", 0x40e0d0),
    ("violet", 0xee82ee),
    ("white", 0xffffff),
    ("yellow", 0xffff00),
];

impl Color {
    /// A colour from `0xrrggbb`.
    pub const fn hex(rgb: u32) -> Self {
        Self {
            srgb: [(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8],
        }
    }

    /// Reads `#rrggbb`, in either case, or a name.
    ///
    /// # Errors
    /// With the nearest name.
    pub fn parse(text: &str) -> Result<Self, ColorError> {
        let hex = text.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        });
        if let Some(rgb) = hex.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            return Ok(Self::hex(rgb));
        }
        let named = NAMES.iter().find(|(name, _)| *name == text);
        named
            .map(|&(_, rgb)| Self::hex(rgb))
            .ok_or_else(|| ColorError {
                text: text.to_owned(),
                nearest: sinew_anim::nearest(text, NAMES.iter().map(|(name, _)| *name)),
            })
    }

    /// Linear red, green, blue, 0 to 1 (IEC 61966-2-1).
    pub fn linear(self) -> [f32; 3] {
        self.srgb.map(|channel| {
            let value = f32::from(channel) / 255.0;
            if value <= 0.040_45 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        })
    }
}

impl fmt::Display for Color {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.srgb;
        write!(out, "#{red:02x}{green:02x}{blue:02x}")
    }
}

impl Serialize for Color {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Color {
    fn schema_name() -> Cow<'static, str> {
        "Color".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        json_schema!({
            "description": "`#rrggbb` or the name of a colour.",
            "type": "string",
            "format": "color",
            "pattern": format!("^(#[0-9A-Fa-f]{{6}}|{})$", names.join("|")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_names_are_read() {
        for (text, expected) in [
            ("#ff8000", [255, 128, 0]),
            ("#FF8000", [255, 128, 0]),
            ("gold", [255, 215, 0]),
            ("black", [0, 0, 0]),
        ] {
            assert_eq!(
                Color::parse(text).map(|color| color.srgb),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn other_texts_are_refused_with_the_nearest_name() {
        for (text, nearest) in [
            ("glod", Some("gold")),
            ("Red", Some("red")),
            ("#ff80", None),
            ("#ff80zz", None),
            ("#+f8000", None),
            ("", None),
        ] {
            let error = Color::parse(text).expect_err(text);
            if nearest.is_some() {
                assert_eq!(error.nearest, nearest, "{text}");
            }
            assert!(error.to_string().contains("#rrggbb"), "{error}");
        }
    }

    #[test]
    fn names_are_in_order_and_written_colours_read_back() {
        assert!(NAMES.windows(2).all(|pair| pair[0].0 < pair[1].0));
        for &(name, rgb) in NAMES {
            let color = Color::parse(name).expect("a name of the table");
            assert_eq!(color, Color::hex(rgb));
            assert_eq!(Color::parse(&color.to_string()), Ok(color));
        }
    }

    #[test]
    fn linear_light_keeps_the_ends_and_the_order() {
        assert_eq!(Color::hex(0).linear(), [0.0; 3]);
        assert_eq!(Color::hex(0xff_ffff).linear(), [1.0; 3]);
        let values: Vec<f32> = (0..=255).map(|gray| Color::hex(gray).linear()[2]).collect();
        assert!(values.windows(2).all(|pair| pair[0] < pair[1]));
        let middle = Color::hex(188).linear()[2];
        assert!(
            (middle - 0.503).abs() < 1e-3,
            "sRGB 188 is about half the light: {middle}"
        );
    }
}
