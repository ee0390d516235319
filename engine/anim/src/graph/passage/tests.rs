//! Windows followed along clocks of any kind, against what a look at the clock says.

use super::*;
use crate::test_support::Random;

const MODES: [LoopMode; 3] = [LoopMode::Once, LoopMode::Loop, LoopMode::PingPong];

/// One window and what has been told of it: whether it begins, its lap and the place on the clock.
struct Run {
    window: [f64; 2],
    mode: LoopMode,
    at: f64,
    fresh: bool,
    open: Option<i64>,
    told: Vec<(bool, i64, f64)>,
    lost: usize,
}

impl Run {
    fn new(window: [f64; 2], mode: LoopMode, at: f64) -> Self {
        Self {
            window,
            mode,
            at,
            fresh: true,
            open: None,
            told: Vec::new(),
            lost: 0,
        }
    }

    fn go(&mut self, to: f64, may_begin: bool) {
        let from = self.at;
        let stretch = Stretch::new(self.mode, from, to, self.fresh);
        let told = &mut self.told;
        let after = follow(self.window, &stretch, self.open, may_begin, &mut |edge| {
            told.push((edge.begins, edge.lap, from + (to - from) * edge.alpha));
        });
        self.open = after.open;
        self.lost += after.lost;
        self.at = to;
        self.fresh = false;
    }

    fn begins(&self) -> usize {
        self.told.iter().filter(|(begins, ..)| *begins).count()
    }
}

fn random_window(random: &mut Random) -> [f64; 2] {
    let [a, b] = [0; 2].map(|_| match random.below(5) {
        0 => 0.0,
        1 => 1.0,
        2 => f64::from(random.below(5)) / 4.0,
        _ => random.unit(),
    });
    [a.min(b), a.max(b)]
}

#[test]
fn a_loop_begins_and_ends_a_window_as_often_as_the_closed_form_says() {
    let mut random = Random::new(41);
    for _ in 0..2000 {
        let window = random_window(&mut random);
        let [begin, end] = window;
        if begin == end {
            continue;
        }
        let (from, to) = (random.range(-5.0, 5.0), random.range(-5.0, 5.0));
        let mut run = Run::new(window, LoopMode::Loop, from);
        run.go(to, true);
        // As for markers, and one more where the clock stood inside already.
        let phase = from - from.floor();
        let inside = usize::from(begin < phase && phase < end);
        let crossed = |place: f64| {
            let count = if to >= from {
                (to - place).floor() - (from - place).floor()
            } else {
                (from - place).ceil() - (to - place).ceil()
            };
            count as usize
        };
        let (first, last) = if to >= from {
            (begin, end)
        } else {
            (end, begin)
        };
        assert_eq!(
            run.begins(),
            crossed(first) + inside,
            "{window:?} {from} {to}"
        );
        let ends = run.told.len() - run.begins();
        assert_eq!(ends, crossed(last), "{window:?} {from} {to}");
        assert_eq!(run.open.is_some(), run.begins() > ends);
    }
}

#[test]
fn any_partition_of_a_way_tells_the_same() {
    let mut random = Random::new(42);
    for case in 0..3000 {
        let window = random_window(&mut random);
        let mode = MODES[case % 3];
        let place = |random: &mut Random| match mode {
            LoopMode::Once => random.unit(),
            _ => f64::from(random.below(40)) / 8.0 - 2.5,
        };
        let (from, to) = (place(&mut random), place(&mut random));
        let mut whole = Run::new(window, mode, from);
        whole.go(to, true);
        let mut cuts: Vec<f64> = (0..random.below(9))
            .map(|_| f64::from(random.below(16)) / 16.0)
            .collect();
        cuts.push(1.0);
        cuts.sort_by(f64::total_cmp);
        let mut pieces = Run::new(window, mode, from);
        for cut in cuts {
            let next = from + (to - from) * cut;
            pieces.go(if cut == 1.0 { to } else { next }, true);
        }
        let key = |told: &[(bool, i64, f64)]| {
            let mut key: Vec<_> = told
                .iter()
                .map(|(begins, lap, at)| ((at * 1e9).round() as i64, *lap, *begins))
                .collect();
            key.sort_unstable();
            key
        };
        assert_eq!(
            key(&pieces.told),
            key(&whole.told),
            "{window:?} {mode:?} {from} {to}"
        );
        assert_eq!(pieces.open, whole.open, "{window:?} {mode:?} {from} {to}");
    }
}

#[test]
fn wherever_the_clock_turns_a_window_is_open_where_the_clock_is_inside() {
    let mut random = Random::new(43);
    for case in 0..1500 {
        let [begin, end] = random_window(&mut random);
        let mode = MODES[case % 3];
        let mut run = Run::new([begin, end], mode, 0.0);
        for _ in 0..30 {
            let to = match mode {
                LoopMode::Once => f64::from(random.below(9)) / 8.0,
                _ => run.at + f64::from(random.below(17)) / 8.0 - 1.0,
            };
            run.go(to, true);
            let phase = mode.phase(to);
            if begin < phase && phase < end {
                assert!(run.open.is_some(), "[{begin}, {end}] {mode:?} at {to}");
            }
            let outside = phase < begin || phase > end;
            // A lap that ends where the next begins has the phase of the next.
            if outside && phase != 0.0 {
                assert_eq!(run.open, None, "[{begin}, {end}] {mode:?} at {to}");
            }
            let ends = run.told.len() - run.begins();
            assert_eq!(run.begins() - ends, usize::from(run.open.is_some()));
        }
    }
}

#[test]
fn what_may_not_begin_only_ends() {
    let mut random = Random::new(44);
    for case in 0..1500 {
        let mode = MODES[case % 3];
        let mut run = Run::new(random_window(&mut random), mode, random.unit());
        for _ in 0..30 {
            let may_begin = random.below(2) == 0;
            let before = run.begins();
            let to = match mode {
                LoopMode::Once => random.unit(),
                _ => run.at + random.range(-1.5, 1.5),
            };
            run.go(to, may_begin);
            assert!(may_begin || run.begins() == before);
            let ends = run.told.len() - run.begins();
            assert_eq!(run.begins() - ends, usize::from(run.open.is_some()));
        }
    }
}

#[test]
fn a_window_without_length_begins_and_ends_where_a_marker_is_heard() {
    for (mode, from, to, expected) in [
        (LoopMode::Loop, 0.0, 2.0, 3),
        (LoopMode::Loop, 2.0, 0.0, 2),
        (LoopMode::Once, 0.0, 1.0, 1),
        (LoopMode::PingPong, 0.0, 4.0, 3),
    ] {
        let mut run = Run::new([0.0, 0.0], mode, from);
        run.go(to, true);
        assert_eq!(run.begins(), expected, "{mode:?} from {from} to {to}");
        assert_eq!(run.told.len(), 2 * expected);
        assert_eq!(run.open, None);
    }
}

#[test]
fn one_that_fills_the_lap_ends_before_it_begins_again() {
    let mut run = Run::new([0.0, 1.0], LoopMode::Loop, 0.0);
    run.go(2.5, true);
    assert_eq!(
        run.told,
        [
            (true, 0, 0.0),
            (false, 0, 1.0),
            (true, 1, 1.0),
            (false, 1, 2.0),
            (true, 2, 2.0),
        ]
    );
    assert_eq!(run.open, Some(2));
}

#[test]
fn a_clock_that_stops_a_hair_before_a_boundary_opens_a_window_no_second_time() {
    let hairs = [0.0, 1e-17, 1.2e-16, 2.3e-16, 1e-15, 1e-12];
    for window in [[0.0, 1.0], [1.0 / 3.0, 1.0], [0.1, 0.1 + 0.9]] {
        for (lap, direction) in [(1.0, 1.0), (-1.0, -1.0), (7.0, 1.0), (-7.0, -1.0)] {
            for hair in hairs {
                let mut run = Run::new(window, LoopMode::Loop, 0.0);
                for to in [
                    0.3 * direction,
                    lap - hair * direction,
                    lap + 0.2 * direction,
                ] {
                    run.go(to, true);
                    let begins = run.begins() as i64;
                    let open = 2 * begins - run.told.len() as i64;
                    assert!(
                        open == i64::from(run.open.is_some()),
                        "{window:?}, {to}: {:?}",
                        run.told
                    );
                }
            }
        }
    }
}

#[test]
fn laps_beyond_those_that_fit_are_counted_and_the_last_is_told() {
    let mut run = Run::new([0.25, 0.75], LoopMode::Loop, 0.0);
    run.go(1e9 + 0.5, true);
    assert_eq!(run.begins(), MAX_MARKERS + 1);
    assert_eq!(run.lost, 1_000_000_000 - MAX_MARKERS);
    assert_eq!(run.open, Some(1_000_000_000));
    run.go(f64::NAN, true);
    run.go(0.0, true);
}
