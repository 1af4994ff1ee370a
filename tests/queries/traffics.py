"""Every kind of traffic that a query may be about: how it is requested, and the same traffic as a chain.

The load is in packets (cells) per slot and `served` packets are served per slot. A kind says which options of `buffer`
it stands for, so that an option that describes traffic and has no kind here fails the test.
"""

import itertools
import json
from fractions import Fraction as F

from chains import Queue, geometric, loss_of_md1, on_off, poisson, product, thinned

UNEQUAL = [F(2, 5), F(3, 10), F(1, 5), F(1, 10)]


class Traffic:
    """`words(load)` are options of buffer and occupancy; `phases(load)` is what arrives, None if it is not known here."""

    stands_for = ()  # options that describe this traffic, or "--option=choice"
    solves = ("load", "speedup", "burst")  # what --solve may be requested
    below = F(3, 5)  # the load below 1, per packet served
    service = True  # has --packets-per-slot
    quick = None  # the cells of every run; None: all
    inputs = None  # each sends at most one packet per slot
    thinned = False  # other loads are parts of this one

    def __init__(self, folder):
        self.folder = folder

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def words(self, load):
        raise NotImplementedError

    def solving(self, what, load):
        """The words for --solve WHAT: without a load, or without bursts."""
        return self.words(load)

    def phases(self, load):
        return None

    def others(self, load):
        """The words for other commands: {command: words}. The rest are requested with words()."""
        return {}

    def formula(self, load):
        """The words for pgf and compare, which have no files of traffic of their own."""
        return self.words(load)

    def at(self, what, load, value):
        """The phases where the load or the speedup is this one; None if it is not known here."""
        phases, there = self.phases(load), F(value) if what == "load" else load / F(value)
        if not phases or len(phases) > 1 or there > (self.inputs or there) or there > load and self.thinned:
            return None
        return thinned(phases, float(there / load)) if there <= load else self.phases(there)

    def loss(self, load, served, capacity):
        queue = self.queue(load, served)
        return queue and queue.loss(capacity)

    def queue(self, load, served):
        phases = self.phases(load)
        return Queue(phases, served) if phases and isinstance(served, int) else None


def independent(pmf):
    return [[(n, 0, p) for n, p in enumerate(pmf)]]


class EqualInputs(Traffic):
    name = "equal inputs"
    stands_for = ("--inputs", "--load", "--traffic=bernoulli")
    inputs = 4

    def words(self, load):
        return ["--inputs", str(self.inputs), "--load", str(load)]

    def solving(self, what, load):
        return ["--inputs", str(self.inputs)] + ([] if what == "load" else ["--load", str(load)])

    def phases(self, load):
        return independent(product(*[[1 - F(load) / self.inputs, F(load) / self.inputs]] * self.inputs))

    def others(self, load):
        return {"delay": ["--radix", str(self.inputs), "--levels", "1", "--load", str(load)],
                "simulate": ["switch", "--inputs", str(self.inputs), "--load", str(load)]}


class OneInput(EqualInputs):
    name = "one input"
    inputs = 1
    below = F(2, 5)  # also with two packets served per slot at most 1


class UnequalRates(Traffic):
    name = "unequal rates"
    stands_for = ("--rates",)

    def rates(self, load):
        return [load * share for share in UNEQUAL]

    def words(self, load):
        return ["--rates", ",".join(map(str, self.rates(load)))]

    def phases(self, load):
        return independent(product(*[[1 - F(r), F(r)] for r in self.rates(load)]))


class Poisson(Traffic):
    name = "Poisson"
    stands_for = ("--traffic=poisson",)

    def words(self, load):
        return ["--traffic", "poisson", "--load", str(load)]

    def solving(self, what, load):
        return ["--traffic", "poisson"] + ([] if what == "load" else ["--load", str(load)])

    def phases(self, load):
        return independent(poisson(float(load)))


class Md1(Poisson):
    name = "M/D/1"
    stands_for = ("--traffic=md1",)

    def words(self, load):
        return ["--traffic", "md1", "--load", str(load)]

    def solving(self, what, load):
        return ["--traffic", "md1"] + ([] if what == "load" else ["--load", str(load)])

    def loss(self, load, served, capacity):
        return loss_of_md1(float(load), capacity) if served == 1 else None

    def queue(self, load, served):
        return super().queue(load, 1) if served == 1 else None


class Formula(Traffic):
    name = "formula"
    stands_for = ("--arrivals",)

    def words(self, load):
        p = 1 / (1 + F(load))
        return ["--arrivals", f"({p})/(1-{1 - p}*z)"]

    def phases(self, load):
        return independent(geometric(float(1 / (1 + F(load)))))


class NamedLaw(Traffic):
    name = "law by name"
    share = F(49, 120)  # one over the mean of zipf(1, 6)

    def words(self, load):
        return ["--arrivals", f"{1 - load * self.share} + {load * self.share}*zipf(1,6)"]

    def phases(self, load):
        load = F(load)
        return independent([1 - load * self.share, *[load * self.share * F(20, 49) / k for k in range(1, 7)]])


class EndlessLaw(Formula):
    name = "endless law by name"
    quick = ("below 1, 1 per slot",)  # a table of thousands of probabilities: seconds

    def words(self, load):
        return ["--arrivals", f"geometric({1 / (1 + F(load))})"]


class Pmf(Traffic):
    name = "probabilities"
    thinned = True
    stands_for = ("--pmf", "--normalize", "--exact")

    def law(self, load):
        load = F(load)
        return [1 - load * F(11, 32), load / 8, 0, 0, load * F(7, 32)]

    def words(self, load):
        return ["--pmf", self.file(f"pmf_{load.numerator}_{load.denominator}", "\n".join(map(str, self.law(load))) + "\n")]

    def phases(self, load):
        return independent(self.law(load))


class TrafficFile(Pmf):
    name = "traffic file"
    stands_for = ("--traffic-file",)
    counts = 1000

    def words(self, load):
        p = self.law(load)
        whole = F(10) ** 6 * 32
        text = {"traffic": "independent slots", "trace": "own", "slot_ns": 512.0, "cell_bytes": 64, "trusted": True,
                "slots": int(whole), "slots_with_so_many_cells": [int(x * whole) for x in p]}
        return ["--traffic-file", self.file(f"traffic_{load.numerator}_{load.denominator}.json", json.dumps(text))]


class Bursts(Traffic):
    name = "bursts, one output each"
    stands_for = ("--traffic=onoff", "--burst", "--on-rate", "--destination", "--destination=per-burst")
    destination = "per-burst"
    burst, on_rate, inputs = F(4), F(1), 3
    below = F(2, 5)  # of the link; also with two packets served per slot below the on-rate

    def words(self, load):
        return ["--inputs", str(self.inputs), "--load", str(load), "--burst", str(self.burst), "--on-rate", str(self.on_rate),
                "--destination", self.destination]

    def solving(self, what, load):
        loads = [] if what == "load" else ["--load", str(load)]
        burst = [] if what == "burst" else ["--burst", str(self.burst)]
        return ["--inputs", str(self.inputs), *loads, *burst, "--on-rate", str(self.on_rate), "--destination", self.destination]

    def with_burst(self, load, burst):
        if not 0 < load < self.on_rate or load / self.on_rate / burst / (1 - load / self.on_rate) > 1:
            return None
        return on_off(self.inputs, load, burst, self.on_rate, self.destination == "per-packet")

    def phases(self, load):
        return self.with_burst(load, self.burst)

    def at(self, what, load, value):
        """In faster slots a burst is as many packets, but longer and slower."""
        if what == "load":
            return self.with_burst(F(value).limit_denominator(10**9), self.burst)
        s = F(value).limit_denominator(10**9)
        return on_off(self.inputs, load / s, self.burst * s, self.on_rate / s, self.destination == "per-packet")

    def others(self, load):
        sources = ["--load", str(load), "--burst", str(self.burst), "--on-rate", str(self.on_rate), "--destination", self.destination]
        return {"delay": ["--radix", str(self.inputs), "--levels", "1", *sources],
                "simulate": ["switch", "--inputs", str(self.inputs), *sources]}


class PacketBursts(Bursts):
    name = "bursts, an output per packet"
    stands_for = ("--destination=per-packet",)
    destination = "per-packet"


class SlowBursts(Bursts):
    name = "bursts below the link rate"
    on_rate = F(3, 4)
    burst = F(5, 2)
    below = F(1, 4)


class Blocks(Traffic):
    name = "correlated (D-BMAP)"
    stands_for = ("--blocks",)

    def phases(self, load):
        a, q = F(load) / 4, F(load) * F(17, 64)
        moves = [[F(4, 5), F(1, 5)], [F(3, 10), F(7, 10)]]
        return [[(n, j, p * moves[i][j]) for n, p in law for j in (0, 1)]
                for i, law in enumerate(([(0, 1 - a), (1, a)], [(0, 1 - q), (8, q)]))]

    def at(self, what, load, value):
        return thinned(self.phases(load), float(F(value) / load)) if what == "load" and F(value) <= load else None

    def words(self, load):
        matrices = [[[F(0)] * 2 for _ in range(2)] for _ in range(9)]
        for i, row in enumerate(self.phases(load)):
            for n, j, p in row:
                matrices[n][i][j] += p
        text = json.dumps([[[str(x) for x in row] for row in matrix] for matrix in matrices])
        return ["--blocks", self.file(f"blocks_{load.numerator}_{load.denominator}.json", text)]


class Incast(Traffic):
    name = "incast"
    stands_for = ("--incast",)
    senders, packets = 3, 2

    def words(self, load):
        return ["--incast", f"{self.senders},{self.packets}", "--load", str(load)]

    def solving(self, what, load):
        return ["--incast", f"{self.senders},{self.packets}"] + ([] if what == "load" else ["--load", str(load)])

    def phases(self, load):
        rate = F(load) / self.senders / self.packets
        if rate * self.packets >= 1:
            return None
        q = rate / (1 - (self.packets - 1) * rate)  # of an event in a slot in which none is going on
        first = [(0, 0, 1 - q), (self.senders, 1 % self.packets, q)]
        return [first] + [[(self.senders, (i + 1) % self.packets, F(1))] for i in range(1, self.packets)]

    def at(self, what, load, value):
        return self.phases(F(value)) if what == "load" else None


class Classes(Traffic):
    """Two classes; the sum of their queues is that of equal inputs, the first class is as if alone."""

    name = "priority classes"
    stands_for = ("--classes", "--class-drops")
    inputs, shares = 4, (F(1, 3), F(2, 3))

    def words(self, load):
        return ["--inputs", str(self.inputs), "--classes", ",".join(str(load * share) for share in self.shares)]

    def law(self, load):
        """Packets of each class in a slot."""
        rates = [F(load) * share / self.inputs for share in self.shares]
        each, law = {(0, 0): 1 - sum(rates), (1, 0): rates[0], (0, 1): rates[1]}, {(0, 0): F(1)}
        for _ in range(self.inputs):
            new = {}
            for (a, b), p in law.items():
                for (c, d), q in each.items():
                    new[a + c, b + d] = new.get((a + c, b + d), 0) + p * q
            law = new
        return law

    def others(self, load):
        classes = ",".join(str(load * share) for share in self.shares)
        return {"delay": ["--radix", str(self.inputs), "--classes", classes],
                "simulate": ["classes", "--inputs", str(self.inputs), "--classes", classes]}


class Joint(Classes):
    name = "joint classes"
    thinned = True
    stands_for = ("--joint",)

    def words(self, load):
        lines = [f"{a},{b},{p}" for (a, b), p in self.law(load).items() if p]
        return ["--joint", self.file(f"joint_{load.numerator}_{load.denominator}.csv", "\n".join(lines) + "\n")]

    def others(self, load):
        return {"simulate": ["classes", *self.words(load)]}


class OneIncast(Traffic):
    """One event, which has no load; all ways to start are compared in tests/bounds/sizing/incast_event_test.cpp."""

    name = "one incast"
    stands_for = ("--spread",)

    def words(self, load):
        return ["--incast", "3,2", "--spread", "2"]


class Sizes(Traffic):
    name = "packets of cells, whole"
    stands_for = ("--sizes", "--cell-bytes", "--arrive", "--arrive=whole")
    inputs, cells = 3, (1, 4)
    arrive = "whole"
    service = False

    def words(self, load):
        return ["--sizes", "64:1,200:1", "--inputs", str(self.inputs), "--load", str(load), "--arrive", self.arrive]

    def solving(self, what, load):
        rest = [] if what == "load" else ["--load", str(load)]
        return ["--sizes", "64:1,200:1", "--inputs", str(self.inputs), *rest, "--arrive", self.arrive]

    def phases(self, load):
        x = F(load) / self.inputs / F(sum(self.cells), len(self.cells))
        one = [1 - x] + [F(0)] * max(self.cells)
        for cells in self.cells:
            one[cells] += x / len(self.cells)
        return independent(product(*[one] * self.inputs))

    def others(self, load):
        return {"simulate": ["switch", *self.words(load)]}


class Trains(Sizes):
    name = "packets cell by cell"
    stands_for = ("--arrive=cells",)
    arrive = "cells"

    def phases(self, load):
        return None


class Shared(EqualInputs):
    """All queues of a switch; the load is of an input."""

    name = "shared memory"
    stands_for = ("--shared", "--outputs", "--threshold")
    inputs = 2
    service = False

    def words(self, load):
        return ["--shared", "--inputs", str(self.inputs), "--load", str(load)]

    def solving(self, what, load):
        words = ["--shared"] if what == "ports" else ["--shared", "--inputs", str(self.inputs)]
        return words + ([] if what == "load" else ["--load", str(load)])

    def phases(self, load):
        return None

    def switch(self, load):
        """Packets for each of the two outputs in a slot."""
        each = {(0, 0): 1 - F(load), (1, 0): F(load) / 2, (0, 1): F(load) / 2}
        law = {}
        for ((a, b), p), ((c, d), q) in itertools.product(each.items(), each.items()):
            law[a + c, b + d] = law.get((a + c, b + d), 0) + p * q
        return law

    def others(self, load):
        return {"simulate": ["switch", "--inputs", str(self.inputs), "--load", str(load)],
                "validate": ["switch", "--inputs", str(self.inputs), "--load", str(load)]}


class SharedRates(Shared):
    name = "shared memory, rates"

    def words(self, load):
        return ["--shared", "--rates", f"{load},{load}"]

    def others(self, load):
        return {"simulate": ["switch", "--rates", f"{load},{load}"]}


class SharedMatrix(SharedRates):
    name = "shared memory, matrix"
    stands_for = ("--matrix",)

    def words(self, load):
        path = self.file(f"matrix_{load.numerator}_{load.denominator}.csv", "\n".join([f"{load / 2},{load / 2}"] * 2) + "\n")
        return ["--shared", "--matrix", path]


class Policed(Traffic):
    name = "policed inputs"
    stands_for = ("--police",)
    service = False
    more = ()

    def words(self, load):
        return ["--inputs", "4", "--police", f"{load},2", *self.more]

    def solving(self, what, load):
        bucket = {"load": "r,2", "burst": f"{load},b"}.get(what, f"{load},2")
        return ["--inputs", "4", "--police", bucket, *self.more]


class PolicedOffered(Policed):
    name = "policed inputs, offered"
    stands_for = ("--offered",)
    more = ("--offered", "2/5")


class PolicedMessages(Policed):
    name = "policed messages"
    stands_for = ("--message",)
    more = ("--message", "2")


ALL = [EqualInputs, OneInput, UnequalRates, Poisson, Md1, Formula, NamedLaw, EndlessLaw, Pmf, TrafficFile, Bursts, PacketBursts, SlowBursts, Blocks,
       Incast, OneIncast, Classes, Joint, Sizes, Trains, Shared, SharedRates, SharedMatrix, Policed, PolicedOffered, PolicedMessages]
# Options of `buffer` that ask something or set how it is computed, in place of traffic.
NOT_TRAFFIC = {"--drop", "--capacity", "--solve", "--criterion", "--arithmetic", "--digits", "--packet-bytes", "--link-gbps", "--plot",
               "--title", "--log-y", "--format", "--output", "--quiet", "--part", "--time-limit", "--memory-limit", "--help",
               "--packets-per-slot"}
# Options of `guarantee` that are about a network, a link, or ask something.
NOT_FLOWS = (NOT_TRAFFIC - {"--packets-per-slot"}) | {
    "--ever", "--network", "--flow", "--port", "--method", "--certificate", "--headroom", "--crossbar", "--speedup", "--row", "--column", "--cable", "--sender-ns", "--pause-quanta", "--receiver-ns",
    "--shortest", "--return-bytes", "--return-gbps", "--metre-ns", "--phy-ns", "--cell-bytes"}
