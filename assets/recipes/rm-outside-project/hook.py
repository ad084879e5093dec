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
    if UNKNOWN in path or UNKNOWN in folder:
        return True
    path = os.path.join(folder, os.path.expanduser(path))
    fixed = re.split(r"[*?\[]", path)[0]
    # A pattern with letters stands for some of the files in its folder, one without for all of them.
    is_some = fixed != path and (re.search(r"\w", path[len(fixed):]) or not fixed.endswith("/"))
    real = os.path.realpath(path if fixed == path else os.path.dirname(fixed))
    if (PROJECT + "/").startswith(real.rstrip("/") + "/") and not (is_some and real == PROJECT):
        return True
    inside = [PROJECT] + [os.path.realpath(one) for one in ALLOWED]
    return not any(real.startswith(one + "/") or (is_some and real == one) for one in inside)


def searched(argv):
    """The folders in which find looks, or files in them where it looks for some only."""
    words = [word for word in argv[1:] if word not in ("-H", "-L", "-P")]
    end = next((at for at, word in enumerate(words) if word[:1] in ("-", "(", "!")), len(words))
    some = any(word[:1] == "-" and word not in ("-delete", "-exec", "-execdir") for word in words[end:])
    return [os.path.join(folder, "x") if some else folder for folder in words[:end] or ["."]]


def objection(command, folder):
    # The folders to which popd and the end of a subshell return.
    pushed, outer = [], []
    for argv in commands(command):
        program, words = argv[0], operands(argv)
        if program == "(":
            outer.append(folder)
        elif program == ")":
            folder = outer.pop() if outer else folder
        elif program == "popd":
            folder = pushed.pop() if pushed else UNKNOWN
        if program in ("cd", "pushd"):
            pushed += [folder] if program == "pushd" else []
            folder = os.path.join(folder, os.path.expanduser(words[0])) if words else os.path.expanduser("~")
            continue
        targets = []
        # Long options may be cut short.
        deletes = any(one in ("-r", "-R") or (len(one) > 3 and "--recursive".startswith(one)) for one in options(argv))
        if is_program(program, "rmdir", "trash", "trash-put") or (is_program(program, "rm", "unlink", "shred", "srm") and deletes):
            targets = words
        elif program == "find" and ("-delete" in argv or any(is_program(word, "rm") for word in argv[1:])):
            targets = searched(argv)
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
