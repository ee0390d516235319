//! Errors as people see them: each once, counted.

use sinew_assets::Diagnostic;

/// An error that scripts ran into.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What it is, with the first actor that had it.
    pub diagnostic: Diagnostic,
    /// How often it came.
    pub count: u64,
    /// Whether the callback that failed is paused until the next reload.
    pub paused: bool,
    /// The script, by the host's number; it goes when a good version of it loads.
    pub(crate) script: Option<usize>,
}

/// All errors that stand.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    pub list: Vec<Problem>,
}

/// The most different errors that are kept and told; a script may word each of its errors anew.
const MOST: usize = 200;

impl Problems {
    /// Adds an error, or counts it; gives it back where it is new.
    pub fn add(
        &mut self,
        script: Option<usize>,
        diagnostic: Diagnostic,
        paused: bool,
    ) -> Option<Diagnostic> {
        let same = |known: &&mut Problem| {
            let (a, b) = (&known.diagnostic, &diagnostic);
            (&a.code, &a.message, &a.file, a.span.map(|span| span.line))
                == (&b.code, &b.message, &b.file, b.span.map(|span| span.line))
        };
        if let Some(known) = self.list.iter_mut().find(same) {
            known.count += 1;
            known.paused |= paused;
            return None;
        }
        if self.list.len() >= MOST {
            return None;
        }
        self.list.push(Problem {
            diagnostic: diagnostic.clone(),
            count: 1,
            paused,
            script,
        });
        Some(diagnostic)
    }

    /// Forgets the errors in a file of which a good version was loaded.
    pub fn clear_file(&mut self, shown: &str) {
        self.list
            .retain(|problem| problem.diagnostic.file.as_deref() != Some(shown));
    }

    /// Forgets the errors of a script of which a good version was loaded.
    pub fn clear(&mut self, script: usize) {
        self.list.retain(|problem| problem.script != Some(script));
    }
}
