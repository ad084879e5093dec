//! The document of `plan` and `fire` for several agents or events.

use serde::Serialize;

use super::firing::{FiringDoc, firing_doc, plan_doc};
use crate::session::{CrossAgentEvent, Session};
use hookbench_core::dialects::VersionBasis;

/// One event in every agent, or the events of a session in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FiringsDoc {
    /// `firings/1`.
    pub schema: &'static str,
    /// The agent-neutral name of the event; null if only one agent has it, or if these are the events of a session.
    pub event: Option<String>,
    /// The agent that the event was given for; the other agents get a translation. Losses and additions of the
    /// translation are in each firing's `diagnostics`, under `port/…`.
    pub from: String,
    /// A document for each agent that has the event, or for each event of the session.
    pub firings: Vec<FiringDoc>,
    /// The agents that do not have the event.
    pub missing: Vec<MissingDoc>,
    /// The agents that are left out, because they are neither installed nor configured. Absent if there are
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<Vec<LeftOutAgentDoc>>,
}

/// An agent that does not have the event.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MissingDoc {
    pub agent: String,
    pub agent_version: String,
    pub basis: BasisDoc,
    pub says: String,
    /// The agent's nearest event, or null.
    pub nearest: Option<String>,
}

/// Builds the document of one event in every agent: of its firings if it was fired, otherwise of its plans.
pub fn firings_doc(all: &CrossAgentEvent, session: &Session) -> FiringsDoc {
    let mut doc = FiringsDoc {
        schema: "firings/1",
        event: all.canonical.map(str::to_owned),
        from: all.origin.to_owned(),
        firings: Vec::new(),
        missing: Vec::new(),
        left_out: left_out_agents(session),
    };
    for of in &all.agents {
        match &of.event {
            Ok(there) => doc.firings.push(session.fired_there(there).map_or_else(
                || {
                    let (plan, loaded) = (&there.plan, &there.loaded);
                    plan_doc(
                        of.agent.as_str(),
                        &of.basis,
                        &there.input,
                        &there.filled,
                        plan,
                        loaded,
                        &there.diagnostics,
                    )
                },
                firing_doc,
            )),
            Err(missing) => doc.missing.push(MissingDoc {
                agent: of.agent.to_string(),
                agent_version: of.basis.requested.to_string(),
                basis: basis_doc(&of.basis),
                says: missing.message.clone(),
                nearest: missing.nearest.clone(),
            }),
        }
    }
    doc
}

/// Builds the document of the events of a session, in order.
pub fn session_doc(firings: Vec<FiringDoc>) -> FiringsDoc {
    let from = firings.first().map(|firing| firing.agent.clone()).unwrap_or_default();
    FiringsDoc { schema: "firings/1", event: None, from, firings, missing: Vec::new(), left_out: None }
}

/// The basis of the answer for an agent version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BasisDoc {
    /// `measured`; `calibrated`: the installed program was probed; `assumed`: this version was not measured.
    pub kind: &'static str,
    /// The version whose measured behaviour is used.
    pub version: String,
    /// The day of the measurement, or of the test of the installed program; null if that version was never run.
    pub at: Option<String>,
    /// The number of probes that agreed; null if the installed program was not probed.
    pub probes: Option<u32>,
}

/// The document of a basis.
pub fn basis_doc(basis: &VersionBasis) -> BasisDoc {
    BasisDoc {
        kind: basis.kind.word(),
        version: basis.version.to_string(),
        at: basis.established_on().map(str::to_owned),
        probes: basis.calibration.as_ref().map(|found| found.agreed),
    }
}

/// An agent that is left out: a new hook cannot work in it, or it is not in use.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOutAgentDoc {
    pub agent: &'static str,
    pub reason: String,
}

/// The agents that a session leaves out. `None` if there are none.
pub fn left_out_agents(session: &Session) -> Option<Vec<LeftOutAgentDoc>> {
    let left_out = session.left_out_agents().into_iter();
    let left_out = left_out.map(|(agent, reason)| LeftOutAgentDoc { agent: agent.as_str(), reason });
    Some(left_out.collect()).filter(|left_out: &Vec<_>| !left_out.is_empty())
}
