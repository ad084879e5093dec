#!/bin/sh
# guard.sh: refuses `rm -rf` anywhere but in scratch/.
#
# Shows   the plainest way to say no: exit 2, with one line on stderr.
# Event   PreToolUse, matcher Bash (Qwen Code: run_shell_command, Droid: Execute).
# Reads   tool_name, tool_input.command
# Exit 0  no opinion. Silence is not approval: the agent's own rules still apply.
# Exit 2  the command does not run, and the model reads stderr. On purpose this is
#         also the answer to an event that cannot be read.
# Try     `rm -rf scratch/old`, `make && rm -r -f build`, `echo rm -rf build`;
#         then change `exit 2` to `exit 1` and see that nothing is stopped any more.
# Limits  In doubt it refuses. It is no sandbox: a script or an alias gets past it.
set -u

refuse() {
  printf 'refusing: %s\n' "$1" >&2
  exit 2
}

# Without stdin, the commands below would wait for each other's output.
{ true 3<&0; } 2>/dev/null || refuse 'guard.sh got no event'

# Never take JSON apart with sed. Line 1 is the tool, the rest is the command.
event=$(python3 -c '
import json, sys
event = json.load(sys.stdin.buffer)
print(event.get("tool_name"))
print(event.get("tool_input").get("command", "").replace("\\\n", " "))
' 2>/dev/null) || refuse "guard.sh cannot read this event (is python3 there?)"
# No system starts a longer command, and reading it here would take too long.
[ "${#event}" -lt 131072 ] || refuse 'this command is too long'
IFS= read -r tool <<EVENT
$event
EVENT

case $tool in
  Bash | run_shell_command | Execute) ;;
  *) exit 0 ;;
esac

# One simple command a line: redirections and quotes go, separators become line ends.
export LC_ALL=C # bytes, whatever the terminal speaks
quotes="\"'\\\\" separators=';&|()`'
lines=$(printf '%s\n' "$event" | sed 1d |
  sed -E 's/(^|[[:space:]])[0-9]+([<>])/\1\2/g; s/[<>]+&?[[:space:]]*[^[:space:];|&()]*/ /g' |
  tr -d "$quotes" | tr "$separators" '[\n*]')

root=${CLAUDE_PROJECT_DIR:-$PWD}
moved=no
in_scratch() {
  case $1 in
    *..* | *'$'*) return 1 ;;
    "$root"/scratch/?*) return 0 ;;
  esac
  case ${1#./} in
    scratch | scratch/*) [ "$moved" = no ] ;;
    *) return 1 ;;
  esac
}

set -f # the words below are data: no file name patterns
while IFS= read -r line; do
  # shellcheck disable=SC2086 # splitting into words is the point
  set -- $line
  case ${1-} in
    cd | pushd) moved=yes ;; # from here on scratch/ may be another one
    echo | printf | git | grep | rg | man | '#'*) continue ;; # these only mention it
  esac
  while [ $# -gt 0 ] && [ "${1##*/}" != rm ]; do shift; done
  [ $# -gt 0 ] || continue
  shift
  recursive=no force=no outside='' targets=0
  for word in "$@"; do
    case $word in
      --recursive) recursive=yes ;;
      --force) force=yes ;;
      --*) ;;
      -*)
        case $word in *[rR]*) recursive=yes ;; esac
        case $word in *f*) force=yes ;; esac
        ;;
      *)
        targets=$((targets + 1))
        in_scratch "$word" || outside=${outside:-$word}
        ;;
    esac
  done
  [ "$recursive$force" = yesyes ] || continue
  [ "$targets" -gt 0 ] || outside='target unknown'
  [ -z "$outside" ] || refuse "rm -rf outside a scratch directory: $outside (scratch/ is fine)"
done <<LINES
$lines
LINES
exit 0
