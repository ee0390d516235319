//! The API table as Rhai functions: one loop.

use std::{any::TypeId, array, collections::BTreeMap};

use rhai::{Dynamic, Engine, EvalAltResult, ImmutableString, Map, Position};
use sinew_world::{ActorId, Data};

use super::values::{GraphHandle, Service, data_of, native, simple, text_of};
use crate::{
    api::{self, ApiError, Function, Languages, MAX_VALUES, Owner},
    lua::takes_data,
    stage::{NOBODY, SharedStage},
    value::Value,
};

/// Tells where a call stands in a script, as `file:line`.
type Place<'p> = dyn Fn() -> Option<String> + 'p;

pub(super) type Outcome<T> = Result<T, Box<EvalAltResult>>;

/// An error of ours as one of Rhai's; its position is filled in by the call.
pub(super) fn raise(error: ApiError) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorRuntime(
        Dynamic::from(error),
        Position::NONE,
    ))
}

/// Registers every row for each number of arguments, with arguments of any type, so that wrong calls get our words.
pub(super) fn add(engine: &mut Engine, stage: &SharedStage) {
    let mut of_services: BTreeMap<&'static str, Vec<&'static Function>> = BTreeMap::new();
    for row in api::api().filter(|row| row.languages == Languages::Both) {
        match row.owner {
            Owner::Global => add_counts(engine, row.name, row.most_arguments(), None, {
                let stage = stage.clone();
                move |place, arguments| call(&stage, row, NOBODY, arguments, place)
            }),
            Owner::Method => add_counts(
                engine,
                row.name,
                row.most_arguments(),
                Some(TypeId::of::<ActorId>()),
                {
                    let stage = stage.clone();
                    move |place, arguments| {
                        let (receiver, arguments) = arguments
                            .split_first()
                            .ok_or_else(|| ApiError::invalid("no actor"))?;
                        let actor = receiver
                            .read_lock::<ActorId>()
                            .map_or(NOBODY, |actor| *actor);
                        call(&stage, row, actor, arguments, place)
                    }
                },
            ),
            Owner::Service(_) => of_services.entry(row.name).or_default().push(row),
            Owner::Get => add_getter(engine, stage, row),
            Owner::Set => add_setter(engine, stage, row),
        }
    }
    for (name, rows) in of_services {
        let most = rows
            .iter()
            .map(|row| row.most_arguments())
            .max()
            .unwrap_or(0);
        let stage = stage.clone();
        add_counts(
            engine,
            name,
            most,
            Some(TypeId::of::<Service>()),
            move |place, arguments| {
                let (receiver, arguments) = arguments
                    .split_first()
                    .ok_or_else(|| ApiError::invalid("no service"))?;
                let service = receiver
                    .read_lock::<Service>()
                    .map_or("", |service| service.0);
                let owner = Owner::Service(service);
                match rows.iter().find(|row| row.owner == owner) {
                    Some(row) => call(&stage, row, NOBODY, arguments, place),
                    None => Err(api::unknown(owner, name)),
                }
            },
        );
    }
}

/// Registers a function for 0 to `most` arguments and one more, which shows a surplus one.
fn add_counts(
    engine: &mut Engine,
    name: &'static str,
    most: usize,
    receiver: Option<TypeId>,
    body: impl Fn(&Place<'_>, &[&mut Dynamic]) -> Result<Dynamic, ApiError>
    + Send
    + Sync
    + Clone
    + 'static,
) {
    for count in 0..=most + 1 {
        let mut types: Vec<TypeId> = receiver.into_iter().collect();
        types.extend((0..count).map(|_| TypeId::of::<Dynamic>()));
        let body = body.clone();
        engine.register_raw_fn(name, types, move |context, arguments| {
            let place = || {
                let line = context.call_position().line()?;
                Some(format!("{}:{line}", context.call_source()?))
            };
            body(&place, arguments).map_err(raise)
        });
    }
}

fn add_getter(engine: &mut Engine, stage: &SharedStage, row: &'static Function) {
    let stage = stage.clone();
    engine.register_get(row.name, move |actor: &mut ActorId| -> Outcome<Dynamic> {
        call(&stage, row, *actor, &[], &|| None).map_err(raise)
    });
}

fn add_setter(engine: &mut Engine, stage: &SharedStage, row: &'static Function) {
    let stage = stage.clone();
    engine.register_set(
        row.name,
        move |actor: &mut ActorId, mut value: Dynamic| -> Outcome<()> {
            call(&stage, row, *actor, &[&mut value], &|| None)
                .map(|_| ())
                .map_err(raise)
        },
    );
}

fn call(
    stage: &SharedStage,
    row: &'static Function,
    actor: ActorId,
    arguments: &[&mut Dynamic],
    place: &Place<'_>,
) -> Result<Dynamic, ApiError> {
    // Trailing nothings are the same as no arguments, as in Lua.
    let count = arguments
        .iter()
        .rposition(|argument| !argument.is_unit())
        .map_or(0, |last| last + 1);
    row.check_count(count)?;
    let positional = row.parameters.len();
    let options = match arguments
        .get(positional)
        .filter(|argument| !argument.is_unit())
    {
        Some(given) => Some(read_options(row, given)?),
        None => None,
    };
    let empty = Dynamic::UNIT;
    let natives: [&Dynamic; MAX_VALUES] =
        array::from_fn(|index| match index.checked_sub(positional) {
            None => arguments.get(index).map_or(&empty, |argument| &**argument),
            Some(option) => options
                .as_ref()
                .and_then(|options| options.get(option))
                .unwrap_or(&empty),
        });
    let natives = &natives[..positional + row.options.len()];
    let texts: [Option<ImmutableString>; MAX_VALUES] =
        array::from_fn(|index| natives.get(index).and_then(|native| text_of(native)));
    let mut datas: [Data; MAX_VALUES] = [const { Data::Nil }; MAX_VALUES];
    let parameters = row.parameters.iter().chain(row.options);
    for ((native, parameter), data) in natives.iter().zip(parameters).zip(&mut datas) {
        if (native.is_map() || native.is_array()) && takes_data(&parameter.ty) {
            *data =
                data_of(native).map_err(|error| error.within(parameter.name).about(row.name))?;
        }
    }
    let graph = natives.iter().find_map(|native| {
        let handle = native.read_lock::<GraphHandle>()?;
        Some(handle.0.clone())
    });
    let values: [Value<'_>; MAX_VALUES] =
        array::from_fn(|index| match (natives.get(index), &datas[index], &graph) {
            (None, ..) => Value::Nil,
            (Some(native), _, Some(graph)) if native.is::<GraphHandle>() => Value::Graph(graph),
            (Some(native), Data::Nil, _) => simple(native, texts[index].as_deref()),
            (Some(_), data, _) => Value::Data(data),
        });
    stage
        .invoke(row, actor, &values[..natives.len()], place)
        .map(|result| native(&result))
}

/// The values of a map of options in the order of the row.
fn read_options(row: &'static Function, given: &Dynamic) -> Result<Vec<Dynamic>, ApiError> {
    let text = text_of(given);
    let Some(map) = given.read_lock::<Map>() else {
        return Err(row.no_options(&simple(given, text.as_deref())));
    };
    for key in map.keys() {
        row.check_option(key)?;
    }
    Ok(row
        .options
        .iter()
        .map(|option| map.get(option.name).cloned().unwrap_or_default())
        .collect())
}
