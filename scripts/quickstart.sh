#!/usr/bin/env bash
# Shows Ringmaster at work: installs what a build needs, builds the binary and runs `ringmaster demo` with the options given: a
# server, an executor and a job that fires every second, in one process, in a fresh folder. Ctrl-C ends it.
#
#   scripts/quickstart.sh            until you stop it
#   scripts/quickstart.sh --check    exit 0 after three completed runs
#
# The first run builds for some minutes; README.md says how many. Later ones compile only what has changed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Processor time of a build of the binary from nothing.
compile_minutes=8
build=build/quickstart
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

say() { printf '== step %s of 3: %s (%dm%02ds)\n' "$1" "$2" $((SECONDS / 60)) $((SECONDS % 60)) >&2; }

say 1 "packages, and CAF where it is missing"
caf=$(scripts/deps.sh --build | tail -n 1)

jobs=$CMAKE_BUILD_PARALLEL_LEVEL
if [ -x $build/apps/ringmaster ]; then
  say 2 "compiling what has changed"
else
  say 2 "compiling, about $(((compile_minutes + jobs - 1) / jobs)) minutes with $jobs at a time"
fi
cmake --preset quickstart -DCAF_ROOT="$caf" > /dev/null
NINJA_STATUS='[%f of %t, after %e s] ' cmake --build --preset quickstart --target ringmaster >&2

say 3 "$build/apps/ringmaster demo"
exec $build/apps/ringmaster demo "$@"
