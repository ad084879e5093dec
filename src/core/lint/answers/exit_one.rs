//! HW601: a script that refuses with exit status 1.

use std::sync::LazyLock;

use regex::Regex;

use crate::core::diagnostic::Diagnostic;
use crate::core::dialects::Looked;

/// Lines before the end in which a reason may stand.
const BEFORE: usize = 3;

static ENDS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?:\bexit\s+1\b|\b(?:sys\.)?exit\(\s*1\s*\)|\bprocess\.exit\(\s*1\s*\))").ok());
/// Anything by which a script can block in earnest.
static BLOCKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\bexit\s+2\b|exit\(\s*2\s*\)|exitCode\s*=\s*2|permissionDecision|["']?decision["']?\s*[:=]|["']continue["']"#).ok()
});
static REFUSES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:block(?:ed|ing)?|den(?:y|ied|ying)|refus(?:e|ed|ing)|forbidden|prohibited|not\s+(?:allowed|permitted)|disallowed)\b").ok()
});

/// A refusing sentence right before the end with 1, in a script that knows no other way to block, on an event that can be
/// blocked. An `exit 1` for a missing program is nobody's mistake.
pub(super) fn look(at: &Looked<'_>) -> Option<Diagnostic> {
    at.event.blocks?;
    let (file, text) = match (at.script, at.command()) {
        (Some(script), _) => (Some(script.file.as_str()), script.text.clone()),
        (None, command) => (None, command?),
    };
    if BLOCKS.as_ref()?.is_match(&text) {
        return None;
    }
    let lines: Vec<&str> = text.lines().collect();
    let code = |line: &str| !matches!(line.trim_start().as_bytes(), [b'#', ..] | [b'/', b'/', ..]);
    let ends = ENDS.as_ref()?;
    let refuses = REFUSES.as_ref()?;
    let at_line = lines.iter().enumerate().position(|(index, line)| {
        let from = index.saturating_sub(BEFORE);
        code(line)
            && ends.is_match(line)
            && lines.get(from..=index).unwrap_or_default().iter().any(|near| code(near) && refuses.is_match(near))
    })?;
    let place = file.map(|file| format!(" ({file}:{})", at_line + 1)).unwrap_or_default();
    let says = format!("this hook refuses with exit status 1{place}, which does not block {}", at.event.name);
    Some(Diagnostic::error("HW601", says).at(at.handler()).help("exit with 2, or print a JSON answer and exit with 0"))
}
