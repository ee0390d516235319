//! Small files for tests, put together from JSON and bytes.

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{Model, error::Result, import};

/// Imports a file of one buffer. `body` holds the other properties of the document, such as `"nodes":[{}]`.
pub(crate) fn import_parts(body: &str, buffer: &[u8]) -> Result<Model> {
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"buffers":[{{"byteLength":{},"uri":"data:;base64,{}"}}],{body}}}"#,
        buffer.len(),
        STANDARD.encode(buffer)
    );
    import(json.as_bytes(), &mut |uri| {
        Err(format!("{uri} is not there"))
    })
}

/// Little-endian bytes of floats.
pub(crate) fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

/// The codes of a model's warnings, in order.
pub(crate) fn codes(model: &Model) -> Vec<&'static str> {
    model.warnings.iter().map(|warning| warning.code).collect()
}
