//! From nodes to joints: which nodes become joints, in which order, under which names.

use glam::DAffine3;
use sinew_anim::{Joint, Skeleton};

use crate::{
    channels,
    document::Document,
    error::{ImportError, Result, Warnings},
    hierarchy::Hierarchy,
    names::{self, Names},
    transforms::{self, Local},
};

/// The most joints that a model can have: skin joints, animated nodes and nodes that draw a mesh, with their
/// ancestors.
pub const MAX_MODEL_JOINTS: usize = 1024;

/// A skeleton and the joint that each node became.
pub(crate) struct Rig {
    pub(crate) skeleton: Skeleton,
    pub(crate) joint_of_node: Vec<Option<u16>>,
}

/// Makes a joint of every node that is a skin's joint, is animated or draws a mesh, and of their ancestors; `morphs` are
/// the names and default weights of all morph channels.
/// Ancestors that only carry others are folded into constant maps where there would be too many joints.
pub(crate) fn build(
    document: &Document,
    hierarchy: &Hierarchy,
    morphs: &[(String, f32)],
    warnings: &mut Warnings,
) -> Result<Rig> {
    let used = used_nodes(document, hierarchy, warnings)?;
    let count = used.iter().filter(|&&used| used).count();
    if count > MAX_MODEL_JOINTS {
        return Err(ImportError::new(
            "E-TOO-MANY-JOINTS",
            "/nodes",
            format!("{count} nodes are skin joints, animated or draw a mesh, at most {MAX_MODEL_JOINTS} can be joints"),
        )
        .help("join meshes and remove bones that nothing follows"));
    }
    let is_joint = choose_joints(hierarchy, &used, warnings);
    let (joints, joint_of_node) = make_joints(document, hierarchy, &is_joint, warnings)?;
    let skeleton = Skeleton::new(&joints, morphs)
        .map_err(|error| ImportError::new("E-TRANSFORM", "/nodes", error.to_string()))?;
    Ok(Rig {
        skeleton,
        joint_of_node,
    })
}

/// By node: it is a skin's joint, animated or draws a mesh.
fn used_nodes(
    document: &Document,
    hierarchy: &Hierarchy,
    warnings: &mut Warnings,
) -> Result<Vec<bool>> {
    let mut used: Vec<bool> = (0..document.nodes.len())
        .map(|node| is_drawn(document, hierarchy, node))
        .collect();
    for &joint in document.skins.iter().flat_map(|skin| &skin.joints) {
        used[joint] = true;
    }
    for (a, animation) in document.animations.iter().enumerate() {
        for (c, channel) in animation.channels.iter().enumerate() {
            let pointer = format!("/animations/{a}/channels/{c}");
            if let Some(target) = channels::target(channel, &pointer, document, warnings)? {
                used[target.node] = true;
            }
        }
    }
    Ok(used)
}

/// The node draws a mesh: in the scene, or as a coarser level of a node in it.
pub(crate) fn is_drawn(document: &Document, hierarchy: &Hierarchy, node: usize) -> bool {
    document.nodes[node].mesh.is_some() && (hierarchy.in_scene[node] || hierarchy.lod[node] > 0)
}

/// By node: it becomes a joint.
fn choose_joints(hierarchy: &Hierarchy, used: &[bool], warnings: &mut Warnings) -> Vec<bool> {
    let mut needed = used.to_vec();
    for &node in hierarchy.order.iter().rev() {
        if let Some(parent) = hierarchy.parents[node] {
            needed[parent] |= needed[node];
        }
    }
    let mut below_used = used.to_vec();
    for &node in &hierarchy.order {
        if let Some(parent) = hierarchy.parents[node] {
            below_used[node] |= below_used[parent];
        }
    }
    let count = |joints: &[bool]| joints.iter().filter(|&&joint| joint).count();
    let all = count(&needed);
    if all <= MAX_MODEL_JOINTS {
        return needed;
    }
    let mut joints: Vec<bool> = needed
        .iter()
        .zip(&below_used)
        .map(|(a, b)| *a && *b)
        .collect();
    if count(&joints) > MAX_MODEL_JOINTS {
        joints = used.to_vec();
    }
    warnings.add(
        "W-ANCESTORS-FOLDED",
        "/nodes",
        format!(
            "{} nodes that only carry others were folded into constant maps, as {all} joints are more than {MAX_MODEL_JOINTS}",
            all - count(&joints)
        ),
    );
    joints
}

/// Joints in the order of the hierarchy, and the joint of each node.
fn make_joints(
    document: &Document,
    hierarchy: &Hierarchy,
    is_joint: &[bool],
    warnings: &mut Warnings,
) -> Result<(Vec<Joint>, Vec<Option<u16>>)> {
    let mut names = joint_names(document, is_joint, warnings);
    let mut joints: Vec<Joint> = Vec::new();
    let mut joint_of_node = vec![None; is_joint.len()];
    // By node: the nearest joint at or above it, and the map of the folded nodes below that joint.
    let mut carried: Vec<(Option<u16>, DAffine3)> =
        vec![(None, DAffine3::IDENTITY); is_joint.len()];
    for &node in &hierarchy.order {
        let pointer = format!("/nodes/{node}");
        let Local { rest, pre } = transforms::local(&document.nodes[node], &pointer, warnings)?;
        let (parent, folded) = match hierarchy.parents[node] {
            Some(parent) => carried[parent],
            None => (None, DAffine3::IDENTITY),
        };
        if !is_joint[node] {
            carried[node] = (parent, folded * Local { rest, pre }.to_affine());
            continue;
        }
        let pre = match pre {
            Some(pre) => Some(folded * pre),
            None => (folded != DAffine3::IDENTITY).then_some(folded),
        };
        let index = joints.len() as u16;
        joints.push(Joint {
            name: std::mem::take(&mut names[node]),
            parent,
            rest,
            pre: pre.map(transforms::single),
        });
        joint_of_node[node] = Some(index);
        carried[node] = (Some(index), DAffine3::IDENTITY);
    }
    Ok((joints, joint_of_node))
}

/// By node: the unique name of its joint, given in the file's order.
fn joint_names(document: &Document, is_joint: &[bool], warnings: &mut Warnings) -> Vec<String> {
    let mut taken = Names::default();
    let nodes = document.nodes.iter().enumerate();
    nodes
        .map(|(index, node)| {
            if !is_joint[index] {
                return String::new();
            }
            let pointer = format!("/nodes/{index}");
            let own = names::own(node.name.as_deref(), &pointer, warnings);
            let wanted = own.map_or_else(|| format!("node_{index}"), str::to_owned);
            let (name, renamed) = taken.claim(&wanted, index);
            if renamed || own.is_none() {
                let reason = if own.is_none() {
                    "no name"
                } else {
                    "a name that is taken"
                };
                warnings.add(
                    "W-NODE-RENAMED",
                    pointer,
                    format!("the node has {reason}; its joint is `{name}`"),
                );
            }
            name
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hierarchy;

    fn check(json: &str) -> Result<(Rig, Vec<&'static str>)> {
        let document: Document =
            serde_json::from_str(&format!(r#"{{"asset":{{"version":"2.0"}},{json}}}"#))
                .expect("JSON");
        let mut warnings = Warnings::default();
        let hierarchy = hierarchy::build(&document, &mut warnings)?;
        let rig = build(&document, &hierarchy, &[], &mut warnings)?;
        Ok((
            rig,
            warnings.list.iter().map(|warning| warning.code).collect(),
        ))
    }

    fn chain(length: usize, joints: &str) -> String {
        let mut nodes: Vec<String> = (1..length)
            .map(|child| {
                format!(
                    r#"{{"name":"n{}","translation":[1,0,0],"children":[{child}]}}"#,
                    child - 1
                )
            })
            .collect();
        nodes.push(r#"{"name":"last","translation":[1,0,0]}"#.to_owned());
        format!(
            r#""nodes":[{}],"skins":[{{"joints":[{joints}]}}]"#,
            nodes.join(",")
        )
    }

    #[test]
    fn joints_are_used_nodes_and_their_ancestors() {
        let (rig, codes) = check(
            r#""nodes":[{"name":"a","children":[1,3]},{"name":"b","children":[2]},{"name":"a"},{"children":[4]},{}],
               "skins":[{"joints":[2,4]}]"#,
        )
        .expect("valid");
        assert_eq!(rig.skeleton.names, ["a", "b", "a#2", "node_3", "node_4"]);
        assert_eq!(codes, ["W-NODE-RENAMED"; 3]);
    }

    #[test]
    fn nodes_that_nothing_uses_are_no_joints() {
        let (rig, _) =
            check(r#""nodes":[{"name":"lamp"},{"name":"hips"}],"skins":[{"joints":[1]}]"#)
                .expect("valid");
        assert_eq!(rig.joint_of_node, [None, Some(0)]);
    }

    #[test]
    fn long_chains_of_carriers_are_folded_and_stay_where_they_were() {
        for (joints, expected) in [("4999", 1), ("0,4999", 2), ("1000,4999", 2)] {
            let (rig, codes) = check(&chain(5000, joints)).expect("valid");
            assert_eq!(rig.skeleton.len(), expected, "{joints}");
            assert_eq!(codes, ["W-ANCESTORS-FOLDED"]);
            let mut model = vec![glam::Affine3A::IDENTITY; expected];
            sinew_anim::local_to_model(&rig.skeleton, &rig.skeleton.rest, &mut model);
            assert_eq!(model[expected - 1].translation.x, 5000.0);
        }
        let (rig, codes) = check(&chain(1024, "1023")).expect("within the limit");
        assert_eq!((rig.skeleton.len(), codes.len()), (1024, 0));
    }

    #[test]
    fn too_many_used_nodes_are_refused() {
        let joints: Vec<String> = (0..1025).map(|joint| joint.to_string()).collect();
        let error = check(&chain(1025, &joints.join(",")))
            .err()
            .expect("too many");
        assert_eq!(error.code, "E-TOO-MANY-JOINTS");
    }
}
