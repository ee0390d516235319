//! Layers and their states.

use std::collections::BTreeSet;

use super::Compiler;
use super::report::any_number;
use crate::graph::compiled::{Layer, Motion, State};
use crate::graph::def::{
    FollowDef, LayerBlendDef, LayerDef, MaskDef, MaskTable, RootWeightsDef, SpeaksDef, SpeaksWord,
    StateDef,
};
use crate::graph::error::pointer;
use crate::{LoopMode, Mask, MaskError, MaskRule};

/// Most layers of a graph; each keeps a pose for every actor.
const MAX_LAYERS: usize = 64;

/// Most states of a layer. With as many layers as there may be, motions still have 16-bit indices.
const MAX_STATES: usize = 1023;

impl<'a> Compiler<'a> {
    pub(super) fn layers(&mut self) {
        let def = self.def;
        if def.layers.len() > MAX_LAYERS {
            let message = format!("more than {MAX_LAYERS} layers");
            self.report.error("E-GRAPH-LIMIT", "/layers", message);
            return;
        }
        let mut names = BTreeSet::new();
        for (index, layer) in def.layers.iter().enumerate() {
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
            if let Some(layer) = self.layer(layer, index, &place) {
                self.graph.layers.push(layer);
            }
        }
    }

    fn layer(&mut self, def: &'a LayerDef, index: usize, place: &str) -> Option<Layer> {
        self.refuse_layer_parts(def, index, place);
        let entry = self.entry(def, place);
        if def.states.len() > MAX_STATES {
            let message = format!("more than {MAX_STATES} states");
            self.report
                .error("E-GRAPH-LIMIT", pointer(place, "states"), message);
            return None;
        }
        let mut states = Vec::new();
        for (name, state) in &def.states {
            let place = pointer(&pointer(place, "states"), name);
            states.push(self.state(name, state, &place));
        }
        let transitions = self.transitions(def, &mut states, place);
        let weight = self
            .report
            .number(pointer(place, "weight"), def.weight, 1.0, 0.0..=1.0);
        let weight_parameter = def
            .weight_parameter
            .as_ref()
            .and_then(|name| self.number_parameter(name, &pointer(place, "weight_parameter")));
        let mask = def
            .mask
            .as_ref()
            .and_then(|mask| self.mask(mask, &states, &pointer(place, "mask")));
        Some(Layer {
            name: def.name.clone(),
            states,
            entry: entry?,
            transitions,
            mask,
            weight,
            weight_parameter,
        })
    }

    fn refuse_layer_parts(&mut self, def: &LayerDef, index: usize, place: &str) {
        let mut refuse = |key: &str, what: &str, help: &str| {
            self.report.not_supported(pointer(place, key), what, help);
        };
        if def.blend == Some(LayerBlendDef::Additive) {
            refuse(
                "blend",
                "an additive layer",
                "leave `blend` out for an override layer",
            );
        }
        if def.reference.is_some() {
            refuse("reference", "a reference of an additive layer", "");
        }
        if def.space.is_some() {
            refuse("space", "the space of an additive layer", "");
        }
        if def.follow == Some(FollowDef::Base) {
            refuse("follow", "following the base layer", "");
        }
        if def.weight_curve.is_some() {
            refuse(
                "weight_curve",
                "a weight from a curve",
                "use `weight_parameter`",
            );
        }
        if def.root_motion.is_some_and(|gives| gives != (index == 0)) {
            refuse(
                "root_motion",
                "root motion of other layers than the base",
                "",
            );
        }
        if def
            .root_weights
            .is_some_and(|weights| weights != RootWeightsDef::Pose)
        {
            refuse(
                "root_weights",
                "this rule",
                "leave `root_weights` out: weights are those of the pose",
            );
        }
    }

    fn entry(&mut self, def: &LayerDef, place: &str) -> Option<u16> {
        if def.states.is_empty() {
            let message = format!("layer `{}` has no states", def.name);
            let help = "add one, such as states = { idle = { rest = true } }";
            self.report.error_with_help(
                "E-GRAPH-NO-STATES",
                pointer(place, "states"),
                message,
                help,
            );
            return None;
        }
        let names = def.states.keys().map(String::as_str);
        match &def.entry {
            None if def.states.len() == 1 => Some(0),
            None => {
                let message = format!("layer `{}` does not say which state it begins in", def.name);
                let help = super::report::listed("state", names).unwrap_or_default();
                self.report.error_with_help(
                    "E-GRAPH-ENTRY",
                    place,
                    message,
                    format!("add `entry`: {help}"),
                );
                None
            }
            Some(entry) => {
                let found = names.clone().position(|name| name == entry);
                if found.is_none() {
                    let place = pointer(place, "entry");
                    self.report
                        .unknown("E-GRAPH-UNKNOWN-STATE", place, "state", entry, names);
                }
                found.map(|index| index as u16)
            }
        }
    }

    fn state(&mut self, name: &str, def: &'a StateDef, place: &str) -> State {
        if name == "any" || name.is_empty() {
            let message = if name.is_empty() {
                "a state needs a name"
            } else {
                "`any` stands for every state in transitions and cannot be the name of one"
            };
            self.report.error("E-GRAPH-NAME", place, message);
        }
        self.refuse_state_parts(def, place);
        let motion = self.motion(def, place);
        let speed = self
            .report
            .number(pointer(place, "speed"), def.speed, 1.0, any_number());
        let speed_parameter = def
            .speed_parameter
            .as_ref()
            .and_then(|name| self.number_parameter(name, &pointer(place, "speed_parameter")));
        let sync_group = def.sync_group.as_deref().map(|group| self.group(group));
        let scrubbed = matches!(
            self.graph.motions[usize::from(motion)],
            Motion::Scrub { .. }
        );
        if scrubbed {
            self.refuse_with_scrub(def, place);
        }
        State {
            name: name.to_owned(),
            motion,
            mode: match def.mode {
                // The phase that a parameter gives stops at both ends.
                _ if scrubbed => LoopMode::Once,
                Some(super::ModeDef::Once) => LoopMode::Once,
                Some(super::ModeDef::PingPong) => LoopMode::PingPong,
                Some(super::ModeDef::Loop) | None => LoopMode::Loop,
            },
            speed,
            speed_parameter,
            sync_group,
            ways_out: Vec::new(),
        }
    }

    fn group(&mut self, name: &'a str) -> u16 {
        let found = self.groups.iter().position(|known| *known == name);
        let index = found.unwrap_or_else(|| {
            self.groups.push(name);
            self.groups.len() - 1
        });
        index as u16
    }

    fn refuse_state_parts(&mut self, def: &StateDef, place: &str) {
        let mut refuse = |key: &str, what: &str, help: &str| {
            self.report.not_supported(pointer(place, key), what, help);
        };
        if def.sync_role.is_some() {
            refuse(
                "sync_role",
                "a role in a sync group",
                "leave it out: the heaviest state leads",
            );
        }
        if def
            .speaks
            .is_some_and(|speaks| speaks != SpeaksDef::Word(SpeaksWord::Dominant))
        {
            refuse(
                "speaks",
                "this rule",
                "leave `speaks` out: the heaviest sample is heard",
            );
        }
        if def.enter_when.is_some() {
            refuse(
                "enter_when",
                "a condition for entering",
                "put it into `when` of the transitions",
            );
        }
        if def.events.is_some() {
            refuse(
                "events",
                "a state with markers of its own",
                "put markers into the clip",
            );
        }
        if def.remove.is_some() {
            let message = "`remove` belongs to patches";
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, "remove"), message);
        }
    }

    fn refuse_with_scrub(&mut self, def: &StateDef, place: &str) {
        let keys = [
            ("mode", def.mode.is_some()),
            ("speed", def.speed.is_some()),
            ("speed_parameter", def.speed_parameter.is_some()),
            ("sync_group", def.sync_group.is_some()),
        ];
        for (key, _) in keys.into_iter().filter(|(_, given)| *given) {
            let message = format!("`{key}` has no effect where `time_parameter` gives the phase");
            self.report
                .error("E-GRAPH-NO-EFFECT", pointer(place, key), message);
        }
    }

    fn mask(&mut self, def: &MaskDef, states: &[State], place: &str) -> Option<Mask> {
        let mask = match def {
            MaskDef::Text(text) => Mask::parse(self.skeleton, text),
            MaskDef::Table(table) => self.mask_table(table, place),
        };
        match mask {
            Ok(mut mask) => {
                let clips = self.clips_of(states);
                mask.cover_morphs(self.skeleton, clips.iter().map(|clip| &**clip));
                Some(mask)
            }
            Err(errors) => {
                for error in &errors {
                    self.mask_error(error, matches!(def, MaskDef::Table(_)), place);
                }
                None
            }
        }
    }

    fn mask_table(&mut self, table: &MaskTable, place: &str) -> Result<Mask, Vec<MaskError>> {
        let others = self
            .report
            .number(pointer(place, "others"), table.others, 0.0, 0.0..=1.0);
        let mut rules = Vec::new();
        for (index, rule) in table.joints.iter().enumerate() {
            let place = pointer(&pointer(place, "joints"), index);
            let weight = self
                .report
                .number(pointer(&place, "weight"), rule.weight, 1.0, 0.0..=1.0);
            let falloff =
                self.report
                    .number(pointer(&place, "falloff"), rule.falloff, 0.0, any_number());
            rules.push(MaskRule {
                joint: &rule.joint,
                weight,
                children: rule.children.unwrap_or(true),
                falloff,
            });
        }
        Mask::from_rules(self.skeleton, others, rules)
    }

    fn mask_error(&mut self, error: &MaskError, is_table: bool, place: &str) {
        match error {
            MaskError::UnknownJoint { name, entry, .. } => {
                let place = if is_table {
                    pointer(&pointer(&pointer(place, "joints"), entry), "joint")
                } else {
                    place.to_owned()
                };
                let names = self.skeleton.names.iter().map(String::as_str);
                self.report
                    .unknown("E-GRAPH-UNKNOWN-JOINT", place, "joint", name, names);
            }
            MaskError::NotFinite { .. } | MaskError::TooMany | MaskError::Empty => {
                self.report.error("E-GRAPH-MASK", place, error.to_string());
            }
        }
    }
}
