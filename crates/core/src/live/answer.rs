//! The answers of the server: a decision and its source. Reads and writes the JSON form.

use std::fmt;

use serde_json::value::RawValue;

use super::DecisionKind;
use super::raw_json::{ObjectText, RawJson, RawObject, decoded_string};

/// A decision about an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Observe,
    Replace {
        content: String,
    },
    Allow {
        reason: Option<String>,
    },
    Deny {
        reason: Option<String>,
    },
    Ask {
        reason: Option<String>,
    },
    /// The input is an object, with its original spelling.
    Modify {
        updated_input: RawJson,
        reason: Option<String>,
    },
    Halt {
        reason: Option<String>,
    },
    Raw {
        stdout: String,
        stderr: String,
        exit_code: u8,
    },
}

impl Decision {
    /// Returns the kind of the decision.
    pub fn kind(&self) -> DecisionKind {
        match self {
            Decision::Observe => DecisionKind::Observe,
            Decision::Replace { .. } => DecisionKind::Replace,
            Decision::Allow { .. } => DecisionKind::Allow,
            Decision::Deny { .. } => DecisionKind::Deny,
            Decision::Ask { .. } => DecisionKind::Ask,
            Decision::Modify { .. } => DecisionKind::Modify,
            Decision::Halt { .. } => DecisionKind::Halt,
            Decision::Raw { .. } => DecisionKind::Raw,
        }
    }
}

/// The source of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionSource {
    /// No rule, user or handler decided.
    Default,
    Rule(String),
    User,
    /// No decision in time.
    Timeout,
    Cooldown,
    Handler(String),
    Shutdown,
}

impl DecisionSource {
    /// Parses the text form of a [`DecisionSource`].
    pub fn parse(text: &str) -> Option<DecisionSource> {
        Some(match text {
            "default" => DecisionSource::Default,
            "user" => DecisionSource::User,
            "timeout" => DecisionSource::Timeout,
            "cooldown" => DecisionSource::Cooldown,
            "shutdown" => DecisionSource::Shutdown,
            _ => match text.split_once(':')? {
                ("rule", name) => DecisionSource::Rule(name.to_owned()),
                ("handler", name) => DecisionSource::Handler(name.to_owned()),
                _ => return None,
            },
        })
    }
}

impl fmt::Display for DecisionSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DecisionSource::Default => f.write_str("default"),
            DecisionSource::Rule(name) => write!(f, "rule:{name}"),
            DecisionSource::User => f.write_str("user"),
            DecisionSource::Timeout => f.write_str("timeout"),
            DecisionSource::Cooldown => f.write_str("cooldown"),
            DecisionSource::Handler(name) => write!(f, "handler:{name}"),
            DecisionSource::Shutdown => f.write_str("shutdown"),
        }
    }
}

/// The body of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveAnswer {
    pub decision: Decision,
    /// A message that the agent shows to the user.
    pub system_message: Option<String>,
    /// The id under which the event is stored.
    pub id: Option<String>,
    pub source: Option<DecisionSource>,
}

/// The reason why an answer is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerError(pub String);

impl LiveAnswer {
    /// Creates an answer with only a decision.
    pub fn new(decision: Decision) -> LiveAnswer {
        LiveAnswer { decision, system_message: None, id: None, source: None }
    }

    /// Returns the JSON form.
    pub fn to_json(&self) -> String {
        let (content, reason, input, raw) = match &self.decision {
            Decision::Observe => (None, &None, None, None),
            Decision::Replace { content } => (Some(content), &None, None, None),
            Decision::Allow { reason }
            | Decision::Deny { reason }
            | Decision::Ask { reason }
            | Decision::Halt { reason } => (None, reason, None, None),
            Decision::Modify { updated_input, reason } => (None, reason, Some(updated_input), None),
            Decision::Raw { stdout, stderr, exit_code } => (None, &None, None, Some((stdout, stderr, exit_code))),
        };
        let body = ObjectText::default().put("decision", Some(self.decision.kind().word()));
        let body = body.put("content", content).put("reason", reason.as_ref()).put("updatedInput", input);
        let body = body.put("systemMessage", self.system_message.as_ref());
        let body = body.put("stdout", raw.map(|(stdout, ..)| stdout)).put("exitCode", raw.map(|(.., code)| code));
        let body = body.put("stderr", raw.map(|(_, stderr, _)| stderr)).put("id", self.id.as_ref());
        body.put("source", self.source.as_ref().map(DecisionSource::to_string)).end()
    }

    /// Parses the answer of a server. Unknown keys are ignored; a known key with a wrong value makes the answer
    /// invalid.
    ///
    /// # Errors
    /// Returns an error if it is not an object, names no known decision, or lacks a value that the decision needs.
    pub fn parse(body: &[u8]) -> Result<LiveAnswer, AnswerError> {
        let top: RawObject<'_> =
            serde_json::from_slice(body).map_err(|why| AnswerError(format!("not a JSON object: {why}")))?;
        let word = require(text(&top, "decision")?, "decision")?;
        let kind = DecisionKind::from_word(&word).ok_or_else(|| AnswerError(format!("unknown decision `{word}`")))?;
        let reason = text(&top, "reason")?;
        let decision = match kind {
            DecisionKind::Observe => Decision::Observe,
            DecisionKind::Replace => Decision::Replace { content: require(text(&top, "content")?, "content")? },
            DecisionKind::Allow => Decision::Allow { reason },
            DecisionKind::Deny => Decision::Deny { reason },
            DecisionKind::Ask => Decision::Ask { reason },
            DecisionKind::Halt => Decision::Halt { reason },
            DecisionKind::Modify => {
                let input = present_value(&top, "updatedInput").and_then(|value| RawJson::parse(value.get()));
                let updated_input = require(input.filter(RawJson::is_object), "updatedInput (an object)")?;
                Decision::Modify { updated_input, reason }
            }
            DecisionKind::Raw => {
                let exit = present_value(&top, "exitCode").map(|value| value.get().parse::<u8>());
                let exit_code =
                    exit.unwrap_or(Ok(0)).map_err(|_| AnswerError("exitCode must be 0 … 255".to_owned()))?;
                let stream = |key| text(&top, key).map(Option::unwrap_or_default);
                Decision::Raw { stdout: stream("stdout")?, stderr: stream("stderr")?, exit_code }
            }
        };
        Ok(LiveAnswer {
            decision,
            system_message: text(&top, "systemMessage")?,
            id: text(&top, "id")?,
            source: text(&top, "source")?.as_deref().and_then(DecisionSource::parse),
        })
    }
}

/// Returns a value that is present and not null.
fn present_value<'a>(top: &RawObject<'a>, key: &str) -> Option<&'a RawValue> {
    top.last(key).filter(|value| value.get() != "null")
}

fn text(top: &RawObject<'_>, key: &str) -> Result<Option<String>, AnswerError> {
    let Some(value) = present_value(top, key) else { return Ok(None) };
    decoded_string(value).map(Some).ok_or_else(|| AnswerError(format!("{key} must be a string")))
}

fn require<T>(value: Option<T>, what: &str) -> Result<T, AnswerError> {
    value.ok_or_else(|| AnswerError(format!("{what} is missing")))
}

/// The decisions that a client understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedDecisions(Vec<DecisionKind>);

impl AcceptedDecisions {
    /// All decisions, for this client.
    pub fn all() -> AcceptedDecisions {
        AcceptedDecisions(DecisionKind::ALL.to_vec())
    }

    /// Parses the header of a client. A client without the header understands only the first two decisions, which
    /// are as old as the envelope.
    pub fn parse(header: Option<&str>) -> AcceptedDecisions {
        match header {
            None => AcceptedDecisions(vec![DecisionKind::Observe, DecisionKind::Replace]),
            Some(text) => {
                AcceptedDecisions(text.split(',').filter_map(|word| DecisionKind::from_word(word.trim())).collect())
            }
        }
    }

    /// Whether a decision may be sent. Every client understands `observe`.
    pub fn allows(&self, kind: DecisionKind) -> bool {
        kind == DecisionKind::Observe || self.0.contains(&kind)
    }
}

impl fmt::Display for AcceptedDecisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.0.iter().map(|kind| kind.word()).collect();
        f.write_str(&words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_round_trip() {
        let some = |text: &str| Some(text.to_owned());
        let input = RawJson::parse(r#"{"b":1.0,"a":2}"#).unwrap();
        for (decision, json) in [
            (Decision::Observe, r#"{"decision":"observe"}"#),
            (Decision::Replace { content: "c".to_owned() }, r#"{"decision":"replace","content":"c"}"#),
            (Decision::Allow { reason: None }, r#"{"decision":"allow"}"#),
            (Decision::Deny { reason: some("r") }, r#"{"decision":"deny","reason":"r"}"#),
            (Decision::Ask { reason: some("r") }, r#"{"decision":"ask","reason":"r"}"#),
            (
                Decision::Modify { updated_input: input, reason: None },
                r#"{"decision":"modify","updatedInput":{"b":1.0,"a":2}}"#,
            ),
            (Decision::Halt { reason: some("r") }, r#"{"decision":"halt","reason":"r"}"#),
            (
                Decision::Raw { stdout: "o".to_owned(), stderr: "e".to_owned(), exit_code: 2 },
                r#"{"decision":"raw","stdout":"o","exitCode":2,"stderr":"e"}"#,
            ),
        ] {
            let answer = LiveAnswer::new(decision);
            assert_eq!(answer.to_json(), json);
            assert_eq!(LiveAnswer::parse(json.as_bytes()), Ok(answer));
        }
        for source in ["default", "rule:no rm", "user", "timeout", "cooldown", "handler:overview", "shutdown"] {
            let mut answer = LiveAnswer::new(Decision::Observe);
            answer.id = some("0190");
            answer.source = DecisionSource::parse(source);
            assert_eq!(answer.to_json(), format!(r#"{{"decision":"observe","id":"0190","source":"{source}"}}"#));
            assert_eq!(LiveAnswer::parse(answer.to_json().as_bytes()), Ok(answer));
        }
    }

    #[test]
    fn invalid_values_are_rejected() {
        for (json, why) in [
            ("<html>", "not a JSON object: expected value at line 1 column 1"),
            ("[]", "not a JSON object: invalid type: sequence, expected an object at line 1 column 0"),
            ("{}", "decision is missing"),
            (r#"{"decision":1}"#, "decision must be a string"),
            (r#"{"decision":"approve"}"#, "unknown decision `approve`"),
            (r#"{"decision":"replace"}"#, "content is missing"),
            (r#"{"decision":"replace","content":{}}"#, "content must be a string"),
            (r#"{"decision":"deny","reason":1}"#, "reason must be a string"),
            (r#"{"decision":"modify"}"#, "updatedInput (an object) is missing"),
            (r#"{"decision":"modify","updatedInput":"x"}"#, "updatedInput (an object) is missing"),
            (r#"{"decision":"raw","exitCode":256}"#, "exitCode must be 0 … 255"),
            (r#"{"decision":"observe","systemMessage":[]}"#, "systemMessage must be a string"),
        ] {
            assert_eq!(LiveAnswer::parse(json.as_bytes()), Err(AnswerError(why.to_owned())), "{json}");
        }
    }

    #[test]
    fn clients_get_accepted_decisions() {
        let all = AcceptedDecisions::all();
        assert_eq!(all.to_string(), "observe, replace, allow, deny, ask, modify, halt, raw");
        assert_eq!(AcceptedDecisions::parse(Some(&all.to_string())), all);
        let words = |header| {
            let accept = AcceptedDecisions::parse(header);
            DecisionKind::ALL.into_iter().filter(|k| accept.allows(*k)).map(DecisionKind::word).collect::<Vec<_>>()
        };
        assert_eq!(words(None), ["observe", "replace"]);
        assert_eq!(words(Some("deny,later")), ["observe", "deny"]);
        assert_eq!(words(Some("")), ["observe"]);
    }
}
