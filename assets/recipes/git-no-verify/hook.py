#!/usr/bin/env python3
"""Refuses git commands that skip the repository's own hooks.

Reads   tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands, options

# Subcommands that run hooks, and the short option that skips them, if there is one.
HOOKED = {"commit": "-n", "push": None, "merge": None, "rebase": None, "am": "-n", "cherry-pick": None}


def objection(command):
    if re.search(r"\b(HUSKY|HUSKY_SKIP_HOOKS|LEFTHOOK|PRE_COMMIT_ALLOW_NO_CONFIG|SKIP)=", command):
        return "this variable turns the repository's hooks off"
    for argv in commands(command):
        if not is_program(argv[0], "git"):
            continue
        text = " ".join(argv[1:])
        if re.search(r"core\.hookspath\s*[= ]", text, re.I) or re.search(r"(^|\s)(rm|chmod|mv)\b.*\.git/hooks", text):
            return "this turns the repository's hooks off"
        subcommand = next((word.lower() for word in operands(argv) if word.lower() in HOOKED), None)
        flags = options(argv)
        long = any(len(flag) > 6 and "--no-verify".startswith(flag) for flag in flags)
        if subcommand and (long or HOOKED[subcommand] in flags or UNKNOWN in text):
            return f"git {subcommand} without the repository's hooks; mend what they find instead"
    for argv in commands(command):
        if is_program(argv[0], "rm", "chmod", "mv", "unlink") and any(".git/hooks" in word for word in argv[1:]):
            return "this turns the repository's hooks off"
    return None


guard(lambda event: objection(event["tool_input"]["command"]){{repeat}})
