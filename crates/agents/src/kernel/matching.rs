//! The result of a matcher, and its explanation. Each agent reads a matcher by its own rules.

use crate::shared::rules;
use hookbench_base::catalogue;
use hookbench_base::hook::EventSpec;
use hookbench_base::matcher::{
    EcmaPattern, MatcherInterpretation, MatcherKind, RegexEngine, TestResult, branches, list_entries,
};
use hookbench_base::plan::Reason;

/// A matcher's result, with the part that matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MatcherOutcome {
    /// The event has no subject, or the payload has no value for it.
    NoSubject,
    /// No matcher, or one that matches everything.
    Everything,
    /// The name itself, as the whole matcher or as one entry of a list.
    Name,
    /// Another name of the tool, as the whole matcher or as one entry of a list.
    Alias(String),
    /// One entry of the list matches everything.
    ListWildcard(String),
    /// The pattern matches the subject.
    Pattern,
    Miss,
    /// A list without entries.
    EmptyList,
    /// Not a valid pattern. Holds the parser's message.
    Invalid(String),
    /// The pattern could take too long to try.
    TooExpensive,
    /// Neither missing nor a string: the agent throws.
    NotString,
}

impl MatcherOutcome {
    /// Returns whether the hook runs; `None` if unknown.
    pub fn hit(&self) -> Option<bool> {
        match self {
            MatcherOutcome::NoSubject
            | MatcherOutcome::Everything
            | MatcherOutcome::Name
            | MatcherOutcome::Alias(_)
            | MatcherOutcome::ListWildcard(_)
            | MatcherOutcome::Pattern => Some(true),
            MatcherOutcome::Miss
            | MatcherOutcome::EmptyList
            | MatcherOutcome::Invalid(_)
            | MatcherOutcome::NotString => Some(false),
            MatcherOutcome::TooExpensive => None,
        }
    }
}

/// Matches a JavaScript pattern.
pub fn match_pattern(text: &str, subject: &str) -> MatcherOutcome {
    match EcmaPattern::new(text) {
        Ok(pattern) => match pattern.test(subject) {
            TestResult::Yes => MatcherOutcome::Pattern,
            TestResult::No => MatcherOutcome::Miss,
            TestResult::TooExpensive => MatcherOutcome::TooExpensive,
        },
        Err(error) => MatcherOutcome::Invalid(error.message),
    }
}

/// Matches a glob that has only `*`, in any case. `None` if it has other signs.
pub fn match_glob(glob: &str, subject: &str) -> Option<bool> {
    if glob.contains(|c: char| "?[]{}()!+@\\^$|".contains(c)) {
        return None;
    }
    let pattern = glob.to_lowercase().replace('.', "\\.").replace('*', "[^]*");
    match_pattern(&format!("^{pattern}$"), &subject.to_lowercase()).hit()
}

/// How an agent reads a text if every matcher is a JavaScript pattern.
pub fn read_pattern(text: &str) -> MatcherInterpretation {
    match EcmaPattern::new(text) {
        Ok(_) => MatcherInterpretation {
            kind: MatcherKind::Pattern,
            reason: "every matcher is a pattern".to_owned(),
            branches: branches(text, RegexEngine::Ecma, false),
        },
        Err(error) => MatcherInterpretation::plain(MatcherKind::Invalid, error.message),
    }
}

/// A likely mistake: its sentence, and the values that would match.
pub type NearMiss = (String, Vec<String>);

/// Explains the result of a matcher on a value and suggests the nearest value that would match: that of the near miss, or
/// `name`. An agent words the outcomes itself that only it has.
pub fn explain(
    event: &EventSpec,
    matcher: &str,
    value: &str,
    found: &MatcherOutcome,
    near_miss: impl Fn() -> Option<NearMiss>,
    name: impl Fn() -> String,
) -> (Reason, Vec<String>) {
    let (rule, message) = match found {
        MatcherOutcome::NoSubject if event.subject.is_none() => {
            (rules::MATCHER_NO_SUBJECT, format!("{} has nothing to match, so the matcher is ignored", event.name))
        }
        MatcherOutcome::NoSubject => {
            (rules::MATCHER_NO_SUBJECT, "the event has no value to match, so every matcher matches".to_owned())
        }
        MatcherOutcome::Everything => {
            (rules::MATCHER_EVERYTHING, "no matcher, or one that matches everything".to_owned())
        }
        MatcherOutcome::Pattern => (rules::MATCHER_PATTERN, format!("the pattern \"{matcher}\" matches \"{value}\"")),
        MatcherOutcome::TooExpensive => (
            rules::MATCHER_TOO_EXPENSIVE,
            format!("the pattern \"{matcher}\" could run for a very long time, so hookbench does not try it"),
        ),
        MatcherOutcome::Invalid(error) => {
            let says = format!("\"{matcher}\" is not a valid pattern ({error}), so it matches nothing");
            return (Reason::new(rules::MATCHER_INVALID, says), vec![name()]);
        }
        hit if hit.hit() == Some(true) => (rules::MATCHER_NAME, format!("the matcher contains \"{value}\"")),
        _ => {
            return match near_miss() {
                Some((says, nearest)) => (Reason::new(rules::MATCHER_NEAR_MISS, says), nearest),
                None => {
                    let says = format!("\"{matcher}\" does not match \"{value}\"");
                    (Reason::new(rules::MATCHER_MISS, says), vec![name()])
                }
            };
        }
    };
    (Reason::new(rule, message), Vec::new())
}

/// Detects one kind of mistake in a part of a matcher, and says it.
pub type PartCheck<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The sentence of the first mistake that a part of the matcher has: the whole matcher, or a name of its list.
pub fn first_mistake(matcher: &str, mistakes: &[PartCheck<'_>]) -> Option<String> {
    let parts: Vec<&str> = std::iter::once(matcher).chain(list_entries(matcher)).collect();
    mistakes.iter().find_map(|mistake| parts.iter().find_map(|part| mistake(part)))
}

/// The most likely mistake in a pattern that is compared with one name of a tool.
pub fn pattern_mistake(agent: &str, matcher: &str, value: &str) -> Option<String> {
    let is_tool = |name: &str| foreign_tool(agent, name).map_or(name, |(ours, _)| ours) == value;
    first_mistake(
        matcher,
        &[
            &|part| permission_rule(part, is_tool),
            &|part| other_case(part, value),
            &|part| blanks(part.trim(), value),
            &|part| other_agent(agent, part, value, |ours| ours == value),
        ],
    )
}

/// Detects the syntax of permission rules about a tool: `Bash(git *)`.
pub fn permission_rule(part: &str, is_tool: impl Fn(&str) -> bool) -> Option<String> {
    let (head, rest) = part.split_once('(').filter(|(head, _)| !head.is_empty())?;
    (rest.ends_with(')') && is_tool(head))
        .then(|| format!("\"{part}\" is a permission rule, but a matcher is compared only with the tool name"))
}

/// Detects another case: `execute` for `Execute`.
pub fn other_case(part: &str, value: &str) -> Option<String> {
    (part.eq_ignore_ascii_case(value) && part != value).then(|| format!("\"{part}\" is not \"{value}\" (case)"))
}

/// Detects spaces and commas, which are part of the pattern: `Edit | Create`, `Edit,Create`.
pub fn blanks(trimmed: &str, value: &str) -> Option<String> {
    (trimmed == value).then(|| {
        format!("the spaces or the comma beside \"{value}\" are part of the pattern; separate names only with |")
    })
}

/// Detects names that only other agents know: `Bash`, `^Write$`.
pub fn other_agent(agent: &str, part: &str, value: &str, is_tool: impl Fn(&str) -> bool) -> Option<String> {
    let bare = part.trim_matches(|c: char| "^$()".contains(c) || c.is_whitespace());
    let (ours, whose) = foreign_tool(agent, bare)?;
    is_tool(ours).then(|| format!("\"{bare}\" is {whose}'s name; here the tool is {value}"))
}

/// The id of the tool that another agent's name means, and that agent.
pub fn foreign_tool(agent: &str, name: &str) -> Option<(&'static str, &'static str)> {
    let (ours, whose) = catalogue::find_foreign_tool(name, agent)?;
    Some((ours, whose?))
}
