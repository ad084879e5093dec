//! The keys of an answer, each with its use.

use serde_json::Value;

use hookbench_base::output::{FieldUse, KeyUse};

/// Returns every key of an answer with its use. Keys of an object are listed in its place if `descends` is true for
/// its pointer.
pub fn list_fields(
    answer: &Value,
    descends: impl Fn(&str) -> bool,
    use_of: impl Fn(&str, &Value) -> (KeyUse, String),
) -> Vec<FieldUse> {
    let mut out = Vec::new();
    walk(answer, "", &descends, &use_of, &mut out);
    out
}

fn walk(
    value: &Value,
    above: &str,
    descends: &impl Fn(&str) -> bool,
    use_of: &impl Fn(&str, &Value) -> (KeyUse, String),
    out: &mut Vec<FieldUse>,
) {
    for (key, value) in value.as_object().into_iter().flatten() {
        let pointer = child_pointer(above, key);
        if value.is_object() && descends(&pointer) {
            walk(value, &pointer, descends, use_of, out);
        } else {
            let (key_use, message) = use_of(&pointer, value);
            out.push(FieldUse { pointer, key_use, message });
        }
    }
}

/// Returns the JSON pointer of a key in an object.
pub fn child_pointer(above: &str, key: &str) -> String {
    format!("{above}/{}", key.replace('~', "~0").replace('/', "~1"))
}
