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
