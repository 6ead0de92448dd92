"""Commands on a real MariaDB: one server for all tests, and a separate database for each."""

import contextlib
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from command_case import Case

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "interop"))

from support.mariadb_server import MariadbServer  # noqa: E402
from support.mariadb_store import driver  # noqa: E402
from support.report import Skip  # noqa: E402

# The account of the servers, without global permissions, and the account that creates databases and accounts.
ADMIN = "CREATE USER admin@'127.0.0.1' IDENTIFIED BY '{password}';\nGRANT ALL ON *.* TO admin@'127.0.0.1' WITH GRANT OPTION;\n"


class SharedServer:
    """Started by the first test that needs it, ended by `close`."""

    def __init__(self):
        self.server: MariadbServer | None = None
        self.folder: tempfile.TemporaryDirectory | None = None
        self.missing = ""
        self.databases = 0

    def get(self) -> MariadbServer:
        if self.missing:
            raise unittest.SkipTest(self.missing)
        if not self.server:
            self.folder = tempfile.TemporaryDirectory(prefix="ringmaster-commands-mariadb-")
            try:
                server = MariadbServer(Path(self.folder.name), ("first",), more=ADMIN)
            except Skip as reason:
                self.missing = str(reason)
                raise unittest.SkipTest(self.missing) from None
            self.server = server
            server.start()
        return self.server

    def close(self) -> None:
        if self.server:
            self.server.close()
        if self.folder:
            self.folder.cleanup()


class MariadbCase(Case):
    tables = ""
    shared = SharedServer()

    def setUp(self):
        super().setUp()
        self.server = self.shared.get()
        self.shared.databases += 1
        self.database = f"commands_{self.shared.databases}"
        self.sql(f"CREATE DATABASE {self.database} DEFAULT CHARACTER SET utf8mb4", database=None)
        self.sql(f"GRANT ALL ON {self.database}.* TO ringmaster@'127.0.0.1'")

    def sql(self, text: str, *values, database: str | None = "") -> list[tuple]:
        """Executes SQL with the account that has all permissions."""
        connection = driver().connect(host="127.0.0.1", port=self.server.port, user="admin", password=self.server.password,
                                      database=self.database if database == "" else database, autocommit=True, charset="utf8mb4",
                                      connect_timeout=10, read_timeout=30)
        with contextlib.closing(connection), connection.cursor() as cursor:
            cursor.execute(text, values or None)
            return list(cursor.fetchall())

    def url(self, user: str = "ringmaster") -> str:
        return f"mysql://{user}:{self.server.password}@127.0.0.1:{self.server.port}/{self.database}"

    def account(self, name: str, rights: str) -> str:
        """Returns the URL of an account with these permissions on the test's database."""
        self.sql(f"CREATE USER IF NOT EXISTS {name}@'127.0.0.1' IDENTIFIED BY '{self.server.password}'")
        self.addCleanup(self.sql, f"DROP USER {name}@'127.0.0.1'")
        self.sql(f"GRANT {rights} ON {self.database}.* TO {name}@'127.0.0.1'")
        return self.url(name)

    def environment(self, more: dict[str, str] | None = None) -> dict[str, str]:
        return super().environment({"RINGMASTER_DATABASE_URL": self.url()} | (more or {}))

    def make_xxl_tables(self, generation: int) -> None:
        """Creates the tables like XXL-JOB's own installation, without its seed rows."""
        printed = subprocess.run([self.tables, str(generation)], capture_output=True, text=True, check=True).stdout
        for statement in printed.split(";\n"):
            if statement.strip():
                self.sql(statement)

    def add_job(self, job_id: int, **columns) -> None:
        """Adds a row like a Java admin: by default an enabled job that fires at one o'clock."""
        row = {"id": job_id, "job_group": 1, "job_desc": f"job {job_id}", "glue_type": "BEAN", "executor_handler": "h",
               "schedule_type": "CRON", "schedule_conf": "0 0 1 * * ?", "executor_route_strategy": "FIRST",
               "executor_block_strategy": "SERIAL_EXECUTION", "misfire_strategy": "DO_NOTHING", "trigger_status": 1} | columns
        self.sql(f"INSERT INTO xxl_job_info ({', '.join(row)}) VALUES ({', '.join(['%s'] * len(row))})", *row.values())

    def picture(self) -> tuple:
        """Returns the tables, columns and indexes of the database."""
        of = f"WHERE TABLE_SCHEMA = '{self.database}'"
        return (self.sql(f"SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE FROM information_schema.COLUMNS {of}"
                         " ORDER BY TABLE_NAME, ORDINAL_POSITION"),
                self.sql(f"SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME FROM information_schema.STATISTICS {of}"
                         " ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX"))

    def log_indexes(self) -> list[str]:
        found = self.sql("SELECT DISTINCT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = %s"
                         " AND TABLE_NAME = 'xxl_job_log' AND SEQ_IN_INDEX = 1 ORDER BY 1", self.database)
        return [row[0] for row in found]
