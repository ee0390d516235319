//! Collecting what is wrong.

use crate::graph::error::GraphError;
use crate::nearest;

/// Mistakes that are told; whoever mends so many compiles again.
const MAX_ERRORS: usize = 64;

/// All mistakes found so far.
#[derive(Default)]
pub(super) struct Report {
    pub(super) errors: Vec<GraphError>,
    /// The graphs, named by path, that are being compiled: each with the pointer of what names it.
    pub(super) files: Vec<(String, String)>,
}

impl Report {
    /// Takes a mistake, as long as not too many are known. One of a motion that is used in several places is
    /// told once.
    pub(super) fn push(&mut self, error: GraphError) {
        let error = self.placed(error);
        self.push_placed(error);
    }

    /// As [`push`](Self::push), of a mistake that already is where it belongs.
    pub(super) fn push_placed(&mut self, error: GraphError) {
        if !self.is_full() && !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    /// A mistake in a graph named by path is told where the whole graph names that, with the place inside.
    pub(super) fn placed(&self, error: GraphError) -> GraphError {
        let (Some((_, named)), Some((path, _))) = (self.files.first(), self.files.last()) else {
            return error;
        };
        GraphError {
            message: format!("in `{path}` at {}: {}", error.pointer, error.message),
            pointer: named.clone(),
            ..error
        }
    }

    /// Whether further mistakes are no longer told. Looking for near names is slow, so a hostile graph
    /// must not make it happen without end.
    pub(super) fn is_full(&self) -> bool {
        self.errors.len() >= MAX_ERRORS
    }

    /// One more mistake.
    pub(super) fn error(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
    ) {
        self.push(GraphError::new(code, pointer, message));
    }

    /// One more mistake, with what to do next.
    pub(super) fn error_with_help(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let error = GraphError::new(code, pointer, message);
        self.push(error.with_help(Some(help.into())));
    }

    /// A part of the format that is not built yet, and what can be had instead.
    pub(super) fn not_supported(&mut self, pointer: impl Into<String>, what: &str, instead: &str) {
        let message = format!("{what} is not supported yet");
        let error = GraphError::new("E-GRAPH-NOT-SUPPORTED", pointer, message);
        let help = (!instead.is_empty()).then(|| instead.to_owned());
        self.push(error.with_help(help));
    }

    /// A name that is not among those known.
    pub(super) fn unknown<'a>(
        &mut self,
        code: &'static str,
        pointer: impl Into<String>,
        what: &str,
        name: &str,
        names: impl Iterator<Item = &'a str> + Clone,
    ) {
        let message = format!("there is no {what} `{name}`");
        let error = self.placed(GraphError::new(code, pointer, message));
        let same =
            |known: &GraphError| known.pointer == error.pointer && known.message == error.message;
        if self.is_full() || self.errors.iter().any(same) {
            return;
        }
        let help = match nearest(name, names.clone()) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None => listed(what, names),
        };
        self.push_placed(error.with_help(help));
    }

    /// Whether a mistake was told of a place.
    pub(super) fn knows(&self, pointer: &str) -> bool {
        let place = self.placed(GraphError::new("", pointer, ""));
        let same = |known: &GraphError| {
            known.pointer == place.pointer && known.message.starts_with(&place.message)
        };
        self.errors.iter().any(same)
    }

    /// The number, or `fallback` with an error where it is not finite or outside `range`.
    pub(super) fn number(
        &mut self,
        pointer: impl Into<String>,
        value: Option<f32>,
        fallback: f32,
        range: std::ops::RangeInclusive<f32>,
    ) -> f32 {
        let value = value.unwrap_or(fallback);
        if !value.is_finite() {
            self.error("E-GRAPH-NOT-FINITE", pointer, "must be a finite number");
            fallback
        } else if range.contains(&value) {
            value
        } else {
            let (low, high) = (*range.start(), *range.end());
            let wanted = match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("from {low} to {high}"),
                (true, false) => format!("at least {low}"),
                _ => format!("at most {high}"),
            };
            self.error(
                "E-GRAPH-RANGE",
                pointer,
                format!("is {value}, but must be {wanted}"),
            );
            fallback
        }
    }
}

/// The first few names that would have been right.
pub(super) fn listed<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    const SHOWN: usize = 8;
    let names: Vec<&str> = names.take(SHOWN + 1).collect();
    let list = names
        .iter()
        .take(SHOWN)
        .copied()
        .collect::<Vec<_>>()
        .join("`, `");
    match names.len() {
        0 => Some(format!("there is no {what} at all")),
        count if count > SHOWN => Some(format!("known are `{list}` and more")),
        _ => Some(format!("known are `{list}`")),
    }
}

/// A range without an upper end.
pub(super) fn at_least(low: f32) -> std::ops::RangeInclusive<f32> {
    low..=f32::INFINITY
}

/// Any finite number.
pub(super) fn any_number() -> std::ops::RangeInclusive<f32> {
    f32::NEG_INFINITY..=f32::INFINITY
}
