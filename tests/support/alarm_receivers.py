#!/usr/bin/env python3
"""Receivers of alarms for tests: a real SMTP server or a real HTTP server on loopback.

    alarm_receivers.py smtp [--tls none|starttls|tls] [--cert FILE --key FILE] [--login USER:PASSWORD] [--mode MODE]
    alarm_receivers.py http [--status N] [--body TEXT] [--mode MODE]

Prints its port, then one line of JSON for each message or request. Modes: ok, hang (takes connections and says nothing), refuse
(550 to each recipient), grey (450 to the first try of each recipient, then fine), redirect (http: to another path), endless
(http: the answer goes on). Ends with its standard input.
"""

import argparse
import json
import os
import socket
import ssl
import sys
import threading
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def say(what) -> None:
    print(json.dumps(what) if not isinstance(what, int) else what, flush=True)


class MailHandler:
    def __init__(self, mode: str):
        self.mode, self.seen = mode, set()

    async def handle_RCPT(self, server, session, envelope, address, options):
        if self.mode == "refuse":
            return "550 no such user here"
        if self.mode == "grey" and address not in self.seen:
            self.seen.add(address)
            return "450 try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        mail = message_from_bytes(envelope.content, policy=policy.default)
        parts = {part.get_content_type(): part.get_content() for part in mail.walk() if not part.is_multipart()}
        say({"from": envelope.mail_from, "to": envelope.rcpt_tos, "subject": mail["Subject"], "sender": mail["From"],
             "id": mail["Message-ID"], "text": parts.get("text/plain"), "html": parts.get("text/html"),
             "tls": server.transport.get_extra_info("ssl_object") is not None,
             "login": str(session.auth_data) if session.authenticated else None})
        return "250 OK"


def serve_smtp(options) -> None:
    from aiosmtpd.controller import Controller
    from aiosmtpd.smtp import AuthResult, LoginPassword

    def authenticate(server, session, envelope, mechanism, data):
        user, password = options.login.split(":")
        right = isinstance(data, LoginPassword) and data.login == user.encode() and data.password == password.encode()
        return AuthResult(success=right, handled=right, auth_data=user)

    context = None
    if options.tls != "none":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.cert, options.key)
    extra = {}
    if options.login:
        extra = {"authenticator": authenticate, "auth_required": True, "auth_require_tls": options.tls == "starttls"}
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    listener.close()
    controller = Controller(MailHandler(options.mode), hostname="127.0.0.1", port=port,
                            ssl_context=context if options.tls == "tls" else None,
                            tls_context=context if options.tls == "starttls" else None,
                            require_starttls=options.tls == "starttls", **extra)
    controller.start()
    say(port)


def serve_http(options) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            say({"path": self.path, "type": self.headers.get("Content-Type"), "body": body})
            status = 302 if options.mode == "redirect" and self.path != "/elsewhere" else options.status
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            answer = options.body.encode()
            if options.mode != "endless":
                self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)
            while options.mode == "endless":
                self.wfile.write(b" " * 65536)

        def handle_one_request(self):
            try:
                super().handle_one_request()
            except OSError:
                self.close_connection = True  # the client of an endless reply has left

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    say(server.server_address[1])


def hang() -> None:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(100)
    say(listener.getsockname()[1])
    globals()["kept"] = listener


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["smtp", "http"])
    parser.add_argument("--tls", default="none")
    parser.add_argument("--cert")
    parser.add_argument("--key")
    parser.add_argument("--login")
    parser.add_argument("--mode", default="ok")
    parser.add_argument("--status", type=int, default=200)
    parser.add_argument("--body", default="")
    options = parser.parse_args()
    if options.mode == "hang":
        hang()
    elif options.what == "smtp":
        serve_smtp(options)
    else:
        serve_http(options)
    sys.stdin.read()
    os._exit(0)


main()
