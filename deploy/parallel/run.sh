#!/usr/bin/env bash
# Shards by GNU parallel, here or on machines that share a file system; then the merge.
#
#   deploy/parallel/run.sh 64 output/seed-g5 run scenarios/seed-g5.toml --replications 100000000
#   MACHINES=machines.txt deploy/parallel/run.sh ...   # a line a machine: 16/host, its cores and its ssh name
#
# The same command after an interruption or a failure runs only the shards that have not ended well.
set -euo pipefail

shards=$1 out=$2
shift 2
spotsim=${SPOTSIM:-spotsim}
mkdir -p "$out/shards"

how=()
if [[ -n ${MACHINES:-} ]]; then
  how+=(--sshloginfile "$MACHINES" --workdir .)
fi
if [[ -t 2 ]]; then
  how+=(--eta)
fi
parallel "${how[@]}" --quote --retries 3 --joblog "$out/shards/parallel-$shards.log" --resume-failed \
  "$spotsim" "$@" --threads 1 --shard "{}/$shards" --out "$out/shards/{}-of-$shards" \
  ::: $(seq "$shards") >/dev/null || {
  echo "some shards have failed; the same command tries these alone again" >&2
  exit 1 # parallel's own code is how many
}

exec "$spotsim" merge "$out/shards" --out "$out"
