//! The table of codes, its page and the source say the same.

use sinew_anim::{GRAPH_CODES, GRAPH_WARNINGS};

#[test]
fn the_page_of_codes_lists_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/graph-codes.md");
    let rows = |codes: &[(&str, &str)]| -> String {
        let rows = codes.iter();
        rows.map(|(code, meaning)| format!("| `{code}` | {meaning} |\n"))
            .collect()
    };
    let page = format!(
        "# Errors of animation graphs\n\nEach names its place by a JSON pointer. This page is written by the test \
         that holds it against the code;\n`SINEW_UPDATE=1 cargo test -p sinew-anim` writes it again.\n\n| code | meaning |\n|---|---|\n{}\n\
         What works in another way than its author may expect is told by `sinew check` and once by a level that runs:\n\n| code | meaning |\n|---|---|\n{}",
        rows(GRAPH_CODES),
        rows(GRAPH_WARNINGS)
    );
    crate::reading::check_file(path, &page);
}

#[test]
fn every_code_in_the_source_is_in_the_table_and_the_other_way_round() {
    let mut source = String::new();
    let mut open = vec![std::path::PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src"
    ))];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if !path.ends_with("graph/error.rs") {
                source += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    for (start, codes) in [("E-GRAPH-", GRAPH_CODES), ("W-GRAPH-", GRAPH_WARNINGS)] {
        let used: std::collections::BTreeSet<&str> = source
            .split('"')
            .filter(|text| text.starts_with(start) && text.len() < 40)
            .collect();
        let known: std::collections::BTreeSet<&str> = codes.iter().map(|(code, _)| *code).collect();
        assert_eq!(used, known);
    }
}
