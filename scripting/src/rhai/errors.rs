//! Rhai's errors as diagnostics.

use rhai::{EvalAltResult, ParseError, Position};
use sinew_anim::nearest;

use crate::{
    api::{self, ApiError, Owner},
    budget,
    language::Source,
    report::{Frame, Report, cut, line_range},
};

/// What is wrong with the syntax of a file.
pub(super) fn syntax(error: &ParseError, source: &Source) -> Report {
    let mut message = error.0.to_string();
    if let Some(first) = message.chars().next() {
        message.replace_range(..first.len_utf8(), &first.to_lowercase().to_string());
    }
    let frame = frame_at(source, error.1, None);
    Report {
        error: ApiError::new("E-SCRIPT-SYNTAX", cut(&message)),
        frames: vec![frame],
    }
}

/// What is wrong, where, and how the script came there. `entry` is the function of `source` that the host called,
/// `files` where errors may be, `own` the functions and constants of the script.
pub(super) fn report(
    error: Box<EvalAltResult>,
    source: &Source,
    files: &[&Source],
    entry: &str,
    own: &[String],
) -> Report {
    let mut frames = Vec::new();
    let mut function = entry.to_owned();
    let mut source = source;
    let mut error = error;
    loop {
        let (name, shown, inner, position) = match *error {
            EvalAltResult::ErrorInFunctionCall(name, shown, inner, position) => {
                (name, shown, inner, position)
            }
            EvalAltResult::ErrorInModule(shown, inner, position) => {
                (String::new(), shown, inner, position)
            }
            other => {
                *error = other;
                break;
            }
        };
        frames.push(frame_at(source, position, Some(&function)));
        function = name;
        source = files
            .iter()
            .find(|file| file.shown == shown)
            .unwrap_or(&source);
        error = inner;
    }
    let position = error.take_position();
    frames.push(frame_at(source, position, Some(&function)));
    frames.reverse();
    let error = explain(*error, source, position, own);
    Report { error, frames }
}

fn frame_at(source: &Source, position: Position, function: Option<&str>) -> Frame {
    // A stopped script has no position: its function is shown.
    let line = position.line().map(|line| line as u32);
    let line = line.or_else(|| function.and_then(|name| line_of_function(&source.text, name)));
    Frame {
        file: Some(source.shown.clone()),
        line: line.unwrap_or(0),
        column: position.position().unwrap_or(0) as u32,
        function: function.filter(|name| !name.is_empty()).map(str::to_owned),
    }
}

/// The line, from 1, where a function begins.
pub(super) fn line_of_function(text: &str, name: &str) -> Option<u32> {
    let start = |line: &str| {
        line.trim_start()
            .trim_start_matches("private ")
            .strip_prefix("fn ")
            .map(|rest| rest.trim_start().to_owned())
    };
    let found = text.lines().position(|line| {
        start(line).is_some_and(|rest| {
            rest.strip_prefix(name)
                .is_some_and(|rest| rest.trim_start().starts_with('('))
        })
    });
    found.map(|line| line as u32 + 1)
}

fn explain(error: EvalAltResult, source: &Source, position: Position, own: &[String]) -> ApiError {
    if budget::is_over() || matches!(error, EvalAltResult::ErrorTerminated(..)) {
        return ApiError::new("E-SCRIPT-BUDGET", "the script ran too long and was stopped").help(
            "is there a loop that never ends? a long job can be spread over steps with `after`",
        );
    }
    match error {
        EvalAltResult::ErrorRuntime(value, _) => {
            if let Some(refused) = value.read_lock::<ApiError>() {
                return refused.clone();
            }
            let text = match value.read_lock::<rhai::ImmutableString>() {
                Some(text) => text.to_string(),
                None => format!("the script threw {}", super::values::kind(&value)),
            };
            ApiError::new("E-SCRIPT-ERROR", cut(&text))
        }
        EvalAltResult::ErrorFunctionNotFound(signature, _) => {
            no_function(&signature, source, position, own)
        }
        EvalAltResult::ErrorVariableNotFound(name, _) => no_name(&name, own),
        EvalAltResult::ErrorDotExpr(text, _) => no_property(&text),
        EvalAltResult::ErrorStackOverflow(_) => {
            ApiError::new("E-SCRIPT-STACK", "functions call each other too deep")
                .help("does a function call itself without end?")
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => ApiError::new(
            "E-SCRIPT-MEMORY",
            format!("the scripts of this mod use too much memory ({what})"),
        ),
        EvalAltResult::ErrorParsing(kind, _) => {
            ApiError::new("E-SCRIPT-SYNTAX", cut(&lower_first(&kind.to_string())))
        }
        EvalAltResult::ErrorModuleNotFound(name, _) => {
            let imports = own.iter().filter_map(|name| Some(name.split_once("::")?.0));
            let error = ApiError::new("E-SCRIPT-NAME", format!("there is no module `{name}` here"))
                .about(&name);
            match nearest(&name, imports) {
                Some(near) => error.nearest(near),
                None => error.help(format!("write `import \"path\" as {name};` at the top")),
            }
        }
        EvalAltResult::ErrorArithmetic(text, _) => ApiError::new("E-SCRIPT-ERROR", cut(&text)),
        other => ApiError::new("E-SCRIPT-ERROR", cut(&lower_first(&other.to_string()))),
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(letters).collect()
    })
}

/// `set_flaot (actor, &str | ImmutableString | String, f64)`: whose function is missing shows in the first argument.
fn no_function(signature: &str, source: &Source, position: Position, own: &[String]) -> ApiError {
    let (name, arguments) = signature.split_once(" (").unwrap_or((signature, ""));
    let receiver = arguments.split([',', ')']).next().unwrap_or("").trim();
    if receiver == "actor" {
        return api::unknown(Owner::Method, name);
    }
    if receiver == "service" {
        let line = line_range(&source.text, position.line().unwrap_or(0) as u32);
        let line = &source.text[line];
        let service = api::services()
            .into_iter()
            .find(|service| line.contains(&format!("{service}.{name}")));
        if let Some(service) = service {
            return api::unknown(Owner::Service(service), name);
        }
    }
    if arguments.starts_with("()") && api::find(Owner::Method, name).is_some() {
        return nothing(name);
    }
    let known = api::api()
        .filter(|row| row.owner == Owner::Global)
        .map(|row| row.name);
    let error = ApiError::new(
        "E-SCRIPT-NAME",
        format!("there is no function `{name}` for these arguments"),
    )
    .about(name);
    match nearest(name, known.chain(own.iter().map(String::as_str))).filter(|near| *near != name) {
        Some(near) => error.nearest(near),
        None if own.iter().any(|known| known == name) => {
            error.help(format!("functions that use `this` are called as `this.{name}(...)`; does the number of arguments fit?"))
        }
        None => error,
    }
}

fn no_name(name: &str, own: &[String]) -> ApiError {
    let services = api::services();
    let known = services.into_iter().chain(own.iter().map(String::as_str));
    let error = ApiError::new("E-SCRIPT-NAME", format!("there is no `{name}` here")).about(name);
    match nearest(name, known) {
        Some(near) => error.nearest(near),
        None => error.help(format!("declare it with `let {name} = ...`")),
    }
}

/// Something that `()` was asked for.
fn nothing(name: &str) -> ApiError {
    ApiError::new(
        "E-SCRIPT-NIL",
        format!("`{name}` is asked of nothing (`()`)"),
    )
    .about(name)
    .help("what stands in front of it is `()` here")
}

/// `Unknown property 'speeed' - a getter is not registered for type 'actor'`.
fn no_property(text: &str) -> ApiError {
    let mut quoted = text.split('\'').skip(1).step_by(2);
    let (Some(name), Some(owner)) = (quoted.next(), quoted.next()) else {
        return ApiError::new("E-SCRIPT-ERROR", cut(text));
    };
    match owner {
        "actor" if text.contains("setter") => crate::lua::cannot_set(name),
        "actor" => api::unknown(Owner::Method, name),
        "props" => ApiError::new("E-SCRIPT-READ-ONLY", "properties are read-only").about(name),
        "()" => nothing(name),
        owner => ApiError::new(
            "E-SCRIPT-NAME",
            format!("there is no property `{name}` of {owner}"),
        )
        .about(name),
    }
}
