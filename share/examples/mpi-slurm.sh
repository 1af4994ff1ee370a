#!/bin/sh
#SBATCH --job-name=tailbound-mpi
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
# One simulation on 64 ranks. Sent again after a failure it goes on from its checkpoint; with other ranks, too.
# TAILBOUND_MPI names the executable where it is not on the path, MPIRUN what starts it (srun knows PMI: try
# MPIRUN="srun --mpi=pmix" where mpirun was built without Slurm).
set -eu
resume=
[ ! -e tree.state ] || resume="--resume tree.state"

# $resume is two words or none.
# shellcheck disable=SC2086
exec ${MPIRUN:-mpirun} "${TAILBOUND_MPI:-tailbound-mpi}" simulate tree --radix 4 --levels 2 --load 0.8 --slots 20000 \
  --replications 256 --checkpoint tree.state $resume --format json --output tree.json
