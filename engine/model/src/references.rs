//! Checks that every index of the document names something, so that later steps may rely on it.

use crate::{
    document::Document,
    error::{ImportError, Result},
};

/// Refuses the first index past the end. Accessors and views check their own.
pub(crate) fn check(document: &Document) -> Result<()> {
    let Document {
        nodes,
        meshes,
        skins,
        materials,
        textures,
        images,
        accessors,
        ..
    } = document;
    let (nodes_len, accessors_len) = (nodes.len(), accessors.len());
    if let Some(scene) = document.scene {
        within("/scene", "scene", scene, document.scenes.len())?;
    }
    for (s, scene) in document.scenes.iter().enumerate() {
        for (n, &node) in scene.nodes.iter().enumerate() {
            within(
                format_args!("/scenes/{s}/nodes/{n}"),
                "node",
                node,
                nodes_len,
            )?;
        }
    }
    for (n, node) in nodes.iter().enumerate() {
        for (c, &child) in node.children.iter().enumerate() {
            within(
                format_args!("/nodes/{n}/children/{c}"),
                "node",
                child,
                nodes_len,
            )?;
        }
        optional(
            format_args!("/nodes/{n}/mesh"),
            "mesh",
            node.mesh,
            meshes.len(),
        )?;
        optional(
            format_args!("/nodes/{n}/skin"),
            "skin",
            node.skin,
            skins.len(),
        )?;
    }
    for (s, skin) in skins.iter().enumerate() {
        for (j, &joint) in skin.joints.iter().enumerate() {
            within(
                format_args!("/skins/{s}/joints/{j}"),
                "node",
                joint,
                nodes_len,
            )?;
        }
        optional(
            format_args!("/skins/{s}/skeleton"),
            "node",
            skin.skeleton,
            nodes_len,
        )?;
        let matrices = skin.inverse_bind_matrices;
        optional(
            format_args!("/skins/{s}/inverseBindMatrices"),
            "accessor",
            matrices,
            accessors_len,
        )?;
    }
    for (m, mesh) in meshes.iter().enumerate() {
        for (p, primitive) in mesh.primitives.iter().enumerate() {
            let at = format!("/meshes/{m}/primitives/{p}");
            for (name, &accessor) in &primitive.attributes {
                within(
                    format_args!("{at}/attributes/{name}"),
                    "accessor",
                    accessor,
                    accessors_len,
                )?;
            }
            for (t, target) in primitive.targets.iter().enumerate() {
                for (name, &accessor) in target {
                    within(
                        format_args!("{at}/targets/{t}/{name}"),
                        "accessor",
                        accessor,
                        accessors_len,
                    )?;
                }
            }
            optional(
                format_args!("{at}/indices"),
                "accessor",
                primitive.indices,
                accessors_len,
            )?;
            optional(
                format_args!("{at}/material"),
                "material",
                primitive.material,
                materials.len(),
            )?;
        }
    }
    for (a, animation) in document.animations.iter().enumerate() {
        for (s, sampler) in animation.samplers.iter().enumerate() {
            let at = format!("/animations/{a}/samplers/{s}");
            within(
                format_args!("{at}/input"),
                "accessor",
                sampler.input,
                accessors_len,
            )?;
            within(
                format_args!("{at}/output"),
                "accessor",
                sampler.output,
                accessors_len,
            )?;
        }
        for (c, channel) in animation.channels.iter().enumerate() {
            let at = format!("/animations/{a}/channels/{c}");
            within(
                format_args!("{at}/sampler"),
                "sampler",
                channel.sampler,
                animation.samplers.len(),
            )?;
            optional(
                format_args!("{at}/target/node"),
                "node",
                channel.target.node,
                nodes_len,
            )?;
        }
    }
    for (m, material) in materials.iter().enumerate() {
        let texture = material
            .pbr_metallic_roughness
            .as_ref()
            .and_then(|pbr| pbr.base_color_texture.as_ref());
        optional(
            format_args!("/materials/{m}/pbrMetallicRoughness/baseColorTexture/index"),
            "texture",
            texture.map(|texture| texture.index),
            textures.len(),
        )?;
    }
    for (t, texture) in textures.iter().enumerate() {
        optional(
            format_args!("/textures/{t}/source"),
            "image",
            texture.source,
            images.len(),
        )?;
    }
    for (i, image) in images.iter().enumerate() {
        let views = document.buffer_views.len();
        optional(
            format_args!("/images/{i}/bufferView"),
            "buffer view",
            image.buffer_view,
            views,
        )?;
    }
    Ok(())
}

/// Refuses `index` unless it is below `count`.
pub(crate) fn within(
    pointer: impl std::fmt::Display,
    what: &str,
    index: usize,
    count: usize,
) -> Result<()> {
    if index < count {
        return Ok(());
    }
    Err(ImportError::new(
        "E-INDEX",
        pointer.to_string(),
        format!("there is no {what} {index}, the file has {count}"),
    ))
}

fn optional(
    pointer: std::fmt::Arguments,
    what: &str,
    index: Option<usize>,
    count: usize,
) -> Result<()> {
    index.map_or(Ok(()), |index| within(pointer, what, index, count))
}
