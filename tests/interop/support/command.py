"""Handlers of the Java executors, for `[[command]]` of `ringmaster executor`: command.py JOURNAL PORT HANDLER."""

import json
import os
import sys
import time


def main() -> int:
    journal, port, handler = sys.argv[1:]
    param = os.environ["JOB_PARAM"]
    entry = {"ms": int(time.time() * 1000), "log_id": int(os.environ["JOB_LOG_ID"]), "job_id": int(os.environ["JOB_ID"]),
             "handler": handler, "param": param, "shard_index": int(os.environ["JOB_SHARD_INDEX"]),
             "shard_total": int(os.environ["JOB_SHARD_TOTAL"]), "port": int(port)}
    # One write in append mode, so kill -9 leaves no half line.
    with open(journal, "ab", buffering=0) as file:
        file.write((json.dumps(entry) + "\n").encode())
    if handler == "slow":
        time.sleep(int(param) / 1000)
    for line in range(1, 6) if handler == "logging" else ():
        print(f"line {line} of {param}")
    return 1 if handler == "failing" else 0


if __name__ == "__main__":
    sys.exit(main())
