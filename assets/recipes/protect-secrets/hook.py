#!/usr/bin/env python3
"""Refuses to read and to write files with secrets: .env files, private keys, credentials.

Reads   tool_input.file_path and the like, or tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import fnmatch
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import commands, guard, plain

SECRETS = [".env", ".env.*", "*.pem", "*.key", "id_rsa", "id_ed25519", "id_ecdsa", ".netrc", ".pgpass", ".npmrc", ".pypirc",
           "credentials", "credentials.json", "*.p12", "*.pfx", "*.keystore", "secrets.*"]
HARMLESS = [".env.example", ".env.sample", ".env.template"]


def paths(tool_input):
    """The files that a tool call names, also those of a patch."""
    for key, value in tool_input.items():
        if key in ("file_path", "notebook_path", "path", "absolute_path"):
            yield value
        elif key == "command":
            yield from re.findall(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+)$", value, re.M)


NAMES = re.compile("|".join(fnmatch.translate(one) for one in SECRETS))


def is_secret(path):
    name = path.rstrip("/").rsplit("/", 1)[-1].lower()
    if name in HARMLESS:
        return False
    # A pattern such as `.e*` names the file without writing it.
    pattern = set("*?[") & set(name) and len(name.strip("*")) > 1
    return NAMES.match(name) is not None or (pattern and any(
        fnmatch.fnmatch(one.replace("*", "x"), name) for one in SECRETS))


def words_of_command(command):
    """Everything in a command line that can name a file, also in quotes, in variables and in code."""
    text = plain(command)
    for argv in commands(text):
        for word in argv:
            yield from re.split(r"[\s;&|<>()=,:\"'`]+", word)
    yield from re.split(r"[\s;&|<>()=,:\"'`]+", text)
    yield from re.split(r"[\s;&|<>()=,:]+", re.sub(r"[\"'\\]", "", text))
    if re.search(r"git\s+(\S+\s+){0,8}(add|stash)\b.*(\s-f|--force)", text):
        yield ".env"


def objection(tool_input):
    named = list(paths(tool_input)) or set(words_of_command(tool_input["command"]))
    found = next((path for path in named if path and is_secret(path)), None)
    return f"{found} holds secrets; ask the user for what you need from it" if found else None


guard(lambda event: objection(event["tool_input"]){{repeat}})
