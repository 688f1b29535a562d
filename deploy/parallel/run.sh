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

where=()
if [[ -n ${MACHINES:-} ]]; then
  where=(--sshloginfile "$MACHINES" --workdir .)
fi
parallel "${where[@]}" --quote --eta --retries 3 --joblog "$out/shards/parallel-$shards.log" --resume-failed \
  "$spotsim" "$@" --threads 1 --shard "{}/$shards" --out "$out/shards/{}-of-$shards" \
  ::: $(seq "$shards") >/dev/null

folders=()
for ((shard = 1; shard <= shards; shard++)); do
  folders+=("$out/shards/$shard-of-$shards")
done
exec "$spotsim" merge "${folders[@]}" --out "$out"
