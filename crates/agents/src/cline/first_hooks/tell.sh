#!/bin/sh
# The file PostToolUse
echo '{"contextModification": "Run the tests before you say that you are done."}'
