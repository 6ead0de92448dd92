"""Tests of the checker itself: it must see what it is for."""

import unittest

import notes
from notes import LOST, Note, StoredRun


def note(at: int, event: str, run: int, fence: int, pid: int = 1, item: int = 0) -> Note:
    return Note(at, at, event, "job", item, run, fence, 1, "NORMAL_TRIGGER", pid)


def body(begin: int, end: int, run: int, fence: int, pid: int = 1, item: int = 0) -> list[Note]:
    return [note(begin, "begin", run, fence, pid, item), note(end, "end", run, fence, pid, item)]


def stored(run: int, state: int = 2, fire: int = 1000, item: int = 0) -> StoredRun:
    return StoredRun(1, run, item, (fire, 0, 0), state, 0)


class CheckerTest(unittest.TestCase):
    def test_a_clean_account_has_no_breach(self):
        seen = [*body(0, 10, 1, 1), *body(11, 20, 2, 2, pid=2), *body(5, 15, 3, 1, item=1)]
        self.assertEqual(notes.check(seen, [stored(1), stored(2, fire=2000), stored(3, item=1)]), [])

    def test_an_overlap_is_found_also_behind_a_short_run(self):
        self.assertEqual(len(list(notes.check_overlaps([*body(0, 10, 1, 1), *body(10, 20, 2, 2, pid=2)]))), 1)
        long_one = [*body(0, 100, 1, 1), *body(10, 20, 2, 2, pid=2), *body(50, 60, 3, 3, pid=3)]
        self.assertEqual(len(list(notes.check_overlaps(long_one))), 2)

    def test_notes_after_the_lease_hold_nothing(self):
        seen = [note(0, "begin", 1, 1), note(5, "mine", 1, 1), *body(10, 20, 2, 2, pid=2), note(15, "lost", 1, 1),
                note(16, "stopped", 1, 1)]
        self.assertEqual(list(notes.check_overlaps(seen)), [])

    def test_a_fence_that_does_not_grow_is_found(self):
        self.assertEqual(len(list(notes.check_fences([*body(0, 10, 1, 2), *body(11, 20, 2, 2, pid=2)]))), 1)

    def test_a_run_with_two_bodies_is_found(self):
        self.assertTrue(list(notes.check_fences([*body(0, 10, 1, 1), *body(11, 20, 1, 1, pid=2)])))
        self.assertTrue(list(notes.check_fences([*body(0, 10, 1, 1), *body(11, 20, 1, 1)])))

    def test_an_item_that_runs_twice_in_a_fire_is_found(self):
        self.assertEqual(len(list(notes.check_fires([stored(1), stored(2)]))), 1)
        self.assertEqual(list(notes.check_fires([stored(1, LOST), stored(2), stored(3, item=1)])), [])

    def test_a_result_that_is_missing_is_found(self):
        self.assertEqual(len(list(notes.check_results(body(0, 10, 1, 1), [stored(1, LOST)]))), 1)
        self.assertEqual(list(notes.check_results(body(0, 10, 1, 1), [stored(1, LOST)], {1})), [])
        self.assertEqual(len(list(notes.check_results(body(0, 10, 1, 1), []))), 1)
        self.assertEqual(len(list(notes.check_results([], [stored(1, notes.OPEN)]))), 1)

    def test_a_line_that_was_cut_is_left_out(self):
        whole = "1 2 begin job 0 5 1 1 FAILOVER 77\n"
        self.assertEqual(list(notes.parse_notes(whole + whole[:12])), [Note(1, 2, "begin", "job", 0, 5, 1, 1, "FAILOVER", 77)])
