//! `sinew.d.luau`: types for luau-lsp.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{lines, sentence};
use crate::{
    api::{self, Function, Owner, Parameter},
    callbacks::CALLBACKS,
    value::{Record, Type},
};

pub(super) fn definitions() -> String {
    let mut out = String::from("-- Generated from the API table by `sinew docs`. Do not edit.\n\n");
    for record in records() {
        let _ = writeln!(out, "type {} = {{", record.name);
        for field in record.fields {
            let _ = writeln!(
                out,
                "  --- {}\n  {}: {},",
                field.doc,
                field.name,
                name_of(&field.ty)
            );
        }
        out.push_str("}\n\n");
    }
    out.push_str(
        "--- A graph: the same keys as an `.animgraph.json`.\ntype Graph = { [string]: any }\n\n",
    );
    for row in api::api().filter(|row| !row.options.is_empty()) {
        options(&mut out, row);
    }
    out.push_str("--- An actor's handle. It outlives the actor: then everything but `alive` is an error.\ndeclare class Actor\n");
    members(&mut out);
    out.push_str("end\n\n");
    for service in api::services() {
        let _ = writeln!(out, "declare {service}: {{");
        for row in api::api().filter(|row| row.owner == Owner::Service(service)) {
            comment(&mut out, row, "  ");
            let _ = writeln!(
                out,
                "  {}: ({}) -> {},",
                row.name,
                parameters(row),
                name_of(&row.result)
            );
        }
        out.push_str("}\n\n");
    }
    for row in api::api().filter(|row| row.owner == Owner::Global) {
        comment(&mut out, row, "");
        let _ = writeln!(
            out,
            "declare function {}({}): {}",
            row.name,
            parameters(row),
            name_of(&row.result)
        );
    }
    out.push_str(
        "\n--- Makes a graph of a table, or loads one from a file.\n\
         declare graph: typeof(setmetatable({} :: { load: (path: string) -> Graph }, {} :: { __call: (any, definition: { [string]: any }) -> Graph }))\n\n",
    );
    script(&mut out);
    out
}

fn comment(out: &mut String, row: &Function, indent: &str) {
    for line in lines(row.doc) {
        let _ = writeln!(
            out,
            "{indent}---{}{line}",
            if line.is_empty() { "" } else { " " }
        );
    }
}

fn members(out: &mut String) {
    let mut properties: BTreeMap<&str, &Function> = BTreeMap::new();
    for row in api::api().filter(|row| row.owner == Owner::Get) {
        properties.insert(row.name, row);
    }
    for row in properties.values() {
        comment(out, row, "  ");
        let _ = writeln!(out, "  {}: {}", row.name, name_of(&row.result));
    }
    for row in api::api().filter(|row| row.owner == Owner::Method) {
        comment(out, row, "  ");
        let rest = parameters(row);
        let rest = if rest.is_empty() {
            rest
        } else {
            format!(", {rest}")
        };
        let _ = writeln!(
            out,
            "  function {}(self{rest}): {}",
            row.name,
            name_of(&row.result)
        );
    }
}

fn parameters(row: &Function) -> String {
    let mut parts: Vec<String> = row
        .parameters
        .iter()
        .map(|parameter| format!("{}: {}", parameter.name, optional(parameter)))
        .collect();
    if !row.options.is_empty() {
        let needed = row.options.iter().any(|option| !option.is_optional());
        parts.push(format!(
            "options: {}{}",
            options_name(row),
            if needed { "" } else { "?" }
        ));
    }
    parts.join(", ")
}

fn optional(parameter: &Parameter) -> String {
    let ty = name_of(&parameter.ty);
    if parameter.is_optional() && !ty.ends_with('?') {
        format!("{ty}?")
    } else {
        ty
    }
}

fn options(out: &mut String, row: &Function) {
    let _ = writeln!(
        out,
        "--- Options of `{}`.\ntype {} = {{",
        row.path(),
        options_name(row)
    );
    for option in row.options {
        let _ = writeln!(
            out,
            "  --- {}\n  {}: {},",
            sentence(option.doc),
            option.name,
            optional(option)
        );
    }
    out.push_str("}\n\n");
}

fn options_name(row: &Function) -> String {
    let mut name = String::new();
    for word in row.path().split(['.', ':', '_']) {
        let mut letters = word.chars();
        name.extend(
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters),
        );
    }
    name + "Options"
}

fn script(out: &mut String) {
    out.push_str("--- What `self` is in a script's functions.\ntype Instance = { actor: Actor, props: { [string]: any }, [string]: any }\n\n");
    out.push_str("--- The table that a script gives back.\ntype Script = {\n  properties: { [string]: { [string]: any } }?,\n  graph: Graph?,\n");
    for info in CALLBACKS {
        let parameters: Vec<String> = info
            .parameters
            .iter()
            .map(|(name, ty, _)| format!(", {name}: {}", name_of(ty)))
            .collect();
        let _ = writeln!(
            out,
            "  --- {}\n  {}: ((self: any{}) -> ())?,",
            info.doc,
            info.name,
            parameters.concat()
        );
    }
    out.push_str("  [string]: any,\n}\n");
}

fn name_of(ty: &Type) -> String {
    match ty {
        Type::Nil => "()".to_owned(),
        Type::Bool => "boolean".to_owned(),
        Type::Number | Type::Int => "number".to_owned(),
        Type::Vec3 => "vector".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Actor => "Actor".to_owned(),
        Type::Data => "any".to_owned(),
        Type::List => "{ any }".to_owned(),
        Type::Table => "{ [string]: any }".to_owned(),
        Type::Parameter | Type::Joint | Type::Slot => "string | number".to_owned(),
        Type::Target => "vector | Actor".to_owned(),
        Type::Graph => "Graph | string".to_owned(),
        Type::Color => "string | vector".to_owned(),
        Type::Function => "(...any) -> ()".to_owned(),
        Type::OneOf(words) => words
            .iter()
            .map(|word| format!("\"{word}\""))
            .collect::<Vec<_>>()
            .join(" | "),
        Type::Optional(inner) => match name_of(inner) {
            name if name.contains(" | ") => format!("({name})?"),
            name => format!("{name}?"),
        },
        Type::ListOf(inner) => format!("{{ {} }}", name_of(inner)),
        Type::Record(record) => record.name.to_owned(),
    }
}

/// Tables that calls give back, each once.
pub(super) fn records() -> Vec<&'static Record> {
    let mut records: Vec<&Record> = Vec::new();
    for row in api::api() {
        let mut ty = &row.result;
        while let Type::Optional(inner) | Type::ListOf(inner) = ty {
            ty = inner;
        }
        if let Type::Record(record) = ty
            && !records.iter().any(|known| known.name == record.name)
        {
            records.push(record);
        }
    }
    records
}
