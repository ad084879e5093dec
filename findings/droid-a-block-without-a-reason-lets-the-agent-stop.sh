#!/usr/bin/env bash
# Factory Droid 0.225.2 (`droid exec`, npm @factory/cli-linux-x64): a Stop hook that answers `block` without a reason lets
# the agent stop, and takes the refusals of all other Stop hooks with it.
#
# Expected: a Stop hook that exits with 2 keeps the agent from stopping, whatever the hooks beside it answer; a block
# without a reason blocks, too, or is ignored.
#
# Seen (28 November 2026, Linux):
# - a hook that exits with 2 alone: the model is called again with the text of stderr;
# - the same hook beside one that prints {"decision": "block", "reason": null}, before or after it: the agent stops, and
#   the text of stderr goes nowhere. `"reason": ""` does the same;
# - one hook that prints that answer and exits with 2 itself: the agent stops;
# - a reason of any other kind, `"reason": 5`: the agent goes on, and the model gets no text.
#
# What follows for a hook author: a gate at the end of a turn (tests, a list of todos) is lost as soon as a second hook
# prints a block without a reason. Give every block a text.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @factory/cli-linux-x64@0.225.2 >/dev/null
droid="$work/node_modules/@factory/cli-linux-x64/bin/droid"

# A stand-in for the model: it says that it is done, and counts how often it is asked with tools at hand.
cat >model.py <<'PY'
import http.server
import json
import threading

calls, lock = 0, threading.Lock()


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        global calls
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with lock:
            calls += bool(body.get("tools"))
            with open("calls", "w") as file:
                file.write(str(calls))
        delta = {"role": "assistant", "content": "done"}
        choices = [[{"index": 0, "delta": delta, "finish_reason": None}], [{"index": 0, "delta": {}, "finish_reason": "stop"}]]
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

mkdir -p home/.factory
cat >home/.factory/settings.json <<JSON
{"customModels": [{"model": "m", "displayName": "Mock", "baseUrl": "http://127.0.0.1:$port_number/v1", "apiKey": "none",
  "provider": "generic-chat-completion-api", "maxOutputTokens": 4096}]}
JSON
# Each hook answers the first stop only, so that a turn that goes on ends with the next one.
cat >gate.sh <<'SH'
[ -e gate-ran ] && exit 0
touch gate-ran
echo 'the tests fail' >&2
exit 2
SH
cat >mute.sh <<'SH'
[ -e mute-ran ] && exit 0
touch mute-ran
echo '{"decision": "block", "reason": null}'
SH

changed=0
# try NAME CALLS HOOK...: the number of calls of the model in a session with these Stop hooks.
try() {
    name=$1 want=$2
    shift 2
    mkdir -p "$work/$name/.factory"
    cp "$work"/*.sh "$work/$name"
    hooks=
    for hook in "$@"; do
        hooks="$hooks${hooks:+, }{\"hooks\": [{\"type\": \"command\", \"command\": \"sh $hook.sh\"}]}"
    done
    echo "{\"hooks\": {\"Stop\": [$hooks]}}" >"$work/$name/.factory/settings.json"
    before=$(cat "$work/calls" 2>/dev/null || echo 0)
    (cd "$work/$name" && env -i PATH="$PATH" HOME="$work/home" timeout 120 "$droid" exec -m custom:Mock-0 \
        --skip-permissions-unsafe hello </dev/null >out.txt 2>&1) || true
    got=$(($(cat "$work/calls" 2>/dev/null || echo 0) - before))
    if [ "$got" != "$want" ]; then
        echo "$name: the model was called $got times, not $want"
        changed=1
    fi
}

try gate 2 gate
try mute 1 mute
try gate-then-mute 1 gate mute
try mute-then-gate 1 mute gate
[ "$changed" = 0 ] || exit 1
echo "as described"
