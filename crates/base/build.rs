//! Writes the table of tools as Rust constants.
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

mod static_table;

use static_table::{FieldKind, TableTypes, write_static_table};

/// The table of tools; the types are those of `src/catalogue/data.rs`.
const TYPES: TableTypes = &[
    (
        "Catalogue",
        &[
            ("version", FieldKind::Plain),
            ("checked_on", FieldKind::Plain),
            ("rows", FieldKind::List("CatalogueRow")),
            ("agents", FieldKind::List("AgentTools")),
            ("specified", FieldKind::List("AgentTools")),
        ],
    ),
    (
        "CatalogueRow",
        &[
            ("canonical", FieldKind::Plain),
            ("about", FieldKind::Plain),
            ("spellings", FieldKind::Texts),
            ("instead", FieldKind::Optional),
        ],
    ),
    (
        "AgentTools",
        &[
            ("id", FieldKind::Plain),
            ("name", FieldKind::Plain),
            ("version", FieldKind::Plain),
            ("mcp", FieldKind::Object("McpNaming")),
            ("aliases_in_patterns", FieldKind::Plain),
            ("plain_names_are_patterns", FieldKind::Plain),
            ("tools", FieldKind::List("CatalogueTool")),
            ("others", FieldKind::List("UnmatchedName")),
        ],
    ),
    ("McpNaming", &[("form", FieldKind::Plain), ("split", FieldKind::Optional)]),
    (
        "CatalogueTool",
        &[
            ("id", FieldKind::Plain),
            ("canonical", FieldKind::Texts),
            ("display", FieldKind::Optional),
            ("aliases", FieldKind::Texts),
            ("note", FieldKind::Optional),
        ],
    ),
    (
        "UnmatchedName",
        &[
            ("name", FieldKind::Plain),
            ("canonical", FieldKind::Optional),
            ("last", FieldKind::Optional),
            ("note", FieldKind::Optional),
        ],
    ),
];

fn main() {
    write_static_table("tools", TYPES, include_str!("../../assets/data/tools.json"));
}
