#!/usr/bin/env python3
"""Runs many simulated histories (docs/simulation.md), in parallel processes.

    scripts/simulate.py --tests build/release/tests/simulation/simulation_tests --count 1000000
    scripts/simulate.py --tests … --kind shared --first 5001 --count 20000 --processes 4
    scripts/simulate.py --tests build/release/tests/simulation/elastic/elastic_simulation_tests --kind elastic --count 100000

Each process runs `--chunk` histories one after another, at the lowest priority. For a chunk that breaks an invariant it prints
the output of the test: history, trace, violations and the command that repeats the history. Exits with 0 if no chunk did.
"""
import argparse
import concurrent.futures
import os
import subprocess
import sys
import time

TESTS = {
    "random": "random histories keep*",
    "shared": "beside Java*",
    "mariadb": "on MariaDB random*",
    "mariadb-shared": "on MariaDB nothing*",
    "elastic": "random histories keep*",
    "elastic-dense": "dense histories keep*",
    "elastic-provoked": "provoked histories keep*",
}


def parse():
    parser = argparse.ArgumentParser(description="Runs many simulated histories.")
    parser.add_argument("--tests", required=True,
                        help="path of the executable simulation_tests, best of the preset release; for the elastic kinds: of"
                             " elastic_simulation_tests")
    parser.add_argument("--kind", choices=TESTS, default="random")
    parser.add_argument("--first", type=int, default=1, help="first seed")
    parser.add_argument("--count", type=int, default=100_000, help="number of seeds")
    parser.add_argument("--chunk", type=int, default=1000, help="histories per process")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--timeout", type=int, default=3600, help="time limit of a chunk in seconds")
    return parser.parse_args()


def run_chunk(arguments, first, count):
    """Returns whether the chunk succeeded, and the output of the test."""
    environment = dict(os.environ, RINGMASTER_SIMULATION_FIRST=str(first), RINGMASTER_SIMULATION_SEEDS=str(count),
                       RINGMASTER_SIMULATION_MARIADB_SEEDS=str(count), RINGMASTER_SIMULATION_THREADS="1")
    command = ["nice", "-n", "19", arguments.tests, TESTS[arguments.kind]]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=arguments.timeout, check=False)
    except subprocess.TimeoutExpired:
        return False, f"seeds {first} to {first + count - 1} take longer than {arguments.timeout} s"
    return done.returncode == 0, done.stdout + done.stderr


def main():
    arguments = parse()
    begun = time.monotonic()
    made = broken = 0
    end = arguments.first + arguments.count
    with concurrent.futures.ThreadPoolExecutor(arguments.processes) as pool:
        chunks = {}
        for first in range(arguments.first, end, arguments.chunk):
            count = min(arguments.chunk, end - first)
            chunks[pool.submit(run_chunk, arguments, first, count)] = count
        for done in concurrent.futures.as_completed(chunks):
            well, said = done.result()
            made += chunks[done]
            if not well:
                broken += 1
                print(said, flush=True)
            rate = made / (time.monotonic() - begun)
            progress = f"{made} of {arguments.count} histories, {rate:.0f}/s, {broken} chunks with a finding"
            print(progress, file=sys.stderr, flush=True)
    print(f"{made} histories in {time.monotonic() - begun:.0f} s, {broken} chunks with a finding")
    return 0 if broken == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
