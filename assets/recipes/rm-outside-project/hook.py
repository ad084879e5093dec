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
# Tests of find that select some files.
SELECTS = {
    "-name", "-iname", "-path", "-ipath", "-regex", "-iregex", "-newer", "-mtime", "-mmin", "-atime", "-ctime", "-size", "-empty",
    "-user", "-group", "-perm",
}
# Words of the shell between which a command may not happen.
BEGINS, ENDS = {"if", "while", "until", "for", "case"}, {"fi", "done", "esac"}
# Code that deletes directories without starting a program.
DELETING_CODE = re.compile(r"rmtree|remove_dir_all|rmSync|rmdirSync|rm_rf|rm_r\b|remove_tree|removedirs|FileUtils\.rm")


def is_outside(path, folder):
    path = os.path.join(folder, os.path.expanduser(path))
    fixed = re.split(r"[*?\[]", path)[0]
    if UNKNOWN in path or ".." in path[len(fixed):].split("/"):
        return True
    # A pattern with letters stands for some of the files in its folder, one without for all of them.
    is_some = fixed != path and re.search(r"\w", path[fixed.rfind("/"):])
    real = os.path.realpath(path if fixed == path else os.path.dirname(fixed))
    if (PROJECT + "/").startswith(real.rstrip("/") + "/") and not (is_some and real == PROJECT):
        return True
    inside = [PROJECT] + [os.path.realpath(one) for one in ALLOWED]
    return not any(real.startswith(one + "/") or (is_some and real == one) for one in inside)


def searched(argv):
    """The folders in which find looks, or files in them where it looks for some only."""
    words = [word for word in argv[1:] if word not in ("-H", "-L", "-P")]
    end = next((at for at, word in enumerate(words) if word[:1] in ("-", "(", "!")), len(words))
    return [os.path.join(folder, "x") if SELECTS & set(words[end:]) else folder for folder in words[:end] or ["."]]


def deleted(argv, deletes):
    """The paths that a command deletes with everything in them."""
    program, words = argv[0], operands(argv)
    if is_program(program, "rmdir", "trash", "trash-put", "rmtrash", "rip", "rimraf"):
        return words
    if is_program(program, "rm", "unlink", "shred", "srm") and deletes:
        return words
    if program == "find" and ("-delete" in argv or any(is_program(word, "rm") for word in argv[1:])):
        return searched(argv)
    if program in ("fd", "fdfind") and any(is_program(word, "rm") for word in words):
        return [UNKNOWN]
    if program == "gio" and words[:1] == ["trash"]:
        return words[1:]
    if program == "git" and "clean" in words:
        return [word for word in words if word != "clean"]
    if program == "rsync" and any(word.startswith("--delete") for word in argv):
        return words[-1:]
    if any(DELETING_CODE.search(word) for word in argv[1:]):
        quoted = [text for word in argv[1:] for pair in re.findall(r"'([^']+)'|\"([^\"]+)\"", word) for text in pair]
        return [text for text in quoted if text and " " not in text] or [UNKNOWN]
    return []


def objection(command, folder):
    # More than one folder is possible after a `cd` that may not have happened.
    here = before = last = {folder}
    pushed, outer, depth, operator = [], [], 0, ";"
    for argv in commands(command, keep_wrappers=True):
        program, words = argv[0], operands(argv)
        if program[0] in ";&|\n()":
            if program == "(":
                outer.append(here)
            elif program == ")" and outer:
                here = outer.pop()
            elif program in ("|", "|&", "&"):
                # What was before it ran in a shell of its own.
                here = here | before
            before, operator = here, program
            continue
        depth += (program in BEGINS) - (program in ENDS)
        if program in ("cd", "pushd", "popd"):
            if program == "popd":
                to = pushed.pop() if pushed else {UNKNOWN}
            elif "-" in argv[1:]:
                to = last
            else:
                to = {os.path.join(one, os.path.expanduser(words[0] if words else "~")) for one in here}
            pushed += [to if "-n" in argv else here] if program == "pushd" else []
            if "-n" not in argv:
                happens = operator[0] in ";\n(" and depth == 0 and all(os.path.isdir(one) for one in to)
                last, here = here, to if happens else to | here
            continue
        # Long options may be cut short.
        deletes = any(one in ("-r", "-R") or (len(one) > 3 and "--recursive".startswith(one)) for one in options(argv))
        for target in filter(None, deleted(argv, deletes)):
            if any(is_outside(target, one) for one in here):
                if UNKNOWN in target or not os.path.isabs(target) and any(UNKNOWN in one for one in here):
                    return "this deletes something of which the command line does not say whether it is inside the project"
                return f"this deletes {target}, which is not inside the project"
    return None


guard(lambda event: objection(event["tool_input"]["command"], event.get("cwd") or os.getcwd()){{repeat}})
