//! Modules: files that the scripts of one mod share, `require("lib/steps")` in Lua and `import "lib/steps" as steps` in
//! Rhai. Here is what both languages have in common: which file a name means, what needs what, circles, limits, and what a
//! reload reads anew. The languages keep the modules' values.
//!
//! A file is read only while a file loads: at the top level of a script or of another module. A function that runs
//! later gets what is loaded by then, so that no step of a level waits for a disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use sinew_anim::nearest;
use sinew_assets::{Diagnostic, LogicalPath, Mod, PROJECT_SPACE, Requirement};

use crate::{
    actors::check_size, api::ApiError, host::ScriptLanguage, language::Source, stage::SharedStage,
};

/// Modules may need each other so deep.
pub(crate) const MAX_DEPTH: usize = 16;
/// Modules that one mod may have in one language.
pub(crate) const MAX_MODULES: usize = 256;
/// Bytes that they may have together: a compiler cannot be stopped half-way.
pub(crate) const MAX_BYTES: usize = 2 << 20;

/// The code of an error that only repeats one of the same change.
pub(crate) const AGAIN: &str = "E-SCRIPT-MODULE-FAILED";

/// A module's file and the modules that its top level asked for.
#[derive(Clone, Debug)]
struct Module {
    source: Source,
    needs: BTreeSet<LogicalPath>,
}

/// A file whose top level runs.
#[derive(Clone, Debug)]
struct Loading {
    source: Source,
    needs: BTreeSet<LogicalPath>,
}

/// The modules of one mod in one language.
#[derive(Debug)]
pub(crate) struct Library {
    language: ScriptLanguage,
    modules: BTreeMap<LogicalPath, Module>,
    /// What each script asked for; of a script that failed, also what its modules asked for.
    scripts: BTreeMap<usize, BTreeSet<LogicalPath>>,
    /// Scripts of which a version runs.
    running: BTreeSet<usize>,
    /// Loaded and not in use yet.
    pending: BTreeMap<LogicalPath, Module>,
    pending_scripts: BTreeMap<usize, BTreeSet<LogicalPath>>,
    /// Modules that are loaded anew when they are asked for.
    stale: BTreeSet<LogicalPath>,
    /// Modules that did not load since the change began.
    failed: BTreeSet<LogicalPath>,
    /// Outermost first.
    loading: Vec<Loading>,
    /// Everything that was asked for since the outermost file began.
    touched: BTreeSet<LogicalPath>,
    /// Files that were loaded since then, for the places of errors.
    seen: Vec<Source>,
}

/// What a script that asks for a module gets.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A module that is loaded.
    Ready(LogicalPath),
    /// A file to be loaded; [`Library::end_module`] must follow.
    Load(Source),
}

/// A library as a VM and its functions share it.
#[derive(Clone, Debug)]
pub(crate) struct SharedLibrary(Arc<Mutex<Library>>);

impl SharedLibrary {
    /// No modules yet.
    pub fn new(language: ScriptLanguage) -> Self {
        Self(Arc::new(Mutex::new(Library {
            language,
            modules: BTreeMap::new(),
            scripts: BTreeMap::new(),
            running: BTreeSet::new(),
            pending: BTreeMap::new(),
            pending_scripts: BTreeMap::new(),
            stale: BTreeSet::new(),
            failed: BTreeSet::new(),
            loading: Vec::new(),
            touched: BTreeSet::new(),
            seen: Vec::new(),
        })))
    }

    /// The library; it is never held while a script runs.
    pub fn lock(&self) -> MutexGuard<'_, Library> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a file (`from`) gets that asks for a module by name.
    ///
    /// # Errors
    /// Names that break a rule, files that are not there, circles, limits; and files that are not loaded where none may
    /// be read.
    pub fn ask(
        &self,
        stage: &SharedStage,
        from: &LogicalPath,
        name: &str,
    ) -> Result<Asked, ApiError> {
        let mut library = self.lock();
        let path = library.path(stage, from, name)?;
        library.touched.insert(path.clone());
        if let Some(file) = library.loading.last_mut() {
            file.needs.insert(path.clone());
        }
        library.check_circle(&path, from, name)?;
        let fresh = library.modules.contains_key(&path) && !library.stale.contains(&path);
        if fresh || library.pending.contains_key(&path) {
            return Ok(Asked::Ready(path));
        }
        if library.loading.is_empty() {
            let message = format!("`{name}` is not loaded: no file is read while the level runs");
            return Err(ApiError::new("E-SCRIPT-MODULE", message)
                .about(name)
                .help("ask for it at the top of the file"));
        }
        if library.failed.contains(&path) {
            let message = format!("the module `{name}` did not load");
            return Err(ApiError::new(AGAIN, message).about(name));
        }
        library.check_limits(name)?;
        let source = read(stage, &path).map_err(|fault| missing(*fault, from, name))?;
        library.check_bytes(&source, name)?;
        library.begin(&source);
        Ok(Asked::Load(source))
    }
}

impl Library {
    /// Begins with the top level of a file.
    pub fn begin(&mut self, source: &Source) {
        if self.loading.is_empty() {
            self.touched.clear();
            self.seen.clear();
        }
        self.seen.push(source.clone());
        self.loading.push(Loading {
            source: source.clone(),
            needs: BTreeSet::new(),
        });
    }

    /// Ends the top level of a module.
    pub fn end_module(&mut self, good: bool) {
        let Some(Loading { source, needs }) = self.loading.pop() else {
            return;
        };
        if good {
            let path = source.path.clone();
            self.pending.insert(path, Module { source, needs });
        } else {
            self.failed.insert(source.path);
        }
    }

    /// Ends the top level of a script; what a broken one asked for is remembered at once, so that it is loaded again when
    /// one of these files is saved.
    pub fn end_script(&mut self, slot: usize, good: bool) {
        let needs = self.loading.drain(..).next().map(|file| file.needs);
        if good {
            self.pending_scripts.insert(slot, needs.unwrap_or_default());
        } else if !self.running.contains(&slot) {
            self.scripts.insert(slot, self.touched.clone());
        }
    }

    /// Begins a change of files: gives the scripts to be loaded anew because of their modules.
    pub fn change(&mut self, changed: &BTreeSet<LogicalPath>) -> BTreeSet<usize> {
        self.discard();
        self.stale = changed.clone();
        loop {
            let more: Vec<LogicalPath> = self
                .modules
                .iter()
                .filter(|(path, module)| {
                    !self.stale.contains(*path) && !module.needs.is_disjoint(&self.stale)
                })
                .map(|(path, _)| path.clone())
                .collect();
            if more.is_empty() {
                break;
            }
            self.stale.extend(more);
        }
        let touched = self.scripts.iter();
        touched
            .filter(|(_, needs)| !needs.is_disjoint(&self.stale))
            .map(|(&slot, _)| slot)
            .collect()
    }

    /// Puts what was loaded into use; gives the modules that have a new version and those that nobody needs any more.
    pub fn commit(&mut self) -> (Vec<LogicalPath>, Vec<LogicalPath>) {
        let new: Vec<LogicalPath> = self.pending.keys().cloned().collect();
        self.modules.append(&mut self.pending);
        self.running.extend(self.pending_scripts.keys());
        self.scripts.append(&mut self.pending_scripts);
        self.stale.clear();
        self.failed.clear();
        self.seen.clear();
        let mut needed = BTreeSet::new();
        let mut next: Vec<&LogicalPath> = self.scripts.values().flatten().collect();
        while let Some(path) = next.pop() {
            if needed.insert(path.clone())
                && let Some(module) = self.modules.get(path)
            {
                next.extend(&module.needs);
            }
        }
        let dropped: Vec<LogicalPath> = self
            .modules
            .keys()
            .filter(|path| !needed.contains(*path))
            .cloned()
            .collect();
        self.modules.retain(|path, _| needed.contains(path));
        (new, dropped)
    }

    /// Forgets what was loaded and is not in use.
    pub fn discard(&mut self) {
        self.pending.clear();
        self.pending_scripts.clear();
        self.stale.clear();
        self.failed.clear();
        self.loading.clear();
    }

    /// All files that scripts need, also those that are not there.
    pub fn files(&self) -> impl Iterator<Item = &LogicalPath> {
        let needed: BTreeSet<&LogicalPath> = self
            .modules
            .keys()
            .chain(self.scripts.values().flatten())
            .collect();
        needed.into_iter()
    }

    /// The files that an error may be in.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let modules = self.modules.values().map(|module| &module.source);
        self.seen.iter().chain(modules)
    }

    /// The file that messages show so.
    pub fn shown(&self, shown: &str) -> Option<LogicalPath> {
        let mut sources = self.sources();
        let source = sources.find(|source| source.shown == shown)?;
        Some(source.path.clone())
    }

    /// The file that a name means, which need not be there.
    fn path(
        &self,
        stage: &SharedStage,
        from: &LogicalPath,
        name: &str,
    ) -> Result<LogicalPath, ApiError> {
        let mut path = LogicalPath::parse(name, &from.space).map_err(|error| {
            ApiError::from_diagnostic(Diagnostic::from_path(&error, name)).about(name)
        })?;
        if !may_see(stage, &from.space, &path.space) {
            let message = format!(
                "`{name}` is out of reach: a file of `{}` sees modules of its own, of `{PROJECT_SPACE}` and of mods that it depends on",
                from.space
            );
            let error = ApiError::new("E-SCRIPT-MODULE", message).about(name);
            let known = [from.space.as_str(), PROJECT_SPACE];
            return Err(match nearest(&path.space, known.into_iter()) {
                Some(near) => error.nearest(&format!("{near}:{}", path.path)),
                None => error.help("add the other mod to `depends` in `mod.toml`"),
            });
        }
        match ScriptLanguage::of(&path) {
            Some(language) if language == self.language => {}
            Some(_) => {
                let [own, other] = match self.language {
                    ScriptLanguage::Lua => ["Lua", "Rhai"],
                    ScriptLanguage::Rhai => ["Rhai", "Lua"],
                };
                let message = format!("`{name}` is {other}, and this file is {own}");
                return Err(ApiError::new("E-SCRIPT-MODULE", message)
                    .about(name)
                    .help("languages share no modules; actors can send each other messages"));
            }
            None => {
                let ending = match self.language {
                    ScriptLanguage::Lua => "lua",
                    ScriptLanguage::Rhai => "rhai",
                };
                let bare = path.clone();
                path.path = format!("{}.{ending}", bare.path);
                let other = LogicalPath {
                    path: format!("{}.luau", bare.path),
                    ..bare
                };
                if self.language == ScriptLanguage::Lua
                    && !self.is_there(stage, &path)
                    && self.is_there(stage, &other)
                {
                    path = other;
                }
            }
        }
        Ok(path)
    }

    fn is_there(&self, stage: &SharedStage, path: &LogicalPath) -> bool {
        if self.modules.contains_key(path) || self.pending.contains_key(path) {
            return true;
        }
        let mut stage = stage.lock();
        stage.incoming.contains_key(path) || stage.world.assets.text(path).is_ok()
    }

    fn check_circle(
        &self,
        path: &LogicalPath,
        from: &LogicalPath,
        name: &str,
    ) -> Result<(), ApiError> {
        let mut files = self.loading.iter();
        let Some(start) = files.position(|file| file.source.path == *path) else {
            return Ok(());
        };
        let circle = self.loading[start..].iter().map(|file| &file.source.path);
        let names = circle.chain([path]).map(|path| {
            if path.space == from.space {
                format!("`{}`", path.path)
            } else {
                format!("`{path}`")
            }
        });
        let names: Vec<String> = names.collect();
        let message = format!(
            "modules need each other in a circle: {}",
            names.join(" -> ")
        );
        Err(ApiError::new("E-SCRIPT-CIRCLE", message).about(name).help(
            "ask for one of them inside a function, or move what both need into another module",
        ))
    }

    fn check_limits(&self, name: &str) -> Result<(), ApiError> {
        if self.loading.len() > MAX_DEPTH {
            let message = format!("modules need each other more than {MAX_DEPTH} deep");
            return Err(ApiError::new("E-SCRIPT-MODULES", message).about(name));
        }
        let count = self.all().count();
        if count + self.loading.len() > MAX_MODULES {
            let message = format!("a mod has more than {MAX_MODULES} modules");
            return Err(ApiError::new("E-SCRIPT-MODULES", message).about(name));
        }
        Ok(())
    }

    fn check_bytes(&self, source: &Source, name: &str) -> Result<(), ApiError> {
        let bytes: usize = self.all().map(|source| source.text.len()).sum();
        let open: usize = self.loading.iter().map(|file| file.source.text.len()).sum();
        if bytes + open + source.text.len() <= MAX_BYTES {
            return Ok(());
        }
        let message = format!("the modules of a mod have more than {MAX_BYTES} bytes together");
        Err(ApiError::new("E-SCRIPT-MODULES", message).about(name))
    }

    /// The modules that would be in use.
    fn all(&self) -> impl Iterator<Item = &Source> {
        let kept = self.modules.iter();
        let kept = kept
            .filter(|(path, _)| !self.pending.contains_key(*path) && !self.stale.contains(*path));
        let kept = kept.map(|(_, module)| &module.source);
        kept.chain(self.pending.values().map(|module| &module.source))
    }
}

/// Whether the files of a mod may use modules of a space: its own, the project's, and those of mods that it depends on.
fn may_see(stage: &SharedStage, from: &str, space: &str) -> bool {
    let depends = |one: &Mod| {
        let named = one.manifest.depends.iter();
        let mut named = named.filter_map(|text| Requirement::parse(text).ok());
        one.manifest.id == from && named.any(|needed| needed.id == space)
    };
    let mods = || stage.lock().world.assets.mods.clone();
    from == space || space == PROJECT_SPACE || mods().mods.iter().any(depends)
}

fn read(stage: &SharedStage, path: &LogicalPath) -> Result<Source, Box<Diagnostic>> {
    let mut stage = stage.lock();
    let shown = stage.world.assets.display(path);
    let text = match stage.incoming.get(path) {
        Some(bytes) => text_of(bytes, &shown)?,
        None => stage.world.assets.text(path)?.value,
    };
    drop(stage);
    let source = Source {
        path: path.clone(),
        shown,
        text,
    };
    check_size(&source)?;
    Ok(source)
}

/// The error for a file that cannot be read; what it suggests is spelled as the script spells its names.
fn missing(fault: Diagnostic, from: &LogicalPath, name: &str) -> ApiError {
    let error = ApiError::from_diagnostic(fault).about(name);
    let help = error.help.clone().unwrap_or_default();
    let near = ["did you mean `", "write `"]
        .iter()
        .find_map(|words| help.strip_prefix(words)?.split('`').next());
    let Some(near) = near else {
        return error;
    };
    let near = near
        .strip_prefix(&format!("{}:", from.space))
        .filter(|_| !name.contains(':'))
        .unwrap_or(near);
    let stem = near.rsplit_once('.').map_or(near, |(stem, _)| stem);
    let ends = [".lua", ".luau", ".rhai"]
        .iter()
        .any(|end| name.ends_with(end));
    error.nearest(if ends { near } else { stem })
}

/// The text of a file's bytes; a byte order mark is left out.
pub(crate) fn text_of(bytes: &[u8], shown: &str) -> Result<Arc<str>, Box<Diagnostic>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let message = format!(
            "byte {} is no text: the file is not UTF-8",
            error.valid_up_to()
        );
        Box::new(Diagnostic::error("E-SCRIPT-TEXT", message).in_file(shown))
    })?;
    Ok(text.into())
}
