//! From a logical path to bytes: where the spaces lie, how a name is looked up, what is refused.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use sinew_anim::nearest;

use crate::{AssetError, LogicalPath, PROJECT_SPACE};

/// Folders under a space that a listing descends into.
const MAX_DEPTH: usize = 16;
/// Files that a listing gives, and names that a suggestion looks at.
const MAX_LISTED: usize = 20_000;

/// A folder of a space.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    /// Absolute, as it was given.
    folder: PathBuf,
    /// Without links; the same as `folder` where it is not there.
    real: PathBuf,
}

/// The files of all spaces.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    project: Root,
    spaces: BTreeMap<String, Vec<Root>>,
    /// Spaces whose files are in an archive.
    packed: BTreeMap<String, Archive>,
    /// Files that were handed in as bytes; they stand before those on disk.
    pub(crate) memory: BTreeMap<LogicalPath, Vec<u8>>,
}

/// The files of an archive, in memory.
#[derive(Clone, Debug)]
struct Archive {
    /// Its path as messages show it.
    shown: String,
    files: Arc<BTreeMap<String, Arc<[u8]>>>,
}

/// Where a search for a path ended.
struct Absent {
    /// Parts that were found.
    depth: usize,
    folder: PathBuf,
    names: Vec<String>,
}

enum Lookup {
    Found(PathBuf),
    Absent(Absent),
    /// The whole path as it is spelled on disk.
    WrongCase(String),
}

enum Entry {
    Exact,
    WrongCase(String),
    Absent(Vec<String>),
}

impl Root {
    pub(crate) fn new(folder: &Path) -> Self {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        Self { folder, real }
    }

    /// The path of a file in this folder, with `/`; `None` where it is elsewhere.
    fn relative(&self, file: &Path) -> Option<String> {
        let inside = file
            .strip_prefix(&self.folder)
            .or_else(|_| file.strip_prefix(&self.real))
            .ok()?;
        let parts: Option<Vec<&str>> = inside
            .components()
            .map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            })
            .collect();
        parts.map(|parts| parts.join("/"))
    }
}

impl Files {
    pub(crate) fn new(project: &Path) -> Self {
        let roots = ["assets", "scripts"].map(|name| Root::new(&project.join(name)));
        Self {
            project: Root::new(project),
            spaces: BTreeMap::from([(PROJECT_SPACE.to_owned(), roots.into())]),
            packed: BTreeMap::new(),
            memory: BTreeMap::new(),
        }
    }

    pub(crate) fn add_packed(
        &mut self,
        id: &str,
        shown: &str,
        files: Arc<BTreeMap<String, Arc<[u8]>>>,
    ) {
        let shown = shown.to_owned();
        self.spaces.remove(id);
        self.packed.insert(id.to_owned(), Archive { shown, files });
    }

    pub(crate) fn remove_space(&mut self, id: &str) {
        self.spaces.remove(id);
        self.packed.remove(id);
    }

    pub(crate) fn add_space(&mut self, id: &str, folder: &Path) {
        self.packed.remove(id);
        self.spaces.insert(id.to_owned(), vec![Root::new(folder)]);
    }

    /// The folder of a level or mod that is already there.
    pub(crate) fn is_at(&self, id: &str, folder: &Path) -> Option<bool> {
        let roots = self.spaces.get(id)?;
        let real = Root::new(folder).real;
        Some(roots.iter().any(|root| root.real == real))
    }

    pub(crate) fn read(&self, path: &LogicalPath) -> Result<Vec<u8>, AssetError> {
        if let Some(bytes) = self.memory.get(path) {
            return Ok(bytes.clone());
        }
        if let Some(archive) = self.packed.get(&path.space) {
            return archive.read(path).map(|bytes| bytes.to_vec());
        }
        let file = self.locate(path)?;
        read_file(&file, &path.to_string(), size_limit(path))
    }

    /// Whether a file is there, by the same rules as it is read.
    pub(crate) fn exists(&self, path: &LogicalPath) -> Result<(), AssetError> {
        if self.memory.contains_key(path) {
            return Ok(());
        }
        match self.packed.get(&path.space) {
            Some(archive) => archive.read(path).map(|_| ()),
            None => self.locate(path).map(|_| ()),
        }
    }

    /// The file on disk, with every rule checked.
    pub(crate) fn locate(&self, path: &LogicalPath) -> Result<PathBuf, AssetError> {
        path.check()
            .map_err(|error| AssetError::path(&path.to_string(), error))?;
        let Some(roots) = self.spaces.get(&path.space) else {
            if let Some(archive) = self.packed.get(&path.space) {
                archive.read(path)?;
                return Err(AssetError::NotAFile {
                    path: path.to_string(),
                });
            }
            return Err(AssetError::UnknownSpace {
                path: path.to_string(),
                space: path.space.clone(),
                nearest: nearest(&path.space, self.ids()).map(str::to_owned),
            });
        };
        let mut wrong_case = None;
        let mut absent: Option<Absent> = None;
        for root in roots {
            match lookup(root, path)? {
                Lookup::Found(file) => return Ok(file),
                Lookup::WrongCase(real) => wrong_case = wrong_case.or(Some(real)),
                Lookup::Absent(mut here) => match &mut absent {
                    Some(before) if before.depth == here.depth => {
                        before.names.append(&mut here.names);
                    }
                    Some(before) if before.depth > here.depth => {}
                    _ => absent = Some(here),
                },
            }
        }
        if let Some(real) = wrong_case {
            return Err(AssetError::WrongCase {
                path: path.to_string(),
                real: format!("{}:{real}", path.space),
            });
        }
        Err(self.missing(path, absent))
    }

    fn ids(&self) -> impl Iterator<Item = &str> {
        self.spaces
            .keys()
            .chain(self.packed.keys())
            .map(String::as_str)
    }

    fn missing(&self, path: &LogicalPath, absent: Option<Absent>) -> AssetError {
        let (depth, folder, names) = absent.map_or_else(
            || (0, self.project.folder.clone(), Vec::new()),
            |absent| (absent.depth, absent.folder, absent.names),
        );
        let parts: Vec<&str> = path.path.split('/').collect();
        let missing = parts.get(depth).copied().unwrap_or_default();
        let near = nearest(missing, names.iter().map(String::as_str)).map(|name| {
            let mut parts = parts.clone();
            parts[depth] = name;
            format!("{}:{}", path.space, parts.join("/"))
        });
        let in_two = depth == 0 && path.space == PROJECT_SPACE;
        AssetError::Missing {
            path: path.to_string(),
            missing: missing.to_owned(),
            folder: if in_two {
                "`assets` and `scripts`".to_owned()
            } else {
                format!("`{}`", self.show(&folder))
            },
            nearest: near,
        }
    }

    /// A file or folder as messages show it: relative to the project where it is inside.
    pub(crate) fn show(&self, file: &Path) -> String {
        match self.project.relative(file) {
            Some(inside) if inside.is_empty() => ".".to_owned(),
            Some(inside) => inside,
            None => file.display().to_string().replace('\\', "/"),
        }
    }

    pub(crate) fn display(&self, path: &LogicalPath) -> String {
        let inside = |file: PathBuf| self.project.relative(&file);
        if self.memory.contains_key(path) {
            return path.to_string();
        }
        if let Some(archive) = self.packed.get(&path.space) {
            return format!("{}/{}", archive.shown, path.path);
        }
        if let Ok(file) = self.locate(path) {
            return inside(file).unwrap_or_else(|| path.to_string());
        }
        match self.spaces.get(&path.space).map(Vec::as_slice) {
            Some([root]) => inside(root.folder.join(&path.path)),
            _ => None,
        }
        .unwrap_or_else(|| path.to_string())
    }

    pub(crate) fn path_of(&self, file: &Path) -> Option<LogicalPath> {
        let file = std::path::absolute(file).ok()?;
        let real = file
            .parent()
            .and_then(|folder| folder.canonicalize().ok())
            .zip(file.file_name())
            .map(|(folder, name)| folder.join(name));
        let mut best: Option<(usize, LogicalPath)> = None;
        for (space, roots) in &self.spaces {
            for root in roots {
                let relative = root
                    .relative(&file)
                    .or_else(|| root.relative(real.as_deref()?));
                let path = relative.and_then(|text| LogicalPath::parse(&text, space).ok());
                let depth = root.folder.components().count();
                if let Some(path) = path
                    && best.as_ref().is_none_or(|(found, _)| *found < depth)
                {
                    best = Some((depth, path));
                }
            }
        }
        best.map(|(_, path)| path)
    }

    /// Every file of a space, in order of paths; names that begin with a dot and links to folders are left
    /// out.
    pub(crate) fn list(&self, space: &str) -> Vec<LogicalPath> {
        let mut found: Vec<LogicalPath> = Vec::new();
        for root in self.spaces.get(space).into_iter().flatten() {
            list_folder(&root.folder, "", space, MAX_DEPTH, &mut found);
        }
        let packed = self.packed.get(space).into_iter();
        let packed = packed.flat_map(|archive| archive.files.keys());
        found.extend(packed.map(|path| LogicalPath {
            space: space.to_owned(),
            path: path.clone(),
        }));
        found.extend(
            self.memory
                .keys()
                .filter(|path| path.space == space)
                .cloned(),
        );
        found.sort();
        found.dedup();
        found
    }
}

impl Archive {
    fn read(&self, path: &LogicalPath) -> Result<&[u8], AssetError> {
        path.check()
            .map_err(|error| AssetError::path(&path.to_string(), error))?;
        if let Some(bytes) = self.files.get(&path.path) {
            return Ok(bytes);
        }
        let lower = path.path.to_lowercase();
        if let Some(real) = self.files.keys().find(|name| name.to_lowercase() == lower) {
            return Err(AssetError::WrongCase {
                path: path.to_string(),
                real: format!("{}:{real}", path.space),
            });
        }
        let near = nearest(&path.path, self.files.keys().map(String::as_str));
        Err(AssetError::Missing {
            path: path.to_string(),
            missing: path.path.clone(),
            folder: format!("`{}`", self.shown),
            nearest: near.map(|name| format!("{}:{name}", path.space)),
        })
    }
}

/// Reads a file in a folder that is no space yet, by the same rules.
pub(crate) fn read_in(
    folder: &Path,
    name: &str,
    shown: &str,
) -> Result<Option<Vec<u8>>, AssetError> {
    let path = LogicalPath {
        space: PROJECT_SPACE.to_owned(),
        path: name.to_owned(),
    };
    match lookup(&Root::new(folder), &path)? {
        Lookup::Found(file) => read_file(&file, shown, size_limit(&path)).map(Some),
        Lookup::WrongCase(real) => Err(AssetError::WrongCase {
            path: shown.to_owned(),
            real: format!("{}{real}", shown.trim_end_matches(name)),
        }),
        Lookup::Absent(_) => Ok(None),
    }
}

/// The most bytes of a file, by its kind. Longer ones are refused before they are read.
pub(crate) fn size_limit(path: &LogicalPath) -> u64 {
    match path.extension().to_ascii_lowercase().as_str() {
        "lua" | "rhai" => 256 << 10,
        "toml" => 1 << 20,
        "json" => 4 << 20,
        "png" | "jpg" | "jpeg" | "webp" => 64 << 20,
        _ => 512 << 20,
    }
}

pub(crate) fn read_file(file: &Path, shown: &str, limit: u64) -> Result<Vec<u8>, AssetError> {
    let unreadable = |error| AssetError::unreadable(shown, error);
    let opened = File::open(file).map_err(unreadable)?;
    let length = opened.metadata().map_err(unreadable)?.len();
    let mut bytes = Vec::with_capacity(length.min(limit) as usize);
    opened
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        return Err(AssetError::TooLarge {
            path: shown.to_owned(),
            limit,
        });
    }
    tracing::debug!(path = shown, bytes = bytes.len(), "read");
    Ok(bytes)
}

/// Walks down from the root, part by part, so that every name is compared with its spelling on disk
/// and every link is checked before anything behind it is looked at.
fn lookup(root: &Root, path: &LogicalPath) -> Result<Lookup, AssetError> {
    let shown = path.to_string();
    let unreadable = |error| AssetError::unreadable(&shown, error);
    let mut at = root.folder.clone();
    let mut spelled: Vec<String> = Vec::new();
    let mut right = true;
    for (depth, part) in path.path.split('/').enumerate() {
        let name = match entry(&at, part).map_err(unreadable)? {
            Entry::Exact => part.to_owned(),
            Entry::WrongCase(real) => {
                right = false;
                real
            }
            Entry::Absent(names) => {
                return Ok(Lookup::Absent(Absent {
                    depth,
                    folder: at,
                    names,
                }));
            }
        };
        at.push(&name);
        spelled.push(name);
        let link = at.symlink_metadata().map_err(unreadable)?.is_symlink();
        if link
            && !at
                .canonicalize()
                .map_err(unreadable)?
                .starts_with(&root.real)
        {
            return Err(AssetError::Leaves {
                path: shown,
                space: path.space.clone(),
            });
        }
    }
    if !right {
        return Ok(Lookup::WrongCase(spelled.join("/")));
    }
    if !at.metadata().map_err(unreadable)?.is_file() {
        return Err(AssetError::NotAFile { path: shown });
    }
    Ok(Lookup::Found(at))
}

/// Looks for a name in a folder by listing it: opening the name would take any spelling on some systems.
fn entry(folder: &Path, name: &str) -> io::Result<Entry> {
    let lower = name.to_lowercase();
    let mut other = None;
    let mut names = Vec::new();
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Entry::Absent(names));
        }
        Err(error) => return Err(error),
    };
    for found in entries {
        let Ok(found) = found?.file_name().into_string() else {
            continue;
        };
        if found == name {
            return Ok(Entry::Exact);
        }
        // The smallest of several, as the order of a listing differs between systems.
        if found.to_lowercase() == lower && other.as_ref().is_none_or(|before| found < *before) {
            other = Some(found.clone());
        }
        if names.len() < MAX_LISTED {
            names.push(found);
        }
    }
    names.sort();
    Ok(other.map_or(Entry::Absent(names), Entry::WrongCase))
}

fn list_folder(
    folder: &Path,
    prefix: &str,
    space: &str,
    depth: usize,
    found: &mut Vec<LogicalPath>,
) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (Ok(kind), Ok(name)) = (entry.file_type(), entry.file_name().into_string()) else {
            continue;
        };
        if name.starts_with('.') || found.len() >= MAX_LISTED {
            continue;
        }
        let text = format!("{prefix}{name}");
        if kind.is_dir() && depth > 0 {
            list_folder(&entry.path(), &format!("{text}/"), space, depth - 1, found);
        } else if !kind.is_dir() && entry.path().is_file() {
            found.extend(LogicalPath::parse(&text, space));
        }
    }
}

#[cfg(test)]
mod tests;
