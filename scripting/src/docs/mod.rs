//! Definitions for editors and the reference, from the API table and the list of callbacks.

mod luau;
mod reference;
mod rhai;

/// Every generated file: its path in the project and its text.
pub fn documents() -> Vec<(&'static str, String)> {
    vec![
        ("scripts/types/sinew.d.luau", luau::definitions()),
        ("scripts/types/sinew.d.rhai", rhai::definitions()),
        ("docs/api/reference.md", reference::page()),
    ]
}

/// The lines of a doc, without the space that stands before each.
fn lines(doc: &'static [&'static str]) -> impl Iterator<Item = &'static str> {
    doc.iter().map(|line| line.trim())
}

/// A doc as one line.
fn sentence(doc: &'static [&'static str]) -> String {
    lines(doc).collect::<Vec<_>>().join(" ")
}

/// A good value as a script writes it.
pub(crate) fn literal(data: &sinew_world::Data, lua: bool) -> String {
    use sinew_world::Data;
    match data {
        Data::Nil => if lua { "nil" } else { "()" }.to_owned(),
        Data::Bool(value) => value.to_string(),
        Data::Int(value) => value.to_string(),
        Data::Number(value) => format!("{value:?}"),
        Data::Vec3(v) => format!("vec3({:?}, {:?}, {:?})", v.x, v.y, v.z),
        Data::Text(text) => format!("{text:?}"),
        Data::Actor(id) => format!(
            "world.get({:?})",
            if id.index == 0 { "hero" } else { "fox" }
        ),
        Data::List(items) => {
            let items: Vec<String> = items.iter().map(|item| literal(item, lua)).collect();
            if lua {
                format!("{{ {} }}", items.join(", "))
            } else {
                format!("[{}]", items.join(", "))
            }
        }
        Data::Map(map) => {
            let entry = |(name, value): (&String, &Data)| {
                let sign = if lua { " =" } else { ":" };
                format!("{name}{sign} {}", literal(value, lua))
            };
            let entries: Vec<String> = map.iter().map(entry).collect();
            format!("{}{{ {} }}", if lua { "" } else { "#" }, entries.join(", "))
        }
    }
}
