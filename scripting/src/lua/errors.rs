//! Lua's errors as diagnostics.

use mlua::Error;
use sinew_anim::nearest;

use crate::{
    api::ApiError,
    budget,
    language::Source,
    report::{Frame, Report, cut},
};

/// What is wrong, where, and how the script came there.
pub(super) fn report(
    error: &Error,
    sources: &[&Source],
    names: &dyn Fn() -> Vec<String>,
) -> Report {
    let mut calls = Vec::new();
    let mut cause = error;
    while let Error::CallbackError {
        traceback,
        cause: inner,
    } = cause
    {
        let mut frames = vec![Frame::engine()];
        frames.extend(stack(traceback, sources));
        calls.push(frames);
        cause = inner;
    }
    // An error that came through one function of the engine and then through another, as a module's does.
    let mut frames: Vec<Frame> = calls.into_iter().rev().flatten().collect();
    if let Error::ExternalError(inner) = cause
        && let Some(refused) = inner.downcast_ref::<ApiError>()
    {
        return Report {
            error: refused.clone(),
            frames,
        };
    }
    let (text, code) = match cause {
        Error::SyntaxError { message, .. } => (message.as_str(), "E-SCRIPT-SYNTAX"),
        Error::RuntimeError(message) => (message.as_str(), "E-SCRIPT-ERROR"),
        Error::MemoryError(_) => ("not enough memory", "E-SCRIPT-MEMORY"),
        _ => ("", "E-SCRIPT-ERROR"),
    };
    let other = cause.to_string();
    let text = if text.is_empty() {
        other.as_str()
    } else {
        text
    };
    let text = without_prelude(text);
    let (text, trace) = text.split_once("\nstack traceback:").unwrap_or((text, ""));
    let (place, message) = split_place(text, sources);
    let more = stack(trace, sources).into_iter();
    let more = more.filter(|frame| place.as_ref().is_none_or(|place| !frame.same_place(place)));
    let innermost: Vec<Frame> = place.iter().cloned().chain(more).collect();
    frames.splice(0..0, innermost);
    let error = explain(code, &cut(message), names);
    Report { error, frames }
}

/// A message without the place in our own Lua code that it names.
pub(super) fn without_prelude(text: &str) -> &str {
    let rest = text
        .strip_prefix("[sinew]:")
        .and_then(|rest| rest.split_once(": "));
    rest.filter(|(line, _)| line.bytes().all(|byte| byte.is_ascii_digit()))
        .map_or(text, |(_, message)| message)
}

/// What `error` was given where that was no text: its kind, since Luau names an address, which differs from run to run.
fn thrown(message: &str) -> Option<&'static str> {
    let kind = message.split_once(": 0x").map_or(message, |(kind, _)| kind);
    Some(match (kind, message) {
        (_, "nil") => "nothing",
        (_, "true" | "false") => "true or false",
        ("table", _) => "a table",
        ("function", _) => "a function",
        ("thread", _) => "a coroutine",
        ("buffer", _) => "a buffer",
        ("userdata", _) => "a graph",
        _ => return None,
    })
    .filter(|_| kind != message || matches!(message, "nil" | "true" | "false"))
}

/// Luau's messages in our words, with the word of the line that they are about.
fn explain(code: &str, message: &str, names: &dyn Fn() -> Vec<String>) -> ApiError {
    if budget::is_over() || message.ends_with("the script ran too long") {
        return ApiError::new("E-SCRIPT-BUDGET", "the script ran too long and was stopped")
            .help("is there a loop that never ends? a long job can be spread over steps with `start` and `wait_frames`");
    }
    if message.starts_with("stack overflow") || message.ends_with("C stack overflow") {
        return ApiError::new("E-SCRIPT-STACK", "functions call each other too deep")
            .help("does a function call itself without end?");
    }
    if message.contains("not enough memory") {
        return ApiError::new(
            "E-SCRIPT-MEMORY",
            "the scripts of this mod use too much memory",
        );
    }
    if let Some(kind) = thrown(message) {
        return ApiError::new(code, format!("the script threw {kind}"));
    }
    let quoted = message.split('\'').nth(1);
    if let Some(name) = message
        .strip_prefix("attempt to call missing method '")
        .and_then(|rest| rest.split('\'').next())
    {
        let error =
            ApiError::new("E-SCRIPT-NAME", format!("there is no method `{name}`")).about(name);
        let known = names();
        return match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => error.nearest(near),
            None => error,
        };
    }
    if let (Some(name), true) = (quoted, message.starts_with("attempt to index nil")) {
        return ApiError::new(
            "E-SCRIPT-NIL",
            format!("`{name}` is asked of nothing (nil)"),
        )
        .about(name)
        .help("what stands in front of it is nil here");
    }
    if message.starts_with("attempt to call a nil value") {
        return ApiError::new("E-SCRIPT-NIL", "nothing (nil) is called as a function");
    }
    let mut error = ApiError::new(code, message);
    // The parser names what it expected first and what it met last.
    let met = message
        .rsplit_once("got '")
        .and_then(|(_, rest)| rest.split('\'').next());
    error.token = met
        .filter(|_| code == "E-SCRIPT-SYNTAX")
        .or(quoted)
        .map(str::to_owned);
    error
}

/// Splits `path:12: message`.
fn split_place<'t>(text: &'t str, sources: &[&Source]) -> (Option<Frame>, &'t str) {
    for source in sources {
        let rest = text
            .strip_prefix(source.shown.as_str())
            .and_then(|rest| rest.strip_prefix(':'));
        if let Some((line, message)) = rest.and_then(|rest| rest.split_once(": "))
            && let Ok(line) = line.parse()
        {
            return (Some(Frame::script(&source.shown, line, None)), message);
        }
    }
    (None, text)
}

/// The lines of a traceback that are in scripts, innermost first.
fn stack(traceback: &str, sources: &[&Source]) -> Vec<Frame> {
    let mut frames = Vec::new();
    for line in traceback.lines() {
        let line = line.trim();
        let found = sources.iter().find_map(|source| {
            let rest = line
                .strip_prefix(source.shown.as_str())?
                .strip_prefix(':')?;
            let digits = rest
                .find(|digit: char| !digit.is_ascii_digit())
                .unwrap_or(rest.len());
            let number = rest[..digits].parse().ok()?;
            let function = rest[digits..]
                .trim()
                .trim_start_matches("in ")
                .strip_prefix("function ");
            let function = function.map(|name| name.trim_matches(['\'', '`', ' ']).to_owned());
            Some(Frame::script(
                &source.shown,
                number,
                function.filter(|name| !name.is_empty()),
            ))
        });
        if let Some(frame) = found {
            frames.push(frame);
        }
    }
    frames
}
