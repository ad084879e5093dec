#!/usr/bin/env python3
"""Whether hookbench says what the real programs do: random hooks, one session each, and `hookbench fire` beside it.

    npm install --prefix DIR @anthropic-ai/claude-code@2.1.329 @openai/codex@0.169.0 \
        @google/gemini-cli@0.61.0 @qwen-code/qwen-code@0.24.4
    tests/real/agree.py claude --programs DIR --bin target/debug/hookbench --count 100

Needs no key and no network: the model is a stand-in (`model.py`). A session in which they differ is printed with its
seed, and its project is kept. What two hooks that both refuse say is a race in the agent, so it is not compared; nor
is what a model that is not asked again would have been told.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

from agents import TOOL, Agent
from model import Model

MATCHERS = {
    "tool": ["*", "", "Bash", "bash", "Bash|Edit", "Edit|Write", "^Bash$", "B.*", ".*", "Bash(git *)", "(?!Bash).*",
             "run_shell_command", "^run_", "Shell", "ShellTool", "shell", "mcp__.*", "Edit, Bash", "Bash ", "[",
             "Read|Ba.h", "run_shell_command|x", " Bash | Edit", None],
    "start": ["startup", "resume", "startup|resume", "^start", "*", "", "clear", None, "Startup"],
    "other": [None, "*", "foo"],
}


def answer(chance, kind, mark, event):
    """A document as a hook could print it, right or wrong."""
    out, own = {}, {}
    if chance.random() < 0.75:
        own["hookEventName"] = event if chance.random() < 0.93 else chance.choice(["Stop", "PreToolUse", "", 3])
    if kind == "pre":
        if chance.random() < 0.6:
            words = ["allow", "deny", "ask", "deny", "allow", "block", "approve", "defer", "", None, 1, "DENY"]
            own["permissionDecision"] = chance.choice(words)
        if chance.random() < 0.6:
            own["permissionDecisionReason"] = chance.choice([f"RSN{mark}", f"RSN{mark}", "", 5])
        if chance.random() < 0.3:
            command = f"echo changed{mark} > out.txt"
            inputs = [{"command": command, "description": "x"}, {"command": command}, {}, "x", None]
            own[chance.choice(["updatedInput", "updatedInput", "tool_input"])] = chance.choice(inputs)
    if chance.random() < 0.4:
        own["additionalContext"] = chance.choice([f"CTX{mark}", f"CTX{mark}", "", None, 4])
    if chance.random() < 0.08:
        own["extraKey"] = 1
    if own and chance.random() < 0.8:
        out["hookSpecificOutput"] = own
    for share, key, values in [
        (0.3, "decision", ["block", "approve", "block", "deny", "allow", "ask", "", None, "Block", 2]),
        (0.35, "reason", [f"RSN{mark}", f"RSN{mark}", "", None]),
        (0.15, "continue", [False, False, True, "false", None, 0]),
        (0.1, "stopReason", [f"STP{mark}"]),
        (0.15, "systemMessage", [f"SYS{mark}", 3]),
        (0.1, "suppressOutput", [True, "x"]),
        (0.06, "unknownTop", [True]),
    ]:
        if chance.random() < share:
            out[key] = chance.choice(values)
    return json.dumps(out)


def script(chance, kind, mark, event, folder):
    """A hook that leaves a line where it ran, prints, complains and ends in some way."""
    case, body = chance.random(), ""
    if case < 0.62:
        body, code = answer(chance, kind, mark, event), chance.choice([0, 0, 0, 0, 0, 0, 1, 2, 3])
    elif case < 0.72:
        body, code = f"CTX{mark} plain text", chance.choice([0, 0, 1, 2])
    elif case < 0.8:
        noisy = answer(chance, kind, mark, event)
        bodies = ['{"decision":"block"', f"noise\n{noisy}", "[]", "null", '"x"', "5", "{}", "   ",
                  f"{noisy}\ntrailing", "\ufeff{}"]
        body, code = chance.choice(bodies), chance.choice([0, 0, 0, 2])
    else:
        code = chance.choice([0, 1, 2, 2, 2, 3, 126, 127, 130, 255])
    lines = ["#!/bin/sh", f'echo h{mark} >> "{folder}/ran"', "payload=$(cat)"]
    if kind == "stop":
        lines.append('case "$payload" in *stop_hook_active\\":true*|*stop_hook_active\\":\\ true*) exit 0;; esac')
    if body:
        with open(f"{folder}/hooks/h{mark}.out", "w") as file:
            file.write(body)
        lines.append(f'cat "{folder}/hooks/h{mark}.out"')
    if chance.random() < 0.5:
        lines.append(f"echo 'RSN{mark} stderr' >&2")
    return "\n".join([*lines, f"exit {code}", ""])


def hooks(chance, agent):
    """Configures some on one event, and one that keeps the payload."""
    kind = chance.choice([kind for kind in ["pre", "pre", "pre", "post", "prompt", "stop", "start"]
                          if kind in agent.events])
    event, groups = agent.events[kind], []
    pool = MATCHERS["tool"] if kind in ("pre", "post") else MATCHERS.get(kind, MATCHERS["other"])
    folder = f"{agent.project}/hooks"
    os.makedirs(folder)

    def put(name, text):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
        os.chmod(f"{folder}/{name}", 0o755)
        return {"type": "command", "command": f"{folder}/{name}"}

    for mark in range(chance.choice([1, 1, 2, 2, 3])):
        sure = ["*", TOOL[agent.name]] if kind in ("pre", "post") else ["*"]
        matcher = chance.choice(pool if chance.random() < 0.6 else sure)
        group = {} if matcher is None else {"matcher": matcher}
        handler = put(f"h{mark}.sh", script(chance, kind, mark, event, agent.project))
        if chance.random() < 0.1:
            handler["timeout"] = 5000 if agent.name == "gemini" else chance.choice([5, 5000])
        if agent.name in ("gemini", "qwen") and chance.random() < 0.3:
            group["sequential"] = True
        groups.append({**group, "hooks": [handler]})
    kept = f"{agent.project}/stdin.json"
    groups.append({"hooks": [put("keep.sh", f'#!/bin/sh\n[ -e "{kept}" ] && exec cat >/dev/null\ncat > "{kept}"\n')]})
    agent.configure(event, groups)
    return kind


def take(path):
    """What a file says, once."""
    try:
        with open(path) as file:
            text = file.read()
    except FileNotFoundError:
        return None
    os.remove(path)
    return text


def said(agent, program):
    """What hookbench makes of the same payload; it runs the same hooks."""
    options = ["--project", agent.project, "--home", agent.home, "--payload", f"{agent.project}/stdin.json"]
    command = [program, "fire", "--agent", agent.name, *options, "--format", "json", "--yes", "--headless"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=90)
    return json.loads(ended.stdout)


def marks(letters, text):
    return set(re.findall(letters + r"\d", text))


def differences(kind, agent, real, firing):
    """What is not the same, in words."""
    told, printed, ran, out = real
    everything, outcome = "".join(told), firing["outcome"]
    here = sorted(set((take(f"{agent.project}/ran") or "").split()))
    if here != ran:
        yield f"ran {ran}, hookbench {here}"
    blocked, verdict = outcome["blocked"], outcome["verdict"]
    if kind == "pre":
        if (out is None) != blocked:
            yield f"blocked {out is None}, hookbench {blocked} ({verdict})"
        new = re.search(r"changed\d", json.dumps(outcome["updated_input"]))
        if out is not None and not blocked and out.strip() != (new.group(0) if new else "real"):
            yield f"input {out.strip()}, hookbench {new and new.group(0)}"
    if kind == "prompt" and (not told) != blocked:
        yield f"prompt blocked {not told}, hookbench {blocked} ({verdict})"
    if kind == "stop" and (len(told) > 2) != blocked:
        yield f"stop blocked {len(told)} requests, hookbench {blocked} ({verdict})"
    if not outcome["continue"]:
        return
    whole = json.dumps(outcome)
    for mark in marks("CTX", outcome["additional_context"] or "") - marks("CTX", everything):
        yield f"{mark} is no context, hookbench says it is"
    for mark in marks("CTX", everything) - marks("CTX", whole):
        yield f"{mark} is told, hookbench does not say so"
    if sum(run["vote"] == "deny" for run in firing["runs"]) < 2:
        for mark in marks("RSN", everything) - marks("RSN", whole):
            yield f"{mark} is told, hookbench says {outcome['reason']!r}"
        for mark in marks("RSN", outcome["reason"] or "") if blocked else ():
            if mark not in everything + printed:
                yield f"{mark} is not told, hookbench says it is the reason"


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("agent", choices=sorted(TOOL))
    asked.add_argument("--programs", required=True, help="the folder that npm has installed them into")
    asked.add_argument("--bin", required=True, help="hookbench")
    asked.add_argument("--seed", type=int, default=1, help="the first")
    asked.add_argument("--count", type=int, default=20)
    asked.add_argument("--keep", default="target/real", help="where sessions that differ are kept")
    asked = asked.parse_args()
    agent = Agent(asked.agent, os.path.abspath(asked.programs), tempfile.mkdtemp(), Model())
    bad = left_out = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        agent.begin()
        kind = hooks(random.Random(f"{agent.name}{seed}"), agent)
        try:
            told, printed = agent.run()
        except subprocess.TimeoutExpired:
            print(f"{seed} {kind}: the session did not end", flush=True)
            left_out += 1
            continue
        ran = sorted(set((take(f"{agent.project}/ran") or "").split()))
        out = take(f"{agent.project}/out.txt")
        if not os.path.exists(f"{agent.project}/stdin.json"):
            # The program has not come to the event, so there is no payload to fire.
            left_out += 1
            continue
        firing = said(agent, asked.bin)
        found = list(differences(kind, agent, (told, printed, ran, out), firing))
        if found:
            bad += 1
            kept = f"{asked.keep}/{agent.name}-{seed}"
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(agent.project, kept)
            agent.write(kept, "case.json", {"told": told, "printed": printed, "ran": ran, "firing": firing})
            print(f"{seed} {kind}: {'; '.join(found)}", flush=True)
    print(f"{agent.name}: {asked.count - left_out} sessions, {bad} differ, {left_out} left out")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
