//! Accessors: typed elements out of buffer views, with every length checked before it is used.

use crate::{
    budget::Budget,
    buffers::View,
    document::{Accessor, Document, Sparse},
    element::{Component, Numbers, Shape},
    error::{ImportError, Result},
};

/// The most elements of an accessor whose values (or the base of its sparse values) stand nowhere in the file.
const MAX_ZEROS: u64 = 1 << 22;

/// An accessor whose numbers make sense and whose bytes are all there.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) count: u64,
    pub(crate) shape: Shape,
    pub(crate) component: Component,
    pub(crate) normalized: bool,
    /// Nothing but zeros: neither a view nor sparse values.
    pub(crate) zeros: bool,
}

/// Reads accessors of one file.
pub(crate) struct Reader<'a> {
    pub(crate) accessors: &'a [Accessor],
    pub(crate) views: Vec<View<'a>>,
    pub(crate) budget: Budget,
}

impl<'a> Reader<'a> {
    /// Checks all accessors of `document`, so that a broken one is found even where nothing uses it.
    pub(crate) fn new(
        document: &'a Document,
        views: Vec<View<'a>>,
        budget: Budget,
    ) -> Result<Self> {
        let reader = Self {
            accessors: &document.accessors,
            views,
            budget,
        };
        for index in 0..reader.accessors.len() {
            reader.layout(index)?;
        }
        Ok(reader)
    }

    fn accessor(&self, index: usize) -> Result<&'a Accessor> {
        self.accessors.get(index).ok_or_else(|| {
            ImportError::new(
                "E-INDEX",
                format!("/accessors/{index}"),
                format!(
                    "there is no accessor {index}, the file has {}",
                    self.accessors.len()
                ),
            )
        })
    }

    /// Checks one accessor against its views.
    pub(crate) fn layout(&self, index: usize) -> Result<Layout> {
        let accessor = self.accessor(index)?;
        let pointer = format!("/accessors/{index}");
        let shape = Shape::parse(&accessor.shape).ok_or_else(|| {
            let message = format!("unknown type `{}`", accessor.shape);
            ImportError::new("E-ACCESSOR", format!("{pointer}/type"), message)
        })?;
        let component = component_type(accessor.component_type, &pointer)?;
        if let Some(view) = accessor.buffer_view {
            let span = Span {
                view,
                offset: accessor.byte_offset,
                count: accessor.count,
                size: shape.size(component),
                component,
            };
            drop(self.elements(&pointer, span)?);
        }
        if let Some(sparse) = &accessor.sparse {
            if sparse.count > accessor.count {
                return Err(ImportError::new(
                    "E-SPARSE",
                    format!("{pointer}/sparse/count"),
                    format!(
                        "{} values replace {} elements",
                        sparse.count, accessor.count
                    ),
                ));
            }
            let pointer = format!("{pointer}/sparse");
            let (indices, _) = sparse_index_span(sparse, &format!("{pointer}/indices"))?;
            drop(self.elements(&format!("{pointer}/indices"), indices)?);
            let values = sparse_value_span(sparse, shape, component);
            drop(self.elements(&format!("{pointer}/values"), values)?);
        }
        Ok(Layout {
            count: accessor.count,
            shape,
            component,
            normalized: accessor.normalized,
            zeros: accessor.buffer_view.is_none() && accessor.sparse.is_none(),
        })
    }

    /// The layout of an accessor for a use that needs `shape` and `numbers`; `owner` is the user's pointer.
    pub(crate) fn expect(
        &self,
        index: usize,
        owner: &str,
        shape: Shape,
        numbers: Numbers,
    ) -> Result<Layout> {
        let layout = self.layout(index)?;
        let allowed = match (numbers, layout.component) {
            (Numbers::Float, component) => component == Component::F32,
            (Numbers::Fraction, component) => component == Component::F32 || layout.normalized,
            (Numbers::Any, _) => true,
            (Numbers::Index, component) => {
                matches!(component, Component::U8 | Component::U16 | Component::U32)
            }
        };
        if layout.shape != shape || !allowed {
            return Err(ImportError::new(
                "E-ACCESSOR-TYPE",
                owner,
                format!(
                    "accessor {index} holds {:?} of {:?}{}, expected {shape:?} of {}",
                    layout.shape,
                    layout.component,
                    if layout.normalized {
                        " (normalised)"
                    } else {
                        ""
                    },
                    match numbers {
                        Numbers::Float => "F32",
                        Numbers::Fraction => "F32 or normalised integers",
                        Numbers::Any => "any numbers",
                        Numbers::Index => "unsigned integers",
                    }
                ),
            ));
        }
        Ok(layout)
    }

    /// All numbers of an accessor, element by element; every one is finite.
    pub(crate) fn floats(
        &mut self,
        index: usize,
        owner: &str,
        shape: Shape,
        numbers: Numbers,
    ) -> Result<Vec<f32>> {
        let layout = self.expect(index, owner, shape, numbers)?;
        let values = self.read(index, layout, |number| {
            (if layout.normalized {
                layout.component.normalise(number)
            } else {
                number
            }) as f32
        })?;
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(values),
            Some(at) => Err(ImportError::new(
                "E-NOT-FINITE",
                format!("/accessors/{index}"),
                format!(
                    "element {} holds {}, used by {owner}",
                    at / shape.components(),
                    values.get(at).copied().unwrap_or(f32::NAN)
                ),
            )),
        }
    }

    /// All numbers of an accessor of unsigned integers.
    pub(crate) fn indices(&mut self, index: usize, owner: &str, shape: Shape) -> Result<Vec<u32>> {
        let layout = self.expect(index, owner, shape, Numbers::Index)?;
        self.read(index, layout, |number| number as u32)
    }

    fn read<T: Copy + Default>(
        &mut self,
        index: usize,
        layout: Layout,
        convert: impl Fn(f64) -> T,
    ) -> Result<Vec<T>> {
        let accessor = self.accessor(index)?;
        let pointer = format!("/accessors/{index}");
        let components = layout.shape.components();
        if accessor.buffer_view.is_none() && layout.count > MAX_ZEROS {
            return Err(ImportError::new(
                "E-TOO-LARGE",
                pointer,
                format!(
                    "{} elements without data, at most {MAX_ZEROS} are read",
                    layout.count
                ),
            ));
        }
        let size = (components * size_of::<T>()) as u64;
        self.budget.take(layout.count, size, &pointer)?;
        let mut values = vec![T::default(); layout.count as usize * components];
        if let Some(view) = accessor.buffer_view {
            let span = Span {
                view,
                offset: accessor.byte_offset,
                count: layout.count,
                size: layout.shape.size(layout.component),
                component: layout.component,
            };
            let elements = self.elements(&pointer, span)?;
            for (target, source) in values.chunks_exact_mut(components).zip(elements) {
                read_element(target, source, layout.component, &convert);
            }
        }
        if let Some(sparse) = &accessor.sparse {
            let pointer = format!("{pointer}/sparse/indices");
            let (span, component) = sparse_index_span(sparse, &pointer)?;
            let indices = self.elements(&pointer, span)?;
            let span = sparse_value_span(sparse, layout.shape, layout.component);
            let sources = self.elements(&pointer, span)?;
            let mut next = 0;
            for (index, source) in indices.zip(sources) {
                let at = component.read(index) as usize;
                let target = values.chunks_exact_mut(components).nth(at);
                let Some(target) = target.filter(|_| at >= next) else {
                    return Err(ImportError::new(
                        "E-SPARSE",
                        pointer,
                        format!(
                            "index {at} must be at least {next} and below {}",
                            accessor.count
                        ),
                    ));
                };
                read_element(target, source, layout.component, &convert);
                next = at + 1;
            }
        }
        Ok(values)
    }

    /// The bytes of each element of a span.
    fn elements(&self, pointer: &str, span: Span) -> Result<impl Iterator<Item = &[u8]> + use<'_>> {
        let refuse = |message: String| ImportError::new("E-ACCESSOR", pointer, message);
        let view = self.views.get(span.view).ok_or_else(|| {
            ImportError::new(
                "E-INDEX",
                pointer,
                format!(
                    "there is no buffer view {}, the file has {}",
                    span.view,
                    self.views.len()
                ),
            )
        })?;
        let alignment = span.component.size();
        let stride = view.stride.unwrap_or(span.size);
        if stride < span.size || !stride.is_multiple_of(alignment) {
            return Err(refuse(format!(
                "elements of {} bytes do not fit the stride of {stride} of buffer view {}",
                span.size, span.view
            )));
        }
        let aligned = span.offset.is_multiple_of(alignment)
            && view
                .offset
                .wrapping_add(span.offset)
                .is_multiple_of(alignment);
        if !aligned {
            return Err(refuse(format!(
                "offset {} in the view at {} is no multiple of {alignment}",
                span.offset, view.offset
            )));
        }
        let length = match span.count.checked_sub(1) {
            None => Some(0),
            Some(last) => last
                .checked_mul(stride)
                .and_then(|length| length.checked_add(span.size)),
        };
        let bytes = length
            .and_then(|length| span.offset.checked_add(length))
            .and_then(|end| view.bytes.get(usize::try_from(span.offset).ok()?..usize::try_from(end).ok()?))
            .ok_or_else(|| {
                refuse(format!(
                    "{} elements {stride} bytes apart from {} reach past the {} bytes of buffer view {}",
                    span.count,
                    span.offset,
                    view.bytes.len(),
                    span.view
                ))
            })?;
        let size = span.size as usize;
        Ok(bytes
            .chunks(stride as usize)
            .filter_map(move |chunk| chunk.get(..size)))
    }
}

/// Elements in a view.
struct Span {
    view: usize,
    offset: u64,
    count: u64,
    size: u64,
    component: Component,
}

/// Where a sparse accessor's indices stand, and what they are.
fn sparse_index_span(sparse: &Sparse, pointer: &str) -> Result<(Span, Component)> {
    let component = component_type(sparse.indices.component_type, pointer)?;
    if !matches!(component, Component::U8 | Component::U16 | Component::U32) {
        return Err(ImportError::new(
            "E-SPARSE",
            format!("{pointer}/componentType"),
            format!("indices are {component:?}, expected unsigned integers"),
        ));
    }
    let span = Span {
        view: sparse.indices.buffer_view,
        offset: sparse.indices.byte_offset,
        count: sparse.count,
        size: component.size(),
        component,
    };
    Ok((span, component))
}

/// Where a sparse accessor's values stand.
fn sparse_value_span(sparse: &Sparse, shape: Shape, component: Component) -> Span {
    Span {
        view: sparse.values.buffer_view,
        offset: sparse.values.byte_offset,
        count: sparse.count,
        size: shape.size(component),
        component,
    }
}

fn component_type(number: u32, pointer: &str) -> Result<Component> {
    Component::parse(number).ok_or_else(|| {
        ImportError::new(
            "E-ACCESSOR",
            format!("{pointer}/componentType"),
            format!("unknown component type {number}"),
        )
    })
}

fn read_element<T>(
    target: &mut [T],
    source: &[u8],
    component: Component,
    convert: impl Fn(f64) -> T,
) {
    let size = component.size() as usize;
    for (value, bytes) in target.iter_mut().zip(source.chunks_exact(size)) {
        *value = convert(component.read(bytes));
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;

    /// Reads accessor 0 of `json` (an accessors array) over views `(bytes, stride)`.
    fn check(json: &str, views: &[(&[u8], Option<u64>)], shape: Shape) -> Result<Vec<f32>> {
        let document = Document {
            accessors: serde_json::from_str(json).expect("accessors"),
            ..Document::default()
        };
        let views = views.iter().map(|&(bytes, stride)| View {
            bytes: Cow::Borrowed(bytes),
            stride,
            offset: 0,
        });
        let mut reader = Reader::new(&document, views.collect(), Budget::new(0))?;
        reader.floats(0, "/use", shape, Numbers::Any)
    }

    #[test]
    fn integers_strides_and_fractions_are_read_as_the_specification_says() {
        type Case<'a> = (&'a str, &'a [u8], Option<u64>, &'a [f32]);
        let cases: [Case; 4] = [
            (
                r#"[{"bufferView":0,"componentType":5121,"count":2,"type":"VEC2"}]"#,
                &[1, 2, 3, 4],
                None,
                &[1.0, 2.0, 3.0, 4.0],
            ),
            (
                r#"[{"bufferView":0,"componentType":5120,"normalized":true,"count":1,"type":"VEC2"}]"#,
                &[0x80, 127],
                None,
                &[-1.0, 1.0],
            ),
            (
                r#"[{"bufferView":0,"componentType":5121,"count":2,"type":"VEC2"}]"#,
                &[1, 2, 9, 9, 3, 4],
                Some(4),
                &[1.0, 2.0, 3.0, 4.0],
            ),
            (
                r#"[{"componentType":5126,"count":1,"type":"VEC2"}]"#,
                &[],
                None,
                &[0.0, 0.0],
            ),
        ];
        for (json, bytes, stride, expected) in cases {
            let values = check(json, &[(bytes, stride)], Shape::Vec2).expect(json);
            assert_eq!(values, expected, "{json}");
        }
    }

    #[test]
    fn sparse_values_replace_zeros() {
        let json = r#"[{"componentType":5121,"count":4,"type":"SCALAR","sparse":{"count":2,
            "indices":{"bufferView":0,"componentType":5121},"values":{"bufferView":1}}}]"#;
        let values =
            check(json, &[(&[1, 3], None), (&[7, 8], None)], Shape::Scalar).expect("valid");
        assert_eq!(values, [0.0, 7.0, 0.0, 8.0]);
        for indices in [[3, 1], [1, 1], [1, 4]] {
            let error = check(json, &[(&indices, None), (&[7, 8], None)], Shape::Scalar);
            assert_eq!(error.expect_err("bad indices").code, "E-SPARSE");
        }
    }

    #[test]
    fn counts_and_offsets_that_do_not_fit_are_refused() {
        let cases = [
            (
                r#"[{"bufferView":0,"componentType":5126,"count":3,"type":"SCALAR"}]"#,
                "E-ACCESSOR",
            ),
            (
                r#"[{"bufferView":0,"componentType":5126,"byteOffset":2,"count":1,"type":"SCALAR"}]"#,
                "E-ACCESSOR",
            ),
            (
                r#"[{"bufferView":0,"componentType":5126,"count":18446744073709551615,"type":"SCALAR"}]"#,
                "E-ACCESSOR",
            ),
            (
                r#"[{"bufferView":0,"componentType":5126,"byteOffset":18446744073709551612,"count":2,"type":"SCALAR"}]"#,
                "E-ACCESSOR",
            ),
            (
                r#"[{"bufferView":0,"componentType":5124,"count":1,"type":"SCALAR"}]"#,
                "E-ACCESSOR",
            ),
            (
                r#"[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC5"}]"#,
                "E-ACCESSOR",
            ),
            (
                r#"[{"bufferView":1,"componentType":5126,"count":1,"type":"SCALAR"}]"#,
                "E-INDEX",
            ),
            (
                r#"[{"componentType":5126,"count":4194305,"type":"SCALAR"}]"#,
                "E-TOO-LARGE",
            ),
            (
                r#"[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC2"}]"#,
                "E-ACCESSOR-TYPE",
            ),
        ];
        for (json, code) in cases {
            let error = check(json, &[(&[0; 8], None)], Shape::Scalar).expect_err(json);
            assert_eq!(error.code, code, "{json}");
        }
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused_at_their_accessor() {
        let json = r#"[{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"}]"#;
        let mut bytes = [0; 8];
        bytes[4..].copy_from_slice(&f32::NAN.to_le_bytes());
        let error = check(json, &[(&bytes, None)], Shape::Scalar).expect_err("NaN");
        assert_eq!(
            (error.code, error.pointer.as_str()),
            ("E-NOT-FINITE", "/accessors/0")
        );
    }
}
