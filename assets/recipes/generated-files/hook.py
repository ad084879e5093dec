#!/usr/bin/env python3
"""Refuses to edit files that a program writes: lock files, build output, files marked as generated.

Reads   tool_input.file_path and the like, or tool_input.command, cwd
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import fnmatch
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands, options

{{project}}
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


def written(command):
    """The files that a command line writes. Deleting is allowed: `rm -r build` is how a build begins."""
    for argv in commands(command):
        words = [word for word in operands(argv) if not word.startswith("<<<")]
        if is_program(argv[0], ">", "tee", "sponge", "truncate", "touch", "patch", "ed", "ex", "vim"):
            yield from words
        elif is_program(argv[0], "cp", "mv", "install", "ln", "rsync"):
            yield from words[-1:]
        elif is_program(argv[0], "sed", "perl", "ruby") and options(argv) & {"-i", "--in-place"}:
            yield from words
        elif is_program(argv[0], "dd"):
            yield from (word[3:] for word in words if word.startswith("of="))
        elif argv[0].startswith(("python", "node")):
            # Code that opens a file to write names it in quotes.
            code = " ".join(argv[1:])
            if re.search(r"open\(|write", code):
                yield from re.findall(r"[\"']([^\"']+)[\"']", code)


def objection(path, folder):
    beside, last = os.path.split(os.path.normpath(os.path.join(folder, path)))
    real = os.path.join(os.path.realpath(beside), last)
    # The directories above the project, or above another directory of the event, may have any name.
    above = PROJECT if real.startswith(PROJECT + os.sep) else os.path.realpath(folder)
    parts = set(os.path.relpath(real, above).split(os.sep)[:-1])
    name = os.path.basename(real)
    if any(fnmatch.fnmatch(name.lower(), one.lower()) for one in GENERATED) or parts & DIRECTORIES:
        return f"{path} is written by a program; change what it is made from, and run that program"
    try:
        with open(real, encoding="utf-8", errors="replace") as file:
            head = file.read(1000)
    except (OSError, ValueError):
        return None
    return f"{path} is marked as generated; change what it is made from" if MARK.search(head) else None


def first_objection(event):
    tool_input, folder = event["tool_input"], event.get("cwd") or os.getcwd()
    named = list(paths(tool_input))
    if not named and "command" in tool_input:
        named = [path for path in written(tool_input["command"]) if UNKNOWN not in path]
    return next((reason for reason in (objection(path, folder) for path in named) if reason), None)


guard(first_objection{{repeat}})
