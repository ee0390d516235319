//! The commands beside `run`, one file each.

pub(crate) mod check;
mod check_mod;
pub(crate) mod docs;
pub(crate) mod info;
pub(crate) mod mods;
