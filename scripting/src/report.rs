//! From what a language says of an error to the one [`Diagnostic`].

use sinew_assets::{Diagnostic, Edit};

use crate::{api::ApiError, language::Source};

/// Longer texts of errors are cut, in bytes.
pub(crate) const MOST_TEXT: usize = 4096;
/// Lines of a stack that are shown.
const MOST_FRAMES: usize = 12;

/// A place on the stack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    /// The script's file as shown; `None` in the engine.
    pub file: Option<String>,
    /// From 1; 0 where unknown.
    pub line: u32,
    /// From 1; 0 where unknown.
    pub column: u32,
    /// The function.
    pub function: Option<String>,
}

impl Frame {
    /// A place in a script.
    pub fn script(file: &str, line: u32, function: Option<String>) -> Self {
        Self {
            file: Some(file.to_owned()),
            line,
            column: 0,
            function,
        }
    }

    /// A place in the engine.
    pub fn engine() -> Self {
        Self {
            file: None,
            line: 0,
            column: 0,
            function: None,
        }
    }

    pub fn same_place(&self, other: &Frame) -> bool {
        self.file == other.file && self.line == other.line
    }

    fn note(&self) -> String {
        let Some(file) = &self.file else {
            return "  in [rust]".to_owned();
        };
        let function = self
            .function
            .as_ref()
            .map_or_else(String::new, |name| format!(" in `{name}`"));
        if self.line == 0 {
            format!("  at {file}{function}")
        } else {
            format!("  at {file}:{}{function}", self.line)
        }
    }
}

/// An error and how the script came to it.
#[derive(Clone, Debug)]
pub(crate) struct Report {
    pub error: ApiError,
    /// Innermost first.
    pub frames: Vec<Frame>,
}

impl Report {
    /// The diagnostic, at the innermost place that is in one of the sources.
    pub fn diagnostic(self, sources: &[&Source]) -> Diagnostic {
        let Report { error, frames } = self;
        let mut made = Diagnostic::error(error.code.as_str(), cut(&error.message));
        made.help = error.help.as_deref().map(cut);
        made.pointer = error.pointer.clone();
        let place = frames.iter().find_map(|frame| {
            let source = sources
                .iter()
                .find(|source| Some(&source.shown) == frame.file.as_ref())?;
            Some((frame, *source))
        });
        if let Some((frame, source)) = place {
            made = put(made, source, frame, &error);
        }
        made.notes = stack_notes(&frames);
        made
    }
}

fn put(mut made: Diagnostic, source: &Source, frame: &Frame, error: &ApiError) -> Diagnostic {
    let text = &source.text;
    let line = line_range(text, frame.line);
    let token = error.token.as_deref().and_then(|token| {
        if error.anywhere || error.pointer.is_some() {
            find_word(text, line.start, text.len(), token)
        } else {
            find_word(text, line.start, line.end, token)
        }
    });
    let given = error
        .value
        .as_deref()
        .and_then(|value| find_word(text, line.start, line.end, value));
    let column = (frame.column > 0).then(|| {
        let start = sinew_assets::Span::at(text, frame.line, frame.column).start;
        start..word_end(text, start)
    });
    let place = given
        .or_else(|| token.clone())
        .or(column)
        .unwrap_or_else(|| trimmed(text, line));
    if let (Some(replacement), Some(token)) = (&error.replacement, token) {
        made.edit = Some(Edit {
            start: token.start,
            end: token.end,
            replacement: replacement.clone(),
        });
    }
    made.at(&source.shown, text, place)
}

/// Bytes of a line, from 1, without its end; the whole text has line 0.
pub(crate) fn line_range(text: &str, line: u32) -> std::ops::Range<usize> {
    let mut start = 0;
    for (index, found) in text.split_inclusive('\n').enumerate() {
        if index as u32 + 1 == line.max(1) {
            return start..start + found.trim_end_matches(['\n', '\r']).len();
        }
        start += found.len();
    }
    text.len()..text.len()
}

/// The line without the white space around it and a comment behind it.
fn trimmed(text: &str, line: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let content = &text[line.clone()];
    let code = content.split(" --").next().unwrap_or(content);
    let code = code.split(" //").next().unwrap_or(code);
    let start = line.start + (code.len() - code.trim_start().len());
    let end = line.start + code.trim_end().len();
    if start < end { start..end } else { line }
}

/// A word between two bytes that is not part of a longer one.
pub(crate) fn find_word(
    text: &str,
    from: usize,
    to: usize,
    word: &str,
) -> Option<std::ops::Range<usize>> {
    let whole = |at: usize| {
        let edge = |letter: Option<char>| {
            !letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
        };
        let starts = !word.starts_with(|first: char| first.is_alphanumeric() || first == '_')
            || edge(text[..at].chars().next_back());
        starts && edge(text[at + word.len()..].chars().next())
    };
    let area = text.get(from..to)?;
    area.match_indices(word)
        .map(|(at, _)| from + at)
        .find(|&at| whole(at))
        .map(|at| at..at + word.len())
}

fn word_end(text: &str, start: usize) -> usize {
    let rest = &text[start..];
    let length = rest
        .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
        .unwrap_or(rest.len());
    start + length.max(rest.chars().next().map_or(0, char::len_utf8))
}

/// The stack in lines; runs of the engine's own frames are one line.
fn stack_notes(frames: &[Frame]) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for frame in frames {
        let note = frame.note();
        if notes.last() != Some(&note) {
            notes.push(note);
        }
    }
    let more = notes.len().saturating_sub(MOST_FRAMES);
    if more > 0 {
        notes.truncate(MOST_FRAMES);
        notes.push(format!("  ... and {more} more"));
    }
    notes
}

/// At most [`MOST_TEXT`] bytes of a text.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= MOST_TEXT {
        return text.to_owned();
    }
    format!("{}...", &text[..text.floor_char_boundary(MOST_TEXT)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_found_whole_and_on_its_line() {
        let text = "local speedy = 1\nactor:speed(speedy)\n";
        let line = line_range(text, 2);
        let found = find_word(text, line.start, line.end, "speed").expect("there");
        assert_eq!(&text[found.clone()], "speed");
        assert_eq!(found.start, 17 + 6);
        assert_eq!(find_word(text, 0, 16, "speed"), None);
        assert_eq!(trimmed("  x = 1  -- why", 0..15), 2..7);
    }
}
