//! Writes the table of events as Rust constants.
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

#[path = "../base/static_table.rs"]
mod static_table;

use static_table::{FieldKind, TableTypes, write_static_table};

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
            ("nested", FieldKind::Optional),
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
    write_static_table("events", TYPES, include_str!("../../assets/data/events.json"));
}
