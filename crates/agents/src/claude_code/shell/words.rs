//! Parsing of words in a command line: quotes, variables, substitutions, and the words of tests.

use super::parser::{CommandParser, nested};
use super::syntax_tree::{BashNode, BashPiece, BashWord, OpaqueConstruct};

impl CommandParser<'_> {
    /// Parses one word with its quotes.
    pub fn word(&mut self) -> Result<BashWord, OpaqueConstruct> {
        let start = self.position;
        let mut word = BashWord::default();
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')' => break,
                // `>` after a word ends it; `a(b)` is a pattern or a function.
                '<' | '>' if self.peek(1) != Some('(') => break,
                '(' | '<' | '>' => return Err(OpaqueConstruct),
                '\'' => word.0.push(self.single_quoted()),
                '"' => word.0.push(self.double_quoted()?),
                '$' | '`' => word.0.push(self.expansion(false)?),
                _ => word.0.push(self.bare_piece()?),
            }
        }
        let raw: String = self.chars.get(start..self.position).unwrap_or(&[]).iter().collect();
        let equals = raw.starts_with('=') && !raw.starts_with("==");
        if has_braces(&raw, "..") || equals && (start > 0 || raw != "=") {
            return Err(OpaqueConstruct);
        }
        if has_braces(&raw, ",") {
            word.0.push(BashPiece::Braces);
        }
        Ok(word)
    }

    fn bare_piece(&mut self) -> Result<BashPiece, OpaqueConstruct> {
        let (mut text, mut escaped) = (String::new(), false);
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' | '\'' | '"' | '$' | '`' => break,
                '\\' => match self.peek(1) {
                    None | Some(' ' | '\t' | '\n' | '\r') => return Err(OpaqueConstruct),
                    Some(next) => {
                        self.position += 1;
                        escaped = true;
                        text.push(next);
                    }
                },
                c => text.push(c),
            }
            self.position += 1;
        }
        Ok(BashPiece::Bare { text, escaped })
    }

    /// Parses `'…'`. The agent accepts a missing quote at the end of the text.
    fn single_quoted(&mut self) -> BashPiece {
        self.position += 1;
        let mut text = String::new();
        while let Some(c) = self.peek(0) {
            self.position += 1;
            if c == '\'' {
                break;
            }
            text.push(c);
        }
        BashPiece::Single(text)
    }

    fn double_quoted(&mut self) -> Result<BashPiece, OpaqueConstruct> {
        self.position += 1;
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            match self.peek(0).ok_or(OpaqueConstruct)? {
                '"' => {
                    self.position += 1;
                    break;
                }
                '$' if !self.begins_expansion() => {
                    text.push('$');
                    self.position += 1;
                }
                '$' | '`' => {
                    if !text.is_empty() {
                        pieces.push(BashPiece::Bare { text: std::mem::take(&mut text), escaped: false });
                    }
                    pieces.push(self.expansion(true)?);
                }
                '\\' => {
                    let next = self.peek(1).filter(|c| *c != '\n').ok_or(OpaqueConstruct)?;
                    if !matches!(next, '"' | '\\' | '$' | '`') {
                        text.push('\\');
                    }
                    text.push(next);
                    self.position += 2;
                }
                c => {
                    text.push(c);
                    self.position += 1;
                }
            }
        }
        if !text.is_empty() {
            pieces.push(BashPiece::Bare { text, escaped: false });
        }
        Ok(BashPiece::Double(pieces))
    }

    /// Whether the next dollar sign begins an expansion.
    fn begins_expansion(&self) -> bool {
        self.peek(1).is_some_and(|c| c.is_ascii_alphanumeric() || "_?$!#@*-({[".contains(c))
    }

    /// Parses `$x`, `$(…)`, `$((…))` or backticks.
    fn expansion(&mut self, quoted: bool) -> Result<BashPiece, OpaqueConstruct> {
        if self.take("`") {
            let mut inner = String::new();
            loop {
                let c = self.peek(0).filter(|c| *c != '\\').ok_or(OpaqueConstruct)?;
                self.position += 1;
                if c == '`' {
                    return nested(&inner, self.depth + 1).map(BashPiece::Substitution);
                }
                inner.push(c);
            }
        }
        if self.starts_with("$((") {
            return self.arithmetic();
        }
        if self.take("$(") {
            self.depth += 1;
            let inner = self.list()?;
            self.depth -= 1;
            return if self.take(")") { Ok(BashPiece::Substitution(inner)) } else { Err(OpaqueConstruct) };
        }
        if !quoted && !self.begins_expansion() {
            return Err(OpaqueConstruct);
        }
        self.position += 1;
        let first = self.peek(0).ok_or(OpaqueConstruct)?;
        let mut name = String::from(first);
        self.position += 1;
        if first.is_ascii_alphabetic() || first == '_' {
            while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                name.push(c);
                self.position += 1;
            }
        } else if matches!(first, '(' | '{' | '[') {
            return Err(OpaqueConstruct);
        }
        // In some shells, `$x[1]` and `$x:h` mean a part or a modified form of the value.
        let modified = self.peek(0) == Some(':') && self.peek(1).is_some_and(|c| c.is_ascii_alphabetic());
        if modified || self.peek(0) == Some('[') { Err(OpaqueConstruct) } else { Ok(BashPiece::Variable(name)) }
    }

    /// Parses `$((…))` that contains only numbers and operators.
    fn arithmetic(&mut self) -> Result<BashPiece, OpaqueConstruct> {
        self.position += 3;
        let (mut open, mut text) = (0, String::new());
        loop {
            let c = self.peek(0).ok_or(OpaqueConstruct)?;
            if open == 0 && self.take("))") {
                break;
            }
            match c {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            if open < 0 {
                return Err(OpaqueConstruct);
            }
            text.push(c);
            self.position += 1;
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
        if numbers { Ok(BashPiece::Number) } else { Err(OpaqueConstruct) }
    }

    /// Parses `[ … ]`: one word, an operator and a word, or two words with an operator between them.
    pub fn single_test(&mut self) -> Result<BashNode, OpaqueConstruct> {
        self.position += 1;
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            if matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')) {
                return Err(OpaqueConstruct);
            }
            if self.peek(0) == Some(']') && self.peek(1).is_none_or(|c| " \t\r\n;&|()<>".contains(c)) {
                self.position += 1;
                break;
            }
            words.push(self.test_word()?);
        }
        let negations = words.iter().take_while(|word| word.plain_text() == Some("!")).count();
        let text = |at: usize| words.get(negations + at).and_then(BashWord::plain_text).unwrap_or_default();
        let good = match words.len() - negations {
            0 | 1 => true,
            2 => text(0).starts_with('-'),
            3 => {
                matches!(text(1), "=" | "==" | "!=" | "=~" | "<" | ">")
                    || text(1).starts_with('-') && text(1).len() > 1 && !text(0).starts_with('-')
            }
            _ => false,
        };
        if good { self.end_of_test(words) } else { Err(OpaqueConstruct) }
    }

    fn test_word(&mut self) -> Result<BashWord, OpaqueConstruct> {
        let bare = |text: &str| BashWord(vec![BashPiece::Bare { text: text.to_owned(), escaped: false }]);
        for operator in ["=~", "==", "="] {
            if self.starts_with(operator) && self.peek(operator.len()).is_some_and(|c| c == ' ' || c == '\t') {
                self.position += operator.len();
                return Ok(bare(operator));
            }
        }
        self.word()
    }

    /// Parses `[[ … ]]`.
    pub fn double_test(&mut self) -> Result<BashNode, OpaqueConstruct> {
        self.position += 2;
        let mut words: Vec<BashWord> = Vec::new();
        let bare = |text: &str| BashWord(vec![BashPiece::Bare { text: text.to_owned(), escaped: false }]);
        loop {
            self.skip_blanks();
            if self.starts_with("]]") && self.peek(2).is_none_or(|c| " \t\r\n;&|()<>".contains(c)) {
                self.position += 2;
                return self.end_of_test(words);
            }
            let compares = words
                .last()
                .and_then(BashWord::plain_text)
                .is_some_and(|word| matches!(word, "==" | "=" | "!=" | "=~"));
            if compares && !matches!(self.peek(0), Some('"' | '\'' | '$')) {
                words.push(bare(&self.pattern()?));
                continue;
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|operator| self.starts_with(operator));
            if let Some(operator) = operator {
                self.position += operator.len();
                words.push(bare(operator));
                continue;
            }
            if matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|')) {
                return Err(OpaqueConstruct);
            }
            words.push(self.test_word()?);
        }
    }

    /// Parses the right side of a comparison, up to a blank outside brackets.
    fn pattern(&mut self) -> Result<String, OpaqueConstruct> {
        let (mut open, mut text) = (0, String::new());
        loop {
            match self.peek(0) {
                Some('(') => open += 1,
                Some(')') if open > 0 => open -= 1,
                None | Some('\n') => return Err(OpaqueConstruct),
                Some(' ' | '\t' | ')') if open == 0 => return Ok(text),
                Some('$' | '`') if self.peek(1).is_some_and(|c| c.is_ascii_alphanumeric() || "_({".contains(c)) => {
                    return Err(OpaqueConstruct);
                }
                _ => {}
            }
            text.extend(self.peek(0));
            self.position += 1;
        }
    }

    fn end_of_test(&mut self, words: Vec<BashWord>) -> Result<BashNode, OpaqueConstruct> {
        self.skip_blanks();
        let redirected = matches!(self.peek(0), Some('<' | '>' | '0'..='9')) || self.starts_with("&>");
        if redirected { Err(OpaqueConstruct) } else { Ok(BashNode::Test(words)) }
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
