"""An executor that accepts everything and stores the requests, byte by byte."""

import socket
import threading

REPLY = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{"code":200}'


class Recorder:
    def __init__(self):
        self.requests: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection: socket.socket) -> None:
        with connection, connection.makefile("rb") as lines:
            while request := request_of(lines):
                self.requests.append(request)
                connection.sendall(REPLY)

    def close(self) -> None:
        self.listener.close()


def request_of(lines) -> bytes:
    """Reads a request; empty at the end of the connection."""
    request, length = b"", 0
    for line in lines:
        request += line
        if line == b"\r\n":
            return request + lines.read(length)
        name, _, value = line.partition(b":")
        length = int(value) if name == b"Content-Length" else length
    return request
