#!/bin/sh
#SBATCH --job-name=tailbound-sweep
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
# A sweep in 16 parts as a Slurm job array, each part with its own store; edit the plan, then
#
#   mkdir -p stores
#   job=$(sbatch --parsable share/examples/sweep-slurm.sh sweep.toml)
#
# When all are finished, merge the stores on one machine, which then computes any missing points:
#
#   for store in stores/*.db; do tailbound sweep sweep.toml --store all.db --add $store --dry-run --quiet; done
#   tailbound sweep sweep.toml --store all.db --format csv --output sweep.csv
#
# Status 1 means that some points have no result; for this job that is not a failure.
set -eu
parts=${PARTS:-${SLURM_ARRAY_TASK_COUNT:?to be started by sbatch --array=1-N}}
status=0
"${TAILBOUND:-tailbound}" sweep "$1" --store "stores/$SLURM_ARRAY_TASK_ID.db" --jobs 1 --quiet \
  --part "$SLURM_ARRAY_TASK_ID/$parts" || status=$?
[ "$status" -le 1 ]
