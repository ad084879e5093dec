#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102 (npm @github/copilot-linux-x64): the answers of several prompt hooks become one, key by key, so two
# hooks that each say half of "answer the prompt yourself" keep the prompt from the model together, and a third one lets it
# through again.
#
# Expected: a userPromptSubmitted hook that answers {"handled": true, "responseContent": "TEXT"} answers the prompt: its text
# is shown and the model is not called. Other hooks of the event decide for themselves.
#
# Seen (28 November 2026, Linux):
# - {"handled": true, "responseContent": "A"} alone: the model is not called;
# - {"handled": true} in one hook and {"responseContent": "A"} in another: the model is not called, in either order;
# - the complete answer, then {"handled": false}, {"handled": null}, {"responseContent": ""} or {"responseContent": 5} of a
#   later hook: the model is called;
# - {"responseContent": "B"} of a later hook replaces the text.
#
# What follows for a hook author: a filter that answers prompts itself counts only if no later hook prints one of the two keys,
# also as false, null or empty. Print neither key unless you mean it.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @github/copilot-linux-x64@1.0.102 >/dev/null
copilot="$work/node_modules/@github/copilot-linux-x64/copilot"

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

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode(), "application/json")

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
# try NAME CALLS ANSWER...: the number of calls of the model in a session whose prompt hooks print these answers.
try() {
    name=$1 want=$2
    shift 2
    mkdir -p "$work/$name/home/.copilot/hooks" "$work/$name/project"
    hooks=
    for answer in "$@"; do
        number=$((${number:-0} + 1))
        echo "$answer" >"$work/$name/project/$number.json"
        hooks="$hooks${hooks:+, }{\"type\": \"command\", \"command\": \"cat $number.json\"}"
    done
    echo "{\"version\": 1, \"hooks\": {\"userPromptSubmitted\": [$hooks]}}" >"$work/$name/home/.copilot/hooks/h.json"
    before=$(cat "$work/calls" 2>/dev/null || echo 0)
    (cd "$work/$name/project" && env -i PATH="$PATH" HOME="$work/$name/home" XDG_CACHE_HOME="$work/cache" COPILOT_OFFLINE=true \
        COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port_number/v1" COPILOT_PROVIDER_API_KEY=none COPILOT_MODEL=m \
        COPILOT_AUTO_UPDATE=false timeout 150 "$copilot" -p hello --allow-all-tools </dev/null >out.txt 2>&1) || true
    got=$(($(cat "$work/calls" 2>/dev/null || echo 0) - before))
    if [ "$got" != "$want" ]; then
        echo "$name: the model was called $got times, not $want"
        changed=1
    fi
}

whole='{"handled": true, "responseContent": "A"}'
try silent 1 '{}'
try whole 0 "$whole"
try halves 0 '{"handled": true}' '{"responseContent": "A"}'
try taken-back 1 "$whole" '{"handled": false}'
try emptied 1 "$whole" '{"responseContent": ""}'
[ "$changed" = 0 ] || exit 1
echo "as described"
