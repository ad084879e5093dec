#!/usr/bin/env bash
# Four of five libraries for hooks fail on events of Claude Code 2.1.332 (npm @anthropic-ai/claude-code) before they call the
# handler: three after each tool of an MCP server, two before a compaction that the user starts with `/compact` alone.
#
# Expected: a handler for PostToolUse with the matcher `*` is called after each tool, one for PreCompact before each compaction.
# The libraries describe the events of Claude Code and promise typed, checked input.
#
# Seen (30 November 2026, Python 3.11, Node.js 20, Linux), with a handler of each library for both events in one session:
# - after Bash, all five handlers are called;
# - after a tool of an MCP server, cchooks 0.1.5, fasthooks 0.1.4 (PyPI) and @mizunashi_mana/claude-code-hook-sdk 6.0.0 (npm) exit
#   with 1: they want an object in `tool_response`. For an MCP tool it is a list of parts, and if the tool has an output
#   schema it is a text that holds JSON;
# - before `/compact`, typed-agent-hooks 0.2.7 (PyPI) and @mizunashi_mana/claude-code-hook-sdk exit with 1: they want a text in
#   `custom_instructions`, which is null. With `/compact keep it short`, both handlers are called;
# - cc-hooks-ts 2.1.251 (npm) is called each time.
# A failed PostToolUse or PreCompact hook stops nothing, so a log or an index only has holes.
#
# What follows for a hook author: try a hook of a library on an MCP tool and on `/compact`, or read the event as plain JSON.
# `tool_response` is an object for the agent's own tools only.
#
# Needs node, npm and Python 3.11 or newer with venv. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check cchooks==0.1.5 fasthooks==0.1.4 typed-agent-hooks==0.2.7 >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @anthropic-ai/claude-code@2.1.332 \
    @mizunashi_mana/claude-code-hook-sdk@6.0.0 cc-hooks-ts@2.1.251 >/dev/null
claude=$(find "$work/node_modules/@anthropic-ai" -path '*linux*' -name claude -type f | head -1)
mkdir -p home project/.claude

# The same hook in five libraries: it writes the event and the tool into a file of its own name.
cat >cchooks-hook.py <<'PY'
from cchooks import create_context

context = create_context()
with open("../cchooks", "a") as file:
    print(context.hook_event_name, getattr(context, "tool_name", ""), file=file)
PY
cat >fasthooks-hook.py <<'PY'
from fasthooks import HookApp

app = HookApp()


def keep(*words):
    with open("../fasthooks", "a") as file:
        print(*words, file=file)


@app.post_tool()
def after(event):
    keep("PostToolUse", event.tool_name)


@app.on_pre_compact()
def before(event):
    keep("PreCompact")


app.run()
PY
cat >typed-hook.py <<PY
#!$work/venv/bin/python
from typed_agent_hooks import shared

hooks = shared.HookApp(name="marks", providers=("claude_code",))


def keep(*words):
    with open("../typed-agent-hooks", "a") as file:
        print(*words, file=file)


@hooks.on(shared.events.ToolCallCompleted)
def after(event):
    keep("PostToolUse", event.tool_name)


@hooks.on(shared.events.CompactionStarting)
def before(event):
    keep("PreCompact")


hooks.main()
PY
cat >sdk-hook.mjs <<'JS'
import fs from "node:fs";
import { runHook } from "@mizunashi_mana/claude-code-hook-sdk";

const keep = (words) => { fs.appendFileSync("../claude-code-hook-sdk", words + "\n"); return {}; };
await runHook({
  postToolUseHandler: async (input) => keep(`PostToolUse ${input.tool_name}`),
  preCompactHandler: async () => keep("PreCompact"),
});
JS
cat >ts-hook.mjs <<'JS'
import fs from "node:fs";
import { defineHook, runHook } from "cc-hooks-ts";

await runHook(defineHook({ trigger: { PostToolUse: true, PreCompact: true }, run: (context) => {
  fs.appendFileSync("../cc-hooks-ts", `${context.input.hook_event_name} ${context.input.tool_name ?? ""}\n`);
  return context.success();
} }));
JS
chmod +x typed-hook.py
./typed-hook.py _typed-agent-hooks install --provider claude_code --scope project --project-root project >/dev/null

cat >server.py <<'PY'
"""A server of the Model Context Protocol with two tools, one of them with an output schema."""
import json
import sys

asks = {"type": "object", "properties": {}}
note = {"type": "object", "properties": {"note": {"type": "string"}}}
tools = [{"name": "plain", "description": "reads a note", "inputSchema": asks},
         {"name": "structured", "description": "reads a note", "inputSchema": asks, "outputSchema": note}]
for line in sys.stdin:
    message = json.loads(line)
    method, asked = message.get("method"), message.get("params", {})
    result = {}
    if method == "initialize":
        server = {"name": "notes", "version": "1"}
        result = {"protocolVersion": asked["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": server}
    elif method == "tools/list":
        result = {"tools": tools}
    elif method == "tools/call":
        result = {"content": [{"type": "text", "text": '{"note": "milk"}'}]}
        if asked["name"] == "structured":
            result["structuredContent"] = {"note": "milk"}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
PY
cat >session.py <<'PY'
"""A model that calls three tools, and a session with two compactions."""
import http.server
import json
import os
import subprocess
import sys
import threading

claude, work = sys.argv[1], os.getcwd()
calls = [("Bash", {"command": "echo milk", "description": "prints a note"}), ("mcp__notes__plain", {}), ("mcp__notes__structured", {})]
prompts = ["hello", "/compact", "/compact keep it short"]
libraries = ["cchooks", "fasthooks", "typed-agent-hooks", "claude-code-hook-sdk", "cc-hooks-ts"]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
        text = {"type": "text", "text": "<summary>a summary</summary>"}
        if not body.get("stream"):
            return self.answer(json.dumps({**message, "content": [text], "stop_reason": "end_turn"}), "application/json")
        content, delta, end = {"type": "text", "text": ""}, {"type": "text_delta", "text": text["text"]}, "end_turn"
        done = json.dumps(body["messages"]).count('"tool_result"')
        if body.get("tools") and done < len(calls) and "a summary" not in json.dumps(body["messages"]):
            name, arguments = calls[done]
            content = {"type": "tool_use", "id": "toolu_%d" % done, "name": name, "input": {}}
            delta, end = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}, "tool_use"
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": content},
                  {"type": "content_block_delta", "index": 0, "delta": delta},
                  {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": {"stop_reason": end}, "usage": usage},
                  {"type": "message_stop"}]
        self.answer("".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events), "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open("project/.claude/settings.json") as file:
    settings = json.load(file)
python = work + "/venv/bin/python "
commands = [python + work + "/cchooks-hook.py", python + work + "/fasthooks-hook.py", "node %s/sdk-hook.mjs" % work,
            "node %s/ts-hook.mjs" % work]
for event in ["PostToolUse", "PreCompact"]:
    keep = "cat >> %s/events; echo >> %s/events" % (work, work)
    settings["hooks"][event].append({"hooks": [{"type": "command", "command": command} for command in commands + [keep]]})
with open("project/.claude/settings.json", "w") as file:
    json.dump(settings, file)
with open("mcp.json", "w") as file:
    json.dump({"mcpServers": {"notes": {"command": "python3", "args": [work + "/server.py"]}}}, file)
env = {"PATH": os.environ["PATH"], "HOME": work + "/home", "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1",
       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_API_KEY": "none",
       "ANTHROPIC_BASE_URL": "http://127.0.0.1:%d" % server.server_address[1]}
agent = subprocess.Popen([claude, "-p", "--dangerously-skip-permissions", "--mcp-config", work + "/mcp.json", "--verbose",
                          "--input-format", "stream-json", "--output-format", "stream-json"], env=env, cwd="project", text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
limit = threading.Timer(180, agent.kill)
limit.start()
waiting = list(prompts)


def prompt():
    message = {"type": "user", "message": {"role": "user", "content": waiting.pop(0)}, "session_id": "", "parent_tool_use_id": None}
    agent.stdin.write(json.dumps(message) + "\n")
    agent.stdin.flush()


prompt()
for line in agent.stdout:
    if json.loads(line)["type"] == "result":
        if not waiting:
            break
        prompt()
agent.stdin.close()
agent.wait()
limit.cancel()


def lines(name):
    with open(name) as file:
        return [line.strip() for line in file if line.strip()]


for event in map(json.loads, lines("events")):
    value = event["tool_response"] if "tool_response" in event else event["custom_instructions"]
    print("event: %s %s %s" % (event["hook_event_name"], event.get("tool_name", event.get("trigger")), type(value).__name__))
for library in libraries:
    print("%s: %s" % (library, ", ".join(lines(library))))
PY
seen=$(timeout 300 python3 session.py "$claude")
printf '%s\n' "$seen"
if [ "$seen" = "event: PostToolUse Bash dict
event: PostToolUse mcp__notes__plain list
event: PostToolUse mcp__notes__structured str
event: PreCompact manual NoneType
event: PreCompact manual str
cchooks: PostToolUse Bash, PreCompact, PreCompact
fasthooks: PostToolUse Bash, PreCompact, PreCompact
typed-agent-hooks: PostToolUse Bash, PostToolUse mcp__notes__plain, PostToolUse mcp__notes__structured, PreCompact
claude-code-hook-sdk: PostToolUse Bash, PreCompact
cc-hooks-ts: PostToolUse Bash, PostToolUse mcp__notes__plain, PostToolUse mcp__notes__structured, PreCompact, PreCompact" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
