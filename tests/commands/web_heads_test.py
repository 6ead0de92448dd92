"""Malicious heads and framing, against the real binary: refused or disconnected, never a 5xx, never two answers to
one request, and the next client is served."""

import socket

from command_case import DEADLINE_S
from web_case import CONTEXT, FORM, WebCase

HEAD = b"POST " + CONTEXT.encode() + b"/jobinfo/pageList HTTP/1.1\r\nHost: x\r\n"
TYPE = b"Content-Type: " + FORM.encode() + b"\r\n"
SMUGGLED = b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n"

HEADS = {
    "two lengths": HEAD + b"Content-Length: 3\r\nContent-Length: 40\r\n\r\na=b" + SMUGGLED,
    "two lengths in one": HEAD + b"Content-Length: 3, 40\r\n\r\na=b" + SMUGGLED,
    "length and chunks": HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "chunks twice": HEAD + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "hidden chunks": HEAD + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "tabbed chunks": HEAD + b"Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    "negative length": HEAD + b"Content-Length: -1\r\n\r\n",
    "signed length": HEAD + b"Content-Length: +3\r\n\r\na=b",
    "hexadecimal length": HEAD + b"Content-Length: 0x3\r\n\r\na=b",
    "huge length": HEAD + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "length of 1 TiB": HEAD + b"Content-Length: 1099511627776\r\n\r\n",
    "chunk garbage": HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\na=b\r\n0\r\n\r\n",
    "huge chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\na",
    "negative chunk": HEAD + b"Transfer-Encoding: chunked\r\n\r\n-1\r\na\r\n0\r\n\r\n",
    "chunk without end": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
    "chunk extension": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;" + b"x" * 100_000,
    "folded header": HEAD + b"X-A: b\r\n c: d\r\nContent-Length: 0\r\n\r\n",
    "blank before colon": HEAD + b"Content-Length : 3\r\n\r\na=b",
    "NUL in a header": HEAD + b"X-A: a\0b\r\nContent-Length: 0\r\n\r\n",
    "NUL in a name": HEAD + b"X\0A: a\r\nContent-Length: 0\r\n\r\n",
    "bare line ends": b"GET /livez HTTP/1.1\nHost: x\n\n",
    "bare CR": HEAD + b"X-A: a\rContent-Length: 3\r\n\r\n",
    "cookie of 16 KiB": HEAD + b"Cookie: XXL_JOB_LOGIN_IDENTITY=" + b"a" * 16384 + b"\r\nContent-Length: 0\r\n\r\n",
    "a head of 1 MiB": HEAD + b"X-A: " + b"a" * 1048576 + b"\r\n\r\n",
    "10 000 headers": HEAD + b"A: b\r\n" * 10_000 + b"\r\n",
    "long path": b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "NUL in the path": b"GET /live\0z HTTP/1.1\r\nHost: x\r\n\r\n",
    "blank in the path": b"GET /live z HTTP/1.1\r\nHost: x\r\n\r\n",
    "high bytes in the path": b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    "no version": b"GET /livez\r\n\r\n",
    "version 3": b"GET /livez HTTP/3.7\r\nHost: x\r\n\r\n",
    "no method": b" /livez HTTP/1.1\r\nHost: x\r\n\r\n",
    "strange method": b"G\x01T /livez HTTP/1.1\r\nHost: x\r\n\r\n",
    "long method": b"A" * 20_000 + b" / HTTP/1.1\r\nHost: x\r\n\r\n",
    "connect": b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n",
    "another host": b"GET http://169.254.169.254/latest/meta-data/ HTTP/1.1\r\nHost: x\r\n\r\n",
    "upgrade": b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
               b"HTTP2-Settings: AA\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    "zeros": b"\0" * 4096,
    "unknown expectation": HEAD + b"Expect: 200-maybe\r\nContent-Length: 3\r\n\r\na=b",
    "compressed": HEAD + TYPE + b"Content-Encoding: gzip\r\nContent-Length: 10\r\n\r\n\x1f\x8b\x08\0\0\0\0\0\0\xff",
    "huge range": b"GET /livez HTTP/1.1\r\nHost: x\r\nRange: bytes=0-18446744073709551615\r\n\r\n",
}
# Each is one complete request; the text after it is another one.
FRAMED = {"chunks twice", "length and chunks", "hidden chunks", "tabbed chunks", "two lengths", "two lengths in one"}


class WebHeadsTest(WebCase):
    def answer_to(self, sent: bytes) -> bytes:
        """Returns all bytes until the server closes the connection, or has handled everything that was sent."""
        at = self.server.address().removeprefix("http://").rsplit(":", 1)
        with socket.create_connection((at[0], int(at[1])), timeout=DEADLINE_S) as link:
            heard = b""
            try:
                link.sendall(sent)
                link.shutdown(socket.SHUT_WR)
                while part := link.recv(65536):
                    heard += part
            except (ConnectionResetError, BrokenPipeError):
                pass
            return heard

    def test_each_head(self):
        self.serve("--set", "server.read_timeout=2s")
        for name, sent in HEADS.items():
            with self.subTest(name):
                heard = self.answer_to(sent)
                if heard:
                    self.assertRegex(heard, rb"^HTTP/1\.[01] [234]\d\d ", heard)
                    self.assertNotIn(b"HTTP/1.1 5", heard)
                if name in FRAMED:
                    self.assertLessEqual(heard.count(b"HTTP/1."), 1, heard)
                    self.assertRegex(heard, rb"^HTTP/1\.1 4\d\d |^$")
                self.assertEqual(self.client().ask("GET", "/livez").status, 200)
        self.assertEqual(self.server.stop(), 0, self.server.text())
        self.assertNotRegex(self.server.text(), r"\[error\]|AddressSanitizer|runtime error:")
