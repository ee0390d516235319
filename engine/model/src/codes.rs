//! The one table of what an import can say.

/// Whether a code ends the import or remarks on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The file is refused.
    Error,
    /// The file is accepted and something about it is told.
    Warning,
}

/// A row of [`CODES`].
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// Stable name, such as `E-CYCLE`.
    pub code: &'static str,
    /// Refusal or remark.
    pub kind: Kind,
    /// What it means, in one line.
    pub meaning: &'static str,
}

const fn error(code: &'static str, meaning: &'static str) -> Code {
    Code {
        code,
        kind: Kind::Error,
        meaning,
    }
}

const fn warning(code: &'static str, meaning: &'static str) -> Code {
    Code {
        code,
        kind: Kind::Warning,
        meaning,
    }
}

/// Every code, errors first. `docs/import-codes.md` shows this table.
pub const CODES: &[Code] = &[
    error(
        "E-GLB",
        "The binary container is cut off or its lengths contradict each other.",
    ),
    error(
        "E-JSON",
        "The JSON text cannot be read, or a property has the wrong type.",
    ),
    error(
        "E-VERSION",
        "The file asks for another version than glTF 2.0.",
    ),
    error(
        "E-EXTENSION",
        "The file requires an extension that is not supported.",
    ),
    error(
        "E-EXTENSION-DATA",
        "The data of a supported extension is missing or malformed.",
    ),
    error(
        "E-INDEX",
        "An index names something that the file does not have.",
    ),
    error(
        "E-URI",
        "A reference leaves the file's folder, names a scheme, or is not decodable.",
    ),
    error(
        "E-BUFFER",
        "A buffer's bytes are missing or shorter than stated.",
    ),
    error(
        "E-VIEW",
        "A buffer view reaches past its buffer or has an impossible stride.",
    ),
    error(
        "E-ACCESSOR",
        "An accessor reaches past its view, is misaligned or is malformed.",
    ),
    error(
        "E-ACCESSOR-TYPE",
        "An accessor has a type that its use does not allow.",
    ),
    error(
        "E-SPARSE",
        "A sparse accessor's indices are out of range or do not increase.",
    ),
    error(
        "E-TOO-LARGE",
        "Reading the file would need more memory than a file of its size may.",
    ),
    error("E-MESHOPT", "Meshopt-compressed data cannot be decoded."),
    error("E-DRACO", "Draco-compressed data cannot be decoded."),
    error("E-CYCLE", "Nodes are each other's ancestors."),
    error(
        "E-TWO-PARENTS",
        "A node is the child of two nodes, or twice of one.",
    ),
    error(
        "E-SCENE-ROOT",
        "A scene lists a node that has a parent, or lists a node twice.",
    ),
    error(
        "E-TOO-MANY-JOINTS",
        "More joints are used than a model can have.",
    ),
    error(
        "E-TRANSFORM",
        "A node's matrix, translation, rotation or scale is not usable.",
    ),
    error(
        "E-NOT-FINITE",
        "A number that must be finite is infinite or not a number.",
    ),
    error("E-SKIN", "A skin has no joints or too few bind matrices."),
    error(
        "E-ATTRIBUTE-COUNT",
        "A primitive's attributes differ in length.",
    ),
    error(
        "E-WEIGHTS",
        "A primitive has joints without weights or weights without joints.",
    ),
    error(
        "E-JOINT-INDEX",
        "A vertex follows a joint that its skin does not have.",
    ),
    error("E-VERTEX-INDEX", "A triangle names a vertex past the end."),
    error("E-PRIMITIVE-MODE", "A primitive's mode is unknown."),
    error(
        "E-MORPH-COUNT",
        "Morph targets or their default weights differ in number within a mesh.",
    ),
    error(
        "E-TOO-MANY-MORPHS",
        "More morph targets of different names are used than a model can have.",
    ),
    error(
        "E-KEY-TIMES",
        "Key times are missing, negative, not finite or do not increase.",
    ),
    error(
        "E-KEY-VALUES",
        "A track has another number of values than its keys need.",
    ),
    error(
        "E-CHANNEL",
        "An animation channel's path or interpolation is unknown.",
    ),
    error(
        "E-CLIPS-JSON",
        "A clips file is no JSON, or a value in it has the wrong type.",
    ),
    error(
        "E-CLIPS-UNKNOWN-KEY",
        "A clips file has a key that means nothing.",
    ),
    error(
        "E-CLIPS-VERSION",
        "A clips file has a version other than 1.",
    ),
    error(
        "E-CLIPS-UNKNOWN",
        "A clips file names a clip or a joint that the model does not have.",
    ),
    error(
        "E-CLIPS-VALUE",
        "A marker, window or curve of a clips file makes no sense.",
    ),
    warning("W-MORE", "More remarks came up than are listed."),
    warning("W-NAME-CUT", "A name longer than 256 bytes was cut."),
    warning(
        "W-GLB-TRAILING",
        "Bytes after the end of the binary container are ignored.",
    ),
    warning(
        "W-EXTENSION-IGNORED",
        "An optional extension is ignored; the model may look different.",
    ),
    warning(
        "W-TEXTURE-TRANSFORM",
        "KHR_texture_transform is ignored; a texture may be placed differently.",
    ),
    warning(
        "W-POINTER-IGNORED",
        "An animation pointer to something other than a node's transform or weights is ignored.",
    ),
    warning(
        "W-NODE-RENAMED",
        "A node had no name, or one that was taken; its joint was named by its index.",
    ),
    warning(
        "W-CLIP-RENAMED",
        "An animation had no name, or one that was taken; it was named by its index.",
    ),
    warning(
        "W-MORPH-RENAMED",
        "The name of a morph target, or of a mesh with targets, was taken; an index was added.",
    ),
    warning(
        "W-ANCESTORS-FOLDED",
        "Nodes that only carry others were folded into constant matrices to keep within the joint limit.",
    ),
    warning(
        "W-MATRIX-KEPT",
        "A node's matrix is more than translation, rotation and scale; it is kept as a constant map.",
    ),
    warning(
        "W-MATRIX-AND-TRS",
        "A node has a matrix beside translation, rotation or scale; the matrix counts.",
    ),
    warning(
        "W-MATRIX-ANIMATED",
        "A node with a matrix is animated; its matrix was split into translation, rotation and scale.",
    ),
    warning(
        "W-MATRIX-PROJECTIVE",
        "The last row of a matrix is not 0 0 0 1 and is ignored.",
    ),
    warning(
        "W-QUATERNION-NORMALISED",
        "Rotations that are not unit quaternions were normalised.",
    ),
    warning(
        "W-MESH-OUTSIDE-SCENE",
        "A node that draws a mesh is not in the scene that is shown; it is left out.",
    ),
    warning(
        "W-LOD-IGNORED",
        "A level of detail that cannot be used is left out.",
    ),
    warning(
        "W-PRIMITIVE-NO-POSITION",
        "A primitive without positions is left out.",
    ),
    warning(
        "W-PRIMITIVE-NOT-DRAWN",
        "Points or lines are kept and not drawn.",
    ),
    warning(
        "W-TRIANGLE-INCOMPLETE",
        "Vertices at the end that make no whole triangle are not drawn.",
    ),
    warning(
        "W-NORMALS-COMPUTED",
        "A primitive has no usable normals; smooth ones were computed.",
    ),
    warning(
        "W-ATTRIBUTE-IGNORED",
        "A vertex attribute that cannot be used is left out.",
    ),
    warning(
        "W-WEIGHTS-RESCALED",
        "Vertex weights that do not sum to 1 were rescaled.",
    ),
    warning(
        "W-WEIGHTS-NEGATIVE",
        "Negative vertex weights were taken as zero.",
    ),
    warning(
        "W-WEIGHTS-ZERO",
        "Vertices without any weight follow the first joint they name.",
    ),
    warning(
        "W-JOINT-UNUSED",
        "A joint index past the end has weight zero and is ignored.",
    ),
    warning(
        "W-SKIN-NO-WEIGHTS",
        "A primitive of a skinned mesh has no joints and weights; it follows its node.",
    ),
    warning(
        "W-WEIGHTS-NO-SKIN",
        "A primitive has joints and weights and its node has no skin; they are ignored.",
    ),
    warning(
        "W-TARGET-NAMES",
        "The morph target names do not fit the targets and are ignored.",
    ),
    warning(
        "W-WEIGHTS-NO-TARGETS",
        "An animation of morph weights on a node without morph targets is ignored.",
    ),
    warning(
        "W-LOD-WEIGHTS",
        "An animation of morph weights on a level of detail is ignored; it follows the finest mesh.",
    ),
    warning(
        "W-CHANNEL-TWICE",
        "A property is animated twice in one clip; the first channel counts.",
    ),
    warning(
        "W-CHANNEL-NO-TARGET",
        "An animation channel that names no node is ignored.",
    ),
    warning(
        "W-EXTRAS",
        "A clip's extras are malformed and partly ignored.",
    ),
    warning(
        "W-MARK-CLAMPED",
        "A marker or window reaches past the end of its clip and was moved to the end.",
    ),
    warning(
        "W-IMAGE-MISSING",
        "An image file could not be fetched; the material has no texture.",
    ),
    warning(
        "W-IMAGE-UNREADABLE",
        "An image could not be decoded; the material has no texture.",
    ),
    warning(
        "W-TEXCOORD",
        "A texture uses other than the first texture coordinates; the first are used.",
    ),
    warning(
        "W-ALPHA-BLEND",
        "Blended transparency is drawn as a cut-out at half alpha.",
    ),
    warning(
        "W-MATERIAL-VALUE",
        "A material's number is out of range and was clamped.",
    ),
];

/// The row of a code.
pub fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|row| row.code == code)
}

/// The table as Markdown, the text of `docs/import-codes.md`.
pub fn markdown() -> String {
    let mut text = String::from(
        "# What an import can say\n\n\
         Each refusal and each remark of the glTF importer carries one of these codes, the JSON pointer\n\
         of the culprit (empty for the file as a whole) and a message. Codes are stable.\n",
    );
    for (kind, heading) in [
        (Kind::Error, "Errors: the file is refused"),
        (Kind::Warning, "Warnings: the file is accepted"),
    ] {
        text += &format!("\n## {heading}\n\n| code | meaning |\n|---|---|\n");
        for row in CODES.iter().filter(|row| row.kind == kind) {
            text += &format!("| `{}` | {} |\n", row.code, row.meaning);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn codes_are_unique_and_named_after_their_kind() {
        let unique: BTreeSet<_> = CODES.iter().map(|row| row.code).collect();
        assert_eq!(unique.len(), CODES.len());
        for row in CODES {
            let prefix = match row.kind {
                Kind::Error => "E-",
                Kind::Warning => "W-",
            };
            assert!(row.code.starts_with(prefix), "{}", row.code);
            assert!(row.meaning.ends_with('.'), "{}", row.code);
        }
    }

    /// Every string literal of the form `"E-..."` or `"W-..."` in the other source files and folders, tests aside.
    fn codes_in_source() -> BTreeSet<String> {
        let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut found = BTreeSet::new();
        while let Some(path) = open.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(path).expect("source folder");
                open.extend(entries.map(|entry| entry.expect("entry").path()));
                continue;
            }
            let name = path.file_name().expect("a file");
            if name == "codes.rs" || name == "tests.rs" {
                continue;
            }
            let text = fs::read_to_string(path).expect("source file");
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            found.extend(
                code.split('"')
                    .filter(|part| part.starts_with("E-") || part.starts_with("W-"))
                    .map(str::to_owned),
            );
        }
        found
    }

    #[test]
    fn every_code_is_used_and_every_used_code_is_in_the_table() {
        let table: BTreeSet<String> = CODES.iter().map(|row| row.code.to_owned()).collect();
        let used = codes_in_source();
        let unused: Vec<_> = table.difference(&used).collect();
        let unknown: Vec<_> = used.difference(&table).collect();
        assert!(unused.is_empty(), "in the table only: {unused:?}");
        assert!(unknown.is_empty(), "in the source only: {unknown:?}");
    }

    #[test]
    fn the_page_shows_the_table() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/import-codes.md");
        if std::env::var_os("SINEW_UPDATE").is_some() {
            fs::write(&path, markdown()).expect("docs folder is writable");
        }
        let page = fs::read_to_string(&path).expect("docs/import-codes.md");
        assert_eq!(
            page,
            markdown(),
            "docs/import-codes.md is out of date; SINEW_UPDATE=1 cargo test -p sinew-model writes it"
        );
    }
}
