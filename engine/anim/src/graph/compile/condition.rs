//! `when`: text and lists of conditions become the same tree.

use super::Compiler;
use crate::expression::{Comparison, Expression, ExpressionError, Named, Node, Tree, parse};
use crate::graph::compiled::Parameter;
use crate::graph::def::{ConditionDef, ConditionOp, NumberOrBool, ParameterKind, WhenDef};
use crate::graph::error::{GraphError, pointer};
use crate::graph::state::kind_name;
use crate::nearest;

/// Most conditions of one list.
const MAX_CONDITIONS: usize = 256;

impl Compiler<'_> {
    /// What must hold; `None` where nothing must, or where it was wrong.
    pub(super) fn when(&mut self, when: &WhenDef, place: &str) -> Option<Expression> {
        // One that is used in several places is told once; looking for near names is slow.
        if self.report.is_full() || self.report.knows(place) {
            return None;
        }
        let size = match when {
            WhenDef::Text(text) => text.len(),
            WhenDef::Conditions(conditions) => size_of_val(conditions.as_slice()),
        };
        if !self.spend_bytes(4 * size, place) {
            return None;
        }
        let tree = match when {
            WhenDef::Text(text) => match parse(text) {
                Ok(tree) => tree,
                Err(error) => {
                    self.expression_error(&error, text, place);
                    return None;
                }
            },
            WhenDef::Conditions(conditions) => self.conditions(conditions, place)?,
        };
        let parameters = &self.graph.parameters;
        let lookup = |name: &str| named(parameters, name);
        match Expression::new(&tree, &lookup) {
            Ok(expression) => Some(expression),
            Err(error) => {
                let text = match when {
                    WhenDef::Text(text) => text.clone(),
                    WhenDef::Conditions(_) => tree.to_string(),
                };
                self.expression_error(&error, &text, place);
                None
            }
        }
    }

    fn expression_error(&mut self, error: &ExpressionError, text: &str, place: &str) {
        let message = format!(
            "in `{}`, column {}: {}",
            short(text),
            error.column,
            error.message
        );
        let error = GraphError::new(error.code, place, message).with_help(error.help.clone());
        self.report.push(error);
    }

    /// All conditions of a list, joined by `and`.
    fn conditions(&mut self, conditions: &[ConditionDef], place: &str) -> Option<Tree> {
        if conditions.len() > MAX_CONDITIONS {
            let message = format!("more than {MAX_CONDITIONS} conditions");
            self.report.error("E-GRAPH-LIMIT", place, message);
            return None;
        }
        let mut all: Option<Tree> = None;
        for (index, condition) in conditions.iter().enumerate() {
            let Some(tree) = self.condition(condition, &pointer(place, index)) else {
                continue;
            };
            all = Some(match all {
                None => tree,
                Some(before) => at(Node::And(Box::new(before), Box::new(tree))),
            });
        }
        all
    }

    fn condition(&mut self, condition: &ConditionDef, place: &str) -> Option<Tree> {
        let index = self.parameter(&condition.parameter, &pointer(place, "parameter"))?;
        let kind = self.graph.parameters[usize::from(index)].kind;
        let name = || Box::new(at(Node::Name(condition.parameter.clone())));
        let comparison = match condition.op {
            ConditionOp::Gt => Some(Comparison::Greater),
            ConditionOp::Ge => Some(Comparison::GreaterOrEqual),
            ConditionOp::Lt => Some(Comparison::Less),
            ConditionOp::Le => Some(Comparison::LessOrEqual),
            ConditionOp::Eq => Some(Comparison::Equal),
            ConditionOp::Ne => Some(Comparison::NotEqual),
            ConditionOp::IsTrue | ConditionOp::IsFalse | ConditionOp::Trigger => None,
        };
        let is_number = matches!(kind, ParameterKind::Float | ParameterKind::Int);
        let equality = matches!(condition.op, ConditionOp::Eq | ConditionOp::Ne);
        let node = match (comparison, condition.value) {
            (Some(comparison), Some(NumberOrBool::Number(value)))
                if is_number && value.is_finite() =>
            {
                Some(Node::Compare(
                    comparison,
                    name(),
                    Box::new(at(Node::Number(value))),
                ))
            }
            (Some(comparison), Some(NumberOrBool::Bool(value)))
                if kind == ParameterKind::Bool && equality =>
            {
                Some(Node::Compare(
                    comparison,
                    name(),
                    Box::new(at(Node::Bool(value))),
                ))
            }
            (None, None) => match (condition.op, kind) {
                (ConditionOp::IsTrue, ParameterKind::Bool)
                | (ConditionOp::Trigger, ParameterKind::Trigger) => {
                    Some(Node::Name(condition.parameter.clone()))
                }
                (ConditionOp::IsFalse, ParameterKind::Bool) => Some(Node::Not(name())),
                _ => None,
            },
            _ => None,
        };
        if node.is_none() {
            self.misfit(condition, kind, place);
        }
        node.map(at)
    }

    fn misfit(&mut self, condition: &ConditionDef, kind: ParameterKind, place: &str) {
        let ConditionDef { parameter, .. } = condition;
        let wanted = match kind {
            ParameterKind::Float | ParameterKind::Int => {
                "`op` must be gt, ge, lt, le, eq or ne, and `value` a finite number"
            }
            ParameterKind::Bool => "`op` must be is_true or is_false, without `value`",
            ParameterKind::Trigger => "`op` must be trigger, without `value`",
        };
        let message = format!("`{parameter}` is a {}: {wanted}", kind_name(kind));
        self.report.error("E-GRAPH-CONDITION", place, message);
    }
}

fn at(node: Node) -> Tree {
    Tree { node, column: 1 }
}

/// The beginning of a long text.
fn short(text: &str) -> String {
    if text.chars().count() <= 80 {
        text.to_owned()
    } else {
        text.chars().take(77).chain("...".chars()).collect()
    }
}

fn named(parameters: &[Parameter], name: &str) -> Result<Named, String> {
    let found = parameters.binary_search_by(|known| known.name.as_str().cmp(name));
    let Ok(index) = found else {
        let names = parameters.iter().map(|known| known.name.as_str());
        return Err(match nearest(name, names.clone()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => super::report::listed("parameter", names).unwrap_or_default(),
        });
    };
    let index = index as u16;
    Ok(match parameters[usize::from(index)].kind {
        ParameterKind::Float | ParameterKind::Int => Named::Number(index),
        ParameterKind::Bool => Named::Bool(index),
        ParameterKind::Trigger => Named::Trigger(index),
    })
}
