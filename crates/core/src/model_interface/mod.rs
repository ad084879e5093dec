//! Requests of agents to their model, and scripted replies, in each interface that agents use. A script is
//! a list of turns: calls of tools, and at the end one sentence.

mod exchange;
mod services;

use serde_json::{Value, json};

use hookbench_base::dialects::verification::ModelInterface;

pub use exchange::{ModelRequest, ModelTurn, ScriptedCall, ScriptedReply};

/// The sentence of every turn that the script does not have.
pub const CLOSING_SENTENCE: &str = "All done.";

/// The word in the prompt of a sub-agent by which its conversation is recognised.
pub const SUBAGENT_MARK: &str = "SUBAGENT";

/// Reads a request to the model. `path` has no query. `None` if the path does not ask for a turn.
pub fn read_request(interface: ModelInterface, path: &str, body: &Value) -> Option<ModelRequest> {
    match interface {
        ModelInterface::Messages => path.ends_with("/messages").then(|| services::read_messages(body)),
        ModelInterface::ChatCompletions => path.ends_with("/chat/completions").then(|| services::read(body)),
        ModelInterface::Responses => path.ends_with("/responses").then(|| services::read_responses(body)),
        ModelInterface::GenerateContent => {
            let streamed = path.ends_with(":streamGenerateContent");
            (streamed || path.ends_with(":generateContent")).then(|| services::read_generate_content(body, streamed))
        }
    }
}

/// Writes the response that makes this turn. `number` distinguishes the responses of a session.
pub fn write_reply(
    interface: ModelInterface,
    request: &ModelRequest,
    turn: &ModelTurn,
    number: usize,
) -> ScriptedReply {
    let turn = &turn.with_subagent_id(&request.conversation);
    match interface {
        ModelInterface::Messages => services::write_messages(request, turn, number),
        ModelInterface::ChatCompletions => services::write(request, turn, number),
        ModelInterface::Responses => services::write_responses(turn, number),
        ModelInterface::GenerateContent => services::write_generate_content(request, turn),
    }
}

/// The response to any other request, such as one that counts tokens or lists models.
pub fn other_reply() -> ScriptedReply {
    ScriptedReply::document(&json!({ "data": [], "models": [], "input_tokens": 1, "totalTokens": 1 }))
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;
    use serde_json::json;

    use super::*;

    fn call() -> ModelTurn {
        ModelTurn::Call(ScriptedCall::new("shell", json!({ "command": "ls" })))
    }

    /// A request before the first turn and one after it, with the path, in each interface.
    fn requests() -> [(ModelInterface, &'static str, Value, Value); 4] {
        let user = json!({ "role": "user", "content": "go" });
        let answer = json!({ "role": "assistant", "content": "yes" });
        let function = json!({ "type": "function", "function": { "name": "shell" } });
        let parts = |role: &str| json!({ "role": role, "parts": [{ "text": "go" }] });
        let called = |id: u32| json!({ "type": "function_call", "call_id": id, "name": "shell" });
        [
            (
                ModelInterface::Messages,
                "/v1/messages",
                json!({ "stream": true, "tools": [{ "name": "shell" }], "messages": [user] }),
                json!({ "stream": true, "tools": [{ "name": "shell" }], "messages": [user, answer] }),
            ),
            (
                ModelInterface::ChatCompletions,
                "/v1/chat/completions",
                json!({ "stream": true, "tools": [function], "messages": [user] }),
                json!({ "stream": true, "tools": [function], "messages": [user, answer] }),
            ),
            (
                ModelInterface::Responses,
                "/v1/responses",
                json!({ "tools": [{ "name": "shell" }], "input": [user] }),
                // Two calls that were made together are one turn.
                json!({ "tools": [{ "name": "shell" }], "input": [user, called(1), called(2)] }),
            ),
            (
                ModelInterface::GenerateContent,
                "/v1beta/models/m:streamGenerateContent",
                json!({ "tools": [{ "functionDeclarations": [{ "name": "shell" }] }], "contents": [parts("user")] }),
                json!({ "tools": [{ "functionDeclarations": [{ "name": "shell" }] }], "contents": [parts("user"), parts("model")] }),
            ),
        ]
    }

    #[test]
    fn turns_and_tools_are_read_in_every_interface() {
        for (interface, path, first, second) in requests() {
            for (body, turns) in [(first, 0), (second, 1)] {
                let request = read_request(interface, path, &body).unwrap();
                let read = (request.tools, request.turns, request.streamed, request.opening.matches("go").count());
                assert_eq!(read, (vec!["shell".to_owned()], turns, true, 1), "{interface:?}");
            }
            assert_eq!(read_request(interface, "/v1/models", &json!({})), None, "{interface:?}");
        }
    }

    #[test]
    fn a_reply_has_the_call_or_the_sentence() {
        for (interface, path, body, _) in requests() {
            let request = read_request(interface, path, &body).unwrap();
            let sentence = ModelTurn::Sentence("the end".to_owned());
            for (turn, expected) in [(call(), "command"), (sentence, "the end")] {
                for streamed in [true, false] {
                    let request = ModelRequest { streamed, ..request.clone() };
                    let reply = write_reply(interface, &request, &turn, 1);
                    assert!(reply.body.contains(expected), "{interface:?}: {}", reply.body);
                    let data: Vec<&str> = reply.body.lines().filter_map(|line| line.strip_prefix("data: ")).collect();
                    let documents =
                        if reply.content_type == "application/json" { vec![reply.body.as_str()] } else { data };
                    for text in documents.into_iter().filter(|text| *text != "[DONE]") {
                        assert!(serde_json::from_str::<Value>(text).is_ok(), "{interface:?}: {text}");
                    }
                }
            }
        }
    }
    #[test]
    fn a_call_names_its_group_and_the_subagent_that_the_agent_has_started() {
        let wait = ScriptedCall {
            tool: "wait".to_owned(),
            namespace: Some("agents".to_owned()),
            input: json!({ "targets": ["{{agent_id}}"] }),
        };
        let result = |text: &str| json!({ "type": "function_call_output", "call_id": "c", "output": text });
        let user = json!({ "role": "user", "content": "go" });
        for (output, id) in [
            (r#"{"agent_id":"0199-a1b2","nickname":"Dewey"}"#, "0199-a1b2"),
            (r#"{"agent_id": "first"} {"agent_id": "second"}"#, "second"),
            ("agent_id: third.", "third"),
            ("no agent was started", "{{agent_id}}"),
        ] {
            let body = json!({ "tools": [{ "name": "wait" }], "input": [user, result(output)] });
            let request = read_request(ModelInterface::Responses, "/v1/responses", &body).unwrap();
            let reply = write_reply(ModelInterface::Responses, &request, &ModelTurn::Call(wait.clone()), 1);
            let last = reply.body.lines().filter_map(|line| line.strip_prefix("data: ")).next_back().unwrap();
            let item = serde_json::from_str::<Value>(last).unwrap()["response"]["output"][0].clone();
            let arguments: Value = serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap();
            let read = (item["namespace"].clone(), item["name"].clone(), arguments);
            assert_eq!(read, (json!("agents"), json!("wait"), json!({ "targets": [id] })), "{output}");
        }
    }
}
