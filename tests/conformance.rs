//! Every row of the API table, called in both languages with good values, one argument too few, one too many, and
//! every kind of value in every place: results, error texts and effects must agree.

use std::collections::BTreeMap;

use sinew_script::{Function, Languages, Owner, ScriptLanguage, Type, api};
use sinew_world::{ActorId, Data, NoScripts, World, hash};

use crate::scripts::bench::{Bench, ending};

/// What `set_graph` is called with.
const STAND: &str = r#"{ "version": 1, "layers": [{ "name": "base", "states": { "stand": { "clip": "idle" } } }] }"#;

/// A hero and a second one with everything that the table's good values name.
fn bench(language: ScriptLanguage) -> Bench {
    let lua = "local s = {}
        s.graph = graph {
          parameters = { speed = 0.5, weapon = { type = 'int', value = 1 }, crouched = false, jump = 'trigger' },
          layers = {
            { name = 'base', entry = 'walk', states = { walk = { clip = 'walk' }, wave = { clip = 'wave', mode = 'once' }, frozen = { pose = 'frozen' } } },
            { name = 'upper', mask = 'spine+', weight = 0.5, entry = 'none', states = { none = { rest = true }, wave = { clip = 'wave' } } } },
          slots = { arms = { after = 'upper' } },
          chains = { arm_r = { kind = 'two_bone', joints = { 'upperArm_R', 'lowerArm_R', 'hand_R' } } },
          look_at = { chain = { 'upperChest', 'neck', 'head' } } }
        function s:ready() end
        return s";
    let rhai = r#"const GRAPH = graph(#{
          parameters: #{ speed: 0.5, weapon: #{ type: "int", value: 1 }, crouched: false, jump: "trigger" },
          layers: [
            #{ name: "base", entry: "walk", states: #{ walk: #{ clip: "walk" }, wave: #{ clip: "wave", mode: "once" }, frozen: #{ pose: "frozen" } } },
            #{ name: "upper", mask: "spine+", weight: 0.5, entry: "none", states: #{ none: #{ rest: true }, wave: #{ clip: "wave" } } } ],
          slots: #{ arms: #{ after: "upper" } },
          chains: #{ arm_r: #{ kind: "two_bone", joints: ["upperArm_R", "lowerArm_R", "hand_R"] } },
          look_at: #{ chain: ["upperChest", "neck", "head"] } });
        fn ready() {}"#;
    let file = format!("hero.{}", ending(language));
    let actor = |name: &str| {
        format!(
            "[[actor]]\nname = \"{name}\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"{file}\"]\ntags = [\"guard\"]\n"
        )
    };
    let script = if language == ScriptLanguage::Lua {
        lua
    } else {
        rhai
    };
    let mut bench = Bench::new(
        &([actor("hero"), actor("fox")].concat()),
        &[(&file, script), ("stand.animgraph.json", STAND)],
    );
    bench.run(3);
    bench.assert_quiet();
    bench
}

/// Values of every kind.
fn kinds() -> Vec<Data> {
    vec![
        Data::Nil,
        Data::Bool(true),
        Data::Int(7),
        Data::Number(1.5),
        Data::Text("oops".to_owned()),
        Data::Vec3(glam::Vec3::new(1.0, 2.0, 3.0)),
        Data::Actor(ActorId {
            index: 1,
            generation: 0,
        }),
        Data::List(vec![Data::Int(1), Data::Text("two".to_owned())]),
        Data::Map([("key".to_owned(), Data::Bool(false))].into()),
    ]
}

/// Whether a value may be right for a type, so that only the function itself can refuse it.
fn may_be(ty: &Type, data: &Data) -> bool {
    match (ty, data) {
        (Type::Optional(_), Data::Nil) => true,
        (Type::Optional(inner), data) => may_be(inner, data),
        (Type::Data, _) => true,
        (Type::Bool, Data::Bool(_))
        | (Type::Vec3, Data::Vec3(_))
        | (Type::Actor, Data::Actor(_)) => true,
        (Type::Number, Data::Int(_) | Data::Number(_)) => true,
        (Type::Int | Type::Parameter | Type::Joint, Data::Int(_)) => true,
        (Type::Text | Type::Parameter | Type::Joint, Data::Text(_)) => true,
        (Type::Slot, Data::Int(_) | Data::Text(_)) | (Type::Graph, Data::Text(_)) => true,
        (Type::Target, Data::Vec3(_) | Data::Actor(_)) | (Type::Color, Data::Vec3(_)) => true,
        (Type::List, Data::List(_)) | (Type::Table, Data::Map(_)) => true,
        _ => false,
    }
}

/// One call: positional arguments, then options by name.
#[derive(Clone, Debug)]
struct Case {
    positional: Vec<Data>,
    options: BTreeMap<&'static str, Data>,
    /// Set where the call must be refused because of its arguments.
    refused: bool,
}

fn cases(row: &Function) -> Vec<Case> {
    let positional: Vec<Data> = row
        .parameters
        .iter()
        .map(|parameter| (parameter.sample)())
        .collect();
    let options: BTreeMap<&str, Data> = row
        .options
        .iter()
        .map(|option| (option.name, (option.sample)()))
        .filter(|(_, sample)| *sample != Data::Nil)
        .collect();
    let good = Case {
        positional,
        options,
        refused: false,
    };
    let mut cases = vec![
        good.clone(),
        Case {
            options: BTreeMap::new(),
            ..good.clone()
        },
    ];
    cases.truncate(if row.options.iter().all(|option| option.is_optional()) {
        2
    } else {
        1
    });
    if let (Some((_, first)), true) = (good.positional.split_last(), row.owner != Owner::Set) {
        let left_out = &row.parameters[first.len()];
        let needed = !left_out.is_optional() && !may_be(&left_out.ty, &Data::Nil);
        cases.push(Case {
            positional: first.to_vec(),
            options: BTreeMap::new(),
            refused: needed,
        });
    }
    if row.owner != Owner::Set && row.owner != Owner::Get {
        let mut long = good.clone();
        while long.positional.len() <= row.most_arguments() {
            long.positional.push(Data::Bool(true));
        }
        cases.push(Case {
            options: BTreeMap::new(),
            refused: true,
            ..long
        });
    }
    for (index, parameter) in row.parameters.iter().enumerate() {
        for wrong in kinds() {
            let mut case = good.clone();
            case.refused =
                !(may_be(&parameter.ty, &wrong) || wrong == Data::Nil && parameter.is_optional());
            case.positional[index] = wrong;
            cases.push(case);
        }
    }
    for option in row.options {
        for wrong in kinds() {
            let mut case = good.clone();
            case.refused =
                !(may_be(&option.ty, &wrong) || wrong == Data::Nil && option.is_optional());
            case.options.insert(option.name, wrong);
            cases.push(case);
        }
    }
    if !row.options.is_empty() {
        let mut unknown = good.clone();
        unknown.options.insert("secondz", Data::Int(1));
        cases.push(Case {
            refused: true,
            ..unknown
        });
        let mut no_table = good;
        no_table.options.clear();
        no_table.positional.push(Data::Int(3));
        cases.push(Case {
            refused: true,
            ..no_table
        });
    }
    cases
}

fn literal(data: &Data, language: ScriptLanguage) -> String {
    let lua = language == ScriptLanguage::Lua;
    match data {
        Data::Nil => if lua { "nil" } else { "()" }.to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Number(value) => format!("{value:?}"),
        Data::Vec3(v) => format!("vec3({:?}, {:?}, {:?})", v.x, v.y, v.z),
        Data::Text(text) => format!("{text:?}"),
        Data::Actor(id) => format!("world.get({:?})", ["hero", "fox"][id.index as usize]),
        Data::List(items) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, language)).collect();
            if lua {
                format!("{{ {} }}", items.join(", "))
            } else {
                format!("[{}]", items.join(", "))
            }
        }
        Data::Map(map) => table(
            map.iter().map(|(name, data)| (name.as_str(), data)),
            language,
        ),
    }
}

fn table<'a>(
    entries: impl Iterator<Item = (&'a str, &'a Data)>,
    language: ScriptLanguage,
) -> String {
    let lua = language == ScriptLanguage::Lua;
    let entries: Vec<String> = entries
        .map(|(name, data)| {
            format!(
                "{name}{} {}",
                if lua { " =" } else { ":" },
                literal(data, language)
            )
        })
        .collect();
    format!("{}{{ {} }}", if lua { "" } else { "#" }, entries.join(", "))
}

fn code(row: &Function, case: &Case, language: ScriptLanguage) -> String {
    let lua = language == ScriptLanguage::Lua;
    let this = if lua { "self.actor" } else { "this.actor" };
    let mut arguments: Vec<String> = case
        .positional
        .iter()
        .map(|data| literal(data, language))
        .collect();
    if !case.options.is_empty() {
        arguments.push(table(
            case.options.iter().map(|(name, data)| (*name, data)),
            language,
        ));
    }
    let arguments = arguments.join(", ");
    let call = match row.owner {
        Owner::Global => format!("{}({arguments})", row.name),
        Owner::Service(service) => format!("{service}.{}({arguments})", row.name),
        Owner::Method => format!(
            "{this}{}{}({arguments})",
            if lua { ":" } else { "." },
            row.name
        ),
        Owner::Get => format!("{this}.{}", row.name),
        Owner::Set => return format!("{this}.{} = {arguments}", row.name),
    };
    if lua { format!("return {call}") } else { call }
}

/// Lua does not tell whole numbers from others.
fn alike(data: Data) -> Data {
    match data {
        Data::Int(value) => Data::Number(value as f64),
        Data::List(items) if items.is_empty() => Data::Map(BTreeMap::new()),
        Data::List(items) => Data::List(items.into_iter().map(alike).collect()),
        Data::Map(map) => {
            // Lua's tables hold no nothings.
            let entries = map.into_iter().filter(|(_, value)| *value != Data::Nil);
            Data::Map(entries.map(|(key, value)| (key, alike(value))).collect())
        }
        other => other,
    }
}

/// Everything that a call can change, as text.
fn state(world: &World) -> String {
    let mut text = format!(
        "{:?}\n{:?}\n{:?}\n{:?}\n",
        world.debug, world.camera, world.clock, world.timers
    );
    for actor in world.actors.iter() {
        text += &format!(
            "{} {:?} {} {} {:?} {:?} {:?} {:?} {:?}\n",
            actor.name,
            actor.tags,
            actor.alive,
            actor.visible,
            actor.tint,
            actor.requests,
            actor.attachment,
            actor.tweens,
            actor.random
        );
        if let Some(animation) = &actor.animation {
            text += &format!(
                "{:?} {:?} {:?}\n",
                animation.chains, animation.look, animation.state.speed
            );
            let state = &animation.state;
            for machine in &state.machines {
                text += &format!("{:?} {:?}\n", machine.request, machine.playing);
            }
            text += &format!(
                "{:?} {:?} {:?} {:?}\n",
                state.layers, state.slots, state.poses, state.parameters
            );
            text += &format!("{:?}\n", animation.motion);
        }
    }
    text
}

#[test]
fn every_row_does_the_same_in_both_languages() {
    let mut benches = [bench(ScriptLanguage::Lua), bench(ScriptLanguage::Rhai)];
    let templates = benches.each_ref().map(|bench| bench.world.clone());
    let mut count = 0;
    for row in api().filter(|row| row.languages == Languages::Both) {
        for (number, case) in cases(row).into_iter().enumerate() {
            let mut outcomes = Vec::new();
            for ((bench, template), language) in benches
                .iter_mut()
                .zip(&templates)
                .zip([ScriptLanguage::Lua, ScriptLanguage::Rhai])
            {
                bench.world = template.clone();
                let code = code(row, &case, language);
                let hero = bench.id("hero");
                let outcome = bench.host.evaluate(&mut bench.world, hero, 0, &code);
                let outcome = outcome
                    .map(alike)
                    .map_err(|fault| (fault.code, fault.message, fault.help));
                let sent = bench
                    .world
                    .messages
                    .take_due()
                    .into_iter()
                    .map(|message| (message.to, message.name, alike(message.data)));
                let state = format!("{}{:?}", state(&bench.world), sent.collect::<Vec<_>>());
                // The scripts' own names are all that may differ.
                for actor in bench.world.actors.iter_mut() {
                    actor.scripts.clear();
                }
                outcomes.push((code, outcome, hash(&bench.world, &NoScripts), state));
                bench.host.take_log();
            }
            let [lua, rhai] = <[_; 2]>::try_from(outcomes).expect("two languages");
            assert_eq!(lua.1, rhai.1, "{}: {} | {}", row.path(), lua.0, rhai.0);
            assert_eq!(lua.3, rhai.3, "{}: {} | {}", row.path(), lua.0, rhai.0);
            assert_eq!(lua.2, rhai.2, "{}: {} | {}", row.path(), lua.0, rhai.0);
            if number == 0 {
                assert!(lua.1.is_ok(), "{}: {} gives {:?}", row.path(), lua.0, lua.1);
            }
            if case.refused {
                let refused = lua.1.expect_err(&lua.0);
                let codes = ["E-SCRIPT-ARGUMENT", "E-SCRIPT-ARGUMENTS", "E-SCRIPT-OPTION"];
                assert!(
                    codes.contains(&refused.0.as_str()),
                    "{}: {} gives {refused:?}",
                    row.path(),
                    lua.0
                );
            }
            count += 1;
        }
    }
    assert!(count > 1000, "{count} calls");
}

#[test]
fn rows_of_lua_alone_refuse_wrong_values_in_the_same_words() {
    let mut bench = bench(ScriptLanguage::Lua);
    let hero = bench.id("hero");
    let cases = [
        ("start(5)", "`body` must be a function, got 5"),
        ("start()", "`body` must be a function, got nothing"),
        (
            "start(function() end, 2)",
            "`start` takes at most 1 argument, got 2",
        ),
        (
            "wait('long')",
            "`seconds` must be a number of seconds, got \"long\"",
        ),
        (
            "wait_frames(1.5)",
            "`frames` must be a whole number, got 1.5",
        ),
        (
            "wait(1)",
            "`wait` works only inside `start(function() ... end)`",
        ),
    ];
    for (code, expected) in cases {
        let fault = bench
            .host
            .evaluate(&mut bench.world, hero, 0, code)
            .expect_err(code);
        assert_eq!(fault.message, expected, "{code}");
    }
}

/// The committed definitions and the reference are what the table says; `SINEW_UPDATE=1` rewrites them.
#[test]
fn generated_documents_are_current() {
    for (path, text) in sinew_script::documents() {
        let file = crate::scripts::bench::project().join(path);
        if std::env::var_os("SINEW_UPDATE").is_some() {
            std::fs::create_dir_all(file.parent().expect("in a folder")).expect("a folder");
            std::fs::write(&file, &text).expect("a file");
        }
        let committed = std::fs::read_to_string(&file)
            .unwrap_or_default()
            .replace("\r\n", "\n");
        assert!(
            committed == text,
            "{path} is out of date; SINEW_UPDATE=1 rewrites it"
        );
    }
}
