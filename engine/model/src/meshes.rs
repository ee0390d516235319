//! Meshes, one for each node that draws one.

use crate::{
    Mesh, Skin,
    accessor::Reader,
    document::Document,
    error::{Result, Warnings},
    hierarchy::Hierarchy,
    morphs::{self, Channels},
    primitives::{self, Context},
};

/// What meshes are made from.
pub(crate) struct Parts<'a> {
    pub(crate) document: &'a Document,
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) joint_of_node: &'a [Option<u16>],
    pub(crate) skins: &'a [Skin],
    /// Variants of the file.
    pub(crate) variants: usize,
}

/// Reads the mesh of each of `nodes`, whose morph channels are `channels`, in the same order.
pub(crate) fn read(
    parts: &Parts,
    nodes: &[usize],
    channels: &[Channels],
    reader: &mut Reader,
    warnings: &mut Warnings,
) -> Result<Vec<Mesh>> {
    let Parts {
        document,
        hierarchy,
        joint_of_node,
        skins,
        variants,
    } = *parts;
    let mut meshes = Vec::with_capacity(nodes.len());
    for (&node, channels) in nodes.iter().zip(channels) {
        let source = &document.nodes[node];
        let (Some(mesh), Some(joint)) = (source.mesh, joint_of_node[node]) else {
            continue;
        };
        let context = Context {
            skin_joints: source.skin.map(|skin| skins[skin].joints.len()),
            materials: document.materials.len(),
            variants,
        };
        let mut list = Vec::new();
        for (p, primitive) in document.meshes[mesh].primitives.iter().enumerate() {
            let pointer = format!("/meshes/{mesh}/primitives/{p}");
            list.extend(primitives::read(
                p, primitive, &pointer, context, reader, warnings,
            )?);
        }
        meshes.push(Mesh {
            name: morphs::mesh_name(document, node, warnings),
            node,
            joint,
            skin: source.skin,
            morphs: channels.of_target.clone(),
            lod: hierarchy.lod[node],
            primitives: list,
        });
    }
    Ok(meshes)
}
