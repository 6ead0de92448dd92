#!/usr/bin/env python3
"""Checks every #include against the table of permitted includes of each folder below.

    check_includes.py [--root FOLDER]

Prints each violation as one line, file:line: text. The last line counts the folders of the table; exits with 1 if one has a
violation.
"""

import argparse
import re
import sys
from pathlib import Path

SHARED_STORAGE = ("storage/*", "storage/rows/", "storage/rules/", "storage/admin/", "storage/elastic/")
GATEWAY = (
    "gateway/*", "gateway/auth/", "gateway/console/", "gateway/exchange/", "gateway/handlers/", "gateway/transport/transport.hpp",
)

# Permitted includes of each folder: our own paths (a folder with a trailing slash, or one file) and groups of libraries.
# The longest matching key is a file's folder. All folders may include the standard library.
FOLDERS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "core/": (("core/",), ("expected",)),
    "config/": (("config/*", "config/declared/", "config/text/", "core/"), ("system", "toml")),
    "config/elasticjob/": (("config/declared/", "config/elasticjob/", "config/text/", "core/"), ()),
    "config/elasticjob/xml_reader.cpp": (("config/elasticjob/", "core/"), ("pugixml",)),
    "config/elasticjob/yaml_reader.cpp": (("config/elasticjob/", "core/"), ("yaml",)),
    "protocol/wire/": (("protocol/wire/", "core/"), ("nlohmann",)),
    "protocol/": (("protocol/*", "core/"), ("caf", "spdlog", "system")),
    "protocol/http.hpp": (("core/",), ()),
    "protocol/http.cpp": (("protocol/http.hpp", "core/"), ("system",)),
    "protocol/notifier.hpp": (("core/",), ()),
    "protocol/curl/": (("protocol/curl/",), ("curl",)),
    "protocol/tls/": (("protocol/tls/", "core/"), ("openssl",)),
    "storage/": ((*SHARED_STORAGE, "core/", "config/settings.hpp"), ("system",)),
    "storage/mysql/": ((*SHARED_STORAGE, "storage/mysql/", "core/", "config/settings.hpp"), ("mysql", "system")),
    "storage/sqlite/": ((*SHARED_STORAGE, "storage/sqlite/", "core/", "config/settings.hpp"), ("sqlite", "system")),
    "actors/": (("actors/", "core/", "protocol/", "config/settings.hpp", "storage/store.hpp", "storage/elastic_store.hpp",
                 "storage/reservations.hpp"),
                ("caf", "spdlog", "system")),
    "actors/executor/": (
        ("actors/executor/", "actors/logger.hpp", "core/", "protocol/", "config/settings.hpp"),
        ("caf", "spdlog", "system"),
    ),
    "actors/executor/bodies.hpp": (("core/",), ()),
    "actors/executor/job_logs.hpp": (("core/",), ()),
    "actors/executor/callbacks/report_files.hpp": (("core/",), ()),
    "actors/link/": (("actors/link/", "core/", "protocol/"), ("caf", "openssl", "system")),
    "actors/executor/taken_runs.hpp": (("core/",), ()),
    "gateway/": ((*GATEWAY, "core/", "protocol/", "config/settings.hpp"), ("caf", "spdlog", "system")),
    "gateway/auth/secrets.hpp": (("core/",), ()),
    "gateway/auth/secrets.cpp": (("gateway/auth/secrets.hpp", "core/"), ("argon2", "openssl", "system")),
    "gateway/transport/transport.hpp": (("core/", "config/settings.hpp", "protocol/http.hpp"), ()),
    "gateway/transport/": (
        ("gateway/transport/", "core/", "config/settings.hpp", "protocol/http.hpp", "protocol/tls/"),
        ("boost", "openssl", "system"),
    ),
    "gateway/notification/notification.hpp": (("core/", "config/settings.hpp", "protocol/notifier.hpp"), ()),
    "gateway/notification/": (
        (
            "gateway/notification/",
            "core/",
            "config/settings.hpp",
            "protocol/curl/",
            "protocol/notifier.hpp",
            "protocol/wire/webhook_body.hpp",
        ),
        ("curl", "openssl", "system"),
    ),
    "executor/": (
        ("executor/", "actors/executor/", "actors/link/", "core/", "protocol/"),
        ("caf", "nlohmann", "spdlog", "system"),
    ),
    "executor/host/executor_parts.hpp": (
        (
            "executor/",
            "actors/executor/",
            "actors/link/",
            "core/",
            "protocol/",
            "config/settings.hpp",
            "gateway/transport/transport.hpp",
        ),
        ("caf", "spdlog", "system"),
    ),
    "executor/host/host_notifier.cpp": (
        ("executor/", "core/", "protocol/", "gateway/notification/notification.hpp"),
        ("spdlog",),
    ),
    "executor/http_handler.cpp": (("executor/", "core/", "protocol/curl/"), ("curl",)),
    "executor/http_places.cpp": (("executor/", "core/", "protocol/curl/"), ("curl",)),
    "executor/host/http_type.cpp": (("executor/", "core/", "protocol/curl/"), ("curl",)),
    "apps/": (
        (
            "apps/",
            "actors/",
            "executor/",
            "config/",
            "core/",
            *GATEWAY,
            "gateway/notification/notification.hpp",
            "protocol/",
            *SHARED_STORAGE,
        ),
        ("caf", "cli", "nlohmann", "spdlog", "system"),
    ),
    "apps/client/http_api_client.cpp": (("apps/", "core/", "protocol/curl/", "protocol/wire/"), ("curl", "nlohmann", "system")),
    "apps/server/link_certificates.cpp": (("apps/server/", "config/validate.hpp", "core/"), ("openssl", "system")),
    "apps/terminal/version_text.cpp": (
        ("apps/terminal/version_text.hpp",),
        ("boost", "caf", "curl", "mysql", "openssl", "spdlog", "sqlite"),
    ),
    "bench/": (("*",), ("caf", "cli", "mysql", "nlohmann", "openssl", "spdlog", "sqlite", "system")),
    "bench/link_bench.cpp": (("*",), ("caf", "openssl", "spdlog", "system")),
    "tests/": (("*",), ("boost", "caf", "catch", "mysql", "nlohmann", "openssl", "spdlog", "sqlite", "system")),
    "tests/unit/": (
        (
            "tests/support/",
            "tests/unit/",
            "core/",
            "config/",
            "protocol/curl/bounded_answer.hpp",
            "protocol/http.hpp",
            "protocol/wire/",
        ),
        ("boost", "catch", "nlohmann", "system"),
    ),
}

# Rooms of each folder, from the bottom up: a room may include those before it, never one after it. `.` is the folder itself.
# Rooms that only exchange messages stand next to each other.
ROOMS: dict[str, str] = {
    "core": ". text limits access zone job cron run cluster maintenance routing schedule elastic alarm editing rules forecast",
    "config": "text declared elasticjob .",
    "protocol": ". curl tls wire/json wire wire/xxl wire/executor wire/v1",
    "storage": ". rows rules admin elastic",
    "storage/mysql": "driver cluster schema runs firing jobs results maintenance shared admin .",
    "storage/sqlite": "driver cluster schema runs firing jobs results maintenance admin .",
    "actors": ". link store executor executor/callbacks executors elastic alarms console maintenance recovery trigger firing"
              " node",
    "gateway": "auth notification transport exchange console handlers/v1 handlers/xxl .",
    "gateway/transport": "io tls client server .",
    "executor": ". sdk/elastic files process elastic host",
    "apps": "process terminal server client doctor commands .",
}

# `folder/*` is the folder without its subfolders, `*` everything. These private parts are for the folders named, and tests.
PRIVATE = {
    "config/text/table_fields.hpp": "config/",
    "config/text/toml_file.hpp": "config/",
    "config/elasticjob/readers.hpp": "config/elasticjob/",
    "protocol/wire/json/json_reader.hpp": "protocol/wire/",
}

LIBRARIES = {
    "argon2": r"argon2\.h$",
    "boost": r"boost/",
    "caf": r"caf/",
    "catch": r"catch2/",
    "cli": r"CLI/",
    "curl": r"curl/",
    "expected": r"tl/expected\.hpp$",
    "mysql": r"(mysql|mariadb)/|(mysql|mysqld_error|errmsg)\.h$",
    "nlohmann": r"nlohmann/",
    "openssl": r"openssl/",
    "pugixml": r"pugixml\.hpp$",
    "spdlog": r"spdlog/",
    "sqlite": r"sqlite3\.h$",
    "system": r"(sys|arpa|net|netinet|linux)/|[a-z_]+\.h$",
    "threads": r"(atomic|barrier|condition_variable|future|latch|mutex|semaphore|shared_mutex|stop_token|thread)$",
    "std": r"[a-z_]+$",
    "toml": r"toml\+\+/",
    "yaml": r"yaml-cpp/",
}

# Libraries that must not be included through our own headers either. `expected` and the system come with almost everything.
HEAVY = ("argon2", "boost", "caf", "catch", "cli", "curl", "mysql", "nlohmann", "openssl", "pugixml", "sqlite", "toml", "yaml")

INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
SOURCES = {".cpp", ".hpp"}


def folder_of(path: str) -> str | None:
    matches = [key for key in FOLDERS if path == key or (key.endswith("/") and path.startswith(key))]
    return max(matches, key=len, default=None)


def room_of(path: str) -> tuple[str, int] | None:
    """Returns the folder with rooms that a file is in, and the index of its room; -1 for a room that the table does not list."""
    parent = str(Path(path).parent)
    top = max((key for key in ROOMS if parent == key or parent.startswith(key + "/")), key=len, default=None)
    if top is None:
        return None
    rooms = ROOMS[top].split()
    room = "." if parent == top else parent[len(top) + 1 :]
    return top, rooms.index(room) if room in rooms else -1


def library_of(header: str) -> str | None:
    return next((name for name, pattern in LIBRARIES.items() if re.match(pattern, header)), None)


def covers(allowed: str, header: str) -> bool:
    if allowed == "*":
        return True
    if allowed.endswith("/*"):
        return header.startswith(allowed[:-1]) and "/" not in header[len(allowed) - 1 :]
    return header.startswith(allowed) if allowed.endswith("/") else header == allowed


def may_use_library(folder: str, library: str) -> bool:
    if library == "std" or (library == "threads" and folder not in ("core/", "protocol/wire/")):
        return True
    return library in FOLDERS[folder][1]


class Tree:
    """All includes of the C++ files below a folder."""

    def __init__(self, root: Path):
        self.root = root
        self.includes: dict[str, list[tuple[int, str, bool]]] = {}  # file: (line, header, is one of ours)
        for top in sorted({key.split("/")[0] for key in FOLDERS}):
            for path in sorted((root / top).rglob("*")):
                if path.suffix in SOURCES and path.is_file():
                    self.includes[path.relative_to(root).as_posix()] = list(self.read(path))

    @staticmethod
    def read(path: Path):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := INCLUDE.match(line):
                yield number, match[1] or match[2], match[1] is not None

    def libraries_behind(self, header: str) -> dict[str, str]:
        """Returns the heavy libraries that one of our headers includes, each with the header that names it."""
        found: dict[str, str] = {}
        seen, waiting = {header}, [header]
        while waiting:
            name = waiting.pop()
            for _, inner, ours in self.includes.get(name, []):
                if not ours and library_of(inner) in HEAVY:
                    found.setdefault(str(library_of(inner)), name)
                elif ours and inner not in seen:
                    seen.add(inner)
                    waiting.append(inner)
        return found

    def breaches(self, path: str, folder: str):
        here = room_of(path)
        if here and here[1] < 0:
            yield f"{path}:1: {Path(path).parent} is not a room of {here[0]}; see ROOMS"
        for line, header, ours in self.includes[path]:
            for text in self.problems_of_own(path, folder, header) if ours else self.problems_of_library(folder, header):
                yield f"{path}:{line}: {text}"

    def problems_of_own(self, path: str, folder: str, header: str):
        if not (self.root / header).is_file():
            yield f'"{header}" does not exist; paths start at the top of the repository'
            return
        if not any(covers(allowed, header) for allowed in FOLDERS[folder][0]):
            yield f'{folder} may not include "{header}"'
        here, there = room_of(path), room_of(header)
        if here and there and here[0] == there[0] and there[1] > here[1] >= 0:
            yield f'"{header}" is in a room above {Path(path).parent}'
        owner = PRIVATE.get(header)
        if owner and not path.startswith((owner, "tests/", "bench/")):
            yield f'"{header}" is private to {owner}'
        for library, through in self.libraries_behind(header).items():
            if not may_use_library(folder, library):
                yield f'{folder} may not use {library}, which "{header}" brings in (through {through})'

    @staticmethod
    def problems_of_library(folder: str, header: str):
        library = library_of(header)
        if library is None:
            yield f"<{header}> is of no library that this project uses"
        elif not may_use_library(folder, library):
            yield f"{folder} may not include <{header}>"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    tree = Tree(parser.parse_args().root)
    broken, present = set(), set()
    for path in tree.includes:
        folder = folder_of(path)
        if folder is None:
            continue
        present.add(folder)
        for breach in tree.breaches(path, folder):
            broken.add(folder)
            print(breach)
    print(f"cases: passed={len(present - broken)} failed={len(broken)} skipped=0")
    return 1 if broken or not present else 0


if __name__ == "__main__":
    sys.exit(main())
