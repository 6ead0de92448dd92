#!/usr/bin/env python3
"""An executor process for the chaos runs: records each receipt in a file that survives, and reports results until accepted.

    chaos_executor.py --app NAME --port N --admins URL,URL --token TOKEN --journal FILE

The journal has one JSON line per event and is only appended to. A restarted process reads it: it knows the log ids that it
received before, and reports the results that no node has accepted. A POST to /mode makes the process answer badly:

    {"mode": "hang" | "reset" | "garbage" | "gateway" | "refuse", "taking": true, "questions": true}

`taking`: a run is recorded and executed in spite of the bad answer. `questions`: /idleBeat and /log are answered badly, too.
"""

import argparse
import asyncio
import json
import os
import socket
import struct
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

RUN_TAKES_S = 0.03
REPORT_EVERY_S = 0.05
REPORT_MAX = 200
REPORT_TIMEOUT_S = 3
REGISTER_EVERY_S = 5
HANG_MAX_S = 30
DONE = {"code": 200, "msg": None}
BUSY = {"code": 500, "msg": "job thread is running or has trigger queue."}
REFUSED = {"code": 500, "msg": "refused on purpose"}
GATEWAY = b"HTTP/1.1 504 Gateway Timeout\r\nContent-Type: text/html\r\nContent-Length: 15\r\n\r\n<html>504</html"
GARBAGE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 14\r\n\r\n<html>it works"


@dataclass(frozen=True)
class Mode:
    mode: str = "normal"
    taking: bool = False
    questions: bool = False


@dataclass(frozen=True)
class Result:
    code: int
    instant: int


def result(handler: str, instant: int) -> Result:
    return Result(500 if handler == "failing" else 200, instant)


class Journal:
    """The append-only file. A line is written with one call before the run is answered."""

    def __init__(self, file: Path):
        self.received: set[int] = set()
        results: dict[int, Result] = {}
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        for event in map(json.loads, text.splitlines()):
            if "run" in event:
                self.received.add(event["run"])
                results[event["run"]] = result(event["handler"], event["instant"])
            for run in event.get("accepted", ()):
                results.pop(run, None)
        self.untold = results
        self.out = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def write(self, event: dict) -> None:
        os.write(self.out, (json.dumps(event) + "\n").encode())

    def take(self, asked: dict) -> None:
        self.write({"run": asked["logId"], "job": asked["jobId"], "at": time.time_ns(), "instant": asked["logDateTime"],
                    "shard": asked.get("broadcastIndex", 0), "handler": asked["executorHandler"]})
        self.received.add(asked["logId"])


class Executor:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.admins = options.admins.split(",")
        self.journal = Journal(options.journal)
        self.outbox = dict(self.journal.untold)
        self.running: Counter[int] = Counter()
        self.mode = Mode()
        self.ended = asyncio.Event()
        self.tasks: set[asyncio.Task] = set()

    async def main(self) -> None:
        server = await asyncio.start_server(self.serve, "127.0.0.1", self.options.port, backlog=512)
        async with server, asyncio.TaskGroup() as group:
            group.create_task(self.register())
            group.create_task(self.report())

    # -- results and registration

    async def post(self, path: str, body, turn: int) -> bool:
        admin = self.admins[turn % len(self.admins)]
        request = urllib.request.Request(admin + path, json.dumps(body).encode(), method="POST", headers={
            "Content-Type": "application/json;charset=UTF-8", "XXL-JOB-ACCESS-TOKEN": self.options.token})

        def send() -> bool:
            try:
                with urllib.request.urlopen(request, timeout=REPORT_TIMEOUT_S) as reply:
                    return json.loads(reply.read())["code"] == 200
            except (OSError, ValueError, KeyError, urllib.error.URLError):
                return False

        return await asyncio.to_thread(send)

    async def register(self) -> None:
        """Registers with one node after the other, so that no single node keeps the registration alive."""
        body = {"registryGroup": "EXECUTOR", "registryKey": self.options.app,
                "registryValue": f"http://127.0.0.1:{self.options.port}/"}
        turn = 0
        while True:
            done = await self.post("/api/registry", body, turn)
            turn += 1
            await asyncio.sleep(REGISTER_EVERY_S if done else 0.2)

    async def report(self) -> None:
        turn = 0
        while True:
            await asyncio.sleep(REPORT_EVERY_S)
            if not (batch := dict(list(self.outbox.items())[:REPORT_MAX])):
                continue
            body = [{"logId": run, "logDateTim": done.instant, "handleCode": done.code, "handleMsg": "done"}
                    for run, done in batch.items()]
            if await self.post("/api/callback", body, turn):
                self.journal.write({"accepted": list(batch)})
                for run in batch:
                    del self.outbox[run]
            else:
                turn += 1

    async def execute(self, asked: dict) -> None:
        self.running[asked["jobId"]] += 1
        await asyncio.sleep(RUN_TAKES_S)
        self.running[asked["jobId"]] -= 1
        self.outbox[asked["logId"]] = result(asked["executorHandler"], asked["logDateTime"])

    # -- requests of nodes

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                lengths = [line.partition(":")[2] for line in head if line.lower().startswith("content-length:")]
                body = await reader.readexactly(int(lengths[0]) if lengths else 0)
                operation = head[0].split(" ")[1].rsplit("/", 1)[-1]
                if not await self.answer(operation, json.loads(body or b"{}"), writer):
                    break
        except (OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # the node is gone
        finally:
            writer.close()

    async def answer(self, operation: str, asked: dict, writer: asyncio.StreamWriter) -> bool:
        """Answers one request; returns whether the connection stays open."""
        if operation == "mode":
            self.mode = Mode(**asked)
            self.ended.set()
            self.ended = asyncio.Event()
        elif self.mode.mode != "normal" and (operation == "run" or self.mode.questions):
            return await self.answer_badly(operation, asked, writer)
        writer.write(reply(self.good_answer(operation, asked)))
        await writer.drain()
        return True

    def good_answer(self, operation: str, asked: dict) -> dict:
        if operation == "run":
            self.take(asked)
        elif operation == "idleBeat" and self.running[asked["jobId"]] > 0:
            return BUSY
        elif operation == "log":
            known = asked["logId"] in self.journal.received
            text = "job execute start" if known else "readLog fail, logFile not exists"
            return {"code": 200, "content": {"fromLineNum": 1, "toLineNum": int(known), "logContent": text, "isEnd": True}}
        return DONE

    def take(self, asked: dict) -> None:
        self.journal.take(asked)
        task = asyncio.create_task(self.execute(asked))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def answer_badly(self, operation: str, asked: dict, writer: asyncio.StreamWriter) -> bool:
        mode, ended = self.mode, self.ended
        if operation == "run" and mode.taking:
            self.take(asked)
        if mode.mode == "refuse":
            writer.write(reply(REFUSED))
        elif mode.mode in ("garbage", "gateway"):
            writer.write(GARBAGE if mode.mode == "garbage" else GATEWAY)
        elif mode.mode == "hang":
            await asyncio.wait([asyncio.ensure_future(ended.wait())], timeout=HANG_MAX_S)
            return False
        else:  # a reset
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        await writer.drain()
        return True


def reply(answer: dict) -> bytes:
    body = json.dumps(answer).encode()
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--app", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--admins", required=True)
    parser.add_argument("--token", required=True)
    parser.add_argument("--journal", type=Path, required=True)
    asyncio.run(Executor(parser.parse_args()).main())


if __name__ == "__main__":
    main()
