//! From a folder that somebody named to the level in it.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use sinew_anim::nearest;

use crate::{
    AssetError, Assets, Diagnostic, LevelDef, LogicalPath, assets::text_of, files, locate_toml,
};

const LEVEL_FILE: &str = "level.toml";
const NO_IDEA: &str = "name the folder of a level, such as `samples/plaza`";

impl Assets {
    /// Reads `level.toml` in a folder (or the file of that name itself) and makes the folder the
    /// space of the level's id. Its text is loaded as `id:level.toml`.
    ///
    /// # Errors
    /// Why it cannot be read, or every fault of the file.
    pub fn open_level(&mut self, at: &Path) -> Result<LevelDef, Vec<Diagnostic>> {
        let folder = folder_of(at);
        let shown = self.files.show(&folder.join(LEVEL_FILE));
        let text = self
            .level_text(&folder, &shown)
            .map_err(|fault| vec![*fault])?;
        let level = LevelDef::from_toml(&text, &shown)?;
        if self.files.is_at(&level.id, &folder) == Some(false) {
            let range = locate_toml(&text, "/id").unwrap_or(0..0);
            let message = format!(
                "there is already a level or mod `{}` in another folder",
                level.id
            );
            let fault = Diagnostic::error("E-LEVEL-ID-TAKEN", message).at(&shown, &text, range);
            return Err(vec![fault.help("give it another `id`")]);
        }
        self.add_space(&level.id, &folder);
        let path = LogicalPath {
            space: level.id.clone(),
            path: LEVEL_FILE.to_owned(),
        };
        self.put_text(path, text);
        Ok(level)
    }

    fn level_text(&self, folder: &Path, shown: &str) -> Result<Arc<str>, Box<Diagnostic>> {
        match files::read_in(folder, LEVEL_FILE, shown) {
            Ok(Some(bytes)) => Ok(text_of(bytes, shown)?),
            Ok(None) => Err(Box::new(self.no_level(folder))),
            Err(error @ AssetError::WrongCase { .. }) => {
                let rename = format!("rename the file to `{LEVEL_FILE}`");
                Err(Box::new(Diagnostic::from(error).help(rename)))
            }
            Err(error) => Err(error.into()),
        }
    }

    fn no_level(&self, folder: &Path) -> Diagnostic {
        let code = "E-LEVEL-MISSING";
        let shown = self.files.show(folder);
        if folder.is_dir() {
            let message = format!("there is no `{LEVEL_FILE}` in `{shown}`");
            return Diagnostic::error(code, message).help(NO_IDEA);
        }
        let siblings: BTreeSet<String> = folder
            .parent()
            .and_then(|parent| fs::read_dir(parent).ok())
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let wanted = folder
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default();
        let near = nearest(wanted, siblings.iter().map(String::as_str));
        let help = near.map_or_else(
            || NO_IDEA.to_owned(),
            |name| {
                format!(
                    "did you mean `{}`?",
                    self.files.show(&folder.with_file_name(name))
                )
            },
        );
        Diagnostic::error(code, format!("there is no folder `{shown}`")).help(help)
    }
}

/// The folder that is meant, as an absolute path.
fn folder_of(at: &Path) -> PathBuf {
    let at = std::path::absolute(at).unwrap_or_else(|_| at.to_owned());
    let names_file = at.file_name().is_some_and(|name| name == LEVEL_FILE) && !at.is_dir();
    match at.parent() {
        Some(parent) if names_file => parent.to_owned(),
        _ => at,
    }
}
