//! Names of things on one side of a body.

/// The words that say a side, as they are written.
const SIDES: [[&str; 2]; 5] = [
    ["left", "right"],
    ["Left", "Right"],
    ["LEFT", "RIGHT"],
    ["l", "r"],
    ["L", "R"],
];

/// The name of what stands on the other side: each word that says left or right is swapped. `None` for
/// a name without such a word.
///
/// Words are parted by anything but letters and digits, and long ones also by a change of case or a digit:
/// `hand_L`, `l-foot`, `Hand.L.001`, `mixamorig:LeftArm`, `eyeBlinkLeft` and `left_toe2` have a side, `bright`,
/// `Leftover` and `L1` have none. Doing it twice gives the name back.
pub fn mirrored_name(name: &str) -> Option<String> {
    let mut out = String::with_capacity(name.len() + 2);
    let (mut at, mut found) = (0, false);
    while let Some(next) = name[at..].chars().next() {
        if let Some([own, other]) = side_at(name, at) {
            out.push_str(other);
            at += own.len();
            found = true;
        } else {
            out.push(next);
            at += next.len_utf8();
        }
    }
    found.then_some(out)
}

/// The side word that begins at the byte `at`, and the other one.
fn side_at(name: &str, at: usize) -> Option<[&'static str; 2]> {
    let before = name[..at].chars().next_back();
    let pairs = SIDES.iter().flat_map(|&[a, b]| [[a, b], [b, a]]);
    pairs.into_iter().find(|[own, _]| {
        let Some(rest) = name[at..].strip_prefix(own) else {
            return false;
        };
        let after = rest.chars().next();
        let parted = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        if own.len() == 1 {
            return parted(before) && parted(after);
        }
        let capital = own.starts_with(char::is_uppercase);
        let all_capitals = own.ends_with(char::is_uppercase);
        let begins = parted(before)
            || before.is_some_and(char::is_numeric)
            || (capital && (!all_capitals || before.is_some_and(char::is_lowercase)));
        let ends = parted(after)
            || after.is_some_and(char::is_numeric)
            || (!all_capitals && after.is_some_and(char::is_uppercase));
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_left_or_right_are_swapped_and_swapped_back() {
        let pairs = [
            ("hand_L", "hand_R"),
            ("hand.L", "hand.R"),
            ("hand-l", "hand-r"),
            ("L_hand", "R_hand"),
            ("l_hand", "r_hand"),
            ("Hand.L.001", "Hand.R.001"),
            ("thumb_01_l", "thumb_01_r"),
            ("left_hand", "right_hand"),
            ("hand_left", "hand_right"),
            ("leftHand", "rightHand"),
            ("mixamorig:LeftArm", "mixamorig:RightArm"),
            ("UpperArmLeft", "UpperArmRight"),
            ("IKLeftFoot", "IKRightFoot"),
            ("ARM_LEFT", "ARM_RIGHT"),
            ("armLEFT", "armRIGHT"),
            ("toe2Left", "toe2Right"),
            ("left2", "right2"),
            ("face/eyeBlinkLeft", "face/eyeBlinkRight"),
            ("face/smile_L", "face/smile_R"),
            ("left_hand_L", "right_hand_R"),
            ("ärm_L", "ärm_R"),
            ("L", "R"),
        ];
        for (left, right) in pairs {
            assert_eq!(mirrored_name(left).as_deref(), Some(right));
            assert_eq!(mirrored_name(right).as_deref(), Some(left));
        }
    }

    #[test]
    fn other_words_have_no_side() {
        for name in [
            "",
            "hips",
            "bright",
            "Bright",
            "copyright",
            "Leftover",
            "leftover",
            "L1",
            "tail",
            "leg",
            "handL",
            "cleft",
            "LEFTover",
            "url",
            "ö",
        ] {
            assert_eq!(mirrored_name(name), None, "{name}");
        }
    }
}
