//! The refusal in an answer on PreSkillShellCommand, with its text on one line. Measured on 2.1.332.

use serde_json::Value;

use super::answer::{BlockCause, BlockDecision, ForcedBlock, HookAnswer, NO_STDERR};
use hookbench_base::text::utf16_len;

/// The longest text of a refusal, in UTF-16 units.
const MAX_LENGTH: usize = 500;
const ASKED: &str = "the hook asked for approval, which a skill can't wait for";
const CHANGED: &str = "the hook changed the command, which isn't supported here";
/// The error of a prompt or agent hook, which this event never runs.
pub const NEEDS_MODEL: &str = "prompt and agent hooks don't run on PreSkillShellCommand";

/// Returns the refusal of an answer. Its text is empty if the hook gave none.
pub fn refusal(answer: &HookAnswer, never_runs: bool) -> Option<BlockDecision> {
    let block = |cause, text: &str| Some(BlockDecision { cause, text: one_line(text) });
    if never_runs {
        return block(BlockCause::Unsupported, NEEDS_MODEL);
    }
    // The decision of a PermissionRequest counts here too.
    let asked = answer.specific_output("decision");
    let behaviour = asked.and_then(|decision| decision.get("behavior"));
    let decision = answer.specific_output("permissionDecision").or(behaviour).and_then(Value::as_str);
    let message = asked.and_then(|decision| decision.get("message")).and_then(Value::as_str);
    let own = answer.specific_text("permissionDecisionReason").or(message.filter(|text| !text.is_empty()));
    let reason = own.or_else(|| answer.top_text("reason"));
    let changed = answer.specific_output("updatedInput").or_else(|| asked?.get("updatedInput"));
    match (decision, &answer.forced_block) {
        (Some("deny"), _) => block(BlockCause::Answer, reason.unwrap_or("")),
        (Some("ask" | "defer"), _) => block(BlockCause::Answer, reason.unwrap_or(ASKED)),
        _ if answer.top_text("decision") == Some("block") => {
            block(BlockCause::Answer, answer.top_text("reason").unwrap_or(""))
        }
        _ if changed.is_some() => block(BlockCause::Answer, CHANGED),
        (_, Some(ForcedBlock::Exit2(text))) => {
            let prefix = format!("[{}]: ", answer.command);
            let text = text.strip_prefix(&prefix).unwrap_or(text);
            block(BlockCause::Exit2, if text == NO_STDERR { "" } else { text })
        }
        (_, Some(ForcedBlock::OnFailure(text))) => block(BlockCause::OnFailure, text),
        (_, None) => None,
    }
}

/// Returns a text on one line: blanks, control and format characters become one blank, and a long text is cut.
fn one_line(text: &str) -> String {
    let is_blank = |c: char| {
        c <= ' '
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
    };
    let text = text.split(is_blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if utf16_len(&text) <= MAX_LENGTH {
        return text;
    }
    // The cut does not divide a character.
    let mut kept = 0;
    let is_kept = |c: &char| {
        kept += c.len_utf16();
        kept < MAX_LENGTH
    };
    text.chars().take_while(is_kept).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn texts_on_one_line() {
        for (text, want) in [
            ("  a\t b\n\n c\u{a0}d\u{2003}e\u{200b}f\u{feff}g\u{2028}h  ", "a b c\u{a0}d\u{2003}e f g h"),
            (
                "a\u{7}b\u{1b}c\u{ad}d\u{200d}e\u{2060}f\u{202e}g\u{180e}h\u{85}i\u{7f}j\u{0}k\u{3000}l",
                "a b c d e f g h i j k\u{3000}l",
            ),
        ] {
            assert_eq!(one_line(text), want);
        }
        assert_eq!(one_line(&"x".repeat(500)).len(), 500);
        assert_eq!(one_line(&"x".repeat(501)), format!("{}…", "x".repeat(499)));
        assert_eq!(one_line(&"😀".repeat(300)), format!("{}…", "😀".repeat(249)));
    }
}
