"""A TCP relay between a worker and a node, whose cable can be cut."""

import contextlib
import select
import socket
import threading

BYTES_AT_ONCE = 65536
POLL_S = 0.01


class Relay:
    """Passes connections on to `target`, each with two threads. Bytes that wait during a stall are passed on after it."""

    def __init__(self, case, target: str):
        host, port = target.rsplit(":", 1)
        self.target = host, int(port)
        self.to_target, self.to_client = threading.Event(), threading.Event()
        self.to_target.set()
        self.to_client.set()
        self.refuses = False
        self.ended = False
        self.lock = threading.Lock()
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        case.addCleanup(self.close)

    # -- the cable

    def stall(self, to_target: bool = True, to_client: bool = True) -> None:
        """Passes no more bytes in these directions. Connections stay open, as with a cable that was cut."""
        if to_target:
            self.to_target.clear()
        if to_client:
            self.to_client.clear()

    def cut(self) -> None:
        """Closes all connections, and refuses others."""
        self.refuses = True
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            self.end(pair)

    def heal(self) -> None:
        self.refuses = False
        self.to_target.set()
        self.to_client.set()

    # -- connections

    def accept(self) -> None:
        while not self.ended:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            if self.refuses:
                client.close()
                continue
            try:
                node = socket.create_connection(self.target, timeout=10)
            except OSError:
                client.close()
                continue
            for each in (client, node):
                each.setblocking(True)
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            pair = client, node
            with self.lock:
                self.pairs.append(pair)
            for words in ((client, node, self.to_target, pair), (node, client, self.to_client, pair)):
                threading.Thread(target=self.pump, args=words, daemon=True).start()

    def pump(self, source: socket.socket, sink: socket.socket, may_pass: threading.Event, pair: tuple) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self.ended:
                # The end of one side reaches the other one only over an intact cable.
                if not may_pass.wait(POLL_S) or not select.select([source], [], [], POLL_S)[0] or not may_pass.is_set():
                    continue
                data = source.recv(BYTES_AT_ONCE)
                if not data:
                    break
                sink.sendall(data)
        self.end(pair)

    @staticmethod
    def end(pair: tuple) -> None:
        for each in pair:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        self.ended = True
        self.listener.close()
        self.cut()
