#!/usr/bin/env python3
"""Writes every command that the agent wants to run to a log, one JSON object a line. It never decides.

Reads   session_id, cwd, tool_input.command
Exit 0  always.
"""
import json
import os
import sys
import time

LOG = os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "agent-commands.jsonl")

try:
    event = json.load(sys.stdin)
    line = {"at": time.strftime("%Y-%m-%dT%H:%M:%S%z"), "session": event.get("session_id"), "directory": event.get("cwd") or os.getcwd(),
            "command": event["tool_input"]["command"]}
    os.makedirs(os.path.dirname(LOG), exist_ok=True)
    # Only the owner can read what may contain secrets.
    with open(os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
except (ValueError, KeyError, TypeError, AttributeError, OSError) as error:
    print(f"not logged: {error!r}", file=sys.stderr)
