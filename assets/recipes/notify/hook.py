#!/usr/bin/env python3
"""Shows a desktop notification when the agent waits for you.

Reads   message
Exit 0  always.
"""
import json
import shutil
import subprocess
import sys

try:
    event = json.load(sys.stdin)
    text = str(event.get("message") or "The agent waits for you.")[:300]
    if shutil.which("notify-send"):
        command = ["notify-send", "--app-name=agent", "Agent", text]
    elif shutil.which("osascript"):
        command = ["osascript", "-e", "on run argv", "-e", 'display notification (item 1 of argv) with title "Agent"',
                   "-e", "end run", text]
    else:
        command = []
    if command:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=5)
except (ValueError, AttributeError, OSError, subprocess.SubprocessError) as error:
    print(f"no notification: {error!r}", file=sys.stderr)
