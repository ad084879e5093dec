#!/usr/bin/env bash
# Continue CLI 1.5.47 (`cn`, npm @continuedev/cli) loads the hooks of Claude Code's settings and fires none of them.
#
# Expected: its log says "Hooks loaded: 8 handler(s) across 4 event type(s)" for `.claude/settings.json` and
# `.continue/settings.json`, and the package holds a runner with matchers, exit status 2 and permissionDecision. So a
# PreToolUse hook that exits with 2 should block the command, and each event should leave its mark.
#
# Seen (28 November 2026, Node.js 20, Linux): the hooks are counted at the start, then no event is ever sent to them. The
# command runs, and none of the eight hooks starts. The functions that fire events have no caller in this version.
#
# What follows for a hook author: a teammate who uses `cn` in a project with Claude Code hooks has no hooks, although the
# log of `cn` counts them.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @continuedev/cli@1.5.47 >/dev/null

# A stand-in for the model: it asks for one Bash call, then says that it is done.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("tools") and not any(message.get("role") == "tool" for message in body["messages"]):
            call = {"name": "Bash", "arguments": json.dumps({"command": "echo yes > command-ran"})}
            delta = {"role": "assistant", "tool_calls": [{"index": 0, "id": "c1", "type": "function", "function": call}]}
            end = "tool_calls"
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

mkdir -p home project/.claude project/.continue
for place in claude continue; do
    cat >"project/.$place/settings.json" <<JSON
{"hooks": {
  "SessionStart": [{"hooks": [{"type": "command", "command": "touch hook-$place-start"}]}],
  "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "touch hook-$place-prompt"}]}],
  "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "touch hook-$place-tool; exit 2"}]}],
  "Stop": [{"hooks": [{"type": "command", "command": "touch hook-$place-stop"}]}]}}
JSON
done
cat >config.yaml <<YAML
name: local
version: 0.0.1
schema: v1
models:
  - {name: m, provider: openai, model: m, apiBase: "http://127.0.0.1:$port_number/v1", apiKey: none, roles: [chat], capabilities: [tool_use]}
YAML

cd project
answer=$(HOME="$work/home" CONTINUE_TELEMETRY_ENABLED=0 timeout 120 \
    node "$work/node_modules/@continuedev/cli/dist/cn.js" -p "run it" --config "$work/config.yaml" --auto --verbose)
loaded=$(grep -o 'Hooks loaded: .*' "$work/home/.continue/logs/cn.log" | head -1)
started=$(find . -name 'hook-*' | wc -l)

printf 'answer: %s\nlog: %s\nhooks that started: %s\ncommand ran: %s\n' \
    "$answer" "$loaded" "$started" "$(cat command-ran 2>/dev/null || echo no)"
if [ "$loaded" = "Hooks loaded: 8 handler(s) across 4 event type(s)" ] && [ "$started" -eq 0 ] && [ -e command-ran ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
