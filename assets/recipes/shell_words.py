"""Reads shell command lines for guards: which programs a line runs, and with which words.

A shell decides at run time what a line does, so this is an estimate that prefers to find too much: a word whose value is
not on the line is UNKNOWN and counts as every program. Written by hookbench; guards beside it import it.
"""
import base64
import codecs
import fnmatch
import json
import os
import re
import sys
import unicodedata

UNKNOWN = "\0"
# Variables with a known value. `guard` sets PWD to the directory of the event, in which the command runs.
KNOWN = {"HOME": os.path.expanduser("~"), "PWD": os.getcwd(), "IFS": " "}
WRAPPERS = {
    "sudo", "doas", "env", "command", "builtin", "exec", "nohup", "time", "nice", "ionice", "setsid", "stdbuf", "timeout",
    "xargs", "busybox", "chronic", "unbuffer", "chroot", "flock", "parallel", "watch", "strace", "coproc", "npx", "then",
    "do", "else", "if", "elif", "while", "until", "!", "{", "chrt", "caffeinate", "taskset", "systemd-run", "fakeroot",
    "proot", "firejail", "xvfb-run", "rlwrap", "ltrace", "valgrind", "prlimit", "runcon", "batch", "screen", "setarch",
}
# Options of wrappers whose value is the next word.
VALUES = {
    "sudo": "ugpCDhRTUr", "doas": "uC", "env": "uCS", "nice": "n", "ionice": "cnp", "stdbuf": "ioe", "timeout": "ks",
    "xargs": "IEnPLsda", "systemd-run": "p", "time": "fo", "exec": "a", "flock": "wE", "watch": "n", "strace": "eop", "parallel": "jI",
}
SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"}
INTERPRETERS = {"python", "perl", "ruby", "node", "php", "awk", "gawk", "deno", "bun", "lua", "osascript"}
# Programs that run the text that they are given, in their words or on stdin.
RUNS_TEXT = SHELLS | {"source", ".", "eval", "trap", "xargs", "at"}
LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0455\u0501\u04bb\u0458\u051b\u051d\u043a\u043c"
    "\u043d\u0442\u0261\u2010\u2011\u2012\u2013\u2014\u2212\uff0f\uff0e",
    "aeopcyxisdhjqwkmhtg------/.",
)


def guard(objection, answer=None):
    """Refuses the event on stdin with exit status 2 if `objection` returns a reason. A guard that fails refuses, too.

    Some agents lose stderr: for them, `answer` is printed with the reason in place of None.
    """
    try:
        event = json.load(sys.stdin)
        KNOWN["PWD"] = event.get("cwd") or os.getcwd()
        reason = objection(event)
    except Exception as error:
        reason = f"the event cannot be read: {error!r}"
    if reason:
        if answer:
            print(json.dumps({key: reason if word is None else word for key, word in answer.items()}))
        print(f"refused: {reason}", file=sys.stderr)
        sys.exit(2)


def plain(text):
    """The text as a shell or a file system may read it: look-alikes and invisible letters are replaced."""
    text = unicodedata.normalize("NFKC", text).translate(LOOKALIKES)
    return "".join(c for c in text if unicodedata.category(c) not in ("Cf", "Cc") or c in "\n\t")


def closing(text, start, opening, end):
    """The place after the bracket that closes the one before `start`."""
    depth, quote, at = 1, "", start
    while at < len(text):
        c = text[at]
        if c == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if c == quote else quote
        elif c in "'\"":
            quote = c
        elif c == opening:
            depth += 1
        elif c == end:
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    return len(text) + 1


def substituted(code, names):
    """What a substitution prints, if it is a simple echo or printf."""
    inner = [argv for argv in simple_commands(code, names) if argv and (argv[0][0] not in ";&|()\n>")]
    if inner == [["pwd"]]:
        return expanded("PWD", names)
    if len(inner) == 1 and inner[0][0] in ("echo", "printf") and UNKNOWN not in "".join(inner[0]):
        words = [word for word in inner[0][1:] if word not in ("-n", "-e", "--")]
        return unescaped(words[1] if re.match(r"%[sb]", words[0] if words else "") and len(words) > 1 else " ".join(words))
    if inner and inner[-1][0] in ("base64", "rev", "tr", "xxd"):
        return next((text for argv in inner for text in decodings(argv, inner)), UNKNOWN)
    if len(inner) == 1 and inner[0][0] in ("which", "command", "type") and len(inner[0]) > 1:
        return inner[0][-1]
    return UNKNOWN


def toplevel(folder):
    """The work tree of git that contains a folder."""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return UNKNOWN
        folder = above
    return folder


def without_data(text):
    """The text without the documents that only cat, tee or git read. A shell expands `$(` in one whose word is not quoted."""
    document = r"(\b(?:cat|tee|git)\b[^\n|;&<]*)<<-?[ \t]*(['\"]?)(\w+)\2([^\n|;&]*)\n(.*?)^[ \t]*\3[ \t]*$"
    def read(found):
        begin, quote, _, rest, body = found.groups()
        return found.group() if not quote and re.search(r"\$\(|`", body) else begin + rest
    return re.sub(document, read, text, flags=re.S | re.M)


def unescaped(text):
    """The text as printf prints it."""
    try:
        return re.sub(r"\\(x[0-9A-Fa-f]{1,2}|0?[0-7]{1,3}|[abfnrtv])", lambda one: code_of(one.group(1)), text).rstrip("\n")
    except ValueError:
        return UNKNOWN


def code_of(escape):
    if escape[0] == "x":
        return chr(int(escape[1:], 16))
    return chr(int(escape, 8)) if escape[0].isdigit() else {"n": "\n", "t": "\t"}.get(escape, "")


def decodings(argv, others):
    """The texts that the words of a command stand for, if programs beside it decode them."""
    programs = {other[0] for other in others}
    for word in argv[1:]:
        text = word[3:] if word.startswith("<<<") else word
        yield from (one for one in [unescaped(text)] if one != text)
        for code in re.findall(r"[A-Za-z0-9+/]{8,}={0,2}", text) if "base64" in programs else []:
            try:
                yield base64.b64decode(code + "=" * (-len(code) % 4)).decode()
            except ValueError:
                pass
        if "xxd" in programs and re.fullmatch(r"(?:[0-9a-f]{2}\s*)+", text):
            yield bytes.fromhex(text).decode("latin-1")
        if "rev" in programs:
            yield text[::-1]
        if "tr" in programs:
            yield codecs.encode(text, "rot13")


def expanded(name, names):
    """The value of a variable: assigned on this line, or the home or project folder."""
    base = re.match(r"[A-Za-z_][A-Za-z0-9_]*", name)
    if name in ("@", "*"):
        return names.get("@", "")
    if base and base.group() in names:
        value = names[base.group()]
        return value if base.group() == name else (UNKNOWN if value else "")
    if name in KNOWN:
        return KNOWN[name]
    default = re.match(r"[A-Za-z_][A-Za-z0-9_]*:?[-=](.*)$", name, re.S)
    if default:
        return default.group(1).strip("'\"")
    return "" if name in "@*#?!0123456789" or base is None else UNKNOWN


def words_of(text, names):
    """Yields the words and the operators of a shell text; operators are tuples."""
    word, at = None, 0
    while at < len(text):
        c = text[at]
        at += 1
        if c == "\\":
            if text[at:at + 1] == "\n":
                at += 1
                continue
            word = (word or "") + text[at:at + 1]
            at += 1
        elif c == "'":
            end = text.find("'", at)
            end = len(text) if end < 0 else end
            word = (word or "") + text[at:end]
            at = end + 1
        elif c == "$" and text[at:at + 1] == "'":
            end = at + 1
            while end < len(text) and text[end] != "'":
                end += 2 if text[end] == "\\" else 1
            try:
                value = text[at + 1:end].encode("latin-1", "backslashreplace").decode("unicode_escape")
            except UnicodeDecodeError:
                value = UNKNOWN
            word, at = (word or "") + value, end + 1
        elif c == "$" and text[at:at + 1] == '"':
            # `$"..."` is a quoted text that may be translated.
            continue
        elif c == '"' and text.startswith('$@"', at):
            yield from ([word] if word else []) + names.get("@", "").split()
            word, at = None, at + 3
        elif c == '"':
            word = word or ""
            while at < len(text) and text[at] != '"':
                if text[at] == "\\" and text[at + 1:at + 2] in ('"', "\\", "$", "`", "\n"):
                    word += text[at + 1].replace("\n", "")
                    at += 2
                elif text[at] in "$`":
                    value, at = expansion(text, at, names)
                    word += value
                else:
                    word += text[at]
                    at += 1
            at += 1
        elif c in "$`":
            value, at = expansion(text, at - 1, names)
            if UNKNOWN not in value and re.search(r"\s", value):
                # An unquoted value is split into words.
                first, *rest = re.split(r"\s+", value)
                yield from [one for one in [(word or "") + first] + rest[:-1] if one]
                word = rest[-1] or None
                continue
            if word is not None or value:
                word = (word or "") + value
        elif c in " \t":
            if word is not None:
                yield word
                word = None
        elif c == "#" and word is None:
            at = text.find("\n", at)
            at = len(text) if at < 0 else at
        elif c in "<>" and text[at:at + 1] == "(":
            end = closing(text, at + 1, "(", ")")
            if word is not None:
                yield word
                word = None
            yield ("(",)
            yield from words_of(text[at + 1:end - 1], names)
            yield (")",)
            at = end
        elif c in ";&|()\n<>":
            if word is not None:
                if not (c in "<>" and word.isdigit()):
                    yield word
                word = None
            while c[-1] in ";&|<>" and at < len(text) and text[at] in ";&|<>":
                c += text[at]
                at += 1
            yield (c,)
        else:
            word = (word or "") + c
    if word is not None:
        yield word


def expansion(text, at, names):
    """The value of the expansion at this place, and the place after it."""
    if text[at] == "`":
        end = text.find("`", at + 1)
        end = len(text) if end < 0 else end
        return substituted(text[at + 1:end], names), end + 1
    follows = text[at + 1:at + 2]
    if follows == "(":
        end = closing(text, at + 2, "(", ")")
        return substituted(text[at + 2:end - 1], names), end
    if follows == "{":
        end = closing(text, at + 2, "{", "}")
        return expanded(text[at + 2:end - 1], names), end
    name = re.match(r"[A-Za-z_][A-Za-z0-9_]*|[0-9@*#?!$-]", text[at + 1:])
    if not name:
        return "$", at + 1
    return expanded(name.group(), names), at + 1 + name.end()


def braces(word):
    """The words that `{a,b}` stands for."""
    group = re.search(r"\{([^{}]*,[^{}]*)\}", word)
    if not group or word.startswith("${"):
        return [word]
    start, end = word[:group.start()], word[group.end():]
    return [one for part in group.group(1).split(",") for one in braces(start + part + end)][:64]


def simple_commands(text, names=None):
    """Yields the words of every simple command of a line, in order. `cd`, assignments and operators are commands, too."""
    names = {} if names is None else names
    argv, skip = [], False
    for word in list(words_of(text, names)) + [(";",)]:
        if isinstance(word, tuple):
            if word[0][0] in "<>":
                skip = True
                argv.append(word)
                continue
            if argv:
                yield from assigned(argv, names)
            argv, skip = [], False
            yield [word[0]]
            continue
        if skip:
            # A text given to stdin stays, marked, because a shell runs it.
            argv[-1] = "<<<" + word if argv[-1][0] == "<<<" else argv[-1] + (word,)
        else:
            argv.extend(braces(word))
        skip = False


def assigned(argv, names):
    """Remembers the assignments before a command, and yields the rest of it."""
    words = [word for word in argv if not isinstance(word, tuple)]
    while words:
        match = re.match(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)$", words[0], re.S)
        if words[0] in ("export", "local", "declare", "readonly", "alias") and len(words) > 1:
            words.pop(0)
        elif match:
            names[match.group(1)] = match.group(2)
            words.pop(0)
        else:
            break
    if words[:1] in (["cd"], ["pushd"], ["popd"]):
        names["PWD"] = UNKNOWN
    if words[:1] == ["for"] and words[2:3] == ["in"]:
        # One value stands for all: one that may lead somewhere else, if there is one.
        values = words[3:] or [""]
        names[words[1]] = next((one for one in values if one[:1] in ("/", "~") or ".." in one or UNKNOWN in one), values[0])
    if words[:1] == ["set"]:
        names["@"] = " ".join(word for word in words[1:] if word != "--")
    if words:
        yield words
    yield from ([">", word[1]] for word in argv if isinstance(word, tuple) and len(word) == 2 and ">" in word[0])


def commands(text, depth=0, keep_wrappers=False):
    """Yields the words of every command that a line runs, also inside of `bash -c`, `sudo`, `xargs` and code.

    With `keep_wrappers`, also those of the wrappers themselves. A file that output goes to is a command `>`.
    """
    names, lines = {}, without_data(plain(text))
    # The first `cd` of a line often goes to the work tree.
    lines = re.sub(r'^((?:(?!\b(?:cd|pushd)\b).)*\bcd "?)\$\(git rev-parse --show-toplevel\)',
                   lambda found: found.group(1) + toplevel(KNOWN["PWD"]), lines, count=1, flags=re.S)
    # Assignments take effect on the words after them, so the line is read a second time with them.
    for _ in simple_commands(lines, names):
        pass
    found = [one for argv in simple_commands(lines, dict(names)) for one in unwrapped(argv, depth, keep_wrappers)]
    yield from found
    if depth < 3 and any(one[0] in RUNS_TEXT for one in found):
        # A shell may run every text of the line, also one that is decoded first.
        for one in found:
            words = [word[3:] if word.startswith("<<<") else word for word in one[1:]]
            texts = [word for word in words if re.search(r"\s", word)] + [" ".join(words)] * (one[0] in ("echo", "printf"))
            for text in texts + list(decodings(one, found)):
                if text != lines:
                    yield from commands(text, depth + 1, keep_wrappers)
    if depth < 3:
        for inner in re.findall(r"[$<>]\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`", lines):
            yield from (argv for code in inner if code for argv in commands(code, depth + 1, keep_wrappers))


def unwrapped(argv, depth, keep_wrappers):
    """Yields the command behind wrappers such as `sudo`, and the commands in the code that it is given."""
    argv = list(argv)
    while argv:
        program = argv[0].rsplit("/", 1)[-1] if "/" in argv[0] else argv[0]
        program = program.lower()
        if program not in WRAPPERS:
            break
        if keep_wrappers:
            yield [program] + argv[1:]
        rest, values, folder = argv[1:], VALUES.get(program, ""), None
        if program == "env" and any(word in ("-S", "--split-string") or word.startswith("-S") for word in rest):
            code = " ".join(word[2:] if word.startswith("-S") else word for word in rest if word != "--split-string")
            if depth < 4:
                yield from commands(code, depth + 1, keep_wrappers)
            return
        while rest and (rest[0].startswith("-") or re.match(r"[A-Za-z_][A-Za-z0-9_]*=", rest[0])):
            option = rest.pop(0)
            if option == "--":
                break
            moves = re.match(r"(?:--chdir|-C|-D)=?(.*)$", option) if program in ("env", "sudo") else None
            if moves:
                folder = moves.group(1) or (rest.pop(0) if rest else UNKNOWN)
            elif len(option) == 2 and option[1] in values and rest:
                rest.pop(0)
        if folder is not None:
            yield from (["("], ["cd", folder])
            yield from unwrapped(rest, depth, keep_wrappers)
            yield [")"]
            return
        if program in ("timeout", "chroot", "flock", "chrt", "taskset") and rest:
            rest.pop(0)
        if program in ("xargs", "parallel"):
            # The input of xargs gives it more words.
            rest.append(UNKNOWN)
        argv = rest
    if not argv:
        return
    program = argv[0].rsplit("/", 1)[-1].lower()
    name = re.sub(r"[0-9.]+$", "", program)
    if program == "eval" and depth < 4:
        yield from commands(" ".join(argv[1:]), depth + 1, keep_wrappers)
    elif program in SHELLS or program in ("su", "ssh", "script", "runuser"):
        code = [word[3:] if word.startswith("<<<") else word for at, word in enumerate(argv[1:], 1)
                if re.match(r"-\w*c$", argv[at - 1]) or word.startswith("<<<")]
        for text in code or ([" ".join(argv[2:])] if program == "ssh" else []):
            if depth < 4:
                yield from commands(text, depth + 1, keep_wrappers)
    elif name in INTERPRETERS and depth < 4:
        # The texts in a program's code may be commands.
        for code in argv[1:]:
            for quoted in re.findall(r"'([^']*)'|\"([^\"]*)\"|`([^`]*)`|\[([^\[\]]*)\]", code):
                text = next((part for part in quoted if part), "")
                if quoted[3]:
                    text = " ".join(re.findall(r"['\"]([^'\"]*)['\"]", quoted[3]))
                if text and text != code:
                    yield from commands(text, depth + 1, keep_wrappers)
    elif program == "git":
        for word in argv[1:]:
            alias = re.match(r"(-c)?alias\.[^=]+=(!?)(.*)$", word, re.S)
            if alias and depth < 4:
                code = alias.group(3) if alias.group(2) else "git " + alias.group(3)
                yield from commands(code, depth + 1, keep_wrappers)
    elif program == "find":
        for at, word in enumerate(argv):
            if word in ("-exec", "-execdir", "-ok", "-okdir"):
                inner = [one for one in argv[at + 1:] if one not in (";", "+")]
                folder = argv[1] if len(argv) > 1 and not argv[1].startswith("-") else "."
                # A test before it selects files in the folder.
                found = folder + "/{}" if any(one[:1] == "-" for one in argv[1:at]) else folder
                yield from unwrapped([found if one == "{}" else one for one in inner], depth + 1, keep_wrappers)
    yield [program] + argv[1:]


def is_program(word, *names):
    """Whether a word may run one of these programs, also through a pattern or a variable."""
    if UNKNOWN in word:
        return True
    return any(word == name or fnmatch.fnmatchcase(name, word) for name in names)


def options(argv):
    """The options of a command: long ones without their value, short ones letter by letter."""
    found = set()
    for word in argv[1:]:
        if word == "--":
            break
        if word.startswith("--"):
            found.add(word.split("=", 1)[0])
        elif word.startswith("-") and len(word) > 1:
            found.update("-" + letter for letter in word[1:])
    return found


def operands(argv):
    """The words of a command that are not options."""
    end = argv.index("--") if "--" in argv else len(argv)
    return [word for at, word in enumerate(argv) if at and (at > end or not word.startswith("-"))]
