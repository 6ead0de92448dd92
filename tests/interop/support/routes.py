"""Required behaviour of a route strategy with two live executors, checked on the log rows of a job that fires every second."""

import hashlib
from collections import Counter, defaultdict

from support.rows import brief, instant

VIRTUAL_NODES = 100


def chosen(rows: list[dict]) -> list[str]:
    return [row["executor_address"] for row in rows]


def always(address: str):
    def problems(rows: list[dict], addresses: list[str], job_id: int) -> list[str]:
        return [f"expected {address}: {brief(row)}" for row in rows if row["executor_address"] != address]
    return problems


def first(rows, addresses, job_id):
    return always(addresses[0])(rows, addresses, job_id)


def last(rows, addresses, job_id):
    return always(addresses[-1])(rows, addresses, job_id)


def alternates(rows, addresses, job_id):
    """Checks ROUND."""
    return [f"same address twice in a row: {brief(before)} then {brief(after)}"
            for before, after in zip(rows, rows[1:]) if before["executor_address"] == after["executor_address"]]


def spreads(rows, addresses, job_id):
    """Checks RANDOM."""
    used = Counter(chosen(rows))
    return [f"{address} never chosen in {len(rows)} firings: {dict(used)}"
            for address in addresses if not used[address]]


def spreads_evenly(rows, addresses, job_id):
    """Checks LEAST_FREQUENTLY_USED, which starts from a random count below the number of addresses."""
    used = Counter(chosen(rows))
    difference = abs(used[addresses[0]] - used[addresses[1]])
    return [f"uneven by {difference}: {dict(used)}"] if difference > 2 else []


def consistent_hash(rows, addresses, job_id):
    return always(hash_choice(addresses, job_id))(rows, addresses, job_id)


def hash_choice(addresses: list[str], job_id: int) -> str:
    ring = {hash_of(f"SHARD-{address}-NODE-{node}"): address for address in addresses for node in range(VIRTUAL_NODES)}
    key = hash_of(str(job_id))
    return ring[min((point for point in ring if point >= key), default=min(ring))]


def hash_of(key: str) -> int:
    return int.from_bytes(hashlib.md5(key.encode()).digest()[:4], "little")


def broadcast(rows, addresses, job_id):
    """Checks that there is one row per shard and instant, each at the address of its index."""
    wanted = sorted((f"{index}/{len(addresses)}", address) for index, address in enumerate(addresses))
    shards = defaultdict(list)
    for row in rows:
        shards[instant(row)].append((row["executor_sharding_param"], row["executor_address"]))
    return [f"instant {second}: expected {wanted}, got {sorted(found, key=str)}"
            for second, found in shards.items() if sorted(found, key=str) != wanted]


RULES = {
    "FIRST": first,
    "LAST": last,
    "ROUND": alternates,
    "RANDOM": spreads,
    "CONSISTENT_HASH": consistent_hash,
    "LEAST_FREQUENTLY_USED": spreads_evenly,
    "LEAST_RECENTLY_USED": spreads_evenly,
    "FAILOVER": first,
    "SHARDING_BROADCAST": broadcast,
}
