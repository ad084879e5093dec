#!/usr/bin/env python3
"""audit.py: appends one line for each shell command to .audit/log.jsonl.

Shows   THE MATCHER MISTAKE. The script is right and is never started: its matcher is
        `bash`, and no tool has that name. The tool is called `Bash`; case counts.
        From outside, a hook that never ran looks just like one that had no objection.
Event   PreToolUse, matcher `bash` in the settings of every agent. Copilot CLI calls its
        shell `bash`, reads Claude Code's settings, and so is the one agent that starts it.
Reads   hook_event_name, tool_name, tool_input.command, session_id
Exit 0  always without output, so it never decides anything.
Exit 1  unreadable event or no place for the log: the agent goes on, and the user sees stderr.
Try     ask why it did not fire, fix the matcher, fire again, read .audit/log.jsonl.
"""
import json
import os
import sys
import time


def entry(event):
    return json.dumps({
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "event": event.get("hook_event_name"),
        "tool": event.get("tool_name"),
        "command": (event.get("tool_input") or {}).get("command"),
        "session": event.get("session_id"),
    })


def main():
    try:
        line = entry(json.load(sys.stdin.buffer))
    except (ValueError, AttributeError) as error:
        sys.exit(f"audit.py: cannot read this event: {error}")
    folder = os.path.join(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd(), ".audit")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        log = os.open(os.path.join(folder, "log.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(log, (line + "\n").encode())  # one write: two hooks at once do not mix lines
        os.close(log)
    except OSError as error:
        sys.exit(f"audit.py: {error}")


main()
