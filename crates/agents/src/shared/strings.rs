//! String values at any depth of a JSON value.

use hookbench_base::text::{Node, NodeValue};

/// Replaces every string value inside a node.
pub fn each_string(node: &mut Node, change: &mut dyn FnMut(&str) -> String) {
    match &mut node.value {
        NodeValue::String(text) => *text = change(text),
        NodeValue::Array(items) => items.iter_mut().for_each(|item| each_string(item, change)),
        NodeValue::Object(members) => members.iter_mut().for_each(|member| each_string(&mut member.value, change)),
        NodeValue::Null | NodeValue::Bool(_) | NodeValue::Number(_) => {}
    }
}
