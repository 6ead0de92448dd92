#!/usr/bin/env bash
# Fuzzes each parser of external input, one after the other.
#
#   scripts/fuzz.sh [SECONDS]    fuzzes each target for this time (default 600); inputs that break one are left in
#   build/fuzz/findings
#   scripts/fuzz.sh --build      only builds the targets
#
# Prints `NAME: ok, N inputs` or `NAME: failed` for each target and, last, a sum; exit 0 when nothing was found. CAF_ROOT names
# the CAF of scripts/deps.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-600}
findings=build/fuzz/findings
cmake --preset fuzz ${CAF_ROOT:+-DCAF_ROOT="$CAF_ROOT"} > /dev/null
cmake --build --preset fuzz --target fuzzers
[ "$seconds" != --build ] || exit 0

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
mkdir -p "$findings"
for fuzzer in build/fuzz/tests/fuzz/*_fuzz; do
  name=$(basename "$fuzzer" _fuzz)
  mkdir -p "$work/$name"
  if "$fuzzer" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$findings/$name-" "$work/$name" "tests/fuzz/seeds/$name" > "$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "$name: ok, $(sed -n 's/^stat::number_of_executed_units: *//p' "$work/log") inputs"
  else
    failed=$((failed + 1))
    tail -n 40 "$work/log"
    echo "$name: failed"
  fi
done
echo "fuzz: passed=$passed failed=$failed"
[ "$failed" = 0 ]
