//! Materials: base colour, its texture, unlit, alpha.

use serde::Deserialize;

use crate::{
    Material,
    document::{self, Document},
    error::{Result, Warnings},
    textures::Textures,
};

/// Every material of the file; textures that they use are decoded on the way.
pub(crate) fn read(
    document: &Document,
    textures: &mut Textures,
    warnings: &mut Warnings,
) -> Result<Vec<Material>> {
    let materials = document.materials.iter().enumerate();
    materials
        .map(|(index, material)| read_one(material, index, textures, warnings))
        .collect()
}

fn read_one(
    material: &document::Material,
    index: usize,
    textures: &mut Textures,
    warnings: &mut Warnings,
) -> Result<Material> {
    let pointer = format!("/materials/{index}");
    let pbr = material.pbr_metallic_roughness.as_ref();
    let info = pbr.and_then(|pbr| pbr.base_color_texture.as_ref());
    let texture = match info {
        Some(info) => {
            let pointer = format!("{pointer}/pbrMetallicRoughness/baseColorTexture");
            check_placement(info, &pointer, warnings);
            textures.get(info.index, warnings)?
        }
        None => None,
    };
    let factor = pbr
        .and_then(|pbr| pbr.base_color_factor)
        .unwrap_or([1.0; 4]);
    let base_color = factor.map(|part| {
        if part.is_finite() {
            part.clamp(0.0, 1.0)
        } else {
            1.0
        }
    });
    if base_color != factor {
        let pointer = format!("{pointer}/pbrMetallicRoughness/baseColorFactor");
        warnings.add(
            "W-MATERIAL-VALUE",
            pointer,
            format!("{factor:?} was clamped to 0 to 1"),
        );
    }
    Ok(Material {
        name: material.name.clone().unwrap_or_default(),
        base_color,
        base_color_texture: texture,
        unlit: material.extensions.has("KHR_materials_unlit"),
        double_sided: material.double_sided.unwrap_or(false),
        alpha_cutoff: alpha_cutoff(material, &pointer, warnings),
    })
}

fn check_placement(info: &document::TextureInfo, pointer: &str, warnings: &mut Warnings) {
    if info.extensions.has("KHR_texture_transform") {
        warnings.add(
            "W-TEXTURE-TRANSFORM",
            pointer,
            "KHR_texture_transform is ignored",
        );
    }
    if let Some(set @ 1..) = info.tex_coord {
        let message = format!("the texture uses TEXCOORD_{set}; TEXCOORD_0 is used instead");
        warnings.add("W-TEXCOORD", pointer, message);
    }
}

fn alpha_cutoff(
    material: &document::Material,
    pointer: &str,
    warnings: &mut Warnings,
) -> Option<f32> {
    match material.alpha_mode.as_deref() {
        Some("MASK") => Some(material.alpha_cutoff.unwrap_or(0.5)),
        Some("BLEND") => {
            let message = "blended transparency is drawn as a cut-out at half alpha";
            warnings.add("W-ALPHA-BLEND", pointer, message);
            Some(0.5)
        }
        _ => None,
    }
}

/// The names of KHR_materials_variants, which primitives refer to by number.
pub(crate) fn variants(document: &Document) -> Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Variants {
        variants: Vec<Variant>,
    }
    #[derive(Deserialize)]
    struct Variant {
        name: String,
    }
    let found: Option<Variants> = document.extensions.get("KHR_materials_variants", "")?;
    let variants = found.map_or_else(Vec::new, |list| list.variants);
    Ok(variants.into_iter().map(|variant| variant.name).collect())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::{
        Model,
        testing::{codes, import_parts},
    };

    fn image(format: image::ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image::RgbaImage::from_pixel(2, 1, image::Rgba([10, 20, 30, 255]))
            .write_to(&mut bytes, format)
            .expect("encodes");
        bytes.into_inner()
    }

    fn check(material: &str, textures: &str, bytes: &[u8]) -> Result<Model> {
        let body = format!(
            r#""materials":[{material}],"textures":[{textures}],"images":[{{"bufferView":0}},{{"uri":"absent.png"}}],
               "bufferViews":[{{"buffer":0,"byteLength":{}}}]"#,
            bytes.len()
        );
        import_parts(&body, bytes)
    }

    const TEXTURED: &str = r#"{"pbrMetallicRoughness":{"baseColorTexture":{"index":0}}}"#;

    #[test]
    fn images_of_each_kind_are_decoded_once() {
        let webp = r#"{"extensions":{"EXT_texture_webp":{"source":0}}}"#;
        for (format, texture) in [
            (image::ImageFormat::Png, r#"{"source":0}"#),
            (image::ImageFormat::WebP, webp),
        ] {
            let materials = format!("{TEXTURED},{TEXTURED}");
            let model = check(&materials, texture, &image(format)).expect("valid");
            let expected = [10, 20, 30, 255, 10, 20, 30, 255];
            assert_eq!(model.textures.len(), 1);
            assert_eq!(model.textures[0].rgba, expected, "{format:?}");
            assert_eq!(model.materials[1].base_color_texture, Some(0));
        }
    }

    #[test]
    fn an_image_that_cannot_be_had_leaves_the_material_without() {
        let mut huge = image(image::ImageFormat::Png);
        // Width of the PNG header; its checksum is wrong then, which readers may or may not mind.
        huge[16..20].copy_from_slice(&100_000u32.to_be_bytes());
        for (texture, bytes, code) in [
            (r#"{"source":1}"#, &b"x"[..], "W-IMAGE-MISSING"),
            ("{}", b"x", "W-IMAGE-MISSING"),
            (r#"{"source":0}"#, b"not an image", "W-IMAGE-UNREADABLE"),
            (r#"{"source":0}"#, &huge, "W-IMAGE-UNREADABLE"),
        ] {
            let model = check(TEXTURED, texture, bytes).expect("still a model");
            assert_eq!(model.materials[0].base_color_texture, None);
            assert_eq!(codes(&model), [code]);
        }
    }

    #[test]
    fn what_the_engine_draws_otherwise_is_told() {
        let cases = [
            (
                r#"{"alphaMode":"MASK","alphaCutoff":0.25}"#,
                Some(0.25),
                vec![],
            ),
            (r#"{"alphaMode":"BLEND"}"#, Some(0.5), vec!["W-ALPHA-BLEND"]),
            (
                r#"{"pbrMetallicRoughness":{"baseColorFactor":[2,0,0,1]}}"#,
                None,
                vec!["W-MATERIAL-VALUE"],
            ),
        ];
        for (material, cutoff, expected) in cases {
            let model = check(material, "", b"x").expect(material);
            assert_eq!(model.materials[0].alpha_cutoff, cutoff, "{material}");
            assert_eq!(codes(&model), expected, "{material}");
        }
        let unlit = check(
            r#"{"extensions":{"KHR_materials_unlit":{}},"doubleSided":true}"#,
            "",
            b"x",
        );
        let material = &unlit.expect("valid").materials[0];
        assert!(material.unlit && material.double_sided);
    }
}
