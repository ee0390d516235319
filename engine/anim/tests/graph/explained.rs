//! What is said of machines before a step is what happens in it.

use serde_json::json;
use sinew_anim::{Verdict, explain};

use crate::support::{Player, clip, one_layer};

#[test]
fn a_gate_inside_a_state_is_explained_at_the_speed_of_that_state() {
    let inside = json!({
        "entry": "o",
        "states": { "o": { "clip": "x" }, "p": { "clip": "x" } },
        "transitions": [{ "from": "o", "to": "p", "exit_time": 0.5 }],
    });
    let states = json!({ "m": { "machine": inside, "speed": 4.0 } });
    let mut player = Player::new(
        one_layer(json!({}), states, "m", json!([])),
        vec![clip("x", 1.0).x(1, 0.0, 1.0)],
    );
    let told = explain(&player.graph, &player.state, 0, 0.2);
    let verdict = &told[1].candidates[0].verdict;
    assert!(
        matches!(verdict, Verdict::Starts { share, .. } if (share - 0.625).abs() < 1e-4),
        "{verdict:?}"
    );
    player.step(0.2);
    assert_eq!(player.count("enter m/p"), 1, "{:?}", player.words());
}
