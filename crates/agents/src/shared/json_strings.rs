//! String values at any depth of a JSON value.

use hookbench_base::text::{Node, NodeValue};

/// Replaces every string value inside a node.
pub fn map_strings(node: &mut Node, change: &mut dyn FnMut(&str) -> String) {
    match &mut node.value {
        NodeValue::String(text) => *text = change(text),
        NodeValue::Array(items) => items.iter_mut().for_each(|item| map_strings(item, change)),
        NodeValue::Object(members) => members.iter_mut().for_each(|member| map_strings(&mut member.value, change)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {}
    }
}
