//! Buffers and buffer views: from URIs, the binary chunk and compressed streams to checked byte ranges.

use std::borrow::Cow;

use serde::Deserialize;

use crate::{
    budget::Budget,
    container::Container,
    document::{Buffer, BufferView, Document},
    error::{ImportError, Result},
    meshopt_ffi::{self, Filter, Mode},
    uri::{self, Source},
};

/// The caller's way to the bytes of a relative URI.
pub(crate) type Fetch<'a> = &'a mut dyn FnMut(&str) -> std::result::Result<Vec<u8>, String>;

/// Both names of the same extension; the second is the ratified one.
const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// The bytes of one buffer view and how its elements are spaced.
pub(crate) struct View<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    /// Bytes from one element to the next; `None` where they touch.
    pub(crate) stride: Option<u64>,
    /// Where the view begins in its buffer; alignment counts from there.
    pub(crate) offset: u64,
}

/// The bytes of a buffer, or `None` for one that only stands for what compressed views unfold to.
pub(crate) type Bytes<'a> = Option<Cow<'a, [u8]>>;

/// The bytes of every buffer of the file.
pub(crate) fn load_buffers<'a>(
    document: &Document,
    container: &Container<'a>,
    fetch: Fetch,
    budget: &mut Budget,
) -> Result<Vec<Bytes<'a>>> {
    let mut buffers = Vec::with_capacity(document.buffers.len());
    for (index, buffer) in document.buffers.iter().enumerate() {
        let binary = container.binary.filter(|_| index == 0);
        buffers.push(load_buffer(index, buffer, binary, fetch, budget)?);
    }
    Ok(buffers)
}

/// Every view of the file, in bounds and decompressed.
pub(crate) fn load_views<'a>(
    document: &Document,
    buffers: &'a [Bytes],
    budget: &mut Budget,
) -> Result<Vec<View<'a>>> {
    let views = document.buffer_views.iter().enumerate();
    views
        .map(|(index, view)| load_view(index, view, buffers, budget))
        .collect()
}

fn load_buffer<'a>(
    index: usize,
    buffer: &Buffer,
    binary: Option<&'a [u8]>,
    fetch: Fetch,
    budget: &mut Budget,
) -> Result<Bytes<'a>> {
    let pointer = format!("/buffers/{index}");
    if is_fallback(buffer, &pointer)? {
        return Ok(None);
    }
    let mut bytes = match (&buffer.uri, binary) {
        (Some(uri), _) => Cow::Owned(load_uri(uri, &format!("{pointer}/uri"), fetch, budget)?),
        (None, Some(binary)) => Cow::Borrowed(binary),
        (None, None) => {
            return Err(ImportError::new(
                "E-BUFFER",
                pointer,
                "the buffer has neither a `uri` nor a binary chunk to take its bytes from",
            ));
        }
    };
    let length = usize::try_from(buffer.byte_length).unwrap_or(usize::MAX);
    if length > bytes.len() {
        return Err(ImportError::new(
            "E-BUFFER",
            format!("{pointer}/byteLength"),
            format!("{length} bytes are stated, {} are there", bytes.len()),
        ));
    }
    match &mut bytes {
        Cow::Borrowed(slice) => *slice = slice.get(..length).unwrap_or_default(),
        Cow::Owned(owned) => owned.truncate(length),
    }
    Ok(Some(bytes))
}

fn load_uri(uri: &str, pointer: &str, fetch: Fetch, budget: &mut Budget) -> Result<Vec<u8>> {
    match uri::resolve(uri, pointer)? {
        Source::Inline(bytes) => Ok(bytes),
        Source::File(path) => {
            let bytes = fetch(&path).map_err(|reason| {
                ImportError::new(
                    "E-BUFFER",
                    pointer,
                    format!("`{path}` could not be read: {reason}"),
                )
                .help("keep the .bin file beside the .gltf, or export a .glb")
            })?;
            budget.grow(bytes.len());
            Ok(bytes)
        }
    }
}

fn is_fallback(buffer: &Buffer, pointer: &str) -> Result<bool> {
    #[derive(Deserialize)]
    struct Fallback {
        #[serde(default)]
        fallback: bool,
    }
    for name in MESHOPT {
        if let Some(Fallback { fallback: true }) = buffer.extensions.get(name, pointer)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn load_view<'a>(
    index: usize,
    view: &BufferView,
    buffers: &'a [Bytes],
    budget: &mut Budget,
) -> Result<View<'a>> {
    let pointer = format!("/bufferViews/{index}");
    if let Some(stride) = view.byte_stride
        && !(4..=252).contains(&stride)
    {
        return Err(ImportError::new(
            "E-VIEW",
            format!("{pointer}/byteStride"),
            format!("the stride is {stride}, expected 4 to 252"),
        ));
    }
    for name in MESHOPT {
        let owner = format!("{pointer}/extensions/{name}");
        if let Some(compressed) = view.extensions.get(name, &pointer)? {
            return decompress(&owner, view, &compressed, buffers, budget);
        }
    }
    let bytes = slice(
        &pointer,
        view.buffer,
        view.byte_offset,
        view.byte_length,
        buffers,
    )?;
    Ok(View {
        bytes: Cow::Borrowed(bytes),
        stride: view.byte_stride,
        offset: view.byte_offset,
    })
}

/// `length` bytes from `offset` of a buffer.
fn slice<'a>(
    pointer: &str,
    buffer: usize,
    offset: u64,
    length: u64,
    buffers: &'a [Bytes],
) -> Result<&'a [u8]> {
    let refuse = |message: String| ImportError::new("E-VIEW", pointer, message);
    let bytes = buffers
        .get(buffer)
        .ok_or_else(|| {
            ImportError::new(
                "E-INDEX",
                format!("{pointer}/buffer"),
                format!(
                    "there is no buffer {buffer}, the file has {}",
                    buffers.len()
                ),
            )
        })?
        .as_ref()
        .ok_or_else(|| refuse(format!("buffer {buffer} has no bytes of its own")))?;
    offset
        .checked_add(length)
        .and_then(|end| bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?))
        .ok_or_else(|| {
            refuse(format!(
                "{length} bytes from {offset} reach past the {} bytes of buffer {buffer}",
                bytes.len()
            ))
        })
}

/// The extension's data, which replaces the view's own range.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Compressed {
    buffer: usize,
    #[serde(default)]
    byte_offset: u64,
    byte_length: u64,
    byte_stride: u64,
    count: u64,
    mode: String,
    filter: Option<String>,
}

fn decompress(
    pointer: &str,
    view: &BufferView,
    compressed: &Compressed,
    buffers: &[Bytes],
    budget: &mut Budget,
) -> Result<View<'static>> {
    let refuse = |message: String| ImportError::new("E-MESHOPT", pointer, message);
    let mode = match compressed.mode.as_str() {
        "ATTRIBUTES" => Mode::Attributes,
        "TRIANGLES" => Mode::Triangles,
        "INDICES" => Mode::Indices,
        other => return Err(refuse(format!("unknown mode `{other}`"))),
    };
    let filter = match compressed.filter.as_deref() {
        None | Some("NONE") => Filter::None,
        Some("OCTAHEDRAL") => Filter::Octahedral,
        Some("QUATERNION") => Filter::Quaternion,
        Some("EXPONENTIAL") => Filter::Exponential,
        Some("COLOR") => Filter::Color,
        Some(other) => return Err(refuse(format!("unknown filter `{other}`"))),
    };
    let Compressed {
        count,
        byte_stride: stride,
        ..
    } = *compressed;
    if count.checked_mul(stride) != Some(view.byte_length) {
        return Err(refuse(format!(
            "{count} elements of {stride} bytes are not the {} bytes of the view",
            view.byte_length
        )));
    }
    let data = slice(
        pointer,
        compressed.buffer,
        compressed.byte_offset,
        compressed.byte_length,
        buffers,
    )?;
    budget.take(count, stride, pointer)?;
    let bytes = meshopt_ffi::decode(mode, filter, count as usize, stride as usize, data)
        .ok_or_else(|| {
            refuse(format!(
                "the data is no stream of {count} elements of {stride} bytes"
            ))
        })?;
    Ok(View {
        bytes: Cow::Owned(bytes),
        stride: view.byte_stride,
        offset: view.byte_offset,
    })
}

#[cfg(test)]
mod tests {
    use crate::{
        Model, import,
        testing::{floats, import_parts},
    };

    /// One point whose position is accessor 0 of view 0.
    const POINT: &str = r#""nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":0}]}],
        "accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}]"#;

    fn position(model: &Model) -> [f32; 3] {
        model.meshes[0].primitives[0].positions[0].to_array()
    }

    #[test]
    fn external_buffers_come_through_the_caller() {
        let json = format!(
            r#"{{"asset":{{"version":"2.0"}},{POINT},"bufferViews":[{{"buffer":0,"byteLength":12}}],
               "buffers":[{{"byteLength":12,"uri":"a%20b.bin"}}]}}"#
        );
        let mut asked = Vec::new();
        let model = import(json.as_bytes(), &mut |path| {
            asked.push(path.to_owned());
            Ok(floats(&[1.0, 2.0, 3.0, 4.0]))
        });
        assert_eq!(position(&model.expect("valid")), [1.0, 2.0, 3.0]);
        assert_eq!(asked, ["a b.bin"]);
        for answer in [Err("no such file".to_owned()), Ok(vec![0; 11])] {
            let error = import(json.as_bytes(), &mut |_| answer.clone()).expect_err("not enough");
            assert_eq!(error.code, "E-BUFFER");
        }
    }

    #[test]
    fn views_that_reach_past_their_buffer_are_refused() {
        for (view, code) in [
            (r#"{"buffer":0,"byteLength":13}"#, "E-VIEW"),
            (
                r#"{"buffer":0,"byteOffset":18446744073709551615,"byteLength":12}"#,
                "E-VIEW",
            ),
            (r#"{"buffer":0,"byteLength":12,"byteStride":3}"#, "E-VIEW"),
            (
                r#"{"buffer":0,"byteLength":12,"byteStride":8}"#,
                "E-ACCESSOR",
            ),
            (r#"{"buffer":1,"byteLength":12}"#, "E-INDEX"),
        ] {
            let error = import_parts(&format!(r#"{POINT},"bufferViews":[{view}]"#), &[0; 12]);
            assert_eq!(error.expect_err(view).code, code, "{view}");
        }
    }

    #[test]
    fn compressed_views_unfold_to_what_they_state() {
        let encoded = meshopt::encode_vertex_buffer(&[[1.0f32, 2.0, 3.0]]).expect("encodes");
        let view = |count: u32, mode: &str, filter: &str| {
            format!(
                r#"{POINT},"bufferViews":[{{"buffer":0,"byteLength":12,"extensions":{{"KHR_meshopt_compression":{{"buffer":0,
                   "byteLength":{},"byteStride":12,"count":{count},"mode":"{mode}","filter":"{filter}"}}}}}}]"#,
                encoded.len()
            )
        };
        let model = import_parts(&view(1, "ATTRIBUTES", "NONE"), &encoded).expect("valid");
        assert_eq!(position(&model), [1.0, 2.0, 3.0]);
        for body in [
            view(2, "ATTRIBUTES", "NONE"),
            view(1, "ATTRIBUTES", "QUATERNION"),
            view(1, "TRIANGLES", "NONE"),
            view(1, "VERTICES", "NONE"),
            view(1, "ATTRIBUTES", "SEPIA"),
        ] {
            assert_eq!(
                import_parts(&body, &encoded).expect_err(&body).code,
                "E-MESHOPT"
            );
        }
    }
}
