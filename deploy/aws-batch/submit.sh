#!/usr/bin/env bash
# Submits shards.json as an array job, and merge.json to follow it. Fill in the names in capitals of all three files
# and register the definition first: aws batch register-job-definition --cli-input-json file://job-definition.json
set -euo pipefail
cd "$(dirname "$0")"

array=$(aws batch submit-job --cli-input-json file://shards.json --query jobId --output text)
merge=$(aws batch submit-job --cli-input-json file://merge.json --depends-on "jobId=$array" --query jobId --output text)
echo "array job $array, then merge $merge: aws batch describe-jobs --jobs $array"
