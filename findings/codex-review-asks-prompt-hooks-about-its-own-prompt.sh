#!/usr/bin/env bash
# Codex 0.171.0 (npm @openai/codex): `codex review` starts no hook for SessionStart and Stop, and asks prompt hooks about a prompt
# that the user did not write. If one refuses it, the review ends as "interrupted", with status 0 and without the reason.
#
# Expected: a review is a run of the agent like `codex exec`, with the same hooks: the rules of a project that SessionStart gives are
# known to the reviewer, and a hook on UserPromptSubmit reads what the user asked for.
#
# Seen (30 November 2026, Linux), with one command of the model and a hook for each event:
# - `codex exec`: SessionStart, UserPromptSubmit, PreToolUse, PostToolUse, Stop and SessionEnd run;
# - `codex review --uncommitted`: UserPromptSubmit, PreToolUse, PostToolUse and SessionEnd run. The prompt in the event is Codex's own:
#   "Review the current code changes (staged, unstaged, and untracked files) and provide prioritized findings.";
# - the reviewer is not told the context of SessionStart. It is told that of UserPromptSubmit;
# - `codex exec` shows each hook that runs on stderr ("hook: Stop"), `codex review` shows none;
# - a hook that accepts only prompts with the number of an issue refuses every review of changes. The model is not asked, and the
#   review says "Review was interrupted. Please re-run /review and wait for it to complete."; the text of the hook is
#   nowhere. `codex exec` says "hook: UserPromptSubmit Blocked".
#
# What follows for a hook author: let prompts pass that begin with "Review the", give what a reviewer has to know on
# UserPromptSubmit, and do not count on Stop after each prompt.
#
# Needs npm, git and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @openai/codex@0.171.0 >/dev/null
codex=$(find "$work/node_modules/@openai" -path '*vendor*' -name codex -type f | head -1)
mkdir home
git init --quiet project
echo "one line" >project/notes.txt

cat >runs.py <<'PY'
"""A model that asks for one command, and the same hooks in `codex exec` and in `codex review`."""
import http.server
import json
import os
import subprocess
import sys
import threading

codex, work = sys.argv[1], os.getcwd()
events = ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd"]
contexts = ["SessionStart", "UserPromptSubmit"]
asked = []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer('{"object": "list", "data": [], "models": []}', "application/json")

    def do_POST(self):
        asked.append(json.dumps(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]))
        item = {"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "done"}]}
        if "function_call_output" not in asked[-1]:
            command = json.dumps({"cmd": "cat notes.txt"})
            item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "exec_command", "arguments": command}
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
with open("home/config.toml", "w") as file:
    file.write("""model = "gpt-5.5"
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
""" % server.server_address[1])
env = {"PATH": os.environ["PATH"], "HOME": work + "/home", "CODEX_HOME": work + "/home", "LOCAL_KEY": "none", "SHELL": "/bin/bash"}
ways = {"exec": ["exec", "hello"], "review": ["review", "--uncommitted"]}


def run(way, hooks):
    asked.clear()
    open("events", "w").close()
    groups = {event: [{"hooks": [{"type": "command", "command": command}]}] for event, command in hooks.items()}
    with open("home/hooks.json", "w") as file:
        json.dump({"hooks": groups}, file)
    # The hooks are those of this file, so they need no review of their own.
    command = [codex, "--dangerously-bypass-hook-trust", *ways[way]]
    done = subprocess.run(command, env=env, cwd="project", capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    with open("events") as file:
        return done, [json.loads(line) for line in file if line.strip()]


keep = "cat >> %s/events; echo >> %s/events; " % (work, work)
for way in ways:
    hooks = {event: keep + ("echo context of " + event if event in contexts else "true") for event in events}
    done, kept = run(way, hooks)
    print("%s: hooks: %s" % (way, " ".join(event["hook_event_name"] for event in kept)))
    print("%s: prompt: %s" % (way, next(event["prompt"] for event in kept if "prompt" in event)))
    print("%s: the model is told the contexts of: %s" % (way, " ".join(event for event in contexts if "context of " + event in asked[0])))
    print("%s: hooks on stderr: %s" % (way, "yes" if "hook: UserPromptSubmit" in done.stderr else "no"))
for way in ways:
    done, _ = run(way, {"UserPromptSubmit": "grep -q '#[0-9]' || { echo name an issue >&2; exit 2; }"})
    out = done.stdout + done.stderr
    said = [text for text in ["Review was interrupted.", "hook: UserPromptSubmit Blocked", "name an issue"] if text in out]
    print("%s, refused: status %d, requests %d, says: %s" % (way, done.returncode, len(asked), " ".join(said)))
PY
seen=$(timeout 300 python3 runs.py "$codex")
printf '%s\n' "$seen"
if [ "$seen" = "exec: hooks: SessionStart UserPromptSubmit PreToolUse PostToolUse Stop SessionEnd
exec: prompt: hello
exec: the model is told the contexts of: SessionStart UserPromptSubmit
exec: hooks on stderr: yes
review: hooks: UserPromptSubmit PreToolUse PostToolUse SessionEnd
review: prompt: Review the current code changes (staged, unstaged, and untracked files) and provide prioritized findings.
review: the model is told the contexts of: UserPromptSubmit
review: hooks on stderr: no
exec, refused: status 0, requests 0, says: hook: UserPromptSubmit Blocked
review, refused: status 0, requests 0, says: Review was interrupted." ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
