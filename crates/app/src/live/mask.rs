//! Masks apparent secrets in data that is about to be stored (`store.redact`). Live data is not masked.

use super::store_record::StoreRecord;
use super::stored_event::StoredEvent;
use hookbench_core::recorded::{digest, redact, redact_text};
use hookbench_system::store::CaptureAnswer;

/// The flag of an event with masked values.
pub(super) const REDACTED: &str = "redacted";

impl StoredEvent {
    /// Masks the payload and everything derived from it, and sets the flag.
    pub fn mask(&mut self) {
        if let Some(json) = self.live.decision_json.as_deref().and_then(redact_text) {
            self.live.decision_json = Some(json);
        }
        let Some(clean) = redact(&self.event) else { return };
        self.event = clean;
        // Display values are cut from the payload, possibly in the middle of a secret.
        (self.what, self.session.title) = (None, None);
        // The digest is computed from the masked payload, because the original digest would allow guesses at the
        // secret to be checked.
        self.live.payload_sha256 = self.live.payload_sha256.as_ref().map(|_| digest(&self.event.payload));
        let flags = self.live.flags.take().map(|flags| format!(" {flags}")).unwrap_or_default();
        let again = flags.split(' ').any(|flag| flag == REDACTED);
        self.live.flags = Some(if again { flags.trim().to_owned() } else { format!("{REDACTED}{flags}") });
    }
}

/// Masks a record that is not an event. `None` if there is nothing to mask.
pub fn masked(record: &StoreRecord) -> Option<StoreRecord> {
    match record {
        StoreRecord::Answer(answer) => masked_answer(answer).map(StoreRecord::Answer),
        StoreRecord::Handoff(handoff) => {
            let (json, yaml) = (redact_text(&handoff.json), redact_text(&handoff.yaml));
            (json.is_some() || yaml.is_some()).then(|| {
                let mut handoff = handoff.clone();
                (handoff.json, handoff.yaml) = (json.unwrap_or(handoff.json), yaml.unwrap_or(handoff.yaml));
                StoreRecord::Handoff(handoff)
            })
        }
        StoreRecord::Event(_) | StoreRecord::Cooldown(_) | StoreRecord::Delivered { .. } => None,
    }
}

/// Masks an answer. `None` if there is nothing to mask.
pub fn masked_answer(answer: &CaptureAnswer) -> Option<CaptureAnswer> {
    let decision_json = redact_text(answer.decision_json.as_deref()?)?;
    Some(CaptureAnswer { decision_json: Some(decision_json), ..answer.clone() })
}
