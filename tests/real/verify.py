#!/usr/bin/env python3
"""Whether `fire --verify` agrees with the real programs, and leaves nothing behind: mixed firings of one agent.

    npm install --prefix DIR @anthropic-ai/claude-code @openai/codex @google/gemini-cli @qwen-code/qwen-code \
        @github/copilot @factory/cli-linux-x64
    tests/real/verify.py claude --programs DIR --bin target/debug/hookbench [--only TEXT]

Needs no key and no network. For each firing it prints the verdict, AGREES or DIFFERS with the first difference, and the time. It
compares the files of the project, of the home directory and of the directories beside them before and after, and looks for
processes that are left. The exit status is 1 if a firing differs, is not verified, or leaves something.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from agents import Agent

TOOLS = {
    "claude": {
        "shell": ("Bash", {"command": "echo real > out.txt", "description": "d"}),
        "edit": ("Edit", {"file_path": "{p}/a.txt", "old_string": "old", "new_string": "new"}),
        "write": ("Write", {"file_path": "{p}/b.txt", "content": "text\n"}),
        "read": ("Read", {"file_path": "{p}/a.txt"}),
    },
    "qwen": {
        "shell": ("run_shell_command", {"command": "echo real > out.txt", "description": "d", "is_background": False}),
        "edit": ("edit", {"file_path": "{p}/a.txt", "old_string": "old", "new_string": "new"}),
        "write": ("write_file", {"file_path": "{p}/b.txt", "content": "text\n"}),
        "read": ("read_file", {"file_path": "{p}/a.txt"}),
    },
    "gemini": {
        "shell": ("run_shell_command", {"command": "echo real > out.txt", "description": "d"}),
        "edit": ("replace", {"file_path": "{p}/a.txt", "old_string": "old", "new_string": "new", "instruction": "i"}),
        "write": ("write_file", {"file_path": "{p}/b.txt", "content": "text\n"}),
        "read": ("read_file", {"file_path": "{p}/a.txt"}),
    },
    "codex": {
        "shell": ("Bash", {"command": "echo real > out.txt"}),
        "edit": ("apply_patch", {"command": "*** Begin Patch\n*** Update File: a.txt\n@@\n-old\n+new\n*** End Patch"}),
        "write": ("apply_patch", {"command": "*** Begin Patch\n*** Add File: b.txt\n+text\n*** End Patch"}),
        "read": ("Bash", {"command": "cat a.txt"}),
    },
    "copilot": {
        "shell": ("Bash", {"command": "echo real > out.txt", "description": "d"}),
        "edit": ("Edit", {"path": "{p}/a.txt", "old_str": "old", "new_str": "new"}),
        "write": ("Write", {"path": "{p}/b.txt", "file_text": "text\n"}),
        "read": ("Read", {"path": "{p}/a.txt"}),
    },
    "droid": {
        "shell": ("Execute", {"command": "echo real > out.txt", "riskLevelReason": "d", "riskLevel": "low"}),
        "edit": ("Edit", {"file_path": "{p}/a.txt", "old_str": "old", "new_str": "new", "change_all": False}),
        "write": ("Create", {"file_path": "{p}/b.txt", "content": "text\n"}),
        "read": ("Read", {"file_path": "{p}/a.txt"}),
    },
}
GEMINI = {"pre": "BeforeTool", "post": "AfterTool", "prompt": "BeforeAgent", "stop": "AfterAgent", "start": "SessionStart"}
OTHERS = {
    "pre": "PreToolUse", "post": "PostToolUse", "prompt": "UserPromptSubmit", "stop": "Stop", "start": "SessionStart",
}


def decision(agent, event, word, reason):
    """The answer by which a hook decides about a tool."""
    if agent == "gemini":
        return {"decision": word, "reason": reason}
    own = {"hookEventName": event, "permissionDecision": word, "permissionDecisionReason": reason}
    return {"hookSpecificOutput": own}


def context(event, text):
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def rewrite(agent, event, tool_input):
    if agent == "gemini":
        return {"hookSpecificOutput": {"hookEventName": event, "tool_input": tool_input}}
    own = {"hookEventName": event, "permissionDecision": "allow", "updatedInput": tool_input}
    return {"hookSpecificOutput": own}


def cases(agent):
    """The firings: a name, the kind of event, the kind of tool, and hooks with what they do."""
    events = GEMINI if agent == "gemini" else OTHERS
    pre, post, prompt, start = (events[kind] for kind in ("pre", "post", "prompt", "start"))
    changed = {**TOOLS[agent]["shell"][1], "command": "echo changed > out.txt"}
    # A hook: what it prints, its exit status, what it prints on stderr, more keys of its handler, its matcher.
    hook = lambda out=None, code=0, err="", **more: {"out": out, "code": code, "err": err, **more}
    second = 1000 if agent in ("gemini", "qwen") else 1
    return [
        ("passes", "pre", "shell", [hook()]),
        ("exit 2", "pre", "shell", [hook(code=2, err="NO: rule 7 forbids it")]),
        ("exit 1", "pre", "shell", [hook(code=1, err="a failing hook")]),
        ("deny", "pre", "shell", [hook(decision(agent, pre, "deny", "NO: rule 8 forbids it"))]),
        ("ask", "pre", "shell", [hook(decision(agent, pre, "ask", "a user has to look at it"))]),
        ("allow", "pre", "shell", [hook(decision(agent, pre, "allow", "harmless enough"))]),
        ("context", "pre", "shell", [hook(context(pre, "remember the rule 9"))]),
        ("rewrite", "pre", "shell", [hook(rewrite(agent, pre, changed))]),
        ("passes and denies", "pre", "shell", [hook(), hook(decision(agent, pre, "deny", "the second one forbids it"))]),
        ("two contexts", "pre", "shell", [hook(context(pre, "the first text")), hook(context(pre, "the second text"))]),
        ("timeout", "pre", "shell", [hook(sleep=20, timeout=second)]),
        ("missing script", "pre", "shell", [hook(missing=True)]),
        ("another matcher", "pre", "shell", [hook(matcher="NoSuchTool", code=2, err="never"), hook(matcher="*")]),
        ("invalid answer", "pre", "shell", [hook('{"decision": "block"')]),
        ("continue false", "pre", "shell", [hook({"continue": False, "stopReason": "the end of it"})]),
        ("edit, exit 2", "pre", "edit", [hook(code=2, err="NO: this file stays")]),
        ("edit passes", "pre", "edit", [hook()]),
        ("write, deny", "pre", "write", [hook(decision(agent, pre, "deny", "NO: no new files"))]),
        ("write passes", "pre", "write", [hook()]),
        ("read passes", "pre", "read", [hook()]),
        ("read, exit 2", "pre", "read", [hook(code=2, err="NO: it is a secret")]),
        ("three hooks", "pre", "shell", [hook(), hook(code=1, err="broken"), hook(decision(agent, pre, "allow", "fine with it"))]),
        ("after, context", "post", "shell", [hook(context(post, "a text after the tool"))]),
        ("after, exit 2", "post", "shell", [hook(code=2, err="the result is wrong")]),
        ("after, block", "post", "shell", [hook({"decision": "block", "reason": "look at the result again"})]),
        ("prompt passes", "prompt", None, [hook()]),
        ("prompt, exit 2", "prompt", None, [hook(code=2, err="no such prompts")]),
        ("prompt, block", "prompt", None, [hook({"decision": "block", "reason": "ask for something else"})]),
        ("prompt, context", "prompt", None, [hook(context(prompt, "the user means well"))]),
        ("prompt, plain text", "prompt", None, [hook("plain words of a hook")]),
        ("stop passes", "stop", None, [hook()]),
        ("stop, blocked once", "stop", None, [hook(once=True, code=2, err="go on and test it")]),
        ("stop, answer", "stop", None, [hook({"decision": "block", "reason": "write a test first"}, once=True)]),
        ("start passes", "start", None, [hook()]),
        ("start, context", "start", None, [hook(context(start, "the project is old"))]),
        ("start fails", "start", None, [hook(code=1, err="a failing start")]),
    ]


def write_hook(folder, number, hook):
    """A script, and the handler that runs it."""
    path = f"{folder}/h{number}.sh"
    lines = ["#!/bin/sh", "payload=$(cat)"]
    if hook.get("once"):
        lines.append('case "$payload" in *stop_hook_active\\":true*|*stop_hook_active\\":\\ true*) exit 0;; esac')
    if hook.get("sleep"):
        lines.append(f"sleep {hook['sleep']}")
    if hook["out"] is not None:
        text = hook["out"] if isinstance(hook["out"], str) else json.dumps(hook["out"])
        lines.append(f"cat <<'EOF'\n{text}\nEOF")
    if hook["err"]:
        lines.append(f"echo '{hook['err']}' >&2")
    if not hook.get("missing"):
        with open(path, "w") as file:
            file.write("\n".join([*lines, f"exit {hook['code']}", ""]))
        os.chmod(path, 0o755)
    handler = {"type": "command", "command": path}
    if "timeout" in hook:
        handler["timeout"] = hook["timeout"]
    return {**({"matcher": hook["matcher"]} if "matcher" in hook else {}), "hooks": [handler]}


def tree(root):
    """Every file below a directory, with its content, its permissions and its time."""
    found = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            about = os.lstat(path)
            content = ""
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    content = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, root)] = (about.st_mode, about.st_mtime_ns if content else 0, content)
    return found


def processes():
    """Processes of a verification."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout
    return [line for line in listed.splitlines() if "hookbench-verify-" in line]


def scratch():
    return [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("hookbench-verify-")]


class NoModel:
    url = "http://127.0.0.1:9"


def run(args, case, number):
    name, kind, tool, hooks = case
    root = tempfile.mkdtemp(prefix=f"real-{args.agent}-")
    agent = Agent(args.agent, args.programs, root, NoModel)
    agent.begin()
    with open(f"{agent.project}/a.txt", "w") as file:
        file.write("old\n")
    events = GEMINI if args.agent == "gemini" else OTHERS
    event, folder = events[kind], f"{agent.project}/hooks"
    os.makedirs(folder)
    agent.configure(event, [write_hook(folder, at, hook) for at, hook in enumerate(hooks)])
    if args.agent == "qwen":
        trust = {agent.project: "TRUST_FOLDER"}
        agent.write(agent.home, ".qwen/trustedFolders.json", trust)
    os.makedirs(f"{root}/beside")
    state = tempfile.mkdtemp(prefix="real-state-")
    path = f"{Agent.path(args.programs)}:{os.environ['PATH']}"
    env = {**os.environ, "HOME": agent.home, "PATH": path, "XDG_STATE_HOME": state, "XDG_DATA_HOME": state,
           "XDG_CONFIG_HOME": state, "XDG_CACHE_HOME": state, "XDG_RUNTIME_DIR": state}
    command = [args.bin, "fire", event, "--agent", args.agent, "--project", agent.project, "--yes", "--verify",
               "--format", "json"]
    if tool:
        tool_name, tool_input = TOOLS[args.agent][tool]
        command += ["--tool", tool_name, "--input", json.dumps(tool_input).replace("{p}", agent.project)]
    if kind == "prompt":
        command += ["--set", "prompt=tell me about rule 7"]
    before, started = tree(root), time.monotonic()
    ended = subprocess.run(command, env=env, capture_output=True, text=True, timeout=180)
    seconds, after = time.monotonic() - started, tree(root)
    try:
        document = json.loads(ended.stdout)
    except ValueError:
        print(f"{number:2} {name:22} no document: {ended.stderr.strip()[:200]}")
        return False
    verified = document["verified"]
    left = sorted(set(before.items()) ^ set(after.items()))
    word = {True: "AGREES", False: "DIFFERS", None: "NOT VERIFIED"}[verified["agrees"]]
    ran = ",".join(run["exit"] or "ended" for run in verified["runs"])
    outcome = document["outcome"]
    print(f"{number:2} {name:22} {event:17} {tool or '':6} {outcome['verdict']:13} "
          f"blocked {str(outcome['blocked']):5} there {str(verified['blocked']):5} {ran:16} {word:8} {seconds:5.1f} s")
    for difference in verified["differences"]:
        print(f"      {difference['aspect']}: here {difference['predicted'][:160]!r}, there {difference['seen'][:160]!r}")
    if verified.get("why"):
        print(f"      {verified['why'][:300]}")
    if args.verbose:
        print(json.dumps({key: verified[key] for key in ("told_the_model", "tool_input", "notes")}, indent=1)[:1500])
    if left:
        print(f"      changed files: {[name for name, _ in left][:6]}")
    if not args.shared and (processes() or scratch()):
        print(f"      left: {processes()[:3]} {scratch()[:3]}")
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(state, ignore_errors=True)
    clean = args.shared or not (processes() or scratch())
    return verified["agrees"] is True and not left and clean and ended.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", choices=sorted(TOOLS))
    parser.add_argument("--programs", required=True, help="where npm has put the program")
    parser.add_argument("--bin", default="target/debug/hookbench")
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--shared", action="store_true", help="other verifications run at the same time")
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    # `droid exec` does not announce its prompt.
    fires = {kind for kind in OTHERS if (args.agent, kind) != ("droid", "prompt")}
    possible = [case for case in cases(args.agent) if case[1] in fires]
    chosen = [(number, case) for number, case in enumerate(possible, 1) if args.only in case[0]]
    results = [run(args, case, number) for number, case in chosen]
    print(f"{args.agent}: {sum(results)} of {len(results)} agree and leave nothing")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
