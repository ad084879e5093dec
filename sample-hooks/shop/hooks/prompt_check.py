#!/usr/bin/env python3
"""prompt_check.py: stops a prompt into which a secret was pasted.

Shows   a JSON decision that is not about a tool: {"decision": "block", "reason": ...}.
        The reason is for you; it names the kind of secret and never repeats it.
Event   UserPromptSubmit (Gemini CLI: BeforeAgent). This event has no matcher.
Reads   prompt (Qwen Code also fires with an empty one, after each tool), turn_id
Exit 0  with JSON the prompt is dropped; without output it is sent as it is.
        Plain text here would be added to the prompt, so it prints none.
Exit 1  the event cannot be read: the prompt is sent, and the user sees stderr.
Try     "the password = correct-horse-9", then "how long may a password be?".
"""
import json
import re
import sys

SECRETS = [
    ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    ("an AWS access key", r"\bAKIA[0-9A-Z]{16}\b"),
    ("a GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{30,}"),
    ("an API key", r"\bsk-[A-Za-z0-9_-]{20,}"),
    ("a password or token", r"(?i)\b(?:password|passwd|secret|token|api[_-]?key)\b\s*(?:=|:|\bis\b)\s*[\"']?(?=\S*\d)\S{8,}"),
]


def main():
    try:
        event = json.load(sys.stdin.buffer)
        prompt = event.get("prompt") or ""
    except (ValueError, AttributeError) as error:
        sys.exit(f"prompt_check.py: cannot read this event: {error}")
    for kind, pattern in SECRETS:
        if re.search(pattern, prompt):
            answer = {
                "decision": "block",
                "reason": f"This prompt seems to contain {kind}. Take it out and send the prompt again.",
            }
            if "turn_id" not in event:  # Codex does not know the key, and would drop the whole answer
                answer["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "suppressOriginalPrompt": True}
            json.dump(answer, sys.stdout)
            return


main()
