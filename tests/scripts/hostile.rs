//! Scripts that mean harm, or only look as if: they end as errors, and everybody else runs on.

use super::bench::{Bench, LANGUAGES, ending};
use sinew_script::{Budget, ScriptLanguage};

/// A level with a bad actor beside two good ones of the same mod.
fn with_good_neighbour(language: ScriptLanguage, bad: &str) -> Bench {
    let file = format!("bad.{}", ending(language));
    let actors = format!(
        "[[actor]]\nname = \"bad\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"{file}\"]\n\
         [[actor]]\nname = \"good\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"good.lua\"]\n\
         [[actor]]\nname = \"fine\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"fine.rhai\"]\n"
    );
    let good = "local s = {} function s:on_update() self.n = (self.n or 0) + 1 end return s";
    let fine = "fn on_start() { this.n = 0; } fn on_update() { this.n += 1; }";
    let mut bench = Bench::new(
        &actors,
        &[(&file, bad), ("good.lua", good), ("fine.rhai", fine)],
    );
    bench.host.budget = Budget::Steps(200_000);
    bench
}

#[test]
fn each_attack_ends_as_an_error_and_the_others_run_on() {
    let lua = |body: &str| {
        (
            ScriptLanguage::Lua,
            format!("local s = {{}}\nfunction s:on_update()\n{body}\nend\nreturn s"),
        )
    };
    let rhai = |body: &str| {
        (
            ScriptLanguage::Rhai,
            format!("fn down(n) {{ down(n + 1) }}\nfn on_update() {{\n{body}\n}}"),
        )
    };
    let attacks = [
        (lua("while true do end"), "E-SCRIPT-BUDGET"),
        (
            lua("while true do pcall(function() while true do end end) end"),
            "E-SCRIPT-BUDGET",
        ),
        (
            lua(
                "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
            ),
            "E-SCRIPT-BUDGET",
        ),
        (
            lua("xpcall(function() while true do end end, function() while true do end end)"),
            "E-SCRIPT-BUDGET",
        ),
        (
            lua("local t = {} while true do t[#t + 1] = string.rep('x', 100000) .. #t end"),
            "E-SCRIPT-MEMORY",
        ),
        (
            lua("local s = 'x' while true do s = s .. s end"),
            "E-SCRIPT-MEMORY",
        ),
        (
            lua("local function f() return 1 + f() end f()"),
            "E-SCRIPT-STACK",
        ),
        (
            lua("start(function() while true do end end)"),
            "E-SCRIPT-BUDGET",
        ),
        (rhai("loop {}"), "E-SCRIPT-BUDGET"),
        (
            rhai("loop { try { loop {} } catch { } }"),
            "E-SCRIPT-BUDGET",
        ),
        (rhai("let a = [1]; loop { a += a; }"), "E-SCRIPT-MEMORY"),
        (rhai("let s = \"x\"; loop { s += s; }"), "E-SCRIPT-MEMORY"),
        (rhai("down(0)"), "E-SCRIPT-STACK"),
    ];
    for ((language, script), code) in attacks {
        let mut bench = with_good_neighbour(language, &script);
        bench.run(20);
        let problems = bench.host.problems();
        assert_eq!(problems.len(), 1, "{script}\n{}", bench.problems());
        assert_eq!(
            problems[0].diagnostic.code,
            code,
            "{script}\n{}",
            bench.problems()
        );
        assert_eq!(problems[0].count, 3, "paused after three: {script}");
        assert!(problems[0].paused);
        assert_eq!(bench.number("good", "n"), 20.0, "{script}");
        assert_eq!(bench.number("fine", "n"), 20.0, "{script}");
    }
}

#[test]
fn what_is_not_allowed_is_not_there() {
    let gone = [
        "loadstring",
        "getfenv",
        "setfenv",
        "newproxy",
        "collectgarbage",
        "gcinfo",
        "debug",
        "os",
        "io",
        "package",
        "dofile",
    ];
    for name in gone {
        let mut bench = Bench::hero(
            ScriptLanguage::Lua,
            &format!("local s = {{}} function s:on_update() return {name} end return s"),
        );
        bench.run(1);
        let problem = bench
            .host
            .problems()
            .first()
            .unwrap_or_else(|| panic!("{name} is there"));
        assert_eq!(problem.diagnostic.code, "E-SCRIPT-NAME", "{name}");
    }
    let refused = [
        ("world.find = nil", "E-SCRIPT-ERROR"),
        ("math.random = nil", "E-SCRIPT-ERROR"),
        ("string.format = nil", "E-SCRIPT-ERROR"),
        ("require = nil", "E-SCRIPT-READ-ONLY"),
        ("x = 1", "E-SCRIPT-GLOBAL"),
        ("world = nil", "E-SCRIPT-READ-ONLY"),
        ("getmetatable(self.actor).__index = nil", "E-SCRIPT-ERROR"),
        ("self.props.x = 1", "E-SCRIPT-ERROR"),
        ("rawset(world, 'find', nil)", "E-SCRIPT-ERROR"),
    ];
    for (code, expected) in refused {
        let mut bench = Bench::hero(
            ScriptLanguage::Lua,
            &format!("local s = {{}} function s:on_update() {code} end return s"),
        );
        bench.run(1);
        let problem = bench
            .host
            .problems()
            .first()
            .unwrap_or_else(|| panic!("{code} was allowed"));
        assert_eq!(
            problem.diagnostic.code, expected,
            "{code}: {}",
            problem.diagnostic
        );
    }
    for code in [
        "sleep(1)",
        "sleep(0.5)",
        "import \"x\" as x;",
        "timestamp()",
    ] {
        let faulty = format!("fn on_update() {{ {code} }}");
        let mut bench = Bench::hero(ScriptLanguage::Rhai, &faulty);
        bench.run(1);
        assert!(!bench.host.problems().is_empty(), "{code} was allowed");
    }
}

#[test]
fn a_callback_that_fails_every_frame_costs_one_report_and_a_count() {
    for language in LANGUAGES {
        let script = match language {
            ScriptLanguage::Lua => {
                "local s = {} function s:on_start() self.late = 0 end function s:on_update() error('no') end function s:on_late_update() self.late += 1 end return s"
            }
            ScriptLanguage::Rhai => {
                "fn on_start() { this.late = 0; } fn on_update() { throw \"no\"; } fn on_late_update() { this.late += 1; }"
            }
        };
        let mut bench = Bench::hero(language, script);
        bench.run(600);
        assert_eq!(bench.host.problems().len(), 1, "{}", bench.problems());
        assert_eq!(bench.host.problems()[0].count, 3);
        assert_eq!(
            bench.number("hero", "late"),
            600.0,
            "other callbacks run on"
        );
        assert_eq!(bench.world.remarks.len(), 1, "said once");
    }
}

#[test]
fn what_costs_far_more_than_a_step_is_bounded_or_charged() {
    let lua = |body: &str| {
        (
            ScriptLanguage::Lua,
            format!("local s = {{}}\nfunction s:on_update()\n{body}\nend\nreturn s"),
        )
    };
    let rhai = |body: &str| {
        (
            ScriptLanguage::Rhai,
            format!("fn on_update() {{\n{body}\n}}"),
        )
    };
    let long = "local a = string.rep('a', 2e6) local b = string.rep('a', 1e6) .. 'b'";
    let attacks = [
        // Errors that are swallowed still cost their words.
        (
            lua("while true do pcall(self.actor.play, self.actor, 'nowhere') end"),
            "E-SCRIPT-BUDGET",
        ),
        (
            rhai("loop { try { this.actor.play(\"nowhere\"); } catch { } }"),
            "E-SCRIPT-BUDGET",
        ),
        (lua("while true do log.info('x') end"), "E-SCRIPT-BUDGET"),
        (rhai("loop { print(\"x\"); }"), "E-SCRIPT-BUDGET"),
        (
            lua("while true do world.spawn_actor {} end"),
            "E-SCRIPT-BUDGET",
        ),
        (rhai("loop { world.spawn_actor(); }"), "E-SCRIPT-BUDGET"),
        (
            lua("while true do world.broadcast('x', { 1 }) end"),
            "E-SCRIPT-BUDGET",
        ),
        (
            lua("for i = 1, 2000 do after(100, 'timer' .. i) end"),
            "E-SCRIPT-VALUE",
        ),
        // One call of these would run for minutes, with no safepoint in it.
        (lua(&format!("{long} a:find(b, 1, true)")), "E-SCRIPT-VALUE"),
        (
            lua(&format!("{long} string.find(a, '[' .. b .. ']*c')")),
            "E-SCRIPT-VALUE",
        ),
        (lua(&format!("{long} string.split(a, b)")), "E-SCRIPT-VALUE"),
        (
            lua("string.find(string.rep('(', 300000), '%b()')"),
            "E-SCRIPT-VALUE",
        ),
        // As plain data each mention of a text is a copy.
        (
            lua("local b = string.rep('x', 1e6) self.actor:send('x', table.create(3000, b))"),
            "E-SCRIPT-VALUE",
        ),
    ];
    for ((language, script), code) in attacks {
        let mut bench = with_good_neighbour(language, &script);
        bench.run(6);
        let problems = bench.host.problems();
        assert!(!problems.is_empty(), "allowed: {script}");
        assert_eq!(
            problems[0].diagnostic.code,
            code,
            "{script}\n{}",
            bench.problems()
        );
        assert!(problems[0].paused, "{script}");
        assert_eq!(bench.number("good", "n"), 6.0, "{script}");
        assert_eq!(bench.number("fine", "n"), 6.0, "{script}");
    }
}

#[test]
fn a_storm_of_messages_ends() {
    for (language, storm) in [
        (
            ScriptLanguage::Lua,
            "local s = {} function s:on_start() self.actor:send('x') end \
             function s:on_message() self.actor:send('x') self.actor:send('x') end return s",
        ),
        (
            ScriptLanguage::Rhai,
            "fn on_start() { this.actor.send(\"x\"); } fn on_message(n) { this.actor.send(\"x\"); this.actor.send(\"x\"); }",
        ),
    ] {
        let mut bench = with_good_neighbour(language, storm);
        bench.run(30);
        assert!(
            bench.host.problems().iter().any(|problem| problem.paused),
            "{}",
            bench.problems()
        );
        assert_eq!(bench.number("good", "n"), 30.0);
    }
}

#[test]
fn searches_that_are_short_enough_work_as_in_luau_and_fail_in_its_words() {
    let mut bench = Bench::hero(
        ScriptLanguage::Lua,
        "local s = {} function s:on_update()\n\
         local text = ('ab'):rep(1000)\n\
         self.found = text:find('ba', 1, true) == 2 and text:match('^(a)b') == 'a' and #text:gsub('a', 'x') == 2000\n\
         and #string.split('a,b', ',') == 2 and ('(x)'):match('%b()') == '(x)'\n\
         local list = { 'b', 'c', 'a' } table.sort(list) self.sorted = table.concat(list)\n\
         table.sort(list, function(a, b) return a > b end) self.back = table.concat(list)\n\
         self.ok, self.message = pcall(string.find, 'x', '[')\n\
         string.find('x', '%') end return s",
    );
    bench.run(1);
    let id = bench.world.actors.find("hero").expect("it is there").id;
    let fields = bench.host.fields(id, 0);
    let text = |name: &str| format!("{:?}", fields.get(name));
    assert!(text("found").contains("true"), "{fields:?}");
    assert!(
        text("sorted").contains("abc") && text("back").contains("cba"),
        "{fields:?}"
    );
    assert!(
        text("message").contains("malformed pattern") && !text("message").contains("sinew"),
        "{fields:?}"
    );
    let problem = &bench.host.problems()[0].diagnostic;
    assert!(
        problem.message.starts_with("malformed pattern"),
        "{problem}"
    );
    assert_eq!(problem.span.map(|span| span.line), Some(8), "{problem}");
}

#[test]
fn what_is_thrown_is_named_without_an_address() {
    for (thrown, words) in [
        ("{}", "a table"),
        ("function() end", "a function"),
        ("nil", "nothing"),
    ] {
        let mut bench = Bench::hero(
            ScriptLanguage::Lua,
            &format!("local s = {{}} function s:on_update() error({thrown}) end return s"),
        );
        bench.run(1);
        assert_eq!(
            bench.host.problems()[0].diagnostic.message,
            format!("the script threw {words}")
        );
    }
}

#[test]
fn no_text_shows_an_address() {
    let mut bench = Bench::hero(
        ScriptLanguage::Lua,
        "local s = {} function s:on_update()\n\
         self.text = `{ {} } {print} {self.actor} {1.5} {vec3(1, 2, 3)}` .. string.format('%* %d', {}, 7) .. ('%*'):format(print)\n\
         end return s",
    );
    bench.run(1);
    assert_eq!(bench.problems(), "");
    let text = format!("{:?}", bench.field("hero", "text"));
    assert!(!text.contains("0x"), "{text}");
    assert!(
        text.contains("table function actor hero 1.5 1, 2, 3table 7function"),
        "{text}"
    );
}

#[test]
fn fields_that_are_too_large_as_plain_data_are_left_out_and_eat_nothing() {
    let mut bench = Bench::hero(
        ScriptLanguage::Lua,
        "local s = {} function s:on_start() local b = string.rep('x', 1e6)\n\
         self.large = table.create(30000, b) self.small = 'kept' end return s",
    );
    bench.run(1);
    let id = bench.world.actors.find("hero").expect("it is there").id;
    let fields = bench.host.fields(id, 0);
    assert_eq!(fields.keys().collect::<Vec<_>>(), ["small"]);
}
