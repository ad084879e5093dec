//! The recorded findings, and whether the user judged them right or wrong.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use hookbench_core::config::Place;
use hookbench_core::guard::GuardHit;
use hookbench_core::live::state_directory;
use hookbench_core::recorded::format_time;
use hookbench_system::guard::HITS_FILE;

use crate::disk::state_dir::{StateDir, StateError, own_home};
use crate::recordings::store::now_ms;

const JUDGEMENTS: &str = "guard-judgements.json";

hookbench_core::words! {
    /// The user's opinion of a finding.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Judgement {
        Right = "right",
        Wrong = "wrong",
    }
    /// The word in documents and commands.
    fn word;
}

/// A judgement in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StoredJudgement {
    judged: Judgement,
    at: String,
}

/// A recorded finding with its judgement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedHit {
    pub hit: GuardHit,
    pub judged: Option<Judgement>,
    /// The number of times that it was recorded; 0 if only a trial found it.
    pub times: usize,
}

/// The directory in which guards record their findings: agents may start them without the variable that moves it.
fn hits_directory(place: &Place) -> Option<PathBuf> {
    own_home(place).map(|home| state_directory(&home))
}

/// Reads the findings that guards have recorded, the newest first. The same finding is listed once.
pub fn read_hits(place: &Place) -> Vec<JudgedHit> {
    let Some(directory) = hits_directory(place) else { return Vec::new() };
    let judgements = judgements(&StateDir::of(place));
    let mut found: Vec<JudgedHit> = Vec::new();
    for name in [HITS_FILE.to_owned(), format!("{HITS_FILE}.1")] {
        let text = hookbench_system::disk::read_text(directory.join(name)).unwrap_or_default();
        for hit in text.lines().rev().filter_map(|line| serde_json::from_str::<GuardHit>(line).ok()) {
            match found.iter_mut().find(|known| known.hit.id == hit.id) {
                Some(known) => known.times += 1,
                None => {
                    let judged = judgements.get(&hit.id).copied();
                    found.push(JudgedHit { hit, judged, times: 1 });
                }
            }
        }
    }
    found
}

/// Returns the judgements by the id of the finding.
pub fn judgements(state: &StateDir) -> BTreeMap<String, Judgement> {
    stored(state).into_iter().map(|(id, stored)| (id, stored.judged)).collect()
}

fn stored(state: &StateDir) -> BTreeMap<String, StoredJudgement> {
    state.read(JUDGEMENTS).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Keeps a judgement, or forgets it.
pub fn judge(place: &Place, id: &str, judged: Option<Judgement>) -> Result<(), StateError> {
    let state = StateDir::of(place);
    let mut all = stored(&state);
    match judged {
        Some(judged) => {
            drop(all.insert(id.to_owned(), StoredJudgement { judged, at: format_time(now_ms()).unwrap_or_default() }));
        }
        None => drop(all.remove(id)),
    }
    state.write(JUDGEMENTS, &serde_json::to_string_pretty(&all).unwrap_or_default())
}

/// Returns the recorded finding whose id begins with a text. `None` if no id or more than one begins with it.
pub fn find_hit(hits: &[JudgedHit], id: &str) -> Option<JudgedHit> {
    let mut found = hits.iter().filter(|one| !id.is_empty() && one.hit.id.starts_with(id));
    let first = found.next()?;
    found.next().is_none().then(|| first.clone())
}
