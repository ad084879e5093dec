#!/usr/bin/env python3
"""{{title}}

#:refuse
Exit 0  no objection.
Exit 2  refused; the reason is on stderr. An event that cannot be read is refused, too.
#:ask change context
Exit 0  without output no objection; with JSON the answer.
#:check keep
Exit 0  all is well.
Exit 2  the command fails; the model reads the end of its output on stderr.
#:format notify
Exit 0  always.
#:*
"""
import json
#:format notify
import os
#:format refuse ask context change
import re
#:check keep format notify
import subprocess
#:*
import sys

#:refuse ask context change
PATTERN = re.compile({{pattern}})
#:refuse ask context change
TEXT = {{text}}
#:check keep format notify
COMMAND = {{command}}
#:refuse ask context change


def texts(value):
    """Yields every text of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
#:change


def changed(value):
    """The same JSON value with the pattern replaced in every text."""
    if isinstance(value, str):
        return PATTERN.sub(TEXT, value)
    if isinstance(value, dict):
        return {key: changed(one) for key, one in value.items()}
    return [changed(one) for one in value] if isinstance(value, list) else value
#:check keep


def failure():
    """The end of the command's output if it fails."""
    try:
        ended = subprocess.run(COMMAND, shell=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, timeout=50)
    except subprocess.TimeoutExpired:
        return f"{COMMAND} did not end within 50 seconds"
    return f"{COMMAND} fails:\n{ended.stdout[-2000:].strip()}" if ended.returncode else None
#:format


def paths(tool_input):
    """The files that a tool call names, also those of a patch."""
    for key, value in tool_input.items():
        if key in ("file_path", "notebook_path", "path", "absolute_path"):
            yield value
        elif key == "command":
            yield from re.findall(r"^\*\*\* (?:Add File|Update File|Move to): (.+)$", value, re.M)
#:*


try:
    event = json.load(sys.stdin)
    #:ask context change
    name = {{name}}
    #:refuse ask context
    found = any(PATTERN.search(text) for text in texts({{event}}))
    #:change
    new_input = changed(event["tool_input"])
    #:format
    files = [path for path in paths(event["tool_input"]) if os.path.isfile(path)]
    #:notify
    message = str(event.get("message") or {{name}})
    #:check
    {{name}}
    #:keep
    # The agent continued because of this hook before; asking again and again would never end.
    again = event.get("stop_hook_active") is True
    #:refuse ask
except (ValueError, KeyError, TypeError, AttributeError) as error:
    #:refuse
    {{repeat:f"refused: the event cannot be read: {error!r}"}}
    #:refuse ask
    print(f"refused: the event cannot be read: {error!r}", file=sys.stderr)
    sys.exit(2)
    #:context change format notify check keep
except (ValueError, KeyError, TypeError, AttributeError) as error:
    print(f"the event cannot be read: {error!r}", file=sys.stderr)
    sys.exit(1)
    #:refuse
if found:
    {{repeat:TEXT}}
    print(TEXT, file=sys.stderr)
    sys.exit(2)
    #:ask
if found:
    ANSWERS = {{answers:ask:TEXT}}
    print(json.dumps(ANSWERS[name]))
    #:context
if found:
    ANSWERS = {{answers:replace:TEXT}}
    print(json.dumps(ANSWERS[name]))
    #:change
if new_input != event["tool_input"]:
    ANSWERS = {{answers:modify:new_input}}
    print(json.dumps(ANSWERS[name]))
    #:check
reason = failure()
if reason:
    {{repeat:reason}}
    print(reason, file=sys.stderr)
    sys.exit(2)
    #:keep
reason = None if again else failure()
if reason:
    {{repeat:reason}}
    print(reason, file=sys.stderr)
    sys.exit(2)
    #:format
for path in files:
    subprocess.run(["sh", "-c", COMMAND + ' "$1"', "sh", path], stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=60)
    #:notify
environment = {**os.environ, "MESSAGE": message}
subprocess.run(COMMAND, shell=True, env=environment, stdin=subprocess.DEVNULL, stdout=sys.stderr, timeout=20)
