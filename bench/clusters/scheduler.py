#!/usr/bin/env python3
"""What limits a sweep or a simulation on many cores: the scheduler, simulated with measured costs.

    bench/clusters/scheduler.py                 prints the tables of docs/clusters.md
    bench/clusters/scheduler.py --measure       measures the costs of this machine first (needs TAILBOUND)

MODEL   W workers ask one server (rank 0 of MPI, or the store's lock) for work; it serves one at a time, in the order
        of asking. Pieces are of random cost, lognormal with the mean given and a spread of 100 between the 1st and
        the 99th percentile. Workers start one after the other at the rate at which the launcher starts them. At the
        end all parts are merged by one process.
RESULT  the share of the cores' time that is spent on pieces, from the first start to the last end.
"""
import argparse
import heapq
import math
import os
import random
import sqlite3
import subprocess
import tempfile
import time

# Measured on the machine of docs/clusters.md (two cores, Debian 12), except launch, which is an assumption:
# 200 tasks per second in a batch system. --measure prints start and claim of this machine.
COSTS = {"start": 0.008, "launch": 0.005, "claim": 0.0001, "deal": 0.00005, "merge": 0.0001}


def measure(program):
    """Seconds: of a process, of a step of the store."""

    def best(action, times):
        spent = []
        for _ in range(times):
            begin = time.perf_counter()
            action()
            spent.append(time.perf_counter() - begin)
        return sorted(spent)[len(spent) // 2]

    costs = {"start": best(lambda: subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True), 21)}
    with tempfile.TemporaryDirectory() as folder:
        store = sqlite3.connect(os.path.join(folder, "store"), isolation_level=None)
        store.execute("PRAGMA journal_mode = WAL")
        store.execute("PRAGMA synchronous = NORMAL")
        store.execute("CREATE TABLE point(key TEXT PRIMARY KEY, answer BLOB, json TEXT)")
        keys = iter(range(10**9))

        def step():
            store.execute("BEGIN IMMEDIATE")
            store.execute("INSERT INTO point VALUES(?, ?, ?)", (f"buffer --load 0.9 {next(keys)}", b"x" * 2800, "y" * 1000))
            store.execute("COMMIT")

        costs["claim"] = best(step, 500)
    return costs


def share_of_work(workers, pieces, mean, serve, launch, start, merge, batch=0.0, seed=1):
    """Of the cores' time.

    serve   seconds of the server for a step [s]
    launch  between two starts [s]
    start   of a worker [s]
    merge   at the end, by one [s]
    batch   pieces are taken together up to so long [s]
    """
    rng = random.Random(seed)
    sigma = math.log(100) / (2 * 2.326)
    mu = math.log(mean) - sigma * sigma / 2
    together = max(1, min(64, int(batch / mean))) if batch > 0 else 1
    asks = [(i * launch + start, i) for i in range(workers)]  # when a worker asks next
    heapq.heapify(asks)
    free, left, work, end = 0.0, pieces, 0.0, 0.0
    while asks:
        now, worker = heapq.heappop(asks)
        free = max(free, now) + serve
        if left == 0:
            end = max(end, free)
            continue
        cost = 0.0
        for _ in range(min(together, left)):
            cost += rng.lognormvariate(mu, sigma)
        left -= min(together, left)
        work += cost
        heapq.heappush(asks, (free + cost, worker))
    return work / (workers * (end + merge))


def table(title, rows, columns, value):
    print(f"\n{title}\n")
    print("| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for row in rows:
        print(f"| {row} | " + " | ".join(value(row, column) for column in columns) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="measure start and store here (TAILBOUND)")
    for name, cost in COSTS.items():
        parser.add_argument(f"--{name}", type=float, default=cost, help=f"[s] (default {cost})")
    options = parser.parse_args()
    costs = {name: getattr(options, name) for name in COSTS}
    if options.measure:
        costs.update(measure(os.environ.get("TAILBOUND", "tailbound")))
    print("Costs [s]: " + ", ".join(f"{name} {cost:.3g}" for name, cost in costs.items()))

    sizes = ["10", "100", "1000", "10000"]
    means = {"0.01 s": 0.01, "1 s": 1.0, "100 s": 100.0}
    each = 50  # pieces a worker

    def percent(share):
        return f"{100 * share:.0f} %"

    table("One store, a step of which takes its lock (claims of up to 0.05 s together)", means, sizes,
          lambda mean, size: percent(share_of_work(int(size), each * int(size), means[mean], costs["claim"],
                                                   costs["launch"], costs["start"], 0.0, batch=0.05)))
    table("MPI: rank 0 deals out pieces one by one", means, sizes,
          lambda mean, size: percent(share_of_work(int(size), each * int(size), means[mean], costs["deal"],
                                                   costs["launch"] / 50, costs["start"], 0.0)))
    table("Parts: a job array, each with pieces of its own, merged at the end", means, sizes,
          lambda mean, size: percent(parts(int(size), each, means[mean], costs)))


def parts(workers, each, mean, costs, seed=1):
    """Every part does its pieces alone: the slowest and the merge count."""
    rng = random.Random(seed)
    sigma = math.log(100) / (2 * 2.326)
    mu = math.log(mean) - sigma * sigma / 2
    loads = [sum(rng.lognormvariate(mu, sigma) for _ in range(each)) for _ in range(workers)]
    end = max(i * costs["launch"] + costs["start"] + load for i, load in enumerate(loads))
    return sum(loads) / (workers * (end + workers * costs["merge"]))


if __name__ == "__main__":
    main()
