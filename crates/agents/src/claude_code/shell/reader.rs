//! Parses a command line into its syntax tree.

use super::DEPTH;
use super::tree::{Assignment, Command, List, Node, Opaque, Operator, Redirection, Separator, Word, is_name};

/// Words that begin or end a construct which is opaque at the position of a command.
const OPAQUE_WORDS: [&str; 6] = ["case", "select", "function", "esac", "{", "}"];
/// Words that end the list of commands before them.
const ENDS: [&str; 6] = ["then", "elif", "else", "fi", "do", "done"];

pub struct Reader<'a> {
    pub chars: &'a [char],
    pub at: usize,
    pub depth: usize,
}

/// Parses a whole command line.
pub fn program(text: &str) -> Result<List, Opaque> {
    nested(text, 0)
}

/// Parses the commands inside backticks.
pub fn nested(text: &str, depth: usize) -> Result<List, Opaque> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader { chars: &chars, at: 0, depth };
    let list = reader.list()?;
    if reader.at < chars.len() { Err(Opaque) } else { Ok(list) }
}

impl Reader<'_> {
    pub fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub fn starts(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    /// Consumes a text if it is next.
    pub fn take(&mut self, text: &str) -> bool {
        let found = self.starts(text);
        if found {
            self.at += text.chars().count();
        }
        found
    }

    pub fn blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(' ' | '\t' | '\r'), _) => self.at += 1,
                (Some('\\'), Some('\n')) => self.at += 2,
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        if self.peek(0) == Some('#') {
            while self.peek(0).is_some_and(|c| c != '\n') {
                self.at += 1;
            }
        }
    }

    /// Skips blanks, line ends and comments.
    fn lines(&mut self) {
        loop {
            self.blanks();
            self.comment();
            if self.peek(0) != Some('\n') {
                return;
            }
            self.at += 1;
        }
    }

    /// Returns the next word if it is plain, without consuming it.
    fn keyword(&self) -> Option<String> {
        let rest = self.chars.get(self.at..)?;
        let end = rest.iter().position(|c| " \t\r\n;&|()<>\"'`$\\".contains(*c)).unwrap_or(rest.len());
        let follows = rest.get(end).is_none_or(|c| " \t\r\n;&|()<>".contains(*c));
        (end > 0 && follows).then(|| rest.iter().take(end).collect())
    }

    fn take_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword().as_deref() == Some(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Parses commands up to a `)`, a word that ends the list, or the end of the text.
    pub fn list(&mut self) -> Result<List, Opaque> {
        if self.depth > DEPTH {
            return Err(Opaque);
        }
        let mut list = List::default();
        loop {
            self.lines();
            let ended = self.keyword().is_some_and(|word| ENDS.contains(&word.as_str()));
            if ended || matches!(self.peek(0), None | Some(')')) {
                return Ok(list);
            }
            let node = self.chain()?;
            self.blanks();
            self.comment();
            let separator = if self.take(";") {
                self.take(";");
                Separator::Semicolon
            } else if self.take("&") {
                Separator::Background
            } else if self.closes(&node) {
                Separator::Line
            } else {
                return Err(Opaque);
            };
            list.0.push((node, separator));
        }
    }

    /// Whether a command may end here without a separator.
    fn closes(&self, node: &Node) -> bool {
        let compound = matches!(node, Node::If(..) | Node::Loop(..) | Node::For(..));
        compound || matches!(self.peek(0), None | Some('\n' | ')'))
    }

    /// Parses `a && b || c | d`.
    fn chain(&mut self) -> Result<Node, Opaque> {
        let first = self.node()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let operator = if self.take("&&") {
                Operator::And
            } else if self.take("||") {
                Operator::Or
            } else if self.take("|&") || self.take("|") {
                Operator::Pipe
            } else {
                break;
            };
            self.blanks();
            let pipe = operator == Operator::Pipe;
            if pipe {
                self.lines();
                if matches!(self.peek(0), None | Some('&')) {
                    break;
                }
            }
            while self.peek(0) == Some('\n') {
                self.at += 1;
                self.blanks();
            }
            rest.push((operator, self.node()?));
        }
        Ok(if rest.is_empty() { first } else { Node::Chain(Box::new(first), rest) })
    }

    fn node(&mut self) -> Result<Node, Opaque> {
        self.depth += 1;
        let node = if self.depth > DEPTH { Err(Opaque) } else { self.node_inside() };
        self.depth -= 1;
        node
    }

    fn node_inside(&mut self) -> Result<Node, Opaque> {
        self.blanks();
        // The agent treats two adjacent brackets as arithmetic, even where a shell would see nested brackets.
        if self.starts("((") {
            return Err(Opaque);
        }
        if self.take("(") {
            let inner = self.list()?;
            if !self.take(")") || self.peek(0) == Some(')') {
                return Err(Opaque);
            }
            self.blanks();
            let redirected = matches!(self.peek(0), Some('<' | '>')) || self.starts("&>");
            return if redirected || self.peek(0) == Some('(') { Err(Opaque) } else { Ok(Node::Subshell(inner)) };
        }
        let keyword = self.keyword().unwrap_or_default();
        if OPAQUE_WORDS.contains(&keyword.as_str()) || ENDS.contains(&keyword.as_str()) {
            return Err(Opaque);
        }
        let compound = match keyword.as_str() {
            "!" => {
                self.at += 1;
                self.blanks();
                let empty = matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | ')'));
                return Ok(Node::Not(if empty { None } else { Some(Box::new(self.node()?)) }));
            }
            "[[" => return self.double_test(),
            "[" => return self.single_test(),
            "if" => self.condition()?,
            "while" | "until" => self.repetition()?,
            "for" => self.iteration()?,
            word if word.starts_with('[') => return Err(Opaque),
            _ => return self.command().map(Node::Command),
        };
        self.blanks();
        let redirected = matches!(self.peek(0), Some('<' | '>')) || self.starts("&>");
        if redirected { Err(Opaque) } else { Ok(compound) }
    }

    fn condition(&mut self) -> Result<Node, Opaque> {
        self.take_keyword("if");
        let mut branches = Vec::new();
        let mut otherwise = List::default();
        loop {
            let condition = self.list()?;
            self.take_keyword("then");
            branches.push((condition, self.list()?));
            if !self.take_keyword("elif") {
                break;
            }
        }
        if self.take_keyword("else") {
            otherwise = self.list()?;
        }
        self.end("fi")?;
        Ok(Node::If(branches, otherwise))
    }

    fn repetition(&mut self) -> Result<Node, Opaque> {
        let _ = self.take_keyword("while") || self.take_keyword("until");
        let condition = self.list()?;
        self.take_keyword("do");
        let body = self.list()?;
        self.end("done")?;
        Ok(Node::Loop(condition, body))
    }

    fn iteration(&mut self) -> Result<Node, Opaque> {
        self.take_keyword("for");
        self.blanks();
        let name = self.keyword().filter(|name| is_name(name)).ok_or(Opaque)?;
        self.at += name.len();
        self.lines();
        let mut words = Vec::new();
        if self.take_keyword("in") {
            self.blanks();
            while !matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')) {
                words.push(self.word()?);
                self.blanks();
            }
        }
        self.blanks();
        self.take(";");
        self.lines();
        if !self.take_keyword("do") {
            return Err(Opaque);
        }
        let body = self.list()?;
        self.end("done")?;
        Ok(Node::For(name, words, body))
    }

    /// Consumes the word that ends a construct. The agent accepts a missing word at the end of the text.
    fn end(&mut self, word: &str) -> Result<(), Opaque> {
        if self.take_keyword(word) || self.peek(0).is_none() { Ok(()) } else { Err(Opaque) }
    }

    /// Parses a simple command: assignments, words and redirections.
    fn command(&mut self) -> Result<Command, Opaque> {
        let mut command = Command::default();
        // The agent accepts no words after a redirection that follows the name.
        let mut redirected = false;
        loop {
            self.blanks();
            match self.peek(0) {
                None | Some('\n' | ';' | '|' | ')') => break,
                Some('#') => {
                    self.comment();
                    break;
                }
                Some('&') if self.peek(1) != Some('>') => break,
                Some('(') => return Err(Opaque),
                _ => {}
            }
            if let Some(redirection) = self.redirection()? {
                let document = matches!(command.redirections.last(), Some(Redirection::HereDocument { .. }));
                if document {
                    return Err(Opaque);
                }
                let last = matches!(redirection, Redirection::HereDocument { .. });
                redirected |= matches!(redirection, Redirection::File(_)) && !command.words.is_empty();
                command.redirections.push(redirection);
                if last {
                    break;
                }
                continue;
            }
            if command.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                command.assignments.push(assignment);
                continue;
            }
            if redirected {
                return Err(Opaque);
            }
            command.words.push(self.word()?);
        }
        let nothing = command.words.is_empty() && command.assignments.is_empty() && command.redirections.is_empty();
        if nothing { Err(Opaque) } else { Ok(command) }
    }

    fn assignment(&mut self) -> Result<Option<Assignment>, Opaque> {
        let start = self.at;
        let mut name = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.at += 1;
        }
        let known = is_name(&name);
        if known && self.peek(0) == Some('[') {
            let subscript = self.chars.get(self.at..).unwrap_or(&[]);
            let close = subscript.iter().position(|c| *c == ']').unwrap_or(0);
            if close > 0 && matches!(subscript.get(close + 1), Some('=' | '+')) {
                return Err(Opaque);
            }
        }
        let appends = known && self.starts("+=");
        if !known || !(appends || self.peek(0) == Some('=')) || (!appends && self.peek(1) == Some('=')) {
            self.at = start;
            return Ok(None);
        }
        self.at += if appends { 2 } else { 1 };
        let value = match self.peek(0) {
            None | Some(' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')') => Word::default(),
            Some('(') => return Err(Opaque),
            _ => self.word()?,
        };
        Ok(Some(Assignment { name, appends, value }))
    }

    fn redirection(&mut self) -> Result<Option<Redirection>, Opaque> {
        let start = self.at;
        while self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
        }
        let operator = ["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"]
            .into_iter()
            .find(|operator| self.starts(operator));
        let Some(operator) = operator else {
            self.at = start;
            return Ok(None);
        };
        if operator.starts_with('&') && self.at > start {
            self.at = start;
            return Ok(None);
        }
        self.at += operator.len();
        if operator == "<>" || matches!((operator, self.peek(0)), ("<" | ">", Some('('))) {
            return Err(Opaque);
        }
        if operator.ends_with('&') && self.peek(0) == Some('-') {
            return Err(Opaque);
        }
        self.blanks();
        if matches!(operator, "<<" | "<<-") {
            return self.here_document(operator == "<<-").map(Some);
        }
        let empty = matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'));
        if operator == "<<<" {
            let word = if empty { Word::default() } else { self.word()? };
            return Ok(Some(Redirection::HereString(word)));
        }
        if empty { Err(Opaque) } else { Ok(Some(Redirection::File(self.word()?))) }
    }

    /// Parses a here-document. Its whole end word must be quoted, and the rest of the line must be empty.
    fn here_document(&mut self, strips: bool) -> Result<Redirection, Opaque> {
        let quote = self.peek(0).filter(|c| matches!(c, '\'' | '"' | '\\')).ok_or(Opaque)?;
        self.at += 1;
        let mut end = String::new();
        loop {
            match self.peek(0) {
                None => return Err(Opaque),
                Some(c) if c == quote && quote != '\\' => {
                    self.at += 1;
                    break;
                }
                Some(c) if quote == '\\' && !(c.is_alphanumeric() || c == '_') => break,
                Some(c) => end.push(c),
            }
            self.at += 1;
        }
        self.blanks();
        match self.peek(0) {
            None => {}
            Some('\n') => self.at += 1,
            _ => return Err(Opaque),
        }
        let mut body = String::new();
        while self.at < self.chars.len() {
            let rest = self.chars.get(self.at..).unwrap_or(&[]);
            let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
            let line: String = rest.iter().take(length).collect();
            let line = if strips { line.trim_start_matches('\t') } else { line.as_str() };
            self.at += length;
            if line == end {
                break;
            }
            body.push_str(line);
            body.push('\n');
            self.at = (self.at + 1).min(self.chars.len());
        }
        Ok(Redirection::HereDocument { body, strips })
    }
}
