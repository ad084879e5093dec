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
    /// The content of a file: a text, or any other value as JSON text.
    File,
    /// Any values by agent, as `AgentWords` of JSON texts.
    JsonWords,
    /// A flag, false if it is missing.
    Flag,
    /// A variant of a type: its name, or an object with the name and the value of the variant.
    Variant(&'static str),
    /// A list of tuples: an array of arrays, or an object whose keys are the first values.
    Tuples(&'static [FieldKind]),
    /// An array as a tuple.
    Tuple(&'static [FieldKind]),
    /// An array as a tuple that may be missing.
    OptionalTuple(&'static [FieldKind]),
    /// The text of a file in `assets`, or a text.
    Included,
    /// The fields that the table does not have, from this constant.
    Rest(&'static str),
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
    for key in object.keys().filter(|key| *key != "why") {
        assert!(fields.iter().any(|(field, _)| field == key), "{name} has no field {key}: {value}");
    }
    write!(out, "{name} {{").expect("a String");
    for (field, kind) in *fields {
        if let FieldKind::Rest(constant) = kind {
            write!(out, "..{constant}").expect("a String");
            continue;
        }
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
        FieldKind::File => {
            let text = there().as_str().map_or_else(|| there().to_string(), str::to_owned);
            write!(out, "{text:?}").expect("a String");
        }
        FieldKind::JsonWords => write_words(out, value, at, |value| format!("{:?}", value.to_string())),
        FieldKind::Flag => out.push_str(if value.is_some_and(|value| value == true) { "true" } else { "false" }),
        FieldKind::Variant(name) => write_variant(out, name, there(), at),
        FieldKind::Tuples(kinds) => {
            let pairs = value.and_then(Value::as_object).into_iter().flatten();
            let pairs: Vec<Value> = pairs.map(|(key, value)| vec![key.as_str().into(), value.clone()].into()).collect();
            let rows =
                if pairs.is_empty() { value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice) } else { &pairs };
            write_list(out, rows, |out, row| write_tuple(out, types, kinds, row, at));
        }
        FieldKind::Tuple(kinds) => write_tuple(out, types, kinds, there(), at),
        FieldKind::OptionalTuple(kinds) => match value {
            Some(value) => {
                out.push_str("Some(");
                write_tuple(out, types, kinds, value, at);
                out.push(')');
            }
            None => out.push_str("None"),
        },
        FieldKind::Included => match there().as_str() {
            Some(path) if path.starts_with("assets/") => {
                write!(out, "include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/../../{path}\"))")
                    .expect("a String");
            }
            _ => out.push_str(&literal(there(), at)),
        },
        FieldKind::Rest(_) => unreachable!("it is not a field"),
    }
}

fn write_tuple(out: &mut String, types: TableTypes, kinds: &[FieldKind], row: &Value, at: &str) {
    let values = row.as_array().filter(|values| values.len() == kinds.len());
    let values = values.unwrap_or_else(|| panic!("{row} of {at} is a list of {}", kinds.len()));
    out.push('(');
    for (kind, value) in kinds.iter().zip(values) {
        write_field(out, types, *kind, Some(value), at);
        out.push_str(", ");
    }
    out.push(')');
}

fn write_variant(out: &mut String, name: &str, value: &Value, at: &str) {
    let text = |value: &Value| if value.is_array() { format!("{:?}", value.to_string()) } else { literal(value, at) };
    if let Some(variant) = value.as_str() {
        write!(out, "{name}::{variant}").expect("a String");
        return;
    }
    let (variant, content) = value.as_object().and_then(|object| object.iter().next()).expect("a variant");
    match content.as_object() {
        Some(fields) => {
            let fields: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {}", text(value))).collect();
            write!(out, "{name}::{variant} {{ {} }}", fields.join(", ")).expect("a String");
        }
        None => write!(out, "{name}::{variant}({})", text(content)).expect("a String"),
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
