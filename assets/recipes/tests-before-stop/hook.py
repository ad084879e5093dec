#!/usr/bin/env python3
"""Runs the tests before the agent stops, and tells it to continue if they fail. It asks once.

Reads   stop_hook_active
Exit 0  the tests pass, or there are none.
Exit 2  they fail; the agent continues, and the model reads the end of their output on stderr.
"""
import json
import os
import subprocess
import sys

{{project}}
# The command of this repository. Empty: found from its files.
TEST_COMMAND = []
SECONDS = 50


def test_command():
    if TEST_COMMAND:
        return TEST_COMMAND
    if os.path.exists("Makefile") and "\ntest:" in "\n" + open("Makefile", encoding="utf-8").read():
        return ["make", "--silent", "test"]
    if os.path.exists("package.json") and "test" in json.load(open("package.json", encoding="utf-8")).get("scripts", {}):
        return ["npm", "test", "--silent"]
    if os.path.exists("Cargo.toml"):
        return ["cargo", "test", "--quiet"]
    if os.path.exists("pyproject.toml") or os.path.isdir("tests"):
        return [sys.executable, "-m", "unittest", "discover", "--quiet", "-s", "tests"] if os.path.isdir("tests") else []
    return []


def objection():
    os.chdir(PROJECT)
    command = test_command()
    if not command:
        return None
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"{' '.join(command)} did not end within {SECONDS} seconds"
    except OSError:
        return None
    return f"{' '.join(command)} fails:\n{ended.stdout[-2000:].strip()}" if ended.returncode else None


try:
    event = json.load(sys.stdin)
    # The agent continued because of this hook before; asking again and again would never end.
    again = event.get("stop_hook_active") is True
    reason = None if again else objection()
except (ValueError, AttributeError, OSError) as error:
    reason = f"the event cannot be read: {error!r}"
if reason:
    {{repeat:reason}}
    print(reason, file=sys.stderr)
    sys.exit(2)
