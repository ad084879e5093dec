//! Requests and responses of Chat Completions, and the input of a command.

use serde_json::{Value, json};

use super::settings::ModelSettings;

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
    use crate::model_client::ModelEndpoint;

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
