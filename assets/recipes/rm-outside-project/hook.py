#!/usr/bin/env python3
"""Refuses to delete directories outside the project, and the project itself.

Reads   tool_input.command, cwd
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import os
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import UNKNOWN, commands, guard, is_program, operands, options

{{project}}
# Directories outside the project that may be emptied.
ALLOWED = ["/tmp", "/var/tmp"]
# Code that deletes directories without starting a program.
DELETING_CODE = re.compile(r"rmtree|remove_dir_all|rmSync|rmdirSync|rm_rf|rm_r\b|remove_tree|removedirs|FileUtils\.rm")


def is_outside(path, folder):
    if UNKNOWN in path:
        return True
    fixed = re.split(r"[*?\[]", path)[0] if re.search(r"[*?\[]", path) else path
    real = os.path.realpath(os.path.join(folder, os.path.expanduser(fixed or ".")))
    if fixed != path and not fixed.endswith("/"):
        real = os.path.dirname(real)
    if (PROJECT + "/").startswith(real.rstrip("/") + "/") and fixed == path:
        return True
    if any(real.startswith(os.path.realpath(one) + "/") for one in ALLOWED):
        return False
    return not real.startswith(PROJECT + "/") and not (fixed != path and real == PROJECT)


def objection(command, folder):
    for argv in commands(command):
        program, words = argv[0], operands(argv)
        if program in ("cd", "pushd"):
            folder = os.path.join(folder, os.path.expanduser(words[0])) if words else os.path.expanduser("~")
            continue
        targets = []
        # Long options may be cut short.
        deletes = any(one in ("-r", "-R") or (len(one) > 3 and "--recursive".startswith(one)) for one in options(argv))
        if is_program(program, "rm", "unlink", "rmdir", "shred", "trash", "srm") and (deletes or program == "rmdir"):
            targets = words
        elif program == "find" and ("-delete" in argv or any(is_program(word, "rm") for word in argv[1:])):
            targets = [word for word in argv[1:2] if not word.startswith("-")] or ["."]
            if any(word.startswith("-") and word not in ("-delete",) for word in argv[2:-1]) and targets == ["."]:
                targets = ["./x"]
        elif program == "git" and "clean" in words:
            targets = [word for word in words if word != "clean"]
        elif program == "rsync" and any(word.startswith("--delete") for word in argv):
            targets = words[-1:]
        elif any(DELETING_CODE.search(word) for word in argv[1:]):
            quoted = [text for word in argv[1:] for pair in re.findall(r"'([^']+)'|\"([^\"]+)\"", word) for text in pair]
            targets = [text for text in quoted if text and " " not in text] or [UNKNOWN]
        for target in targets:
            if is_outside(target, folder):
                shown = "a path that is not on the command line" if UNKNOWN in target else target
                return f"this deletes {shown}, which is not inside the project"
    return None


guard(lambda event: objection(event["tool_input"]["command"], event.get("cwd") or os.getcwd()){{repeat}})
