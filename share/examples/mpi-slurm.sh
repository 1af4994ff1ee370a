#!/bin/sh
#SBATCH --job-name=tailbound-mpi
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
# One simulation on 64 ranks. Resubmitted after a failure, it continues from its checkpoint, with any number of ranks.
# TAILBOUND_MPI is the executable if it is not on the PATH; MPIRUN is the launcher. srun supports PMI: try
# MPIRUN="srun --mpi=pmix" if mpirun was built without Slurm.
set -eu
resume=
[ ! -e tree.state ] || resume="--resume tree.state"

# $resume is empty or two words.
# shellcheck disable=SC2086
exec ${MPIRUN:-mpirun} "${TAILBOUND_MPI:-tailbound-mpi}" simulate tree --radix 4 --levels 2 --load 0.8 --slots 20000 \
  --replications 256 --checkpoint tree.state $resume --format json --output tree.json
