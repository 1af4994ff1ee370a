"""Policed, periodic and sporadic flows into one port (`guarantee`), and what may be requested about them: all phases one by one,
and the most that may arrive in any number of slots."""

import itertools
import math
from fractions import Fraction as F

from queries import Check, Query, checked, ends, least
from traffics import Traffic


class Flows(Traffic):
    """`flows(load)` is [(count, most that one may send in k slots)], for a load per packet served."""

    service = False
    below = F(2, 3)

    def words(self, load):
        return [f"--{self.option}", self.text(load)]

    def queue(self, load, served):
        return None

    def never(self, load):
        """The longest queue: all flows send as much as they may from one slot on."""
        if load > 1:
            return None
        return max(sum(count * most(k) for count, most in self.flows(load)) - (k - 1) for k in range(1, 200))


class Periodic(Flows):
    name, option, at_once = "periodic flows", "periodic", 1
    stands_for = ("guarantee --periodic",)

    def periods(self, load):
        """Each flow's slots between its packets."""
        return [6] * int(6 * load) if self.at_once == 1 else [6] * int(3 * load)

    def text(self, load):
        periods = self.periods(load)
        return f"{len(periods)} x 6" + (f",{self.at_once}" if self.at_once > 1 else "")

    def flows(self, load):
        return [(len(self.periods(load)), lambda k: self.at_once * math.ceil(k / 6))]

    def laws(self, load, at):
        """The share of the time, and of the phases, in which the queue exceeds `at`."""
        if load >= 1:
            return None, None
        count, time, ever, cases = len(self.periods(load)), 0, 0, 0
        for phases in itertools.product(range(6), repeat=count):
            queue, above = 0, 0
            for slot in range(6 * 6):
                queue = max(queue - 1, 0) + self.at_once * phases.count(slot % 6)
                above += queue > at and slot >= 5 * 6
            cases += 1
            time += above / 6
            ever += above > 0
        return time / cases, ever / cases


class PeriodicGroups(Periodic):
    name, at_once = "periodic groups", 2


class Sporadic(Flows):
    name, option = "sporadic flows", "sporadic"
    stands_for = ("guarantee --sporadic",)

    def text(self, load):
        return f"{int(6 * load)} x 6"

    def flows(self, load):
        return [(int(6 * load), lambda k: math.ceil(k / 6))]


class Bucket(Flows):
    name, option, peak, peak_burst = "token buckets", "bucket", None, None
    stands_for = ("guarantee --bucket",)

    def text(self, load):
        return f"3 x {load / 3},2" + "".join(f",{more}" for more in (self.peak, self.peak_burst) if more)

    def flows(self, load):
        def most(k):
            by_bucket = math.floor(2 + load / 3 * (k - 1))
            return by_bucket if self.peak is None else min(by_bucket, math.floor((self.peak_burst or max(self.peak, 1)) + self.peak * (k - 1)))

        return [(3, most)]


class LooseBucket(Bucket):
    name, peak = "token buckets, a peak that does not bind", 5


class SlowBucket(Bucket):
    name, peak = "token buckets with a peak", F(1, 2)


class BurstyPeak(Bucket):
    name, peak, peak_burst = "token buckets, a peak with a burst", F(3, 4), F(3, 2)


CAPACITIES, DROPS = [1, 3], ["1/5", "1/50"]


def requested(*more):
    return lambda cell: [["guarantee", *cell.traffic.words(cell.load), *each] for each in (more or [[]])]


def check_never(cell, reply, _):
    own = cell.traffic.never(cell.load)
    if own is None or isinstance(cell.traffic, Periodic) and cell.load >= 1:
        return []
    return [Check("longest queue", row["buffer_never"], own, row["buffer_never"] == own, "the most that may arrive") for row in reply.rows]


def check_capacity(cell, reply, line):
    capacity, found = int(line[line.index("--capacity") + 1]), check_never(cell, reply, line)
    if isinstance(cell.traffic, Periodic):
        time, ever = cell.traffic.laws(cell.load, capacity)
        for row in reply.rows:
            found += checked(f"share of the time above {capacity}", row.get("probability_exact"), time, "all phases")
            found += checked(f"share of the start-ups above {capacity}", row.get("ever"), ever, "all phases")
    return found


def check_target(number):
    def check(cell, reply, line):
        found = check_never(cell, reply, line)
        target = F(line[line.index(("--drop", "--ever")[number]) + 1])
        if isinstance(cell.traffic, Periodic) and cell.load < 1:
            own = least(lambda b: cell.traffic.laws(cell.load, b)[number] <= target + F(1, 10**12), 12)
            found += [Check(f"smallest buffer for {target}", row["buffer"], own, row["buffer"] == own, "all phases") for row in reply.rows]
        return found

    return check


ALL = [Periodic, PeriodicGroups, Sporadic, Bucket, LooseBucket, SlowBucket, BurstyPeak]
QUERIES = [
    Query("never exceeded", requested(), check_never),
    Query("capacity", requested(*[["--capacity", str(b)] for b in CAPACITIES]), check_capacity),
    Query("drop", requested(*[["--drop", eps] for eps in DROPS]), check_target(0)),
    Query("ever", requested(*[["--ever", eps] for eps in DROPS]), check_target(1)),
    Query("capacity and drop", requested(["--capacity", "3", "--drop", "1/50"]), lambda *_: []),
]
