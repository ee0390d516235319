//! glTF 2.0 from bytes to a [`Model`]: the steps, in order.

use std::{collections::HashMap, sync::Arc};

use glam::{Affine3A, Vec3};
use sinew_anim::{Skeleton, local_to_model};

use crate::{
    Mesh, Model, Skin, SkinnedVertices,
    accessor::Reader,
    budget::Budget,
    buffers, clips, container,
    document::{self, Document},
    error::{ImportError, Result, Warnings},
    extensions, hierarchy, materials, meshes, morphs, references, skeleton, skin_vertices, skins,
    textures::Textures,
};

/// Reads a `.glb` or `.gltf` file.
///
/// `fetch` gets the decoded relative URI of an external buffer or image (never one that leaves the file's folder) and returns
/// its bytes or a reason. A missing image is a warning, a missing buffer an error. Memory is bounded by a multiple of the
/// bytes given and fetched plus a fixed allowance; nothing that the file states is allocated before it is checked against that.
///
/// # Errors
/// Every refusal has a code of `docs/import-codes.md` and the JSON pointer of the culprit.
pub fn import(
    bytes: &[u8],
    fetch: &mut dyn FnMut(&str) -> std::result::Result<Vec<u8>, String>,
) -> Result<Model> {
    let mut warnings = Warnings::default();
    let container = container::split(bytes, &mut warnings)?;
    let document = document::parse(container.json)?;
    check_version(&document)?;
    extensions::check(&document, &mut warnings)?;
    references::check(&document)?;

    let mut budget = Budget::new(bytes.len());
    let buffers = buffers::load_buffers(&document, &container, fetch, &mut budget)?;
    let views = buffers::load_views(&document, &buffers, &mut budget)?;
    let mut reader = Reader::new(&document, views, budget)?;

    let hierarchy = hierarchy::build(&document, &mut warnings)?;
    let drawn = drawn_nodes(&document, &hierarchy, &mut warnings);
    let channels = morphs::channels(&document, &hierarchy, &drawn, &mut warnings)?;
    let rig = skeleton::build(&document, &hierarchy, &channels.list, &mut warnings)?;
    let skins = skins::read(&document, &rig.joint_of_node, &mut reader, &mut warnings)?;
    let variants = materials::variants(&document)?;
    let parts = meshes::Parts {
        document: &document,
        hierarchy: &hierarchy,
        joint_of_node: &rig.joint_of_node,
        skins: &skins,
        variants: variants.len(),
    };
    let meshes = meshes::read(
        &parts,
        &drawn,
        &channels.of_nodes,
        &mut reader,
        &mut warnings,
    )?;
    let mut morphs_of_node = vec![clips::NodeMorphs::default(); document.nodes.len()];
    for (&node, channels) in drawn.iter().zip(&channels.of_nodes) {
        morphs_of_node[node] = clips::NodeMorphs {
            range: channels.range(),
            shared: channels.shared,
        };
    }
    let clips = clips::read(
        &document,
        &rig.joint_of_node,
        &morphs_of_node,
        &mut reader,
        &mut warnings,
    )?;
    let mut textures = Textures {
        document: &document,
        reader: &mut reader,
        fetch,
        list: Vec::new(),
        of_image: HashMap::new(),
    };
    let materials = materials::read(&document, &mut textures, &mut warnings)?;
    Ok(Model {
        bounds: bounds(&rig.skeleton, &meshes, &skins),
        textures: textures.list,
        skeleton: Arc::new(rig.skeleton),
        clips: clips.into_iter().map(Arc::new).collect(),
        skins,
        meshes,
        materials,
        variants,
        joint_of_node: rig.joint_of_node,
        warnings: warnings.finish(),
    })
}

fn check_version(document: &Document) -> Result<()> {
    let asset = &document.asset;
    let wanted = asset.min_version.as_ref().unwrap_or(&asset.version);
    let readable = match &asset.min_version {
        Some(version) => version == "2.0",
        None => asset.version.split('.').next() == Some("2"),
    };
    if readable {
        return Ok(());
    }
    let property = if asset.min_version.is_some() {
        "minVersion"
    } else {
        "version"
    };
    Err(ImportError::new(
        "E-VERSION",
        format!("/asset/{property}"),
        format!("the file needs glTF {wanted}, only 2.0 can be read"),
    )
    .help("export the model again as glTF 2.0"))
}

/// The nodes that draw a mesh, by index.
fn drawn_nodes(
    document: &Document,
    hierarchy: &hierarchy::Hierarchy,
    warnings: &mut Warnings,
) -> Vec<usize> {
    let mut drawn = Vec::new();
    for (index, node) in document.nodes.iter().enumerate() {
        if skeleton::is_drawn(document, hierarchy, index) {
            drawn.push(index);
        } else if node.mesh.is_some() {
            let message = "the node draws a mesh outside the scene that is shown; it is left out";
            warnings.add("W-MESH-OUTSIDE-SCENE", format!("/nodes/{index}"), message);
        }
    }
    drawn
}

/// Smallest and largest corner of all vertices in the rest pose; zeros without any.
fn bounds(skeleton: &Skeleton, meshes: &[Mesh], skins: &[Skin]) -> [Vec3; 2] {
    let mut model = vec![Affine3A::IDENTITY; skeleton.len()];
    local_to_model(skeleton, &skeleton.rest, &mut model);
    let mut vertices = SkinnedVertices::default();
    let mut corners: Option<[Vec3; 2]> = None;
    for mesh in meshes {
        let skin = mesh.skin.and_then(|skin| skins.get(skin));
        for primitive in &mesh.primitives {
            skin_vertices(
                mesh,
                primitive,
                skin,
                &model,
                &skeleton.rest.morphs,
                &mut vertices,
            );
            for &position in vertices
                .positions
                .iter()
                .filter(|position| position.is_finite())
            {
                let [least, most] = corners.unwrap_or([position; 2]);
                corners = Some([least.min(position), most.max(position)]);
            }
        }
    }
    corners.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::testing::{codes, import_parts};

    #[test]
    fn versions_other_than_two_are_refused() {
        for asset in [
            r#"{"version":"1.0"}"#,
            r#"{"version":"3.1"}"#,
            r#"{"version":"2.0","minVersion":"2.1"}"#,
        ] {
            let json = format!(r#"{{"asset":{asset}}}"#);
            let error = crate::import(json.as_bytes(), &mut |_| Err(String::new()));
            assert_eq!(error.expect_err(asset).code, "E-VERSION");
        }
        let minor = br#"{"asset":{"version":"2.1","minVersion":"2.0"}}"#;
        assert!(crate::import(minor, &mut |_| Err(String::new())).is_ok());
    }

    #[test]
    fn meshes_outside_the_scene_are_left_out_unless_they_are_levels_of_detail() {
        let point = r#"[{"primitives":[{"attributes":{"POSITION":0},"mode":0}]}]"#;
        let model = import_parts(
            &format!(
                r#""scenes":[{{"nodes":[0]}}],"meshes":{point},
                   "nodes":[{{"name":"a","mesh":0,"extensions":{{"MSFT_lod":{{"ids":[1]}}}}}},
                            {{"name":"b","mesh":0,"translation":[1,0,0]}},{{"name":"c","mesh":0}}],
                   "accessors":[{{"componentType":5126,"count":1,"type":"VEC3"}}]"#
            ),
            b"",
        )
        .expect("valid");
        let levels: Vec<_> = model
            .meshes
            .iter()
            .map(|mesh| (mesh.node, mesh.lod))
            .collect();
        assert_eq!(levels, [(0, 0), (1, 1)]);
        assert_eq!(model.joint_of_node, [Some(0), Some(1), None]);
        assert!(codes(&model).contains(&"W-MESH-OUTSIDE-SCENE"));
    }
}
