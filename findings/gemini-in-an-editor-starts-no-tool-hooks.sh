#!/usr/bin/env bash
# Gemini CLI 0.61.0 (npm @google/gemini-cli) in an editor (`gemini --acp`) starts half of the hooks: none before or after a tool and
# none at the start of a session, while those around a prompt, the model and the end of the session run.
#
# Expected: an editor that speaks the Agent Client Protocol starts the same program with the same settings, so the hooks of
# `settings.json` run as they do in the terminal.
#
# Seen (30 November 2026, Node.js 20, Linux), with one hook for each of these events and one call of the shell:
# - `gemini -p`: SessionStart, BeforeAgent, BeforeModel, BeforeToolSelection, AfterModel, BeforeTool, AfterTool, AfterAgent and
#   SessionEnd run. The model reads the contexts that hooks give on SessionStart, BeforeAgent and AfterTool;
# - `gemini --acp`: SessionStart, BeforeTool and AfterTool do not run, the other six do. Of the contexts, the model reads that
#   of BeforeAgent only. The editor asks its user about the call, so a hook that would have refused it has no say;
# - neither the answers to the editor nor stderr tell that hooks were left out.
#
# What follows for a hook author: give the context of a session on BeforeAgent, and format or check files on AfterAgent, if a
# teammate may work in an editor. A test in the terminal says nothing about BeforeTool there.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @google/gemini-cli@0.61.0 >/dev/null

cat >sessions.py <<'PY'
"""A model that asks for one shell command, and the same session in the terminal and in an editor."""
import http.server
import json
import os
import subprocess
import threading

work = os.getcwd()
home, project = work + "/home", work + "/project"
gemini = ["node", work + "/node_modules/@google/gemini-cli/bundle/gemini.js", "-m", "gemini-2.5-flash"]
events = ["SessionStart", "BeforeAgent", "BeforeModel", "BeforeToolSelection", "AfterModel", "BeforeTool", "AfterTool", "AfterAgent",
          "SessionEnd"]
contexts = ["SessionStart", "BeforeAgent", "AfterTool"]
told = []


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "streamGenerateContent" not in self.path:
            return self.answer(json.dumps({"totalTokens": 1}), "application/json")
        told.append(json.dumps(body["contents"]))
        part = {"text": "done"}
        if "functionResponse" not in told[-1]:
            part = {"functionCall": {"name": "run_shell_command", "args": {"command": "echo ran"}}}
        candidate = {"content": {"role": "model", "parts": [part]}, "index": 0, "finishReason": "STOP"}
        use = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        self.answer("data: %s\r\n\r\n" % json.dumps({"candidates": [candidate], "usageMetadata": use}), "text/event-stream")

    def answer(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.makedirs(home + "/.gemini")
os.makedirs(project)


def hook(event):
    answer = {}
    if event in contexts:
        answer = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": "context of " + event}}
    command = "echo %s >> %s/ran; echo '%s'" % (event, work, json.dumps(answer))
    return [{"hooks": [{"type": "command", "command": command}]}]


with open(home + "/.gemini/settings.json", "w") as file:
    json.dump({"hooks": {event: hook(event) for event in events}, "general": {"enableAutoUpdate": False},
               "security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}, file)
with open(home + "/.gemini/trustedFolders.json", "w") as file:
    json.dump({project: "TRUST_FOLDER"}, file)
env = {"PATH": os.environ["PATH"], "HOME": home, "GEMINI_API_KEY": "none", "GEMINI_CLI_NO_RELAUNCH": "true",
       "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:%d" % server.server_address[1]}


def terminal():
    subprocess.run(gemini + ["--yolo", "-p", "hello"], env=env, cwd=project, timeout=120, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def editor():
    """Sends one prompt and allows what is asked."""
    agent = subprocess.Popen(gemini + ["--acp"], env=env, cwd=project, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL)
    limit = threading.Timer(120, agent.kill)
    limit.start()

    def send(**message):
        agent.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        agent.stdin.flush()

    send(id=1, method="initialize", params={"protocolVersion": 1, "clientCapabilities": {}})
    for line in agent.stdout:
        message = json.loads(line)
        if message.get("method") == "session/request_permission":
            allow = next(option["optionId"] for option in message["params"]["options"] if option["kind"] == "allow_once")
            send(id=message["id"], result={"outcome": {"outcome": "selected", "optionId": allow}})
        elif message.get("id") == 1:
            send(id=2, method="session/new", params={"cwd": project, "mcpServers": []})
        elif message.get("id") == 2:
            prompt = [{"type": "text", "text": "hello"}]
            send(id=3, method="session/prompt", params={"sessionId": message["result"]["sessionId"], "prompt": prompt})
        elif message.get("id") == 3:
            break
    agent.stdin.close()
    agent.wait()
    limit.cancel()


for run in [terminal, editor]:
    told.clear()
    open("ran", "w").close()
    run()
    with open("ran") as file:
        ran = set(file.read().split())
    print("%s: these run: %s" % (run.__name__, " ".join(event for event in events if event in ran)))
    print("%s: these do not: %s" % (run.__name__, " ".join(event for event in events if event not in ran) or "none"))
    read = [event for event in contexts if told and "context of " + event in told[-1]]
    print("%s: the model reads the contexts of: %s" % (run.__name__, " ".join(read)))
PY
seen=$(timeout 300 python3 sessions.py)
printf '%s\n' "$seen"
if [ "$seen" = "terminal: these run: SessionStart BeforeAgent BeforeModel BeforeToolSelection AfterModel BeforeTool AfterTool AfterAgent SessionEnd
terminal: these do not: none
terminal: the model reads the contexts of: SessionStart BeforeAgent AfterTool
editor: these run: BeforeAgent BeforeModel BeforeToolSelection AfterModel AfterAgent SessionEnd
editor: these do not: SessionStart BeforeTool AfterTool
editor: the model reads the contexts of: BeforeAgent" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
