"""An executor made of `pyxxl` (PyPI), as in its documentation. `--path` serves it below a path, as behind a gateway."""

import argparse
import asyncio
import json
import time
from pathlib import Path

from aiohttp import web
from pyxxl import ExecutorConfig, PyxxlRunner
from pyxxl.ctx import g

parser = argparse.ArgumentParser()
for name in ("admin", "app", "port", "token", "folder"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--path", default="")
options = parser.parse_args()
folder = Path(options.folder)
config = ExecutorConfig(
    xxl_admin_baseurl=f"{options.admin}/api/",
    executor_app_name=options.app,
    executor_listen_host="127.0.0.1",
    executor_listen_port=int(options.port),
    # Empty: the address that it makes up itself.
    executor_url=f"http://127.0.0.1:{options.port}{options.path}" if options.path else "",
    access_token=options.token,
    log_local_dir=str(folder / "logs"),
    executor_log_path=str(folder / "pyxxl.log"),
    dotenv_try=False,
)
runner = PyxxlRunner(config)


def journal() -> str:
    """Records that a run began; returns its parameter."""
    run = g.xxl_run_data
    entry = {"log_id": run.logId, "job_id": run.jobId, "handler": run.executorHandler, "param": run.executorParams,
             "shard_index": run.broadcastIndex, "shard_total": run.broadcastTotal, "port": int(options.port),
             "ms": int(time.time() * 1000)}
    with (folder / "journal").open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")
    return run.executorParams


@runner.register(name="echo")
async def echo():
    return journal()


@runner.register(name="failing")
async def failing():
    raise RuntimeError(f"failed on purpose: {journal()}")


@runner.register(name="slow")
async def slow():
    param = journal()
    await asyncio.sleep(int(param) / 1000)
    return f"slept {param}"


@runner.register(name="shard")
async def shard():
    journal()
    return f"{g.xxl_run_data.broadcastIndex}/{g.xxl_run_data.broadcastTotal}"


@runner.register(name="logging")
async def logging():
    """Writes line by line; the parameter is the number of milliseconds between lines."""
    param = journal()
    for line in range(1, 6):
        g.logger.info("line %s of this run", line)
        await asyncio.sleep(int(param) / 1000)
    return "logged 5"


@runner.register(name="object")
async def an_object():
    return {"rows": [int(journal())]}


@runner.register(name="nothing")
async def nothing():
    journal()


application = runner.create_server_app()
if options.path:
    outer = web.Application()
    outer.add_subapp(options.path, application)
    application = outer
runner._setup_logging()
web.run_app(application, host="127.0.0.1", port=int(options.port))
