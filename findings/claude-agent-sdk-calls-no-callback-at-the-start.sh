#!/usr/bin/env bash
# Claude Agent SDK 0.3.332 (npm @anthropic-ai/claude-agent-sdk, Claude Code 2.1.332): a callback for SessionStart is not
# called when a session starts or is resumed. It is called after `/clear` and after a compaction.
#
# Expected: the SDK takes callbacks for the events of settings files, and its list HOOK_EVENTS has SessionStart and
# SessionEnd. So a callback that gives context at the start of a session does what the same hook in
# `.claude/settings.json` does.
#
# Seen (30 November 2026, Node.js 20, Linux), with a settings hook and a callback for each event in one session:
# - `query()` in a new session, and with `resume`: the settings hook runs with the source `startup` or `resume`, and the model
#   reads its context. The callback is not called, so the model does not read the context of the callback. `startup()`
#   behaves like `query()`;
# - `prewarm()` and `claim()`, the third way to start a session: both are called with the source `startup`;
# - `/clear` in a session that goes on: both are called with the source `clear`, and from then on the model reads both;
# - `/compact`: both are called with the source `compact`;
# - SessionEnd at the end of the program: only the settings hook runs. With the reason `clear`, both are called.
# Nothing reports the callbacks that were not called.
#
# What follows for a hook author: give the context of a session's start on UserPromptSubmit (its callback is called), or
# in a settings hook. A test with `/clear` does not show that SessionStart works.
#
# Needs node, npm and python3. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
model=
trap '[ -z "$model" ] || kill "$model" 2>/dev/null; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
cd "$work"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @anthropic-ai/claude-agent-sdk@0.3.332 >/dev/null

# A stand-in for the model: it says that it is done, and keeps every request in which it may use tools.
cat >model.py <<'PY'
import http.server
import json


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body.get("tools"):
            with open("told.jsonl", "a") as file:
                file.write(json.dumps(body["messages"]) + "\n")
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

cat >sessions.mjs <<'JS'
import fs from "node:fs";
import { HOOK_EVENTS, prewarm, query, startup } from "@anthropic-ai/claude-agent-sdk";

const [port, work] = process.argv.slice(2);
const told = `${work}/told.jsonl`, ran = `${work}/ran.jsonl`, project = `${work}/project`, home = `${work}/home`;
const watched = ["SessionStart", "SessionEnd"];
if (!watched.every((event) => HOOK_EVENTS.includes(event))) console.log("the list of events has changed");
fs.mkdirSync(`${project}/.claude`, { recursive: true });
fs.mkdirSync(home);
// The settings hook keeps its event; at the start of a session it also prints a context for the model.
const command = `{ cat; echo; } >> ${ran}; [ "$1" != SessionStart ] || echo context-of-the-settings`;
const settings = watched.map((event) => [event, [{ hooks: [{ type: "command", command: command.replace("$1", event) }] }]]);
fs.writeFileSync(`${project}/.claude/settings.json`, JSON.stringify({ hooks: Object.fromEntries(settings) }));
const env = { PATH: process.env.PATH, HOME: home, IS_SANDBOX: "1", DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "none" };

const describe = (input) => input.hook_event_name + (input.source ? `:${input.source}` : "") +
  (input.hook_event_name === "SessionEnd" ? `:${input.reason}` : "");
const lines = (file) => fs.readFileSync(file, "utf8").trim().split("\n").filter(Boolean);

// The three ways to start a session.
const ways = {
  query: (prompt, options) => query({ prompt, options: { cwd: project, ...options } }),
  startup: async (prompt, options) => (await startup({ options: { cwd: project, ...options } })).query(prompt),
  prewarm: async (prompt, options) => (await prewarm({ options })).claim({ prompt, options: { cwd: project } }),
};

async function session(name, prompts, options = {}, way = "query") {
  fs.writeFileSync(told, "");
  fs.writeFileSync(ran, "");
  const called = [];
  async function callback(input) {
    called.push(describe(input));
    const context = { hookEventName: "SessionStart", additionalContext: "context-of-the-callback" };
    return input.hook_event_name === "SessionStart" ? { hookSpecificOutput: context } : {};
  }
  const hooks = Object.fromEntries(watched.map((event) => [event, [{ hooks: [callback] }]]));
  let next, id;
  async function* input() {
    for (const content of prompts) {
      const turn = new Promise((resolve) => (next = resolve));
      yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" };
      await turn;
    }
  }
  for await (const message of await ways[way](input(), { env, hooks, ...options })) {
    id = message.session_id ?? id;
    if (message.type === "result") next();
  }
  const last = lines(told).at(-1) ?? "";
  console.log(`${name}: settings: ${lines(ran).map((line) => describe(JSON.parse(line))).join(" ")}`);
  console.log(`${name}: callback: ${called.join(" ") || "not called"}`);
  const read = ["settings", "callback"].filter((from) => last.includes(`context-of-the-${from}`));
  console.log(`${name}: the model reads the context of: ${read.join(" ")}`);
  return id;
}
const id = await session("new", ["hello"]);
await session("resumed", ["hello again"], { resume: id });
await session("started", ["hello"], {}, "startup");
await session("prewarmed", ["hello"], {}, "prewarm");
await session("cleared", ["hello", "/clear", "hello"]);
await session("compacted", ["hello", "/compact"]);
JS
seen=$(timeout 300 node sessions.mjs "$port_number" "$work")
printf '%s\n' "$seen"
if [ "$seen" = "new: settings: SessionStart:startup SessionEnd:other
new: callback: not called
new: the model reads the context of: settings
resumed: settings: SessionStart:resume SessionEnd:other
resumed: callback: not called
resumed: the model reads the context of: settings
started: settings: SessionStart:startup SessionEnd:other
started: callback: not called
started: the model reads the context of: settings
prewarmed: settings: SessionStart:startup SessionEnd:other
prewarmed: callback: SessionStart:startup
prewarmed: the model reads the context of: settings callback
cleared: settings: SessionStart:startup SessionEnd:clear SessionStart:clear SessionEnd:other
cleared: callback: SessionEnd:clear SessionStart:clear
cleared: the model reads the context of: settings callback
compacted: settings: SessionStart:startup SessionStart:compact SessionEnd:other
compacted: callback: SessionStart:compact
compacted: the model reads the context of: settings" ]; then
    echo "as described"
else
    echo "changed: read the head of this file" >&2
    exit 1
fi
