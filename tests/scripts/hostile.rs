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
        "require",
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
