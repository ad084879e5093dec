#!/usr/bin/env python3
"""Refuses a prompt that contains a key or a password, before it leaves this machine.

Reads   prompt
Exit 0  no objection.
Exit 2  refused; the user reads the reason. An event that cannot be read is refused, too.
"""
import json
import re
import sys
import unicodedata

SECRETS = {
    "a private key": r"-----BEGIN\s[A-Z\s]*PRIVATE\s+KEY-----",
    "an AWS key": r"\b(AKIA|ASIA)[0-9A-Z]{16}\b",
    "a GitHub token": r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})",
    "an API key": r"\bsk-[A-Za-z0-9_-]{20,}",
    "a Slack token": r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    "a Google key": r"\bAIza[0-9A-Za-z_-]{35}\b",
    "a token": r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    "a password": r"\b(password|passwd|secret|api[_-]?key)\s*[:=]\s*['\"]?[^\s'\"]{8,}",
}

# Cyrillic and Greek letters, and the Latin letters that they look like.
LOOK_ALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТУХҮԌԚԜаеѕіјорсухһԁԛԝүѵ" "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧαικνορυχϳ",
    "ABESIJKMHOPCTYXYGQWaesijopcyxhdqwyv" "ABEZHIKMNOPTYXaikvopuxj",
)


def plain(text):
    """The text in Latin letters, without wide, accented and invisible ones."""
    letters = (c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) not in ("Cf", "Mn"))
    return "".join(letters).translate(LOOK_ALIKES)


try:
    prompt = json.load(sys.stdin)["prompt"]
    if isinstance(prompt, list):  # one agent sends a list of parts
        prompt = " ".join(part.get("text", "") for part in prompt)
    prompt = plain(prompt)
    found = next((name for name, pattern in SECRETS.items() if re.search(pattern, prompt, re.I)), None)
    reason = f"the prompt contains {found}; remove it, or put it into a file that the agent does not read" if found else None
except (ValueError, KeyError, TypeError) as error:
    reason = f"the event cannot be read: {error!r}"
if reason:
    {{repeat:reason}}
    print(f"refused: {reason}", file=sys.stderr)
    sys.exit(2)
