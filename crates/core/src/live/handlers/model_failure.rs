//! The reason why an agent's request to its model failed.

use serde::Serialize;

use crate::live::raw_json::{RawObject, decoded_string};

/// A failure as shown to the user. The agent is told nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelFailure {
    pub class: FailureClass,
    /// For the user: the problem and what to do about it.
    #[serde(rename = "says")]
    pub message: String,
}

hookbench_base::words! {
    /// The classes of failures.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum FailureClass {
        /// Too many requests (429).
        RateLimit = "rate_limit",
        /// The model's servers are overloaded or down (503, 529).
        Overloaded = "overloaded",
        Auth = "auth",
        Billing = "billing",
        Other = "other",
    }
    /// The word under which it is stored.
    fn word;
}

/// The agents' names for failures.
const WORDS: &[(&str, FailureClass)] = &[
    ("rate_limit", FailureClass::RateLimit),
    ("overloaded", FailureClass::Overloaded),
    ("authentication", FailureClass::Auth),
    ("oauth", FailureClass::Auth),
    ("billing", FailureClass::Billing),
];

/// Message texts, for failures that neither name nor status identifies.
const TEXTS: &[(&str, FailureClass)] = &[
    ("rate limit", FailureClass::RateLimit),
    ("too many requests", FailureClass::RateLimit),
    ("overloaded", FailureClass::Overloaded),
    ("credit balance", FailureClass::Billing),
];

impl ModelFailure {
    /// Classifies a payload by the agent's name for the failure, else by the HTTP status, else by its text.
    pub fn of(payload: &str) -> ModelFailure {
        let top = serde_json::from_str::<RawObject<'_>>(payload).ok();
        let text = |key| top.as_ref().and_then(|top| top.last(key)).and_then(decoded_string).unwrap_or_default();
        let (error, details, last) = (text("error"), text("error_details"), text("last_assistant_message"));
        let told = format!("{details} {last}").to_lowercase();
        let status = status(&told);
        let find = |table: &[(&str, FailureClass)], text: &str| {
            table.iter().find(|(part, _)| text.contains(part)).map(|(_, class)| *class)
        };
        let class = find(WORDS, &error).or_else(|| status.and_then(class_of)).or_else(|| find(TEXTS, &told));
        let class = class.unwrap_or(FailureClass::Other);
        let number = status.map(|status| format!(" ({status})")).unwrap_or_default();
        let says = match class {
            FailureClass::RateLimit => {
                format!(
                    "The model's provider received too many requests{number}. Wait, or continue with another model."
                )
            }
            FailureClass::Overloaded => {
                format!("The model's servers are overloaded or down{number}. Wait, or continue with another model.")
            }
            FailureClass::Auth => {
                format!("The model's provider rejected the login{number}. Log in again, or check the key.")
            }
            FailureClass::Billing => {
                format!("The model's provider requires payment{number}. Check the account, or use another one.")
            }
            FailureClass::Other => {
                let why = if details.is_empty() { error } else { details };
                let why: String = why.chars().filter(|c| !c.is_control()).take(200).collect();
                let why = if why.is_empty() { "no details".to_owned() } else { why };
                format!("The request to the model failed: {why}.")
            }
        };
        ModelFailure { class, message: says }
    }
}

fn class_of(status: u16) -> Option<FailureClass> {
    Some(match status {
        429 => FailureClass::RateLimit,
        500 | 502 | 503 | 504 | 529 => FailureClass::Overloaded,
        401 | 403 => FailureClass::Auth,
        402 => FailureClass::Billing,
        _ => return None,
    })
}

/// Returns the first number in a text that can be the status of a failed request.
fn status(text: &str) -> Option<u16> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.len() == 3).filter_map(|word| word.parse().ok()).find(|n| (400..600).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_classified() {
        use FailureClass as F;
        for (error, details, last, class, says) in [
            ("rate_limit", "", "", F::RateLimit, "too many requests. Wait"),
            ("unknown", "", "API Error: 429 slow down", F::RateLimit, "too many requests (429)"),
            ("overloaded", "", "", F::Overloaded, "overloaded or down."),
            ("server_error", "529 {\"type\":\"error\"}", "", F::Overloaded, "(529)"),
            ("unknown", "HTTP/503", "", F::Overloaded, "(503)"),
            ("authentication_failed", "401 unauthorized", "", F::Auth, "login (401)"),
            ("oauth_org_not_allowed", "", "", F::Auth, "Log in again"),
            ("billing_error", "", "", F::Billing, "payment. Check"),
            ("invalid_request", "400 Your credit balance is too low", "", F::Billing, "payment (400)"),
            ("invalid_request", "400 weird thing", "", F::Other, "failed: 400 weird thing."),
            ("unknown", "", "took 429ms and 5030 tokens", F::Other, "failed: unknown."),
            ("", "", "", F::Other, "no details"),
        ] {
            let payload = serde_json::json!({"error": error, "error_details": details, "last_assistant_message": last});
            let failure = ModelFailure::of(&payload.to_string());
            assert_eq!(failure.class, class, "{payload}");
            assert!(failure.message.contains(says), "{payload}: {}", failure.message);
        }
        assert_eq!(ModelFailure::of("[1]").class, F::Other);
    }
}
