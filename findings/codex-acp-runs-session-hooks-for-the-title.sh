#!/usr/bin/env bash
# Codex 0.166.0 (npm @openai/codex) in an editor, through the adapter codex-acp 2.6.0 (npm @agentclientprotocol/codex-acp): after the
# first prompt, the hooks of a session run a second time, for a session that the user did not start. It only writes a title.
#
# Expected: one prompt in an editor is one session: SessionStart, UserPromptSubmit with the words of the user, Stop and SessionEnd run
# once, as they do in `codex exec`.
#
# Seen (30 November 2026, Node.js 20, Linux), with reviewed hooks of the user and one prompt:
# - `codex exec`: each of the four events runs once;
# - in the editor each runs twice. The second SessionStart has the source `startup` and a session_id of its own; the second prompt
#   begins with "Your task is to generate a very short title" and ends with the words of the user;
# - the contexts of SessionStart and of UserPromptSubmit are in the request for the title as well;
# - a Stop hook that says "run the tests" at the first stop of a session says it to the model that writes the title, too. That
#   model is asked again, and it is offered tools;
# - the only sign in the event is `transcript_path`: null. The adapter tells the editor nothing about the session.
#
# What follows for a hook author: leave at once where `transcript_path` is null. Otherwise a count of prompts, a note at the end of a
# session and a slow check at a stop happen twice in an editor.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    @agentclientprotocol/codex-acp@2.6.0 @openai/codex@0.166.0 >/dev/null
codex=$(find "$work/node_modules/@openai" -path '*vendor*' -name codex -type f | head -1)

cat >sessions.py <<'PY'
"""A model, and the same prompt in `codex exec` and in an editor."""
import http.server
import json
import os
import subprocess
import sys
import threading
import time

codex, work = sys.argv[1], os.getcwd()
project, home = work + "/project", work + "/home"
events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
asked = []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer('{"object": "list", "data": [], "models": []}', "application/json")

    def do_POST(self):
        asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        text = {"type": "output_text", "text": '{"title": "A title"}'}
        item = {"type": "message", "role": "assistant", "id": "msg_%d" % len(asked), "content": [text]}
        use = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        steps = [{"type": "response.created", "response": {"id": "r"}},
                 {"type": "response.output_item.done", "output_index": 0, "item": item},
                 {"type": "response.completed", "response": {"id": "r", "usage": use}}]
        self.answer("".join("event: %s\ndata: %s\n\n" % (step["type"], json.dumps(step)) for step in steps), "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
for directory in [project, home]:
    os.makedirs(directory)
keep = 'read -r event; printf "%%s\\n" "$event" >> %s/events; ' % work
after = {"SessionStart": "echo context of SessionStart", "UserPromptSubmit": "echo context of UserPromptSubmit", "SessionEnd": "true",
         "Stop": 'case $event in *\'"stop_hook_active":true\'*) ;; *) echo run the tests >&2; exit 2;; esac'}
hooks = {event: [{"hooks": [{"type": "command", "command": keep + after[event]}]}] for event in events}
with open(home + "/hooks.json", "w") as file:
    json.dump({"hooks": hooks}, file)
with open(home + "/config.toml", "w") as file:
    file.write("""model = "gpt-5.5"
model_provider = "local"
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:%d/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
[analytics]
enabled = false
[features]
enable_request_compression = false
[projects."%s"]
trust_level = "trusted"
""" % (server.server_address[1], project))
env = {"PATH": os.environ["PATH"], "HOME": home, "CODEX_HOME": home, "LOCAL_KEY": "none", "SHELL": "/bin/bash"}


class Program:
    """A program that speaks JSON-RPC on its standard streams."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, env=env, cwd=project, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self.limit = threading.Timer(120, self.process.kill)
        self.limit.start()
        self.calls = 0

    def call(self, method, **params):
        self.calls += 1
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": self.calls, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.calls and "method" not in message:
                return message["result"]

    def close(self):
        self.process.stdin.close()
        self.process.stdout.read()
        self.process.wait()
        self.limit.cancel()


def review():
    """Trusts each hook of the user, as `/hooks` in the terminal does."""
    program = Program(codex, "app-server")
    program.call("initialize", clientInfo={"name": "review", "version": "1"}, capabilities={"experimentalApi": True})
    listed = program.call("hooks/list", cwds=[project])["data"][0]["hooks"]
    program.close()
    with open(home + "/config.toml", "a") as file:
        for hook in listed:
            file.write('[hooks.state."%s"]\ntrusted_hash = "%s"\n' % (hook["key"], hook["currentHash"]))


def kept():
    with open("events") as file:
        return [json.loads(line) for line in file]


def terminal():
    subprocess.run([codex, "exec", "--skip-git-repo-check", "fix the build"], env=env, cwd=project, timeout=120,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def editor():
    program = Program("node", work + "/node_modules/@agentclientprotocol/codex-acp/dist/index.js")
    program.call("initialize", protocolVersion=1, clientCapabilities={})
    session = program.call("session/new", cwd=project, mcpServers=[])["sessionId"]
    program.call("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "fix the build"}])
    for _ in range(100):
        if sum(event["hook_event_name"] == "Stop" for event in kept()) >= 4:
            break
        time.sleep(0.1)
    time.sleep(1)
    program.close()


review()
for run in [terminal, editor]:
    asked.clear()
    open("events", "w").close()
    run()
    sessions = list(dict.fromkeys(event["session_id"] for event in kept()))
    for number, session in enumerate(sessions, 1):
        name = "%s, session %d" % (run.__name__, number)
        own = [event for event in kept() if event["session_id"] == session]
        prompt = next(event["prompt"] for event in own if event["hook_event_name"] == "UserPromptSubmit")
        print("%s: %s" % (name, " ".join(event["hook_event_name"] for event in own)))
        print("%s: source %s" % (name, own[0]["source"]))
        print("%s: transcript: %s" % (name, "yes" if own[0]["transcript_path"] else "null"))
        print("%s: prompt: %s" % (name, prompt if len(prompt) < 50 else "%s … %s" % (prompt[:43], prompt[-13:])))
        requests = [body for body in asked if ("very short title" in json.dumps(body["input"])) == ("very short title" in prompt)]
        read = [event for event in events if requests and "context of " + event in json.dumps(requests[0]["input"])]
        print("%s: requests %d, contexts of: %s" % (name, len(requests), " ".join(read)))
        # Newer models are offered their tools in the first item of the input.
        offered = requests and (requests[0].get("tools") or requests[0]["input"][0].get("tools"))
        print("%s: tools: %s" % (name, "yes" if offered else "none"))
PY
: >events
seen=$(timeout 300 python3 sessions.py "$codex")
printf '%s\n' "$seen"
if [ "$seen" = "terminal, session 1: SessionStart UserPromptSubmit Stop Stop SessionEnd
terminal, session 1: source startup
terminal, session 1: transcript: yes
terminal, session 1: prompt: fix the build
terminal, session 1: requests 2, contexts of: SessionStart UserPromptSubmit
terminal, session 1: tools: yes
editor, session 1: SessionStart UserPromptSubmit Stop Stop SessionEnd
editor, session 1: source startup
editor, session 1: transcript: yes
editor, session 1: prompt: fix the build
editor, session 1: requests 2, contexts of: SessionStart UserPromptSubmit
editor, session 1: tools: yes
editor, session 2: SessionStart UserPromptSubmit Stop Stop SessionEnd
editor, session 2: source startup
editor, session 2: transcript: null
editor, session 2: prompt: Your task is to generate a very short title … fix the build
editor, session 2: requests 2, contexts of: SessionStart UserPromptSubmit
editor, session 2: tools: yes" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
