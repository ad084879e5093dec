#!/usr/bin/env python3
"""Give recorded firings the answers of their hooks, so that they can be checked without starting processes.

    tests/vectors/convert.py --out tests/vectors [--quota N] VECTORS.jsonl...

Reads vectors in the format of `check-vectors` (`{id, agent, project, home, env, args, payload, expect}`, one JSON object a
line) and writes a spread selection of them to OUT/<agent>/<file>.jsonl. Each gets a member more:

    answers   {command: {exit, stdout, stderr, ms, ran, stdin}}
              command   the script as the settings name it (`{{project}}/hooks/h1`), or a whole inline command
              exit      exit status
              stdout    text, or stdout_base64 where it is no UTF-8; the same for stderr
              ms        how long it sleeps, which is what orders the ends of hooks that run side by side
              ran       what it appends to $HB_RAN
              stdin     names under $HB_STDIN to which it copies its stdin

The answers are measured: every script is run twice in a scratch folder with the vector's payload on stdin, the second
time with a member more in it. Left out, and why (a vector that is left out is counted under the reason):

    varies      a hook answers differently the second time or in another shell, or reads its arguments
    environment a hook reads its environment, or `expect.stdin` asks for something else than a copy of stdin
    sleeps      a hook sleeps for a second or longer, or sleeps where a timeout is set
    signal      a hook dies of a signal, which looks different through each shell
    large       a hook prints more than 16 KiB
    inline      an inline command that writes files or cannot be told from settings
                (a script may also lie in `hooks/` without a first line, and be named from the project: `sh hooks/a.sh`)
    http        a hook that is a request to anywhere but a closed port
    args        arguments of `hookbench fire` that the harness does not know
    folder      a hook that names a folder for a worktree without making it
    faulty      see FAULTY
    surrogate   a lone surrogate, which Rust's strings cannot hold

With --processes it writes the sample for `tests/vectors/processes.rs` instead: whole vectors without answers, those
first that are left out above.
"""
import argparse, base64, collections, concurrent.futures, errno, hashlib, json, os, re, shutil, subprocess, tempfile

KNOWN_ARGS = {"--headless": 0, "--tool": 1, "--input": 1, "--set": 1}
LARGEST = 16 << 10
# Nobody listens there, so what comes of a request is known.
CLOSED = "http://127.0.0.1:9/"
# Its hook prints nothing and yet the stop is blocked: what blocked it was not recorded. The hook of the other always
# blocks, and the stop is not: how often it had blocked before, or what it then printed, was not recorded.
FAULTY = {"claude/events/recording-session/Stop#1", "claude/fresh/stop-fr-wrong-event/Stop#4"}
# How a hook waits for another to have ended (`: > .end-b`); it then sleeps for as long as this.
WAITS = re.compile(r"n=0; while \[ ! -e \.end-\w+ \][^\n]*; sleep 0\.3")
WAITED = 300
# What hooks leave behind: that they have ended, that they have answered once.
TRACES = re.compile(r"\.(end|was)-\w+")


class Left(Exception):
    """Why a vector is left out."""


def fill(value, places):
    if isinstance(value, str):
        for name, path in places.items():
            value = value.replace("{{%s}}" % name, path)
        return value
    if isinstance(value, list):
        return [fill(v, places) for v in value]
    if isinstance(value, dict):
        return {fill(k, places): fill(v, places) for k, v in value.items()}
    return value


def lay(root, files, places):
    for path, content in (files or {}).items():
        target = os.path.join(root, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=2)
        with open(target, "w", newline="") as f:
            f.write(fill(text, places))
        if text.startswith("#!"):
            os.chmod(target, 0o755)


def scripts(vector):
    """Path with {{…}} → text, of everything that can be run."""
    found = {}
    for where in ("project", "home"):
        for path, content in (vector.get(where) or {}).items():
            if isinstance(content, str) and (content.startswith("#!") or re.fullmatch(r"hooks/\w+\.sh", path)):
                found["{{%s}}/%s" % (where, path)] = content
    return found


def handlers(value):
    """Every object with a command or url, wherever it stands; settings that are kept as text are read as JSON."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.lstrip()[:1] in "{[" else None
        except ValueError:
            return
    if isinstance(value, list):
        for item in value:
            yield from handlers(item)
    elif isinstance(value, dict):
        if isinstance(value.get("command"), (str, list)) or "url" in value:
            yield value
        for item in value.values():
            if not isinstance(item, str):
                yield from handlers(item)


def inline_commands(vector, known):
    found = []
    for where in ("project", "home"):
        for path, content in (vector.get(where) or {}).items():
            if path.endswith(".json") or not isinstance(content, str):
                for handler in handlers(content):
                    if not re.match(CLOSED, str(handler.get("url", CLOSED))):
                        raise Left("http")
                    command = handler.get("command")
                    if isinstance(command, list):
                        command = ",".join(map(str, command))  # as JavaScript makes a text of it
                    if isinstance(command, str) and not any(p in command for path in known for p in (path, path.split("}}/")[1])):
                        if "args" in handler or re.search(r"[^&]>(?!&)|touch|mkdir|rm |sleep|\$[A-Z{(]|hooks/", command):
                            raise Left("inline")
                        found.append(command)
                    elif isinstance(command, str) and not any(path in command for path in known):
                        # Named from the project: only what does nothing but start it can be told by its answer.
                        if not command.startswith("sh ") or re.search(r"[|;]", command):
                            raise Left("inline")
    return found


def sleeps(text):
    waited = WAITED if WAITS.search(text) else 0
    return waited + sum(float(n) for n in re.findall(r"^\s*sleep ([0-9.]+)\s*$", text, re.M)) * 1000


def text_member(name, data):
    try:
        return {name: data.decode("utf-8")}
    except UnicodeDecodeError:
        return {name + "_base64": base64.b64encode(data).decode("ascii")}


def run(argv, stdin, root, places, extra):
    """Runs once; what it did and what it printed."""
    ran, stdins = os.path.join(root, "ran"), os.path.join(root, "stdin")
    shutil.rmtree(stdins, ignore_errors=True)
    os.makedirs(stdins)
    if os.path.exists(ran):
        os.remove(ran)
    for name in filter(TRACES.fullmatch, os.listdir(places["project"])):
        os.remove(os.path.join(places["project"], name))
    env = {"PATH": os.environ["PATH"], "HOME": places["home"], "LANG": "C.UTF-8", "HB_RAN": ran, "HB_STDIN": stdins}
    env.update(extra)
    while True:
        try:
            done = subprocess.run(argv, input=stdin, env=env, cwd=places["project"], capture_output=True, timeout=20)
            break
        except subprocess.TimeoutExpired:
            raise Left("sleeps")
        except OSError as why:
            # The other thread was starting something while this script was being written.
            if why.errno != errno.ETXTBSY:
                raise
    if done.returncode < 0:
        raise Left("signal")
    if len(done.stdout) > LARGEST or len(done.stderr) > LARGEST:
        raise Left("large")
    copies = [n for n in sorted(os.listdir(stdins)) if open(os.path.join(stdins, n), "rb").read() == stdin]
    return {"exit": done.returncode, **text_member("stdout", done.stdout), **text_member("stderr", done.stderr),
            "ran": open(ran).read().split() if os.path.exists(ran) else [], "stdin": copies}


def back(value, places):
    """Real folders become placeholders again."""
    text = json.dumps(value)
    for name, path in places.items():
        text = text.replace(path, "{{%s}}" % name)
    return json.loads(text)


def answers(vector):
    found = scripts(vector)
    timed = '"timeout' in json.dumps([vector.get("project"), vector.get("home")]).replace('\\', "")
    for text in found.values():
        own = WAITS.sub("", text)
        if sleeps(text) >= 1000 or "sleep" in own and (timed or not sleeps(own)):
            raise Left("sleeps")
        if re.search(r"\$[@*#1-9]|argv", text):
            raise Left("varies")
        if re.search(r"\$\{?(?!HB_)[A-Z]|environ|process\.env|\benv\b", text):
            raise Left("environment")
    commands = inline_commands(vector, found)
    args = list(vector.get("args") or [])
    while args:
        arg = args.pop(0)
        if arg.startswith("-"):
            if arg not in KNOWN_ARGS:
                raise Left("args")
            del args[:KNOWN_ARGS[arg]]
    payload, files = vector.get("payload") or {}, json.dumps(vector.get("project"))
    if payload.get("hook_event_name") == "WorktreeCreate" and "mkdir" not in files and "printf" in files:
        raise Left("folder")
    root = tempfile.mkdtemp(prefix="hbc-")
    try:
        places = {"project": os.path.join(root, "project"), "home": os.path.join(root, "home")}
        for folder in places.values():
            os.makedirs(folder)
        lay(places["project"], vector.get("project"), places)
        lay(places["home"], vector.get("home"), places)
        payload = fill(vector.get("payload") or {}, places)
        # As JSON.stringify writes it: some hooks look for a text in it.
        first, second = (json.dumps(p, separators=(",", ":"), ensure_ascii=False).encode()
                         for p in (payload, {**payload, "a_member_more": True}))
        extra = {k: v for k, v in fill(vector.get("env") or {}, places).items() if k != "PATH"}
        out, copied = {}, set()
        shell = lambda text: [] if text.startswith("#!") else ["sh"]
        for key, argv, text in [(k, shell(t) + [fill(k, places)], t) for k, t in found.items()] + [
                (c, [name, "-c", fill(c, places)], "") for c in commands for name in ("sh", "bash")]:
            one, two = (run(argv, stdin, root, places, extra) for stdin in (first, second))
            if one != two or out.get(key, {"ms": 0, **one}) != {"ms": 0, **one}:
                raise Left("varies")
            copied.update(one["stdin"])
            one["ms"] = round(sleeps(text))
            out[key] = back(one, places)
        if not set(vector["expect"].get("stdin", {})) <= copied:
            raise Left("environment")
        return out
    except OSError:
        raise Left("inline")
    finally:
        shutil.rmtree(root, ignore_errors=True)


def convert(vector):
    """The vector with its answers, or the reason why it is left out."""
    if vector["id"] in FAULTY:
        return "faulty"
    try:
        json.dumps(vector, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return "surrogate"
    try:
        return {**vector, "answers": answers(vector)}
    except Left as why:
        return str(why)


def shuffled(vectors):
    """In an order that looks like chance and is always the same."""
    return sorted(vectors, key=lambda v: hashlib.sha256(v["id"].encode()).hexdigest())


def spread(vectors, wanted):
    """`wanted` of them, taken in turns from every kind of question and event."""
    kinds = collections.OrderedDict()
    for vector in shuffled(vectors):
        kind = re.sub(r"[0-9]+", "", "/".join(vector["id"].split("/")[2:3]))
        event = (vector.get("payload") or {}).get("hook_event_name", "")
        kinds.setdefault((kind, event), []).append(vector)
    taken = []
    while len(taken) < wanted and any(kinds.values()):
        for rest in kinds.values():
            if rest and len(taken) < wanted:
                taken.append(rest.pop(0))
    return sorted(taken, key=lambda v: v["id"])


def write(path, vectors):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        for vector in vectors:
            f.write(json.dumps(vector, ensure_ascii=False) + "\n")


def main():
    ap = argparse.ArgumentParser(usage=__doc__)
    ap.add_argument("--out", required=True)
    ap.add_argument("--quota", type=int, default=50, help="vectors per file")
    ap.add_argument("--processes", action="store_true")
    ap.add_argument("files", nargs="+")
    a = ap.parse_args()
    sample = collections.defaultdict(list)
    for path in a.files:
        vectors = [json.loads(line) for line in open(path) if line.strip()]
        agent, name = vectors[0]["agent"], os.path.basename(path)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(convert, vectors))
        good = [d for d in done if isinstance(d, dict)]
        reasons = collections.Counter(d for d in done if isinstance(d, str))
        if a.processes:
            left = [v for v, d in zip(vectors, done) if isinstance(d, str) and d not in ("faulty", "surrogate")]
            some = spread(left, a.quota)
            sample[agent] += some + spread([v for v, d in zip(vectors, done) if isinstance(d, dict)], a.quota - len(some))
            continue
        taken = spread(good, a.quota)
        write(os.path.join(a.out, agent, name), taken)
        print("%s: %d of %d, %d could be; left out: %s" % (path, len(taken), len(vectors), len(good), dict(reasons)))
    for agent, vectors in sample.items():
        write(os.path.join(a.out, agent + ".jsonl"), vectors)
        print("%s: %d for real processes" % (agent, len(vectors)))


main()
