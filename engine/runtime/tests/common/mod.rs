//! A small project in a temporary folder, and ways to run it.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "shared by test binaries that use different parts; a test fails by panicking"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Walks forward for ever, by a blend space, at a speed that stands in the script.
pub const HERO: &str = r#"
local hero = {}
hero.graph = graph {
  parameters = { speed = { type = "float", source = "speed" } },
  layers = {
    { name = "base", entry = "move",
      states = {
        move = { blend = "speed", rate = "distance",
                 points = { { at = 0.0, clip = "idle" }, { at = 1.2, clip = "walk" }, { at = 3.2, clip = "run" } } },
      } },
  },
}
function hero:on_start()
  self.actor:set_root_motion("report")
  self.kept = (self.kept or 0) + 1
end
function hero:on_update(dt)
  local wish = input.vector("move")
  if length(wish) > 0 then self.actor:move(wish * 3) else self.actor:move(vec3(0, 0, SPEED)) end
end
return hero
"#;

/// The same in the other language.
pub const COMPANION: &str = r#"
const GRAPH = graph(#{
    parameters: #{ speed: #{ type: "float", source: "speed" } },
    layers: [
        #{ name: "base", entry: "move",
           states: #{
               move: #{ blend: "speed", rate: "distance",
                        points: [ #{ at: 0.0, clip: "idle" }, #{ at: 1.2, clip: "walk" }, #{ at: 3.2, clip: "run" } ] },
           } },
    ],
});
fn on_start() {
    this.actor.set_root_motion("report");
}
fn on_update(dt) {
    this.actor.move(vec3(0.0, 0.0, SPEED));
}
"#;

/// Two characters that walk side by side on a plane.
pub const LEVEL: &str = r#"
id = "yard"
version = "1.0.0"
title = "Test yard"

[[plane]]

[[actor]]
name = "hero"
model = "sinew:hero.glb"
scripts = ["hero.lua"]

[[actor]]
name = "companion"
model = "sinew:hero.glb"
scripts = ["companion.rhai"]
position = [2, 0, 0]

[actions]
jump = { keys = ["Space"] }
move = { left = ["A"], right = ["D"], forward = ["W"], back = ["S"] }

[camera]
follow = "hero"
"#;

/// A project with one level, `samples/yard`, and the hero's model.
pub struct TestProject {
    /// Removed at the end.
    pub folder: tempfile::TempDir,
    /// Of the level.
    pub level: PathBuf,
}

impl TestProject {
    /// Two walking actors, one for each language.
    pub fn new() -> Self {
        let project = Self::bare(LEVEL);
        project.write("hero.lua", &hero(1.2));
        project.write("companion.rhai", &companion(1.2));
        project
    }

    /// A level file and no scripts.
    pub fn bare(level: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["assets", "scripts", "samples/yard"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/hero.glb");
        fs::copy(model, folder.path().join("assets/hero.glb")).unwrap();
        let project = Self {
            level: folder.path().join("samples/yard"),
            folder,
        };
        project.write("level.toml", level);
        project
    }

    /// A level with one actor that plays a clip, without scripts.
    pub fn without_scripts() -> Self {
        let scripted = |line: &&str| !line.starts_with("scripts");
        let level = LEVEL
            .lines()
            .filter(scripted)
            .collect::<Vec<_>>()
            .join("\n");
        Self::bare(&level.replace(
            "model = \"sinew:hero.glb\"",
            "model = \"sinew:hero.glb\"\nclip = \"walk\"",
        ))
    }

    /// Writes a file of the level in one go.
    pub fn write(&self, name: &str, content: &str) {
        fs::write(self.level.join(name), content).unwrap();
    }

    /// A path for something that a run leaves.
    pub fn out(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program in the project's folder, without a display.
    pub fn sinew(&self, arguments: &[&str]) -> Output {
        command()
            .current_dir(self.folder.path())
            .args(arguments)
            .output()
            .unwrap()
    }
}

/// The program, as on a machine without a display.
pub fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .env_remove("SINEW_LOG");
    command
}

/// The hero's script at a speed in m/s.
pub fn hero(speed: f32) -> String {
    HERO.replace("SPEED", &format!("{speed:.2}"))
}

/// The companion's script at a speed in m/s.
pub fn companion(speed: f32) -> String {
    COMPANION.replace("SPEED", &format!("{speed:.2}"))
}

/// What went to standard error.
pub fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What went to standard output.
pub fn answer(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
