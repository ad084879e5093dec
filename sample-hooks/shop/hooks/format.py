#!/usr/bin/env python3
"""format.py: tidies an edited file in memory and reports what it would change.

Shows   feedback after the fact: the edit is done, and additionalContext tells the
        model what to tidy. The file itself is left alone, so firing it is safe.
Event   PostToolUse, matcher "Edit|Write" (Qwen Code: "^(edit|write_file)$").
Reads   tool_input.file_path; without that file tool_input.content or .new_string
Exit 0  with JSON the model reads the report; a tidy file gets no output.
Exit 1  the event cannot be read: the agent goes on, and the user sees stderr.
Try     Edit with file_path "web/basket.js" (three findings), "shop/basket.py" (none).
"""
import json
import os
import sys


def findings(text, path):
    found = []
    indent_by_tab = path.endswith((".mk", ".go")) or os.path.basename(path) == "Makefile"
    for number, line in enumerate(text.split("\n"), 1):
        body = line.rstrip("\r")
        if body != body.rstrip():
            found.append(f"line {number}: blanks at the end")
        if body.startswith("\t") and not indent_by_tab:
            found.append(f"line {number}: indented with a tab")
    if text and not text.endswith("\n"):
        found.append("last line: no line end")
    return found


def main():
    try:
        tool_input = json.load(sys.stdin.buffer).get("tool_input") or {}
    except (ValueError, AttributeError) as error:
        sys.exit(f"format.py: cannot read this event: {error}")
    path = tool_input.get("file_path") or ""
    full = os.path.join(os.environ.get("CLAUDE_PROJECT_DIR", ""), path)
    try:
        with open(full, encoding="utf-8", newline="") as file:
            text = file.read(1_000_000)
    except (OSError, ValueError):  # not there, or not text
        text = tool_input.get("content") or ""
        if not text and tool_input.get("new_string"):
            text = tool_input.get("new_string") + "\n"  # a piece of a line is fine
    found = findings(text, path)
    if found:
        more = f" and {len(found) - 8} more" if len(found) > 8 else ""
        report = f"format.py: {os.path.basename(path)} is not tidy: {'; '.join(found[:8])}{more}."
        json.dump({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": report}}, sys.stdout)


main()
