//! The probes and surveys of an agent, as data.

use serde::Deserialize;

use super::probe_files::Probe;
use super::survey::Survey;
use hookbench_base::dialects::Agent;

/// The probes of an agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProbeSet {
    pub probes: Vec<Probe>,
    /// The rules that no session without a terminal brings about.
    #[serde(default)]
    pub unreachable: Vec<UnreachableRule>,
    /// The sessions and commands that ask for whole tables.
    #[serde(default)]
    pub surveys: Vec<Survey>,
}

/// A rule that no probe can show.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnreachableRule {
    pub rule: String,
    pub why: String,
}

/// An error in the probes of an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the probes of {agent} cannot be read: {message}")]
pub struct ProbeError {
    pub agent: &'static str,
    pub message: String,
}

/// Reads the probes of an agent.
///
/// # Errors
/// Returns an error if the data is not what this version of hookbench expects.
pub fn read_probes(dialect: &Agent) -> Result<ProbeSet, ProbeError> {
    serde_json::from_str(dialect.headless_format().probes)
        .map_err(|why| ProbeError { agent: dialect.name(), message: why.to_string() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn every_agent_has_probes_with_the_hooks_that_they_name() {
        for dialect in hookbench_agents::ALL {
            let set = read_probes(dialect).unwrap();
            let ids: BTreeSet<&str> = set.probes.iter().map(|probe| probe.id.as_str()).collect();
            assert!(ids.len() >= 60 && ids.len() == set.probes.len(), "{dialect:?}: {} probes", ids.len());
            assert_eq!(set.probes.iter().filter(|probe| probe.quick).count(), 20, "{dialect:?}");
            for probe in &set.probes {
                let settings = probe.settings.as_ref().map(Value::to_string).unwrap_or_default();
                let files: String = probe.files.values().map(Value::to_string).collect();
                for hook in probe.hooks.keys() {
                    let (named, path) = (format!("\"{hook}\""), format!("}}}}/{hook}"));
                    let used = settings.contains(&named) || files.contains(&named) || files.contains(&path);
                    assert!(used, "{dialect:?}: {} {hook}", probe.id);
                }
            }
        }
    }
}
