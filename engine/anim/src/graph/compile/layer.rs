//! Layers: a machine each, and how its pose is laid over what is below.

use std::collections::BTreeSet;

use super::Compiler;
use super::clips::Rebase;
use super::machine::MachineSource;
use crate::graph::compiled::{Layer, LayerBlend};
use crate::graph::def::{
    FollowDef, LayerBlendDef, LayerDef, ReferenceDef, ReferenceWord, RootWeightsDef, SpaceDef,
};
use crate::graph::error::pointer;

/// Most layers of a graph; each keeps a pose for every actor.
const MAX_LAYERS: usize = 64;

/// What is known while a layer is compiled.
#[derive(Default)]
pub(super) struct LayerScope<'a> {
    /// Index in [`Graph::layers`](crate::Graph).
    pub(super) index: u16,
    /// What the clips of an additive layer are the difference from, where that is not the rest pose.
    pub(super) rebase: Option<Rebase<'a>>,
    /// The clips that its states play.
    pub(super) clips: BTreeSet<u16>,
    /// Paths of its states.
    pub(super) paths: BTreeSet<String>,
}

impl<'a> Compiler<'a> {
    pub(super) fn layers(&mut self) {
        let def = self.def;
        if def.layers.len() > MAX_LAYERS {
            let message = format!("more than {MAX_LAYERS} layers");
            self.report.error("E-GRAPH-LIMIT", "/layers", message);
            return;
        }
        let mut names = BTreeSet::new();
        for (layer, index) in def.layers.iter().zip(0_u16..) {
            let place = pointer("/layers", index);
            if layer.name.is_empty() {
                let message = "a layer needs a name";
                self.report
                    .error("E-GRAPH-NAME", pointer(&place, "name"), message);
            } else if !names.insert(layer.name.as_str()) {
                let message = format!("two layers are named `{}`", layer.name);
                self.report
                    .error("E-GRAPH-DUPLICATE", pointer(&place, "name"), message);
            }
            let layer = self.layer(layer, index, &place);
            self.graph.layers.push(layer);
        }
    }

    fn layer(&mut self, def: &'a LayerDef, index: u16, place: &str) -> Layer {
        self.layer = LayerScope {
            index,
            ..LayerScope::default()
        };
        let removed = [("remove", def.remove.is_some())];
        self.no_effect(place, &removed, "belongs to patches");
        let blend = self.layer_blend(def, place);
        let machine = self.machine(
            &MachineSource {
                entry: def.entry.as_deref(),
                states: &def.states,
                transitions: &def.transitions,
                resume: false,
                owner: format!("layer `{}`", def.name),
            },
            None,
            place,
        );
        let weight = self
            .report
            .number(pointer(place, "weight"), def.weight, 1.0, 0.0..=1.0);
        let weight_parameter = def
            .weight_parameter
            .as_ref()
            .and_then(|name| self.number_parameter(name, &pointer(place, "weight_parameter")));
        if let Some(curve) = &def.weight_curve {
            let place = pointer(place, "weight_curve");
            self.weight_curves.push((usize::from(index), curve, place));
        }
        let clips = self.layer.clips.iter();
        let clips = clips.map(|&clip| &self.graph.clips[usize::from(clip)].clip);
        let clips: Vec<_> = clips.cloned().collect();
        let mask = def
            .mask
            .as_ref()
            .and_then(|mask| self.mask(mask, &clips, &pointer(place, "mask")));
        let follow_base = def.follow == Some(FollowDef::Base);
        if follow_base && index == 0 {
            let message = "the base layer has no other to follow";
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, "follow"), message);
        }
        Layer {
            name: def.name.clone(),
            machine,
            mask,
            weight,
            weight_parameter,
            weight_curve: None,
            blend,
            follow_base,
            root_motion: def.root_motion.unwrap_or(index == 0),
            root_weights: def.root_weights.unwrap_or(RootWeightsDef::Pose),
        }
    }

    /// How the layer is laid over what is below; remembers what its clips are the difference from.
    fn layer_blend(&mut self, def: &'a LayerDef, place: &str) -> LayerBlend {
        if def.blend != Some(LayerBlendDef::Additive) {
            let keys = [
                ("reference", def.reference.is_some()),
                ("space", def.space.is_some()),
            ];
            self.no_effect(place, &keys, "belongs to blend = \"additive\"");
            return LayerBlend::Override;
        }
        let space = def.space.unwrap_or(SpaceDef::Local);
        self.layer.rebase = match &def.reference {
            None | Some(ReferenceDef::Word(ReferenceWord::Rest)) => None,
            Some(ReferenceDef::Word(ReferenceWord::FirstFrame)) => Some(Rebase::FirstFrame(space)),
            Some(ReferenceDef::Clip(reference)) => {
                self.reference_pose(reference, space, &pointer(place, "reference"))
            }
        };
        LayerBlend::Additive(space)
    }

    /// Names of the clips' curves, and the layers that take their weight from one.
    pub(super) fn curves(&mut self) {
        self.name_curves();
        for (layer, name, place) in std::mem::take(&mut self.weight_curves) {
            let curve = self.graph.curve(name);
            if curve.is_none() {
                let names = self.graph.curves.iter().map(String::as_str);
                self.report
                    .unknown("E-GRAPH-UNKNOWN-CURVE", place, "curve", name, names);
            }
            self.graph.layers[layer].weight_curve = curve;
        }
    }
}
