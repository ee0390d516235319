//! Masks of layers and slots.

use std::sync::Arc;

use super::Compiler;
use super::report::any_number;
use crate::graph::def::{MaskDef, MaskTable};
use crate::graph::error::pointer;
use crate::{Clip, Mask, MaskError, MaskRule};

impl Compiler<'_> {
    /// Weights by joint, and by morph channel for what `clips` drive.
    pub(super) fn mask(&mut self, def: &MaskDef, clips: &[Arc<Clip>], place: &str) -> Option<Mask> {
        let mask = match def {
            MaskDef::Text(text) => Mask::parse(self.skeleton, text),
            MaskDef::Table(table) => self.mask_table(table, place),
        };
        match mask {
            Ok(mut mask) => {
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
