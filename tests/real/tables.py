#!/usr/bin/env python3
"""Writes the tables of programs from a report of `hookbench calibrate --report FILE` into `assets/data/program-tables`.

    tests/real/tables.py REPORT...

Several reports of one agent are joined: a key that one of them lacks is a key of some payloads.
"""
import json
import os
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../assets/data/program-tables")


def join(one, other):
    for name in ("events", "tools", "variables"):
        one[name] = sorted({*one[name], *other[name]})
    for name, seen in other["called_tools"].items():
        one["called_tools"][name] = sorted({*one["called_tools"].get(name, []), *seen})
    for event, keys in other["answer_keys"].items():
        one["answer_keys"][event] = sorted({*one["answer_keys"].get(event, []), *keys})
    one["limits"].update(other["limits"])
    for event, keys in other["payloads"].items():
        known = one["payloads"].setdefault(event, keys)
        always = {*known["always"]} & {*keys["always"]}
        every = {*known["always"], *known["sometimes"], *keys["always"], *keys["sometimes"]}
        one["payloads"][event] = {"always": sorted(always), "sometimes": sorted(every - always)}


def text(tables):
    """The tables as JSON, with one line for each list."""
    lines = []
    for name, value in tables.items():
        if isinstance(value, dict):
            rows = ",\n".join(f"    {json.dumps(key)}: {json.dumps(inner, ensure_ascii=False)}" for key, inner in sorted(value.items()))
            lines.append(f"  {json.dumps(name)}: {{\n{rows}\n  }}" if rows else f"  {json.dumps(name)}: {{}}")
        else:
            lines.append(f"  {json.dumps(name)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main():
    agents = {}
    for path in sys.argv[1:]:
        with open(path) as file:
            for agent in json.load(file)["agents"]:
                if agent["agent"] in agents:
                    join(agents[agent["agent"]], agent["tables"])
                else:
                    agents[agent["agent"]] = agent["tables"]
    for name, tables in agents.items():
        with open(os.path.join(DATA, f"{name}.json"), "w") as file:
            file.write(text(tables))


if __name__ == "__main__":
    main()
