//! Whatever is written down, what comes of it holds together.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sinew_anim::{Graph, Motion, Points, State};

use crate::compiled_motions::{clips, parameters};
use crate::support::{Random, compile};

/// Picks numbers below a limit.
struct Pick(Random);

impl Pick {
    fn below(&mut self, count: usize) -> usize {
        ((self.0.next() * count as f64) as usize).min(count - 1)
    }

    fn one(&mut self, values: &[Value]) -> Value {
        values[self.below(values.len())].clone()
    }

    fn chance(&mut self, share: f64) -> bool {
        self.0.next() < share
    }
}

fn clip(pick: &mut Pick) -> Value {
    let mut clip =
        json!({ "clip": pick.one(&[json!("walk"), json!("run"), json!("sway"), json!("pose")]) });
    if clip["clip"] != "pose" && pick.chance(0.3) {
        clip["range"] = pick.one(&[json!([0, 0.5]), json!([0.25, 1.0]), json!([0.0, 1.0])]);
    }
    if pick.chance(0.3) {
        clip["mirror"] = pick.one(&[
            json!(true),
            json!(false),
            json!({ "pairs": [["arm", "tail"]] }),
        ]);
    }
    clip
}

fn motion(pick: &mut Pick, depth: usize) -> Value {
    if depth == 0 || pick.chance(0.3) {
        return clip(pick);
    }
    let motions = |pick: &mut Pick| {
        let count = 1 + pick.below(3);
        (0..count)
            .map(|_| motion(pick, depth - 1))
            .collect::<Vec<_>>()
    };
    match pick.below(11) {
        0 => json!({ "rest": true }),
        1 => json!({ "pose": pick.one(&[json!("b"), json!("a")]) }),
        2 => json!({ "motion": pick.one(&[json!("m"), json!("n")]) }),
        3 => json!({ "sequence": [clip(pick), clip(pick), "m"] }),
        4 => json!({ "select": "n", "children": motions(pick) }),
        5 => json!({ "select": "random", "children": motions(pick) }),
        6 => {
            json!({ "additive": { "base": motion(pick, depth - 1), "add": clip(pick), "weight": "y" } })
        }
        7 => {
            let children = motions(pick)
                .into_iter()
                .map(|motion| json!({ "weight": "x", "motion": motion }));
            json!({ "direct": children.collect::<Vec<_>>() })
        }
        8 => {
            let mut machine = machine(pick, depth - 1);
            machine["reenter"] = pick.one(&[json!("reset"), json!("resume")]);
            json!({ "machine": machine })
        }
        9 => {
            let points = motions(pick).into_iter().enumerate();
            let points = points.map(|(at, motion)| json!({ "at": at, "motion": motion }));
            json!({ "blend": "x", "points": points.collect::<Vec<_>>() })
        }
        _ => {
            let points = motions(pick).into_iter().enumerate();
            let points =
                points.map(|(at, motion)| json!({ "at": [at, at * at], "motion": motion }));
            let weights = pick.one(&[json!("gradient_band"), json!("polar"), json!("delaunay")]);
            json!({ "blend": ["x", "y"], "weights": weights, "points": points.collect::<Vec<_>>() })
        }
    }
}

fn machine(pick: &mut Pick, depth: usize) -> Value {
    let mut states =
        json!({ "a": motion(pick, depth), "b": motion(pick, depth), "hub": { "conduit": true } });
    for name in ["a", "b"] {
        if pick.chance(0.5) {
            states[name]["events"] = json!([{ "name": format!("of {name}"), "phase": 0.5 }, { "name": "later", "time": 0.1 }]);
        }
        if pick.chance(0.3) {
            states[name]["sync_group"] = json!("feet");
        }
    }
    let names = [json!("a"), json!("b"), json!("any"), json!(["a", "b"])];
    let mut ways = vec![json!({ "name": "out", "from": "hub", "to": "a" })];
    for _ in 0..pick.below(6) {
        let to = pick.one(&[json!("a"), json!("b"), json!("hub")]);
        let mut way = json!({ "from": pick.one(&names), "to": to, "when": "x > 1", "priority": pick.below(3) });
        if pick.chance(0.4) {
            way["interrupted_by"] = json!(["out"]);
        }
        if pick.chance(0.3) {
            way["profile"] = pick.one(&[
                json!({ "arm": 0.5 }),
                json!({ "j": 0.1, "hand": 1 }),
                json!({}),
            ]);
        }
        ways.push(way);
    }
    json!({ "entry": "a", "states": states, "transitions": ways })
}

fn document(pick: &mut Pick) -> Value {
    let layers = (0..1 + pick.below(3)).map(|index| {
        let mut layer = machine(pick, 3);
        layer["name"] = json!(format!("l{index}"));
        if pick.chance(0.4) {
            layer["blend"] = json!("additive");
            layer["reference"] = pick.one(&[
                json!("first_frame"),
                json!("rest"),
                json!({ "clip": "sway" }),
            ]);
            layer["space"] = pick.one(&[json!("local"), json!("mesh")]);
        }
        layer
    });
    let mut def = json!({ "layers": layers.collect::<Vec<_>>() });
    def["parameters"] = parameters();
    def["root"] = json!({ "joint": "root" });
    def["motions"] = json!({ "m": clip(pick), "n": motion(pick, 1) });
    if def["motions"]["n"]["motion"] == "n" {
        def["motions"]["n"] = json!({ "clip": "run" });
    }
    if pick.chance(0.3) {
        def["slots"] = json!({ "hit": {} });
    }
    def
}

/// What a walk over the motion of a state meets.
#[derive(Default)]
struct Walk {
    leaves: Vec<u16>,
    machines: Vec<u16>,
    randoms: Vec<u16>,
}

fn walk(graph: &Graph, index: u16, met: &mut Walk) {
    let mut inside = |child: u16| {
        assert!(child > index, "children stand behind");
        walk(graph, child, met);
    };
    match &graph.motions[usize::from(index)] {
        Motion::Rest => {}
        Motion::Pose(pose) => assert!(usize::from(*pose) < graph.poses.len()),
        Motion::Clip(sample) | Motion::Scrub { sample, .. } => met.leaves.push(sample.leaf),
        Motion::Sequence { leaf, .. } => met.leaves.push(*leaf),
        Motion::Machine(machine) => met.machines.push(*machine),
        Motion::Blend(space) => {
            let at = match &space.points {
                Points::Line { at, .. } => at.len(),
                Points::Plane { at, .. } => at.len(),
            };
            assert_eq!(at, space.children.len());
            space.children.iter().for_each(|child| inside(child.motion));
        }
        Motion::Direct(children) => children.iter().for_each(|child| inside(child.motion)),
        Motion::Additive { base, add, .. } => {
            inside(*base);
            inside(*add);
        }
        Motion::Select { children, .. } => children.iter().for_each(|child| inside(*child)),
        Motion::Random { slot, children } => {
            children.iter().for_each(|child| inside(*child));
            met.randoms.push(*slot);
        }
    }
}

fn check_state(graph: &Graph, state: &State, place: [u16; 2]) {
    let mut met = Walk::default();
    walk(graph, state.motion, &mut met);
    // Each leaf, machine and choice is met once, leaves in their order.
    let leaves: Vec<u16> = (0..state.leaves.len() as u16).collect();
    assert_eq!(met.leaves, leaves);
    assert_eq!(met.machines, state.machines);
    let randoms: BTreeSet<u16> = state.randoms.iter().map(|random| random.slot).collect();
    assert_eq!(met.randoms.into_iter().collect::<BTreeSet<u16>>(), randoms);
    for &machine in &state.machines {
        assert_eq!(graph.machines[usize::from(machine)].parent, Some(place));
        assert!(
            machine > place[0],
            "machines stand behind those around them"
        );
    }
    // Choirs share out the leaves.
    let mut singers: Vec<u16> = state
        .choirs
        .iter()
        .flat_map(|choir| choir.leaves.clone())
        .collect();
    singers.sort_unstable();
    assert_eq!(singers, leaves);
    assert!(state.choirs.len() <= sinew_anim::MAX_CHOIRS);
    for (index, choir) in state.choirs.iter().enumerate() {
        let own = |&leaf: &u16| usize::from(state.leaves[usize::from(leaf)].choir) == index;
        assert!(!choir.leaves.is_empty() && choir.leaves.iter().all(own));
        for marker in &choir.markers {
            assert_eq!(marker.own.len(), choir.leaves.len());
            for (leaf, own) in choir.leaves.iter().zip(&marker.own) {
                let markers = &state.leaves[usize::from(*leaf)].markers;
                assert!(
                    own.iter()
                        .all(|&own| markers[usize::from(own)].name == marker.name)
                );
            }
        }
    }
    for leaf in &state.leaves {
        assert_eq!(
            (leaf.parts[0].begin, leaf.parts[leaf.parts.len() - 1].end),
            (0.0, 1.0)
        );
        assert!(
            leaf.parts
                .windows(2)
                .all(|pair| pair[0].end == pair[1].begin)
        );
        assert!(leaf.parts.iter().all(|part| part.begin <= part.end));
        let phases: Vec<f64> = leaf.markers.iter().map(|marker| marker.phase).collect();
        assert!(phases.is_sorted() && phases.iter().all(|phase| (0.0..=1.0).contains(phase)));
    }
}

fn check(graph: &Graph) {
    let mut paths = BTreeSet::new();
    for (machine, index) in graph.machines.iter().zip(0..) {
        assert!(usize::from(machine.entry) < machine.states.len());
        for (state, number) in machine.states.iter().zip(0..) {
            check_state(graph, state, [index, number]);
            assert!(paths.insert((machine.layer, &state.path)), "{}", state.path);
            assert_eq!(
                graph.state_at(machine.layer, &state.path),
                Some([index, number])
            );
            let ways = state
                .ways_out
                .iter()
                .map(|&way| (way, &machine.transitions[usize::from(way)]));
            let order: Vec<_> = ways
                .map(|(index, way)| (-way.priority, way.any, index))
                .collect();
            assert!(order.is_sorted());
            assert!(!state.conduit || order.iter().all(|(_, any, _)| !any));
        }
        let names: BTreeSet<&str> = machine
            .transitions
            .iter()
            .map(|way| way.name.as_str())
            .collect();
        assert_eq!(names.len(), machine.transitions.len());
        for way in &machine.transitions {
            assert!(
                way.blend
                    .profile
                    .is_none_or(|profile| usize::from(profile) < graph.profiles.len())
            );
        }
    }
    if let Some(root) = &graph.root {
        assert_eq!(root.tracks.len(), graph.clips.len());
    }
    for clip in &graph.clips {
        assert!(clip.start >= 0.0 && clip.start + clip.duration <= f64::from(clip.clip.duration));
        assert!(
            clip.markers
                .iter()
                .all(|marker| (0.0..=1.0).contains(&marker.phase))
        );
        assert!(
            clip.windows.iter().all(|window| 0.0 <= window.begin
                && window.begin <= window.end
                && window.end <= 1.0)
        );
        assert!(clip.curves.is_sorted());
    }
    for list in [&graph.names, &graph.curves, &graph.poses] {
        assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
    }
}

#[test]
fn whatever_is_written_down_what_comes_of_it_holds_together() {
    let mut sound = 0;
    for seed in 1..=300_u64 {
        let mut pick = Pick(Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let def = document(&mut pick);
        match compile(def.clone(), clips()) {
            Ok(graph) => {
                check(&graph);
                sound += 1;
            }
            // Too many additions in one state are the only thing that can be wrong.
            Err(errors) => assert!(
                errors.iter().all(|error| error.code == "E-GRAPH-LIMIT"),
                "seed {seed}: {errors:#?} in {def}"
            ),
        }
    }
    assert!(sound > 250, "{sound}");
}

/// The places of all parts of a document.
fn places(def: &Value) -> Vec<String> {
    let mut places = Vec::new();
    let mut open = vec![(String::new(), def)];
    while let Some((place, value)) = open.pop() {
        match value {
            Value::Array(items) => {
                let items = items.iter().enumerate();
                open.extend(items.map(|(index, item)| (format!("{place}/{index}"), item)));
            }
            Value::Object(items) => {
                let items = items.iter();
                open.extend(items.map(|(key, item)| (format!("{place}/{key}"), item)));
            }
            _ => {}
        }
        places.push(place);
    }
    places
}

/// Parts that stand where others belong are right or wrong, but never more than that.
#[test]
fn parts_in_each_others_places_compile_to_something_sound_or_to_mistakes() {
    let text = include_str!("everything.json");
    let everything: Value = serde_json::from_str(text).expect("JSON");
    let places = places(&everything);
    let mut sound = 0;
    for seed in 1..=4000_u64 {
        let mut pick = Pick(Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)));
        let mut def = everything.clone();
        for _ in 0..1 + pick.below(3) {
            // Mostly the same key elsewhere, such as a motion for a motion.
            let to = &places[pick.below(places.len())];
            let key = |place: &str| place.rsplit('/').next().map(str::to_owned);
            let same: Vec<&String> = places.iter().filter(|from| key(from) == key(to)).collect();
            let from = match pick.chance(0.7) {
                true => same[pick.below(same.len())],
                false => &places[pick.below(places.len())],
            };
            let Some(part) = def.pointer(from).cloned() else {
                continue;
            };
            if let Some(place) = def.pointer_mut(to) {
                *place = part;
            }
        }
        match compile(def, clips()) {
            Ok(graph) => {
                check(&graph);
                sound += 1;
            }
            Err(errors) => assert!(!errors.is_empty() && errors.len() <= 64, "seed {seed}"),
        }
    }
    assert!(sound > 200, "{sound}");
}
