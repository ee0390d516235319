//! One file: imported within its limits, then held against what is known of it.

use std::{fs, path::Path, sync::mpsc, time::Duration};

use sinew_model::{ImportError, Model, codes};

use super::{Entry, Expect, expected};
use crate::allocations;

/// The longest that one import may take. Far more than any needs, also on a busy machine without optimisation: it
/// catches what hangs.
const TIME_CAP: Duration = Duration::from_secs(20);

/// The most that one import may hold at once, beside [`BYTES_PER_BYTE`].
const BASE_BYTES: usize = 64 << 20;

/// Bytes that an import may hold for each byte of the file and of what it refers to.
const BYTES_PER_BYTE: usize = 32;

/// Stack of an import: small, so that a recursion over the file's depth cannot hide.
const STACK: usize = 512 << 10;

/// Checks one file; the error says what is wrong with the import of it.
pub fn judge(root: &Path, entry: &Entry) -> Result<(), String> {
    let outcome = import_within_limits(&root.join(&entry.main), &entry.name)?;
    match (&outcome, entry.expect) {
        (Err(error), Expect::Accept) => Err(format!("is refused: {error}")),
        (Ok(_), Expect::Refuse) => Err("is accepted".to_owned()),
        (Err(error), _) => check_error(error),
        (Ok(model), _) => {
            expected::check_finite(model)?;
            check_warnings(model)?;
            let path = root.join(format!("expected/{}.json.gz", entry.name));
            if entry.expect == Expect::Accept {
                let tolerance = entry.suggested_tolerance.unwrap_or(1e-5);
                expected::compare(model, &path, tolerance)?;
            }
            Ok(())
        }
    }
}

/// Imports on a thread of its own, named after the file, so that an overflow of its stack names it too.
fn import_within_limits(path: &Path, name: &str) -> Result<Result<Model, ImportError>, String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folder = path.parent().unwrap_or(path).to_owned();
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let mut read = bytes.len();
        let mut fetch = |uri: &str| {
            let fetched = fs::read(folder.join(uri)).map_err(|error| error.to_string())?;
            read += fetched.len();
            Ok(fetched)
        };
        let (outcome, usage) = allocations::measure(|| sinew_model::import(&bytes, &mut fetch));
        let cap = BASE_BYTES + BYTES_PER_BYTE * read;
        // The other end is gone when this took too long.
        let _ = sender.send((outcome, usage.peak_bytes, cap));
    };
    std::thread::Builder::new()
        .name(name.to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map_err(|error| error.to_string())?;
    let (outcome, peak, cap) = receiver
        .recv_timeout(TIME_CAP)
        .map_err(|error| match error {
            mpsc::RecvTimeoutError::Timeout => format!("takes longer than {TIME_CAP:?}"),
            mpsc::RecvTimeoutError::Disconnected => "panics".to_owned(),
        })?;
    if peak > cap {
        return Err(format!(
            "holds {peak} bytes at once, at most {cap} are allowed"
        ));
    }
    Ok(outcome)
}

fn check_error(error: &ImportError) -> Result<(), String> {
    let known = codes::find(error.code).is_some_and(|row| row.kind == codes::Kind::Error);
    let placed = error.pointer.is_empty() || error.pointer.starts_with('/');
    if known && placed && !error.message.is_empty() {
        Ok(())
    } else {
        Err(format!("has no proper error: {error:?}"))
    }
}

fn check_warnings(model: &Model) -> Result<(), String> {
    let improper = model.warnings.iter().find(|warning| {
        codes::find(warning.code).is_none_or(|row| row.kind != codes::Kind::Warning)
            || warning.message.is_empty()
    });
    improper.map_or(Ok(()), |warning| {
        Err(format!("has an improper warning: {warning:?}"))
    })
}
