//! What an accessor's elements are made of.

/// The `type` of an accessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Shape {
    Scalar,
    Vec2,
    Vec3,
    Vec4,
    Mat2,
    Mat3,
    Mat4,
}

impl Shape {
    pub(crate) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "SCALAR" => Self::Scalar,
            "VEC2" => Self::Vec2,
            "VEC3" => Self::Vec3,
            "VEC4" => Self::Vec4,
            "MAT2" => Self::Mat2,
            "MAT3" => Self::Mat3,
            "MAT4" => Self::Mat4,
            _ => return None,
        })
    }

    pub(crate) fn components(self) -> usize {
        match self {
            Self::Scalar => 1,
            Self::Vec2 => 2,
            Self::Vec3 => 3,
            Self::Vec4 | Self::Mat2 => 4,
            Self::Mat3 => 9,
            Self::Mat4 => 16,
        }
    }

    /// Bytes of an element; each column of a matrix begins at a multiple of four.
    pub(crate) fn size(self, component: Component) -> u64 {
        let size = component.size();
        match self {
            Self::Mat2 => 2 * (2 * size).next_multiple_of(4),
            Self::Mat3 => 3 * (3 * size).next_multiple_of(4),
            _ => self.components() as u64 * size,
        }
    }
}

/// The `componentType` of an accessor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    pub(crate) fn parse(number: u32) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    pub(crate) fn size(self) -> u64 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The number that `bytes` (of this component's size) hold.
    pub(crate) fn read(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a]) => f64::from(a as i8),
            (Self::U8, &[a]) => f64::from(a),
            (Self::I16, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
            (Self::U16, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
            (Self::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (Self::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            _ => 0.0,
        }
    }

    /// A stored integer as the fraction it stands for (glTF 2.0, 3.11: `max(c / 127, -1)` and so on).
    pub(crate) fn normalise(self, number: f64) -> f64 {
        match self {
            Self::I8 => (number / 127.0).max(-1.0),
            Self::U8 => number / 255.0,
            Self::I16 => (number / 32767.0).max(-1.0),
            Self::U16 => number / 65535.0,
            Self::U32 => number / 4_294_967_295.0,
            Self::F32 => number,
        }
    }

    /// The largest error of a fraction that was rounded to this type.
    pub(crate) fn rounding(self) -> f32 {
        match self {
            Self::I8 => 0.5 / 127.0,
            Self::U8 => 0.5 / 255.0,
            Self::I16 => 0.5 / 32767.0,
            Self::U16 => 0.5 / 65535.0,
            Self::U32 | Self::F32 => 0.0,
        }
    }
}

/// What kinds of numbers a use allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Numbers {
    /// 32-bit floats only.
    Float,
    /// Floats, or integers that stand for fractions.
    Fraction,
    /// Floats or integers, taken for fractions where they are marked so.
    Any,
    /// Unsigned integers that are taken as they are.
    Index,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_reach_both_ends_exactly() {
        let cases = [
            (Component::I8, -128.0, 127.0, -1.0),
            (Component::U8, 0.0, 255.0, 0.0),
            (Component::I16, -32768.0, 32767.0, -1.0),
            (Component::U16, 0.0, 65535.0, 0.0),
        ];
        for (component, least, most, lower) in cases {
            assert_eq!(component.normalise(least), lower, "{component:?}");
            assert_eq!(component.normalise(most), 1.0, "{component:?}");
        }
    }

    #[test]
    fn matrix_columns_begin_at_multiples_of_four() {
        let cases = [
            (Shape::Mat2, Component::I8, 8),
            (Shape::Mat3, Component::U8, 12),
            (Shape::Mat3, Component::I16, 24),
            (Shape::Mat4, Component::F32, 64),
            (Shape::Vec3, Component::U16, 6),
        ];
        for (shape, component, bytes) in cases {
            assert_eq!(shape.size(component), bytes, "{shape:?} of {component:?}");
        }
    }
}
