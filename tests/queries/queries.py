"""Every query of the table: how it is requested about a traffic, and its answer computed a second time."""

import math
import re
from fractions import Fraction as F

from program import ends, holds
from chains import Queue, TwoClasses, memory_of_two, waits

CAPACITIES, DROPS, LEVELS = [1, 5], ["1/5", "1/100"], [0, 1, 4]
JSON = ["--format", "json", "--time-limit"]
SLOTS = ["--slots", "4000", "--replications", "2", "--threads", "1"]


class Check:
    """One number of an answer and one that was computed without the program."""

    def __init__(self, what, said, own, good, by):
        self.what, self.said, self.own, self.good, self.by = what, said, own, good, by

    def __str__(self):
        said = self.said
        if isinstance(said, dict):
            low, high, kind = ends(said) or (said.get("value"), said.get("value"), said["kind"])
            said = f"{kind} {low:.12g} .. {high:.12g}" if isinstance(low, float) else f"{kind} {low}"
        own = f"{self.own:.12g}" if isinstance(self.own, float) else self.own
        return f"{self.what}: said {said}, own computation {own}"


def checked(what, number, truth, by="elimination"):
    good = holds(number, truth)
    return [] if good is None else [Check(what, number, truth, good, by)]


class Cell:
    """A traffic, a load and a service rate, as a query sees them."""

    def __init__(self, traffic, load, served):
        self.traffic, self.load, self.served = traffic, load, served
        self.queue_ = self.classes_ = None

    def service(self):
        return [] if self.served == 1 else ["--packets-per-slot", str(self.served)]

    def classes(self):
        if self.classes_ is None and self.served == 1 and self.load < 2:
            self.classes_ = TwoClasses(self.traffic.law(self.load))
        return self.classes_

    def queue(self, row=None):
        """The chain; of a row about a priority class that of the first one."""
        if (row or {}).get("class") == 1:
            return self.classes() and self.classes().first
        if self.queue_ is None:
            self.queue_ = self.traffic.queue(self.load, self.served) or False
        return self.queue_ or None

    def tail(self, n, row=None):
        """P(Q > n): of the row of an answer about classes, the class of that row."""
        if (row or {}).get("class") == 2:
            return self.classes() and self.load < 1 and self.classes().lower_tail(n) or None
        queue = self.queue(row)
        return queue and queue.tail(n)

    def mean(self, row=None):
        queue = None if (row or {}).get("class") == 2 else self.queue(row)
        return queue and queue.mean()

    def loss(self, capacity, row=None):
        if (row or {}).get("class") == 2:
            return self.classes() and self.classes().lower_loss(capacity)
        if (row or {}).get("class") == 1:
            return self.classes() and self.classes().first.loss(capacity)
        return self.traffic.loss(self.load, self.served, capacity)


class Query:
    def __init__(self, name, words, check):
        self.name, self.words, self.check = name, words, check


def least(meets, most=400):
    """The smallest capacity that meets a target; None if unknown."""
    for capacity in range(most):
        known = meets(capacity)
        if known is None:
            return None
        if known:
            return capacity
    return None


def of_capacity(criterion):
    def words(cell):
        return [["buffer", *cell.traffic.words(cell.load), *cell.service(), "--capacity", str(b), "--criterion", criterion]
                for b in CAPACITIES]

    def check(cell, reply, _):
        found = []
        for row in reply.rows:
            b = row.get("buffer", row.get("memory"))
            truth = cell.tail(b, row) if criterion == "overflow" else cell.loss(b, row)
            key = "probability" if "cell_loss" not in row or criterion == "overflow" else "cell_loss"
            found += checked(f"{criterion} of {b}", row.get(key), truth)
            if cell.traffic.name.startswith("shared") and cell.load < 1:
                found += shared_check(cell, criterion, b, row)
            if "unpoliced_probability" in row and row["unpoliced_probability"]:
                found += policed_check(cell, b, row)
        return found

    return words, check


def shared_check(cell, criterion, memory, row):
    truth = memory_of_two(cell.traffic.switch(cell.load), memory, criterion == "loss")
    return checked(f"{criterion} of a memory of {memory}", row.get("probability_bound"), truth)


def policed_check(cell, capacity, row):
    """The worst case is not better than independent packets of the same rate, which conform."""
    rate = F(str(row.get("police_rate_exact") or row["police_rate"]))
    each = [1 - rate / 4, rate / 4]
    pmf = [math.comb(4, n) * each[1] ** n * each[0] ** (4 - n) for n in range(5)]
    alone = Queue([[(n, 0, p) for n, p in enumerate(pmf)]]).tail(capacity) if rate < 1 else None
    found = checked(f"independent packets, overflow of {capacity}", row["unpoliced_probability"], alone)
    if alone is not None and ends(row.get("probability")):
        worst = ends(row["probability"])[1]
        found.append(Check(f"worst case of {capacity} is at least that of independent packets", row["probability"], alone,
                           worst >= alone * (1 - 1e-9), "independent packets"))
    return found


def of_drop(criterion):
    def words(cell):
        return [["buffer", *cell.traffic.words(cell.load), *cell.service(), "--drop", eps, "--criterion", criterion]
                for eps in DROPS]

    def check(cell, reply, requested):
        eps = float(F(requested[requested.index("--drop") + 1]))
        found = []
        for row in reply.rows:
            if "sizes" in row and criterion == "loss":
                continue  # of packets
            if criterion == "loss" and row.get("class", 1) > 1:
                continue  # the higher classes have buffers of their own
            value = (lambda b: cell.tail(b, row)) if criterion == "overflow" else (lambda b: cell.loss(b, row))

            def meets(b):
                x = value(b)
                return None if x is None or abs(x / eps - 1) < 1e-9 else x <= eps

            # A larger one of the program would be wrong as well, and is found two levels above its own.
            own = least(meets, min(row.get("buffer", 0) + 3, 80))
            if own is not None and "buffer" in row:
                found.append(Check(f"smallest buffer for {criterion} {eps:g}", row["buffer"], own, row["buffer"] == own, "elimination"))
        return found

    return words, check


def of_solve(what, criterion):
    capacity, eps = 4, F(1, 50)

    def words(cell):
        return [["buffer", *cell.traffic.solving(what, cell.load), *cell.service(), "--capacity", str(capacity), "--drop", str(eps), "--solve",
                 what, "--criterion", criterion]]

    def value(cell, at, row):
        """The probability where the burst, the load or the speedup is this one; None if it is not known here."""
        traffic, load = cell.traffic, cell.load
        if row.get("class"):
            own = load * traffic.shares[row["class"] - 1]
            there = Cell(traffic, load * (F(at) / own if what == "load" else 1 / F(at)), cell.served)
            if there.load > load and traffic.thinned:
                return None
            return there.tail(capacity, row) if criterion == "overflow" else there.loss(capacity, row)
        if what == "burst":
            phases = hasattr(traffic, "with_burst") and traffic.with_burst(load, F(at).limit_denominator(10**9))
        elif traffic.name == "M/D/1" and criterion == "loss":
            return traffic.loss(F(at) if what == "load" else load / F(at), cell.served, capacity)
        else:
            phases = traffic.at(what, load, at)
        queue = Queue(phases, cell.served) if phases and isinstance(cell.served, int) else None
        return queue and (queue.tail(capacity) if criterion == "overflow" else queue.loss(capacity))

    def check(cell, reply, _):
        key = {"load": "max_load", "speedup": "min_speedup", "burst": "longest_burst"}.get(what)
        found = []
        for row in reply.rows:
            range_ = ends(row.get(key))
            if range_ is None or "sizes" in row or cell.traffic.name.startswith(("shared", "policed")):
                continue
            for at, good in ((range_[0] * (1 - 1e-6), what != "speedup"), (range_[1] * (1 + 1e-6), what == "speedup")):
                if range_[2] == "bound" and good == (what == "speedup") or what == "speedup" and at <= 1:
                    continue  # one side only; no speedup is needed
                own = value(cell, at, row)
                if own is not None:
                    found.append(Check(f"{criterion} where {what} is {at:.9g}", f"at most {float(eps)}" if good else f"more than {float(eps)}", own,
                                       (own <= eps) == good, "elimination"))
        return found

    return words, check


def of_levels():
    def words(cell):
        return [["occupancy", *cell.traffic.words(cell.load), *cell.service(), "--levels", ",".join(map(str, LEVELS))]]

    def check(cell, reply, _):
        found = []
        for row in reply.rows:
            found += checked("mean occupancy", row.get("mean_occupancy"), cell.mean(row), "elimination")
            for each in row.get("tail", []):
                found += checked(f"P(Q > {each['level']})", each["probability"], cell.tail(each["level"], row))
        return found

    return words, check


def of_until():
    def words(cell):
        return [["occupancy", *cell.traffic.words(cell.load), *cell.service(), "--until", "1/50"]]

    def check(cell, reply, _):
        found = []
        for row in reply.rows:
            last = row["tail"][-1]["level"]
            own = least(lambda n: None if cell.tail(n, row) is None else cell.tail(n, row) <= 1 / 50)
            if own is not None:
                found.append(Check("first level below 1/50", last, own, last == own, "elimination"))
        return found

    return words, check


def of_delay():
    def words(cell):
        return [["delay", *cell.traffic.others(cell.load).get("delay", cell.traffic.words(cell.load)), *cell.service(), "--ccdf", "0,1,4",
                 "--percentiles", "90", "--analysis"]]

    def check(cell, reply, _):
        found = []
        for row in reply.rows:
            if row.get("class", 1) != 1:
                continue
            queue = cell.queue(row)
            own = queue and waits(queue, 4)
            for each in row.get("ccdf", []):
                if own and each["slots"] is not None:
                    found += checked(f"P(wait > {each['slots']})", each["probability"], own[each["slots"]])
        return found

    return words, check


def of_validate():
    def words(cell):
        where = cell.traffic.others(cell.load).get("validate", ["buffer", *cell.traffic.words(cell.load)])
        levels = [] if where[0] == "switch" else ["--levels", "0,1,4"]
        return [["validate", *where, *cell.service(), *levels, *SLOTS]]

    def check(cell, reply, _):
        found = []
        for result in reply.rows:
            for row in result.get("rows", []):
                if row["quantity"] == "occupancy_tail" and not cell.traffic.name.startswith("shared"):
                    found += checked(f"{row['what']}, analysis", row["prediction"], cell.tail(row["level"], result))
                    found += checked(f"{row['what']}, simulation", row["simulation"], cell.tail(row["level"], result))
        return found

    return words, check


def of_simulate():
    capacity = 5

    def words(cell):
        other = cell.traffic.others(cell.load).get("simulate")
        if other and (not cell.traffic.service or cell.served == 1 and cell.load < 1):
            return [["simulate", *other, *cell.service(), "--occupancy", "0,1,4", *SLOTS]]
        buffer = ["--capacity", str(capacity)] if cell.load >= cell.served else []
        return [["simulate", "buffer", *cell.traffic.words(cell.load), *cell.service(), *buffer, "--occupancy", "0,1,4", *SLOTS]]

    def check(cell, reply, requested):
        found = []
        for result in reply.rows:
            which = (lambda row: row) if hasattr(cell.traffic, "law") and hasattr(cell.traffic, "shares") else (lambda row: {})
            if "--capacity" in requested:
                for row in result["classes"]:
                    found += checked(f"loss of class {row['class']}", row["loss"], cell.loss(capacity, which(row)))
                continue
            waited = cell.queue() and requested[1] == "buffer" and waits(cell.queue(), 4)
            for row in result.get("tail", []):
                if "queue" in row:
                    found += checked(f"P(Q > {row['level']})", row["queue"], cell.tail(row["level"], row))
                elif row.get("class"):
                    found += checked(f"P(Q > {row['level']}) of class {row['class']}", row["occupancy"], cell.tail(row["level"], which(row)))
                if waited:
                    found += checked(f"P(W > {row['level']})", row["wait"], waited[row["level"]])
        return found

    return words, check


def of_compare():
    def words(cell):
        queue = cell.queue()
        if queue is None or queue.tails() is None:
            law = [F(1, 2), F(1, 4), F(1, 8)]
        else:
            tails = [1.0, *queue.tails()[:9]]
            law = [a - b for a, b in zip(tails, tails[1:])]
        name = re.sub(r"\W", "_", f"list {cell.traffic.name} {cell.load} {cell.served}")
        path = cell.traffic.file(name, "".join(f"{float(x):.9e}\n" for x in law))
        altered = [float(x) * (1 if n != 2 else 1.001) for n, x in enumerate(law)]
        other = cell.traffic.file(name + "_altered", "".join(f"{x:.9e}\n" for x in altered))
        return [["compare", each, *cell.traffic.formula(cell.load), *cell.service()] for each in (path, other)]

    def check(cell, reply, requested):
        queue = cell.queue()
        if queue is None or queue.tails() is None or not reply.rows:
            return []
        row = reply.rows[0]
        good = row["compared"] == row["agreeing"]
        expected = not requested[1].endswith("_altered") or queue.tail(1) == queue.tail(2)
        said = f"{row['agreeing']} of {row['compared']} agree"
        return [Check("own list" if expected else "own list, one value altered", said, "agrees" if expected else "disagrees",
                      good == expected, "elimination")]

    return words, check


def of_pgf():
    def words(cell):
        return [["pgf", *cell.traffic.formula(cell.load), *cell.service(), "--moments"]]

    def check(cell, reply, _):
        found, queue = [], cell.queue()
        for row in reply.rows:
            for key, own in (("mean", queue and queue.mean()), ("p0", queue and queue.tail(0) is not None and 1 - queue.tail(0))):
                try:
                    said = float(F(str(row[key])))
                except (ValueError, KeyError):
                    continue
                if own not in (None, False):
                    found.append(Check(key, said, own, abs(said - own) <= 1e-8 * max(abs(own), 1e-3), "elimination"))
        return found

    return words, check


ALL = [
    Query("capacity, overflow", *of_capacity("overflow")),
    Query("capacity, loss", *of_capacity("loss")),
    Query("drop, overflow", *of_drop("overflow")),
    Query("drop, loss", *of_drop("loss")),
    *[Query(f"solve {what}, {criterion}", *of_solve(what, criterion)) for what in ("load", "speedup", "burst", "ports", "threshold") for criterion in ("overflow", "loss")],
    Query("occupancy, levels", *of_levels()),
    Query("occupancy, until", *of_until()),
    Query("delay", *of_delay()),
    Query("validate", *of_validate()),
    Query("simulate", *of_simulate()),
    Query("compare", *of_compare()),
    Query("pgf", *of_pgf()),
]
