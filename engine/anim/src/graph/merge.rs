//! A patch laid over a graph: what has the same name is changed, what is new is added, what the patch leaves out stays.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::compile::transition_names;
use super::def::{GraphDef, ParameterDef, ParameterKind, ParameterTable, TransitionDef};
use super::error::{GraphError, pointer};
use super::inline::kind_of;
use super::state::kind_name;
use crate::nearest;

/// Mistakes that are told.
const MAX_ERRORS: usize = 64;

/// Keys that make a state's motion; of a patch, those of another motion take the place of all of them.
const MOTIONS: &[(&str, &[&str])] = &[
    ("clip", &["range", "time_parameter", "mirror"]),
    ("blend", &["points", "weights", "keep", "rate"]),
    ("direct", &[]),
    ("additive", &[]),
    ("select", &["children"]),
    ("sequence", &[]),
    ("machine", &[]),
    ("graph", &[]),
    ("pose", &[]),
    ("motion", &[]),
    ("conduit", &[]),
    ("rest", &[]),
];

/// A table of the written form.
type Table = Map<String, Value>;

/// How things of one kind that have names are laid over each other.
type Item = fn(&mut Merger, &mut Table, &Table, &str);

impl GraphDef {
    /// The graph with a patch laid over it, to be compiled afterwards.
    ///
    /// Whatever has a name (parameters, layers, states, transitions, motions, slots, chains) is found by it; a
    /// transition without one has that which it would get, such as "walk>run". Keys of the patch replace those
    /// of the graph; lists without names are replaced whole, `constraints` are added. A state that is given
    /// another motion keeps how it plays (`mode`, `speed`, `sync_group`, ...). New layers go on top. `remove = true`
    /// takes a thing out, with a state also the ways to and from it.
    ///
    /// # Errors
    /// Everything that is wrong with the patch by itself: what it removes is not there, a parameter would change
    /// its kind, a name stands twice. The pointers lead into the patch.
    pub fn merge(&self, patch: &Self) -> Result<Self, Vec<GraphError>> {
        let mut merger = Merger::default();
        let mut whole = merger.written(self);
        let patch = merger.written(patch);
        merger.graph(&mut whole, &patch);
        if !merger.errors.is_empty() {
            return Err(merger.errors);
        }
        Self::from_value(Value::Object(whole)).map_err(|error| vec![error])
    }

    /// The same graph with other words for the paths of the graphs that its states name: a patch names them from
    /// another place than the graph that it is laid over.
    ///
    /// # Errors
    /// A hand-made graph with numbers that cannot be written.
    pub fn rename_graphs(&self, rename: &dyn Fn(&str) -> String) -> Result<Self, GraphError> {
        let mut merger = Merger::default();
        let mut whole = merger.written(self);
        for key in ["layers", "motions"] {
            whole
                .get_mut(key)
                .into_iter()
                .for_each(|value| rename_in(value, rename));
        }
        match merger.errors.pop() {
            Some(error) => Err(error),
            None => Self::from_value(Value::Object(whole)),
        }
    }
}

fn rename_in(value: &mut Value, rename: &dyn Fn(&str) -> String) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| rename_in(item, rename)),
        Value::Object(table) => {
            for (key, value) in table {
                match value {
                    Value::String(path) if key == "graph" => *path = rename(path),
                    value => rename_in(value, rename),
                }
            }
        }
        _ => {}
    }
}

#[derive(Default)]
struct Merger {
    errors: Vec<GraphError>,
}

impl Merger {
    fn error(&mut self, error: GraphError) {
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// The graph as a document.
    fn written(&mut self, def: &GraphDef) -> Table {
        match serde_json::to_value(def) {
            Ok(Value::Object(table)) => table,
            Ok(_) => Table::new(),
            Err(error) => {
                self.error(GraphError::new("E-GRAPH-SYNTAX", "", error.to_string()));
                Table::new()
            }
        }
    }

    fn graph(&mut self, whole: &mut Table, patch: &Table) {
        for (key, value) in patch {
            let place = pointer("", key);
            match key.as_str() {
                "parameters" => self.names(whole, key, value, "parameter", Self::parameter, &place),
                "motions" => self.names(whole, key, value, "motion", Self::state, &place),
                "slots" => self.names(whole, key, value, "slot", Self::plain, &place),
                "chains" => self.names(whole, key, value, "chain", Self::chain, &place),
                "layers" => self.layers(list_of(whole, key), items(value), &place),
                "constraints" => list_of(whole, key).extend_from_slice(items(value)),
                "root" | "look_at" | "foot_ik" | "events" => {
                    self.plain(table_of(whole, key), fields(value), &place);
                }
                _ => put(whole, key, value),
            }
        }
    }

    fn layers(&mut self, whole: &mut Vec<Value>, patch: &[Value], place: &str) {
        let mut seen = BTreeSet::new();
        for (index, layer) in patch.iter().enumerate() {
            let place = pointer(place, index);
            let layer = fields(layer);
            let name = text(layer, "name");
            if !seen.insert(name) {
                let message = format!("two layers of the patch are named `{name}`");
                self.error(GraphError::new(
                    "E-GRAPH-DUPLICATE",
                    pointer(&place, "name"),
                    message,
                ));
                continue;
            }
            let found = whole
                .iter()
                .position(|known| text(fields(known), "name") == name);
            match (is_removed(layer), found) {
                (true, Some(found)) => drop(whole.remove(found)),
                (true, None) => {
                    let names = whole.iter().map(|layer| text(fields(layer), "name"));
                    self.nothing_there("layer", name, names, &pointer(&place, "remove"));
                }
                (false, Some(found)) => {
                    if let Some(known) = whole[found].as_object_mut() {
                        self.layer(known, layer, &place);
                    }
                }
                (false, None) => {
                    let mut new = Table::new();
                    self.layer(&mut new, layer, &place);
                    whole.push(Value::Object(new));
                }
            }
        }
    }

    fn layer(&mut self, whole: &mut Table, patch: &Table, place: &str) {
        let others = |key: &str| !matches!(key, "states" | "transitions" | "remove");
        for (key, value) in patch.iter().filter(|(key, _)| others(key)) {
            put(whole, key, value);
        }
        self.machine(whole, patch, place);
    }

    /// States, then the ways between them.
    fn machine(&mut self, whole: &mut Table, patch: &Table, place: &str) {
        if patch.contains_key("states") || patch.contains_key("transitions") {
            keep_names(whole);
        }
        if let Some(states) = patch.get("states") {
            for (name, _) in fields(states)
                .iter()
                .filter(|(_, state)| is_removed(fields(state)))
            {
                leave_out_ways(whole, name);
            }
            let place = pointer(place, "states");
            self.names(whole, "states", states, "state", Self::state, &place);
        }
        if let Some(transitions) = patch.get("transitions") {
            let place = pointer(place, "transitions");
            self.transitions(list_of(whole, "transitions"), items(transitions), &place);
        }
    }

    fn transitions(&mut self, whole: &mut Vec<Value>, patch: &[Value], place: &str) {
        let name_of = |way: &Value| text(fields(way), "name").to_owned();
        let mut names: Vec<String> = whole.iter().map(name_of).collect();
        let mut seen = BTreeSet::new();
        for (index, (transition, name)) in patch.iter().zip(names_of(patch)).enumerate() {
            let place = pointer(place, index);
            let transition = fields(transition);
            if !seen.insert(name.clone()) {
                let message = format!("two transitions of the patch are named `{name}`");
                self.error(GraphError::new(
                    "E-GRAPH-DUPLICATE",
                    pointer(&place, "name"),
                    message,
                ));
                continue;
            }
            let found = names.iter().position(|known| *known == name);
            match (is_removed(transition), found) {
                (true, Some(found)) => {
                    whole.remove(found);
                    names.remove(found);
                }
                (true, None) => {
                    let known = names.iter().map(String::as_str);
                    self.nothing_there("transition", &name, known, &pointer(&place, "remove"));
                }
                (false, Some(found)) => {
                    if let Some(known) = whole[found].as_object_mut() {
                        self.plain(known, transition, &place);
                    }
                }
                (false, None) => {
                    let mut new = transition.clone();
                    new.remove("remove");
                    new.insert("name".to_owned(), Value::String(name.clone()));
                    whole.push(Value::Object(new));
                    names.push(name);
                }
            }
        }
    }

    /// A table keyed by name.
    fn names(
        &mut self,
        whole: &mut Table,
        key: &str,
        patch: &Value,
        what: &str,
        item: Item,
        place: &str,
    ) {
        let known = table_of(whole, key);
        for (name, value) in fields(patch) {
            let place = pointer(place, name);
            if is_removed(fields(value)) {
                if known.remove(name).is_none() {
                    let names = known.keys().map(String::as_str);
                    self.nothing_there(what, name, names, &pointer(&place, "remove"));
                }
                continue;
            }
            match known.get_mut(name) {
                // A word or a number stands for a table in full.
                Some(Value::Object(here)) if value.is_object() => {
                    item(self, here, fields(value), &place);
                }
                Some(here) if what == "parameter" => {
                    let mut full = in_full(here);
                    self.parameter(&mut full, &in_full(value), &place);
                    let short = !here.is_object() && !value.is_object();
                    *here = if short {
                        value.clone()
                    } else {
                        Value::Object(full)
                    };
                }
                _ => {
                    let mut new = value.clone();
                    if let Some(table) = new.as_object_mut() {
                        table.remove("remove");
                    }
                    known.insert(name.clone(), new);
                }
            }
        }
    }

    fn parameter(&mut self, whole: &mut Table, patch: &Table, place: &str) {
        let (here, there) = (kind(whole), kind(patch));
        // A bare number is a float, and also a new value for an int.
        let only_a_value = !patch.contains_key("type") && there == Some(ParameterKind::Float);
        let number = only_a_value && here == Some(ParameterKind::Int);
        if let (Some(here), Some(there)) = (here, there)
            && here != there
            && !number
        {
            let message = format!(
                "the parameter is a {}, a patch cannot make it a {}",
                kind_name(here),
                kind_name(there)
            );
            let help = "give the patch a parameter of its own, with another name".to_owned();
            let error = GraphError::new("E-GRAPH-PARAMETER-KIND", place, message);
            return self.error(error.with_help(Some(help)));
        }
        let fixed = here.map(kind_name);
        self.plain(whole, patch, place);
        if let Some(fixed) = fixed {
            whole.insert("type".to_owned(), Value::String(fixed.to_owned()));
        }
    }

    fn state(&mut self, whole: &mut Table, patch: &Table, place: &str) {
        let another = MOTIONS
            .iter()
            .find(|(motion, _)| is_given(patch, motion))
            .filter(|(motion, _)| !is_given(whole, motion));
        if another.is_some() {
            for (motion, with) in MOTIONS {
                whole.remove(*motion);
                with.iter().for_each(|key| drop(whole.remove(*key)));
            }
        }
        let machine = patch.get("machine").map(fields);
        for (key, value) in patch
            .iter()
            .filter(|(key, _)| *key != "machine" && *key != "remove")
        {
            put(whole, key, value);
        }
        if let Some(machine) = machine {
            let place = pointer(place, "machine");
            self.layer(table_of(whole, "machine"), machine, &place);
        }
    }

    /// Its joints are listed, or run from one to another.
    fn chain(&mut self, whole: &mut Table, patch: &Table, place: &str) {
        let ends = ["from", "to"];
        if patch.contains_key("joints") {
            ends.iter().for_each(|key| drop(whole.remove(*key)));
        } else if ends.iter().any(|key| patch.contains_key(*key)) {
            whole.remove("joints");
        }
        self.plain(whole, patch, place);
    }

    /// A table whose values are replaced one by one.
    fn plain(&mut self, whole: &mut Table, patch: &Table, _place: &str) {
        for (key, value) in patch.iter().filter(|(key, _)| *key != "remove") {
            match (key.as_str(), whole.get_mut(key)) {
                ("profile", Some(Value::Object(here))) => here.extend(fields(value).clone()),
                _ => put(whole, key, value),
            }
        }
    }

    fn nothing_there<'a>(
        &mut self,
        what: &str,
        name: &str,
        known: impl Iterator<Item = &'a str>,
        place: &str,
    ) {
        let near = nearest(name, known).map(|near| format!("did you mean `{near}`?"));
        let message = format!("there is no {what} `{name}` that the patch could take out");
        self.error(GraphError::new("E-GRAPH-REMOVE", place, message).with_help(near));
    }
}

/// The names that a machine's transitions have or get.
fn names_of(transitions: &[Value]) -> Vec<String> {
    let read = |value: &Value| serde_json::from_value::<TransitionDef>(value.clone());
    let defs: Vec<TransitionDef> = transitions
        .iter()
        .map(|value| read(value).unwrap_or_default())
        .collect();
    transition_names(&defs)
}

/// Writes the names down that transitions get from their states and places: those places change.
fn keep_names(machine: &mut Table) {
    let Some(ways) = machine.get_mut("transitions").and_then(Value::as_array_mut) else {
        return;
    };
    let names = names_of(ways);
    for (way, name) in ways.iter_mut().filter_map(Value::as_object_mut).zip(names) {
        way.insert("name".to_owned(), Value::String(name));
    }
}

/// A state goes: no way leads to it or from it any more.
fn leave_out_ways(machine: &mut Table, state: &str) {
    list_of(machine, "transitions").retain_mut(|way| {
        let Some(way) = way.as_object_mut() else {
            return true;
        };
        if text(way, "to") == state || text(way, "from") == state {
            return false;
        }
        match way.get_mut("from") {
            Some(Value::Array(from)) => {
                from.retain(|name| name != state);
                !from.is_empty()
            }
            _ => true,
        }
    });
}

/// A parameter that is a number, a flag or a word, as a table.
fn in_full(value: &Value) -> Table {
    match value {
        Value::Object(table) => table.clone(),
        Value::String(word) => Table::from_iter([("type".to_owned(), Value::from(word.as_str()))]),
        value => Table::from_iter([("value".to_owned(), value.clone())]),
    }
}

fn kind(parameter: &Table) -> Option<ParameterKind> {
    let table: ParameterTable = serde_json::from_value(Value::Object(parameter.clone())).ok()?;
    kind_of(&ParameterDef::Table(table))
}

fn is_removed(table: &Table) -> bool {
    is_given(table, "remove")
}

/// True for a key that is there and says something: `conduit = false` is no motion.
fn is_given(table: &Table, key: &str) -> bool {
    table
        .get(key)
        .is_some_and(|value| *value != Value::Bool(false))
}

fn put(table: &mut Table, key: &str, value: &Value) {
    table.insert(key.to_owned(), value.clone());
}

fn fields(value: &Value) -> &Table {
    static NONE: LazyLock<Table> = LazyLock::new(Table::new);
    value.as_object().unwrap_or(&NONE)
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The table under a key, made where there is none.
fn table_of<'a>(table: &'a mut Table, key: &str) -> &'a mut Table {
    let value = table
        .entry(key)
        .or_insert_with(|| Value::Object(Table::new()));
    if !value.is_object() {
        *value = Value::Object(Table::new());
    }
    value.as_object_mut().expect("it was made a table")
}

/// The list under a key, made where there is none.
fn list_of<'a>(table: &'a mut Table, key: &str) -> &'a mut Vec<Value> {
    let value = table.entry(key).or_insert_with(|| Value::Array(Vec::new()));
    if !value.is_array() {
        *value = Value::Array(Vec::new());
    }
    value.as_array_mut().expect("it was made a list")
}

fn text<'a>(table: &'a Table, key: &str) -> &'a str {
    table.get(key).and_then(Value::as_str).unwrap_or_default()
}
