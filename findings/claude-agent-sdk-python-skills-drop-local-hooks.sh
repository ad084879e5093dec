#!/usr/bin/env bash
# Claude Agent SDK for Python 0.2.189 (PyPI claude-agent-sdk, Claude Code 2.1.332): a program that sets the option `skills` loses
# the hooks of `.claude/settings.local.json`. The SDK for JavaScript, with the same Claude Code, keeps them.
#
# Expected: `skills` says which skills the model is shown. Hooks come from the settings files, all of which are read where
# `setting_sources` is not set; so `skills` changes nothing about hooks, and both SDKs start the same ones.
#
# Seen (30 November 2026, Python 3.11, Node.js 20, Linux), with a Stop hook in the user's, the project's and the local settings:
# - Python without `skills`: all three run;
# - Python with `skills="all"`, with `skills=["pdf"]` and even with `skills=[]`, which shows no skill: the hooks of the user and
#   of the project run, the local one does not;
# - Python with `skills="all"` and `setting_sources=["user", "project", "local"]`: all three run;
# - JavaScript (npm @anthropic-ai/claude-agent-sdk 0.3.332) on the same program: all three run, with each of these values.
#
# What follows for a hook author: hooks of one's own that are tried out in settings.local.json stop without a word once
# the program around the agent names its skills. Give `setting_sources` with it.
#
# Needs node, npm and python3 with venv. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check claude-agent-sdk==0.2.189 >/dev/null
# Without its own copy of Claude Code: it starts the one that the other package brings.
npm install --silent --no-audit --no-fund --ignore-scripts --omit=optional --prefix "$work" \
    @anthropic-ai/claude-agent-sdk@0.3.332 >/dev/null
claude=$(find "$work/venv" -path '*claude_agent_sdk/_bundled/claude' -type f)

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

mkdir -p home/.claude project/.claude
hook() { # FILE NAME
    printf '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "echo %s >> %s/ran"}]}]}}' "$2" "$work" >"$1"
}
hook home/.claude/settings.json user
hook project/.claude/settings.json project
hook project/.claude/settings.local.json local

cat >session.py <<'PY'
import asyncio
import json
import sys

from claude_agent_sdk import ClaudeAgentOptions, query


async def session():
    options = ClaudeAgentOptions(cwd="project", **json.loads(sys.argv[1]))
    async for _ in query(prompt="hello", options=options):
        pass

asyncio.run(session())
PY
cat >session.mjs <<'JS'
import { query } from "@anthropic-ai/claude-agent-sdk";

const options = { cwd: "project", pathToClaudeCodeExecutable: process.argv[3], ...JSON.parse(process.argv[2]) };
for await (const _ of query({ prompt: "hello", options }));
JS

changed=0
check() { # EXPECTED PROGRAM...: whose Stop hooks run in one session
    want=$1
    shift
    : >ran
    env -i PATH="$PATH" HOME="$work/home" IS_SANDBOX=1 DISABLE_AUTOUPDATER=1 CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1 \
        ANTHROPIC_BASE_URL="http://127.0.0.1:$port_number" ANTHROPIC_API_KEY=none timeout 120 "$@" >out.txt 2>&1 || cat out.txt
    got=$(sort ran | xargs)
    printf '%s %s: %s\n' "${2##*.}" "$3" "$got"
    [ "$got" = "$want" ] || changed=1
}
python() { check "$1" venv/bin/python session.py "$2"; }
javascript() { check "$1" node session.mjs "$2" "$claude"; }
python 'local project user' '{}'
python 'project user' '{"skills": "all"}'
python 'project user' '{"skills": ["pdf"]}'
python 'project user' '{"skills": []}'
python 'local project user' '{"skills": "all", "setting_sources": ["user", "project", "local"]}'
javascript 'local project user' '{}'
javascript 'local project user' '{"skills": "all"}'
javascript 'local project user' '{"skills": ["pdf"]}'
javascript 'local project user' '{"skills": []}'
if [ "$changed" = 0 ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
