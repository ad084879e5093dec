#!/usr/bin/env bash
# noisy.sh: prints log lines before its answer, so nobody reads the answer.
#
# Shows   an answer that is lost. stdout must be the JSON and nothing else: one line
#         before it makes all of it plain text, and plain text is not read here.
# Event   PostToolUse, matcher Bash (Qwen Code: run_shell_command).
#         Claude Code: in .claude/settings.local.json, your own layer.
# Reads   nothing in it; but it does take all of stdin, as each hook should
# Exit 0  the model would read additionalContext, if the answer were JSON.
# Note    Colours, a progress bar that moves the cursor and a window title are in it
#         too. They must not reach your screen as commands.
# Try     write `report >&2` in the marked line, save, fire again: now it is read.
set -u

cat >/dev/null

log() {
  printf '\033[2m12:00:0%s\033[0m \033[3%sm%-5s\033[0m %s\n' "$1" "$2" "$3" "$4"
}

report() {
  printf '\033]0;noisy.sh at work\007'
  log 0 6 INFO 'checking the workspace'
  for bar in '#####' '##########' '###############' '####################'; do
    printf '\r\033[K[%-20s] %3d %%' "$bar" $((${#bar} * 5))
  done
  printf '\n'
  log 1 6 INFO 'found 3 products, 3 modules, 1 page'
  log 1 3 WARN 'stock of "Tea pot" is low: 3'
  for step in prices basket orders page; do
    log 2 2 OK "$step"
  done
  log 3 1 ERROR 'shop/orders.py does not look at the stock'
}

report # <- the marked line

printf '%s\n' '{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "noisy.sh: shop/orders.py does not look at the stock."}}'
