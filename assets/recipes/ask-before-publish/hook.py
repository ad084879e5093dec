#!/usr/bin/env python3
"""Asks the user before something is published: packages, images, releases, pushed tags.

Reads   hook_event_name, tool_input.command
Exit 0  without output no objection; with JSON the agent asks the user.
Exit 2  the event cannot be read, and the command is refused.
"""
import json
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import commands, is_program, operands, options

PUBLISHING = [
    (("npm", "pnpm", "yarn", "bun"), "publish"), (("cargo",), "publish"), (("twine",), "upload"), (("uv",), "publish"),
    (("poetry",), "publish"), (("gem",), "push"), (("docker", "podman"), "push"), (("gh",), "release"), (("helm",), "push"),
    (("terraform", "tofu"), "apply"), (("kubectl",), "apply"), (("fly", "flyctl", "vercel", "netlify"), "deploy"),
]


def question(command):
    for argv in commands(command):
        words = operands(argv)
        for programs, word in PUBLISHING:
            if is_program(argv[0], *programs) and word in words:
                return f"{argv[0]} {word} publishes or deploys. Run it?"
        tags = options(argv) & {"--tags", "--follow-tags"} or any(one.startswith("v") and one[1:2].isdigit() for one in words)
        if is_program(argv[0], "git") and "push" in words and tags:
            return "this pushes a tag, which may publish a release. Run it?"
    return None


try:
    event = json.load(sys.stdin)
    name, why = event["hook_event_name"], question(event["tool_input"]["command"])
except (ValueError, KeyError, TypeError, AttributeError) as error:
    print(f"refused: the event cannot be read: {error!r}", file=sys.stderr)
    sys.exit(2)
if why:
    ANSWERS = {{answers:ask:why}}
    print(json.dumps(ANSWERS[name]))
