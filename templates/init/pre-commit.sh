#!/bin/sh
# Stops a commit that changes lines a note cites; git commit --no-verify commits all the same.
command -v scoutkit >/dev/null || exit 0
exec scoutkit check --staged
