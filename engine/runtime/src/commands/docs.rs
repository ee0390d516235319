//! `sinew docs`: definitions for editors and the API reference, from the API table.

use crate::{Failure, cli::DocsArgs};

/// Writes the definitions and the reference.
pub(crate) fn docs(_args: &DocsArgs) -> Result<(), Failure> {
    Err(anyhow::anyhow!("there is no API table yet").into())
}
