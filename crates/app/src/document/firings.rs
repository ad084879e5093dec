//! The document of `plan` and `fire` for several agents or events.

use serde::Serialize;

use super::basis::{BasisDoc, basis_doc};
use super::firing::{FiringDoc, firing_doc, plan_doc};
use super::left_out::{LeftOutAgentDoc, left_out_agents};
use crate::session::{CrossAgentEvent, Session};

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
