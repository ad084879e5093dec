//! What is seen of a run, and how it differs from the usual run.

use crate::decide::Verdict;

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

/// One aspect of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunAspect {
    Decision,
    ExitStatus,
    Stdout,
    Stderr,
    Files,
}

impl RunAspect {
    const ALL: [RunAspect; 5] =
        [RunAspect::Decision, RunAspect::ExitStatus, RunAspect::Stdout, RunAspect::Stderr, RunAspect::Files];

    /// The words in sentences.
    pub fn words(self) -> &'static str {
        match self {
            RunAspect::Decision => "decision",
            RunAspect::ExitStatus => "exit status",
            RunAspect::Stdout => "stdout",
            RunAspect::Stderr => "stderr",
            RunAspect::Files => "written files",
        }
    }
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
