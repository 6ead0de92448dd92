#!/usr/bin/env bash
# Runs everything that CI runs, on a new Debian 12 or on a developer's machine.
#
#   scripts/test.sh                 dependencies; all tests under sanitizers; the release binary with real executors and with
#                                   Chromium; its packages in a clean root; a short load; a short run of the fuzz targets
#   scripts/test.sh --label unit    only the tests of one label: unit, actors, links, storage, executor, gateway, compat,
#                                   simulation, elastic_simulation, commands, browser, interop, chaos, elastic, tidy
#   scripts/test.sh --preset dev    only the tests, with another preset
#   scripts/test.sh --tsan          only the labels actors and links, under ThreadSanitizer
#
# The last line is `N passed, N failed, N skipped`. Above it are each skip with its reason, and above them the duration of each
# part. Every build has warnings as errors. Exits with 0 when nothing failed.
# CMAKE_BUILD_PARALLEL_LEVEL (default: the number of processors) and CTEST_PARALLEL_LEVEL (default: one more) are honoured.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

preset=ci labels='' tsan=no whole=yes
benches=(cron_bench http_bench store_bench purge_bench firing_bench executor_bench link_bench elastic_bench) # all of bench/
while [ $# -gt 0 ]; do
  case "$1" in
    --preset | --label)
      [ $# -gt 1 ] || { echo "test.sh: $1 needs a value" >&2; exit 2; }
      if [ "$1" = --preset ]; then preset=$2; else labels=$2; fi
      whole=no
      shift 2
      ;;
    --tsan) tsan=yes preset=tsan labels='actors|links' whole=no; shift ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "test.sh: unknown option $1" >&2; exit 2 ;;
  esac
done

export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
export CTEST_PARALLEL_LEVEL=${CTEST_PARALLEL_LEVEL:-$(($(nproc) + 1))} # tests mostly wait
export ASAN_OPTIONS=halt_on_error=1:detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}
export TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}

results=$(mktemp -d)
runner='' releasing='' fuzzing='' browsing=''
trap 'for each in $runner $releasing $fuzzing $browsing; do kill "$each" 2>/dev/null || true; done; rm -rf "$results"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
sum=()
failures=0

say() { printf '\n== %s (%dm%02ds)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

# part NAME: begins a row of the table of parts and ends the former one.
parts=() part_began=0
part() {
  [ ${#parts[@]} = 0 ] || parts[-1]+=$(printf ' | %d:%02d' $(((SECONDS - part_began) / 60)) $(((SECONDS - part_began) % 60)))
  part_began=$SECONDS
  [ -z "$1" ] || parts+=("$1")
}

fail() {
  echo "failed: $*"
  failures=$((failures + 1))
}

finish() {
  [ "$failures" = 0 ] || sum+=(--count 0 "$failures" 0)
  part ''
  say parts
  printf '| %s |\n' 'Part | Minutes' "${parts[@]}"
  say result
  python3 scripts/sum_tests.py "${sum[@]}" || exit 1
  exit 0
}

# build PRESET [TARGET…]: configures, then builds the targets, or all; `none` only configures.
build() {
  local name=$1
  shift
  say "build: $name ${*:-all}"
  cmake --preset "$name" -DCAF_ROOT="$caf" -DRINGMASTER_WARNINGS_AS_ERRORS=ON > "$results/configure.log" 2>&1 \
    || { cat "$results/configure.log"; return 1; }
  [ "${1:-}" != none ] || return 0
  cmake --build --preset "$name" ${@:+--target "$@"}
}

# Prints the targets of the chosen labels; nothing for all, `none` if there is nothing to build.
wanted_targets() {
  local label targets=()
  for label in ${labels//|/ }; do
    case "$label" in
      tidy) ;;
      commands) targets+=(ringmaster xxl_tables) ;;
      browser | interop) targets+=(ringmaster) ;;
      chaos) targets+=(ringmaster crashing_ringmaster) ;;
      elastic) targets+=(ringmaster elastic_worker) ;;
      *) [ ! -f "tests/$label/CMakeLists.txt" ] || targets+=("${label}_tests") ;;
    esac
  done
  [ -z "$labels" ] || [ ${#targets[@]} -gt 0 ] || targets=(none)
  echo "${targets[@]}"
}

run_ctest() {
  local log=build/$preset/Testing/Temporary/LastTest.log selection=()
  [ -z "$labels" ] || selection=(-L "^($labels)\$")
  [ "$whole" = no ] || selection=(-LE '^browser$') # with the release binary, next to interop
  say "tests: $preset ${labels:-all}"
  rm -f "$log"
  # Databases of tests are in memory if there is room, so that they do not wait for a disk.
  local place=${TMPDIR:-/tmp}
  if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ] && [ "$(df --output=avail -k /dev/shm | tail -n 1)" -gt 4194304 ]; then
    place=/dev/shm
  fi
  TMPDIR=$place ctest --preset "$preset" "${selection[@]}" --no-tests=error || true # failures are read from the log
  sum+=(--ctest "$log")
}

# The tests mostly wait. Meanwhile the release binary, the SDK and all benchmarks are built, at the lowest priority.
start_release_build() {
  (
    renice -n 19 "$BASHPID" > /dev/null
    build release ringmaster sdk "${benches[@]}"
  ) > "$results/release.log" 2>&1 &
  releasing=$!
}

await_release_build() {
  local status=0
  say "build: release ringmaster ${benches[*]}, begun with the tests"
  wait "$releasing" || status=$?
  releasing=''
  if [ "$status" = 0 ]; then tail -n 2 "$results/release.log"; else cat "$results/release.log"; fi
  return "$status"
}

run_interop() {
  say "interop: the release binary with Java executors and clients, on SQLite and on MariaDB"
  local status=0
  : > "$results/interop.log"
  timeout --kill-after=15 1200 python3 tests/interop/run_interop.py --ringmaster build/release/apps/ringmaster \
    >> "$results/interop.log" 2>&1 &
  runner=$!
  tail -f -n +1 --pid="$runner" "$results/interop.log" || true
  wait "$runner" || status=$?
  runner=''
  if [ "$status" != 0 ] && grep -q '^interop: .*failed=0 ' "$results/interop.log"; then
    fail "interop ended with code $status after its last check"
  fi
  sum+=(--interop "$results/interop.log")
}

# add_cases LOG STATUS NAME: prints the log, and adds the numbers of its line `cases: passed=…`.
add_cases() {
  [ ! -f "$1" ] || cat "$1"
  local counts
  counts=$(grep '^cases: ' "$1" 2>/dev/null | tr -cd '0-9 \n' || true)
  # shellcheck disable=SC2086 # three numbers
  if [ -n "$counts" ]; then sum+=(--count $counts); else fail "$3 ended with code $2"; fi
}

run_packages() {
  say "packages: built from the release build, installed, started, upgraded and purged in a clean root"
  local status=0
  CAF_ROOT=$caf scripts/package.sh "$results/packages" && timeout --kill-after=15 600 \
    python3 tests/packages/package_test.py "$results/packages" > "$results/package.log" 2>&1 || status=$?
  add_cases "$results/package.log" "$status" packages
}

start_browser() {
  timeout --kill-after=15 2000 python3 tests/browser/browser_test.py build/release/apps/ringmaster \
    --worker build/release/tests/elastic/elastic_worker > "$results/browser.log" 2>&1 &
  browsing=$!
}

await_browser() {
  say "browser: the console of the release binary in Chromium, begun with interop"
  local status=0
  wait "$browsing" || status=$?
  browsing=''
  add_cases "$results/browser.log" "$status" browser
}

# Executors of other languages mostly wait. Meanwhile the fuzz targets are built and run, at the lowest priority.
start_fuzzers() {
  (
    renice -n 19 "$BASHPID" > /dev/null
    CAF_ROOT=$caf exec timeout --kill-after=15 1200 scripts/fuzz.sh 5
  ) > "$results/fuzz.log" 2>&1 &
  fuzzing=$!
}

await_fuzzers() {
  say "fuzz: 5 s per target, begun before the packages"
  local status=0
  wait "$fuzzing" || status=$?
  fuzzing=''
  tail -n 40 "$results/fuzz.log"
  local targets
  targets=$(sed -n 's/^fuzz: passed=\([0-9]*\) failed=.*/\1/p' "$results/fuzz.log")
  if [ "$status" = 0 ] && [ "${targets:-0}" -gt 0 ]; then
    sum+=(--count "$targets" 0 0)
  else
    fail "fuzz: see above"
  fi
}

# Runs a few seconds of load: the bench prints a line of JSON that says that no run was lost and none was sent twice.
bench_smoke() { # NAME WORDS…
  local bench=$1 status=0
  shift
  timeout --kill-after=15 120 "build/release/bench/$bench" --ringmaster build/release/apps/ringmaster "$@" \
    > "$results/bench.log" || status=$?
  cat "$results/bench.log"
  if [ "$status" != 0 ]; then
    fail "bench smoke: $bench ended with code $status"
  elif ! python3 - "$results/bench.log" <<'PYTHON'
import json, sys
lines = [line for line in open(sys.argv[1], encoding="utf-8") if line.startswith("{")]
figures = json.loads(lines[-1]) if lines else {}
sys.exit(0 if figures.get("lost") == 0 and figures.get("doubled") == 0 else 1)
PYTHON
  then
    fail "bench smoke: lost and doubled must be 0"
  else
    sum+=(--count 1 0 0)
  fi
}

run_bench_smoke() {
  say "bench smoke: 500 jobs/s for 5 s on SQLite, and the same rate to an executor for 3 s, over HTTP and over a native link"
  bench_smoke firing_bench --rate 500 --seconds 5 --store sqlite
  bench_smoke executor_bench --rate 500 --seconds 3
  bench_smoke executor_bench --rate 500 --seconds 3 --way native
}

part dependencies
say dependencies
options=()
[ "$tsan" = no ] || options=(--tsan)
scripts/deps.sh "${options[@]}" | tee "$results/deps.log" || { fail "scripts/deps.sh"; finish; }
caf=$(tail -n 1 "$results/deps.log")

part "build of preset $preset"
# shellcheck disable=SC2046 # one word a target
build "$preset" $(wanted_targets) || { fail "build of preset $preset"; finish; }
[ "$whole" = no ] || start_release_build
part "tests of preset $preset"
run_ctest

if [ "$whole" = yes ]; then
  part "rest of the build release, begun with the tests"
  if await_release_build; then
    start_fuzzers
    part "packages in a clean root"
    run_packages
    part "executors and clients of Java, Python and Node"
    start_browser
    run_interop
    part "rest of the pages in Chromium"
    await_browser
    part "rest of the fuzz targets"
    await_fuzzers
    part "short loads"
    run_bench_smoke
  else
    fail "build of preset release"
  fi
fi
finish
