//! The saved layout of a project's workbench, so that it reopens the same way: sizes, tab, agent, event. Contains
//! only names and numbers, never payload data.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::disk::state_dir::{StateDir, StateError};

const FILE: &str = "layout.json";
const SCHEMA: &str = "layout/1";
/// The maximum number of stored projects; the least recently closed one is dropped first.
const MAX_PROJECTS: usize = 100;

/// The saved layout of one project. A field that is `None` has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedLayout {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// The index of the event's template, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tab: Option<String>,
    /// The pane that was maximized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoomed: Option<String>,
    /// The width of the list beside the detail, the height of the list above it, and the height of the event, in
    /// thousandths of the screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_columns: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_rows: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event_rows: Option<u16>,
    /// The agents that are excluded from comparisons and from matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluded_agents: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct LayoutEntry {
    project: String,
    #[serde(flatten)]
    layout: SavedLayout,
}

/// All saved layouts, most recently closed project first, and the problem in reading them, if any.
struct SavedLayouts {
    entries: Vec<LayoutEntry>,
    problem: Option<String>,
}

fn read_all(state: &StateDir) -> SavedLayouts {
    let path = state.file(FILE);
    let nothing = |problem| SavedLayouts { entries: Vec::new(), problem };
    let problem = |why: &str| Some(format!("the saved layout is ignored: {} {why}", path.display()));
    let bytes = match hookbench_system::disk::read(&path) {
        Ok(bytes) => bytes,
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return nothing(None),
        Err(why) => return nothing(problem(&format!("cannot be read: {why}"))),
    };
    let value: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let ours = value.get("schema").and_then(Value::as_str) == Some(SCHEMA);
    let Some(list) = value.get("projects").and_then(Value::as_array).filter(|_| ours) else {
        return nothing(problem("has an unknown format"));
    };
    let entries: Vec<LayoutEntry> =
        list.iter().filter_map(|entry| serde_json::from_value(entry.clone()).ok()).collect();
    let problem = if entries.len() < list.len() { problem("contains unknown entries") } else { None };
    SavedLayouts { entries, problem }
}

impl SavedLayout {
    /// Reads the saved layout of a project, if any, and a message about a problem with the file.
    pub fn read(state: &StateDir, project: &str) -> (Option<SavedLayout>, Option<String>) {
        let SavedLayouts { entries, problem } = read_all(state);
        (entries.into_iter().find(|e| e.project == project).map(|e| e.layout), problem)
    }

    /// Saves the layout; the layouts of other projects are kept.
    pub fn save(&self, state: &StateDir, project: &str) -> Result<(), StateError> {
        let mut entries = read_all(state).entries;
        let now = LayoutEntry { project: project.to_owned(), layout: self.clone() };
        if entries.first() == Some(&now) {
            return Ok(());
        }
        entries.retain(|e| e.project != project);
        entries.insert(0, now);
        entries.truncate(MAX_PROJECTS);
        let document = serde_json::json!({ "schema": SCHEMA, "projects": entries });
        state.write(FILE, &format!("{document:#}\n"))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests look at files")]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use hookbench_core::config::{Os, Place};

    fn state(dir: &tempfile::TempDir) -> StateDir {
        let env = BTreeMap::from([("XDG_STATE_HOME".to_owned(), dir.path().display().to_string())]);
        let place = Place {
            project: String::new(),
            home: String::new(),
            home_given: false,
            env,
            os: Os::Linux,
            ..Place::default()
        };
        StateDir::of(&place)
    }

    fn left(event: &str) -> SavedLayout {
        let excluded_agents = vec![format!("not-{event}")];
        SavedLayout { event: Some(event.to_owned()), list_rows: Some(250), excluded_agents, ..SavedLayout::default() }
    }

    #[test]
    fn projects_are_remembered_each_by_itself() {
        let dir = tempfile::tempdir().unwrap();
        let state = state(&dir);
        assert_eq!(SavedLayout::read(&state, "/a"), (None, None), "nothing is there yet, and nothing is said of it");
        for (project, event) in [("/a", "One"), ("/b", "Two"), ("/a", "Three")] {
            left(event).save(&state, project).unwrap();
        }
        assert_eq!(SavedLayout::read(&state, "/a"), (Some(left("Three")), None));
        assert_eq!(SavedLayout::read(&state, "/b"), (Some(left("Two")), None));
        assert_eq!(SavedLayout::read(&state, "/c"), (None, None));
        for number in 0..MAX_PROJECTS {
            left("More").save(&state, &format!("/more/{number}")).unwrap();
        }
        assert_eq!(SavedLayout::read(&state, "/a"), (None, None), "the oldest goes");
        assert_eq!(read_all(&state).entries.len(), MAX_PROJECTS);
    }

    #[test]
    #[cfg(unix)]
    fn only_its_owner_can_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let state = state(&dir);
        left("One").save(&state, "/a").unwrap();
        let mode = std::fs::metadata(state.file(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn what_is_not_ours_is_told_once_and_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let state = state(&dir);
        left("Kept").save(&state, "/b").unwrap();
        let odd = r#"{"schema": "layout/1", "projects": [7, {"project": "/a", "list_rows": "many"}, {"project": "/b", "event": "Kept", "list_rows": 250, "excluded_agents": ["not-Kept"], "of_a_later_version": 1}]}"#;
        for (text, b) in [
            (&b"{"[..], None),
            (&[0xff, 0, 7], None),
            (&b""[..], None),
            (&b"[]"[..], None),
            (&b"{\"schema\": \"layout/9\", \"projects\": []}"[..], None),
            (odd.as_bytes(), Some(left("Kept"))),
        ] {
            std::fs::write(state.file(FILE), text).unwrap();
            let (found, problem) = SavedLayout::read(&state, "/b");
            assert_eq!(found, b, "{text:?}");
            assert!(problem.is_some_and(|says| says.contains("layout.json")), "{text:?}");
            left("New").save(&state, "/a").unwrap();
            assert_eq!(SavedLayout::read(&state, "/a"), (Some(left("New")), None));
            assert_eq!(SavedLayout::read(&state, "/b").0, b, "what could be read stays");
        }
    }
}
