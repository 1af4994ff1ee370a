#!/bin/sh
# One simulation in parts on this machine, with GNU parallel. The result is identical to that of a whole run.
#
#   sh share/examples/parts-parallel.sh PARTS FOLDER COMMAND OPTION...
#   sh share/examples/parts-parallel.sh 8 parts simulate tree --radix 16 --levels 3 --load 0.8 --replications 32
#
# Run again, it computes only the missing parts. TAILBOUND is the executable if it is not on the PATH.
set -eu
tailbound=${TAILBOUND:-tailbound}
parts=$1 folder=$2
shift 2
mkdir -p "$folder"

# --resume-failed: finished parts are not recomputed.
seq "$parts" | parallel --joblog "$folder/log" --resume-failed --halt soon,fail=1 \
  "$tailbound" "$@" --part "{}/$parts" --threads 1 --output "$folder/{}.json"
"$tailbound" merge "$folder"/*.json
