//! `graph(#{ ... })` and `graph.load(path)` in Rhai.

use std::any::TypeId;

use rhai::{Dynamic, Engine, Position};

use super::{
    bind::raise,
    values::{GraphHandle, Service, data_of, simple, text_of},
};
use crate::{
    api::{self, ApiError, Owner},
    graph_value,
    stage::SharedStage,
};

/// Registers both.
pub(super) fn add(engine: &mut Engine, stage: &SharedStage) {
    let makes = stage.clone();
    let types = [TypeId::of::<Dynamic>()];
    engine.register_raw_fn("graph", types, move |context, arguments| {
        let data = data_of(arguments[0]).map_err(raise)?;
        let def = graph_value::from_data(&data, 0).map_err(raise)?;
        let line = line_of(context.call_position());
        let graph = graph_value::made(&makes, def, line);
        Ok(Dynamic::from(GraphHandle(graph)))
    });
    let stage = stage.clone();
    let types = [TypeId::of::<Service>(), TypeId::of::<Dynamic>()];
    engine.register_raw_fn("load", types, move |context, arguments| {
        let service = arguments[0]
            .read_lock::<Service>()
            .map_or("", |service| service.0);
        if service != "graph" {
            return Err(raise(api::unknown(
                Owner::Service(service_name(service)),
                "load",
            )));
        }
        let Some(path) = text_of(arguments[1]) else {
            let message = format!(
                "`path` must be text, got {}",
                simple(arguments[1], None).words()
            );
            return Err(raise(
                ApiError::new("E-SCRIPT-ARGUMENT", message).about("load"),
            ));
        };
        let line = line_of(context.call_position());
        let graph = graph_value::load(&stage, &path, line).map_err(raise)?;
        Ok(Dynamic::from(GraphHandle(graph)))
    });
}

fn service_name(name: &str) -> &'static str {
    api::services()
        .into_iter()
        .find(|service| *service == name)
        .unwrap_or("graph")
}

fn line_of(position: Position) -> u32 {
    position.line().unwrap_or(0) as u32
}
