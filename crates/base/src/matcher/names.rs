//! The names in a matcher. A name stands alone, in a list, or in a group around the whole matcher. A word inside a
//! longer alternative, such as `read` in `mcp__notes__(read|write)`, is only a part of a name.

use super::branches::{QuantifierKind, anchors, group, group_end, split_top_level, times, walk};
use crate::catalogue::AgentTools;

/// The most texts that a pattern is expanded to.
const MOST: usize = 64;

/// A word of a matcher with its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrittenWord<'a> {
    pub at: usize,
    pub text: &'a str,
}

/// The plain names of a matcher.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenNames<'a> {
    pub names: Vec<WrittenWord<'a>>,
    /// Whether the matcher contains nothing but these names.
    pub only_names: bool,
}

impl<'a> WrittenNames<'a> {
    /// The plain names of a matcher. Spaces around a name do not belong to it.
    pub fn of(matcher: &'a str) -> WrittenNames<'a> {
        let mut names = Vec::new();
        let mut only_names = true;
        for part in entries(matcher) {
            let name =
                WrittenWord { at: part.at + part.text.len() - part.text.trim_start().len(), text: part.text.trim() };
            if is_name(name.text) {
                names.push(name);
            } else {
                only_names &= name.text.is_empty();
            }
        }
        WrittenNames { names, only_names }
    }
}

/// Splits a matcher at every `|` and comma outside groups and classes.
pub fn list_entries(matcher: &str) -> Vec<&str> {
    parts(matcher, 0, &['|', ',']).into_iter().map(|part| part.text).collect()
}

/// The words of a matcher that are names or the beginning, middle or end of one: those outside groups and classes of
/// each alternative.
pub fn name_words(matcher: &str) -> Vec<WrittenWord<'_>> {
    let mut words = Vec::new();
    for part in entries(matcher) {
        let mut start = None;
        let mut close = |start: &mut Option<usize>, end: usize| {
            if let Some(text) = start.take().and_then(|at: usize| Some((at, part.text.get(at..end)?))) {
                words.push(WrittenWord { at: part.at + text.0, text: text.1 });
            }
        };
        let mut end = 0;
        for (at, c, depth, class) in walk(part.text) {
            // An escaped character, which is not listed, also ends a word.
            if at > end || !is_word(c) || depth > 0 || class {
                close(&mut start, end);
            }
            if is_word(c) && depth == 0 && !class {
                start.get_or_insert(at);
            }
            end = at + c.len_utf8();
        }
        close(&mut start, end);
    }
    words
}

/// A matcher with some of its words replaced.
pub fn replace_words<'a>(matcher: &str, replacements: impl IntoIterator<Item = (WrittenWord<'a>, &'a str)>) -> String {
    let mut all: Vec<_> = replacements.into_iter().collect();
    all.sort_by_key(|(word, _)| word.at);
    let mut out = String::with_capacity(matcher.len());
    let mut done = 0;
    for (word, other) in all {
        out.push_str(matcher.get(done..word.at).unwrap_or(""));
        out.push_str(other);
        done = word.at + word.text.len();
    }
    out + matcher.get(done..).unwrap_or("")
}

/// Names of MCP tools that a matcher writes out, one for each combination of its alternatives; a wildcard is filled
/// in. Whether the matcher matches them is for the agent's own rule to say.
pub fn server_tools_in(matcher: &str, tools: &AgentTools) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for text in example_texts(matcher) {
        let text = text.trim();
        let prefix = tools.mcp.prefix();
        let mut complete = vec![text.to_owned(), format!("{text}x"), format!("{text}__x")];
        // A wildcard at the beginning can also match the prefix.
        complete.extend(text.starts_with('x').then(|| format!("{prefix}{text}")));
        let name = complete.into_iter().find(|name| tools.is_server_tool(name));
        found.extend(name.filter(|name| !found.contains(name)));
    }
    found
}

/// The character because of which no tool name can match a pattern: every text that it describes contains one that
/// names do not have. `None` if a name may match.
pub fn foreign_character(matcher: &str) -> Option<char> {
    let examples = example_texts(matcher);
    let is_foreign = |c: &char| !c.is_alphanumeric() && !"_-./@".contains(*c);
    let mut strange = examples.iter().map(|text| text.trim().chars().find(is_foreign));
    let first = strange.next()??;
    (examples.len() < MOST && strange.all(|c| c.is_some())).then_some(first)
}

/// A pattern without the anchors that stand before a letter at the end of a name, or after one at its start. `None` if
/// such an anchor is inside a group.
pub fn without_anchors(pattern: &str) -> Option<String> {
    let mut out = Vec::new();
    for part in parts(pattern, 0, &['|']) {
        let (mut text, last) = (part.text.to_owned(), part.text.len().saturating_sub(1));
        let misplaced = |at: usize, c: char| c == '$' && at != last || c == '^' && at != 0;
        let all: Vec<_> = walk(part.text).filter(|(at, c, _, class)| misplaced(*at, *c) && !class).collect();
        for (at, _, depth, _) in all.into_iter().rev() {
            if depth > 0 {
                return None;
            }
            text.remove(at);
        }
        out.push(text);
    }
    Some(out.join("|"))
}

/// Texts that a pattern describes: every combination of its alternatives, with `x` for any character.
fn example_texts(pattern: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for alternative in list_entries(pattern) {
        all.extend(examples_of_sequence(alternative));
        all.truncate(MOST);
    }
    all
}

/// The texts of one alternative.
fn examples_of_sequence(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (mut options, length) = examples_of_atom(rest, c);
        let after = rest.get(length..).unwrap_or("");
        let (repeated, skip) = times(after);
        let may_be_absent = matches!(repeated, Some(QuantifierKind::Any | QuantifierKind::Maybe));
        if may_be_absent && c != '.' {
            options.push(String::new());
        }
        out = out.iter().flat_map(|text| options.iter().map(move |option| format!("{text}{option}"))).collect();
        out.truncate(MOST);
        rest = after.get(skip..).unwrap_or("");
    }
    out
}

/// The texts of the atom that begins a pattern, and its length.
fn examples_of_atom(rest: &str, c: char) -> (Vec<String>, usize) {
    let one = |text: &str, length: usize| (vec![text.to_owned()], length);
    match c {
        '(' => {
            let body = rest.get(1..).unwrap_or("");
            let end = group_end(body).unwrap_or(body.len());
            let length = (end + 2).min(rest.len());
            let inner = body.get(..end).unwrap_or("");
            match inner.strip_prefix('?') {
                None => (example_texts(inner), length),
                Some(plain) if plain.starts_with(':') => (example_texts(plain.get(1..).unwrap_or("")), length),
                Some(named) if named.starts_with('<') && !named.starts_with("<=") && !named.starts_with("<!") => {
                    (example_texts(named.split_once('>').map_or("", |(_, inner)| inner)), length)
                }
                // Look-around and flags match no text themselves.
                Some(_) => one("", length),
            }
        }
        '[' => {
            let end = walk(rest).find(|(at, c, ..)| *at > 0 && *c == ']').map_or(rest.len(), |(at, ..)| at + 1);
            let inner = rest.get(1..end.saturating_sub(1)).unwrap_or("");
            let first = inner.chars().next().filter(|c| is_word(*c)).unwrap_or('x');
            one(&first.to_string(), end)
        }
        '\\' => match rest.chars().nth(1) {
            Some('d') => one("1", 2),
            Some('s') => one(" ", 2),
            Some('b' | 'B') => one("", 2),
            Some(c) if c.is_ascii_alphanumeric() => one("x", 2),
            Some(c) => one(&c.to_string(), 1 + c.len_utf8()),
            None => one("", 1),
        },
        '.' => one("x", 1),
        '^' | '$' => one("", 1),
        c => one(&c.to_string(), c.len_utf8()),
    }
}

/// The entries of a matcher without anchors and without groups that span an entry.
fn entries(matcher: &str) -> Vec<WrittenWord<'_>> {
    let mut out = Vec::new();
    let mut open = parts(matcher, 0, &['|', ',']);
    open.reverse();
    while let Some(part) = open.pop() {
        let text = part.text.trim();
        let start = part.at + part.text.len() - part.text.trim_start().len();
        if let Some((_, inner)) = group(text) {
            let open_at = text.find('(').unwrap_or(0);
            let at = start + open_at + if text.get(open_at..).is_some_and(|t| t.starts_with("(?:")) { 3 } else { 1 };
            open.extend(parts(inner, at, &['|', ',']).into_iter().rev());
            continue;
        }
        let around = anchors(text);
        let bare = if around.end { text.strip_suffix('$').unwrap_or(text) } else { text };
        let bare = bare.strip_prefix('^').unwrap_or(bare);
        let at = if around.start { start + 1 } else { start };
        // Without anchors, the spaces belong to the entry.
        out.push(if bare == text { part } else { WrittenWord { at, text: bare } });
    }
    out
}

/// Splits a text that begins at an offset of its matcher.
fn parts<'a>(text: &'a str, offset: usize, separators: &[char]) -> Vec<WrittenWord<'a>> {
    split_top_level(text, separators).into_iter().map(|(at, text)| WrittenWord { at: offset + at, text }).collect()
}

/// Whether a text is a plain name, without pattern syntax.
pub fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word)
}

/// Whether a character can be part of a name.
pub fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue::catalogue;
    use proptest::prelude::*;

    #[test]
    fn a_name_stands_alone_in_a_list_or_in_a_group_around_everything() {
        for (text, names, only) in [
            ("Bash", vec!["Bash"], true),
            ("Edit|Write", vec!["Edit", "Write"], true),
            (" Edit | Write ", vec!["Edit", "Write"], true),
            ("^(Edit|Write)$", vec!["Edit", "Write"], true),
            ("^(?:Edit)$", vec!["Edit"], true),
            ("(a)|(^b$)", vec!["a", "b"], true),
            ("Edit,Write", vec!["Edit", "Write"], true),
            ("mcp__notes__(read|write|search)", vec![], false),
            ("(mcp__a__(x|y)|Edit)", vec!["Edit"], false),
            ("x[|]y|z", vec!["z"], false),
            ("Bash(git *)", vec![], false),
            ("(?!Bash).*", vec![], false),
            ("Bash|Ed.t", vec!["Bash"], false),
            ("|", vec![], true),
        ] {
            let found = WrittenNames::of(text);
            assert_eq!(found.names.iter().map(|name| name.text).collect::<Vec<_>>(), names, "{text}");
            assert_eq!(found.only_names, only, "{text}");
        }
    }

    #[test]
    fn words_of_names_are_outside_groups() {
        for (text, words) in [
            ("NotebokEdit.*|Bash", vec!["NotebokEdit", "Bash"]),
            ("^(Raed|Bash)$", vec!["Raed", "Bash"]),
            ("mcp__notes__(raed|write)", vec!["mcp__notes__"]),
            ("a\\.b[c]d", vec!["a", "b", "d"]),
        ] {
            assert_eq!(name_words(text).iter().map(|word| word.text).collect::<Vec<_>>(), words, "{text}");
        }
    }

    #[test]
    fn a_pattern_that_no_name_can_match() {
        for (text, want) in [
            ("!Bash", Some('!')),
            ("git .*", Some(' ')),
            ("Bash\\s+git", Some(' ')),
            ("tool:Bash|a b", Some(':')),
            ("(a |b )c", Some(' ')),
            ("\\$Bash", Some('$')),
            ("Bash", None),
            ("a b|Bash", None),
            ("Bash ?git", None),
            ("Bash(:x)?", None),
            ("[^a]x", None),
            ("mcp__a-b__c.d/e", None),
            ("^(?!Bash$).*$", None),
            ("", None),
        ] {
            assert_eq!(foreign_character(text), want, "{text}");
        }
        for (text, want) in [
            ("$Bash", Some("Bash")),
            ("Bash$^|Edit", Some("Bash|Edit")),
            ("^Bash$", Some("^Bash$")),
            ("a\\$b[$]c", Some("a\\$b[$]c")),
            ("(^Bash$)x", None),
        ] {
            assert_eq!(without_anchors(text).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn server_tools_that_a_matcher_writes_out() {
        let own = |split: bool| catalogue().agents.iter().find(|a| a.mcp.split.is_some() == split).unwrap();
        let two = own(true);
        for (text, tools) in [
            ("mcp__notes__(read|write)", vec!["mcp__notes__read", "mcp__notes__write"]),
            ("mcp__(a|b)__get(_all)?", vec!["mcp__a__get_all", "mcp__a__get", "mcp__b__get_all", "mcp__b__get"]),
            ("^mcp__notes__.*$|Edit", vec!["mcp__notes__x"]),
            ("mcp__.*", vec!["mcp__x__x"]),
            (".*__write_\\w+", vec!["mcp__x__write_x"]),
            ("mcp__notes", vec!["mcp__notes__x"]),
            ("Bash|Edit.*", vec![]),
        ] {
            assert_eq!(server_tools_in(text, two), tools, "{text}");
        }
        assert_eq!(server_tools_in("mcp_notes_(a|b)", own(false)), ["mcp_notes_a", "mcp_notes_b"]);
    }

    proptest! {
        /// Every word is where its offset says, so a replacement changes only that word.
        #[test]
        fn offsets_are_those_of_the_text(text in "[a-c|,^$()?:.*\\\\\\[\\] ]{0,16}") {
            for word in WrittenNames::of(&text).names.into_iter().chain(name_words(&text)) {
                prop_assert_eq!(text.get(word.at..word.at + word.text.len()), Some(word.text));
                prop_assert_eq!(replace_words(&text, [(word, word.text)]), text.clone());
            }
            let tools = catalogue().agents.first().unwrap();
            prop_assert!(server_tools_in(&text, tools).len() <= MOST);
        }
    }
}
