#!/usr/bin/env bash
# OpenHands 1.58.2 (PyPI openhands-sdk) loads plugins of Claude Code with their hooks, but without CLAUDE_PLUGIN_ROOT: a guard
# that the plugin brings is not found, and the call runs.
#
# Expected: OpenHands reads `.claude-plugin/plugin.json` and `hooks/hooks.json`, takes the names of events from Claude Code
# (PreToolUse, Stop) and logs "Loaded hooks from …". So "${CLAUDE_PLUGIN_ROOT}"/hooks/guard.sh, as plugins write it, starts the
# plugin's script, and the script is understood as in Claude Code.
#
# Seen (30 November 2026, Python 3.12, Linux), with a plugin that is given to a conversation and a guard for every tool:
# - the variable is not set and not replaced, so the shell looks for /hooks/guard.sh and exits with 127, which is no refusal. With
#   the whole path in its place, the same guard refuses the call, and the model is told its text;
# - of the answers on stdout, {"decision": "deny"} refuses. {"decision": "block"} and `permissionDecision: "deny"` in
#   hookSpecificOutput, the two that Claude Code knows, do not;
# - SessionStart with the matcher `startup` never runs; without a matcher it does;
# - a group for SubagentStop, an event that OpenHands does not have, takes the other hooks of the file with it. One line of
#   the log tells it;
# - the event has other keys: event_type, message and working_dir for hook_event_name, prompt and cwd.
#
# What follows for a hook author: a plugin that works in Claude Code does not guard in OpenHands. Keep scripts in the project
# ("$OPENHANDS_PROJECT_DIR" is set), refuse with status 2, and give OpenHands a file with its own events only.
#
# Needs Python 3.12 or newer with venv. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
python=
for candidate in python3 python3.14 python3.13 python3.12 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
    if "$candidate" -c 'import sys, venv; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "there is no Python 3.12 or newer" >&2
    exit 1
fi
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
"$python" -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check openhands-sdk==1.58.2 >/dev/null

cat >sessions.py <<'PY'
"""A model that calls the tool `think` once, and one session for each set of hooks of a plugin."""
import http.server
import json
import os
import threading

from pydantic import SecretStr
from openhands.sdk import LLM, Agent, Conversation
from openhands.sdk.plugin import PluginSource

work = os.getcwd()
told = []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = [str(message["content"]) for message in body["messages"] if message["role"] == "tool"]
        told.extend(results)
        message, end = {"role": "assistant", "content": "done"}, "stop"
        if not results:
            call = {"name": "think", "arguments": json.dumps({"thought": "a plan"})}
            message = {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": call}]}
            end = "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": end}
        use = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        raw = json.dumps({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": use})
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
plugin = os.path.join(work, "plugin")
for directory in [plugin + "/.claude-plugin", plugin + "/hooks", work + "/project"]:
    os.makedirs(directory)
with open(plugin + "/.claude-plugin/plugin.json", "w") as file:
    json.dump({"name": "guards", "version": "1.0.0", "description": "guards"}, file)
with open(plugin + "/hooks/guard.sh", "w") as file:
    file.write("#!/bin/sh\necho refused by the guard >&2\nexit 2\n")
os.chmod(plugin + "/hooks/guard.sh", 0o755)


def group(command, **more):
    return {**more, "hooks": [{"type": "command", "command": command}]}


def session(name, **hooks):
    told.clear()
    for mark in ["after", "start", "event"]:
        if os.path.exists(mark):
            os.remove(mark)
    hooks.setdefault("PostToolUse", [group("touch %s/after" % work)])
    with open(plugin + "/hooks/hooks.json", "w") as file:
        json.dump({"hooks": hooks}, file)
    url = "http://127.0.0.1:%d/v1" % server.server_address[1]
    llm = LLM(model="openai/m", base_url=url, api_key=SecretStr("none"), usage_id="agent", num_retries=0)
    conversation = Conversation(agent=Agent(llm=llm, tools=[]), workspace=work + "/project",
                                plugins=[PluginSource(source=plugin)], visualizer=None)
    conversation.send_message("hello")
    conversation.run()
    conversation.close()
    call = "was refused" if any("refused by the guard" in text for text in told) else "ran" if told else "was not asked for"
    after = "ran" if os.path.exists("after") else "did not run"
    print("%s: the call %s; the hook after it %s" % (name, call, after))


def answer(**keys):
    return [group("echo '%s'" % json.dumps(keys))]


text = "refused by the guard"
guard = [group(plugin + "/hooks/guard.sh")]
session("variable", PreToolUse=[group('"${CLAUDE_PLUGIN_ROOT}"/hooks/guard.sh')])
session("path", PreToolUse=guard)
session("deny", PreToolUse=answer(decision="deny", reason=text))
session("block", PreToolUse=answer(decision="block", reason=text))
nested = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": text}
session("permissionDecision", PreToolUse=answer(hookSpecificOutput=nested))
session("SubagentStop", PreToolUse=guard, SubagentStop=[group("true")])
session("event", PreToolUse=[group("cat > %s/event" % work)])
with open("event") as file:
    print("event: %s" % " ".join(key for key, value in json.load(file).items() if value))
session("startup", SessionStart=[group("touch %s/start" % work, matcher="startup")])
print("SessionStart: %s" % os.path.exists("start"))
session("no matcher", SessionStart=[group("touch %s/start" % work)])
print("SessionStart: %s" % os.path.exists("start"))
PY
mkdir home
seen=$(env -i PATH="$PATH" HOME="$work/home" LITELLM_LOCAL_MODEL_COST_MAP=True OPENHANDS_SUPPRESS_BANNER=1 DO_NOT_TRACK=1 \
    timeout 300 venv/bin/python sessions.py 2>log.txt) || tail -20 log.txt
seen=$(grep -E '^(variable|path|deny|block|permissionDecision|SubagentStop|event|startup|no matcher|SessionStart):' <<<"$seen") || true
printf '%s\n' "$seen"
if [ "$seen" = "variable: the call ran; the hook after it ran
path: the call was refused; the hook after it did not run
deny: the call was refused; the hook after it did not run
block: the call ran; the hook after it ran
permissionDecision: the call ran; the hook after it ran
SubagentStop: the call ran; the hook after it did not run
event: the call ran; the hook after it ran
event: event_type tool_name tool_input session_id working_dir
startup: the call ran; the hook after it ran
SessionStart: False
no matcher: the call ran; the hook after it ran
SessionStart: True" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
