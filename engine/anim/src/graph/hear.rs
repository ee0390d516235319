//! Which markers are heard in a slice of a step, and whose.
//!
//! One leaf of a choir tells all of its markers. Of several, those that the state lets speak do; a
//! name whose occurrences they share is told by one of them, the heaviest that speaks and has it, so
//! that every number of it is told once while anybody speaks.

use super::advance::{EventSource, GraphEvent, GraphEventKind, MAX_MARKERS, Pending, Rank};
use super::compiled::{
    Choir, Graph, LeafMarker, Motion, SharedMarker, Speaks, State, StateMarkerAt,
};
use super::control::NO_SPEAKER;
use super::count::Count;
use super::fade::StateWeight;
use super::scratch::Span;
use super::state::{Heard, OpenWindow, Playing};
use super::stretch::Stretch;
use crate::LoopMode;

/// Events of an actor that wait to be sorted in a step; a graph with more markers than any game has
/// loses those beyond, counted.
const MOST_PENDING: usize = 16_384;

/// By how much a leaf must outweigh the speaker to become it.
const HYSTERESIS: f32 = 0.05;

/// Order of what one state tells at one instant of one lap.
#[derive(Clone, Copy)]
pub(super) enum Class {
    WindowBegin,
    Marker,
    StateMarker,
    WindowEnd,
}

impl Class {
    /// A number to sort by: class, leaf, declaration.
    pub(super) fn order(self, leaf: u16, declared: usize) -> u32 {
        let declared = declared.min(0x1fff) as u32;
        (self as u32) << 29 | u32::from(leaf) << 13 | declared
    }
}

/// One playing state in one slice of a step.
pub(super) struct Hearing<'a> {
    pub(super) graph: &'a Graph,
    pub(super) layer: u16,
    pub(super) machine: u16,
    /// The state that plays.
    pub(super) state: &'a State,
    /// Weight of each of its leaves in its own pose, 0 to 1.
    pub(super) leaves: &'a [f32],
    /// Seconds of its lap at speed 1; 0 if it has no length.
    pub(super) lap_seconds: f64,
    /// Its clock over the slice.
    pub(super) span: Span,
    /// Its weight in the actor's pose.
    pub(super) weight: StateWeight,
    /// Whether it is heard at all; what is not heard now is not told later.
    pub(super) audible: bool,
}

/// A marker that is told.
struct Spoken {
    kind: GraphEventKind,
    /// Of what tells it, in the state's own pose.
    weight: f32,
    order: u32,
}

impl Hearing<'_> {
    /// Adds what is heard to `events`, and keeps the open windows up to date; gives how many markers
    /// did not fit.
    pub(super) fn listen(
        &self,
        playing: &mut Playing,
        heard: &mut Vec<Heard>,
        windows: &mut Vec<OpenWindow>,
        events: &mut Vec<Pending>,
    ) -> usize {
        let stretch = self.stretch(playing);
        if !self.audible {
            heard.retain(|heard| heard.run != playing.run);
            playing.speakers.fill(NO_SPEAKER);
        }
        self.end_moved(playing, windows, events);
        let mut lost = 0;
        for (choir, index) in self.state.choirs.iter().zip(0_u8..) {
            if self.audible {
                self.choose_speaker(choir, index, playing);
                lost += self.hear_choir(choir, index, playing, &stretch, heard, events);
            }
            for (&leaf, place) in choir.leaves.iter().zip(0..) {
                let speaks = self.audible && self.speaks(choir, index, place, playing);
                lost += self.follow_leaf(leaf, speaks, playing, &stretch, windows, events);
            }
        }
        if self.audible {
            lost += self.hear_state(playing, &stretch, events);
        }
        lost
    }

    /// What of the clock is listened to. Where children are chosen by chance at the end of a lap, what
    /// lies on the boundary belongs to the child of the lap that it begins or ends.
    fn stretch(&self, playing: &Playing) -> Stretch {
        let entry = playing.fresh && self.graph.events.entry_inclusive;
        let stretch = Stretch::new(playing.mode, self.span.from, self.span.to, entry);
        if self.state.randoms.is_empty() || playing.mode != LoopMode::Loop {
            stretch
        } else {
            stretch.by_whole_laps(playing.fresh)
        }
    }

    /// The weight that a leaf speaks with; a scrubbed one is heard only as the whole of a state.
    pub(super) fn weight_of(&self, leaf: u16) -> f32 {
        let own = self.leaves.get(usize::from(leaf)).copied().unwrap_or(0.0);
        let motion = &self.graph.motions[usize::from(self.state.motion)];
        let is_whole = matches!(motion, Motion::Scrub { .. });
        if self.state.leaves[usize::from(leaf)].scrubbed && !is_whole {
            0.0
        } else {
            own
        }
    }

    /// Whether a leaf of this weight may speak.
    fn is_enough(&self, weight: f32) -> bool {
        weight > 0.0
            && match self.state.speaks {
                Speaks::Dominant => true,
                Speaks::Threshold(least) => weight >= least,
                Speaks::None => false,
            }
    }

    /// Places and weights of the leaves of a choir that may speak.
    fn candidates(&self, choir: &Choir) -> impl Iterator<Item = (u16, f32)> {
        let weights = choir.leaves.iter().map(|leaf| self.weight_of(*leaf));
        (0..)
            .zip(weights)
            .filter(|(_, weight)| self.is_enough(*weight))
    }

    /// Of several leaves one is the speaker; a leaf on its own needs none.
    fn choose_speaker(&self, choir: &Choir, index: u8, playing: &mut Playing) {
        let speaker = playing.speakers.get_mut(usize::from(index));
        if let Some(speaker) = speaker.filter(|_| choir.leaves.len() > 1) {
            *speaker = match self.state.speaks {
                Speaks::Dominant => speaker_of(|| self.candidates(choir), *speaker),
                Speaks::Threshold(_) | Speaks::None => NO_SPEAKER,
            };
        }
    }

    /// Whether a leaf, given by its place in its choir, tells what is its own.
    fn speaks(&self, choir: &Choir, index: u8, place: u16, playing: &Playing) -> bool {
        if choir.leaves.len() > 1 && self.state.speaks == Speaks::Dominant {
            playing.speakers.get(usize::from(index)) == Some(&place)
        } else {
            self.is_enough(self.weight_of(choir.leaves[usize::from(place)]))
        }
    }

    fn hear_choir(
        &self,
        choir: &Choir,
        index: u8,
        playing: &Playing,
        stretch: &Stretch,
        heard: &mut Vec<Heard>,
        events: &mut Vec<Pending>,
    ) -> usize {
        let mut lost = 0;
        let is_shared = |marker: &SharedMarker| {
            self.graph.events.dedup && playing.mode != LoopMode::PingPong && marker.shared > 0
        };
        for (&leaf, place) in choir.leaves.iter().zip(0..) {
            if !self.speaks(choir, index, place, playing) {
                continue;
            }
            let markers = &self.state.leaves[usize::from(leaf)].markers;
            if choir.markers.is_empty() {
                for own in 0..markers.len() {
                    lost += self.hear_marker(leaf, own, playing, stretch, events);
                }
            }
            for marker in choir.markers.iter().filter(|marker| !is_shared(marker)) {
                for &own in &marker.own[usize::from(place)] {
                    lost += self.hear_marker(leaf, own.into(), playing, stretch, events);
                }
            }
        }
        for (marker, number) in choir.markers.iter().zip(0..) {
            if is_shared(marker) {
                let known = |heard: &Heard| {
                    (heard.run, heard.choir, heard.marker) == (playing.run, index, number)
                };
                let found = heard.iter().position(known);
                let before = found.map(|at| heard[at]);
                let speaker = self.teller(choir, index, marker, before, playing);
                let Some(place) = speaker else {
                    if let Some(found) = found {
                        heard.swap_remove(found);
                    }
                    continue;
                };
                let count = Count::new(self.state, choir, marker, place, stretch);
                let mut entry = before.unwrap_or(Heard {
                    run: playing.run,
                    choir: index,
                    marker: number,
                    speaker: place,
                    next: count.bound(stretch),
                });
                lost += self.hear_shared(&count, &mut entry, playing, stretch, events);
                match found {
                    Some(found) => heard[found] = entry,
                    None => heard.push(entry),
                }
            }
        }
        lost
    }

    /// The place of the leaf that tells a shared name.
    fn teller(
        &self,
        choir: &Choir,
        index: u8,
        marker: &SharedMarker,
        before: Option<Heard>,
        playing: &Playing,
    ) -> Option<u16> {
        let has_it = |place: u16| !marker.own[usize::from(place)].is_empty();
        let speaker = match self.state.speaks {
            Speaks::Dominant => *playing.speakers.get(usize::from(index))?,
            Speaks::Threshold(_) => {
                let having = || self.candidates(choir).filter(|(place, _)| has_it(*place));
                speaker_of(having, before.map_or(NO_SPEAKER, |before| before.speaker))
            }
            Speaks::None => NO_SPEAKER,
        };
        (speaker != NO_SPEAKER && has_it(speaker)).then_some(speaker)
    }

    /// Tells the numbers of a shared name that the stretch comes by and that have not been told. A new
    /// speaker that is already past some of them tells those at once.
    fn hear_shared(
        &self,
        count: &Count<'_>,
        entry: &mut Heard,
        playing: &Playing,
        stretch: &Stretch,
        events: &mut Vec<Pending>,
    ) -> usize {
        if stretch.stands() && !stretch.interval.entry {
            return 0;
        }
        let forwards = stretch.forwards();
        let bound = count.bound(stretch);
        if entry.speaker != count.place {
            entry.speaker = count.place;
            // Never far behind: what is told lies within a lap of the clock.
            let most = 2 * i64::from(count.marker.shared);
            let numbers = if forwards {
                entry.next.max(bound.saturating_sub(most))..bound
            } else {
                bound..entry.next.min(bound.saturating_add(most))
            };
            for number in numbers {
                let (at, lap) = count.marker_of(number);
                let mut spoken = self.spoken(count.leaf, at);
                if !forwards {
                    // In the order in which the clock met them.
                    let declared = count.markers().len() - at;
                    spoken.order = Class::Marker.order(count.leaf, declared);
                }
                self.push(playing, &spoken, self.span.slice.begin, lap, events);
            }
        }
        let first = if forwards {
            entry.next.max(bound)
        } else {
            entry.next.min(bound)
        };
        let mut told = 0;
        for (&at, within) in count.own().iter().zip(0_i64..) {
            let phase = count.markers()[usize::from(at)].phase;
            for occurrence in stretch.occurrences(phase).take(MAX_MARKERS) {
                let number = count.number(occurrence.lap, within);
                if (number >= first) == forwards {
                    let spoken = self.spoken(count.leaf, at.into());
                    let alpha = self.span.share(occurrence.alpha);
                    self.push(playing, &spoken, alpha, occurrence.lap, events);
                    told += 1;
                }
            }
        }
        entry.next = if forwards {
            first.max(count.passed(stretch.interval.to))
        } else {
            first.min(count.ahead(stretch.interval.to))
        };
        let passed = usize::try_from(entry.next.abs_diff(first)).unwrap_or(usize::MAX);
        passed.saturating_sub(told)
    }

    /// Tells the occurrences of one marker of a leaf.
    fn hear_marker(
        &self,
        leaf: u16,
        at: usize,
        playing: &Playing,
        stretch: &Stretch,
        events: &mut Vec<Pending>,
    ) -> usize {
        let phase = self.state.leaves[usize::from(leaf)].markers[at].phase;
        self.hear_phase(phase, &self.spoken(leaf, at), playing, stretch, events)
    }

    /// The state's own markers, whoever speaks in it.
    fn hear_state(&self, playing: &Playing, stretch: &Stretch, events: &mut Vec<Pending>) -> usize {
        let mut lost = 0;
        for (marker, declared) in self.state.markers.iter().zip(0..) {
            let phase = match marker.at {
                StateMarkerAt::Phase(phase) => phase,
                StateMarkerAt::Seconds(seconds) if self.lap_seconds > 0.0 => {
                    seconds / self.lap_seconds
                }
                StateMarkerAt::Seconds(0.0) => 0.0,
                StateMarkerAt::Seconds(_) => continue,
            };
            let kind = GraphEventKind::Marker {
                name: marker.name,
                value: marker.value,
                time: (phase * self.lap_seconds) as f32,
                clip: None,
            };
            let spoken = Spoken {
                kind,
                weight: 1.0,
                order: Class::StateMarker.order(0, declared),
            };
            lost += self.hear_phase(phase, &spoken, playing, stretch, events);
        }
        lost
    }

    fn hear_phase(
        &self,
        phase: f64,
        spoken: &Spoken,
        playing: &Playing,
        stretch: &Stretch,
        events: &mut Vec<Pending>,
    ) -> usize {
        let room = MOST_PENDING.saturating_sub(events.len()).min(MAX_MARKERS);
        for occurrence in stretch.occurrences(phase).take(room) {
            let alpha = self.span.share(occurrence.alpha);
            self.push(playing, spoken, alpha, occurrence.lap, events);
        }
        stretch.count(phase).saturating_sub(room)
    }

    fn spoken(&self, leaf: u16, at: usize) -> Spoken {
        let marker: &LeafMarker = &self.state.leaves[usize::from(leaf)].markers[at];
        Spoken {
            kind: GraphEventKind::Marker {
                name: marker.name,
                value: marker.value,
                time: marker.time,
                clip: Some(marker.clip),
            },
            weight: self.weight_of(leaf),
            order: Class::Marker.order(leaf, at),
        }
    }

    fn push(
        &self,
        playing: &Playing,
        spoken: &Spoken,
        alpha: f64,
        lap: i64,
        events: &mut Vec<Pending>,
    ) {
        let forwards = self.span.to >= self.span.from;
        events.push(Pending {
            alpha,
            moment: 0,
            rank: Rank::Marker,
            lap: if forwards { lap } else { lap.saturating_neg() },
            order: spoken.order,
            event: GraphEvent {
                kind: spoken.kind,
                layer: self.layer,
                source: EventSource::State {
                    machine: self.machine,
                    state: playing.state,
                },
                weight: spoken.weight * self.weight.at(alpha),
                alpha: alpha as f32,
            },
        });
    }
}

/// The heaviest of those that may speak, where it outweighs the speaker so far by enough; ties go to
/// the first.
fn speaker_of<I: Iterator<Item = (u16, f32)>>(candidates: impl Fn() -> I, before: u16) -> u16 {
    let mut heaviest = (NO_SPEAKER, 0.0);
    let mut own = None;
    for (place, weight) in candidates() {
        if weight > heaviest.1 {
            heaviest = (place, weight);
        }
        if place == before {
            own = Some(weight);
        }
    }
    match own {
        Some(own) if heaviest.1 <= own + HYSTERESIS => before,
        _ => heaviest.0,
    }
}
