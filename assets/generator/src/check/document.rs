//! The JSON of a character's file, as far as it is measured.

use glam::Vec3;
use serde::Deserialize;

/// The part of glTF's JSON that characters use.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    pub scene: usize,
    pub scenes: Vec<SceneJson>,
    pub nodes: Vec<NodeJson>,
    pub skins: Vec<SkinJson>,
    pub meshes: Vec<MeshJson>,
    pub accessors: Vec<AccessorJson>,
    pub buffer_views: Vec<ViewJson>,
    pub animations: Vec<AnimationJson>,
}

#[derive(Deserialize)]
pub struct SceneJson {
    pub nodes: Vec<usize>,
}

#[derive(Deserialize)]
pub struct NodeJson {
    pub name: String,
    #[serde(default)]
    pub children: Vec<usize>,
    #[serde(default)]
    pub translation: [f32; 3],
    pub rotation: Option<[f32; 4]>,
    pub mesh: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SkinJson {
    pub joints: Vec<usize>,
    pub inverse_bind_matrices: usize,
}

#[derive(Deserialize)]
pub struct MeshJson {
    pub name: String,
    pub primitives: Vec<PrimitiveJson>,
    pub extras: Option<MeshExtras>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MeshExtras {
    pub target_names: Vec<String>,
}

#[derive(Deserialize)]
pub struct PrimitiveJson {
    pub attributes: AttributesJson,
    pub indices: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct AttributesJson {
    pub position: usize,
    #[serde(rename = "JOINTS_0")]
    pub joints: usize,
    #[serde(rename = "WEIGHTS_0")]
    pub weights: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessorJson {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    pub r#type: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewJson {
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Deserialize)]
pub struct AnimationJson {
    pub name: String,
    pub channels: Vec<ChannelJson>,
    pub samplers: Vec<SamplerJson>,
    pub extras: Extras,
}

#[derive(Deserialize)]
pub struct ChannelJson {
    pub sampler: usize,
    pub target: TargetJson,
}

#[derive(Deserialize)]
pub struct TargetJson {
    pub node: usize,
    pub path: String,
}

#[derive(Deserialize)]
pub struct SamplerJson {
    pub input: usize,
    pub output: usize,
}

/// What a clip says about itself, as the importer reads it.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Extras {
    pub seconds: f32,
    #[serde(rename = "loop")]
    pub looping: bool,
    #[serde(default)]
    pub events: Vec<Event>,
    #[serde(default)]
    pub windows: Vec<Window>,
    #[serde(default)]
    pub curves: Vec<Curve>,
    pub root_motion: Option<RootMotion>,
    pub layer: Option<String>,
    pub additive_to: Option<String>,
}

/// A marker; seconds.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    pub time: f32,
    pub name: String,
    pub value: f32,
}

/// A span; seconds.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    pub name: String,
    pub begin: f32,
    pub end: f32,
}

/// `[seconds, value]` pairs.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Curve {
    pub name: String,
    pub keys: Vec<[f32; 2]>,
}

/// Where the clip takes the character; metres, degrees, metres a second.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootMotion {
    pub joint: String,
    pub travel: Vec3,
    pub turn_degrees: f32,
    pub speed: f32,
}
