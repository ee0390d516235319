//! The JSON of a glTF file as it stands: types only, nothing is checked against anything yet.
//!
//! Property names and meanings are those of the glTF 2.0 specification, chapter 5. Only what the
//! import uses is here; extensions and extras stay JSON until someone asks for one.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, SeqAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::error::{ImportError, Result};

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document {
    pub(crate) asset: Asset,
    #[serde(default)]
    pub(crate) extensions_used: Vec<String>,
    #[serde(default)]
    pub(crate) extensions_required: Vec<String>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
    pub(crate) scene: Option<usize>,
    #[serde(default)]
    pub(crate) scenes: Vec<Scene>,
    #[serde(default, deserialize_with = "entries")]
    pub(crate) nodes: Vec<Node>,
    #[serde(default)]
    pub(crate) meshes: Vec<Mesh>,
    #[serde(default)]
    pub(crate) skins: Vec<Skin>,
    #[serde(default)]
    pub(crate) animations: Vec<Animation>,
    #[serde(default, deserialize_with = "entries")]
    pub(crate) materials: Vec<Material>,
    #[serde(default)]
    pub(crate) textures: Vec<Texture>,
    #[serde(default)]
    pub(crate) images: Vec<Image>,
    #[serde(default)]
    pub(crate) buffers: Vec<Buffer>,
    #[serde(default)]
    pub(crate) buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub(crate) accessors: Vec<Accessor>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Asset {
    pub(crate) version: String,
    pub(crate) min_version: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Scene {
    #[serde(default)]
    pub(crate) nodes: Vec<usize>,
}

#[derive(Default, Deserialize)]
pub(crate) struct Node {
    pub(crate) name: Option<String>,
    #[serde(default)]
    pub(crate) children: Vec<usize>,
    pub(crate) mesh: Option<usize>,
    pub(crate) skin: Option<usize>,
    pub(crate) matrix: Option<[f64; 16]>,
    pub(crate) translation: Option<[f64; 3]>,
    pub(crate) rotation: Option<[f64; 4]>,
    pub(crate) scale: Option<[f64; 3]>,
    pub(crate) weights: Option<Vec<f32>>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
pub(crate) struct Mesh {
    pub(crate) name: Option<String>,
    pub(crate) primitives: Vec<Primitive>,
    pub(crate) weights: Option<Vec<f32>>,
    pub(crate) extras: Option<Value>,
}

#[derive(Deserialize)]
pub(crate) struct Primitive {
    pub(crate) attributes: BTreeMap<String, usize>,
    pub(crate) indices: Option<usize>,
    pub(crate) material: Option<usize>,
    pub(crate) mode: Option<u32>,
    #[serde(default)]
    pub(crate) targets: Vec<BTreeMap<String, usize>>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Skin {
    pub(crate) joints: Vec<usize>,
    pub(crate) inverse_bind_matrices: Option<usize>,
    pub(crate) skeleton: Option<usize>,
}

#[derive(Deserialize)]
pub(crate) struct Animation {
    pub(crate) name: Option<String>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) samplers: Vec<Sampler>,
    pub(crate) extras: Option<Value>,
}

#[derive(Deserialize)]
pub(crate) struct Channel {
    pub(crate) sampler: usize,
    pub(crate) target: ChannelTarget,
}

#[derive(Deserialize)]
pub(crate) struct ChannelTarget {
    pub(crate) node: Option<usize>,
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
pub(crate) struct Sampler {
    pub(crate) input: usize,
    pub(crate) output: usize,
    pub(crate) interpolation: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Material {
    pub(crate) name: Option<String>,
    pub(crate) pbr_metallic_roughness: Option<Pbr>,
    pub(crate) alpha_mode: Option<String>,
    pub(crate) alpha_cutoff: Option<f32>,
    pub(crate) double_sided: Option<bool>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pbr {
    pub(crate) base_color_factor: Option<[f32; 4]>,
    pub(crate) base_color_texture: Option<TextureInfo>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TextureInfo {
    pub(crate) index: usize,
    pub(crate) tex_coord: Option<u32>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
pub(crate) struct Texture {
    pub(crate) source: Option<usize>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Image {
    pub(crate) uri: Option<String>,
    pub(crate) buffer_view: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Buffer {
    pub(crate) uri: Option<String>,
    pub(crate) byte_length: u64,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BufferView {
    pub(crate) buffer: usize,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
    pub(crate) byte_stride: Option<u64>,
    #[serde(default)]
    pub(crate) extensions: Extensions,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Accessor {
    pub(crate) buffer_view: Option<usize>,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) component_type: u32,
    #[serde(default)]
    pub(crate) normalized: bool,
    pub(crate) count: u64,
    #[serde(rename = "type")]
    pub(crate) shape: String,
    pub(crate) sparse: Option<Sparse>,
}

#[derive(Deserialize)]
pub(crate) struct Sparse {
    pub(crate) count: u64,
    pub(crate) indices: SparseIndices,
    pub(crate) values: SparseValues,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseIndices {
    pub(crate) buffer_view: usize,
    #[serde(default)]
    pub(crate) byte_offset: u64,
    pub(crate) component_type: u32,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SparseValues {
    pub(crate) buffer_view: usize,
    #[serde(default)]
    pub(crate) byte_offset: u64,
}

/// The `extensions` of one object, by name.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(crate) struct Extensions(Map<String, Value>);

impl Extensions {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The data of one extension; `owner` is the pointer of the object that has it.
    pub(crate) fn get<T: DeserializeOwned>(&self, name: &str, owner: &str) -> Result<Option<T>> {
        self.0
            .get(name)
            .map(|value| {
                let pointer = format!("{owner}/extensions/{name}");
                serde_path_to_error::deserialize(value).map_err(|error| {
                    ImportError::new(
                        "E-EXTENSION-DATA",
                        pointer + &pointer_of(error.path()),
                        error.inner().to_string(),
                    )
                })
            })
            .transpose()
    }
}

/// The most nodes or materials of a file. As JSON an entry can be three bytes, in memory it is a hundred times that.
const MAX_ENTRIES: usize = 1 << 18;

/// A list whose entries may all be empty objects, up to [`MAX_ENTRIES`].
fn entries<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> std::result::Result<Vec<T>, D::Error> {
    struct Entries<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
        type Value = Vec<T>;

        fn expecting(&self, out: &mut fmt::Formatter) -> fmt::Result {
            write!(out, "a list of at most {MAX_ENTRIES} entries")
        }

        fn visit_seq<A: SeqAccess<'de>>(
            self,
            mut list: A,
        ) -> std::result::Result<Vec<T>, A::Error> {
            let mut entries = Vec::new();
            while let Some(entry) = list.next_element()? {
                if entries.len() >= MAX_ENTRIES {
                    return Err(A::Error::invalid_length(MAX_ENTRIES + 1, &self));
                }
                entries.push(entry);
            }
            Ok(entries)
        }
    }
    deserializer.deserialize_seq(Entries(PhantomData))
}

/// Reads the JSON text; the error points at the property that cannot be read.
pub(crate) fn parse(json: &[u8]) -> Result<Document> {
    let first = json.iter().find(|byte| !byte.is_ascii_whitespace());
    if first != Some(&b'{') {
        return Err(ImportError::new(
            "E-JSON",
            "",
            "the file is neither a binary glTF container nor a JSON object",
        ));
    }
    let mut reader = serde_json::Deserializer::from_slice(json);
    let document = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        ImportError::new(
            "E-JSON",
            pointer_of(error.path()),
            error.inner().to_string(),
        )
    })?;
    reader
        .end()
        .map_err(|error| ImportError::new("E-JSON", "", error.to_string()))?;
    Ok(document)
}

fn pointer_of(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => pointer += &format!("/{index}"),
            Segment::Map { key } => pointer += &format!("/{}", escape(key)),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    pointer
}

/// A property name as a part of a JSON pointer.
pub(crate) fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_type_is_reported_at_its_pointer() {
        let cases = [
            (
                r#"{"asset":{"version":"2.0"},"nodes":[{},{"children":[0,-1]}]}"#,
                "/nodes/1/children/1",
            ),
            (
                r#"{"asset":{"version":"2.0"},"nodes":[{"scale":[1,"x",1]}]}"#,
                "/nodes/0/scale/1",
            ),
            (r#"{"asset":{"version":2}}"#, "/asset/version"),
            ("[]", ""),
            ("null", ""),
            (r#"{"asset":{"version":"2.0"}} x"#, ""),
        ];
        for (json, pointer) in cases {
            let error = parse(json.as_bytes()).err().expect(json);
            assert_eq!(
                (error.code, error.pointer.as_str()),
                ("E-JSON", pointer),
                "{json}"
            );
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let json = format!(
            r#"{{"asset":{{"version":"2.0","extras":{}}}"#,
            "[".repeat(100_000)
        );
        assert_eq!(
            parse(json.as_bytes()).err().expect("too deep").code,
            "E-JSON"
        );
    }

    #[test]
    fn floods_of_empty_entries_are_refused() {
        let flood = "{},".repeat(MAX_ENTRIES) + "{}";
        for name in ["nodes", "materials"] {
            let json = format!(r#"{{"asset":{{"version":"2.0"}},"{name}":[{flood}]}}"#);
            let error = parse(json.as_bytes()).err().expect("too many");
            assert_eq!(error.code, "E-JSON");
            assert!(error.pointer.starts_with(&format!("/{name}")), "{error}");
        }
    }
}
