#!/usr/bin/env bash
# Letta Code 0.25.9 (npm @letta-ai/letta-code) without a terminal (`letta -p`): every hook that runs is printed on stdout, in front of
# the JSON that a script asked for, and the hooks of prompts, stops and sessions do not run at all.
#
# Expected: the documentation lists eleven events of Letta Code and names no mode in which they do not fire. `--output-format json`
# prints one JSON value, `stream-json` one in each line, whatever hooks a project has.
#
# Seen (30 November 2026, Node.js 20, Linux), with one shell call of the model and a model on this machine:
# - without hooks, both formats are JSON. With a PreToolUse hook that prints nothing, two lines with colours come first
#   (`[hook:PreToolUse] COMMAND` and the exit status), also with NO_COLOR, so `letta -p … | jq` fails on stdout;
# - in `stream-json` the same lines are between the events;
# - what the hook prints is printed there as well, each line of it, with whatever a log of the hook holds;
# - UserPromptSubmit, Stop, SessionStart and SessionEnd do not run, neither with `-p` nor with `--input-format stream-json`. A
#   Stop hook that exits with 2 keeps nothing going, and no line tells it. PreToolUse and PostToolUse run, and exit status 2
#   refuses the call.
# 0.32.18, which needs Node.js 22, was read and not run: its text prints the same lines, and the same places start hooks.
#
# What follows: read the JSON of `letta -p` from the line `{` on, and skip lines of a stream that are not JSON. Do not rely on a
# check in Stop or a context in SessionStart if the project is also worked on in CI.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @letta-ai/letta-code@0.25.9 >/dev/null

cat >sessions.py <<'PY'
"""A model that asks for one command, and one session for each set of hooks."""
import http.server
import json
import os
import subprocess
import threading

work = os.getcwd()
letta = ["node", work + "/node_modules/@letta-ai/letta-code/letta.js"]
asked = []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}), "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked.append(body)
        delta, end = {"role": "assistant", "content": "done"}, "stop"
        if not any(message["role"] == "tool" for message in body["messages"]):
            call = {"name": "Bash", "arguments": json.dumps({"command": "echo ran > %s/command-ran" % work})}
            delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}
            end = "tool_calls"
        choices = [{"index": 0, "delta": delta, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": end}]
        chunks = [{"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": list(c)} for c in choices]
        self.answer("".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d/v1" % server.server_address[1]
for directory in ["home", "project/.letta"]:
    os.makedirs(directory)
env = {"PATH": os.environ["PATH"], "HOME": work + "/home", "LETTA_LOCAL_BACKEND_DIR": work + "/agents", "LETTA_CODE_TELEM": "0",
       "DO_NOT_TRACK": "1", "DISABLE_AUTOUPDATER": "1", "NO_COLOR": "1"}


def run(*arguments, told=""):
    command = letta + list(arguments)
    return subprocess.run(command, env=env, cwd="project", input=told, capture_output=True, text=True, timeout=120).stdout


def is_json(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def session(name, *arguments, told="", **hooks):
    asked.clear()
    for mark in ["ran", "command-ran"]:
        if os.path.exists(mark):
            os.remove(mark)
    groups = {event: [{"hooks": [{"type": "command", "command": "echo %s >> %s/ran; %s" % (event, work, command)}]}]
              for event, command in hooks.items()}
    with open("project/.letta/settings.json", "w") as file:
        json.dump({"hooks": groups}, file)
    out = run("--backend", "local", "-m", "lmstudio/m", "--new-agent", "--yolo", *arguments, told=told)
    whole = out if "json" in arguments else "[%s]" % ",".join(out.splitlines())
    ran = open("ran").read().split() if os.path.exists("ran") else []
    done = "yes" if os.path.exists("command-ran") else "no"
    print("%s: JSON: %s; hooks that ran: %s; the command ran: %s; requests: %d"
          % (name, "yes" if is_json(whole) else "no", " ".join(ran) or "none", done, len(asked)))
    for line in out.splitlines():
        if "json" in arguments and "\x1b" in line:
            words = line.replace("\x1b[", "[").replace(work, "…").split(" (")
            print("  " + (words[0] if words[-1].endswith("ms)[0m") else " (".join(words)))


text, stream = ["-p", "hello", "--output-format", "json"], ["-p", "hello", "--output-format", "stream-json"]
message = json.dumps({"type": "user", "message": {"role": "user", "content": "hello"}}) + "\n"
around = {"UserPromptSubmit": "true", "Stop": "echo go on >&2; exit 2", "SessionStart": "true", "SessionEnd": "true"}
run("connect", "lmstudio", "--base-url", address, "--backend", "local")
session("json without hooks", *text)
session("stream-json without hooks", *stream)
session("json", *text, PreToolUse="true")
session("stream-json", *stream, PreToolUse="true")
session("json and a log", *text, PreToolUse="echo a line of a log")
session("refused", *stream, PreToolUse="exit 2")
session("around", *text, **around)
session("around, from stdin", "--input-format", "stream-json", "--output-format", "stream-json", told=message, **around)
PY
seen=$(timeout 400 python3 sessions.py)
printf '%s\n' "$seen"
if [ "$seen" = "json without hooks: JSON: yes; hooks that ran: none; the command ran: yes; requests: 2
stream-json without hooks: JSON: yes; hooks that ran: none; the command ran: yes; requests: 2
json: JSON: no; hooks that ran: PreToolUse; the command ran: yes; requests: 2
  [90m[hook:PreToolUse] echo PreToolUse >> …/ran; true[0m
  [90m  ⎿ [32mexit 0[0m
stream-json: JSON: no; hooks that ran: PreToolUse; the command ran: yes; requests: 2
json and a log: JSON: no; hooks that ran: PreToolUse; the command ran: yes; requests: 2
  [90m[hook:PreToolUse] echo PreToolUse >> …/ran; echo a line of a log[0m
  [90m  ⎿ [32mexit 0[0m
  [90m  ⎿ (stdout)[0m
  [90m    a line of a log[0m
refused: JSON: no; hooks that ran: PreToolUse; the command ran: no; requests: 2
around: JSON: yes; hooks that ran: none; the command ran: yes; requests: 2
around, from stdin: JSON: yes; hooks that ran: none; the command ran: yes; requests: 2" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
