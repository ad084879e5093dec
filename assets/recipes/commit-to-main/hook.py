#!/usr/bin/env python3
"""Refuses commits on protected branches, and pushes to them.

Reads   tool_input.command, cwd
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands, options

PROTECTED = {"main", "master", "release"}


def head_above(folder):
    """The HEAD of the repository around a folder; read without git, which may be configured to run programs."""
    while True:
        try:
            dot = os.path.join(folder, ".git")
            if os.path.isfile(dot):
                # A worktree or a submodule names its directory.
                dot = os.path.join(folder, open(dot, encoding="utf-8").read().split(":", 1)[-1].strip())
            return open(os.path.join(dot, "HEAD"), encoding="utf-8").read()
        except OSError:
            if os.path.dirname(folder) == folder:
                return ""
            folder = os.path.dirname(folder)


def branch_of(folder):
    match = re.match(r"ref: refs/heads/(.+)", head_above(folder))
    return match.group(1).strip() if match else None


def objection(command, folder):
    branch = branch_of(folder)
    for argv in commands(command):
        if argv[0] in ("cd", "pushd") and UNKNOWN not in "".join(operands(argv)[:1]):
            folder = os.path.join(folder, os.path.expanduser("".join(operands(argv)[:1]) or "~"))
            branch = branch_of(folder)
        if not is_program(argv[0], "git"):
            continue
        other = "".join(argv[2:3]) if argv[1:2] == ["-C"] else UNKNOWN
        here = branch if UNKNOWN in other else branch_of(os.path.join(folder, os.path.expanduser(other)))
        words = [word.lower() for word in operands(argv)]
        if {"switch", "checkout"} & set(words):
            branch = here = operands(argv)[-1]
        if {"commit", "merge", "cherry-pick", "rebase", "am"} & set(words[:3]) and here in PROTECTED:
            return f"this commits to {here}; make a branch first: git switch -c NAME"
        if "push" in words:
            named = [word for word in operands(argv) if word.lower() != "push"]
            targets = [word.split(":")[-1].lstrip("+").removeprefix("refs/heads/") for word in named]
            bare = len(named) < 2 and here in PROTECTED
            hit = next((one for one in targets if one in PROTECTED), here if bare else None)
            if hit or options(argv) & {"--all", "--mirror"} or any(UNKNOWN in word for word in named):
                return f"this pushes to {hit or 'every branch'}; push a branch of your own and open a pull request"
    return None


guard(lambda event: objection(event["tool_input"]["command"], event.get("cwd") or os.getcwd()){{repeat}})
