//! Cleaning of a session's texts for the summary.

/// Tags of text that the agent inserts into the user's messages.
const REMINDERS: [(&str, &str); 4] = [
    ("<system-reminder>", "</system-reminder>"),
    ("<command-name>", "</command-name>"),
    ("<command-message>", "</command-message>"),
    ("<local-command-stdout>", "</local-command-stdout>"),
];

/// Removes inserted text.
pub fn without_reminders(text: &str) -> String {
    let mut text = text.to_owned();
    for (begin, end) in REMINDERS {
        while let Some(at) = text.find(begin) {
            let length = text[at..].find(end).map_or(text.len() - at, |found| found + end.len());
            text.replace_range(at..at + length, "");
        }
    }
    text
}

/// Whether the text is a real prompt and not a command of the agent, such as `/compact`.
pub fn is_prompt(text: &str) -> bool {
    let text = text.trim();
    let first = text.split_whitespace().next().unwrap_or_default();
    let own = first.strip_prefix('/').is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'-' | b':' | b'_'))
    });
    !text.is_empty() && !own && !text.starts_with("[Request interrupted")
}

/// Shortens a text to this many characters and removes control characters.
pub fn short(text: &str, most: usize) -> String {
    let clean = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let mut letters = text.trim().chars().filter(clean);
    let mut out: String = letters.by_ref().take(most.saturating_sub(1)).collect();
    match (letters.next(), letters.next()) {
        (Some(last), None) => out.push(last),
        (Some(_), Some(_)) => out.push('…'),
        (None, _) => {}
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserted_text_is_removed() {
        for (text, left) in [
            ("a<system-reminder>b</system-reminder>c<system-reminder>d</system-reminder>", "ac"),
            ("a<system-reminder>b", "a"),
            ("<command-name>/compact</command-name>", ""),
            ("a < b", "a < b"),
        ] {
            assert_eq!(without_reminders(text), left);
        }
        for (text, is) in [
            ("/compact keep it", false),
            ("/clear", false),
            ("/etc/hosts is wrong", true),
            (" \n", false),
            ("go", true),
        ] {
            assert_eq!(is_prompt(text), is, "{text}");
        }
    }

    #[test]
    fn a_text_is_cut_to_so_many_characters() {
        for (text, most, cut) in
            [("abc", 3, "abc"), ("abcd", 3, "ab…"), (" a\u{1b}[2Jb ", 9, "a[2Jb"), ("äöü€", 3, "äö…"), ("", 3, "")]
        {
            assert_eq!(short(text, most), cut);
        }
    }
}
