//! Checking without running: every script of a level compiled and loaded, its graph and properties validated.

use std::path::{Path, PathBuf};

use sinew_assets::{Assets, Diagnostic, LogicalPath, PROJECT_SPACE, Severity};
use sinew_world::{Jobs, World};

use crate::{
    host::{ScriptHost, ScriptLanguage},
    stage::{Lent, SharedStage},
};

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

/// Checks one script by its text, as if it were a file of the project: for editors and tests.
pub fn check_script(language: ScriptLanguage, shown: &str, text: &str) -> Option<Box<Diagnostic>> {
    let source = crate::language::Source {
        path: LogicalPath {
            space: PROJECT_SPACE.to_owned(),
            path: shown.to_owned(),
        },
        shown: shown.to_owned(),
        text: text.into(),
    };
    let stage = SharedStage::default();
    stage.lock().host.loading = true;
    match crate::host::new_vm(language, &stage) {
        Ok(mut vm) => vm.prepare(0, &source).err(),
        Err(fault) => Some(fault),
    }
}

impl ScriptHost {
    /// Loads scripts that no actor runs yet, for their faults.
    fn load_files(&mut self, world: &mut World, files: &[LogicalPath]) -> Vec<Diagnostic> {
        let _lent = Lent::new(&self.stage.clone(), world);
        let before = self.problems.list.len();
        let mut faults = Vec::new();
        for file in files
            .iter()
            .filter(|file| ScriptLanguage::of(file).is_some())
        {
            if let Err(fault) = self.ensure_loaded(file) {
                faults.push(*fault);
            }
        }
        faults.extend(
            self.problems.list[before..]
                .iter()
                .map(|problem| problem.diagnostic.clone()),
        );
        faults
    }
}
