//! A small level in memory, in which a test's scripts run.

use std::path::{Path, PathBuf};

use sinew_assets::{Assets, LevelDef, LogicalPath};
use sinew_script::{ScriptHost, ScriptLanguage};
use sinew_world::{ActorId, Data, Input, Jobs, World, step};

/// The folder of the repository.
pub fn project() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// A world, its scripts, and steps of 1/60 s.
pub struct Bench {
    pub world: World,
    pub host: ScriptHost,
}

pub const LANGUAGES: [ScriptLanguage; 2] = [ScriptLanguage::Lua, ScriptLanguage::Rhai];

/// The ending of a language's files.
pub fn ending(language: ScriptLanguage) -> &'static str {
    match language {
        ScriptLanguage::Lua => "lua",
        ScriptLanguage::Rhai => "rhai",
    }
}

pub fn path(name: &str) -> LogicalPath {
    LogicalPath::parse(name, "bench").unwrap()
}

/// The head of each level: a floor and a few actions.
pub const HEAD: &str = r#"
id = "bench"
version = "1.0.0"
[[plane]]
height = 0.0
[[box]]
name = "wall"
center = [0.0, 1.0, 20.0]
size = [10.0, 2.0, 1.0]
[actions]
jump = { keys = ["Space"] }
move = { left = ["A"], right = ["D"], forward = ["W"], back = ["S"] }
"#;

impl Bench {
    /// A level of these actors (`[[actor]]` tables) with these files.
    pub fn new(actors: &str, files: &[(&str, &str)]) -> Self {
        Self::try_new(actors, files).unwrap_or_else(|faults| panic!("{faults:#?}"))
    }

    /// As [`Self::new`], where the level itself may be refused.
    pub fn try_new(
        actors: &str,
        files: &[(&str, &str)],
    ) -> Result<Self, Vec<sinew_assets::Diagnostic>> {
        let mut assets = Assets::new(&project());
        let text = format!("{HEAD}{actors}");
        assets.insert(&path("level.toml"), text.clone().into_bytes());
        for (name, text) in files {
            assets.insert(&path(name), text.as_bytes().to_vec());
        }
        let mut world = World::new(assets, Jobs::serial(), 7);
        world.assets.text(&path("level.toml")).unwrap();
        let level = LevelDef::from_toml(&text, "bench/level.toml")?;
        world.start_level(path("level.toml"), level)?;
        let mut host = ScriptHost::default();
        host.load(&mut world);
        Ok(Self { world, host })
    }

    /// One hero with one script.
    pub fn hero(language: ScriptLanguage, script: &str) -> Self {
        let file = format!("hero.{}", ending(language));
        let actors = format!(
            "[[actor]]\nname = \"hero\"\nmodel = \"sinew:hero.glb\"\nscripts = [\"{file}\"]\n"
        );
        Self::new(&actors, &[(&file, script)])
    }

    pub fn step(&mut self) {
        self.step_with(&Input::default());
    }

    pub fn step_with(&mut self, input: &Input) {
        step(&mut self.world, &mut self.host, input, 1.0 / 60.0);
    }

    pub fn run(&mut self, frames: usize) {
        (0..frames).for_each(|_| self.step());
    }

    pub fn id(&self, name: &str) -> ActorId {
        self.world
            .actors
            .find(name)
            .unwrap_or_else(|| panic!("no actor {name}"))
            .id
    }

    /// A field of the first script of an actor.
    pub fn field(&self, actor: &str, field: &str) -> Data {
        self.host
            .fields(self.id(actor), 0)
            .get(field)
            .cloned()
            .unwrap_or_default()
    }

    pub fn number(&self, actor: &str, field: &str) -> f64 {
        let data = self.field(actor, field);
        data.as_number()
            .unwrap_or_else(|| panic!("{field} of {actor} is {data:?}\n{}", self.problems()))
    }

    /// All problems as one text.
    pub fn problems(&self) -> String {
        let lines = self.host.problems().iter().map(|problem| {
            format!(
                "{} x{}\n  {}",
                problem.diagnostic,
                problem.count,
                problem.diagnostic.notes.join("\n  ")
            )
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    pub fn assert_quiet(&self) {
        assert!(self.host.problems().is_empty(), "{}", self.problems());
    }

    /// Reloads files from bytes.
    pub fn reload(
        &mut self,
        files: &[(&str, &str)],
    ) -> Result<sinew_script::ReloadReport, Vec<sinew_assets::Diagnostic>> {
        let changed = files
            .iter()
            .map(|(name, text)| (path(name), text.as_bytes().to_vec()))
            .collect();
        self.host.reload(&mut self.world, changed)
    }
}
