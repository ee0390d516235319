//! Reads a character's file back, from its bytes alone and without trusting them.

use super::document::{AnimationJson, ChannelJson, Document, Extras, PrimitiveJson};
use glam::{Mat4, Quat, Vec3};

/// What is wrong with a file that cannot be measured.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Not a binary glTF 2.0 with a JSON and a binary chunk.
    #[error("not a binary glTF 2.0: {0}")]
    Container(&'static str),
    /// The JSON chunk lacks something that every character has.
    #[error("the JSON chunk does not describe a character: {0}")]
    Json(#[from] serde_json::Error),
    /// Something points where nothing is, or does not fit.
    #[error("{pointer}: {problem}")]
    Content {
        /// JSON pointer to the culprit.
        pointer: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

fn fault<T>(pointer: impl Into<String>, problem: &'static str) -> Result<T, Fault> {
    let pointer = pointer.into();
    Err(Fault::Content { pointer, problem })
}

/// A character as read back.
pub struct File {
    pub nodes: Vec<Node>,
    /// Every node after its parent.
    pub order: Vec<usize>,
    /// Nodes of the skin's joints.
    pub joints: Vec<usize>,
    pub inverse_bind: Vec<Mat4>,
    /// Of the default scene only: the finest level of detail.
    pub vertices: Vec<Vertex>,
    pub clips: Vec<Clip>,
    /// Name and triangles of each mesh.
    pub meshes: Vec<(String, usize)>,
    /// Names of the first mesh's morph targets.
    pub morphs: Vec<String>,
}

/// A node at rest.
pub struct Node {
    pub name: String,
    pub parent: Option<usize>,
    pub translation: Vec3,
    pub rotation: Quat,
}

/// A vertex and what it follows; `joints` index `File::joints`.
pub struct Vertex {
    pub position: Vec3,
    pub joints: [usize; 4],
    pub weights: [f32; 4],
}

/// An animation.
pub struct Clip {
    pub name: String,
    pub channels: Vec<Channel>,
    pub extras: Extras,
}

/// Linear keys of one node; as many times as values, at least one.
pub struct Channel {
    pub node: usize,
    pub times: Vec<f32>,
    pub values: Values,
}

/// What a channel moves.
pub enum Values {
    Rotation(Vec<Quat>),
    Translation(Vec<Vec3>),
}

impl File {
    /// Reads a binary glTF.
    pub fn parse(bytes: &[u8]) -> Result<File, Fault> {
        let (json, bin) = chunks(bytes)?;
        let document: Document = serde_json::from_slice(json)?;
        let reader = Reader { document, bin };
        let nodes = reader.nodes()?;
        let (joints, inverse_bind) = reader.skin(nodes.len())?;
        let meshes = &reader.document.meshes;
        Ok(File {
            order: parents_first(&nodes)?,
            vertices: reader.vertices(joints.len())?,
            clips: reader.clips(nodes.len())?,
            meshes: (0..meshes.len())
                .map(|m| Ok((meshes[m].name.clone(), reader.triangles(m)?)))
                .collect::<Result<_, Fault>>()?,
            morphs: meshes
                .first()
                .and_then(|m| m.extras.as_ref())
                .map_or(Vec::new(), |e| e.target_names.clone()),
            nodes,
            joints,
            inverse_bind,
        })
    }
}

/// The JSON and the binary chunk.
fn chunks(bytes: &[u8]) -> Result<(&[u8], &[u8]), Fault> {
    let rest = bytes
        .strip_prefix(b"glTF\x02\0\0\0")
        .and_then(|rest| rest.get(4..))
        .ok_or(Fault::Container("it does not begin as one"))?;
    let (json, rest) = chunk(rest, b"JSON").ok_or(Fault::Container("no JSON chunk"))?;
    let (bin, _) = chunk(rest, b"BIN\0").ok_or(Fault::Container("no binary chunk"))?;
    Ok((json, bin))
}

/// The first chunk, which has to be of the kind, and what follows it.
fn chunk<'a>(bytes: &'a [u8], kind: &[u8; 4]) -> Option<(&'a [u8], &'a [u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.strip_prefix(kind)?
        .split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// An order of the nodes in which parents come first.
fn parents_first(nodes: &[Node]) -> Result<Vec<usize>, Fault> {
    let mut order: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut placed = vec![false; nodes.len()];
    while order.len() < nodes.len() {
        let ready = |&i: &usize| !placed[i] && nodes[i].parent.is_none_or(|p| placed[p]);
        let next: Vec<usize> = (0..nodes.len()).filter(ready).collect();
        if next.is_empty() {
            return fault("/nodes", "some nodes are their own ancestors");
        }
        next.iter().for_each(|&i| placed[i] = true);
        order.extend(next);
    }
    Ok(order)
}

struct Reader<'a> {
    document: Document,
    bin: &'a [u8],
}

impl Reader<'_> {
    fn nodes(&self) -> Result<Vec<Node>, Fault> {
        let json = &self.document.nodes;
        let mut nodes: Vec<Node> = json
            .iter()
            .map(|n| Node {
                name: n.name.clone(),
                parent: None,
                translation: Vec3::from(n.translation),
                rotation: n.rotation.map_or(Quat::IDENTITY, Quat::from_array),
            })
            .collect();
        for (i, n) in json.iter().enumerate() {
            for &child in &n.children {
                match nodes.get_mut(child) {
                    Some(Node { parent, .. }) if parent.is_none() => *parent = Some(i),
                    Some(_) => return fault(format!("/nodes/{child}"), "it has two parents"),
                    None => return fault(format!("/nodes/{i}/children"), "there is no such node"),
                }
            }
        }
        Ok(nodes)
    }

    fn skin(&self, nodes: usize) -> Result<(Vec<usize>, Vec<Mat4>), Fault> {
        let Some(skin) = self.document.skins.first() else {
            return fault("/skins", "there is no skin");
        };
        if skin.joints.iter().any(|&j| j >= nodes) {
            return fault("/skins/0/joints", "there is no such node");
        }
        let matrices = self.accessor(skin.inverse_bind_matrices)?;
        if matrices.len() != 16 * skin.joints.len() {
            return fault("/skins/0/inverseBindMatrices", "there is not one a joint");
        }
        let inverse_bind = matrices.chunks(16).map(Mat4::from_cols_slice).collect();
        Ok((skin.joints.clone(), inverse_bind))
    }

    /// An accessor's numbers; normalised integers become fractions. Sparse parts are not needed here.
    fn accessor(&self, i: usize) -> Result<Vec<f32>, Fault> {
        let pointer = || format!("/accessors/{i}");
        let Some(a) = self.document.accessors.get(i) else {
            return fault(pointer(), "there is no such accessor");
        };
        let view = a
            .buffer_view
            .and_then(|v| self.document.buffer_views.get(v));
        let width = match a.r#type.as_str() {
            "SCALAR" => 1,
            "VEC3" => 3,
            "VEC4" => 4,
            "MAT4" => 16,
            _ => return fault(pointer(), "characters use SCALAR, VEC3, VEC4 and MAT4 only"),
        };
        let size = match a.component_type {
            5121 => 1,
            5122 | 5123 => 2,
            5126 => 4,
            _ => return fault(pointer(), "characters use u8, i16, u16 and f32 only"),
        };
        let bytes = view.and_then(|view| {
            let start = view.byte_offset.checked_add(a.byte_offset)?;
            let length = a.count.checked_mul(width * size)?;
            self.bin.get(start..)?.get(..length)
        });
        let Some(bytes) = bytes else {
            return fault(pointer(), "its data is not in the binary chunk");
        };
        let fraction = |most: f32| if a.normalized { most.recip() } else { 1.0 };
        Ok(match a.component_type {
            5121 => bytes
                .iter()
                .map(|b| f32::from(*b) * fraction(255.0))
                .collect(),
            5122 => words(bytes, |b| {
                (f32::from(i16::from_le_bytes(b)) * fraction(32767.0)).max(-1.0)
            }),
            5123 => words(bytes, |b| {
                f32::from(u16::from_le_bytes(b)) * fraction(65535.0)
            }),
            _ => words(bytes, f32::from_le_bytes),
        })
    }

    fn triangles(&self, mesh: usize) -> Result<usize, Fault> {
        let mut sum = 0;
        for p in &self.document.meshes[mesh].primitives {
            sum += self.accessor(p.indices)?.len() / 3;
        }
        Ok(sum)
    }

    fn vertices(&self, joints: usize) -> Result<Vec<Vertex>, Fault> {
        let d = &self.document;
        let Some(scene) = d.scenes.get(d.scene) else {
            return fault("/scene", "there is no such scene");
        };
        let mut vertices = Vec::new();
        let shown = scene.nodes.iter().filter_map(|&n| d.nodes.get(n)?.mesh);
        for m in shown {
            let Some(mesh) = d.meshes.get(m) else {
                return fault("/meshes", "there is no such mesh");
            };
            for (k, p) in mesh.primitives.iter().enumerate() {
                let Some(read) = self.primitive(p, joints)? else {
                    let pointer = format!("/meshes/{m}/primitives/{k}/attributes");
                    return fault(
                        pointer,
                        "they differ in length or name joints that are not there",
                    );
                };
                vertices.extend(read);
            }
        }
        Ok(vertices)
    }

    fn primitive(&self, p: &PrimitiveJson, joints: usize) -> Result<Option<Vec<Vertex>>, Fault> {
        let a = &p.attributes;
        let position = self.accessor(a.position)?;
        let (follows, weights) = (self.accessor(a.joints)?, self.accessor(a.weights)?);
        let (position, _) = position.as_chunks::<3>();
        let (follows, _) = follows.as_chunks::<4>();
        let (weights, _) = weights.as_chunks::<4>();
        let fits = position.len() == follows.len() && position.len() == weights.len();
        if !fits || follows.iter().flatten().any(|j| *j as usize >= joints) {
            return Ok(None);
        }
        let vertex = |((p, j), w): ((&[f32; 3], &[f32; 4]), &[f32; 4])| Vertex {
            position: Vec3::from(*p),
            joints: j.map(|j| j as usize),
            weights: *w,
        };
        Ok(Some(
            position
                .iter()
                .zip(follows)
                .zip(weights)
                .map(vertex)
                .collect(),
        ))
    }

    fn clips(&self, nodes: usize) -> Result<Vec<Clip>, Fault> {
        let json = &self.document.animations;
        let mut clips = Vec::with_capacity(json.len());
        for (i, animation) in json.iter().enumerate() {
            let mut channels = Vec::with_capacity(animation.channels.len());
            for (k, c) in animation.channels.iter().enumerate() {
                let Some(channel) = self.channel(animation, c, nodes)? else {
                    let pointer = format!("/animations/{i}/channels/{k}");
                    return fault(pointer, "its target or its keys do not fit");
                };
                channels.push(channel);
            }
            clips.push(Clip {
                name: animation.name.clone(),
                channels,
                extras: animation.extras.clone(),
            });
        }
        Ok(clips)
    }

    fn channel(
        &self,
        a: &AnimationJson,
        c: &ChannelJson,
        nodes: usize,
    ) -> Result<Option<Channel>, Fault> {
        let Some(sampler) = a.samplers.get(c.sampler) else {
            return Ok(None);
        };
        let times = self.accessor(sampler.input)?;
        let output = self.accessor(sampler.output)?;
        let values = match c.target.path.as_str() {
            "rotation" => Values::Rotation(
                output
                    .as_chunks::<4>()
                    .0
                    .iter()
                    .map(|q| Quat::from_array(*q).normalize())
                    .collect(),
            ),
            "translation" => Values::Translation(
                output
                    .as_chunks::<3>()
                    .0
                    .iter()
                    .map(|v| Vec3::from(*v))
                    .collect(),
            ),
            _ => return Ok(None),
        };
        let count = match &values {
            Values::Rotation(v) => v.len(),
            Values::Translation(v) => v.len(),
        };
        let rising = times.is_sorted_by(|a, b| a < b);
        let fits = c.target.node < nodes && count == times.len() && count > 0 && rising;
        let node = c.target.node;
        Ok(fits.then_some(Channel {
            node,
            times,
            values,
        }))
    }
}

/// Little-endian words as numbers.
fn words<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f32) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|b| number(*b)).collect()
}
