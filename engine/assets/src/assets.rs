//! Models, graphs and texts by logical path, each read once, with a generation that rises when a
//! better version is handed in.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use sinew_anim::GraphDef;
use sinew_model::Model;

use crate::{AssetError, Diagnostic, LogicalPath, ModSet, clips_file, files::Files};

/// What was loaded, and how often it has changed.
#[derive(Debug)]
pub struct Loaded<T: ?Sized> {
    /// Shared with everybody who uses it.
    pub value: Arc<T>,
    /// 1 at first, one more with each new version.
    pub generation: u64,
}

impl<T: ?Sized> Clone for Loaded<T> {
    fn clone(&self) -> Self {
        Self {
            value: Arc::clone(&self.value),
            generation: self.generation,
        }
    }
}

/// Which loaded things have a new version, each in order of paths.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Changed {
    /// Models, also those of which only a buffer, an image or the clips file changed.
    pub models: Vec<LogicalPath>,
    /// Graphs.
    pub graphs: Vec<LogicalPath>,
    /// Scripts, levels and other texts.
    pub texts: Vec<LogicalPath>,
}

impl Changed {
    /// True where nothing that is loaded has changed.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty() && self.graphs.is_empty() && self.texts.is_empty()
    }
}

/// New versions that were read without fault and are not in use yet: what [`Assets::commit`] takes.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// In order of paths.
    pub models: Vec<(LogicalPath, Arc<Model>)>,
    /// In order of paths.
    pub graphs: Vec<(LogicalPath, Arc<GraphDef>)>,
    /// In order of paths.
    pub texts: Vec<(LogicalPath, Arc<str>)>,
    /// What each of `models` refers to.
    depends: Vec<Vec<LogicalPath>>,
    /// What patches each of `graphs`.
    depends_of_graphs: Vec<Vec<LogicalPath>>,
    /// New bytes of files in memory.
    memory: Vec<(LogicalPath, Vec<u8>)>,
}

/// The files of a project, its levels and its mods, and what was loaded from them.
#[derive(Clone, Debug)]
pub struct Assets {
    /// Mods in use; none until [`Assets::use_mods`].
    pub mods: Arc<ModSet>,
    pub(crate) files: Files,
    models: Cache<Model>,
    graphs: Cache<GraphDef>,
    texts: Cache<str>,
}

type Cache<T> = BTreeMap<LogicalPath, Entry<T>>;

#[derive(Debug)]
struct Entry<T: ?Sized> {
    loaded: Loaded<T>,
    /// Files that this one refers to.
    depends: Vec<LogicalPath>,
}

impl<T: ?Sized> Clone for Entry<T> {
    fn clone(&self) -> Self {
        Self {
            loaded: self.loaded.clone(),
            depends: self.depends.clone(),
        }
    }
}

type Bytes = BTreeMap<LogicalPath, Vec<u8>>;

impl Assets {
    /// The files of a project: `sinew:` is its folder `assets`, then its folder `scripts`. Neither has to
    /// be there.
    pub fn new(project: &Path) -> Self {
        Self {
            mods: Arc::default(),
            files: Files::new(project),
            models: Cache::new(),
            graphs: Cache::new(),
            texts: Cache::new(),
        }
    }

    /// Makes a folder the space `id`, instead of the one that was.
    pub fn add_space(&mut self, id: &str, folder: &Path) {
        self.files.add_space(id, folder);
    }

    /// Puts a file into memory, in front of one on disk: for embedders and tests without a disk.
    /// What was already loaded stays; [`Assets::replace`] changes it.
    pub fn insert(&mut self, path: &LogicalPath, bytes: Vec<u8>) {
        self.files.memory.insert(path.clone(), bytes);
    }

    /// The bytes of a file, or of the one of a mod that replaces it.
    ///
    /// # Errors
    /// See [`AssetError`].
    pub fn read(&self, path: &LogicalPath) -> Result<Vec<u8>, AssetError> {
        self.files.read(self.mods.source_of(path))
    }

    /// The file on disk, where there is one that may be read.
    pub fn file_of(&self, path: &LogicalPath) -> Option<PathBuf> {
        self.files.locate(path).ok()
    }

    /// The logical path of a file, which need not be there any more; of the innermost space where one
    /// lies in another. `None` outside of all spaces and for names that break a rule.
    pub fn path_of(&self, file: &Path) -> Option<LogicalPath> {
        self.files.path_of(file)
    }

    /// The path as messages show it: relative to the project, with `/`; the logical path for a file
    /// outside the project or in memory.
    pub fn display(&self, path: &LogicalPath) -> String {
        self.files.display(path)
    }

    /// Every file of a space, in order of paths. Hidden names and links to folders are left out.
    pub fn list(&self, space: &str) -> Vec<LogicalPath> {
        self.files.list(space)
    }

    /// A model with the files that it refers to and the clips file beside it, read at most once.
    ///
    /// # Errors
    /// Why the file cannot be read, or why its content is refused.
    pub fn model(&mut self, path: &LogicalPath) -> Result<Loaded<Model>, Box<Diagnostic>> {
        if let Some(entry) = self.models.get(path) {
            return Ok(entry.loaded.clone());
        }
        let (model, depends) = self.parse_model(path, &Bytes::new())?;
        Ok(insert(&mut self.models, path, model, depends))
    }

    /// A graph from an `.animgraph.json`, read at most once. It is not compiled: that needs a
    /// skeleton.
    ///
    /// # Errors
    /// Why the file cannot be read, or why its content is refused.
    pub fn graph(&mut self, path: &LogicalPath) -> Result<Loaded<GraphDef>, Box<Diagnostic>> {
        if let Some(entry) = self.graphs.get(path) {
            return Ok(entry.loaded.clone());
        }
        let (graph, depends) = self.parse_graph(path, &Bytes::new())?;
        Ok(insert(&mut self.graphs, path, graph, depends))
    }

    /// The text of a script or another file, read at most once. A byte order mark is left out.
    ///
    /// # Errors
    /// Why the file cannot be read.
    pub fn text(&mut self, path: &LogicalPath) -> Result<Loaded<str>, Box<Diagnostic>> {
        if let Some(entry) = self.texts.get(path) {
            return Ok(entry.loaded.clone());
        }
        let text = text_of(self.read(path)?, &self.display(path))?;
        Ok(insert(&mut self.texts, path, text, Vec::new()))
    }

    /// Takes over the new bytes of one file: reads them first, and only if everything that is loaded
    /// from this file is good, swaps all of it and raises the generations. A file that nothing was
    /// loaded from changes nothing.
    ///
    /// # Errors
    /// Why the new version is refused; the old one stays.
    pub fn replace(
        &mut self,
        path: &LogicalPath,
        bytes: Vec<u8>,
    ) -> Result<Changed, Box<Diagnostic>> {
        let prepared = self.prepare(vec![(path.clone(), bytes)]);
        match prepared {
            Ok(prepared) => Ok(self.commit(prepared)),
            Err(faults) => Err(faults.into_iter().next().map(Box::new).unwrap_or_default()),
        }
    }

    /// Reads the new bytes of files that change together, and changes nothing yet. Files that a model
    /// refers to come from `changed`, else from where they are.
    ///
    /// # Errors
    /// Every reason why a new version is refused.
    pub fn prepare(
        &self,
        changed: Vec<(LogicalPath, Vec<u8>)>,
    ) -> Result<Prepared, Vec<Diagnostic>> {
        let changed: Bytes = changed.into_iter().collect();
        let mut prepared = Prepared::default();
        let mut faults = Vec::new();
        for (path, bytes) in &changed {
            if self.texts.contains_key(path) {
                match text_of(bytes.clone(), &self.display(path)) {
                    Ok(text) => prepared.texts.push((path.clone(), text)),
                    Err(error) => faults.push(error.into()),
                }
            }
        }
        let is_touched = |path: &LogicalPath, depends: &[LogicalPath]| {
            let mut files = std::iter::once(path).chain(depends);
            files.any(|path| changed.contains_key(path))
        };
        for (path, entry) in &self.graphs {
            if !is_touched(path, &entry.depends) {
                continue;
            }
            match self.parse_graph(path, &changed) {
                Ok((graph, depends)) => {
                    prepared.graphs.push((path.clone(), graph));
                    prepared.depends_of_graphs.push(depends);
                }
                Err(fault) => faults.push(*fault),
            }
        }
        for (path, entry) in &self.models {
            if !is_touched(path, &entry.depends) {
                continue;
            }
            match self.parse_model(path, &changed) {
                Ok((model, depends)) => {
                    prepared.models.push((path.clone(), model));
                    prepared.depends.push(depends);
                }
                Err(fault) => faults.push(*fault),
            }
        }
        let in_memory = |(path, _): &(LogicalPath, _)| self.files.memory.contains_key(path);
        prepared.memory = changed.into_iter().filter(in_memory).collect();
        if faults.is_empty() {
            Ok(prepared)
        } else {
            Err(faults)
        }
    }

    /// Puts prepared versions into use and raises their generations.
    pub fn commit(&mut self, prepared: Prepared) -> Changed {
        self.files.memory.extend(prepared.memory);
        let models = prepared.models.into_iter().zip(prepared.depends);
        let graphs = prepared.graphs.into_iter().zip(prepared.depends_of_graphs);
        Changed {
            models: models
                .map(|((path, model), depends)| swap(&mut self.models, path, model, depends))
                .collect(),
            graphs: graphs
                .map(|((path, graph), depends)| swap(&mut self.graphs, path, graph, depends))
                .collect(),
            texts: prepared
                .texts
                .into_iter()
                .map(|(path, text)| swap(&mut self.texts, path, text, Vec::new()))
                .collect(),
        }
    }

    /// Everything that was loaded and what it refers to, each once, in order of paths; clips files also where there
    /// is none.
    pub fn loaded(&self) -> impl Iterator<Item = &LogicalPath> {
        let models = self.models.iter();
        let models = models.flat_map(|(path, entry)| std::iter::once(path).chain(&entry.depends));
        let graphs = self.graphs.iter();
        let graphs = graphs.flat_map(|(path, entry)| std::iter::once(path).chain(&entry.depends));
        let all = models.chain(graphs).chain(self.texts.keys());
        all.collect::<BTreeSet<_>>().into_iter()
    }

    /// Takes a text over that was read elsewhere; a new generation only where it differs.
    pub(crate) fn put_text(&mut self, path: LogicalPath, text: Arc<str>) {
        match self.texts.get(&path) {
            Some(entry) if entry.loaded.value == text => {}
            Some(_) => drop(swap(&mut self.texts, path, text, Vec::new())),
            None => drop(insert(&mut self.texts, &path, text, Vec::new())),
        }
    }

    fn parse_model(
        &self,
        path: &LogicalPath,
        changed: &Bytes,
    ) -> Result<(Arc<Model>, Vec<LogicalPath>), Box<Diagnostic>> {
        let read = |path: &LogicalPath| match changed.get(path) {
            Some(bytes) => Ok(bytes.clone()),
            None => self.read(path),
        };
        // The one that replaces it refers to files of its own.
        let path = self.mods.source_of(path);
        let bytes = read(path)?;
        let mut depends = BTreeSet::from([path.clone()]);
        let mut fetch = |relative: &str| {
            let wanted = path
                .join(relative)
                .map_err(|error| format!("the path {error}"))?;
            let bytes = read(&wanted).map_err(|error| match error.help() {
                Some(help) => format!("{error}; {help}"),
                None => error.to_string(),
            });
            depends.insert(wanted);
            bytes
        };
        let mut model = sinew_model::import(&bytes, &mut fetch).map_err(|error| {
            let json = path.extension().eq_ignore_ascii_case("gltf");
            let source = std::str::from_utf8(&bytes)
                .ok()
                .filter(|_| json)
                .map(Arc::from);
            Box::new(Diagnostic::from_import(
                error,
                &self.display(path),
                source.as_ref(),
            ))
        })?;
        // Also where there is none yet: the model changes when one is written.
        if let Some(clips) = clips_file::path_for(path) {
            clips_file::merge(&mut model, read(&clips), &self.display(&clips))?;
            depends.insert(clips);
        }
        Ok((Arc::new(model), depends.into_iter().collect()))
    }

    /// The graph with the patches of mods laid over it, and the files of those.
    fn parse_graph(
        &self,
        path: &LogicalPath,
        changed: &Bytes,
    ) -> Result<(Arc<GraphDef>, Vec<LogicalPath>), Box<Diagnostic>> {
        let mut graph = self.graph_alone(path, changed)?.0;
        let patches = self.mods.patches(path);
        for patch in patches {
            let (over, text) = self.graph_alone(patch, changed)?;
            let place = |error| {
                let fault = Diagnostic::from_graph(error, &self.display(patch), Some(&text));
                let note = format!("it patches {}", self.display(path));
                Box::new(Diagnostic {
                    notes: vec![note],
                    ..fault
                })
            };
            let rename = |name: &str| match LogicalPath::parse(name, &patch.space) {
                Ok(path) => path.to_string(),
                Err(_) => name.to_owned(),
            };
            let over = over.rename_graphs(&rename).map_err(place)?;
            graph = graph
                .merge(&over)
                .map_err(|mut errors| place(errors.swap_remove(0)))?;
        }
        Ok((Arc::new(graph), patches.to_vec()))
    }

    fn graph_alone(
        &self,
        path: &LogicalPath,
        changed: &Bytes,
    ) -> Result<(GraphDef, Arc<str>), Box<Diagnostic>> {
        let bytes = match changed.get(path) {
            Some(bytes) => bytes.clone(),
            None => self.read(path)?,
        };
        let shown = self.display(path);
        let text = text_of(bytes, &shown)?;
        match GraphDef::from_json(&text) {
            Ok(graph) => Ok((graph, text)),
            Err(error) => Err(Box::new(Diagnostic::from_graph(error, &shown, Some(&text)))),
        }
    }
}

impl<T: ?Sized> Entry<T> {
    fn new(value: Arc<T>, depends: Vec<LogicalPath>) -> Self {
        Self {
            loaded: Loaded {
                value,
                generation: 1,
            },
            depends,
        }
    }
}

fn insert<T: ?Sized>(
    cache: &mut Cache<T>,
    path: &LogicalPath,
    value: Arc<T>,
    depends: Vec<LogicalPath>,
) -> Loaded<T> {
    let entry = Entry::new(value, depends);
    let loaded = entry.loaded.clone();
    cache.insert(path.clone(), entry);
    loaded
}

fn swap<T: ?Sized>(
    cache: &mut Cache<T>,
    path: LogicalPath,
    value: Arc<T>,
    depends: Vec<LogicalPath>,
) -> LogicalPath {
    if let Some(entry) = cache.get_mut(&path) {
        entry.loaded.value = value;
        entry.loaded.generation += 1;
        entry.depends = depends;
    }
    path
}

pub(crate) fn text_of(bytes: Vec<u8>, shown: &str) -> Result<Arc<str>, AssetError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    std::str::from_utf8(bytes)
        .map(Arc::from)
        .map_err(|error| AssetError::NotText {
            path: shown.to_owned(),
            offset: error.valid_up_to(),
        })
}

#[cfg(test)]
mod tests;
