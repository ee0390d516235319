//! A script's table as a graph definition.

use serde_json::{Map, Number, Value as Json};
use sinew_anim::{GraphDef, GraphError};
use sinew_world::{Data, WorldError};

use crate::{
    api::{ApiError, Call},
    budget,
    language::ScriptGraph,
    stage::{SharedStage, Stage},
};

/// What reading a graph costs, in steps of the budget.
const GRAPH_STEPS: u64 = 5_000;

/// Reads a graph from a script's table; lists are counted from `first` in messages.
pub(crate) fn from_data(data: &Data, first: usize) -> Result<GraphDef, ApiError> {
    budget::charge(GRAPH_STEPS);
    if !matches!(data, Data::Map(_)) {
        return Err(ApiError::new(
            "E-GRAPH-WRONG-TYPE",
            format!("a graph is a table, not {}", data.kind()),
        )
        .about("graph"));
    }
    GraphDef::from_value(json(data)?).map_err(|error| api_error(error, first))
}

/// A graph that a script wrote in this line.
pub(crate) fn made(stage: &SharedStage, def: GraphDef, line: u32) -> ScriptGraph {
    ScriptGraph {
        def: def.into(),
        file: None,
        space: stage.lock().host.caller.space.to_string(),
        line,
    }
}

/// Reads a graph from a file.
pub(crate) fn load(stage: &SharedStage, text: &str, line: u32) -> Result<ScriptGraph, ApiError> {
    let mut stage = stage.lock();
    let Stage { world, host, .. } = &mut *stage;
    let graph = read(&mut Call { world, host }, text)?;
    Ok(ScriptGraph { line, ..graph })
}

/// Reads a graph from a file; the line is unknown.
pub(crate) fn read(call: &mut Call<'_>, text: &str) -> Result<ScriptGraph, ApiError> {
    let path = call.path(text)?;
    let graph = call.world.assets.graph(&path).map_err(WorldError::Asset)?;
    Ok(ScriptGraph {
        def: graph.value,
        space: path.space.clone(),
        file: Some(path),
        line: 0,
    })
}

/// A graph's error in a script's words: the place in the table as the script would write it.
pub(crate) fn api_error(error: GraphError, first: usize) -> ApiError {
    let place = readable(&error.pointer, first);
    let message = if place.is_empty() {
        format!("graph: {}", error.message)
    } else {
        format!("graph, at `{place}`: {}", error.message)
    };
    let last = error
        .pointer
        .rsplit('/')
        .find(|step| step.parse::<usize>().is_err());
    let quoted = error.message.split('`').nth(1);
    let token = match error.code {
        "E-GRAPH-UNKNOWN-KEY" | "E-GRAPH-UNKNOWN-WORD" => quoted.or(last),
        _ => quoted.filter(|word| error.pointer.contains(word)).or(last),
    };
    let nearest = error
        .help
        .as_deref()
        .and_then(|help| help.strip_prefix("did you mean `")?.strip_suffix("`?"));
    let mut made = ApiError::new(error.code, message);
    made.token = token.filter(|token| !token.is_empty()).map(str::to_owned);
    made.replacement = nearest.map(str::to_owned);
    made.pointer = Some(error.pointer);
    made.help = error.help;
    made
}

/// `/layers/0/states/walk` as `layers[1].states.walk`.
pub(crate) fn readable(pointer: &str, first: usize) -> String {
    let mut place = String::new();
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        match step.parse::<usize>() {
            Ok(index) => place.push_str(&format!("[{}]", index + first)),
            Err(_) if place.is_empty() => place.push_str(&step),
            Err(_) => {
                place.push('.');
                place.push_str(&step);
            }
        }
    }
    place
}

fn json(data: &Data) -> Result<Json, ApiError> {
    Ok(match data {
        Data::Nil => Json::Null,
        Data::Bool(value) => Json::Bool(*value),
        Data::Int(value) => Json::Number((*value).into()),
        Data::Number(value) => number(*value)?,
        Data::Vec3(value) => Json::from(value.to_array().to_vec()),
        Data::Text(text) => Json::String(text.clone()),
        Data::Actor(_) => {
            return Err(
                ApiError::new("E-GRAPH-WRONG-TYPE", "a graph cannot hold an actor").about("graph"),
            );
        }
        Data::List(items) => Json::Array(items.iter().map(json).collect::<Result<_, _>>()?),
        Data::Map(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| Ok((key.clone(), json(value)?)));
            Json::Object(entries.collect::<Result<Map<_, _>, ApiError>>()?)
        }
    })
}

/// Lua's numbers are all alike: a whole one may stand where whole numbers belong.
fn number(value: f64) -> Result<Json, ApiError> {
    if let Some(whole) = crate::value::whole(value) {
        return Ok(Json::Number(whole.into()));
    }
    Number::from_f64(value).map(Json::Number).ok_or_else(|| {
        ApiError::new(
            "E-GRAPH-NOT-FINITE",
            format!("a graph cannot hold the number {value}"),
        )
        .about("graph")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_as_the_script_writes_them() {
        assert_eq!(
            readable("/layers/0/states/walk/clip", 1),
            "layers[1].states.walk.clip"
        );
        assert_eq!(
            readable("/layers/0/transitions/2", 0),
            "layers[0].transitions[2]"
        );
        assert_eq!(readable("", 1), "");
    }
}
