//! The one shape of everything the engine has to say about a file, a script or an actor.

use std::{fmt, ops::Range, sync::Arc};

use serde::Serialize;
use sinew_anim::GraphError;
use sinew_model::{ImportError, Warning};

use crate::{LogicalPath, PathError, locate_json};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something does not work; what was there before stays in use.
    #[default]
    Error,
    /// Something works in another way than its author may expect.
    Warning,
}

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash, Serialize)]
pub struct Span {
    /// Line of the first byte, from 1.
    pub line: u32,
    /// Column of the first byte in characters, from 1.
    pub column: u32,
    /// First byte, from 0.
    pub start: usize,
    /// The byte after the last one; not before `start`.
    pub end: usize,
}

impl Span {
    /// The place of a byte range in `text`. A range past the end or inside a character is moved to
    /// the nearest place before it.
    pub fn of(text: &str, range: Range<usize>) -> Self {
        let start = text.floor_char_boundary(range.start);
        let end = text.floor_char_boundary(range.end).max(start);
        let before = &text[..start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.bytes().filter(|&byte| byte == b'\n').count() as u32 + 1,
            column: before[line_start..].chars().count() as u32 + 1,
            start,
            end,
        }
    }

    /// The place of a line and a column in characters, both from 1, one character long. Past the end
    /// of the line or the text: its end.
    pub fn at(text: &str, line: u32, column: u32) -> Self {
        let skipped = line.max(1) as usize - 1;
        let line_text = text.split_inclusive('\n').nth(skipped);
        let line_start = line_text.map_or(text.len(), |found| {
            found.as_ptr() as usize - text.as_ptr() as usize
        });
        let content = line_text.map_or("", |found| found.trim_end_matches(['\n', '\r']));
        let in_line = column.max(1) as usize - 1;
        let (offset, width) = content
            .char_indices()
            .nth(in_line)
            .map_or((content.len(), 0), |(at, found)| (at, found.len_utf8()));
        let start = line_start + offset;
        Self::of(text, start..start + width)
    }
}

/// A change to the text that would put things right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// First byte that goes away.
    pub start: usize,
    /// The byte after the last one that goes away.
    pub end: usize,
    /// What comes in its place.
    pub replacement: String,
}

/// An error or a warning for people: what happened, where, what was expected, what is nearest.
#[derive(Clone, Debug, PartialEq, Default, Serialize)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// Stable, such as `E-LEVEL-UNKNOWN-KEY`.
    pub code: String,
    /// One sentence.
    pub message: String,
    /// Relative to the project, with `/`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
    /// The whole text that `span` points into, for showing the line.
    #[serde(skip)]
    pub source: Option<Arc<str>>,
    /// JSON pointer into the document, where it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// A change that would put it right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
    /// Name of the actor concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Stack lines and other remarks, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// An error without a place.
    pub fn error(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            ..Self::default()
        }
    }

    /// A warning without a place.
    pub fn warning(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// Sets the file, its text and the place of a byte range in it.
    #[must_use]
    pub fn at(mut self, file: &str, source: &Arc<str>, range: Range<usize>) -> Self {
        self.file = Some(file.to_owned());
        self.span = Some(Span::of(source, range));
        self.source = Some(Arc::clone(source));
        self
    }

    /// Sets the file, for what has no place in a text.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    /// Sets the help.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the pointer, and the place of it where `source` is the JSON text that it points into.
    #[must_use]
    pub fn at_pointer(mut self, file: &str, source: Option<&Arc<str>>, pointer: String) -> Self {
        self.file = Some(file.to_owned());
        if let Some(source) = source {
            self.span = match json_fault(source) {
                Some(span) => Some(span),
                None => locate_json(source, &pointer).map(|found| {
                    let about_key = self.code.ends_with("UNKNOWN-KEY");
                    let key = found.key.clone().filter(|_| about_key && found.whole);
                    Span::of(source, key.unwrap_or_else(|| found.caret()))
                }),
            };
            self.source = Some(Arc::clone(source));
        }
        self.pointer = Some(pointer);
        self
    }

    /// A refused model file. `source` is its text where it is a `.gltf`.
    pub fn from_import(error: ImportError, file: &str, source: Option<&Arc<str>>) -> Self {
        Self {
            help: error.help,
            ..Self::error(error.code, error.message).at_pointer(file, source, error.pointer)
        }
    }

    /// A remark of an import. `source` is the file's text where it is a `.gltf`.
    pub fn from_warning(warning: &Warning, file: &str, source: Option<&Arc<str>>) -> Self {
        Self::warning(warning.code, warning.message.as_str()).at_pointer(
            file,
            source,
            warning.pointer.clone(),
        )
    }

    /// A refused graph. `source` is its JSON text where it comes from a file.
    pub fn from_graph(error: GraphError, file: &str, source: Option<&Arc<str>>) -> Self {
        Self {
            help: error.help,
            ..Self::error(error.code, error.message).at_pointer(file, source, error.pointer)
        }
    }

    /// A refused path, without a place.
    pub fn from_path(error: &PathError, text: &str) -> Self {
        Self::error(error.code(), format!("`{}` {error}", shown(text))).help(LogicalPath::HELP)
    }
}

/// Where a text stops being JSON.
fn json_fault(text: &str) -> Option<Span> {
    let error = serde_json::from_str::<serde::de::IgnoredAny>(text).err()?;
    let lines = text.split_inclusive('\n').take(error.line().max(1) - 1);
    let line_start: usize = lines.map(str::len).sum();
    let at = line_start + error.column().max(1) - 1;
    Some(Span::of(text, at..at + 1))
}

/// `path:line:col: error[code]: message`, on one line; the script crate draws the source.
impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(out, "{file}:")?;
            if let Some(span) = self.span {
                write!(out, "{}:{}:", span.line, span.column)?;
            }
            write!(out, " ")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(out, "{severity}[{}]: {}", self.code, self.message)?;
        if let (None, Some(pointer)) = (self.span, &self.pointer) {
            write!(out, " (at `{pointer}`)")?;
        }
        if let Some(help) = &self.help {
            write!(out, "; {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// A user's text for a message: control characters escaped, at most 80 characters.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(80).flat_map(escaped).collect();
    if text.chars().nth(80).is_some() {
        short.push('…');
    }
    short
}

fn escaped(character: char) -> impl Iterator<Item = char> {
    let (plain, escape) = if character.is_control() {
        (None, Some(character.escape_default()))
    } else {
        (Some(character), None)
    };
    plain.into_iter().chain(escape.into_iter().flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_counts_lines_and_characters_from_one() {
        let text = "id = 1\r\nüber = 2\n";
        let at = text.find('=').expect("first line");
        assert_eq!(
            Span::of(text, at..at + 1),
            Span {
                line: 1,
                column: 4,
                start: 3,
                end: 4
            }
        );
        let second = text.rfind('=').expect("second line");
        let span = Span::of(text, second..second + 1);
        assert_eq!((span.line, span.column), (2, 6));
        let inside = text.find('ü').expect("second line") + 1;
        assert_eq!(
            Span::of(text, inside..inside).column,
            1,
            "moved out of the character"
        );
        let past = Span::of(text, 900..1000);
        assert_eq!((past.start, past.end), (text.len(), text.len()));
    }

    #[test]
    fn line_and_column_are_the_inverse_of_a_span() {
        let text = "a\nßc\r\n\nlast";
        for (at, _) in text
            .char_indices()
            .filter(|(_, found)| !matches!(found, '\r' | '\n'))
        {
            let span = Span::of(text, at..at + 1);
            assert_eq!(Span::at(text, span.line, span.column).start, at);
        }
        assert_eq!(Span::at(text, 1, 99).start, 1, "the end of the line");
        assert_eq!(Span::at(text, 99, 1).start, text.len());
        assert_eq!(Span::at("", 0, 0).start, 0);
    }

    #[test]
    fn json_lines_leave_out_what_is_not_known() {
        let bare = Diagnostic::warning("W-TEST", "so it is");
        let line = serde_json::to_string(&bare).expect("plain data");
        assert_eq!(
            line,
            r#"{"severity":"warning","code":"W-TEST","message":"so it is"}"#
        );
        let source: Arc<str> = "one\ntwo".into();
        let placed = Diagnostic::error("E-TEST", "no")
            .at("a/b.toml", &source, 4..7)
            .help("say yes");
        let line = serde_json::to_value(&placed).expect("plain data");
        assert_eq!(line["span"]["line"], 2);
        assert!(
            line.get("source").is_none(),
            "the text is not repeated in every line"
        );
        assert_eq!(
            placed.to_string(),
            "a/b.toml:2:1: error[E-TEST]: no; say yes"
        );
    }

    #[test]
    fn a_pointer_is_shown_in_the_text_that_it_points_into() {
        let source: Arc<str> = "{\n  \"layers\": [ {\"nam\": \"base\"} ]\n}".into();
        let told = |code: &str, source: &Arc<str>, pointer: &str| {
            let fault =
                Diagnostic::error(code, "no").at_pointer("a.json", Some(source), pointer.into());
            let span = fault.span.expect("a place");
            source[span.start..span.end].to_owned()
        };
        assert_eq!(told("E-GRAPH-NAME", &source, "/layers/0/nam"), "\"base\"");
        assert_eq!(
            told("E-GRAPH-UNKNOWN-KEY", &source, "/layers/0/nam"),
            "\"nam\""
        );
        assert_eq!(told("E-GRAPH-MISSING", &source, "/layers/0/states"), "{");
        assert_eq!(told("E-GRAPH-MISSING", &source, "/layers"), "\"layers\"");
        let broken: Arc<str> = "{\n  \"layers\": [ oh ]\n}".into();
        assert_eq!(told("E-GRAPH-SYNTAX", &broken, ""), "o");
    }

    #[test]
    fn a_shown_text_is_short_and_free_of_control_characters() {
        assert_eq!(shown("a\nb\u{1b}"), "a\\nb\\u{1b}");
        assert_eq!(shown(&"x".repeat(500)).chars().count(), 81);
    }
}
