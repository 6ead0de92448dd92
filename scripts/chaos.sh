#!/usr/bin/env bash
# Runs a cluster of real processes under load and faults, and accounts for every due instant (docs/reliability.md).
#
#   scripts/chaos.sh [--minutes N] [--seed S] [--scenario NAME]… [--store mariadb|sqlite] [--nodes 3] [--rate R] [--report FILE]
#   scripts/chaos.sh --help         all options
#
# Takes the newest of the binaries in build/release and build/quickstart, or the one of --ringmaster FILE. Everything is private,
# on loopback, and ends with the run. Exits with 0 only if the account is clean.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

binary=()
case " $* " in
  *' --ringmaster'* | *' --help '* | *' -h '*) ;;
  *)
    for built in build/quickstart/apps/ringmaster build/release/apps/ringmaster; do
      if [ -x "$built" ] && { [ ${#binary[@]} = 0 ] || [ "$built" -nt "${binary[1]}" ]; }; then
        binary=(--ringmaster "$built")
      fi
    done
    if [ ${#binary[@]} = 0 ]; then
      echo "chaos.sh: no binary: run scripts/quickstart.sh --check, or name one with --ringmaster FILE" >&2
      exit 2
    fi
    ;;
esac
exec nice python3 tests/chaos/run_chaos.py "${binary[@]}" "$@"
