//! Reads the script of a hook without running it: the payload keys it uses, its output, the programs it starts, its exit
//! statuses. tree-sitter parses shell, Python, JavaScript and TypeScript; each syntax tree becomes the same steps, and a
//! walk follows them on all their ways. A value that the walk does not understand is unknown, never assumed.

mod bash;
mod calls;
mod command_words;
mod commands;
mod comparisons;
mod conditions;
mod expressions;
mod include;
mod interpreter;
mod javascript;
mod jq;
mod python;
mod state;
mod steps;
#[cfg(test)]
mod tests;
mod tree;
mod value;
mod walk;
mod words;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use command_words::{
    CommandWord, ScriptSource, is_interpreter, is_shell, is_variable_name, runner_words, split_assignment,
    unwrapped_words,
};
pub use include::{FileLookup, Include, IncludedFile, no_files};
pub use interpreter::{bare_name, interpreter_of};
pub use state::{Branch, Compared, Printed};
pub use steps::{ByteRange, ScriptStream};
pub use value::{Object, PathKey, Piece, Value};
pub use words::WordKind;

use steps::Program;
use tree::Source;
use walk::Walk;

/// A language that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Grammar {
    Shell,
    Python,
    JavaScript,
}

/// A script whose syntax is known.
#[derive(Debug)]
pub struct ScriptModel {
    pub language: Grammar,
    /// The files that it includes, each with the statement that does it.
    pub included: Vec<(ByteRange, IncludedFile)>,
    program: Program,
    /// Earlier walks, each with the facts that it asked for.
    walks: Mutex<Vec<(ToldFacts, Arc<Walked>)>>,
}

/// The number of walks that a script keeps.
const MOST_WALKS: usize = 32;

impl PartialEq for ScriptModel {
    fn eq(&self, other: &ScriptModel) -> bool {
        (self.language, &self.program) == (other.language, &other.program)
    }
}

impl Eq for ScriptModel {}

/// The facts that are known before a script starts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given<'a> {
    /// The arguments after the name of the script, from the second element; the first is its name.
    pub arguments: &'a [Value],
    /// Texts of the payload by their paths.
    pub payload: &'a [(Vec<PathKey>, String)],
    /// Keys of the payload that it always has, or never.
    pub keys: &'a [(String, bool)],
    /// The name of a program, or of a script that one runs, and its exit status.
    pub status: Option<(&'a str, i32)>,
}

impl Given<'_> {
    fn text(&self, path: &[PathKey]) -> Option<&str> {
        self.payload.iter().find(|(known, _)| known == path).map(|(_, text)| text.as_str())
    }

    fn has_key(&self, key: &str) -> Option<bool> {
        self.keys.iter().find(|(known, _)| known == key).map(|(_, there)| *there)
    }
}

/// The facts that a walk asked for, as they were given.
#[derive(Debug, Default)]
struct ToldFacts {
    /// The arguments, if it used one.
    arguments: Option<Vec<Value>>,
    /// The status of a program that was given.
    status: Option<(String, i32)>,
    texts: BTreeMap<Vec<PathKey>, Option<String>>,
    keys: BTreeMap<PathKey, Option<bool>>,
}

impl ToldFacts {
    /// Whether the same is given.
    fn are_in(&self, given: &Given<'_>) -> bool {
        let status = given.status.map(|(name, status)| (name.to_owned(), status));
        self.arguments.as_ref().is_none_or(|told| told == given.arguments)
            && self.status == status
            && self.texts.iter().all(|(path, told)| told.as_deref() == given.text(path))
            && self.keys.iter().all(|(key, told)| *told == given.has_key(key))
    }

    fn tell_text(&mut self, path: &[PathKey], given: &Given<'_>) -> Option<Value> {
        let text = given.text(path);
        if !self.texts.contains_key(path) {
            self.texts.insert(path.to_vec(), text.map(str::to_owned));
        }
        text.map(Value::text)
    }

    fn tell_key(&mut self, key: &PathKey, given: &Given<'_>) -> Option<bool> {
        let there = given.has_key(key);
        if !self.keys.contains_key(key) {
            self.keys.insert(key.clone(), there);
        }
        there
    }

    fn tell_arguments(&mut self, given: &Given<'_>) {
        self.arguments.get_or_insert_with(|| given.arguments.to_vec());
    }

    /// Adds what a walk through a script inside this one was told.
    fn extend(&mut self, inner: ToldFacts) {
        self.texts.extend(inner.texts);
        self.keys.extend(inner.keys);
    }
}

/// One way through a script.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub printed: Vec<Printed>,
    /// The exit status, if it is known.
    pub status: Option<i32>,
    /// The place that ends the script before its end.
    pub end: Option<ByteRange>,
    /// The conditions on the way whose result is not known before.
    pub branches: Vec<Branch>,
    /// Whether the script only printed after the last of them.
    pub only_prints: bool,
    /// A status 2 of a part of the script that did not become the status of the script.
    pub lost: Option<LostStatus>,
}

/// A status 2 that nothing used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostStatus {
    pub part: StatusPart,
    /// The command that ends the part.
    pub at: ByteRange,
}

/// A part of a script that ends with a separate status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusPart {
    Pipe,
    /// Commands in parentheses.
    Subshell,
    /// A command whose output is a value.
    Substitution,
    /// A function that returns 2, called as a statement, in a language where that sets no status.
    Function,
}

/// A program that a script starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Started {
    pub program: String,
    pub arguments: Vec<Value>,
    /// Whether it starts in another directory.
    pub moves: bool,
    /// Whether the script does not wait for its end, or not without a limit.
    pub is_limited: bool,
    pub at: ByteRange,
}

impl Started {
    /// Whether it is a program of this name, or runs a script of this name.
    pub fn names(&self, name: &str) -> bool {
        let ends = |text: &str| text.rsplit('/').next() == Some(name);
        ends(&self.program) || self.arguments.iter().any(|word| word.path_end().is_some_and(|path| ends(&path)))
    }

    /// The place of a word of the command.
    pub fn place_of(&self, word: &str, text: &str) -> ByteRange {
        place_in(text, word, &self.at)
    }
}

/// A command line that a call of a language's library starts.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedLine {
    pub line: Value,
    /// Whether a shell reads it. If not, it is the name of a program.
    pub by_shell: bool,
    /// Whether it contains text of the payload without quotes for the shell.
    pub has_payload: bool,
    /// The call.
    pub at: ByteRange,
}

/// The place of a word in a part of a script, or else the first time that it is in quotes, or else the part.
pub fn place_in(text: &str, word: &str, part: &ByteRange) -> ByteRange {
    let inside = text.get(part.clone()).and_then(|own| own.find(word)).map(|from| part.start + from);
    let quoted = || ['"', '\''].iter().find_map(|quote| Some(text.find(&format!("{quote}{word}{quote}"))? + 1));
    inside.or_else(quoted).map_or_else(|| part.clone(), |from| from..from + word.len())
}

/// All that a walk through a script finds.
#[derive(Debug, Default)]
pub struct Walked {
    pub runs: Vec<Run>,
    /// The paths of the payload that are read, in order of first use. A path inside another one is left out.
    pub reads: Vec<Vec<PathKey>>,
    /// The keys of the payload for which it only asks whether they are there.
    pub asks_for: Vec<PathKey>,
    /// The paths that are read only where another path has no value, and that other path.
    pub alternatives: Vec<Vec<PathKey>>,
    /// The paths that are read of a value that is not known, which may be the payload or any part of it.
    pub other_reads: Vec<Vec<PathKey>>,
    /// The texts with which values of the payload are compared, in the order of the script.
    pub compared: Vec<Compared>,
    pub started: Vec<Started>,
    /// The programs that it looks for.
    pub searched: Vec<String>,
    /// The names of the files that it reads in Python or JavaScript, each with the call.
    pub read_files: Vec<(String, ByteRange)>,
    /// The command lines that calls start. A program that is started with a list of words is none.
    pub lines: Vec<StartedLine>,
    /// Whether it writes to files.
    pub writes_files: bool,
    /// Whether it reads stdin, or leaves that to a program that it starts.
    pub reads_stdin: bool,
    /// The commands that read stdin after another one has read all of it.
    pub reads_nothing: Vec<ByteRange>,
    /// The loops that nothing ends.
    pub endless: Vec<ByteRange>,
    /// Whether it uses an argument that it is not given.
    pub lacks_argument: bool,
    /// Whether all ways were followed to their end.
    pub complete: bool,
}

/// A script that was parsed.
#[derive(Clone)]
struct ParsedScript {
    language: Grammar,
    text: Arc<str>,
    lookups: Arc<[Lookup]>,
    model: Option<Arc<ScriptModel>>,
}

impl ParsedScript {
    fn bytes(&self) -> usize {
        let included = self.lookups.iter().flat_map(|lookup| &lookup.file).map(|file| file.text.len());
        self.text.len() + included.sum::<usize>()
    }
}

/// A file that a script includes, as it was found.
struct Lookup {
    written: String,
    from: Option<String>,
    at: ByteRange,
    file: Option<IncludedFile>,
}

impl Lookup {
    fn new(include: &Include<'_>, file: Option<&IncludedFile>) -> Lookup {
        let from = include.from.map(str::to_owned);
        Lookup { written: include.written.to_owned(), from, at: include.at(), file: file.cloned() }
    }

    /// Whether the same file is found now.
    fn is_same(&self, files: FileLookup<'_>) -> bool {
        let ByteRange { start, end } = self.at;
        files(&Include { written: &self.written, from: self.from.as_deref(), start, end }) == self.file
    }
}

/// The scripts that were parsed last. Several agents and several looks at the same settings read the same scripts.
static PARSED: Mutex<VecDeque<ParsedScript>> = Mutex::new(VecDeque::new());

/// The bytes of all texts in it.
const MOST_TEXT: usize = 512 << 10;

fn parsed() -> MutexGuard<'static, VecDeque<ParsedScript>> {
    PARSED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Grammar {
    /// Its grammar.
    pub(crate) fn language(self) -> tree_sitter::Language {
        match self {
            Grammar::Shell => tree_sitter_bash::LANGUAGE.into(),
            Grammar::Python => tree_sitter_python::LANGUAGE.into(),
            // Its grammar contains the one of JavaScript.
            Grammar::JavaScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        }
    }

    fn program(self, text: &str, files: FileLookup<'_>) -> Option<Program> {
        let source = Source::new(text, files);
        match self {
            Grammar::Shell => bash::program(source),
            Grammar::Python => python::program(source),
            Grammar::JavaScript => javascript::program(source),
        }
    }
}

impl ScriptModel {
    /// Parses a script without the files that it includes. See [`ScriptModel::parse_with_files`].
    pub fn parse(text: &str, language: Grammar) -> Option<Arc<ScriptModel>> {
        ScriptModel::parse_with_files(text, language, &no_files)
    }

    /// Parses a script with the files that it includes, or returns it as it was parsed before. `None` if it is too long or
    /// nested too deeply.
    pub fn parse_with_files(text: &str, language: Grammar, files: FileLookup<'_>) -> Option<Arc<ScriptModel>> {
        let known =
            parsed().iter().filter(|one| one.language == language && *one.text == *text).cloned().collect::<Vec<_>>();
        if let Some(known) = known.into_iter().find(|one| one.lookups.iter().all(|lookup| lookup.is_same(files))) {
            return known.model;
        }
        let lookups: RefCell<Vec<Lookup>> = RefCell::default();
        let program = language.program(text, &|include| {
            let file = files(include);
            lookups.borrow_mut().push(Lookup::new(include, file.as_ref()));
            file
        });
        let lookups = lookups.take();
        let included = lookups.iter().filter_map(|lookup| Some((lookup.at.clone(), lookup.file.clone()?))).collect();
        let model =
            program.map(|program| Arc::new(ScriptModel { language, included, program, walks: Mutex::default() }));
        let script = ParsedScript { language, text: text.into(), lookups: lookups.into(), model: model.clone() };
        let mut parsed = parsed();
        parsed.push_back(script);
        while parsed.iter().map(ParsedScript::bytes).sum::<usize>() > MOST_TEXT {
            parsed.pop_front();
        }
        model
    }

    /// Follows the script on all its ways. The result is kept for calls that give the same facts, as far as it depends on
    /// them.
    pub fn walk(&self, given: &Given<'_>) -> Arc<Walked> {
        let mut walks = self.walks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, walked)) = walks.iter().find(|(told, _)| told.are_in(given)) {
            return Arc::clone(walked);
        }
        let (told, walked) = self.follow(given);
        let walked = Arc::new(walked);
        if walks.len() >= MOST_WALKS {
            walks.remove(0);
        }
        walks.push((told, Arc::clone(&walked)));
        walked
    }

    fn follow(&self, given: &Given<'_>) -> (ToldFacts, Walked) {
        let mut walk = Walk::new(&self.program, given);
        let runs = walk.runs();
        let (complete, lacks_argument) = (walk.found.complete, walk.found.lacks_argument);
        let endless = std::mem::take(&mut walk.found.endless);
        walk.follow_the_rest();
        let mut told = walk.told.take();
        told.status = given.status.map(|(name, status)| (name.to_owned(), status));
        let compared = walk.comparisons();
        let reads = longest(&walk.found.reads);
        let other_reads = longest(&walk.found.other_reads);
        (told, Walked { runs, reads, other_reads, compared, endless, lacks_argument, complete, ..walk.found })
    }
}

/// The paths that are not inside another one: a script that reads `a.b` also reads `a`.
fn longest(paths: &[Vec<PathKey>]) -> Vec<Vec<PathKey>> {
    let is_inner = |path: &&Vec<PathKey>| paths.iter().any(|other| other.len() > path.len() && other.starts_with(path));
    paths.iter().filter(|path| !is_inner(path)).cloned().collect()
}

impl Run {
    /// The texts on a stream, in order.
    pub fn printed_on(&self, stream: ScriptStream) -> Vec<&Printed> {
        self.printed.iter().filter(|one| one.stream == stream).collect()
    }

    /// The JSON object on stdout. `None` for any other output. `unknown` replaces each value that is not known.
    pub fn answer(&self, unknown: &str) -> Option<Answer> {
        answer(&self.printed_on(ScriptStream::Stdout), unknown)
    }

    /// Whether the way ends with status 2, or prints an answer that refuses or asks the user.
    pub fn objects(&self) -> bool {
        let answers = |answer: Answer| {
            let answer = serde_json::Value::Object(answer);
            decision(&answer).is_some_and(|word| matches!(word, "deny" | "block" | "ask"))
        };
        self.status == Some(2) || self.answer("").is_some_and(answers)
    }

    /// Whether objects among the printed values may have keys that are not known.
    pub fn is_open(&self) -> bool {
        let pieces = self.printed.iter().flat_map(|one| &one.text);
        pieces.into_iter().any(|piece| matches!(piece, Piece::Json(value) if value.is_open()))
    }

    /// Whether no condition on the way was met: what is left after all checks.
    pub fn is_last_resort(&self) -> bool {
        self.branches.iter().all(|branch| !branch.holds)
    }

    fn is_like(&self, other: &Run) -> bool {
        (&self.printed, self.status, &self.end) == (&other.printed, other.status, &other.end)
    }
}

/// Pointers to a decision.
pub const DECISION_POINTERS: [&str; 5] = [
    "/decision",
    "/permissionDecision",
    "/hookSpecificOutput/permissionDecision",
    "/hookSpecificOutput/decision",
    "/hookSpecificOutput/decision/behavior",
];

/// The word with which an answer decides.
pub fn decision(answer: &serde_json::Value) -> Option<&str> {
    DECISION_POINTERS.iter().find_map(|pointer| answer.pointer(pointer)?.as_str())
}

/// A JSON object that a script prints.
pub type Answer = serde_json::Map<String, serde_json::Value>;

impl Printed {
    /// The parts of the text that are known.
    pub fn known_text(&self) -> String {
        self.text.iter().map(|piece| if let Piece::Is(text) = piece { text.as_str() } else { "" }).collect()
    }

    /// Whether the text begins with characters that are known, and are more than a blank.
    pub fn begins_with_text(&self) -> bool {
        matches!(self.text.first(), Some(Piece::Is(text)) if !text.trim().is_empty())
    }

    /// Whether the text begins with a word and thus cannot be JSON. `false` if its beginning is not known.
    pub fn begins_with_word(&self) -> bool {
        let first = self.text.iter().find(|piece| !matches!(piece, Piece::Is(text) if text.trim().is_empty()));
        let Some(Piece::Is(text)) = first else { return false };
        text.trim_start().starts_with(|c: char| !c.is_ascii() || c.is_ascii_alphabetic())
    }
}

/// The JSON object that the texts form together. `unknown` replaces each value that is not known.
pub fn answer(printed: &[&Printed], unknown: &str) -> Option<Answer> {
    let (mut text, mut quoted) = (String::new(), false);
    // A program that the script starts beside its answer prints nothing as a rule.
    for piece in printed.iter().filter(|one| one.is_of_script()).flat_map(|one| &one.text) {
        match piece {
            Piece::Is(part) => {
                let mut escaped = false;
                for c in part.chars() {
                    match c {
                        _ if escaped => escaped = false,
                        '\\' => escaped = true,
                        '"' => quoted = !quoted,
                        _ => {}
                    }
                }
                text.push_str(part);
            }
            Piece::Of(_) if quoted => text.push_str(unknown),
            Piece::Of(_) => text.push_str(&serde_json::Value::from(unknown).to_string()),
            Piece::Json(value) => text.push_str(&value.json(&|_| unknown.to_owned()).to_string()),
        }
    }
    match serde_json::from_str(text.trim()) {
        Ok(serde_json::Value::Object(map)) => Some(map),
        _ => None,
    }
}
