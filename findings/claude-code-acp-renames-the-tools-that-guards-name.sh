#!/usr/bin/env bash
# Claude Code in an editor, through the adapter claude-code-acp 0.16.2: a guard with the matcher `Bash` never runs.
#
# Expected: the adapter (npm @zed-industries/claude-code-acp, which editors start to speak the Agent Client Protocol) loads
# the project's `.claude/settings.json`, so hooks that guard `Bash`, `Edit`, `Write` and `Read` in the terminal guard them
# in the editor as well.
#
# Seen (28 November 2026, Node.js 20, Linux), with a client that offers files and terminals: the settings are loaded and
# their hooks run, but the adapter takes the tools Bash, Read, Edit and Write away from the model and offers its own as
# MCP tools: mcp__acp__Bash, mcp__acp__Read, mcp__acp__Edit, mcp__acp__Write. PreToolUse and PermissionRequest hooks get
# that `tool_name`. The matcher `*` runs, `Bash` does not, and the command runs once the editor's user allows it.
# The adapter that follows it (npm @agentclientprotocol/claude-agent-acp, here 0.49.0) keeps the names: there the same
# guard refuses the same command, and its text reaches the model.
#
# What follows for a hook author: which editor a teammate uses, and with which adapter, decides whether a guard runs. The
# matcher `Bash|mcp__acp__Bash` serves both.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    @zed-industries/claude-code-acp@0.16.2 @agentclientprotocol/claude-agent-acp@0.49.0 >/dev/null

cat >editor.py <<'PY'
"""An editor and a model in one: starts the adapter, sends one prompt, allows what is asked, and says what happened."""
import http.server
import json
import os
import signal
import subprocess
import sys
import threading

adapter, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
home, project = os.path.join(root, "home"), os.path.join(root, "project")
offered, told = [], []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, raw, kind="application/json"):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_GET(self):
        self.answer(b"{}")

    do_HEAD = do_GET

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        names = [tool["name"] for tool in body.get("tools", [])]
        offered.extend(name for name in names if name not in offered)
        parts = [part for message in body.get("messages", []) for part in message["content"] if isinstance(part, dict)]
        told.extend(str(part["content"]) for part in parts if part.get("type") == "tool_result")
        events = []

        def event(kind, **fields):
            events.append("event: %s\ndata: %s\n\n" % (kind, json.dumps({"type": kind, **fields})))

        use = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": use}
        event("message_start", message=message)
        bash = next((name for name in names if name.split("__")[-1] == "Bash"), None)
        if bash and not told:
            call = {"command": "echo yes > command-ran", "description": "writes a file", "timeout": 5000}
            event("content_block_start", index=0, content_block={"type": "tool_use", "id": "toolu_1", "name": bash, "input": {}})
            event("content_block_delta", index=0, delta={"type": "input_json_delta", "partial_json": json.dumps(call)})
        else:
            event("content_block_start", index=0, content_block={"type": "text", "text": ""})
            event("content_block_delta", index=0, delta={"type": "text_delta", "text": "done"})
        event("content_block_stop", index=0)
        event("message_delta", delta={"stop_reason": "tool_use" if bash and not told else "end_turn"}, usage={"output_tokens": 1})
        event("message_stop")
        if body.get("stream"):
            self.answer("".join(events).encode(), "text/event-stream")
        else:
            self.answer(json.dumps({**message, "content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn"}).encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.makedirs(home)
os.makedirs(project + "/.claude")


def hook(matcher, command):
    return {"matcher": matcher, "hooks": [{"type": "command", "command": command}]}


guard = hook("Bash", "touch hook-Bash; echo refused by the guard >&2; exit 2")
with open(project + "/.claude/settings.json", "w") as file:
    json.dump({"hooks": {"PreToolUse": [guard, hook("*", "cat > hook-any")]}}, file)
env = {"PATH": os.environ["PATH"], "HOME": home, "ANTHROPIC_API_KEY": "none", "DISABLE_AUTOUPDATER": "1",
       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_BASE_URL": "http://127.0.0.1:%d" % server.server_address[1]}
agent = subprocess.Popen(["node", adapter], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         env=env, cwd=project, text=True, start_new_session=True)


def end_agent():
    os.killpg(agent.pid, signal.SIGKILL)


threading.Timer(90, end_agent).start()


def send(**message):
    agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    agent.stdin.flush()


able = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
send(id=1, method="initialize", params={"protocolVersion": 1, "clientCapabilities": able})
ended = None
for line in agent.stdout:
    message = json.loads(line)
    method, number, asked = message.get("method"), message.get("id"), message.get("params", {})
    if method is None and number == 1:
        send(id=2, method="session/new", params={"cwd": project, "mcpServers": []})
    elif method is None and number == 2:
        text = [{"type": "text", "text": "run it"}]
        send(id=3, method="session/prompt", params={"sessionId": message["result"]["sessionId"], "prompt": text})
    elif method is None and number == 3:
        break
    elif method == "session/request_permission":
        allow = next(option["optionId"] for option in asked["options"] if option["kind"] == "allow_once")
        send(id=number, result={"outcome": {"outcome": "selected", "optionId": allow}})
    elif method == "terminal/create":
        ended = subprocess.run(asked["command"], shell=True, cwd=project, capture_output=True, text=True)
        send(id=number, result={"terminalId": "t"})
    elif method in ("terminal/output", "terminal/wait_for_exit"):
        status = {"exitCode": ended.returncode, "signal": None}
        end = {"output": ended.stdout, "truncated": False, "exitStatus": status}
        send(id=number, result=end if method == "terminal/output" else status)
    elif number is not None:
        send(id=number, result={})
end_agent()
guarded = ["Bash", "Read", "Edit", "Write"]
with open(project + "/hook-any") as file:
    name = json.load(file)["tool_name"]
print("offered: %s" % " ".join(sorted(tool for tool in offered if tool.split("__")[-1] in guarded)))
print("tool_name: %s" % name)
print("guard: %s" % ("ran" if os.path.exists(project + "/hook-Bash") else "did not run"))
print("command: %s" % ("ran" if os.path.exists(project + "/command-ran") else "did not run"))
print("the model was told the guard's text: %s" % ("yes" if any("refused by the guard" in text for text in told) else "no"))
sys.stdout.flush()
os._exit(0)
PY

status=0
check() { # ADAPTER EXPECTED
    seen=$(timeout 120 python3 editor.py "node_modules/$1/dist/index.js" "$work/${1##*/}")
    printf '%s\n%s\n\n' "$1" "$seen"
    [ "$seen" = "$2" ] || status=1
}
check @zed-industries/claude-code-acp 'offered: mcp__acp__Bash mcp__acp__Edit mcp__acp__Read mcp__acp__Write
tool_name: mcp__acp__Bash
guard: did not run
command: ran
the model was told the guard'"'"'s text: no'
check @agentclientprotocol/claude-agent-acp 'offered: Bash Edit Read Write
tool_name: Bash
guard: ran
command: did not run
the model was told the guard'"'"'s text: yes'
if [ "$status" -eq 0 ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
fi
exit "$status"
