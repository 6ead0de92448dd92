#!/usr/bin/env bash
# Wraps C++ lines that are longer than check_tidy.py allows, with clang-format, and leaves all others unchanged.
#
#   scripts/wrap_lines.sh [FILE…]     default: every C++ file of the repository
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

columns=130
[ $# -gt 0 ] || mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')
[ $# -eq 0 ] || files=("$@")

for file in "${files[@]}"; do
  mapfile -t ranges < <(python3 - "$file" "$columns" <<'PYTHON'
import sys
for number, line in enumerate(open(sys.argv[1], encoding="utf-8"), 1):
    if len(line.rstrip("\n")) > int(sys.argv[2]):
        print(f"--lines={number}:{number}")
PYTHON
  )
  [ ${#ranges[@]} -eq 0 ] || clang-format -i "${ranges[@]}" "$file"
done
