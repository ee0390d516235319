//! The commands beside `run`, one file each.

pub(crate) mod check;
pub(crate) mod docs;
pub(crate) mod info;
