#!/usr/bin/env python3
"""Checks the habits of this repository that a script can see.

    check_tidy.py [--root FOLDER]

Each breach is one line, file:line: what. The last line counts the rules; exit 1 if one is broken. A rule is a function whose name
ends in _rule; it yields its breaches.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

TOP_LEVEL = set(
    ".ci .clang-format .editorconfig .gitignore ARCHITECTURE.md CHANGELOG.md CMakeLists.txt CMakePresets.json CONTRIBUTING.md"
    " LICENSE README.md SECURITY.md actors apps bench cmake config console core docs examples executor gateway packaging protocol scripts"
    " storage tests".split()
)
REQUIRED = (
    "LICENSE README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md ARCHITECTURE.md config/ringmaster.example.toml .ci/run".split()
)
CODE = {".cpp", ".hpp", ".py", ".sh"}
CPLUSPLUS = {".cpp", ".hpp"}
FILE_LINES_MAX, TEST_FILE_LINES_MAX = 500, 650
COLUMNS_MAX = 130
CLASS_FIELDS_MAX = 30
# The supervisor has a handle of each actor that it starts.
MANY_FIELDS = {"supervisor_state"}
VAGUE_NAMES = {"util", "utils", "helper", "helpers", "manager", "common", "misc"}
THIS = Path(__file__).resolve()


class Repository:
    """The files that are, or would be, committed; texts are read once."""

    def __init__(self, root: Path):
        self.root = root
        self.files = sorted(self.listed() or self.walked())
        self.texts: dict[str, str] = {}

    def listed(self) -> list[str]:
        command = ["git", "-C", str(self.root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
        try:
            found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\0")
        except (OSError, subprocess.CalledProcessError):
            return []
        return [name for name in found if name and (self.root / name).is_file()]

    def walked(self) -> Iterator[str]:
        for folder, names, files in os.walk(self.root):
            names[:] = [name for name in names if name not in {".git", ".cache", "build", "target", "__pycache__"}]
            for name in files:
                yield (Path(folder) / name).relative_to(self.root).as_posix()

    def of(self, suffixes: set[str], *folders: str) -> Iterator[str]:
        for name in self.files:
            own = (self.root / name).resolve() == THIS or name.startswith("tests/tidy/")
            if Path(name).suffix in suffixes and (not folders or name.startswith(folders)) and not own:
                yield name

    def text(self, name: str) -> str:
        if name not in self.texts:
            self.texts[name] = (self.root / name).read_text(encoding="utf-8", errors="replace")
        return self.texts[name]

    def lines(self, name: str) -> Iterator[tuple[int, str]]:
        return enumerate(self.text(name).splitlines(), 1)

    def search(self, pattern: str, names: Iterator[str], what: str, comments: bool = True) -> Iterator[str]:
        expression = re.compile(pattern)
        for name in names:
            for number, line in self.lines(name):
                code = line if comments else re.sub(r"//.*", "", line)
                if match := expression.search(code):
                    yield f"{name}:{number}: {what.format(match[0].strip())}"


def file_length_rule(repository: Repository) -> Iterator[str]:
    for name in repository.of(CODE):
        count = len(repository.text(name).splitlines())
        limit = TEST_FILE_LINES_MAX if name.startswith("tests/") else FILE_LINES_MAX
        if count > limit:
            yield f"{name}:{count}: {count} lines; at most {limit}"


def class_size_rule(repository: Repository) -> Iterator[str]:
    """Every method of a class sees all of its fields: parts that change together are classes of their own."""
    field = re.compile(r"  (?!using|friend|static|return|explicit|virtual|\[\[)[\w:<>,\s*&\[\]()]+?\b\w+_(?:\{.*\}| = [^;]*)?;")
    for name in repository.of({".hpp"}):
        owner, count = "", 0
        for number, line in repository.lines(name):
            if begun := re.match(r"(?:class|struct) (\w+)[^;]*\{$", line):
                owner, count = begun[1], 0
            elif owner and field.match(line):
                count += 1
            elif owner and line.startswith("};"):
                if count > CLASS_FIELDS_MAX and owner not in MANY_FIELDS:
                    yield f"{name}:{number}: {owner} has {count} fields; at most {CLASS_FIELDS_MAX}"
                owner = ""


def line_length_rule(repository: Repository) -> Iterator[str]:
    for name in repository.of(CODE):
        for number, line in repository.lines(name):
            if len(line) > COLUMNS_MAX:
                yield f"{name}:{number}: {len(line)} columns; at most {COLUMNS_MAX}"


def white_space_rule(repository: Repository) -> Iterator[str]:
    names = repository.of(CODE | {".md", ".toml", ".txt", ".cmake"})
    yield from repository.search(r"[ \t]+$|\r|\t", names, "tab, blank or \\r at the end")
    for name in repository.of(CODE):
        if repository.text(name) and not repository.text(name).endswith("\n"):
            yield f"{name}:1: no newline at the end"


def unfinished_rule(repository: Repository) -> Iterator[str]:
    names = repository.of(CODE | {".txt", ".md"})
    yield from repository.search(r"\b(TODO|FIXME|HACK)\b|\bXXX(?!L)\b", names, "{}: say it in an issue")


def pragma_once_rule(repository: Repository) -> Iterator[str]:
    for name in repository.of({".hpp"}):
        first = next((line for _, line in repository.lines(name) if line.strip() and not line.startswith("//")), "")
        if first != "#pragma once":
            yield f"{name}:1: does not begin with #pragma once"


def finite_request_rule(repository: Repository) -> Iterator[str]:
    names = repository.of(CPLUSPLUS, "actors/", "apps/", "gateway/", "protocol/", "tests/", "bench/")
    names = [name for name in names if name != "protocol/caf.hpp"]  # request_unlimited, which says what it is for
    what = "{}: every request has a finite time limit"
    yield from repository.search(r"\bcaf::infinite\b|\binfinite\b(?=\s*[,)])", names, what, False)


def no_sleep_rule(repository: Repository) -> Iterator[str]:
    names = repository.of(CPLUSPLUS, "tests/", "actors/", "executor/", "gateway/", "core/")
    # A handler that is a coroutine sleeps without a thread.
    blocking = r"(?<!context\.)(?<!sleep_awaiter )\bsleep_for\b|\b(sleep_until|usleep|nanosleep)\b|\bsleep\("
    yield from repository.search(blocking, names, "{}: wait for an event with a deadline", False)


def co_await_rule(repository: Repository) -> Iterator[str]:
    """g++ 12.2 translates these forms wrongly."""
    names = repository.of(CPLUSPLUS)
    beside = r"\b(if|while|switch)\s*\(.*\bco_await\b|(&&|\|\||\s\?\s).*\bco_await\b|\bco_await\b.*(&&|\|\||\s\?\s)"
    what = "co_await stands in a statement of its own, not in a condition"
    for name in names:
        for number, line in repository.lines(name):
            code = re.sub(r"//.*|\boperator co_await\(\) &&", "", line)
            if re.search(beside, code):
                yield f"{name}:{number}: {what}"


def environment_rule(repository: Repository) -> Iterator[str]:
    names = repository.of(CPLUSPLUS, "actors/", "executor/", "gateway/", "protocol/", "storage/")
    yield from repository.search(r"\b(secure_)?getenv\s*\(", names, "{}: settings come from config", False)


def top_level_rule(repository: Repository) -> Iterator[str]:
    for top in sorted({name.split("/")[0] for name in repository.files} - TOP_LEVEL):
        yield f"{top}:1: nothing of that name belongs at the top; a new folder needs a decision record"


def required_files_rule(repository: Repository) -> Iterator[str]:
    for name in REQUIRED:
        if name not in repository.files:
            yield f"{name}:1: missing"
    if "LICENSE" in repository.files:
        head = " ".join(repository.text("LICENSE").split()[:5])
        if head != "Apache License Version 2.0, January":
            yield f"LICENSE:1: not the Apache License 2.0: {head!r}"
    configuration = "docs/configuration.md"
    if configuration not in repository.files or "config/ringmaster.example.toml" not in repository.text(configuration):
        yield f"{configuration}:1: does not name config/ringmaster.example.toml"


def vague_name_rule(repository: Repository) -> Iterator[str]:
    for name in repository.of(CPLUSPLUS):
        for part in Path(name).with_suffix("").parts:
            if VAGUE_NAMES & set(part.split("_")):
                yield f"{name}:1: '{part}' says nothing about the content"


def snake_case_rule(repository: Repository) -> Iterator[str]:
    for name in repository.of(CPLUSPLUS):
        if not re.fullmatch(r"[a-z0-9_/.]+", name):
            yield f"{name}:1: file names are snake_case"


def listed_source_rule(repository: Repository) -> Iterator[str]:
    """A source that no CMakeLists.txt names is not built, and a test in it does not run."""
    lists = {name for name in repository.files if name.endswith("CMakeLists.txt")}
    for name in repository.of({".cpp"}):
        above = [f"{folder}/CMakeLists.txt" for folder in map(str, Path(name).parents) if f"{folder}/CMakeLists.txt" in lists]
        beside = [other for other in lists if other.startswith(f"{name.split('/')[0]}/")]
        stem = re.escape(Path(name).name)
        bare = re.escape(Path(name).stem)
        if not any(re.search(rf"(^|[\s/(]){stem}\b", repository.text(each)) for each in above + beside) and not any(
            re.search(rf"[\s(]{bare}[\s)]", repository.text(each)) for each in above
        ):
            yield f"{name}:1: no CMakeLists.txt names it"


def folder_comment_rule(repository: Repository) -> Iterator[str]:
    for name in repository.files:
        if Path(name).name == "CMakeLists.txt" and not repository.text(name).startswith("# "):
            yield f"{name}:1: begins without saying what the folder is for"


def link_rule(repository: Repository) -> Iterator[str]:
    for name in repository.of({".md"}):
        folder, fenced = (repository.root / name).parent, False
        for number, line in repository.lines(name):
            fenced ^= line.lstrip().startswith("```")
            for target in () if fenced else re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", line):
                if "://" not in target and not target.startswith("mailto:") and not (folder / target).exists():
                    yield f"{name}:{number}: {target} does not exist"


def named_test_rule(repository: Repository) -> Iterator[str]:
    """Pages name tests as `tests/…/file "name"`: the file is there, and the name in it."""
    for name in repository.of({".md"}):
        for number, line in repository.lines(name):
            for path, test in re.findall(r'\b(tests/[\w/]+\.(?:cpp|hpp|py|mjs))(?: "([^"]+)")?', line):
                if path not in repository.files:
                    yield f"{name}:{number}: {path} does not exist"
                elif test and not re.search(rf'(["\']){re.escape(test)}\1|\bdef {re.escape(test)}\(', repository.text(path)):
                    yield f"{name}:{number}: {path} has no test {test!r}"


def record_number_rule(repository: Repository) -> Iterator[str]:
    """Decision records are numbered without a gap, and each is in the list."""
    folder = "docs/adr/"
    records = [name for name in repository.files if re.match(folder + r"\d{4}-", name)]
    listed = repository.text(folder + "README.md") if folder + "README.md" in repository.files else ""
    for expected, name in enumerate(records, 1):
        if not name.startswith(f"{folder}{expected:04}-") or not repository.text(name).startswith(f"# {expected}. "):
            yield f"{name}:1: the name and the title of this record begin with its number, {expected}"
        if f"({Path(name).name})" not in listed:
            yield f"{name}:1: {folder}README.md does not list it"


def actor_list_rule(repository: Repository) -> Iterator[str]:
    """The tables of ARCHITECTURE.md list the actors of the catalogue, each once; what only listens is no actor of its own."""
    page = "ARCHITECTURE.md"
    catalogues = [name for name in repository.files if re.fullmatch(r"protocol/(actor|user|executor)_interfaces\.hpp", name)]
    if not catalogues or page not in repository.files:
        return
    declared = {found for name in catalogues for found in re.findall(r"(?m)^using (\w+) =", repository.text(name))}
    declared = {name for name in declared if not name.endswith("_listener") and name != "store_worker"}
    section = repository.text(page).partition("\n## Actors\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    for name in sorted(declared - set(listed)):
        yield f"{page}:1: the actor {name} is not in the tables of actors"
    for name in sorted({each for each in listed if each not in declared or listed.count(each) > 1}):
        yield f"{page}:1: {name} is no actor of the catalogue, or is listed twice"


def architecture_path_rule(repository: Repository) -> Iterator[str]:
    """Files and folders that ARCHITECTURE.md names exist."""
    page = "ARCHITECTURE.md"
    known = set(repository.files) | {str(parent) for name in repository.files for parent in Path(name).parents}
    for number, line in repository.lines(page) if page in repository.files else ():
        for path in re.findall(r"`((?:core|config|protocol|storage|actors|gateway|executor|apps|docs|tests|scripts)/[\w/.]*)`", line):
            if path.rstrip("/") not in known:
                yield f"{page}:{number}: {path} does not exist"


def release_rule(repository: Repository) -> Iterator[str]:
    """The newest version of CHANGELOG.md is that of CMakeLists.txt, with its date or "unreleased"."""
    lists = repository.text("CMakeLists.txt") if "CMakeLists.txt" in repository.files else ""
    if version := re.search(r"project\(\w+ VERSION ([\d.]+)", lists):
        newest = re.search(r"(?m)^## \[([\d.]+)\] - (unreleased|\d{4}-\d\d-\d\d)$", repository.text("CHANGELOG.md"))
        if not newest or newest[1] != version[1]:
            yield f"CHANGELOG.md:1: the newest version is not {version[1]} with its date, or - unreleased"


def preset_list_rule(repository: Repository) -> Iterator[str]:
    """CONTRIBUTING.md names each preset."""
    if "CMakePresets.json" in repository.files:
        presets = json.loads(repository.text("CMakePresets.json"))["configurePresets"]
        for name in (each["name"] for each in presets if not each.get("hidden")):
            if f"`{name}`" not in repository.text("CONTRIBUTING.md"):
                yield f"CONTRIBUTING.md:1: does not name the preset {name}"


def label_list_rule(repository: Repository) -> Iterator[str]:
    """CONTRIBUTING.md has a row for each folder of tests."""
    page = repository.text("CONTRIBUTING.md") if "CONTRIBUTING.md" in repository.files else ""
    for name in repository.files:
        if (found := re.fullmatch(r"tests/(\w+)/CMakeLists\.txt", name)) and not re.search(
            rf"`(tests/)?{found[1]}`", page
        ) and found[1] not in {"support", "fuzz"}:
            yield f"CONTRIBUTING.md:1: says nothing of tests/{found[1]}"


def parity_rule(repository: Repository) -> Iterator[str]:
    """A feature of the Java admin has a test, or waits for the console. One of ElasticJob has a test."""
    page = "docs/parity.md"
    section = repository.text(page).partition("\n## ")[0] if page in repository.files else ""
    for number, line in enumerate(section.splitlines(), 1):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.match(r"\| \d", line) and not cells[3] and "console" not in cells[4]:
            yield f"{page}:{number}: {cells[1]!r} names no test"
    page = "docs/elasticjob_parity.md"
    rows = [line for _, line in repository.lines(page) if line.startswith("| EJ-")] if page in repository.files else []
    for expected, row in enumerate(rows, 1):
        if not row.startswith(f"| EJ-{expected:02} |"):
            yield f"{page}:1: expected a row EJ-{expected:02}"
        elif not re.search(r'tests/\S+ "', row):
            yield f"{page}:1: EJ-{expected:02} names no test"


# Words that no text uses any more, and what stands in their place: ../docs/glossary.md.
RETIRED = {
    r"(nobody|somebody|whoever|whomever|anybody|everybody)(?:'s)?": "name the person or thing",
    r"anew": "again",
    r"for ever": "indefinitely",
    r"of (?:its|one's|their) own accord|of one's own": "its own",
    r"by hand": "manually",
    r"people": "users",
    r"upkeep": "maintenance",
    r"past lives|former li(?:fe|ves)": "earlier incarnations",
    r"signs? of life": "heartbeat",
    r"records? of changes": "audit log",
    r"wish(?:es)?": "request, or intent",
    r"desks?": "client",
    r"odd(?:ity|ities)": "finding",
    r"farewells?": "goodbye",
    r"duty|duties": "task",
    r"rhythms?": "interval",
    r"dials? in|dialled in": "connects",
}
RIDDLE = r"^///?\s+(?:What|Who|Whose|Whom|How|That|The same)\b(?!.*\?)"
FALSE_NO = r'"[^"\n]*\b(?:is|are|was|were) no (?!longer\b|such\b|more\b)[^"\n]*"'


def english_rule(repository: Repository) -> Iterator[str]:
    """Comments and texts use the terms of docs/glossary.md and begin with a verb or a noun: style of this project."""
    retired = [(re.compile(rf"(?<![\w-])(?:{pattern})(?![\w-])", re.IGNORECASE), better) for pattern, better in RETIRED.items()]
    pages = {".md", ".toml", ".in"}
    for name in repository.of(CODE | pages):
        # The last two hold texts of XXL-JOB.
        exempt = {"docs/glossary.md", "CHANGELOG.md", "protocol/wire/xxl/refusal_words.cpp", "tests/unit/dialect_test.cpp"}
        if name in exempt or name.startswith(("tests/fuzz/", "tests/data/")):
            continue
        for number, line in repository.lines(name):
            text = line if Path(name).suffix in pages else "  ".join(re.findall(r"//.*|#\s.*|\"(?:[^\"\\]|\\.)*\"", line))
            for pattern, better in retired:
                if match := pattern.search(text):
                    yield f"{name}:{number}: {match[0]!r}: {better}"
            if Path(name).suffix in CPLUSPLUS and (match := re.match(RIDDLE, line.strip())):
                yield f"{name}:{number}: a comment begins with a verb or a noun: {match[0]!r}"
            if Path(name).suffix in CPLUSPLUS and (match := re.search(FALSE_NO, line)):
                yield f"{name}:{number}: say invalid, or not a: {match[0][:60]}"


def machine_path_rule(repository: Repository) -> Iterator[str]:
    names = repository.of(CODE | {".md", ".toml", ".txt", ".cmake", ".json"})
    yield from repository.search(r"(?<![\w.$}/-])/(root|home/\w+|work)/[\w.]", names, "{}…: a path of one machine")


def executable_rule(repository: Repository) -> Iterator[str]:
    for name in repository.files:
        runnable = name.startswith((".ci/", "scripts/")) and repository.text(name).startswith("#!")
        if runnable and not os.access(repository.root / name, os.X_OK):
            yield f"{name}:1: not executable"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=THIS.parent.parent)
    repository = Repository(parser.parse_args().root.resolve())
    rules = [(name, rule) for name, rule in globals().items() if name.endswith("_rule")]
    failed = 0
    for name, rule in rules:
        breaches = list(rule(repository))
        failed += bool(breaches)
        for breach in breaches:
            print(f"{breach} [{name.removesuffix('_rule')}]")
    print(f"cases: passed={len(rules) - failed} failed={failed} skipped=0")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
