#!/usr/bin/env python3
"""Refuses commands with the rights of another user.

Reads   tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program

RAISING = ("sudo", "doas", "su", "pkexec", "run0", "runuser", "gosu", "sudoedit")


def objection(command):
    for argv in commands(command, keep_wrappers=True):
        if is_program(argv[0], *RAISING) and UNKNOWN not in argv[0]:
            return f"{argv[0]} gives this command the rights of another user; ask the user to run it"
    return None


guard(lambda event: objection(event["tool_input"]["command"]){{repeat}})
