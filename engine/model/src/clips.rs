//! Animations as clips: channels become tracks of joints and morph channels.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use bytemuck::cast_slice;
use glam::{Quat, Vec3};
use sinew_anim::{Clip, Interpolation, JointTracks, MorphTrack, Track};

use crate::{
    accessor::Reader,
    channels::{self, Property, Target},
    document::{Animation, Document, Sampler},
    element::{Numbers, Shape},
    error::{ImportError, Result, Warnings},
    extras,
    names::{self, Names},
    rotations::{self, NoRotation},
};

/// The morph channels that an animation of a node's weights drives.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeMorphs {
    /// Neighbouring channels.
    pub(crate) range: Range<usize>,
    /// They belong to a finer mesh, which drives them.
    pub(crate) shared: bool,
}

/// Reads every animation; `joint_of_node` holds all animated nodes, `morphs_of_node` the morph channels of those that
/// draw a mesh.
pub(crate) fn read(
    document: &Document,
    joint_of_node: &[Option<u16>],
    morphs_of_node: &[NodeMorphs],
    reader: &mut Reader,
    warnings: &mut Warnings,
) -> Result<Vec<Clip>> {
    let mut names = Names::default();
    let mut clips = Vec::with_capacity(document.animations.len());
    for (index, animation) in document.animations.iter().enumerate() {
        let mut builder = Builder {
            document,
            animation,
            pointer: format!("/animations/{index}"),
            joint_of_node,
            morphs_of_node,
            reader,
            warnings,
        };
        let mut clip = builder.build()?;
        clip.name = clip_name(animation, index, &mut names, warnings);
        extras::read(
            animation,
            &mut clip,
            &format!("/animations/{index}/extras"),
            warnings,
        );
        clips.push(clip);
    }
    Ok(clips)
}

fn clip_name(
    animation: &Animation,
    index: usize,
    taken: &mut Names,
    warnings: &mut Warnings,
) -> String {
    let pointer = format!("/animations/{index}");
    let own = names::own(animation.name.as_deref(), &pointer, warnings);
    let wanted = own.map_or_else(|| format!("clip_{index}"), str::to_owned);
    let (name, renamed) = taken.claim(&wanted, index);
    if renamed || own.is_none() {
        let reason = if own.is_none() {
            "no name"
        } else {
            "a name that is taken"
        };
        warnings.add(
            "W-CLIP-RENAMED",
            pointer,
            format!("the animation has {reason}; its clip is `{name}`"),
        );
    }
    name
}

/// One animation on its way to a clip.
struct Builder<'a, 'r, 'w> {
    document: &'a Document,
    animation: &'a Animation,
    pointer: String,
    joint_of_node: &'a [Option<u16>],
    morphs_of_node: &'a [NodeMorphs],
    reader: &'w mut Reader<'r>,
    warnings: &'w mut Warnings,
}

impl Builder<'_, '_, '_> {
    fn build(&mut self) -> Result<Clip> {
        let mut joints: BTreeMap<u16, JointTracks> = BTreeMap::new();
        let mut morphs: BTreeMap<u16, MorphTrack> = BTreeMap::new();
        let mut driven = BTreeSet::new();
        let mut duration: f32 = 0.0;
        for (index, channel) in self.animation.channels.iter().enumerate() {
            let pointer = format!("{}/channels/{index}", self.pointer);
            let times = self.times(channel.sampler)?;
            duration = duration.max(times.last().copied().unwrap_or_default());
            let target = channels::target(channel, &pointer, self.document, self.warnings)?;
            let Some(target) = target else {
                continue;
            };
            if !driven.insert(target) {
                self.warnings.add(
                    "W-CHANNEL-TWICE",
                    pointer,
                    "an earlier channel of this animation drives the same property",
                );
                continue;
            }
            match target.property {
                Property::Weights | Property::Weight(_) => {
                    if let Some(track) =
                        self.morph_track(target, channel.sampler, times, &pointer)?
                    {
                        add_morphs(&mut morphs, track, &pointer, self.warnings);
                    }
                }
                _ => self.joint_track(target, channel.sampler, times, &mut joints, &pointer)?,
            }
        }
        Ok(Clip {
            duration,
            joints: joints.into_values().collect(),
            morphs: morphs.into_values().collect(),
            ..Clip::default()
        })
    }

    fn sampler_pointer(&self, sampler: usize) -> String {
        format!("{}/samplers/{sampler}", self.pointer)
    }

    /// Key times: at least one, from 0 on, finite, increasing.
    fn times(&mut self, sampler: usize) -> Result<Vec<f32>> {
        let owner = format!("{}/input", self.sampler_pointer(sampler));
        let input = self.animation.samplers[sampler].input;
        let refuse = |message: String| ImportError::new("E-KEY-TIMES", owner.clone(), message);
        let times = match self
            .reader
            .floats(input, &owner, Shape::Scalar, Numbers::Float)
        {
            Err(error) if error.code == "E-NOT-FINITE" => return Err(refuse(error.message)),
            other => other?,
        };
        let first = times
            .first()
            .ok_or_else(|| refuse("there are no keys".to_owned()))?;
        if *first < 0.0 {
            return Err(refuse(format!("the first key is at {first} s, before 0")));
        }
        match times.windows(2).position(|pair| pair[0] >= pair[1]) {
            None => Ok(times),
            Some(key) => Err(refuse(format!(
                "key {} at {} s does not come after key {key} at {} s",
                key + 1,
                times[key + 1],
                times[key]
            ))),
        }
    }

    fn interpolation(&mut self, sampler: usize) -> Result<Interpolation> {
        let Sampler { interpolation, .. } = &self.animation.samplers[sampler];
        match interpolation.as_deref() {
            None | Some("LINEAR") => Ok(Interpolation::Linear),
            Some("STEP") => Ok(Interpolation::Step),
            Some("CUBICSPLINE") => Ok(Interpolation::Cubic),
            Some(other) => Err(ImportError::new(
                "E-CHANNEL",
                format!("{}/interpolation", self.sampler_pointer(sampler)),
                format!("unknown interpolation `{other}`, expected LINEAR, STEP or CUBICSPLINE"),
            )),
        }
    }

    /// The numbers of a sampler's output: `per_key` elements a key, three times as many for cubic splines.
    fn values(
        &mut self,
        sampler: usize,
        keys: usize,
        per_key: usize,
        shape: Shape,
        numbers: Numbers,
    ) -> Result<(Interpolation, Vec<f32>)> {
        let interpolation = self.interpolation(sampler)?;
        let parts = if interpolation == Interpolation::Cubic {
            3
        } else {
            1
        };
        let owner = format!("{}/output", self.sampler_pointer(sampler));
        let output = self.animation.samplers[sampler].output;
        let layout = self.reader.expect(output, &owner, shape, numbers)?;
        let expected = (keys * parts * per_key) as u64;
        if layout.count != expected {
            return Err(ImportError::new(
                "E-KEY-VALUES",
                owner,
                format!("{} values, {keys} keys need {expected}", layout.count),
            ));
        }
        let values = self.reader.floats(output, &owner, shape, numbers)?;
        Ok((interpolation, values))
    }

    fn joint_track(
        &mut self,
        target: Target,
        sampler: usize,
        times: Vec<f32>,
        joints: &mut BTreeMap<u16, JointTracks>,
        pointer: &str,
    ) -> Result<()> {
        let Some(joint) = self.joint_of_node[target.node] else {
            return Ok(());
        };
        if self.document.nodes[target.node].matrix.is_some() {
            let message = "the node's matrix was split into translation, rotation and scale";
            self.warnings.add("W-MATRIX-ANIMATED", pointer, message);
        }
        let tracks = joints.entry(joint).or_insert_with(|| JointTracks {
            joint,
            ..JointTracks::default()
        });
        let keys = times.len();
        if target.property == Property::Rotation {
            tracks.rotation = Some(self.rotation_track(sampler, times)?);
            return Ok(());
        }
        let (interpolation, values) = self.values(sampler, keys, 1, Shape::Vec3, Numbers::Any)?;
        let values: Vec<Vec3> = cast_slice(&values).to_vec();
        let track = Some(Track {
            interpolation,
            times,
            values,
        });
        match target.property {
            Property::Translation => tracks.translation = track,
            _ => tracks.scale = track,
        }
        Ok(())
    }

    fn rotation_track(&mut self, sampler: usize, times: Vec<f32>) -> Result<Track<Quat>> {
        let keys = times.len();
        let (interpolation, values) =
            self.values(sampler, keys, 1, Shape::Vec4, Numbers::Fraction)?;
        let output = self.animation.samplers[sampler].output;
        // Four rounded components of a unit quaternion move its length by at most twice the rounding of one.
        let rounding = 2.0 * self.reader.layout(output)?.component.rounding();
        let pointer = format!("{}/output", self.sampler_pointer(sampler));
        let values = cast_slice(&values).to_vec();
        let (track, repaired) = rotations::unit_track(interpolation, times, values, rounding)
            .map_err(|NoRotation { key, length }| {
                let message =
                    format!("key {key} is a quaternion of length {length}, which is no rotation");
                ImportError::new("E-KEY-VALUES", pointer.clone(), message)
            })?;
        let added = (track.times.len() - keys) as u64;
        self.reader.budget.take(added, 20, &pointer)?;
        if repaired > 0 {
            self.warnings.add(
                "W-QUATERNION-NORMALISED",
                pointer,
                format!("{repaired} of {keys} rotation keys were not unit quaternions; they were normalised"),
            );
        }
        Ok(track)
    }

    fn morph_track(
        &mut self,
        target: Target,
        sampler: usize,
        times: Vec<f32>,
        pointer: &str,
    ) -> Result<Option<MorphTrack>> {
        let NodeMorphs { range: all, shared } = self.morphs_of_node[target.node].clone();
        if shared {
            let message = format!(
                "node {} is a level of detail; its weights follow those of the finest mesh",
                target.node
            );
            self.warnings.add("W-LOD-WEIGHTS", pointer, message);
            return Ok(None);
        }
        let range = match target.property {
            Property::Weight(one) => {
                let begin = all.start.saturating_add(one).min(all.end);
                begin..begin.saturating_add(1).min(all.end)
            }
            _ => all,
        };
        if range.is_empty() {
            let message = format!("node {} has no such morph targets", target.node);
            self.warnings.add("W-WEIGHTS-NO-TARGETS", pointer, message);
            return Ok(None);
        }
        let (interpolation, values) = self.values(
            sampler,
            times.len(),
            range.len(),
            Shape::Scalar,
            Numbers::Fraction,
        )?;
        Ok(Some(MorphTrack {
            first: range.start as u16,
            count: range.len() as u16,
            track: Track {
                interpolation,
                times,
                values,
            },
        }))
    }
}

/// Adds a track unless one of its channels is driven already.
fn add_morphs(
    morphs: &mut BTreeMap<u16, MorphTrack>,
    track: MorphTrack,
    pointer: &str,
    warnings: &mut Warnings,
) {
    let end = track.first.saturating_add(track.count);
    let before = morphs.range(..end).next_back();
    if before.is_some_and(|(_, other)| other.first.saturating_add(other.count) > track.first) {
        warnings.add(
            "W-CHANNEL-TWICE",
            pointer,
            "an earlier channel of this animation drives the same morph weights",
        );
        return;
    }
    morphs.insert(track.first, track);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Model,
        testing::{codes, floats, import_parts},
    };

    /// One animation over times 0, 1 (accessor 0) and `values` as `shape` (accessor 1), on a node with two targets.
    fn check(channels: &str, sampler: &str, values: &[f32], shape: &str) -> Result<Model> {
        let components = match shape {
            "VEC3" => 3,
            "VEC4" => 4,
            _ => 1,
        };
        let mut buffer = floats(&[0.0, 1.0]);
        buffer.extend(floats(values));
        let body = format!(
            r#""nodes":[{{"mesh":0,"name":"n"}}],
               "meshes":[{{"name":"m","primitives":[{{"attributes":{{"POSITION":2}},"targets":[{{}},{{}}],"mode":0}}]}}],
               "bufferViews":[{{"buffer":0,"byteLength":8}},{{"buffer":0,"byteOffset":8,"byteLength":{}}}],
               "accessors":[{{"bufferView":0,"componentType":5126,"count":2,"type":"SCALAR"}},
                 {{"bufferView":1,"componentType":5126,"count":{},"type":"{shape}"}},
                 {{"componentType":5126,"count":1,"type":"VEC3"}}],
               "animations":[{{"name":"a","channels":[{channels}],"samplers":[{{"input":0,"output":1{sampler}}}]}}]"#,
            values.len() * 4,
            values.len() / components
        );
        import_parts(&body, &buffer)
    }

    fn channel(path: &str) -> String {
        format!(r#"{{"sampler":0,"target":{{"node":0,"path":"{path}"}}}}"#)
    }

    fn pointer(path: &str) -> String {
        format!(
            r#"{{"sampler":0,"target":{{"path":"pointer","extensions":{{"KHR_animation_pointer":{{"pointer":"{path}"}}}}}}}}"#
        )
    }

    #[test]
    fn every_kind_of_track_is_read() {
        let cubic = r#","interpolation":"CUBICSPLINE""#;
        let model = check(&channel("translation"), cubic, &[1.0; 18], "VEC3").expect("cubic");
        let track = model.clips[0].joints[0]
            .translation
            .as_ref()
            .expect("a track");
        assert_eq!(
            (track.interpolation, track.values.len()),
            (Interpolation::Cubic, 6)
        );
        assert_eq!(model.clips[0].duration, 1.0);

        let step = r#","interpolation":"STEP""#;
        let model =
            check(&channel("weights"), step, &[1.0, 2.0, 3.0, 4.0], "SCALAR").expect("weights");
        let track = &model.clips[0].morphs[0];
        assert_eq!(
            (track.first, track.count, track.track.values.len()),
            (0, 2, 4)
        );

        let model =
            check(&pointer("/nodes/0/weights/1"), "", &[1.0, 2.0], "SCALAR").expect("one weight");
        let track = &model.clips[0].morphs[0];
        assert_eq!((track.first, track.count), (1, 1));
    }

    #[test]
    fn values_that_do_not_fit_their_keys_are_refused() {
        let cubic = r#","interpolation":"CUBICSPLINE""#;
        let cases: [(&str, &str, &[f32], &str, &str); 5] = [
            ("scale", cubic, &[1.0; 6], "VEC3", "E-KEY-VALUES"),
            ("weights", "", &[1.0; 2], "SCALAR", "E-KEY-VALUES"),
            ("rotation", "", &[0.0; 8], "VEC4", "E-KEY-VALUES"),
            ("rotation", "", &[0.0; 6], "VEC3", "E-ACCESSOR-TYPE"),
            (
                "scale",
                r#","interpolation":"QUADRATIC""#,
                &[1.0; 6],
                "VEC3",
                "E-CHANNEL",
            ),
        ];
        for (path, sampler, values, shape, code) in cases {
            let error = check(&channel(path), sampler, values, shape).expect_err(path);
            assert_eq!(error.code, code, "{path}");
            assert!(
                error.pointer.starts_with("/animations/0/samplers/0/"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_property_that_is_driven_twice_follows_the_first_channel() {
        let twice = [channel("scale"), pointer("/nodes/0/scale")].join(",");
        let model = check(&twice, "", &[1.0; 6], "VEC3").expect("scale");
        assert!(codes(&model).contains(&"W-CHANNEL-TWICE"));
        let overlap = [pointer("/nodes/0/weights/1"), pointer("/nodes/0/weights/1")].join(",");
        let model = check(&overlap, "", &[1.0; 2], "SCALAR").expect("weights");
        assert!(codes(&model).contains(&"W-CHANNEL-TWICE"));
        assert_eq!(model.clips[0].morphs.len(), 1);
    }

    #[test]
    fn tracks_of_all_weights_and_of_one_do_not_overlap() {
        let mut morphs = BTreeMap::new();
        let mut warnings = Warnings::default();
        for (first, count, kept) in [(4, 2, 1), (5, 1, 1), (3, 1, 2), (2, 3, 2), (6, 1, 3)] {
            let track = MorphTrack {
                first,
                count,
                track: Track::default(),
            };
            add_morphs(&mut morphs, track, "/c", &mut warnings);
            assert_eq!(morphs.len(), kept, "{first}");
        }
    }
}
