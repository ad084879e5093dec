#!/usr/bin/env bash
# context.sh: tells the model where it is: branch, changed files, open work.
#
# Shows   how a hook gives the model context: additionalContext in JSON.
# Event   SessionStart, without a matcher: every source. Copilot CLI also starts it from
#         .github/hooks, as sessionStart: the payload there names no event, and only a
#         key at the top of the answer counts.
# Reads   source; the project's TODO.md, shop/ and web/; git, when it is there
# Exit 0  the model reads additionalContext. This event cannot block anything.
# Exit 1  no answer: the session starts without it, and the user sees stderr.
# Note    Text goes into JSON through json.dumps, never by pasting strings together:
#         one quote in TODO.md would break the answer.
# Try     tick an item in TODO.md and fire again; print a line before the JSON;
#         take "hookEventName" out: Claude Code then rejects the whole answer.
set -u

event=$(cat)
cd "${CLAUDE_PROJECT_DIR:-.}" || exit 1

branch='none, this is not a git repository'
if git rev-parse --git-dir >/dev/null 2>&1; then
  branch=$(git symbolic-ref --short HEAD 2>/dev/null) || branch='none, HEAD is detached'
  branch="$branch, files changed: $(git --no-optional-locks status --porcelain | wc -l | tr -d ' ')"
fi
open=$(grep '^- \[ \]' TODO.md 2>/dev/null | head -n 20)
notes=$(grep -rn 'TODO:' shop web 2>/dev/null | head -n 20 |
  sed -E 's/:[[:space:]]*[#/]+[[:space:]]*/: /')

text="Branch: $branch
Open in TODO.md:
${open:-none}
Notes in the code:
${notes:-none}"

printf '%s' "$event" | python3 -c '
import json, sys
event = json.load(sys.stdin.buffer)
text = "Session: " + str(event.get("source")) + "\n" + sys.argv[1]
if "hook_event_name" in event:
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
else:
    answer = {"additionalContext": text}
print(json.dumps(answer))
' "$text" 2>/dev/null || {
  echo 'context.sh: cannot read this event' >&2
  exit 1
}
