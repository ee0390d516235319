//! A real window on a virtual display: it opens, draws, takes keys, survives what a window manager does to it.
//!
//! Needs Xvfb, xdotool, openbox, wmctrl, ImageMagick's `import` and a graphics driver. Without them the test says that
//! it was skipped; with SINEW_WINDOW_REQUIRED=1 it fails.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, says what it skipped, and waits for a real window"
)]

mod common;

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    time::{Duration, Instant},
};

use common::TestProject;

/// The longest that anything may take; software rendering on a busy machine is slow.
const CAP: Duration = Duration::from_secs(60);

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

struct Desktop {
    display: String,
    _manager: Running,
    _server: Running,
}

impl Desktop {
    /// A display of its own with a small window manager.
    fn open() -> Result<Self, String> {
        for tool in ["Xvfb", "xdotool", "openbox", "wmctrl", "import"] {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
                .any(|dir| dir.join(tool).is_file());
            if !found {
                return Err(format!("{tool} is not installed"));
            }
        }
        let mut server = Command::new("Xvfb")
            .args([
                "-displayfd",
                "1",
                "-screen",
                "0",
                "1024x768x24",
                "-nolisten",
                "tcp",
                "-noreset",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .map_err(|error| error.to_string())?;
        let mut number = String::new();
        BufReader::new(server.0.stdout.take().unwrap())
            .read_line(&mut number)
            .unwrap();
        let display = format!(":{}", number.trim());
        let manager = Command::new("openbox")
            .env("DISPLAY", &display)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map(Running)
            .map_err(|error| error.to_string())?;
        let desktop = Self {
            display,
            _manager: manager,
            _server: server,
        };
        // A window that comes before its manager may never be shown.
        let end = Instant::now() + CAP;
        while !desktop.tool("wmctrl", &["-m"]).contains("Openbox") {
            assert!(Instant::now() < end, "openbox does not start");
            std::thread::sleep(Duration::from_millis(30));
        }
        Ok(desktop)
    }

    fn tool(&self, name: &str, arguments: &[&str]) -> String {
        let output = Command::new(name)
            .env("DISPLAY", &self.display)
            .args(arguments)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// The id of the first window with this in its title (plain letters: the tools follow the locale).
    fn window(&self, title: &str) -> Option<String> {
        let found = self.tool("xdotool", &["search", "--onlyvisible", "--name", title]);
        found.lines().next().map(str::to_owned)
    }

    fn picture(&self, window: &str, file: &Path) -> image::RgbImage {
        self.tool("import", &["-window", window, file.to_str().unwrap()]);
        image::open(file).unwrap().to_rgb8()
    }
}

struct Game {
    process: Running,
    trace: PathBuf,
    log: PathBuf,
}

impl Game {
    fn start(project: &TestProject, desktop: &Desktop) -> Self {
        let (trace, log) = (project.out("trace.jsonl"), project.out("log.txt"));
        let process = Command::new(env!("CARGO_BIN_EXE_sinew"))
            .args(["samples/yard", "--size", "480x270", "--trace"])
            .arg(&trace)
            .current_dir(project.folder.path())
            .env("DISPLAY", &desktop.display)
            .env_remove("WAYLAND_DISPLAY")
            .env_remove("WAYLAND_SOCKET")
            .stderr(fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        Self {
            process: Running(process),
            trace,
            log,
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// The last step of the hero so far.
    fn hero(&self) -> Option<serde_json::Value> {
        let text = fs::read_to_string(&self.trace).ok()?;
        let lines = text
            .lines()
            .rev()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines.into_iter().find(|line| line["actor"] == "hero")
    }

    fn frame(&self) -> u64 {
        self.hero()
            .map_or(0, |hero| hero["frame"].as_u64().unwrap())
    }

    /// Waits until something holds.
    fn until<T>(&mut self, what: &str, mut holds: impl FnMut(&Self) -> Option<T>) -> T {
        let end = Instant::now() + CAP;
        loop {
            if let Some(found) = holds(self) {
                return found;
            }
            if let Some(status) = self.process.0.try_wait().unwrap() {
                panic!("it ended with {status} before {what}: {}", self.log());
            }
            assert!(Instant::now() < end, "{what} did not come: {}", self.log());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits for some more frames.
    fn goes_on(&mut self, what: &str) {
        let now = self.frame();
        self.until(what, |game| (game.frame() > now + 5).then_some(()));
    }

    fn ended(&mut self) -> ExitStatus {
        let end = Instant::now() + CAP;
        loop {
            if let Some(status) = self.process.0.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "it does not end: {}", self.log());
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

/// How many different colours there are in the middle, up to a few. The edges may be the window manager's.
fn colours(picture: &image::RgbImage) -> usize {
    let (width, height) = picture.dimensions();
    let mut seen = std::collections::BTreeSet::new();
    let middle =
        (height / 4..height * 3 / 4).flat_map(|y| (width / 4..width * 3 / 4).map(move |x| (x, y)));
    for (x, y) in middle {
        seen.insert(picture.get_pixel(x, y).0);
        if seen.len() > 200 {
            break;
        }
    }
    seen.len()
}

fn z(hero: &serde_json::Value) -> f64 {
    hero["position"][2].as_f64().unwrap()
}

#[test]
fn a_window_opens_draws_takes_keys_and_survives_its_manager() {
    let desktop = match Desktop::open() {
        Ok(desktop) => desktop,
        Err(reason) => {
            assert!(
                std::env::var_os("SINEW_WINDOW_REQUIRED").is_none(),
                "{reason}"
            );
            eprintln!("skipped: {reason}");
            return;
        }
    };
    let project = TestProject::new();
    project.write("hero.lua", &common::hero(0.0));
    let mut game = Game::start(&project, &desktop);
    let window = game.until("the window", |game| {
        if game.log().contains("no window") && std::env::var_os("SINEW_WINDOW_REQUIRED").is_none() {
            return Some(None);
        }
        desktop.window("Test yard").map(Some)
    });
    let Some(window) = window else {
        eprintln!("skipped: {}", game.log());
        return;
    };
    game.goes_on("the first frames");

    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/sinew");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("window.png");
    game.until("a picture", |_| {
        (colours(&desktop.picture(&window, &file)) > 100).then_some(())
    });

    let before = game.hero().unwrap();
    assert!(z(&before).abs() < 0.01, "it stands: {before}");
    desktop.tool("xdotool", &["windowfocus", "--sync", &window]);
    desktop.tool("xdotool", &["keydown", "w"]);
    // At the start the camera stands at +Z or behind the hero: forward is one of both ways.
    game.until("the hero's walk", |game| {
        (z(&game.hero()?).abs() > 0.5).then_some(())
    });
    desktop.tool("xdotool", &["keyup", "w"]);
    game.until("the hero's rest", |game| {
        (game.hero()?["velocity"][2].as_f64()?.abs() < 0.01).then_some(())
    });

    desktop.tool("xdotool", &["windowsize", "--sync", &window, "640", "400"]);
    game.goes_on("frames after a resize");
    let picture = desktop.picture(&window, &folder.join("window-resized.png"));
    assert_eq!(picture.dimensions(), (640, 400));
    assert!(colours(&picture) > 100);

    desktop.tool("xdotool", &["windowminimize", "--sync", &window]);
    game.goes_on("steps while minimised");
    desktop.tool("xdotool", &["windowmap", &window]);
    desktop.tool("wmctrl", &["-i", "-a", &window]);
    game.until("the window again", |_| desktop.window("Test yard"));
    game.goes_on("frames after minimising");
    let file = folder.join("window-restored.png");
    game.until("a picture again", |_| {
        (colours(&desktop.picture(&window, &file)) > 100).then_some(())
    });

    desktop.tool("wmctrl", &["-c", "Test yard"]);
    let status = game.ended();
    assert_eq!(status.code(), Some(0), "{}", game.log());
    assert!(
        !game.log().to_lowercase().contains("error"),
        "{}",
        game.log()
    );
}
