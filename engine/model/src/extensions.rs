//! Which extensions the import knows, and what it says of the others.

use crate::{
    document::Document,
    error::{ImportError, Result, Warnings},
};

/// Extensions that a file may require.
const SUPPORTED: &[&str] = &[
    "EXT_meshopt_compression",
    "EXT_texture_webp",
    "KHR_animation_pointer",
    "KHR_draco_mesh_compression",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_texture_transform",
    "MSFT_lod",
];

/// Optional extensions without which the picture misses something.
const VISIBLE: &[&str] = &[
    "EXT_mesh_gpu_instancing",
    "KHR_lights_punctual",
    "KHR_materials_emissive_strength",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_transmission",
    "KHR_node_visibility",
    "KHR_texture_basisu",
];

/// Refuses a file that requires more than the import knows.
pub(crate) fn check(document: &Document, warnings: &mut Warnings) -> Result<()> {
    for (index, name) in document.extensions_required.iter().enumerate() {
        if !SUPPORTED.contains(&name.as_str()) {
            return Err(ImportError::new(
                "E-EXTENSION",
                format!("/extensionsRequired/{index}"),
                format!("the file requires `{name}`, which is not supported"),
            )
            .help(format!(
                "export without it; supported are {}",
                SUPPORTED.join(", ")
            )));
        }
    }
    for (index, name) in document.extensions_used.iter().enumerate() {
        if VISIBLE.contains(&name.as_str()) {
            warnings.add(
                "W-EXTENSION-IGNORED",
                format!("/extensionsUsed/{index}"),
                format!("`{name}` is ignored; the model may look different"),
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_required_extensions_can_refuse_a_file() {
        let mut document = Document {
            extensions_used: vec!["KHR_lights_punctual".into(), "ACME_unknown".into()],
            ..Document::default()
        };
        let mut warnings = Warnings::default();
        check(&document, &mut warnings).expect("optional");
        assert_eq!(warnings.list.len(), 1, "only what is visible is told");

        document.extensions_required = vec!["KHR_mesh_quantization".into(), "ACME_unknown".into()];
        let error = check(&document, &mut warnings).expect_err("required");
        assert_eq!(
            (error.code, error.pointer.as_str()),
            ("E-EXTENSION", "/extensionsRequired/1")
        );
    }
}
