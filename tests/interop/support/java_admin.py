"""A stand-in for a Java admin: issues its statements on the schedule in its order (XXL admin §2.6, §3.2, §7.2).

`2.4` holds the lock on a connection of its own while it reads and writes on another, and writes every row back with the status
that it read. `3.0` does the same with a guard on the status. `3.4` does all in one transaction, in batches, with that guard.
All support only crons `*/n * * * * ?` and fixed rates.
"""

import threading
import time

PRE_READ_MS = 5000
LIMIT = 6000
BATCH = 100
LOCK = "SELECT * FROM xxl_job_lock WHERE lock_name = 'schedule_lock' FOR UPDATE"
DUE = ("SELECT * FROM xxl_job_info WHERE trigger_status = 1 AND trigger_next_time <= %s ORDER BY id LIMIT %s")
FAILED = ("SELECT id FROM xxl_job_log WHERE NOT ((trigger_code IN (0, 200) AND handle_code = 0) OR handle_code = 200)"
          " AND alarm_status = 0 ORDER BY id LIMIT 1000")
END_ALARM = "UPDATE xxl_job_log SET alarm_status = 2 WHERE id = %s AND alarm_status = -1"
CLAIM_ALARM = "UPDATE xxl_job_log SET alarm_status = -1 WHERE id = %s AND alarm_status = 0"


def now_ms() -> int:
    return int(time.time() * 1000)


def next_fire(job: dict, after_ms: int) -> int:
    if job["schedule_type"] == "FIX_RATE":
        return after_ms + int(job["schedule_conf"]) * 1000
    step = int(job["schedule_conf"].split()[0].removeprefix("*/")) * 1000
    second = after_ms - after_ms % 60000
    while second <= after_ms:
        second += step
    return second


class JavaAdmin:
    def __init__(self, connect, version: str, pause_s: float = 0.05, sleeps: bool = False):
        """`connect()`: returns a new connection with DictCursor. `pause_s`: between two passes. `sleeps`: as a real one, to the
        next whole second after a pass that found something, up to 5 s after one that found nothing, not at all after a pass of a
        second."""
        self.connect, self.version, self.pause_s, self.sleeps = connect, version, pause_s, sleeps
        self.fired: list[tuple[int, int]] = []
        self.retried: list[int] = []
        self.late = 0
        self.errors: list[str] = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.forever, args=(loop,)) for loop in (self.plan, self.monitor)]

    def start(self) -> None:
        for thread in self.threads:
            thread.start()

    def stop(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def forever(self, make_step) -> None:
        try:
            step = make_step()
            pause_s = self.pause_s
            while not self.stopping.wait(pause_s):
                wanted_s = step()
                pause_s = self.pause_s if wanted_s is None or not self.sleeps else wanted_s
        except Exception as failure:  # pylint: disable=broad-except
            self.errors.append(f"{make_step.__name__}: {failure!r}")

    # -- the schedule thread

    def plan(self):
        lock = self.connect()
        lock.autocommit(False)
        work = lock if self.version == "3.4" else self.connect()
        write_back = {"2.4": self.write_back_24, "3.0": self.write_back_30, "3.4": self.write_back_34}[self.version]

        def one_pass() -> float:
            begun, jobs = now_ms(), []
            try:
                lock.begin()
                with lock.cursor() as cursor:
                    cursor.execute(LOCK)
                now = now_ms()
                with work.cursor() as cursor:
                    cursor.execute(DUE, (now + PRE_READ_MS, LIMIT))
                    jobs = cursor.fetchall()
                    fired = [instant for job in jobs for instant in self.decide(job, now)]
                    write_back(cursor, jobs)
                lock.commit()
                self.fired += fired
            except Exception as failure:  # pylint: disable=broad-except
                lock.rollback()
                if getattr(failure, "args", (0,))[0] not in (1205, 1213):  # lock wait, deadlock
                    raise
                jobs = [failure]
            now = now_ms()
            return 0 if now - begun >= 1000 else ((1000 if jobs else 5000) - now % 1000) / 1000
        return one_pass

    def decide(self, job: dict, now: int) -> list[tuple[int, int]]:
        """Moves the row in memory; returns the instants to fire, now or from the ring."""
        instant = job["trigger_next_time"]
        late = now >= instant if self.version == "3.4" else now > instant
        self.late += late
        if now > instant + PRE_READ_MS:
            self.refresh(job, now)
            return []  # DO_NOTHING
        if not late:
            self.refresh(job, instant)
            return [(job["id"], instant)]
        self.refresh(job, now)
        fired = [(job["id"], instant)]
        if self.version == "2.4" and now + PRE_READ_MS > job["trigger_next_time"]:
            fired.append((job["id"], job["trigger_next_time"]))
            self.refresh(job, job["trigger_next_time"])
        return fired

    @staticmethod
    def refresh(job: dict, after_ms: int) -> None:
        job["trigger_last_time"] = job["trigger_next_time"]
        job["trigger_next_time"] = next_fire(job, after_ms)

    @staticmethod
    def write_back_24(cursor, jobs: list[dict]) -> None:
        for job in jobs:
            cursor.execute("UPDATE xxl_job_info SET trigger_last_time = %(trigger_last_time)s,"
                           " trigger_next_time = %(trigger_next_time)s, trigger_status = %(trigger_status)s WHERE id = %(id)s",
                           job)

    @staticmethod
    def write_back_30(cursor, jobs: list[dict]) -> None:
        for job in jobs:
            cursor.execute("UPDATE xxl_job_info SET trigger_last_time = %(trigger_last_time)s,"
                           " trigger_next_time = %(trigger_next_time)s WHERE id = %(id)s AND trigger_status = 1", job)

    @staticmethod
    def write_back_34(cursor, jobs: list[dict]) -> None:
        for begin in range(0, len(jobs), BATCH):
            some = jobs[begin:begin + BATCH]
            cases = " ".join("WHEN %s THEN %s" for _ in some)
            keep = " ".join("WHEN %s THEN trigger_status" for _ in some)
            places = ", ".join(["%s"] * len(some))
            values = [value for column in ("trigger_last_time", "trigger_next_time") for job in some
                      for value in (job["id"], job[column])]
            cursor.execute(f"UPDATE xxl_job_info SET trigger_last_time = CASE id {cases} END,"
                           f" trigger_next_time = CASE id {cases} END, trigger_status = CASE id {keep} END"
                           f" WHERE id IN ({places}) AND trigger_status = 1",
                           values + [job["id"] for job in some] * 2)

    # -- the fail monitor

    def monitor(self):
        work = self.connect()

        def one_round() -> None:
            with work.cursor() as cursor:
                cursor.execute(FAILED)
                for row in cursor.fetchall():
                    if cursor.execute(CLAIM_ALARM, (row["id"],)) != 1:
                        continue
                    cursor.execute("SELECT executor_fail_retry_count FROM xxl_job_log WHERE id = %s", (row["id"],))
                    if cursor.fetchone()["executor_fail_retry_count"] > 0:
                        self.retried.append(row["id"])
                    cursor.execute(END_ALARM, (row["id"],))
        return one_round


def console_save(cursor, job: dict) -> None:
    """Writes all columns by id, as read or set: the end of every edit of a Java console."""
    columns = [name for name in job if name != "id"]
    cursor.execute(f"UPDATE xxl_job_info SET {', '.join(f'{name} = %s' for name in columns)} WHERE id = %s",
                   [job[name] for name in columns] + [job["id"]])


def console_stop(job: dict) -> None:
    job.update(trigger_status=0, trigger_last_time=0, trigger_next_time=0)


def console_start(job: dict) -> None:
    job.update(trigger_status=1, trigger_last_time=0, trigger_next_time=next_fire(job, now_ms() + PRE_READ_MS))
