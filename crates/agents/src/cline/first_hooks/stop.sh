#!/bin/sh
# The file PreToolUse
test ! -e STOP || echo '{"cancel": true, "errorMessage": "STOP is there"}'
