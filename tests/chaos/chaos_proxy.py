#!/usr/bin/env python3
"""A TCP proxy between one node and its database, whose faults are commanded on standard input.

    chaos_proxy.py --listen PORT --target PORT

Commands, one per line, each answered with `done`:

    pass            forwards everything, and what was held back meanwhile
    freeze          forwards nothing in either direction; connections stay open, as with a dead cable
    withhold        forwards requests and holds back answers: commits whose answers come late
    lost-answers    forwards requests, drops answers
    cut             resets all connections and refuses new ones
    slow N          delays each piece of data by N ms
    reset           resets all connections, then forwards as before
"""

import argparse
import asyncio
import contextlib
import socket
import struct
import sys

PIECE_BYTES = 65536


class Proxy:
    def __init__(self, target: int):
        self.target = target
        self.mode, self.delay_s = "pass", 0.0
        self.changed = asyncio.Event()
        self.writers: set[asyncio.StreamWriter] = set()

    def command(self, words: list[str]) -> None:
        if words[0] in ("cut", "reset"):
            self.reset_all()
        self.mode = "pass" if words[0] == "reset" else words[0]
        self.delay_s = int(words[1]) / 1000 if self.mode == "slow" else 0.0
        self.changed.set()
        self.changed = asyncio.Event()

    def reset_all(self) -> None:
        for writer in list(self.writers):
            abort(writer)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.mode == "cut":
            abort(writer)
            return
        while self.mode == "freeze":
            await self.changed.wait()
        try:
            to_reader, to_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            abort(writer)
            return
        pair = {writer, to_writer}
        self.writers |= pair
        try:
            await asyncio.gather(self.pump(reader, to_writer, answers=False), self.pump(to_reader, writer, answers=True))
        finally:
            self.writers -= pair

    async def pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answers: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(PIECE_BYTES):
                while self.mode == "freeze" or answers and self.mode == "withhold":
                    await self.changed.wait()
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if not (answers and self.mode == "lost-answers"):
                    writer.write(data)
                    await writer.drain()
        abort(writer)


def abort(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", type=int, required=True)
    parser.add_argument("--target", type=int, required=True)
    options = parser.parse_args()
    proxy = Proxy(options.target)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", options.listen)
    async with server:
        print("done", flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            proxy.command(line.split())
            print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main())
