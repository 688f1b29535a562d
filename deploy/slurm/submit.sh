#!/usr/bin/env bash
# A job array of shards, and a job that merges them once all have ended well.
#
#   SHARDS=64 OUT=output/seed-g5 deploy/slurm/submit.sh run scenarios/seed-g5.toml --replications 100000000
#   ONLY=7,12 SHARDS=64 OUT=output/seed-g5 deploy/slurm/submit.sh ...   # the same, shards 7 and 12 alone
#
# Options of sbatch (--partition, --account): in SBATCH_PARTITION and so on, as sbatch reads them.
set -euo pipefail

: "${SHARDS:?how many shards, from 2}" "${OUT:?the folder of the answer}"
here=$(dirname "$0")
export SHARDS OUT

array=$(sbatch --parsable --array="${ONLY:-1-$SHARDS}" "$here/spotsim.sbatch" "$@")
merge=$(sbatch --parsable --dependency="afterok:${array%%;*}" --kill-on-invalid-dep=yes "$here/merge.sbatch")
echo "array ${array%%;*}, then merge ${merge%%;*}: squeue --me"
