#!/usr/bin/env bash
# Hermes Agent 0.19.0 (PyPI hermes-agent): `hermes hooks test` accepts an answer on an event whose answers the agent drops.
#
# Expected: `hermes hooks test EVENT` is the program's own trial of a hook. It says "hook contributed nothing to the
# dispatcher" where an answer has no effect, and otherwise how it was understood. So a context that it shows as understood
# should reach the model.
#
# Seen (29 November 2026, Python 3.11, Linux): for the same answer {"context": …} it prints `parsed (Hermes wire shape)` on
# `on_session_start` and on `pre_llm_call`, word for word alike. In a session the model is told the context of
# `pre_llm_call` only; the hook of `on_session_start` starts, too, and its
# context is dropped.
#
# What follows for a hook author: give a context on `pre_llm_call` (its payload says `is_first_turn`), and do not take the
# trial for a proof that the event can give one.
#
# Needs python3 (3.11 to 3.13) with venv. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check hermes-agent==0.19.0
hermes="$work/venv/bin/hermes"

# A stand-in for the model: it says that it is done, and keeps what it was told.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("told", "ab") as told:
            told.write(body + b"\n")
        whole = json.loads(body).get("stream")
        message = {"role": "assistant", "content": "done"}
        reply = {"id": "x", "created": 1, "model": "m"}
        if whole:
            parts = [{"index": 0, "delta": message, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": "stop"}]
            chunks = [json.dumps({**reply, "object": "chat.completion.chunk", "choices": [part]}) for part in parts]
            raw, kind = "".join(f"data: {chunk}\n\n" for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream"
        else:
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            raw, kind = json.dumps({**reply, "object": "chat.completion", "choices": [choice]}), "application/json"
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

export HOME="$work/home"
mkdir -p "$HOME/.hermes" project
cat >context.py <<PY
import json
import sys

sys.stdin.read()
open("$work/started-" + sys.argv[1], "w").close()
print(json.dumps({"context": sys.argv[1]}))
PY
cat >"$HOME/.hermes/config.yaml" <<YAML
model:
  provider: custom
  default: m
  base_url: http://127.0.0.1:$port_number/v1
  api_key: none
  context_length: 128000
hooks:
  on_session_start:
    - command: "python3 $work/context.py FROM_THE_START"
  pre_llm_call:
    - command: "python3 $work/context.py FROM_THE_CALL"
YAML

understood() { "$hermes" hooks test "$1" 2>&1 | grep -o 'parsed.*' | head -1; }
start=$(understood on_session_start)
call=$(understood pre_llm_call)
rm -f started-*
(cd project && timeout 180 "$hermes" chat -Q --yolo --accept-hooks -q "say done" >/dev/null 2>&1) || true
told() { [ -e "started-$1" ] && grep -q "$1" told && echo yes || { [ -e "started-$1" ] && echo no || echo "not started"; }; }
seen="hooks test on_session_start: $start
hooks test pre_llm_call: $call
the model was told the context of on_session_start: $(told FROM_THE_START)
the model was told the context of pre_llm_call: $(told FROM_THE_CALL)"
wanted='hooks test on_session_start: parsed (Hermes wire shape): {"context": "FROM_THE_START"}
hooks test pre_llm_call: parsed (Hermes wire shape): {"context": "FROM_THE_CALL"}
the model was told the context of on_session_start: no
the model was told the context of pre_llm_call: yes'
echo "$seen"
if [ "$seen" = "$wanted" ]; then
    echo "as described"
else
    diff <(echo "$wanted") <(echo "$seen") || true
    exit 1
fi
