#!/usr/bin/env bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code): the model does not read one line of JSON that a prompt hook prints, it reads
# two, and it reads neither if one of them has the key `reason`.
#
# Expected: what a UserPromptSubmit hook prints is either an answer in JSON or text for the model, whatever the number of lines
# and the names of the keys in a log.
#
# Seen (29 November 2026, Linux). The hook prints a log with one JSON object in each line, and exits with 0:
# - {"level": "info", "file": "a.txt"}: taken as an answer without a known key. The model reads nothing;
# - that line and another one like it: text. The model reads both lines;
# - {"level": "info", "reason": "cache"} among them: an error, "Hook output looks like a JSON object but is not valid JSON". The
#   model reads nothing;
# - {"level": "info", "reason": 7} among them: text again, because an answer with this reason would be invalid.
# The same was seen with `continue`, `decision`, `systemMessage`, `stopReason`, `suppressOutput`, `terminalSequence` and
# `hookSpecificOutput`: one line that would be a valid answer makes the whole output an error.
#
# What follows for a hook author: print nothing but one answer on stdout, and logs on stderr or into a file.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @anthropic-ai/claude-code@2.1.332 >/dev/null
claude=$(find "$work/node_modules/@anthropic-ai" -path '*linux*' -name claude -type f | head -1)

# A stand-in for the model: it says that it is done, and keeps every request in which it may use tools.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("tools"):
            with open("told.json", "a") as file:
                file.write(json.dumps(body["messages"]) + "\n")
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
                   "stop_sequence": None, "usage": usage}
        done = {"type": "text", "text": "done"}
        if not body.get("stream"):
            whole = {**message, "content": [done], "stop_reason": "end_turn"}
            return self.answer(json.dumps(whole).encode(), "application/json")
        events = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "done"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
            {"type": "message_stop"},
        ]
        raw = "".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events)
        self.answer(raw.encode(), "text/event-stream")

    def answer(self, raw, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
mkfifo port
python3 model.py >port &
model=$!
read -r port_number <port

changed=0
# try NAME told|lost LINE...: whether the model reads the file names in what the prompt hook prints.
try() {
    name=$1 want=$2
    shift 2
    mkdir -p "$work/$name/home" "$work/$name/project/.claude"
    printf '%s\n' "$@" >"$work/$name/project/log.txt"
    echo '{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "cat log.txt"}]}]}}' \
        >"$work/$name/project/.claude/settings.json"
    : >"$work/told.json"
    (cd "$work/$name/project" && env -i PATH="$PATH" HOME="$work/$name/home" IS_SANDBOX=1 DISABLE_AUTOUPDATER=1 \
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 ANTHROPIC_BASE_URL="http://127.0.0.1:$port_number" \
        ANTHROPIC_API_KEY=sk-ant-none timeout 150 "$claude" -p hello </dev/null >out.txt 2>&1) || true
    if ! grep -q hello "$work/told.json"; then
        echo "$name: the model was not asked"
        changed=1
        return
    fi
    got=lost
    if grep -q 'a\.txt' "$work/told.json"; then got=told; fi
    if [ "$got" != "$want" ]; then
        echo "$name: the lines were $got, not $want"
        changed=1
    fi
}

line='{"level": "info", "file": "a.txt"}'
try one lost "$line"
try two told "$line" '{"level": "info", "file": "b.txt"}'
try with-a-reason lost "$line" '{"level": "info", "reason": "cache"}'
try with-a-number told "$line" '{"level": "info", "reason": 7}'
[ "$changed" = 0 ] || exit 1
echo "as described"
