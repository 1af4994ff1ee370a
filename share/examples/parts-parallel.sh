#!/bin/sh
# One simulation in parts on this machine, by GNU parallel. The answer is that of a whole run, byte for byte.
#
#   sh share/examples/parts-parallel.sh PARTS FOLDER COMMAND OPTION...
#   sh share/examples/parts-parallel.sh 8 parts simulate tree --radix 16 --levels 3 --load 0.8 --replications 32
#
# Started again it does what is missing. TAILBOUND names the executable where it is not on the path.
set -eu
tailbound=${TAILBOUND:-tailbound}
parts=$1 folder=$2
shift 2
mkdir -p "$folder"

# --resume-failed: parts that are there are not done again.
seq "$parts" | parallel --joblog "$folder/log" --resume-failed --halt soon,fail=1 \
  "$tailbound" "$@" --part "{}/$parts" --threads 1 --output "$folder/{}.json"
"$tailbound" merge "$folder"/*.json
