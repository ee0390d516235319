//! Files that scripts share: `require` and `import`, the same rules and the same words in both languages.

mod reloading;

use std::{fs, path::PathBuf};

use sinew_assets::{Assets, Diagnostic, LevelDef};
use sinew_script::{ScriptHost, ScriptLanguage, render};
use sinew_world::{Data, Jobs, World, step};

use super::bench::{Bench, HEAD, LANGUAGES, ending, path};

const HERO: &str =
    "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"hero.END\"]\n";
const FOX: &str = "[[actor]]\nname = \"fox\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"fox.END\"]\n";

/// A level of the hero, or of the hero and the fox, in one language. `END` in names and texts is its ending.
fn level(language: ScriptLanguage, actors: &str, files: &[(&str, &str)]) -> Bench {
    let files = named(language, files);
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    Bench::new(&actors.replace("END", ending(language)), &files)
}

fn named(language: ScriptLanguage, files: &[(&str, &str)]) -> Vec<(String, String)> {
    let end = |text: &str| text.replace("END", ending(language));
    files
        .iter()
        .map(|(name, text)| (end(name), end(text)))
        .collect()
}

fn reload(
    bench: &mut Bench,
    language: ScriptLanguage,
    files: &[(&str, &str)],
) -> Result<sinew_script::ReloadReport, Vec<Diagnostic>> {
    let files = named(language, files);
    let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
    bench.reload(&files)
}

fn pick<'t>(language: ScriptLanguage, lua: &'t str, rhai: &'t str) -> &'t str {
    match language {
        ScriptLanguage::Lua => lua,
        ScriptLanguage::Rhai => rhai,
    }
}

/// A script that takes `n` and `name()` of a module in each step.
fn user(language: ScriptLanguage, module: &str) -> String {
    let lua = "local m = require(\"MODULE\")\nlocal s = {}\n\
        function s:on_update() self.n = m.n self.name = m.name() end\n\
        function s:on_reload() self.reloads = (self.reloads or 0) + 1 end\nreturn s";
    let rhai = "import \"MODULE\" as m;\n\
        fn on_start() { this.reloads = 0; }\n\
        fn on_update() { this.n = m::n; this.name = m::name(); }\n\
        fn on_reload() { this.reloads += 1; }";
    pick(language, lua, rhai).replace("MODULE", module)
}

/// A module with a number and a function that gives a text.
fn module(language: ScriptLanguage, n: u32, name: &str) -> String {
    let lua = "local m = { n = NUMBER }\nlocal NAME = \"TEXT\"\nfunction m.name() return NAME end\nreturn m";
    let rhai = "const n = NUMBER;\nconst NAME = \"TEXT\";\nfn name() { NAME }";
    let text = pick(language, lua, rhai).replace("NUMBER", &n.to_string());
    text.replace("TEXT", name)
}

/// A module that hands on what another one has.
fn through(language: ScriptLanguage, module: &str) -> String {
    let lua = "local other = require(\"MODULE\")\nlocal m = { n = other.n + 1 }\nfunction m.name() return other.name() end\nreturn m";
    let rhai = "import \"MODULE\" as other;\nconst n = other::n + 1;\nfn name() { other::name() }";
    pick(language, lua, rhai).replace("MODULE", module)
}

fn seen(bench: &Bench, actor: &str) -> (f64, String) {
    let Data::Text(name) = bench.field(actor, "name") else {
        panic!("{:?}\n{}", bench.field(actor, "name"), bench.problems());
    };
    (bench.number(actor, "n"), name)
}

#[test]
fn a_module_is_found_by_its_name_with_and_without_ending_and_in_the_project() {
    for language in LANGUAGES {
        for name in ["lib/steps", "lib/steps.END", "bench:lib/steps"] {
            let name = name.replace("END", ending(language));
            let files = [
                ("lib/steps.END", &*module(language, 3, "walk")),
                ("hero.END", &*user(language, &name)),
            ];
            let mut bench = level(language, HERO, &files);
            bench.run(1);
            bench.assert_quiet();
            assert_eq!(seen(&bench, "hero"), (3.0, "walk".to_owned()), "{name}");
            let files: Vec<String> = bench.host.files().map(|path| path.path).collect();
            let end = ending(language);
            assert_eq!(files, [format!("hero.{end}"), format!("lib/steps.{end}")]);
        }
    }
}

#[test]
fn a_module_of_the_project_finds_its_own_modules_without_a_prefix() {
    for language in LANGUAGES {
        let files = [
            ("sinew:lib/far.END", &*through(language, "lib/near")),
            ("sinew:lib/near.END", &*module(language, 1, "project")),
            ("lib/near.END", &*module(language, 100, "level")),
            ("hero.END", &*user(language, "sinew:lib/far")),
        ];
        let mut bench = level(language, HERO, &files);
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(seen(&bench, "hero"), (2.0, "project".to_owned()));
    }
}

#[test]
fn scripts_of_one_mod_share_a_module_in_lua() {
    let counter =
        "local m = { count = 0 } function m.next() m.count += 1 return m.count end return m";
    let script = "local m = require('counter') local s = {} function s:on_start() self.n = m.next() end return s";
    let files = [
        ("counter.lua", counter),
        ("hero.lua", script),
        ("fox.lua", script),
    ];
    let mut bench = level(ScriptLanguage::Lua, &format!("{HERO}{FOX}"), &files);
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(
        (bench.number("hero", "n"), bench.number("fox", "n")),
        (1.0, 2.0)
    );
}

#[test]
fn any_value_but_nothing_is_a_module_in_lua() {
    for (value, expected) in [
        ("function(x) return x * 2 end", "m(4)"),
        ("'text'", "m"),
        ("vec3(1, 2, 3)", "m.y"),
        ("false", "tostring(m)"),
    ] {
        let script = format!(
            "local m = require('value') local s = {{}} function s:on_update() self.n = {expected} end return s"
        );
        let files = [
            ("value.lua", &*format!("return {value}")),
            ("hero.lua", &*script),
        ];
        let mut bench = level(ScriptLanguage::Lua, HERO, &files);
        bench.run(1);
        bench.assert_quiet();
        assert_ne!(bench.field("hero", "n"), Data::Nil);
    }
    let files = [
        ("value.lua", "local m = {}"),
        ("hero.lua", "local m = require('value') return {}"),
    ];
    let bench = level(ScriptLanguage::Lua, HERO, &files);
    assert_eq!(bench.host.problems()[0].diagnostic.code, "E-SCRIPT-RETURN");
}

#[test]
fn an_error_in_a_function_of_a_module_shows_its_line_and_who_called() {
    let script = pick;
    for language in LANGUAGES {
        let files = [
            (
                "m.END",
                script(
                    language,
                    "local m = {}\nfunction m.act(actor)\n  actor:set_flaot('a', 1)\nend\nreturn m",
                    "fn act(actor) {\n\n  actor.set_flaot(\"a\", 1);\n}",
                ),
            ),
            (
                "hero.END",
                script(
                    language,
                    "local m = require('m')\nlocal s = {}\nfunction s:on_update()\n  m.act(self.actor)\nend\nreturn s",
                    "import \"m\" as m;\n\nfn on_update() {\n  m::act(this.actor);\n}",
                ),
            ),
        ];
        let mut bench = level(language, HERO, &files);
        bench.run(1);
        let problem = &bench.host.problems()[0].diagnostic;
        let end = ending(language);
        assert_eq!(
            problem.file.as_deref(),
            Some(&*format!("bench:m.{end}")),
            "{problem:#?}"
        );
        assert_eq!(problem.span.map(|span| span.line), Some(3));
        assert!(problem.message.contains("set_flaot"), "{problem}");
        let stack = problem.notes.join("\n");
        assert!(stack.contains(&format!("bench:m.{end}:3")), "{stack}");
        assert!(stack.contains(&format!("bench:hero.{end}:4")), "{stack}");
    }
}

#[test]
fn a_circle_is_an_error_that_names_it() {
    let mut words = Vec::new();
    for language in LANGUAGES {
        let files = [
            ("a.END", &*through(language, "b")),
            ("b.END", &*through(language, "c")),
            ("c.END", &*through(language, "a")),
            ("hero.END", &*user(language, "a")),
        ];
        let bench = level(language, HERO, &files);
        let problem = &bench.host.problems()[0].diagnostic;
        assert_eq!(problem.code, "E-SCRIPT-CIRCLE", "{problem:#?}");
        words.push(problem.message.replace(ending(language), "END"));
        // A script that asks for itself is the smallest one.
        let bench = level(language, HERO, &[("hero.END", &*user(language, "hero"))]);
        assert_eq!(bench.host.problems()[0].diagnostic.code, "E-SCRIPT-CIRCLE");
    }
    assert_eq!(
        words[0],
        "modules need each other in a circle: `a.END` -> `b.END` -> `c.END` -> `a.END`"
    );
    assert_eq!(words[0], words[1]);
}

#[test]
fn a_circle_through_a_function_is_none() {
    for language in LANGUAGES {
        let a = pick(
            language,
            "local b = require('b') local m = { n = 4 } function m.name() return b.name() end return m",
            "import \"b\" as b; const n = 4; fn name() { b::name() }",
        );
        let b = pick(
            language,
            "local m = {} function m.name() return 'n' .. require('a').n end return m",
            "fn name() { import \"a\" as a; \"n\" + a::n }",
        );
        let files = [
            ("a.END", a),
            ("b.END", b),
            ("hero.END", &*user(language, "a")),
        ];
        let mut bench = level(language, HERO, &files);
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(seen(&bench, "hero"), (4.0, "n4".to_owned()));
    }
}

#[test]
fn a_function_reads_no_file_that_was_not_loaded() {
    for language in LANGUAGES {
        let hero = pick(
            language,
            "local s = {}\nfunction s:on_update() self.n = require('a').n end\nreturn s",
            "fn on_update() { import \"a\" as a; this.n = a::n; }",
        );
        let files = [("a.END", &*module(language, 1, "one")), ("hero.END", hero)];
        let mut bench = level(language, HERO, &files);
        bench.run(1);
        let problem = &bench.host.problems()[0].diagnostic;
        assert_eq!(problem.code, "E-SCRIPT-MODULE", "{problem:#?}");
        assert_eq!(
            problem.message,
            "`a` is not loaded: no file is read while the level runs"
        );
    }
}

#[test]
fn too_deep_and_too_many_modules_are_errors() {
    for language in LANGUAGES {
        let deep = |count: usize| -> Vec<(String, String)> {
            let mut files: Vec<(String, String)> = (0..count)
                .map(|n| {
                    (
                        format!("m{n}.END"),
                        through(language, &format!("m{}", n + 1)),
                    )
                })
                .collect();
            files.push((format!("m{count}.END"), module(language, 0, "end")));
            files.push(("hero.END".to_owned(), user(language, "m0")));
            files
        };
        let run = |files: &[(String, String)]| {
            let files: Vec<(&str, &str)> = files.iter().map(|(a, b)| (&**a, &**b)).collect();
            let mut bench = level(language, HERO, &files);
            bench.run(1);
            bench
                .host
                .problems()
                .first()
                .map(|problem| problem.diagnostic.code.clone())
        };
        assert_eq!(run(&deep(15)), None);
        assert_eq!(run(&deep(16)).as_deref(), Some("E-SCRIPT-MODULES"));
        let wide = |count: usize| -> Vec<(String, String)> {
            let line = |n: usize| {
                pick(language, "require('mN')\n", "import \"mN\" as mN;\n")
                    .replace('N', &n.to_string())
            };
            let mut hero: String = (0..count).map(line).collect();
            hero += pick(language, "return {}", "");
            let mut files: Vec<(String, String)> = (0..count)
                .map(|n| (format!("m{n}.END"), module(language, 0, "m")))
                .collect();
            files.push(("hero.END".to_owned(), hero));
            files
        };
        assert_eq!(run(&wide(256)), None);
        assert_eq!(run(&wide(257)).as_deref(), Some("E-SCRIPT-MODULES"));
        let big = |count: usize| -> Vec<(String, String)> {
            let mut files = wide(count);
            let comment = format!("{} {}\n", pick(language, "--", "//"), "x".repeat(250 << 10));
            files[..count]
                .iter_mut()
                .for_each(|(_, text)| text.insert_str(0, &comment));
            files
        };
        assert_eq!(run(&big(8)), None);
        assert_eq!(run(&big(9)).as_deref(), Some("E-SCRIPT-MODULES"));
        let long = [
            ("a.END".to_owned(), "x".repeat(257 << 10)),
            ("hero.END".to_owned(), user(language, "a")),
        ];
        assert_eq!(run(&long).as_deref(), Some("E-SCRIPT-SIZE"));
    }
}

#[test]
fn a_module_cannot_reach_the_level_while_it_loads_nor_the_globals() {
    for language in LANGUAGES {
        for (lua, rhai, code) in [
            (
                "world.find('hero') return {}",
                "const x = world.find(\"hero\");",
                "E-SCRIPT-LOADING",
            ),
            ("steps = 1 return {}", "steps = 1;", ""),
            ("require = 1 return {}", "eval(\"1\");", ""),
            ("math.floor = nil return {}", "sleep(1);", ""),
        ] {
            let files = [
                ("a.END", pick(language, lua, rhai)),
                ("hero.END", &*user(language, "a")),
            ];
            let bench = level(language, HERO, &files);
            let problem = &bench.host.problems().first().expect(lua).diagnostic;
            assert!(problem.code.contains(code), "{lua}: {problem:#?}");
        }
    }
}

/// A level in a folder, so that names are looked up on a disk.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new(language: ScriptLanguage, files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let made = Self { folder };
        for (name, text) in named(language, files) {
            let file = made.path(&name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        made
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// What is wrong when the level starts, with the hero's script.
    fn faults(&self, language: ScriptLanguage) -> Vec<Diagnostic> {
        let mut assets = Assets::new(self.folder.path());
        assets.add_space("bench", &self.path("level"));
        let glb = super::bench::project().join("assets/hero.glb");
        assets.insert(&path("sinew:hero.glb"), fs::read(glb).unwrap());
        let text = format!("{HEAD}{}", HERO.replace("END", ending(language)));
        let mut world = World::new(assets, Jobs::serial(), 7);
        let level = LevelDef::from_toml(&text, "bench/level.toml").unwrap();
        world.start_level(path("level.toml"), level).unwrap();
        let mut host = ScriptHost::default();
        host.load(&mut world);
        step(&mut world, &mut host, &Default::default(), 0.1);
        host.problems()
            .iter()
            .map(|problem| problem.diagnostic.clone())
            .collect()
    }
}

#[test]
fn names_that_leave_the_mod_or_are_spelled_otherwise_are_refused_alike() {
    let names = [
        ("lib/steps", ""),
        ("sinew:shared", ""),
        ("LIB/steps", "E-ASSET-CASE"),
        ("lib/Steps", "E-ASSET-CASE"),
        ("lib/setps", "E-ASSET-MISSING"),
        ("../secret", "E-PATH-PARENT"),
        ("lib/../../secret", "E-PATH-PARENT"),
        ("./lib/steps", "E-PATH-DOT"),
        ("/etc/passwd", "E-PATH-ABSOLUTE"),
        ("C:/lib/steps", "E-PATH-DRIVE"),
        ("//host/steps", "E-PATH-UNC"),
        ("https://example.org/steps", "E-PATH-URL"),
        ("lib\\\\steps", "E-PATH-BACKSLASH"),
        ("lib//steps", "E-PATH-EMPTY-PART"),
        ("lib/steps.", "E-PATH-TRAILING"),
        ("lib/nul", "E-PATH-DEVICE"),
        ("lib/steps.END:stream", "E-PATH-STREAM"),
        ("", "E-PATH-EMPTY"),
        ("@self/steps", "E-ASSET-MISSING"),
        ("lib/secret", "E-ASSET-LEAVES"),
        ("other:steps", "E-SCRIPT-MODULE"),
        ("bnech:lib/steps", "E-SCRIPT-MODULE"),
        ("lib/steps.OTHER", "E-SCRIPT-MODULE"),
        ("lib", "E-ASSET-MISSING"),
    ];
    let mut all = Vec::new();
    for language in LANGUAGES {
        let other = ending(LANGUAGES[1 - language as usize]);
        let mut words = Vec::new();
        for (name, code) in names {
            let name = name
                .replace("END", ending(language))
                .replace("OTHER", other);
            let folder = Folder::new(
                language,
                &[
                    ("level/lib/steps.END", &module(language, 1, "walk")),
                    ("scripts/shared.END", &module(language, 1, "shared")),
                    ("secret.END", &module(language, 1, "secret")),
                    ("level/hero.END", &user(language, &name)),
                ],
            );
            #[cfg(unix)]
            std::os::unix::fs::symlink(
                folder.path(&format!("secret.{}", ending(language))),
                folder.path(&format!("level/lib/secret.{}", ending(language))),
            )
            .unwrap();
            let faults = folder.faults(language);
            let found = faults.first().map_or("", |fault| &fault.code);
            if !(cfg!(not(unix)) && code == "E-ASSET-LEAVES") {
                assert_eq!(found, code, "{name}: {faults:#?}");
            }
            if let Some(fault) = faults.first() {
                let words_of = format!("{} {:?}", fault.message, fault.help);
                words.push(
                    words_of
                        .replace(ending(language), "END")
                        .replace(other, "OTHER"),
                );
            }
        }
        all.push(words);
    }
    let neutral = |words: &str| words.replace("Lua", "X").replace("Rhai", "X");
    for (lua, rhai) in all[0].iter().zip(&all[1]) {
        assert_eq!(neutral(lua), neutral(rhai));
    }
}

#[test]
fn a_circle_and_a_missing_module_explain_themselves() {
    for language in LANGUAGES {
        let circle = [
            ("level/lib/steps.END", &*through(language, "lib/feet")),
            ("level/lib/feet.END", &*through(language, "lib/steps")),
            ("level/hero.END", &*user(language, "lib/steps")),
        ];
        let missing = [
            ("level/lib/steps.END", &*module(language, 1, "walk")),
            ("level/hero.END", &*user(language, "lib/stpes")),
        ];
        let broken = [
            (
                "level/lib/steps.END",
                pick(
                    language,
                    "local steps = {}\n\nfunction steps.walk(\n\nreturn steps\n",
                    "fn walk( {\n}\n",
                ),
            ),
            ("level/hero.END", &*user(language, "lib/steps")),
        ];
        let mut text = String::new();
        for (name, files) in [
            ("circle", &circle[..]),
            ("missing module", &missing),
            ("broken module", &broken),
        ] {
            let faults = Folder::new(language, files).faults(language);
            assert_eq!(faults.len(), 1, "{faults:#?}");
            text += &format!("## {name}\n\n{}\n\n", render(&faults[0], false));
        }
        super::mistakes::compare(&format!("modules_{}.txt", ending(language)), &text);
    }
}

/// The blocks of a language in the section on modules of the guide.
fn examples(language: ScriptLanguage) -> Vec<String> {
    let page = super::bench::project().join("docs/guide/scripting.md");
    let page = fs::read_to_string(page).unwrap().replace("\r\n", "\n");
    let section = page.split("\n## Modules\n").nth(1).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let begin = format!("```{}\n", ending(language));
    let blocks = section.split(&begin).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn the_modules_of_the_guide_work() {
    for language in LANGUAGES {
        let examples = examples(language);
        let [module, script] = &examples[..] else {
            panic!("{examples:?}");
        };
        let files = [("lib/steps.END", &**module), ("hero.END", &**script)];
        let mut bench = level(language, HERO, &files);
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(bench.number("hero", "stride"), 1.0);
        assert_eq!(bench.number("hero", "longest"), 1.4);
    }
}
