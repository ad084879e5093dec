//! Combines fixes. Overlapping fixes are left for a later round, which lints everything again, so the result is
//! linted too. Only `write` writes files.

use hookbench_core::names::AgentId;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::{FileEdit, FileFix, Finding, LintInput, LintResult, LoadedAgent, Overlay, fingerprint, lint_project};
use crate::disk::user_file::{self, FileChange, LinkPolicy};
use hookbench_core::config::{Files, Place};
use hookbench_core::diagnostic::{Code, Severity};
use hookbench_core::text::edit::{EditSet, TextEdit};

/// The maximum number of rounds, in case fixes keep causing one another.
const ROUNDS: usize = 10;

/// A fix that was rejected, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RejectedFix {
    pub finding: Finding,
    pub why: String,
}

/// The result of applying fixes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FixResult {
    pub files: Vec<FileChange>,
    /// The number of fixes in these files.
    pub fixes: usize,
    pub rejected: Vec<RejectedFix>,
    /// The findings that remain after the fixes.
    pub remaining: LintResult,
}

/// The scope of a lint run: one agent or all, some files or all, and the durations of recorded runs.
pub type FixScope<'a> = (Option<AgentId>, &'a [String], &'a BTreeMap<String, Vec<Duration>>);

/// Combines the fixes of findings, round by round. `settle` chooses the findings of a round that are to be fixed.
pub fn apply_fixes(
    project: &LintInput,
    of: FixScope<'_>,
    links: LinkPolicy,
    settle: &dyn Fn(LintResult) -> Vec<Finding>,
) -> FixResult {
    let mut state = Overlay::new(Arc::clone(&project.files));
    let mut mended = FixResult::default();
    let (mut now, mut sound) = load_and_lint(project, &state, of);
    let mut tried: HashSet<String> = HashSet::new();
    for _ in 0..ROUNDS {
        let mut round = FixRound::default();
        for finding in settle(now.clone()) {
            let Some(fix) = &finding.fix else { continue };
            if tried.contains(&fix_key(&finding, fix)) || !round.fits(fix, &state) {
                continue;
            }
            if let Some(why) = reason_to_reject(fix, &state, &project.place, links) {
                tried.insert(fix_key(&finding, fix));
                mended.rejected.push(RejectedFix { finding, why });
                continue;
            }
            round.take(fix, &state);
            round.findings.push(finding);
        }
        if round.findings.is_empty() {
            break;
        }
        tried.extend(round.findings.iter().filter_map(|f| Some(fix_key(f, f.fix.as_ref()?))));
        let fixes: Vec<&FileFix> = round.findings.iter().filter_map(|f| f.fix.as_ref()).collect();
        let next = applied(&state, &fixes);
        let (found, still) = load_and_lint(project, &next, of);
        if sound.is_undamaged(&still) {
            (state, now, sound) = (next, found, still);
            mended.fixes += round.findings.len();
            continue;
        }
        // One of the fixes breaks a file, so each is tried on its own.
        for finding in round.findings {
            let Some(fix) = finding.fix.as_ref().filter(|fix| texts_match(fix, &state)) else { continue };
            let next = applied(&state, &[fix]);
            let (found, still) = load_and_lint(project, &next, of);
            if let Some(why) = sound.damage(&still) {
                mended.rejected.push(RejectedFix { finding, why });
                continue;
            }
            (state, now, sound) = (next, found, still);
            mended.fixes += 1;
        }
    }
    mended.files = changed_files(&state, &project.place);
    mended.remaining = now;
    mended
}

/// The files that the fixes change. The text before a change is the one that was edited: another program may have changed the
/// file since, and the write must notice that.
fn changed_files(state: &Overlay, place: &Place) -> Vec<FileChange> {
    let changed: BTreeSet<&String> = state.texts.keys().chain(&state.executable).collect();
    let mut changes = Vec::new();
    for path in changed {
        let Some(before) = state.before.get(path).cloned().or_else(|| state.below.read(path).ok()) else { continue };
        let after = state.texts.get(path).cloned().unwrap_or_else(|| before.clone());
        let executable = state.executable.contains(path) && state.below.executable(path) == Some(false);
        if before != after || executable {
            let file = place.display_path(path);
            changes.push(FileChange { file, path: path.clone(), before: Some(before), after, executable });
        }
    }
    changes
}

/// Identifies a fix, even after other fixes have moved its place.
fn fix_key(finding: &Finding, fix: &FileFix) -> String {
    let edits: Vec<String> = fix.edits.iter().map(|edit| format!("{}\0{}", edit.was, edit.edit.text)).collect();
    format!("{}\0{}\0{}", fingerprint(finding), edits.join("\0"), fix.executable.join("\0"))
}

/// The reason why a fix cannot be applied, or `None` if it can.
fn reason_to_reject(fix: &FileFix, state: &Overlay, place: &Place, links: LinkPolicy) -> Option<String> {
    let paths = fix.edits.iter().map(|edit| &edit.path).chain(&fix.executable);
    let ours = |path: &str| [&place.project, &place.home].iter().any(|of| super::is_below(path, of));
    for path in paths {
        if !ours(path) {
            return Some(format!("{path} is neither in the project nor in the home directory"));
        }
        let outside = user_file::outside_target(Path::new(&place.project), Path::new(path));
        if let Some(real) = outside.filter(|_| links == LinkPolicy::Refuse) {
            let real = real.display();
            return Some(format!("{path} is a link out of the project, to {real}; add --follow-links to write there"));
        }
    }
    let moved = fix.edits.iter().find(|edit| !text_matches(edit, state))?;
    Some(format!("{} has changed since it was read", moved.file))
}

fn texts_match(fix: &FileFix, state: &Overlay) -> bool {
    fix.edits.iter().all(|edit| text_matches(edit, state))
}

/// Returns whether the text that an edit replaces is still at its place.
fn text_matches(edit: &FileEdit, state: &Overlay) -> bool {
    let Ok(bytes) = state.read(&edit.path) else { return false };
    let Ok(text) = std::str::from_utf8(&bytes) else { return false };
    text.get(edit.edit.start..edit.edit.end) == Some(edit.was.as_str())
}

/// The fixes of one round.
#[derive(Default)]
struct FixRound {
    findings: Vec<Finding>,
    /// The edits of each file.
    edits: BTreeMap<String, Vec<TextEdit>>,
}

impl FixRound {
    /// Returns whether a fix can be applied together with the others: its edits touch none of theirs, or are equal
    /// to them.
    fn fits(&self, fix: &FileFix, state: &Overlay) -> bool {
        fix.edits.iter().all(|FileEdit { path, edit, .. }| {
            let mut taken = self.edits.get(&state.real(path)).into_iter().flatten();
            taken.clone().all(|other| !edit.touches(other)) || taken.any(|other| other == edit)
        })
    }

    fn take(&mut self, fix: &FileFix, state: &Overlay) {
        for edit in &fix.edits {
            self.edits.entry(state.real(&edit.path)).or_default().push(edit.edit.clone());
        }
    }
}

/// The files with these fixes applied. A file whose edits overlap is not changed.
fn applied(state: &Overlay, fixes: &[&FileFix]) -> Overlay {
    let mut next = state.clone();
    let mut by_file: BTreeMap<String, Vec<TextEdit>> = BTreeMap::new();
    for fix in fixes {
        for edit in &fix.edits {
            by_file.entry(state.real(&edit.path)).or_default().push(edit.edit.clone());
        }
        next.executable.extend(fix.executable.iter().map(|path| state.real(path)));
    }
    for (path, edits) in by_file {
        let Some(text) = state.read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
        if let Ok(edited) = EditSet::from_iter(edits).apply(&text) {
            next.before.entry(path.clone()).or_insert(text.into_bytes());
            next.texts.insert(path, edited.into_bytes());
        }
    }
    next
}

/// How well the agents can read the files; compared before and after a fix.
#[derive(Default)]
struct LoadHealth {
    broken: BTreeSet<String>,
    /// Agents that reject their whole settings.
    refusing: BTreeSet<&'static str>,
    hooks: BTreeMap<&'static str, usize>,
    /// Files with reading errors.
    unread: BTreeSet<String>,
}

impl LoadHealth {
    fn is_undamaged(&self, then: &LoadHealth) -> bool {
        self.damage(then).is_none()
    }

    /// Describes what the change would break. Returns `None` if it breaks nothing.
    fn damage(&self, then: &LoadHealth) -> Option<String> {
        if let Some(file) = then.broken.difference(&self.broken).chain(then.unread.difference(&self.unread)).next() {
            return Some(format!("the fix would make {file} unreadable"));
        }
        if then.refusing.difference(&self.refusing).next().is_some() {
            return Some("the fix would make the agent refuse its settings".to_owned());
        }
        let lost = then.hooks.iter().any(|(agent, hooks)| *hooks == 0 && self.hooks.get(agent).is_some_and(|n| *n > 1));
        lost.then(|| "the fix would remove every hook".to_owned())
    }
}

/// Loads and lints the overlaid files.
fn load_and_lint(project: &LintInput, state: &Overlay, (agent, only, times): FixScope<'_>) -> (LintResult, LoadHealth) {
    let other = project.with_files(Arc::new(state.clone()));
    let linted = lint_project(&other, agent, only, times);
    let mut sound = LoadHealth::default();
    for LoadedAgent { dialect, loaded, .. } in &other.agents {
        sound.broken.extend(loaded.broken_layers().map(|layer| layer.file.clone()));
        sound.refusing.extend(loaded.refusal.is_some().then(|| dialect.id().as_str()));
        sound.hooks.insert(dialect.id().as_str(), loaded.definitions.len());
        let unread =
            loaded.notes.iter().filter(|note| note.severity == Severity::Error && NOT_READ.contains(&note.code));
        sound.unread.extend(unread.filter_map(|note| note.place(&loaded.sources)).map(|(file, _)| file));
    }
    (linted, sound)
}

/// Codes of files that cannot be parsed in their format.
const NOT_READ: [Code; 1] = [Code::HW101];

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use hookbench_core::config::FileError;
    use hookbench_core::text::Position;

    use super::*;

    /// One file, which another program can change.
    struct OneFile(Mutex<Vec<u8>>);

    impl Files for OneFile {
        fn read(&self, _path: &str) -> Result<Vec<u8>, FileError> {
            Ok(self.0.lock().unwrap().clone())
        }
        fn exists(&self, _path: &str) -> bool {
            true
        }
        fn canonical(&self, path: &str) -> Option<String> {
            Some(path.to_owned())
        }
        fn executable(&self, _path: &str) -> Option<bool> {
            Some(false)
        }
    }

    /// A write compares the file with the text before the change. If that were read after the fix was made, an edit in between
    /// would be lost.
    #[test]
    fn the_text_before_a_fix_is_the_one_that_was_fixed() {
        let file = Arc::new(OneFile(Mutex::new(b"bash 0".to_vec())));
        let state = Overlay::new(Arc::clone(&file) as Arc<dyn Files + Send + Sync>);
        let fix = |start, end, text: &str, was: &str| FileFix {
            safe: true,
            edits: vec![FileEdit {
                file: "a".to_owned(),
                path: "/p/a".to_owned(),
                edit: TextEdit { start, end, text: text.to_owned() },
                place: (Position { line: 1, column: 1 }, Position { line: 1, column: 5 }),
                was: was.to_owned(),
            }],
            executable: Vec::new(),
        };
        let first = applied(&state, &[&fix(0, 4, "Bash", "bash")]);
        *file.0.lock().unwrap() = b"bash 7".to_vec();
        let second = applied(&first, &[&fix(4, 5, "  ", " ")]);
        for (state, after) in [(&first, "Bash 0"), (&second, "Bash  0")] {
            let changes = changed_files(state, &Place::default());
            let found: Vec<_> = changes.iter().map(|c| (c.before.as_deref(), c.after.as_slice())).collect();
            assert_eq!(found, [(Some(b"bash 0".as_slice()), after.as_bytes())]);
        }
    }
}
