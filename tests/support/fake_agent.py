#!/usr/bin/env python3
"""An agent for tests: it asks its model, calls the shell, and lets `hookbench fire` run its hooks.

Its own name is that of the agent that it plays. `hookbench` beside it is the program that runs the hooks, and a file `fault`
beside it makes it break one rule.
"""
import json
import os
import socket
import subprocess
import sys
import urllib.request

HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
AGENT = os.path.basename(sys.argv[0])
# What the payload at the end of a turn says of the turn.
LAST_WORDS = {
    "gemini": {"prompt": "run it", "prompt_response": "All done."},
    "claude": {"last_assistant_message": "All done.", "background_tasks": [], "session_crons": []},
}.get(AGENT, {"last_assistant_message": "All done."})
EVENTS = {"pre": "PreToolUse", "post": "PostToolUse", "prompt": "UserPromptSubmit", "stop": "Stop", "start": "SessionStart"}
GEMINI = {"pre": "BeforeTool", "post": "AfterTool", "prompt": "BeforeAgent", "stop": "AfterAgent", "start": "SessionStart"}


def fault():
    try:
        with open(f"{HERE}/fault") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


FAULT = fault()


def fire(kind, **keys):
    """Runs the hooks of an event, and returns what the agent does."""
    event = (GEMINI if AGENT == "gemini" else EVENTS)[kind]
    payload = {"session_id": "s", "cwd": os.getcwd(), "hook_event_name": event, **keys}
    if FAULT == "has no hooks yet":
        return {"blocked": False, "reason": None, "additional_context": None, "updated_input": None, "continue": True}
    options = ["--project", os.getcwd(), "--home", os.environ["HOME"], "--payload", "-", "--format", "json"]
    command = [f"{HERE}/hookbench", "fire", "--agent", AGENT, *options, "--yes", "--headless"]
    ended = subprocess.run(command, input=json.dumps(payload), capture_output=True, text=True)
    document = json.loads(ended.stdout)
    outcome = document["outcome"]
    codes = [run["exit"].get("code") for run in document["runs"]]
    if FAULT == "exit-1-blocks" and 1 in codes:
        outcome["blocked"] = True
    if FAULT == "exit-2-passes" and 2 in codes:
        outcome["blocked"] = False
    if FAULT == "no-context":
        outcome["additional_context"] = None
    return outcome


def ask(url, body):
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=20) as reply:
        text = reply.read().decode()
    if "event-stream" not in reply.headers["content-type"]:
        return [json.loads(text)]
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


class Messages:
    def __init__(self):
        self.url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"

    def turn(self, told):
        messages = [{"role": role, "content": text} for role, text in told]
        events = ask(self.url, {"stream": True, "tools": [{"name": "Bash"}], "messages": messages})
        starts = [event["content_block"] for event in events if event["type"] == "content_block_start"]
        inputs = [event["delta"] for event in events if event["type"] == "content_block_delta"]
        calls = [json.loads(part["partial_json"]) for part in inputs if part["type"] == "input_json_delta"]
        return "Bash", calls[0] if starts[0]["type"] == "tool_use" else None


class ChatCompletions:
    tool = "run_shell_command"

    def __init__(self):
        self.url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"

    def turn(self, told):
        tools = [{"type": "function", "function": {"name": self.tool}}]
        messages = [{"role": role, "content": text} for role, text in told]
        events = ask(self.url, {"stream": True, "tools": tools, "messages": messages})
        calls = events[0]["choices"][0]["delta"].get("tool_calls")
        return self.tool, json.loads(calls[0]["function"]["arguments"]) if calls else None


class OwnModel(ChatCompletions):
    """A model of the user's settings."""

    tool = "Execute"

    def __init__(self):
        with open(os.environ["HOME"] + "/.factory/settings.json") as file:
            self.url = json.load(file)["customModels"][0]["baseUrl"] + "/chat/completions"


class GenerateContent:
    def __init__(self):
        self.url = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models/m:streamGenerateContent?alt=sse"

    def turn(self, told):
        roles = {"assistant": "model"}
        contents = [{"role": roles.get(role, role), "parts": [{"text": text}]} for role, text in told]
        tools = [{"functionDeclarations": [{"name": "run_shell_command"}]}]
        events = ask(self.url, {"tools": tools, "contents": contents})
        call = events[0]["candidates"][0]["content"]["parts"][0].get("functionCall")
        return "run_shell_command", call and call["args"]


class Responses:
    def __init__(self):
        options = [text for text in sys.argv if "base_url=" in text]
        self.url = options[0].split('base_url="')[1].split('"')[0] + "/responses"

    def turn(self, told):
        items = [{"type": "message", "role": role, "content": text} for role, text in told]
        events = ask(self.url, {"stream": True, "tools": [{"type": "function", "name": "exec_command"}], "input": items})
        item = [event["item"] for event in events if event["type"] == "response.output_item.done"][0]
        call = json.loads(item["arguments"]) if item["type"] == "function_call" else None
        return "Bash", call and {"command": call["cmd"]}


def break_out():
    """Writes beside itself, and connects to the server whose port is there. It goes on if it cannot."""
    try:
        with open(f"{HERE}/port") as file:
            port = int(file.read())
        with open(f"{HERE}/written", "w") as file:
            file.write("outside of the scratch directories")
    except OSError:
        pass
    try:
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
    except OSError:
        pass


def validate():
    """Names the events of a plugin that this agent does not know."""
    listed = subprocess.run([f"{HERE}/hookbench", "events", "--agent", AGENT, "--format", "json"], capture_output=True, text=True)
    known = {event["event"] for event in json.loads(listed.stdout)["agents"][0]["events"]}
    with open("hooks/hooks.json") as file:
        for name in json.load(file)["hooks"]:
            if name not in known:
                print(f"hooks: hooks.{name}: unknown hook event")
    return 0


def session():
    if sys.argv[1:2] == ["plugin"]:
        return validate()
    if FAULT == "hangs":
        # A child too, which must end with it.
        child = subprocess.Popen(["sleep", "1000"])
        try:
            with open(f"{HERE}/processes", "a") as file:
                file.write(f"{os.getpid()}\n{child.pid}\n")
        except OSError:
            # An isolated agent cannot write here.
            pass
        child.wait()
    if FAULT == "breaks out":
        break_out()
    if FAULT == "asks for a login":
        print("Please run /login", file=sys.stderr)
        return 1
    if FAULT == "asks a question":
        print("Do you trust the files in this folder? (y/n)")
        return 0 if sys.stdin.readline() else 1
    if FAULT == "prints without end":
        line = "x" * 1023 + "\n"
        for _ in range(100 * 1024):
            sys.stdout.write(line)
        return 0
    if FAULT == "exits at once":
        return 3
    models = {"claude": Messages, "qwen": ChatCompletions, "gemini": GenerateContent, "codex": Responses, "droid": OwnModel}
    model = models[AGENT]()
    fire("start", source="startup")
    # Without a terminal, this agent does not fire the event of a prompt.
    silent = {"blocked": False, "reason": None, "additional_context": None}
    outcome = silent if AGENT == "droid" else fire("prompt", prompt="run it")
    if outcome["blocked"]:
        print(outcome["reason"])
        return 1
    told = [("user", f"run it {outcome['additional_context'] or ''}")]
    for _ in range(20):
        tool, call = model.turn(told)
        told.append(("assistant", "a turn"))
        if call:
            outcome = fire("pre", tool_name=tool, tool_input=call)
            call = outcome["updated_input"] or call
            frame = "Command blocked by PreToolUse hook: " if AGENT == "codex" else ""
            result = frame + (outcome["reason"] or "refused")
            if not outcome["blocked"]:
                result = subprocess.run(call["command"], shell=True, capture_output=True, text=True).stdout
                outcome = fire("post", tool_name=tool, tool_input=call, tool_response={"stdout": result})
                result += f" {outcome['reason'] or ''}"
            told.append(("user", f"{result} {outcome['additional_context'] or ''}"))
        else:
            outcome = fire("stop", **LAST_WORDS, stop_hook_active=len(told) > 4)
            if not outcome["blocked"]:
                return 0
            # One agent tells its model the reason twice.
            told.append(("user", " ".join([outcome["reason"] or ""] * (2 if AGENT == "claude" else 1))))
        if not outcome["continue"]:
            return 0
    return 0


sys.exit(session())
