//! The commands of a shell text as the rules see them: with the texts of nested shells, without wrappers, and with
//! the constant text of each word.

use hookbench_script::{ScriptSource, is_shell, split_assignment};

use crate::text::shell::{PartContent, Shell, SimpleCommand, Word};

/// The maximum depth of nested shells.
const MAX_DEPTH: usize = 3;

/// One command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CheckedCommand {
    /// The program's name without its directory.
    pub program: String,
    /// The arguments. A part that is expanded at run time appears as `$NAME`, and that of the home directory as `~`.
    pub args: Vec<String>,
    /// The variables that are set for it, or exported.
    pub variables: Vec<(String, String)>,
    /// The files that it writes by redirection.
    pub writes: Vec<String>,
    /// The file that it reads by redirection.
    pub reads: Vec<String>,
    /// The lines of a here-document.
    pub body: Option<String>,
    /// The commands whose output it reads, the nearest first.
    pub piped_from: Vec<String>,
    /// The programs of process and command substitutions in its arguments.
    pub substitutes: Vec<String>,
    /// The text of the command.
    pub source: String,
}

impl CheckedCommand {
    /// The program and its arguments.
    pub fn words(&self) -> Vec<&str> {
        std::iter::once(&self.program).chain(&self.args).map(String::as_str).collect()
    }
}

/// Reads the commands of a text.
pub fn read_commands(text: &str) -> Vec<CheckedCommand> {
    let mut commands = Vec::new();
    read(text, 0, &mut commands);
    commands
}

fn read(text: &str, depth: usize, out: &mut Vec<CheckedCommand>) {
    let shell = Shell::parse(text);
    for simple in &shell.commands {
        let command = convert(text, &shell, simple);
        let nested = nested_text(&command).filter(|_| depth < MAX_DEPTH);
        out.push(command);
        if let Some(nested) = nested {
            read(&nested, depth + 1, out);
        }
    }
}

fn convert(text: &str, shell: &Shell, simple: &SimpleCommand) -> CheckedCommand {
    let mut words = simple.unwrapped_words();
    // `doas` is a wrapper like `sudo`.
    if words.first().is_some_and(|word| word.text() == "doas") && words.len() > 1 {
        words = &words[1..];
    }
    let mut words = words.iter().map(shown_word);
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or(&program).to_owned();
    let mut variables: Vec<(String, String)> =
        simple.assignments.iter().map(|set| (set.name.clone(), shown_word(&set.value))).collect();
    // The assignments among the arguments of wrappers: `sudo env A=b`.
    let wrappers = simple.words.len() - simple.unwrapped_words().len();
    for word in simple.words.iter().take(wrappers) {
        if let Some((name, value)) = split_assignment(&shown_word(word)) {
            variables.push((name.to_owned(), value.to_owned()));
        }
    }
    let targets = |signs: &'static [&'static str]| {
        let files = simple.redirections.iter().filter(move |one| signs.contains(&one.operator.as_str()));
        files.map(|one| shown_word(&one.target)).collect::<Vec<_>>()
    };
    let mut piped_from = Vec::new();
    let mut before = simple.piped_from;
    while let Some(command) = before.and_then(|n| shell.commands.get(n)) {
        piped_from.extend(command.program_name());
        before = command.piped_from;
        if piped_from.len() > 20 {
            break;
        }
    }
    let inner = simple.words.iter().flat_map(Word::substitutions).flatten();
    let substitutes = inner.filter_map(|n| shell.commands.get(n)?.program_name()).collect();
    CheckedCommand {
        program,
        args: words.collect(),
        variables,
        writes: targets(&[">", ">>", ">|", "&>", "&>>", "<>"]),
        reads: targets(&["<", "<>"]),
        body: simple.redirections.iter().find_map(|one| one.body.as_ref()).map(shown_word),
        piped_from,
        substitutes,
        source: text.get(simple.at.clone()).unwrap_or_default().to_owned(),
    }
}

/// Returns the text that a command passes to a shell.
fn nested_text(command: &CheckedCommand) -> Option<String> {
    match command.program.as_str() {
        "eval" => Some(command.args.join(" ")),
        "xargs" => {
            let rest = command.args.iter().skip_while(|arg| arg.starts_with('-'));
            Some(rest.cloned().collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
        }
        shell if is_shell(shell) => match ScriptSource::of(&command.words()) {
            ScriptSource::Text(at) => command.args.get(at - 1).cloned(),
            ScriptSource::Stdin(_) => command.body.clone(),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the text of a word, with the names of the variables in it.
fn shown_word(word: &Word) -> String {
    let mut text = String::new();
    for part in &word.parts {
        match &part.piece {
            PartContent::Text(piece) => text.push_str(piece),
            PartContent::Variable(variable) if variable.name == "HOME" => text.push('~'),
            PartContent::Variable(variable) => {
                text.push('$');
                text.push_str(&variable.name);
            }
            PartContent::Substitution(_) | PartContent::Process(_) | PartContent::Arithmetic => text.push_str("$()"),
        }
    }
    text
}
