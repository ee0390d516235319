//! `sinew.d.rhai`: definitions for Rhai's language server.

use std::fmt::Write as _;

use super::lines;
use crate::{
    api::{self, Function, Languages, Owner},
    callbacks::CALLBACKS,
    value::Type,
};

pub(super) fn definitions() -> String {
    let mut out = String::from(
        "// Generated from the API table by `sinew docs`. Do not edit.\n\nmodule static;\n\n",
    );
    for service in api::services() {
        let _ = writeln!(
            out,
            "/// The service `{service}`.\nlet {service}: Service;\n"
        );
    }
    out.push_str("/// A graph of a map with the keys of an `.animgraph.json`; `graph.load(path)` reads one from a file.\nfn graph(definition: Map) -> Graph;\n\n");
    for row in api::api().filter(|row| row.languages == Languages::Both) {
        for line in lines(row.doc) {
            let _ = writeln!(out, "///{}{line}", if line.is_empty() { "" } else { " " });
        }
        let result = name_of(&row.result);
        let _ = match row.owner {
            Owner::Global => writeln!(
                out,
                "fn {}({}) -> {result};\n",
                row.name,
                parameters(row, None)
            ),
            Owner::Service(_) => writeln!(
                out,
                "// {}\nfn {}({}) -> {result};\n",
                row.path(),
                row.name,
                parameters(row, Some("Service"))
            ),
            Owner::Method => writeln!(
                out,
                "fn {}({}) -> {result};\n",
                row.name,
                parameters(row, Some("Actor"))
            ),
            Owner::Get => writeln!(out, "fn get {}(actor: Actor) -> {result};\n", row.name),
            Owner::Set => writeln!(
                out,
                "fn set {}({});\n",
                row.name,
                parameters(row, Some("Actor"))
            ),
        };
    }
    out.push_str("// Functions of a script that are called:\n");
    for info in CALLBACKS {
        let parameters: Vec<&str> = info.parameters.iter().map(|(name, ..)| *name).collect();
        let _ = writeln!(
            out,
            "// fn {}({})  {}",
            info.name,
            parameters.join(", "),
            info.doc
        );
    }
    out
}

fn parameters(row: &Function, receiver: Option<&str>) -> String {
    let mut parts: Vec<String> = receiver
        .map(|receiver| format!("self: {receiver}"))
        .into_iter()
        .collect();
    parts.extend(
        row.parameters
            .iter()
            .map(|parameter| format!("{}: {}", parameter.name, name_of(&parameter.ty))),
    );
    if !row.options.is_empty() {
        let names: Vec<&str> = row.options.iter().map(|option| option.name).collect();
        parts.push(format!("options: Map /* {} */", names.join(", ")));
    }
    parts.join(", ")
}

fn name_of(ty: &Type) -> String {
    match ty {
        Type::Nil => "()".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Number => "float".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Vec3 => "Vector".to_owned(),
        Type::Text | Type::OneOf(_) => "String".to_owned(),
        Type::Actor => "Actor".to_owned(),
        Type::List | Type::ListOf(_) => "Array".to_owned(),
        Type::Table | Type::Record(_) => "Map".to_owned(),
        Type::Data
        | Type::Parameter
        | Type::Joint
        | Type::Slot
        | Type::Graph
        | Type::Target
        | Type::Color => "?".to_owned(),
        Type::Function => "FnPtr".to_owned(),
        Type::Optional(inner) => name_of(inner),
    }
}
