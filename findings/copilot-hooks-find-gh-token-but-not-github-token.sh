#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102 (npm @github/copilot-linux-x64): a hook finds GH_TOKEN and not GITHUB_TOKEN, and with a third
# variable it finds a GITHUB_TOKEN that nobody gave it.
#
# Expected: a hook inherits the environment of the agent, as the hooks of other agents do; the agent itself takes the user's
# token from either name.
#
# Seen (29 November 2026, Linux), with a sessionStart hook that prints its environment:
# - GITHUB_TOKEN, OPENAI_API_KEY, ANTHROPIC_API_KEY, NODE_ENV and OTEL_SERVICE_NAME are not there; GH_TOKEN is;
# - with GITHUB_COPILOT_GITHUB_TOKEN=b, GITHUB_TOKEN is "b" in the hook, whatever GITHUB_TOKEN was before;
# - "env": {"GITHUB_TOKEN": "$GITHUB_TOKEN"} in the hook's definition does not bring it back: the hook finds that text itself.
#
# What follows for a hook author: a hook that asks GitHub's interface works on a laptop with GH_TOKEN and fails in a CI job
# with GITHUB_TOKEN. Read GH_TOKEN, or a name of your own.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @github/copilot-linux-x64@1.0.102 >/dev/null
copilot="$work/node_modules/@github/copilot-linux-x64/copilot"

# A stand-in for the model: it says that it is done.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}).encode(), "application/json")

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
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

# session NAME ENV VARIABLE...: keeps the environment of a hook, whose definition has this `env`, in NAME/found.
session() {
    name=$1 own=$2
    shift 2
    mkdir -p "$work/$name/home/.copilot/hooks" "$work/$name/project"
    echo "{\"version\": 1, \"hooks\": {\"sessionStart\": [{\"type\": \"command\", \"command\": \"env > ../found\", \"env\": $own}]}}" \
        >"$work/$name/home/.copilot/hooks/h.json"
    (cd "$work/$name/project" && env -i PATH="$PATH" HOME="$work/$name/home" XDG_CACHE_HOME="$work/cache" COPILOT_OFFLINE=true \
        COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port_number/v1" COPILOT_PROVIDER_API_KEY=none COPILOT_MODEL=m \
        COPILOT_AUTO_UPDATE=false "$@" timeout 150 "$copilot" -p hello --allow-all-tools </dev/null >out.txt 2>&1) || true
}

changed=0
# expect NAME VARIABLE VALUE: the value in the hook, or nothing.
expect() {
    got=$(grep "^$2=" "$work/$1/found" | head -1 || true)
    if [ "$got" != "${3:+$2=$3}" ]; then
        echo "$1: the hook finds '$got', not '${3:+$2=$3}'"
        changed=1
    fi
}

names="GITHUB_TOKEN OPENAI_API_KEY ANTHROPIC_API_KEY NODE_ENV OTEL_SERVICE_NAME"
given=()
for name in $names GH_TOKEN; do given+=("$name=a"); done
session plain '{}' "${given[@]}"
[ -s "$work/plain/found" ] || { echo "the hook did not run"; exit 1; }
for name in $names; do expect plain "$name" ''; done
expect plain GH_TOKEN a
session third '{}' GITHUB_TOKEN=a GITHUB_COPILOT_GITHUB_TOKEN=b
expect third GITHUB_TOKEN b
session own '{"GITHUB_TOKEN": "$GITHUB_TOKEN", "NODE_ENV": "test"}' GITHUB_TOKEN=a
expect own GITHUB_TOKEN '$GITHUB_TOKEN'
expect own NODE_ENV test
[ "$changed" = 0 ] || exit 1
echo "as described"
