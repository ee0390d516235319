//! Files that are no files, and floods of them: the watch goes on, and the next good save is seen.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use sinew::{
    Change, clock,
    watch::{News, Watcher},
};

/// What comes until the file's content is told; the cap is only there to end a test that fails.
fn until_written(watcher: &Watcher, file: &Path, content: &str) -> News {
    let mut all = News::default();
    let wanted = Change::Written(content.into());
    let end = clock::now() + Duration::from_secs(20);
    while all.changes.get(file) != Some(&wanted) {
        assert!(
            clock::now() < end,
            "`{}` was not seen: {all:?}",
            file.display()
        );
        if let Some(news) = watcher.take() {
            all.changes.extend(news.changes);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    all
}

fn watched() -> (tempfile::TempDir, PathBuf, Watcher) {
    let project = tempfile::tempdir().expect("a folder");
    let level = project.path().join("level");
    fs::create_dir(&level).expect("a folder");
    for name in ["hero.lua", "other.lua"] {
        fs::write(level.join(name), "return 1").expect("a file");
    }
    fs::write(project.path().join("secret.lua"), "secret").expect("a file");
    let watcher = Watcher::new(vec![level.clone()]).expect("a thread");
    (project, level, watcher)
}

#[test]
fn a_flood_of_new_folders_does_not_hide_a_save() {
    let (_project, level, watcher) = watched();
    for number in 0..500 {
        fs::create_dir_all(level.join(format!("folder_{number}/inner"))).expect("folders");
    }
    let file = level.join("hero.lua");
    fs::write(&file, "return 2").expect("a file");
    until_written(&watcher, &file, "return 2");
}

#[cfg(unix)]
#[test]
fn a_pipe_or_a_device_in_place_of_a_script_holds_nothing_up_and_eats_nothing() {
    let (_project, level, watcher) = watched();
    let (hero, other) = (level.join("hero.lua"), level.join("other.lua"));
    fs::remove_file(&hero).expect("it was there");
    let made = std::process::Command::new("mkfifo").arg(&hero).status();
    assert!(made.expect("a tool of every Unix").success());
    fs::write(&other, "return 2").expect("a file");
    until_written(&watcher, &other, "return 2");
    fs::remove_file(&hero).expect("it was there");
    std::os::unix::fs::symlink("/dev/zero", &hero).expect("a link");
    fs::write(&other, "return 3").expect("a file");
    until_written(&watcher, &other, "return 3");
    drop(watcher);
}

#[cfg(unix)]
#[test]
fn a_link_that_leaves_the_level_is_told_and_not_read() {
    let (_project, level, watcher) = watched();
    let (hero, other) = (level.join("hero.lua"), level.join("other.lua"));
    fs::remove_file(&hero).expect("it was there");
    std::os::unix::fs::symlink("../secret.lua", &hero).expect("a link");
    // Later than what the link needs to be told.
    std::thread::sleep(Duration::from_millis(400));
    fs::write(&other, "return 2").expect("a file");
    let news = until_written(&watcher, &other, "return 2");
    match news.changes.get(&hero) {
        Some(Change::Unreadable(reason)) => {
            assert!(reason.contains("leaves its folder"), "{reason}")
        }
        other => assert_eq!(other, None, "only its being unreadable may be told"),
    }
}
