#!/usr/bin/env bash
# Shows Ringmaster at work: installs what a build needs, builds the release binary and runs `ringmaster demo` with the options
# given: a server, an executor and a job that fires every second, in one process, in a fresh folder. Ctrl-C ends it.
#
#   scripts/quickstart.sh            until you stop it
#   scripts/quickstart.sh --check    exit 0 after three completed runs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

caf=$(scripts/deps.sh --build | tail -n 1)
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
cmake --preset release -DCAF_ROOT="$caf" -DRINGMASTER_TESTS=OFF -DRINGMASTER_BENCH=OFF > /dev/null
cmake --build --preset release --target ringmaster
exec build/release/apps/ringmaster demo "$@"
