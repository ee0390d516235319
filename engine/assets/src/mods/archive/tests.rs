use std::io::Write as _;

use flate2::{Compression, write::DeflateEncoder};

use super::*;

/// An entry, with everything that an archive can say of one, true or not.
#[derive(Clone)]
struct Part {
    name: Vec<u8>,
    /// As the header in front of the bytes has it; as `name` unless given.
    local_name: Option<Vec<u8>>,
    packed: Vec<u8>,
    method: u16,
    flags: u16,
    size: u32,
    crc: u32,
    mode: u32,
    /// Where its bytes stand; behind those of the entry before unless given.
    offset: Option<u32>,
}

fn file(name: &str, bytes: &[u8]) -> Part {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
    deflate.write_all(bytes).expect("memory");
    Part {
        name: name.into(),
        local_name: None,
        packed: deflate.finish().expect("memory"),
        method: 8,
        flags: 0x800,
        size: bytes.len() as u32,
        crc: crc.sum(),
        mode: 0o100_644,
        offset: None,
    }
}

fn manifest() -> Part {
    file("mod.toml", b"id = \"skin\"")
}

impl Part {
    fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    fn header(&self, name: &[u8]) -> Vec<u8> {
        let mut header = Vec::new();
        header.extend(20_u16.to_le_bytes());
        header.extend(self.flags.to_le_bytes());
        header.extend(self.method.to_le_bytes());
        header.extend([0, 0, 0x21, 0]);
        header.extend(self.crc.to_le_bytes());
        header.extend((self.packed.len() as u32).to_le_bytes());
        header.extend(self.size.to_le_bytes());
        header.extend((name.len() as u16).to_le_bytes());
        header.extend([0, 0]);
        header
    }
}

fn archive(parts: &[Part]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut directory = Vec::new();
    for part in parts {
        let offset = part.offset.unwrap_or(bytes.len() as u32);
        if part.offset.is_none() {
            let name = part.local_name.as_ref().unwrap_or(&part.name);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(part.header(name));
            bytes.extend(name);
            bytes.extend(&part.packed);
        }
        directory.extend(b"PK\x01\x02");
        directory.extend([20, 3]);
        directory.extend(part.header(&part.name));
        directory.extend([0; 6]);
        directory.extend((part.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&part.name);
    }
    let (start, count) = (bytes.len() as u32, parts.len() as u16);
    bytes.extend(&directory);
    bytes.extend(b"PK\x05\x06\0\0\0\0");
    bytes.extend(count.to_le_bytes());
    bytes.extend(count.to_le_bytes());
    bytes.extend((directory.len() as u32).to_le_bytes());
    bytes.extend(start.to_le_bytes());
    bytes.extend([0, 0]);
    bytes
}

fn refused(parts: &[Part], code: &str) -> String {
    let error = read(&archive(parts)).expect_err(code);
    assert_eq!(error.code(), code, "{error}");
    error.to_string()
}

#[test]
fn a_plain_archive_gives_its_files() {
    let folder = file("art/", b"").with(|part| {
        part.mode = 0o040_755;
        (part.method, part.packed) = (0, Vec::new());
    });
    let stored = file("art/readme.md", b"").with(|part| {
        *part = file("art/readme.md", b"hello");
        (part.method, part.packed) = (0, b"hello".to_vec());
    });
    let files = read(&archive(&[
        manifest(),
        folder,
        stored,
        file("hero.lua", b"return {}"),
    ]));
    let files = files.expect("a good archive");
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(paths, ["art/readme.md", "hero.lua", "mod.toml"]);
    assert_eq!(&*files["art/readme.md"], b"hello");
    assert_eq!(&*files["hero.lua"], b"return {}");
}

/// Written by the `zipfile` of Python 3.12, which puts the mode of a file in and no folders.
const BY_ANOTHER_TOOL: [u8; 137] = [
    80, 75, 3, 4, 20, 0, 0, 0, 8, 0, 0, 0, 33, 0, 138, 249, 191, 186, 13, 0, 0, 0, 11, 0, 0, 0, 13,
    0, 0, 0, 115, 107, 105, 110, 47, 109, 111, 100, 46, 116, 111, 109, 108, 203, 76, 81, 176, 85,
    80, 42, 206, 206, 204, 83, 2, 0, 80, 75, 1, 2, 20, 3, 20, 0, 0, 0, 8, 0, 0, 0, 33, 0, 138, 249,
    191, 186, 13, 0, 0, 0, 11, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 1, 0, 0, 0, 0,
    115, 107, 105, 110, 47, 109, 111, 100, 46, 116, 111, 109, 108, 80, 75, 5, 6, 0, 0, 0, 0, 1, 0,
    1, 0, 59, 0, 0, 0, 56, 0, 0, 0, 0, 0,
];

#[test]
fn the_only_folder_around_everything_is_left_out() {
    let inside = [
        file("skin/mod.toml", b"id = \"skin\""),
        file("skin/art/hero.png", b"1"),
        file("__MACOSX/skin/._mod.toml", b"x"),
    ];
    let files = read(&archive(&inside)).expect("a good archive");
    let paths: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(paths, ["art/hero.png", "mod.toml"]);
    let files = read(&BY_ANOTHER_TOOL).expect("a good archive");
    assert_eq!(&*files["mod.toml"], b"id = \"skin\"");
    let two = [file("a/mod.toml", b""), file("b/x.lua", b"")];
    refused(&two, "E-ARCHIVE-NO-MANIFEST");
    refused(&[file("hero.lua", b"")], "E-ARCHIVE-NO-MANIFEST");
    refused(&[], "E-ARCHIVE-NO-MANIFEST");
}

#[test]
fn names_that_could_lead_elsewhere_are_refused() {
    for (name, code) in [
        ("../saves/x", "E-PATH-PARENT"),
        ("a/../../b", "E-PATH-PARENT"),
        ("/etc/passwd", "E-PATH-ABSOLUTE"),
        ("C:/x", "E-PATH-STREAM"),
        ("a\\b", "E-PATH-BACKSLASH"),
        ("..\\x", "E-PATH-BACKSLASH"),
        ("x:stream", "E-PATH-STREAM"),
        ("nul.lua", "E-PATH-DEVICE"),
        ("a/COM1", "E-PATH-DEVICE"),
        ("a./b", "E-PATH-TRAILING"),
        ("a//b", "E-PATH-EMPTY-PART"),
        ("./a", "E-PATH-DOT"),
        ("a\0b", "E-PATH-CONTROL"),
        ("", "E-PATH-EMPTY"),
        ("/", "E-PATH-EMPTY"),
        ("../", "E-PATH-PARENT"),
    ] {
        refused(&[manifest(), file(name, b"x")], code);
    }
    let long = "a/".repeat(600) + "b";
    refused(&[manifest(), file(&long, b"x")], "E-PATH-TOO-LONG");
    let latin = file("x", b"x").with(|part| part.name = vec![0xff, 0xfe]);
    refused(&[manifest(), latin], "E-ARCHIVE-NOT-TEXT");
}

#[test]
fn names_that_are_one_file_somewhere_are_refused() {
    let told = refused(
        &[
            manifest(),
            file("Art/hero.png", b"1"),
            file("art/hero.png", b"2"),
        ],
        "E-ARCHIVE-TWICE",
    );
    assert!(told.contains("Art") && told.contains("art"), "{told}");
    refused(
        &[manifest(), file("a.lua", b"1"), file("A.lua", b"2")],
        "E-ARCHIVE-TWICE",
    );
    refused(
        &[manifest(), file("ÄRGER.lua", b"1"), file("ärger.lua", b"2")],
        "E-ARCHIVE-TWICE",
    );
    refused(
        &[manifest(), file("a", b"1"), file("a/b", b"2")],
        "E-ARCHIVE-TWICE",
    );
    refused(
        &[manifest(), file("a/b", b"1"), file("a", b"2")],
        "E-ARCHIVE-TWICE",
    );
    // The reader sees a name that is there twice before we do.
    refused(
        &[manifest(), file("a.lua", b"1"), file("a.lua", b"2")],
        "E-ARCHIVE-BROKEN",
    );
}

#[test]
fn links_and_devices_are_refused() {
    for (mode, word) in [
        (0o120_777, "link"),
        (0o020_644, "device"),
        (0o060_644, "device"),
        (0o010_644, "device"),
        (0o140_644, "device"),
        (0o040_755, "folder"),
    ] {
        let entry = file("hero.lua", b"/etc/passwd").with(|part| part.mode = mode);
        let told = refused(&[manifest(), entry], "E-ARCHIVE-NOT-A-FILE");
        assert!(told.contains(word), "{told}");
    }
    let folder = file("art/", b"").with(|part| part.mode = 0o100_644);
    refused(&[manifest(), folder], "E-ARCHIVE-NOT-A-FILE");
}

#[test]
fn bombs_are_refused_before_they_grow() {
    let zeros = vec![0_u8; 8 << 20];
    refused(&[manifest(), file("hero.bin", &zeros)], "E-ARCHIVE-RATIO");
    // A script has at most 256 KB, whatever it is packed to.
    refused(
        &[manifest(), file("hero.lua", &zeros[..300 << 10])],
        "E-ARCHIVE-TOO-LARGE",
    );
    let large = |name: &str| {
        file(name, b"x").with(|part| {
            part.size = 500 << 20;
            part.method = 0;
            part.packed = vec![0; 1];
        })
    };
    refused(&[manifest(), large("a.bin")], "E-ARCHIVE-RATIO");
    // Many files that are each small enough.
    let half = file("x", &vec![7; 3 << 20]).with(|part| part.method = 8);
    let many: Vec<Part> = (0..=MAX_TOTAL / (3 << 20))
        .map(|index| {
            half.clone().with(|part| {
                part.name = format!("f{index}.bin").into();
                // Not so short that the ratio of each would tell.
                part.packed.extend(vec![0; 16 << 10]);
            })
        })
        .collect();
    let parts: Vec<Part> = [manifest()].into_iter().chain(many).collect();
    refused(&parts, "E-ARCHIVE-TOO-LARGE");
    let crowd: Vec<Part> = (0..=MAX_ENTRIES)
        .map(|index| file(&format!("f{index}"), b""))
        .collect();
    refused(&crowd, "E-ARCHIVE-TOO-MANY");
}

#[test]
fn sizes_that_lie_are_found_out() {
    let shorter = file("hero.lua", b"return {}").with(|part| part.size = 4);
    refused(&[manifest(), shorter], "E-ARCHIVE-BROKEN");
    let longer = file("hero.lua", b"return {}").with(|part| part.size = 400);
    refused(&[manifest(), longer], "E-ARCHIVE-BROKEN");
    let checksum = file("hero.lua", b"return {}").with(|part| part.crc ^= 1);
    refused(&[manifest(), checksum], "E-ARCHIVE-BROKEN");
    let folder = file("art/", b"hidden").with(|part| part.mode = 0o040_755);
    refused(&[manifest(), folder], "E-ARCHIVE-TOO-LARGE");
}

#[test]
fn parts_that_contradict_each_other_are_refused() {
    let other_name = file("hero.lua", b"x").with(|part| part.local_name = Some("evil.lua".into()));
    refused(&[manifest(), other_name], "E-ARCHIVE-BROKEN");
    let same_bytes = file("mod2.toml", b"id = \"skin\"").with(|part| part.offset = Some(0));
    refused(&[manifest(), same_bytes], "E-ARCHIVE-BROKEN");
    let inside = file("x.lua", b"x").with(|part| part.offset = Some(4));
    refused(&[manifest(), inside], "E-ARCHIVE-BROKEN");
    let behind = file("x.lua", b"x").with(|part| part.offset = Some(1 << 30));
    refused(&[manifest(), behind], "E-ARCHIVE-BROKEN");
    let mut in_front = b"#!/bin/sh\n".to_vec();
    in_front.extend(archive(&[manifest()]));
    assert!(
        read(&in_front).is_err(),
        "something else that is also an archive"
    );
}

#[test]
fn what_is_packed_in_another_way_is_refused() {
    let method = file("x.lua", b"x").with(|part| part.method = 12);
    refused(&[manifest(), method], "E-ARCHIVE-METHOD");
    let locked = file("x.lua", b"x").with(|part| part.flags |= 1);
    refused(&[manifest(), locked], "E-ARCHIVE-ENCRYPTED");
}

#[test]
fn an_archive_that_is_cut_off_or_damaged_never_gives_other_files() {
    let whole = archive(&[
        manifest(),
        file("hero.lua", b"return {}"),
        file("art/a.png", &[3; 500]),
    ]);
    let good = read(&whole).expect("a good archive");
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "cut at {end}");
    }
    let mut random = 9_u64;
    for _ in 0..20_000 {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let mut damaged = whole.clone();
        let at = (random >> 8) as usize % damaged.len();
        damaged[at] ^= 1 << (random & 7);
        if let Ok(files) = read(&damaged) {
            for (path, bytes) in &files {
                assert!(
                    good.values().any(|known| known == bytes),
                    "`{path}` at {at}"
                );
            }
        }
    }
    assert!(read(b"").is_err());
    assert!(read(b"PK").is_err());
    assert!(read(&[0; 70_000]).is_err());
}
