use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

/// A project with a level in `samples/plaza` and a secret outside of everything.
fn project() -> (TempDir, Files) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, text) in [
        ("secret.txt", "secret"),
        ("project/secret.txt", "secret"),
        ("project/assets/hero.glb", "a model"),
        ("project/assets/sub/robot.glb", "another"),
        ("project/assets/both.txt", "of assets"),
        ("project/scripts/both.txt", "of scripts"),
        ("project/scripts/steps.lua", "return {}"),
        ("project/samples/plaza/hero.lua", "return {}"),
        ("project/samples/plaza/Models/Fox.glb", "a fox"),
        ("project/samples/plaza/.hidden", "hidden"),
        ("mods/rain/rain.lua", "return {}"),
    ] {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("can be made");
        fs::write(file, text).expect("can be written");
    }
    let mut files = Files::new(&folder.path().join("project"));
    files.add_space("plaza", &folder.path().join("project/samples/plaza"));
    files.add_space("rain", &folder.path().join("mods/rain"));
    (folder, files)
}

fn path(text: &str) -> LogicalPath {
    LogicalPath::parse(text, "plaza").expect("a valid path")
}

/// The content, or the code and the suggestion.
fn read(files: &Files, text: &str) -> Result<String, String> {
    files
        .read(&path(text))
        .map(|bytes| String::from_utf8(bytes).expect("text"))
        .map_err(|error| match error.suggestion() {
            Some(suggestion) => format!("{} {suggestion}", error.code()),
            None => error.code().to_owned(),
        })
}

#[test]
fn files_are_found_in_their_space_and_assets_before_scripts() {
    let (_folder, files) = project();
    for (text, expected) in [
        ("sinew:hero.glb", "a model"),
        ("sinew:sub/robot.glb", "another"),
        ("sinew:steps.lua", "return {}"),
        ("sinew:both.txt", "of assets"),
        ("hero.lua", "return {}"),
        ("Models/Fox.glb", "a fox"),
        ("rain:rain.lua", "return {}"),
    ] {
        assert_eq!(read(&files, text).as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn what_is_not_there_is_told_with_the_nearest_name() {
    let (_folder, files) = project();
    for (text, expected) in [
        ("sinew:heroo.glb", "E-ASSET-MISSING sinew:hero.glb"),
        ("sinew:stepz.lua", "E-ASSET-MISSING sinew:steps.lua"),
        ("sinew:sub/robto.glb", "E-ASSET-MISSING sinew:sub/robot.glb"),
        ("sinew:sbu/robot.glb", "E-ASSET-MISSING sinew:sub/robot.glb"),
        ("hreo.lua", "E-ASSET-MISSING plaza:hero.lua"),
        ("entirely_different", "E-ASSET-MISSING"),
        ("hero.lua/deeper", "E-ASSET-MISSING"),
        ("rian:rain.lua", "E-ASSET-SPACE rain"),
        ("nowhere_near:a", "E-ASSET-SPACE"),
        ("Models", "E-ASSET-NOT-A-FILE"),
    ] {
        assert_eq!(read(&files, text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn a_name_that_differs_in_case_alone_shows_the_real_spelling() {
    let (_folder, files) = project();
    for (text, expected) in [
        ("sinew:Hero.glb", "E-ASSET-CASE sinew:hero.glb"),
        ("sinew:SUB/Robot.glb", "E-ASSET-CASE sinew:sub/robot.glb"),
        ("models/Fox.glb", "E-ASSET-CASE plaza:Models/Fox.glb"),
        ("Models/fox.glb", "E-ASSET-CASE plaza:Models/Fox.glb"),
        ("Hero.LUA", "E-ASSET-CASE plaza:hero.lua"),
        ("sinew:Steps.lua", "E-ASSET-CASE sinew:steps.lua"),
    ] {
        assert_eq!(read(&files, text), Err(expected.to_owned()), "{text}");
    }
}

#[test]
fn a_path_made_by_hand_does_not_get_past_the_rules() {
    let (_folder, files) = project();
    for (space, text, code) in [
        ("sinew", "../secret.txt", "E-PATH-PARENT"),
        ("plaza", "../../../secret.txt", "E-PATH-PARENT"),
        ("plaza", "/etc/passwd", "E-PATH-ABSOLUTE"),
        ("..", "secret.txt", "E-PATH-SPACE"),
    ] {
        let path = LogicalPath {
            space: space.to_owned(),
            path: text.to_owned(),
        };
        let error = files.read(&path).expect_err(text);
        assert_eq!(error.code(), code, "{text}");
        assert_eq!(files.locate(&path).ok(), None);
    }
}

#[cfg(unix)]
#[test]
fn links_work_inside_the_root_and_are_refused_outside() {
    use std::os::unix::fs::symlink;
    let (folder, files) = project();
    let plaza = folder.path().join("project/samples/plaza");
    for (target, link) in [
        ("hero.lua", "same.lua"),
        ("Models", "models_link"),
        ("../../../secret.txt", "leaves.txt"),
        ("../../..", "leaves"),
        ("/etc", "etc"),
        ("../../assets/hero.glb", "other_space.glb"),
        ("nowhere", "broken"),
        ("loop", "loop"),
    ] {
        symlink(target, plaza.join(link)).expect("a link can be made");
    }
    for (text, expected) in [
        ("same.lua", Ok("return {}")),
        ("models_link/Fox.glb", Ok("a fox")),
        ("leaves.txt", Err("E-ASSET-LEAVES")),
        ("leaves/secret.txt", Err("E-ASSET-LEAVES")),
        ("leaves/sceret.txt", Err("E-ASSET-LEAVES")),
        ("etc/passwd", Err("E-ASSET-LEAVES")),
        ("other_space.glb", Err("E-ASSET-LEAVES")),
        ("broken", Err("E-ASSET-UNREADABLE")),
        ("loop", Err("E-ASSET-UNREADABLE")),
    ] {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(read(&files, text), expected, "{text}");
    }
    let listed: Vec<String> = files
        .list("plaza")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        listed,
        [
            "plaza:Models/Fox.glb",
            "plaza:hero.lua",
            "plaza:leaves.txt",
            "plaza:other_space.glb",
            "plaza:same.lua",
        ],
        "links to folders are not followed"
    );
}

#[cfg(unix)]
#[test]
fn what_is_no_plain_file_is_not_opened() {
    let (folder, files) = project();
    let pipe = folder.path().join("project/assets/pipe.lua");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo is there");
    assert_eq!(
        read(&files, "sinew:pipe.lua"),
        Err("E-ASSET-NOT-A-FILE".to_owned())
    );
}

#[test]
fn a_file_over_the_limit_of_its_kind_is_refused() {
    let (folder, files) = project();
    let plaza = folder.path().join("project/samples/plaza");
    let limit = size_limit(&path("big.lua")) as usize;
    assert_eq!(limit, 256 * 1024);
    fs::write(plaza.join("full.lua"), vec![b' '; limit]).expect("can be written");
    fs::write(plaza.join("big.lua"), vec![b' '; limit + 1]).expect("can be written");
    assert!(read(&files, "full.lua").is_ok());
    assert_eq!(read(&files, "big.lua"), Err("E-ASSET-TOO-LARGE".to_owned()));
}

#[test]
fn files_on_disk_and_logical_paths_lead_to_each_other() {
    let (folder, mut files) = project();
    files.add_space("inner", &folder.path().join("project/samples/plaza/Models"));
    for (text, shown) in [
        ("sinew:hero.glb", "assets/hero.glb"),
        ("sinew:steps.lua", "scripts/steps.lua"),
        ("hero.lua", "samples/plaza/hero.lua"),
        ("gone.lua", "samples/plaza/gone.lua"),
        ("inner:Fox.glb", "samples/plaza/Models/Fox.glb"),
        ("sinew:gone.glb", "sinew:gone.glb"),
        ("rain:rain.lua", "rain:rain.lua"),
        ("unknown:a", "unknown:a"),
    ] {
        assert_eq!(files.display(&path(text)), shown, "{text}");
        if let Ok(file) = files.locate(&path(text)) {
            assert_eq!(files.path_of(&file), Some(path(text)));
        }
    }
    let gone = folder.path().join("mods/rain/gone.lua");
    assert_eq!(files.path_of(&gone), Some(path("rain:gone.lua")));
    let outside = folder.path().join("secret.txt");
    assert_eq!(files.path_of(&outside), None);
    let around = folder.path().join("mods/rain/../rain/rain.lua");
    assert_eq!(files.path_of(&around), Some(path("rain:rain.lua")));
    let out = folder.path().join("mods/rain/../../secret.txt");
    assert_eq!(files.path_of(&out), None);
}

#[cfg(unix)]
#[test]
fn a_project_behind_a_link_is_the_same_project() {
    let (folder, _) = project();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("project", &link).expect("a link can be made");
    let files = Files::new(&link);
    assert_eq!(read(&files, "sinew:hero.glb").as_deref(), Ok("a model"));
    assert_eq!(files.display(&path("sinew:hero.glb")), "assets/hero.glb");
    for way in ["link/assets/hero.glb", "project/assets/hero.glb"] {
        let file = folder.path().join(way);
        assert_eq!(files.path_of(&file), Some(path("sinew:hero.glb")), "{way}");
    }
}

#[test]
fn a_list_has_every_file_of_a_space_once() {
    let (_folder, files) = project();
    let listed = |space: &str| -> Vec<String> {
        files
            .list(space)
            .iter()
            .map(|path| path.path.clone())
            .collect()
    };
    assert_eq!(
        listed("sinew"),
        ["both.txt", "hero.glb", "steps.lua", "sub/robot.glb"]
    );
    assert_eq!(listed("plaza"), ["Models/Fox.glb", "hero.lua"]);
    assert_eq!(listed("unknown"), [""; 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever is read lies inside: the files outside hold `secret`, no file inside does.
    #[test]
    fn no_path_reads_a_file_outside(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "..", ".", "", "secret.txt", "assets", "sub", "Models", "etc", "passwd", "sinew:", "plaza:", "/",
                "\\", "hero.glb", "hero.lua", "C:", "%2e%2e", "..%2f", "\u{2024}\u{2024}", "\u{ff0e}\u{ff0e}",
            ]),
            1..6,
        ),
        separator in prop::sample::select(vec!["/", "\\", "", "//"]),
    ) {
        let (_folder, files) = project();
        let text = parts.join(separator);
        let made_by_hand = ["sinew", "plaza"].map(|space| LogicalPath {
            space: space.to_owned(),
            path: text.clone(),
        });
        for path in LogicalPath::parse(&text, "plaza").into_iter().chain(made_by_hand) {
            if let Ok(bytes) = files.read(&path) {
                prop_assert_ne!(bytes.as_slice(), b"secret");
                let file = files.locate(&path).expect("it was read").canonicalize().expect("it is there");
                let roots = &files.spaces[&path.space];
                prop_assert!(roots.iter().any(|root| file.starts_with(&root.real)));
            }
        }
    }
}
