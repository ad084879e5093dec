#!/usr/bin/env bash
# Claude Agent SDK for Python 0.2.189 (PyPI claude-agent-sdk) with a tracing library: the trace shows the command that a hook
# replaced and the result that a hook replaced. In that of Logfire, a refused call looks like one that ran.
#
# Expected: logfire 5.4.0, langsmith 0.15.1 and openinference-instrumentation-claude-agent-sdk 0.1.22 (PyPI) record each tool
# call of an agent. So a trace says what was run and what the model read, also where a hook of the program changed or refused
# the call.
#
# Seen (1 December 2026, Python 3.11, Linux), with one callback on PreToolUse and one on PostToolUse in the same program:
# - a PreToolUse callback replaces the command (`updatedInput`): all three record the command of the model, beside the output of
#   the other one. What was run is not in the span;
# - a PostToolUse callback shortens the result (`updatedToolOutput`): all three record the long one. The model reads the short
#   one;
# - a PreToolUse callback refuses the call: langsmith and openinference record an error with its reason. Logfire records a call
#   without an error and without a result, and its span lasts until the agent has finished, here longer than the call after it;
# - a command that fails is recorded as an error by all three.
# The libraries add callbacks of their own for PreToolUse and PostToolUse. All callbacks of an event get the same, unchanged
# input, and after a refusal PostToolUse is not called.
#
# What follows for a hook author: a trace is no record of what ran where hooks rewrite, and what a hook keeps from the model is
# in the trace. Log the decision in the callback itself. With Logfire, read a tool span without a result as refused.
#
# Needs python3 (3.10 or newer) with venv. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check claude-agent-sdk==0.2.189 logfire==5.4.0 langsmith==0.15.1 \
    openinference-instrumentation-claude-agent-sdk==0.1.22 >/dev/null
cat >traced.py <<'PY'
"""One run of an agent with two callbacks under one tracing library. A server in here is the model, and LangSmith's server."""
import asyncio
import http.server
import json
import os
import sys
import threading
from datetime import datetime

import claude_agent_sdk
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

library = sys.argv[1]
commands = ["echo replace-me", "echo long-result", "exit 3", "echo refuse-me", "sleep 2"]
runs = {}
told = []


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send("{}", "application/json")

    def do_PATCH(self):
        self.do_POST()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if "/runs" in self.path:
            identifier = body.get("id") or self.path.rsplit("/", 1)[-1]
            runs.setdefault(identifier, {}).update({key: value for key, value in body.items() if value})
            return self.send("{}", "application/json")
        self.model(body)

    def model(self, body):
        results = sum(part["type"] == "tool_result" for message in body["messages"] if isinstance(message["content"], list)
                      for part in message["content"])
        usage = {"input_tokens": 1, "output_tokens": 1}
        message = {"id": "msg_%d" % results, "type": "message", "role": "assistant", "model": "m", "content": [],
                   "stop_reason": None, "stop_sequence": None, "usage": usage}
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": "done"}
        call = bool(body.get("tools")) and results < len(commands)
        if body.get("tools"):
            told.append(json.dumps(body["messages"]))
        if call:
            block = {"type": "tool_use", "id": "toolu_%d" % results, "name": "Bash", "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps({"command": commands[results]})}
        end = {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}
        if not body.get("stream"):
            return self.send(json.dumps({**message, "content": [{"type": "text", "text": "done"}], **end}), "application/json")
        events = [{"type": "message_start", "message": message},
                  {"type": "content_block_start", "index": 0, "content_block": block},
                  {"type": "content_block_delta", "index": 0, "delta": delta}, {"type": "content_block_stop", "index": 0},
                  {"type": "message_delta", "delta": end, "usage": usage}, {"type": "message_stop"}]
        self.send("".join("event: %s\ndata: %s\n\n" % (event["type"], json.dumps(event)) for event in events), "text/event-stream")

    def send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
threading.Thread(target=server.serve_forever, daemon=True).start()
address = "http://127.0.0.1:%d" % server.server_address[1]

exporter = InMemorySpanExporter()
if library == "logfire":
    import logfire

    logfire.configure(send_to_logfire=False, console=False, additional_span_processors=[SimpleSpanProcessor(exporter)])
    logfire.instrument_claude_agent_sdk()
elif library == "openinference":
    from openinference.instrumentation.claude_agent_sdk import ClaudeAgentSDKInstrumentor

    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    ClaudeAgentSDKInstrumentor().instrument(tracer_provider=provider)
elif library == "langsmith":
    import langsmith
    from langsmith.integrations.claude_agent_sdk import configure_claude_agent_sdk

    client = langsmith.Client(api_url=address, api_key="none", auto_batch_tracing=False)
    langsmith.configure(client=client, enabled=True)
    configure_claude_agent_sdk()


async def before(event, tool_use_id, context):
    answer = {"hookEventName": "PreToolUse"}
    if "replace-me" in event["tool_input"]["command"]:
        answer.update(permissionDecision="allow", updatedInput={"command": "echo replacement"})
    if "refuse-me" in event["tool_input"]["command"]:
        answer.update(permissionDecision="deny", permissionDecisionReason="reason-of-the-callback")
    return {"hookSpecificOutput": answer}


async def after(event, tool_use_id, context):
    if "long-result" not in str(event["tool_response"]):
        return {}
    short = {**event["tool_response"], "stdout": "short"}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": short}}


async def session():
    os.makedirs("project", exist_ok=True)
    env = {"HOME": os.getcwd() + "/home", "IS_SANDBOX": "1", "DISABLE_AUTOUPDATER": "1", "ANTHROPIC_BASE_URL": address,
           "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ANTHROPIC_API_KEY": "none"}
    matcher = claude_agent_sdk.HookMatcher
    options = claude_agent_sdk.ClaudeAgentOptions(
        cwd="project", permission_mode="bypassPermissions", setting_sources=[], env=env,
        hooks={"PreToolUse": [matcher(matcher="Bash", hooks=[before])], "PostToolUse": [matcher(matcher="Bash", hooks=[after])]})
    async with claude_agent_sdk.ClaudeSDKClient(options) as client:
        await client.query("go")
        async for _ in client.receive_response():
            pass


def seconds(run):
    start, end = (datetime.fromisoformat(run[key]) for key in ("start_time", "end_time"))
    return (end - start).total_seconds()


def calls():
    """The tool calls of the trace: arguments, the rest of the span, error, duration."""
    if library == "langsmith":
        for run in runs.values():
            if run.get("run_type") == "tool":
                yield json.dumps(run["inputs"]), json.dumps(run.get("outputs")), run.get("error"), seconds(run)
        return
    for span in exporter.get_finished_spans():
        attributes = dict(span.attributes)
        arguments = attributes.pop("tool.parameters", attributes.pop("gen_ai.tool.call.arguments", None))
        result = attributes.get("gen_ai.tool.call.result", attributes.get("output.value", ""))
        if arguments:
            failed = span.status.status_code.name == "ERROR"
            error = str(span.status.description or attributes.get("error.type")) if failed else None
            yield arguments, result, error, (span.end_time - span.start_time) / 1e9


asyncio.run(session())
for name, command, words in [("replaced command", commands[0], ["replacement"]), ("replaced result", commands[1], ["long-result", "short"]),
                             ("failed command", commands[2], []), ("refused call", commands[3], ["reason-of-the-callback"])]:
    arguments, result, error, duration = next(call for call in calls() if command in call[0])
    found = [word for word in words if word in str(result) + str(error)]
    print("%s, %s: arguments of the model, %s%s%s" % (
        library, name, "error" if error else "no error", "".join(", has " + word for word in found),
        ", longer than the call after it" if duration > 2 else ""))
last = told[-1]
if "replacement" not in last or '"short"' not in last or "reason-of-the-callback" not in last or '"long-result"' in last:
    print("the model was told something else")
PY
run() { timeout 120 env -i PATH="$PATH" HOME="$work/home" venv/bin/python traced.py "$1"; }
seen=$(for library in logfire langsmith openinference; do run "$library"; done)
printf '%s\n' "$seen"
if [ "$seen" = "logfire, replaced command: arguments of the model, no error, has replacement
logfire, replaced result: arguments of the model, no error, has long-result
logfire, failed command: arguments of the model, error
logfire, refused call: arguments of the model, no error, longer than the call after it
langsmith, replaced command: arguments of the model, no error, has replacement
langsmith, replaced result: arguments of the model, no error, has long-result
langsmith, failed command: arguments of the model, error
langsmith, refused call: arguments of the model, error, has reason-of-the-callback
openinference, replaced command: arguments of the model, no error, has replacement
openinference, replaced result: arguments of the model, no error, has long-result
openinference, failed command: arguments of the model, error
openinference, refused call: arguments of the model, error, has reason-of-the-callback" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
