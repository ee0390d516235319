//! Conditions such as `grounded and (speed > 0.1 or not crouched)`: text to tree to a flat program
//! that runs without allocating.

use std::fmt;

/// Longest text that is read, bytes.
pub const MAX_EXPRESSION_BYTES: usize = 4096;

/// Deepest nesting of parentheses and `not`.
const MAX_DEPTH: usize = 32;

/// Values that may wait at once while an expression runs.
const MAX_STACK: usize = 16;

/// A condition as a tree, with names not yet looked up.
#[derive(Clone, Debug)]
pub struct Tree {
    /// What it is.
    pub node: Node,
    /// Column of its first character, from 1.
    pub column: usize,
}

/// What a [`Tree`] is.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A finite number.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A parameter.
    Name(String),
    /// `not a`.
    Not(Box<Tree>),
    /// `a and b`.
    And(Box<Tree>, Box<Tree>),
    /// `a or b`.
    Or(Box<Tree>, Box<Tree>),
    /// `a < b` and the like.
    Compare(Comparison, Box<Tree>, Box<Tree>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
        }
    }
}

/// Trees are equal where they say the same, wherever it stands.
impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct ExpressionError {
    /// One of [`GRAPH_CODES`](crate::GRAPH_CODES).
    pub code: &'static str,
    /// Of the culprit's first character, from 1.
    pub column: usize,
    /// What is wrong and what was expected.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl ExpressionError {
    fn new(column: usize, message: impl Into<String>) -> Self {
        Self {
            code: "graph-expression",
            column,
            message: message.into(),
            help: None,
        }
    }

    fn coded(mut self, code: &'static str) -> Self {
        self.code = code;
        self
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Writes the expression with as few parentheses as it needs.
impl fmt::Display for Tree {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_tree(self, 0, formatter)
    }
}

/// `or` binds at level 1, `and` at 2, `not` at 3, comparisons at 4; a part that binds less tightly
/// than its place asks for stands in parentheses.
fn write_tree(tree: &Tree, place: u8, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    let level = match &tree.node {
        Node::Or(..) => 1,
        Node::And(..) => 2,
        Node::Not(_) => 3,
        Node::Compare(..) => 4,
        Node::Number(_) | Node::Bool(_) | Node::Name(_) => 5,
    };
    if level < place {
        out.write_str("(")?;
    }
    match &tree.node {
        Node::Number(number) => write!(out, "{number}")?,
        Node::Bool(flag) => write!(out, "{flag}")?,
        Node::Name(name) => out.write_str(name)?,
        Node::Not(inner) => {
            out.write_str("not ")?;
            write_tree(inner, 3, out)?;
        }
        Node::And(a, b) => write_pair(a, " and ", b, [2, 3], out)?,
        Node::Or(a, b) => write_pair(a, " or ", b, [1, 2], out)?,
        Node::Compare(comparison, a, b) => {
            write_pair(a, &format!(" {} ", comparison.sign()), b, [5, 5], out)?;
        }
    }
    if level < place {
        out.write_str(")")?;
    }
    Ok(())
}

fn write_pair(
    a: &Tree,
    between: &str,
    b: &Tree,
    places: [u8; 2],
    out: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    write_tree(a, places[0], out)?;
    out.write_str(between)?;
    write_tree(b, places[1], out)
}

/// Reads an expression: `or`, `and`, `not`, parentheses, `== != < <= > >=`, names, numbers, `true`
/// and `false`. `not` binds tighter than `and`, `and` tighter than `or`; comparisons do not chain.
///
/// # Errors
/// The first thing that does not read, with its column.
pub fn parse(text: &str) -> Result<Tree, ExpressionError> {
    if text.len() > MAX_EXPRESSION_BYTES {
        let message = format!("longer than {MAX_EXPRESSION_BYTES} bytes");
        return Err(ExpressionError::new(1, message));
    }
    let mut parser = Parser {
        tokens: tokens(text)?,
        at: 0,
        depth: 0,
    };
    let tree = parser.either()?;
    match parser.token() {
        (Token::End, _) => Ok(tree),
        (token, column) => {
            let message = format!("expected `and`, `or` or the end, found {token}");
            Err(ExpressionError::new(column, message))
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Word(String),
    Compare(Comparison),
    Open,
    Close,
    End,
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(out, "`{number}`"),
            Self::Word(word) => write!(out, "`{word}`"),
            Self::Compare(comparison) => write!(out, "`{}`", comparison.sign()),
            Self::Open => out.write_str("`(`"),
            Self::Close => out.write_str("`)`"),
            Self::End => out.write_str("the end"),
        }
    }
}

/// The tokens with their columns; the last one is [`Token::End`].
fn tokens(text: &str) -> Result<Vec<(Token, usize)>, ExpressionError> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&letter) = letters.get(at) {
        let column = at + 1;
        let run = |start: usize, belongs: fn(char) -> bool| {
            let length = letters[start..].iter().take_while(|c| belongs(**c)).count();
            start + length
        };
        if letter.is_whitespace() {
            at += 1;
        } else if letter.is_alphabetic() || letter == '_' {
            let end = run(at, |c| c.is_alphanumeric() || c == '_');
            tokens.push((Token::Word(letters[at..end].iter().collect()), column));
            at = end;
        } else if letter.is_ascii_digit() || letter == '.' || letter == '-' {
            let end = number_end(&letters, at);
            let digits: String = letters[at..end].iter().collect();
            let number = digits.parse::<f64>().ok().filter(|n| n.is_finite());
            let number = number.ok_or_else(|| {
                ExpressionError::new(column, format!("`{digits}` is not a number"))
            })?;
            tokens.push((Token::Number(number), column));
            at = end;
        } else {
            let (token, length) = sign(letter, letters.get(at + 1).copied(), column)?;
            tokens.push((token, column));
            at += length;
        }
    }
    tokens.push((Token::End, letters.len() + 1));
    Ok(tokens)
}

/// Where a number that begins at `start` ends: sign, digits, point, exponent.
fn number_end(letters: &[char], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&letter) = letters.get(at) {
        let after_e = matches!(letters[at - 1], 'e' | 'E') && matches!(letter, '+' | '-');
        if letter.is_alphanumeric() || letter == '.' || after_e {
            at += 1;
        } else {
            break;
        }
    }
    at
}

fn sign(
    first: char,
    second: Option<char>,
    column: usize,
) -> Result<(Token, usize), ExpressionError> {
    let wrong = |instead: &str, right: &str| {
        let message = format!("`{instead}` is not used here");
        Err(ExpressionError::new(column, message).help(format!("write `{right}`")))
    };
    Ok(match (first, second) {
        ('(', _) => (Token::Open, 1),
        (')', _) => (Token::Close, 1),
        ('=', Some('=')) => (Token::Compare(Comparison::Equal), 2),
        ('!', Some('=')) => (Token::Compare(Comparison::NotEqual), 2),
        ('<', Some('=')) => (Token::Compare(Comparison::LessOrEqual), 2),
        ('>', Some('=')) => (Token::Compare(Comparison::GreaterOrEqual), 2),
        ('<', _) => (Token::Compare(Comparison::Less), 1),
        ('>', _) => (Token::Compare(Comparison::Greater), 1),
        ('=', _) => return wrong("=", "=="),
        ('~', Some('=')) => return wrong("~=", "!="),
        ('!', _) => return wrong("!", "not"),
        ('&', _) => return wrong("&", "and"),
        ('|', _) => return wrong("|", "or"),
        (other, _) => {
            let message = format!("`{}` has no meaning here", other.escape_default());
            return Err(ExpressionError::new(column, message));
        }
    })
}

struct Parser {
    tokens: Vec<(Token, usize)>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn token(&self) -> (Token, usize) {
        let last = self.tokens.len() - 1;
        self.tokens[self.at.min(last)].clone()
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(&self.tokens[self.at.min(self.tokens.len() - 1)].0, Token::Word(w) if w == word);
        self.at += usize::from(found);
        found
    }

    fn either(&mut self) -> Result<Tree, ExpressionError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(ExpressionError::new(self.token().1, message));
        }
        let mut tree = self.both()?;
        while self.take_word("or") {
            let right = self.both()?;
            let column = tree.column;
            let node = Node::Or(Box::new(tree), Box::new(right));
            tree = Tree { node, column };
        }
        self.depth -= 1;
        Ok(tree)
    }

    fn both(&mut self) -> Result<Tree, ExpressionError> {
        let mut tree = self.negation()?;
        while self.take_word("and") {
            let right = self.negation()?;
            let column = tree.column;
            let node = Node::And(Box::new(tree), Box::new(right));
            tree = Tree { node, column };
        }
        Ok(tree)
    }

    fn negation(&mut self) -> Result<Tree, ExpressionError> {
        let column = self.token().1;
        if !self.take_word("not") {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(ExpressionError::new(column, message));
        }
        let inner = self.negation()?;
        self.depth -= 1;
        let node = Node::Not(Box::new(inner));
        Ok(Tree { node, column })
    }

    fn comparison(&mut self) -> Result<Tree, ExpressionError> {
        let left = self.value()?;
        let (Token::Compare(comparison), _) = self.token() else {
            return Ok(left);
        };
        self.at += 1;
        let right = self.value()?;
        if let (Token::Compare(_), column) = self.token() {
            let message = "comparisons do not chain";
            return Err(ExpressionError::new(column, message)
                .help("write `a < b and b < c` for `a < b < c`"));
        }
        let column = left.column;
        let node = Node::Compare(comparison, Box::new(left), Box::new(right));
        Ok(Tree { node, column })
    }

    fn value(&mut self) -> Result<Tree, ExpressionError> {
        let (token, column) = self.token();
        self.at += 1;
        let node = match token {
            Token::Number(number) => Node::Number(number),
            Token::Word(word) => match word.as_str() {
                "true" => Node::Bool(true),
                "false" => Node::Bool(false),
                "and" | "or" | "not" => {
                    let message = format!("expected a name, a number or `(`, found `{word}`");
                    return Err(ExpressionError::new(column, message));
                }
                _ => Node::Name(word),
            },
            Token::Open => {
                let tree = self.either()?;
                let (token, end) = self.token();
                if token != Token::Close {
                    let message = format!("expected `)`, found {token}");
                    return Err(ExpressionError::new(end, message)
                        .help(format!("the `(` in column {column} is not closed")));
                }
                self.at += 1;
                tree.node
            }
            token => {
                let message = format!("expected a name, a number or `(`, found {token}");
                return Err(ExpressionError::new(column, message));
            }
        };
        Ok(Tree { node, column })
    }
}

/// What a name in an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A number, by the index of its parameter.
    Number(u16),
    /// True or false, by the index of its parameter.
    Bool(u16),
    /// A trigger, by the index of its parameter.
    Trigger(u16),
}

/// A condition ready to run: operations in the order in which a stack machine does them.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    operations: Vec<Operation>,
    /// Triggers that it tests, each once.
    pub triggers: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Operation {
    Constant(f64),
    Parameter(u16),
    Not,
    And,
    Or,
    Compare(Comparison),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Bool,
    Trigger,
}

impl Expression {
    /// Looks up names and checks that numbers are compared and bools are not.
    ///
    /// # Errors
    /// The first part that does not fit, with its column.
    pub fn new(
        tree: &Tree,
        lookup: &impl Fn(&str) -> Result<Named, String>,
    ) -> Result<Self, ExpressionError> {
        let mut expression = Self {
            operations: Vec::new(),
            triggers: Vec::new(),
        };
        let kind = expression.add(tree, lookup)?;
        if kind == Kind::Number {
            return Err(not_a_condition(tree));
        }
        if expression.height() > MAX_STACK {
            let message = "too much stands in parentheses on the right of `and`, `or` and `==`";
            return Err(ExpressionError::new(tree.column, message));
        }
        Ok(expression)
    }

    /// The most values that wait at once.
    fn height(&self) -> usize {
        let (mut now, mut most) = (0_usize, 0);
        for operation in &self.operations {
            match operation {
                Operation::Constant(_) | Operation::Parameter(_) => now += 1,
                Operation::Not => {}
                Operation::And | Operation::Or | Operation::Compare(_) => now -= 1,
            }
            most = most.max(now);
        }
        most
    }

    /// Whether it holds; `value` gives a parameter by index, with 1 for true and for a set trigger.
    pub fn holds(&self, value: impl Fn(u16) -> f64) -> bool {
        let mut stack = [0.0_f64; MAX_STACK];
        let mut top = 0;
        let truth = |flag: bool| if flag { 1.0 } else { 0.0 };
        for operation in &self.operations {
            let result = match operation {
                Operation::Constant(number) => *number,
                Operation::Parameter(index) => value(*index),
                Operation::Not => {
                    top -= 1;
                    truth(stack[top] == 0.0)
                }
                Operation::And | Operation::Or | Operation::Compare(_) => {
                    top -= 2;
                    let (a, b) = (stack[top], stack[top + 1]);
                    match operation {
                        Operation::And => truth(a != 0.0 && b != 0.0),
                        Operation::Or => truth(a != 0.0 || b != 0.0),
                        Operation::Compare(comparison) => truth(comparison.holds(a, b)),
                        _ => 0.0,
                    }
                }
            };
            stack[top] = result;
            top += 1;
        }
        stack[0] != 0.0
    }

    fn add(
        &mut self,
        tree: &Tree,
        lookup: &impl Fn(&str) -> Result<Named, String>,
    ) -> Result<Kind, ExpressionError> {
        let (operation, kind) = match &tree.node {
            Node::Number(number) => (Operation::Constant(*number), Kind::Number),
            Node::Bool(flag) => (Operation::Constant(f64::from(*flag)), Kind::Bool),
            Node::Name(name) => match lookup(name) {
                Ok(Named::Number(index)) => (Operation::Parameter(index), Kind::Number),
                Ok(Named::Bool(index)) => (Operation::Parameter(index), Kind::Bool),
                Ok(Named::Trigger(index)) => {
                    if !self.triggers.contains(&index) {
                        self.triggers.push(index);
                    }
                    (Operation::Parameter(index), Kind::Trigger)
                }
                Err(help) => {
                    let message = format!("there is no parameter `{name}`");
                    let error = ExpressionError::new(tree.column, message)
                        .coded("graph-unknown-parameter");
                    return Err(if help.is_empty() {
                        error
                    } else {
                        error.help(help)
                    });
                }
            },
            Node::Not(inner) => {
                self.add_condition(inner, lookup)?;
                (Operation::Not, Kind::Bool)
            }
            Node::And(a, b) => {
                self.add_condition(a, lookup)?;
                self.add_condition(b, lookup)?;
                (Operation::And, Kind::Bool)
            }
            Node::Or(a, b) => {
                self.add_condition(a, lookup)?;
                self.add_condition(b, lookup)?;
                (Operation::Or, Kind::Bool)
            }
            Node::Compare(comparison, a, b) => {
                let kinds = (self.add(a, lookup)?, self.add(b, lookup)?);
                check_comparison(*comparison, kinds, a, b)?;
                (Operation::Compare(*comparison), Kind::Bool)
            }
        };
        self.operations.push(operation);
        Ok(kind)
    }

    fn add_condition(
        &mut self,
        tree: &Tree,
        lookup: &impl Fn(&str) -> Result<Named, String>,
    ) -> Result<(), ExpressionError> {
        match self.add(tree, lookup)? {
            Kind::Number => Err(not_a_condition(tree)),
            Kind::Bool | Kind::Trigger => Ok(()),
        }
    }
}

fn not_a_condition(tree: &Tree) -> ExpressionError {
    let message = format!("`{tree}` is a number, not a condition");
    ExpressionError::new(tree.column, message).help(format!("compare it, such as `{tree} > 0`"))
}

fn check_comparison(
    comparison: Comparison,
    kinds: (Kind, Kind),
    a: &Tree,
    b: &Tree,
) -> Result<(), ExpressionError> {
    let sign = comparison.sign();
    let equality = matches!(comparison, Comparison::Equal | Comparison::NotEqual);
    match kinds {
        (Kind::Number, Kind::Number) => Ok(()),
        (Kind::Trigger, _) | (_, Kind::Trigger) => {
            let trigger = if kinds.0 == Kind::Trigger { a } else { b };
            let message = format!("`{trigger}` is a trigger and cannot be compared");
            let help = format!("a trigger stands bare: `{trigger}` or `not {trigger}`");
            Err(ExpressionError::new(trigger.column, message).help(help))
        }
        (Kind::Bool, Kind::Bool) if equality => Ok(()),
        (Kind::Bool, Kind::Bool) => {
            let message = format!("`{sign}` compares numbers, and `{a}` is true or false");
            Err(ExpressionError::new(a.column, message))
        }
        _ => {
            let message = format!("`{a} {sign} {b}` compares a number with true or false");
            Err(ExpressionError::new(a.column, message))
        }
    }
}

#[cfg(test)]
mod tests {
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
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| Node::And(Box::new(a), Box::new(b))),
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
}
