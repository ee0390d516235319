//! Reading, printing and running expressions.

use super::*;
use proptest::prelude::*;

fn lookup(name: &str) -> Result<Named, String> {
    match name {
        "speed" => Ok(Named::Number(0)),
        "grounded" => Ok(Named::Bool(1)),
        "jump" => Ok(Named::Trigger(2)),
        _ => Err("did you mean `speed`?".to_owned()),
    }
}

fn compile(text: &str) -> Result<Expression, ExpressionError> {
    Expression::new(&parse(text)?, &lookup)
}

#[test]
fn conditions_hold_as_they_read() {
    let cases = [
        ("grounded and speed > 0.1", [0.2, 1.0, 0.0], true),
        ("grounded and speed > 0.1", [0.1, 1.0, 0.0], false),
        ("not grounded or jump", [0.0, 1.0, 1.0], true),
        ("not (grounded or jump)", [0.0, 0.0, 1.0], false),
        (
            "jump and grounded or speed <= -1e-3",
            [-1.0, 0.0, 0.0],
            true,
        ),
        ("grounded == false", [0.0, 0.0, 0.0], true),
        ("not not grounded", [0.0, 1.0, 0.0], true),
        ("grounded != true and 1 < 2", [0.0, 0.0, 0.0], true),
        ("speed >= 2", [2.0, 0.0, 0.0], true),
        ("speed == 2 or true", [1.0, 0.0, 0.0], true),
    ];
    for (text, values, expected) in cases {
        let expression = compile(text).expect(text);
        let holds = expression.holds(|index| values[usize::from(index)]);
        assert_eq!(holds, expected, "{text} with {values:?}");
    }
}

#[test]
fn a_mistake_is_named_with_its_column() {
    let cases = [
        ("", 1, "found the end"),
        ("grounded and", 13, "found the end"),
        ("grounded speed", 10, "expected `and`, `or` or the end"),
        ("speed = 2", 7, "`=`"),
        ("grounded && jump", 10, "`&`"),
        ("!grounded", 1, "`!`"),
        ("(grounded", 10, "expected `)`"),
        ("1 < speed < 3", 11, "do not chain"),
        ("speed", 1, "is a number"),
        ("not speed", 5, "is a number"),
        ("jump > 0", 1, "is a trigger"),
        ("grounded > 0", 1, "compares a number with true or false"),
        ("grounded < true", 1, "compares numbers"),
        ("grounded and sped > 1", 14, "no parameter `sped`"),
        ("speed > 1x", 9, "`1x` is not a number"),
        ("speed > 1e999", 9, "is not a number"),
        ("speed > 1 ; grounded", 11, "has no meaning"),
    ];
    for (text, column, message) in cases {
        let error = compile(text).expect_err(text);
        assert_eq!(error.column, column, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
    }
}

#[test]
fn deep_and_long_text_is_refused_rather_than_run() {
    let deep = format!("{}grounded{}", "(".repeat(2000), ")".repeat(2000));
    let nots = format!("{}grounded", "not ".repeat(1000));
    let long = "grounded and ".repeat(1000) + "grounded";
    for text in [deep, nots, long] {
        assert!(compile(&text).is_err());
    }
    let wide = "grounded and ".repeat(300) + "grounded";
    assert!(compile(&wide).expect("leans left").holds(|_| 1.0));
}

fn tree() -> impl Strategy<Value = Tree> {
    let at = |node| Tree { node, column: 0 };
    let number = prop_oneof![
        (-1e6..1e6_f64).prop_map(Node::Number),
        Just(Node::Name("speed".to_owned())),
    ];
    let compare = (number.clone(), number, 0..6_usize).prop_map(move |(a, b, index)| {
        let comparisons = [
            Comparison::Equal,
            Comparison::NotEqual,
            Comparison::Less,
            Comparison::LessOrEqual,
            Comparison::Greater,
            Comparison::GreaterOrEqual,
        ];
        Node::Compare(comparisons[index], Box::new(at(a)), Box::new(at(b)))
    });
    let leaf = prop_oneof![
        any::<bool>().prop_map(Node::Bool),
        Just(Node::Name("grounded".to_owned())),
        Just(Node::Name("jump".to_owned())),
        compare,
    ];
    leaf.prop_map(at).prop_recursive(6, 40, 2, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Node::Not(Box::new(a))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Node::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner).prop_map(|(a, b)| Node::Or(Box::new(a), Box::new(b))),
        ]
        .prop_map(at)
    })
}

fn oracle(tree: &Tree, values: &[f64; 3]) -> f64 {
    let truth = |flag| if flag { 1.0 } else { 0.0 };
    let value = |tree: &Tree| oracle(tree, values);
    match &tree.node {
        Node::Number(number) => *number,
        Node::Bool(flag) => truth(*flag),
        Node::Name(name) => match name.as_str() {
            "speed" => values[0],
            "grounded" => values[1],
            _ => values[2],
        },
        Node::Not(a) => truth(value(a) == 0.0),
        Node::And(a, b) => value(a) * value(b),
        Node::Or(a, b) => value(a).max(value(b)),
        Node::Compare(comparison, a, b) => truth(comparison.holds(value(a), value(b))),
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back_and_holds_the_same(tree in tree(), speed in -2.0..2.0_f64, flags: [bool; 2]) {
        let text = tree.to_string();
        let again = parse(&text).expect("own text");
        prop_assert_eq!(&again, &tree, "{}", text);
        let values = [speed, f64::from(flags[0]), f64::from(flags[1])];
        let expression = Expression::new(&again, &lookup).expect("well typed");
        let holds = expression.holds(|index| values[usize::from(index)]);
        prop_assert_eq!(holds, oracle(&tree, &values) != 0.0);
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,80}") {
        let _ = compile(&text);
    }

    #[test]
    fn no_row_of_tokens_makes_it_panic(words in proptest::collection::vec(0..14_usize, 0..40)) {
        let known = ["and", "or", "not", "(", ")", "==", "<", ">=", "speed", "grounded", "jump", "1.5", "true", "-"];
        let text: Vec<&str> = words.iter().map(|&word| known[word]).collect();
        let _ = compile(&text.join(" "));
    }
}
