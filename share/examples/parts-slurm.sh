#!/bin/sh
#SBATCH --job-name=tailbound
#SBATCH --array=1-16
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
# One simulation in 16 parts as a Slurm job array; edit the command below, then
#
#   mkdir -p parts
#   job=$(sbatch --parsable share/examples/parts-slurm.sh)
#   sbatch --dependency=afterok:$job --wrap 'tailbound merge parts/*.json --output answer.txt'
#
# To resubmit a single failed part: sbatch --array=7 --export=ALL,PARTS=16 share/examples/parts-slurm.sh
# TAILBOUND is the executable if it is not on the PATH.
set -eu
parts=${PARTS:-${SLURM_ARRAY_TASK_COUNT:?to be started by sbatch --array=1-N}}

exec "${TAILBOUND:-tailbound}" simulate tree --radix 4 --levels 2 --load 0.8 --slots 20000 --replications 32 \
  --part "$SLURM_ARRAY_TASK_ID/$parts" --threads 1 --output "parts/$SLURM_ARRAY_TASK_ID.json"
