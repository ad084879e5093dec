//! HW614: an `allow` of a hook beside a permission rule that asks or refuses all the same.

use super::super::condition;
use super::super::matcher::Judgement;
use crate::core::config::LayerState;
use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Scene;
use crate::core::text::{Node, Syntax, parse_json};

/// The first rule of the settings that covers the call, a refusal before a question.
pub fn not_lifted(scene: &Scene) -> Option<Diagnostic> {
    for (list, does) in [("deny", "refuses the call"), ("ask", "asks the user")] {
        for layer in scene.loaded.layers.iter().filter(|layer| layer.state == LayerState::Read) {
            let Some(source) = scene.loaded.sources.by_path(&layer.path) else { continue };
            let syntax = Syntax { bom: true, ..Syntax::default() };
            let Ok(node) = parse_json(source, scene.loaded.sources.text(source), syntax) else { continue };
            let rules = node.get("permissions").and_then(|p| p.get(list)).and_then(Node::items).unwrap_or_default();
            for rule in rules {
                let Some(text) = rule.as_str().filter(|text| !text.is_empty()) else { continue };
                if matches!(condition::judge(text, &scene.input, &scene.place), Judgement::Yes(_)) {
                    let says = format!("its `allow` does not lift the rule `{text}`, which {does}");
                    let place = scene.loaded.sources.start(rule.span);
                    let found = Diagnostic::warning("HW614", says);
                    return Some(
                        found
                            .note(format!("the rule stands in permissions.{list}, {}:{}", layer.file, place.line))
                            .help("change the rule: an answer of a hook cannot be weaker than the user's rules"),
                    );
                }
            }
        }
    }
    None
}
