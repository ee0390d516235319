use super::*;

const GOOD: &str = r#"
id = "moonwalk"
version = "1.0.0"
title = "Moonwalk"
api = "1.0"
depends = ["plaza >= 1.0"]
optional = ["hats"]
conflicts = ["sunwalk < 2"]
load_after = ["starwalk"]
permissions = ["storage"]
entry = "main.lua"

[overrides]
"plaza:hero.lua" = "hero.lua"
"sinew:hero.glb" = "art/hero.glb"
"sinew:graphs/locomotion.animgraph.json" = "graph.animgraph.json"

[actions]
moonwalk = { keys = ["M"] }
"#;

#[test]
fn a_full_manifest_is_read() {
    let manifest = ModManifest::from_toml(GOOD, "mod.toml").expect("valid");
    assert_eq!(
        (manifest.id.as_str(), manifest.version.as_str()),
        ("moonwalk", "1.0.0")
    );
    assert_eq!(manifest.api_version(), Some((1, 0)));
    assert_eq!(manifest.permissions, [Permission::Storage]);
    assert_eq!(manifest.actions["moonwalk"].keys, ["M"]);
    let overrides: Vec<String> = manifest
        .override_paths()
        .map(|(target, own)| format!("{target} by {own}"))
        .collect();
    assert_eq!(
        overrides,
        [
            "plaza:hero.lua by moonwalk:hero.lua",
            "sinew:graphs/locomotion.animgraph.json by moonwalk:graph.animgraph.json",
            "sinew:hero.glb by moonwalk:art/hero.glb",
        ]
    );
}

#[test]
fn the_least_manifest_is_three_lines() {
    let least = "id = \"hat\"\nversion = \"0.1.0\"\napi = \"1.0\"\n";
    let manifest = ModManifest::from_toml(least, "mod.toml").expect("valid");
    assert_eq!(manifest.shown(), "hat");
    assert!(manifest.overrides.is_empty() && manifest.permissions.is_empty());
}

/// The manifest with `line` in the place of the line that begins as it does, or in front.
fn changed(line: &str) -> String {
    let key = line.split('=').next().unwrap_or_default().trim_end();
    let mut found = false;
    let mut lines: Vec<&str> = GOOD
        .lines()
        .map(|old| {
            let same = old
                .split('=')
                .next()
                .is_some_and(|old| old.trim_end() == key);
            found |= same;
            if same { line } else { old }
        })
        .collect();
    if !found {
        lines.insert(0, line);
    }
    lines.join("\n")
}

#[test]
fn every_fault_has_its_place_and_says_what_is_nearest() {
    for (line, code, place, word) in [
        (
            "id = \"Moon Walk\"",
            "E-MOD-ID",
            "\"Moon Walk\"",
            "small letter",
        ),
        ("id = \"sinew\"", "E-MOD-ID", "\"sinew\"", "project"),
        (
            "version = \"1.0\"",
            "E-MOD-VERSION",
            "\"1.0\"",
            "three numbers",
        ),
        ("api = \"one\"", "E-MOD-API", "\"one\"", "\"1.0\""),
        ("api = 1.0", "E-MOD-TYPE", "1.0", "a string"),
        ("dependz = []", "E-MOD-UNKNOWN-KEY", "dependz", "depends"),
        (
            "permissions = [\"storge\"]",
            "E-MOD-CHOICE",
            "\"storge\"",
            "storage",
        ),
        (
            "permissions = [\"network\"]",
            "E-MOD-CHOICE",
            "\"network\"",
            "camera",
        ),
        (
            "depends = [\"plaza 1.0\"]",
            "E-MOD-REQUIREMENT",
            "\"plaza 1.0\"",
            ">= 1.0",
        ),
        (
            "optional = [\"moonwalk\"]",
            "E-MOD-REQUIREMENT",
            "\"moonwalk\"",
            "itself",
        ),
        (
            "load_after = [\"hats >= 1\"]",
            "E-MOD-REQUIREMENT",
            "\"hats >= 1\"",
            "id of a mod",
        ),
        (
            "conflicts = [\"plaza\"]",
            "E-MOD-REQUIREMENT",
            "\"plaza\"",
            "needed",
        ),
        (
            "optional = [\"aa\", \"aa\"]",
            "E-MOD-REQUIREMENT",
            "\"aa\"",
            "twice",
        ),
        (
            "entry = \"main.txt\"",
            "E-MOD-FILE-KIND",
            "\"main.txt\"",
            ".lua",
        ),
        (
            "entry = \"../main.lua\"",
            "E-PATH-PARENT",
            "\"../main.lua\"",
            "leaves",
        ),
        (
            "\"plaza:hero.lua\" = \"hero.glb\"",
            "E-MOD-OVERRIDE",
            "\"hero.glb\"",
            "patched by",
        ),
        (
            "\"plaza:hero.lua\" = \"plaza:x.lua\"",
            "E-MOD-OVERRIDE",
            "\"plaza:x.lua\"",
            "of the mod",
        ),
        (
            "\"plaza:hero.lua\" = \"..\\\\x.lua\"",
            "E-PATH-BACKSLASH",
            "\"..\\\\x.lua\"",
            "backslash",
        ),
        (
            "moonwalk = { keys = [\"Spaec\"] }",
            "E-MOD-CHOICE",
            "\"Spaec\"",
            "Space",
        ),
        ("moonwalk = { }", "E-MOD-ACTION", "{ }", "no keys"),
    ] {
        let text = changed(line);
        let faults = ModManifest::from_toml(&text, "mod.toml").expect_err(line);
        let fault = &faults[0];
        assert_eq!(fault.code, code, "{line}: {fault}");
        let span = fault.span.expect("a place");
        assert_eq!(&text[span.start..span.end], place, "{line}: {fault}");
        let said = fault.to_string();
        assert!(said.contains(word), "{said} has no {word}");
    }
}

#[test]
fn overrides_name_files_of_others_that_are_needed() {
    for (target, word) in [
        ("hats:hat.glb", ""),
        ("moonwalk:x.lua", "itself"),
        ("x.lua", "itself"),
        ("garden:x.lua", "garden"),
        ("plaza:level.toml", "no file that a mod can change"),
        ("plaza:readme.md", "no file that a mod can change"),
        ("plaza:../x.lua", "leaves"),
    ] {
        let own = if target.ends_with(".glb") {
            "own.glb"
        } else {
            "own.lua"
        };
        let text = GOOD.replace(
            "\"plaza:hero.lua\" = \"hero.lua\"",
            &format!("\"{target}\" = \"{own}\""),
        );
        match ModManifest::from_toml(&text, "mod.toml") {
            Ok(_) => assert_eq!(word, "", "{target}"),
            Err(faults) => {
                let said = faults[0].to_string();
                assert!(!word.is_empty() && said.contains(word), "{target}: {said}");
            }
        }
    }
}

#[test]
fn what_is_missing_is_told_with_an_example() {
    let faults = ModManifest::from_toml("id = \"hat\"", "mod.toml").expect_err("half");
    let said: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert!(
        said.iter()
            .any(|said| said.contains("the mod has no `api`") && said.contains("api = ")),
        "{said:?}"
    );
    assert!(
        said.iter().all(|said| said.contains("E-MOD-MISSING-KEY")),
        "{said:?}"
    );
}

#[test]
fn the_schema_in_the_docs_is_current() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/schema/mod.schema.json"
    );
    let schema = serde_json::to_string_pretty(&ModManifest::schema()).expect("plain data") + "\n";
    if std::env::var_os("SINEW_UPDATE").is_some_and(|value| value == "1") {
        std::fs::write(path, &schema).expect("can be written");
    }
    let current = std::fs::read_to_string(path)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        current == schema,
        "SINEW_UPDATE=1 cargo test -p sinew-assets rewrites it"
    );
}
