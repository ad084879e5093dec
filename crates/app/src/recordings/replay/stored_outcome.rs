//! Converts the outcome of a firing to its stored form and back.

use crate::firing::record::FiringRecord;
use hookbench_core::decide::{Outcome, Verdict};
use hookbench_core::recorded::RecordedOutcome;

/// Converts an outcome to its stored form.
pub(crate) fn recorded_outcome(outcome: Outcome) -> RecordedOutcome {
    RecordedOutcome {
        blocked: outcome.blocked,
        decided_by: outcome.decided_by,
        reason: outcome.reason,
        additional_context: outcome.additional_context,
        updated_input: outcome.updated_input,
        system_message: outcome.system_message,
        continues: outcome.continues,
        stop_reason: outcome.stop_reason,
        suppress_output: outcome.suppress_output,
        agent_does: outcome.agent_does,
        extra: outcome.extra,
        environment: None,
    }
}

/// Converts a stored outcome back. It has no trace.
pub(crate) fn outcome_of(verdict: Verdict, told: RecordedOutcome) -> Outcome {
    Outcome {
        blocked: told.blocked,
        decided_by: told.decided_by,
        reason: told.reason,
        additional_context: told.additional_context,
        updated_input: told.updated_input,
        system_message: told.system_message,
        continues: told.continues,
        stop_reason: told.stop_reason,
        suppress_output: told.suppress_output,
        extra: told.extra,
        ..Outcome::without_effect(verdict, told.agent_does)
    }
}

/// The codes of all findings of a firing, sorted, without duplicates.
pub(crate) fn codes(record: &FiringRecord) -> Vec<String> {
    let of_runs = record.runs.iter().filter_map(|run| run.ended()).flat_map(|run| &run.output.notes);
    let notes = record.diagnostics.iter().chain(&record.plan.notes).chain(&record.loaded.notes).chain(of_runs);
    let mut codes: Vec<String> = notes.map(|note| note.code.to_string()).collect();
    codes.sort();
    codes.dedup();
    codes
}
