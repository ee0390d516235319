//! From a tree to a flat program, and running it.

use super::{Comparison, ExpressionError, Node, Tree};

/// Values that may wait at once while an expression runs.
const MAX_STACK: usize = 16;

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
    pub(super) operations: Vec<Operation>,
    /// Triggers that it tests, each once.
    pub triggers: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
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

    /// The parameters that it looks at, some perhaps twice.
    pub fn parameters(&self) -> impl Iterator<Item = u16> {
        self.operations
            .iter()
            .filter_map(|operation| match operation {
                Operation::Parameter(index) => Some(*index),
                _ => None,
            })
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
                        .coded("E-GRAPH-UNKNOWN-PARAMETER");
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
