#!/usr/bin/env python3
"""Refuses the package managers that this repository does not use.

Reads   tool_input.command, cwd
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import os
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands

{{project}}
# The lock file tells the package manager. Without one, it is the first.
LOCK_FILES = {"package-lock.json": "npm", "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun"}
RUNNERS = {"npx": "npm", "pnpx": "pnpm", "bunx": "bun", "yarnpkg": "yarn", "cnpm": "npm", "corepack": None, "npm-cli.js": "npm"}
MANAGERS = sorted(set(LOCK_FILES.values()))


def own_manager(folder):
    """The package manager of the nearest lock file, from the directory of the event up to the project."""
    folder = os.path.realpath(folder)
    while True:
        inside = folder.startswith(PROJECT + os.sep)
        beside = folder if inside else PROJECT
        own = next((name for file, name in LOCK_FILES.items() if os.path.exists(os.path.join(beside, file))), None)
        if own or not inside:
            return own or "npm"
        folder = os.path.dirname(folder)


def objection(command, folder):
    own = own_manager(folder)
    for argv in commands(command, keep_wrappers=True):
        name = argv[0]
        if name == "corepack":
            name = next((word for word in argv[1:] if word in MANAGERS), name)
        named = RUNNERS.get(name.split("@")[0], name.split("@")[0])
        if name in ("npx", "bunx", "pnpx") or (name in MANAGERS and {"dlx", "exec", "x"} & set(argv[1:2])):
            inner = next((word.split("@")[0] for word in operands(argv) if word.split("@")[0] in MANAGERS), None)
            named = inner or named
        found = named if named in MANAGERS else next((one for one in MANAGERS if is_program(argv[0], one)), None)
        if UNKNOWN in argv[0] and not {"install", "add", "i", "ci"} & set(argv[1:]):
            continue
        if found and found != own:
            return f"this repository uses {own}, not {found}"
    return None


guard(lambda event: objection(event["tool_input"]["command"], event.get("cwd") or os.getcwd()){{repeat}})
