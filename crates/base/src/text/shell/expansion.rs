//! Words: quotes, variables, substitutions.

use super::parser::{ListEnd, MAX_DEPTH, ShellParser};
use super::{BashismKind, PartContent, Quote, VariableExpansion, Word, WordPart};

/// Whether a byte ends a word.
fn ends_word(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\r' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

fn is_name(c: u8) -> bool {
    c == b'_' || c.is_ascii_alphanumeric()
}

impl ShellParser<'_> {
    /// Parses one word; it is empty if there is none.
    pub fn word(&mut self) -> Word {
        let start = self.at;
        let mut parts = Vec::new();
        while let Some(c) = self.peek(0) {
            match c {
                b'<' | b'>' if self.peek(1) == Some(b'(') => {
                    let from = self.at;
                    self.at += 2;
                    let commands = self.inside();
                    self.report_bashism(BashismKind::Process, from);
                    parts.push(WordPart {
                        at: from..self.at,
                        quote: Quote::None,
                        piece: PartContent::Process(commands),
                    });
                }
                // `@(a|b)` and other extended patterns.
                b'(' if self.at > start && self.extended() => self.glob(&mut parts),
                c if ends_word(c) => break,
                b'\'' => self.single(&mut parts, false),
                b'"' => self.double(&mut parts),
                b'`' => self.backticks(&mut parts, Quote::None),
                b'$' if matches!(self.peek(1), Some(b'\'')) => {
                    self.at += 1;
                    self.single(&mut parts, true);
                }
                b'$' if matches!(self.peek(1), Some(b'"')) => {
                    self.at += 1;
                    self.double(&mut parts);
                }
                b'$' => self.dollar(&mut parts, Quote::None),
                _ => self.text(&mut parts, Quote::None),
            }
        }
        Word { at: start..self.at, parts }
    }

    /// Parses the lines of a here-document.
    pub fn here_word(&mut self) -> Word {
        let start = self.at;
        let mut parts = Vec::new();
        while let Some(c) = self.peek(0) {
            match c {
                b'$' => self.dollar(&mut parts, Quote::Here),
                b'`' => self.backticks(&mut parts, Quote::Here),
                _ => self.text(&mut parts, Quote::Here),
            }
        }
        Word { at: start..self.at, parts }
    }

    fn extended(&self) -> bool {
        matches!(self.text.as_bytes().get(self.at - 1), Some(b'@' | b'?' | b'*' | b'+' | b'!'))
    }

    fn glob(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.at;
        self.at = self.closing(start + 1, ")").unwrap_or(self.end);
        let text = PartContent::Text(self.slice(start, self.at).to_owned());
        parts.push(WordPart { at: start..self.at, quote: Quote::None, piece: text });
    }

    /// Parses plain text up to the next special character.
    fn text(&mut self, parts: &mut Vec<WordPart>, quote: Quote) {
        let start = self.at;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            if c == b'\\' {
                let next = self.slice(self.at + 1, self.end).chars().next();
                self.at += 1 + next.map_or(0, char::len_utf8);
                let kept = quote != Quote::None && !next.is_some_and(|c| "$`\"\\\n".contains(c));
                if kept || next.is_none() {
                    text.push('\\');
                }
                text.extend(next.filter(|c| *c != '\n'));
                continue;
            }
            let ends = match quote {
                Quote::None => ends_word(c) || matches!(c, b'\'' | b'"' | b'`' | b'$'),
                Quote::Double => matches!(c, b'"' | b'`' | b'$'),
                _ => matches!(c, b'`' | b'$'),
            };
            if ends {
                break;
            }
            let c = self.slice(self.at, self.end).chars().next().unwrap_or('\u{fffd}');
            text.push(c);
            self.at += c.len_utf8();
        }
        parts.push(WordPart { at: start..self.at, quote, piece: PartContent::Text(text) });
    }

    fn single(&mut self, parts: &mut Vec<WordPart>, escapes: bool) {
        let start = self.at + 1;
        self.at = start;
        while let Some(c) = self.peek(0) {
            match c {
                b'\'' => break,
                b'\\' if escapes => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at = self.at.min(self.end);
        if self.peek(0).is_none() {
            self.report_error(start - 1, start, "a `'` is not closed");
        }
        let text = PartContent::Text(self.slice(start, self.at).to_owned());
        parts.push(WordPart { at: start..self.at, quote: Quote::Single, piece: text });
        self.at = (self.at + 1).min(self.end);
    }

    fn double(&mut self, parts: &mut Vec<WordPart>) {
        let start = self.at;
        let before = parts.len();
        self.at += 1;
        loop {
            match self.peek(0) {
                None => {
                    self.report_error(start, start + 1, "a `\"` is not closed");
                    break;
                }
                Some(b'"') => {
                    self.at += 1;
                    break;
                }
                Some(b'$') => self.dollar(parts, Quote::Double),
                Some(b'`') => self.backticks(parts, Quote::Double),
                Some(_) => self.text(parts, Quote::Double),
            }
        }
        if parts.len() == before {
            let at = start + 1..start + 1;
            parts.push(WordPart { at, quote: Quote::Double, piece: PartContent::Text(String::new()) });
        }
    }

    /// Parses commands up to the closing bracket, and returns their indexes.
    fn inside(&mut self) -> std::ops::Range<usize> {
        let from = self.shell.commands.len();
        self.depth += 1;
        if self.depth >= MAX_DEPTH {
            self.at = self.closing(self.at, ")").unwrap_or(self.end);
        } else {
            let lead = std::mem::take(&mut self.lead);
            self.list(ListEnd::Bracket);
            self.lead = lead;
        }
        self.depth -= 1;
        from..self.shell.commands.len()
    }

    fn backticks(&mut self, parts: &mut Vec<WordPart>, quote: Quote) {
        let start = self.at;
        self.at += 1;
        let from = self.at;
        while let Some(c) = self.peek(0).filter(|c| *c != b'`') {
            self.at += if c == b'\\' { 2 } else { 1 };
        }
        let stop = self.at.min(self.end);
        let first = self.shell.commands.len();
        if self.depth < MAX_DEPTH {
            let whole = std::mem::replace(&mut self.end, stop);
            self.at = from;
            self.depth += 1;
            // Text in backticks has another level of escapes, so its syntax errors are not reported.
            let trouble = self.shell.syntax_error.clone();
            let lead = std::mem::take(&mut self.lead);
            self.list(ListEnd::End);
            self.lead = lead;
            self.shell.syntax_error = trouble;
            self.depth -= 1;
            self.end = whole;
        }
        self.at = (stop + 1).min(self.end);
        let piece = PartContent::Substitution(first..self.shell.commands.len());
        parts.push(WordPart { at: start..self.at, quote, piece });
    }

    /// Parses `$(…)`, `$((…))`, `${…}`, `$NAME` or a plain dollar sign.
    fn dollar(&mut self, parts: &mut Vec<WordPart>, quote: Quote) {
        let start = self.at;
        let mut push = |reader: &Self, piece| parts.push(WordPart { at: start..reader.at, quote, piece });
        if self.starts("$((")
            && let Some(end) = self.closing(self.at + 3, "))")
        {
            self.at = end;
            push(self, PartContent::Arithmetic);
            return;
        }
        if self.starts("$(") {
            self.at += 2;
            let commands = self.inside();
            push(self, PartContent::Substitution(commands));
        } else if self.starts("${") {
            let variable = self.braces(quote);
            push(self, PartContent::Variable(variable));
        } else {
            self.at += 1;
            let first = self.peek(0);
            let length = match first {
                Some(c) if c.is_ascii_digit() || b"@*#?-$!".contains(&c) => 1,
                Some(c) if is_name(c) => self.slice(self.at, self.end).bytes().take_while(|c| is_name(*c)).count(),
                _ => 0,
            };
            if length == 0 {
                push(self, PartContent::Text("$".to_owned()));
                return;
            }
            let name = self.slice(self.at, self.at + length).to_owned();
            self.at += length;
            let variable = VariableExpansion { name, braced: false, rest: String::new(), length: false };
            push(self, PartContent::Variable(variable));
        }
    }

    /// Whether the operator of `${NAME…}` takes a pattern.
    fn begins_pattern(&self, at: usize) -> bool {
        self.text.as_bytes().get(at).is_some_and(|operator| b"#%/^,".contains(operator))
    }

    /// Parses `${…}`.
    fn braces(&mut self, quote: Quote) -> VariableExpansion {
        let start = self.at;
        self.at += 2;
        let mark = self.peek(0).filter(|c| matches!(c, b'#' | b'!'));
        if mark.is_some() && self.peek(1).is_some_and(|c| is_name(c) || c == b'@' || c == b'*') {
            self.at += 1;
        }
        let rest = self.slice(self.at, self.end);
        let length = match rest.bytes().next() {
            Some(c) if b"@*#?-$!".contains(&c) => 1,
            _ => rest.bytes().take_while(|c| is_name(*c)).count(),
        };
        let name = rest.get(..length).unwrap_or("").to_owned();
        self.at += length;
        let from = self.at;
        let is_too_deep = self.depth >= MAX_DEPTH;
        self.depth += 1;
        loop {
            match self.peek(0) {
                None => {
                    self.report_error(start, start + 2, "a `${` is not closed");
                    break;
                }
                Some(b'}') => break,
                Some(b'\\') => self.at = (self.at + 2).min(self.end),
                Some(_) if is_too_deep => self.at += 1,
                // Between double quotes, a single quote is a plain character, but it quotes in a pattern.
                Some(b'\'') if quote == Quote::None || self.begins_pattern(from) => self.single(&mut Vec::new(), false),
                Some(b'"') => self.double(&mut Vec::new()),
                Some(b'$') => self.dollar(&mut Vec::new(), quote),
                Some(b'`') => self.backticks(&mut Vec::new(), quote),
                Some(_) => self.at += 1,
            }
        }
        self.depth -= 1;
        let rest = self.slice(from, self.at).to_owned();
        self.at = (self.at + 1).min(self.end);
        let kinds = rest.as_bytes();
        if matches!(kinds, [b'[', ..]) {
            self.report_bashism(BashismKind::Array, start);
        } else if mark == Some(b'!') || bash_only(kinds) {
            self.report_bashism(BashismKind::Expansion, start);
        }
        VariableExpansion { name, braced: true, rest, length: mark == Some(b'#') }
    }
}

/// Whether the text after a variable's name in braces is not supported by every shell.
fn bash_only(rest: &[u8]) -> bool {
    match rest {
        [b',' | b'^' | b'/' | b'@', ..] => true,
        [b':', next, ..] => !matches!(next, b'-' | b'=' | b'+' | b'?'),
        _ => false,
    }
}
