//! A finding of a rule.

/// A finding of a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct GuardFinding {
    /// The id of the rule.
    pub rule: &'static str,
    /// A file with a line, such as `src/a.py:3`, or a line of the transcript. Empty for a command and a message.
    pub place: String,
    /// The finding as a sentence without a full stop.
    pub what: String,
    /// The text that shows it: a command with its result, or a line.
    pub evidence: String,
}

/// The maximum number of characters of an evidence.
const MAX_EVIDENCE: usize = 200;

impl GuardFinding {
    /// Creates a finding. Evidence is one line, without control characters.
    pub fn new(rule: &'static str, place: &str, what: impl Into<String>, evidence: &str) -> GuardFinding {
        GuardFinding { rule, place: line(place), what: line(&what.into()), evidence: line(evidence) }
    }
}

/// Returns a text as one line of limited length.
pub(super) fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let clean: String = words.chars().filter(|c| !c.is_control()).collect();
    if clean.chars().count() <= MAX_EVIDENCE {
        return clean;
    }
    let cut: String = clean.chars().take(MAX_EVIDENCE - 1).collect();
    format!("{cut}…")
}
