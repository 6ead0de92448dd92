#!/usr/bin/env bash
# Builds the web console and writes the C++ source that embeds it. Called by the build (cmake/ringmaster_console.cmake).
#
#   scripts/build_console.sh auto|on FOLDER DIST OUTPUT.cpp
#
# FOLDER is console/, DIST takes the built pages. With `auto`, a console that cannot be built (no package registry, for example)
# is a warning, and the binary has none; with `on` it is an error.
set -uo pipefail

mode=$1 folder=$2 dist=$3 output=$4
source_folder=$(cd "$(dirname "$0")/.." && pwd)

build() {
  cd "$folder" || return 1
  # The stamp names the lock file that node_modules was made from.
  if ! cmp -s package-lock.json node_modules/.ringmaster-lock; then
    npm ci --no-audit --no-fund --loglevel=error || return 1
    cp package-lock.json node_modules/.ringmaster-lock || return 1
  fi
  npm run --silent build -- --outDir "$dist" --emptyOutDir --logLevel warn || return 1
  node "$source_folder/scripts/embed_console.mjs" "$dist" "$output"
}

if (build); then exit 0; fi
[ "$mode" = auto ] || exit 1
echo "console: it cannot be built here (see above): the binary has no web console" >&2
cp "$source_folder/apps/server/no_console.cpp" "$output"
