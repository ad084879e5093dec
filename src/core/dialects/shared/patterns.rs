//! Matchers that are patterns and should not be: notes at their place, before anything fires.

use serde_json::Value;

use crate::core::config::Loaded;
use crate::core::diagnostic::Diagnostic;
use crate::core::hook::HookDefinition;
use crate::core::matcher::EcmaPattern;

/// Notes every matcher that does not compile, and every one that could run for longer than anybody waits. `pattern` gives
/// the text that the agent would compile for a definition; none when it compiles nothing. `broken`: what becomes of one
/// that does not compile.
pub fn note_patterns(
    loaded: &mut Loaded,
    broken: fn(&str) -> &'static str,
    pattern: impl Fn(&HookDefinition, &str) -> Option<String>,
) {
    let mut notes: Vec<Diagnostic> = Vec::new();
    for definition in loaded.definitions.iter().filter(|d| d.sound()) {
        let (Some(Value::String(text)), Some(span)) = (&definition.matcher, definition.matcher_span) else { continue };
        if notes.iter().any(|n| n.span == Some(span)) {
            continue;
        }
        let Some(compiled) = pattern(definition, text) else { continue };
        let note = match EcmaPattern::new(&compiled) {
            Err(why) => {
                Diagnostic::error("HW308", format!("\"{text}\" is no valid pattern ({why}), so {}", broken(text)))
                    .help("close what is open, or put a backslash before a character that is meant literally")
            }
            Ok(pattern) if pattern.hazardous() => Diagnostic::warning(
                "HW316",
                format!("the pattern \"{text}\" can take the agent longer than anybody waits"),
            )
            .help("leave one of the nested or neighbouring repetitions out"),
            Ok(_) => continue,
        };
        notes.push(note.at(span));
    }
    loaded.notes.extend(notes);
}
