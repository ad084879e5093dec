#!/usr/bin/env python3
"""Runs an agent whose behaviour towards hooks is changed on purpose, so that a calibration must find it.

Beside this file, `agent` has the path of the real program and `change` the name of a change. For the time of the run, the
scripts of the probe's hooks or its settings are edited; hookbench predicts from the original ones.
"""
import glob
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
PROJECT = os.getcwd()
HOOKS = os.path.join(os.path.dirname(PROJECT), "hooks")


def without(*keys):
    """Removes keys from an answer, at every depth."""

    def strip(value):
        if isinstance(value, dict):
            return {key: strip(inner) for key, inner in value.items() if key not in keys}
        return value

    return strip


def renamed(old, new):
    def replace(value):
        if isinstance(value, dict):
            return {key: replace(inner) for key, inner in value.items()}
        return new if value == old else value

    return replace


def answers(change):
    """Changes what hooks print, if it is JSON."""
    for path in glob.glob(f"{HOOKS}/*.stdout"):
        with open(path) as file:
            try:
                answer = json.load(file)
            except ValueError:
                continue
        yield path, json.dumps(change(answer))


def scripts(old, new):
    for path in glob.glob(f"{HOOKS}/*"):
        with open(path) as file:
            text = file.read()
        if "." not in os.path.basename(path):
            yield path, text.replace(old, new)


def settings(change):
    """Changes each settings file."""
    found = glob.glob(f"{PROJECT}/.*/settings*.json") + glob.glob(f"{os.environ['HOME']}/.*/hooks.json")
    for path in found:
        with open(path) as file:
            yield path, json.dumps(change(path, json.load(file)))


def handlers(change):
    def every(_, document):
        hooks = document.get("hooks")
        for groups in hooks.values() if isinstance(hooks, dict) else []:
            for group in groups:
                group["hooks"] = [change(handler, number) for number, handler in enumerate(group.get("hooks", []))]
        return document

    return every


def matchers(change):
    def every(_, document):
        hooks = document.get("hooks")
        for groups in hooks.values() if isinstance(hooks, dict) else []:
            for group in groups:
                if isinstance(group.get("matcher"), str):
                    group["matcher"] = change(group["matcher"])
        return document

    return every


def no_key(*keys):
    return lambda handler, _: {key: value for key, value in handler.items() if key not in keys}


SEEN = set()


def copies(handler, number):
    """Makes equal commands different."""
    command = handler.get("command", "")
    again = command in SEEN
    SEEN.add(command)
    return {**handler, "command": f"{command} #{number}" if again and not command.endswith("/keep") else command}


CHANGES = {
    "exit-1-blocks": lambda: scripts("exit 1\n", "exit 2\n"),
    "exit-2-passes": lambda: scripts("exit 2\n", "exit 1\n"),
    "contexts-are-dropped": lambda: answers(without("additionalContext")),
    "rewrites-are-dropped": lambda: answers(without("updatedInput", "tool_input")),
    "deny-allows": lambda: answers(renamed("deny", "allow")),
    "block-is-ignored": lambda: answers(without("decision")),
    "continue-is-ignored": lambda: answers(without("continue")),
    "case-is-ignored": lambda: settings(matchers(lambda text: "Bash" if text == "bash" else text)),
    "parts-match": lambda: settings(matchers(lambda text: "Bas.*" if text == "Bas" else text)),
    "copies-run": lambda: settings(handlers(copies)),
    "timeouts-are-ignored": lambda: settings(handlers(no_key("timeout"))),
    "conditions-are-ignored": lambda: settings(handlers(no_key("if"))),
    "switch-is-ignored": lambda: settings(lambda _, document: without("disableAllHooks")(document)),
    "local-file-is-ignored": lambda: settings(lambda path, document: {} if ".local." in path else document),
    "none": lambda: [],
}


def main():
    with open(f"{HERE}/agent") as file:
        agent = file.read().strip()
    with open(f"{HERE}/change") as file:
        change = CHANGES[file.read().strip()]
    before = {}
    for path, text in list(change()):
        with open(path) as file:
            before[path] = file.read()
        with open(path, "w") as file:
            file.write(text)
    ended = subprocess.run([agent, *sys.argv[1:]], stdin=subprocess.DEVNULL)
    for path, text in before.items():
        if os.path.exists(path):
            with open(path, "w") as file:
                file.write(text)
    return ended.returncode


if __name__ == "__main__":
    sys.exit(main())
