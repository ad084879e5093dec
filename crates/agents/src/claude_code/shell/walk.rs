//! Expansion of a line whose words are all known, including the variables that the line itself sets.

use std::collections::BTreeMap;

use super::tree::{Assignment, Command, List, Node, Opaque, Operator, Piece, Redirection, Separator, Word};
use super::tree::{is_flag, is_name};

/// The agent's placeholder for text that it does not know.
const FILLER: &str = "__FILLER__";
/// Variables that may occur inside a longer text in double quotes.
const HARMLESS: [&str; 24] = [
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
enum Value {
    Known(String),
    /// A text with placeholders, usable only in double quotes.
    Mixed(String),
    /// The variable is set, but the agent does not know its value.
    Vague,
}

type Scope = BTreeMap<String, Value>;

struct Walk<'a> {
    home: &'a str,
    commands: Vec<String>,
    /// Whether a command has been seen. Variables that are set after it have an unknown value.
    ran: bool,
    /// Whether `local` has set a variable. The agent analyses no command after that.
    local: bool,
}

/// An unquoted word, and whether it contains a placeholder.
struct Text {
    text: String,
    vague: bool,
}

pub fn commands(program: &List, home: &str) -> Result<Vec<String>, Opaque> {
    let mut walk = Walk { home, commands: Vec::new(), ran: false, local: false };
    let mut scope = Scope::new();
    for (node, separator) in &program.0 {
        walk.node(node, &mut scope)?;
        if *separator == Separator::Background {
            scope.clear();
        }
    }
    Ok(walk.commands)
}

impl Walk<'_> {
    /// Expands the body of a construct. Its commands may be separated by `;`, but not by `&`.
    fn body(&mut self, list: &List, scope: &mut Scope) -> Result<(), Opaque> {
        for (node, separator) in &list.0 {
            if *separator == Separator::Background {
                return Err(Opaque);
            }
            self.node(node, scope)?;
        }
        Ok(())
    }

    /// Expands commands in brackets. The agent analyses them only if each is on a separate line.
    fn bracket(&mut self, list: &List, scope: &Scope) -> Result<(), Opaque> {
        let mut inner = scope.clone();
        for (node, separator) in &list.0 {
            let reads_a_file =
                matches!(node, Node::Command(command) if command.words.is_empty() && command.assignments.is_empty());
            if *separator != Separator::Line || reads_a_file {
                return Err(Opaque);
            }
            self.node(node, &mut inner)?;
        }
        Ok(())
    }

    /// Expands a body that may or may not run. Variables that it changes have an unknown value afterwards.
    fn perhaps(&mut self, list: &List, scope: &mut Scope) -> Result<(), Opaque> {
        let mut inner = scope.clone();
        self.ran = true;
        self.body(list, &mut inner)?;
        for (name, value) in scope.iter_mut() {
            if inner.get(name) != Some(value) {
                *value = Value::Vague;
            }
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, scope: &mut Scope) -> Result<(), Opaque> {
        match node {
            Node::Command(command) => self.command(command, scope),
            Node::Not(inner) => inner.as_ref().map_or(Ok(()), |inner| self.node(inner, scope)),
            Node::Subshell(list) => self.bracket(list, scope),
            Node::Chain(first, rest) => self.chain(first, rest, scope),
            Node::If(branches, otherwise) => {
                for (condition, body) in branches {
                    self.body(condition, scope)?;
                    self.perhaps(body, scope)?;
                }
                self.perhaps(otherwise, scope)
            }
            Node::Loop(condition, body) => {
                self.body(condition, scope)?;
                self.perhaps(body, scope)
            }
            Node::For(name, words, body) => {
                for word in words {
                    if let [Piece::Substitution(list)] = word.0.as_slice() {
                        self.bracket(list, scope)?;
                    } else {
                        self.text(word, scope)?;
                    }
                }
                scope.remove(name);
                self.perhaps(body, scope)
            }
            Node::Test(words) => {
                let texts = self.texts(words, scope)?;
                self.push(&std::iter::once("[[".to_owned()).chain(texts).collect::<Vec<_>>())
            }
        }
    }

    fn chain(&mut self, first: &Node, rest: &[(Operator, Node)], scope: &mut Scope) -> Result<(), Opaque> {
        let before = scope.clone();
        let piped = rest.first().is_some_and(|(operator, _)| *operator == Operator::Pipe);
        let mut here = before.clone();
        self.node(first, if piped { &mut here } else { scope })?;
        for (index, (operator, node)) in rest.iter().enumerate() {
            let pipes_on = rest.get(index + 1).is_some_and(|(operator, _)| *operator == Operator::Pipe);
            if *operator == Operator::And && !pipes_on {
                self.node(node, scope)?;
            } else {
                let mut inner = if *operator == Operator::And { scope.clone() } else { before.clone() };
                self.node(node, &mut inner)?;
            }
        }
        Ok(())
    }

    fn push(&mut self, words: &[String]) -> Result<(), Opaque> {
        if self.local {
            return Err(Opaque);
        }
        self.ran = true;
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

    fn command(&mut self, command: &Command, scope: &mut Scope) -> Result<(), Opaque> {
        let alone = command.words.is_empty();
        if alone && command.assignments.len() > 1 {
            return Err(Opaque);
        }
        for assignment in &command.assignments {
            let ran = self.ran;
            let value = self.value(assignment, scope)?;
            if alone {
                set(assignment, value, ran, scope);
            }
        }
        for redirection in &command.redirections {
            self.target(redirection, scope)?;
        }
        self.ran |= alone && command.assignments.is_empty();
        let Some(name) = command.words.first() else { return Ok(()) };
        match name.plain().unwrap_or_default() {
            word @ ("export" | "declare" | "typeset" | "local" | "readonly") => {
                return self.declaration(word, command, scope);
            }
            "unset" => {
                for word in command.words.iter().skip(1) {
                    let name = word.plain().filter(|text| is_name(text) || text.starts_with('-')).ok_or(Opaque)?;
                    scope.remove(name);
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "printf" => {
                for word in command.words.iter().skip(1) {
                    if let Some(value) = word.plain().and_then(|name| scope.get_mut(name)) {
                        *value = Value::Vague;
                    }
                }
            }
            _ => {}
        }
        let words = self.texts(&command.words, scope)?;
        self.push(&words)
    }

    /// Expands `export A=b` and similar commands. Words that assign are treated as assignments.
    fn declaration(&mut self, word: &str, command: &Command, scope: &mut Scope) -> Result<(), Opaque> {
        if !command.assignments.is_empty() {
            return Err(Opaque);
        }
        let mut words = vec![word.to_owned()];
        for argument in command.words.iter().skip(1) {
            if let Some(assignment) = as_assignment(argument) {
                let ran = self.ran;
                let value = self.value(&assignment, scope)?;
                let text = match &value {
                    Value::Known(text) | Value::Mixed(text) => text.as_str(),
                    Value::Vague => FILLER,
                };
                words.push(format!("{}={text}", assignment.name));
                if word != "local" {
                    set(&assignment, value, ran, scope);
                }
                continue;
            }
            let [Piece::Bare { text, .. } | Piece::Single(text)] = argument.0.as_slice() else {
                let [Piece::Double(inner)] = argument.0.as_slice() else { return Err(Opaque) };
                match inner.as_slice() {
                    [] => words.push(String::new()),
                    [Piece::Bare { text, .. }] => words.push(text.clone()),
                    _ => return Err(Opaque),
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
                    return Err(Opaque);
                }
            } else if !is_name(text.split_once('=').map_or(text, |(name, _)| name)) && !text.starts_with('+') {
                return Err(Opaque);
            }
            words.push(text.clone());
        }
        let sets = command.words.iter().skip(1).any(|argument| as_assignment(argument).is_some());
        self.push(&words)?;
        self.local |= word == "local" && sets;
        Ok(())
    }

    /// Returns the value of `NAME=…`.
    fn value(&mut self, assignment: &Assignment, scope: &Scope) -> Result<Value, Opaque> {
        if assignment.name == "IFS" {
            return Err(Opaque);
        }
        let pieces = assignment.value.0.as_slice();
        if pieces.iter().any(|piece| matches!(piece, Piece::Bare { text, .. } if text.contains('~'))) {
            return Err(Opaque);
        }
        match pieces {
            [Piece::Substitution(list)] => self.bracket(list, scope).map(|()| Value::Vague),
            [Piece::Variable(name)] if !scope.contains_key(name) && HARMLESS.contains(&name.as_str()) => {
                Ok(Value::Vague)
            }
            // An assignment is not split into words, so a variable needs no quotes here.
            [Piece::Variable(name)] if scope.contains_key(name) => Ok(scope.get(name).cloned().unwrap_or(Value::Vague)),
            _ => {
                let text = self.text(&assignment.value, scope)?;
                let number = pieces.iter().any(|piece| matches!(piece, Piece::Number));
                Ok(match text.vague {
                    true if number => Value::Vague,
                    true => Value::Mixed(text.text),
                    false => Value::Known(text.text),
                })
            }
        }
    }

    fn target(&mut self, redirection: &Redirection, scope: &Scope) -> Result<(), Opaque> {
        let (word, strict) = match redirection {
            Redirection::File(word) => (word, true),
            Redirection::HereString(word) => (word, false),
            Redirection::HereDocument { .. } => return Ok(()),
        };
        let plain = |piece: &Piece| match piece {
            Piece::Bare { escaped, .. } => !(*escaped && strict),
            Piece::Variable(_) => !strict,
            Piece::Single(_) | Piece::Double(_) => true,
            Piece::Substitution(_) | Piece::Number | Piece::Braces => false,
        };
        if !word.0.iter().all(plain) {
            return Err(Opaque);
        }
        let before = self.commands.len();
        let text = self.text(word, scope)?;
        let known = word.0.iter().all(|piece| match piece {
            Piece::Double(inner) => inner.iter().all(|piece| match piece {
                Piece::Variable(name) => scope.contains_key(name) || name == "HOME",
                piece => matches!(piece, Piece::Bare { .. }),
            }),
            _ => true,
        });
        if !known || text.vague && !strict || self.commands.len() > before { Err(Opaque) } else { Ok(()) }
    }

    fn texts(&mut self, words: &[Word], scope: &Scope) -> Result<Vec<String>, Opaque> {
        words.iter().map(|word| self.text(word, scope).map(|text| text.text)).collect()
    }

    fn text(&mut self, word: &Word, scope: &Scope) -> Result<Text, Opaque> {
        let mut whole = Text { text: String::new(), vague: false };
        for piece in &word.0 {
            match piece {
                Piece::Bare { text, .. } | Piece::Single(text) => whole.text.push_str(text),
                Piece::Number => {
                    whole.vague = true;
                    whole.text.push_str(FILLER);
                }
                Piece::Variable(name) => match self.variable(name, scope)? {
                    // The shell would split such a value into words or expand it as a file pattern.
                    Value::Known(text) if name == "HOME" || is_one_word(&text) => whole.text.push_str(&text),
                    _ => return Err(Opaque),
                },
                Piece::Substitution(_) | Piece::Braces => return Err(Opaque),
                Piece::Double(inner) => {
                    let inner = self.quoted(inner, scope)?;
                    whole.vague |= inner.vague;
                    whole.text.push_str(&inner.text);
                }
            }
        }
        if whole.vague && is_flag(&whole.text) { Err(Opaque) } else { Ok(whole) }
    }

    /// Expands `"…"`. If it contains placeholders, it needs at least two known characters.
    fn quoted(&mut self, pieces: &[Piece], scope: &Scope) -> Result<Text, Opaque> {
        let mut whole = Text { text: String::new(), vague: false };
        let mut known = 0;
        for piece in pieces {
            let text = match piece {
                Piece::Bare { text, .. } | Piece::Single(text) => text.clone(),
                Piece::Variable(name) => match self.variable(name, scope)? {
                    Value::Known(text) | Value::Mixed(text) => text,
                    Value::Vague => String::new(),
                },
                Piece::Substitution(list) => match here_document(list) {
                    Some(body) if body.contains('\n') => FILLER.to_owned(),
                    Some(body) => body,
                    None => {
                        self.bracket(list, scope)?;
                        String::new()
                    }
                },
                Piece::Double(_) | Piece::Number | Piece::Braces => String::new(),
            };
            let vague = match piece {
                Piece::Number => true,
                Piece::Variable(name) => matches!(self.variable(name, scope)?, Value::Vague),
                Piece::Substitution(list) => here_document(list).is_none(),
                _ => false,
            };
            known += text.chars().map(char::len_utf16).sum::<usize>();
            whole.vague |= vague;
            whole.text.push_str(if vague { FILLER } else { &text });
        }
        let bad = whole.vague && (known < 2 || is_flag(&whole.text));
        if bad { Err(Opaque) } else { Ok(whole) }
    }

    fn variable(&self, name: &str, scope: &Scope) -> Result<Value, Opaque> {
        match scope.get(name) {
            Some(_) if matches!(name, "HOME" | "PATH") => Err(Opaque),
            Some(value) => Ok(value.clone()),
            None if name == "HOME" => Ok(Value::Known(self.home.to_owned())),
            None if HARMLESS.contains(&name) => Ok(Value::Vague),
            None => Err(Opaque),
        }
    }
}

/// Assigns a variable. `ran` tells whether a command precedes the assignment.
fn set(assignment: &Assignment, value: Value, ran: bool, scope: &mut Scope) {
    let name = &assignment.name;
    let value = match (scope.get(name), value) {
        (Some(Value::Known(old)), Value::Known(more)) if assignment.appends && !ran => {
            Value::Known(format!("{old}{more}"))
        }
        (None, value) if !ran => value,
        (Some(Value::Known(old)), Value::Known(new)) if *old == new && !assignment.appends => Value::Known(new),
        _ => Value::Vague,
    };
    scope.insert(name.clone(), value);
}

/// Whether the shell leaves an unquoted value unchanged.
fn is_one_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || "*?[~".contains(c))
}

/// Returns the body of `$(cat <<'E' …)`, which the agent treats as literal text inside quotes.
fn here_document(list: &List) -> Option<String> {
    let [(Node::Command(command), Separator::Line)] = list.0.as_slice() else { return None };
    let [word] = command.words.as_slice() else { return None };
    match command.redirections.as_slice() {
        [Redirection::HereDocument { body, strips: false }] if word.plain() == Some("cat") => {
            Some(body.trim_end_matches('\n').to_owned())
        }
        _ => None,
    }
}

/// Returns the assignment in a word of `export`, if it is one.
fn as_assignment(word: &Word) -> Option<Assignment> {
    let (Piece::Bare { text, .. }, rest) = word.0.split_first()? else { return None };
    let (name, start) = text.split_once('=')?;
    let (name, appends) = name.strip_suffix('+').map_or((name, false), |name| (name, true));
    if !is_name(name) {
        return None;
    }
    let mut value = Word::default();
    if !start.is_empty() {
        value.0.push(Piece::Bare { text: start.to_owned(), escaped: false });
    }
    value.0.extend(rest.iter().cloned());
    Some(Assignment { name: name.to_owned(), appends, value })
}
