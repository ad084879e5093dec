#!/usr/bin/env python3
"""Refuses `git push --force` in all its forms, and pushes that delete a branch.

Reads   tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands, options

# `--force-with-lease` refuses to overwrite what others have pushed. Remove it here to allow it.
FORCES = {"-f", "--force", "--force-with-lease", "--force-if-includes", "--mirror", "--delete", "-d", "--prune"}


def objection(command):
    for argv in commands(command):
        words = operands(argv)
        if not is_program(argv[0], "git") or not any(is_alias_of_push(word) for word in argv[1:]):
            continue
        found = [flag for flag in options(argv) if any(one.startswith(flag) and len(flag) > 3 for one in FORCES)]
        found += options(argv) & FORCES
        refs = [word for word in words if word.startswith("+") or word.startswith(":") or UNKNOWN in word]
        if found or refs:
            return f"{' '.join(sorted(set(found + refs))).replace(UNKNOWN, '$...')} rewrites or deletes what others may have"
    return None


def is_alias_of_push(word):
    return word.lower() == "push" or UNKNOWN in word or re.match(r"alias\..*=!?(git )?push", word) is not None


guard(lambda event: objection(event["tool_input"]["command"]){{repeat}})
