"""Waiting for events with a deadline."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
POLL_S = 0.1


def wait_until(condition: Callable[[], T], deadline_s: float, what: str,
               seen: Callable[[], object] | None = None) -> T:
    """Polls until `condition` is true and returns its value; after the deadline raises with the expected and the seen state."""
    end = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() >= end:
            detail = f"; seen: {seen()}" if seen else ""
            raise TimeoutError(f"not within {deadline_s:g} s: {what}{detail}")
        time.sleep(POLL_S)


def wait_for_clock(epoch_s: float) -> None:
    """Waits for an instant of the wall clock, to the millisecond."""
    while (left := epoch_s - time.time()) > 0:
        time.sleep(left)
