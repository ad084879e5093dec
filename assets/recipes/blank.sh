#!/usr/bin/env bash
# {{title}}
#
#:refuse
# Exit 0  no objection.
# Exit 2  refused; the reason is on stderr.
#:ask context
# Exit 0  without output no objection; with JSON the answer.
#:check keep
# Exit 0  all is well.
# Exit 2  the command fails; the model reads the end of its output on stderr.
#:format notify
# Exit 0  always.
#:refuse ask context
# Needs jq, or else python3.
#:*
set -u

event=$(cat)
#:refuse ask context
pattern={{pattern}}
#:refuse
text={{text}}
#:refuse ask context

# Every text of the event that the hook looks at.
if command -v jq >/dev/null; then
    texts=$(jq -r '{{event}} | .. | strings' <<<"$event")
else
    texts=$(python3 -c '
import json, sys
def texts(value):
    if isinstance(value, str): yield value
    elif isinstance(value, dict): value = list(value.values())
    if isinstance(value, list): yield from (text for one in value for text in texts(one))
event = json.load(sys.stdin)
print("\n".join(texts({{event_in_python}})))' <<<"$event")
fi
#:refuse ask
# The guard fails closed: an event that cannot be read is refused.
if [ $? -ne 0 ]; then
#:refuse
    {{repeat:"refused: the event cannot be read"}}
#:refuse ask
    echo "refused: the event cannot be read" >&2
    exit 2
fi
#:context
[ $? -eq 0 ] || exit 1
#:refuse
if grep -qE -e "$pattern" <<<"$texts"; then
    {{repeat:"$text"}}
    echo "$text" >&2
    exit 2
fi
#:ask context
grep -qE -e "$pattern" <<<"$texts" || exit 0
{{answer}}
#:check
if ! output=$({{command}} 2>&1 </dev/null); then
    {{repeat:"$(tail -c 2000 <<<"$output")"}}
    tail -c 2000 <<<"$output" >&2
    exit 2
fi
#:keep
# The agent continued because of this hook before; asking again and again would never end.
grep -qE '"stop_hook_active": *true' <<<"$event" && exit 0
if ! output=$({{command}} 2>&1 </dev/null); then
    {{repeat:"$(tail -c 2000 <<<"$output")"}}
    tail -c 2000 <<<"$output" >&2
    exit 2
fi
#:format
grep -oE '"(file_path|notebook_path|path)": *"[^"]*"' <<<"$event" | sed 's/^[^:]*: *"//; s/"$//' | sort -u | while read -r file; do
    [ -f "$file" ] && {{command}} "$file" >&2 </dev/null
done
#:notify
export MESSAGE="the agent waits"
{{command}} >&2 </dev/null
#:*
exit 0
