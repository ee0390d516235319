//! Logical paths, `space:dir/file`, and the rules that keep them inside their folder on every system.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The space of the project itself: its folders `assets/` and `scripts/`, searched in that order.
pub const PROJECT_SPACE: &str = "sinew";

/// The longest path, in bytes without the space.
pub const MAX_PATH_BYTES: usize = 1024;

/// The longest folder or file name, in bytes.
pub const MAX_PART_BYTES: usize = 255;

/// The longest name of a space or a mod, in bytes.
const MAX_ID_BYTES: usize = 64;

/// A file by name, wherever its space lies. Made by [`LogicalPath::parse`] and
/// [`LogicalPath::join`]; the fields of one that was made by hand are checked again when it is read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LogicalPath {
    /// [`PROJECT_SPACE`], or the id of a level or mod.
    pub space: String,
    /// Parts joined by `/`.
    pub path: String,
}

/// Why a text is no logical path. Each reads on from the path: "`../a` has a part `..`, ...".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// Nothing there.
    #[error("is empty")]
    Empty,
    /// `/etc/passwd`.
    #[error("is absolute: paths begin in the folder of their level or mod")]
    Absolute,
    /// `C:/file` or `c:file`.
    #[error("begins with a drive: paths begin in the folder of their level or mod")]
    Drive,
    /// `//server/share` or `\\server\share`.
    #[error("names another machine: paths begin in the folder of their level or mod")]
    Unc,
    /// `http://host/file`.
    #[error("is a web address: files are read from the project alone")]
    Url,
    /// `dir\file`.
    #[error("has a backslash: parts are joined by `/` on every system")]
    Backslash,
    /// `dir/../file`.
    #[error("has a part `..`: a path never leaves its folder")]
    Parent,
    /// `./file`.
    #[error("has a part `.`: write the path without it")]
    Dot,
    /// `dir//file` or `dir/`.
    #[error("has an empty part: between two `/`, or at the end")]
    EmptyPart,
    /// A newline, a NUL and the like.
    #[error("has the control character U+{:04X}", u32::from(*.character))]
    Control {
        /// The culprit.
        character: char,
    },
    /// `<`, `>`, `"`, `|`, `?` and `*` are no file names on some systems.
    #[error("has the character `{character}`, which no file name may have on some systems")]
    Reserved {
        /// The culprit.
        character: char,
    },
    /// `file.` or `file `.
    #[error("has a part that ends in a dot or a space (`{part}`), which some systems drop")]
    TrailingDotOrSpace {
        /// The culprit.
        part: String,
    },
    /// `nul` or `com1.txt`.
    #[error("has the part `{part}`, which is a device on some systems")]
    Device {
        /// The culprit.
        part: String,
    },
    /// `file.lua:stream`.
    #[error("has a `:` that ends no mod's name: `{rest}` would be a hidden stream on some systems")]
    Stream {
        /// What follows the colon.
        rest: String,
    },
    /// A prefix that cannot be the id of a level or mod.
    #[error("has the prefix `{space}`, which is no id: {reason}")]
    BadSpace {
        /// The prefix.
        space: String,
        /// What is wrong with it.
        reason: String,
    },
    /// More than [`MAX_PATH_BYTES`].
    #[error("is {bytes} bytes long, at most {MAX_PATH_BYTES} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A part of more than [`MAX_PART_BYTES`].
    #[error("has a part of {bytes} bytes, at most {MAX_PART_BYTES} are read")]
    PartTooLong {
        /// The length of the part.
        bytes: usize,
    },
}

impl PathError {
    /// The stable code of the reason.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "E-PATH-EMPTY",
            Self::Absolute => "E-PATH-ABSOLUTE",
            Self::Drive => "E-PATH-DRIVE",
            Self::Unc => "E-PATH-UNC",
            Self::Url => "E-PATH-URL",
            Self::Backslash => "E-PATH-BACKSLASH",
            Self::Parent => "E-PATH-PARENT",
            Self::Dot => "E-PATH-DOT",
            Self::EmptyPart => "E-PATH-EMPTY-PART",
            Self::Control { .. } => "E-PATH-CONTROL",
            Self::Reserved { .. } => "E-PATH-RESERVED",
            Self::TrailingDotOrSpace { .. } => "E-PATH-TRAILING",
            Self::Device { .. } => "E-PATH-DEVICE",
            Self::Stream { .. } => "E-PATH-STREAM",
            Self::BadSpace { .. } => "E-PATH-SPACE",
            Self::TooLong { .. } => "E-PATH-TOO-LONG",
            Self::PartTooLong { .. } => "E-PATH-PART-TOO-LONG",
        }
    }
}

impl LogicalPath {
    /// What a path should look like, for the help of an error.
    pub const HELP: &str = "write `dir/file` for a file of the same level or mod, \
        `sinew:dir/file` for one of the project";

    /// Reads `space:dir/file`, or `dir/file` of the space `from`.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn parse(text: &str, from: &str) -> Result<Self, PathError> {
        let (space, path) = split_space(text)?;
        check_path(path)?;
        Ok(Self {
            space: space.unwrap_or(from).to_owned(),
            path: path.to_owned(),
        })
    }

    /// The file that another one refers to, such as a glTF `uri` (its `%` escapes already read):
    /// relative to the folder of this file, by the same rules. There is no way to another space.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn join(&self, relative: &str) -> Result<Self, PathError> {
        if let (Some(space), _) = split_space(relative)? {
            return Err(PathError::Stream {
                rest: relative[space.len() + 1..].to_owned(),
            });
        }
        check_path(relative)?;
        let path = match self.folder() {
            "" => relative.to_owned(),
            folder => format!("{folder}/{relative}"),
        };
        check_path(&path)?;
        Ok(Self {
            space: self.space.clone(),
            path,
        })
    }

    /// Checks the fields of a path that was made by hand.
    ///
    /// # Errors
    /// See [`PathError`].
    pub fn check(&self) -> Result<(), PathError> {
        check_space(&self.space)?;
        check_path(&self.path)
    }

    /// The path of the folder, without the last `/`; empty for a file at the top.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The last part.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or("")
    }

    /// What follows the last dot of the file name, as written; empty without a dot.
    pub fn extension(&self) -> &str {
        self.file_name().rsplit_once('.').map_or("", |(_, end)| end)
    }
}

impl fmt::Display for LogicalPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.space, self.path)
    }
}

/// Checks the id of a level or mod: a small letter, then small letters, digits and `_`; at least
/// two characters, so that no id reads as a drive.
///
/// # Errors
/// What is wrong with it, as the end of a sentence.
pub fn check_id(id: &str) -> Result<(), String> {
    if id.len() > MAX_ID_BYTES {
        return Err(format!("it is longer than {MAX_ID_BYTES} characters"));
    }
    if id.len() < 2 {
        return Err("it needs at least two characters".to_owned());
    }
    if !id.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Err("it must begin with a small letter a to z".to_owned());
    }
    let allowed =
        |found: char| found.is_ascii_lowercase() || found.is_ascii_digit() || found == '_';
    match id.chars().find(|&found| !allowed(found)) {
        Some(found) => Err(format!(
            "it may hold only a to z, 0 to 9 and `_`, not `{}`",
            found.escape_debug()
        )),
        None => Ok(()),
    }
}

fn check_space(space: &str) -> Result<(), PathError> {
    check_id(space).map_err(|reason| PathError::BadSpace {
        space: space.to_owned(),
        reason,
    })
}

/// Splits a prefix off, if there is one; refuses what other systems read before a `/`.
fn split_space(text: &str) -> Result<(Option<&str>, &str), PathError> {
    if text.starts_with("//") || text.starts_with("\\\\") {
        return Err(PathError::Unc);
    }
    let Some((space, path)) = text.split_once(':') else {
        return Ok((None, text));
    };
    if space.len() == 1 && space.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return Err(PathError::Drive);
    }
    if path.starts_with("//") {
        return Err(PathError::Url);
    }
    if space.is_empty() || space.contains(['/', '\\', '.']) {
        return Err(PathError::Stream {
            rest: path.to_owned(),
        });
    }
    check_space(space)?;
    Ok((Some(space), path))
}

fn check_path(path: &str) -> Result<(), PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(PathError::TooLong { bytes: path.len() });
    }
    for character in path.chars() {
        match character {
            '\\' => return Err(PathError::Backslash),
            '<' | '>' | '"' | '|' | '?' | '*' => return Err(PathError::Reserved { character }),
            _ if character.is_control() => return Err(PathError::Control { character }),
            _ => {}
        }
    }
    if let Some((_, rest)) = path.split_once(':') {
        return Err(PathError::Stream {
            rest: rest.to_owned(),
        });
    }
    if path.starts_with('/') {
        return Err(PathError::Absolute);
    }
    path.split('/').try_for_each(check_part)
}

fn check_part(part: &str) -> Result<(), PathError> {
    match part {
        "" => return Err(PathError::EmptyPart),
        "." => return Err(PathError::Dot),
        ".." => return Err(PathError::Parent),
        _ => {}
    }
    if part.len() > MAX_PART_BYTES {
        return Err(PathError::PartTooLong { bytes: part.len() });
    }
    if part.ends_with(['.', ' ']) {
        return Err(PathError::TrailingDotOrSpace {
            part: part.to_owned(),
        });
    }
    if is_device(part) {
        return Err(PathError::Device {
            part: part.to_owned(),
        });
    }
    Ok(())
}

/// True for the names that Windows gives to devices in every folder, whatever their case and extension.
fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or("").trim_end();
    let stem = stem.to_ascii_uppercase();
    if matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    ) {
        return true;
    }
    let port = stem.strip_prefix("COM").or(stem.strip_prefix("LPT"));
    let mut port = port.unwrap_or("").chars();
    matches!(
        (port.next(), port.next()),
        (Some('0'..='9' | '¹' | '²' | '³'), None)
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `Ok` shows the path, `Err` the code.
    fn check(text: &str, expected: &str) {
        let shown = match LogicalPath::parse(text, "plaza") {
            Ok(path) => path.to_string(),
            Err(error) => error.code().to_owned(),
        };
        assert_eq!(shown, expected, "{text:?}");
    }

    #[test]
    fn good_paths_get_the_space_that_names_them() {
        for (text, expected) in [
            ("hero.lua", "plaza:hero.lua"),
            ("dir/sub/hero.lua", "plaza:dir/sub/hero.lua"),
            ("sinew:hero.glb", "sinew:hero.glb"),
            ("fire_2:a/b", "fire_2:a/b"),
            ("with space/ü.glb", "plaza:with space/ü.glb"),
            (".hidden/..double/a..b", "plaza:.hidden/..double/a..b"),
            (
                "console/null/com10/lpt/auxiliary.txt",
                "plaza:console/null/com10/lpt/auxiliary.txt",
            ),
            ("100%", "plaza:100%"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn bad_paths_are_refused_with_their_reason() {
        for (text, expected) in [
            ("", "E-PATH-EMPTY"),
            ("sinew:", "E-PATH-EMPTY"),
            ("/etc/passwd", "E-PATH-ABSOLUTE"),
            ("sinew:/etc/passwd", "E-PATH-ABSOLUTE"),
            ("C:/Windows", "E-PATH-DRIVE"),
            ("c:hero.lua", "E-PATH-DRIVE"),
            ("C:\\Windows", "E-PATH-DRIVE"),
            ("//server/share", "E-PATH-UNC"),
            ("\\\\server\\share", "E-PATH-UNC"),
            ("\\\\?\\C:\\a", "E-PATH-UNC"),
            ("https://example.org/a", "E-PATH-URL"),
            ("file:///etc/passwd", "E-PATH-URL"),
            ("dir\\file", "E-PATH-BACKSLASH"),
            ("\\file", "E-PATH-BACKSLASH"),
            ("..", "E-PATH-PARENT"),
            ("../a", "E-PATH-PARENT"),
            ("a/../../b", "E-PATH-PARENT"),
            ("sinew:../a", "E-PATH-PARENT"),
            (".", "E-PATH-DOT"),
            ("./a", "E-PATH-DOT"),
            ("a/./b", "E-PATH-DOT"),
            ("a//b", "E-PATH-EMPTY-PART"),
            ("a/", "E-PATH-EMPTY-PART"),
            ("a\0b", "E-PATH-CONTROL"),
            ("a\nb", "E-PATH-CONTROL"),
            ("a\u{7f}", "E-PATH-CONTROL"),
            ("a\u{85}", "E-PATH-CONTROL"),
            ("what?.lua", "E-PATH-RESERVED"),
            ("*.lua", "E-PATH-RESERVED"),
            ("a|b", "E-PATH-RESERVED"),
            ("dir./a", "E-PATH-TRAILING"),
            ("a ", "E-PATH-TRAILING"),
            ("...", "E-PATH-TRAILING"),
            ("nul", "E-PATH-DEVICE"),
            ("dir/CON", "E-PATH-DEVICE"),
            ("Aux.lua", "E-PATH-DEVICE"),
            ("com1.tar.gz", "E-PATH-DEVICE"),
            ("lpt³", "E-PATH-DEVICE"),
            ("conin$", "E-PATH-DEVICE"),
            ("nul .txt", "E-PATH-DEVICE"),
            ("hero.lua:stream", "E-PATH-STREAM"),
            ("sinew:hero.lua:stream", "E-PATH-STREAM"),
            ("hero.lua::$DATA", "E-PATH-STREAM"),
            (":a", "E-PATH-STREAM"),
            ("dir/a:b", "E-PATH-STREAM"),
            ("Sinew:a", "E-PATH-SPACE"),
            ("my-mod:a", "E-PATH-SPACE"),
            ("2fast:a", "E-PATH-SPACE"),
            (&"a/".repeat(600), "E-PATH-TOO-LONG"),
            (&"a".repeat(256), "E-PATH-PART-TOO-LONG"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn every_reason_reads_as_a_sentence() {
        let error = LogicalPath::parse("a\u{1}", "plaza").expect_err("a control character");
        assert_eq!(error.to_string(), "has the control character U+0001");
        let error = LogicalPath::parse("My:a", "plaza").expect_err("a capital");
        assert!(error.to_string().contains("small letter"), "{error}");
    }

    #[test]
    fn references_stay_beside_the_file_that_names_them() {
        let model = LogicalPath::parse("sinew:models/robot.gltf", "plaza").expect("valid");
        for (uri, expected) in [
            ("robot.bin", "sinew:models/robot.bin"),
            ("tex/skin a.png", "sinew:models/tex/skin a.png"),
            ("100%25.bin", "sinew:models/100%25.bin"),
            ("../robot.bin", "E-PATH-PARENT"),
            ("/etc/passwd", "E-PATH-ABSOLUTE"),
            ("a\\b", "E-PATH-BACKSLASH"),
            ("a\0", "E-PATH-CONTROL"),
            ("plaza:secret.bin", "E-PATH-STREAM"),
            ("http://example.org/a.bin", "E-PATH-URL"),
            ("", "E-PATH-EMPTY"),
        ] {
            let shown = match model.join(uri) {
                Ok(path) => path.to_string(),
                Err(error) => error.code().to_owned(),
            };
            assert_eq!(shown, expected, "{uri:?}");
        }
    }

    #[test]
    fn a_path_made_by_hand_is_checked() {
        let outside = LogicalPath {
            space: "sinew".to_owned(),
            path: "../secret".to_owned(),
        };
        assert_eq!(outside.check(), Err(PathError::Parent));
    }

    #[test]
    fn names_fall_apart_at_the_last_slash_and_dot() {
        let path = LogicalPath::parse("a/b/walk.animgraph.json", "plaza").expect("valid");
        let parts = (path.folder(), path.file_name(), path.extension());
        assert_eq!(parts, ("a/b", "walk.animgraph.json", "json"));
        let bare = LogicalPath::parse("readme", "plaza").expect("valid");
        assert_eq!((bare.folder(), bare.extension()), ("", ""));
    }

    proptest! {
        /// An oracle of the standard library: whatever is accepted has normal parts only.
        #[test]
        fn what_is_accepted_stays_inside(text in "([a-cA-C]|[./\\\\:% ~$]|nul|com1|\\.\\.|sinew:|%2e|é){0,12}") {
            let base = LogicalPath::parse("dir/model.gltf", "plaza").expect("valid");
            for path in [LogicalPath::parse(&text, "plaza"), base.join(&text)].into_iter().flatten() {
                let inside = std::path::Path::new(&path.path)
                    .components()
                    .all(|part| matches!(part, std::path::Component::Normal(_)));
                prop_assert!(inside, "{path}");
                prop_assert!(check_id(&path.space).is_ok());
                prop_assert_eq!(LogicalPath::parse(&path.to_string(), "other"), Ok(path));
            }
        }

        #[test]
        fn no_text_panics(text in any::<String>()) {
            let _ = LogicalPath::parse(&text, "plaza").map(|path| path.join(&text));
        }
    }
}
