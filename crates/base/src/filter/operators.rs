//! The operators of the filter language. The help is printed from this table, and the parser uses the same table.

/// One operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operator {
    /// The name with its tilde: `~e`.
    pub name: &'static str,
    /// The placeholder for the argument. `None` if the operator takes none.
    pub argument: Option<&'static str>,
    /// A description of the events that it finds.
    pub finds: &'static str,
    pub example: &'static str,
    /// Other names that users may try; the parser then suggests this operator.
    pub(super) called: &'static [&'static str],
}

const fn with(
    name: &'static str,
    argument: &'static str,
    finds: &'static str,
    example: &'static str,
    called: &'static [&'static str],
) -> Operator {
    Operator { name, argument: Some(argument), finds, example, called }
}

const fn alone(name: &'static str, finds: &'static str, called: &'static [&'static str]) -> Operator {
    Operator { name, argument: None, finds, example: name, called }
}

/// All operators, in the order of the help.
pub const OPERATORS: &[Operator] = &[
    with("~e", "EVENT", "the event: its whole name, any case; * stands for anything", "~e *Stop", &["event", "name"]),
    with(
        "~t",
        "TOOL",
        "the tool or other subject that matchers look at; * stands for anything",
        "~t Bash",
        &["tool", "subject", "target"],
    ),
    with("~a", "AGENT", "the agent", "~a c*", &["agent"]),
    with("~v", "VERDICT", "what came of it: deny, ask, failed_open, ...", "~v deny", &["verdict", "decision"]),
    with("~h", "HOOK", "a hook that ran, by a part of its name", "~h guard", &["hook"]),
    with(
        "~l",
        "LAYER",
        "a hook that ran from this layer: project, user, local, plugin, ...",
        "~l project",
        &["layer", "level", "scope"],
    ),
    with(
        "~d",
        "CODE",
        "what was found while it was fired, by its code; * stands for anything",
        "~d HW616",
        &["diagnostic", "code", "lint", "finding"],
    ),
    with("~x", "STATUS", "a run's exit status, or how it ended: signal, timed_out, ...", "~x 2", &["exit", "status"]),
    with(
        "~s",
        ">TIME",
        "how long its hooks took together: more or less than so many us, ms, s",
        "~s>500ms",
        &["time", "duration", "took", "slow"],
    ),
    with(
        "~p",
        "DIR",
        "the project: a directory and what is below, or a part of its path",
        "~p shop",
        &["project", "dir", "cwd"],
    ),
    with("~session", "ID", "the session whose name begins so", "~session 5f2", &["sess", "id"]),
    with(
        "~since",
        "TIME",
        "at or after a day or instant (UTC unless it says), or since so long ago",
        "~since 2h",
        &["after", "from"],
    ),
    with("~until", "TIME", "before a day or instant, or longer ago", "~until 2026-11-20", &["before", "to"]),
    with("~c", "TEXT", "the comment has this in it", "~c \"ask Ann\"", &["comment", "note"]),
    with("~b", "TEXT", "the payload has exactly these bytes in it", "~b \"rm -rf\"", &["body", "bytes", "payload"]),
    alone("~rec", "recorded: the bytes that the agent gave to a hook", &["recorded"]),
    alone("~reb", "rebuilt from a transcript", &["rebuilt"]),
    alone("~edi", "one of the two, changed by hand", &["edited"]),
    alone("~syn", "made up from a template or by hand", &["synthetic"]),
    alone("~marked", "marked", &["mark", "m"]),
    alone("~replay", "an event that was fired again, kept as a row of its own", &["replayed", "origin"]),
    alone("~sub", "happened in a sub-agent", &["subagent", "sidechain"]),
];

/// The operator with the given name.
pub(super) fn operator(name: &str) -> Option<&'static Operator> {
    OPERATORS.iter().find(|o| o.name == name)
}

/// The operator that the user probably meant, found by its other names or by similar spelling.
pub(super) fn meant(name: &str) -> Option<&'static Operator> {
    let plain = name.trim_start_matches('~').to_lowercase();
    if plain.is_empty() {
        return None;
    }
    let exact = |o: &&Operator| o.name.get(1..) == Some(plain.as_str()) || o.called.contains(&plain.as_str());
    let begins = |o: &&Operator| {
        o.called.iter().copied().chain(o.name.get(1..)).any(|c| c.starts_with(&plain) || plain.starts_with(c))
    };
    let near = |o: &&Operator| o.called.iter().copied().chain(o.name.get(1..)).any(|c| one_off(c, &plain));
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
