#!/bin/sh
# Tells what the notes say of the lines that a commit changes, and stops it where notes no longer hold after it.
# git commit --no-verify commits all the same.
command -v scoutkit >/dev/null || exit 0
scoutkit about --staged >&2
exec scoutkit check --staged
