//! `sinew check`: everything that would go wrong, without running it.

use std::{
    io::IsTerminal,
    path::{Path, PathBuf},
    sync::Arc,
};

use sinew_assets::{Diagnostic, Severity};
use sinew_model::{ClipsFile, Model, Warning};

use crate::{
    Failure,
    cli::{CheckArgs, Format},
    project::{Project, project_here},
    run::{note, say},
};

use super::{check_mod::mod_faults, info};

/// Checks what is named, else everything in the project, and fails if there is an error.
pub(crate) fn check(args: &CheckArgs) -> Result<(), Failure> {
    let paths = if args.paths.is_empty() {
        whole_project()?
    } else {
        args.paths.clone()
    };
    let mut subjects = Vec::new();
    for path in &paths {
        collect(path, &mut subjects)?;
    }
    let model = match &args.model {
        Some(file) => {
            graphs_alone(&paths, &mut subjects);
            Some(info::load(file).map_err(|fault| Failure::Faults(vec![*fault]))?)
        }
        None => None,
    };
    let mut faults: Vec<Diagnostic> = Vec::new();
    for subject in &subjects {
        for fault in faults_of(subject, model.as_deref()) {
            // A script that two levels share is one fault.
            if !faults.contains(&fault) {
                show(&fault, args.format)?;
                faults.push(fault);
            }
        }
    }
    let errors = faults
        .iter()
        .filter(|fault| fault.severity == Severity::Error)
        .count();
    let warnings = faults.len() - errors;
    if args.format == Format::Human {
        note(&format!(
            "{} checked: {errors} errors, {warnings} warnings",
            subjects.len()
        ));
    }
    if errors == 0 {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}

/// Something that can be checked by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Subject {
    Level(PathBuf),
    Script(PathBuf),
    Graph(PathBuf),
    Model(PathBuf),
    /// The folder or archive of a mod; its files are checked with it.
    Mod(PathBuf),
    /// A clips file without a model beside it; one with a model is checked with it.
    Clips(PathBuf),
}

impl Subject {
    /// What a file is checked as; scripts and graphs of a level as the level uses them.
    fn of(file: &Path) -> Option<Self> {
        let name = file.file_name()?.to_str()?;
        let owned = file.to_owned();
        let alone = match name.rsplit_once('.')?.1 {
            "toml" if name == "level.toml" => return Some(Self::Level(owned)),
            "toml" if name == "mod.toml" => {
                let absolute = std::path::absolute(file).ok()?;
                return Some(Self::Mod(absolute.parent()?.to_owned()));
            }
            "zip" => return Some(Self::Mod(owned)),
            "glb" | "gltf" => return Some(Self::Model(owned)),
            "lua" | "luau" | "rhai" => Self::Script(owned),
            "json" if name.ends_with(".animgraph.json") => Self::Graph(owned),
            "json" if name.ends_with(ClipsFile::ENDING) => {
                let model = name.strip_suffix(ClipsFile::ENDING)?;
                let mut models = ["glb", "gltf"]
                    .into_iter()
                    .map(|kind| file.with_file_name(format!("{model}.{kind}")));
                let beside = models.find(|model| model.is_file());
                return Some(beside.map_or(Self::Clips(owned), Self::Model));
            }
            _ => return None,
        };
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
        let mut folders = absolute.ancestors().skip(1);
        if let Some(folder) = folders.find(|folder| folder.join("mod.toml").is_file()) {
            return Some(Self::Mod(folder.to_owned()));
        }
        let levels = absolute.ancestors().map(|folder| folder.join("level.toml"));
        let level = levels.skip(1).find(|level| level.is_file());
        Some(level.map_or(alone, Self::Level))
    }
}

/// The samples, the shared scripts and the assets of the project that the current folder is in.
fn whole_project() -> Result<Vec<PathBuf>, Failure> {
    let current = std::env::current_dir().unwrap_or_default();
    if current.join("level.toml").is_file() {
        return Ok(vec![current]);
    }
    let Some(root) = project_here() else {
        let message =
            "there is no project here: name what is to be checked, such as `sinew check level`";
        return Err(anyhow::anyhow!(message).into());
    };
    let parts = ["samples", "scripts", "assets", "mods"].map(|part| root.join(part));
    Ok(parts.into_iter().filter(|part| part.is_dir()).collect())
}

/// Adds what a path names. The scripts of a level folder are checked as the level uses them, not one by one.
fn collect(path: &Path, subjects: &mut Vec<Subject>) -> Result<(), Failure> {
    let missing = || anyhow::anyhow!("there is no `{}`", path.display());
    let found = path.metadata().map_err(|_| missing())?;
    if found.is_file() {
        let subject = Subject::of(path).ok_or_else(|| {
            anyhow::anyhow!("`{}` is no level, mod (mod.toml, .zip), script (.lua, .rhai), graph (.animgraph.json), model (.glb, .gltf) or clips file (.clips.json)", path.display())
        })?;
        add(subject, subjects);
        return Ok(());
    }
    if path.join("mod.toml").is_file() {
        let folder = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        add(Subject::Mod(folder), subjects);
        return Ok(());
    }
    if path.join("level.toml").is_file() {
        add(Subject::Level(path.join("level.toml")), subjects);
    }
    let mut entries: Vec<PathBuf> = std::fs::read_dir(path)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    for entry in entries {
        let hidden = entry
            .file_name()
            .is_none_or(|name| name.to_string_lossy().starts_with('.'));
        if entry.is_dir() && !hidden {
            // Definitions for editors look like scripts and are none.
            if !entry.ends_with("scripts/types") && !entry.ends_with("target") {
                collect(&entry, subjects)?;
            }
        } else if let Some(subject) = Subject::of(&entry) {
            add(subject, subjects);
        }
    }
    Ok(())
}

fn add(subject: Subject, subjects: &mut Vec<Subject>) {
    if !subjects.contains(&subject) {
        subjects.push(subject);
    }
}

fn faults_of(subject: &Subject, model: Option<&Model>) -> Vec<Diagnostic> {
    match subject {
        Subject::Level(file) => level_faults(file),
        Subject::Script(file) => script_faults(file),
        Subject::Graph(file) => graph_faults(file, model),
        Subject::Model(file) => model_faults(file),
        Subject::Clips(file) => clips_faults(file),
        Subject::Mod(place) => mod_faults(place),
    }
}

fn level_faults(file: &Path) -> Vec<Diagnostic> {
    let project = match Project::of_level(file) {
        Ok(project) => project,
        Err(fault) => return vec![*fault],
    };
    sinew_script::check(&project.root, &[project.level])
}

fn script_faults(file: &Path) -> Vec<Diagnostic> {
    let shown = file.display().to_string();
    let fault = match info::locate(file) {
        Ok((assets, path)) => sinew_script::check_script(assets, &path, &shown),
        Err(fault) => Some(fault),
    };
    fault.map(|fault| *fault).into_iter().collect()
}

/// The form of a graph; with a model also whether it fits.
fn graph_faults(file: &Path, model: Option<&Model>) -> Vec<Diagnostic> {
    let read = info::locate(file).and_then(|(mut assets, path)| {
        let graph = assets.graph(&path)?.value;
        Ok((assets, path, graph))
    });
    match (read, model) {
        (Ok((mut assets, path, graph)), Some(model)) => {
            sinew_world::check_graph(&graph, &path, model, &mut assets)
        }
        (Ok(_), None) => Vec::new(),
        (Err(fault), _) => vec![*fault],
    }
}

/// With a model at hand, graph files that are named are checked by themselves, also those of a level.
fn graphs_alone(paths: &[PathBuf], subjects: &mut Vec<Subject>) {
    let is_graph = |path: &&PathBuf| path.to_string_lossy().ends_with(".animgraph.json");
    for path in paths.iter().filter(is_graph) {
        let alone = Subject::Graph(path.clone());
        match Subject::of(path).and_then(|own| subjects.iter().position(|known| *known == own)) {
            Some(index) if !subjects.contains(&alone) => subjects[index] = alone,
            _ => add(alone, subjects),
        }
    }
}

fn model_faults(file: &Path) -> Vec<Diagnostic> {
    match info::load(file) {
        Ok(model) => {
            let shown = file.display().to_string();
            model
                .warnings
                .iter()
                .map(|warning| remark(warning, file, &shown))
                .collect()
        }
        Err(fault) => vec![*fault],
    }
}

/// A remark about the model, or about the file beside it that it names.
fn remark(warning: &Warning, model: &Path, shown: &str) -> Diagnostic {
    let Some(name) = &warning.file else {
        return Diagnostic::from_warning(warning, shown, None);
    };
    let beside = model.with_file_name(name);
    let text = std::fs::read_to_string(&beside).ok().map(Arc::from);
    Diagnostic::from_warning(warning, &beside.display().to_string(), text.as_ref())
}

fn clips_faults(file: &Path) -> Vec<Diagnostic> {
    let shown = file.display().to_string();
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let model = name.trim_end_matches(ClipsFile::ENDING);
    let message = format!("there is no `{model}.glb` or `{model}.gltf` beside it");
    let fault = Diagnostic::error("E-CLIPS-NO-MODEL", message).in_file(&shown);
    vec![fault.help("a clips file has the name of its model and stands in the same folder")]
}

fn show(fault: &Diagnostic, format: Format) -> Result<(), Failure> {
    let text = match format {
        Format::Human => sinew_script::render(fault, std::io::stdout().is_terminal()) + "\n",
        Format::Json => serde_json::to_string(fault).map_err(anyhow::Error::from)?,
    };
    Ok(say(&text)?)
}
