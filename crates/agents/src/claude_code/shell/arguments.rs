//! Parsing of words in a command line: quotes, variables, substitutions, and the words of tests.

use super::reader::{Reader, nested};
use super::tree::{Node, Opaque, Piece, Word};

impl Reader<'_> {
    /// Parses one word with its quotes.
    pub fn word(&mut self) -> Result<Word, Opaque> {
        let start = self.at;
        let mut word = Word::default();
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => break,
                // `>` after a word ends it; `a(b)` is a pattern or a function.
                '<' | '>' if self.peek(1) != Some('(') => break,
                '(' | '<' | '>' => return Err(Opaque),
                '\'' => word.0.push(self.single()),
                '"' => word.0.push(self.double()?),
                '$' | '`' => word.0.push(self.expansion(false)?),
                _ => word.0.push(self.bare()?),
            }
        }
        let raw: String = self.chars.get(start..self.at).unwrap_or(&[]).iter().collect();
        let equals = raw.starts_with('=') && !raw.starts_with("==");
        if has_braces(&raw, "..") || equals && (start > 0 || raw != "=") {
            return Err(Opaque);
        }
        if has_braces(&raw, ",") {
            word.0.push(Piece::Braces);
        }
        Ok(word)
    }

    fn bare(&mut self) -> Result<Piece, Opaque> {
        let (mut text, mut escaped) = (String::new(), false);
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '\'' | '"' | '$' | '`' => break,
                '\\' => match self.peek(1) {
                    None | Some(' ' | '\t' | '\n' | '\r') => return Err(Opaque),
                    Some(next) => {
                        self.at += 1;
                        escaped = true;
                        text.push(next);
                    }
                },
                c => text.push(c),
            }
            self.at += 1;
        }
        Ok(Piece::Bare { text, escaped })
    }

    /// Parses `'…'`. The agent accepts a missing quote at the end of the text.
    fn single(&mut self) -> Piece {
        self.at += 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == '\'' {
                break;
            }
            text.push(c);
        }
        Piece::Single(text)
    }

    fn double(&mut self) -> Result<Piece, Opaque> {
        self.at += 1;
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            match self.peek(0).ok_or(Opaque)? {
                '"' => {
                    self.at += 1;
                    break;
                }
                '$' if !self.begins_expansion() => {
                    text.push('$');
                    self.at += 1;
                }
                '$' | '`' => {
                    if !text.is_empty() {
                        pieces.push(Piece::Bare { text: std::mem::take(&mut text), escaped: false });
                    }
                    pieces.push(self.expansion(true)?);
                }
                '\\' => {
                    let next = self.peek(1).filter(|c| *c != '\n').ok_or(Opaque)?;
                    if !matches!(next, '"' | '\\' | '$' | '`') {
                        text.push('\\');
                    }
                    text.push(next);
                    self.at += 2;
                }
                c => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Bare { text, escaped: false });
        }
        Ok(Piece::Double(pieces))
    }

    /// Whether the next dollar sign begins an expansion.
    fn begins_expansion(&self) -> bool {
        self.peek(1).is_some_and(|c| c.is_ascii_alphanumeric() || "_?$!#@*-({[".contains(c))
    }

    /// Parses `$x`, `$(…)`, `$((…))` or backticks.
    fn expansion(&mut self, quoted: bool) -> Result<Piece, Opaque> {
        if self.take("`") {
            let mut inner = String::new();
            loop {
                let c = self.peek(0).filter(|c| *c != '\\').ok_or(Opaque)?;
                self.at += 1;
                if c == '`' {
                    return nested(&inner, self.depth + 1).map(Piece::Substitution);
                }
                inner.push(c);
            }
        }
        if self.starts("$((") {
            return self.number();
        }
        if self.take("$(") {
            self.depth += 1;
            let inner = self.list()?;
            self.depth -= 1;
            return if self.take(")") { Ok(Piece::Substitution(inner)) } else { Err(Opaque) };
        }
        if !quoted && !self.begins_expansion() {
            return Err(Opaque);
        }
        self.at += 1;
        let first = self.peek(0).ok_or(Opaque)?;
        let mut name = String::from(first);
        self.at += 1;
        if first.is_ascii_alphabetic() || first == '_' {
            while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                name.push(c);
                self.at += 1;
            }
        } else if matches!(first, '(' | '{' | '[') {
            return Err(Opaque);
        }
        // In some shells, `$x[1]` and `$x:h` mean a part or a modified form of the value.
        let modified = self.peek(0) == Some(':') && self.peek(1).is_some_and(|c| c.is_ascii_alphabetic());
        if modified || self.peek(0) == Some('[') { Err(Opaque) } else { Ok(Piece::Variable(name)) }
    }

    /// Parses `$((…))` that contains only numbers and operators.
    fn number(&mut self) -> Result<Piece, Opaque> {
        self.at += 3;
        let (mut open, mut text) = (0, String::new());
        loop {
            let c = self.peek(0).ok_or(Opaque)?;
            if open == 0 && self.take("))") {
                break;
            }
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            if open < 0 {
                return Err(Opaque);
            }
            text.push(c);
            self.at += 1;
        }
        let spaced: String =
            text.chars().map(|c| if "+-*/%<>=!~&|^?:,() \t\n".contains(c) { ' ' } else { c }).collect();
        let numbers = spaced.split_whitespace().all(|part| {
            let hex = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X"));
            hex.map_or_else(
                || part.chars().all(|c| c.is_ascii_digit()),
                |digits| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit()),
            )
        });
        if numbers { Ok(Piece::Number) } else { Err(Opaque) }
    }

    /// Parses `[ … ]`: one word, an operator and a word, or two words with an operator between them.
    pub fn single_test(&mut self) -> Result<Node, Opaque> {
        self.at += 1;
        let mut words = Vec::new();
        loop {
            self.blanks();
            if matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')) {
                return Err(Opaque);
            }
            if self.peek(0) == Some(']') && self.peek(1).is_none_or(|c| " \t\r\n;&|()<>".contains(c)) {
                self.at += 1;
                break;
            }
            words.push(self.test_word()?);
        }
        let negations = words.iter().take_while(|word| word.plain() == Some("!")).count();
        let text = |at: usize| words.get(negations + at).and_then(Word::plain).unwrap_or_default();
        let good = match words.len() - negations {
            0 | 1 => true,
            2 => text(0).starts_with('-'),
            3 => {
                matches!(text(1), "=" | "==" | "!=" | "=~" | "<" | ">")
                    || text(1).starts_with('-') && text(1).len() > 1 && !text(0).starts_with('-')
            }
            _ => false,
        };
        if good { self.end_of_test(words) } else { Err(Opaque) }
    }

    fn test_word(&mut self) -> Result<Word, Opaque> {
        let bare = |text: &str| Word(vec![Piece::Bare { text: text.to_owned(), escaped: false }]);
        for operator in ["=~", "==", "="] {
            if self.starts(operator) && self.peek(operator.len()).is_some_and(|c| c == ' ' || c == '\t') {
                self.at += operator.len();
                return Ok(bare(operator));
            }
        }
        self.word()
    }

    /// Parses `[[ … ]]`.
    pub fn double_test(&mut self) -> Result<Node, Opaque> {
        self.at += 2;
        let mut words: Vec<Word> = Vec::new();
        let bare = |text: &str| Word(vec![Piece::Bare { text: text.to_owned(), escaped: false }]);
        loop {
            self.blanks();
            if self.starts("]]") && self.peek(2).is_none_or(|c| " \t\r\n;&|()<>".contains(c)) {
                self.at += 2;
                return self.end_of_test(words);
            }
            let compares =
                words.last().and_then(Word::plain).is_some_and(|word| matches!(word, "==" | "=" | "!=" | "=~"));
            if compares && !matches!(self.peek(0), Some('"' | '\'' | '$')) {
                words.push(bare(&self.pattern()?));
                continue;
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|operator| self.starts(operator));
            if let Some(operator) = operator {
                self.at += operator.len();
                words.push(bare(operator));
                continue;
            }
            if matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|')) {
                return Err(Opaque);
            }
            words.push(self.test_word()?);
        }
    }

    /// Parses the right side of a comparison, up to a blank outside brackets.
    fn pattern(&mut self) -> Result<String, Opaque> {
        let (mut open, mut text) = (0, String::new());
        loop {
            match self.peek(0) {
                Some('(') => open += 1,
                Some(')') if open > 0 => open -= 1,
                None | Some('\n') => return Err(Opaque),
                Some(' ' | '\t' | ')') if open == 0 => return Ok(text),
                Some('$' | '`') if self.peek(1).is_some_and(|c| c.is_ascii_alphanumeric() || "_({".contains(c)) => {
                    return Err(Opaque);
                }
                _ => {}
            }
            text.extend(self.peek(0));
            self.at += 1;
        }
    }

    fn end_of_test(&mut self, words: Vec<Word>) -> Result<Node, Opaque> {
        self.blanks();
        let redirected = matches!(self.peek(0), Some('<' | '>' | '0'..='9')) || self.starts("&>");
        if redirected { Err(Opaque) } else { Ok(Node::Test(words)) }
    }
}

/// Whether a text contains `{a,b}` or `{1..3}`, depending on the separator `mark`.
fn has_braces(text: &str, mark: &str) -> bool {
    text.match_indices('{').any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or_default();
        let inner = rest.split(['{', '}']).next().unwrap_or_default();
        rest.get(inner.len()..).is_some_and(|tail| tail.starts_with('}'))
            && inner.contains(mark)
            && !inner.contains(['"', '\'', ' '])
    })
}
