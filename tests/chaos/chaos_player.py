"""Plays the planned faults at their times, in one thread: a child process ends with the thread that began it."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from chaos_faults import Faults, Steps
from chaos_load import FAULTY
from chaos_plan import GROUP_FAULTY, KINDS, Fault, Part
from chaos_record import Happened

STEP_S = 0.002


@dataclass
class Running:
    fault: Fault
    begin: float
    next_at: float
    steps: Steps


class Player:
    def __init__(self, part: Part, faults: Faults, began: float, said: Callable[[str], None]):
        self.part, self.faults, self.began, self.said = part, faults, began, said
        self.waiting = deque(part.faults)
        self.running: list[Running] = []
        self.done: list[Happened] = []

    def play(self) -> list[Happened]:
        """Plays all faults one after the other, or, if the scenario overlaps, those of different places at the same time."""
        while self.waiting or self.running:
            if self.waiting and time.time() >= self.began + self.waiting[0].at_s and self.may_begin(self.waiting[0]):
                self.begin(self.waiting.popleft())
            for each in [each for each in self.running if each.next_at <= time.time()]:
                self.advance(each)
            time.sleep(STEP_S)
        self.faults.check_alive(self.faults.stage.nodes)
        return self.done

    def may_begin(self, fault: Fault) -> bool:
        places = {place for each in self.running for place in KINDS[each.fault.kind].places}
        return not self.running or self.part.scenario.overlap and not places & set(KINDS[fault.kind].places)

    def begin(self, fault: Fault) -> None:
        now = time.time()
        self.running.append(Running(fault, now, now, getattr(self.faults, fault.kind.replace("-", "_"))(fault)))

    def advance(self, each: Running) -> None:
        try:
            each.next_at = time.time() + next(each.steps)
        except StopIteration as ended:
            self.running.remove(each)
            self.end(each, ended.value)

    def end(self, each: Running, jobs: frozenset[int] | None) -> None:
        fault = each.fault
        if KINDS[fault.kind].hits == GROUP_FAULTY:
            jobs = frozenset(job_id for job_id, job in self.faults.stage.ids.items() if job.group == FAULTY)
        self.done.append(Happened(fault.kind, each.begin, time.time(), fault.text(), tuple(map(str, fault.target)), jobs))
        self.said(f"{self.part.name}: fault {len(self.done)} of {len(self.part.faults)}: {fault.text().strip()}")
