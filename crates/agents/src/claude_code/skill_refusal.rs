//! The refusal in an answer on PreSkillShellCommand, with its text on one line. Measured on 2.1.332.

use serde_json::Value;

use super::answer::{BlockCause, BlockDecision, ForcedBlock, HookAnswer, NO_STDERR};
use hookbench_base::text::{char_to_surrogate, utf16_len};

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

/// Returns a text on one line: terminal sequences and halves of surrogate pairs are dropped, blanks, control and format
/// characters become one blank, and a long text is cut.
fn one_line(text: &str) -> String {
    let is_blank = |c: char| {
        c <= ' '
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}'
                | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0001}' | '\u{e0020}'..='\u{e007f}')
    };
    let mut text = without_sequences(text);
    text.retain(|c| char_to_surrogate(c).is_none());
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

/// Removes complete terminal sequences: ESC `[` to its final character, and a string such as a title to its end.
fn without_sequences(text: &str) -> String {
    let (mut kept, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        kept.push_str(before);
        rest = match after.chars().next() {
            Some('[') => after_control_sequence(&after[1..]),
            Some(']' | 'P' | 'X' | '^' | '_') => after_string(&after[1..]),
            _ => None,
        }
        .unwrap_or_else(|| {
            kept.push('\u{1b}');
            after
        });
    }
    kept + rest
}

/// The text after a control sequence. `None` if its final character is missing.
fn after_control_sequence(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(|c| matches!(c, '0'..='?')).trim_start_matches(|c| matches!(c, ' '..='/'));
    text.strip_prefix(|c| matches!(c, '@'..='~'))
}

/// The text after the end of a terminal string, which is BEL or ESC `\`. `None` if it has no end.
fn after_string(text: &str) -> Option<&str> {
    let ends = [text.find('\u{7}').map(|at| at + 1), text.find("\u{1b}\\").map(|at| at + 2)];
    ends.into_iter().flatten().min().map(|end| &text[end..])
}

#[cfg(test)]
mod tests {
    use super::one_line;
    use hookbench_base::text::surrogate_to_char;

    #[test]
    fn texts_on_one_line() {
        for (text, want) in [
            ("  a\t b\n\n c\u{a0}d\u{2003}e\u{200b}f\u{feff}g\u{2028}h  ", "a b c\u{a0}d\u{2003}e f g h"),
            (
                "a\u{7}b\u{1b}c\u{ad}d\u{200d}e\u{2060}f\u{202e}g\u{180e}h\u{85}i\u{7f}j\u{0}k\u{3000}l",
                "a b c d e f g h i j k\u{3000}l",
            ),
            ("a\u{1b}[31mred\u{1b}[0mb\u{1b}[?25l\u{1b}[1;2H\u{1b}[ q", "aredb"),
            ("a\u{1b}]0;title\u{7}b\u{1b}Pq\u{1b}\\c", "abc"),
            ("a\u{1b}(Bb\u{1b}]0;title", "a (Bb ]0;title"),
            ("a\u{1b}[31", "a [31"),
            ("a\u{9b}31mb", "a 31mb"),
        ] {
            assert_eq!(one_line(text), want);
        }
        let half: String = surrogate_to_char(0xD800).into_iter().collect();
        assert_eq!(one_line(&format!("a{half}b {half}")), "ab");
        assert_eq!(one_line(&"x".repeat(500)).len(), 500);
        assert_eq!(one_line(&"x".repeat(501)), format!("{}…", "x".repeat(499)));
        assert_eq!(one_line(&"😀".repeat(300)), format!("{}…", "😀".repeat(249)));
    }
}
