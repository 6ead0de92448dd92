"""Native links: executors that dial a server, with and without their own port; cut, reconnected, or refused."""

import json
import re
import selectors
import signal
import socket
import threading
import urllib.request

from command_case import DEADLINE_S, Case, Server
from link_files import LinkFiles

JOBS = """[[group]]
app_name = "batch-worker"

[[job]]
group = "batch-worker"
key = "note"
handler = "note"
schedule = { rate = "1s" }
"""

LONG_JOB = """
[[job]]
group = "batch-worker"
key = "long"
handler = "long"
"""

# More of these runs are due than it can execute.
BUSY_JOB = """
[[job]]
group = "batch-worker"
key = "busy"
handler = "slow"
schedule = { rate = "1s" }
"""

COMMANDS = """
[[command]]
name = "note"
program = "/bin/sh"
arguments = ["-c", "echo $JOB_LOG_ID >> $RAN; echo noted"]

[[command]]
name = "long"
program = "/bin/sh"
arguments = ["-c", "echo begun; exec sleep 1000"]

[[command]]
name = "slow"
program = "/bin/sh"
arguments = ["-c", "echo $JOB_LOG_ID >> $RAN; exec sleep 3"]
"""


class Relay:
    """A network between executors and a server's link port, which can be interrupted and restored."""

    def __init__(self, case: Case, to: tuple[str, int]):
        self.to = to
        self.pairs: dict[socket.socket, socket.socket] = {}
        self.passed = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.open = True
        self.ended = False
        self.wake, self.woken = socket.socketpair()
        self.thread = threading.Thread(target=self.work)
        self.thread.start()
        case.addCleanup(self.end)

    def end(self) -> None:
        self.ended = True
        self.wake.send(b"x")
        self.thread.join(DEADLINE_S)
        for each in (self.listener, self.wake, self.woken):
            each.close()

    def set_open(self, is_open: bool) -> None:
        self.open = is_open
        self.wake.send(b"x")

    def work(self) -> None:
        while not self.ended:
            with selectors.DefaultSelector() as selector:
                for each in (self.listener, self.woken, *self.pairs):
                    selector.register(each, selectors.EVENT_READ)
                ready = [key.fileobj for key, _ in selector.select()]
            if self.woken in ready:
                self.woken.recv(64)
            if not self.open or self.ended:
                for each in self.pairs:
                    each.close()
                self.pairs.clear()
            if self.listener in ready:
                self.accept()
            for each in ready:
                if each in self.pairs:
                    self.carry(each)

    def accept(self) -> None:
        here, _ = self.listener.accept()
        if not self.open:
            here.close()
            return
        try:
            there = socket.create_connection(self.to, timeout=DEADLINE_S)
        except OSError:
            here.close()
            return
        self.pairs |= {here: there, there: here}

    def carry(self, source: socket.socket) -> None:
        target = self.pairs[source]
        try:
            data = source.recv(65536)
            target.sendall(data)
        except OSError:
            data = b""
        self.passed += len(data)
        if not data:
            del self.pairs[source], self.pairs[target]
            source.close()
            target.close()


class NativeLinkTest(LinkFiles, Case):
    def setUp(self):
        super().setUp()
        self.ran = self.folder / "ran"
        self.authority("links")
        self.issue("node", "links", "serverAuth")
        self.issue("executor", "links", "clientAuth")
        self.executors = 0

    def start_node(self, jobs: str = JOBS, link: str = "127.0.0.1:0", listen: str = "127.0.0.1:0") -> Server:
        path = self.write("jobs.toml", jobs)
        server = self.start("--set", f"deploy.files={path}", "--set", f"link.listen={link}", *self.link_words("node"),
                            listen=listen)
        server.wait_until_ready()
        return server

    def link_of(self, server: Server) -> str:
        return server.wait_for_line(r"executors can connect to (\S+)")[1]

    def token(self) -> str:
        return re.search(r"^access_token = (\S+)", (self.data / "initial-secrets").read_text(), re.M)[1]

    def start_executor(self, *settings: str, certificate: str = "executor", authority: str = "links",
                       folder: str = "executor", token: str | None = None) -> Server:
        given = ["executor.app_name=batch-worker", f"security.access_token={token or self.token()}", *settings]
        words = [word for setting in given for word in ("--set", setting)]
        self.executors += 1
        child = Server([self.binary, "executor", "--config", self.write("executor.toml", COMMANDS), *words,
                        *self.link_words(certificate, authority)], self.folder / f"executor-{self.executors}.log",
                       self.environment({"RINGMASTER_DATA_DIR": str(self.folder / folder), "RAN": str(self.ran)}))
        self.addCleanup(child.child.wait)
        self.addCleanup(lambda: child.child.poll() is None and child.child.kill())
        return child

    def call(self, server: Server, method: str, path: str, body: dict | None = None) -> dict:
        if not hasattr(self, "key"):
            self.key = self.succeed("key", "add", "ci", "--user", "admin").out.strip()
        request = urllib.request.Request(f"{server.address()}/api/v1{path}", method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=DEADLINE_S) as reply:
            return json.loads(reply.read())

    def succeeded(self) -> list[int]:
        return [row[0] for row in self.rows("SELECT id FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 200")]

    def more_succeed(self, server: Server, how_many: int = 3) -> None:
        before = len(self.succeeded())
        server.wait_for(lambda: len(self.succeeded()) >= before + how_many, f"{how_many} more runs have succeeded")

    def check_runs(self) -> None:
        """Each accepted run was executed once, and no other run."""
        noted = [int(line) for line in self.ran.read_text().split()]
        self.assertEqual(len(noted), len(set(noted)), "a run came twice")
        self.assertEqual(set(self.succeeded()) - set(noted), set(), "a result without a run")
        open_runs = self.rows("SELECT id FROM xxl_job_log WHERE trigger_code = 200 AND handle_code = 0")
        self.assertEqual(open_runs, [], "a run without a result")

    def test_an_executor_without_a_port(self):
        server = self.start_node(JOBS + LONG_JOB)
        executor = self.start_executor("executor.listen=", f"executor.nodes={self.link_of(server)}")
        address = executor.wait_for_line(r"native links use the address (ringmaster://batch-worker/\S+)")[1]
        self.more_succeed(server)
        used = self.rows("SELECT DISTINCT executor_address FROM xxl_job_log WHERE trigger_code = 200")
        self.assertEqual(used, [(address,)])
        # A log request and a kill also use the link.
        job = next(each for each in self.call(server, "GET", "/jobs")["items"] if each["key"] == "long")["id"]
        self.call(server, "POST", f"/jobs/{job}/trigger", {})
        long_runs = "SELECT id, handle_code FROM xxl_job_log WHERE executor_handler = 'long' AND trigger_code = 200"
        run = server.wait_for(lambda: self.rows(long_runs), "the long run has begun")[0][0]
        server.wait_for(lambda: "begun" in self.call(server, "GET", f"/runs/{run}/log")["content"], "its log can be read")
        last = self.call(server, "GET", f"/runs/{run}/log?tail=1")
        self.assertEqual((last["from_line"], last["to_line"]), (last["lines"], last["lines"]), last)
        self.assertGreater(last["bytes"], len(last["content"]), last)
        asked = {"RINGMASTER_SERVER": server.address(), "RINGMASTER_TOKEN": self.key}
        ended = self.run_it("run", "kill", str(run), variables=asked)
        self.assertEqual((ended.code, ended.err), (0, ""), ended)
        server.wait_for(lambda: self.rows(long_runs) == [(run, 500)], "the long run was ended")
        # Certificates can be replaced while it runs.
        executor.signal(signal.SIGHUP)
        executor.wait_for_line("reload: TLS files reloaded")
        # It sends a goodbye, and has the same address after a restart.
        self.assertEqual(executor.stop(), 0, executor.text())
        server.wait_for(lambda: self.rows("SELECT count(*) FROM xxl_job_registry") == [(0,)], "the registration is withdrawn")
        server.wait_for_line(r"the native link of batch-worker at \S+ has ended")
        for alarming in ("was cut", "may have died", "caf::", "exit_reason"):
            self.assertNotIn(alarming, server.text())
        again = self.start_executor("executor.listen=", f"executor.nodes={self.link_of(server)}")
        self.assertEqual(again.wait_for_line(r"native links use the address (\S+)")[1], address)
        self.more_succeed(server)
        self.assertEqual(again.stop(), 0, again.text())
        self.assertEqual(server.stop(), 0, server.text())
        self.check_runs()

    def test_without_its_link_an_executor_is_called_over_http(self):
        server = self.start_node()
        host, port = self.link_of(server).split(":")
        relay = Relay(self, (host, int(port)))
        executor = self.start_executor(f"executor.nodes={relay.address}", f"executor.admins={server.address()}",
                                       "executor.port=0")
        executor.wait_for_line("native link to")
        before = relay.passed
        self.more_succeed(server)
        self.assertGreater(relay.passed, before)
        for _ in range(2):
            relay.set_open(False)
            executor.wait_for_line("no native link to")
            self.more_succeed(server)
            seen = server.text().count("has a native link")
            relay.set_open(True)
            server.wait_for(lambda: server.text().count("has a native link") > seen, "the link is there again")
            before = relay.passed
            self.more_succeed(server)
            self.assertGreater(relay.passed, before)
        self.assertEqual(executor.stop(), 0, executor.text())
        self.assertEqual(server.stop(), 0, server.text())
        self.check_runs()

    def test_a_server_that_was_killed_is_found_again(self):
        server = self.start_node(JOBS + BUSY_JOB)
        link, listen = self.link_of(server), server.address().removeprefix("http://").split("/")[0]
        executor = self.start_executor("executor.listen=", f"executor.nodes={link}")
        self.more_succeed(server)
        for life in range(3):
            server.signal(signal.SIGKILL)
            server.child.wait(DEADLINE_S)
            executor.wait_for(lambda: executor.text().count("no native link to") > life, "the executor has noticed")
            server = self.start_node(JOBS + BUSY_JOB, link=link, listen=listen)
            self.more_succeed(server)
        last = self.rows("SELECT max(id) FROM xxl_job_log")[0][0]
        undecided = f"SELECT count(*) FROM xxl_job_log WHERE trigger_code = 0 AND id <= {last}"
        server.wait_for(lambda: self.rows(undecided) == [(0,)], "each run was delivered")
        refused = "SELECT id, trigger_msg FROM xxl_job_log WHERE trigger_code NOT IN (0, 200)"
        self.assertEqual(self.rows(refused), [], server.text())
        self.assertEqual(executor.stop(), 0, executor.text())
        self.assertEqual(server.stop(), 0, server.text())
        self.check_runs()

    def test_who_is_refused_is_told(self):
        server = self.start_node()
        node = f"executor.nodes={self.link_of(server)}"
        wrong = self.start_executor("executor.listen=", node, folder="a", token="x" * 32)
        wrong.wait_for_line("the node refuses the link: the access token is wrong")
        self.authority("strangers")
        self.issue("stranger", "strangers")
        stranger = self.start_executor("executor.listen=", node, folder="b", certificate="stranger")
        stranger.wait_for_line("no native link to .*: .* accept this executor's certificate")
        server.wait_for_line(r"no native link from 127.0.0.1:\d+: link.ca does not know who signed its certificate: ")
        doubter = self.start_executor("executor.listen=", node, folder="c", authority="strangers")
        doubter.wait_for_line("no native link to .*: link.ca does not know who signed the node's certificate: ")
        other = self.start_executor("executor.listen=", node, "executor.app_name=stranger", folder="d")
        other.wait_for_line("the node refuses the link: no group has the app name stranger")
        self.assertNotIn("has a native link", server.text())
        for child in (wrong, stranger, doubter, other):
            self.assertEqual(child.stop(), 0, child.text())
        # An executor with valid certificates is still admitted.
        good = self.start_executor("executor.listen=", node)
        self.more_succeed(server)
        self.assertEqual(good.stop(), 0, good.text())

    def test_the_doctor_knows_an_executors_file(self):
        server = self.start_node()
        node, files = self.link_of(server), self.link_words("executor")
        config = self.write("executor.toml", 'data_dir = "executor"\n[executor]\napp_name = "batch-worker"\n' + COMMANDS)

        def examine(*words: str) -> dict[str, tuple[str, str]]:
            # Without the variables of the tests, which set the store of a server.
            result = self.run_it("doctor", "--json", "--config", config, *words)
            found = {each["check"]: (each["status"], each["detail"]) for each in json.loads(result.out)}
            self.assertEqual(result.code, int(any(how == "fail" for how, _ in found.values())), result)
            return found

        linked = ("--set", "executor.listen=", "--set", f"executor.nodes={node}", *files)
        found = examine(*linked)
        self.assertEqual(found["configuration"], ("ok", "executor configuration, app name batch-worker, no open port"))
        self.assertEqual(found["handlers"], ("ok", "3 commands"))
        self.assertEqual(found["node"], ("ok", f"{node} accepts the certificate of this executor"))
        self.assertEqual(found["folder"][0], "warn")
        self.assertNotIn("database", found)
        self.authority("strangers")
        self.issue("stranger", "strangers")
        found = examine(*linked, "--set", f"link.certificate={self.folder}/stranger.pem",
                        "--set", f"link.key={self.folder}/stranger.key")
        self.assertEqual(found["node"][0], "fail")
        self.assertIn("accept this executor's certificate", found["node"][1])
        found = examine("--set", f"executor.admins={server.address()},http://127.0.0.1:1/")
        self.assertEqual(found["admin"][0], "fail") # the last admin
        self.assertIn("http://127.0.0.1:1/: no connection to 127.0.0.1:1: ", found["admin"][1])
        self.assertEqual(examine()["configuration"][0], "fail")
        # A configuration with a database is a server's.
        self.assertIn("database", examine("--set", "database.url=sqlite:other.db"))

    def test_what_is_wrong_is_said(self):
        named = ("executor", "--set", "executor.app_name=batch", "--set")
        self.refuse(2, "executor.admins and executor.nodes are empty: set at least one of them", *named,
                    "executor.listen=127.0.0.1")
        self.refuse(2, "executor.listen is empty: use 0.0.0.0 for all addresses, or set executor.nodes to run without"
                       " a port", *named, "executor.admins=http://127.0.0.1:1/", "--set", "executor.listen=")
        self.refuse(2, "executor.nodes: a native link needs link.certificate, link.key and link.ca for mutual"
                       " authentication", *named, "executor.nodes=127.0.0.1:9100")
        files = self.link_words("executor")
        self.refuse(2, 'executor.nodes: "https://h/" is not host:port, e.g. 10.0.0.1:9100', *named, "executor.nodes=https://h/",
                    *files)
        self.refuse(2, 'executor.nodes: "10.0.0.1" is not host:port, e.g. 10.0.0.1:9100', *named, "executor.nodes=10.0.0.1",
                    *files)
        self.refuse(2, "executor.address is http://h/, but without executor.listen no port is open: leave it empty", *named,
                    "executor.nodes=h:1", *files, "--set", "executor.listen=", "--set", "executor.address=http://h/")
        missing = self.run_it(*named, "executor.nodes=h:1", *files, "--set", f"link.ca={self.folder}/nowhere.pem")
        self.assertEqual(missing.code, 2, missing)
        self.assertIn("nowhere.pem cannot be used: No such file or directory", missing.err)
