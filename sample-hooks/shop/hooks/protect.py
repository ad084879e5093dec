#!/usr/bin/env python3
"""protect.py: keeps agents out of .env, where the private keys are.

Shows   the other way to say no: exit 0 and a JSON decision on stdout, here "deny"
        when .env would be written and "ask" when a command names it.
Event   PreToolUse, matcher "Bash|Edit|Write", a list of exact names (Qwen Code: an
        anchored pattern, "^(run_shell_command|edit|write_file)$").
Reads   tool_input.file_path, tool_input.command
Exit 0  the JSON decides; no output is no opinion. Where nobody is there, "ask" refuses.
Exit 2  the event cannot be read: refused, on purpose.
Try     Edit with file_path "/shop/.env" (deny), Bash `cat .env` (ask); then write
        "Deny" for "deny": Claude Code rejects the answer, and the edit goes through.
"""
import json
import re
import sys

# .env, .env.local and so on, but not .env.example
PRIVATE = re.compile(r"(?:^|[\s/\"'=<>:;|&(])(\.env(?!\.example\b)(?:\.\w+)*)(?![\w.-])")


def decide(tool_input):
    path = tool_input.get("file_path") or ""
    if PRIVATE.search(path):
        return "deny", "protect.py: .env is private. Put new settings into .env.example."
    command = tool_input.get("command") or ""
    if PRIVATE.search(command):
        return "ask", "protect.py: this command names .env, where the private keys are."
    return None


def main():
    try:
        decision = decide(json.load(sys.stdin.buffer).get("tool_input") or {})
    except (ValueError, AttributeError, TypeError):
        print("refusing: protect.py cannot read this event", file=sys.stderr)
        sys.exit(2)
    if decision:
        json.dump({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": decision[0],
            "permissionDecisionReason": decision[1],
        }}, sys.stdout)


main()
