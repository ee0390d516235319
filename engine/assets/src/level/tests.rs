use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
};

use proptest::prelude::*;
use toml::de::DeTable;

use super::*;

const EXAMPLE: &str = include_str!("../../golden/example.toml");

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn read_golden(name: &str) -> String {
    let text = fs::read_to_string(golden(name)).unwrap_or_default();
    text.replace("\r\n", "\n")
}

/// Compares with a file, or rewrites it where `SINEW_UPDATE=1`.
fn check_golden(name: &str, current: &str) {
    let path = golden(name);
    if std::env::var_os("SINEW_UPDATE").is_some_and(|value| value == "1") {
        fs::create_dir_all(path.parent().expect("a folder")).expect("can be made");
        fs::write(&path, current).expect("can be written");
    }
    assert!(
        read_golden(name) == current,
        "{name} is out of date: SINEW_UPDATE=1 cargo test -p sinew-assets rewrites it\n{current}"
    );
}

#[test]
fn the_schema_in_the_docs_is_current() {
    let schema = serde_json::to_string_pretty(&LevelDef::schema()).expect("plain data");
    check_golden("../../docs/schema/level.schema.json", &(schema + "\n"));
}

#[test]
fn a_full_level_is_read() {
    let level = LevelDef::from_toml(EXAMPLE, "example.toml").expect("valid");
    assert_eq!(
        (level.id.as_str(), level.version.as_str()),
        ("plaza", "1.0.0")
    );
    assert_eq!(level.permissions, [Permission::Camera, Permission::Storage]);
    assert_eq!(level.environment.sky_top, Color::hex(0x40_80c0));
    assert_eq!(level.environment.sun.pitch, 40.0);
    assert!(!level.environment.grid);
    assert_eq!(level.boxes[0].size, Vec3::new(4.0, 0.5, 2.0));
    assert_eq!(level.planes[0].color, Some(Color::hex(0x80_8080)));
    let [hero, lamp] = level.actors.as_slice() else {
        unreachable!("two actors, got {}", level.actors.len());
    };
    assert_eq!(hero.scripts, ["hero.lua", "sinew:footsteps.lua"]);
    assert_eq!(hero.properties["walk_speed"], serde_json::json!(1.2));
    assert_eq!(
        hero.properties["points"],
        serde_json::json!([[0, 0.0, 0], [6, 0, 5]])
    );
    assert_eq!(hero.root_motion, RootMotion::Report);
    assert!(hero.important && hero.visible && hero.looping);
    assert_eq!(lamp.parent.as_deref(), Some("hero"));
    assert_eq!(lamp.clip.as_deref(), Some("glow"));
    assert_eq!(
        (lamp.speed, lamp.looping, lamp.visible),
        (0.5, false, false)
    );
    assert_eq!(lamp.root_motion, RootMotion::Move);
    assert_eq!(level.actions["jump"].keys, ["Space"]);
    assert!(level.actions["move"].is_vector() && !level.actions["jump"].is_vector());
    assert_eq!(level.camera.follow.as_deref(), Some("hero"));
    assert_eq!(level.gravity, 3.7);
}

#[test]
fn what_is_left_out_has_a_default() {
    let bare = "id = \"bare\"\nversion = \"0.1.0\"\n";
    let level = LevelDef::from_toml(bare, "bare").expect("valid");
    assert_eq!(level.environment, EnvironmentDef::default());
    assert_eq!(level.camera, CameraDef::default());
    assert_eq!(level.gravity, 9.81);
    let sunny = format!("{bare}[environment.sun]\npitch = 10");
    let sun = LevelDef::from_toml(&sunny, "bare")
        .expect("valid")
        .environment
        .sun;
    assert_eq!(sun.pitch, 10.0);
    assert_eq!(sun.color, SunDef::default().color);
}

#[test]
fn a_written_level_reads_back() {
    let level = LevelDef::from_toml(EXAMPLE, "example.toml").expect("valid");
    let text = toml::to_string(&level).expect("plain data");
    assert_eq!(LevelDef::from_toml(&text, "again"), Ok(level));
}

/// The file holds cases: a title, a level, what is said of it and the text that it is said of, with the
/// edit that is offered.
#[test]
fn faults_are_told_with_their_place_and_what_to_do() {
    const FILE: &str = "golden/level_faults.txt";
    const TITLE: &str = "#### ";
    const SAID: &str = "---- said:\n";
    let text = read_golden(FILE);
    let mut current = String::new();
    for case in text.split(TITLE).skip(1) {
        let (title, rest) = case.split_once('\n').expect("a title");
        let level = rest.split(SAID).next().unwrap_or_default();
        let faults = LevelDef::from_toml(level, "level.toml").expect_err(title);
        write!(current, "{TITLE}{title}\n{level}{SAID}").expect("memory");
        for fault in faults {
            writeln!(current, "{fault}").expect("memory");
            let span = fault.span.expect("every fault has a place");
            let mut marked = level[span.start..span.end].to_owned();
            if let Some(edit) = &fault.edit {
                assert_eq!((edit.start, edit.end), (span.start, span.end));
                write!(marked, " -> {}", edit.replacement).expect("memory");
            }
            writeln!(current, "    {}", marked.replace('\n', "\n    ")).expect("memory");
        }
    }
    assert!(!current.is_empty(), "{FILE} has cases");
    check_golden(FILE, &current);
}

#[test]
fn the_edit_of_a_fault_puts_it_right() {
    for (right, wrong) in [
        ("[environment]", "[enviroment]"),
        ("position =", "positon ="),
        ("sky_top =", "sky-top ="),
        ("\"report\"", "\"reprot\""),
        ("\"Space\"", "\"Spcae\""),
        ("\"gray\"", "\"graay\""),
        ("\"camera\"", "\"camra\""),
        ("parent = \"hero\"", "parent = \"heroo\""),
        ("follow = \"hero\"", "follow = \"hreo\""),
    ] {
        let text = EXAMPLE.replacen(right, wrong, 1);
        assert_ne!(text, EXAMPLE, "{right}");
        let faults = LevelDef::from_toml(&text, "example.toml").expect_err(wrong);
        let edit = faults[0].edit.clone().expect(wrong);
        let mut mended = text;
        mended.replace_range(edit.start..edit.end, &edit.replacement);
        assert_eq!(mended, EXAMPLE);
    }
}

#[test]
fn many_faults_are_cut_off_and_deep_texts_refused() {
    let head = "id = \"big\"\nversion = \"1.0.0\"\n";
    let mut text = head.to_owned();
    for index in 0..5000 {
        let actor =
            format!("[[actor]]\nname = \"a{index}\"\nmodel = \"a.glb\"\nparent = \"b{index}\"\n");
        text.push_str(&actor);
    }
    let faults = LevelDef::from_toml(&text, "big.toml").expect_err("no such parents");
    assert_eq!(faults.len(), document_check::MAX_FAULTS);
    let text = head.to_owned() + &"[[actor]]\n".repeat(5000);
    let faults = LevelDef::from_toml(&text, "big.toml").expect_err("nothing given");
    assert_eq!(faults.len(), document_check::MAX_FAULTS);
    let deep = format!("{head}[[actor]]\nproperties.x = {}", "[".repeat(50_000));
    LevelDef::from_toml(&deep, "deep.toml").expect_err("too deep");
    let deep = format!("{head}{}", "a.".repeat(50_000));
    LevelDef::from_toml(&deep, "deep.toml").expect_err("too deep");
}

/// Any text: no panic, every place lies inside, and what the check of the structure accepts, serde
/// accepts.
fn check_any(text: &str) {
    let Err(faults) = LevelDef::from_toml(text, "any.toml") else {
        return;
    };
    assert!(!faults.is_empty());
    let parsed = DeTable::parse(text).is_ok();
    for fault in faults {
        let span = fault.span.expect("every fault has a place");
        assert!(text.get(span.start..span.end).is_some(), "{fault}");
        assert_eq!(fault.code == "E-LEVEL-SYNTAX", !parsed, "{fault}\n{text}");
    }
}

const VALUES: &[&str] = &[
    "1",
    "-1.5",
    "nan",
    "-inf",
    "1e300",
    "9223372036854775807",
    "0xffffffffffffffff",
    "true",
    "\"x\"",
    "\"\"",
    "\"\\u0000é\"",
    "[]",
    "[1, 2, 3]",
    "[[1], {a = nan}]",
    "{}",
    "{ a.b = 1 }",
    "1979-05-27",
    "[1979-05-27]",
    "'''\n'''",
    "[1.0, 1e39, 0]",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_broken_example_never_panics(
        cuts in prop::collection::vec(
            (any::<prop::sample::Index>(), 0_usize..12, "[\\[\\]{}=\"',.#\n 0-9a-zé_:+-]{0,6}"),
            1..4,
        )
    ) {
        let mut letters: Vec<char> = EXAMPLE.chars().collect();
        for (at, length, put) in cuts {
            let at = at.index(letters.len());
            let end = (at + length).min(letters.len());
            letters.splice(at..end, put.chars());
        }
        check_any(&letters.into_iter().collect::<String>());
    }

    #[test]
    fn an_example_with_another_value_never_panics(
        line in any::<prop::sample::Index>(),
        value in prop::sample::select(VALUES),
    ) {
        let mut lines: Vec<String> = EXAMPLE.lines().map(str::to_owned).collect();
        let at = line.index(lines.len());
        if let Some((key, _)) = lines[at].split_once(" = ") {
            lines[at] = format!("{key} = {value}");
        }
        check_any(&lines.join("\n"));
    }

    #[test]
    fn no_text_panics(text in any::<String>()) {
        check_any(&text);
    }
}
