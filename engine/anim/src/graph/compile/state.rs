//! States: how a motion plays.

use super::Compiler;
use super::report::{any_number, at_least};
use crate::graph::compiled::{Leaf, Motion, RandomSlot, Speaks, State, StateMarker, StateMarkerAt};
use crate::graph::def::{ModeDef, SpeaksDef, SpeaksWord, StateDef, StateEventDef, SyncRoleDef};
use crate::graph::error::pointer;
use crate::{LoopMode, MAX_MARK_NAME};

/// Most markers of a state itself; a step looks at each of them.
const MAX_STATE_MARKERS: usize = 4096;

/// What is known while a state is compiled.
#[derive(Default)]
pub(super) struct StateScope {
    /// Index of its machine.
    pub(super) machine: u16,
    /// Index in its machine.
    pub(super) state: u16,
    /// Names of the states around it and its own.
    pub(super) path: String,
    /// The clips and sequences so far.
    pub(super) leaves: Vec<Leaf>,
    /// The group that the next leaf belongs to.
    pub(super) choir: u8,
    /// Groups begun, one at least.
    pub(super) choirs: usize,
    /// Machines in its motion so far.
    pub(super) machines: Vec<u16>,
    /// Random choices in its motion so far.
    pub(super) randoms: Vec<RandomSlot>,
    /// Its clips are added to something, so they stay the difference from the rest pose.
    pub(super) added: bool,
}

impl StateScope {
    /// Makes room for a state; whether clips are added to something stays.
    pub(super) fn begin(&mut self, [machine, state]: [u16; 2], around: Option<&str>, name: &str) {
        let path = match around {
            None => name.to_owned(),
            Some(around) => format!("{around}/{name}"),
        };
        *self = Self {
            machine,
            state,
            path,
            choirs: 1,
            added: self.added,
            ..Self::default()
        };
    }
}

impl<'a> Compiler<'a> {
    pub(super) fn state(&mut self, name: &'a str, def: &'a StateDef, place: &str) -> State {
        self.check_state_name(name, place);
        if def.remove.is_some() {
            self.no_effect(place, &[("remove", true)], "belongs to patches");
        }
        let motion = self.state_motion(def, place);
        let conduit = def.conduit == Some(true);
        let scrubbed = matches!(self.motion_at(motion), Some(Motion::Scrub { .. }));
        if scrubbed {
            self.refuse_with_scrub(def, place);
        }
        if conduit {
            self.refuse_with_conduit(def, place);
        }
        let speed = self
            .report
            .number(pointer(place, "speed"), def.speed, 1.0, any_number());
        let speed_parameter = def
            .speed_parameter
            .as_ref()
            .and_then(|name| self.number_parameter(name, &pointer(place, "speed_parameter")));
        let enter_when = def
            .enter_when
            .as_ref()
            .and_then(|when| self.when(when, &pointer(place, "enter_when")));
        let sync_group = self.sync_group(def, place);
        let speaks = self.speaks(def, place);
        let markers = self.state_markers(def, place);
        self.refuse_turning_back(def, place);
        let scope = std::mem::take(&mut self.state);
        self.state.added = scope.added;
        let mut leaves = scope.leaves;
        let choirs = super::leaves::choirs(&mut leaves);
        State {
            name: name.to_owned(),
            path: scope.path,
            motion,
            mode: match def.mode {
                // The phase that a parameter gives stops at both ends.
                _ if scrubbed => LoopMode::Once,
                Some(ModeDef::Once) => LoopMode::Once,
                Some(ModeDef::PingPong) => LoopMode::PingPong,
                Some(ModeDef::Loop) | None => LoopMode::Loop,
            },
            speed,
            speed_parameter,
            sync_group,
            sync_role: def.sync_role.unwrap_or(SyncRoleDef::CanBeLeader),
            speaks,
            enter_when,
            markers,
            conduit,
            ways_out: Vec::new(),
            leaves,
            choirs,
            sync_tracks: Vec::new(),
            machines: scope.machines,
            randoms: scope.randoms,
        }
    }

    fn check_state_name(&mut self, name: &str, place: &str) {
        if name == "any" || name.is_empty() {
            let message = if name.is_empty() {
                "a state needs a name"
            } else {
                "`any` stands for every state in transitions and cannot be the name of one"
            };
            self.report.error("E-GRAPH-NAME", place, message);
        }
        let path = self.state.path.clone();
        self.spend_bytes(2 * path.len(), place);
        if !self.layer.paths.insert(path) {
            let message = format!(
                "two states of the layer have the path `{}`",
                self.state.path
            );
            self.report.error("E-GRAPH-DUPLICATE", place, message);
        }
    }

    fn sync_group(&mut self, def: &'a StateDef, place: &str) -> Option<u16> {
        let Some(name) = &def.sync_group else {
            let keys = [("sync_role", def.sync_role.is_some())];
            self.no_effect(place, &keys, "belongs to `sync_group`");
            return None;
        };
        let group = self.groups.index(name);
        if group.is_none() {
            self.run_out(place, "more sync groups than fit".to_owned());
        }
        group
    }

    fn speaks(&mut self, def: &StateDef, place: &str) -> Speaks {
        match def.speaks {
            None | Some(SpeaksDef::Word(SpeaksWord::Dominant)) => Speaks::Dominant,
            Some(SpeaksDef::Word(SpeaksWord::All)) => Speaks::Threshold(0.0),
            Some(SpeaksDef::Word(SpeaksWord::None)) => Speaks::None,
            Some(SpeaksDef::Threshold(weight)) => {
                let place = pointer(place, "speaks");
                Speaks::Threshold(self.report.number(place, Some(weight), 0.0, 0.0..=1.0))
            }
        }
    }

    /// The state's own markers; their names have the indices of first use until all are known.
    fn state_markers(&mut self, def: &'a StateDef, place: &str) -> Vec<StateMarker> {
        let place = pointer(place, "events");
        let events = def.events.as_deref().unwrap_or_default();
        if events.len() > MAX_STATE_MARKERS {
            let message = format!("more than {MAX_STATE_MARKERS} markers of one state");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return Vec::new();
        }
        if !self.spend_bytes(size_of_val(events), &place) {
            return Vec::new();
        }
        let events = events.iter().enumerate();
        events
            .filter_map(|(index, event)| self.state_marker(event, &pointer(&place, index)))
            .collect()
    }

    fn state_marker(&mut self, def: &'a StateEventDef, place: &str) -> Option<StateMarker> {
        if !(1..=MAX_MARK_NAME).contains(&def.name.len()) {
            let message = format!("a marker's name has 1 to {MAX_MARK_NAME} bytes");
            self.report
                .error("E-GRAPH-NAME", pointer(place, "name"), message);
        }
        let value = self
            .report
            .number(pointer(place, "value"), def.value, 0.0, any_number());
        let at = match (def.phase, def.time) {
            (Some(phase), None) => {
                let place = pointer(place, "phase");
                let phase = self.report.number(place, Some(phase), 0.0, 0.0..=1.0);
                StateMarkerAt::Phase(f64::from(phase))
            }
            (None, Some(time)) => {
                let place = pointer(place, "time");
                let time = self.report.number(place, Some(time), 0.0, at_least(0.0));
                StateMarkerAt::Seconds(f64::from(time))
            }
            (None, None) => {
                let message = "the marker has neither `phase` nor `time`";
                self.report.error("E-GRAPH-MISSING", place, message);
                return None;
            }
            (Some(_), Some(_)) => {
                self.no_effect(
                    place,
                    &[("time", true)],
                    "excludes `phase`, which is given too",
                );
                return None;
            }
        };
        let Some(name) = self.marker_names.index(&def.name) else {
            self.run_out(place, "more names of markers than fit".to_owned());
            return None;
        };
        Some(StateMarker { name, at, value })
    }

    fn refuse_with_scrub(&mut self, def: &StateDef, place: &str) {
        let keys = [
            ("mode", def.mode.is_some()),
            ("speed", def.speed.is_some()),
            ("speed_parameter", def.speed_parameter.is_some()),
            ("sync_group", def.sync_group.is_some()),
        ];
        let why = "has no effect where `time_parameter` gives the phase";
        self.no_effect(place, &keys, why);
    }

    /// Where clips are aligned by markers, a lap begins within them.
    fn refuse_turning_back(&mut self, def: &StateDef, place: &str) {
        let bent = self.state.leaves.iter().any(|leaf| leaf.warp.is_some());
        if bent && def.mode == Some(ModeDef::PingPong) {
            let message = "a blend that is aligned by markers runs round and cannot turn back";
            self.report
                .error("E-GRAPH-ALIGN", pointer(place, "mode"), message);
        }
    }

    /// A motion that was compiled.
    pub(super) fn motion_at(&self, index: u16) -> Option<&Motion> {
        self.graph.motions.get(usize::from(index))
    }
}
