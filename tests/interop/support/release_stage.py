"""All releases together on one server: with live executors, killed ones, stopped ones, then the accounting."""

from collections.abc import Callable
from pathlib import Path

from support.release_ends import ENDING, QUIET, Ends
from support.release_jobs import RUNNING, jobs_of
from support.report import Report
from support.stage import Stage
from support.store import Store

EXECUTORS_EACH = 2
AT_REST = "releases: nothing left open"


class ReleaseStage:
    def __init__(self, binary: Path, folder: Path, store: Store, releases: tuple[str, ...], report: Report):
        jobs = [job for release in releases for job in jobs_of(release)]
        self.stage = Stage(binary, folder, store, releases, EXECUTORS_EACH, jobs)
        self.ends = Ends(self.stage)
        self.report = report

    def run(self) -> None:
        self.stage.start()
        for scenario, body in RUNNING.items():
            self.check_each(scenario, lambda release, body=body: body(self.stage, release))
        self.ends.kill_first()
        for scenario, body in ENDING.items():
            self.check_each(scenario, lambda release, body=body: body(self.ends, release))
        self.stage.stop_cleanly()
        self.settle()
        for scenario, body in QUIET.items():
            self.check_each(scenario, lambda release, body=body: body(self.stage, release))
        self.stage.stop_cleanly()

    def settle(self) -> None:
        killed = [self.stage.addresses(release)[0] for release in self.stage.releases]
        outcome = self.stage.restart_quiet(killed)
        self.report.check(AT_REST, lambda: outcome)

    def check_each(self, scenario: str, body: Callable) -> None:
        for release in self.stage.releases:
            self.report.check(name_of(release, scenario), lambda release=release: body(release))


def name_of(release: str, scenario: str) -> str:
    return f"{release}: {scenario}"


def names(releases: tuple[str, ...]) -> list[str]:
    return [*[name_of(release, scenario) for scenario in (*RUNNING, *ENDING, *QUIET) for release in releases], AT_REST]


def run(binary: Path, folder: Path, store: Store, releases: tuple[str, ...], report: Report) -> None:
    test = ReleaseStage(binary, folder, store, releases, report)
    try:
        test.run()
    except Exception as error:
        report.fail("releases: run", [f"{type(error).__name__}: {error}", *test.stage.server.tail(6)])
    finally:
        test.stage.close()
