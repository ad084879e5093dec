#!/usr/bin/env python3
"""Refuses commits on protected branches, and pushes to them.

Reads   tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands, options

PROTECTED = {"main", "master", "release"}


def current_branch():
    """The branch of the repository that the hook runs in; read without git, which may be configured to run programs."""
    folder = os.getcwd()
    while True:
        try:
            head = open(os.path.join(folder, ".git", "HEAD"), encoding="utf-8").read()
            match = re.match(r"ref: refs/heads/(.+)", head)
            return match.group(1).strip() if match else None
        except OSError:
            if os.path.dirname(folder) == folder:
                return None
            folder = os.path.dirname(folder)


def objection(command):
    branch = current_branch()
    for argv in commands(command):
        if not is_program(argv[0], "git"):
            continue
        words = [word.lower() for word in operands(argv)]
        if {"switch", "checkout"} & set(words):
            branch = operands(argv)[-1]
        if {"commit", "merge", "cherry-pick", "rebase", "am"} & set(words[:3]) and branch in PROTECTED:
            return f"this commits to {branch}; make a branch first: git switch -c NAME"
        if "push" in words:
            named = [word for word in operands(argv) if word.lower() != "push"]
            targets = [word.split(":")[-1].lstrip("+").removeprefix("refs/heads/") for word in named]
            bare = len(named) < 2 and branch in PROTECTED
            hit = next((one for one in targets if one in PROTECTED), branch if bare else None)
            if hit or options(argv) & {"--all", "--mirror"} or any(UNKNOWN in word for word in named):
                return f"this pushes to {hit or 'every branch'}; push a branch of your own and open a pull request"
    return None


guard(lambda event: objection(event["tool_input"]["command"]){{repeat}})
