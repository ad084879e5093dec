#!/usr/bin/env python3
"""Refuses SQL that deletes a table, a database, or all rows.

Reads   tool_input.command
Exit 0  no objection.
Exit 2  refused; the model reads the reason on stderr. An event that cannot be read is refused, too.
"""
import re
import sys

sys.dont_write_bytecode = True  # no __pycache__ in the project
from shell_words import commands, guard, is_program, plain

DESTROYS = [
    (r"\bdrop\s+(table|database|schema|view|index|user|role)\b", "deletes a table, a schema or a database"),
    (r"\btruncate\b\s+(table\s+)?[\w\"'`.\[]", "deletes every row"),
    (r"\bdelete\s+from\b(?![^;]*\bwhere\b(?!\s+(1\s*=\s*1|true|1)\b))", "deletes every row"),
    (r"\bupdate\s+[\w\"'`.\[\]]+\s+set\b(?![^;]*\bwhere\b)", "changes every row"),
    (r"\balter\s+table\b[^;]*\bdrop\b", "deletes a column"),
]
CLIENTS = ("psql", "mysql", "mariadb", "sqlite3", "sqlcmd", "duckdb", "clickhouse-client", "cockroach", "bq", "usql", "isql", "mysqladmin", "dropdb", "dropuser")


def objection(command):
    line = plain(command)
    programs = [argv[0] for argv in commands(line)]
    if any(program in ("dropdb", "dropuser") for program in programs) or re.search(r"mysqladmin\b.*\bdrop\b", line):
        return "this deletes a database or a user"
    known = any(is_program(program, *CLIENTS) for program in programs) or re.search(r"\b(execute|query|raw|sql)\b", line)
    if not known:
        return None
    words = [" ".join(word[3:] if word.startswith("<<<") else word for word in argv) for argv in commands(line)]
    for text in words + [line]:
        sql = re.sub(r"/\*.*?\*/|--[^\n]*\n|\s+", " ", re.sub(r"['\"]\s*(\|\||\+|\.)\s*['\"]", "", text), flags=re.S)
        for pattern, effect in DESTROYS:
            if re.search(pattern, sql, re.I):
                return f"this {effect}; ask the user to run it"
    return None


guard(lambda event: objection(event["tool_input"]["command"]){{repeat}})
