//! What the tests of the whole project share.

use std::path::{Path, PathBuf};

/// The folder of the repository.
pub fn project() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
