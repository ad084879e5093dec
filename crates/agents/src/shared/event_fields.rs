//! Keys of payloads, as the tables of events list them.

use hookbench_base::hook::PayloadField;

/// A required key.
pub const fn always(name: &'static str, kind: &'static str) -> PayloadField {
    PayloadField { name, kind, optional: false, values: &[] }
}

/// An optional key.
pub const fn optional(name: &'static str, kind: &'static str) -> PayloadField {
    PayloadField { name, kind, optional: true, values: &[] }
}

/// A required string from a closed list.
pub const fn one_of(name: &'static str, values: &'static [&'static str]) -> PayloadField {
    PayloadField { name, kind: "string", optional: false, values }
}

/// An optional string from a closed list.
pub const fn optional_one_of(name: &'static str, values: &'static [&'static str]) -> PayloadField {
    PayloadField { name, kind: "string", optional: true, values }
}
