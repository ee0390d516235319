//! Words on the screen.

use super::{ApiError, Call, rows};

/// The most lines on the screen.
const MOST_LINES: usize = 64;

rows! {
    /// Shows a line on the screen under an id; the same id again changes it, "" takes it away.
    service("ui") "text" write(
        /// Which line.
        id: &str => "score",
        /// The line.
        text: &str => "3 of 5",
    ) -> ();
}

fn write(call: &mut Call<'_>, id: &str, text: &str) -> Result<(), ApiError> {
    let screen = &mut call.world.debug.screen;
    if text.is_empty() {
        screen.remove(id);
        return Ok(());
    }
    if screen.len() >= MOST_LINES && !screen.contains_key(id) {
        return Err(ApiError::invalid(format!(
            "there are {MOST_LINES} lines on the screen already"
        )));
    }
    screen.insert(id.to_owned(), text.chars().take(200).collect());
    Ok(())
}
