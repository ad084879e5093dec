#!/usr/bin/env bash
# Codex 0.171.0 (npm @openai/codex) with a goal: a Stop hook that answers `continue: false` does not end the work. The turns
# that Codex starts by itself run no UserPromptSubmit hook, and each of them runs Stop with `stop_hook_active` false.
#
# Expected: Stop runs when the agent has finished and waits for the user, so a hook there can tell the user to come back. With
# {"continue": false} it stops. What UserPromptSubmit gives is told to the model with each turn.
#
# Seen (1 December 2026, Linux), in `codex app-server` (which editors start), with reviewed hooks of the user, the feature
# `goals` as it is by default, and a goal that the model calls complete in the fourth turn:
# - one prompt makes four turns. SessionStart and UserPromptSubmit run once, Stop four times. Nothing in the event tells whether
#   the goal goes on: `stop_hook_active` is false each time;
# - with {"continue": false, "stopReason": "enough"} on Stop there are four turns as well, and the goal becomes complete,
#   although Codex tells the editor each time that the hook has stopped the turn ("status": "stopped");
# - a PreToolUse hook with the matcher `create_goal` that exits with 2 keeps the goal away: one turn, one Stop;
# - `codex exec` ends after the first turn, with status 0, before the goal is complete. Mostly it runs the hook for Interrupt
#   then, although nobody interrupted it (8 of 10 runs on a busy machine; this file does not check it).
#
# What follows for a hook author: with a goal, a Stop hook that calls the user, commits or deploys does so after each turn, and
# it cannot end the work. Give what each turn has to know in SessionStart. To forbid goals, refuse `create_goal` on PreToolUse,
# or start Codex with `--disable goals`.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @openai/codex@0.171.0 >/dev/null
codex=$(find "$work/node_modules/@openai" -path '*vendor*' -name codex -type f | head -1)
cat >sessions.py <<'PY'
"""A model that sets a goal and needs four turns for it, and one session for each set of hooks."""
import http.server
import json
import os
import queue
import subprocess
import sys
import threading

codex, work = sys.argv[1], os.getcwd()
events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"]
project = work + "/project"
os.mkdir(project)


class Model(http.server.BaseHTTPRequestHandler):
    """Sets the goal first. Then each turn is one answer, until the fourth one calls the goal complete."""

    protocol_version = "HTTP/1.1"
    turns = 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send('{"object": "list", "data": [], "models": []}', "application/json")

    def do_POST(self):
        told = self.rfile.read(int(self.headers["Content-Length"])).decode()
        call = None
        if "call_create" not in told:
            Model.turns = 0
            call = ("call_create", "create_goal", {"objective": "finish the notes"})
        elif Model.turns == 3 and "call_update" not in told:
            call = ("call_update", "update_goal", {"status": "complete"})
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "done"}]}
        if call:
            item = {"type": "function_call", "id": "fc_1", "call_id": call[0], "name": call[1], "arguments": json.dumps(call[2])}
        else:
            Model.turns += 1
        use = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        steps = [{"type": "response.created", "response": {"id": "r"}},
                 {"type": "response.output_item.done", "output_index": 0, "item": item},
                 {"type": "response.completed", "response": {"id": "r", "usage": use}}]
        self.send("".join("event: %s\ndata: %s\n\n" % (step["type"], json.dumps(step)) for step in steps), "text/event-stream")

    def send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
config = """model = "gpt-5.5"
model_provider = "local"
sandbox_mode = "danger-full-access"
approval_policy = "never"
[model_providers.local]
name = "local"
base_url = "http://127.0.0.1:%d/v1"
env_key = "LOCAL_KEY"
wire_api = "responses"
[analytics]
enabled = false
[features]
enable_request_compression = false
""" % server.server_address[1]


class Program:
    """`codex app-server`, and what it tells."""

    def __init__(self, env):
        self.process = subprocess.Popen([codex, "app-server"], env=env, cwd=project, text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.limit = threading.Timer(120, self.process.kill)
        self.limit.start()
        self.calls, self.goal, self.messages = 0, "none", queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.call("initialize", clientInfo={"name": "goals", "version": "1"}, capabilities={"experimentalApi": True})

    def read(self):
        for line in self.process.stdout:
            self.messages.put(json.loads(line))

    def next(self, seconds):
        message = self.messages.get(timeout=seconds)
        if message.get("method") == "thread/goal/updated":
            self.goal = message["params"]["goal"]["status"]
        return message

    def call(self, method, **params):
        self.calls += 1
        self.process.stdin.write(json.dumps({"id": self.calls, "method": method, "params": params}) + "\n")
        self.process.stdin.flush()
        while True:
            message = self.next(60)
            if message.get("id") == self.calls and "method" not in message:
                return message["result"]

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.limit.cancel()


def session(name, hooks, talk):
    home = work + "/" + name.replace(" ", "-")
    os.mkdir(home)
    ran = home + "/ran"
    groups = {event: [{"hooks": [{"type": "command", "command": "{ cat; echo; } >> %s" % ran}]}] for event in events}
    for event, (matcher, command) in hooks.items():
        groups.setdefault(event, []).append({"matcher": matcher, "hooks": [{"type": "command", "command": command}]})
    for file, text in {"hooks.json": json.dumps({"hooks": groups}), "config.toml": config}.items():
        with open(home + "/" + file, "w") as opened:
            opened.write(text)
    env = {"PATH": os.environ["PATH"], "HOME": home, "CODEX_HOME": home, "LOCAL_KEY": "none", "SHELL": "/bin/bash"}
    # Trusts each hook of the user, as `/hooks` in the terminal does.
    program = Program(env)
    listed = program.call("hooks/list", cwds=[project])["data"][0]["hooks"]
    program.close()
    with open(home + "/config.toml", "a") as file:
        for hook in listed:
            file.write('[hooks.state."%s"]\ntrusted_hash = "%s"\n' % (hook["key"], hook["currentHash"]))
    result = talk(env)
    with open(ran) as file:
        kept = [json.loads(line) for line in file if line.strip()]
    counts = ["%s %d" % (event, sum(one["hook_event_name"] == event for one in kept)) for event in events]
    active = {one["stop_hook_active"] for one in kept if one["hook_event_name"] == "Stop"}
    print("%s: %s; hooks: %s; stop_hook_active: %s" % (name, result, ", ".join(counts), sorted(active)), flush=True)


def editor(env):
    program = Program(env)
    thread = program.call("thread/start", cwd=project)["thread"]["id"]
    program.call("turn/start", threadId=thread, input=[{"type": "text", "text": "set the goal to finish the notes"}])
    turns, stopped = 0, 0
    try:
        # A goal goes on at once. Five quiet seconds are its end.
        while True:
            message = program.next(5)
            turns += message.get("method") == "turn/completed"
            stopped += message.get("method") == "hook/completed" and message["params"]["run"]["status"] == "stopped"
    except queue.Empty:
        pass
    program.close()
    return "%d turns, %d of them stopped by a hook, goal %s" % (turns, stopped, program.goal)


def terminal(env):
    done = subprocess.run([codex, "exec", "--skip-git-repo-check", "set the goal to finish the notes"], env=env, cwd=project,
                          capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    return "status %d" % done.returncode


session("editor", {}, editor)
session("editor with continue false", {"Stop": ("", """echo '{"continue": false, "stopReason": "enough"}'""")}, editor)
session("editor without goals", {"PreToolUse": ("create_goal", "echo no goals here >&2; exit 2")}, editor)
session("exec", {}, terminal)
PY
seen=$(timeout 400 python3 sessions.py "$codex")
printf '%s\n' "$seen"
if [ "$seen" = "editor: 4 turns, 0 of them stopped by a hook, goal complete; hooks: SessionStart 1, UserPromptSubmit 1, Stop 4, SessionEnd 1; stop_hook_active: [False]
editor with continue false: 4 turns, 4 of them stopped by a hook, goal complete; hooks: SessionStart 1, UserPromptSubmit 1, Stop 4, SessionEnd 1; stop_hook_active: [False]
editor without goals: 1 turns, 0 of them stopped by a hook, goal none; hooks: SessionStart 1, UserPromptSubmit 1, Stop 1, SessionEnd 1; stop_hook_active: [False]
exec: status 0; hooks: SessionStart 1, UserPromptSubmit 1, Stop 1, SessionEnd 1; stop_hook_active: [False]" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
