#!/usr/bin/env python3
"""Runs an agent whose behaviour towards hooks is changed on purpose, so that a calibration must find it.

Beside this file, `agent` has the path of the real program and `change` the name of a change. For the time of the run, the
scripts of the probe's hooks or its settings are edited; hookbench predicts from the original ones. A change whose name begins
with `new-` adds something that hookbench cannot know: an event, a payload key, a tool, a variable, another limit or an answer key.
"""
import copy
import glob
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request

HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
PROJECT = os.getcwd()
HOOKS = os.path.join(os.path.dirname(PROJECT), "hooks")


def without(*keys):
    """Removes keys from an answer, at every depth."""

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inner) for key, inner in value.items() if key not in keys}
        return value

    return strip


def renamed(old, new):
    def replace(value):
        if isinstance(value, dict):
            return {key: replace(inner) for key, inner in value.items()}
        return new if value == old else value

    return replace


def answers(change):
    """Changes what hooks print, if it is JSON."""
    for path in glob.glob(f"{HOOKS}/*.stdout"):
        with open(path) as file:
            try:
                answer = json.load(file)
            except ValueError:
                continue
        yield path, json.dumps(change(answer))


def scripts(old, new):
    for path in glob.glob(f"{HOOKS}/*"):
        with open(path) as file:
            text = file.read()
        if "." not in os.path.basename(path):
            yield path, text.replace(old, new)


def settings(change):
    """Changes each settings file."""
    found = glob.glob(f"{PROJECT}/.*/settings*.json") + glob.glob(f"{os.environ['HOME']}/.*/hooks.json")
    for path in found:
        with open(path) as file:
            yield path, json.dumps(change(path, json.load(file)))


def handlers(change):
    def every(_, document):
        hooks = document.get("hooks")
        for groups in hooks.values() if isinstance(hooks, dict) else []:
            for group in groups:
                group["hooks"] = [change(handler, number) for number, handler in enumerate(group.get("hooks", []))]
        return document

    return every


def matchers(change):
    def every(_, document):
        hooks = document.get("hooks")
        for groups in hooks.values() if isinstance(hooks, dict) else []:
            for group in groups:
                if isinstance(group.get("matcher"), str):
                    group["matcher"] = change(group["matcher"])
        return document

    return every


def no_key(*keys):
    return lambda handler, _: {key: value for key, value in handler.items() if key not in keys}


SEEN = set()


def copies(handler, number):
    """Makes equal commands different."""
    command = handler.get("command", "")
    again = command in SEEN
    SEEN.add(command)
    return {**handler, "command": f"{command} #{number}" if again and not command.endswith("/keep") else command}


CHANGES = {
    "exit-1-blocks": lambda: scripts("exit 1\n", "exit 2\n"),
    "exit-2-passes": lambda: scripts("exit 2\n", "exit 1\n"),
    "contexts-are-dropped": lambda: answers(without("additionalContext")),
    "rewrites-are-dropped": lambda: answers(without("updatedInput", "tool_input")),
    "deny-allows": lambda: answers(renamed("deny", "allow")),
    "block-is-ignored": lambda: answers(without("decision")),
    "continue-is-ignored": lambda: answers(without("continue")),
    "case-is-ignored": lambda: settings(matchers(lambda text: "Bash" if text == "bash" else text)),
    "parts-match": lambda: settings(matchers(lambda text: "Bas.*" if text == "Bas" else text)),
    "copies-run": lambda: settings(handlers(copies)),
    "timeouts-are-ignored": lambda: settings(handlers(no_key("timeout"))),
    "conditions-are-ignored": lambda: settings(handlers(no_key("if"))),
    "switch-is-ignored": lambda: settings(lambda _, document: without("disableAllHooks")(document)),
    "local-file-is-ignored": lambda: settings(lambda path, document: {} if ".local." in path else document),
    "new-key": lambda: scripts('cat > "$n.stdin"', 'sed "1s/^{/{\\"brand_new_key\\": 1, /" > "$n.stdin"'),
    "new-variable": lambda: os.environ.update(BRAND_NEW_VARIABLE="1") or [],
    "new-event": lambda: fired_event() if AGENT == "qwen" else [],
    "new-tool": lambda: [],
    "new-limit": lambda: [],
    "new-answer-key": lambda: [],
    "none": lambda: [],
}

AGENT = os.path.basename(sys.argv[0])
NEW_EVENT = "TaskFailure"
NEW_TOOL = "BrandNewTool"
# Where agents write that they do not know an event.
LOGS = [".copilot/logs", ".factory/logs"]
# The settings file of an agent that has the address of its model there.
MODEL_IN_SETTINGS = ".factory/settings.json"
# The character of which the limits survey makes its first text.
FILLER = "^" * 100


def fired_event():
    """Fires the end of a turn under another name, for an agent that does not say which events it knows."""
    name = 's/"hook_event_name": *"Stop"/"hook_event_name":"%s"/' % NEW_EVENT
    return scripts('cat > "$n.stdin"', f"sed '{name}' > \"$n.stdin\"")


def with_new_tool(body):
    """A request to the model that offers one more tool."""
    tools = body.get("tools")
    if tools:
        tool = copy.deepcopy(tools[-1])
        if "functionDeclarations" in tool:
            tool["functionDeclarations"] = [{"name": NEW_TOOL}]
        elif "function" in tool:
            tool["function"]["name"] = NEW_TOOL
        else:
            tool["name"] = NEW_TOOL
        tools.append(tool)
    return body


def with_new_limit(body):
    """A request in which half of a long text is cut off."""
    return json.loads(json.dumps(body, ensure_ascii=False).replace(FILLER * 2, FILLER))


def with_new_answer_key(body):
    """A request in which the description of answers has one more key."""
    known = json.dumps('"continue": "boolean (optional)",')[1:-1]
    new = json.dumps('"brand_new_answer": "string (optional)",')[1:-1]
    return json.loads(json.dumps(body).replace(known, known + new))


REQUESTS = {"new-tool": with_new_tool, "new-limit": with_new_limit, "new-answer-key": with_new_answer_key}


class Proxy(http.server.BaseHTTPRequestHandler):
    """Passes requests on to the model, changed."""

    model = ""
    change = None

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.dumps(Proxy.change(json.loads(body))).encode()
        except ValueError:
            pass
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(Proxy.model + self.path, body or None, headers, method=self.command)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=20) as reply:
            text = reply.read()
        self.send_response(200)
        self.send_header("content-type", reply.headers["content-type"])
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_POST = do_GET = pass_on

    def log_message(self, *_):
        pass


def through_proxy(change, arguments):
    """Puts a server between the agent and its model. Returns the arguments with its address."""
    address = re.compile(r"http://127\.0\.0\.1:(?!9\b)\d+")
    texts = [*os.environ.values(), *arguments]
    settings = f"{os.environ['HOME']}/{MODEL_IN_SETTINGS}"
    if os.path.exists(settings):
        with open(settings) as file:
            texts.append(file.read())
    found = [match.group() for match in map(address.search, texts) if match]
    if not found:
        return arguments
    Proxy.model, Proxy.change = found[0], staticmethod(change)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    own = f"http://127.0.0.1:{server.server_port}"
    for name, value in list(os.environ.items()):
        os.environ[name] = value.replace(Proxy.model, own)
    if os.path.exists(settings):
        with open(settings, "w") as file:
            file.write(texts[-1].replace(Proxy.model, own))
    return [text.replace(Proxy.model, own) for text in arguments]


def run_with_event(agent, arguments):
    """Runs the agent as one that knows one more event: it does not call its name unknown, and lists it."""
    # A program that ends before its pipe is read loses the rest, so it writes to files.
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        ended = subprocess.run([agent, *arguments], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr)
        for stream, printed in ((sys.stdout, stdout), (sys.stderr, stderr)):
            printed.seek(0)
            stream.writelines(line for line in printed if not re.search(rf"\b{NEW_EVENT}\b", line))
    for path in [log for below in LOGS for log in glob.glob(f"{os.environ['HOME']}/{below}/*")]:
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(re.sub(rf"\b{NEW_EVENT}\b", "", text))
    for path in glob.glob(f"{PROJECT}/schema/v2/HooksListResponse.json"):
        with open(path) as file:
            document = json.load(file)
        document["definitions"]["HookEventName"]["enum"].append(NEW_EVENT[0].lower() + NEW_EVENT[1:])
        with open(path, "w") as file:
            json.dump(document, file)
    return ended.returncode


def main():
    with open(f"{HERE}/agent") as file:
        agent = file.read().strip()
    with open(f"{HERE}/change") as file:
        name = file.read().strip()
    change = CHANGES[name]
    before = {}
    for path, text in list(change()):
        with open(path) as file:
            before[path] = file.read()
        with open(path, "w") as file:
            file.write(text)
    arguments = sys.argv[1:]
    if name in REQUESTS:
        arguments = through_proxy(REQUESTS[name], arguments)
    if name == "new-event":
        status = run_with_event(agent, arguments)
    else:
        status = subprocess.run([agent, *arguments], stdin=subprocess.DEVNULL).returncode
    for path, text in before.items():
        if os.path.exists(path):
            with open(path, "w") as file:
                file.write(text)
    return status


if __name__ == "__main__":
    sys.exit(main())
