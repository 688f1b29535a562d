#!/bin/sh
# The image's words are spotsim's: `run FILE`. AWS Batch cannot change an entry point, so a shell and a path are run too.
case "${1-}" in
sh | bash | spotsim | /*) exec "$@" ;;
*) exec spotsim "$@" ;;
esac
