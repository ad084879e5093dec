"""Stands in for the servers of the models: asks for one tool, then says one sentence.

Every request is kept (`Model.requests`), so that what an agent tells its model can be looked at.
"""

import http.server
import json
import threading

COMMAND = "echo real > out.txt"
SENTENCE = "All done."
# The shells of the agents that use chat completions, with the keys that they need beside the command.
SHELLS = {
    "run_shell_command": {"description": "d", "is_background": False},
    "bash": {"description": "d"},
    "Execute": {"riskLevelReason": "d", "riskLevel": "low"},
}


class Model:
    """A server on a port of its own, for as long as the process lives."""

    def __init__(self):
        self.requests = []
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send("application/json", json.dumps({"data": [], "models": []}))

            def do_HEAD(self):
                self.send("application/json", "")

            def do_POST(self):
                length = int(self.headers.get("content-length") or 0)
                try:
                    asked = json.loads(self.rfile.read(length))
                except ValueError:
                    asked = {}
                path = self.path.split("?")[0]
                kind, body = model.answer(path, asked)
                self.send(kind, body)

            def send(self, kind, body):
                data = body.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, path, asked):
        """The kind and the text of what is sent back."""
        if path.endswith("/messages"):
            return self.kept(asked, messages)
        if path.endswith("/chat/completions"):
            return self.kept(asked, completions)
        if path.endswith("/responses"):
            return self.kept(asked, responses)
        if "enerateContent" in path:
            return self.kept(asked, lambda asked: contents(asked, "stream" in path))
        return plain({"input_tokens": 1, "totalTokens": 1})

    def kept(self, asked, how):
        said = [asked.get(key) for key in ("system", "messages", "contents", "input")]
        self.requests.append(json.dumps(said))
        return how(asked)


def plain(document):
    return "application/json", json.dumps(document)


def stream(events):
    lines = []
    for name, data in events:
        if name:
            lines.append(f"event: {name}\n")
        lines.append(f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n")
    return "text/event-stream", "".join(lines)


def messages(asked):
    """Anthropic's Messages."""
    tools = [tool.get("name") for tool in asked.get("tools", [])]
    first = "Bash" in tools and "tool_result" not in json.dumps(asked["messages"])
    name = f"msg_{len(asked['messages'])}"
    if not asked.get("stream"):
        content, usage = [{"type": "text", "text": SENTENCE}], {"input_tokens": 1, "output_tokens": 1}
        return plain({"id": name, "type": "message", "role": "assistant", "model": "m", "content": content,
                      "stop_reason": "end_turn", "stop_sequence": None, "usage": usage})
    if first:
        block = {"type": "tool_use", "id": "toolu_01", "name": "Bash", "input": {}}
        arguments = json.dumps({"command": COMMAND, "description": "d"})
        delta, stop = {"type": "input_json_delta", "partial_json": arguments}, "tool_use"
    else:
        block, delta, stop = {"type": "text", "text": ""}, {"type": "text_delta", "text": SENTENCE}, "end_turn"
    message = {"id": name, "type": "message", "role": "assistant", "model": asked.get("model", "m"), "content": [],
               "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    ended = {"stop_reason": stop, "stop_sequence": None}
    events = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": block},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 5}},
        {"type": "message_stop"},
    ]
    return stream((event["type"], event) for event in events)


def completions(asked):
    """OpenAI's chat completions."""
    tools = [tool["function"]["name"] for tool in asked.get("tools") or []]
    shell = next((name for name in SHELLS if name in tools), None)
    if shell and not any(m.get("role") == "tool" for m in asked.get("messages", [])):
        arguments = json.dumps({"command": COMMAND, **SHELLS[shell]})
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": shell, "arguments": arguments}}
        said, ended = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
    else:
        said, ended = {"role": "assistant", "content": SENTENCE}, "stop"
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "c1", "created": 1, "model": "m"}
    if not asked.get("stream"):
        choice = {"index": 0, "message": said, "finish_reason": ended}
        return plain({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
    head["object"] = "chat.completion.chunk"
    return stream([
        (None, {**head, "choices": [{"index": 0, "delta": said, "finish_reason": None}]}),
        (None, {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": ended}], "usage": usage}),
        (None, "[DONE]"),
    ])


def responses(asked):
    """OpenAI's responses."""
    if "call_output" in json.dumps(asked.get("input")):
        text = {"type": "output_text", "text": SENTENCE, "annotations": []}
        item = {"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [text]}
    else:
        arguments = json.dumps({"cmd": COMMAND})
        item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command",
                "arguments": arguments, "status": "completed"}
    usage = {"input_tokens": 1, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 1,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 2}
    whole = {"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "usage": usage}
    events = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**whole, "status": "completed", "output": [item]}},
    ]
    return stream((event["type"], event) for event in events)


def contents(asked, streamed):
    """Gemini's contents."""
    has_tool = "run_shell_command" in json.dumps(asked.get("tools") or [])
    if has_tool and "functionResponse" not in json.dumps(asked.get("contents")):
        call = {"name": "run_shell_command", "args": {"command": COMMAND, "description": "d"}}
        part = {"functionCall": call}
    else:
        part = {"text": SENTENCE}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}
    return stream([(None, whole)]) if streamed else plain(whole)
