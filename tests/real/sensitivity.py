#!/usr/bin/env python3
"""Whether a calibration finds changes of an agent's behaviour, and finds none where nothing changed.

    npm install --prefix DIR @anthropic-ai/claude-code
    tests/real/sensitivity.py claude --program DIR/node_modules/.bin/claude --bin target/release/hookbench [--unchanged 10]

Each addition (an event, a payload key, a tool, a variable, another limit, an answer key) must be found and named. Each change runs the probes
of one group, with an agent that `changed_agent.py` changes; a probe must differ, and one of the rules that belong to the change
must be named. Then the quick probes of the unchanged agent must agree. Needs no key
and no network.
"""
import argparse
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

# The change, the probes to run, and the rules of which at least one must be named.
CHANGES = {
    "claude": [
        ("exit-1-blocks", "pre-tool.", ["decide.failed-open", "answer.failed"]),
        ("exit-2-passes", "exit", ["exit.2", "decide.blocked"]),
        ("contexts-are-dropped", "prompt.", ["answer.fields"]),
        ("rewrites-are-dropped", "pre-tool.answer-", ["answer.fields", "decide.allow"]),
        ("deny-allows", "pre-tool.", ["answer.blocks", "decide.blocked"]),
        ("block-is-ignored", "pre-tool.", ["answer.blocks", "decide.blocked"]),
        ("case-is-ignored", "matcher.", ["matcher.case"]),
        ("parts-match", "matcher.", ["matcher.part"]),
        ("copies-run", "merge.", ["plan.copy"]),
        ("timeouts-are-ignored", "run.", ["answer.failed", "decide.failed-open"]),
        ("conditions-are-ignored", "condition.", ["condition.command"]),
        ("switch-is-ignored", "switch.", ["switch.disable-all"]),
    ],
    "codex": [
        ("exit-2-passes", "pre-tool.exit", ["decide.any-deny", "output.text"]),
        ("contexts-are-dropped", "prompt.", ["decide.goes-on", "run.heard"]),
        ("deny-allows", "pre-tool.answer-deny", ["decide.any-deny"]),
        ("block-is-ignored", "stop.", ["decide.stop-blocked"]),
    ],
    "qwen": [
        ("exit-2-passes", "pre-tool.exit", ["decide.deny"]),
        ("contexts-are-dropped", "prompt.", ["decide.prompt"]),
        ("deny-allows", "pre-tool.answer-deny", ["decide.deny"]),
        ("block-is-ignored", "stop.", ["decide.stop-blocked"]),
    ],
    "gemini": [
        ("exit-2-passes", "pre-tool.exit", ["decide.deny"]),
        ("contexts-are-dropped", "prompt.", ["decide.prompt"]),
        ("block-is-ignored", "stop.", ["decide.retry"]),
    ],
    "copilot": [
        ("deny-allows", "pre-tool.answer-deny", ["decide.first-deny"]),
    ],
    "droid": [
        ("exit-2-passes", "pre-tool.exit", ["decide.exit-2"]),
        ("deny-allows", "pre-tool.answer-deny", ["decide.first-decision"]),
    ],
}

# The addition, the probes to run besides the surveys, and the kind and the name of what must be found.
ADDITIONS = [
    ("new-event", "survey.events", "event", "TaskFailure"),
    ("new-key", "pre-tool.exit-2", "payload_key", "brand_new_key"),
    ("new-tool", "pre-tool.exit-2", "tool", "BrandNewTool"),
    ("new-variable", "pre-tool.exit-2", "variable", "BRAND_NEW_VARIABLE"),
    ("new-limit", "survey.limits", "limit", ""),
    ("new-answer-key", "survey.answers", "answer_key", "brand_new_answer"),
]
# The agents that say which keys an answer may have.
DESCRIBES_ANSWERS = {"claude"}
# The probe that shows an event of an agent that does not list its events.
FIRED = {"qwen": "stop.exit-2"}


def load():
    with open("/proc/loadavg") as file:
        return file.read().split()[0]


def calibrate(arguments, program, options):
    """The document of a calibration, and the seconds that it took."""
    command = [arguments.bin, "calibrate", "--agent", arguments.agent, "--program", program, "--format", "json", *options]
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "HOME": home, "XDG_STATE_HOME": home}
        started = time.monotonic()
        ended = subprocess.run(command, capture_output=True, text=True, env=environment)
    if not ended.stdout:
        sys.exit(ended.stderr)
    return json.loads(ended.stdout)["agents"][0], time.monotonic() - started


@contextlib.contextmanager
def changed_agent(arguments, change):
    """The path of the agent with a change."""
    with tempfile.TemporaryDirectory() as directory:
        program = os.path.join(directory, arguments.agent)
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "changed_agent.py"), program)
        os.chmod(program, 0o755)
        for name, text in (("agent", os.path.abspath(arguments.program)), ("change", change)):
            with open(os.path.join(directory, name), "w") as file:
                file.write(text)
        yield program


def find_addition(arguments, change, only, kind, name):
    """Whether a calibration of an agent with an addition names it, and names nothing else."""
    with changed_agent(arguments, change) as program:
        result, seconds = calibrate(arguments, program, ["--only", only])
    found = [fact for fact in result["new"] if fact["kind"] == kind and name in fact["name"]]
    says = ", ".join(fact["says"] for fact in result["new"])
    print(f"{'found' if found else 'MISSED'}  {change}: {says}; {seconds:.0f} s, load {load()}", flush=True)
    return bool(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agent", choices=sorted(CHANGES))
    parser.add_argument("--program", required=True)
    parser.add_argument("--bin", required=True, help="hookbench")
    parser.add_argument("--only", default="", help="the changes whose names contain this text")
    parser.add_argument("--unchanged", type=int, default=0, help="runs of the quick probes of the unchanged agent")
    arguments = parser.parse_args()
    wrong = 0
    for change, only, kind, name in ADDITIONS:
        if arguments.only in change and (change != "new-answer-key" or arguments.agent in DESCRIBES_ANSWERS):
            only = FIRED.get(arguments.agent, only) if change == "new-event" else only
            wrong += not find_addition(arguments, change, only, kind, name)
    for change, group, rules in CHANGES[arguments.agent]:
        if arguments.only not in change:
            continue
        with changed_agent(arguments, change) as program:
            result, seconds = calibrate(arguments, program, ["--only", group])
        named = sorted({rule for probe in result["differ"] for rule in probe["rules"]})
        found = any(rule in named for rule in rules)
        wrong += not found
        probes = ", ".join(probe["probe"] for probe in result["differ"])
        print(f"{'found' if found else 'MISSED'}  {change}: {len(result['differ'])} of {result['probes']} differ ({probes});"
              f" rules {', '.join(named)}; {seconds:.0f} s, load {load()}", flush=True)
    for number in range(arguments.unchanged):
        result, seconds = calibrate(arguments, os.path.abspath(arguments.program), ["--quick"])
        same = not result["differ"] and not result["new"]
        wrong += not same
        probes = ", ".join(probe["probe"] for probe in result["differ"] + result["failed"])
        news = ", ".join(fact["says"] for fact in result["new"])
        print(f"{'agrees' if same else 'DIFFERS'}  run {number + 1}: {result['agree']} of {result['probes']} {probes} {news};"
              f" {seconds:.0f} s, load {load()}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
