#!/usr/bin/env python3
"""Changes git commands so that they never wait in a pager or an editor.

Reads   hook_event_name, tool_input
Exit 0  without output no objection; with JSON the tool gets the changed command.
"""
import json
import re
import sys

try:
    event = json.load(sys.stdin)
    name, new_input = event["hook_event_name"], dict(event["tool_input"])
    command = new_input["command"]
    changed = re.sub(r"(^|[;&|]\s*)git (?=(log|diff|show|blame|branch|tag|stash|reflog)\b)", r"\1git --no-pager ", command)
except (ValueError, KeyError, TypeError) as error:
    sys.exit(f"the event cannot be read: {error!r}")
if changed != command:
    new_input["command"] = changed
    ANSWERS = {{answers:modify:new_input}}
    print(json.dumps(ANSWERS[name]))
