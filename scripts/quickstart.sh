#!/usr/bin/env bash
# Demonstrates Ringmaster: installs the packages for a build, builds the binary and runs `ringmaster demo` with the given options:
# a server, two executors and sample jobs, in one process, in a new folder. It prints the address of the web console and a link
# that signs in once. Ctrl-C ends it.
#
#   scripts/quickstart.sh            runs until you stop it
#   scripts/quickstart.sh --check    exits with 0 after three completed runs
#
# The first run builds for some minutes; README.md says how many. Later runs compile only changed sources.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Processor time of a full build of the binary.
compile_minutes=13
build=build/quickstart
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

say() { printf '== step %s of 3: %s (%dm%02ds)\n' "$1" "$2" $((SECONDS / 60)) $((SECONDS % 60)) >&2; }

say 1 "installing missing packages and CAF"
caf=$(scripts/deps.sh --build | tail -n 1)

jobs=$CMAKE_BUILD_PARALLEL_LEVEL
if [ -x $build/apps/ringmaster ]; then
  say 2 "compiling changed sources"
else
  say 2 "compiling, about $(((compile_minutes + jobs - 1) / jobs)) minutes with $jobs at a time"
fi
cmake --preset quickstart -DCAF_ROOT="$caf" > /dev/null
NINJA_STATUS='[%f of %t, after %e s] ' cmake --build --preset quickstart --target ringmaster >&2

say 3 "$build/apps/ringmaster demo"
exec $build/apps/ringmaster demo "$@"
