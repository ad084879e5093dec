//! The coverage of a payload, computed from observed runs.

use serde::Serialize;

use super::missing_keys::{KeyChange, UnsentKey};
use crate::decide::Verdict;
use crate::text::{joined_with_and, truncate};

hookbench_base::words! {
    /// The effect of a key on a hook.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum KeyEffect {
        /// A change of the key changes the decision.
        Decides = "decides",
        /// A change of the key changes the output, the exit status or a written file.
        Read = "read",
        /// No change of the key changes anything, but the script names it: it may read the key in another event.
        Named = "named",
        /// No change of the key changes anything.
        Ignored = "ignored",
        NotTried = "not_tried",
    }
    /// The word in JSON documents.
    fn word;
}

impl KeyEffect {
    /// The words on the screen and in text output.
    pub fn words(self) -> &'static str {
        match self {
            KeyEffect::NotTried => "not tried",
            _ => self.word(),
        }
    }
}

/// The runs with changes of one key.
#[derive(Debug, Clone)]
pub struct KeyRuns {
    pub path: Vec<String>,
    /// Whether the script names the key.
    pub named: bool,
    pub runs: Vec<(KeyChange, ObservedRun)>,
}

/// One key and its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCoverage {
    /// The keys that lead to it, joined by dots.
    pub key: String,
    pub effect: KeyEffect,
    /// The change that shows the effect. Empty without an effect.
    pub explanation: String,
}

impl KeyCoverage {
    /// The coverage of a key, from the runs with its changes.
    pub fn of(key: &KeyRuns, usual: &RunComparison) -> KeyCoverage {
        let differences: Vec<_> = key.runs.iter().map(|(change, run)| (change, run, usual.differences(run))).collect();
        let decides = differences.iter().find(|(_, _, aspects)| aspects.contains(&RunAspect::Decision));
        let reads = differences.iter().find(|(_, _, aspects)| !aspects.is_empty());
        let (effect, explanation) = match (decides, reads) {
            (Some((change, run, _)), _) => {
                let verdict = run.verdict.word().replace('_', " ");
                (KeyEffect::Decides, format!("{}: {verdict}", change_words(change)))
            }
            (None, Some((change, _, aspects))) => {
                (KeyEffect::Read, format!("{}: different {}", change_words(change), listed(aspects)))
            }
            (None, None) if key.runs.is_empty() => (KeyEffect::NotTried, String::new()),
            (None, None) if key.named => (KeyEffect::Named, "no change of it has an effect here".to_owned()),
            (None, None) => (KeyEffect::Ignored, String::new()),
        };
        KeyCoverage { key: key.path.join("."), effect, explanation }
    }
}

fn change_words(change: &KeyChange) -> &'static str {
    match change {
        KeyChange::Replaced(_) => "with another value",
        KeyChange::Missing => "without it",
        KeyChange::Added(_) => "with it",
    }
}

fn listed(aspects: &[RunAspect]) -> String {
    let words: Vec<&str> = aspects.iter().map(|aspect| aspect.words()).collect();
    joined_with_and(&words)
}

/// A key that the script names and the event does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// The effect of adding the key.
    pub coverage: KeyCoverage,
    /// Who sends the key, and which key the agent sends instead.
    pub origin: String,
}

impl MissingKey {
    /// The origin of the key and the effect of adding it, in one sentence.
    pub fn explanation(&self) -> String {
        let effect = match self.coverage.effect {
            KeyEffect::Named | KeyEffect::Ignored => "with it: no difference",
            KeyEffect::NotTried => return self.origin.clone(),
            KeyEffect::Decides | KeyEffect::Read => &self.coverage.explanation,
        };
        format!("{}; {effect}", self.origin)
    }
}

/// The part of a text that the decision depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DecidingTextDoc"))]
pub struct DecidingText {
    pub key: String,
    /// Its words; ` … ` stands for words that do not decide.
    pub text: String,
    /// Whether leaving out any word of it changes the decision.
    #[serde(rename = "smallest")]
    pub is_smallest: bool,
}

impl DecidingText {
    /// The longest text in a sentence, in characters.
    const LONGEST: usize = 60;

    /// One sentence.
    pub fn sentence(&self) -> String {
        let limit = if self.is_smallest { "" } else { "at most " };
        let text = truncate(&self.text.split_whitespace().collect::<Vec<_>>().join(" "), DecidingText::LONGEST);
        format!("the decision depends {limit}on `{text}` in {}", self.key)
    }
}

/// The coverage of a payload by one hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PayloadCoverage {
    /// The keys of the payload, in its order.
    pub keys: Vec<KeyCoverage>,
    /// Keys that the script names and the event does not have.
    pub missing: Vec<MissingKey>,
    /// `None` if the decision does not depend on a text of the payload.
    pub deciding_text: Option<DecidingText>,
    /// What the coverage could not observe, one sentence each.
    pub limits: Vec<String>,
}

impl PayloadCoverage {
    /// The coverage, from the runs with changes of each key. Text and limits are added by the caller.
    pub fn of(usual: &RunComparison, keys: &[KeyRuns], missing: &[(UnsentKey, KeyRuns)]) -> PayloadCoverage {
        let missing = missing
            .iter()
            .map(|(key, runs)| MissingKey { coverage: KeyCoverage::of(runs, usual), origin: key.origin.clone() });
        PayloadCoverage {
            keys: keys.iter().map(|key| KeyCoverage::of(key, usual)).collect(),
            missing: missing.collect(),
            ..PayloadCoverage::default()
        }
    }

    /// The names of the keys with an effect.
    pub fn keys_with(&self, effect: KeyEffect) -> Vec<&str> {
        self.keys.iter().filter(|key| key.effect == effect).map(|key| key.key.as_str()).collect()
    }

    /// The whole result in one line.
    pub fn headline(&self) -> String {
        self.sentences().join("; ")
    }

    /// The number of keys that the hook reacts to, the keys that the event lacks, and the text that decides.
    pub fn sentences(&self) -> Vec<String> {
        let count = |effect| self.keys.iter().filter(|key| key.effect == effect).count();
        let tried = self.keys.len() - count(KeyEffect::NotTried);
        let read = count(KeyEffect::Decides) + count(KeyEffect::Read);
        let mut parts = vec![format!("reacts to {read} of {tried} keys")];
        if !self.missing.is_empty() {
            let names: Vec<&str> = self.missing.iter().map(|key| key.coverage.key.as_str()).collect();
            parts.push(format!("names {}, which this event lacks", names.join(", ")));
        }
        parts.extend(self.deciding_text.as_ref().map(DecidingText::sentence));
        parts
    }
}

/// The aspects in which unchanged runs differ, as a sentence.
pub fn varying_limit(usual: &RunComparison) -> Option<String> {
    let aspects = usual.varying();
    let verb = if aspects.len() == 1 { "differs" } else { "differ" };
    (!aspects.is_empty())
        .then(|| format!("{} {verb} from run to run and cannot show what the hook reads", listed(aspects)))
}

/// The observable results of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedRun {
    pub verdict: Verdict,
    /// The end of the process, such as `exit 2`.
    pub exit: String,
    pub stdout: String,
    pub stderr: String,
    /// The files that the run wrote, with the added text. `None` if files are not observed.
    pub files: Option<Vec<(String, String)>>,
}

hookbench_base::words! {
    /// One aspect of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RunAspect {
        Decision = "decision",
        ExitStatus = "exit status",
        Stdout = "stdout",
        Stderr = "stderr",
        Files = "written files",
    }
    /// The words in sentences.
    fn words; const ALL;
}

/// The unchanged runs that others are compared with.
#[derive(Debug, Clone)]
pub struct RunComparison {
    usual: ObservedRun,
    /// The aspects in which unchanged runs differ.
    varying: Vec<RunAspect>,
}

impl RunComparison {
    pub fn new(usual: ObservedRun) -> RunComparison {
        RunComparison { usual, varying: Vec::new() }
    }

    /// Takes another unchanged run. The aspects in which it differs are no longer compared.
    pub fn add_unchanged(&mut self, run: &ObservedRun) {
        for aspect in self.differences(run) {
            self.varying.push(aspect);
        }
        self.varying.sort_unstable();
    }

    /// The aspects in which unchanged runs differ.
    pub fn varying(&self) -> &[RunAspect] {
        &self.varying
    }

    /// The aspects in which a changed run differs, except those in which unchanged runs differ. Numbers are not
    /// compared, because output often contains a time or a process id.
    pub fn differences(&self, run: &ObservedRun) -> Vec<RunAspect> {
        let differs = |aspect: &RunAspect| match aspect {
            RunAspect::Decision => run.verdict != self.usual.verdict,
            RunAspect::ExitStatus => run.exit != self.usual.exit,
            RunAspect::Stdout => without_numbers(&run.stdout) != without_numbers(&self.usual.stdout),
            RunAspect::Stderr => without_numbers(&run.stderr) != without_numbers(&self.usual.stderr),
            RunAspect::Files => match (&run.files, &self.usual.files) {
                (Some(files), Some(usual)) => comparable(files) != comparable(usual),
                _ => false,
            },
        };
        RunAspect::ALL.into_iter().filter(|aspect| !self.varying.contains(aspect) && differs(aspect)).collect()
    }

    /// Whether a run has the usual verdict.
    pub fn decides_alike(&self, run: &ObservedRun) -> bool {
        run.verdict == self.usual.verdict
    }
}

fn comparable(files: &[(String, String)]) -> Vec<(String, String)> {
    let mut all: Vec<_> = files.iter().map(|(path, text)| (without_numbers(path), without_numbers(text))).collect();
    all.sort();
    all
}

/// The text with one `#` in place of each number.
fn without_numbers(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !out.ends_with('#') {
            out.push('#');
        }
    }
    out
}
