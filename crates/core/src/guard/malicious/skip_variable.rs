//! MB-R2: a variable that switches tests or checks off.

use crate::guard::command_reader::CheckedCommand;
use crate::guard::finding::GuardFinding;

const BEGINNINGS: [&str; 5] = ["SKIP", "NO", "DISABLE", "BYPASS", "IGNORE"];
const CHECKS: [&str; 20] = [
    "TEST",
    "TESTS",
    "VERIFY",
    "CHECK",
    "CHECKS",
    "HOOK",
    "HOOKS",
    "LINT",
    "CI",
    "AUDIT",
    "SCAN",
    "GUARD",
    "VALIDATE",
    "VALIDATION",
    "VALIDATOR",
    "MODERATOR",
    "PRECOMMIT",
    "COMMIT",
    "TESTING",
    "VERIFICATION",
];
/// Checks for news about a program, which protect nothing.
const HARMLESS: [&str; 5] = ["UPDATE", "UPDATES", "VERSION", "UPGRADE", "NOTIFIER"];

/// Checks a command.
pub fn check(command: &CheckedCommand) -> Option<GuardFinding> {
    let (name, value) = command.variables.iter().find(|(name, value)| skips(name, value))?;
    Some(GuardFinding::new("MB-R2", "", format!("{name}={value} switches a check off"), &command.source))
}

/// Whether a variable switches a check off.
pub fn skips(name: &str, value: &str) -> bool {
    let off = ["", "0", "false", "no", "off"];
    if off.contains(&value.to_ascii_lowercase().as_str()) {
        return false;
    }
    let mut parts = name.split('_');
    let begins = parts.next().is_some_and(|first| BEGINNINGS.contains(&first));
    let rest: Vec<&str> = parts.collect();
    begins && rest.iter().any(|part| CHECKS.contains(part)) && !rest.iter().any(|part| HARMLESS.contains(part))
}
