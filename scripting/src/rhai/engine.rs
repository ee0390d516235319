//! A Rhai engine in which untrusted scripts may run: packages by name, every limit set.

use std::sync::Arc;

use glam::Vec3;
use rhai::{
    Dynamic, Engine, FLOAT, INT, ImmutableString, OptimizationLevel,
    packages::{
        ArithmeticPackage, BasicArrayPackage, BasicFnPackage, BasicIteratorPackage,
        BasicMapPackage, BasicMathPackage, BasicStringPackage, LanguageCorePackage, LogicPackage,
        MoreStringPackage, Package,
    },
};
use sinew_world::ActorId;

use super::{
    bind::{self, Outcome, raise},
    graph,
    modules::{END, Modules},
    values::{GraphHandle, PropsValue, Service, native},
};
use crate::{
    api::{self, ApiError, Owner},
    budget, properties,
    stage::{NOBODY, SharedStage},
    value::Value,
};

/// An engine for one mod.
pub(super) fn create(stage: &SharedStage, modules: &Modules) -> Engine {
    let mut engine = Engine::new_raw();
    LanguageCorePackage::new().register_into_engine(&mut engine);
    ArithmeticPackage::new().register_into_engine(&mut engine);
    LogicPackage::new().register_into_engine(&mut engine);
    BasicMathPackage::new().register_into_engine(&mut engine);
    BasicStringPackage::new().register_into_engine(&mut engine);
    MoreStringPackage::new().register_into_engine(&mut engine);
    BasicIteratorPackage::new().register_into_engine(&mut engine);
    BasicArrayPackage::new().register_into_engine(&mut engine);
    BasicMapPackage::new().register_into_engine(&mut engine);
    BasicFnPackage::new().register_into_engine(&mut engine);
    set_limits(&mut engine);
    add_types(&mut engine);
    add_vectors(&mut engine);
    add_props(&mut engine, stage);
    bind::add(&mut engine, stage);
    graph::add(&mut engine, stage);
    add_names(&mut engine, modules);
    engine.set_module_resolver(modules.clone());
    add_print(&mut engine, stage);
    engine
}

fn set_limits(engine: &mut Engine) {
    engine
        .set_optimization_level(OptimizationLevel::None)
        .set_max_call_levels(64)
        .set_max_string_size(1 << 20)
        .set_max_array_size(100_000)
        .set_max_map_size(100_000)
        .set_max_variables(1000)
        .set_max_functions(1000)
        // Each `import` that runs counts, also that of a module that is loaded; the library has limits of its own.
        .set_max_modules(usize::MAX)
        .set_max_expr_depths(64, 32)
        .set_max_strings_interned(1000)
        .disable_symbol("eval");
    engine.on_progress(|_| budget::spend().then_some(Dynamic::UNIT));
    // The core package brings a `sleep`; no function of a script may hold the game up.
    engine.register_fn("sleep", |_: INT| -> Outcome<()> { Err(no_sleep()) });
    engine.register_fn("sleep", |_: FLOAT| -> Outcome<()> { Err(no_sleep()) });
}

fn no_sleep() -> Box<rhai::EvalAltResult> {
    raise(
        ApiError::new("E-SCRIPT-NAME", "there is no `sleep` here")
            .about("sleep")
            .help("`after` calls a function later"),
    )
}

fn add_types(engine: &mut Engine) {
    engine
        .register_type_with_name::<Vec3>("vector")
        .register_type_with_name::<ActorId>("actor")
        .register_type_with_name::<Service>("service")
        .register_type_with_name::<GraphHandle>("graph")
        .register_type_with_name::<PropsValue>("props")
        .register_type_with_name::<ApiError>("error")
        .register_fn("to_string", |error: &mut ApiError| error.message.clone())
        .register_get("message", |error: &mut ApiError| error.message.clone())
        .register_fn("==", |a: ActorId, b: ActorId| a == b)
        .register_fn("!=", |a: ActorId, b: ActorId| a != b);
}

fn add_vectors(engine: &mut Engine) {
    engine
        .register_get_set(
            "x",
            |v: &mut Vec3| FLOAT::from(v.x),
            |v: &mut Vec3, x: FLOAT| v.x = x as f32,
        )
        .register_get_set(
            "y",
            |v: &mut Vec3| FLOAT::from(v.y),
            |v: &mut Vec3, y: FLOAT| v.y = y as f32,
        )
        .register_get_set(
            "z",
            |v: &mut Vec3| FLOAT::from(v.z),
            |v: &mut Vec3, z: FLOAT| v.z = z as f32,
        )
        .register_set("x", |v: &mut Vec3, x: INT| v.x = x as f32)
        .register_set("y", |v: &mut Vec3, y: INT| v.y = y as f32)
        .register_set("z", |v: &mut Vec3, z: INT| v.z = z as f32)
        .register_fn("+", |a: Vec3, b: Vec3| a + b)
        .register_fn("-", |a: Vec3, b: Vec3| a - b)
        .register_fn("*", |a: Vec3, b: Vec3| a * b)
        .register_fn("/", |a: Vec3, b: Vec3| a / b)
        .register_fn("*", |a: Vec3, b: FLOAT| a * b as f32)
        .register_fn("*", |a: FLOAT, b: Vec3| b * a as f32)
        .register_fn("/", |a: Vec3, b: FLOAT| a / b as f32)
        .register_fn("*", |a: Vec3, b: INT| a * b as f32)
        .register_fn("*", |a: INT, b: Vec3| b * a as f32)
        .register_fn("/", |a: Vec3, b: INT| a / b as f32)
        .register_fn("-", |a: Vec3| -a)
        .register_fn("==", |a: Vec3, b: Vec3| a == b)
        .register_fn("!=", |a: Vec3, b: Vec3| a != b)
        .register_fn("to_string", |v: &mut Vec3| {
            format!("({}, {}, {})", v.x, v.y, v.z)
        });
}

fn add_props(engine: &mut Engine, stage: &SharedStage) {
    let stage = stage.clone();
    engine.register_indexer_get(
        move |props: &mut PropsValue, name: ImmutableString| -> Outcome<Dynamic> {
            if let Some(value) = props.values.get(name.as_str()) {
                return Ok(value.clone());
            }
            match props.known.actors.get(name.as_str()) {
                Some(actor) => {
                    let found = stage.lock().world.actors.find(actor).map(|actor| actor.id);
                    Ok(found.map_or(Dynamic::UNIT, Dynamic::from))
                }
                None => Err(raise(properties::undeclared(&name, &props.known))),
            }
        },
    );
}

/// Services and top-level constants, which functions see through this alone.
#[expect(
    deprecated,
    reason = "not deprecated but called volatile by its authors; the version is pinned"
)]
fn add_names(engine: &mut Engine, modules: &Modules) {
    let services = api::services();
    let modules = modules.clone();
    engine.on_var(move |name, index, context| {
        // A local variable of the function, known since it was compiled.
        if index > 0 {
            return Ok(None);
        }
        if let Some(service) = services.iter().find(|service| **service == name) {
            return Ok(Some(Dynamic::from(Service(service))));
        }
        if name == "graph" {
            return Ok(Some(Dynamic::from(Service("graph"))));
        }
        if name == END {
            modules.catch(context.scope());
            return Ok(Some(Dynamic::UNIT));
        }
        let source = context.source();
        Ok(source.and_then(|source| modules.constant(source, name)))
    });
}

fn add_print(engine: &mut Engine, stage: &SharedStage) {
    let Some(info) = api::find(Owner::Service("log"), "info") else {
        return;
    };
    let printed = stage.clone();
    engine.on_print(move |text| {
        let _ = printed.invoke(info, NOBODY, &[Value::Text(text)], &|| None);
    });
    let debugged = stage.clone();
    engine.on_debug(move |text, _, _| {
        let _ = debugged.invoke(info, NOBODY, &[Value::Text(text)], &|| None);
    });
}

/// `this.props` of an instance.
pub(super) fn props_value(props: &properties::Props) -> Dynamic {
    let values = props
        .values
        .iter()
        .map(|(name, value)| (name.clone(), native(value)))
        .collect();
    Dynamic::from(PropsValue {
        values: Arc::new(values),
        known: Arc::new(props.clone()),
    })
}
