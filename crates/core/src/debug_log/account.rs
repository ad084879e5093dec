//! One hook in a debug log: whether the agent started it, and whether that contradicts the prediction.

use super::firings::{DebugLog, LogFiring, LogRun};
use hookbench_base::debug_log::{LogEnd, LogHook};
use hookbench_base::hook::HookDefinition;
use hookbench_base::text::pluralize;

/// The statements of a log about one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookAccount {
    /// The number of firings of the hook's event.
    pub firings: usize,
    /// The number of those in which the hook started.
    pub started: usize,
    /// The last firing in which the hook started, otherwise the last one of its event.
    pub firing: Option<LogFiring>,
    pub state: AccountState,
    pub contradiction: Option<Contradiction>,
}

/// The course of the hook in that firing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountState {
    /// The log has no firing of its event.
    NoFiring,
    Started(LogRun),
    NotStarted,
    /// The log does not say which hooks started.
    Unknown,
}

/// A firing in which the agent did something else than predicted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The line of the log.
    pub line: u64,
    pub subject: Option<String>,
    /// Whether the prediction is that the hook runs.
    pub predicted: bool,
}

/// Finds a hook in a log. `all` are the hooks of the agent in the order in which it loads them; `predict` says whether
/// the hook runs for a subject.
pub fn hook_account(
    log: &DebugLog,
    definition: &HookDefinition,
    all: &[HookDefinition],
    predict: &dyn Fn(Option<&str>) -> Option<bool>,
) -> HookAccount {
    let named = NamedHook { definition, all };
    let of_event: Vec<&LogFiring> = log.firings.iter().filter(|firing| firing.event == definition.event).collect();
    let started = |firing: &&&LogFiring| firing.runs.iter().any(|run| named.is(&run.hook));
    let last = of_event.iter().rfind(started).or(of_event.last());
    let contradicts = |firing: &&LogFiring| {
        let actual = match named.state(firing) {
            AccountState::Started(_) => true,
            AccountState::NotStarted => false,
            AccountState::NoFiring | AccountState::Unknown => return None,
        };
        let predicted = predict(firing.subject.as_deref())?;
        let found = Contradiction { line: firing.line, subject: firing.subject.clone(), predicted };
        (predicted != actual).then_some(found)
    };
    HookAccount {
        firings: of_event.len(),
        started: of_event.iter().filter(started).count(),
        firing: last.map(|firing| (**firing).clone()),
        state: last.map_or(AccountState::NoFiring, |firing| named.state(firing)),
        // A log that names two hooks alike does not say which of them started.
        contradiction: if named.is_unique() { of_event.iter().rev().find_map(contradicts) } else { None },
    }
}

/// A hook and the others of its agent.
struct NamedHook<'a> {
    definition: &'a HookDefinition,
    all: &'a [HookDefinition],
}

impl NamedHook<'_> {
    /// Whether the log names this hook.
    fn is(&self, hook: &LogHook) -> bool {
        self.names(hook, self.definition)
    }

    fn names(&self, hook: &LogHook, definition: &HookDefinition) -> bool {
        match hook {
            LogHook::Position(at) => self.all.get(*at).is_some_and(|other| other.id == definition.id),
            LogHook::Text(text) => definition.handler.text() == *text || definition.name.as_ref() == Some(text),
        }
    }

    fn is_unique(&self) -> bool {
        let alike = |other: &&HookDefinition| {
            other.event == self.definition.event && other.handler.text() == self.definition.handler.text()
        };
        self.all.iter().filter(alike).count() <= 1
    }

    fn state(&self, firing: &LogFiring) -> AccountState {
        if let Some(run) = firing.runs.iter().find(|run| self.is(&run.hook)) {
            return AccountState::Started(run.clone());
        }
        let known =
            |run: &LogRun| self.all.iter().any(|other| other.event == firing.event && self.names(&run.hook, other));
        // A hook that the log names in another way may be this one.
        let certain = firing.runs.iter().all(known) && (firing.is_complete() || firing.found == Some(0));
        if certain { AccountState::NotStarted } else { AccountState::Unknown }
    }
}

impl HookAccount {
    /// The counts of the agent: `found 5 groups for PreToolUse, matched 4 hooks for Bash`. `None` if the log has none.
    pub fn counts(&self) -> Option<String> {
        let firing = self.firing.as_ref()?;
        let subject = firing.subject.as_ref().unwrap_or(&firing.event);
        let found = firing.found.map(|groups| format!("found {} for {}", pluralize(groups, "group"), firing.event));
        let matched = firing.matched.map(|hooks| format!("matched {} for {subject}", pluralize(hooks, "hook")));
        let parts: Vec<String> = found.into_iter().chain(matched).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// The course of the hook: `started, exit 2 after 63 ms`.
    pub fn words(&self) -> String {
        let Some(firing) = &self.firing else { return "the log has no such event".to_owned() };
        let of = match self.firings {
            1 => String::new(),
            all => format!(" ({} of {all} {} events)", self.started, firing.event),
        };
        match &self.state {
            AccountState::Started(run) => format!("started{}{of}", end_words(run)),
            AccountState::NotStarted => format!("not started{of}"),
            AccountState::NoFiring | AccountState::Unknown => {
                format!("the log does not say whether the agent started it{of}")
            }
        }
    }
}

impl Contradiction {
    /// A sentence for a hook with this label.
    pub fn words(&self, label: &str) -> String {
        let subject = self.subject.as_ref().map_or_else(|| "here".to_owned(), |subject| format!("for {subject}"));
        let (ours, theirs) = if self.predicted { ("runs", "did not start it") } else { ("does not run", "started it") };
        format!("hookbench predicts that {label} {ours} {subject}, but the agent {theirs} (line {})", self.line)
    }
}

fn end_words(run: &LogRun) -> String {
    let end = match &run.end {
        None => return ", and the log has no end".to_owned(),
        Some(LogEnd::Exit(code)) => format!("exit {code}"),
        Some(LogEnd::TimedOut) => "timed out".to_owned(),
        Some(LogEnd::Succeeded) => "succeeded".to_owned(),
        Some(LogEnd::Failed) => "failed".to_owned(),
        Some(LogEnd::Completed) => "ended".to_owned(),
        Some(LogEnd::Background) => return ", and the agent did not wait for it".to_owned(),
    };
    let took = run.took_ms.map(|ms| format!(" after {ms} ms")).unwrap_or_default();
    format!(", {end}{took}")
}
