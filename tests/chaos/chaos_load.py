"""The jobs that a chaos run fires, by rate: most of them every second, some with retries, children, shards or another policy."""

from dataclasses import replace

from support.declared import Group, Job, jobs_file

GROUPS = (Group("chaos-a", "executors with faults"), Group("chaos-b", "an executor without faults"))
FAULTY, HEALTHY = GROUPS[0].app_name, GROUPS[1].app_name
EXECUTORS = {FAULTY: 2, HEALTHY: 1}  # processes
PERIODS_S = (2, 5)


def load(rate: int) -> list[Job]:
    """Returns jobs that fire about `rate` times per second, retries, children and shards not counted."""
    few = max(1, rate // 30)
    jobs = [Job(FAULTY, f"parent-{n}", children=(f"child-{n}",)) for n in range(few)]
    jobs += [Job(FAULTY, f"failing-{n}", "failing", retry=1) for n in range(few)]
    jobs += [Job(FAULTY, f"skip-{n}", on_unknown="skip") for n in range(few)]
    jobs += [Job(FAULTY, f"resend-{n}", on_unknown="resend") for n in range(few)]
    jobs += [Job(FAULTY, "shards", "shard", route="SHARDING_BROADCAST")]
    jobs += [Job(FAULTY, f"every-{every}s-{n}", every_s=every) for every in PERIODS_S for n in range(few)]
    jobs += [Job(FAULTY, f"once-{n}", misfire="FIRE_ONCE_NOW") for n in range(rate // 8)]
    jobs += [Job(HEALTHY, f"healthy-{n}") for n in range(rate // 6)]
    fired = sum(1 / job.every_s for job in jobs)
    jobs += [Job(FAULTY, f"plain-{n}") for n in range(max(1, int(rate - fired)))]
    jobs = [job if job.handler == "shard" else replace(job, route="ROUND") for job in jobs]
    return jobs + [Job(FAULTY, f"child-{n}", every_s=None) for n in range(few)]


def declared(jobs: list[Job], enabled: bool = True) -> str:
    return jobs_file(GROUPS, [job if enabled and job.every_s else job.stopped() for job in jobs])


def bulk(count: int, revision: int) -> str:
    """Returns jobs that do not fire, to be applied as a whole; each revision changes all of them."""
    return jobs_file([], [Job(HEALTHY, f"bulk-{n}", params=f"revision {revision}", every_s=None, enabled=False)
                          for n in range(count)])
