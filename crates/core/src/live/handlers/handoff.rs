//! Building of a handoff: the stored form and the text for the session.

use super::summary::SessionSummary;
use super::summary_yaml::yaml;
use super::{Handoff, HandoffTrigger};

impl Handoff {
    /// Creates a handoff from a summary. The interceptor sets the time.
    pub fn of(
        provider: &str,
        provider_ref: &str,
        project: &str,
        trigger: HandoffTrigger,
        summary: &SessionSummary,
    ) -> Handoff {
        Handoff {
            provider: provider.to_owned(),
            provider_ref: provider_ref.to_owned(),
            project: project.to_owned(),
            trigger,
            created_ms: 0,
            json: serde_json::to_string(summary).unwrap_or_default(),
            yaml: yaml(summary),
        }
    }
}
