//! The firings of a session, from the runs of its hooks.

use serde_json::Value;

use super::hook_log::NotedRun;
use super::probe_files::KEEPER;

/// The runs of the hooks of one event.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenFiring {
    pub payload: Value,
    pub runs: Vec<NotedRun>,
}

impl SeenFiring {
    /// The event, as the payload names it.
    pub fn event(&self) -> &str {
        event(&self.payload)
    }

    /// Whether this is the same event in the same conversation. Conversations of sub-agents have ids of their own.
    pub fn repeats(&self, earlier: &SeenFiring) -> bool {
        let session = |firing: &SeenFiring| firing.payload.get("session_id").cloned();
        self.event() == earlier.event() && session(self) == session(earlier)
    }
}

/// Groups the runs of a session. Each run of the keeper is a firing; the other runs belong to the firing with their
/// payload, or, if a hook before them changed it, to the last one of their event that had begun.
pub fn group_firings(runs: Vec<NotedRun>) -> Vec<SeenFiring> {
    let kept = runs.iter().filter(|run| run.hook == KEEPER);
    let mut firings: Vec<SeenFiring> =
        kept.map(|run| SeenFiring { payload: run.stdin.clone(), runs: Vec::new() }).collect();
    let mut begun = 0;
    for run in runs {
        begun += usize::from(run.hook == KEEPER);
        let same = firings.iter().position(|firing| firing.payload == run.stdin && !firing.has(&run.hook));
        let of_event = |firing: &SeenFiring| firing.event() == event(&run.stdin);
        let last = || firings.iter().take(begun).rposition(of_event).or_else(|| firings.iter().position(of_event));
        match same.or_else(last).and_then(|at| firings.get_mut(at)) {
            Some(firing) => firing.runs.push(run),
            None => firings.push(SeenFiring { payload: run.stdin.clone(), runs: vec![run] }),
        }
    }
    firings
}

impl SeenFiring {
    fn has(&self, hook: &str) -> bool {
        self.runs.iter().any(|run| run.hook == hook)
    }
}

fn event(payload: &Value) -> &str {
    payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn run(hook: &str, event: &str, mark: u32) -> NotedRun {
        NotedRun {
            hook: hook.to_owned(),
            stdin: json!({ "hook_event_name": event, "mark": mark }),
            environment: BTreeMap::new(),
            finished: true,
            exit: None,
        }
    }

    #[test]
    fn runs_belong_to_the_firing_with_their_payload() {
        let runs = vec![
            // It starts before the keeper.
            run("h1", "PreToolUse", 1),
            run(KEEPER, "PreToolUse", 1),
            run(KEEPER, "Stop", 2),
            run("h2", "Stop", 2),
            run(KEEPER, "Stop", 3),
            // A hook before it changed its payload.
            run("h2", "Stop", 4),
            run("h3", "SessionEnd", 5),
        ];
        let firings: Vec<(String, Vec<String>)> = group_firings(runs)
            .iter()
            .map(|firing| (firing.event().to_owned(), firing.runs.iter().map(|run| run.hook.clone()).collect()))
            .collect();
        let expected = [
            ("PreToolUse", vec!["h1", KEEPER]),
            ("Stop", vec![KEEPER, "h2"]),
            ("Stop", vec![KEEPER, "h2"]),
            ("SessionEnd", vec!["h3"]),
        ];
        let text = |hooks: Vec<&str>| hooks.into_iter().map(str::to_owned).collect();
        assert_eq!(firings, expected.map(|(event, hooks)| (event.to_owned(), text(hooks))));
    }
}
