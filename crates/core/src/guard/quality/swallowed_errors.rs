//! CQ-R3: errors that disappear.

use std::ops::Range;

use super::language::SourceLanguage;
use crate::guard::pattern::{Pattern, SearchedText};

static PYTHON_HEAD: Pattern = Pattern::new(&["except"], r"^(\s*)except\b[^\n]*:\s*(#.*)?$");
static PYTHON_BODY: Pattern = Pattern::new(
    &[],
    r#"^\s*(pass|continue|\.\.\.|return|return\s+(None|False|True|0|1|-1|""|''|\[\]|\{\}|dict\(\)|list\(\)))\s*(#.*)?$"#,
);
static PYTHON_LINE: Pattern = Pattern::new(&["except"], r"(?m)^\s*except\b[^\n]*:\s*(pass|continue|\.\.\.)\s*$");
static CATCH: Pattern = Pattern::new(&["catch"], r"catch\s*(\([^)]*\))?\s*\{\s*((//[^\n]*|/\*[^*]*\*/)\s*)*\}");
static GO: Pattern = Pattern::new(&["err"], r"(?m)^\s*_\s*(,\s*_\s*)?=\s*err\b|if\s+err\s*!=\s*nil\s*\{\s*\}");

/// Returns the places at which errors are swallowed.
pub fn places(language: SourceLanguage, text: &SearchedText<'_>) -> Vec<Range<usize>> {
    match language {
        SourceLanguage::Python => python(text),
        SourceLanguage::JavaScript | SourceLanguage::Java | SourceLanguage::Php => CATCH.ranges_in(text).collect(),
        SourceLanguage::Go => GO.ranges_in(text).collect(),
        _ => Vec::new(),
    }
}

fn python(text: &SearchedText<'_>) -> Vec<Range<usize>> {
    let mut found: Vec<_> = PYTHON_LINE.ranges_in(text).collect();
    if !text.contains_any(&["except"]) {
        return found;
    }
    let mut offset = 0;
    let mut head: Option<Range<usize>> = None;
    for line in text.text.split_inclusive('\n') {
        let bare = line.trim_end_matches(['\n', '\r']);
        let range = offset..offset + bare.len();
        offset += line.len();
        if bare.trim().is_empty() || bare.trim_start().starts_with('#') {
            continue;
        }
        if let Some(head) = head.take()
            && PYTHON_BODY.is_match(bare)
        {
            found.push(head);
        }
        head = PYTHON_HEAD.is_match(bare).then_some(range);
    }
    found
}

static HEAD: Pattern = Pattern::new(
    &[],
    r"(?i)^\s*(export\s+|async\s+|pub\s+|public\s+|private\s+|static\s+)*(def|function|fn|func|private|public|boolean|bool)\s+\w*(verify|validate|authenticate|authori[sz]e|check_(auth|permission|quota|access|signature)|is_(valid|authorized|admin|allowed))\w*\b",
);

/// Returns the places of functions whose first statement is `return true`.
pub fn places_unchecked_access(language: SourceLanguage, text: &SearchedText<'_>) -> Vec<Range<usize>> {
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
