#!/usr/bin/env python3
"""policy.py: which tools this repository has no use for.

Shows   a hook on every tool that has nearly never anything to say. It starts for each
        call, so it must be quick; and its silence is no approval.
Event   PreToolUse, matcher "*" (Gemini CLI: BeforeTool, which is answered otherwise).
Reads   tool_name, hook_event_name
Exit 0  no opinion without output; else the JSON denies.
Exit 1  the event cannot be read: the agent goes on, and the user sees stderr.
Try     tool_name "Bash" (no opinion), "mcp__payments__refund" or "NotebookEdit" (deny);
        then add "Read" to NOT_HERE, save, and fire a Read: its verdict has changed.
"""
import json
import sys

NOT_HERE = {
    "NotebookEdit": "there are no notebooks in this repository",
    "notebook_edit": "there are no notebooks in this repository",
}
NO_SERVER = ("mcp__payments__", "mcp_payments_")  # never move real money from a coding session


def objection(tool):
    if tool.startswith(NO_SERVER):
        return "payments are made by people"
    return NOT_HERE.get(tool)


try:
    event = json.load(sys.stdin.buffer)
    tool_name = event.get("tool_name") or ""
except (ValueError, AttributeError) as error:
    sys.exit(f"policy.py: cannot read this event: {error}")

why = objection(tool_name)
if why:
    reason = f"policy.py: {tool_name} is not used here: {why}."
    answer = {"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": reason,
    }}
    if event.get("hook_event_name") == "BeforeTool":
        answer = {"decision": "deny", "reason": reason}
    json.dump(answer, sys.stdout)
