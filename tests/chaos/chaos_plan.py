"""The plan of a chaos run: which faults happen when. A pure function of the seed and the options."""

import random
from dataclasses import dataclass

GROUP_FAULTY, EVERYTHING = "a", "all"


@dataclass(frozen=True)
class Kind:
    """A kind of fault. Instants that are due meanwhile may be late: those of `hits`, for `takeover` seconds or until its end.

    `takeover`: other nodes continue, so that only the first seconds count. `calm`: no instant may be late because of it.
    """

    seconds: tuple[float, float]
    effect: str = "outage"  # or takeover, calm
    hits: str = EVERYTHING
    stores: tuple[str, ...] = ("mariadb", "sqlite")
    places: tuple[str, ...] = ("database",)  # at each of them, one fault at a time


NODES, LINKS, EXECUTORS = ("nodes",), ("links",), ("executors",)
MARIADB, SQLITE = ("mariadb",), ("sqlite",)
KINDS = {
    "node-kill": Kind((0.0, 4.0), "takeover", places=NODES),
    "node-stop": Kind((0.5, 8.0), "takeover", places=NODES),
    "rolling-restart": Kind((0.0, 0.5), "calm", places=NODES),
    "database-kill": Kind((0.5, 7.0), stores=MARIADB),
    "database-stop": Kind((0.5, 7.0), stores=MARIADB),
    "database-and-node-kill": Kind((1.0, 6.0), stores=MARIADB, places=("database", "nodes")),
    "database-restart": Kind((0.0, 2.0), stores=MARIADB),
    "read-only": Kind((1.0, 7.0), stores=MARIADB),
    "lock-schedule": Kind((1.0, 7.0), stores=MARIADB),
    "lock-nodes": Kind((0.5, 5.0), stores=MARIADB),
    "read-lock": Kind((1.0, 7.0), stores=MARIADB),
    "kill-connections": Kind((1.0, 5.0), stores=MARIADB),
    "connection-limit": Kind((1.0, 7.0), stores=MARIADB),
    "link-freeze": Kind((0.3, 6.0), "takeover", stores=MARIADB, places=LINKS),
    "link-withhold": Kind((0.3, 6.0), "takeover", stores=MARIADB, places=LINKS),
    "link-cut": Kind((0.0, 5.0), "takeover", stores=MARIADB, places=LINKS),
    "link-lost-answers": Kind((0.3, 3.0), "takeover", stores=MARIADB, places=LINKS),
    "link-slow": Kind((2.0, 6.0), stores=MARIADB, places=LINKS),
    "executor-kill": Kind((0.0, 6.0), hits=GROUP_FAULTY, places=EXECUTORS),
    "executor-stop": Kind((0.5, 7.0), hits=GROUP_FAULTY, places=EXECUTORS),
    "executor-bad": Kind((1.0, 7.0), hits=GROUP_FAULTY, places=EXECUTORS),
    "stop-while-hung": Kind((8.0, 9.0), hits=GROUP_FAULTY, places=("nodes", "executors")),
    "apply": Kind((0.0, 0.0), "calm"),
    "apply-kill": Kind((0.0, 0.0), "calm"),
    "clock-step": Kind((0.5, 8.0), "takeover", places=NODES),
    "lock-file": Kind((0.5, 7.0), stores=SQLITE),
    "disk-full": Kind((2.0, 8.0), stores=SQLITE),
}


@dataclass(frozen=True)
class Scenario:
    """Faults that are drawn from `kinds`. With a long misfire limit no instant may be dropped, however long the outage.

    `overlap`: a fault may begin before the end of the one before, at another place. `by_name`: runs only if it is named.
    """

    kinds: tuple[str, ...]
    misfire_s: int = 5
    overlap: bool = False
    links: bool = False
    clocks: bool = False
    small_disk: bool = False
    flushed: bool = True
    by_name: bool = False
    stores: tuple[str, ...] = ("mariadb", "sqlite")


LINK_KINDS = ("link-freeze", "link-withhold", "link-cut", "link-lost-answers", "link-slow")
EXECUTOR_KINDS = ("executor-kill", "executor-stop", "executor-bad")
SCENARIOS = {
    "node-kill": Scenario(("node-kill",)),
    "node-stop": Scenario(("node-stop",)),
    "rolling-restart": Scenario(("rolling-restart",)),
    "database-kill": Scenario(("database-kill", "database-restart", "database-and-node-kill"), 600, stores=MARIADB),
    "database-stop": Scenario(("database-stop",), 600, stores=MARIADB),
    "database-drops": Scenario(("database-kill", "database-stop"), 2, stores=MARIADB),
    "read-only": Scenario(("read-only",), 600, stores=MARIADB),
    "row-locks": Scenario(("lock-schedule", "lock-nodes"), 600, stores=MARIADB),
    "read-lock": Scenario(("read-lock",), 600, stores=MARIADB),
    "connections": Scenario(("kill-connections", "connection-limit"), 600, stores=MARIADB),
    "links": Scenario(LINK_KINDS, 600, links=True, stores=MARIADB),
    "executors": Scenario(EXECUTOR_KINDS),
    "apply": Scenario(("apply", "apply-kill")),
    "clocks": Scenario(("clock-step",), clocks=True),
    "lock-file": Scenario(("lock-file",), 600, stores=SQLITE),
    "disk-full": Scenario(("disk-full", "node-kill"), 600, small_disk=True, stores=SQLITE),
    "mixed": Scenario(("node-kill", "node-stop", "rolling-restart", "database-kill", "database-stop", "database-and-node-kill",
                       "read-only", "lock-schedule", "lock-nodes", "read-lock", "kill-connections", "connection-limit",
                       *EXECUTOR_KINDS, *LINK_KINDS, "apply", "lock-file"), 600, links=True),
    "overlapping": Scenario(("node-kill", "node-stop", "rolling-restart", "database-kill", "database-stop", "read-only",
                             "lock-nodes", "connection-limit", "lock-file", *EXECUTOR_KINDS, *LINK_KINDS), 600, overlap=True,
                            links=True),
    # In scripts/test.sh.
    "short": Scenario(("node-kill", "node-stop", "database-kill", "lock-schedule", "link-cut", "executor-kill"), 600, links=True,
                      by_name=True),
    # Not clean yet: a node that stops plans nothing and keeps its slots until a hung executor has answered.
    "stop-while-hung": Scenario(("stop-while-hung",), by_name=True),
    # Without the durability that Ringmaster requires: the account of this one must not be clean.
    "lost-commits": Scenario(("database-kill",), 600, flushed=False, stores=MARIADB, by_name=True),
}
BAD_MODES = ("hang", "reset", "garbage", "gateway", "refuse")
CALM_S = (3.0, 5.0)  # before the first fault, after the last one
LONGEST_S = 20.0  # a rolling restart


@dataclass(frozen=True)
class Fault:
    """A planned fault: `at_s` counts from the first instant of the load, a whole second."""

    at_s: float
    kind: str
    seconds: float
    target: tuple[int, ...] = ()
    detail: str = ""

    def text(self) -> str:
        words = [f"{self.at_s:8.3f} s", f"{self.kind:22}", f"{self.seconds:5.2f} s"]
        if self.target:
            words.append("of " + ", ".join(map(str, self.target)))
        return "  ".join([*words, self.detail]).rstrip()


@dataclass(frozen=True)
class Part:
    """One scenario of a run: a cluster of its own, a load of `seconds`, and faults."""

    name: str
    scenario: Scenario
    seconds: int
    faults: tuple[Fault, ...]


def plan(seed: int, names: list[str], seconds: float, store: str, nodes: int) -> list[Part]:
    """Divides the time among the scenarios. Each has a sequence of random numbers of its own."""
    each = max(10, int(seconds / len(names)))
    return [Part(name, SCENARIOS[name], each, faults_of(seed, name, each, store, nodes)) for name in names]


def faults_of(seed: int, name: str, seconds: int, store: str, nodes: int) -> tuple[Fault, ...]:
    chance = random.Random(f"{seed}/{name}/{store}/{nodes}")
    kinds = [kind for kind in SCENARIOS[name].kinds if store in KINDS[kind].stores]
    faults: list[Fault] = []
    turn: list[str] = []
    at = CALM_S[0]
    while True:
        turn = turn or chance.sample(kinds, len(kinds))  # every kind comes before one comes again
        fault = fault_of(chance, turn.pop(), at, store, nodes)
        if fault.at_s + fault.seconds > seconds - CALM_S[1]:
            return tuple(faults)
        faults.append(fault)
        pause = chance.choice((0.3, 1.0, 2.5, 4.0))
        at = fault.at_s + pause + (0 if SCENARIOS[name].overlap else fault.seconds)


def fault_of(chance: random.Random, kind: str, after: float, store: str, nodes: int) -> Fault:
    low, high = KINDS[kind].seconds
    seconds = round(chance.uniform(low, high), 2)
    target: tuple[int, ...] = ()
    detail = ""
    if kind.startswith(("node-", "clock-", "link-")) or kind == "database-and-node-kill":
        several = kind == "node-kill" and nodes > 1 and chance.random() < 0.2
        target = tuple(sorted(chance.sample(range(nodes), 2 if several else 1)))
    elif kind.startswith(("executor-", "stop-")):
        target = (chance.randrange(2),)
    if kind == "executor-bad":
        mode = chance.choice(BAD_MODES)
        taking = mode != "refuse" and chance.random() < 0.5
        detail = " ".join([mode, *(["taking"] if taking else []), *(["questions"] if chance.random() < 0.3 else [])])
    elif kind == "clock-step":
        detail = f"{chance.choice((-86400, -3600, -30, 30, 3600, 864000)):+d}"
    elif kind.startswith("apply"):
        detail = f"{chance.randrange(200, 600)} jobs"
    elif kind == "link-slow":
        detail = f"{chance.choice((20, 60, 150))} ms"
    return Fault(aimed(chance, after), kind, seconds, target, detail)


def aimed(chance: random.Random, after: float) -> float:
    """Returns a time not before `after`: seven of ten lie from 220 ms before an instant to 120 ms after it."""
    if chance.random() < 0.7:
        return round(int(after + 1.22) + chance.uniform(-0.22, 0.12), 3)
    return round(after + chance.random(), 3)
