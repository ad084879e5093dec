//! Writes the table of events as Rust constants.
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "../base/static_table.rs"]
mod static_table;

use static_table::{FieldKind, TableTypes, static_table};

/// The table of events; the types are those of `src/port/data.rs`.
const TYPES: TableTypes = &[
    (
        "EventMapping",
        &[
            ("version", FieldKind::Plain),
            ("checked_on", FieldKind::Plain),
            ("rows", FieldKind::List("MappedEvent")),
            ("agents", FieldKind::List("AgentKeys")),
            ("own", FieldKind::Texts),
            ("keys", FieldKind::List("KeyRow")),
            ("values", FieldKind::List("ValueRow")),
            ("tools", FieldKind::List("ToolInputRow")),
        ],
    ),
    (
        "MappedEvent",
        &[
            ("canonical", FieldKind::Plain),
            ("about", FieldKind::Plain),
            ("spellings", FieldKind::Texts),
            ("events", FieldKind::Words),
            ("nearest", FieldKind::Words),
        ],
    ),
    (
        "AgentKeys",
        &[
            ("id", FieldKind::Plain),
            ("sometimes", FieldKind::Texts),
            ("mcp", FieldKind::OptionalObject("McpKeys")),
            ("response", FieldKind::Object("ToolResponseForm")),
        ],
    ),
    ("McpKeys", &[("key", FieldKind::Plain), ("server", FieldKind::Plain), ("tool", FieldKind::Optional)]),
    (
        "ToolResponseForm",
        &[
            ("tools", FieldKind::Texts),
            ("key", FieldKind::Optional),
            ("text", FieldKind::Optional),
            ("copy", FieldKind::Optional),
            ("whole", FieldKind::Json),
        ],
    ),
    ("KeyRow", &[("canonical", FieldKind::Plain), ("event", FieldKind::Optional), ("keys", FieldKind::Words)]),
    (
        "ValueRow",
        &[
            ("key", FieldKind::Plain),
            ("event", FieldKind::Optional),
            ("words", FieldKind::ListOfWords),
            ("otherwise", FieldKind::Words),
        ],
    ),
    (
        "ToolInputRow",
        &[
            ("canonical", FieldKind::Plain),
            ("fields", FieldKind::ListOfWords),
            ("needs", FieldKind::JsonWords),
            ("patch", FieldKind::Words),
        ],
    ),
];

fn main() {
    let file = "../../assets/data/events.json";
    println!("cargo:rerun-if-changed={file}");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=../base/static_table.rs");
    let json = std::fs::read_to_string(file).expect("the table can be read");
    let directory = std::env::var("OUT_DIR").expect("cargo names a directory");
    let path = std::path::Path::new(&directory).join("events.rs");
    std::fs::write(path, static_table("EVENTS", TYPES, &json)).expect("the directory can be written");
}
