//! The operators of the filter language. The help is printed from this table, and the parser uses the same table.

/// One operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FilterOperator {
    /// The name with its tilde: `~e`.
    pub name: &'static str,
    /// The placeholder for the argument. `None` if the operator takes none.
    pub argument: Option<&'static str>,
    /// A description of the events that it finds.
    pub description: &'static str,
    pub example: &'static str,
    /// Other names that users may try; the parser then suggests this operator.
    pub(super) synonyms: &'static [&'static str],
}

const fn with_argument(
    name: &'static str,
    argument: &'static str,
    finds: &'static str,
    example: &'static str,
    called: &'static [&'static str],
) -> FilterOperator {
    FilterOperator { name, argument: Some(argument), description: finds, example, synonyms: called }
}

const fn without_argument(name: &'static str, finds: &'static str, called: &'static [&'static str]) -> FilterOperator {
    FilterOperator { name, argument: None, description: finds, example: name, synonyms: called }
}

/// All operators, in the order of the help.
pub const OPERATORS: &[FilterOperator] = &[
    with_argument("~e", "EVENT", "event name; * matches anything", "~e *Stop", &["event", "name"]),
    with_argument("~t", "TOOL", "tool, or other value of matchers", "~t Bash", &["tool", "subject", "target"]),
    with_argument("~a", "AGENT", "agent", "~a c*", &["agent"]),
    with_argument("~v", "VERDICT", "verdict: deny, ask, failed_open, ...", "~v deny", &["verdict", "decision"]),
    with_argument(
        "~answer",
        "ANSWER",
        "answer given, or: user, timeout, rule",
        "~answer deny",
        &["answered", "breakpoint", "held", "decided", "by"],
    ),
    with_argument("~h", "HOOK", "part of the name of a hook that ran", "~h guard", &["hook"]),
    with_argument("~l", "LAYER", "layer of a hook that ran", "~l project", &["layer", "level", "scope"]),
    with_argument(
        "~d",
        "CODE",
        "code of a finding about the run",
        "~d HW616",
        &["diagnostic", "code", "lint", "finding"],
    ),
    with_argument("~x", "STATUS", "exit status, or signal, timed_out, ...", "~x 2", &["exit", "status"]),
    with_argument(
        "~s",
        ">TIME",
        "total time of the hooks: us, ms or s",
        "~s>500ms",
        &["time", "duration", "took", "slow"],
    ),
    with_argument("~p", "DIR", "project directory, or part of its path", "~p shop", &["project", "dir", "cwd"]),
    with_argument("~session", "ID", "start of the session's name", "~session 5f2", &["sess", "id"]),
    with_argument("~since", "TIME", "since a date, a time (UTC), or 30m, 2h, 7d", "~since 2h", &["after", "from"]),
    with_argument("~until", "TIME", "before a date, a time, or 30m, 2h, 7d ago", "~until 1d", &["before", "to"]),
    with_argument("~c", "TEXT", "text in the comment", "~c \"ask Ann\"", &["comment", "note"]),
    with_argument("~b", "TEXT", "exact bytes in the payload", "~b \"rm -rf\"", &["body", "bytes", "payload"]),
    without_argument("~rec", "recorded: exactly what the agent sent", &["recorded"]),
    without_argument("~reb", "reconstructed from a transcript", &["rebuilt"]),
    without_argument("~edi", "edited by hand", &["edited"]),
    without_argument("~syn", "created from a template or by hand", &["synthetic"]),
    without_argument("~fired", "fired by you, kept by the log of runs", &["bench", "log", "fire"]),
    without_argument("~marked", "marked", &["mark", "m"]),
    without_argument("~replay", "replay that is stored as a new event", &["replayed", "origin"]),
    without_argument("~sub", "happened in a sub-agent", &["subagent", "sidechain"]),
];

/// The operator with the given name.
pub(super) fn operator(name: &str) -> Option<&'static FilterOperator> {
    OPERATORS.iter().find(|o| o.name == name)
}

/// The operator that the user probably meant, found by its other names or by similar spelling.
pub(super) fn suggest_operator(name: &str) -> Option<&'static FilterOperator> {
    let plain = name.trim_start_matches('~').to_lowercase();
    if plain.is_empty() {
        return None;
    }
    let exact = |o: &&FilterOperator| o.name.get(1..) == Some(plain.as_str()) || o.synonyms.contains(&plain.as_str());
    let begins = |o: &&FilterOperator| {
        o.synonyms.iter().copied().chain(o.name.get(1..)).any(|c| c.starts_with(&plain) || plain.starts_with(c))
    };
    let near = |o: &&FilterOperator| o.synonyms.iter().copied().chain(o.name.get(1..)).any(|c| one_off(c, &plain));
    let all = || OPERATORS.iter();
    all().find(exact).or_else(|| all().find(|o| plain.len() > 2 && near(o))).or_else(|| all().find(begins))
}

/// Whether two words differ by one letter: inserted, deleted, replaced, or swapped with its neighbour.
fn one_off(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(start..).unwrap_or_default(), b.get(start..).unwrap_or_default());
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    let swapped = a.len() == 2 && b.len() == 2 && a.first() == b.last() && a.last() == b.first();
    a.len().max(b.len()) <= 1 || swapped
}
