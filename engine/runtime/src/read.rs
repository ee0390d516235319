//! Reads files that changed, by the rules that a level's files have: real files inside of their folder, of a size that
//! a level may load. Anything else would hold the watching thread up (a pipe), eat memory (a device) or show what lies
//! outside of the project (a link).

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Larger files are not read, in bytes.
const LARGEST: u64 = 256 << 20;

/// The content of a file in one of `folders`.
///
/// # Errors
/// There is no such file, it cannot be read, or it is none that a level may use.
pub(crate) fn read_inside(folders: &[PathBuf], path: &Path) -> io::Result<Vec<u8>> {
    let real = path.canonicalize()?;
    let mut around = folders.iter().filter(|folder| path.starts_with(folder));
    let is_inside = |folder: &PathBuf| {
        folder
            .canonicalize()
            .is_ok_and(|folder| real.starts_with(folder))
    };
    if !around.any(is_inside) {
        return Err(io::Error::other("it is a link that leaves its folder"));
    }
    let data = fs::metadata(&real)?;
    if !data.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let too_large = || io::Error::other(format!("it has more than {LARGEST} bytes"));
    if data.len() > LARGEST {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    File::open(&real)?
        .take(LARGEST + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        Err(too_large())
    } else {
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders() -> (tempfile::TempDir, Vec<PathBuf>) {
        let project = tempfile::tempdir().expect("a folder");
        let level = project.path().join("level");
        fs::create_dir(&level).expect("a folder");
        fs::write(level.join("hero.lua"), "return 1").expect("a file");
        fs::write(project.path().join("secret.lua"), "secret").expect("a file");
        (project, vec![level])
    }

    #[test]
    fn files_are_read_and_missing_ones_are_told_as_missing() {
        let (_project, folders) = folders();
        let read = |name: &str| read_inside(&folders, &folders[0].join(name));
        assert_eq!(read("hero.lua").expect("it is there"), b"return 1");
        assert_eq!(
            read("none.lua").expect_err("it is not").kind(),
            io::ErrorKind::NotFound
        );
    }

    #[test]
    fn folders_and_files_too_large_are_refused_unread() {
        let (_project, folders) = folders();
        let level = &folders[0];
        fs::create_dir(level.join("folder.lua")).expect("a folder");
        let file = File::create(level.join("large.glb")).expect("a file");
        file.set_len(LARGEST + 1).expect("a file full of nothing");
        for name in ["folder.lua", "large.glb"] {
            assert!(read_inside(&folders, &level.join(name)).is_err(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_may_stay_inside_and_must_not_leave() {
        use std::os::unix::fs::symlink;
        let (_project, folders) = folders();
        let level = &folders[0];
        let links = [
            ("inside.lua", "hero.lua"),
            ("outside.lua", "../secret.lua"),
            ("device.lua", "/dev/zero"),
        ];
        for (name, target) in links {
            symlink(target, level.join(name)).expect("a link");
        }
        assert!(read_inside(&folders, &level.join("inside.lua")).is_ok());
        for name in ["outside.lua", "device.lua"] {
            let error = read_inside(&folders, &level.join(name)).expect_err(name);
            assert!(error.to_string().contains("leaves"), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_does_not_hold_the_reader_up() {
        let (_project, folders) = folders();
        let pipe = folders[0].join("pipe.lua");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("a tool of every Unix").success());
        assert!(read_inside(&folders, &pipe).is_err());
    }
}
