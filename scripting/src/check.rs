//! Checking without running: every script of a level compiled and loaded, its graph and properties validated.

use std::path::{Path, PathBuf};

use sinew_assets::{Assets, Diagnostic, LogicalPath, Severity};
use sinew_world::{Jobs, World};

use crate::{
    actors::check_size,
    host::{ScriptHost, ScriptLanguage},
    language::{Failure, Language, Source},
    stage::Lent,
};

/// The number of a script that is only looked at.
const NOBODYS: usize = usize::MAX;

/// Checks levels, scripts and graphs of a project: each path is a level's folder, its `level.toml`, or a script or graph in
/// one. No paths check every level in `samples/`.
///
/// Nothing of a level runs but the top level of its scripts, which cannot reach the level.
pub fn check(project: &Path, paths: &[PathBuf]) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut levels: Vec<PathBuf> = Vec::new();
    let all = if paths.is_empty() {
        samples(project)
    } else {
        paths.to_vec()
    };
    for path in all {
        match level_of(&path) {
            Some(level) if !levels.contains(&level) => levels.push(level),
            Some(_) => {}
            // No level to judge it by: the asset reader says what is missing.
            None => levels.push(path),
        }
    }
    for level in levels {
        for diagnostic in check_level(project, &level) {
            if !found.contains(&diagnostic) {
                found.push(diagnostic);
            }
        }
    }
    found
}

fn samples(project: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(project.join("samples"))
        .into_iter()
        .flatten()
        .flatten();
    let mut levels: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join("level.toml").is_file())
        .collect();
    levels.sort();
    levels
}

/// The folder of the level that a path belongs to.
fn level_of(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .find(|folder| folder.join("level.toml").is_file())
        .map(Path::to_owned)
}

fn check_level(project: &Path, folder: &Path) -> Vec<Diagnostic> {
    let mut world = World::new(Assets::new(project), Jobs::serial(), 0);
    let level = match world.assets.open_level(folder) {
        Ok(level) => level,
        Err(faults) => return faults,
    };
    let space = level.id.clone();
    let path = LogicalPath {
        space: space.clone(),
        path: "level.toml".to_owned(),
    };
    let mut found = match world.start_level(path, level) {
        Ok(()) => Vec::new(),
        Err(faults) => faults,
    };
    let mut host = ScriptHost::default();
    found.extend(host.load(&mut world));
    let told = std::mem::take(&mut world.remarks);
    let warnings = told
        .into_iter()
        .filter(|told| told.severity == Severity::Warning);
    found.extend(warnings);
    let files = world.assets.list(&space);
    found.extend(host.load_files(&mut world, &files));
    for file in files
        .iter()
        .filter(|file| file.path.ends_with(".animgraph.json"))
    {
        if let Err(fault) = world.assets.graph(file) {
            found.push(*fault);
        }
    }
    found
}

/// Checks one file by itself, a script or a module: for files of no level, and for editors. `shown` is how messages
/// name it.
pub fn check_script(assets: Assets, path: &LogicalPath, shown: &str) -> Option<Box<Diagnostic>> {
    let mut world = World::new(assets, Jobs::serial(), 0);
    let mut host = ScriptHost::default();
    let _lent = Lent::new(&host.stage.clone(), &mut world);
    host.try_file(path, Some(shown)).err()
}

impl ScriptHost {
    /// Loads scripts and modules that nobody uses yet, for their faults.
    fn load_files(&mut self, world: &mut World, files: &[LogicalPath]) -> Vec<Diagnostic> {
        let _lent = Lent::new(&self.stage.clone(), world);
        let used: Vec<LogicalPath> = self.files().collect();
        let unused = files
            .iter()
            .filter(|file| ScriptLanguage::of(file).is_some() && !used.contains(file));
        unused
            .filter_map(|file| self.try_file(file, None).err())
            .map(|fault| *fault)
            .collect()
    }

    /// Runs the top level of a file that may be a script or a module, and forgets it.
    fn try_file(&mut self, path: &LogicalPath, shown: Option<&str>) -> Result<(), Failure> {
        let Some(language) = ScriptLanguage::of(path) else {
            return Ok(());
        };
        let (text, display) = {
            let stage = &mut self.stage.lock().world;
            (stage.assets.text(path)?.value, stage.assets.display(path))
        };
        let source = Source {
            path: path.clone(),
            shown: shown.map_or(display, str::to_owned),
            text,
        };
        check_size(&source)?;
        let module = self.module(&path.space);
        self.ensure_vm(module, language)?;
        let script = |vm: &mut dyn Language| vm.prepare(NOBODYS, &source).map(|_| ());
        let outcome = self.top_level(module, language, &source, script);
        let no_script = |fault: &Failure| fault.code == "E-SCRIPT-RETURN";
        let outcome = if outcome.as_ref().is_err_and(no_script) {
            let work = |vm: &mut dyn Language| vm.try_module(&source);
            self.top_level(module, language, &source, work)
        } else {
            outcome
        };
        if let Some(vm) = self.vm_mut(module, language) {
            vm.discard();
        }
        outcome
    }
}
