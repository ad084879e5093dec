#!/usr/bin/env bash
# GitHub Copilot CLI 1.0.102 (npm @github/copilot-linux-x64) and its SDK 1.0.14 (npm @github/copilot-sdk): an agentStop hook also
# runs when a sub-agent stops, where its block is ignored. A hook that refuses once refuses nothing if a sub-agent was used.
#
# Expected: agentStop is for the agent and subagentStop for sub-agents, and the SDK says so in words: `onAgentStop` is called for
# the top-level agent only. So a hook that blocks the first stop ("run the tests first") and allows the second keeps the
# agent working once, whether or not it used a sub-agent.
#
# Seen (30 November 2026, Linux), with one call of the tool `task`:
# - the hook runs first for the sub-agent, with agentId and parentAgentId in the event. Its block is ignored: neither the
#   sub-agent nor the agent is asked again. Then it runs for the agent, and has used up its refusal;
# - the same file as subagentStop keeps the sub-agent working;
# - a hook that does nothing where the event has a parentAgentId keeps the agent working;
# - the SDK's callbacks: `onAgentStop` is called for the sub-agent as well, and its first block is lost. There is no callback
#   for subagentStop. `onUserPromptSubmitted` is called for the sub-agent's task, and there its answer counts: what it
#   adds to the user's prompts is in the task, too.
#
# What follows for a hook author: in agentStop and `onAgentStop`, return at once if the event has a parentAgentId, and do not
# count stops before that.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --omit=optional --prefix "$work" \
    @github/copilot-linux-x64@1.0.102 @github/copilot-sdk@1.0.14 >/dev/null
copilot="$work/node_modules/@github/copilot-linux-x64/copilot"

# A stand-in for the model: it gives a task to a sub-agent, otherwise it says that it is done, and keeps what it is asked.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.answer({"object": "list", "data": [{"id": "m", "object": "model"}]})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        users = json.dumps([message["content"] for message in body["messages"] if message["role"] == "user"])
        who = "sub-agent" if "look at the files" in users else "agent"
        words = [word for word in ["run the tests first", "in English"] if word in users]
        with open("asked", "a") as file:
            file.write(" + ".join([who, *words]) + "\n")
        delta, end = {"role": "assistant", "content": "done"}, "stop"
        if who == "agent" and not any(message["role"] == "tool" for message in body["messages"]):
            task = {"agent_type": "general-purpose", "description": "looks", "prompt": "look at the files", "name": "looker"}
            call = {"id": "c1", "type": "function", "function": {"name": "task", "arguments": json.dumps(task)}}
            delta, end = {"role": "assistant", "content": None, "tool_calls": [call]}, "tool_calls"
        base = {"id": "x", "created": 1, "model": "m"}
        if not body.get("stream"):
            choice = {"index": 0, "message": delta, "finish_reason": end}
            use = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            return self.answer({**base, "object": "chat.completion", "choices": [choice], "usage": use})
        for number, call in enumerate(delta.get("tool_calls", [])):
            call["index"] = number
        parts = [(delta, None), ({}, end)]
        chunks = [{**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": part, "finish_reason": reason}]}
                  for part, reason in parts]
        self.send("".join("data: %s\n\n" % json.dumps(chunk) for chunk in chunks) + "data: [DONE]\n\n", "text/event-stream")

    def answer(self, document):
        self.send(json.dumps(document), "application/json")

    def send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
print(server.server_address[1], flush=True)
server.serve_forever()
PY
mkfifo port
python3 model.py >port &
model=$!
read -r port_number <port

cat >once.sh <<'SH'
#!/bin/sh
# Blocks the first stop that it sees. With "agent" it looks at stops of the agent itself only.
event=$(cat)
case $1$event in agent*parentAgentId*) exit 0 ;; esac
case $event in *parentAgentId*) echo sub-agent >> "$WORK/stops" ;; *) echo agent >> "$WORK/stops" ;; esac
if mkdir "$WORK/refused" 2>/dev/null; then
    echo '{"decision": "block", "reason": "run the tests first"}'
fi
SH
chmod +x once.sh

cat >session.mjs <<'JS'
import { CopilotClient, RuntimeConnection, approveAll } from "@github/copilot-sdk";
import fs from "node:fs";

const [copilot, url, work] = process.argv.slice(2);
const client = new CopilotClient({ env: process.env, workingDirectory: process.cwd(), useLoggedInUser: false,
  connection: RuntimeConnection.forStdio({ path: copilot }) });
await client.start();
let refused = false;
const hooks = {
  onUserPromptSubmitted: ({ prompt }) => ({ modifiedPrompt: `${prompt}, in English` }),
  onAgentStop: (event) => {
    fs.appendFileSync(`${work}/stops`, event.parentAgentId ? "sub-agent\n" : "agent\n");
    if (refused) return;
    refused = true;
    return { decision: "block", reason: "run the tests first" };
  },
};
const provider = { type: "openai", baseUrl: url, apiKey: "none" };
const session = await client.createSession({ model: "m", provider, hooks, onPermissionRequest: approveAll });
await session.sendAndWait({ prompt: "hello" }, 60000);
await client.stop();
JS

session() { # NAME HOOKS PROGRAM...: one session, then which stops the hook saw and whom the model heard
    name=$1
    mkdir -p "$name/home" "$name/project/.github/hooks"
    git init -q "$name/project"
    [ -z "$2" ] || echo "{\"version\": 1, \"hooks\": {$2}}" >"$name/project/.github/hooks/hooks.json"
    shift 2
    rm -rf asked stops refused
    (
        cd "$name/project"
        env -i PATH="$PATH" HOME="$work/$name/home" WORK="$work" COPILOT_OFFLINE=true COPILOT_AUTO_UPDATE=false COPILOT_MODEL=m \
            COPILOT_PROVIDER_API_KEY=none COPILOT_PROVIDER_BASE_URL="http://127.0.0.1:$port_number/v1" \
            timeout 120 "$@" </dev/null >../out.txt 2>&1 || tail -5 ../out.txt
    )
    printf '%s: stops: %s; the model hears: %s\n' "$name" "$(xargs <stops)" "$(paste -sd, asked)"
}
hook() { printf '"%s": [{"type": "command", "bash": "%s/once.sh %s"}]' "$1" "$work" "$2"; }
checks() {
    session agentStop "$(hook agentStop any)" "$copilot" -p hello --allow-all-tools --trust-folder
    session subagentStop "$(hook subagentStop any)" "$copilot" -p hello --allow-all-tools --trust-folder
    session agent-only "$(hook agentStop agent)" "$copilot" -p hello --allow-all-tools --trust-folder
    session sdk '' node "$work/session.mjs" "$copilot" "http://127.0.0.1:$port_number/v1" "$work"
}
seen=$(checks)
printf '%s\n' "$seen"
if [ "$seen" = "agentStop: stops: sub-agent agent; the model hears: agent,sub-agent,agent
subagentStop: stops: sub-agent sub-agent; the model hears: agent,sub-agent,sub-agent + run the tests first,agent
agent-only: stops: agent agent; the model hears: agent,sub-agent,agent,agent + run the tests first
sdk: stops: sub-agent agent; the model hears: agent + in English,sub-agent + in English,agent + in English" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
