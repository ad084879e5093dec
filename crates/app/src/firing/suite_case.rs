//! A firing as a case of a suite, and cases added to the text of a suite. The rest of the file stays unchanged; a
//! missing file is created.

use serde_json::Value;

use crate::disk::user_file::FileChange;
use crate::firing::record::FiringRecord;
use hookbench_core::config::{Files, Place};
use hookbench_core::decide::Verdict;
use hookbench_core::dialects::{self, Agent, Version, find_event};
use hookbench_core::hook::HookInput;
use hookbench_core::names::AgentId;
use hookbench_core::port::mapping;
use hookbench_core::recipe::SHARED_DIRECTORY;
use hookbench_core::text::edit::{EditSet, TextEdit};
use hookbench_core::text::{Node, SourceId, parse_yaml, stringify};

/// The suite to which cases are added unless another is named.
pub const DEFAULT_SUITE: &str = "hooks.test.yaml";

/// A suite of a user's own hooks without cases. Each project has them, and the user has approved them.
const USER_SUITE: &str = "home: real\ntrusted: true\ncases: []\n";

/// The suite of a user's own hooks.
pub fn user_suite(place: &Place) -> String {
    format!("{}/{SHARED_DIRECTORY}/{DEFAULT_SUITE}", place.home)
}

/// A case to add.
#[derive(Debug, Clone, PartialEq)]
pub struct NewCase {
    pub name: String,
    pub agents: Vec<AgentId>,
    /// In the words of the first agent, like all that follows.
    pub event: String,
    pub tool: Option<String>,
    pub input: Option<Value>,
    /// Other keys of the payload, by path.
    pub set: Vec<(String, Value)>,
    /// The expectations, by key.
    pub expect: Vec<(&'static str, Value)>,
}

/// The reason why a case cannot be added to a suite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SuiteAdditionError(pub String);

/// Returns the text of the suite with the cases added at the end of its list. A name that is taken gets a number.
///
/// # Errors
/// Returns an error if the suite cannot be parsed, or if its cases are not a list with one case below the other.
pub fn add_cases(suite: Option<&str>, cases: &[NewCase]) -> Result<String, SuiteAdditionError> {
    let text = suite.unwrap_or("").trim_end();
    if text.is_empty() {
        let listed: String = numbered(cases, Vec::new()).iter().map(|case| case.text(2)).collect();
        return Ok(format!("cases:\n{listed}"));
    }
    let text = suite.unwrap_or("");
    let root = parse_yaml(SourceId(0), text, 0).map_err(|why| {
        let line = text.get(..why.at).map_or(1, |before| before.matches('\n').count() + 1);
        SuiteAdditionError(format!("line {line}: {}", why.message))
    })?;
    let list = root.get("cases").ok_or_else(|| SuiteAdditionError("the suite has no `cases`".to_owned()))?;
    let there = list.items().ok_or_else(|| SuiteAdditionError("`cases` is not a list".to_owned()))?;
    let names: Vec<&str> = there.iter().filter_map(|case| case.get("name")?.as_str()).collect();
    let cases = numbered(cases, names);
    let line_ends = |lines: &str| if text.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines.to_owned() };
    let edit = match there.last() {
        Some(last) => {
            let indent = dash_column(text, last).ok_or_else(|| {
                SuiteAdditionError("the cases are written in brackets; write one case below the other".to_owned())
            })?;
            let body = last.span.start + case_length(text.get(last.span.start..last.span.end).unwrap_or(""), indent);
            let end = text.get(body..).and_then(|rest| rest.find('\n')).map_or(text.len(), |at| body + at + 1);
            let separator = if text.get(..end).is_some_and(|before| before.ends_with('\n')) { "" } else { "\n" };
            let listed: String = cases.iter().map(|case| case.text(indent)).collect();
            TextEdit::insert(end, line_ends(&format!("{separator}{listed}")))
        }
        None => {
            let listed: String = cases.iter().map(|case| case.text(2)).collect();
            let (start, end) = full_range(text, list.span.start, list.span.end);
            let start = text.get(..start).map_or(start, |before| before.trim_end_matches(' ').len());
            TextEdit::replace(start, end, line_ends(&format!("\n{}", listed.trim_end())))
        }
    };
    let after = EditSet::from_iter([edit]).apply(text).map_err(|why| SuiteAdditionError(why.to_string()))?;
    let count = |node: &Node| node.get("cases").and_then(Node::items).map(<[Node]>::len);
    let read = parse_yaml(SourceId(0), &after, 0).ok().and_then(|node| count(&node));
    if read != Some(there.len() + cases.len()) {
        return Err(SuiteAdditionError("the case does not fit at the end of `cases`; add it by hand".to_owned()));
    }
    Ok(after)
}

/// The change of a suite of the project, or of the user's, that adds the cases.
///
/// # Errors
/// As [`add_cases`]; the message starts with the name of the suite.
pub fn addition_to(
    suite: &str,
    cases: &[NewCase],
    place: &Place,
    files: &dyn Files,
) -> Result<FileChange, SuiteAdditionError> {
    let path = place.absolute(&place.project, suite);
    let before = files.read(&path).ok();
    let text = before.as_deref().map(|bytes| std::str::from_utf8(bytes));
    let text = text.transpose().map_err(|_| SuiteAdditionError(format!("{suite} is not UTF-8 text")))?;
    let start = || (path == user_suite(place)).then_some(USER_SUITE);
    let after = add_cases(text.or_else(start), cases).map_err(|why| SuiteAdditionError(format!("{suite}: {why}")))?;
    Ok(FileChange { file: place.display_path(&path), path, before, after: after.into_bytes(), executable: false })
}

/// Numbers the cases whose names are taken.
fn numbered(cases: &[NewCase], names: Vec<&str>) -> Vec<NewCase> {
    let mut taken: Vec<String> = names.into_iter().map(str::to_owned).collect();
    let mut out = Vec::with_capacity(cases.len());
    for case in cases {
        let again = (2..).map(|n| format!("{} ({n})", case.name));
        let name = std::iter::once(case.name.clone()).chain(again).find(|name| !taken.contains(name));
        let case = NewCase { name: name.unwrap_or_default(), ..case.clone() };
        taken.push(case.name.clone());
        out.push(case);
    }
    out
}

/// The length of a case without the comments and blank lines after it. The parser counts them as its end; a comment
/// that is not indented as the case belongs to what follows.
fn case_length(case: &str, column: usize) -> usize {
    let mut length = case.trim_end().len();
    while let Some((before, last)) = case.get(..length).and_then(|text| text.rsplit_once('\n')) {
        let is_comment = last.trim_start().starts_with('#') && last.len() - last.trim_start().len() <= column;
        if !is_comment {
            break;
        }
        length = before.trim_end().len();
    }
    length
}

/// The column of the dash before a list item. `None` if the list is written in brackets.
fn dash_column(text: &str, item: &Node) -> Option<usize> {
    let line = text.get(..item.span.start)?.rsplit('\n').next()?;
    let dash = line.trim_end().strip_suffix('-')?;
    dash.trim().is_empty().then_some(dash.len())
}

impl NewCase {
    /// The case as an item of a YAML list with its dash in this column.
    fn text(&self, column: usize) -> String {
        let mut lines = vec![format!("name: {}", format_value(&Value::from(self.name.as_str()), ""))];
        if let [one] = self.agents.as_slice() {
            lines.push(format!("agent: {one}"));
        } else if !self.agents.is_empty() {
            let names: Vec<&str> = self.agents.iter().map(|agent| agent.as_str()).collect();
            lines.push(format!("agent: [{}]", names.join(", ")));
        }
        lines.push(format!("event: {}", self.event));
        lines.extend(self.tool.iter().map(|tool| format!("tool: {}", format_value(&Value::from(tool.as_str()), ""))));
        lines.extend(self.input.iter().map(|input| format!("input: {}", stringify(input))));
        if !self.set.is_empty() {
            lines.push("set:".to_owned());
            lines.extend(self.set.iter().map(|(key, value)| format!("  {key}: {}", format_value(value, ""))));
        }
        if !self.expect.is_empty() {
            lines.push("expect:".to_owned());
            lines.extend(self.expect.iter().map(|(key, value)| format!("  {key}: {}", format_value(value, ""))));
        }
        let indent = " ".repeat(column);
        let line = |(n, line): (usize, &String)| format!("{indent}{}{line}\n", if n == 0 { "- " } else { "  " });
        lines.iter().enumerate().map(line).collect()
    }

    /// A firing as a case: its event with the keys that this firing chose, and what its decision depends on. Keys that
    /// the agent fills in, ids and paths of the session are left out.
    ///
    /// `None` while the firing has no outcome.
    pub fn from_firing(record: &FiringRecord, place: &Place) -> Option<NewCase> {
        let outcome = record.outcome.as_ref()?;
        let ChosenKeys { event, tool, input, set } = ChosenKeys::of_firing(record, place)?;
        Some(NewCase {
            name: case_name(record, event, tool.as_deref(), input.as_ref(), outcome.verdict),
            agents: vec![record.agent],
            event: event.to_owned(),
            tool,
            input,
            set,
            expect: expectations(record),
        })
    }
}

/// The parts of an event that its author chose. Two events with the same parts are the same test.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ChosenKeys {
    event: &'static str,
    tool: Option<String>,
    input: Option<Value>,
    /// Other keys, without ids and paths of the session and without those that the agent fills in.
    set: Vec<(String, Value)>,
}

impl ChosenKeys {
    /// Reads them from the event of a firing.
    pub fn of_firing(record: &FiringRecord, place: &Place) -> Option<ChosenKeys> {
        ChosenKeys::of(&record.input, dialects::by_id(record.agent.as_str())?, &record.version, place)
    }

    /// Reads them from an event. `None` if the agent has no such event.
    pub fn of(input: &HookInput, dialect: &Agent, version: &Version, place: &Place) -> Option<ChosenKeys> {
        let event = find_event(dialect, version, &input.event)?;
        let body = &input.body;
        let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
        let (tool, input) = (text("tool_name"), body.get("tool_input").cloned());
        let mut least = serde_json::Map::from_iter([("hook_event_name".to_owned(), Value::from(event.name))]);
        if let (Some(tool), Some(input)) = (&tool, &input) {
            least.extend(dialect.tool_body(tool, input.clone()));
        }
        let filled = dialect.missing_keys(event, &Value::Object(least.clone()), place, version);
        let usual = |key: &str, value: &Value| {
            least.get(key) == Some(value) || filled.iter().any(|(name, usual)| name == key && usual == value)
        };
        let own = |key: &str| key.ends_with("_id") || key.ends_with("_ids") || mapping().own.contains(&key);
        let chosen = event.fields.iter().filter_map(|field| Some((field.name, body.get(field.name)?)));
        let set = chosen
            .filter(|(key, value)| !own(key) && !matches!(*key, "tool_name" | "tool_input") && !usual(key, value))
            .map(|(key, value)| (key.to_owned(), value.clone()))
            .collect();
        Some(ChosenKeys { event: event.name, tool, input, set })
    }
}

/// A name that says what the hooks do with the event: the verdict as a verb, and the first line of the command, path
/// or prompt.
fn case_name(
    record: &FiringRecord,
    event: &str,
    tool: Option<&str>,
    input: Option<&Value>,
    verdict: Verdict,
) -> String {
    let strings = |value: &Value| value.as_object()?.values().find_map(|v| v.as_str().map(str::to_owned));
    let prompt = || record.input.body.get("prompt").and_then(Value::as_str).map(str::to_owned);
    let what = input.and_then(strings).or_else(prompt).unwrap_or_default();
    let first = what.lines().next().unwrap_or("");
    let short: String = first.chars().take(60).collect();
    let more = if short.len() < what.trim_end().len() { "…" } else { "" };
    let subject = tool.unwrap_or(event);
    let subject = if short.is_empty() { subject.to_owned() } else { format!("{subject} {short}{more}") };
    match verdict {
        Verdict::Deny => format!("denies {subject}"),
        Verdict::Ask => format!("asks about {subject}"),
        Verdict::Allow => format!("allows {subject}"),
        Verdict::NoObjection => format!("has no objection to {subject}"),
        Verdict::FailedClosed => format!("fails and denies {subject}"),
        Verdict::FailedOpen => format!("fails to check {subject}"),
        Verdict::NotRun => format!("no hook runs on {subject}"),
        Verdict::Unknown => format!("cannot tell about {subject}"),
    }
}

/// The expected decision: the verdict, the deciding hooks, and the texts and the input that the agent uses.
fn expectations(record: &FiringRecord) -> Vec<(&'static str, Value)> {
    let Some(outcome) = &record.outcome else { return Vec::new() };
    let mut expect = vec![("verdict", Value::from(outcome.verdict.word()))];
    let name = |id: &hookbench_core::hook::DefinitionId| record.loaded.definition(id).map(|d| d.label());
    let deciders: Vec<String> = outcome.decided_by.iter().filter_map(name).collect();
    match deciders.as_slice() {
        [] => {}
        [one] => expect.push(("decided_by", Value::from(one.as_str()))),
        several => expect.push(("decided_by", Value::from(several.to_vec()))),
    }
    let line = |text: &str| text.lines().find(|line| !line.trim().is_empty()).map(|line| Value::from(line.trim()));
    // Of several hooks with the same answer, the reason of the first is reported, and each run may have another first.
    let is_alone = outcome.decided_by.iter().all(|hook| record.same_answer(hook).count() < 2);
    let reason = outcome.reason.as_deref().filter(|_| !deciders.is_empty() && is_alone).and_then(line);
    expect.extend(reason.map(|text| ("reason", text)));
    expect.extend(outcome.additional_context.as_deref().and_then(line).map(|text| ("context", text)));
    expect.extend(outcome.updated_input.clone().map(|input| ("updated_input", input)));
    expect
}

/// Corrects the end of a flow list or object, which the parser places before the closing bracket.
pub(crate) fn full_range(text: &str, start: usize, end: usize) -> (usize, usize) {
    let closing = match text.as_bytes().get(start) {
        Some(b'[') => ']',
        Some(b'{') => '}',
        // … and that of a plain scalar, which it places after trailing spaces.
        _ => return (start, start + text.get(start..end).map_or(0, |t| t.trim_end().len())),
    };
    let rest = text.get(end..).unwrap_or("");
    if text.get(start..end).is_some_and(|t| t.ends_with(closing)) || !rest.trim_start().starts_with(closing) {
        return (start, end);
    }
    (start, end + rest.find(closing).map_or(0, |at| at + closing.len_utf8()))
}

/// Formats a value as YAML on one line, quoted if necessary or if the old value was.
pub(crate) fn format_value(value: &Value, old: &str) -> String {
    let Value::String(text) = value else { return stringify(value) };
    let plain = !text.is_empty()
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
        && !matches!(text.as_str(), "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "~")
        && text.starts_with(|c: char| c.is_ascii_alphabetic());
    if plain && !old.starts_with(['"', '\'']) { text.clone() } else { stringify(value) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;
    use serde_json::json;

    fn case(name: &str) -> NewCase {
        NewCase {
            name: name.to_owned(),
            agents: vec![dialects::ALL[0].id()],
            event: "Stop".to_owned(),
            tool: None,
            input: None,
            set: vec![("stop_hook_active".to_owned(), json!(true))],
            expect: vec![("verdict", json!("deny"))],
        }
    }

    fn written(name: &str, column: usize) -> String {
        let indent = " ".repeat(column);
        let lines = ["- name: N", "  agent: A", "  event: Stop", "  set:", "    stop_hook_active: true", "  expect:"];
        let lines = lines.iter().chain(&["    verdict: deny"]).map(|line| format!("{indent}{line}\n"));
        lines
            .collect::<String>()
            .replace("N\n", &format!("{name}\n"))
            .replace(" A\n", &format!(" {}\n", dialects::ALL[0].id()))
    }

    #[test]
    fn everything_else_stays() {
        for (text, want) in [
            (None, format!("cases:\n{}", written("new", 2))),
            (Some(""), format!("cases:\n{}", written("new", 2))),
            (Some("cases: []\n"), format!("cases:\n{}", written("new", 2))),
            (
                Some("cases:\n- name: a # first\n  event: Stop\n"),
                format!("cases:\n- name: a # first\n  event: Stop\n{}", written("new", 0)),
            ),
            (
                Some("agent: x\ncases:\n    - { name: new } # one\n\n# end\nheadless: true"),
                format!(
                    "agent: x\ncases:\n    - {{ name: new }} # one\n{}\n# end\nheadless: true",
                    written("\"new (2)\"", 4)
                ),
            ),
            (
                Some("cases:\n  - name: a\n    event: Stop # why\n    # more\n\n# end\n"),
                format!("cases:\n  - name: a\n    event: Stop # why\n    # more\n{}\n# end\n", written("new", 2)),
            ),
            (Some("cases:\n  - name: a"), format!("cases:\n  - name: a\n{}", written("new", 2))),
            (
                Some("cases:\r\n- name: a\r\n"),
                format!("cases:\r\n- name: a\r\n{}", written("new", 0).replace('\n', "\r\n")),
            ),
        ] {
            assert_eq!(add_cases(text, &[case("new")]), Ok(want), "{text:?}");
        }
    }

    #[test]
    fn suites_without_a_place_for_a_case_are_refused() {
        for (text, says) in [
            ("agent: x\n", "the suite has no `cases`"),
            ("cases: 1\n", "`cases` is not a list"),
            ("cases: [{name: a}]\n", "the cases are written in brackets; write one case below the other"),
        ] {
            assert_eq!(add_cases(Some(text), &[case("new")]).unwrap_err().to_string(), says, "{text}");
        }
        assert!(add_cases(Some("cases: [\n"), &[case("new")]).is_err());
    }
}
