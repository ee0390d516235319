//! Diagnostics as text in the look of the Rust compiler's.

use annotate_snippets::{AnnotationKind, Group, Level, Patch, Renderer, Snippet};
use sinew_assets::{Diagnostic, Severity};

/// A diagnostic as lines of text: code and message, place, the line with the culprit marked, help, a suggested edit, and
/// how the script came there. `color` adds the terminal's colours.
pub fn render(diagnostic: &Diagnostic, color: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level
        .primary_title(diagnostic.message.as_str())
        .id(diagnostic.code.as_str());
    let mut first = Group::with_title(title);
    let place = diagnostic
        .source
        .as_ref()
        .zip(diagnostic.span)
        .filter(|(source, span)| {
            span.end <= source.len()
                && source.is_char_boundary(span.start)
                && source.is_char_boundary(span.end)
        });
    let file = diagnostic.file.as_deref().unwrap_or("?");
    match place {
        Some((source, span)) => {
            let mark = AnnotationKind::Primary.span(span.start..span.end);
            first = first.element(Snippet::source(&**source).path(file).annotation(mark));
        }
        None => {
            if let Some(file) = &diagnostic.file {
                first = first.element(Level::NOTE.no_name().message(format!("in {file}")));
            }
            if let Some(pointer) = diagnostic
                .pointer
                .as_ref()
                .filter(|pointer| !pointer.is_empty())
            {
                first = first.element(Level::NOTE.no_name().message(format!("at {pointer}")));
            }
        }
    }
    if let (Some(help), None) = (&diagnostic.help, &diagnostic.edit) {
        first = first.element(Level::HELP.message(help.as_str()));
    }
    if !diagnostic.notes.is_empty() {
        first = first.element(Level::NOTE.message(diagnostic.notes.join("\n")));
    }
    let mut groups = vec![first];
    if let (Some(edit), Some((source, _))) = (&diagnostic.edit, place)
        && source.get(edit.start..edit.end).is_some()
    {
        let help = diagnostic.help.as_deref().unwrap_or("change it");
        let patch = Patch::new(edit.start..edit.end, edit.replacement.as_str());
        groups.push(
            Group::with_title(Level::HELP.secondary_title(help))
                .element(Snippet::source(&**source).path(file).patch(patch)),
        );
    }
    let renderer = if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.render(&groups)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sinew_assets::Edit;

    use super::*;

    #[test]
    fn the_line_is_shown_with_the_culprit_marked_and_the_edit_made() {
        let source: Arc<str> = "local s = {}\nself.actor:set_flaot(\"speed\", 1)\n".into();
        let start = source.find("set_flaot").expect("there");
        let mut made = Diagnostic::error("E-SCRIPT-NAME", "an actor has no `set_flaot`").at(
            "hero.lua",
            &source,
            start..start + 9,
        );
        made.help = Some("did you mean `set_float`?".to_owned());
        made.edit = Some(Edit {
            start,
            end: start + 9,
            replacement: "set_float".to_owned(),
        });
        made.notes = vec!["actor `hero`".to_owned()];
        let text = render(&made, false);
        for part in [
            "error[E-SCRIPT-NAME]: an actor has no `set_flaot`",
            "hero.lua:2:12",
            "^^^^^^^^^",
            "actor `hero`",
            "did you mean `set_float`?",
            "self.actor:set_float(",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(render(&made, true).contains("\u{1b}["));
        let bare = render(
            &Diagnostic::error("E-X", "no place").in_file("level.toml"),
            false,
        );
        assert!(bare.contains("level.toml"), "{bare}");
    }
}
