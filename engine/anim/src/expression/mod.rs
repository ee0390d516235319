//! Conditions such as `grounded and (speed > 0.1 or not crouched)`: text to tree to a flat program
//! that runs without allocating.

mod explain;
mod parse;
mod run;
#[cfg(test)]
mod tests;

use std::fmt;

pub use explain::Said;
pub use parse::{MAX_EXPRESSION_BYTES, parse};
pub use run::{Expression, Named};

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
            code: "E-GRAPH-EXPRESSION",
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
