//! Where a level lies on disk: its own folder, and the project around it.

use std::path::{Path, PathBuf};

use sinew_assets::{Assets, Diagnostic};

/// The level that runs where none is named, from the project's folder.
pub const DEFAULT_LEVEL: &str = "samples/plaza";

/// A level and the project that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Project {
    /// The folder that has `assets` and `scripts`; messages show paths relative to it.
    pub root: PathBuf,
    /// The folder that has `level.toml`.
    pub level: PathBuf,
}

impl Project {
    /// Finds the project of a level: a folder with `level.toml`, or that file itself. The project is the nearest
    /// folder above it that has `assets` and `scripts`, else the nearest with `assets`, else the level's own.
    ///
    /// # Errors
    /// There is no such level; says what is nearest.
    pub fn of_level(level: &Path) -> Result<Self, Box<Diagnostic>> {
        let missing = || Box::new(missing_level(level));
        let found = level.canonicalize().map_err(|_| missing())?;
        let folder =
            if found.is_file() && found.file_name().is_some_and(|name| name == "level.toml") {
                found.parent().map(Path::to_owned).ok_or_else(missing)?
            } else if found.is_file() {
                let message = format!("`{}` is a file and no level", level.display());
                let fault = Diagnostic::error("E-LEVEL-MISSING", message).help(LEVEL_HELP);
                return Err(Box::new(fault));
            } else {
                found
            };
        if !folder.join("level.toml").is_file() {
            return Err(missing());
        }
        Ok(Self {
            root: root_of(&folder),
            level: folder,
        })
    }

    /// Finds the level that runs where none is named: [`DEFAULT_LEVEL`] in the current folder or one above it, else
    /// in the folders above this program.
    ///
    /// # Errors
    /// There is none.
    pub fn of_default_level() -> Result<Self, Box<Diagnostic>> {
        let current = std::env::current_dir().ok();
        let program = std::env::current_exe().ok();
        let folders = [&current, &program]
            .into_iter()
            .flatten()
            .flat_map(|start| start.ancestors());
        let mut levels = folders.map(|folder| folder.join(DEFAULT_LEVEL));
        match levels.find(|level| level.join("level.toml").is_file()) {
            Some(level) => Self::of_level(&level),
            None => {
                let message =
                    format!("there is no level `{DEFAULT_LEVEL}` here or in a folder above");
                let help = "name a level: `sinew run path/to/level`, a folder with a `level.toml`";
                Err(Box::new(
                    Diagnostic::error("E-LEVEL-MISSING", message).help(help),
                ))
            }
        }
    }

    /// The folders whose files a running level may use.
    pub fn watched_folders(&self) -> Vec<PathBuf> {
        let shared = [self.root.join("assets"), self.root.join("scripts")];
        let outside = shared
            .into_iter()
            .filter(|folder| !folder.starts_with(&self.level));
        std::iter::once(self.level.clone()).chain(outside).collect()
    }

    /// Where mods are looked for: what is named, else the folder `mods` of the project where there is one.
    pub fn mods(&self, named: &[PathBuf]) -> Vec<PathBuf> {
        let own = self.root.join("mods");
        if !named.is_empty() {
            // Watching knows folders by their full paths.
            let absolute = |place: &PathBuf| place.canonicalize().unwrap_or_else(|_| place.clone());
            named.iter().map(absolute).collect()
        } else if own.is_dir() {
            vec![own]
        } else {
            Vec::new()
        }
    }

    /// Where a run without a display leaves what it made: `target/sinew/<level>.<ending>` in the project.
    pub fn output(&self, ending: &str) -> PathBuf {
        let name = self
            .level
            .file_name()
            .map_or_else(|| "level".into(), |name| name.to_string_lossy());
        self.root
            .join("target/sinew")
            .join(format!("{name}.{ending}"))
    }
}

const LEVEL_HELP: &str = "a level is a folder with a `level.toml`, such as `samples/plaza`";

/// The project around a file or folder, by the same rules as [`Project::of_level`].
pub fn root_of(folder: &Path) -> PathBuf {
    let above = || folder.ancestors().skip(1);
    let has = |folder: &&Path, name: &str| folder.join(name).is_dir();
    above()
        .find(|folder| has(folder, "assets") && has(folder, "scripts"))
        .or_else(|| above().find(|folder| has(folder, "assets")))
        .unwrap_or(folder)
        .to_owned()
}

/// The project that the current folder is in: itself or a folder above it that has `assets`.
pub fn project_here() -> Option<PathBuf> {
    let current = std::env::current_dir().ok()?;
    current
        .ancestors()
        .find(|folder| folder.join("assets").is_dir())
        .map(Path::to_owned)
}

/// The command that a level's name looks like, where it is a misspelt one.
fn meant_command(level: &Path) -> Option<&'static str> {
    let word = level
        .to_str()
        .filter(|word| !word.contains(['/', '\\', '.']) && !level.exists())?;
    sinew_anim::nearest(
        word,
        ["run", "check", "info", "docs", "mods", "help"].into_iter(),
    )
}

fn missing_level(level: &Path) -> Diagnostic {
    // The crate that reads files knows what is nearest.
    let root = std::env::current_dir().unwrap_or_default();
    if let Some(command) = meant_command(level) {
        let message = format!(
            "`{}` is neither a command nor the folder of a level",
            level.display()
        );
        return Diagnostic::error("E-LEVEL-MISSING", message)
            .help(format!("did you mean `sinew {command}`?"));
    }
    let faults = Assets::new(&root).open_level(level).err();
    let fault = faults.into_iter().flatten().next().unwrap_or_default();
    if fault.help.is_some() {
        fault
    } else {
        fault.help(LEVEL_HELP)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn folders(names: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for name in names {
            fs::create_dir_all(root.path().join(name)).expect("a folder");
        }
        root
    }

    #[test]
    fn a_misspelt_command_is_told_apart_from_a_missing_level() {
        let said = |word: &str| missing_level(Path::new(word)).to_string();
        assert!(
            said("chek").contains("did you mean `sinew check`?"),
            "{}",
            said("chek")
        );
        assert!(
            said("inof").contains("did you mean `sinew info`?"),
            "{}",
            said("inof")
        );
        assert!(!said("plazza").contains("command"), "{}", said("plazza"));
    }

    #[test]
    fn the_project_is_the_nearest_folder_above_with_assets_and_scripts() {
        let dir = folders(&[
            "p/assets",
            "p/scripts",
            "p/samples/assets",
            "p/samples/yard/assets",
            "p/samples/yard/scripts",
        ]);
        let level = dir.path().join("p/samples/yard");
        fs::write(level.join("level.toml"), "").expect("a file");
        let expected = dir.path().join("p").canonicalize().expect("there");
        for named in [level.clone(), level.join("level.toml")] {
            let project = Project::of_level(&named).expect("a level");
            assert_eq!(project.root, expected);
            assert_eq!(project.level, expected.join("samples/yard"));
        }
    }

    #[test]
    fn a_level_alone_is_its_own_project() {
        let dir = folders(&["yard"]);
        let level = dir.path().join("yard");
        fs::write(level.join("level.toml"), "").expect("a file");
        let project = Project::of_level(&level).expect("a level");
        assert_eq!(project.root, project.level);
        assert!(
            project
                .output("png")
                .ends_with("yard/target/sinew/yard.png")
        );
    }

    #[test]
    fn a_missing_level_is_said_with_what_is_nearest() {
        let dir = folders(&["yard"]);
        let fault = Project::of_level(&dir.path().join("yrad")).expect_err("misspelled");
        assert!(fault.to_string().contains("yard"), "{fault}");
        let fault = Project::of_level(&dir.path().join("yard")).expect_err("no level.toml");
        assert!(fault.to_string().contains("level.toml"), "{fault}");
    }
}
