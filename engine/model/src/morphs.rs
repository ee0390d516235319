//! Morph channels: for each node that draws a mesh with targets, one channel a target. Coarser levels of detail share the
//! channels of the finest mesh by the names of targets.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
};

use crate::{
    document::{Document, Mesh},
    error::{ImportError, Result, Warnings},
    hierarchy::Hierarchy,
    names::{self, Names},
};

/// The most morph targets of different names that a model can have; those of one name on several meshes count once.
pub const MAX_MORPH_TARGETS: usize = 256;

/// The morph channels of one node.
#[derive(Clone, Default)]
pub(crate) struct Channels {
    /// Place of each target's channel in the skeleton's list.
    pub(crate) of_target: Vec<u16>,
    /// Some of them belong to a finer mesh.
    pub(crate) shared: bool,
}

impl Channels {
    /// The channels of a node that shares none, which stand next to each other.
    pub(crate) fn range(&self) -> Range<usize> {
        let first = self.of_target.first().copied().map_or(0, usize::from);
        first..first + self.of_target.len()
    }
}

/// All channels of a file.
pub(crate) struct AllChannels {
    /// Name and default weight of each.
    pub(crate) list: Vec<(String, f32)>,
    /// For each of the nodes.
    pub(crate) of_nodes: Vec<Channels>,
}

/// The channels of `nodes` (which draw a mesh), in their order.
pub(crate) fn channels(
    document: &Document,
    hierarchy: &Hierarchy,
    nodes: &[usize],
    warnings: &mut Warnings,
) -> Result<AllChannels> {
    let mut names = Vec::with_capacity(document.meshes.len());
    let mut different = HashSet::new();
    let drawn: HashSet<usize> = nodes
        .iter()
        .filter_map(|&node| document.nodes[node].mesh)
        .collect();
    for (index, mesh) in document.meshes.iter().enumerate() {
        check_targets(mesh, index)?;
        let targets = target_names(mesh, target_count(mesh), index, warnings)?;
        if drawn.contains(&index) {
            different.extend(targets.iter().cloned());
        }
        if different.len() > MAX_MORPH_TARGETS {
            return Err(too_many(index, different.len()));
        }
        names.push(targets);
    }
    let mut builder = Builder {
        document,
        target_names: names,
        taken_meshes: Names::default(),
        taken: Names::default(),
        list: Vec::new(),
        warnings,
    };
    // What levels of detail share comes first.
    let is_finest = |node: usize| hierarchy.lod[node] == 0;
    let mut of_nodes = vec![Channels::default(); nodes.len()];
    let mut finest = Finest::default();
    for (channels, &node) in of_nodes
        .iter_mut()
        .zip(nodes)
        .filter(|(_, node)| is_finest(**node))
    {
        *channels = builder.add(node, |_| None)?;
        finest.take_in(&builder, node, channels);
    }
    for (channels, &node) in of_nodes
        .iter_mut()
        .zip(nodes)
        .filter(|(_, node)| !is_finest(**node))
    {
        *channels = builder.add(node, |target| {
            finest.channel(hierarchy.lod_of[node], target)
        })?;
    }
    Ok(AllChannels {
        list: builder.list,
        of_nodes,
    })
}

/// Channels of the finest meshes by the names of targets: on one node, and the first on any.
#[derive(Default)]
struct Finest {
    on_node: HashMap<(usize, String), u16>,
    anywhere: HashMap<String, u16>,
}

impl Finest {
    fn take_in(&mut self, builder: &Builder<'_, '_>, node: usize, channels: &Channels) {
        for (target, &channel) in builder.targets_of(node).iter().zip(&channels.of_target) {
            self.on_node.insert((node, target.clone()), channel);
            self.anywhere.entry(target.clone()).or_insert(channel);
        }
    }

    /// The channel of a target on the node that a level stands in for, else on any.
    fn channel(&self, node: Option<usize>, target: &str) -> Option<u16> {
        let on_node = node.and_then(|node| self.on_node.get(&(node, target.to_owned())));
        on_node.or_else(|| self.anywhere.get(target)).copied()
    }
}

struct Builder<'a, 'w> {
    document: &'a Document,
    /// By mesh.
    target_names: Vec<Vec<String>>,
    /// What stands before the target in names.
    taken_meshes: Names,
    /// Whole names.
    taken: Names,
    list: Vec<(String, f32)>,
    warnings: &'w mut Warnings,
}

impl Builder<'_, '_> {
    fn targets_of(&self, node: usize) -> &[String] {
        let mesh = self.document.nodes[node].mesh;
        mesh.map_or(&[], |mesh| self.target_names[mesh].as_slice())
    }

    /// The channels of a node: those that `shared` gives for a target's name, else new ones.
    fn add(&mut self, node: usize, shared: impl Fn(&str) -> Option<u16>) -> Result<Channels> {
        let mut channels = Channels::default();
        let defaults = default_weights(self.document, node)?;
        if defaults.is_empty() {
            return Ok(channels);
        }
        let mut mesh = None;
        for (target, default) in self.targets_of(node).to_vec().into_iter().zip(defaults) {
            if let Some(channel) = shared(&target) {
                channels.of_target.push(channel);
                channels.shared = true;
                continue;
            }
            let channel = u16::try_from(self.list.len())
                .ok()
                .filter(|&channel| channel < u16::MAX)
                .ok_or_else(|| self.no_room(node))?;
            if mesh.is_none() {
                mesh = Some(self.mesh_of_channels(node));
            }
            let mesh = mesh.as_deref().unwrap_or_default();
            channels.of_target.push(channel);
            // `a` with `b/c` and `a/b` with `c` would be one name.
            let (name, _) = self.taken.claim(&format!("{mesh}/{target}"), node);
            self.list.push((name, default));
        }
        Ok(channels)
    }

    /// What stands before the target in the names of a node's channels; given once.
    fn mesh_of_channels(&mut self, node: usize) -> String {
        let wanted = mesh_name(self.document, node, self.warnings);
        let (name, renamed) = self.taken_meshes.claim(&wanted, node);
        if renamed {
            self.warnings.add(
                "W-MORPH-RENAMED",
                format!("/nodes/{node}"),
                format!("`{wanted}` is taken; morph channels of this node begin with `{name}/`"),
            );
        }
        name
    }

    fn no_room(&self, node: usize) -> ImportError {
        ImportError::new(
            "E-MORPH-COUNT",
            format!("/nodes/{node}"),
            format!("more morph channels than the {} that fit", u16::MAX),
        )
    }
}

fn too_many(mesh: usize, count: usize) -> ImportError {
    let message = format!(
        "{count} morph targets of different names up to this mesh, at most {MAX_MORPH_TARGETS} fit"
    );
    let pointer = format!("/meshes/{mesh}/primitives/0/targets");
    ImportError::new("E-TOO-MANY-MORPHS", pointer, message)
        .help("leave targets out of the export, or give those that move together on several meshes one name")
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

/// The weights that a node's targets have at rest: its own, else the mesh's, else 0.
fn default_weights(document: &Document, index: usize) -> Result<Vec<f32>> {
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
    Ok(defaults)
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

/// `extras.targetNames` of the mesh, else `morph_<i>`; each once. Of more than a model can have none is named.
fn target_names(
    mesh: &Mesh,
    count: usize,
    index: usize,
    warnings: &mut Warnings,
) -> Result<Vec<String>> {
    if count > MAX_MORPH_TARGETS {
        return Err(too_many(index, count));
    }
    let numbered = |target: usize| format!("morph_{target}");
    let pointer = format!("/meshes/{index}/extras/targetNames");
    let listed = mesh
        .extras
        .as_ref()
        .and_then(|extras| extras.get("targetNames"));
    let named: Option<Vec<&str>> = listed.and_then(|names| {
        let names = names.as_array().filter(|names| names.len() == count)?;
        names.iter().map(|name| name.as_str()).collect()
    });
    if let (None, Some(listed)) = (&named, listed) {
        let found = listed.as_array().map_or(0, Vec::len);
        warnings.add(
            "W-TARGET-NAMES",
            pointer.as_str(),
            format!(
                "expected {count} texts, one a target, found {found} entries; targets are numbered"
            ),
        );
    }
    let mut taken = Names::default();
    let mut names = Vec::with_capacity(count);
    for target in 0..count {
        let given = named.as_ref().map(|named| named[target]);
        let own = names::own(given, &pointer, warnings);
        let wanted = own.map_or_else(|| numbered(target), str::to_owned);
        let (name, renamed) = taken.claim(&wanted, target);
        if renamed {
            warnings.add(
                "W-MORPH-RENAMED",
                format!("{pointer}/{target}"),
                format!("another target of the mesh is named `{wanted}`; this one is `{name}`"),
            );
        }
        names.push(name);
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{hierarchy, testing::import_parts};

    fn check(meshes: &str, nodes: &str) -> Result<(AllChannels, Vec<&'static str>)> {
        let json = format!(r#"{{"asset":{{"version":"2.0"}},"meshes":{meshes},"nodes":{nodes}}}"#);
        let document: Document = serde_json::from_str(&json).expect("JSON");
        let drawn: Vec<usize> = (0..document.nodes.len()).collect();
        let mut warnings = Warnings::default();
        let hierarchy = hierarchy::build(&document, &mut warnings)?;
        let all = channels(&document, &hierarchy, &drawn, &mut warnings)?;
        let codes = warnings.list.iter().map(|warning| warning.code).collect();
        Ok((all, codes))
    }

    fn names(all: &AllChannels) -> Vec<&str> {
        all.list.iter().map(|(name, _)| name.as_str()).collect()
    }

    const TWO: &str = r#"{"attributes":{},"targets":[{},{}]}"#;

    #[test]
    fn channels_are_named_after_mesh_and_target_and_stay_unique() {
        let meshes = format!(
            r#"[{{"name":"face","primitives":[{TWO}],"weights":[0.5,1],"extras":{{"targetNames":["smile","blink"]}}}}]"#
        );
        let (all, codes) =
            check(&meshes, r#"[{"mesh":0},{"mesh":0,"weights":[0,2]}]"#).expect("valid");
        let expected = [
            ("face/smile", 0.5),
            ("face/blink", 1.0),
            ("face#1/smile", 0.0),
            ("face#1/blink", 2.0),
        ];
        assert_eq!(
            all.list,
            expected.map(|(name, weight)| (name.to_owned(), weight))
        );
        assert_eq!(codes, ["W-MORPH-RENAMED"]);
    }

    #[test]
    fn targets_without_fitting_names_are_numbered_and_no_name_comes_twice() {
        let meshes = |names: &str| {
            format!(r#"[{{"primitives":[{TWO}],"extras":{{"targetNames":{names}}}}}]"#)
        };
        let cases = [
            (
                r#"["one"]"#,
                ["head/morph_0", "head/morph_1"],
                "W-TARGET-NAMES",
            ),
            (
                r#"["one",2]"#,
                ["head/morph_0", "head/morph_1"],
                "W-TARGET-NAMES",
            ),
            (
                r#"["one","one"]"#,
                ["head/one", "head/one#1"],
                "W-MORPH-RENAMED",
            ),
            (
                r#"["morph_1",""]"#,
                ["head/morph_1", "head/morph_1#1"],
                "W-MORPH-RENAMED",
            ),
        ];
        for (given, expected, code) in cases {
            let (all, codes) =
                check(&meshes(given), r#"[{"mesh":0,"name":"head"}]"#).expect("valid");
            assert_eq!(names(&all), expected, "{given}");
            assert_eq!(codes, [code], "{given}");
        }
    }

    /// A finest mesh with `a` and `b`, and a level of it (which stands before it in the file) with `b` and `c`.
    const LEVELS: &str = r#""scenes":[{"nodes":[1]}],
        "meshes":[{"name":"low","primitives":[{"attributes":{"POSITION":0},"mode":0,"targets":[{},{}]}],"extras":{"targetNames":["b","c"]}},
                  {"name":"high","primitives":[{"attributes":{"POSITION":0},"mode":0,"targets":[{},{}]}],"extras":{"targetNames":["a","b"]}}],
        "nodes":[{"mesh":0},{"mesh":1,"extensions":{"MSFT_lod":{"ids":[0]}}}],
        "accessors":[{"componentType":5126,"count":1,"type":"VEC3"},
                     {"componentType":5126,"count":1,"type":"SCALAR"},{"componentType":5126,"count":2,"type":"SCALAR"}]"#;

    #[test]
    fn levels_of_detail_share_the_channels_of_the_same_names() {
        let model = import_parts(LEVELS, b"").expect("valid");
        assert_eq!(model.skeleton.morphs, ["high/a", "high/b", "low/c"]);
        let channels: Vec<_> = model
            .meshes
            .iter()
            .map(|mesh| mesh.morphs.clone())
            .collect();
        assert_eq!(channels, [vec![1, 2], vec![0, 1]]);
    }

    #[test]
    fn animated_weights_of_a_level_give_way_to_those_of_the_finest_mesh() {
        let channel =
            |node: usize| format!(r#"{{"sampler":0,"target":{{"node":{node},"path":"weights"}}}}"#);
        let animations = format!(
            r#""animations":[{{"channels":[{},{}],"samplers":[{{"input":1,"output":2}}]}}]"#,
            channel(0),
            channel(1)
        );
        let model = import_parts(&format!("{LEVELS},{animations}"), b"").expect("valid");
        let driven: Vec<_> = model.clips[0]
            .morphs
            .iter()
            .map(|track| (track.first, track.count))
            .collect();
        assert_eq!(driven, [(0, 2)]);
        let told = model
            .warnings
            .iter()
            .find(|told| told.code == "W-LOD-WEIGHTS");
        assert_eq!(told.expect("told").pointer, "/animations/0/channels/0");
    }

    fn mesh_of(targets: usize, name: impl Fn(usize) -> String) -> String {
        let names: Vec<String> = (0..targets)
            .map(|index| format!("{:?}", name(index)))
            .collect();
        let targets = vec!["{}"; targets].join(",");
        format!(
            r#"{{"primitives":[{{"attributes":{{"POSITION":0}},"mode":0,"targets":[{targets}]}}],"extras":{{"targetNames":[{}]}}}}"#,
            names.join(",")
        )
    }

    fn model_of(meshes: &[String]) -> Result<crate::Model> {
        let nodes: Vec<String> = (0..meshes.len())
            .map(|mesh| format!(r#"{{"name":"n{mesh}","mesh":{mesh}}}"#))
            .collect();
        let body = format!(
            r#""meshes":[{}],"nodes":[{}],"accessors":[{{"componentType":5126,"count":1,"type":"VEC3"}}]"#,
            meshes.join(","),
            nodes.join(",")
        );
        import_parts(&body, b"")
    }

    #[test]
    fn a_model_has_at_most_256_targets_of_different_names() {
        let own = |index: usize| format!("m{index}");
        let model = model_of(&[mesh_of(256, own), mesh_of(256, own)]).expect("names count once");
        assert_eq!(model.skeleton.morphs.len(), 512);
        let other = |index: usize| format!("other{index}");
        for (meshes, culprit) in [
            (vec![mesh_of(257, own)], "/meshes/0/primitives/0/targets"),
            (
                vec![mesh_of(200, own), mesh_of(57, other)],
                "/meshes/1/primitives/0/targets",
            ),
        ] {
            let error = model_of(&meshes).expect_err(culprit);
            assert_eq!(
                (error.code, error.pointer.as_str()),
                ("E-TOO-MANY-MORPHS", culprit)
            );
            assert!(error.message.contains("257"), "{error}");
        }
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
            let error = check(&meshes, r#"[{"mesh":0}]"#).err().expect(pointer);
            assert_eq!(
                (error.code, error.pointer.as_str()),
                ("E-MORPH-COUNT", pointer)
            );
        }
    }
}
