//! Parameters: their kinds, ranges and beginnings.

use super::report::{Report, any_number, at_least};
use crate::graph::compiled::Parameter;
use crate::graph::def::{
    GraphDef, NumberOrBool, ParameterDef, ParameterKind, ParameterSource, ParameterTable, TtlDef,
};
use crate::graph::error::pointer;
use crate::graph::state::ParameterValue;

/// Seconds that a trigger waits where nothing else is said.
const DEFAULT_TTL: f32 = 0.25;

pub(super) fn parameters(def: &GraphDef, report: &mut Report) -> Vec<Parameter> {
    let limit = usize::from(u16::MAX);
    if def.parameters.len() > limit {
        report.error(
            "E-GRAPH-LIMIT",
            "/parameters",
            format!("more than {limit} parameters"),
        );
        return Vec::new();
    }
    let each = def.parameters.iter();
    each.map(|(name, parameter)| {
        let place = pointer("/parameters", name);
        compile(name, parameter, &place, report)
    })
    .collect()
}

fn compile(name: &str, def: &ParameterDef, place: &str, report: &mut Report) -> Parameter {
    let table = match def {
        ParameterDef::Table(table) => table.clone(),
        ParameterDef::Number(value) => ParameterTable {
            kind: Some(ParameterKind::Float),
            value: Some(NumberOrBool::Number(f64::from(*value))),
            ..ParameterTable::default()
        },
        ParameterDef::Bool(value) => ParameterTable {
            kind: Some(ParameterKind::Bool),
            value: Some(NumberOrBool::Bool(*value)),
            ..ParameterTable::default()
        },
        ParameterDef::Word(_) => ParameterTable {
            kind: Some(ParameterKind::Trigger),
            ..ParameterTable::default()
        },
    };
    if table.remove.is_some() {
        let message = "`remove` belongs to patches";
        report.error("E-GRAPH-NO-EFFECT", pointer(place, "remove"), message);
    }
    let kind = kind(&table, place, report);
    check_keys(&table, kind, place, report);
    let (min, max) = range(&table, kind, place, report);
    let default = default(&table, kind, (min, max), place, report);
    let ttl = match table.ttl {
        None => Some(DEFAULT_TTL),
        Some(TtlDef::Word(_)) => None,
        Some(TtlDef::Seconds(seconds)) => {
            let place = pointer(place, "ttl");
            Some(report.number(place, Some(seconds), DEFAULT_TTL, at_least(0.0)))
        }
    };
    Parameter {
        name: name.to_owned(),
        kind,
        default,
        min,
        max,
        ttl,
        source: table.source,
    }
}

/// As given, or as its value or source tell.
fn kind(table: &ParameterTable, place: &str, report: &mut Report) -> ParameterKind {
    let from_source = table.source.map(|source| match source {
        ParameterSource::Grounded => ParameterKind::Bool,
        ParameterSource::Speed | ParameterSource::VerticalSpeed | ParameterSource::YawRate => {
            ParameterKind::Float
        }
    });
    let from_value = table.value.map(|value| match value {
        NumberOrBool::Number(_) => ParameterKind::Float,
        NumberOrBool::Bool(_) => ParameterKind::Bool,
    });
    let Some(kind) = table.kind.or(from_source).or(from_value) else {
        let help = "add type = \"float\", \"int\", \"bool\" or \"trigger\"";
        report.error_with_help("E-GRAPH-MISSING", place, "the parameter has no type", help);
        return ParameterKind::Float;
    };
    if let Some(needed) = from_source.filter(|needed| *needed != kind) {
        let needed = crate::graph::state::kind_name(needed);
        let message = format!("this source feeds a {needed} parameter");
        report.error("E-GRAPH-PARAMETER-KIND", pointer(place, "source"), message);
    }
    kind
}

fn check_keys(table: &ParameterTable, kind: ParameterKind, place: &str, report: &mut Report) {
    let is_number = matches!(kind, ParameterKind::Float | ParameterKind::Int);
    let is_trigger = kind == ParameterKind::Trigger;
    let keys = [
        ("min", table.min.is_some() && !is_number, "numbers"),
        ("max", table.max.is_some() && !is_number, "numbers"),
        ("ttl", table.ttl.is_some() && !is_trigger, "triggers"),
    ];
    for (key, _, owner) in keys.into_iter().filter(|(_, wrong, _)| *wrong) {
        let message = format!("`{key}` belongs to {owner}");
        report.error("E-GRAPH-PARAMETER-KIND", pointer(place, key), message);
    }
}

fn range(
    table: &ParameterTable,
    kind: ParameterKind,
    place: &str,
    report: &mut Report,
) -> (Option<f32>, Option<f32>) {
    let mut end = |key: &str, value: Option<f32>| {
        let value = value?;
        let whole = kind != ParameterKind::Int || value.fract() == 0.0;
        if !whole {
            let message = format!("is {value}, but an int has whole numbers");
            report.error("E-GRAPH-PARAMETER-KIND", pointer(place, key), message);
        }
        Some(report.number(pointer(place, key), Some(value), 0.0, any_number()))
    };
    let (min, max) = (end("min", table.min), end("max", table.max));
    if let (Some(low), Some(high)) = (min, max)
        && low > high
    {
        let message = format!("`min` is {low}, above `max`, {high}");
        report.error("E-GRAPH-RANGE", pointer(place, "min"), message);
        return (None, None);
    }
    (min, max)
}

fn default(
    table: &ParameterTable,
    kind: ParameterKind,
    (min, max): (Option<f32>, Option<f32>),
    place: &str,
    report: &mut Report,
) -> ParameterValue {
    let place = pointer(place, "value");
    let mut number = |limit: f64| match table.value {
        // Zero where it is allowed, else the end of the range next to it.
        None => {
            let low = min.map_or(f64::NEG_INFINITY, f64::from);
            let high = max.map_or(f64::INFINITY, f64::from);
            0.0_f64.max(low).min(high)
        }
        Some(NumberOrBool::Number(value)) => {
            let low = min.map_or(-limit, f64::from);
            let high = max.map_or(limit, f64::from);
            if !value.is_finite() {
                report.error("E-GRAPH-NOT-FINITE", &place, "must be a finite number");
                return 0.0;
            }
            if !(low..=high).contains(&value) {
                let message = format!("is {value}, but must be from {low} to {high}");
                report.error("E-GRAPH-RANGE", &place, message);
            }
            if kind == ParameterKind::Int && value.fract() != 0.0 {
                let message = format!("is {value}, but an int has whole numbers");
                report.error("E-GRAPH-PARAMETER-KIND", &place, message);
            }
            value.clamp(-limit, limit)
        }
        Some(NumberOrBool::Bool(_)) => {
            report.error("E-GRAPH-WRONG-TYPE", &place, "expected a number");
            0.0
        }
    };
    match kind {
        ParameterKind::Float => ParameterValue::Float(number(f64::from(f32::MAX)) as f32),
        ParameterKind::Int => ParameterValue::Int(number(f64::from(i32::MAX)) as i32),
        ParameterKind::Bool => match table.value {
            None => ParameterValue::Bool(false),
            Some(NumberOrBool::Bool(value)) => ParameterValue::Bool(value),
            Some(NumberOrBool::Number(_)) => {
                report.error("E-GRAPH-WRONG-TYPE", &place, "expected true or false");
                ParameterValue::Bool(false)
            }
        },
        ParameterKind::Trigger => {
            if table.value.is_some() {
                let message = "a trigger has no value; it begins unset";
                report.error("E-GRAPH-PARAMETER-KIND", &place, message);
            }
            ParameterValue::Trigger(false)
        }
    }
}
