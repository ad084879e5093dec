#!/usr/bin/env python3
"""Whether two builds of hookbench say the same: every recorded firing, lint sample, transcript and the sample project.

    tests/same.py OLD NEW [--only REGEX] [--sample N] [--jobs N] [--show N] [--wanted FILE] [VECTORS.jsonl…]

Each case is laid in a fresh directory, once for each build, at the same path. The JSON documents, the messages and the
exit statuses are compared; times, durations and the order in which parallel hooks end are not. A case that differs is
tried once more, alone, because some recorded hooks race a short timeout. More vectors can be named. Differences that
are wanted stand in a file: a regular expression for the names of the cases, two blanks, the reason. Prints the other
differences and then 'N passed, N failed'; the exit status is 1 if something differs that is not wanted.
"""

import argparse
import concurrent.futures
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

TESTS = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ["sh", "bash", "cat", "grep", "head", "python3", "sleep", "true", "yes", "node", "jq", "git", "sed", "tr", "awk",
            "env", "ls", "rm", "mkdir", "touch", "date", "dirname", "basename", "sort", "wc", "printf", "echo"]
TIMES = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
DURATIONS = re.compile(r'("(?:duration_ms|at_ms|took_ms|ms)": )[\d.]+')
SAID_DURATIONS = re.compile(r"\b\d+(\.\d+)? ?(ms|µs)\b")


def fill(value, places):
    """Replaces {{project}} and {{home}} in every text of a value."""
    if isinstance(value, str):
        for name, path in places.items():
            value = value.replace("{{%s}}" % name, path)
        return value
    if isinstance(value, list):
        return [fill(item, places) for item in value]
    if isinstance(value, dict):
        return {fill(name, places): fill(item, places) for name, item in value.items()}
    return value


def put(path, text, executable=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", newline="") as file:
        file.write(text)
    os.chmod(path, 0o755 if executable else 0o644)


class Vector:
    """A recorded firing: who would run, and what its hooks decide."""

    def __init__(self, line):
        self.data = json.loads(line)
        self.name = self.data["id"]

    def lay(self, places):
        for root in ("project", "home"):
            for path, content in (self.data.get(root) or {}).items():
                text = content if isinstance(content, str) else json.dumps(content, indent=2)
                put(os.path.join(places[root], path), fill(text, places), text.startswith("#!"))

    def env(self, places):
        return fill(self.data.get("env", {}), places)

    def commands(self, places):
        shared = ["--agent", self.data["agent"], "--project", places["project"], "--home", places["home"]]
        shared += ["--format", "json"] + fill(self.data.get("args", []), places)
        payload = None
        if self.data.get("payload") is not None:
            shared += ["--payload", "-"]
            payload = json.dumps(fill(self.data["payload"], places))
        yield ["fire", *shared, "--yes"], payload


class Sample:
    """One side of a lint sample: what lint, list, why and plan say of it."""

    def __init__(self, path, side):
        self.side = side
        self.name = "%s %s" % (os.path.basename(path), side)
        head, *self.files = open(path, newline="").read().split("\n== ")
        pairs = (line.split(": ", 1) for line in head.splitlines() if line.strip())
        self.head = {name: value.strip() for name, value in pairs}

    def lay(self, places):
        for part in self.files:
            first, _, text = part.partition("\n")
            side, name, *marks = first.split(" ")
            if side not in (self.side, "both"):
                continue
            text = text.rstrip("\n") + "\n"
            if "crlf" in marks:
                text = text.replace("\n", "\r\n")
            if "bom" in marks:
                text = "\ufeff" + text
            root = places["home"] if name.startswith("~/") else places["project"]
            text = text.replace("@home", places["home"]).replace("@project", places["project"])
            put(os.path.join(root, name.removeprefix("~/")), text, "+x" in marks)

    def env(self, _places):
        return {}

    def commands(self, places):
        shared = ["--agent", self.head.get("agent", "claude"), "--project", places["project"], "--home", places["home"]]
        run = self.head.get("run", "lint")
        if run.split()[0] in ("lint", "plan", "convert"):
            yield [*run.split(), *(shared if "--agent" not in run and not run.startswith("convert") else shared[2:]),
                   "--format", "json"], None
        for command in ("lint", "list", "lint --fix"):
            yield [*command.split(), *shared, "--format", "json"], None


class Project:
    """The sample project: the documents of the reading commands, for every agent."""

    name = "sample project"
    AGENTS = ["claude", "qwen", "gemini", "codex", "copilot", "droid"]

    def lay(self, places):
        source = os.path.join(os.path.dirname(TESTS), "sample-hooks", "shop")
        shutil.copytree(source, places["project"], dirs_exist_ok=True, symlinks=True)

    def env(self, _places):
        return {}

    def commands(self, places):
        where = ["--project", places["project"], "--home", places["home"], "--format", "json"]
        for agent in self.AGENTS:
            for command in (["plan", "PreToolUse"], ["lint"], ["list"], ["why", "guard.sh"], ["fire", "PreToolUse", "--yes"]):
                yield [*command, "--agent", agent, *where], None
        yield ["plan", "PreToolUse", "--agent", "all", *where], None
        for other in self.AGENTS[1:]:
            yield ["convert", "--from", "claude", "--to", other, *where], None
        yield ["events", "--format", "json"], None
        yield ["tools", "--format", "json"], None


class Transcript:
    """A session file: the events that an import finds."""

    def __init__(self, path):
        self.path = path
        self.name = os.path.relpath(path, TESTS)

    def lay(self, _places):
        pass

    def env(self, _places):
        return {}

    def commands(self, places):
        yield ["import", self.path, "--home", places["home"], "--project", places["project"], "--format", "json"], None


def in_order(value):
    """The document with the lists whose order is that in which hooks ended sorted by their text."""
    if isinstance(value, list):
        return [in_order(item) for item in value]
    if not isinstance(value, dict):
        return value
    sorted_keys = {"runs", "trace", "children", "evidence"} if value.get("schedule") != "sequential" else set()
    ordered = {}
    for key, item in value.items():
        item = in_order(item)
        ordered[key] = sorted(item, key=json.dumps) if key in sorted_keys and isinstance(item, list) else item
    return ordered


def stable(text):
    """The text without what differs from run to run."""
    text = TIMES.sub("TIME", text)
    try:
        document = json.loads(text)
    except ValueError:
        return SAID_DURATIONS.sub("N ms", text)
    return SAID_DURATIONS.sub("N ms", DURATIONS.sub(r"\g<1>0", json.dumps(in_order(document), indent=1, ensure_ascii=False)))


def answers(case, binary, root, programs, timeout):
    """What a build says of a case: a text for each command."""
    shutil.rmtree(root, ignore_errors=True)
    places = {"project": os.path.join(root, "project"), "home": os.path.join(root, "home")}
    for directory in places.values():
        os.makedirs(directory)
    case.lay(places)
    env = {"PATH": programs, "HOME": places["home"], "LANG": "C.UTF-8", "HB_RAN": os.path.join(root, "ran"),
           "HB_STDIN": os.path.join(root, "stdin"), "XDG_STATE_HOME": os.path.join(root, "state"),
           "XDG_CONFIG_HOME": os.path.join(places["home"], ".config")}
    os.makedirs(env["HB_STDIN"])
    env.update(case.env(places))
    said = []
    for command, stdin in case.commands(places):
        try:
            done = subprocess.run([binary, *command], input=stdin, env=env, cwd=places["project"], capture_output=True,
                                  text=True, errors="replace", timeout=timeout)
        except subprocess.TimeoutExpired:
            said.append("$ %s\nno answer" % " ".join(command))
            continue
        said.append("$ %s\nexit status %d\n%s\n%s" % (" ".join(command), done.returncode, stable(done.stdout), stable(done.stderr)))
    return said


def differences(case, old, new, programs, timeout):
    root = tempfile.mkdtemp(prefix="hbsame-")
    try:
        both = [answers(case, binary, os.path.join(root, "place"), programs, timeout) for binary in (old, new)]
    finally:
        shutil.rmtree(root, ignore_errors=True)
    lines = []
    for one, other in zip(*both):
        if one != other:
            lines.append(one.split("\n", 1)[0])
            lines += list(difflib.unified_diff(one.splitlines(), other.splitlines(), "old", "new", lineterm="", n=1))[2:]
    return lines


def cases(more):
    vectors = []
    for folder in sorted(os.listdir(os.path.join(TESTS, "vectors"))):
        directory = os.path.join(TESTS, "vectors", folder)
        if folder != "processes" and os.path.isdir(directory):
            vectors += [os.path.join(directory, name) for name in sorted(os.listdir(directory)) if name.endswith(".jsonl")]
    for path in vectors + more:
        for line in open(path):
            if line.strip():
                yield Vector(line)
    lint = os.path.join(TESTS, "lint")
    for name in sorted(os.listdir(lint)):
        if name.endswith(".txt"):
            for side in ("bad", "good"):
                yield Sample(os.path.join(lint, name), side)
    for folder, _, names in os.walk(os.path.join(TESTS, "transcripts")):
        for name in sorted(names):
            if name.endswith((".jsonl", ".json")):
                yield Transcript(os.path.join(folder, name))
    yield Project()


def wanted_differences(path):
    """The cases that may differ: a pattern for the name of each."""
    if not path:
        return []
    lines = [line.rstrip("\n") for line in open(path) if line.strip() and not line.startswith("#")]
    return [re.compile(line.split("  ")[0]) for line in lines]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=0, help="only N of them, drawn at random")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--lines", type=int, default=30, help="lines of each difference")
    parser.add_argument("--timeout", type=float, default=90)
    parser.add_argument("--wanted", help="a file with the differences that are wanted")
    parser.add_argument("vectors", nargs="*")
    args = parser.parse_args()
    old, new = os.path.abspath(args.old), os.path.abspath(args.new)
    wanted = wanted_differences(args.wanted)
    chosen = [case for case in cases(args.vectors) if re.search(args.only, case.name)]
    chosen = [case for case in chosen if not any(name.search(case.name) for name in wanted)]
    if args.sample and args.sample < len(chosen):
        chosen = random.Random(args.seed).sample(chosen, args.sample)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hbsame-bin-") as programs:
        # Only these programs, so that no installed agent changes the answers.
        for name in PROGRAMS:
            found = shutil.which(name)
            if found:
                os.symlink(found, os.path.join(programs, name))

        def judge(case):
            return differences(case, old, new, programs, args.timeout)

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            first = list(pool.map(judge, chosen))
        for case, lines in zip(chosen, first):
            lines = lines and judge(case)
            if not lines:
                continue
            failed += 1
            if failed <= args.show:
                print(case.name)
                for line in lines[:args.lines]:
                    print("    " + line[:300])
    if failed > args.show:
        print("… and %d more" % (failed - args.show))
    print("%d passed, %d failed" % (len(chosen) - failed, failed))
    sys.exit(1 if failed else 0)


main()
