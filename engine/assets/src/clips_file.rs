//! The clips file beside a model: where it is, and its marks put onto the model.

use sinew_model::{ClipsFile, Model};

use crate::{AssetError, Diagnostic, LogicalPath, assets::text_of};

/// `hero.clips.json` for `hero.glb`; `None` for names that no model file has.
pub(crate) fn path_for(model: &LogicalPath) -> Option<LogicalPath> {
    let path = ClipsFile::name_for(&model.path)?;
    let space = model.space.clone();
    Some(LogicalPath { space, path })
}

/// Puts the marks of a clips file onto `model`; one that is not there changes nothing. `shown` is what messages call it.
pub(crate) fn merge(
    model: &mut Model,
    bytes: Result<Vec<u8>, AssetError>,
    shown: &str,
) -> Result<(), Box<Diagnostic>> {
    let bytes = match bytes {
        // A model in memory may be of a space that has no folder.
        Err(AssetError::Missing { .. } | AssetError::UnknownSpace { .. }) => return Ok(()),
        other => other?,
    };
    let text = text_of(bytes, shown)?;
    let name = shown.rsplit(['/', ':']).next().unwrap_or(shown);
    ClipsFile::from_json(&text)
        .and_then(|file| file.merge_into(model, name))
        .map_err(|error| Box::new(Diagnostic::from_import(error, shown, Some(&text))))
}
