#!/usr/bin/env python3
"""Formats a file after the agent has edited it, with the formatter for its kind if that is installed.

Reads   tool_input.file_path and the like, or the patch in tool_input.command, cwd
Exit 0  formatted, or nothing to do.
Exit 2  the file is broken; the model reads the formatter's message on stderr. The edit stays.
"""
import json
import os
import re
import shutil
import subprocess
import sys

# The first formatter that is installed is used. JSON needs none.
FORMATTERS = {
    ".py": [["ruff", "format"], ["black", "--quiet"]],
    ".rs": [["rustfmt", "--edition", "2021"]],
    ".go": [["gofmt", "-w"]],
    ".sh": [["shfmt", "-w"]],
    **dict.fromkeys([".js", ".jsx", ".ts", ".tsx", ".css", ".html", ".md", ".yaml", ".yml"], [["prettier", "--write"]]),
}


def paths(tool_input):
    """The files that a tool call names, also those of a patch."""
    for key, value in tool_input.items():
        if key in ("file_path", "notebook_path", "path", "absolute_path"):
            yield value
        elif key == "command":
            yield from re.findall(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", value, re.M)


def formatted(path):
    """Formats a file. Returns the message if it is broken."""
    extension = os.path.splitext(path)[1].lower()
    if extension == ".json":
        with open(path, encoding="utf-8") as file:
            before = file.read()
        try:
            after = json.dumps(json.loads(before), indent=2, ensure_ascii=False) + "\n"
        except ValueError as error:
            return f"{path} is not valid JSON: {error}"
        if after != before:
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
        return None
    command = next((one for one in FORMATTERS.get(extension, []) if shutil.which(one[0])), None)
    if command is None:
        return None
    ended = subprocess.run(command + [path], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return f"{command[0]}: {ended.stderr.strip() or ended.stdout.strip()}" if ended.returncode else None


try:
    event = json.load(sys.stdin)
    folder = event.get("cwd") or os.getcwd()
    named = [os.path.join(folder, path) for path in paths(event["tool_input"])]
    messages = [formatted(path) for path in named if os.path.isfile(path)]
except (ValueError, KeyError, TypeError, AttributeError, OSError, subprocess.SubprocessError) as error:
    messages = [f"format: {error!r}"]
messages = [message for message in messages if message]
if messages:
    {{repeat:"\n".join(messages)}}
    print("\n".join(messages), file=sys.stderr)
    sys.exit(2)
