"""Messages of `serve` to a service manager (systemd): sd_notify on a datagram socket."""

import signal
import socket

from command_case import DEADLINE_S, Case, Server


class ServiceTest(Case):
    def setUp(self):
        super().setUp()
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.manager.close)
        self.manager.settimeout(DEADLINE_S)

    def serve(self, address: str, **variables: str) -> Server:
        self.manager.bind(address.replace("@", "\0", 1))
        environment = self.environment({"RINGMASTER_SERVER_LISTEN": "127.0.0.1:0", "NOTIFY_SOCKET": address, **variables})
        server = Server([self.binary, "serve"], self.folder / "serve.log", environment)
        self.addCleanup(server.child.wait)
        self.addCleanup(lambda: server.child.poll() is None and server.child.kill())
        return server

    def hear(self) -> list[str]:
        return self.manager.recv(4096).decode().splitlines()

    def hear_but(self, ignored: str) -> list[str]:
        while (message := self.hear()) == [ignored]:
            pass
        return message

    def test_it_is_told_of_the_start_a_reload_and_the_stop(self):
        server = self.serve(str(self.folder / "notify"))
        ready = ["READY=1", f"STATUS=serving on {server.address()}"]
        self.assertEqual(self.hear(), ready)
        self.assertEqual(server.answers("/livez"), 200)
        server.signal(signal.SIGHUP)
        reloading = self.hear()
        self.assertEqual(reloading[0], "RELOADING=1")
        self.assertRegex(reloading[1], r"^MONOTONIC_USEC=\d+$")
        self.assertEqual(self.hear(), ready)
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.hear()[0], "STOPPING=1")
        self.manager.setblocking(False)
        with self.assertRaises(BlockingIOError):  # without a limit there is no watchdog
            self.hear()

    def test_the_watchdog_hears_of_life_in_the_abstract_namespace_too(self):
        server = self.serve(f"@{self.folder}/notify", WATCHDOG_USEC="200000")
        self.assertEqual(self.hear()[0], "READY=1")
        for _ in range(5):
            self.assertEqual(self.hear(), ["WATCHDOG=1"])
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.hear_but("WATCHDOG=1")[0], "STOPPING=1")

    def test_a_limit_for_another_process_is_no_watchdog(self):
        server = self.serve(str(self.folder / "notify"), WATCHDOG_USEC="200000", WATCHDOG_PID="1")
        self.assertEqual(self.hear()[0], "READY=1")
        self.assertEqual(server.stop(), 0)
        self.assertEqual(self.hear()[0], "STOPPING=1")
