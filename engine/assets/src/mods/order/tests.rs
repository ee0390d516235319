use proptest::prelude::*;

use super::*;
use crate::ModFiles;

fn one(text: &str) -> Mod {
    let manifest = ModManifest::from_toml(text, "mod.toml").unwrap_or_else(|faults| {
        unreachable!("{text}: {faults:?}");
    });
    let place = format!("mods/{}", manifest.id);
    Mod {
        shown: format!("{place}/mod.toml"),
        text: text.into(),
        files: ModFiles::Folder(place.into()),
        manifest,
    }
}

fn make(id: &str, rest: &str) -> Mod {
    one(&format!(
        "id = \"{id}\"\nversion = \"1.0.0\"\napi = \"1.0\"\n{rest}"
    ))
}

fn plaza() -> BTreeMap<String, Version> {
    BTreeMap::from([("plaza".to_owned(), Version::new(1, 2, 0))])
}

fn ids(mods: &[Mod], order: &Order) -> Vec<String> {
    order
        .order
        .iter()
        .map(|&index| mods[index].manifest.id.clone())
        .collect()
}

/// The ids in load order, then each that is left out with its code.
fn check(mods: &[Mod], loaded: &[&str], left_out: &[(&str, &str)]) -> Order {
    let order = order(mods, &plaza());
    assert_eq!(ids(mods, &order), loaded);
    let out: Vec<(&str, &str)> = order
        .left_out
        .iter()
        .map(|out| (out.id.as_str(), out.fault.code.as_str()))
        .collect();
    assert_eq!(out, left_out);
    order
}

#[test]
fn mods_that_nothing_tells_apart_load_by_id() {
    check(
        &[make("cc", ""), make("aa", ""), make("bb", "")],
        &["aa", "bb", "cc"],
        &[],
    );
}

#[test]
fn needs_and_wishes_load_first() {
    let mods = [
        make("aa", "depends = [\"zz\"]"),
        make("bb", "optional = [\"cc\", \"not_there\"]"),
        make("cc", "load_after = [\"zz\"]"),
        make("zz", "depends = [\"plaza >= 1.0\"]"),
    ];
    let order = check(&mods, &["zz", "aa", "cc", "bb"], &[]);
    assert_eq!(
        order.edges.len(),
        3,
        "none to what is not there or is there anyway"
    );
    assert!(order.warnings.is_empty());
}

#[test]
fn two_mods_that_name_each_other_optionally_both_load() {
    let mods = [
        make("aa", "optional = [\"bb\"]"),
        make("bb", "optional = [\"aa\"]"),
    ];
    let order = check(&mods, &["aa", "bb"], &[]);
    assert_eq!(order.edges.iter().filter(|edge| edge.dropped).count(), 1);
    assert_eq!(order.warnings.len(), 1);
    assert!(
        order.warnings[0]
            .to_string()
            .contains("`aa` cannot load after `bb`")
    );
}

#[test]
fn a_need_outweighs_a_wish() {
    let mods = [
        make("aa", "depends = [\"bb\"]"),
        make("bb", "load_after = [\"aa\"]"),
    ];
    let order = check(&mods, &["bb", "aa"], &[]);
    assert_eq!(order.warnings.len(), 1);
}

#[test]
fn a_circle_of_needs_leaves_its_members_out_and_says_it() {
    let mods = [
        make("aa", "depends = [\"bb\"]"),
        make("bb", "depends = [\"cc\"]"),
        make("cc", "depends = [\"aa\"]"),
        make("dd", "depends = [\"cc\"]"),
        make("ee", "optional = [\"cc\"]"),
        make("ff", ""),
    ];
    let order = check(
        &mods,
        &["ee", "ff"],
        &[
            ("aa", "E-MOD-CYCLE"),
            ("bb", "E-MOD-CYCLE"),
            ("cc", "E-MOD-CYCLE"),
            ("dd", "E-MOD-DEPENDENCY"),
        ],
    );
    let said = order.left_out[0].fault.to_string();
    assert!(
        said.contains("`aa` needs `bb` needs `cc` needs `aa`"),
        "{said}"
    );
}

#[test]
fn what_is_missing_or_does_not_fit_leaves_out_the_mod_and_those_that_need_it() {
    let mods = [
        make("aa", "depends = [\"palza\"]"),
        make("bb", "depends = [\"aa\"]"),
        make("cc", "depends = [\"plaza >= 2.0\"]"),
        make("dd", "conflicts = [\"plaza < 2\"]"),
        make(
            "ee",
            "conflicts = [\"plaza >= 2\"]\noptional = [\"plaza >= 9\", \"aa\"]",
        ),
        make("plaza", ""),
        one("id = \"ff\"\nversion = \"1.0.0\"\napi = \"1.7\"\n"),
        one("id = \"gg\"\nversion = \"1.0.0\"\napi = \"2.0\"\n"),
    ];
    let order = check(
        &mods,
        &["ee"],
        &[
            ("aa", "E-MOD-DEPENDENCY"),
            ("bb", "E-MOD-DEPENDENCY"),
            ("cc", "E-MOD-VERSION-MISMATCH"),
            ("dd", "E-MOD-CONFLICT"),
            ("ff", "E-MOD-API-VERSION"),
            ("gg", "E-MOD-API-VERSION"),
            ("plaza", "E-MOD-ID-TAKEN"),
        ],
    );
    let said: Vec<String> = order
        .left_out
        .iter()
        .map(|out| out.fault.to_string())
        .collect();
    assert!(
        said[0].contains("did you mean `plaza`?") && said[0].contains("mods/aa/mod.toml:4:12"),
        "{}",
        said[0]
    );
    assert!(
        said[1].contains("`aa`, which is left out itself"),
        "{}",
        said[1]
    );
    assert!(
        said[2].contains(">=2.0") && said[2].contains("1.2.0"),
        "{}",
        said[2]
    );
}

#[test]
fn of_two_versions_the_newer_loads_and_twins_do_not() {
    let version = |id: &str, version: &str| {
        one(&format!(
            "id = \"{id}\"\nversion = \"{version}\"\napi = \"1.0\"\n"
        ))
    };
    let mods = [
        version("aa", "1.9.0"),
        version("aa", "1.10.0"),
        version("bb", "1.0.0"),
        version("bb", "1.0.0"),
    ];
    let order = check(
        &mods,
        &["aa"],
        &[("bb", "E-MOD-ID-TAKEN"), ("bb", "E-MOD-ID-TAKEN")],
    );
    assert_eq!(order.order, [1]);
    assert_eq!(order.warnings[0].code, "W-MOD-OLDER");
}

#[test]
fn hundreds_of_mods_that_all_name_each_other_end_soon() {
    let ids: Vec<String> = (0..300).map(|index| format!("mod_{index:03}")).collect();
    let list = |from: usize| {
        let others = (1..=60).map(|step| format!("\"{}\"", ids[(from + step) % ids.len()]));
        others.collect::<Vec<_>>().join(", ")
    };
    let mods: Vec<Mod> = ids
        .iter()
        .enumerate()
        .map(|(at, id)| make(id, &format!("load_after = [{}]", list(at))))
        .collect();
    assert_eq!(order(&mods, &plaza()).order.len(), mods.len());
}

/// What a made-up mod says: lists of numbers of other mods.
type Wishes = (Vec<usize>, Vec<usize>, Vec<usize>, Vec<usize>, bool);

fn made_up() -> impl Strategy<Value = Vec<Wishes>> {
    let list = |most| prop::collection::vec(0_usize..10, 0..most);
    let wishes = (
        list(3),
        list(3),
        list(3),
        list(2),
        prop::bool::weighted(0.1),
    );
    prop::collection::vec(wishes, 1..9)
}

fn write(wishes: &[Wishes]) -> Vec<Mod> {
    let text = |own: usize, list: &[usize], not: &[usize]| {
        let set: BTreeSet<usize> = list
            .iter()
            .copied()
            .filter(|&other| other != own && !not.contains(&other))
            .collect();
        set.iter()
            .map(|other| format!("\"mod_{other}\""))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let of = |(own, (depends, optional, after, conflicts, foreign)): (usize, &Wishes)| {
        one(&format!(
            "id = \"mod_{own}\"\nversion = \"1.0.0\"\napi = \"{}.0\"\ndepends = [{}]\noptional = [{}]\nload_after = [{}]\nconflicts = [{}]\n",
            if *foreign { 2 } else { 1 },
            text(own, depends, &[]),
            text(own, optional, &[]),
            text(own, after, &[]),
            text(own, conflicts, depends),
        ))
    };
    wishes.iter().enumerate().map(of).collect()
}

proptest! {
    #[test]
    fn the_order_is_a_function_of_the_manifests_alone(wishes in made_up(), seed in any::<u64>()) {
        let mods = write(&wishes);
        let first = order(&mods, &plaza());
        let mut other = mods.clone();
        let mut random = seed | 1;
        for last in (1..other.len()).rev() {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            other.swap(last, random as usize % (last + 1));
        }
        let second = order(&other, &plaza());
        prop_assert_eq!(ids(&mods, &first), ids(&other, &second));
        prop_assert_eq!(first.left_out, second.left_out);
        prop_assert_eq!(first.edges, second.edges);
        prop_assert_eq!(first.warnings, second.warnings);
    }

    #[test]
    fn every_edge_holds_and_only_wishes_on_circles_are_dropped(wishes in made_up()) {
        let mods = write(&wishes);
        let found = order(&mods, &plaza());
        let order = ids(&mods, &found);
        let at = |id: &str| order.iter().position(|other| other == id).expect("it loads");
        for edge in &found.edges {
            if edge.dropped {
                prop_assert_ne!(edge.reason, EdgeReason::Depends);
                let mut all = found.edges.clone();
                all.iter_mut().for_each(|edge| edge.dropped = false);
                prop_assert!(reached_from(&edge.after, &all).contains(&edge.before), "{:?}", edge);
            } else {
                prop_assert!(at(&edge.before) < at(&edge.after), "{:?} in {:?}", edge, order);
            }
        }
        prop_assert_eq!(found.edges.iter().filter(|edge| edge.dropped).count(), found.warnings.len());
        prop_assert_eq!(order.len() + found.left_out.len(), mods.len(), "each loads or is told");
    }

    #[test]
    fn all_that_load_have_what_they_need_and_stand_each_other(wishes in made_up()) {
        let mods = write(&wishes);
        let found = order(&mods, &plaza());
        let loaded: BTreeSet<String> = ids(&mods, &found).into_iter().collect();
        for &index in &found.order {
            let manifest = &mods[index].manifest;
            prop_assert!(manifest.depends.iter().all(|need| loaded.contains(need)));
            prop_assert!(!manifest.conflicts.iter().any(|other| loaded.contains(other)));
            prop_assert_eq!(manifest.api.as_str(), "1.0");
        }
    }
}
