//! Which mods load, and in what order: a function of their manifests alone.
//!
//! A mod loads after all that it depends on, and after what it names in `optional` and `load_after` where that is there;
//! mods that no such edge tells apart load in order of ids. Wishes that go round are dropped, as few as can be; needs
//! that go round leave their mods out.

use std::collections::{BTreeMap, BTreeSet};

use semver::Version;
use sinew_anim::nearest;

use crate::{
    Diagnostic,
    mods::{API_VERSION, Mod, ModManifest, requirement::version},
};

/// Why one mod loads after another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeReason {
    /// It needs it.
    Depends,
    /// It can make use of it.
    Optional,
    /// It asks to.
    LoadAfter,
}

impl EdgeReason {
    /// The key in the manifest.
    pub fn key(self) -> &'static str {
        match self {
            Self::Depends => "depends",
            Self::Optional => "optional",
            Self::LoadAfter => "load_after",
        }
    }
}

/// One mod loads before another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Id of the mod that asks for it.
    pub after: String,
    /// Id of the mod that loads first.
    pub before: String,
    /// Why.
    pub reason: EdgeReason,
    /// Wishes go round: this one was not granted.
    pub dropped: bool,
}

/// A mod that does not load.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOut {
    /// Its id.
    pub id: String,
    /// Why, at its place in the manifest.
    pub fault: Diagnostic,
}

/// What becomes of mods that were found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// Indices of those that load, in order.
    pub(crate) order: Vec<usize>,
    pub(crate) left_out: Vec<LeftOut>,
    /// Between those that load, in order.
    pub(crate) edges: Vec<Edge>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Orders mods. `base` are ids that are there before all mods, with their versions.
pub(crate) fn order(mods: &[Mod], base: &BTreeMap<String, Version>) -> Order {
    let mut sorter = Sorter {
        mods,
        base,
        enabled: BTreeMap::new(),
        result: Order::default(),
    };
    sorter.admit();
    sorter.settle_needs();
    sorter.refuse_cycles();
    sorter.refuse_conflicts();
    sorter.settle_needs();
    sorter.sort();
    sorter.result.left_out.sort_by(|a, b| a.id.cmp(&b.id));
    sorter.result
}

struct Sorter<'a> {
    mods: &'a [Mod],
    base: &'a BTreeMap<String, Version>,
    /// Indices by id, of those that were not refused.
    enabled: BTreeMap<&'a str, usize>,
    result: Order,
}

impl<'a> Sorter<'a> {
    /// One of each id, of an API that is there.
    fn admit(&mut self) {
        let mut by_id: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, one) in self.mods.iter().enumerate() {
            by_id.entry(&one.manifest.id).or_default().push(index);
        }
        for (id, mut same) in by_id {
            same.sort_by_key(|&index| version(&self.mods[index].manifest.version));
            let newest = same[same.len() - 1];
            let twin =
                same.len() > 1 && self.version_of(same[same.len() - 2]) == self.version_of(newest);
            if self.base.contains_key(id) {
                let message = format!("the level itself has the id `{id}`");
                self.leave_out_all(
                    &same,
                    "E-MOD-ID-TAKEN",
                    &message,
                    "give the mod another `id`",
                );
            } else if twin {
                let message = format!("there are two mods `{id}` of the same version");
                self.leave_out_all(&same, "E-MOD-ID-TAKEN", &message, "take one of them away");
            } else {
                for &older in &same[..same.len() - 1] {
                    let message = format!(
                        "there is a newer version of `{id}`: {} is left out",
                        self.mods[older].manifest.version
                    );
                    let fault = Diagnostic::warning("W-MOD-OLDER", message);
                    self.result
                        .warnings
                        .push(self.mods[older].at(fault, "/version"));
                }
                self.enabled.insert(&self.mods[newest].manifest.id, newest);
            }
        }
        for index in self.enabled.clone().into_values() {
            self.check_api(index);
        }
    }

    fn version_of(&self, index: usize) -> Option<Version> {
        version(&self.mods[index].manifest.version)
    }

    fn leave_out_all(&mut self, all: &[usize], code: &str, message: &str, help: &str) {
        for &index in all {
            let fault = Diagnostic::error(code, message).help(help);
            self.leave_out(index, fault, "/id");
        }
    }

    fn leave_out(&mut self, index: usize, fault: Diagnostic, pointer: &str) {
        let one = &self.mods[index];
        let id = one.manifest.id.clone();
        let message = format!("the mod `{id}` is left out: {}", fault.message);
        let fault = one.at(Diagnostic { message, ..fault }, pointer);
        self.enabled.remove(id.as_str());
        self.result.left_out.push(LeftOut { id, fault });
    }

    fn check_api(&mut self, index: usize) {
        let (major, minor) = API_VERSION;
        let wanted = self.mods[index].manifest.api_version();
        if wanted.is_some_and(|(wanted, least)| wanted == major && least <= minor) {
            return;
        }
        let message = format!(
            "it was written for version {} of the script API",
            self.mods[index].manifest.api
        );
        let help = format!("this build has {major}.{minor} and takes {major}.0 to {major}.{minor}");
        self.leave_out(
            index,
            Diagnostic::error("E-MOD-API-VERSION", message).help(help),
            "/api",
        );
    }

    /// Leaves out whoever needs what is not there, until all that is left has what it needs.
    fn settle_needs(&mut self) {
        loop {
            let unmet = self.enabled.values().find_map(|&index| {
                let (fault, entry) = self.unmet(&self.mods[index].manifest)?;
                Some((index, fault, entry))
            });
            let Some((index, fault, entry)) = unmet else {
                return;
            };
            self.leave_out(index, fault, &format!("/depends/{entry}"));
        }
    }

    /// The first need of a mod that is not met.
    fn unmet(&self, manifest: &ModManifest) -> Option<(Diagnostic, usize)> {
        let needs = ModManifest::requirements(&manifest.depends).enumerate();
        for (entry, need) in needs {
            let there = self.there(&need.id);
            let fault = match there {
                Some(found) if need.versions.matches(&found) => continue,
                Some(found) => {
                    let message = format!("it needs `{need}`, but there is version {found}");
                    Diagnostic::error("E-MOD-VERSION-MISMATCH", message)
                }
                None => self.missing(&need.to_string(), &need.id),
            };
            return Some((fault, entry));
        }
        None
    }

    fn there(&self, id: &str) -> Option<Version> {
        let of_mod = self
            .enabled
            .get(id)
            .and_then(|&index| self.version_of(index));
        self.base.get(id).cloned().or(of_mod)
    }

    fn missing(&self, need: &str, id: &str) -> Diagnostic {
        if self.result.left_out.iter().any(|other| other.id == id) {
            let message = format!("it needs `{need}`, which is left out itself");
            return Diagnostic::error("E-MOD-DEPENDENCY", message);
        }
        let known = self
            .enabled
            .keys()
            .copied()
            .chain(self.base.keys().map(String::as_str));
        let fault = Diagnostic::error(
            "E-MOD-DEPENDENCY",
            format!("it needs `{need}`, which is not there"),
        );
        match nearest(id, known) {
            Some(near) => fault.help(format!("did you mean `{near}`?")),
            None => fault,
        }
    }

    /// Leaves out the members of every circle of needs, and says the circle.
    fn refuse_cycles(&mut self) {
        let needs = |index: usize| {
            let needs = ModManifest::requirements(&self.mods[index].manifest.depends);
            needs
                .filter_map(|need| self.enabled.get(need.id.as_str()).copied())
                .collect::<Vec<_>>()
        };
        let circles: Vec<(usize, Vec<usize>)> = self
            .enabled
            .values()
            .filter_map(|&index| Some((index, circle_through(index, &needs)?)))
            .collect();
        for (index, circle) in circles {
            let names: Vec<String> = circle
                .iter()
                .chain([&index])
                .map(|&member| format!("`{}`", self.mods[member].manifest.id))
                .collect();
            let message = format!(
                "mods need each other in a circle: {}",
                names.join(" needs ")
            );
            let fault = Diagnostic::error("E-MOD-CYCLE", message);
            let fault = fault.help("make one of them `optional`");
            self.leave_out(index, fault, "/depends");
        }
        self.settle_needs();
    }

    /// Leaves out whoever cannot stand what is there; all at once, so that no order of looking counts.
    fn refuse_conflicts(&mut self) {
        let mut refused = Vec::new();
        for &index in self.enabled.values() {
            let conflicts = ModManifest::requirements(&self.mods[index].manifest.conflicts);
            let clash = conflicts.enumerate().find_map(|(entry, other)| {
                let found = self.there(&other.id)?;
                other
                    .versions
                    .matches(&found)
                    .then_some((entry, other.id, found))
            });
            refused.extend(clash.map(|clash| (index, clash)));
        }
        for (index, (entry, other, found)) in refused {
            let message =
                format!("it cannot be together with `{other}`, which is there in version {found}");
            let fault = Diagnostic::error("E-MOD-CONFLICT", message);
            let fault = fault.help("take one of the two away");
            self.leave_out(index, fault, &format!("/conflicts/{entry}"));
        }
    }

    fn edges(&self) -> Vec<Edge> {
        let mut edges = BTreeSet::new();
        for &index in self.enabled.values() {
            let manifest = &self.mods[index].manifest;
            let mut add = |before: &str, reason| {
                if self.enabled.contains_key(before) && before != manifest.id {
                    edges.insert(Edge {
                        after: manifest.id.clone(),
                        before: before.to_owned(),
                        reason,
                        dropped: false,
                    });
                }
            };
            ModManifest::requirements(&manifest.depends)
                .for_each(|need| add(&need.id, EdgeReason::Depends));
            for wish in ModManifest::requirements(&manifest.optional) {
                // A version that will not do is as good as none.
                if self
                    .there(&wish.id)
                    .is_some_and(|found| wish.versions.matches(&found))
                {
                    add(&wish.id, EdgeReason::Optional);
                }
            }
            manifest
                .load_after
                .iter()
                .for_each(|before| add(before, EdgeReason::LoadAfter));
        }
        edges.into_iter().collect()
    }

    /// Drops wishes that go round, then takes whoever waits for nobody, by id.
    fn sort(&mut self) {
        let mut edges = self.edges();
        while self.drop_wishes(&mut edges) {}
        let mut waiting: BTreeMap<&str, BTreeSet<&str>> = self
            .enabled
            .keys()
            .map(|&id| (id, BTreeSet::new()))
            .collect();
        for edge in edges.iter().filter(|edge| !edge.dropped) {
            if let Some(befores) = waiting.get_mut(edge.after.as_str()) {
                befores.insert(&edge.before);
            }
        }
        while let Some(next) = waiting
            .iter()
            .find(|(_, befores)| befores.is_empty())
            .map(|(&id, _)| id)
        {
            waiting.remove(next);
            waiting.values_mut().for_each(|befores| {
                befores.remove(next);
            });
            self.result.order.extend(self.enabled.get(next));
        }
        self.result.edges = edges;
    }

    /// One pass in order of ids: whoever is on a circle and needs nobody on it goes first of all on it. False where
    /// there was no circle.
    fn drop_wishes(&mut self, edges: &mut [Edge]) -> bool {
        let mut dropped = false;
        for (&id, &index) in &self.enabled {
            let reached = reached_from(id, edges);
            let goes_round =
                |edge: &Edge| !edge.dropped && edge.after == id && reached.contains(&edge.before);
            let needs = edges
                .iter()
                .any(|edge| goes_round(edge) && edge.reason == EdgeReason::Depends);
            if needs {
                continue;
            }
            let round: Vec<usize> = (0..edges.len())
                .filter(|&at| goes_round(&edges[at]))
                .collect();
            for at in round {
                let edge = &mut edges[at];
                edge.dropped = true;
                dropped = true;
                let message = format!(
                    "`{id}` cannot load after `{}`, which loads after it: the wish is dropped",
                    edge.before
                );
                let fault = Diagnostic::warning("W-MOD-ORDER", message);
                let pointer = format!("/{}", edge.reason.key());
                self.result
                    .warnings
                    .push(self.mods[index].at(fault, &pointer));
            }
        }
        dropped
    }
}

/// Ids that load after `start`, directly or not, as far as edges say.
fn reached_from(start: &str, edges: &[Edge]) -> BTreeSet<String> {
    let mut by_before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| !edge.dropped) {
        by_before.entry(&edge.before).or_default().push(&edge.after);
    }
    let mut reached = BTreeSet::new();
    let mut open = vec![start];
    while let Some(at) = open.pop() {
        for &next in by_before.get(at).into_iter().flatten() {
            if reached.insert(next.to_owned()) {
                open.push(next);
            }
        }
    }
    reached
}

/// The shortest way from a mod over needs back to itself, without the end; `None` where there is none.
fn circle_through(start: usize, needs: &impl Fn(usize) -> Vec<usize>) -> Option<Vec<usize>> {
    let mut came_from: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = std::collections::VecDeque::from([start]);
    while let Some(at) = open.pop_front() {
        for next in needs(at) {
            if next == start {
                let mut way: Vec<usize> =
                    std::iter::successors(Some(at), |at| came_from.get(at).copied()).collect();
                way.reverse();
                return Some(way);
            }
            if let std::collections::btree_map::Entry::Vacant(free) = came_from.entry(next) {
                free.insert(at);
                open.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests;
