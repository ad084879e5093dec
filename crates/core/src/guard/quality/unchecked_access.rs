//! CQ-R5: a function that should check something, and always succeeds.

use std::ops::Range;

use super::language::SourceLanguage;
use crate::guard::pattern::Pattern;
use crate::guard::searched_text::SearchedText;

static HEAD: Pattern = Pattern::new(
    &[],
    r"(?i)^\s*(export\s+|async\s+|pub\s+|public\s+|private\s+|static\s+)*(def|function|fn|func|private|public|boolean|bool)\s+\w*(verify|validate|authenticate|authori[sz]e|check_(auth|permission|quota|access|signature)|is_(valid|authorized|admin|allowed))\w*\b",
);

/// Returns the places of functions whose first statement is `return true`.
pub fn places(language: SourceLanguage, text: &SearchedText<'_>) -> Vec<Range<usize>> {
    use SourceLanguage::{Go, Java, JavaScript, Python, Rust};
    if !matches!(language, Python | JavaScript | Rust | Go | Java) {
        return Vec::new();
    }
    if !text.contains_any_ignoring_case(&["verify", "validate", "authenticate", "authori", "check_", "is_"]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let (mut offset, mut head): (usize, Option<Range<usize>>) = (0, None);
    for line in text.text.split_inclusive('\n') {
        let bare = line.trim();
        let range = offset..offset + line.trim_end().len();
        offset += line.len();
        if bare.is_empty() || bare.starts_with("//") || bare.starts_with('#') || bare == "{" {
            continue;
        }
        if let Some(head) = head.take()
            && is_success(bare, language)
        {
            found.push(head);
        }
        if HEAD.is_match(line.trim_end()) {
            let inside = bare.split_once('{').map(|(_, rest)| rest.trim_end_matches('}').trim()).unwrap_or_default();
            if is_success(inside, language) {
                found.push(range.clone());
            }
            head = Some(range);
        }
    }
    found
}

fn is_success(statement: &str, language: SourceLanguage) -> bool {
    let statement = statement.trim_end_matches([';', '}', ' ']).trim();
    matches!(statement, "return true" | "return True") || language == SourceLanguage::Rust && statement == "true"
}
