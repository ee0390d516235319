//! References to bytes outside the JSON: `data:` URIs and relative paths.

use base64::Engine;

use crate::error::{ImportError, Result};

/// Where a URI's bytes are.
#[derive(Debug, PartialEq)]
pub(crate) enum Source {
    /// In the URI itself.
    Inline(Vec<u8>),
    /// In a file beside this one; decoded, with `/` between folders.
    File(String),
}

/// Decodes a URI. Only `data:` and relative paths that stay in the file's folder are allowed.
pub(crate) fn resolve(uri: &str, pointer: &str) -> Result<Source> {
    let refuse = |message: String| ImportError::new("E-URI", pointer, message);
    if let Some(data) = uri.strip_prefix("data:") {
        return decode_data(data)
            .map(Source::Inline)
            .map_err(|reason| refuse(format!("the data URI cannot be decoded: {reason}")));
    }
    let path = percent_decode(uri)
        .ok_or_else(|| refuse(format!("`{}` is not a valid URI", shorten(uri))))?;
    let leaves_folder = path.split(['/', '\\']).any(|part| part == "..");
    let absolute = path.starts_with(['/', '\\']);
    // A colon covers schemes (`http:`, `file:`) and drive letters alike.
    if path.is_empty() || leaves_folder || absolute || path.contains([':', '\\', '\0']) {
        return Err(refuse(format!(
            "`{}` does not stay in the file's folder",
            shorten(uri)
        ))
        .help("place the file beside the model and refer to it by a relative path"));
    }
    Ok(Source::File(path))
}

/// `[media type][;base64],data` of RFC 2397.
fn decode_data(data: &str) -> std::result::Result<Vec<u8>, String> {
    let (header, body) = data.split_once(',').ok_or("it has no comma")?;
    if !header.ends_with(";base64") {
        return percent_decode_bytes(body).ok_or_else(|| "broken percent encoding".to_owned());
    }
    let lenient = base64::engine::GeneralPurposeConfig::new()
        .with_decode_padding_mode(base64::engine::DecodePaddingMode::Indifferent);
    base64::engine::GeneralPurpose::new(&base64::alphabet::STANDARD, lenient)
        .decode(body)
        .map_err(|error| error.to_string())
}

fn percent_decode(text: &str) -> Option<String> {
    String::from_utf8(percent_decode_bytes(text)?).ok()
}

fn percent_decode_bytes(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte == b'%' {
            let (digits, tail) = rest.split_first_chunk::<2>()?;
            let digits = std::str::from_utf8(digits).ok()?;
            decoded.push(u8::from_str_radix(digits, 16).ok()?);
            rest = tail;
        } else {
            decoded.push(byte);
        }
    }
    Some(decoded)
}

fn shorten(uri: &str) -> String {
    uri.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_and_relative_uris_are_decoded() {
        let cases = [
            (
                "data:application/octet-stream;base64,AAEC",
                Source::Inline(vec![0, 1, 2]),
            ),
            ("data:;base64,AA", Source::Inline(vec![0])),
            ("data:,a%20b", Source::Inline(b"a b".to_vec())),
            (
                "My%20Model/m%C3%A4dchen.bin",
                Source::File("My Model/mädchen.bin".to_owned()),
            ),
        ];
        for (uri, expected) in cases {
            assert_eq!(resolve(uri, "/buffers/0/uri").expect(uri), expected);
        }
    }

    #[test]
    fn what_leaves_the_folder_or_cannot_be_decoded_is_refused() {
        for uri in [
            "../up.bin",
            "a/../../up.bin",
            "%2e%2e/up.bin",
            "..\\up.bin",
            "/etc/hosts",
            "C:/file.bin",
            "file:///x.bin",
            "http://example.org/x.bin",
            "x%",
            "x%zz.bin",
            "x%ff.bin",
            "",
            "data:;base64,A?",
            "data:nothing",
        ] {
            let error = resolve(uri, "/images/1/uri").expect_err(uri);
            assert_eq!(
                (error.code, error.pointer.as_str()),
                ("E-URI", "/images/1/uri"),
                "{uri}"
            );
        }
    }
}
