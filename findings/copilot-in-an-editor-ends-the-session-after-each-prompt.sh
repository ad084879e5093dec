#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102 (npm @github/copilot-linux-x64) in an editor (`copilot --acp`): the sessionEnd hook runs after each
# prompt, while the session goes on and sessionStart does not run again. What sessionStart has set up is gone from the second
# prompt on.
#
# Expected: an editor that speaks the Agent Client Protocol starts the same program with the same hooks. sessionStart runs once
# at the beginning and sessionEnd once at the end, as in the terminal, however many prompts there are.
#
# Seen (1 December 2026, Linux), with two prompts, a sessionStart hook that makes a folder and a sessionEnd hook that removes
# it:
# - in the terminal sessionEnd runs once, when the user leaves, with the reason `user_exit`. The folder is there at both
#   prompts;
# - in the editor it runs after the first prompt and after the second, with the reason `complete` and the same sessionId. At the
#   second prompt the folder is gone;
# - when the editor closes the session (`session/close`), no hook runs.
#
# What follows for a hook author: a server that sessionStart starts and sessionEnd stops serves the first prompt only. Let
# userPromptSubmitted set up what is missing. The reason `complete` does not tell it: `copilot -p` gives it at its only end.
#
# Needs npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @github/copilot-linux-x64@1.0.102 >/dev/null
cat >sessions.py <<'PY'
"""A model, and one session with two prompts in the terminal and in an editor."""
import fcntl
import http.server
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time

copilot, work = sys.argv[1], os.getcwd()


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send(json.dumps({"object": "list", "data": [{"id": "m", "object": "model"}]}), "application/json")

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        base, message = {"id": "x", "created": 1, "model": "m"}, {"role": "assistant", "content": "done"}
        if not body.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            return self.send(json.dumps({**base, "object": "chat.completion", "choices": [choice]}), "application/json")
        chunks = [{**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
                  for delta, reason in [(message, None), ({}, "stop")]]
        self.send("".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream")

    def send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
threading.Thread(target=server.serve_forever, daemon=True).start()
os.makedirs("home/.copilot/hooks")
os.mkdir("project")
keep = "{ cat; echo; } >> %s/ran; " % work
look = "if [ -d %s/setup ]; then echo there; else echo gone; fi >> %s/looked; " % (work, work)
commands = {"sessionStart": "mkdir %s/setup; " % work + keep, "userPromptSubmitted": look + keep, "agentStop": keep,
            "sessionEnd": "rm -rf %s/setup; " % work + keep}
with open("home/.copilot/hooks/hooks.json", "w") as file:
    hooks = {event: [{"type": "command", "command": command.strip("; ")}] for event, command in commands.items()}
    json.dump({"version": 1, "hooks": hooks}, file)
with open("home/.copilot/config.json", "w") as file:
    json.dump({"trustedFolders": [work + "/project"]}, file)
env = {"PATH": os.environ["PATH"], "HOME": work + "/home", "XDG_CACHE_HOME": work + "/cache", "TERM": "xterm-256color",
       "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:%d/v1" % server.server_address[1],
       "COPILOT_PROVIDER_API_KEY": "none", "COPILOT_MODEL": "m", "COPILOT_AUTO_UPDATE": "false"}


def ran():
    """The events of sessions and prompts that have run, and their reasons."""
    if not os.path.exists("ran"):
        return []
    with open("ran") as file:
        events = [json.loads(line) for line in file if line.strip()]
    return [("start" if "source" in event else "prompt" if "prompt" in event else "stop" if "stopReason" in event
             else "end:" + event["reason"]) for event in events]


def wait(condition, seconds=60, between=lambda: time.sleep(0.2)):
    end = time.time() + seconds
    while not condition() and time.time() < end:
        between()


def terminal():
    process, screen = pty.fork()
    if process == 0:
        os.chdir("project")
        os.execve(copilot, [copilot, "-i", "first", "--allow-all-tools"], env)
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def read():
        if select.select([screen], [], [], 0.2)[0]:
            try:
                os.read(screen, 65536)
            except OSError:
                time.sleep(0.2)

    def pause(seconds):
        wait(lambda: False, seconds, read)

    wait(lambda: ran().count("stop") == 1, 60, read)
    pause(3)
    os.write(screen, b"second")
    pause(1)
    os.write(screen, b"\r")
    wait(lambda: ran().count("stop") == 2, 60, read)
    pause(3)
    for _ in range(2):
        os.write(screen, b"\x03")
        pause(1)
    wait(lambda: any(event.startswith("end") for event in ran()), 20, read)
    try:
        os.kill(process, signal.SIGTERM)
    except ProcessLookupError:
        pass
    os.waitpid(process, 0)


def editor():
    process = subprocess.Popen([copilot, "--acp"], env=env, cwd="project", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True)

    def ask(number, method, **params):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
        process.stdin.flush()
        return next(answer for answer in map(json.loads, process.stdout) if answer.get("id") == number)["result"]

    ask(1, "initialize", protocolVersion=1, clientCapabilities={})
    session = ask(2, "session/new", cwd=work + "/project", mcpServers=[])["sessionId"]
    for number, prompt in enumerate(["first", "second"], start=3):
        ask(number, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": prompt}])
        time.sleep(3)
    ask(5, "session/close", sessionId=session)
    time.sleep(3)
    process.stdin.close()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()


for name, talk in {"terminal": terminal, "editor": editor}.items():
    for left in ("ran", "looked"):
        if os.path.exists(left):
            os.remove(left)
    subprocess.run(["rm", "-rf", "setup"], check=True)
    talk()
    with open("looked") as file:
        print("%s: %s; the folder at each prompt: %s" % (name, " ".join(ran()), " ".join(file.read().split())), flush=True)
PY
seen=$(timeout 400 python3 sessions.py "$work/node_modules/@github/copilot-linux-x64/copilot")
printf '%s\n' "$seen"
if [ "$seen" = "terminal: start prompt stop prompt stop end:user_exit; the folder at each prompt: there there
editor: start prompt stop end:complete prompt stop end:complete; the folder at each prompt: there gone" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
