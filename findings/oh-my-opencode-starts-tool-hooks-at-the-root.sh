#!/usr/bin/env bash
# oh-my-opencode 4.19.4 on OpenCode 1.18.33 runs the hooks of Claude Code's settings, but outside a git repository it
# starts PreToolUse hooks in `/`, with CLAUDE_PROJECT_DIR=/.
#
# Expected: the plugin (npm oh-my-opencode) reads `.claude/settings.json` of the project and calls itself compatible with
# its hooks, so a hook starts in the project and "$CLAUDE_PROJECT_DIR"/hooks/guard.sh names the project's script, and a
# matcher such as `^Bash$` is a regular expression, as in Claude Code.
#
# Seen (28 November 2026, Linux), with the same settings in a directory with and without `git init`:
# - in a git repository PreToolUse and PostToolUse hooks start in the project;
# - without one, PreToolUse hooks start in `/`: working directory, CLAUDE_PROJECT_DIR and the payload's `cwd` are all `/`,
#   while PostToolUse hooks of the same call start in the project. The guard below is then not found, the shell exits with
#   127, and the command runs;
# - the matchers `Bash`, `bash` and `Bash|Edit` match the tool (the letter case is ignored), `^Bash$` matches nothing, and
#   SessionStart hooks are not run.
#
# What follows for a hook author: a guard that works in a clone does not work in an unpacked archive or a fresh folder.
#
# Needs node, npm, python3 and git. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" opencode-ai@1.18.33 oh-my-opencode@4.19.4 >/dev/null
opencode=$(find "$work/node_modules" -path '*opencode-linux-*/bin/opencode' | sort | head -1)

# A stand-in for the model: it asks for one call of the tool bash, then says that it is done.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        tools = [tool["function"]["name"] for tool in body.get("tools", [])]
        if "bash" in tools and not any(message.get("role") == "tool" for message in body["messages"]):
            arguments = json.dumps({"command": "echo yes > command-ran", "description": "writes a file"})
            call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "bash", "arguments": arguments}}
            delta, end = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        else:
            delta, end = {"role": "assistant", "content": "done"}, "stop"
        choices = [[{"index": 0, "delta": delta, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": end}]]
        chunks = [{"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": c} for c in choices]
        raw = "".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
mkfifo port
python3 model.py >port &
model=$!
read -r port_number <port

session() { # NAME: one session in the directory NAME
    mkdir -p "$1/.claude/hooks" "$1-home/.config/opencode" "$1-seen"
    cat >"$1-home/.config/opencode/opencode.json" <<JSON
{"plugin": ["file://$work/node_modules/oh-my-opencode/dist/index.js"], "model": "local/m", "small_model": "local/m",
 "autoupdate": false, "permission": {"bash": "allow"},
 "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "local",
   "options": {"baseURL": "http://127.0.0.1:$port_number/v1", "apiKey": "none"},
   "models": {"m": {"name": "m", "tool_call": true, "limit": {"context": 100000, "output": 1000}}}}}}
JSON
    cat >"$1/.claude/settings.json" <<JSON
{"hooks": {
  "SessionStart": [{"hooks": [{"type": "command", "command": "touch $work/$1-seen/SessionStart"}]}],
  "PreToolUse": [
    {"matcher": "bash", "hooks": [{"type": "command", "command": "pwd > $work/$1-seen/PreToolUse"}]},
    {"matcher": "^Bash\$", "hooks": [{"type": "command", "command": "touch $work/$1-seen/expression"}]},
    {"matcher": "Bash|Edit", "hooks": [{"type": "command", "command": "\"\$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.sh"}]}],
  "PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "pwd > $work/$1-seen/PostToolUse"}]}]}}
JSON
    printf '#!/bin/sh\necho refused by the guard >&2\nexit 2\n' >"$1/.claude/hooks/guard.sh"
    chmod +x "$1/.claude/hooks/guard.sh"
    (
        cd "$1"
        env -i PATH="$PATH" HOME="$work/$1-home" OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
            OPENCODE_DISABLE_LSP_DOWNLOAD=1 DO_NOT_TRACK=1 OMO_DISABLE_POSTHOG=1 \
            timeout 300 "$opencode" run "run it" </dev/null >/dev/null 2>&1 || true
    )
    for event in SessionStart PreToolUse PostToolUse expression; do
        if [ -e "$1-seen/$event" ]; then
            place=$(cat "$1-seen/$event")
            printf '%s: %s: %s\n' "$1" "$event" "${place/#$work/…}"
        fi
    done
    printf '%s: command: %s\n' "$1" "$([ -e "$1/command-ran" ] && echo ran || echo did not run)"
}
mkdir clone folder
git init -q clone
seen=$(session clone; session folder)
printf '%s\n' "$seen"
if [ "$seen" = "clone: PreToolUse: …/clone
clone: command: did not run
folder: PreToolUse: /
folder: PostToolUse: …/folder
folder: command: ran" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
