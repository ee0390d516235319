//! Laps that are bent so that the markers of several clips lie at the same phases.

use super::compiled::Leaf;
use crate::LoopMode;

/// How a leaf plays its own laps within one lap of its state: every interval between two markers has the
/// same share of the state's lap, and is straight.
#[derive(Clone, Debug, PartialEq)]
pub struct Warp {
    /// Own laps, unwrapped, at the phases 0, 1/n, ..., 1 of the state; strictly increasing, at least two.
    /// The first lies in 0..1, the last is a whole number of laps later.
    pub knots: Vec<f64>,
    /// That number, at least 1.
    pub laps: u32,
}

impl Warp {
    fn intervals(&self) -> usize {
        self.knots.len().saturating_sub(1).max(1)
    }

    /// Own laps, unwrapped, at a phase of the state.
    fn laps_at(&self, phase: f64) -> f64 {
        let count = self.intervals();
        let place = phase.clamp(0.0, 1.0) * count as f64;
        let interval = (place as usize).min(count - 1);
        let share = place - interval as f64;
        let [from, to] = [self.knots[interval], self.knots[interval + 1]];
        // Exact at both ends.
        from * (1.0 - share) + to * share
    }

    /// The phase of the state at a place in the own laps; above 1 in the lap that follows.
    pub(super) fn phase_of(&self, own: f64) -> f64 {
        let count = self.intervals();
        let (first, length) = (self.knots[0], f64::from(self.laps));
        let lap = ((own - first) / length).floor();
        let own = own - lap * length;
        let after = self.knots.partition_point(|knot| *knot <= own);
        let interval = after.saturating_sub(1).min(count - 1);
        let [from, to] = [self.knots[interval], self.knots[interval + 1]];
        let share = ((own - from) / (to - from)).clamp(0.0, 1.0);
        lap + (interval as f64 + share) / count as f64
    }

    /// The phases of the state at which a place in the own lap is met, in one lap of the state; `place`
    /// lies in 0 to 1.
    pub(super) fn phases_of(&self, place: f64) -> impl Iterator<Item = f64> {
        self.places_of(place).map(|own| self.phase_of(own))
    }

    /// The same, as unwrapped own laps.
    pub(super) fn places_of(&self, place: f64) -> impl Iterator<Item = f64> {
        let first = self.knots[0];
        let end = first + f64::from(self.laps);
        let from = (first - place).ceil();
        let laps = (0..=self.laps).map(move |lap| place + (from + f64::from(lap)));
        laps.filter(move |own| (first..end).contains(own))
    }
}

impl Leaf {
    /// The phase of what the leaf plays, 0 to 1, at a phase of the state.
    pub(super) fn own_phase(&self, phase: f64) -> f64 {
        let Some(warp) = &self.warp else {
            return phase;
        };
        let own = warp.laps_at(phase);
        let fract = own - own.floor();
        // The end of the lap is the end of something and not its beginning.
        if fract == 0.0 && phase >= 1.0 {
            1.0
        } else {
            fract
        }
    }

    /// The clock of what the leaf plays and how it runs, given those of the state.
    pub(super) fn own_clock(&self, mode: LoopMode, cycles: [f64; 2]) -> (LoopMode, [f64; 2]) {
        let Some(warp) = &self.warp else {
            return (mode, cycles);
        };
        let own = |cycles: f64| {
            let lap = match mode {
                LoopMode::Loop => cycles.floor(),
                LoopMode::Once | LoopMode::PingPong => 0.0,
            };
            lap * f64::from(warp.laps) + warp.laps_at(mode.phase(cycles))
        };
        (LoopMode::Loop, cycles.map(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two own laps of markers at .2 and .7, from the second one on.
    fn twice() -> Warp {
        Warp {
            knots: vec![0.7, 1.2, 1.7, 2.2, 2.7],
            laps: 2,
        }
    }

    fn leaf(warp: Option<Warp>) -> Leaf {
        Leaf {
            parts: Vec::new(),
            choir: 0,
            scrubbed: false,
            duration: 1.0,
            stride: 0.0,
            warp,
            markers: Vec::new(),
            windows: Vec::new(),
        }
    }

    #[test]
    fn every_interval_has_the_same_share_and_is_straight() {
        let warp = Warp {
            knots: vec![0.1, 0.2, 0.8, 1.1],
            laps: 1,
        };
        let cases = [
            (0.0, 0.1),
            (1.0 / 6.0, 0.15),
            (1.0 / 3.0, 0.2),
            (0.5, 0.5),
            (2.0 / 3.0, 0.8),
            (5.0 / 6.0, 0.95),
            (1.0, 1.1),
        ];
        for (phase, own) in cases {
            assert!((warp.laps_at(phase) - own).abs() < 1e-12, "{phase}");
            assert!((warp.phase_of(own) - phase).abs() < 1e-12, "{own}");
            assert!((warp.phase_of(own + 3.0) - phase - 3.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_place_is_met_once_in_each_own_lap() {
        let warp = twice();
        for (place, phases) in [
            (0.7, [0.0, 0.5]),
            (0.2, [0.25, 0.75]),
            (0.0, [0.15, 0.65]),
            (1.0, [0.15, 0.65]),
            (0.6, [0.45, 0.95]),
        ] {
            let met: Vec<f64> = warp.phases_of(place).collect();
            assert_eq!(met.len(), 2, "{place}: {met:?}");
            let near = met.iter().zip(phases).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(near, "{place}: {met:?}");
        }
    }

    #[test]
    fn the_own_clock_counts_on_through_all_laps() {
        let leaf = leaf(Some(twice()));
        let (mode, own) = leaf.own_clock(LoopMode::Loop, [-1.25, 3.5]);
        assert_eq!(mode, LoopMode::Loop);
        assert!((own[0] - (2.2 - 4.0)).abs() < 1e-12, "{own:?}");
        assert!((own[1] - (1.7 + 6.0)).abs() < 1e-12, "{own:?}");
        let (_, own) = leaf.own_clock(LoopMode::Once, [0.0, 1.0]);
        assert_eq!(own, [0.7, 2.7]);
    }

    #[test]
    fn the_end_of_the_lap_shows_an_end() {
        let whole = leaf(Some(Warp {
            knots: vec![0.0, 0.25, 1.0],
            laps: 1,
        }));
        assert_eq!((whole.own_phase(0.0), whole.own_phase(1.0)), (0.0, 1.0));
        assert_eq!(whole.own_phase(0.5), 0.25);
        assert_eq!(leaf(None).own_phase(0.3), 0.3);
    }
}
