//! Writes a JSON table as Rust constants when a crate is built, so that no start of the program parses it. Build
//! scripts include this file.
#![allow(dead_code, reason = "each table uses some of the kinds")]

use std::fmt::Write as _;

use serde_json::Value;

/// How a field is written.
#[derive(Clone, Copy)]
pub enum FieldKind {
    /// A text, a number or a flag that every object has.
    Plain,
    /// A text that may be missing.
    Optional,
    /// A list of texts, empty if it is missing.
    Texts,
    /// An object of a type.
    Object(&'static str),
    /// An object of a type that may be missing.
    OptionalObject(&'static str),
    /// A list of objects of a type.
    List(&'static str),
    /// Texts by agent, as `AgentWords`.
    Words,
    /// A list of texts by agent.
    ListOfWords,
    /// Any value, as JSON text.
    Json,
    /// Any values by agent, as `AgentWords` of JSON texts.
    JsonWords,
}

/// The types of a table with their fields. The first one is the type of the table itself.
pub type TableTypes = &'static [(&'static str, &'static [(&'static str, FieldKind)])];

/// Writes a table to `{name}.rs` in the output directory of a build script, as a static with that name in capital
/// letters. `json` is included in the build script, so a change of it builds and runs the script again.
///
/// # Panics
/// Panics, which fails the build, if the table cannot be written, or does not have its types.
pub fn write_static_table(name: &str, types: TableTypes, json: &str) {
    println!("cargo:rerun-if-changed=build.rs");
    let directory = std::env::var("OUT_DIR").expect("cargo names a directory");
    let path = std::path::Path::new(&directory).join(name).with_extension("rs");
    std::fs::write(path, static_table(&name.to_uppercase(), types, json)).expect("the directory can be written");
}

/// Returns `static NAME: Type = …;` for the JSON text.
///
/// # Panics
/// Panics, which fails the build, if a value does not have the form of its field, or if a key is unknown.
pub fn static_table(name: &str, types: TableTypes, json: &str) -> String {
    let value: Value = serde_json::from_str(json).expect("the table is JSON");
    let (root, _) = types.first().expect("a table has a type");
    let mut out = format!("static {name}: {root} = ");
    write_object(&mut out, types, root, &value);
    out + ";\n"
}

fn write_object(out: &mut String, types: TableTypes, name: &str, value: &Value) {
    let (_, fields) = types.iter().find(|(known, _)| *known == name).expect("the type is listed");
    let object = value.as_object().unwrap_or_else(|| panic!("{name} is an object, not {value}"));
    for key in object.keys() {
        assert!(fields.iter().any(|(field, _)| field == key), "{name} has no field {key}: {value}");
    }
    write!(out, "{name} {{").expect("a String");
    for (field, kind) in *fields {
        write!(out, "{field}: ").expect("a String");
        write_field(out, types, *kind, object.get(*field), &format!("{name}.{field} of {value}"));
        out.push_str(", ");
    }
    out.push('}');
}

fn write_field(out: &mut String, types: TableTypes, kind: FieldKind, value: Option<&Value>, at: &str) {
    let there = || value.unwrap_or_else(|| panic!("{at} is missing"));
    let items = || value.map_or(&[][..], |value| value.as_array().unwrap_or_else(|| panic!("{at} is a list")));
    match kind {
        FieldKind::Plain => out.push_str(&literal(there(), at)),
        FieldKind::Optional => match value {
            Some(value) => write!(out, "Some({})", literal(value, at)).expect("a String"),
            None => out.push_str("None"),
        },
        FieldKind::Texts => write_list(out, items(), |out, item| out.push_str(&literal(item, at))),
        FieldKind::Object(name) => write_object(out, types, name, there()),
        FieldKind::OptionalObject(name) => match value {
            Some(value) => {
                out.push_str("Some(");
                write_object(out, types, name, value);
                out.push(')');
            }
            None => out.push_str("None"),
        },
        FieldKind::List(name) => write_list(out, items(), |out, item| write_object(out, types, name, item)),
        FieldKind::Words => write_words(out, value, at, |value| literal(value, at)),
        FieldKind::ListOfWords => {
            write_list(out, items(), |out, item| write_words(out, Some(item), at, |value| literal(value, at)));
        }
        FieldKind::Json => write!(out, "{:?}", there().to_string()).expect("a String"),
        FieldKind::JsonWords => write_words(out, value, at, |value| format!("{:?}", value.to_string())),
    }
}

fn write_list(out: &mut String, items: &[Value], mut each: impl FnMut(&mut String, &Value)) {
    out.push_str("&[");
    for item in items {
        each(out, item);
        out.push_str(", ");
    }
    out.push(']');
}

fn write_words(out: &mut String, value: Option<&Value>, at: &str, text: impl Fn(&Value) -> String) {
    let object = value.map(|value| value.as_object().unwrap_or_else(|| panic!("{at} is an object")));
    out.push_str("AgentWords(&[");
    for (agent, value) in object.into_iter().flatten() {
        write!(out, "({agent:?}, {}), ", text(value)).expect("a String");
    }
    out.push_str("])");
}

/// A text, a number or a flag as Rust writes it.
fn literal(value: &Value, at: &str) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ => panic!("{at} is a text, a number or a flag, not {value}"),
    }
}
