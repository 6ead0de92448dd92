"""One database of the private MariaDB server, read with PyMySQL."""

import importlib.util
import sys
from contextlib import closing
from importlib.machinery import PathFinder
from types import ModuleType

from support.report import Skip
from support.store import Store

DEBIAN_PACKAGES = "/usr/lib/python3/dist-packages"  # of the system's python3, which may differ from the running one
TIMEOUT_S = 10


def driver() -> ModuleType:
    """Imports PyMySQL. Raises Skip when it is not installed."""
    if "pymysql" in sys.modules:
        return sys.modules["pymysql"]
    spec = PathFinder.find_spec("pymysql") or PathFinder.find_spec("pymysql", [DEBIAN_PACKAGES])
    if not spec:
        raise Skip("PyMySQL, which reads the rows, is not installed (Debian: python3-pymysql)")
    module = sys.modules["pymysql"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MariadbStore(Store):
    """`reader` may only SELECT. `server`: the MariadbServer that runs it."""

    server = None

    def __init__(self, url: str, port: int, database: str, reader: str, password: str):
        self.settings = f'url = "{url}"\nmigrate = "auto"'
        self.account = {"host": "127.0.0.1", "port": port, "user": reader, "password": password, "database": database}
        self.pymysql = driver()
        kinds = self.pymysql.constants.FIELD_TYPE
        self.conversions = {kind: decode for kind, decode in self.pymysql.converters.conversions.items()
                            if kind not in (kinds.DATETIME, kinds.TIMESTAMP)}  # these stay the text that the server sends

    def connect(self):
        return self.pymysql.connect(
            **self.account, charset="utf8mb4", autocommit=True, conv=self.conversions, connect_timeout=TIMEOUT_S,
            read_timeout=TIMEOUT_S, cursorclass=self.pymysql.cursors.DictCursor,
            init_command="SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY")

    def query(self, sql: str, *values) -> list[dict]:
        with closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute(sql.replace("%", "%%").replace("?", "%s"), values)
            return list(cursor.fetchall())

    def answers(self) -> bool:
        try:
            return self.query("SELECT 1 AS one") == [{"one": 1}]
        except self.pymysql.err.OperationalError:
            return False
