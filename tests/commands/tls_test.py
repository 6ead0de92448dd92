"""`ringmaster serve` with TLS: permitted clients, new certificates on a signal, findings of doctor."""

import shutil
import signal
import socket
import ssl
import subprocess
import urllib.request

from command_case import DEADLINE_S, JOBS, Case


class TlsTest(Case):
    def setUp(self):
        super().setUp()
        self.certificate, self.key = self.folder / "server.pem", self.folder / "server.key"
        self.make("first")
        self.set_up_files("first")

    def make(self, name: str, days: int = 60) -> None:
        """Creates a certificate of its own authority."""
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
                        f"/CN={name}", "-addext", "subjectAltName=IP:127.0.0.1", "-days", str(days), "-keyout",
                        self.folder / f"{name}.key", "-out", self.folder / f"{name}.pem"], check=True, capture_output=True)

    def set_up_files(self, name: str) -> None:
        shutil.copy(self.folder / f"{name}.key", self.key)
        shutil.copy(self.folder / f"{name}.pem", self.certificate)

    def config(self, more: str = "") -> str:
        return self.write("c.toml", f'[server]\ntls_certificate = "server.pem"\ntls_key = "server.key"\n{more}')

    def context(self, name: str) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.folder / f"{name}.pem")

    def get(self, server, path: str, name: str):
        url = server.wait_for_line(r'serving on (https://[^\s"]+)')[1] + path
        return urllib.request.urlopen(url, timeout=DEADLINE_S, context=self.context(name))

    def accepts(self, server, name: str) -> bool:
        try:
            with self.get(server, "/livez", name) as reply:
                return reply.status == 200
        except OSError:
            return False

    def test_serves_over_tls_alone(self):
        server = self.start("--config", self.config())
        with self.get(server, "/livez", "first") as reply:
            self.assertEqual(reply.headers["Strict-Transport-Security"], "max-age=31536000")
        host, port = server.wait_for_line(r"serving on https://([\d.]+):(\d+)").groups()
        with socket.create_connection((host, int(port)), DEADLINE_S) as plain:
            plain.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            self.assertTrue(plain.recv(1000).startswith(b"HTTP/1.1 400 "))
        self.assertEqual(server.stop(), 0)

    def test_a_hangup_reads_the_certificate_again(self):
        self.write("jobs.d/a.toml", JOBS)
        config = self.config('[deploy]\nfiles = ["jobs.d/*.toml"]\n')
        server = self.start("--config", config)
        server.wait_for(lambda: self.accepts(server, "first"), "the first certificate")
        self.make("second")
        # The key of another certificate: TLS stays unchanged, and the rest of the reload continues.
        shutil.copy(self.folder / "second.pem", self.certificate)
        server.signal(signal.SIGHUP)
        server.wait_for_line(r'reload: TLS unchanged: server.tls_key = ".*server.key": ')
        server.wait_for_line("warning +reload: partly done, see the errors above")
        self.assertNotIn("reload: done\n", server.text())
        self.assertTrue(self.accepts(server, "first"))
        self.set_up_files("second")
        server.signal(signal.SIGHUP)
        server.wait_for_line("reload: TLS files reloaded")
        server.wait_for_line("reload: done\n")
        self.assertTrue(self.accepts(server, "second"))
        self.assertFalse(self.accepts(server, "first"))
        self.assertEqual(server.stop(), 0)

    def test_files_that_cannot_be_used_stop_the_start(self):
        self.make("second")
        shutil.copy(self.folder / "second.key", self.key)
        server = self.start("--config", self.config())
        self.assertEqual(server.child.wait(DEADLINE_S), 2)
        self.assertIn(f'server.tls_key = "{self.key}": ', server.text())

    def test_doctor_reads_the_files(self):
        self.key.chmod(0o600)
        result = self.run_it("doctor", "--config", self.config())
        self.assertRegex(result.out, r"ok +TLS +server.tls_certificate = .* until ")
        self.key.chmod(0o644)
        result = self.run_it("doctor", "--config", self.config())
        self.assertRegex(result.out, r"warn +TLS +server.tls_key = .* is readable by every user of this machine")
        self.make("short", 3)
        self.set_up_files("short")
        result = self.run_it("doctor", "--config", self.config())
        self.assertRegex(result.out, r"warn +TLS +server.tls_certificate = .* expires soon, on ")
        self.certificate.unlink()
        result = self.run_it("doctor", "--config", self.config())
        self.assertRegex(result.out, r"fail +TLS +server.tls_certificate = .*: No such file or directory")
        self.assertEqual(result.code, 1)
