#!/usr/bin/env bash
# Codex 0.171.0 (npm @openai/codex): where one command line both switches hooks off and on, the order of the flags does not
# count, although it counts among `-c`.
#
# Expected: the last flag wins. A wrapper or a CI template that ends with `--enable hooks` has hooks, whatever was before it,
# and `-c features.hooks=…` at the end decides as well.
#
# Seen (28 November 2026, Linux), by `codex … features list`:
# - `-c features.hooks=false -c features.hooks=true`: on; the other way round: off. Among `-c`, the last one wins;
# - `--disable hooks --enable hooks`: off, as in the other order;
# - `--disable hooks -c features.hooks=true`: off;
# - `--enable hooks -c features.hooks=false`: on. So `--disable` beats `--enable`, and both beat every `-c`;
# - flags behind the subcommand count the same: `--disable hooks features list --enable hooks`: off.
#
# What follows: a `--disable hooks` anywhere in an alias or a template switches off all guards, and no later flag shows it or
# undoes it. Ask `codex … features list` with the same flags before you trust a guard in CI.
#
# Needs npm. Prints "as described" and exits with 0, or says what changed and exits with 1.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$work" @openai/codex@0.171.0 >/dev/null
codex="$work/node_modules/.bin/codex"
export CODEX_HOME="$work/home"
mkdir "$CODEX_HOME"

changed=0
# try WANT FLAGS...: whether hooks are on in a program that starts with these flags.
try() {
    want=$1
    shift
    seen=$("$codex" "$@" 2>/dev/null | awk '$1 == "hooks" { print $NF }')
    if [ "$seen" != "$want" ]; then
        printf 'codex %s: hooks are %s, not %s\n' "$*" "${seen:-not listed}" "$want"
        changed=1
    fi
}

list=(features list)
try true "${list[@]}"
try true -c features.hooks=false -c features.hooks=true "${list[@]}"
try false -c features.hooks=true -c features.hooks=false "${list[@]}"
try false --disable hooks --enable hooks "${list[@]}"
try false --enable hooks --disable hooks "${list[@]}"
try false --disable hooks -c features.hooks=true "${list[@]}"
try true --enable hooks -c features.hooks=false "${list[@]}"
try false --disable hooks "${list[@]}" --enable hooks

[ "$changed" = 0 ] && echo "as described"
exit "$changed"
