//! The reference page.

use std::fmt::Write as _;

use super::{lines, literal, luau::records, sentence};
use crate::{
    api::{self, Function, Languages, Owner, Parameter},
    callbacks::CALLBACKS,
    value::Type,
};

pub(super) fn page() -> String {
    let mut out = String::from(
        "# Script API\n\nGenerated from the API table by `sinew docs`. Do not edit.\n\n\
         The same names, results and error texts in both languages. Lua calls an actor's functions with `:`, Rhai with `.`; \
         what is `self` in Lua is `this` in Rhai. Angles are degrees, times seconds, lengths metres.\n\n## Callbacks\n\n\
         Functions of a script that are called. The last parameters may be left out.\n\n",
    );
    for info in CALLBACKS {
        let names: Vec<&str> = info.parameters.iter().map(|(name, ..)| *name).collect();
        let _ = writeln!(
            out,
            "### `{}({})`\n\n{}\n",
            info.name,
            names.join(", "),
            info.doc
        );
        for (name, ty, doc) in info.parameters {
            let _ = writeln!(out, "- `{name}`, {}: {doc}", ty.words(None));
        }
        if !info.parameters.is_empty() {
            out.push('\n');
        }
    }
    out.push_str("## Globals\n\n");
    section(&mut out, |row| row.owner == Owner::Global);
    out.push_str(
        "### `graph(definition)`\n\nMakes a graph of a table with the keys of an `.animgraph.json`; `graph.load(path)` reads one from a file.\n\n",
    );
    for service in api::services() {
        let _ = writeln!(out, "## `{service}`\n");
        section(&mut out, |row| row.owner == Owner::Service(service));
    }
    out.push_str(
        "## Actors\n\n### Properties\n\n| name | type | | what it is |\n|---|---|---|---|\n",
    );
    for row in api::api().filter(|row| row.owner == Owner::Get) {
        let set = api::find(Owner::Set, row.name);
        let access = if set.is_some() { "read, write" } else { "read" };
        let doc = set.map_or_else(
            || sentence(row.doc),
            |set| format!("{} {}", sentence(row.doc), sentence(set.doc)),
        );
        let _ = writeln!(
            out,
            "| `{}` | {} | {access} | {doc} |",
            row.name,
            row.result.words(None)
        );
    }
    out.push_str("\n### Methods\n\n");
    section(&mut out, |row| row.owner == Owner::Method);
    out.push_str("## Tables that calls give back\n\n");
    for record in records() {
        let _ = writeln!(out, "### {}\n", record.name);
        for field in record.fields {
            let _ = writeln!(
                out,
                "- `{}`, {}: {}",
                field.name,
                words(&field.ty),
                field.doc
            );
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn section(out: &mut String, wanted: impl Fn(&Function) -> bool) {
    for row in api::api().filter(|row| wanted(row)) {
        entry(out, row);
    }
}

fn entry(out: &mut String, row: &Function) {
    let names: Vec<&str> = row
        .parameters
        .iter()
        .map(|parameter| parameter.name)
        .collect();
    let options = if row.options.is_empty() {
        ""
    } else if names.is_empty() {
        "options"
    } else {
        ", options"
    };
    let result = if row.result == Type::Nil {
        String::new()
    } else {
        format!(" → {}", words(&row.result))
    };
    let _ = writeln!(
        out,
        "### `{}({}{options})`{result}\n",
        row.path(),
        names.join(", ")
    );
    for line in lines(row.doc) {
        let _ = writeln!(out, "{line}");
    }
    out.push('\n');
    for parameter in row.parameters {
        parameter_line(out, parameter, "");
    }
    if !row.options.is_empty() {
        out.push_str("- `options`, a table:\n");
        for option in row.options {
            parameter_line(out, option, "  ");
        }
    }
    if row.languages == Languages::Lua {
        out.push_str("- In Lua alone.\n");
    }
    if !row.parameters.is_empty() || !row.options.is_empty() || row.languages == Languages::Lua {
        out.push('\n');
    }
    example(out, row);
}

fn parameter_line(out: &mut String, parameter: &Parameter, indent: &str) {
    let needed = match parameter.default {
        Some(default) => format!(" (else {})", literal(&default(), true)),
        None if parameter.is_optional() => " (may be left out)".to_owned(),
        None => String::new(),
    };
    let words = parameter.ty.words(parameter.unit);
    let _ = writeln!(
        out,
        "{indent}- `{}`, {words}{needed}: {}",
        parameter.name,
        sentence(parameter.doc)
    );
}

fn example(out: &mut String, row: &Function) {
    if row.languages == Languages::Lua {
        return;
    }
    let call = |lua: bool| {
        let mut arguments: Vec<String> = row
            .parameters
            .iter()
            .map(|parameter| literal(&(parameter.sample)(), lua))
            .collect();
        let options: Vec<String> = row
            .options
            .iter()
            .map(|option| (option.name, (option.sample)()))
            .filter(|(_, sample)| *sample != sinew_world::Data::Nil)
            .map(|(name, sample)| {
                format!(
                    "{name}{} {}",
                    if lua { " =" } else { ":" },
                    literal(&sample, lua)
                )
            })
            .collect();
        if !options.is_empty() {
            arguments.push(format!(
                "{}{{ {} }}",
                if lua { "" } else { "#" },
                options.join(", ")
            ));
        }
        let path = row.path();
        let path = match (row.owner, lua) {
            (Owner::Method, true) => format!("self.{path}"),
            (Owner::Method, false) => format!("this.{}", path.replace(':', ".")),
            _ => path,
        };
        format!("{path}({})", arguments.join(", "))
    };
    let _ = writeln!(
        out,
        "```lua\n{}\n```\n\n```rhai\n{};\n```\n",
        call(true),
        call(false)
    );
}

fn words(ty: &Type) -> String {
    match ty {
        Type::Record(record) => format!("[{}](#{})", record.name, record.name.to_lowercase()),
        Type::Optional(inner) => format!("{} or nothing", words(inner)),
        Type::ListOf(inner) => format!("a list of {}", words(inner)),
        other => other.words(None),
    }
}
