//! Lines in the log.

use sinew_world::Data;

use super::{ApiError, Call, LogLevel, LogLine, rows};
use crate::budget;

rows! {
    /// Writes a line for whoever is curious.
    service("log") "info" info(
        /// Text, or any plain data.
        text: Data => "hello",
    ) -> ();
    /// Writes a line about something odd.
    service("log") "warn" warn(
        /// Text, or any plain data.
        text: Data => "odd",
    ) -> ();
    /// Writes a line about something wrong.
    service("log") "error" error(
        /// Text, or any plain data.
        text: Data => "wrong",
    ) -> ();
}

/// What a line costs, in steps of the budget: somebody has to print it.
const LINE_STEPS: u64 = 500;
/// The longest line, in characters.
const LONGEST: usize = 2000;

fn write(call: &mut Call<'_>, level: LogLevel, data: &Data) -> Result<(), ApiError> {
    let names = |id| call.name_of(id);
    let text: String = plain(data, &names).chars().take(LONGEST).collect();
    let actor = call.host.caller.actor.map(names);
    if let Data::Text(text) = data {
        budget::charge(text.len() as u64 / 64);
    }
    budget::charge(LINE_STEPS);
    call.host.write(LogLine { level, actor, text });
    Ok(())
}

/// Plain data as one line.
pub(crate) fn plain(data: &Data, names: &dyn Fn(sinew_world::ActorId) -> String) -> String {
    match data {
        Data::Nil => "nothing".to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Number(value) => value.to_string(),
        Data::Vec3(value) => format!("({}, {}, {})", value.x, value.y, value.z),
        Data::Text(text) => text.clone(),
        Data::Actor(id) => names(*id),
        Data::List(items) => {
            let items: Vec<String> = items.iter().map(|item| plain(item, names)).collect();
            format!("[{}]", items.join(", "))
        }
        Data::Map(map) => {
            let entries: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{key}: {}", plain(value, names)))
                .collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn info(call: &mut Call<'_>, text: Data) -> Result<(), ApiError> {
    write(call, LogLevel::Info, &text)
}

fn warn(call: &mut Call<'_>, text: Data) -> Result<(), ApiError> {
    write(call, LogLevel::Warn, &text)
}

fn error(call: &mut Call<'_>, text: Data) -> Result<(), ApiError> {
    write(call, LogLevel::Error, &text)
}
