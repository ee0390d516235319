//! What a level file must mean, once its structure is right: names that exist, paths that can be
//! read, sizes that are sizes.

use std::collections::{BTreeMap, BTreeSet};

use sinew_anim::nearest;
use toml::de::DeTable;

use crate::{
    ActionDef, ActorDef, BoxDef, CameraDef, LevelDef, LogicalPath, PROJECT_SPACE, check_id,
    diagnostic::shown,
    document_check::{Fault, MAX_FAULTS},
    mods,
    toml_place::range_of,
};

/// The longest name of an actor, a box or an action, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Every fault of the content, in the order of the text.
pub(crate) fn faults(level: &LevelDef, root: &DeTable) -> Vec<Fault> {
    let mut check = Check::new(root);
    check.identity("level", &level.id, &level.version);
    check.boxes(&level.boxes);
    check.actors(level);
    check.carriers(&level.actors);
    for (name, action) in &level.actions {
        check.action(name, action);
    }
    check.camera(&level.camera, &level.actors);
    check.in_order()
}

/// The faults of a document so far.
pub(crate) struct Check<'a> {
    root: &'a DeTable<'a>,
    faults: Vec<Fault>,
    /// Name of the actor inside which the check is.
    actor: Option<String>,
}

impl<'a> Check<'a> {
    pub(crate) fn new(root: &'a DeTable<'a>) -> Self {
        Self {
            root,
            faults: Vec::new(),
            actor: None,
        }
    }

    /// All faults, in the order of the text.
    pub(crate) fn in_order(mut self) -> Vec<Fault> {
        self.faults.sort_by_key(|fault| fault.range.start);
        self.faults
    }

    /// Adds a fault at the value that `steps` lead to. Once the limit is reached, nothing more is
    /// worked out.
    pub(crate) fn fault(&mut self, steps: &[&str], fault: impl FnOnce() -> Fault) {
        if self.faults.len() < MAX_FAULTS {
            let mut fault = fault();
            fault.range = range_of(self.root, steps);
            fault.actor = self.actor.clone();
            self.faults.push(fault);
        }
    }

    /// Id and version of a level or mod, which `what` is.
    pub(crate) fn identity(&mut self, what: &str, id: &str, version: &str) {
        let reserved =
            (id == PROJECT_SPACE).then(|| "it is the name of the project's own files".to_owned());
        if let Some(reason) = check_id(id).err().or(reserved) {
            self.fault(&["id"], || Fault {
                code: "E-LEVEL-ID",
                message: format!("`{}` cannot be the id of a {what}: {reason}", shown(id)),
                help: Some("write an id such as `plaza` or `plaza_2`".to_owned()),
                ..Fault::default()
            });
        }
        if mods::version(version).is_none() {
            self.fault(&["version"], || Fault {
                code: "E-LEVEL-VERSION",
                message: format!("`{}` is no version", shown(version)),
                help: Some("write three numbers, such as \"1.0.0\"".to_owned()),
                ..Fault::default()
            });
        }
    }

    fn boxes(&mut self, boxes: &[BoxDef]) {
        let mut seen = BTreeSet::new();
        for (index, solid) in boxes.iter().enumerate() {
            let index = index.to_string();
            if let Some(name) = &solid.name {
                self.name(
                    &["box", &index, "name"],
                    "box",
                    name,
                    !seen.insert(name.as_str()),
                );
            }
            if solid.size.min_element() <= 0.0 {
                self.fault(&["box", &index, "size"], || Fault {
                    code: "E-LEVEL-SIZE",
                    message: "each number of a box's `size` must be over 0".to_owned(),
                    help: Some("`size` is the whole width, height and depth in metres".to_owned()),
                    ..Fault::default()
                });
            }
        }
    }

    fn name(&mut self, steps: &[&str], what: &str, name: &str, twice: bool) {
        if twice {
            return self.fault(steps, || Fault {
                code: "E-LEVEL-NAME-TWICE",
                message: format!(
                    "there are two of `{}`: the name of each {what} must be its own",
                    shown(name)
                ),
                ..Fault::default()
            });
        }
        let reason = if name.is_empty() {
            "it is empty".to_owned()
        } else if name.len() > MAX_NAME_BYTES {
            format!("it is longer than {MAX_NAME_BYTES} bytes")
        } else if name.chars().any(char::is_control) {
            "it has a control character".to_owned()
        } else {
            return;
        };
        self.fault(steps, || Fault {
            code: "E-LEVEL-NAME",
            message: format!(
                "`{}` cannot be the name of this {what}: {reason}",
                shown(name)
            ),
            ..Fault::default()
        });
    }

    fn actors(&mut self, level: &LevelDef) {
        let mut seen = BTreeSet::new();
        for (index, actor) in level.actors.iter().enumerate() {
            let index = index.to_string();
            let at = |key| ["actor", index.as_str(), key];
            self.actor = Some(shown(&actor.name));
            self.name(
                &at("name"),
                "actor",
                &actor.name,
                !seen.insert(actor.name.as_str()),
            );
            self.path(&at("model"), &actor.model, &level.id, &[".glb", ".gltf"]);
            for (number, script) in actor.scripts.iter().enumerate() {
                let number = number.to_string();
                let steps = ["actor", index.as_str(), "scripts", number.as_str()];
                self.path(&steps, script, &level.id, &[".lua", ".rhai"]);
            }
            if let Some(graph) = &actor.graph {
                self.path(&at("graph"), graph, &level.id, &[".animgraph.json"]);
            }
            if actor.graph.is_some() && actor.clip.is_some() {
                self.fault(&at("clip"), || Fault {
                    code: "E-LEVEL-GRAPH-AND-CLIP",
                    message: "an actor has either a `graph` or a `clip`, not both".to_owned(),
                    help: Some("leave one of them out".to_owned()),
                    ..Fault::default()
                });
            }
            self.actor = None;
        }
    }

    pub(crate) fn path(&mut self, steps: &[&str], text: &str, from: &str, endings: &[&str]) {
        let path = match LogicalPath::parse(text, from) {
            Ok(path) => path,
            Err(error) => {
                return self.fault(steps, || Fault {
                    code: error.code(),
                    message: format!("`{}` {error}", shown(text)),
                    help: Some(LogicalPath::HELP.to_owned()),
                    ..Fault::default()
                });
            }
        };
        if !endings.iter().any(|ending| path.path.ends_with(ending)) {
            self.fault(steps, || Fault {
                code: "E-LEVEL-FILE-KIND",
                message: format!("`{}` must end in `{}`", shown(text), endings.join("` or `")),
                ..Fault::default()
            });
        }
    }

    /// Parents exist and nobody carries himself.
    fn carriers(&mut self, actors: &[ActorDef]) {
        let by_name: BTreeMap<&str, usize> = actors
            .iter()
            .enumerate()
            .map(|(index, actor)| (actor.name.as_str(), index))
            .collect();
        let parents: Vec<Option<usize>> = actors
            .iter()
            .map(|actor| by_name.get(actor.parent.as_deref()?).copied())
            .collect();
        let mut on_cycle = cycle_members(&parents);
        for (index, actor) in actors.iter().enumerate() {
            self.actor = Some(shown(&actor.name));
            let number = index.to_string();
            let at = |key| ["actor", number.as_str(), key];
            match &actor.parent {
                None if actor.parent_joint.is_some() => self.fault(&at("parent_joint"), || Fault {
                    code: "E-LEVEL-PARENT-JOINT",
                    message: "`parent_joint` needs a `parent`".to_owned(),
                    help: Some("add `parent = \"name of an actor\"`".to_owned()),
                    ..Fault::default()
                }),
                Some(parent) if parents[index].is_none() => {
                    self.unknown_actor(&at("parent"), parent, actors);
                }
                _ if on_cycle[index] => {
                    let chain = cycle_from(index, &parents);
                    chain.iter().for_each(|&member| on_cycle[member] = false);
                    self.fault(&at("parent"), || Fault {
                        code: "E-LEVEL-PARENT-CYCLE",
                        message: cycle_message(&chain, actors),
                        help: Some("take the `parent` of one of them away".to_owned()),
                        ..Fault::default()
                    });
                }
                _ => {}
            }
            self.actor = None;
        }
    }

    fn unknown_actor(&mut self, steps: &[&str], name: &str, actors: &[ActorDef]) {
        self.fault(steps, || {
            let names = actors.iter().map(|actor| actor.name.as_str());
            let fault = Fault {
                code: "E-LEVEL-UNKNOWN-ACTOR",
                message: format!("there is no actor `{}`", shown(name)),
                ..Fault::default()
            };
            fault.meant(nearest(name, names), true)
        });
    }

    pub(crate) fn action(&mut self, name: &str, action: &ActionDef) {
        let steps = ["actions", name];
        let lower =
            |found: char| found.is_ascii_lowercase() || found.is_ascii_digit() || found == '_';
        let begins = name.starts_with(|first: char| first.is_ascii_lowercase());
        if !begins || !name.chars().all(lower) || name.len() > MAX_NAME_BYTES {
            self.fault(&steps, || Fault {
                code: "E-LEVEL-ACTION-NAME",
                message: format!("`{}` cannot be the name of an action", shown(name)),
                help: Some("use small letters, digits and `_`, such as `jump`".to_owned()),
                ..Fault::default()
            });
        }
        let message = match (action.keys.is_empty(), action.is_vector()) {
            (false, true) => "has both `keys` and directions",
            (true, false) => "has no keys",
            _ => return,
        };
        self.fault(&steps, || Fault {
            code: "E-LEVEL-ACTION",
            message: format!("the action `{}` {message}", shown(name)),
            help: Some(
                "write `keys = [\"Space\"]`, or any of `left`, `right`, `forward` and `back`"
                    .to_owned(),
            ),
            ..Fault::default()
        });
    }

    fn camera(&mut self, camera: &CameraDef, actors: &[ActorDef]) {
        let Some(follow) = &camera.follow else { return };
        if !actors.iter().any(|actor| &actor.name == follow) {
            self.unknown_actor(&["camera", "follow"], follow, actors);
        }
        for (key, given) in [
            ("position", camera.position.is_some()),
            ("target", camera.target.is_some()),
        ] {
            if given {
                self.fault(&["camera", key], || Fault {
                    code: "E-LEVEL-CAMERA",
                    message: format!("a camera has either `follow` or `{key}`, not both"),
                    help: Some("leave one of them out".to_owned()),
                    ..Fault::default()
                });
            }
        }
    }
}

/// True for each actor that carries himself through others. Every actor is walked over twice at most.
fn cycle_members(parents: &[Option<usize>]) -> Vec<bool> {
    let mut on_cycle = vec![false; parents.len()];
    let mut walk_of = vec![usize::MAX; parents.len()];
    for start in 0..parents.len() {
        let mut at = Some(start);
        while let Some(here) = at.filter(|&here| walk_of[here] == usize::MAX) {
            walk_of[here] = start;
            at = parents[here];
        }
        if let Some(here) = at.filter(|&here| walk_of[here] == start) {
            cycle_from(here, parents)
                .into_iter()
                .for_each(|member| on_cycle[member] = true);
        }
    }
    on_cycle
}

/// The members of the cycle that `start` is on, in order of carrying.
fn cycle_from(start: usize, parents: &[Option<usize>]) -> Vec<usize> {
    let rest = std::iter::successors(parents[start], |&at| parents[at]);
    std::iter::once(start)
        .chain(rest.take_while(|&at| at != start))
        .collect()
}

fn cycle_message(chain: &[usize], actors: &[ActorDef]) -> String {
    let name = |&index: &usize| format!("`{}`", shown(&actors[index].name));
    let mut names: Vec<String> = chain.iter().take(8).map(name).collect();
    if chain.len() > names.len() {
        names.push("…".to_owned());
    }
    names.extend(chain.first().map(name));
    format!(
        "actors carry each other in a circle: {}",
        names.join(" on ")
    )
}
