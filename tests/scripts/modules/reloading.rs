//! Modules that change while scripts run.

use super::*;

#[test]
fn a_changed_module_reloads_all_that_hang_on_it_once_and_keeps_their_fields() {
    for language in LANGUAGES {
        let files = [
            ("a.END", &*module(language, 1, "one")),
            ("b.END", &*through(language, "a")),
            ("c.END", &*through(language, "a")),
            (
                "hero.END",
                &*(user(language, "b") + pick(language, "", "\nimport \"c\" as c;")),
            ),
            ("fox.END", &*user(language, "other")),
            ("other.END", &*module(language, 50, "other")),
        ];
        let mut bench = level(language, &format!("{HERO}{FOX}"), &files);
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(seen(&bench, "hero"), (2.0, "one".to_owned()));
        let report = reload(
            &mut bench,
            language,
            &[("a.END", &module(language, 7, "seven"))],
        )
        .unwrap();
        let paths = |paths: &[sinew_assets::LogicalPath]| -> Vec<String> {
            paths
                .iter()
                .map(|path| path.path.replace(ending(language), "END"))
                .collect()
        };
        assert_eq!(paths(&report.scripts), ["hero.END"]);
        let modules = pick(language, "a.END b.END", "a.END b.END c.END");
        assert_eq!(paths(&report.modules).join(" "), modules);
        assert_eq!(report.instances, 1);
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(seen(&bench, "hero"), (8.0, "seven".to_owned()));
        assert_eq!(
            bench.number("hero", "reloads"),
            1.0,
            "once, however many ways lead there"
        );
        assert_eq!(seen(&bench, "fox"), (50.0, "other".to_owned()));
        // All of it at once is one reload too.
        let all = [
            ("b.END", &*through(language, "a")),
            ("a.END", &*module(language, 9, "nine")),
            ("hero.END", &*user(language, "b")),
        ];
        reload(&mut bench, language, &all).unwrap();
        bench.run(1);
        assert_eq!(seen(&bench, "hero"), (10.0, "nine".to_owned()));
        assert_eq!(bench.number("hero", "reloads"), 2.0);
    }
}

#[test]
fn a_broken_module_changes_nothing_and_shows_both_files() {
    for language in LANGUAGES {
        let files = [
            ("a.END", &*module(language, 1, "one")),
            ("b.END", &*through(language, "a")),
            ("hero.END", &*user(language, "b")),
            ("fox.END", &*user(language, "a")),
        ];
        let mut bench = level(language, &format!("{HERO}{FOX}"), &files);
        bench.run(1);
        let broken = [
            ("return {", "fn name( {", "E-SCRIPT-SYNTAX"),
            ("\nerror('no')", "\nthrow \"no\";", "E-SCRIPT-ERROR"),
            ("while true do end", "loop {}", "E-SCRIPT-BUDGET"),
            (
                "local x = wrold.find('a') return {}",
                "const x = wrold.find(\"a\");",
                "E-SCRIPT-NAME",
            ),
        ];
        for (lua, rhai, code) in broken {
            let text = pick(language, lua, rhai);
            let faults = reload(&mut bench, language, &[("a.END", text)]).expect_err(text);
            assert_eq!(faults.len(), 1, "{faults:#?}");
            assert_eq!(faults[0].code, code, "{language:?}: {:#?}", faults[0]);
            let end = ending(language);
            assert_eq!(
                faults[0].file.as_deref(),
                Some(&*format!("bench:a.{end}")),
                "{:#?}",
                faults[0]
            );
            assert!(faults[0].span.is_some(), "{:#?}", faults[0]);
            let stack: Vec<&str> = faults[0].notes.iter().map(|note| note.trim()).collect();
            assert!(stack[0].contains(&format!("bench:a.{end}:")), "{stack:?}");
            assert!(
                stack
                    .iter()
                    .any(|line| line.contains(&format!("bench:b.{end}:1"))),
                "{stack:?}"
            );
            assert!(
                stack
                    .iter()
                    .any(|line| line.contains(&format!("bench:hero.{end}:1"))),
                "{stack:?}"
            );
            bench.run(1);
            assert_eq!(seen(&bench, "hero"), (2.0, "one".to_owned()));
            assert_eq!(seen(&bench, "fox"), (1.0, "one".to_owned()));
        }
        reload(
            &mut bench,
            language,
            &[("a.END", &module(language, 5, "five"))],
        )
        .unwrap();
        bench.run(1);
        bench.assert_quiet();
        assert_eq!(seen(&bench, "hero"), (6.0, "five".to_owned()));
        assert_eq!(seen(&bench, "fox"), (5.0, "five".to_owned()));
        assert_eq!(bench.number("hero", "reloads"), 1.0);
    }
}

#[test]
fn modules_that_failed_or_were_missing_at_the_start_are_taken_up_when_they_are_good() {
    for language in LANGUAGES {
        // The hero's module needs a broken one; the fox's script is missing.
        let files = [
            ("a.END", &*through(language, "b")),
            ("b.END", "this is no module ("),
            ("hero.END", &*user(language, "a")),
        ];
        let mut bench = level(language, &format!("{HERO}{FOX}"), &files);
        bench.run(2);
        assert_eq!(bench.host.problems().len(), 2, "{}", bench.problems());
        let wanted: Vec<String> = bench.host.files().map(|path| path.path).collect();
        for name in ["a", "b", "hero", "fox"] {
            assert!(
                wanted.contains(&format!("{name}.{}", ending(language))),
                "{wanted:?}"
            );
        }
        reload(
            &mut bench,
            language,
            &[("b.END", &module(language, 1, "good"))],
        )
        .unwrap();
        bench.run(2);
        assert_eq!(seen(&bench, "hero"), (2.0, "good".to_owned()));
        assert_eq!(bench.host.problems().len(), 1, "{}", bench.problems());
        reload(&mut bench, language, &[("fox.END", &user(language, "b"))]).unwrap();
        bench.run(2);
        bench.assert_quiet();
        assert_eq!(seen(&bench, "fox"), (1.0, "good".to_owned()));
    }
}

#[test]
fn a_module_that_a_new_version_wants_is_read_and_one_that_nobody_wants_is_dropped() {
    for language in LANGUAGES {
        let files = [
            ("a.END", &*module(language, 1, "one")),
            ("b.END", &*module(language, 2, "two")),
            ("hero.END", &*user(language, "a")),
        ];
        let mut bench = level(language, HERO, &files);
        bench.run(1);
        let modules = |bench: &Bench| -> Vec<String> {
            bench
                .host
                .files()
                .map(|path| path.path.split('.').next().unwrap().to_owned())
                .collect()
        };
        assert_eq!(modules(&bench), ["a", "hero"]);
        reload(&mut bench, language, &[("hero.END", &user(language, "b"))]).unwrap();
        assert_eq!(modules(&bench), ["b", "hero"]);
        bench.run(1);
        assert_eq!(seen(&bench, "hero"), (2.0, "two".to_owned()));
        // Both new, the file of the module and the wish for it.
        let both = [
            ("hero.END", &*user(language, "c")),
            ("c.END", &*module(language, 3, "three")),
        ];
        reload(&mut bench, language, &both).unwrap();
        bench.run(1);
        assert_eq!(seen(&bench, "hero"), (3.0, "three".to_owned()));
        assert_eq!(modules(&bench), ["c", "hero"]);
        // A broken one that nobody wants any more harms nobody.
        reload(&mut bench, language, &[("a.END", "(")]).unwrap();
        bench.run(1);
        bench.assert_quiet();
    }
}

#[test]
fn a_lua_module_is_one_table_over_all_its_versions() {
    let class = |n: usize| {
        format!(
            "local Dog = {{ count = 0 }}
             Dog.__index = Dog
             local all = {{ Dog }}
             local function version() Dog.count += 1 return {n} end
             function Dog.make(name) return setmetatable({{ name = name }}, Dog) end
             function Dog:bark() return self.name .. version() end
             function Dog.counted() return Dog.count end
             function Dog.same(table) return table == Dog and all[1] == Dog end
             function Dog.names() local n = 0 for _ in pairs(Dog) do n += 1 end return n end
             return Dog"
        )
    };
    let hero = "local Dog = require('dog')
        local s = {}
        function s:on_start() self.class = Dog self.dog = Dog.make('rex') self.bark = Dog.bark end
        function s:on_update()
          self.said = self.dog:bark()
          self.same = self.class == Dog and Dog.same(self.class) and require('dog') == Dog and getmetatable(self.dog) == Dog
          self.new = Dog.make('new'):bark()
          self.counts = Dog.count == Dog.counted()
          self.names = Dog.names()
        end
        return s";
    let mut bench = level(
        ScriptLanguage::Lua,
        HERO,
        &[("dog.lua", &class(1)), ("hero.lua", hero)],
    );
    for n in 1..5 {
        bench.run(1);
        bench.assert_quiet();
        let text = |field| match bench.field("hero", field) {
            Data::Text(text) => text,
            other => panic!("{field} is {other:?}"),
        };
        assert_eq!(
            (text("said"), text("new")),
            (format!("rex{n}"), format!("new{n}"))
        );
        assert_eq!(bench.field("hero", "same"), Data::Bool(true), "version {n}");
        assert_eq!(
            bench.field("hero", "counts"),
            Data::Bool(true),
            "version {n}"
        );
        assert_eq!(bench.number("hero", "names"), 7.0, "version {n}");
        // A refused version leaves the table as it was.
        let _ = bench
            .reload(&[("dog.lua", &class(99)), ("hero.lua", "error('no')")])
            .unwrap_err();
        bench.run(1);
        assert_eq!(bench.field("hero", "said"), Data::Text(format!("rex{n}")));
        bench
            .reload(&[("dog.lua", &class(n + 1)), ("hero.lua", hero)])
            .unwrap();
    }
}

#[test]
fn a_module_that_hands_on_another_s_table_never_changes_that_one() {
    let mut bench = level(
        ScriptLanguage::Lua,
        HERO,
        &[
            (
                "a.lua",
                "return { n = 1, name = function() return 'a' end }",
            ),
            ("b.lua", "return require('a')"),
            ("hero.lua", &user(ScriptLanguage::Lua, "b")),
            ("fox.lua", &user(ScriptLanguage::Lua, "a")),
        ],
    );
    bench.run(1);
    assert_eq!(seen(&bench, "hero"), (1.0, "a".to_owned()));
    bench
        .reload(&[(
            "b.lua",
            "return { n = 2, name = function() return 'b' end }",
        )])
        .unwrap();
    bench.run(1);
    assert_eq!(seen(&bench, "hero"), (2.0, "b".to_owned()));
    bench.reload(&[("b.lua", "return require('a')")]).unwrap();
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(seen(&bench, "hero"), (1.0, "a".to_owned()));
    // A script may be a module's own table.
    bench
        .reload(&[(
            "hero.lua",
            "local m = require('a') m.on_update = function(self) self.n = m.n + 10 end return m",
        )])
        .unwrap();
    bench.run(1);
    assert_eq!(bench.number("hero", "n"), 11.0);
    bench.reload(&[("a.lua", "return { n = 5 }")]).unwrap();
    bench.run(1);
    bench.assert_quiet();
    assert_eq!(bench.number("hero", "n"), 15.0);
}
