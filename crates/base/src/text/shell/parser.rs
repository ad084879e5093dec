//! The parser for commands, compound commands and lists.

use hookbench_script::is_shell;

use super::{Bashism, BashismKind, CommandJoin, ReservedWord, Shell, ShellSyntaxError, SimpleCommand};

/// The nesting limit for substitutions.
pub(super) const MAX_DEPTH: usize = 40;

/// Builtins whose arguments set variables.
const SETTERS: [&str; 5] = ["export", "local", "declare", "typeset", "readonly"];

/// Parses a text.
pub(super) fn read(text: &str) -> Shell {
    let mut reader = ShellParser::new(text, text.len());
    // A byte-order mark is not part of the text.
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.list(ListEnd::End);
    reader.shell
}

/// An open compound command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OpenCompound {
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
pub(super) enum ListEnd {
    End,
    Bracket,
}

pub(super) struct ShellParser<'a> {
    pub text: &'a str,
    pub end: usize,
    pub at: usize,
    pub depth: usize,
    pub shell: Shell,
    pub inner_shell: Option<String>,
    /// The number of conditions and loops around the current list.
    around: usize,
    /// Here-documents whose lines begin after the current line, as indexes of command and redirection.
    pub pending: Vec<(usize, usize)>,
    /// The value of [`SimpleCommand::reserved_words`] for the next command.
    pub lead: Vec<ReservedWord>,
}

/// The position in a list.
#[derive(Default)]
pub(super) struct ListState {
    last: Option<usize>,
    piped: bool,
    joint: CommandJoin,
}

impl<'a> ShellParser<'a> {
    fn new(text: &'a str, end: usize) -> ShellParser<'a> {
        let shell = Shell::default();
        ShellParser {
            text,
            end,
            at: 0,
            depth: 0,
            shell,
            inner_shell: None,
            around: 0,
            pending: Vec::new(),
            lead: Vec::new(),
        }
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

    pub fn report_error(&mut self, start: usize, end: usize, says: impl Into<String>) {
        if self.shell.syntax_error.is_none() && self.depth < MAX_DEPTH {
            self.shell.syntax_error = Some(ShellSyntaxError { at: start..end.min(self.end), message: says.into() });
        }
    }

    pub fn report_bashism(&mut self, kind: BashismKind, start: usize) {
        let at = start..self.at;
        self.shell.bashisms.push(Bashism { kind, at, inner_shell: self.inner_shell.clone() });
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
    pub fn list(&mut self, until: ListEnd) {
        let start = self.at;
        let mut stack: Vec<(OpenCompound, usize)> = Vec::new();
        let mut state = ListState::default();
        let around = self.around;
        loop {
            self.blanks();
            self.around = around + stack.iter().filter(|(frame, _)| *frame != OpenCompound::Bracket).count();
            let Some(c) = self.peek(0) else {
                if until == ListEnd::Bracket {
                    self.report_error(start.saturating_sub(2), start, "a `(` is not closed");
                }
                break;
            };
            if stack.last().is_some_and(|(frame, _)| *frame == OpenCompound::Pattern) && !matches!(c, b'\n' | b'#') {
                self.pattern(&mut stack);
                continue;
            }
            match c {
                b'\n' => {
                    self.at += 1;
                    self.here_bodies();
                    state = ListState { last: state.last.filter(|_| state.piped), ..state };
                }
                b'#' => self.comment(),
                b';' => self.semicolon(&mut stack, &mut state),
                b'&' | b'|' => self.operator(&mut state),
                b'(' if self.starts("((") && self.arithmetic() => {}
                b'(' => {
                    stack.push((OpenCompound::Bracket, self.at));
                    self.lead.push(ReservedWord::Subshell);
                    self.at += 1;
                }
                b')' => match stack.last() {
                    Some((OpenCompound::Bracket, _)) => {
                        stack.pop();
                        self.lead.push(ReservedWord::Close);
                        self.at += 1;
                        state.last = self.shell.commands.len().checked_sub(1);
                    }
                    _ if until == ListEnd::Bracket => {
                        self.at += 1;
                        break;
                    }
                    _ => {
                        self.report_error(self.at, self.at + 1, "a `)` has no matching `(`");
                        self.at += 1;
                    }
                },
                _ => self.command(&mut stack, &mut state),
            }
        }
        self.around = around;
        if let Some((frame, at)) = stack.pop() {
            let (word, close) = match frame {
                OpenCompound::If => ("if", "fi"),
                OpenCompound::Loop => ("a loop", "done"),
                OpenCompound::Case | OpenCompound::Pattern => ("case", "esac"),
                OpenCompound::Brace => ("{", "}"),
                OpenCompound::Bracket => ("(", ")"),
            };
            self.report_error(at, at + 1, format!("`{word}` is not closed by `{close}`").replace("`a loop`", "a loop"));
        }
    }

    pub fn comment(&mut self) {
        while self.peek(0).is_some_and(|c| c != b'\n') {
            self.at += 1;
        }
    }

    fn semicolon(&mut self, stack: &mut [(OpenCompound, usize)], state: &mut ListState) {
        let length = [";;&", ";;", ";&"].iter().find(|end| self.starts(end)).map_or(1, |end| end.len());
        self.at += length;
        if length > 1
            && let Some((frame, _)) = stack.last_mut().filter(|(frame, _)| *frame == OpenCompound::Case)
        {
            *frame = OpenCompound::Pattern;
        }
        *state = ListState::default();
    }

    fn operator(&mut self, state: &mut ListState) {
        let start = self.at;
        if self.starts("&>") {
            self.redirected(state);
            return;
        }
        let joint = if self.starts("&&") {
            CommandJoin::And
        } else if self.starts("||") {
            CommandJoin::Or
        } else {
            CommandJoin::Next
        };
        self.at += if joint == CommandJoin::Next { 1 } else { 2 };
        let piped = joint == CommandJoin::Next && self.slice(start, self.at) == "|";
        if piped && self.peek(0) == Some(b'&') {
            self.at += 1;
            self.report_bashism(BashismKind::PipeBoth, start);
        }
        *state = ListState { last: state.last.filter(|_| piped), piped, joint };
    }

    /// Parses a redirection of the compound command before it: `done < file`.
    fn redirected(&mut self, state: &mut ListState) {
        let mut simple = SimpleCommand {
            at: self.at..self.at,
            reserved_words: std::mem::take(&mut self.lead),
            ..SimpleCommand::default()
        };
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
    fn pattern(&mut self, stack: &mut Vec<(OpenCompound, usize)>) {
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
                    self.report_error(start, self.at, "a pattern of `case` has no `)`");
                    self.at = (self.at + 1).min(self.end);
                    break;
                }
                Some(_) => {
                    let word = self.word();
                    if word.at.start == start && word.plain() == Some("esac") {
                        stack.pop();
                        self.lead.push(ReservedWord::Close);
                        return;
                    }
                }
            }
        }
        if let Some((frame, _)) = stack.last_mut() {
            *frame = OpenCompound::Case;
        }
    }

    /// Parses one simple command, or a reserved word.
    fn command(&mut self, stack: &mut Vec<(OpenCompound, usize)>, state: &mut ListState) {
        let start = self.at;
        let mut simple = SimpleCommand {
            at: start..start,
            reserved_words: std::mem::take(&mut self.lead),
            ..SimpleCommand::default()
        };
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
                        self.lead = simple.reserved_words;
                        return;
                    }
                    self.report_error(at, at + 1, "found `(` instead of a word");
                    break;
                }
                Some(_) => {
                    let word = self.word();
                    let digits = matches!(word.plain(), Some(text) if text.bytes().all(|c| c.is_ascii_digit()));
                    if digits && matches!(self.peek(0), Some(b'<' | b'>')) {
                        self.redirection(&mut simple, at);
                        continue;
                    }
                    if simple.words.is_empty()
                        && simple.assignments.is_empty()
                        && self.reserved(&word, stack, &mut simple)
                    {
                        self.lead.append(&mut simple.reserved_words);
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
                        simple.assignments.push(set);
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

    pub fn finish(&mut self, mut simple: SimpleCommand, state: &mut ListState, whole: bool) {
        let index = self.shell.commands.len();
        simple.at.end = simple.at.end.max(self.at).min(self.end);
        simple.at.end = simple.at.start + self.slice(simple.at.start, simple.at.end).trim_end().len();
        simple.piped_from = state.last.filter(|_| state.piped && whole);
        simple.depth = self.around;
        simple.join = state.joint;
        simple.inner_shell.clone_from(&self.inner_shell);
        let inner = simple.inner_text();
        self.shell.commands.push(simple);
        let documents = self.shell.commands.last().map(|s| s.redirections.iter().enumerate()).into_iter().flatten();
        let documents = documents.filter(|(_, r)| matches!(r.operator.as_str(), "<<" | "<<-")).map(|(n, _)| (index, n));
        self.pending.extend(documents.collect::<Vec<_>>());
        if let Some((shell, range)) = inner {
            self.inner(shell, range);
        }
        *state = ListState { last: Some(index), ..ListState::default() };
    }

    /// Parses a text in single quotes that is passed to a shell.
    fn inner(&mut self, shell: String, range: std::ops::Range<usize>) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        let mut reader = ShellParser::new(self.text, range.end);
        reader.at = range.start;
        reader.depth = self.depth + 1;
        reader.around = self.around;
        reader.inner_shell = if is_shell(&shell) { Some(shell) } else { self.inner_shell.clone() };
        // The commands of both texts share their numbering.
        reader.shell.commands = std::mem::take(&mut self.shell.commands);
        reader.list(ListEnd::End);
        self.shell.commands = reader.shell.commands;
        self.shell.bashisms.extend(reader.shell.bashisms);
        self.shell.functions.extend(reader.shell.functions);
        if self.shell.syntax_error.is_none() {
            self.shell.syntax_error = reader.shell.syntax_error;
        }
    }
}
