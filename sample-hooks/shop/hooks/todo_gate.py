#!/usr/bin/env python3
"""todo_gate.py: does not let the agent stop while TODO.md has open items. Once.

Shows   a stop gate that cannot loop: it looks at stop_hook_active, which is true when
        the agent goes on only because a Stop hook told it to.
Event   Stop. This event has no matcher.
Reads   stop_hook_active; the project's TODO.md
Exit 0  with JSON the agent goes on and reads the reason; without output it stops.
Exit 1  the event cannot be read: the agent stops, and the user sees stderr.
Try     fire it, then set stop_hook_active to true and fire again; then take that
        check out: the agents give up only at about eight blocks in a row.
"""
import json
import os
import sys


def open_items(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line[5:].strip() for line in file if line.startswith("- [ ]")]
    except OSError:
        return []


def main():
    try:
        again = json.load(sys.stdin.buffer).get("stop_hook_active")
    except (ValueError, AttributeError) as error:
        sys.exit(f"todo_gate.py: cannot read this event: {error}")
    if again:
        return
    items = open_items(os.path.join(os.environ.get("CLAUDE_PROJECT_DIR") or os.getcwd(), "TODO.md"))
    if items:
        reason = f"TODO.md has {len(items)} open: {'; '.join(items)}. Finish them, or say why they can wait."
        json.dump({"decision": "block", "reason": reason}, sys.stdout)


main()
