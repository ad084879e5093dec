//! Reads the cases of a file: a suite in YAML, payloads, or lines of recorded events.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_path_to_error::Segment;

use super::format::{CaseShape, ExpectShape, Isolate, NameList, StubShape, SuiteShape};
use crate::disk::files::io_cause;
use crate::disk::scratch::Home;
use crate::firing::input::{FieldSetting, InputRequest};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::{self, Agent, Version};
use hookbench_core::names::AgentId;
use hookbench_core::text::{Member, Node, NodeValue, SourceMap, Span, parse_yaml, stringify};
use hookbench_system::disk;
use hookbench_system::disk::canonical;

/// The maximum number of cases in a file, including those from `from`.
pub(super) const CASES: usize = 5_000;
/// The maximum number of agents in one list, and of firings in one file: each case counts once for each of its
/// agents.
const AGENTS: usize = 16;
const FIRINGS: usize = 10_000;
/// The maximum size in bytes of all files named by `from`.
const FROM: usize = 256 << 20;

/// The reason why a file is not a valid suite, with its place and a help text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}{}: {message}{}", place(*.at), help.as_ref().map(|h| format!("\n  help: {h}")).unwrap_or_default())]
pub struct SuiteError {
    pub file: String,
    /// Line and column, from 1.
    pub at: Option<(u32, u32)>,
    pub message: String,
    pub help: Option<String>,
}

fn place(at: Option<(u32, u32)>) -> String {
    at.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default()
}

/// One event for one or several agents, with the expected result.
#[derive(Debug, Clone, Default)]
pub struct Case {
    /// The path of the file as the user named it.
    pub suite: String,
    /// The line number, from 1.
    pub line: u32,
    /// The index of the case in the file, from 0.
    pub index: usize,
    pub name: String,
    /// If empty, the payload determines the agent.
    pub agents: Vec<&'static Agent>,
    pub version: Option<Version>,
    /// `None` for the project for which hookbench was started.
    pub project: Option<PathBuf>,
    pub home: Home,
    /// Whether a copied home directory trusts the project.
    pub trusted: bool,
    pub isolate: Isolate,
    pub headless: bool,
    pub stubs: Vec<(String, StubShape)>,
    pub event: CaseEvent,
    pub expect: ExpectShape,
    /// The reason why the case is skipped.
    pub skip: Option<String>,
}

/// The event of a case.
#[derive(Debug, Clone, Default)]
pub struct CaseEvent {
    pub event: Option<String>,
    pub tool: Option<String>,
    pub input: Option<Value>,
    pub payload: Option<Value>,
    pub set: Vec<(String, Value)>,
}

impl CaseEvent {
    /// The event as a request for a payload, in the words of this agent.
    pub(super) fn request(&self, agent: AgentId) -> InputRequest {
        let setting = |(path, value): &(String, Value)| FieldSetting { path: path.clone(), text: stringify(value) };
        InputRequest {
            agent: Some(agent),
            event: self.event.clone(),
            payload: self.payload.clone(),
            tool: self.tool.clone(),
            tool_input: self.input.clone(),
            set: self.set.iter().map(setting).collect(),
            transcript: None,
            require_subject: true,
        }
    }
}

/// Reads the cases of a file.
///
/// # Errors
/// Returns an error if the file cannot be read, or if it contains neither a suite nor payloads nor recorded events.
pub fn read_suite(path: &Path) -> Result<Vec<Case>, SuiteError> {
    let file = path.display().to_string();
    let fail = |message: String| SuiteError { file: file.clone(), at: None, message, help: None };
    let text = disk::read_text(path).map_err(|why| fail(why.to_string()))?;
    let directory = path.parent().unwrap_or(Path::new(""));
    let reader = SuiteReader { file: &file, directory, text: &text, sources: SourceMap::default(), from: Cell::new(0) };
    if is_yaml(path) { reader.suite() } else { reader.payloads() }
}

/// Reads the cases of a suite whose text is known.
pub(super) fn parse_suite(path: &Path, text: &str) -> Result<Vec<Case>, SuiteError> {
    let file = path.display().to_string();
    let directory = path.parent().unwrap_or(Path::new(""));
    SuiteReader { file: &file, directory, text, sources: SourceMap::default(), from: Cell::new(0) }.suite()
}

/// Returns whether a file name is that of a suite.
pub(super) fn is_yaml(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "yaml" || e == "yml")
}

/// The state of reading a file.
pub(super) struct SuiteReader<'a> {
    pub file: &'a str,
    /// The base of relative paths in the file.
    pub directory: &'a Path,
    pub text: &'a str,
    pub sources: SourceMap,
    /// The number of bytes read from files named by `from`.
    pub from: Cell<usize>,
}

impl SuiteReader<'_> {
    fn error(&self, span: Span, message: impl Into<String>, help: Option<String>) -> SuiteError {
        let at = self.sources.start(span);
        SuiteError { file: self.file.to_owned(), at: Some((at.line, at.column)), message: message.into(), help }
    }

    fn suite(mut self) -> Result<Vec<Case>, SuiteError> {
        let source = self.sources.add(self.file.to_owned(), self.file.to_owned(), self.text);
        let node = parse_yaml(source, self.text, 0).map_err(|why| {
            let help = why.help.unwrap_or_else(|| {
                "the text before this place is valid: look for an open bracket or quote, or a line with the wrong indentation"
                    .to_owned()
            });
            self.error(Span::new(source, why.at, why.at), why.message, Some(help))
        })?;
        if node.value == NodeValue::Null {
            return Err(self.error(node.span, "the file is empty", Some("a suite has cases".to_owned())));
        }
        if node.members().is_none() {
            return Err(self.error(
                node.span,
                format!("{}, but it must be an object", node.kind()),
                Some("a suite has cases".to_owned()),
            ));
        }
        if let Some(key) = key_without_text(&node) {
            let help = "write the key as one word, or as a text in quotes".to_owned();
            return Err(self.error(key, "this key is not a text", Some(help)));
        }
        let shape: SuiteShape =
            serde_path_to_error::deserialize(node.to_value()).map_err(|why| self.misshapen(&node, &why))?;
        let nodes = node.get("cases").and_then(Node::items).unwrap_or_default();
        if let Some(names) = &shape.agent {
            self.agents(names, node.get("agent").map_or(node.span, |n| n.span))?;
        }
        if nodes.is_empty() {
            return Err(self.error(
                node.span,
                "the suite contains no case",
                Some("a case has a name, an event and expect".to_owned()),
            ));
        }
        let mut cases: Vec<Case> = Vec::new();
        let mut firings = 0;
        for (index, (case, at)) in shape.cases.iter().zip(nodes).enumerate() {
            let more = self.case(&shape, case, (at, &node), index)?;
            firings += more.iter().map(|case| case.agents.len().max(1)).sum::<usize>();
            cases.extend(more);
            if cases.len() > CASES {
                return Err(self.error(at.span, format!("a suite has at most {CASES} cases; split it"), None));
            }
            if firings > FIRINGS {
                let says = format!("a suite fires at most {FIRINGS} events (cases times agents); split it");
                return Err(self.error(at.span, says, None));
            }
        }
        let mut names: Vec<&str> = cases.iter().map(|c| c.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let second = cases.iter().rposition(|c| c.name == twice[0]).and_then(|i| nodes.get(cases[i].index));
            let span = second.map_or(node.span, |n| n.span);
            return Err(self.error(span, format!("two cases are named {:?}", twice[0]), None));
        }
        Ok(cases)
    }

    /// Converts an error of serde, and finds its place.
    fn misshapen(&self, root: &Node, why: &serde_path_to_error::Error<serde_json::Error>) -> SuiteError {
        let mut at = root;
        for segment in why.path() {
            let next = match segment {
                Segment::Seq { index } => at.items().and_then(|items| items.get(*index)),
                Segment::Map { key } => at.get(key),
                Segment::Enum { .. } | Segment::Unknown => None,
            };
            let Some(next) = next else { break };
            at = next;
        }
        // serde says "struct"; authors of suites know it as an object.
        let message = why.inner().to_string();
        let message = match message.split_once("struct ") {
            Some((before, after)) => format!("{before}an object{}", after.trim_start_matches(char::is_alphanumeric)),
            None => message,
        };
        let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
        let mut span = at.span;
        let mut help = None;
        if let (true, Some((unknown, known))) = (message.starts_with("unknown field"), quoted.split_first()) {
            // The path already includes the unknown key.
            span = Self::key_span(root, why.path(), unknown).unwrap_or(span);
            help = nearest(unknown, known).map(|n| format!("did you mean {n}?"));
        }
        if message.ends_with("expected a string") {
            help = Some("write the value in quotes".to_owned());
        }
        self.error(span, message, help)
    }

    fn key_span(root: &Node, path: &serde_path_to_error::Path, key: &str) -> Option<Span> {
        let mut at = root;
        for segment in path {
            let next = match segment {
                Segment::Seq { index } => at.items().and_then(|items| items.get(*index)),
                Segment::Map { key: name } if name != key => at.get(name),
                _ => None,
            };
            let Some(next) = next else { break };
            at = next;
        }
        at.member(key).map(|member| member.key_span)
    }

    /// The home directory of the suite. The suite may come from anybody, so it cannot name the files of others.
    fn home(&self, name: &str, root: &Node) -> Result<Home, SuiteError> {
        match name {
            "scratch" => return Ok(Home::Scratch),
            "real" => return Ok(Home::Real),
            _ => {}
        }
        let own = if self.directory.as_os_str().is_empty() { Path::new(".") } else { self.directory };
        let home = self.directory.join(name);
        let real = |path: &Path| canonical(path);
        let span = root.get("home").map_or(root.span, |node| node.span);
        let found = real(&home).map_err(|why| {
            let message = format!("home {name:?} is not a directory beside the suite: {}", io_cause(&why));
            let help = "name a directory beside the suite, or scratch (an empty one), or real (your own)".to_owned();
            self.error(span, message, Some(help))
        })?;
        if real(own).is_ok_and(|own| found == own || !found.starts_with(&own)) {
            let message = format!("home {name:?} is not below the directory of the suite");
            let help = "name a directory beside the suite, or scratch, or real".to_owned();
            return Err(self.error(span, message, Some(help)));
        }
        Ok(Home::CopyOf(home))
    }

    fn case(
        &self,
        suite: &SuiteShape,
        shape: &CaseShape,
        (node, root): (&Node, &Node),
        index: usize,
    ) -> Result<Vec<Case>, SuiteError> {
        let at = |key: &str| node.get(key).map_or(node.span, |n| n.span);
        if shape.payload.is_some() && shape.from.is_some() {
            return Err(self.error(at("from"), "a case can have payload or from, not both", None));
        }
        let agents = match shape.agent.as_ref().or(suite.agent.as_ref()) {
            Some(names) => self.agents(names, at("agent"))?,
            None => Vec::new(),
        };
        let version = match &suite.agent_version {
            Some(text) => Some(Version::parse(text).ok_or_else(|| {
                self.error(node.span, format!("agent_version {text:?}: a version looks like 1.2.3"), None)
            })?),
            None => None,
        };
        self.check(shape, node)?;
        let mut stubs: Vec<(String, StubShape)> = Vec::new();
        for (name, stub) in suite.stubs.iter().chain(&shape.stubs) {
            stubs.retain(|(known, _)| known != name);
            stubs.push((name.clone(), stub.clone()));
        }
        let case = Case {
            suite: self.file.to_owned(),
            line: self.sources.start(node.span).line,
            index,
            name: shape.name.clone(),
            agents,
            version,
            project: suite.project.as_ref().map(|p| self.directory.join(p)),
            home: suite.home.as_deref().map_or(Ok(Home::Scratch), |name| self.home(name, root))?,
            trusted: suite.trusted.unwrap_or_default(),
            isolate: shape.isolate.or(suite.isolate).unwrap_or_default(),
            headless: shape.headless.or(suite.headless).unwrap_or_default(),
            stubs,
            event: CaseEvent {
                event: shape.event.clone(),
                tool: shape.tool.clone(),
                input: shape.input.clone(),
                payload: shape.payload.clone(),
                set: shape.set.iter().map(|(k, v)| (k.clone(), v.clone())).collect(),
            },
            expect: shape.expect.clone().unwrap_or_default(),
            skip: shape.skip.clone(),
        };
        let Some(from) = &shape.from else { return Ok(vec![case]) };
        self.cases_from(&case, from, at("from"))
    }

    /// Reports expectations that no run can meet, before anything runs.
    fn check(&self, shape: &CaseShape, node: &Node) -> Result<(), SuiteError> {
        let Some(expect) = &shape.expect else { return Ok(()) };
        let inside = node.get("expect");
        let at = |key: &str| inside.and_then(|n| n.get(key)).map_or(node.span, |n| n.span);
        if let Some(word) = &expect.verdict
            && Verdict::from_word(word).is_none()
        {
            let known: Vec<&str> = Verdict::ALL.iter().map(|v| v.word()).collect();
            let help = nearest(word, &known).map(|n| format!("did you mean {n}?"));
            let message = format!("{word:?} is not a verdict; verdicts are {}", known.join(", "));
            return Err(self.error(at("verdict"), message, help));
        }
        let all = expect.hooks.values().filter_map(|h| h.duration.as_ref()).chain(&expect.duration);
        for text in all {
            if super::expectations::parse_duration(text).is_none() {
                let help = Some("write it as 500ms or 2s".to_owned());
                return Err(self.error(at("duration"), format!("{text:?} is not a duration"), help));
            }
        }
        let texts = [&expect.stdout, &expect.stderr, &expect.reason, &expect.context, &expect.system_message];
        let hooks = expect.hooks.values().flat_map(|h| [&h.stdout, &h.stderr]);
        for text in texts.into_iter().chain(hooks).flatten() {
            if let super::format::TextMatch::Exact(exact) = text
                && let Some(why) = exact.matches.as_ref().and_then(|p| regex::Regex::new(p).err())
            {
                return Err(self.error(at("matches"), format!("not a regular expression: {why}"), None));
            }
        }
        Ok(())
    }

    fn agents(&self, names: &NameList, span: Span) -> Result<Vec<&'static Agent>, SuiteError> {
        let of = |name: &String| {
            dialects::by_id(name).ok_or_else(|| {
                let known: Vec<&str> = dialects::released().map(|d| d.id().as_str()).collect();
                let help = nearest(name, &known).map(|n| format!("did you mean {n}?"));
                self.error(span, format!("unknown agent {name:?}; known are {}", known.join(", ")), help)
            })
        };
        if names.as_slice().len() > AGENTS {
            return Err(self.error(span, format!("at most {AGENTS} agents are allowed here"), None));
        }
        names.as_slice().iter().map(of).collect()
    }

    /// Creates a case for every payload in a file.
    fn cases_from(&self, case: &Case, from: &str, span: Span) -> Result<Vec<Case>, SuiteError> {
        let path = self.directory.join(from);
        let text =
            disk::read_text(&path).map_err(|why| self.error(span, format!("{}: {why}", path.display()), None))?;
        self.from.set(self.from.get() + text.len());
        if self.from.get() > FROM {
            let says = format!("the files under from in a suite can have at most {} MiB in total", FROM >> 20);
            return Err(self.error(span, says, None));
        }
        let file = path.display().to_string();
        let inner = SuiteReader {
            file: &file,
            directory: self.directory,
            text: &text,
            sources: SourceMap::default(),
            from: Cell::new(0),
        };
        let read = inner.payloads()?;
        let several = read.len() > 1;
        Ok(read
            .into_iter()
            .enumerate()
            .map(|(n, other)| Case {
                name: if several { format!("{} ({})", case.name, n + 1) } else { case.name.clone() },
                agents: if case.agents.is_empty() { other.agents } else { case.agents.clone() },
                version: case.version.clone().or(other.version),
                event: CaseEvent { payload: other.event.payload, ..case.event.clone() },
                ..case.clone()
            })
            .collect())
    }
}

/// The first key that is a list or an object, or empty.
fn key_without_text(node: &Node) -> Option<Span> {
    let inside = |members: &[Member]| {
        members
            .iter()
            .find_map(|one| if one.key.trim().is_empty() { Some(one.key_span) } else { key_without_text(&one.value) })
    };
    match &node.value {
        NodeValue::Object(members) => inside(members),
        NodeValue::Array(items) => items.iter().find_map(key_without_text),
        _ => None,
    }
}

/// The most similar word, if any is similar enough.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let near = known.iter().map(|k| (strsim::normalized_damerau_levenshtein(word, k), *k));
    near.filter(|(score, _)| *score >= 0.5).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, k)| k)
}
