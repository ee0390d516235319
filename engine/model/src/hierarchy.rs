//! The forest of nodes: who is whose parent, what the shown scene holds, which level of detail a node has.

use serde::Deserialize;

use crate::{
    document::Document,
    error::{ImportError, Result, Warnings},
};

/// The nodes of a file as a forest without cycles.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    /// By node.
    pub(crate) parents: Vec<Option<usize>>,
    /// Every node, parents first; the shown scene's nodes come first, in its order.
    pub(crate) order: Vec<usize>,
    /// By node: it is in the shown scene.
    pub(crate) in_scene: Vec<bool>,
    /// By node: 0 is the finest.
    pub(crate) lod: Vec<u32>,
    /// By node: for a coarser level and what is below it, the node that the level stands in for.
    pub(crate) lod_of: Vec<Option<usize>>,
}

/// Orders the nodes of `document`. The scene shown is the default one, else the first; in a file without scenes
/// every node is shown.
pub(crate) fn build(document: &Document, warnings: &mut Warnings) -> Result<Hierarchy> {
    let parents = parents(document)?;
    refuse_cycles(document, &parents)?;
    let mut order = Vec::with_capacity(parents.len());
    let mut visited = vec![false; parents.len()];
    for root in scene_roots(document, &parents)? {
        descend(document, root, &mut visited, &mut order);
    }
    let in_scene = visited.clone();
    for root in roots(&parents) {
        descend(document, root, &mut visited, &mut order);
    }
    let mut hierarchy = Hierarchy {
        lod: vec![0; parents.len()],
        lod_of: vec![None; parents.len()],
        parents,
        order,
        in_scene,
    };
    attach_lods(document, &mut hierarchy, warnings)?;
    Ok(hierarchy)
}

fn parents(document: &Document) -> Result<Vec<Option<usize>>> {
    let mut parents = vec![None; document.nodes.len()];
    for (index, node) in document.nodes.iter().enumerate() {
        for (position, &child) in node.children.iter().enumerate() {
            if let Some(first) = parents[child].replace(index) {
                return Err(ImportError::new(
                    "E-TWO-PARENTS",
                    format!("/nodes/{index}/children/{position}"),
                    format!("node {child} is already a child of node {first}"),
                ));
            }
        }
    }
    Ok(parents)
}

fn roots(parents: &[Option<usize>]) -> impl Iterator<Item = usize> {
    (0..parents.len()).filter(|&node| parents[node].is_none())
}

/// Every node has at most one parent by now, so what no root leads to goes in circles.
fn refuse_cycles(document: &Document, parents: &[Option<usize>]) -> Result<()> {
    let mut visited = vec![false; parents.len()];
    for root in roots(parents) {
        descend(document, root, &mut visited, &mut Vec::new());
    }
    visited
        .iter()
        .position(|&visited| !visited)
        .map_or(Ok(()), |node| {
            let message = "the node is its own ancestor, or a descendant of one that is";
            Err(ImportError::new(
                "E-CYCLE",
                format!("/nodes/{node}"),
                message,
            ))
        })
}

fn scene_roots(document: &Document, parents: &[Option<usize>]) -> Result<Vec<usize>> {
    let index = document.scene.unwrap_or(0);
    let Some(scene) = document.scenes.get(index) else {
        return Ok(roots(parents).collect());
    };
    let mut listed = vec![false; parents.len()];
    for (position, &node) in scene.nodes.iter().enumerate() {
        let twice = std::mem::replace(&mut listed[node], true);
        if twice || parents[node].is_some() {
            let reason = if twice {
                "is listed twice"
            } else {
                "has a parent"
            };
            return Err(ImportError::new(
                "E-SCENE-ROOT",
                format!("/scenes/{index}/nodes/{position}"),
                format!("node {node} {reason}; a scene lists root nodes, each once"),
            ));
        }
    }
    Ok(scene.nodes.clone())
}

/// Appends the nodes under `root`, parents first and children in order. A stack of its own, as chains can be longer
/// than the thread's.
fn descend(document: &Document, root: usize, visited: &mut [bool], order: &mut Vec<usize>) {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if !std::mem::replace(&mut visited[node], true) {
            order.push(node);
            stack.extend(document.nodes[node].children.iter().rev());
        }
    }
}

/// Coarser levels (MSFT_lod) stand beside their node: each becomes a child of the node's parent.
fn attach_lods(
    document: &Document,
    hierarchy: &mut Hierarchy,
    warnings: &mut Warnings,
) -> Result<()> {
    #[derive(Deserialize)]
    struct Lod {
        ids: Vec<usize>,
    }
    for (index, node) in document.nodes.iter().enumerate() {
        let pointer = format!("/nodes/{index}");
        let Some(Lod { ids }) = node.extensions.get("MSFT_lod", &pointer)? else {
            continue;
        };
        for (level, &id) in ids.iter().enumerate() {
            // A root outside the scene cannot be above a node inside it, so this makes no cycle.
            let usable = hierarchy.in_scene[index]
                && hierarchy.in_scene.get(id) == Some(&false)
                && hierarchy.parents[id].is_none()
                && hierarchy.lod[id] == 0;
            if !usable {
                warnings.add(
                    "W-LOD-IGNORED",
                    format!("{pointer}/extensions/MSFT_lod/ids/{level}"),
                    format!("node {id} is no root outside the scene, or serves as a level already"),
                );
                continue;
            }
            hierarchy.parents[id] = hierarchy.parents[index];
            hierarchy.lod[id] = level as u32 + 1;
            hierarchy.lod_of[id] = Some(index);
        }
    }
    for &node in &hierarchy.order {
        if let Some(parent) = hierarchy.parents[node]
            && hierarchy.lod[node] == 0
        {
            hierarchy.lod[node] = hierarchy.lod[parent];
            hierarchy.lod_of[node] = hierarchy.lod_of[parent];
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str) -> Result<(Hierarchy, Warnings)> {
        let document = serde_json::from_str(&format!(r#"{{"asset":{{"version":"2.0"}},{json}}}"#))
            .expect(json);
        let mut warnings = Warnings::default();
        build(&document, &mut warnings).map(|hierarchy| (hierarchy, warnings))
    }

    #[test]
    fn what_is_no_forest_is_refused() {
        let cases = [
            (r#""nodes":[{"children":[1]},{"children":[0]}]"#, "E-CYCLE"),
            (
                r#""nodes":[{"children":[0]}],"scenes":[{"nodes":[0]}]"#,
                "E-CYCLE",
            ),
            (
                r#""nodes":[{"children":[2]},{"children":[2]},{}]"#,
                "E-TWO-PARENTS",
            ),
            (r#""nodes":[{"children":[1,1]},{}]"#, "E-TWO-PARENTS"),
            (
                r#""nodes":[{"children":[1]},{}],"scenes":[{"nodes":[1]}]"#,
                "E-SCENE-ROOT",
            ),
            (r#""nodes":[{}],"scenes":[{"nodes":[0,0]}]"#, "E-SCENE-ROOT"),
        ];
        for (json, code) in cases {
            assert_eq!(check(json).err().expect(json).code, code, "{json}");
        }
    }

    #[test]
    fn the_scene_shown_comes_first_and_parents_precede_children() {
        let nodes = r#""nodes":[{},{"children":[0,2]},{},{}]"#;
        let cases = [
            (
                r#","scenes":[{"nodes":[3]},{"nodes":[1]}],"scene":1"#,
                [1, 0, 2, 3],
                [true, true, true, false],
            ),
            (
                r#","scenes":[{"nodes":[3]},{"nodes":[1]}]"#,
                [3, 1, 0, 2],
                [false, false, false, true],
            ),
            ("", [1, 0, 2, 3], [true; 4]),
        ];
        for (scenes, order, in_scene) in cases {
            let (hierarchy, _) = check(&format!("{nodes}{scenes}")).expect(scenes);
            assert_eq!(hierarchy.order, order, "{scenes}");
            assert_eq!(hierarchy.in_scene, in_scene, "{scenes}");
        }
    }

    #[test]
    fn levels_of_detail_stand_beside_their_node() {
        let (hierarchy, warnings) = check(
            r#""scenes":[{"nodes":[0]}],"nodes":[{"children":[1]},
               {"extensions":{"MSFT_lod":{"ids":[2,4,0,9]}}},{"children":[3]},{},{}]"#,
        )
        .expect("valid");
        assert_eq!(hierarchy.lod, [0, 0, 1, 1, 2]);
        assert_eq!(hierarchy.lod_of, [None, None, Some(1), Some(1), Some(1)]);
        assert_eq!(
            hierarchy.parents,
            [None, Some(0), Some(0), Some(2), Some(0)]
        );
        assert_eq!(
            warnings.list.len(),
            2,
            "a node in the scene and one past the end"
        );
    }

    #[test]
    fn long_chains_need_no_deep_stack() {
        let mut nodes: Vec<String> = (1..100_000)
            .map(|i| format!(r#"{{"children":[{i}]}}"#))
            .collect();
        nodes.push("{}".to_owned());
        let (hierarchy, _) = check(&format!(r#""nodes":[{}]"#, nodes.join(","))).expect("a chain");
        assert!(hierarchy.order.is_sorted());
    }
}
