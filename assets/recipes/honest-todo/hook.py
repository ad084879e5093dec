#!/usr/bin/env python3
"""Keeps the agent from stopping while TODO.md has open points. It asks once.

Reads   stop_hook_active
Exit 0  nothing is open, or there is no TODO.md.
Exit 2  the agent continues, and the model reads the open points on stderr.
"""
import json
import os
import re
import sys

{{project}}
FILE = "TODO.md"


def objection():
    try:
        text = open(os.path.join(PROJECT, FILE), encoding="utf-8").read()
    except OSError:
        return None
    points = re.findall(r"^\s*[-*] \[ \] (.+)$", text, re.M)
    if not points:
        return None
    shown = "\n".join(f"- {point}" for point in points[:10])
    return f"{FILE} has open points. Do them, tick them off, or say why they stay open:\n{shown}"


try:
    event = json.load(sys.stdin)
    # The agent continued because of this hook before; asking again and again would never end.
    again = event.get("stop_hook_active") is True
    reason = None if again else objection()
except (ValueError, AttributeError) as error:
    reason = f"the event cannot be read: {error!r}"
if reason:
    {{repeat:reason}}
    print(reason, file=sys.stderr)
    sys.exit(2)
