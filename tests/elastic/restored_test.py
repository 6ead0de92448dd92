"""Elastic jobs in a database that was restored."""

import contextlib
import sqlite3

from elastic_case import ElasticCase, elastic_job


class RestoredTest(ElasticCase):
    def test_run_ids_and_fences_of_a_restored_database_do_not_come_again(self):
        jobs = elastic_job("sums", 1, {0: "ms=50"})
        server = self.start_server(jobs)
        worker = self.start_workers("a")[0]
        self.more_begin(worker, "sums", 2)
        copy = self.folder / "copy.db"

        def is_copied() -> bool:
            """Copies the database. An open run would keep its fence."""
            self.backup(copy)
            with contextlib.closing(sqlite3.connect(copy)) as target:
                return target.execute("SELECT count(*) FROM ej_item WHERE state <> 0").fetchone() == (0,)

        server.wait_for(is_copied, "a copy without an open run")
        self.more_begin(worker, "sums", 3)
        self.assertEqual(worker.stop(), 0, worker.text())
        self.assertEqual(server.stop(), 0, server.text())
        highest = max(note.run for note in worker.bodies("begin", "sums"))
        fence = max(note.fence for note in worker.bodies("begin", "sums"))
        self.restore(copy)
        server = self.start_server(jobs)
        server.wait_for_line("would give run ids of elastic jobs a second time .*; new run ids of elastic jobs start above")
        again = self.start_worker("a")
        self.more_begin(again, "sums", 2)
        for note in again.bodies("begin", "sums"):
            self.assertGreater(note.run, highest)
            self.assertGreater(note.fence, fence)
        self.assertIn("the next run id of elastic jobs was", self.run_it("doctor", "--json").out)
        self.assertEqual(again.stop(), 0, again.text())
        self.assertEqual(server.stop(), 0, server.text())
