//! A shell command taken apart into its simple commands, as far as `if` rules need it (spec §4).
//!
//! Lines of a here-document count as commands of their own: that is what was observed.

use std::cell::RefCell;
use std::rc::Rc;

/// What a command line holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    pub commands: Vec<Simple>,
    /// There is `$(…)`, `` `…` `` or `<(…)` in it.
    pub substitution: bool,
    pub here_document: bool,
    /// A quote or a bracket is never closed.
    pub unclosed: bool,
}

/// One program with its arguments, without variables set before it and without redirections.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Simple {
    /// As written, with one blank between words.
    pub written: String,
    /// The same without quotes and backslashes.
    pub unquoted: String,
    /// As written, with the variables before it and the redirections.
    pub whole: String,
}

thread_local! {
    /// The line that was taken apart last: all rules of an event are held against the same one.
    static LAST: RefCell<(String, Rc<Script>)> = RefCell::default();
}

/// The same as [`parse`] of a line that is asked for again and again.
pub fn parsed(text: &str) -> Rc<Script> {
    LAST.with_borrow_mut(|(last, script)| {
        if last != text {
            *script = Rc::new(parse(text));
            text.clone_into(last);
        }
        Rc::clone(script)
    })
}

/// Takes a command line apart.
pub fn parse(text: &str) -> Script {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0, script: Script::default(), words: Vec::new(), pending: Vec::new() };
    reader.run(0);
    reader.script
}

/// Brackets inside brackets deeper than this are not followed.
const DEPTH: usize = 32;

/// Words that come before a command without being one.
const LEADERS: [&str; 9] = ["if", "then", "elif", "else", "while", "until", "do", "!", "{"];
/// Words that begin or end a construct and are no commands.
const FRAMES: [&str; 7] = ["for", "case", "select", "fi", "done", "esac", "}"];

#[derive(Debug, Clone, Default)]
struct Word {
    written: String,
    unquoted: String,
    redirection: bool,
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    script: Script,
    words: Vec<Word>,
    /// Ends of the here-documents whose bodies start on the next line.
    pending: Vec<String>,
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn run(&mut self, depth: usize) {
        while let Some(c) = self.peek(0) {
            match c {
                '\n' => {
                    self.at += 1;
                    self.finish();
                    self.here_bodies(depth);
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.peek(1) == Some('\n') => self.at += 2,
                '#' => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                ';' | '&' | '|' | '(' | ')' if !(c == '&' && self.peek(1) == Some('>')) => {
                    self.at += 1;
                    self.finish();
                }
                '<' | '>' | '&' => self.redirection(depth),
                _ => {
                    let word = self.word(depth);
                    let number = word.written.chars().all(|c| c.is_ascii_digit());
                    if !(number && matches!(self.peek(0), Some('<' | '>'))) {
                        self.words.push(word);
                    }
                }
            }
        }
        self.finish();
    }

    /// `>`, `2>&1`, `<<END`, `<(…)`: the operator and the word behind it.
    fn redirection(&mut self, depth: usize) {
        let mut operator = String::new();
        while let Some(c) = self.peek(0).filter(|c| matches!(c, '<' | '>' | '&' | '-' | '|')) {
            if c == '-' && operator != "<<" || c == '|' && operator != ">" {
                break;
            }
            operator.push(c);
            self.at += 1;
            if self.peek(0) == Some('(') && (operator == "<" || operator == ">") {
                self.at += 1;
                let inner = self.bracket(depth);
                self.words.push(Word { written: format!("{operator}({inner})"), ..Word::default() });
                return;
            }
        }
        while self.peek(0).is_some_and(|c| c == ' ' || c == '\t') {
            self.at += 1;
        }
        let target = self.word(depth);
        if matches!(operator.as_str(), "<<" | "<<-") {
            self.script.here_document = true;
            self.pending.push(target.unquoted.clone());
        }
        let written = format!("{operator}{}", target.written);
        self.words.push(Word { unquoted: written.clone(), written, redirection: true });
    }

    /// Lines up to the end of each pending here-document, each read as commands of its own.
    fn here_bodies(&mut self, depth: usize) {
        for end in std::mem::take(&mut self.pending) {
            while self.at < self.chars.len() {
                let rest = self.chars.get(self.at..).unwrap_or(&[]);
                let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
                let line: String = rest.iter().take(length).collect();
                self.at += (length + 1).min(rest.len());
                if line.trim() == end {
                    break;
                }
                if depth < DEPTH {
                    let inner = parse_at(&line, depth + 1);
                    self.script.substitution |= inner.substitution;
                    self.script.commands.extend(inner.commands);
                }
            }
        }
    }

    /// One word, quotes and substitutions included.
    fn word(&mut self, depth: usize) -> Word {
        let mut word = Word::default();
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => {
                    self.at += 1;
                    word.written.push('\\');
                    if let Some(next) = self.peek(0) {
                        self.at += 1;
                        word.written.push(next);
                        word.unquoted.push(next);
                    }
                }
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(&mut word, depth),
                '$' | '`' => self.expansion(&mut word, depth),
                c => {
                    self.at += 1;
                    word.written.push(c);
                    word.unquoted.push(c);
                }
            }
        }
        word
    }

    fn single_quoted(&mut self, word: &mut Word) {
        self.at += 1;
        word.written.push('\'');
        while let Some(c) = self.peek(0) {
            self.at += 1;
            word.written.push(c);
            if c == '\'' {
                return;
            }
            word.unquoted.push(c);
        }
        self.script.unclosed = true;
    }

    fn double_quoted(&mut self, word: &mut Word, depth: usize) {
        self.at += 1;
        word.written.push('"');
        while let Some(c) = self.peek(0) {
            match c {
                '"' => {
                    self.at += 1;
                    word.written.push('"');
                    return;
                }
                '$' | '`' => self.expansion(word, depth),
                '\\' => {
                    self.at += 1;
                    word.written.push('\\');
                    if let Some(next) = self.peek(0) {
                        self.at += 1;
                        word.written.push(next);
                        if !matches!(next, '"' | '\\' | '$' | '`') {
                            word.unquoted.push('\\');
                        }
                        word.unquoted.push(next);
                    }
                }
                c => {
                    self.at += 1;
                    word.written.push(c);
                    word.unquoted.push(c);
                }
            }
        }
        self.script.unclosed = true;
    }

    /// `$(…)`, `` `…` ``, `$((…))`, `${…}` or a plain `$`.
    fn expansion(&mut self, word: &mut Word, depth: usize) {
        let opening: String = (0..3).filter_map(|ahead| self.peek(ahead)).collect();
        let text = if opening.starts_with("$((") {
            self.at += 3;
            let inner = self.until("))");
            self.within(&inner, depth);
            format!("$(({inner}))")
        } else if opening.starts_with("$(") {
            self.at += 2;
            let inner = self.bracket(depth);
            format!("$({inner})")
        } else if opening.starts_with("${") {
            self.at += 2;
            let inner = self.until("}");
            self.within(&inner, depth);
            format!("${{{inner}}}")
        } else if opening.starts_with('`') {
            self.at += 1;
            let inner = self.until("`");
            self.inside(&inner, depth);
            format!("`{inner}`")
        } else {
            self.at += 1;
            "$".to_owned()
        };
        word.written.push_str(&text);
        word.unquoted.push_str(&text);
    }

    /// The text up to the bracket that closes this one; its commands are taken up.
    fn bracket(&mut self, depth: usize) -> String {
        let start = self.at;
        let mut open = 1;
        while let Some(c) = self.peek(0) {
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                '\\' => self.at += 1,
                '\'' | '"' => self.skip_quoted(c),
                _ => {}
            }
            self.at += 1;
            if open == 0 {
                break;
            }
        }
        self.at = self.at.min(self.chars.len());
        let end = if open == 0 { self.at.saturating_sub(1) } else { self.at };
        self.script.unclosed |= open > 0;
        let inner: String = self.chars.get(start..end).unwrap_or(&[]).iter().collect();
        self.inside(&inner, depth);
        inner
    }

    /// Leaves the reader on the closing quote.
    fn skip_quoted(&mut self, quote: char) {
        self.at += 1;
        while self.peek(0).is_some_and(|c| c != quote) {
            if quote == '"' && self.peek(0) == Some('\\') {
                self.at += 1;
            }
            self.at += 1;
        }
    }

    fn until(&mut self, end: &str) -> String {
        let mut inner = String::new();
        while let Some(c) = self.peek(0) {
            let here: String = (0..end.len()).filter_map(|ahead| self.peek(ahead)).collect();
            if here == end {
                self.at += end.len();
                return inner;
            }
            inner.push(c);
            self.at += 1;
        }
        self.script.unclosed = true;
        inner
    }

    fn inside(&mut self, text: &str, depth: usize) {
        self.script.substitution = true;
        if depth < DEPTH {
            let inner = parse_at(text, depth + 1);
            self.script.here_document |= inner.here_document;
            self.script.commands.extend(inner.commands);
        }
    }

    /// What `${…}` and `$((…))` hold is no command, but there may be `$(…)` in it.
    fn within(&mut self, text: &str, depth: usize) {
        if depth >= DEPTH || !text.contains(['$', '`']) {
            return;
        }
        let chars: Vec<char> = text.chars().collect();
        let mut reader =
            Reader { chars: &chars, at: 0, script: Script::default(), words: Vec::new(), pending: Vec::new() };
        while let Some(c) = reader.peek(0) {
            match c {
                '$' | '`' => reader.expansion(&mut Word::default(), depth + 1),
                '\\' => reader.at += 2,
                _ => reader.at += 1,
            }
        }
        self.script.substitution |= reader.script.substitution;
        self.script.commands.extend(reader.script.commands);
    }

    /// Ends the simple command at hand.
    fn finish(&mut self) {
        let mut words = std::mem::take(&mut self.words);
        let leaders = words.iter().take_while(|w| LEADERS.contains(&w.written.as_str())).count();
        words.drain(..leaders);
        if words.first().is_some_and(|w| w.written == "function") {
            // `function name {` stands in front of the first command of the body.
            let head = words.iter().position(|w| w.written == "{").map_or(words.len(), |at| at + 1);
            words.drain(..head);
        }
        if words.first().is_none_or(|w| FRAMES.contains(&w.written.as_str())) {
            return;
        }
        let whole = join(words.iter().map(|w| w.written.as_str()));
        words.retain(|w| !w.redirection);
        let variables = words.iter().take_while(|w| is_assignment(&w.written)).count();
        words.drain(..variables);
        if words.is_empty() {
            return;
        }
        self.push(&words, whole.clone());
        // `xargs` in front of a command does not hide it; with options of its own it does.
        if let [first, second, ..] = words.as_slice()
            && first.written == "xargs"
            && !second.written.starts_with('-')
        {
            self.push(words.get(1..).unwrap_or(&[]), whole);
        }
    }

    fn push(&mut self, words: &[Word], whole: String) {
        self.script.commands.push(Simple {
            written: join(words.iter().map(|w| w.written.as_str())),
            unquoted: join(words.iter().map(|w| w.unquoted.as_str())),
            whole,
        });
    }
}

fn parse_at(text: &str, depth: usize) -> Script {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0, script: Script::default(), words: Vec::new(), pending: Vec::new() };
    reader.run(depth);
    reader.script
}

fn join<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.collect::<Vec<_>>().join(" ")
}

/// `NAME=value`.
fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn commands(text: &str) -> Vec<String> {
        parse(text).commands.into_iter().map(|c| c.written).collect()
    }

    #[test]
    fn simple_commands() {
        for (text, want) in [
            ("git push", vec!["git push"]),
            ("git  push", vec!["git push"]),
            ("FOO=bar git push", vec!["git push"]),
            ("npm test && git push", vec!["npm test", "git push"]),
            ("cd x; git push", vec!["cd x", "git push"]),
            ("true | git push", vec!["true", "git push"]),
            ("! git push", vec!["git push"]),
            ("(git push)", vec!["git push"]),
            ("{ git push; }", vec!["git push"]),
            ("function f { git push; }", vec!["git push"]),
            ("f() { git push; }; f", vec!["f", "git push", "f"]),
            ("if true; then git push; fi", vec!["true", "git push"]),
            ("for i in 1; do git push; done", vec!["git push"]),
            ("git push # x", vec!["git push"]),
            ("xargs git push", vec!["xargs git push", "git push"]),
            ("xargs -n1 git push", vec!["xargs -n1 git push"]),
            ("echo $(git log)", vec!["git log", "echo $(git log)"]),
            ("echo `git log`", vec!["git log", "echo `git log`"]),
            ("echo \"a $(git log) b\"", vec!["git log", "echo \"a $(git log) b\""]),
            ("echo $((1+2)) ${HOME}", vec!["echo $((1+2)) ${HOME}"]),
            ("echo ${A:-$(git log)}", vec!["git log", "echo ${A:-$(git log)}"]),
            ("echo \"$((`git log` + 1))\"", vec!["git log", "echo \"$((`git log` + 1))\""]),
            ("echo 'git push'", vec!["echo 'git push'"]),
            ("cat <<EOF\ngit push\nEOF\nls", vec!["cat", "git push", "ls"]),
            ("# git push\necho", vec!["echo"]),
            ("git push >/dev/null 2>&1", vec!["git push"]),
            ("git push &>log &", vec!["git push"]),
            ("diff <(git log) b", vec!["git log", "diff <(git log) b"]),
            ("a \\\n b", vec!["a b"]),
            ("X=1", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(commands(text), want, "{text}");
        }
    }

    #[test]
    fn what_else_is_in_it() {
        for (text, substitution, here_document, unclosed) in [
            ("echo $(date)", true, false, false),
            ("echo $HOME", false, false, false),
            ("echo $((1))", false, false, false),
            ("echo ${A:-$(date)}", true, false, false),
            ("cat <<'E'\n$(x)\nE", true, true, false),
            ("echo 'unclosed", false, false, true),
            ("echo $(x", true, false, true),
        ] {
            let script = parse(text);
            assert_eq!(
                (script.substitution, script.here_document, script.unclosed),
                (substitution, here_document, unclosed),
                "{text}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_text(text in r#"[a-z '"$()`{}<>&|;#\\\n=!-]{0,60}"#) {
            let _ = parse(&text);
        }
    }

    #[test]
    fn deep_brackets_do_not_exhaust_the_stack() {
        let _ = parse(&"$(".repeat(10_000));
        let _ = parse(&"`$(".repeat(3_000));
    }
}
