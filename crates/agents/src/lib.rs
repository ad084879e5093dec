//! The supported agents. Each agent is one directory of data and rules behind one [`Agent`]; code outside
//! this crate does not name a particular agent.

pub mod claude_code;
pub mod cline;
pub mod codebuddy;
pub mod codex;
pub mod copilot;
pub mod droid;
pub mod gemini_cli;
pub mod hermes;
pub mod kernel;
pub mod kimi;
pub mod qwen_code;
pub mod qwen_legacy;
pub mod shared;
pub mod vibe;

use hookbench_base::config::{AgentArguments, Files, Place};
use hookbench_base::dialects::{Agent, Confidence, OlderPayload};
use hookbench_base::names::AgentId;
use serde_json::Value;

/// All supported agents, in the order in which the program lists them.
pub static ALL: &[&Agent] = &[&claude_code::AGENT, &qwen_code::AGENT, &gemini_cli::AGENT, &codex::AGENT];

/// The agents that are listed only where their program is installed, where files of their own configure them, and where a
/// user names one.
pub static OPTIONAL: &[&Agent] =
    &[&copilot::AGENT, &droid::AGENT, &kimi::AGENT, &codebuddy::AGENT, &vibe::AGENT, &hermes::AGENT, &cline::AGENT];

/// Every released agent: those of [`ALL`], then those of [`OPTIONAL`].
pub fn released() -> impl Iterator<Item = &'static Agent> {
    ALL.iter().chain(OPTIONAL).copied()
}

/// Whether the program lists an agent here. One of [`OPTIONAL`] is listed only where it is in use.
pub fn is_listed(dialect: &Agent, is_installed: bool, place: &Place, files: &dyn Files) -> bool {
    let is_optional = OPTIONAL.iter().any(|optional| optional.id() == dialect.id());
    !is_optional || is_installed || dialect.is_configured(place, files)
}

/// The agents that were specified but never released. A user has to name one; nothing else uses them.
pub static SPECIFIED: &[&Agent] = &[&qwen_legacy::AGENT];

/// The agent if nothing selects one.
pub static DEFAULT: &Agent = &claude_code::AGENT;

/// Returns the display name of an agent.
pub fn name_of(id: AgentId) -> &'static str {
    by_id(id.as_str()).map_or(id.as_str(), |dialect| dialect.name())
}

/// The arguments with which a user starts an agent: the one whose program is the first word, or else `agent`.
pub fn arguments_for(words: &[String], agent: Option<AgentId>) -> Option<AgentArguments> {
    let of_program = words.first().and_then(|word| released().find(|dialect| dialect.install().command == word));
    let agent = of_program.map(|dialect| dialect.id()).or(agent)?;
    Some(AgentArguments { agent, words: words.iter().skip(usize::from(of_program.is_some())).cloned().collect() })
}

/// The arguments that load the plugins of the project, for the first agent that has any; only for `agent` if it is given.
pub fn project_plugin_arguments(place: &Place, files: &dyn Files, agent: Option<AgentId>) -> Option<AgentArguments> {
    let mut asked = released().filter(|dialect| agent.is_none_or(|id| id == dialect.id()));
    asked.find_map(|dialect| dialect.project_plugin_arguments(place, files))
}

/// Returns the agent with this id (`claude`, …).
pub fn by_id(id: &str) -> Option<&'static Agent> {
    released().chain(SPECIFIED.iter().copied()).find(|d| d.id() == id)
}

/// Reads a payload in an older format, which no released agent sends.
pub fn read_older_payload(payload: &Value) -> Option<OlderPayload> {
    if released().any(|dialect| dialect.recognize(payload) >= Confidence::Certain) {
        return None;
    }
    SPECIFIED.iter().find_map(|dialect| dialect.read_older_payload(payload))
}

/// Finds the agent that a payload belongs to: the one with the highest confidence. Between equals, the first in
/// [`ALL`] wins, and a released agent wins over one that is only specified.
pub fn recognise(payload: &Value) -> Option<&'static Agent> {
    let mut best: Option<(&'static Agent, Confidence)> = None;
    for dialect in released().chain(SPECIFIED.iter().copied()) {
        let confidence = dialect.recognize(payload);
        if confidence > best.map_or(Confidence::No, |(_, c)| c) {
            best = Some((dialect, confidence));
        }
    }
    best.map(|(dialect, _)| dialect)
}

/// Finds the agent that a payload certainly belongs to although the user named another. `None` if it may be the named
/// one's, or if the named one was never released.
pub fn certain_owner(payload: &Value, named: &Agent) -> Option<&'static Agent> {
    let owner = recognise(payload)?;
    let certain = owner.recognize(payload).max(Confidence::Possible);
    (owner.id() != named.id() && certain > named.recognize(payload).max(Confidence::Possible) && named.is_released())
        .then_some(owner)
}

#[cfg(test)]
mod tests {
    use hookbench_base::config::Place;
    use hookbench_base::dialects::{BasisKind, Confidence, Version, VersionBasis, default_version};
    use hookbench_base::hook::ExamplePayload;

    use super::by_id;

    // On Windows no version was measured.
    #[cfg(not(windows))]
    #[test]
    fn what_a_version_rests_on() {
        use BasisKind::{Assumed, Measured};
        for (agent, version, acts_as, kind, of, at) in [
            ("claude", "2.1.333", "2.1.332", Assumed, "2.1.332", Some("2026-11-28")),
            ("claude", "2.1.332", "2.1.332", Measured, "2.1.332", Some("2026-11-28")),
            ("claude", "99.0.0", "2.1.332", Assumed, "2.1.332", Some("2026-11-28")),
            ("claude", "2.1.330", "2.1.330", Measured, "2.1.330", Some("2026-11-22")),
            ("claude", "2.1.329", "2.1.329", Measured, "2.1.329", Some("2026-11-20")),
            ("claude", "2.1.300", "2.1.300", Measured, "2.1.329", Some("2026-11-20")),
            ("claude", "2.1.200", "2.1.200", Measured, "2.1.329", Some("2026-11-20")),
            ("claude", "1.0.5", "2.1.101", Assumed, "2.1.101", Some("2026-11-20")),
            ("qwen", "0.25.0", "0.24.4", Assumed, "0.24.4", Some("2026-11-20")),
            ("qwen", "0.24.4", "0.24.4", Measured, "0.24.4", Some("2026-11-20")),
            // The differences between these two versions are known, but not the version that introduced them.
            ("qwen", "0.20.0", "0.15.6", Assumed, "0.15.6", Some("2026-11-20")),
            ("qwen", "0.14.0-preview.2", "0.14.0-preview.2", Measured, "0.14.0-preview.2", None),
            ("qwen", "0.1.0", "0.14.0", Assumed, "0.14.0", None),
            ("gemini", "0.62.0", "0.61.0", Assumed, "0.61.0", Some("2026-11-20")),
            ("gemini", "0.58.0", "0.58.0", Measured, "0.61.0", Some("2026-11-20")),
            ("gemini", "0.61.0-preview.1", "0.61.0-preview.1", Measured, "0.61.0", Some("2026-11-20")),
            ("gemini", "0.40.0", "0.56.0", Assumed, "0.56.0", Some("2026-11-20")),
            ("codex", "0.172.0", "0.171.0", Assumed, "0.171.0", Some("2026-11-28")),
            ("codex", "0.171.0", "0.171.0", Measured, "0.171.0", Some("2026-11-28")),
            ("codex", "0.100.0", "0.169.0", Assumed, "0.169.0", Some("2026-11-20")),
        ] {
            let read = |text| Version::parse(text).unwrap();
            let got = VersionBasis::of(by_id(agent).unwrap(), read(version));
            let basis =
                VersionBasis { requested: read(version), kind, version: read(of), measured_on: at, calibration: None };
            assert_eq!(got, (read(acts_as), basis), "{agent} {version}");
        }
    }

    /// No example lacks a key that the agent sends or has one that it never sends, and each is recognised.
    #[test]
    fn every_event_has_complete_examples() {
        const OF_MANY_EVENTS: [&str; 20] = [
            "agent_id",
            "client",
            "clineVersion",
            "client_type",
            "parent_agent_id",
            "sessionContext",
            "taskId",
            "userId",
            "workspaceInfo",
            "version",
            "model",
            "session_id",
            "parent_session_id",
            "transcript_path",
            "cwd",
            "hook_event_name",
            "timestamp",
            "permission_mode",
            "prompt_id",
            "effort",
        ];
        let place =
            Place { project: "/home/user/project".to_owned(), home: "/home/user".to_owned(), ..Place::default() };
        for agent in super::released().chain(super::SPECIFIED.iter().copied()) {
            let version = default_version(agent);
            for event in agent.events(&version) {
                let examples = agent.examples(event, &place, &version);
                assert!(!examples.is_empty(), "{} {}", agent.id(), event.name);
                for ExamplePayload { label, body } in &examples {
                    let at = format!("{} {}: {label}", agent.id(), event.name);
                    assert_eq!(agent.missing_keys_like(&examples, event, body, &place), vec![], "{at}");
                    assert!(!agent.is_released() || agent.recognize(body) >= Confidence::Certain, "{at}");
                    for key in body.as_object().unwrap().keys() {
                        let is_of_event = event.fields.iter().any(|field| field.name == key);
                        assert!(is_of_event || OF_MANY_EVENTS.contains(&key.as_str()), "{at}: {key}");
                    }
                    for field in event.fields {
                        let value = body.get(field.name);
                        assert!(field.optional || value.is_some(), "{at} lacks {}", field.name);
                        let text = value.and_then(|value| value.as_str()).filter(|_| !field.values.is_empty());
                        assert!(text.is_none_or(|text| field.values.contains(&text)), "{at}: {}", field.name);
                    }
                }
            }
        }
    }

    #[test]
    fn unreleased_agents_are_apart() {
        assert!(super::ALL.iter().all(|dialect| dialect.is_released()));
        assert!(super::SPECIFIED.iter().all(|dialect| !dialect.is_released()));
        let specified = super::SPECIFIED[0];
        let (_, basis) = VersionBasis::of(specified, hookbench_base::dialects::default_version(specified));
        assert!(basis.is_assumed() && basis.words().ends_with("specified, never released"), "{basis:?}");
        assert!(by_id(specified.id().as_str()).is_some());
    }

    // On Windows no version was measured.
    #[cfg(not(windows))]
    #[test]
    fn words_and_sentences() {
        let claude = by_id("claude").unwrap();
        let of = |text| VersionBasis::of(claude, Version::parse(text).unwrap()).1;
        assert_eq!(of("2.1.330").words(), "2.1.330");
        assert_eq!(of("2.1.330").sentence("Claude Code"), None);
        assert_eq!(of("2.2.0").words(), "2.2.0 ≈ 2.1.332");
        let sentence = "Claude Code 2.2.0 was not tested; hookbench assumes that it behaves like 2.1.332";
        assert_eq!(of("2.2.0").sentence("Claude Code").as_deref(), Some(sentence));
    }
}
