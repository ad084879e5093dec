//! The address of the model: a URL that speaks Chat Completions, or a command.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::settings::ModelSettings;
use crate::recorded::{digest, redact_text};

/// The place of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelEndpoint {
    /// The base of a URL, without a slash at its end.
    Url(String),
    /// A program with its arguments. It reads the prompt on stdin and prints the answer.
    Command(Vec<String>),
}

/// The reason why a URL cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointProblem(pub String);

impl ModelEndpoint {
    /// Reads a URL.
    ///
    /// # Errors
    /// Returns the reason if it is not the URL of a model, or sends the session's text in the clear to another machine.
    pub fn from_url(text: &str) -> Result<ModelEndpoint, EndpointProblem> {
        let problem = |message: String| Err(EndpointProblem(message));
        let url = text.trim().trim_end_matches('/');
        let Some((scheme, rest)) = url.split_once("://") else {
            return problem("the URL must begin with https:// or http://".to_owned());
        };
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return problem("the URL contains a user name or password; use key_variable or key_command".to_owned());
        }
        let host = host_of(authority);
        if host.is_empty() || url.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return problem("the URL has no host".to_owned());
        }
        if rest.contains(['?', '#']) {
            return problem("the URL must end with its path, such as https://host/v1".to_owned());
        }
        match scheme {
            "https" => {}
            "http" if is_loopback_host(host) => {}
            "http" => {
                return problem(format!("http:// would send the session's text unencrypted to {host}; use https://"));
            }
            other => return problem(format!("{other}:// is not supported; use https://")),
        }
        Ok(ModelEndpoint::Url(url.to_owned()))
    }

    /// The URL of a chat completion. `None` for a command.
    pub fn chat_url(&self) -> Option<String> {
        match self {
            ModelEndpoint::Url(base) => Some(format!("{base}/chat/completions")),
            ModelEndpoint::Command(_) => None,
        }
    }

    /// Whether everything that is sent stays on this machine as far as hookbench can tell. A command may send it
    /// anywhere.
    pub fn is_local(&self) -> bool {
        match self {
            ModelEndpoint::Url(url) => {
                let rest = url.split_once("://").map_or("", |(_, rest)| rest);
                is_loopback_host(host_of(rest.split('/').next().unwrap_or_default()))
            }
            ModelEndpoint::Command(_) => false,
        }
    }

    /// The endpoint as shown to the user. Secrets are masked.
    pub fn shown(&self) -> String {
        let text = match self {
            ModelEndpoint::Url(url) => url.clone(),
            ModelEndpoint::Command(words) => words.join(" "),
        };
        redact_text(&text).unwrap_or(text)
    }

    /// The identity of a model at this endpoint, as a hash. `project` separates consent; the breaker is shared by all
    /// projects.
    pub fn identity(&self, model: &str, project: Option<&str>) -> String {
        let mut text = String::new();
        let mut add = |part: &str| text.push_str(&format!("{}:{part}|", part.len()));
        add(project.unwrap_or_default());
        match self {
            ModelEndpoint::Url(url) => {
                add("url");
                add(url);
            }
            ModelEndpoint::Command(words) => {
                add("command");
                for word in words {
                    add(word);
                }
            }
        }
        add(model);
        digest(text.as_bytes())
    }
}

/// The host of an authority, without its port and brackets.
fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

/// Whether a host names this machine.
pub fn is_loopback_host(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

/// The number of tokens that an answer may have.
const ANSWER_TOKENS: u32 = 300;

/// The text for the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelPrompt {
    /// The instructions of hookbench. Empty for the prompt of a hook.
    pub system: String,
    pub user: String,
    /// The JSON schema of the answer, if it has one.
    pub schema: Option<Value>,
}

/// The body of a request. `with_schema` asks the server for an answer that follows the prompt's schema.
pub fn chat_request(settings: &ModelSettings, prompt: &ModelPrompt, with_schema: bool) -> Vec<u8> {
    let mut messages = Vec::new();
    if !prompt.system.is_empty() {
        messages.push(json!({ "role": "system", "content": prompt.system }));
    }
    messages.push(json!({ "role": "user", "content": prompt.user }));
    let mut body = json!({
        "model": settings.name,
        "temperature": 0,
        "max_tokens": ANSWER_TOKENS,
        "stream": false,
        "messages": messages,
    });
    if let Some(schema) = prompt.schema.as_ref().filter(|_| with_schema) {
        body["response_format"] = json!({
            "type": "json_schema",
            "json_schema": { "name": "verdict", "strict": true, "schema": schema },
        });
    }
    body.to_string().into_bytes()
}

/// The stdin of a command that answers as the model.
pub fn command_input(prompt: &ModelPrompt) -> String {
    if prompt.system.is_empty() { prompt.user.clone() } else { format!("{}\n\n{}", prompt.system, prompt.user) }
}

/// Reads the text of the first choice of a response.
///
/// # Errors
/// Returns the reason if the body is not a chat completion with a text.
pub fn read_chat_response(body: &[u8]) -> Result<String, String> {
    let value: Value = serde_json::from_slice(body).map_err(|_| "the response is not complete JSON".to_owned())?;
    let choice = value.get("choices").and_then(|choices| choices.get(0));
    let content = choice.and_then(|choice| choice.get("message")?.get("content"));
    let text = match content {
        Some(Value::String(text)) => Some(text.clone()),
        // Some servers return a list of parts.
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part.get("text")?.as_str()).collect();
            (!texts.is_empty()).then(|| texts.concat())
        }
        _ => None,
    };
    let finished = choice.and_then(|choice| choice.get("finish_reason")).and_then(Value::as_str);
    match text {
        Some(text) if !text.trim().is_empty() => Ok(text),
        _ if finished == Some("length") => Err(format!("the model used its {ANSWER_TOKENS} tokens before it answered")),
        _ => Err("the response has no text at choices[0].message.content".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_and_their_problems() {
        for (text, want) in [
            ("https://api.example.com/v1/", Ok("https://api.example.com/v1/chat/completions")),
            ("http://127.0.0.1:11434/v1", Ok("http://127.0.0.1:11434/v1/chat/completions")),
            ("http://[::1]:8080", Ok("http://[::1]:8080/chat/completions")),
            (" http://LocalHost/v1", Ok("http://LocalHost/v1/chat/completions")),
            ("http://10.0.0.1/v1", Err("http:// would send the session's text unencrypted to 10.0.0.1; use https://")),
            (
                "http://127.0.0.1.example.com/v1",
                Err("http:// would send the session's text unencrypted to 127.0.0.1.example.com; use https://"),
            ),
            (
                "http://127.0.0.1@example.com/",
                Err("the URL contains a user name or password; use key_variable or key_command"),
            ),
            ("ftp://a/v1", Err("ftp:// is not supported; use https://")),
            ("localhost:11434", Err("the URL must begin with https:// or http://")),
            ("https:///v1", Err("the URL has no host")),
            ("https://a b/v1", Err("the URL has no host")),
            ("https://a/v1?x=1", Err("the URL must end with its path, such as https://host/v1")),
        ] {
            let got = ModelEndpoint::from_url(text).map(|endpoint| endpoint.chat_url().unwrap());
            let want = want.map(str::to_owned).map_err(|why| EndpointProblem(why.to_owned()));
            assert_eq!(got, want, "{text}");
        }
        assert!(ModelEndpoint::Url("http://127.0.0.1:1/v1".to_owned()).is_local());
        assert!(!ModelEndpoint::Url("https://example.com".to_owned()).is_local());
    }

    #[test]
    fn an_identity_is_that_of_endpoint_model_and_project() {
        let url = ModelEndpoint::Url("https://a/v1".to_owned());
        let command = |words: &[&str]| ModelEndpoint::Command(words.iter().map(|w| (*w).to_owned()).collect());
        let all = [
            url.identity("m", None),
            url.identity("m", Some("/p")),
            url.identity("m", Some("/q")),
            url.identity("n", None),
            command(&["https://a/v1"]).identity("m", None),
            command(&["a", "b"]).identity("m", None),
            command(&["a b"]).identity("m", None),
        ];
        let different: std::collections::BTreeSet<&String> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        let secret = command(&["ask", "--key", "sk-abcdefghijklmnop1234"]);
        assert_eq!(secret.shown(), "ask --key [masked]");
    }
}

#[cfg(test)]
mod chat_tests {
    use super::super::ModelEndpoint;
    use super::*;

    #[test]
    fn the_request_has_the_fields_of_a_chat_completion() {
        let settings = ModelSettings::new(ModelEndpoint::Url("https://a/v1".to_owned()), "m");
        let prompt =
            ModelPrompt { system: "S".to_owned(), user: "U\n\"q\"".to_owned(), schema: Some(json!({ "x": 1 })) };
        let body = |prompt: &ModelPrompt, schema| -> Value {
            serde_json::from_slice(&chat_request(&settings, prompt, schema)).unwrap()
        };
        let messages = json!([{ "role": "system", "content": "S" }, { "role": "user", "content": "U\n\"q\"" }]);
        let plain = json!({ "model": "m", "temperature": 0, "max_tokens": 300, "stream": false, "messages": messages });
        assert_eq!(body(&prompt, false), plain);
        let mut with = plain;
        with["response_format"] = json!({
            "type": "json_schema", "json_schema": { "name": "verdict", "strict": true, "schema": { "x": 1 } },
        });
        assert_eq!(body(&prompt, true), with);
        let hook = ModelPrompt { user: "U".to_owned(), ..ModelPrompt::default() };
        assert_eq!(body(&hook, true)["messages"], json!([{ "role": "user", "content": "U" }]));
        assert_eq!((command_input(&prompt), command_input(&hook)), ("S\n\nU\n\"q\"".to_owned(), "U".to_owned()));
    }

    #[test]
    fn a_response_is_a_text_or_a_reason() {
        let choice =
            |message: Value| json!({ "choices": [{ "message": message, "finish_reason": "length" }] }).to_string();
        for (body, want) in [
            (choice(json!({ "content": "ALLOW" })), Ok("ALLOW")),
            (choice(json!({ "content": [{ "text": "AL" }, { "text": "LOW" }] })), Ok("ALLOW")),
            (choice(json!({ "content": " " })), Err("the model used its 300 tokens before it answered")),
            (json!({ "choices": [] }).to_string(), Err("the response has no text at choices[0].message.content")),
            (json!({ "error": "x" }).to_string(), Err("the response has no text at choices[0].message.content")),
            ("{\"choices\":[{\"mess".to_owned(), Err("the response is not complete JSON")),
            (String::new(), Err("the response is not complete JSON")),
        ] {
            let want = want.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(read_chat_response(body.as_bytes()), want, "{body}");
        }
    }
}
