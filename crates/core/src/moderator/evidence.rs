//! Messages of a session as evidence for a model: the newest ones, up to the limits.

/// The length limit of the input or the output of a tool call, in characters.
const MAX_TOOL_TEXT: usize = 2_000;

/// The origin of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvidenceRole {
    User,
    Model,
    ToolCall,
    ToolResult,
}

/// One message of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceMessage {
    pub role: EvidenceRole,
    pub text: String,
}

impl EvidenceMessage {
    /// A message that a user or the model wrote, or a tool call with its input, or the output of one.
    pub fn new(role: EvidenceRole, text: impl Into<String>) -> EvidenceMessage {
        EvidenceMessage { role, text: text.into() }
    }

    fn label(&self) -> &'static str {
        match self.role {
            EvidenceRole::User => "user",
            EvidenceRole::Model => "assistant",
            EvidenceRole::ToolCall => "tool call",
            EvidenceRole::ToolResult => "tool result",
        }
    }

    /// The message as it appears in the prompt.
    fn entry(&self, clean: &dyn Fn(&str) -> String) -> String {
        let text = match self.role {
            EvidenceRole::ToolCall | EvidenceRole::ToolResult => head_and_tail(&self.text, MAX_TOOL_TEXT),
            EvidenceRole::User | EvidenceRole::Model => self.text.clone(),
        };
        format!("[{}] {}\n", self.label(), clean(&text))
    }
}

/// An estimate of the number of tokens of a text, which errs on the high side.
pub fn estimated_tokens(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(3) + other
}

/// The newest messages that fit, oldest first, with a line that says how many are left out. `clean` is applied to each
/// text before it is measured.
pub fn newest_messages(
    messages: &[EvidenceMessage],
    max_messages: usize,
    max_tokens: usize,
    clean: &dyn Fn(&str) -> String,
) -> String {
    let mut left = max_tokens;
    let mut entries = Vec::new();
    for message in messages.iter().rev().take(max_messages) {
        let mut entry = message.entry(clean);
        if estimated_tokens(&entry) > left {
            // A single message that is too long is the newest one: it keeps its beginning and its end.
            if !entries.is_empty() {
                break;
            }
            entry = head_and_tail_by_tokens(&entry, left);
        }
        left = left.saturating_sub(estimated_tokens(&entry));
        entries.push(entry);
    }
    let left_out = messages.len() - entries.len();
    let note = if left_out > 0 { format!("[{left_out} earlier messages left out]\n") } else { String::new() };
    entries.push(note);
    entries.reverse();
    entries.concat()
}

/// A text of at most `most` characters, besides the mark of the cut.
pub fn head_and_tail(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let (head, tail) = (most - most / 2, most / 2);
    let begin: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{begin}[… {} characters left out …]{end}", count - most)
}

/// A text of at most `most` estimated tokens, besides the mark of the cut.
fn head_and_tail_by_tokens(text: &str, most: usize) -> String {
    // Each character is at most one token, and three ASCII characters are at least one.
    let mut chars = most.saturating_mul(3).min(text.chars().count());
    let mark = estimated_tokens("[… 1000000000 characters left out …]\n");
    loop {
        let cut = head_and_tail(text, chars);
        if chars == 0 || estimated_tokens(&cut) <= most.max(mark) {
            return if cut.ends_with('\n') { cut } else { cut + "\n" };
        }
        chars = chars * 9 / 10;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn same(text: &str) -> String {
        text.to_owned()
    }

    #[test]
    fn the_newest_messages_fit() {
        let messages: Vec<EvidenceMessage> = (0..5_000)
            .map(|n| EvidenceMessage::new(EvidenceRole::User, format!("{n} {}", "x".repeat(6_000))))
            .collect();
        let text = newest_messages(&messages, 100, 100_000, &same);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "[4951 earlier messages left out]");
        assert!(lines.last().unwrap().starts_with("[user] 4999 "), "the newest is included");
        assert!(estimated_tokens(&text) <= 100_010);
        let text = newest_messages(&messages[..200], 100, 10_000_000, &same);
        assert_eq!((text.lines().count(), text.lines().next().unwrap()), (101, "[100 earlier messages left out]"));
        assert_eq!(newest_messages(&messages[..0], 100, 1_000, &same), "");
    }

    #[test]
    fn long_texts_keep_both_ends() {
        let call = EvidenceMessage::new(EvidenceRole::ToolCall, format!("A{}Z", "é".repeat(5_000)));
        let text = newest_messages(&[call], 100, 100_000, &same);
        assert!(
            text.starts_with("[tool call] Aé")
                && text.ends_with("éZ\n")
                && text.contains("[… 3002 characters left out …]")
        );
        let long = EvidenceMessage::new(EvidenceRole::User, format!("A{}Z", "word ".repeat(100_000)));
        let text = newest_messages(&[long], 100, 2_000, &same);
        assert!(text.starts_with("[user] Aword") && text.ends_with("word Z\n"), "{text}");
        assert!(estimated_tokens(&text) <= 2_000);
        assert_eq!(head_and_tail("abcdef", 6), "abcdef");
        assert_eq!(head_and_tail("abcdef", 3), "ab[… 3 characters left out …]f");
    }

    proptest! {
        #[test]
        fn the_limits_hold(texts in proptest::collection::vec("[a-zé\\n ]{0,400}", 0..30), most in 1_usize..20, tokens in 40_usize..2_000) {
            let messages: Vec<EvidenceMessage> =
                texts.iter().map(|text| EvidenceMessage::new(EvidenceRole::Model, text.clone())).collect();
            let text = newest_messages(&messages, most, tokens, &same);
            let note = estimated_tokens("[30 earlier messages left out]\n");
            prop_assert!(estimated_tokens(&text) <= tokens + note);
            prop_assert!(text.matches("[assistant] ").count() <= most);
            prop_assert_eq!(messages.is_empty(), text.is_empty());
        }
    }
}
