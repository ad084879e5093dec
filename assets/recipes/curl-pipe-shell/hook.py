#!/usr/bin/env python3
"""Refuses to run code straight from the network.

Reads   tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import SHELLS, UNKNOWN, commands, guard, is_program, plain

LOADERS = ("curl", "wget", "fetch", "http", "https", "aria2c", "lwp-request", "nc", "ncat", "iwr", "irm")
RUNNERS = SHELLS | {"python", "python3", "perl", "ruby", "node", "php", "source", ".", "eval", "bun", "deno"}


def objection(command):
    line = plain(command)
    argvs = list(commands(line))
    programs = [argv[0] for argv in argvs]
    loads = [index for index, program in enumerate(programs) if is_program(program, *LOADERS)]
    fetches_in_code = re.search(r"urlopen|requests\.get|urllib|LWP::|Net::HTTP|fetch\(|https?\.get|/dev/tcp/", line)
    remote = re.search(r"https?:|ftp:|/dev/tcp/|\bwww\.", line, re.I)
    if not loads and not (remote and fetches_in_code):
        return None
    runs = [argv for argv in argvs if re.sub(r"[0-9.]+$", "", argv[0]) in RUNNERS or argv[0] in RUNNERS or UNKNOWN in argv[0]]
    saved = [word for argv in argvs for at, word in enumerate(argv) if at and (argv[at - 1] in ("-o", "-O", "--output") or
             argv[at - 1].endswith("o") and argv[at - 1].startswith("-"))] + re.findall(r">\s*([\w./-]+)", line)
    made_runnable = any(argv[0] == "chmod" for argv in argvs) or any(
        one and any(argv[0] == one.rsplit("/", 1)[-1].lower() for argv in argvs) for one in saved)
    evaluates = fetches_in_code and re.search(r"exec|eval|system|spawn|subprocess", line)
    if runs or made_runnable or evaluates:
        return "this runs code straight from the network; download it, read it, then run it"
    return None


guard(lambda event: objection(event["tool_input"]["command"]){{repeat}})
