//! Expansion of a line whose words are all known, including the variables that the line itself sets.

use std::collections::BTreeMap;

use super::syntax_tree::{
    BashAssignment, BashCommand, BashList, BashNode, BashOperator, BashPiece, BashRedirection, BashSeparator, BashWord,
    OpaqueConstruct, is_name, starts_like_flag,
};

/// The agent's placeholder for text that it does not know.
const PLACEHOLDER: &str = "__FILLER__";
/// Variables that may occur inside a longer text in double quotes.
const QUOTABLE_VARIABLES: [&str; 24] = [
    "PWD",
    "OLDPWD",
    "USER",
    "LOGNAME",
    "SHELL",
    "PATH",
    "HOSTNAME",
    "UID",
    "EUID",
    "PPID",
    "RANDOM",
    "SECONDS",
    "LINENO",
    "TMPDIR",
    "BASH_VERSION",
    "BASHPID",
    "SHLVL",
    "IFS",
    "?",
    "$",
    "!",
    "#",
    "-",
    "HISTFILE",
];

/// The value of a variable that the line sets.
#[derive(Debug, Clone, PartialEq, Eq)]
enum LineVariable {
    Known(String),
    /// A text with placeholders, usable only in double quotes.
    Partial(String),
    /// The variable is set, but the agent does not know its value.
    Unknown,
}

type VariableScope = BTreeMap<String, LineVariable>;

struct CommandExpander<'a> {
    home: &'a str,
    commands: Vec<String>,
    /// Whether a command has been seen. Variables that are set after it have an unknown value.
    has_command: bool,
    /// Whether `local` has set a variable. The agent analyses no command after that.
    has_local: bool,
}

/// An unquoted word, and whether it contains a placeholder.
struct ExpandedWord {
    text: String,
    has_placeholder: bool,
}

pub fn commands(program: &BashList, home: &str) -> Result<Vec<String>, OpaqueConstruct> {
    let mut walk = CommandExpander { home, commands: Vec::new(), has_command: false, has_local: false };
    let mut scope = VariableScope::new();
    for (node, separator) in &program.0 {
        walk.node(node, &mut scope)?;
        if *separator == BashSeparator::Background {
            scope.clear();
        }
    }
    Ok(walk.commands)
}

impl CommandExpander<'_> {
    /// Expands the body of a construct. Its commands may be separated by `;`, but not by `&`.
    fn body(&mut self, list: &BashList, scope: &mut VariableScope) -> Result<(), OpaqueConstruct> {
        for (node, separator) in &list.0 {
            if *separator == BashSeparator::Background {
                return Err(OpaqueConstruct);
            }
            self.node(node, scope)?;
        }
        Ok(())
    }

    /// Expands commands in brackets. The agent analyses them only if each is on a separate line.
    fn subshell(&mut self, list: &BashList, scope: &VariableScope) -> Result<(), OpaqueConstruct> {
        let mut inner = scope.clone();
        for (node, separator) in &list.0 {
            let reads_a_file = matches!(node, BashNode::Command(command) if command.words.is_empty() && command.assignments.is_empty());
            if *separator != BashSeparator::Line || reads_a_file {
                return Err(OpaqueConstruct);
            }
            self.node(node, &mut inner)?;
        }
        Ok(())
    }

    /// Expands a body that may or may not run. Variables that it changes have an unknown value afterwards.
    fn optional_body(&mut self, list: &BashList, scope: &mut VariableScope) -> Result<(), OpaqueConstruct> {
        let mut inner = scope.clone();
        self.has_command = true;
        self.body(list, &mut inner)?;
        for (name, value) in scope.iter_mut() {
            if inner.get(name) != Some(value) {
                *value = LineVariable::Unknown;
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &BashNode, scope: &mut VariableScope) -> Result<(), OpaqueConstruct> {
        match node {
            BashNode::Command(command) => self.command(command, scope),
            BashNode::Not(inner) => inner.as_ref().map_or(Ok(()), |inner| self.node(inner, scope)),
            BashNode::Subshell(list) => self.subshell(list, scope),
            BashNode::Chain(first, rest) => self.chain(first, rest, scope),
            BashNode::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.body(condition, scope)?;
                    self.optional_body(body, scope)?;
                }
                self.optional_body(otherwise, scope)
            }
            BashNode::Loop(condition, body) => {
                self.body(condition, scope)?;
                self.optional_body(body, scope)
            }
            BashNode::For(name, words, body) => {
                for word in words {
                    if let [BashPiece::Substitution(list)] = word.0.as_slice() {
                        self.subshell(list, scope)?;
                    } else {
                        self.expand_word(word, scope)?;
                    }
                }
                scope.remove(name);
                self.optional_body(body, scope)
            }
            BashNode::Test(words) => {
                let texts = self.expand_words(words, scope)?;
                self.push(&std::iter::once("[[".to_owned()).chain(texts).collect::<Vec<_>>())
            }
        }
    }

    fn chain(
        &mut self,
        first: &BashNode,
        rest: &[(BashOperator, BashNode)],
        scope: &mut VariableScope,
    ) -> Result<(), OpaqueConstruct> {
        let before = scope.clone();
        let piped = rest.first().is_some_and(|(operator, _)| *operator == BashOperator::Pipe);
        let mut here = before.clone();
        self.node(first, if piped { &mut here } else { scope })?;
        for (index, (operator, node)) in rest.iter().enumerate() {
            let pipes_on = rest.get(index + 1).is_some_and(|(operator, _)| *operator == BashOperator::Pipe);
            if *operator == BashOperator::And && !pipes_on {
                self.node(node, scope)?;
            } else {
                let mut inner = if *operator == BashOperator::And { scope.clone() } else { before.clone() };
                self.node(node, &mut inner)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, words: &[String]) -> Result<(), OpaqueConstruct> {
        if self.has_local {
            return Err(OpaqueConstruct);
        }
        self.has_command = true;
        // The agent sees through `xargs` before a command, unless `xargs` has options.
        if let [first, second, ..] = words
            && first == "xargs"
            && !second.starts_with('-')
        {
            self.commands.push(words.get(1..).unwrap_or(&[]).join(" "));
        }
        self.commands.push(words.join(" "));
        Ok(())
    }

    fn command(&mut self, command: &BashCommand, scope: &mut VariableScope) -> Result<(), OpaqueConstruct> {
        let alone = command.words.is_empty();
        if alone && command.assignments.len() > 1 {
            return Err(OpaqueConstruct);
        }
        for assignment in &command.assignments {
            let ran = self.has_command;
            let value = self.value(assignment, scope)?;
            if alone {
                assign(assignment, value, ran, scope);
            }
        }
        for redirection in &command.redirections {
            self.check_redirection(redirection, scope)?;
        }
        self.has_command |= alone && command.assignments.is_empty();
        let Some(name) = command.words.first() else { return Ok(()) };
        match name.plain_text().unwrap_or_default() {
            word @ ("export" | "declare" | "typeset" | "local" | "readonly") => {
                return self.declaration(word, command, scope);
            }
            "unset" => {
                for word in command.words.iter().skip(1) {
                    let name = word
                        .plain_text()
                        .filter(|text| is_name(text) || text.starts_with('-'))
                        .ok_or(OpaqueConstruct)?;
                    scope.remove(name);
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "printf" => {
                for word in command.words.iter().skip(1) {
                    if let Some(value) = word.plain_text().and_then(|name| scope.get_mut(name)) {
                        *value = LineVariable::Unknown;
                    }
                }
            }
            _ => {}
        }
        let words = self.expand_words(&command.words, scope)?;
        self.push(&words)
    }

    /// Expands `export A=b` and similar commands. Words that assign are treated as assignments.
    fn declaration(
        &mut self,
        word: &str,
        command: &BashCommand,
        scope: &mut VariableScope,
    ) -> Result<(), OpaqueConstruct> {
        if !command.assignments.is_empty() {
            return Err(OpaqueConstruct);
        }
        let mut words = vec![word.to_owned()];
        for argument in command.words.iter().skip(1) {
            if let Some(assignment) = as_assignment(argument) {
                let ran = self.has_command;
                let value = self.value(&assignment, scope)?;
                let text = match &value {
                    LineVariable::Known(text) | LineVariable::Partial(text) => text.as_str(),
                    LineVariable::Unknown => PLACEHOLDER,
                };
                words.push(format!("{}={text}", assignment.name));
                if word != "local" {
                    assign(&assignment, value, ran, scope);
                }
                continue;
            }
            let [BashPiece::Bare { text, .. } | BashPiece::Single(text)] = argument.0.as_slice() else {
                let [BashPiece::Double(inner)] = argument.0.as_slice() else { return Err(OpaqueConstruct) };
                match inner.as_slice() {
                    [] => words.push(String::new()),
                    [BashPiece::Bare { text, .. }] => words.push(text.clone()),
                    _ => return Err(OpaqueConstruct),
                }
                continue;
            };
            if let Some(flags) = text.strip_prefix('-') {
                let bad = match word {
                    "export" => !flags.chars().all(|c| "nfp-".contains(c)),
                    "readonly" => false,
                    _ => flags.contains(['a', 'A', 'i', 'g', 'l', 'u', 'n']),
                };
                if bad {
                    return Err(OpaqueConstruct);
                }
            } else if !is_name(text.split_once('=').map_or(text, |(name, _)| name)) && !text.starts_with('+') {
                return Err(OpaqueConstruct);
            }
            words.push(text.clone());
        }
        let sets = command.words.iter().skip(1).any(|argument| as_assignment(argument).is_some());
        self.push(&words)?;
        self.has_local |= word == "local" && sets;
        Ok(())
    }

    /// Returns the value of `NAME=…`.
    fn value(&mut self, assignment: &BashAssignment, scope: &VariableScope) -> Result<LineVariable, OpaqueConstruct> {
        if assignment.name == "IFS" {
            return Err(OpaqueConstruct);
        }
        let pieces = assignment.value.0.as_slice();
        if pieces.iter().any(|piece| matches!(piece, BashPiece::Bare { text, .. } if text.contains('~'))) {
            return Err(OpaqueConstruct);
        }
        match pieces {
            [BashPiece::Substitution(list)] => self.subshell(list, scope).map(|()| LineVariable::Unknown),
            [BashPiece::Variable(name)] if !scope.contains_key(name) && QUOTABLE_VARIABLES.contains(&name.as_str()) => {
                Ok(LineVariable::Unknown)
            }
            // An assignment is not split into words, so a variable needs no quotes here.
            [BashPiece::Variable(name)] if scope.contains_key(name) => {
                Ok(scope.get(name).cloned().unwrap_or(LineVariable::Unknown))
            }
            _ => {
                let text = self.expand_word(&assignment.value, scope)?;
                let number = pieces.iter().any(|piece| matches!(piece, BashPiece::Number));
                Ok(match text.has_placeholder {
                    true if number => LineVariable::Unknown,
                    true => LineVariable::Partial(text.text),
                    false => LineVariable::Known(text.text),
                })
            }
        }
    }

    fn check_redirection(
        &mut self,
        redirection: &BashRedirection,
        scope: &VariableScope,
    ) -> Result<(), OpaqueConstruct> {
        let (word, strict) = match redirection {
            BashRedirection::File(word) => (word, true),
            BashRedirection::HereString(word) => (word, false),
            BashRedirection::HereDocument { .. } => return Ok(()),
        };
        let plain = |piece: &BashPiece| match piece {
            BashPiece::Bare { escaped, .. } => !(*escaped && strict),
            BashPiece::Variable(_) => !strict,
            BashPiece::Single(_) | BashPiece::Double(_) => true,
            BashPiece::Substitution(_) | BashPiece::Number | BashPiece::Braces => false,
        };
        if !word.0.iter().all(plain) {
            return Err(OpaqueConstruct);
        }
        let before = self.commands.len();
        let text = self.expand_word(word, scope)?;
        let known = word.0.iter().all(|piece| match piece {
            BashPiece::Double(inner) => inner.iter().all(|piece| match piece {
                BashPiece::Variable(name) => scope.contains_key(name) || name == "HOME",
                piece => matches!(piece, BashPiece::Bare { .. }),
            }),
            _ => true,
        });
        if !known || text.has_placeholder && !strict || self.commands.len() > before {
            Err(OpaqueConstruct)
        } else {
            Ok(())
        }
    }

    fn expand_words(&mut self, words: &[BashWord], scope: &VariableScope) -> Result<Vec<String>, OpaqueConstruct> {
        words.iter().map(|word| self.expand_word(word, scope).map(|text| text.text)).collect()
    }

    fn expand_word(&mut self, word: &BashWord, scope: &VariableScope) -> Result<ExpandedWord, OpaqueConstruct> {
        let mut whole = ExpandedWord { text: String::new(), has_placeholder: false };
        for piece in &word.0 {
            match piece {
                BashPiece::Bare { text, .. } | BashPiece::Single(text) => whole.text.push_str(text),
                BashPiece::Number => {
                    whole.has_placeholder = true;
                    whole.text.push_str(PLACEHOLDER);
                }
                BashPiece::Variable(name) => match self.variable(name, scope)? {
                    // The shell would split any other value into words or expand it as a file pattern.
                    LineVariable::Known(text) if name == "HOME" || stays_one_word(&text) => whole.text.push_str(&text),
                    _ => return Err(OpaqueConstruct),
                },
                BashPiece::Substitution(_) | BashPiece::Braces => return Err(OpaqueConstruct),
                BashPiece::Double(inner) => {
                    let inner = self.expand_quoted(inner, scope)?;
                    whole.has_placeholder |= inner.has_placeholder;
                    whole.text.push_str(&inner.text);
                }
            }
        }
        if whole.has_placeholder && starts_like_flag(&whole.text) { Err(OpaqueConstruct) } else { Ok(whole) }
    }

    /// Expands `"…"`. If it contains placeholders, it needs at least two known characters.
    fn expand_quoted(&mut self, pieces: &[BashPiece], scope: &VariableScope) -> Result<ExpandedWord, OpaqueConstruct> {
        let mut whole = ExpandedWord { text: String::new(), has_placeholder: false };
        let mut known = 0;
        for piece in pieces {
            let text = match piece {
                BashPiece::Bare { text, .. } | BashPiece::Single(text) => text.clone(),
                BashPiece::Variable(name) => match self.variable(name, scope)? {
                    LineVariable::Known(text) | LineVariable::Partial(text) => text,
                    LineVariable::Unknown => String::new(),
                },
                BashPiece::Substitution(list) => match here_document(list) {
                    Some(body) if body.contains('\n') => PLACEHOLDER.to_owned(),
                    Some(body) => body,
                    None => {
                        self.subshell(list, scope)?;
                        String::new()
                    }
                },
                BashPiece::Double(_) | BashPiece::Number | BashPiece::Braces => String::new(),
            };
            let vague = match piece {
                BashPiece::Number => true,
                BashPiece::Variable(name) => matches!(self.variable(name, scope)?, LineVariable::Unknown),
                BashPiece::Substitution(list) => here_document(list).is_none(),
                _ => false,
            };
            known += text.chars().map(char::len_utf16).sum::<usize>();
            whole.has_placeholder |= vague;
            whole.text.push_str(if vague { PLACEHOLDER } else { &text });
        }
        let bad = whole.has_placeholder && (known < 2 || starts_like_flag(&whole.text));
        if bad { Err(OpaqueConstruct) } else { Ok(whole) }
    }

    fn variable(&self, name: &str, scope: &VariableScope) -> Result<LineVariable, OpaqueConstruct> {
        match scope.get(name) {
            Some(_) if matches!(name, "HOME" | "PATH") => Err(OpaqueConstruct),
            Some(value) => Ok(value.clone()),
            None if name == "HOME" => Ok(LineVariable::Known(self.home.to_owned())),
            None if QUOTABLE_VARIABLES.contains(&name) => Ok(LineVariable::Unknown),
            None => Err(OpaqueConstruct),
        }
    }
}

/// Assigns a variable. `ran` tells whether a command precedes the assignment.
fn assign(assignment: &BashAssignment, value: LineVariable, ran: bool, scope: &mut VariableScope) {
    let name = &assignment.name;
    let value = match (scope.get(name), value) {
        (Some(LineVariable::Known(old)), LineVariable::Known(more)) if assignment.appends && !ran => {
            LineVariable::Known(format!("{old}{more}"))
        }
        (None, value) if !ran => value,
        (Some(LineVariable::Known(old)), LineVariable::Known(new)) if *old == new && !assignment.appends => {
            LineVariable::Known(new)
        }
        _ => LineVariable::Unknown,
    };
    scope.insert(name.clone(), value);
}

/// Whether the shell leaves an unquoted value unchanged.
fn stays_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "*?[~".contains(c))
}

/// Returns the body of `$(cat <<'E' …)`, which the agent treats as literal text inside quotes.
fn here_document(list: &BashList) -> Option<String> {
    let [(BashNode::Command(command), BashSeparator::Line)] = list.0.as_slice() else { return None };
    let [word] = command.words.as_slice() else { return None };
    match command.redirections.as_slice() {
        [BashRedirection::HereDocument { body, strips: false }] if word.plain_text() == Some("cat") => {
            Some(body.trim_end_matches('\n').to_owned())
        }
        _ => None,
    }
}

/// Returns the assignment in a word of `export`, if it is one.
fn as_assignment(word: &BashWord) -> Option<BashAssignment> {
    let (BashPiece::Bare { text, .. }, rest) = word.0.split_first()? else { return None };
    let (name, start) = text.split_once('=')?;
    let (name, appends) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    if !is_name(name) {
        return None;
    }
    let mut value = BashWord::default();
    if !start.is_empty() {
        value.0.push(BashPiece::Bare { text: start.to_owned(), escaped: false });
    }
    value.0.extend(rest.iter().cloned());
    Some(BashAssignment { name: name.to_owned(), appends, value })
}
