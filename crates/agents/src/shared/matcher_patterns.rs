//! Checks for matchers that are invalid or slow patterns, made when settings are loaded.

use std::collections::HashSet;

use serde_json::Value;

use hookbench_base::config::LoadedConfig;
use hookbench_base::diagnostic::Diagnostic;
use hookbench_base::hook::HookDefinition;
use hookbench_base::matcher::EcmaPattern;

/// Whether a pattern contains `(?i:…)` or `(?-i:…)`, which JavaScript supports only since V8 12.5.
fn has_inline_flags(pattern: &str) -> bool {
    pattern.match_indices("(?").any(|(at, _)| {
        let escaped = pattern.get(..at).unwrap_or("").bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        let flags = pattern.get(at + 2..).unwrap_or("").trim_start_matches(['i', 'm', 's', '-']);
        let length = pattern.len() - at - 2 - flags.len();
        !escaped && length > 0 && flags.starts_with(':')
    })
}

/// Reports every matcher that does not compile, and every one that could take very long. `pattern` returns the
/// text that the agent would compile for a definition, or `None` if it compiles nothing. `broken` returns the
/// consequence for a matcher that does not compile.
pub fn check_patterns(
    loaded: &mut LoadedConfig,
    broken: fn(&str) -> &'static str,
    pattern: impl Fn(&HookDefinition, &str) -> Option<String>,
) {
    let mut notes: Vec<Diagnostic> = Vec::new();
    let mut seen = HashSet::new();
    for definition in loaded.definitions.iter().filter(|d| d.is_valid()) {
        let (Some(Value::String(text)), Some(span)) = (&definition.matcher, definition.matcher_span) else { continue };
        // All definitions of a group share the group's matcher.
        if !seen.insert(span) {
            continue;
        }
        let Some(compiled) = pattern(definition, text) else { continue };
        let note = match EcmaPattern::new(&compiled) {
            Err(why) => {
                Diagnostic::error("HW308", format!("\"{text}\" is no valid pattern ({why}), so {}", broken(text)))
                    .with_help("close what is open, or put a backslash before a character that is meant literally")
            }
            Ok(pattern) if pattern.is_hazardous() => Diagnostic::warning(
                "HW316",
                format!("the pattern \"{text}\" can take the agent longer than anybody waits"),
            )
            .with_help("leave one of the nested or neighbouring repetitions out"),
            Ok(_) if has_inline_flags(&compiled) => Diagnostic::warning(
                "HW308",
                format!(
                    "\"{text}\" sets flags inside the pattern: Node 23 and later take it, to earlier ones it is no \
                     valid pattern, and then {}",
                    broken(text)
                ),
            )
            .with_help("write both cases, such as [Bb]ash"),
            Ok(_) => continue,
        };
        notes.push(note.at(span));
    }
    loaded.notes.extend(notes);
}

#[cfg(test)]
mod tests {
    use super::has_inline_flags;

    #[test]
    fn flags_inside_a_pattern() {
        for (pattern, want) in [
            ("(?i:bash)", true),
            ("a|(?i-s:b)", true),
            ("(?-i:b)", true),
            ("(?:b)", false),
            ("(?=b)", false),
            (r"\(?i:b)", false),
            (r"\\(?i:b)", true),
            ("i:(b)", false),
        ] {
            assert_eq!(has_inline_flags(pattern), want, "{pattern}");
        }
    }
}
