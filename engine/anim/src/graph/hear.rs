//! Which markers are heard in a step, and whose.

use super::advance::{GraphEvent, GraphEventKind, MAX_MARKERS};
use super::advance::{Pending, Rank};
use super::compiled::{BlendMarker, BlendSpace, ClipMarker, Graph, MAX_SAMPLES, Motion};
use super::control::NO_SPEAKER;
use super::fade::FadeStep;
use super::motion::blend_weights;
use super::scratch::Span;
use super::state::{Heard, ParameterState, Playing};
use crate::{Interval, LoopMode, occurrences};

/// By how much a sample must outweigh the speaker to become it.
const HYSTERESIS: f32 = 0.05;

/// One playing state in one step.
pub(super) struct Hearing<'a> {
    pub(super) graph: &'a Graph,
    pub(super) parameters: &'a [ParameterState],
    /// The motion that plays.
    pub(super) motion: &'a Motion,
    pub(super) layer: u16,
    /// Weight of the layer.
    pub(super) layer_weight: f32,
    pub(super) span: Span,
    pub(super) fade: &'a FadeStep,
    /// Whether the state is the one that is faded in.
    pub(super) is_current: bool,
}

/// A marker of the clip that speaks.
#[derive(Clone, Copy)]
struct Spoken<'a> {
    marker: &'a ClipMarker,
    /// Index in [`Graph::clips`].
    clip: u16,
    /// Of the clip in its motion, 0 to 1.
    weight: f32,
    /// Order of declaration in the clip.
    order: u32,
}

impl Hearing<'_> {
    /// Adds what is heard to `events`; gives how many markers did not fit.
    pub(super) fn listen(
        &self,
        playing: &mut Playing,
        heard: &mut Vec<Heard>,
        events: &mut Vec<Pending>,
    ) -> usize {
        match self.motion {
            Motion::Rest => 0,
            Motion::Clip(sample) | Motion::Scrub { sample, .. } => {
                let markers = &self.graph.markers[usize::from(sample.clip)];
                let each = markers.iter().zip(0..);
                each.map(|(marker, order)| {
                    let spoken = Spoken {
                        marker,
                        clip: sample.clip,
                        weight: 1.0,
                        order,
                    };
                    self.crossings(playing, spoken, None, events)
                })
                .sum()
            }
            Motion::Blend(space) => self.listen_to_blend(space, playing, heard, events),
        }
    }

    fn listen_to_blend(
        &self,
        space: &BlendSpace,
        playing: &mut Playing,
        heard: &mut Vec<Heard>,
        events: &mut Vec<Pending>,
    ) -> usize {
        let weights = blend_weights(space, self.parameters);
        let before = playing.speaker;
        playing.speaker = speaker(&weights[..space.samples.len()], before);
        let speaker = usize::from(playing.speaker);
        let (clip, weight) = (space.samples[speaker].clip, weights[speaker]);
        let markers = &self.graph.markers[usize::from(clip)];
        let mut lost = 0;
        for (name, number) in space.markers.iter().zip(0..) {
            let own = name.own[speaker].iter();
            let ordered = || {
                own.clone().map(|&at| Spoken {
                    marker: &markers[usize::from(at)],
                    clip,
                    weight,
                    order: u32::from(at),
                })
            };
            let dedup = self.graph.events.dedup && playing.mode != LoopMode::PingPong;
            if name.shared == 0 || !dedup || own.len() == 0 {
                heard.retain(|heard| heard.run != playing.run || heard.marker != number);
                for spoken in ordered() {
                    lost += self.crossings(playing, spoken, None, events);
                }
                continue;
            }
            let count = Count {
                name,
                speaker,
                markers,
            };
            let entry = self.entry(playing, number, &count, heard);
            if before != playing.speaker && before != NO_SPEAKER {
                self.catch_up(playing, clip, weight, &count, entry, events);
            }
            for (spoken, place) in ordered().zip(0..) {
                let dedup = Some((&count, place, &*entry));
                lost += self.crossings(playing, spoken, dedup, events);
            }
            let end = self.span.at(self.end());
            entry.next = if end >= self.span.from {
                entry.next.max(count.passed(end))
            } else {
                entry.next.min(count.ahead(end))
            };
        }
        lost
    }

    /// How far a name has been heard; where nothing is known, from here on.
    fn entry<'h>(
        &self,
        playing: &Playing,
        marker: u16,
        count: &Count<'_>,
        heard: &'h mut Vec<Heard>,
    ) -> &'h mut Heard {
        let found = heard
            .iter()
            .position(|heard| heard.run == playing.run && heard.marker == marker);
        let index = found.unwrap_or_else(|| {
            let inclusive = playing.fresh && self.graph.events.entry_inclusive;
            let next = match (self.span.to >= self.span.from, inclusive) {
                (true, false) | (false, true) => count.passed(self.span.from),
                (true, true) | (false, false) => count.ahead(self.span.from),
            };
            heard.push(Heard {
                run: playing.run,
                marker,
                next,
            });
            heard.len() - 1
        });
        &mut heard[index]
    }

    /// A new speaker that is already past markers of this lap which have not been heard.
    fn catch_up(
        &self,
        playing: &Playing,
        clip: u16,
        weight: f32,
        count: &Count<'_>,
        entry: &mut Heard,
        events: &mut Vec<Pending>,
    ) {
        let from = self.span.from;
        let (numbers, next) = if self.span.to >= from {
            let passed = count.passed(from);
            let lap = count.first_of_lap(from.floor());
            (entry.next.max(lap)..passed, entry.next.max(passed))
        } else {
            let ahead = count.ahead(from);
            let lap = count.first_of_lap(from.ceil());
            (ahead..entry.next.min(lap), entry.next.min(ahead))
        };
        for number in numbers {
            let (marker, lap) = count.marker(number);
            let spoken = Spoken {
                marker,
                clip,
                weight,
                order: 0,
            };
            self.push(playing, spoken, self.span.begin, lap, events);
        }
        entry.next = next;
    }

    /// Adds the occurrences of one marker; those that were heard already are left out.
    fn crossings(
        &self,
        playing: &Playing,
        spoken: Spoken<'_>,
        dedup: Option<(&Count<'_>, i64, &Heard)>,
        events: &mut Vec<Pending>,
    ) -> usize {
        let to = self.span.at(self.end());
        let found = occurrences(
            spoken.marker.phase,
            &Interval {
                from: self.span.from,
                to,
                entry: playing.fresh && self.graph.events.entry_inclusive,
                mode: playing.mode,
            },
        );
        let forwards = to >= self.span.from;
        let lost = found.len().saturating_sub(MAX_MARKERS);
        let own_end =
            (self.end() - self.span.begin) / (1.0 - self.span.begin).max(f64::MIN_POSITIVE);
        for occurrence in found.take(MAX_MARKERS) {
            let known = dedup.is_some_and(|(count, place, heard)| {
                let number = count.number(occurrence.lap, place);
                if forwards {
                    number < heard.next
                } else {
                    number >= heard.next
                }
            });
            if !known {
                let alpha = self.span.share(occurrence.alpha * own_end.min(1.0));
                self.push(playing, spoken, alpha, occurrence.lap, events);
            }
        }
        lost
    }

    fn push(
        &self,
        playing: &Playing,
        spoken: Spoken<'_>,
        alpha: f64,
        lap: i64,
        events: &mut Vec<Pending>,
    ) {
        let Spoken {
            marker,
            clip,
            weight,
            order,
        } = spoken;
        let kind = GraphEventKind::Marker {
            name: marker.name,
            value: marker.value,
            time: marker.time,
            clip,
        };
        let event = GraphEvent {
            kind,
            layer: self.layer,
            state: playing.state,
            weight: weight * self.weight_at(playing, alpha),
            alpha: alpha as f32,
        };
        let lap = if self.span.to >= self.span.from {
            lap
        } else {
            -lap
        };
        events.push(Pending {
            alpha,
            rank: self.rank(),
            lap,
            order,
            event,
        });
    }

    /// The share of the step after which nothing of the state is left.
    fn end(&self) -> f64 {
        if self.is_current { 1.0 } else { self.fade.end }
    }

    /// The weight of the state in the actor's pose at a share of the step.
    pub(super) fn weight_at(&self, playing: &Playing, share: f64) -> f32 {
        let own = if self.is_current {
            self.fade.incoming(share)
        } else {
            self.fade.outgoing(playing, share)
        };
        own * self.layer_weight
    }

    fn rank(&self) -> Rank {
        if self.is_current && self.fade.began.is_some() {
            Rank::Entered
        } else {
            Rank::Running
        }
    }
}

/// The heaviest sample, where it outweighs the speaker so far by enough; ties go to the first.
fn speaker(weights: &[f32], before: u16) -> u16 {
    debug_assert!(weights.len() <= MAX_SAMPLES);
    let mut heaviest = 0;
    for (index, weight) in weights.iter().enumerate() {
        if *weight > weights[heaviest] {
            heaviest = index;
        }
    }
    match weights.get(usize::from(before)) {
        Some(&own) if own > 0.0 && weights[heaviest] <= own + HYSTERESIS => before,
        _ => heaviest as u16,
    }
}

/// The occurrences of a name in the speaker, numbered through all laps.
struct Count<'a> {
    name: &'a BlendMarker,
    speaker: usize,
    markers: &'a [ClipMarker],
}

impl Count<'_> {
    fn places(&self) -> impl Iterator<Item = (f64, i64)> {
        let own = self.name.own[self.speaker].iter();
        let phase = |&at: &u16| self.markers[usize::from(at)].phase;
        own.map(phase).zip(0..)
    }

    fn number(&self, lap: i64, place: i64) -> i64 {
        let shared = i64::from(self.name.shared);
        let shift = i64::from(self.name.shift[self.speaker]);
        lap.saturating_mul(shared).saturating_add(place + shift)
    }

    /// The first number of a lap that begins at a whole number of cycles.
    fn first_of_lap(&self, lap: f64) -> i64 {
        self.number(lap as i64, 0)
    }

    /// One past the last number that lies at or before `cycles`.
    fn passed(&self, cycles: f64) -> i64 {
        let last = self
            .places()
            .map(|(phase, place)| self.number((cycles - phase).floor() as i64, place));
        last.max().unwrap_or(0).saturating_add(1)
    }

    /// The first number that lies at or after `cycles`.
    fn ahead(&self, cycles: f64) -> i64 {
        let first = self
            .places()
            .map(|(phase, place)| self.number((cycles - phase).ceil() as i64, place));
        first.min().unwrap_or(0)
    }

    /// The marker of a number and the lap it lies in.
    fn marker(&self, number: i64) -> (&ClipMarker, i64) {
        let shared = i64::from(self.name.shared);
        let own = number - i64::from(self.name.shift[self.speaker]);
        let place = own.rem_euclid(shared) as usize;
        let at = self.name.own[self.speaker][place];
        let marker = &self.markers[usize::from(at)];
        (marker, own.div_euclid(shared))
    }
}
