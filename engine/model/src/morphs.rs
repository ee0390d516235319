//! Morph channels: for each node that draws a mesh with targets, one channel a target.

use std::ops::Range;

use crate::{
    document::{Document, Mesh},
    error::{ImportError, Result, Warnings},
    names::{self, Names},
};

/// The morph channels of one node.
pub(crate) struct Channels {
    /// Place in the skeleton's list.
    pub(crate) range: Range<usize>,
    /// Name and default weight of each.
    pub(crate) list: Vec<(String, f32)>,
}

/// The channels of each of `nodes` (which draw a mesh), in their order.
pub(crate) fn channels(
    document: &Document,
    nodes: &[usize],
    warnings: &mut Warnings,
) -> Result<Vec<Channels>> {
    for (index, mesh) in document.meshes.iter().enumerate() {
        check_targets(mesh, index)?;
    }
    let mut taken = Names::default();
    let mut begin = 0;
    let mut all = Vec::with_capacity(nodes.len());
    for &node in nodes {
        let list = node_channels(document, node, &mut taken, warnings)?;
        let range = begin..begin + list.len();
        begin = range.end;
        if begin > usize::from(u16::MAX) {
            return Err(ImportError::new(
                "E-MORPH-COUNT",
                format!("/nodes/{node}"),
                format!("{begin} morph channels, at most {} fit", u16::MAX),
            ));
        }
        all.push(Channels { range, list });
    }
    Ok(all)
}

/// Targets of a mesh; all its primitives have as many.
pub(crate) fn target_count(mesh: &Mesh) -> usize {
    mesh.primitives
        .first()
        .map_or(0, |primitive| primitive.targets.len())
}

fn check_targets(mesh: &Mesh, index: usize) -> Result<()> {
    let count = target_count(mesh);
    for (p, primitive) in mesh.primitives.iter().enumerate() {
        if primitive.targets.len() != count {
            return Err(ImportError::new(
                "E-MORPH-COUNT",
                format!("/meshes/{index}/primitives/{p}/targets"),
                format!(
                    "{} targets, the mesh's first primitive has {count}",
                    primitive.targets.len()
                ),
            ));
        }
    }
    Ok(())
}

fn node_channels(
    document: &Document,
    index: usize,
    taken: &mut Names,
    warnings: &mut Warnings,
) -> Result<Vec<(String, f32)>> {
    let node = &document.nodes[index];
    let Some((m, mesh)) = node.mesh.map(|mesh| (mesh, &document.meshes[mesh])) else {
        return Ok(Vec::new());
    };
    let count = target_count(mesh);
    let weights = [
        (format!("/nodes/{index}/weights"), &node.weights),
        (format!("/meshes/{m}/weights"), &mesh.weights),
    ];
    let mut defaults = vec![0.0; count];
    // The node's own weights win, so they are taken last.
    for (pointer, weights) in weights.into_iter().rev() {
        let Some(weights) = weights.as_ref().filter(|weights| !weights.is_empty()) else {
            continue;
        };
        if weights.len() != count || weights.iter().any(|weight| !weight.is_finite()) {
            return Err(ImportError::new(
                "E-MORPH-COUNT",
                pointer,
                format!("expected {count} finite weights, one a target"),
            ));
        }
        defaults.clone_from(weights);
    }
    let targets = target_names(mesh, count, m, warnings);
    let mesh_name = mesh_name(document, index, warnings);
    let channels = targets.into_iter().zip(defaults);
    Ok(channels
        .map(|(target, default)| {
            let wanted = format!("{mesh_name}/{target}");
            let (name, renamed) = taken.claim(&wanted, index);
            if renamed {
                warnings.add(
                    "W-MORPH-RENAMED",
                    format!("/nodes/{index}"),
                    format!("`{wanted}` is taken; morph channels of this node end in `#{index}`"),
                );
            }
            (name, default)
        })
        .collect())
}

/// Name of the node's mesh, else of the node, else one made of its index.
pub(crate) fn mesh_name(document: &Document, index: usize, warnings: &mut Warnings) -> String {
    let node = &document.nodes[index];
    let mesh = node.mesh.and_then(|mesh| {
        let name = document.meshes[mesh].name.as_deref();
        names::own(name, &format!("/meshes/{mesh}"), warnings)
    });
    mesh.or_else(|| names::own(node.name.as_deref(), &format!("/nodes/{index}"), warnings))
        .map_or_else(|| format!("node_{index}"), str::to_owned)
}

/// `extras.targetNames` of the mesh, else the targets' numbers.
fn target_names(mesh: &Mesh, count: usize, index: usize, warnings: &mut Warnings) -> Vec<String> {
    let numbers = || (0..count).map(|target| target.to_string()).collect();
    let Some(names) = mesh
        .extras
        .as_ref()
        .and_then(|extras| extras.get("targetNames"))
    else {
        return numbers();
    };
    let named: Option<Vec<String>> = names.as_array().and_then(|names| {
        names
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect()
    });
    match named.filter(|named| named.len() == count) {
        Some(mut named) => {
            let pointer = format!("/meshes/{index}/extras/targetNames");
            for (target, name) in named.iter_mut().enumerate() {
                let own = names::own(Some(name), &pointer, warnings).map(str::len);
                match own {
                    Some(length) => name.truncate(length),
                    None => *name = target.to_string(),
                }
            }
            named
        }
        None => {
            let found = names.as_array().map_or(0, Vec::len);
            warnings.add(
                "W-TARGET-NAMES",
                format!("/meshes/{index}/extras/targetNames"),
                format!("expected {count} texts, one a target, found {found} entries; targets are numbered"),
            );
            numbers()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type List = Vec<(String, f32)>;

    fn check(meshes: &str, nodes: &str) -> Result<(List, Vec<&'static str>)> {
        let json = format!(r#"{{"asset":{{"version":"2.0"}},"meshes":{meshes},"nodes":{nodes}}}"#);
        let document: Document = serde_json::from_str(&json).expect("JSON");
        let drawn: Vec<usize> = (0..document.nodes.len()).collect();
        let mut warnings = Warnings::default();
        let all = channels(&document, &drawn, &mut warnings)?;
        let list = all.into_iter().flat_map(|channels| channels.list).collect();
        Ok((
            list,
            warnings.list.iter().map(|warning| warning.code).collect(),
        ))
    }

    const TWO: &str = r#"{"attributes":{},"targets":[{},{}]}"#;

    #[test]
    fn channels_are_named_after_mesh_and_target_and_stay_unique() {
        let meshes = format!(
            r#"[{{"name":"face","primitives":[{TWO}],"weights":[0.5,1],"extras":{{"targetNames":["smile","blink"]}}}}]"#
        );
        let (list, codes) =
            check(&meshes, r#"[{"mesh":0},{"mesh":0,"weights":[0,2]}]"#).expect("valid");
        let expected = [
            ("face/smile", 0.5),
            ("face/blink", 1.0),
            ("face/smile#1", 0.0),
            ("face/blink#1", 2.0),
        ];
        assert_eq!(
            list,
            expected.map(|(name, weight)| (name.to_owned(), weight))
        );
        assert_eq!(codes, ["W-MORPH-RENAMED"]);
    }

    #[test]
    fn targets_without_fitting_names_are_numbered() {
        let meshes = format!(r#"[{{"primitives":[{TWO}],"extras":{{"targetNames":["one"]}}}}]"#);
        let (list, codes) = check(&meshes, r#"[{"mesh":0,"name":"head"}]"#).expect("valid");
        assert_eq!(list[1].0, "head/1");
        assert_eq!(codes, ["W-TARGET-NAMES"]);
    }

    #[test]
    fn unequal_counts_are_refused_at_their_place() {
        let unequal =
            format!(r#"[{{"primitives":[{TWO},{{"attributes":{{}},"targets":[{{}}]}}]}}]"#);
        let short = format!(r#"[{{"primitives":[{TWO}],"weights":[1]}}]"#);
        for (meshes, pointer) in [
            (unequal, "/meshes/0/primitives/1/targets"),
            (short, "/meshes/0/weights"),
        ] {
            let error = check(&meshes, r#"[{"mesh":0}]"#).expect_err(pointer);
            assert_eq!(
                (error.code, error.pointer.as_str()),
                ("E-MORPH-COUNT", pointer)
            );
        }
    }
}
