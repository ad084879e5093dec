#!/usr/bin/env bash
# slow.sh: takes three seconds and says on stderr how far it is.
#
# Shows   time: a running hook, its progress, and what happens when it takes too long.
# Event   PreCompact, matcher "manual|auto".
# Reads   nothing in it; but it does take all of stdin
# Exit 0  no opinion. Claude Code shows stderr to nobody; Qwen Code takes it for the
#         answer when stdout is empty, as a message that decides nothing.
# Exit 2  would keep Claude Code from compacting; Qwen Code compacts all the same.
# Try     set its timeout in the settings to 2: the agent ends it with SIGTERM and goes on.
#         A timeout is never a "no". Or press Ctrl+C while it runs.
set -u

cat >/dev/null

step=1
for what in 'reading the notes' 'looking for decisions' 'writing a summary'; do
  printf 'slow.sh: %s of 3, %s\n' "$step" "$what" >&2
  sleep 1
  step=$((step + 1))
done
printf 'slow.sh: done\n' >&2
