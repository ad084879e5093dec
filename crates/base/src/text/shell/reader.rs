//! The parser for commands, compound commands and lists.

use super::{Joint, Lead, Odd, OddKind, Shell, Simple, Trouble};

/// The nesting limit for substitutions.
pub(super) const DEEPEST: usize = 40;

const SHELLS: [&str; 5] = ["sh", "bash", "dash", "zsh", "ksh"];
/// Builtins whose arguments set variables.
const SETTERS: [&str; 5] = ["export", "local", "declare", "typeset", "readonly"];

/// Parses a text.
pub(super) fn read(text: &str) -> Shell {
    let mut reader = Reader::new(text, text.len());
    // A byte-order mark is not part of the text.
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.list(Until::End);
    reader.shell
}

/// An open compound command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Frame {
    If,
    Loop,
    /// `case`, before a pattern.
    Pattern,
    Case,
    Brace,
    Bracket,
}

/// The end of a list of commands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    End,
    Bracket,
}

pub(super) struct Reader<'a> {
    pub text: &'a str,
    pub end: usize,
    pub at: usize,
    pub depth: usize,
    pub shell: Shell,
    pub given_to: Option<String>,
    /// The number of conditions and loops around the current list.
    around: usize,
    /// Here-documents whose lines begin after the current line, as indexes of command and redirection.
    pub pending: Vec<(usize, usize)>,
    /// The value of [`Simple::lead`] for the next command.
    pub lead: Vec<Lead>,
}

/// The position in a list.
#[derive(Default)]
pub(super) struct State {
    last: Option<usize>,
    piped: bool,
    joint: Joint,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, end: usize) -> Reader<'a> {
        let shell = Shell::default();
        Reader { text, end, at: 0, depth: 0, shell, given_to: None, around: 0, pending: Vec::new(), lead: Vec::new() }
    }

    pub fn peek(&self, ahead: usize) -> Option<u8> {
        if self.at + ahead < self.end { self.text.as_bytes().get(self.at + ahead).copied() } else { None }
    }

    pub fn starts(&self, with: &str) -> bool {
        self.text.get(self.at..self.end).is_some_and(|rest| rest.starts_with(with))
    }

    pub fn slice(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end.min(self.end)).unwrap_or("")
    }

    pub fn trouble(&mut self, start: usize, end: usize, says: impl Into<String>) {
        if self.shell.trouble.is_none() && self.depth < DEEPEST {
            self.shell.trouble = Some(Trouble { at: start..end.min(self.end), says: says.into() });
        }
    }

    pub fn odd(&mut self, kind: OddKind, start: usize) {
        let at = start..self.at;
        self.shell.odd.push(Odd { kind, at, given_to: self.given_to.clone() });
    }

    pub fn blanks(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
                b'\\' if self.peek(1) == Some(b'\r') && self.peek(2) == Some(b'\n') => self.at += 3,
                _ => return,
            }
        }
    }

    /// Parses commands to the end, or through the bracket that closes the current one.
    pub fn list(&mut self, until: Until) {
        let start = self.at;
        let mut stack: Vec<(Frame, usize)> = Vec::new();
        let mut state = State::default();
        let around = self.around;
        loop {
            self.blanks();
            self.around = around + stack.iter().filter(|(frame, _)| *frame != Frame::Bracket).count();
            let Some(c) = self.peek(0) else {
                if until == Until::Bracket {
                    self.trouble(start.saturating_sub(2), start, "a `(` is never closed");
                }
                break;
            };
            if stack.last().is_some_and(|(frame, _)| *frame == Frame::Pattern) && !matches!(c, b'\n' | b'#') {
                self.pattern(&mut stack);
                continue;
            }
            match c {
                b'\n' => {
                    self.at += 1;
                    self.here_bodies();
                    state = State { last: state.last.filter(|_| state.piped), ..state };
                }
                b'#' => self.comment(),
                b';' => self.semicolon(&mut stack, &mut state),
                b'&' | b'|' => self.operator(&mut state),
                b'(' if self.starts("((") && self.arithmetic() => {}
                b'(' => {
                    stack.push((Frame::Bracket, self.at));
                    self.lead.push(Lead::Subshell);
                    self.at += 1;
                }
                b')' => match stack.last() {
                    Some((Frame::Bracket, _)) => {
                        stack.pop();
                        self.lead.push(Lead::Close);
                        self.at += 1;
                        state.last = self.shell.commands.len().checked_sub(1);
                    }
                    _ if until == Until::Bracket => {
                        self.at += 1;
                        break;
                    }
                    _ => {
                        self.trouble(self.at, self.at + 1, "a `)` closes nothing");
                        self.at += 1;
                    }
                },
                _ => self.command(&mut stack, &mut state),
            }
        }
        self.around = around;
        if let Some((frame, at)) = stack.pop() {
            let (word, close) = match frame {
                Frame::If => ("if", "fi"),
                Frame::Loop => ("a loop", "done"),
                Frame::Case | Frame::Pattern => ("case", "esac"),
                Frame::Brace => ("{", "}"),
                Frame::Bracket => ("(", ")"),
            };
            self.trouble(at, at + 1, format!("`{word}` is never closed by `{close}`").replace("`a loop`", "a loop"));
        }
    }

    pub fn comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != b'\n') {
            self.at += 1;
        }
    }

    fn semicolon(&mut self, stack: &mut [(Frame, usize)], state: &mut State) {
        let length = [";;&", ";;", ";&"].iter().find(|end| self.starts(end)).map_or(1, |end| end.len());
        self.at += length;
        if length > 1
            && let Some((frame, _)) = stack.last_mut().filter(|(frame, _)| *frame == Frame::Case)
        {
            *frame = Frame::Pattern;
        }
        *state = State::default();
    }

    fn operator(&mut self, state: &mut State) {
        let start = self.at;
        if self.starts("&>") {
            self.redirected(state);
            return;
        }
        let joint = if self.starts("&&") {
            Joint::And
        } else if self.starts("||") {
            Joint::Or
        } else {
            Joint::Next
        };
        self.at += if joint == Joint::Next { 1 } else { 2 };
        let piped = joint == Joint::Next && self.slice(start, self.at) == "|";
        if piped && self.peek(0) == Some(b'&') {
            self.at += 1;
            self.odd(OddKind::PipeBoth, start);
        }
        *state = State { last: state.last.filter(|_| piped), piped, joint };
    }

    /// Parses a redirection of the compound command before it: `done < file`.
    fn redirected(&mut self, state: &mut State) {
        let mut simple = Simple { at: self.at..self.at, lead: std::mem::take(&mut self.lead), ..Simple::default() };
        self.redirection(&mut simple, self.at);
        self.finish(simple, state, false);
    }

    /// Skips `((…))`. Returns false if the text is something else.
    pub fn arithmetic(&mut self) -> bool {
        let Some(end) = self.closing(self.at + 2, "))") else { return false };
        self.at = end;
        true
    }

    /// The offset after `close`, which closes the brackets that are open at `from`.
    pub fn closing(&self, from: usize, close: &str) -> Option<usize> {
        let mut open = 0_usize;
        let mut at = from;
        while at < self.end {
            let c = self.text.as_bytes().get(at).copied()?;
            match c {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' => return self.slice(at, self.end).starts_with(close).then_some(at + close.len()),
                b'\\' => at += 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Parses a pattern of `case` through its bracket, or `esac`.
    fn pattern(&mut self, stack: &mut Vec<(Frame, usize)>) {
        let start = self.at;
        if self.peek(0) == Some(b'(') {
            self.at += 1;
        }
        loop {
            self.blanks();
            match self.peek(0) {
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b'|') => self.at += 1,
                None | Some(b'\n' | b';' | b'&' | b'<' | b'>' | b'(') => {
                    self.trouble(start, self.at, "a pattern of `case` has no `)`");
                    self.at = (self.at + 1).min(self.end);
                    break;
                }
                Some(_) => {
                    let word = self.word();
                    if word.at.start == start && word.plain() == Some("esac") {
                        stack.pop();
                        self.lead.push(Lead::Close);
                        return;
                    }
                }
            }
        }
        if let Some((frame, _)) = stack.last_mut() {
            *frame = Frame::Case;
        }
    }

    /// Parses one simple command, or a reserved word.
    fn command(&mut self, stack: &mut Vec<(Frame, usize)>, state: &mut State) {
        let start = self.at;
        let mut simple = Simple { at: start..start, lead: std::mem::take(&mut self.lead), ..Simple::default() };
        let mut setting = true;
        loop {
            self.blanks();
            let at = self.at;
            match self.peek(0) {
                None | Some(b'\n' | b';' | b'|' | b')') => break,
                Some(b'#') if at > start => {
                    self.comment();
                    break;
                }
                Some(b'&') if !self.starts("&>") => break,
                Some(b'<' | b'>') if !(self.starts("<(") || self.starts(">(")) => self.redirection(&mut simple, at),
                Some(b'&') => self.redirection(&mut simple, at),
                Some(b'(') => {
                    if let [name] = simple.words.as_slice()
                        && let Some(name) = name.plain().map(str::to_owned)
                    {
                        self.function(name);
                        self.lead = simple.lead;
                        return;
                    }
                    self.trouble(at, at + 1, "a `(` stands where a word is expected");
                    break;
                }
                Some(_) => {
                    let word = self.word();
                    let digits = matches!(word.plain(), Some(text) if text.bytes().all(|c| c.is_ascii_digit()));
                    if digits && matches!(self.peek(0), Some(b'<' | b'>')) {
                        self.redirection(&mut simple, at);
                        continue;
                    }
                    if simple.words.is_empty() && simple.sets.is_empty() && self.reserved(&word, stack, &mut simple) {
                        self.lead.append(&mut simple.lead);
                        if matches!(word.plain(), Some("fi" | "done" | "esac" | "}")) {
                            state.last = self.shell.commands.len().checked_sub(1);
                        }
                        return;
                    }
                    if simple.words.is_empty() && word.plain() == Some("[[") {
                        self.test(word, &mut simple);
                        continue;
                    }
                    let setter = || simple.name().is_some_and(|name| SETTERS.contains(&name));
                    if let Some(set) = word.assignment().filter(|_| setting || setter()) {
                        if self.peek(0) == Some(b'(') && set.value.parts.is_empty() {
                            self.array(at);
                        }
                        simple.sets.push(set);
                        if !setting {
                            simple.words.push(word);
                        }
                        continue;
                    }
                    setting = false;
                    simple.words.push(word);
                }
            }
        }
        simple.at = start..self.at;
        self.finish(simple, state, true);
    }

    pub fn finish(&mut self, mut simple: Simple, state: &mut State, whole: bool) {
        let index = self.shell.commands.len();
        simple.at.end = simple.at.end.max(self.at).min(self.end);
        simple.at.end = simple.at.start + self.slice(simple.at.start, simple.at.end).trim_end().len();
        simple.reads = state.last.filter(|_| state.piped && whole);
        simple.depth = self.around;
        simple.joint = state.joint;
        simple.given_to.clone_from(&self.given_to);
        let inner = simple.inner_text();
        self.shell.commands.push(simple);
        let documents = self.shell.commands.last().map(|s| s.redirections.iter().enumerate()).into_iter().flatten();
        let documents = documents.filter(|(_, r)| matches!(r.operator.as_str(), "<<" | "<<-")).map(|(n, _)| (index, n));
        self.pending.extend(documents.collect::<Vec<_>>());
        if let Some((shell, range)) = inner {
            self.inner(shell, range);
        }
        *state = State { last: Some(index), ..State::default() };
    }

    /// Parses a text in single quotes that is passed to a shell.
    fn inner(&mut self, shell: String, range: std::ops::Range<usize>) {
        if self.depth >= DEEPEST {
            return;
        }
        let mut reader = Reader::new(self.text, range.end);
        reader.at = range.start;
        reader.depth = self.depth + 1;
        reader.around = self.around;
        reader.given_to = if SHELLS.contains(&shell.as_str()) { Some(shell) } else { self.given_to.clone() };
        // The commands of both texts share their numbering.
        reader.shell.commands = std::mem::take(&mut self.shell.commands);
        reader.list(Until::End);
        self.shell.commands = reader.shell.commands;
        self.shell.odd.extend(reader.shell.odd);
        self.shell.functions.extend(reader.shell.functions);
        if self.shell.trouble.is_none() {
            self.shell.trouble = reader.shell.trouble;
        }
    }
}
