//! A hash over all state: equal for equal runs, on any number of threads.

use std::hash::Hasher;

use sinew_anim::{Graph, field_hashes, state_hash};

use crate::{Behaviour, Snapshot, World, snapshot::ActorState};

/// FNV-1a over 64 bits: the same on every machine and in every version of the standard library.
#[derive(Clone, Debug)]
pub struct StableHasher(u64);

impl Default for StableHasher {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for StableHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// One part of the state and its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldHash {
    /// Name of the actor; empty for what belongs to none.
    pub actor: String,
    /// Path of the part, such as `layers/base/fade` or `hero.lua/going`.
    pub field: String,
    /// Equal for equal parts.
    pub hash: u64,
}

/// The hash of a world and of what its scripts keep.
pub fn hash(world: &World, behaviour: &dyn Behaviour) -> u64 {
    let mut hasher = StableHasher::default();
    state_hash(&world.snapshot(), &mut hasher);
    state_hash(&behaviour.kept(world), &mut hasher);
    hasher.finish()
}

/// The hashes of all parts of the state: of the world, then of each actor by ascending index.
pub fn hash_fields(world: &World, behaviour: &dyn Behaviour) -> Vec<FieldHash> {
    let snapshot = world.snapshot();
    let mut fields = Vec::new();
    let mut add = |actor: &str, found: Vec<(String, u64)>| {
        fields.extend(found.into_iter().map(|(field, hash)| FieldHash {
            actor: actor.to_owned(),
            field,
            hash,
        }));
    };
    let kept = behaviour.kept(world);
    let kept_of = |actor: Option<crate::ActorId>| {
        let own = kept.iter().filter(move |kept| kept.actor == actor);
        own.map(|kept| {
            let mut hasher = StableHasher::default();
            state_hash(&kept.value, &mut hasher);
            (kept.name.clone(), hasher.finish())
        })
        .collect()
    };
    add("", world_fields(&snapshot));
    add("", kept_of(None));
    for state in snapshot.actors() {
        let actor = &state.actor;
        let graph = world.actors.get(actor.id).and_then(|actor| {
            let animation = actor.animation.as_ref()?;
            Some(&*animation.graph)
        });
        add(&actor.name, actor_fields(state, graph));
        add(&actor.name, kept_of(Some(actor.id)));
    }
    fields
}

fn world_fields(snapshot: &Snapshot) -> Vec<(String, u64)> {
    let mut fields = field_hashes::<StableHasher>(&snapshot.globals, 2);
    fields.extend(field_hashes::<StableHasher>(&snapshot.level, 1));
    fields
}

/// The parts of an actor, those of its graph by the graph's names.
fn actor_fields(state: &ActorState, graph: Option<&Graph>) -> Vec<(String, u64)> {
    let mut fields = field_hashes::<StableHasher>(&state.actor, 1);
    let Some(animation) = &state.animation else {
        return fields;
    };
    let shown = field_hashes::<StableHasher>(animation, 1);
    fields.extend(shown.into_iter().filter(|(name, _)| name != "state"));
    let parts = field_hashes::<StableHasher>(&animation.state, 3);
    let named = parts.into_iter().map(|(path, hash)| {
        let named = graph.and_then(|graph| named(&path, graph));
        (named.unwrap_or(path), hash)
    });
    fields.extend(named);
    fields
}

/// `layers/0/fade` as `layers/base/fade`.
fn named(path: &str, graph: &Graph) -> Option<String> {
    let (list, rest) = path.split_once('/')?;
    let (index, rest) = rest.split_once('/').unwrap_or((rest, ""));
    let index: usize = index.parse().ok()?;
    let name = match list {
        "layers" => &graph.layers.get(index)?.name,
        "parameters" => &graph.parameters.get(index)?.name,
        "slots" => &graph.slots.get(index)?.name,
        "poses" => graph.poses.get(index)?,
        "machines" => return machine_named(index, rest, graph),
        _ => return None,
    };
    let slash = if rest.is_empty() { "" } else { "/" };
    Some(format!("{list}/{name}{slash}{rest}"))
}

/// The machine of a layer stands under the layer's name; one inside a state has its number behind it.
fn machine_named(index: usize, rest: &str, graph: &Graph) -> Option<String> {
    let machine = graph.machines.get(index)?;
    let layer = graph.layers.get(usize::from(machine.layer))?;
    let inner = match machine.parent {
        Some(_) => format!("machine {index}/"),
        None => String::new(),
    };
    Some(format!("layers/{}/{inner}{rest}", layer.name))
}
