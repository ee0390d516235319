//! Import held against files with known answers.
//!
//! A corpus is a folder with `manifest.json`, `files/` and `expected/`. A small one of our own making is in `tests/data`; a larger one,
//! which is not part of the project, is looked for at `SINEW_CORPUS` (default: `../shared/corpus` beside the repository). With
//! `SINEW_CORPUS_REQUIRED=1` its absence is a failure.

mod bombs;
mod expected;
mod judge;
mod mutations;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    files: Vec<Entry>,
}

/// A file and what is asked of it.
#[derive(Clone, Debug, Deserialize)]
pub struct Entry {
    pub name: String,
    /// Path of the file to import, below the corpus.
    pub main: String,
    pub expect: Expect,
    /// Relative error allowed; see [`expected`].
    pub suggested_tolerance: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expect {
    Accept,
    Refuse,
    AcceptOrRefuse,
    RefuseOrAccept,
}

fn entries(root: &Path) -> Vec<Entry> {
    let text =
        fs::read_to_string(root.join("manifest.json")).expect("the corpus has a manifest.json");
    let manifest: Manifest = serde_json::from_str(&text).expect("the manifest can be read");
    assert!(!manifest.files.is_empty(), "{} is empty", root.display());
    manifest.files
}

fn data() -> PathBuf {
    sinew_tests::project().join("tests/data")
}

/// Judges every file of a corpus, as many at a time as there are processors, and reports all that fail together.
fn check_corpus(root: &Path) {
    let entries = entries(root);
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(entry) = entries.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(reason) = judge::judge(root, entry) {
                        let failure = format!("{}: {reason}", entry.name);
                        failures.lock().expect("no worker panics").push(failure);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().expect("no worker panics");
    failures.sort();
    assert!(
        failures.is_empty(),
        "{} of {} files fail:\n{}",
        failures.len(),
        entries.len(),
        failures.join("\n")
    );
    println!("{} files of {} hold", entries.len(), root.display());
}

#[test]
fn our_own_files_are_read_as_expected() {
    check_corpus(&data());
}

#[test]
fn the_whole_corpus_is_read_as_expected() {
    let root = std::env::var_os("SINEW_CORPUS").map_or_else(
        || sinew_tests::project().join("../shared/corpus"),
        PathBuf::from,
    );
    if root.join("manifest.json").is_file() {
        check_corpus(&root);
        return;
    }
    let required = std::env::var("SINEW_CORPUS_REQUIRED").is_ok_and(|value| value == "1");
    assert!(
        !required,
        "SINEW_CORPUS_REQUIRED is set and {} has no corpus",
        root.display()
    );
    eprintln!(
        "SKIPPED: no corpus at {}; only tests/data was checked",
        root.display()
    );
}
