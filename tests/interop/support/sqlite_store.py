"""SQLite: a file for each stage."""

import sqlite3
from contextlib import closing
from pathlib import Path

from support.store import Store


class SqliteStore(Store):
    def __init__(self, file: Path):
        self.file = file
        self.settings = f'url = "sqlite:{file}"'

    def query(self, sql: str, *values) -> list[dict]:
        with closing(sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql, values)]


class SqliteFiles:
    def __init__(self, folder: Path):
        self.folder = folder

    def store(self, stage: str) -> SqliteStore:
        return SqliteStore(self.folder / f"{stage}.db")

    def problems(self) -> list[str]:
        return []

    def close(self) -> None:
        """Does nothing: the files are removed with their folder."""
