//! Measures written files, from their bytes alone: loops, foot contacts, joint speeds, sizes, what clips say of themselves.

mod document;
mod extras;
mod file;
mod measure;

pub use file::Fault;
use file::{Clip, File};
use measure::Motion;
use std::fmt;
use std::path::{Path, PathBuf};

/// What a clip may do at most: a looping one fail to close, a planted sole slide in a frame, anything sink into the floor.
const LIMITS: Limits = Limits {
    loop_degrees: 0.1,
    slide: 2.0,
    below: 3.0,
};

struct Limits {
    loop_degrees: f32,
    /// Millimetres.
    slide: f32,
    /// Millimetres.
    below: f32,
}

/// Largest file, bytes.
const MOST_BYTES: usize = 1_500_000;

/// A directory or file that could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// It could not be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The directory or the file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not a file as the generator writes them.
    #[error("{}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: Fault,
    },
    /// The directory holds no `.glb` file.
    #[error("there is no .glb file in {}; did the generator run?", .0.display())]
    Empty(PathBuf),
}

/// What was measured. Displays as a table; a line past a limit ends in `!`.
pub struct Report {
    lines: Vec<Line>,
}

struct Line {
    text: String,
    passes: bool,
}

impl Report {
    /// Whether everything is within its limit.
    pub fn passes(&self) -> bool {
        self.lines.iter().all(|line| line.passes)
    }

    fn add(&mut self, text: String, passes: bool) {
        self.lines.push(Line { text, passes });
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for line in &self.lines {
            writeln!(f, "{}{}", line.text, if line.passes { "" } else { " !" })?;
        }
        Ok(())
    }
}

/// Measures every `.glb` of a directory, in the order of their names.
pub fn check(dir: &Path) -> Result<Report, CheckError> {
    let unreadable = |path: &Path, source| CheckError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(|e| unreadable(dir, e))? {
        let path = entry.map_err(|e| unreadable(dir, e))?.path();
        if path.extension().is_some_and(|e| e == "glb") {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(CheckError::Empty(dir.to_owned()));
    }
    files.sort();
    let mut report = Report { lines: Vec::new() };
    for path in files {
        let bytes = std::fs::read(&path).map_err(|e| unreadable(&path, e))?;
        let name = path.file_name().unwrap_or_default().display().to_string();
        check_bytes(&name, &bytes, &mut report)
            .map_err(|source| CheckError::Malformed { path, source })?;
    }
    Ok(report)
}

fn check_bytes(name: &str, bytes: &[u8], report: &mut Report) -> Result<(), Fault> {
    let file = File::parse(bytes)?;
    let meshes: Vec<String> = file
        .meshes
        .iter()
        .map(|(name, triangles)| format!("{name}: {triangles} triangles"))
        .collect();
    let (size, joints) = (bytes.len(), file.joints.len());
    let summary = format!(
        "{name}  {size} bytes  {joints} joints  {}",
        meshes.join(", ")
    );
    report.add(summary, size <= MOST_BYTES);
    let (vertices, clips) = (file.vertices.len(), file.clips.len());
    let morphs = file.morphs.join(" ");
    report.add(
        format!("  vertices {vertices}  clips {clips}  morphs {morphs}"),
        true,
    );
    let mut names: Vec<&str> = file.nodes.iter().map(|n| n.name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2).filter(|pair| pair[0] == pair[1]) {
        report.add(format!("  two nodes are named '{}'", pair[0]), false);
    }
    let header = [
        "clip",
        "sec",
        "chan",
        "keys",
        "loop deg",
        "seam/inside deg",
        "leg step",
        "slide mm",
        "hover mm",
        "below mm",
    ];
    report.add(row(header.map(String::from)), true);
    for clip in &file.clips {
        let motion = Motion::measure(&file, clip);
        report.add(clip_row(clip, &motion), within(&motion));
        for problem in extras::problems(&file, clip) {
            report.add(format!("  {}: {problem}", clip.name), false);
        }
    }
    Ok(())
}

fn row(cells: [String; 10]) -> String {
    let [name, sec, chan, keys, open, seam, leg, slide, hover, below] = cells;
    format!(
        "  {name:<14} {sec:>5} {chan:>5} {keys:>6} {open:>8} {seam:>15} {leg:>8} {slide:>8} {hover:>8} {below:>8}"
    )
}

fn clip_row(clip: &Clip, motion: &Motion) -> String {
    let show = |v: Option<f32>| v.map_or("-".into(), |v| format!("{v:.2}"));
    let seam = |(seam, inside)| format!("{seam:.2} / {inside:.2}");
    row([
        clip.name.clone(),
        format!("{:.2}", clip.extras.seconds),
        clip.channels.len().to_string(),
        clip.channels
            .iter()
            .map(|c| c.times.len())
            .sum::<usize>()
            .to_string(),
        show(motion.open),
        motion.seam.map_or("-".into(), seam),
        format!("{:.1}", motion.leg_step),
        show(motion.slide),
        show(motion.hover),
        show(motion.below),
    ])
}

fn within(motion: &Motion) -> bool {
    motion.open.is_none_or(|v| v <= LIMITS.loop_degrees)
        && motion
            .seam
            .is_none_or(|(seam, inside)| seam <= inside + 0.05)
        && motion.slide.is_none_or(|v| v <= LIMITS.slide)
        && motion.below.is_none_or(|v| v <= LIMITS.below)
}
