//! Reserved words, which begin or end compound commands, and the parts of those commands.

use super::reader::{Frame, Reader, State};
use super::{Assignment, Lead, OddKind, Simple, Word};

impl Reader<'_> {
    pub fn function(&mut self, name: String) {
        self.at += 1;
        self.blanks();
        if self.peek(0) == Some(b')') {
            self.at += 1;
        } else {
            self.trouble(self.at, self.at + 1, "a `(` stands where a word is expected");
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
    pub fn reserved(&mut self, word: &Word, stack: &mut Vec<(Frame, usize)>, before: &mut Simple) -> bool {
        let Some(text) = word.plain() else { return false };
        let at = word.at.start;
        let mut close = |reader: &mut Self, wants: Frame, opens: &str| {
            if stack.last().is_some_and(|(frame, _)| *frame == wants) {
                stack.pop();
            } else {
                reader.trouble(at, word.at.end, format!("`{text}` stands here without {opens} before it"));
            }
        };
        let lead = match text {
            "then" => Some(Lead::Then),
            "else" => Some(Lead::Else),
            "elif" => Some(Lead::Elif),
            "do" => Some(Lead::Do),
            "!" => Some(Lead::Not),
            "if" => Some(Lead::If),
            "while" | "until" | "for" | "select" => Some(Lead::Loop),
            "case" => Some(Lead::Case),
            "{" => Some(Lead::Brace),
            "fi" | "done" | "esac" | "}" => Some(Lead::Close),
            _ => None,
        };
        before.lead.extend(lead);
        match text {
            "then" | "else" | "elif" | "do" | "!" | "time" => {}
            "fi" => close(self, Frame::If, "`if`"),
            "done" => close(self, Frame::Loop, "a loop"),
            "esac" => close(self, Frame::Case, "`case`"),
            "}" => close(self, Frame::Brace, "`{`"),
            "if" => stack.push((Frame::If, at)),
            "while" | "until" => stack.push((Frame::Loop, at)),
            "{" => stack.push((Frame::Brace, at)),
            "for" | "select" => {
                stack.push((Frame::Loop, at));
                self.blanks();
                if self.starts("((") && self.arithmetic() {
                    self.odd(OddKind::ArithmeticFor, at);
                    return true;
                }
                let name = self.word();
                let (value, set) = (Word::default(), name.plain().unwrap_or("").to_owned());
                let lead = std::mem::take(&mut before.lead);
                let mut simple = Simple { at: at..self.at, lead, ..Simple::default() };
                simple.sets.push(Assignment { name: set, value });
                self.newlines();
                if self.starts("in") && !self.peek(2).is_some_and(|c| c.is_ascii_alphanumeric() || c == b'_') {
                    self.at += 2;
                    loop {
                        self.blanks();
                        match self.peek(0) {
                            None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'(' | b'#') => break,
                            Some(_) => {
                                let word = self.word_or_one();
                                if let Some(set) = simple.sets.last_mut() {
                                    set.value.parts.extend(word.parts);
                                }
                            }
                        }
                    }
                }
                self.finish(simple, &mut State::default(), false);
            }
            "case" => {
                stack.push((Frame::Pattern, at));
                self.blanks();
                self.word();
                self.newlines();
                if self.starts("in") {
                    self.at += 2;
                } else {
                    self.trouble(at, word.at.end, "`case` has no `in`");
                }
            }
            "function" => {
                self.blanks();
                let name = self.word();
                self.odd(OddKind::Function, at);
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
    pub fn test(&mut self, first: Word, simple: &mut Simple) {
        let start = first.at.start;
        simple.words.push(first);
        loop {
            self.blanks();
            match self.peek(0) {
                None => {
                    self.trouble(start, start + 2, "`[[` is never closed by `]]`");
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
        self.odd(OddKind::Test, start);
    }

    /// Parses `( … )` after `NAME=`.
    pub fn array(&mut self, start: usize) {
        self.at += 1;
        loop {
            self.newlines();
            match self.peek(0) {
                None => {
                    self.trouble(start, self.at, "a `(` is never closed");
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
        self.odd(OddKind::Array, start);
    }
}
