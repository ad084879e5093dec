//! Parses a command line into its syntax tree.

use super::MAX_DEPTH;
use super::syntax_tree::{
    BashAssignment, BashCommand, BashList, BashNode, BashOperator, BashRedirection, BashSeparator, BashWord,
    OpaqueConstruct, is_name,
};

/// Words that begin or end a construct which is opaque at the position of a command.
const OPAQUE_WORDS: [&str; 6] = ["case", "select", "function", "esac", "{", "}"];
/// Words that end the list of commands before them.
const LIST_ENDS: [&str; 6] = ["then", "elif", "else", "fi", "do", "done"];

pub struct CommandParser<'a> {
    pub chars: &'a [char],
    pub position: usize,
    pub depth: usize,
}

/// Parses a whole command line.
pub fn program(text: &str) -> Result<BashList, OpaqueConstruct> {
    nested(text, 0)
}

/// Parses the commands inside backticks.
pub fn nested(text: &str, depth: usize) -> Result<BashList, OpaqueConstruct> {
    let chars: Vec<char> = text.chars().collect();
    let mut reader = CommandParser { chars: &chars, position: 0, depth };
    let list = reader.list()?;
    if reader.position < chars.len() { Err(OpaqueConstruct) } else { Ok(list) }
}

impl CommandParser<'_> {
    pub fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.position + ahead).copied()
    }

    pub fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    /// Consumes a text if it is next.
    pub fn take(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        if found {
            self.position += text.chars().count();
        }
        found
    }

    pub fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(' ' | '\t' | '\r'), _) => self.position += 1,
                (Some('\\'), Some('\n')) => self.position += 2,
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        if self.peek(0) == Some('#') {
            while self.peek(0).is_some_and(|c| c != '\n') {
                self.position += 1;
            }
        }
    }

    /// Skips blanks, line ends and comments.
    fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            self.skip_comment();
            if self.peek(0) != Some('\n') {
                return;
            }
            self.position += 1;
        }
    }

    /// Returns the next word if it is plain, without consuming it.
    fn keyword(&self) -> Option<String> {
        let rest = self.chars.get(self.position..)?;
        let end = rest.iter().position(|c| " \t\r\n;&|()<>\"'`$\\".contains(*c)).unwrap_or(rest.len());
        let follows = rest.get(end).is_none_or(|c| " \t\r\n;&|()<>".contains(*c));
        (end > 0 && follows).then(|| rest.iter().take(end).collect())
    }

    fn take_keyword(&mut self, word: &str) -> bool {
        let found = self.keyword().as_deref() == Some(word);
        if found {
            self.position += word.len();
        }
        found
    }

    /// Parses commands up to a `)`, a word that ends the list, or the end of the text.
    pub fn list(&mut self) -> Result<BashList, OpaqueConstruct> {
        if self.depth > MAX_DEPTH {
            return Err(OpaqueConstruct);
        }
        let mut list = BashList::default();
        loop {
            self.skip_lines();
            let ended = self.keyword().is_some_and(|word| LIST_ENDS.contains(&word.as_str()));
            if ended || matches!(self.peek(0), None | Some(')')) {
                return Ok(list);
            }
            let node = self.chain()?;
            self.skip_blanks();
            self.skip_comment();
            let separator = if self.take(";") {
                self.take(";");
                BashSeparator::Semicolon
            } else if self.take("&") {
                BashSeparator::Background
            } else if self.may_end(&node) {
                BashSeparator::Line
            } else {
                return Err(OpaqueConstruct);
            };
            list.0.push((node, separator));
        }
    }

    /// Whether a command may end here without a separator.
    fn may_end(&self, node: &BashNode) -> bool {
        let compound = matches!(node, BashNode::If(..) | BashNode::Loop(..) | BashNode::For(..));
        compound || matches!(self.peek(0), None | Some('\n' | ')'))
    }

    /// Parses `a && b || c | d`.
    fn chain(&mut self) -> Result<BashNode, OpaqueConstruct> {
        let first = self.node()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let operator = if self.take("&&") {
                BashOperator::And
            } else if self.take("||") {
                BashOperator::Or
            } else if self.take("|&") || self.take("|") {
                BashOperator::Pipe
            } else {
                break;
            };
            self.skip_blanks();
            let pipe = operator == BashOperator::Pipe;
            if pipe {
                self.skip_lines();
                if matches!(self.peek(0), None | Some('&')) {
                    break;
                }
            }
            while self.peek(0) == Some('\n') {
                self.position += 1;
                self.skip_blanks();
            }
            rest.push((operator, self.node()?));
        }
        Ok(if rest.is_empty() { first } else { BashNode::Chain(Box::new(first), rest) })
    }

    fn node(&mut self) -> Result<BashNode, OpaqueConstruct> {
        self.depth += 1;
        let node = if self.depth > MAX_DEPTH { Err(OpaqueConstruct) } else { self.node_inside() };
        self.depth -= 1;
        node
    }

    fn node_inside(&mut self) -> Result<BashNode, OpaqueConstruct> {
        self.skip_blanks();
        // The agent treats two adjacent brackets as arithmetic, even where a shell would see nested brackets.
        if self.starts_with("((") {
            return Err(OpaqueConstruct);
        }
        if self.take("(") {
            let inner = self.list()?;
            if !self.take(")") || self.peek(0) == Some(')') {
                return Err(OpaqueConstruct);
            }
            self.skip_blanks();
            let redirected = matches!(self.peek(0), Some('<' | '>')) || self.starts_with("&>");
            return if redirected || self.peek(0) == Some('(') {
                Err(OpaqueConstruct)
            } else {
                Ok(BashNode::Subshell(inner))
            };
        }
        let keyword = self.keyword().unwrap_or_default();
        if OPAQUE_WORDS.contains(&keyword.as_str()) || LIST_ENDS.contains(&keyword.as_str()) {
            return Err(OpaqueConstruct);
        }
        let compound = match keyword.as_str() {
            "!" => {
                self.position += 1;
                self.skip_blanks();
                let empty = matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | ')'));
                return Ok(BashNode::Not(if empty { None } else { Some(Box::new(self.node()?)) }));
            }
            "[[" => return self.double_test(),
            "[" => return self.single_test(),
            "if" => self.if_statement()?,
            "while" | "until" => self.while_loop()?,
            "for" => self.for_loop()?,
            word if word.starts_with('[') => return Err(OpaqueConstruct),
            _ => return self.command().map(BashNode::Command),
        };
        self.skip_blanks();
        let redirected = matches!(self.peek(0), Some('<' | '>')) || self.starts_with("&>");
        if redirected { Err(OpaqueConstruct) } else { Ok(compound) }
    }

    fn if_statement(&mut self) -> Result<BashNode, OpaqueConstruct> {
        self.take_keyword("if");
        let mut branches = Vec::new();
        let mut otherwise = BashList::default();
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
        Ok(BashNode::If(branches, otherwise))
    }

    fn while_loop(&mut self) -> Result<BashNode, OpaqueConstruct> {
        let _ = self.take_keyword("while") || self.take_keyword("until");
        let condition = self.list()?;
        self.take_keyword("do");
        let body = self.list()?;
        self.end("done")?;
        Ok(BashNode::Loop(condition, body))
    }

    fn for_loop(&mut self) -> Result<BashNode, OpaqueConstruct> {
        self.take_keyword("for");
        self.skip_blanks();
        let name = self.keyword().filter(|name| is_name(name)).ok_or(OpaqueConstruct)?;
        self.position += name.len();
        self.skip_lines();
        let mut words = Vec::new();
        if self.take_keyword("in") {
            self.skip_blanks();
            while !matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>')) {
                words.push(self.word()?);
                self.skip_blanks();
            }
        }
        self.skip_blanks();
        self.take(";");
        self.skip_lines();
        if !self.take_keyword("do") {
            return Err(OpaqueConstruct);
        }
        let body = self.list()?;
        self.end("done")?;
        Ok(BashNode::For(name, words, body))
    }

    /// Consumes the word that ends a construct. The agent accepts a missing word at the end of the text.
    fn end(&mut self, word: &str) -> Result<(), OpaqueConstruct> {
        if self.take_keyword(word) || self.peek(0).is_none() { Ok(()) } else { Err(OpaqueConstruct) }
    }

    /// Parses a simple command: assignments, words and redirections.
    fn command(&mut self) -> Result<BashCommand, OpaqueConstruct> {
        let mut command = BashCommand::default();
        // The agent accepts no words after a redirection that follows the name, and no comment.
        let mut redirected = false;
        loop {
            self.skip_blanks();
            match self.peek(0) {
                None | Some('\n' | ';' | '|' | ')') => break,
                Some('#') if redirected => return Err(OpaqueConstruct),
                Some('#') => {
                    self.skip_comment();
                    break;
                }
                Some('&') if self.peek(1) != Some('>') => break,
                Some('(') => return Err(OpaqueConstruct),
                _ => {}
            }
            if let Some(redirection) = self.redirection()? {
                let document = matches!(command.redirections.last(), Some(BashRedirection::HereDocument { .. }));
                if document {
                    return Err(OpaqueConstruct);
                }
                let last = matches!(redirection, BashRedirection::HereDocument { .. });
                redirected |= matches!(redirection, BashRedirection::File(_)) && !command.words.is_empty();
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
                return Err(OpaqueConstruct);
            }
            command.words.push(self.word()?);
        }
        let nothing = command.words.is_empty() && command.assignments.is_empty() && command.redirections.is_empty();
        if nothing { Err(OpaqueConstruct) } else { Ok(command) }
    }

    fn assignment(&mut self) -> Result<Option<BashAssignment>, OpaqueConstruct> {
        let start = self.position;
        let mut name = String::new();
        while let Some(c) = self.peek(0).filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
            name.push(c);
            self.position += 1;
        }
        let known = is_name(&name);
        if known && self.peek(0) == Some('[') {
            let subscript = self.chars.get(self.position..).unwrap_or(&[]);
            let close = subscript.iter().position(|c| *c == ']').unwrap_or(0);
            if close > 0 && matches!(subscript.get(close + 1), Some('=' | '+')) {
                return Err(OpaqueConstruct);
            }
        }
        let appends = known && self.starts_with("+=");
        if !known || !(appends || self.peek(0) == Some('=')) || (!appends && self.peek(1) == Some('=')) {
            self.position = start;
            return Ok(None);
        }
        self.position += if appends { 2 } else { 1 };
        let value = match self.peek(0) {
            None | Some(' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | ')') => BashWord::default(),
            Some('(') => return Err(OpaqueConstruct),
            _ => self.word()?,
        };
        Ok(Some(BashAssignment { name, appends, value }))
    }

    fn redirection(&mut self) -> Result<Option<BashRedirection>, OpaqueConstruct> {
        let start = self.position;
        while self.peek(0).is_some_and(|c| c.is_ascii_digit()) {
            self.position += 1;
        }
        let operator = ["&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">&", ">|", "<", ">"]
            .into_iter()
            .find(|operator| self.starts_with(operator));
        let Some(operator) = operator else {
            self.position = start;
            return Ok(None);
        };
        if operator.starts_with('&') && self.position > start {
            self.position = start;
            return Ok(None);
        }
        self.position += operator.len();
        if operator == "<>" || matches!((operator, self.peek(0)), ("<" | ">", Some('('))) {
            return Err(OpaqueConstruct);
        }
        if operator.ends_with('&') && self.peek(0) == Some('-') {
            return Err(OpaqueConstruct);
        }
        self.skip_blanks();
        if matches!(operator, "<<" | "<<-") {
            return self.here_document(operator == "<<-").map(Some);
        }
        let empty = matches!(self.peek(0), None | Some('\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'));
        if operator == "<<<" {
            let word = if empty { BashWord::default() } else { self.word()? };
            return Ok(Some(BashRedirection::HereString(word)));
        }
        if empty { Err(OpaqueConstruct) } else { Ok(Some(BashRedirection::File(self.word()?))) }
    }

    /// Parses a here-document. Its whole end word must be quoted, and the rest of the line must be empty.
    fn here_document(&mut self, strips: bool) -> Result<BashRedirection, OpaqueConstruct> {
        let quote = self.peek(0).filter(|c| matches!(c, '\'' | '"' | '\\')).ok_or(OpaqueConstruct)?;
        self.position += 1;
        let mut end = String::new();
        loop {
            match self.peek(0) {
                None => return Err(OpaqueConstruct),
                Some(c) if c == quote && quote != '\\' => {
                    self.position += 1;
                    break;
                }
                Some(c) if quote == '\\' && !(c.is_alphanumeric() || c == '_') => break,
                Some(c) => end.push(c),
            }
            self.position += 1;
        }
        self.skip_blanks();
        match self.peek(0) {
            None => {}
            Some('\n') => self.position += 1,
            _ => return Err(OpaqueConstruct),
        }
        let mut body = String::new();
        while self.position < self.chars.len() {
            let rest = self.chars.get(self.position..).unwrap_or(&[]);
            let length = rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
            let line: String = rest.iter().take(length).collect();
            let line = if strips { line.trim_start_matches('\t') } else { line.as_str() };
            self.position += length;
            if line == end {
                break;
            }
            body.push_str(line);
            body.push('\n');
            self.position = (self.position + 1).min(self.chars.len());
        }
        Ok(BashRedirection::HereDocument { body, strips })
    }
}
