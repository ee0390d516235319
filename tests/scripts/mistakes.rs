//! What typical mistakes look like to the one who made them. `SINEW_UPDATE=1` rewrites the golden files.

use std::fmt::Write as _;

use sinew_script::{ScriptLanguage, render};

use super::bench::{Bench, LANGUAGES, ending, project};

/// The same mistake in both languages: a name, and the scripts.
const MISTAKES: &[(&str, &str, &str)] = &[
    (
        "misspelt method",
        "local s = {}\n\nfunction s:on_update(dt)\n  self.actor:set_flaot(\"speed\", 2.5)   -- faster\nend\n\nreturn s\n",
        "fn on_update(dt) {\n    this.actor.set_flaot(\"speed\", 2.5);   // faster\n}\n",
    ),
    (
        "misspelt service function",
        "local s = {}\nfunction s:on_update()\n  local fox = world.fnid(\"fox\")\nend\nreturn s\n",
        "fn on_update() {\n    let fox = world.fnid(\"fox\");\n}\n",
    ),
    (
        "misspelt service",
        "local s = {}\nfunction s:on_update()\n  wrold.find(\"fox\")\nend\nreturn s\n",
        "fn on_update() {\n    wrold.find(\"fox\");\n}\n",
    ),
    (
        "misspelt property of an actor",
        "local s = {}\nfunction s:on_update()\n  local at = self.actor.positoin\nend\nreturn s\n",
        "fn on_update() {\n    let at = this.actor.positoin;\n}\n",
    ),
    (
        "misspelt property of the script",
        "local s = {}\ns.properties = { speed = { value = 1 } }\nfunction s:on_update()\n  local pace = self.props.spede\nend\nreturn s\n",
        "const PROPERTIES = #{ speed: #{ value: 1 } };\nfn on_update() {\n    let pace = this.props.spede;\n}\n",
    ),
    (
        "misspelt parameter",
        "local s = {}\ns.graph = graph { parameters = { speed = 0.0 } }\nfunction s:on_update()\n  self.actor:set_float(\"sped\", 1)\nend\nreturn s\n",
        "const GRAPH = graph(#{ parameters: #{ speed: 0.0 } });\nfn on_update() {\n    this.actor.set_float(\"sped\", 1);\n}\n",
    ),
    (
        "misspelt joint",
        "local s = {}\nfunction s:on_update()\n  draw.sphere(self.actor:joint(\"haed\"), 0.1)\nend\nreturn s\n",
        "fn on_update() {\n    draw.sphere(this.actor.joint(\"haed\"), 0.1);\n}\n",
    ),
    (
        "misspelt clip in a graph",
        "local s = {}\n\ns.graph = graph {\n  layers = {\n    { name = \"base\", states = { move = { clip = \"wlak\" } } },\n  },\n}\n\nreturn s\n",
        "const GRAPH = graph(#{\n    layers: [\n        #{ name: \"base\", states: #{ move: #{ clip: \"wlak\" } } },\n    ],\n});\n",
    ),
    (
        "misspelt key in a graph",
        "local s = {}\n\ns.graph = graph {\n  layers = {\n    { name = \"base\", sates = { move = { clip = \"walk\" } } },\n  },\n}\n\nreturn s\n",
        "const GRAPH = graph(#{\n    layers: [\n        #{ name: \"base\", sates: #{ move: #{ clip: \"walk\" } } },\n    ],\n});\n",
    ),
    (
        "misspelt callback",
        "local s = {}\nfunction s:on_udpate(dt)\nend\nreturn s\n",
        "fn on_udpate(dt) {\n}\n",
    ),
    (
        "misspelt option",
        "local s = {}\nfunction s:on_update()\n  draw.ring(self.actor.position, 1, { colour = \"gold\" })\nend\nreturn s\n",
        "fn on_update() {\n    draw.ring(this.actor.position, 1, #{ colour: \"gold\" });\n}\n",
    ),
    (
        "wrong type",
        "local s = {}\nfunction s:on_update()\n  self.actor:play_clip(\"walk\", { speed = \"fast\" })\nend\nreturn s\n",
        "fn on_update() {\n    this.actor.play_clip(\"walk\", #{ speed: \"fast\" });\n}\n",
    ),
    (
        "missing argument",
        "local s = {}\nfunction s:on_update()\n  self.actor:move()\nend\nreturn s\n",
        "fn on_update() {\n    this.actor.move();\n}\n",
    ),
    (
        "one argument too many",
        "local s = {}\nfunction s:on_update()\n  self.actor:jump(4, true)\nend\nreturn s\n",
        "fn on_update() {\n    this.actor.jump(4, true);\n}\n",
    ),
    (
        "nobody there",
        "local s = {}\nfunction s:on_update()\n  local fox = world.find(\"fox\")\n  fox:play_clip(\"walk\")\nend\nreturn s\n",
        "fn on_update() {\n    let fox = world.find(\"fox\");\n    fox.play_clip(\"walk\");\n}\n",
    ),
    (
        "syntax",
        "local s = {}\nfunction s:on_update()\n  if true the\nend\nreturn s\n",
        "fn on_update() {\n    if true the\n}\n",
    ),
    (
        "its own error in a helper",
        "local s = {}\nlocal function check(n)\n  if n > 2 then error(\"too many\") end\nend\nfunction s:on_update()\n  check(3)\nend\nreturn s\n",
        "fn check(n) {\n    if n > 2 { throw \"too many\"; }\n}\nfn on_update() {\n    check(3);\n}\n",
    ),
    (
        "endless loop",
        "local s = {}\nfunction s:on_update()\n  while true do\n  end\nend\nreturn s\n",
        "fn on_update() {\n    loop {\n    }\n}\n",
    ),
    (
        "no plain data",
        "local s = {}\nfunction s:on_update()\n  self.actor:send(\"hello\", { f = function() end })\nend\nreturn s\n",
        "fn on_update() {\n    this.actor.send(\"hello\", #{ f: || 1 });\n}\n",
    ),
    (
        "read-only property",
        "local s = {}\nfunction s:on_update()\n  self.actor.velocity = vec3(0, 0, 1)\nend\nreturn s\n",
        "fn on_update() {\n    this.actor.velocity = vec3(0, 0, 1);\n}\n",
    ),
];

/// Mistakes that only Lua knows.
const LUA_ONLY: &[(&str, &str)] = &[
    (
        "dot for colon",
        "local s = {}\nfunction s:on_update()\n  self.actor.play(\"run\")\nend\nreturn s\n",
    ),
    (
        "undeclared global",
        "local s = {}\nfunction s:on_update()\n  count = 1\nend\nreturn s\n",
    ),
    (
        "missing return",
        "local s = {}\nfunction s:on_update()\nend\n",
    ),
    (
        "misspelt method of its own",
        "local s = {}\nfunction s:helper() end\nfunction s:on_update()\n  self:hepler()\nend\nreturn s\n",
    ),
];

fn seen(language: ScriptLanguage, script: &str) -> String {
    let mut bench = Bench::hero(language, script);
    bench.run(1);
    let problems = bench.host.problems();
    assert_eq!(problems.len(), 1, "{script}\n{}", bench.problems());
    render(&problems[0].diagnostic, false)
}

pub fn compare(file: &str, text: &str) {
    let path = project().join("tests/golden").join(file);
    if std::env::var_os("SINEW_UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let golden = std::fs::read_to_string(&path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        golden == text,
        "{file} differs; SINEW_UPDATE=1 rewrites it. Now:\n{text}"
    );
}

#[test]
fn mistakes_explain_themselves() {
    for (index, language) in LANGUAGES.into_iter().enumerate() {
        let mut text = String::new();
        for (name, lua, rhai) in MISTAKES {
            let script = [lua, rhai][index];
            let _ = writeln!(text, "## {name}\n\n{}\n", seen(language, script));
        }
        for (name, script) in LUA_ONLY.iter().filter(|_| index == 0) {
            let _ = writeln!(text, "## {name}\n\n{}\n", seen(language, script));
        }
        compare(&format!("mistakes_{}.txt", ending(language)), &text);
    }
}
