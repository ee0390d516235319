//! From folders that somebody named to the mods in them.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use sinew_anim::nearest;

use crate::{
    AssetError, Assets, Diagnostic,
    assets::text_of,
    files,
    mods::{
        ModManifest,
        archive::{self, Packed},
        manifest,
    },
};

/// Folders and archives of mods that are looked at.
const MAX_MODS: usize = 512;

/// A mod that was found. Two of them are equal where manifest and place are.
#[derive(Clone, Debug)]
pub struct Mod {
    /// What it says of itself.
    pub manifest: ModManifest,
    /// Its manifest as messages show it.
    pub shown: String,
    /// The text of its manifest.
    pub text: Arc<str>,
    /// Where its files are.
    pub files: ModFiles,
}

/// Where the files of a mod are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModFiles {
    /// In a folder, read where they are asked for.
    Folder(PathBuf),
    /// In an archive, all in memory.
    Archive {
        /// The archive.
        file: PathBuf,
        /// Its bytes by path.
        packed: Arc<Packed>,
    },
}

impl ModFiles {
    /// The folder or archive.
    pub fn place(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Archive { file, .. } => file,
        }
    }
}

impl Mod {
    /// A message at a value of the manifest, by JSON pointer.
    pub(crate) fn at(&self, fault: Diagnostic, pointer: &str) -> Diagnostic {
        let range = crate::locate_toml(&self.text, pointer).unwrap_or(0..0);
        fault.at(&self.shown, &self.text, range)
    }
}

/// What was found where mods are looked for.
#[derive(Clone, Debug, Default)]
pub struct FoundMods {
    /// In order of ids, then of places.
    pub mods: Vec<Mod>,
    /// Why others do not read.
    pub faults: Vec<Diagnostic>,
}

impl Assets {
    /// Reads the manifests of mods: of each folder in `places` that has a `mod.toml`, of each `.zip`, and of those in
    /// other folders. An archive is read and checked whole.
    pub fn find_mods(&self, places: &[PathBuf]) -> FoundMods {
        let mut found = FoundMods::default();
        for place in places {
            let place = std::path::absolute(place).unwrap_or_else(|_| place.clone());
            self.find_in(&place, &mut found);
        }
        let by = |one: &Mod| (one.manifest.id.clone(), one.files.place().to_owned());
        found.mods.sort_by_key(by);
        found
            .mods
            .dedup_by(|a, b| a.files.place() == b.files.place());
        found
    }

    fn find_in(&self, place: &Path, found: &mut FoundMods) {
        if is_mod(place) {
            return self.take(place, found);
        }
        let Ok(listed) = fs::read_dir(place) else {
            found.faults.push(self.no_mods(place));
            return;
        };
        let mut inside: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
        inside.retain(|path| !is_hidden(path) && is_mod(path));
        inside.sort();
        for path in inside {
            if found.mods.len() >= MAX_MODS {
                let message = format!("there are more than {MAX_MODS} mods: the rest is left out");
                found.faults.push(Diagnostic::error("E-MOD-LIMIT", message));
                return;
            }
            self.take(&path, found);
        }
    }

    fn take(&self, place: &Path, found: &mut FoundMods) {
        let read = if place.is_dir() {
            self.read_folder(place)
        } else {
            self.read_archive(place)
        };
        match read {
            Ok(one) => found.mods.push(one),
            Err(faults) => found.faults.extend(faults),
        }
    }

    fn read_folder(&self, folder: &Path) -> Result<Mod, Vec<Diagnostic>> {
        let shown = self.files.show(&folder.join(manifest::FILE));
        let one = |error: AssetError| vec![Diagnostic::from(error).in_file(&shown)];
        let bytes = files::read_in(folder, manifest::FILE, &shown).map_err(one)?;
        let text = text_of(bytes.unwrap_or_default(), &shown).map_err(one)?;
        Ok(Mod {
            manifest: ModManifest::from_toml(&text, &shown)?,
            shown,
            text,
            files: ModFiles::Folder(folder.to_owned()),
        })
    }

    fn read_archive(&self, file: &Path) -> Result<Mod, Vec<Diagnostic>> {
        let archive = self.files.show(file);
        let fault =
            |code: &str, message: String| vec![Diagnostic::error(code, message).in_file(&archive)];
        let bytes = files::read_file(file, &archive, archive::MAX_BYTES)
            .map_err(|error| fault(error.code(), error.to_string()))?;
        let packed = archive::read(&bytes)
            .map_err(|error| fault(error.code(), format!("the archive {error}")))?;
        let shown = format!("{archive}/{}", manifest::FILE);
        let bytes = packed.get(manifest::FILE).map(|bytes| bytes.to_vec());
        let text = text_of(bytes.unwrap_or_default(), &shown)
            .map_err(|error| vec![Diagnostic::from(error).in_file(&shown)])?;
        Ok(Mod {
            manifest: ModManifest::from_toml(&text, &shown)?,
            shown,
            text,
            files: ModFiles::Archive {
                file: file.to_owned(),
                packed: Arc::new(packed),
            },
        })
    }

    fn no_mods(&self, place: &Path) -> Diagnostic {
        let message = format!("there are no mods at `{}`", self.files.show(place));
        let fault = Diagnostic::error("E-MOD-MISSING", message);
        let siblings: BTreeSet<String> = place
            .parent()
            .and_then(|parent| fs::read_dir(parent).ok())
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        let wanted = place.file_name().and_then(|name| name.to_str());
        let near = nearest(
            wanted.unwrap_or_default(),
            siblings.iter().map(String::as_str),
        );
        match near {
            Some(near) => fault.help(format!(
                "did you mean `{}`?",
                self.files.show(&place.with_file_name(near))
            )),
            None => fault.help(
                "name a mod, or a folder of mods: a mod is a folder or a .zip with a `mod.toml`",
            ),
        }
    }
}

fn is_mod(place: &Path) -> bool {
    if place.is_dir() {
        place.join(manifest::FILE).is_file()
    } else {
        let zip = place
            .extension()
            .is_some_and(|kind| kind.eq_ignore_ascii_case("zip"));
        zip && place.is_file()
    }
}

fn is_hidden(place: &Path) -> bool {
    let name = place.file_name().and_then(|name| name.to_str());
    name.is_none_or(|name| name.starts_with('.'))
}
