#!/usr/bin/env python3
"""protect.py: keeps agents out of .env, where the private keys are.

Shows   the other way to say no: exit 0 and a JSON decision on stdout, here "deny"
        when .env would be written and "ask" when a command names it.
Event   PreToolUse, matcher "Bash|Edit|Write", a list of exact names (Qwen Code: an
        anchored pattern, "^(run_shell_command|edit|write_file)$"). Copied into
        Gemini CLI's settings, whose tools are all called otherwise, it never matches.
Reads   tool_input.file_path, tool_input.command (Codex: the whole patch), turn_id
Exit 0  the JSON decides; no output is no opinion. Without a user "ask" refuses, except
        in Droid, which then runs the tool.
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


def answer(event, decision, reason):
    if event.get("hook_event_name") == "BeforeTool":  # Gemini CLI reads these keys only
        return {"decision": decision, "reason": reason}
    if "turn_id" in event:  # Codex cannot ask: it would drop the answer and run the command
        decision = "deny"
    return {"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }}


def main():
    try:
        event = json.load(sys.stdin.buffer)
        decision = decide(event.get("tool_input") or {})
    except (ValueError, AttributeError, TypeError):
        print("refusing: protect.py cannot read this event", file=sys.stderr)
        sys.exit(2)
    if decision:
        json.dump(answer(event, *decision), sys.stdout)


main()
