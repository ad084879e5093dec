#!/usr/bin/env python3
"""changelog.py: after a commit, reminds the model of CHANGELOG.md.

Shows   an `if` condition: the matcher picks the tool, `if` picks the command, and the
        process starts only when both hold.
Event   PostToolUse, matcher Bash, if "Bash(git commit *)". Qwen Code does not look at
        `if` here and starts it for every command, so the script looks for itself.
Reads   tool_input.command
Exit 0  with JSON the model reads the reminder; without output nothing happens.
Exit 1  the event cannot be read: the agent goes on, and the user sees stderr.
Try     `git commit -m "Fix tax"`, `make && git commit -m x`, `git status`.
"""
import json
import re
import sys

try:
    command = (json.load(sys.stdin.buffer).get("tool_input") or {}).get("command") or ""
except (ValueError, AttributeError) as error:
    sys.exit(f"changelog.py: cannot read this event: {error}")

if re.search(r"\bgit\s+commit\b", command):
    json.dump({"hookSpecificOutput": {
        "hookEventName": "PostToolUse",
        "additionalContext": "changelog.py: if customers will notice this commit, add a line to CHANGELOG.md.",
    }}, sys.stdout)
