#!/usr/bin/env bash
# Makes the Debian packages of this tree for the Debian release that it runs on: ringmaster, ringmaster-dbgsym, ringmaster-sdk.
#
#   scripts/package.sh [FOLDER]    builds missing parts of build/release; FOLDER (default build/packages) gets the packages
#
# RINGMASTER_COMMIT names the commit for `ringmaster --version` in a tree without git.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -le 1 ] || { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 2; }
folder=$(mkdir -p "${1:-build/packages}" && cd "${1:-build/packages}" && pwd)
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

caf=$(scripts/deps.sh --build | tail -n 1)
fresh=()
[ -f build/release/CMakeCache.txt ] || fresh=(-DRINGMASTER_TESTS=OFF -DRINGMASTER_BENCH=OFF)
cmake --preset release -DCAF_ROOT="$caf" -DRINGMASTER_COMMIT="${RINGMASTER_COMMIT:-}" "${fresh[@]}" > /dev/null
cmake --build --preset release --target ringmaster sdk
rm -rf build/release/packages
(cd build/release && cpack > packages.log) || { cat build/release/packages.log >&2; exit 1; }
cp build/release/packages/*.deb "$folder"
ls -l "$folder"/*.deb
