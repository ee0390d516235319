//! Saying in words why a condition does not hold.

use super::run::{Expression, Operation};

/// What words need to know of a parameter.
pub struct Said<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its value in words, such as `0.2`, `true` or `not set`.
    pub value: String,
}

/// A part of a condition with its value.
struct Part {
    text: String,
    value: f64,
    /// `name is value` of every parameter in it.
    values: Vec<String>,
    /// The smallest parts that keep it from holding.
    failing: Vec<String>,
    /// Whether it needs parentheses as a part of another.
    joined: bool,
}

impl Expression {
    /// The smallest parts that keep the condition from holding, each with the values in it, such as
    /// `` `speed > 0.5` (speed is 0.2) ``; none where it holds. `value` is as for
    /// [`Expression::holds`].
    pub fn why_not<'a>(
        &self,
        said: &dyn Fn(u16) -> Said<'a>,
        value: &dyn Fn(u16) -> f64,
    ) -> Vec<String> {
        let mut stack: Vec<Part> = Vec::new();
        for operation in &self.operations {
            let part = match operation {
                Operation::Constant(number) => Part {
                    text: number.to_string(),
                    value: *number,
                    values: Vec::new(),
                    failing: Vec::new(),
                    joined: false,
                },
                Operation::Parameter(index) => bare(said(*index), value(*index)),
                Operation::Not => match stack.pop() {
                    Some(inner) => not(inner),
                    None => return Vec::new(),
                },
                Operation::And | Operation::Or | Operation::Compare(_) => {
                    let (Some(b), Some(a)) = (stack.pop(), stack.pop()) else {
                        return Vec::new();
                    };
                    match operation {
                        Operation::And => and(a, b),
                        Operation::Or => or(a, b),
                        Operation::Compare(comparison) => {
                            let holds = comparison.holds(a.value, b.value);
                            compare(a, comparison.sign(), b, holds)
                        }
                        _ => return Vec::new(),
                    }
                }
            };
            stack.push(part);
        }
        stack.pop().map_or_else(Vec::new, |whole| whole.failing)
    }
}

fn bare(said: Said<'_>, value: f64) -> Part {
    let words = format!("{} is {}", said.name, said.value);
    let text = said.name.to_owned();
    let failing = if value == 0.0 {
        vec![format!("`{text}` ({words})")]
    } else {
        Vec::new()
    };
    Part {
        text,
        value,
        values: vec![words],
        failing,
        joined: false,
    }
}

fn not(inner: Part) -> Part {
    let text = format!("not {}", in_parentheses(&inner));
    whole(text, inner.value == 0.0, inner.values, false)
}

fn compare(a: Part, sign: &str, b: Part, holds: bool) -> Part {
    let text = format!("{} {sign} {}", in_parentheses(&a), in_parentheses(&b));
    whole(text, holds, [a.values, b.values].concat(), true)
}

fn and(a: Part, b: Part) -> Part {
    let text = format!("{} and {}", a.text, b.text);
    let holds = a.value != 0.0 && b.value != 0.0;
    Part {
        text,
        value: f64::from(holds),
        failing: [a.failing, b.failing].concat(),
        values: [a.values, b.values].concat(),
        joined: true,
    }
}

fn or(a: Part, b: Part) -> Part {
    let holds = a.value != 0.0 || b.value != 0.0;
    let text = format!("{} or {}", a.text, b.text);
    let failing = if holds {
        Vec::new()
    } else {
        [a.failing, b.failing].concat()
    };
    Part {
        text,
        value: f64::from(holds),
        failing,
        values: [a.values, b.values].concat(),
        joined: true,
    }
}

fn whole(text: String, holds: bool, values: Vec<String>, joined: bool) -> Part {
    let failing = if holds {
        Vec::new()
    } else {
        vec![format!("`{text}` ({})", values.join(", "))]
    };
    Part {
        text,
        value: f64::from(holds),
        values,
        failing,
        joined,
    }
}

fn in_parentheses(part: &Part) -> String {
    if part.joined {
        format!("({})", part.text)
    } else {
        part.text.clone()
    }
}
