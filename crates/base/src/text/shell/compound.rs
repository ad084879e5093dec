//! Reserved words, which begin or end compound commands, and the parts of those commands.

use super::parser::{ListState, OpenCompound, ShellParser};
use super::{Assignment, BashismKind, PartContent, Quote, Redirection, ReservedWord, SimpleCommand, Word, WordPart};

impl ShellParser<'_> {
    pub fn function(&mut self, name: String) {
        self.at += 1;
        self.blanks();
        if self.peek(0) == Some(b')') {
            self.at += 1;
        } else {
            self.report_error(self.at, self.at + 1, "found `(` instead of a word");
        }
        self.shell.functions.insert(name);
        self.newlines();
    }

    pub fn newlines(&mut self) {
        loop {
            self.blanks();
            match self.peek(0) {
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.comment(),
                _ => return,
            }
        }
    }

    /// Handles a reserved word. Returns true if the word was one.
    pub fn reserved(
        &mut self,
        word: &Word,
        stack: &mut Vec<(OpenCompound, usize)>,
        before: &mut SimpleCommand,
    ) -> bool {
        let Some(text) = word.plain() else { return false };
        let at = word.at.start;
        let mut close = |reader: &mut Self, wants: OpenCompound, opens: &str| {
            if stack.last().is_some_and(|(frame, _)| *frame == wants) {
                stack.pop();
            } else {
                reader.report_error(at, word.at.end, format!("`{text}` has no matching {opens}"));
            }
        };
        let lead = match text {
            "then" => Some(ReservedWord::Then),
            "else" => Some(ReservedWord::Else),
            "elif" => Some(ReservedWord::Elif),
            "do" => Some(ReservedWord::Do),
            "!" => Some(ReservedWord::Not),
            "if" => Some(ReservedWord::If),
            "while" | "until" | "for" | "select" => Some(ReservedWord::Loop),
            "case" => Some(ReservedWord::Case),
            "{" => Some(ReservedWord::Brace),
            "fi" | "done" | "esac" | "}" => Some(ReservedWord::Close),
            _ => None,
        };
        before.reserved_words.extend(lead);
        match text {
            "then" | "else" | "elif" | "do" | "!" | "time" => {}
            "fi" => close(self, OpenCompound::If, "`if`"),
            "done" => close(self, OpenCompound::Loop, "a loop"),
            "esac" => close(self, OpenCompound::Case, "`case`"),
            "}" => close(self, OpenCompound::Brace, "`{`"),
            "if" => stack.push((OpenCompound::If, at)),
            "while" | "until" => stack.push((OpenCompound::Loop, at)),
            "{" => stack.push((OpenCompound::Brace, at)),
            "for" | "select" => {
                stack.push((OpenCompound::Loop, at));
                self.blanks();
                if self.starts("((") && self.arithmetic() {
                    self.report_bashism(BashismKind::ArithmeticFor, at);
                    return true;
                }
                let name = self.word();
                let (value, set) = (Word::default(), name.plain().unwrap_or("").to_owned());
                let lead = std::mem::take(&mut before.reserved_words);
                let mut simple = SimpleCommand { at: at..self.at, reserved_words: lead, ..SimpleCommand::default() };
                simple.assignments.push(Assignment { name: set, value });
                self.newlines();
                if self.starts("in") && !self.peek(2).is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
                    self.at += 2;
                    loop {
                        self.blanks();
                        match self.peek(0) {
                            None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'(' | b'#') => break,
                            Some(_) => {
                                let word = self.word_or_one();
                                if let Some(set) = simple.assignments.last_mut() {
                                    set.value.parts.extend(word.parts);
                                }
                            }
                        }
                    }
                }
                self.finish(simple, &mut ListState::default(), false);
            }
            "case" => {
                stack.push((OpenCompound::Pattern, at));
                self.blanks();
                self.word();
                self.newlines();
                if self.starts("in") {
                    self.at += 2;
                } else {
                    self.report_error(at, word.at.end, "`case` has no `in`");
                }
            }
            "function" => {
                self.blanks();
                let name = self.word();
                self.report_bashism(BashismKind::Function, at);
                self.blanks();
                let name = name.plain().unwrap_or("").to_owned();
                if self.peek(0) == Some(b'(') {
                    self.function(name);
                } else {
                    self.shell.functions.insert(name);
                    self.newlines();
                }
            }
            _ => return false,
        }
        true
    }

    /// Parses a word; skips one character if there is none.
    pub fn word_or_one(&mut self) -> Word {
        let before = self.at;
        let word = self.word();
        if self.at == before {
            self.at += 1;
        }
        word
    }

    /// Parses `[[ … ]]`, in which `<`, `(`, `&&` are operators of the test.
    pub fn test(&mut self, first: Word, simple: &mut SimpleCommand) {
        let start = first.at.start;
        simple.words.push(first);
        loop {
            self.blanks();
            match self.peek(0) {
                None => {
                    self.report_error(start, start + 2, "`[[` is not closed by `]]`");
                    break;
                }
                Some(b'\n' | b'(' | b')' | b'<' | b'>' | b'|' | b'&' | b';') => self.at += 1,
                Some(_) => {
                    let word = self.word_or_one();
                    let done = word.plain() == Some("]]");
                    simple.words.push(word);
                    if done {
                        break;
                    }
                }
            }
        }
        self.report_bashism(BashismKind::Test, start);
    }

    /// Parses `( … )` after `NAME=`.
    pub fn array(&mut self, start: usize) {
        self.at += 1;
        loop {
            self.newlines();
            match self.peek(0) {
                None => {
                    self.report_error(start, self.at, "a `(` is not closed");
                    break;
                }
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b';' | b'&' | b'|' | b'(') => self.at += 1,
                Some(_) => {
                    self.word_or_one();
                }
            }
        }
        self.report_bashism(BashismKind::Array, start);
    }
}

impl ShellParser<'_> {
    /// Parses `2>&1`, `<<END`, `&> file`: the operator and the word after it.
    pub fn redirection(&mut self, simple: &mut SimpleCommand, start: usize) {
        let from = self.at;
        while self.peek(0).is_some_and(|c| matches!(c, b'<' | b'>' | b'&' | b'|')) && self.at < from + 3 {
            let so_far = self.slice(from, self.at);
            let more = matches!(
                (so_far, self.peek(0)),
                ("", _)
                    | ("<", Some(b'<' | b'>' | b'&'))
                    | (">", Some(b'>' | b'&' | b'|'))
                    | ("<<", Some(b'<'))
                    | ("&" | "&>", Some(b'>'))
            );
            if !more {
                break;
            }
            self.at += 1;
        }
        let mut operator = self.slice(from, self.at).to_owned();
        if operator == "<<" && self.peek(0) == Some(b'-') {
            self.at += 1;
            operator.push('-');
        }
        self.blanks();
        let target = self.word();
        match operator.as_str() {
            "<<<" => self.report_bashism(BashismKind::HereString, start),
            "&>" | "&>>" => self.report_bashism(BashismKind::RedirectBoth, start),
            _ => {}
        }
        let fd = self.slice(start, from).parse().ok();
        simple.redirections.push(Redirection { operator, fd, target, body: None });
    }

    /// Parses the lines of the here-documents that begin here.
    pub fn here_bodies(&mut self) {
        for (command, number) in std::mem::take(&mut self.pending) {
            let redirection = self.shell.commands.get(command).and_then(|c| c.redirections.get(number));
            let Some(redirection) = redirection else { continue };
            let strip = redirection.operator == "<<-";
            let quoted = redirection.target.parts.iter().any(|part| part.quote != Quote::None);
            let end = redirection.target.text();
            let start = self.at;
            let mut stop = self.end;
            while self.at < self.end {
                let rest = self.slice(self.at, self.end);
                let line = rest.split('\n').next().unwrap_or("");
                let next = (self.at + line.len() + 1).min(self.end);
                let word = line.trim_end_matches('\r');
                if (if strip { word.trim_start_matches('\t') } else { word }) == end {
                    stop = self.at;
                    self.at = next;
                    break;
                }
                self.at = next;
            }
            let after = self.at;
            let body = if quoted {
                let text = PartContent::Text(self.slice(start, stop).to_owned());
                Word { at: start..stop, parts: vec![WordPart { at: start..stop, quote: Quote::Single, piece: text }] }
            } else {
                self.at = start;
                let whole = std::mem::replace(&mut self.end, stop);
                let body = self.here_word();
                self.end = whole;
                body
            };
            self.at = after;
            let slot = self.shell.commands.get_mut(command).and_then(|c| c.redirections.get_mut(number));
            if let Some(slot) = slot {
                slot.body = Some(body);
            }
        }
    }
}
