//! Masks what looks like a secret in what is about to be stored (`store.redact`). What is live stays as it came.

use super::queue::Record;
use super::record::Kept;
use hookbench_core::recorded::{digest, redact, redact_text};
use hookbench_system::store::CaptureAnswer;

/// What is said of an event in which something was masked.
const REDACTED: &str = "redacted";

impl Kept {
    /// Masks its payload and all that was made of it, and says so in its flags.
    pub fn mask(&mut self) {
        if let Some(json) = self.live.decision_json.as_deref().and_then(redact_text) {
            self.live.decision_json = Some(json);
        }
        let Some(clean) = redact(&self.event) else { return };
        self.event = clean;
        // What stands in lists was cut off the payload, and perhaps in the middle of a secret.
        (self.what, self.session.title) = (None, None);
        // Of what is stored: by the other one a guess at the secret could be checked.
        self.live.payload_sha256 = self.live.payload_sha256.as_ref().map(|_| digest(&self.event.payload));
        let flags = self.live.flags.take().map(|flags| format!(" {flags}")).unwrap_or_default();
        self.live.flags = Some(format!("{REDACTED}{flags}"));
    }
}

/// A record that is no event, as it is stored; none: there is nothing to be masked in it.
pub fn masked(record: &Record) -> Option<Record> {
    match record {
        Record::Answer(answer) => {
            let decision_json = redact_text(answer.decision_json.as_deref()?)?;
            Some(Record::Answer(CaptureAnswer { decision_json: Some(decision_json), ..answer.clone() }))
        }
        Record::Handoff(handoff) => {
            let (json, yaml) = (redact_text(&handoff.json), redact_text(&handoff.yaml));
            (json.is_some() || yaml.is_some()).then(|| {
                let mut handoff = handoff.clone();
                (handoff.json, handoff.yaml) = (json.unwrap_or(handoff.json), yaml.unwrap_or(handoff.yaml));
                Record::Handoff(handoff)
            })
        }
        Record::Event(_) | Record::Cooldown(_) | Record::Delivered { .. } => None,
    }
}
