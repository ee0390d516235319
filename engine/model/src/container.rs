//! The outer layer of a file: binary container or plain JSON.

use crate::error::{ImportError, Result, Warnings};

const MAGIC: &[u8] = b"glTF";
const HEADER: usize = 12;
const CHUNK_HEADER: usize = 8;
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;

/// The parts of a file.
#[derive(Debug, PartialEq)]
pub(crate) struct Container<'a> {
    pub(crate) json: &'a [u8],
    /// The bytes of the first buffer, where the container brings them.
    pub(crate) binary: Option<&'a [u8]>,
}

/// Splits a `.glb` into its chunks; anything else is taken as the JSON text of a `.gltf`.
pub(crate) fn split<'a>(bytes: &'a [u8], warnings: &mut Warnings) -> Result<Container<'a>> {
    if !bytes.starts_with(MAGIC) {
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok(Container { json, binary: None });
    }
    let version = read_u32(bytes, 4)?;
    if version != 2 {
        return Err(ImportError::new(
            "E-VERSION",
            "",
            format!("the binary container has version {version}, only 2 can be read"),
        )
        .help("export the model again as glTF 2.0"));
    }
    let length = read_u32(bytes, 8)? as usize;
    let file = bytes.get(HEADER..length).ok_or_else(|| {
        broken(format!(
            "the header states {length} bytes, the file has {}",
            bytes.len()
        ))
    })?;
    if length < bytes.len() {
        warnings.add(
            "W-GLB-TRAILING",
            "",
            format!("{} bytes after the end are ignored", bytes.len() - length),
        );
    }
    let (kind, json, rest) = chunk(file)?;
    if kind != JSON_CHUNK {
        return Err(broken(format!(
            "the first chunk has type {kind:#010x}, expected JSON"
        )));
    }
    let mut binary = None;
    let mut rest = rest;
    while binary.is_none() && rest.len() >= CHUNK_HEADER {
        let (kind, data, after) = chunk(rest)?;
        binary = (kind == BINARY_CHUNK).then_some(data);
        rest = after;
    }
    Ok(Container { json, binary })
}

/// The first chunk's type and data, and what follows it.
fn chunk(bytes: &[u8]) -> Result<(u32, &[u8], &[u8])> {
    let length = read_u32(bytes, 0)? as usize;
    let kind = read_u32(bytes, 4)?;
    let (data, rest) = bytes
        .get(CHUNK_HEADER..)
        .and_then(|body| body.split_at_checked(length))
        .ok_or_else(|| {
            broken(format!(
                "a chunk states {length} bytes, {} are left",
                bytes.len().saturating_sub(CHUNK_HEADER)
            ))
        })?;
    Ok((kind, data, rest))
}

fn read_u32(bytes: &[u8], offset: usize) -> Result<u32> {
    bytes
        .get(offset..)
        .and_then(|tail| tail.first_chunk())
        .map(|word| u32::from_le_bytes(*word))
        .ok_or_else(|| broken(format!("the container ends after {} bytes", bytes.len())))
}

fn broken(message: String) -> ImportError {
    ImportError::new("E-GLB", "", message).help("the file is damaged or was not copied whole")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn container(chunks: &[(u32, &[u8])]) -> Vec<u8> {
        let mut body = Vec::new();
        for (kind, data) in chunks {
            body.extend((data.len() as u32).to_le_bytes());
            body.extend(kind.to_le_bytes());
            body.extend(*data);
        }
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend((HEADER as u32 + body.len() as u32).to_le_bytes());
        file.extend(body);
        file
    }

    #[test]
    fn chunks_of_unknown_types_are_passed_over() {
        let file = container(&[(JSON_CHUNK, b"{}  "), (7, b"?"), (BINARY_CHUNK, b"data")]);
        let parts = split(&file, &mut Warnings::default()).expect("valid container");
        assert_eq!(parts.json, b"{}  ");
        assert_eq!(parts.binary, Some(&b"data"[..]));
    }

    #[test]
    fn every_truncation_is_refused() {
        let file = container(&[(JSON_CHUNK, b"{}  "), (BINARY_CHUNK, b"data")]);
        for length in MAGIC.len()..file.len() {
            let error = split(&file[..length], &mut Warnings::default()).expect_err("cut off");
            assert_eq!(error.code, "E-GLB", "{length}");
        }
    }

    #[test]
    fn a_byte_order_mark_in_front_of_json_is_passed_over() {
        let parts = split(b"\xef\xbb\xbf{}", &mut Warnings::default()).expect("plain JSON");
        assert_eq!(parts.json, b"{}");
    }
}
