//! What it costs a script to be called and to call the engine, in both languages, beside a bare Luau VM that does the
//! same with two host functions and nothing around them.
//!
//! `cargo bench -p sinew-script`; figures are in docs/performance.md.
#![allow(
    clippy::expect_used,
    missing_docs,
    reason = "a bench stops at the first fault; criterion writes its own functions"
)]

use std::{cell::Cell, fmt::Write as _, path::Path, rc::Rc};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mlua::{Function, Lua, Table};
use sinew_assets::{Assets, LevelDef, LogicalPath};
use sinew_script::{Budget, ScriptHost};
use sinew_world::{Behaviour, Jobs, World};

const DT: f32 = 1.0 / 60.0;
const ACTORS: usize = 1000;
/// Calls within one callback, so that the callback itself does not count.
const CALLS: u64 = 1000;

/// A world of foxes that all run one script.
struct Level {
    world: World,
    host: ScriptHost,
}

impl Level {
    fn new(actors: usize, file: &str, script: &str) -> Self {
        let path = |name: &str| LogicalPath::parse(name, "bench").expect("a plain name");
        let project = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .expect("the crate is in a folder of the project");
        let mut text = "id = \"bench\"\nversion = \"1.0.0\"\n".to_owned();
        for actor in 0..actors {
            write!(
                text,
                "[[actor]]\nname = \"a{actor}\"\nmodel = \"sinew:fox.glb\"\nscripts = [\"{file}\"]\n"
            )
            .expect("memory suffices");
        }
        let mut assets = Assets::new(project);
        assets.insert(&path("level.toml"), text.clone().into_bytes());
        assets.insert(&path(file), script.as_bytes().to_vec());
        let mut world = World::new(assets, Jobs::serial(), 1);
        let level = LevelDef::from_toml(&text, "level.toml").expect("the level is right");
        world
            .start_level(path("level.toml"), level)
            .expect("the level starts");
        let mut host = ScriptHost::new(Budget::Steps(u64::MAX / 2));
        let faults = host.load(&mut world);
        assert!(faults.is_empty(), "{faults:#?}");
        host.update(&mut world, DT);
        let mut level = Self { world, host };
        level.update();
        level
    }

    fn update(&mut self) {
        self.host.update(&mut self.world, DT);
        let problems: Vec<_> = self.host.problems().iter().collect();
        assert!(problems.is_empty(), "{:#?}", problems[0].diagnostic);
    }
}

const GRAPH_LUA: &str = "s.graph = graph { parameters = { speed = 0.0, turn = 0.0 },
  layers = { { name = 'base', entry = 'a', states = { a = { clip = 'walk' } } } } }";
const GRAPH_RHAI: &str = "const GRAPH = graph(#{ parameters: #{ speed: 0.0, turn: 0.0 },
  layers: [ #{ name: \"base\", entry: \"a\", states: #{ a: #{ clip: \"walk\" } } } ] });";

fn lua(start: &str, update: &str) -> String {
    format!(
        "local s = {{}}\n{GRAPH_LUA}\nfunction s:on_start()\n{start}\nend\nfunction s:on_update(dt)\n{update}\nend\nreturn s"
    )
}

fn rhai(start: &str, update: &str) -> String {
    format!("{GRAPH_RHAI}\nfn on_start() {{\n{start}\n}}\nfn on_update(dt) {{\n{update}\n}}")
}

/// A script that reads a field, clamps, and calls two functions of the engine.
fn typical_lua(by_id: bool) -> String {
    let [speed, turn] = if by_id {
        ["self.speed_id", "self.turn_id"]
    } else {
        ["'speed'", "'turn'"]
    };
    lua(
        "self.wish = 1.5\nself.speed_id = self.actor:parameter_id('speed')\nself.turn_id = self.actor:parameter_id('turn')",
        &format!(
            "local actor, wish = self.actor, math.clamp(self.wish + dt, 0, 2)\nactor:set_float({speed}, wish)\nactor:set_float({turn}, wish * 0.5)"
        ),
    )
}

fn typical_rhai(by_id: bool) -> String {
    let [speed, turn] = if by_id {
        ["this.speed_id", "this.turn_id"]
    } else {
        ["\"speed\"", "\"turn\""]
    };
    rhai(
        "this.wish = 1.5; this.speed_id = this.actor.parameter_id(\"speed\"); this.turn_id = this.actor.parameter_id(\"turn\");",
        &format!(
            "let wish = clamp(this.wish + dt, 0.0, 2.0); this.actor.set_float({speed}, wish); this.actor.set_float({turn}, wish * 0.5);"
        ),
    )
}

/// The same in a VM with nothing around it: what the language alone costs.
fn bare(criterion: &mut Criterion) {
    let lua = Lua::new();
    let values: Rc<Vec<Cell<f64>>> = Rc::new((0..ACTORS).map(|_| Cell::new(0.0)).collect());
    for name in ["set_speed", "set_turn"] {
        let values = values.clone();
        let set = lua
            .create_function(move |_, (actor, value): (usize, f64)| {
                values[actor].set(value);
                Ok(())
            })
            .expect("memory suffices");
        lua.globals().set(name, set).expect("memory suffices");
    }
    let class: Table = lua
        .load(
            "local s = {}\nfunction s:on_update(dt)\nlocal actor, wish = self.actor, math.clamp(self.wish + dt, 0, 2)\nset_speed(actor, wish)\nset_turn(actor, wish * 0.5)\nend\nreturn s",
        )
        .eval()
        .expect("the script is right");
    lua.sandbox(true).expect("memory suffices");
    let update: Function = class.get("on_update").expect("just defined");
    let instances: Vec<Table> = (0..ACTORS)
        .map(|actor| {
            let table = lua.create_table().expect("memory suffices");
            table.set("actor", actor).expect("memory suffices");
            table.set("wish", 1.5).expect("memory suffices");
            table
        })
        .collect();
    criterion.bench_function("1000 actors/bare luau, two host calls", |bencher| {
        bencher.iter(|| {
            for instance in &instances {
                update
                    .call::<()>((instance, f64::from(DT)))
                    .expect("the script runs");
            }
        });
    });
}

fn thousand_actors(criterion: &mut Criterion) {
    bare(criterion);
    let scripts = [
        ("lua, empty", "s.lua", lua("", "")),
        ("lua, two calls by id", "s.lua", typical_lua(true)),
        ("lua, two calls by name", "s.lua", typical_lua(false)),
        ("rhai, empty", "s.rhai", rhai("", "")),
        ("rhai, two calls by id", "s.rhai", typical_rhai(true)),
        ("rhai, two calls by name", "s.rhai", typical_rhai(false)),
    ];
    for (name, file, script) in scripts {
        let mut level = Level::new(ACTORS, file, &script);
        criterion.bench_function(&format!("1000 actors/{name}"), |bencher| {
            bencher.iter(|| level.update());
        });
    }
}

/// One engine call, a thousand times in a loop of the script.
fn calls(criterion: &mut Criterion) {
    let cases = [
        ("nothing", "", ""),
        (
            "set_float by id",
            "actor:set_float(id, 1.0)",
            "actor.set_float(id, 1.0);",
        ),
        (
            "set_float by name",
            "actor:set_float('speed', 1.0)",
            "actor.set_float(\"speed\", 1.0);",
        ),
        (
            "get_float by id",
            "local x = actor:get_float(id)",
            "let x = actor.get_float(id);",
        ),
        (
            "position",
            "local p = actor.position",
            "let p = actor.position;",
        ),
        (
            "vec3",
            "local p = vec3(1, 2, 3)",
            "let p = vec3(1.0, 2.0, 3.0);",
        ),
        (
            "play the current state",
            "actor:play('a')",
            "actor.play(\"a\");",
        ),
        (
            "world.find",
            "local a = world.find('a0')",
            "let a = world.find(\"a0\");",
        ),
    ];
    let mut group = criterion.benchmark_group("call");
    group.throughput(Throughput::Elements(CALLS));
    for (name, in_lua, in_rhai) in cases {
        let in_lua = lua(
            "self.id = self.actor:parameter_id('speed')",
            &format!("local actor, id = self.actor, self.id\nfor i = 1, {CALLS} do\n{in_lua}\nend"),
        );
        let in_rhai = rhai(
            "this.id = this.actor.parameter_id(\"speed\");",
            &format!(
                "let actor = this.actor; let id = this.id; for i in 0..{CALLS} {{ {in_rhai} }}"
            ),
        );
        for (language, file, script) in [("lua", "s.lua", in_lua), ("rhai", "s.rhai", in_rhai)] {
            let mut level = Level::new(1, file, &script);
            group.bench_function(format!("{language}/{name}"), |bencher| {
                bencher.iter(|| level.update());
            });
        }
    }
    group.finish();
}

criterion_group!(benches, thousand_actors, calls);
criterion_main!(benches);
