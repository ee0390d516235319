//! A mod as a `.zip` file: read into memory and checked whole before anything of it is used. Nothing is ever written to
//! disk.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read},
    sync::Arc,
};

use zip::{CompressionMethod, ZipArchive, result::ZipError};

use crate::{LogicalPath, PathError, diagnostic::shown, files::size_limit, mods::manifest};

/// Larger archives are not read, in bytes.
pub(crate) const MAX_BYTES: u64 = 256 << 20;
/// Entries of an archive.
const MAX_ENTRIES: usize = 4096;
/// Bytes that all files of an archive may have together.
const MAX_TOTAL: u64 = 512 << 20;
/// How many times as long as its packed form a file may be. Text and models stay far below it.
const MAX_RATIO: u64 = 200;
/// Files up to this size may have any ratio.
const FREE_RATIO: u64 = 1 << 20;
/// What a Mac adds to archives.
const MAC_FOLDER: &str = "__MACOSX/";

/// Files by path.
pub(crate) type Packed = BTreeMap<String, Arc<[u8]>>;

/// Why an archive is refused. Names are as the archive has them, shortened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArchiveError {
    /// Not an archive, cut off, or its parts contradict each other.
    #[error("is no archive that can be trusted: {reason}")]
    Broken {
        /// In the words of the reader.
        reason: String,
    },
    /// A name that could lead out of the mod or means something else on another system.
    #[error("has the entry `{name}`, whose name {error}")]
    Path {
        /// The entry.
        name: String,
        /// The rule.
        error: PathError,
    },
    /// A name that is no UTF-8.
    #[error("has the entry `{name}`, whose name is no UTF-8")]
    NotText {
        /// What can be shown of it.
        name: String,
    },
    /// A link, a device or the like.
    #[error("has the entry `{name}`, which is {what}: only plain files and folders may be in it")]
    NotAFile {
        /// The entry.
        name: String,
        /// What it is.
        what: &'static str,
    },
    /// Two entries that are one file on some systems.
    #[error("has `{name}` and `{other}`, which are one file on some systems")]
    Twice {
        /// The entry.
        name: String,
        /// The one before.
        other: String,
    },
    /// Needs a password.
    #[error("has the entry `{name}`, which is encrypted")]
    Encrypted {
        /// The entry.
        name: String,
    },
    /// Packed in another way.
    #[error(
        "has the entry `{name}`, which is packed as {method}; write it with deflate, as most tools do"
    )]
    Method {
        /// The entry.
        name: String,
        /// The way.
        method: String,
    },
    /// More entries than an archive may have.
    #[error("has {entries} entries, at most {MAX_ENTRIES} are read")]
    TooMany {
        /// How many there are.
        entries: usize,
    },
    /// More bytes than a file of its kind, or all files together, may have.
    #[error(
        "has the entry `{name}`, with which there are more than the {limit} bytes that {what} may have"
    )]
    TooLarge {
        /// The entry.
        name: String,
        /// Bytes.
        limit: u64,
        /// A file of its kind, or all files.
        what: &'static str,
    },
    /// Grows more than files do.
    #[error("has the entry `{name}`, which grows more than {MAX_RATIO} times when it is unpacked")]
    Ratio {
        /// The entry.
        name: String,
    },
    /// No manifest.
    #[error("has no `mod.toml` at its top or in its only folder")]
    NoManifest,
}

impl ArchiveError {
    /// The stable code of the reason.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Broken { .. } => "E-ARCHIVE-BROKEN",
            Self::Path { error, .. } => error.code(),
            Self::NotText { .. } => "E-ARCHIVE-NOT-TEXT",
            Self::NotAFile { .. } => "E-ARCHIVE-NOT-A-FILE",
            Self::Twice { .. } => "E-ARCHIVE-TWICE",
            Self::Encrypted { .. } => "E-ARCHIVE-ENCRYPTED",
            Self::Method { .. } => "E-ARCHIVE-METHOD",
            Self::TooMany { .. } => "E-ARCHIVE-TOO-MANY",
            Self::TooLarge { .. } => "E-ARCHIVE-TOO-LARGE",
            Self::Ratio { .. } => "E-ARCHIVE-RATIO",
            Self::NoManifest => "E-ARCHIVE-NO-MANIFEST",
        }
    }
}

/// What an archive says of one of its entries.
struct Entry {
    index: usize,
    name: String,
    is_folder: bool,
    size: u64,
}

/// Every file of an archive. Its only folder is left out of the paths where the manifest is in there.
///
/// # Errors
/// The first thing that is wrong with it; see [`ArchiveError`].
pub(crate) fn read(bytes: &[u8]) -> Result<Packed, ArchiveError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
    if archive.len() > MAX_ENTRIES {
        let entries = archive.len();
        return Err(ArchiveError::TooMany { entries });
    }
    // Two names that are equal, entries in each other, headers that say another thing than the directory.
    archive.validate_header_consistency().map_err(broken)?;
    if archive.offset() != 0 {
        let reason = "something stands in front of it".to_owned();
        return Err(ArchiveError::Broken { reason });
    }
    let entries = (0..archive.len()).map(|index| check(&mut archive, index));
    let entries: Vec<Entry> = entries.collect::<Result<_, _>>()?;
    check_names(&entries)?;
    check_total(&entries)?;
    let top = top_folder(&entries)?;
    let mut files = Packed::new();
    for entry in entries.iter().filter(|entry| !entry.is_folder) {
        let bytes = unpack(&mut archive, entry)?;
        if let Some(path) = entry.name.strip_prefix(&top)
            && !entry.name.starts_with(MAC_FOLDER)
        {
            files.insert(path.to_owned(), bytes.into());
        }
    }
    Ok(files)
}

/// Looks at one entry without unpacking it.
fn check(archive: &mut ZipArchive<Cursor<&[u8]>>, index: usize) -> Result<Entry, ArchiveError> {
    let file = archive.by_index_raw(index).map_err(broken)?;
    let name = std::str::from_utf8(file.name_raw())
        .map_err(|_| {
            let name = shown(&String::from_utf8_lossy(file.name_raw()));
            ArchiveError::NotText { name }
        })?
        .to_owned();
    let is_folder = name.ends_with('/');
    let path = name.strip_suffix('/').unwrap_or(&name);
    let as_path = LogicalPath {
        space: "mod".to_owned(),
        path: path.to_owned(),
    };
    let told = || shown(&name);
    as_path.check().map_err(|error| ArchiveError::Path {
        name: told(),
        error,
    })?;
    // The kind of a file, as Unix writes it into the upper half.
    let what = match file.external_attributes() >> 16 & 0o170_000 {
        0o120_000 => Some("a link"),
        0o040_000 if !is_folder => Some("a folder and has the name of a file"),
        0o100_000 if is_folder => Some("a file and has the name of a folder"),
        0 | 0o040_000 | 0o100_000 => None,
        _ => Some("a device or the like"),
    };
    if let Some(what) = what {
        return Err(ArchiveError::NotAFile { name: told(), what });
    }
    if file.encrypted() {
        return Err(ArchiveError::Encrypted { name: told() });
    }
    if !matches!(
        file.compression(),
        CompressionMethod::Stored | CompressionMethod::Deflated
    ) {
        let method = format!("{}", file.compression());
        return Err(ArchiveError::Method {
            name: told(),
            method,
        });
    }
    let size = file.size();
    let limit = if is_folder { 0 } else { size_limit(&as_path) };
    if size > limit {
        let what = if is_folder {
            "a folder"
        } else {
            "a file of its kind"
        };
        return Err(ArchiveError::TooLarge {
            name: told(),
            limit,
            what,
        });
    }
    if size > FREE_RATIO && size / MAX_RATIO > file.compressed_size() {
        return Err(ArchiveError::Ratio { name: told() });
    }
    Ok(Entry {
        index,
        is_folder,
        size,
        name,
    })
}

/// No name is another one's, on any system, nor the folder of another one and a file.
fn check_names(entries: &[Entry]) -> Result<(), ArchiveError> {
    // By the name in small letters: as it is spelled, and whether it is a folder.
    let mut known: BTreeMap<String, (&str, bool)> = BTreeMap::new();
    let mut add = |name: &str, spelled, is_folder: bool| {
        let (other, was_folder) = *known
            .entry(name.to_lowercase())
            .or_insert((spelled, is_folder));
        if other == spelled && is_folder && was_folder || std::ptr::eq(other, spelled) {
            Ok(())
        } else {
            let (name, other) = (shown(spelled), shown(other));
            Err(ArchiveError::Twice { name, other })
        }
    };
    for entry in entries {
        let path = entry.name.trim_end_matches('/');
        let folders = path.match_indices('/').map(|(end, _)| &path[..end]);
        for folder in folders {
            add(folder, folder, true)?;
        }
        add(path, path, entry.is_folder)?;
    }
    Ok(())
}

fn check_total(entries: &[Entry]) -> Result<(), ArchiveError> {
    let mut total: u64 = 0;
    for entry in entries {
        total = total.saturating_add(entry.size);
        if total > MAX_TOTAL {
            return Err(ArchiveError::TooLarge {
                name: shown(&entry.name),
                limit: MAX_TOTAL,
                what: "all files together",
            });
        }
    }
    Ok(())
}

/// What stands before the paths: nothing, or the only folder with its `/`.
fn top_folder(entries: &[Entry]) -> Result<String, ArchiveError> {
    let has = |name: &str| entries.iter().any(|entry| entry.name == name);
    if has(manifest::FILE) {
        return Ok(String::new());
    }
    let mut tops = entries
        .iter()
        .filter(|entry| !entry.name.starts_with(MAC_FOLDER))
        .map(|entry| entry.name.split_once('/').map(|(top, _)| top));
    let top = tops.next().flatten().ok_or(ArchiveError::NoManifest)?;
    let alone = tops.all(|other| other == Some(top));
    let folder = format!("{top}/");
    if alone && has(&format!("{folder}{}", manifest::FILE)) {
        Ok(folder)
    } else {
        Err(ArchiveError::NoManifest)
    }
}

/// Unpacks an entry, which must have as many bytes as it says, and their checksum.
fn unpack(archive: &mut ZipArchive<Cursor<&[u8]>>, entry: &Entry) -> Result<Vec<u8>, ArchiveError> {
    let lies = || ArchiveError::Broken {
        reason: format!("`{}` has another length than it says", shown(&entry.name)),
    };
    let file = archive.by_index(entry.index).map_err(broken)?;
    let mut bytes = Vec::new();
    file.take(entry.size + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| ArchiveError::Broken {
            reason: format!("`{}`: {error}", shown(&entry.name)),
        })?;
    if bytes.len() as u64 == entry.size {
        Ok(bytes)
    } else {
        Err(lies())
    }
}

fn broken(error: ZipError) -> ArchiveError {
    let reason = shown(&error.to_string());
    ArchiveError::Broken { reason }
}

#[cfg(test)]
mod tests;
