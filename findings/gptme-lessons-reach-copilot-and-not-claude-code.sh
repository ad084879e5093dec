#!/usr/bin/env bash
# gptme 0.35.1 (PyPI) installs hooks into Claude Code 2.1.332 (npm @anthropic-ai/claude-code) that give its lessons to the
# model. The model of Claude Code never reads one; that of GitHub Copilot CLI 1.0.102 (npm @github/copilot-linux-x64), which
# runs the same file, does.
#
# Expected: `gptme-util hooks install` registers a hook for prompts and one for tools in `.claude/settings.json` and says
# "Lessons will be injected as additionalContext when your prompt or tool inputs match". So a prompt with the keyword of a
# lesson tells the model of Claude Code the lesson.
#
# Seen (1 December 2026, Python 3.11, Linux), with one lesson whose keyword is in the prompt and in a command:
# - the hook runs and answers {"additionalContext": "…", "continue": true}. Claude Code reads that key only in
#   hookSpecificOutput, so neither the prompt nor the tool brings the lesson, and nothing tells it;
# - `gptme-util hooks status` shows both hooks as installed, and gptme keeps the lesson as injected, so it is not tried again in
#   the session;
# - Copilot CLI runs the hooks of `.claude/settings.json`, too, and reads the key at the top: the lesson is in its prompt;
# - with the same text in hookSpecificOutput, the model of Claude Code reads it.
#
# What follows for a hook author: a hook that is correct for one reader of `.claude/settings.json` can be silent in another.
# Print the context in hookSpecificOutput, and look at the request for the model: that the hook ran, and ran without an error,
# shows nothing.
#
# Needs npm and python3 (3.10 or newer) with venv. Prints "as described" and exits with 0, or says what changed and exits with
# 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check gptme==0.35.1 >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    @anthropic-ai/claude-code@2.1.332 @github/copilot-linux-x64@1.0.102 >/dev/null
claude=$(find "$work/node_modules/@anthropic-ai" -path '*linux*' -name claude -type f | head -1)
copilot=$work/node_modules/@github/copilot-linux-x64/copilot

# A stand-in for the model of both: it asks for one command, says that it is done, and keeps what it was told.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}), "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        told = json.dumps(body["messages"])
        call = bool(body.get("tools")) and "call_1" not in told
        if body.get("tools"):
            with open("told", "a") as file:
                file.write(told + "\n")
        arguments = {"command": "echo release notes", "description": "prints"}
        if "/chat" in self.path:
            function = {"name": "bash", "arguments": json.dumps(arguments)}
            delta = {"role": "assistant", "content": "done"}
            if call:
                delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}
            base = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            chunks = [{**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
                      for delta, reason in [(delta, None), ({}, "tool_calls" if call else "stop")]]
            return self.answer("".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream")
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_%d" % len(body["messages"]), "type": "message", "role": "assistant", "model": "m", "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": "call_1", "name": "Bash", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        if not body.get("stream"):
            return self.answer(json.dumps({**message, "content": [{"type": "text", "text": "done"}], **end}), "application/json")
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": block},
                  {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
        self.answer("".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events), "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
mkfifo port
python3 model.py >port &
model=$!
read -r port_number <port

mkdir -p project/lessons home scratch
printf '[lessons]\ndirs = ["lessons"]\n' >project/gptme.toml
printf -- '---\nmatch:\n  keywords:\n    - release notes\n---\n# Release notes\n\ntext-of-the-lesson\n' >project/lessons/release.md
clean=(env -i PATH="$work/venv/bin:$PATH" HOME="$work/home" TMPDIR="$work/scratch")
(cd project && "${clean[@]}" gptme-util hooks install >"$work/install.txt")
# Puts what gptme answers where Claude Code reads it.
cat >nested.py <<'PY'
import json
import subprocess
import sys

event = sys.stdin.read()
answer = json.loads(subprocess.run(["gptme-util", "hooks", "run"], input=event, capture_output=True, text=True).stdout)
if "additionalContext" in answer:
    name = json.loads(event)["hook_event_name"]
    answer["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": answer.pop("additionalContext")}
print(json.dumps(answer))
PY

report() { # NAME: whether the model read the lesson, and whether gptme keeps it as injected
    printf '%s: the model reads the lesson: %s, gptme keeps it as injected: %s\n' "$1" \
        "$(grep -q text-of-the-lesson told && echo yes || echo no)" \
        "$(grep -qs release.md scratch/gptme-lesson-hooks/*.json && echo yes || echo no)"
    rm -rf told scratch/gptme-lesson-hooks
}
run_claude() {
    (cd project && "${clean[@]}" IS_SANDBOX=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        ANTHROPIC_BASE_URL="http://127.0.0.1:$port_number" ANTHROPIC_API_KEY=none \
        timeout 120 "$claude" -p "please write the release notes" --dangerously-skip-permissions </dev/null >/dev/null 2>&1)
}
checks() {
    grep -o 'Lessons will be injected as additionalContext' install.txt
    printf 'shown as installed: %s\n' "$(cd project && "${clean[@]}" gptme-util hooks status | grep -c '✅')"
    run_claude
    report "Claude Code"
    (cd project && "${clean[@]}" XDG_CACHE_HOME="$work/cache" COPILOT_OFFLINE=true COPILOT_MODEL=m COPILOT_AUTO_UPDATE=false \
        COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port_number/v1" COPILOT_PROVIDER_API_KEY=none \
        timeout 150 "$copilot" -p "please write the release notes" --allow-all-tools --trust-folder </dev/null >/dev/null 2>&1)
    report "Copilot CLI"
    sed -i "s#gptme-util hooks run#python3 $work/nested.py#" project/.claude/settings.json
    run_claude
    report "Claude Code, in hookSpecificOutput"
}
seen=$(checks)
printf '%s\n' "$seen"
if [ "$seen" = "Lessons will be injected as additionalContext
shown as installed: 2
Claude Code: the model reads the lesson: no, gptme keeps it as injected: yes
Copilot CLI: the model reads the lesson: yes, gptme keeps it as injected: yes
Claude Code, in hookSpecificOutput: the model reads the lesson: yes, gptme keeps it as injected: yes" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
