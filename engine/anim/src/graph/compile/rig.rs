//! What of the skeleton a graph names: the root, chains and the joints that look.

use std::collections::BTreeSet;

use glam::Vec3;

use super::Compiler;
use super::report::{Report, at_least};
use crate::graph::compiled::{Chain, GraphClip, LookAtRig, RootRig};
use crate::graph::def::{ChainDef, ChainKindDef, RootAxesDef, RootAxesWord, RootAxisDef};
use crate::graph::error::pointer;
use crate::{RootAxes, RootTrack};

/// Degrees, where nothing else is said.
const DEFAULT_MAX_YAW: f32 = 90.0;
const DEFAULT_MAX_PITCH: f32 = 60.0;

impl Compiler<'_> {
    /// The joint of root motion, as given or as the clips that are used agree; how far clips travel; and what
    /// could not do without.
    pub(super) fn root(&mut self) {
        let joint = match &self.def.root {
            Some(root) => self.joint(&root.joint, "/root/joint"),
            None => {
                let clips = self.graph.clips.iter();
                let named: BTreeSet<&str> = clips
                    .filter_map(|clip| clip.clip.root_joint.as_deref())
                    .collect();
                let only = named.first().filter(|_| named.len() == 1);
                only.and_then(|name| self.skeleton.find(name))
            }
        };
        let Some(joint) = joint else {
            let asked = std::mem::take(&mut self.needs_root);
            // A joint that is not there is told already.
            for error in asked.into_iter().filter(|_| self.def.root.is_none()) {
                self.report.push_placed(error);
            }
            return;
        };
        if self.budget.spent {
            return;
        }
        let axes = self.def.root.as_ref().and_then(|root| root.axes.as_ref());
        let axes = axes.map_or(RootAxes::default(), axes_of);
        let mut tracks = Vec::with_capacity(self.graph.clips.len());
        for graph_clip in &mut self.graph.clips {
            let GraphClip {
                clip,
                start,
                duration,
                stride,
                ..
            } = graph_clip;
            let track = RootTrack::new(self.skeleton, clip, joint, axes, *start, *duration);
            *stride = track.cycle().translation().length();
            tracks.push(track);
        }
        self.graph.root = Some(RootRig { joint, tracks });
        self.leaf_strides();
    }

    pub(super) fn chains(&mut self) {
        for (name, chain) in &self.def.chains {
            let place = pointer("/chains", name);
            if let Some(chain) = self.chain(name, chain, &place) {
                self.graph.chains.push(chain);
            }
        }
    }

    fn chain(&mut self, name: &str, def: &ChainDef, place: &str) -> Option<Chain> {
        if !matches!(def.kind, None | Some(ChainKindDef::TwoBone)) {
            let help = "write kind = \"two_bone\"";
            self.report
                .not_supported(pointer(place, "kind"), "this kind of chain", help);
            return None;
        }
        if def.limits.is_some() {
            self.report
                .not_supported(pointer(place, "limits"), "limits of joints", "");
        }
        let removed = [("remove", def.remove.is_some())];
        self.no_effect(place, &removed, "belongs to patches");
        let joints = self.chain_joints(def, place);
        let pole_dir = def
            .pole_dir
            .and_then(|dir| direction(&mut self.report, dir, &pointer(place, "pole_dir")));
        let soft = self
            .report
            .number(pointer(place, "soft"), def.soft, 1.0, 0.0..=1.0);
        if soft <= 0.0 {
            let message = "is 0, but must be above 0; 1 is off";
            self.report
                .error("E-GRAPH-RANGE", pointer(place, "soft"), message);
        }
        Some(Chain {
            name: name.to_owned(),
            joints: joints?,
            pole_dir,
            soft,
        })
    }

    fn chain_joints(&mut self, def: &ChainDef, place: &str) -> Option<Vec<u16>> {
        let joints = match (&def.joints, &def.from, &def.to) {
            (Some(names), None, None) => {
                let place = pointer(place, "joints");
                let joints = self.joints_in_order(names, &place)?;
                (joints, place)
            }
            (None, Some(from), Some(to)) => {
                let from = self.joint(from, &pointer(place, "from"));
                let to = self.joint(to, &pointer(place, "to"));
                (self.way(from?, to?, place)?, place.to_owned())
            }
            _ => {
                let message = "a chain has either `joints` or both `from` and `to`";
                self.report.error("E-GRAPH-CHAIN", place, message);
                return None;
            }
        };
        let (joints, place) = joints;
        if joints.len() != 3 {
            let message = format!("a two_bone chain has 3 joints, not {}", joints.len());
            let help = "name hip, knee and foot, or shoulder, elbow and hand";
            self.report
                .error_with_help("E-GRAPH-CHAIN", place, message, help);
            return None;
        }
        Some(joints)
    }

    /// The joints from one down to another.
    fn way(&mut self, from: u16, to: u16, place: &str) -> Option<Vec<u16>> {
        let up = std::iter::successors(Some(to), |&joint| self.skeleton.parent(joint));
        let mut way: Vec<u16> = up.take_while(|&joint| joint >= from).collect();
        way.reverse();
        if way.first() != Some(&from) {
            let names = &self.skeleton.names;
            let (from, to) = (&names[usize::from(from)], &names[usize::from(to)]);
            let message = format!("`{to}` is not below `{from}`");
            self.report.error("E-GRAPH-CHAIN", place, message);
            return None;
        }
        Some(way)
    }

    /// Joints by name, each below the one before.
    fn joints_in_order(&mut self, names: &[String], place: &str) -> Option<Vec<u16>> {
        let found: Vec<Option<u16>> = names
            .iter()
            .enumerate()
            .map(|(index, name)| self.joint(name, &pointer(place, index)))
            .collect();
        let joints: Vec<u16> = found.into_iter().collect::<Option<_>>()?;
        for (index, pair) in joints.windows(2).enumerate() {
            if pair[0] == pair[1] || !self.skeleton.is_under(pair[1], pair[0]) {
                let message = format!("`{}` is not below `{}`", names[index + 1], names[index]);
                self.report
                    .error("E-GRAPH-CHAIN", pointer(place, index + 1), message);
                return None;
            }
        }
        Some(joints)
    }

    pub(super) fn look_at(&mut self) {
        let Some(def) = &self.def.look_at else {
            return;
        };
        if def.chain.is_empty() {
            let message = "name at least one joint that turns";
            self.report
                .error("E-GRAPH-CHAIN", "/look_at/chain", message);
        }
        let chain = self.joints_in_order(&def.chain, "/look_at/chain");
        let forward = def.forward.unwrap_or([0.0, 0.0, 1.0]);
        let forward_model = direction(&mut self.report, forward, "/look_at/forward");
        let mut degrees = |key: &str, value, fallback| {
            let place = pointer("/look_at", key);
            let value = self.report.number(place, value, fallback, 0.0..=180.0);
            value.to_radians()
        };
        let max_yaw = degrees("max_yaw", def.max_yaw, DEFAULT_MAX_YAW);
        let max_pitch = degrees("max_pitch", def.max_pitch, DEFAULT_MAX_PITCH);
        let speed = def.speed.map(|speed| {
            let speed = self
                .report
                .number("/look_at/speed", Some(speed), 0.0, at_least(0.0));
            speed.to_radians()
        });
        if let (Some(chain), Some(forward_model)) = (chain, forward_model) {
            self.graph.look_at = Some(LookAtRig {
                chain,
                forward_model,
                max_yaw,
                max_pitch,
                speed,
            });
        }
    }
}

fn axes_of(def: &RootAxesDef) -> RootAxes {
    match def {
        RootAxesDef::Word(RootAxesWord::Planar) => RootAxes::Planar,
        RootAxesDef::Word(RootAxesWord::PlanarY) => RootAxes::PlanarY,
        RootAxesDef::Word(RootAxesWord::Full) => RootAxes::Full,
        RootAxesDef::Axes(axes) => RootAxes::Mask {
            x: axes.contains(&RootAxisDef::X),
            y: axes.contains(&RootAxisDef::Y),
            z: axes.contains(&RootAxisDef::Z),
            yaw: axes.contains(&RootAxisDef::Yaw),
        },
    }
}

/// Unit length.
fn direction(report: &mut Report, vector: [f32; 3], place: &str) -> Option<Vec3> {
    let vector = Vec3::from(vector);
    if !vector.is_finite() {
        report.error("E-GRAPH-NOT-FINITE", place, "must be finite numbers");
        return None;
    }
    let unit = vector.try_normalize();
    if unit.is_none() {
        report.error("E-GRAPH-RANGE", place, "a direction must have a length");
    }
    unit
}
