#!/bin/sh
# The file PreToolUse
if grep -q 'rm -rf'; then echo '{"cancel": true, "errorMessage": "refused: rm -rf"}'; fi
