#!/usr/bin/env python3
"""Refuses commands after a session has run its budget of them, so that a loop ends.

Reads   session_id
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import hashlib
import json
import os
import sys

BUDGET = 200
FOLDER = os.path.join(os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state"), "agent-budgets")


def count(session):
    """Counts this command. The file grows by one byte a command, so that two at once are both counted."""
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, hashlib.sha256(session.encode()).hexdigest()[:32])
    with open(path, "ab") as file:
        file.write(b".")
    return os.path.getsize(path)


try:
    session = str(json.load(sys.stdin)["session_id"])
    number = count(session)
    reason = None
    if number > BUDGET:
        reason = f"this session has run its {BUDGET} commands; summarize what is done, and ask the user how to go on"
except (ValueError, KeyError, TypeError, OSError) as error:
    reason = f"the event cannot be counted: {error!r}"
if reason:
    {{repeat:reason}}
    print(f"refused: {reason}", file=sys.stderr)
    sys.exit(2)
