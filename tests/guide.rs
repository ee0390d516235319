//! The examples of the page on graphs: each is completed into a whole graph or script, as the page says,
//! run in all its forms, and the forms are held against each other.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sinew_anim::GraphDef;
use sinew_script::ScriptLanguage;
use sinew_world::Motion;

use crate::scripts::bench::{Bench, LANGUAGES, ending};

/// Of what an example is a part, as the line above it says.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Graph,
    BaseLayer,
    States,
    Transitions,
    Layers,
    Script,
    Functions,
}

const PLACES: [(&str, Place); 7] = [
    ("In the graph:", Place::Graph),
    ("In the base layer:", Place::BaseLayer),
    ("In `states`:", Place::States),
    ("In `transitions`:", Place::Transitions),
    ("In `layers`:", Place::Layers),
    ("In a script:", Place::Script),
    ("In a script's functions:", Place::Functions),
];

/// An example: its line on the page and its text in Lua, Rhai and, of graphs, JSON.
struct Example {
    line: usize,
    place: Place,
    lua: String,
    rhai: String,
    json: String,
}

impl Example {
    fn text(&self, language: ScriptLanguage) -> &str {
        match language {
            ScriptLanguage::Lua => &self.lua,
            ScriptLanguage::Rhai => &self.rhai,
        }
    }

    fn is_graph(&self) -> bool {
        !matches!(self.place, Place::Script | Place::Functions)
    }
}

fn page() -> String {
    let file = sinew_tests::project().join("docs/guide/graphs.md");
    std::fs::read_to_string(file).unwrap()
}

/// All examples of the page, in order.
fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut lines = page.lines().enumerate();
    let mut open = false;
    while let Some((number, line)) = lines.next() {
        if let Some((_, place)) = PLACES.iter().find(|(words, _)| *words == line) {
            found.push(Example {
                line: number + 1,
                place: *place,
                lua: String::new(),
                rhai: String::new(),
                json: String::new(),
            });
            open = true;
        } else if let Some(language) = line.strip_prefix("```") {
            let block = lines.by_ref().map(|(_, line)| line);
            let block: Vec<&str> = block.take_while(|line| *line != "```").collect();
            let Some(example) = found.last_mut().filter(|_| open) else {
                continue;
            };
            let text = match language {
                "lua" => &mut example.lua,
                "rhai" => &mut example.rhai,
                "json" => &mut example.json,
                other => panic!("line {}: a block of `{other}`", number + 1),
            };
            assert!(text.is_empty(), "line {}: a second one", number + 1);
            *text = block.join("\n");
        } else if !line.is_empty() {
            open = false;
        }
    }
    found
}

/// The graph around an example: text of each form before and after it.
struct Around {
    /// What stands before the example, as parts that are written in each form.
    before: Vec<Part>,
    after: &'static [&'static str],
}

enum Part {
    /// `name = {`, `name = [` or `{`.
    Open(Option<&'static str>, char),
    /// `name = value,`.
    Entry(String, Value),
    /// `value,` in a list.
    Item(Value),
}

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Lua,
    Rhai,
    Json,
}

fn key(name: &str, form: Form) -> String {
    match form {
        Form::Lua => format!("{name} = "),
        Form::Rhai => format!("{name}: "),
        Form::Json => format!("\"{name}\": "),
    }
}

fn bracket(bracket: char, form: Form) -> &'static str {
    match (bracket, form) {
        ('{', Form::Rhai) => "#{",
        ('[', Form::Rhai | Form::Json) => "[",
        (']', Form::Rhai | Form::Json) => "]",
        ('{' | '[', _) => "{",
        _ => "}",
    }
}

fn literal(value: &Value, form: Form) -> String {
    let join = |[open, close]: [char; 2], parts: Vec<String>| {
        let [open, close] = [open, close].map(|one| bracket(one, form));
        format!("{open} {} {close}", parts.join(", "))
    };
    match value {
        Value::Array(items) => join(
            ['[', ']'],
            items.iter().map(|item| literal(item, form)).collect(),
        ),
        Value::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| key(name, form) + literal(value, form).as_str());
            join(['{', '}'], entries.collect())
        }
        other => other.to_string(),
    }
}

impl Around {
    fn whole(&self, text: &str, form: Form) -> String {
        let mut whole = String::new();
        for part in &self.before {
            whole += &match part {
                Part::Open(name, open) => {
                    let name = name.map(|name| key(name, form)).unwrap_or_default();
                    format!("{name}{} ", bracket(*open, form))
                }
                Part::Entry(name, value) => key(name, form) + literal(value, form).as_str() + ",\n",
                Part::Item(value) => literal(value, form) + ",\n",
            };
        }
        whole += text;
        whole += "\n";
        for close in self.after {
            whole += bracket(if *close == "]" { ']' } else { '}' }, form);
        }
        whole
    }
}

/// A state that an example only mentions.
fn mentioned(state: &str) -> Value {
    match state {
        "land" | "hit_front" | "jump_start" => json!({ "clip": state, "mode": "once" }),
        _ => json!({ "clip": state }),
    }
}

/// The names of states that transitions mention, in order.
fn names_in(transitions: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for transition in transitions.as_array().unwrap() {
        let from = match &transition["from"] {
            Value::Array(names) => names.clone(),
            name => vec![name.clone()],
        };
        let all = from.into_iter().chain([transition["to"].clone()]);
        names.extend(all.map(|name| name.as_str().unwrap().to_owned()));
    }
    let mut seen = BTreeSet::from(["any".to_owned()]);
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// What completes an example of a graph.
fn around(example: &Example, parameters: &Value) -> Around {
    let base = json!({ "name": "base", "states": { "walk": { "clip": "walk" } } });
    let parsed = |open: &str, close: &str| -> Value {
        serde_json::from_str(&format!("{open}{}{close}", example.json))
            .unwrap_or_else(|error| panic!("line {}: {error}", example.line))
    };
    let own: Map<String, Value> = match example.place {
        Place::Graph => parsed("{", "}").as_object().unwrap().clone(),
        _ => Map::new(),
    };
    let mut before = vec![Part::Open(None, '{')];
    if !own.contains_key("parameters") {
        before.push(Part::Entry("parameters".to_owned(), parameters.clone()));
    }
    if example.place == Place::Graph {
        if !own.contains_key("layers") {
            before.push(Part::Entry("layers".to_owned(), json!([base])));
        }
        return Around {
            before,
            after: &["}"],
        };
    }
    before.push(Part::Open(Some("layers"), '['));
    if example.place == Place::Layers {
        before.push(Part::Item(base));
        return Around {
            before,
            after: &["]", "}"],
        };
    }
    before.push(Part::Open(None, '{'));
    before.push(Part::Entry("name".to_owned(), json!("base")));
    let entry = |name: &str| Part::Entry("entry".to_owned(), json!(name));
    match example.place {
        Place::States => {
            let states = parsed("{", "}");
            before.push(entry(states.as_object().unwrap().keys().next().unwrap()));
            before.push(Part::Open(Some("states"), '{'));
        }
        Place::Transitions => {
            let names = names_in(&parsed("[", "]"));
            before.push(entry(&names[0]));
            let states = names.iter().map(|name| (name.clone(), mentioned(name)));
            before.push(Part::Entry(
                "states".to_owned(),
                Value::Object(states.collect()),
            ));
            before.push(Part::Open(Some("transitions"), '['));
        }
        _ => {
            return Around {
                before,
                after: &["}", "]", "}"],
            };
        }
    }
    let after: &[&str] = if example.place == Place::States {
        &["}", "}", "]", "}"]
    } else {
        &["]", "}", "]", "}"]
    };
    Around { before, after }
}

/// The file that an example names, and the graph that the scripts of the page run with.
fn files() -> [(&'static str, String); 2] {
    let air = json!({ "version": 1, "parameters": { "grounded": false },
        "layers": [{ "name": "air", "states": { "fall": { "clip": "fall" } } }] });
    let file = sinew_tests::project().join("assets/graphs/locomotion.animgraph.json");
    let mut stage: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    stage["parameters"]["tired"] = json!(0);
    stage["parameters"]["aiming"] = json!(false);
    stage["parameters"]["weapon"] = json!({ "type": "int" });
    stage["layers"][0]["states"]["lie"] = json!({ "pose": "fallen" });
    [
        ("air.animgraph.json", air.to_string()),
        ("stage.animgraph.json", stage.to_string()),
    ]
}

fn script(example: &Example, language: ScriptLanguage, parameters: &Value) -> String {
    let text = example.text(language);
    let stage = "graph.load(\"stage.animgraph.json\")";
    let (form, graph) = match language {
        ScriptLanguage::Lua => (Form::Lua, "graph "),
        ScriptLanguage::Rhai => (Form::Rhai, "graph("),
    };
    let graph = || graph.to_owned() + around(example, parameters).whole(text, form).as_str();
    match (language, example.place) {
        (ScriptLanguage::Lua, Place::Functions) => {
            format!("local hero = {{}}\nhero.graph = {stage}\n{text}\nreturn hero")
        }
        (ScriptLanguage::Rhai, Place::Functions) => format!("const GRAPH = {stage};\n{text}"),
        (ScriptLanguage::Lua, Place::Script) => format!(
            "local hero = {{}}\nhero.graph = {stage}\nfunction hero:on_start()\n{text}\nend\nreturn hero"
        ),
        (ScriptLanguage::Rhai, Place::Script) => {
            format!("const GRAPH = {stage};\nfn on_start() {{\n{text}\n}}")
        }
        (ScriptLanguage::Lua, _) => {
            format!("local hero = {{}}\nhero.graph = {}\nreturn hero", graph())
        }
        (ScriptLanguage::Rhai, _) => format!("const GRAPH = {});", graph()),
    }
}

/// A level with an actor for each example, run for a second; the actors are named after the lines.
fn stage(examples: &[Example], language: ScriptLanguage, parameters: &Value) -> Bench {
    let end = ending(language);
    let mut actors = String::new();
    let mut all: Vec<(String, String)> = files()
        .into_iter()
        .map(|(name, text)| (name.to_owned(), text))
        .collect();
    for example in examples {
        let name = format!("line_{}", example.line);
        actors += &format!(
            "[[actor]]\nname = \"{name}\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"{name}.{end}\"]\n"
        );
        all.push((
            format!("{name}.{end}"),
            script(example, language, parameters),
        ));
    }
    let all: Vec<(&str, &str)> = all
        .iter()
        .map(|(name, text)| (name.as_str(), text.as_str()))
        .collect();
    let mut bench = Bench::new(&actors, &all);
    bench.run(60);
    bench.assert_quiet();
    bench
}

fn graph_of(bench: &Bench, example: &Example) -> GraphDef {
    let actor = bench.world.actors.find(&format!("line_{}", example.line));
    match &actor.unwrap().animation.as_ref().unwrap().motion {
        Motion::Graph { def, .. } => (**def).clone(),
        other => panic!("line {} has {other:?}", example.line),
    }
}

/// Those of the example that has nothing else.
fn parameters(examples: &[Example]) -> Value {
    let all = examples
        .iter()
        .filter(|example| example.place == Place::Graph);
    let mut all = all.map(|example| -> Map<String, Value> {
        let text = format!("{{{}}}", example.json);
        serde_json::from_str(&text).unwrap()
    });
    let own = all.find(|own| own.len() == 1 && own.contains_key("parameters"));
    own.unwrap()["parameters"].clone()
}

#[test]
fn every_example_of_the_guide_runs_and_is_the_same_graph_in_lua_rhai_and_json() {
    let page = page();
    let examples = examples(&page);
    let parameters = parameters(&examples);
    let [lua, rhai] = LANGUAGES.map(|language| stage(&examples, language, &parameters));
    let mut graphs = 0;
    for example in &examples {
        let line = example.line;
        assert!(!example.lua.is_empty(), "line {line} lacks Lua");
        assert!(!example.rhai.is_empty(), "line {line} lacks Rhai");
        if !example.is_graph() {
            assert!(example.json.is_empty(), "line {line} is no graph");
            continue;
        }
        let text = around(example, &parameters).whole(&example.json, Form::Json);
        let json =
            GraphDef::from_json(&text).unwrap_or_else(|error| panic!("line {line}: {error}"));
        assert_eq!(graph_of(&lua, example), json, "line {line}: Lua and JSON");
        assert_eq!(graph_of(&rhai, example), json, "line {line}: Rhai and JSON");
        graphs += 1;
    }
    assert!(graphs >= 40, "only {graphs} graphs on the page");
}

/// Keys of a type of the schema, those of patches aside.
fn keys_of(schema: &Value, name: &str) -> Vec<String> {
    let properties = if name.is_empty() {
        &schema["properties"]
    } else {
        &schema["$defs"][name]["properties"]
    };
    let keys = properties.as_object().unwrap().keys();
    keys.filter(|key| *key != "remove").cloned().collect()
}

#[test]
fn every_key_of_a_graph_that_is_built_has_an_example() {
    let file = sinew_tests::project().join("docs/schema/animgraph.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let page = page();
    let not_built = ["foot_ik", "constraints", "limits", "strict"];
    let types = [
        "",
        "LayerDef",
        "StateDef",
        "TransitionDef",
        "SlotDef",
        "EventsDef",
        "MaskTable",
        "MaskJointDef",
        "ParameterTable",
        "PointDef",
        "RootDef",
        "ChainDef",
        "LookAtDef",
        "MachineDef",
        "AdditiveDef",
        "StateEventDef",
    ];
    for name in types {
        for key in keys_of(&schema, name) {
            if not_built.contains(&key.as_str()) {
                continue;
            }
            let used = page.contains(&format!("\"{key}\":"));
            assert!(used, "{name}: no example on the page has `{key}`");
        }
    }
}

#[test]
fn no_example_is_longer_than_six_lines() {
    for example in examples(&page()) {
        for text in [&example.lua, &example.rhai, &example.json] {
            let lines = text.lines().count();
            assert!(lines <= 6, "line {}: {lines} lines", example.line);
        }
    }
}
