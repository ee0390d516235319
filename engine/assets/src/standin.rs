//! Until the importer and the graph reader are there: the same names, which refuse everything.
#![allow(missing_docs)]

use sinew_model::Model;

#[derive(Clone, Debug)]
pub struct ImportError {
    pub code: &'static str,
    pub pointer: String,
    pub message: String,
    pub help: Option<String>,
}

pub type GraphError = ImportError;

#[derive(Clone, Debug, PartialEq, Default)]
pub struct GraphDef {}

fn refuse<T>() -> Result<T, ImportError> {
    Err(ImportError {
        code: "E-NOT-YET",
        pointer: String::new(),
        message: "this kind of file cannot be read yet".to_owned(),
        help: None,
    })
}

impl GraphDef {
    pub fn from_json(_: &str) -> Result<Self, GraphError> {
        refuse()
    }
}

pub fn import(
    _: &[u8],
    _: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Model, ImportError> {
    refuse()
}
