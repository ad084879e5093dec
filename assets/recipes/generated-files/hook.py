#!/usr/bin/env python3
"""Refuses to edit files that a program writes: lock files, build output, files marked as generated.

Reads   tool_input.file_path and the like, or the patch in tool_input.command, cwd
Exit 0  no opinion.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import fnmatch
import json
import os
import re
import sys

GENERATED = ["package-lock.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "Cargo.lock", "poetry.lock", "uv.lock",
             "composer.lock", "Gemfile.lock", "go.sum", "*.min.js", "*.min.css", "*_pb2.py", "*.pb.go", "*.generated.*"]
DIRECTORIES = {"dist", "build", "node_modules", "target", "vendor", ".git", "__generated__", "generated"}
MARK = re.compile(r"@generated|DO NOT EDIT|do not edit by hand|automatically generated", re.I)


def paths(tool_input):
    """The files that a tool call names, also those of a patch."""
    for key, value in tool_input.items():
        if key in ("file_path", "notebook_path", "path", "absolute_path"):
            yield value
        elif key == "command":
            yield from re.findall(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", value, re.M)


def objection(path, folder):
    real = os.path.normpath(os.path.join(folder, path))
    parts = set(os.path.relpath(real, folder).split(os.sep)[:-1])
    name = os.path.basename(real)
    if any(fnmatch.fnmatch(name.lower(), one.lower()) for one in GENERATED) or parts & DIRECTORIES:
        return f"{path} is written by a program; change what it is made from, and run that program"
    try:
        with open(real, encoding="utf-8", errors="replace") as file:
            head = file.read(1000)
    except OSError:
        return None
    return f"{path} is marked as generated; change what it is made from" if MARK.search(head) else None


try:
    event = json.load(sys.stdin)
    folder = event.get("cwd") or os.getcwd()
    found = (objection(path, folder) for path in paths(event["tool_input"]))
    reason = next((one for one in found if one), None)
except (ValueError, KeyError, TypeError, AttributeError) as error:
    reason = f"the event cannot be read: {error!r}"
if reason:
    print(f"refused: {reason}", file=sys.stderr)
    sys.exit(2)
