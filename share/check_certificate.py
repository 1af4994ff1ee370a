#!/usr/bin/env python3
"""Checks a certificate of `tailbound guarantee --certificate FILE` in exact fractions.

    python3 check_certificate.py FILE

The check computes no delays: each curve, service, delay and backlog claimed in FILE is verified from those that it
depends on. Exit status 0: all claims hold. 1: a claim does not hold; it is named. 2: FILE is not a certificate.
"""
import json
import sys
from fractions import Fraction

class Wrong(Exception):
    """A claim that does not hold."""

def need(holds, what):
    if not holds:
        raise Wrong(what)

# An arrival curve is the minimum of lines (burst, rate). A service curve has pieces (start, value, slope) with rising
# slopes.
def at(lines, t):
    return min((b + r * t for b, r in lines), default=Fraction(0))

def breaks(lines):
    return {(d - b) / (r - s) for b, r in lines for d, s in lines if r > s and d > b}

def least(one, other):
    lines = one + other
    times = sorted({Fraction(0)} | breaks(lines))
    probes = times + [(a + b) / 2 for a, b in zip(times, times[1:])] + [times[-1] + 1]
    return sorted({min(lines, key=lambda line: (line[0] + line[1] * t, line[1])) for t in probes if one and other})

def add(one, other):
    after = lambda lines, t: min((b + r * t, r, b) for b, r in lines)
    lines = [(after(one, t)[2] + after(other, t)[2], after(one, t)[1] + after(other, t)[1])
             for t in {Fraction(0)} | breaks(one) | breaks(other) if one and other]
    return least(lines, lines) or one or other

def served(pieces, t):
    return max([v + s * (t - start) for start, v, s in pieces if t > start], default=Fraction(0))

def inverse(pieces, y):
    start, value, slope = [p for p in pieces if p[1] <= max(y, 0)][-1]
    return start + (y - value) / slope if y > 0 else pieces[0][0]

def delay(lines, pieces, less=Fraction(0)):
    """sup_t beta^-1(alpha(t) - less) - t; the latency if there are no arrivals."""
    need(not lines or min(r for _, r in lines) <= pieces[-1][2], "the arrival rate exceeds the service rate")
    reached = {max((v + less - b) / r for b, r in lines) for _, v, _ in pieces if lines and v + less > at(lines, 0)}
    return max([inverse(pieces, at(lines, t) - less) - t for t in {Fraction(0)} | breaks(lines) | reached])

def check_below(claimed, whole, others, theta, low, what):
    """Claimed is a service curve, and where it is above 0, claimed(t) <= whole(t) - others(t - theta) - low, t >= theta."""
    need(claimed[0][0] >= theta and claimed[0][1] == 0 and claimed[0][2] > 0, what)
    for (a, v, s), (b, w, t) in zip(claimed, claimed[1:]):
        need(b > a and w == v + s * (b - a) and t > s, what + " is not convex")
    need(claimed[-1][2] <= whole[-1][2] - min((r for _, r in others), default=0), what + " is too large")
    for t in [p[0] for p in claimed + whole] + [theta + t for t in breaks(others)]:
        left = served(whole, t) - at(others, t - theta) - low
        need(t < claimed[0][0] or served(claimed, t) <= left, what + " is too large")

def largest_output(lines, pieces, rate, later):
    """sup over t, u of alpha(t + later + u) - beta(u) - rate t, which is concave: attained at a corner."""
    ends = [a - later for a in breaks(lines)]
    us = [Fraction(0)] + [p[0] for p in pieces] + [a for a in ends if a > 0]
    return max(at(lines, t + later + u) - served(pieces, u) - rate * t
               for u in us for t in [Fraction(0)] + [a - u for a in ends if a > u])

class Certificate:
    def __init__(self, raw):
        self.ports, self.queues, self.flows, self.cyclic = raw["ports"], raw["queues"], raw["flows"], set(raw["cyclic"])
        self.groups = {(g["queue"], g["next"]): g for g in raw["groups"]}
        for q in self.queues:
            q["hops"], q["links"] = [], {}
        for number, f in enumerate(self.flows):
            for hop, (queue, p) in enumerate(zip(f["queues"], f["path"], strict=True)):
                q, its = self.queues[queue], None if self.ports[p]["scheduler"] == "fifo" else f["class"]
                need((q["port"], q["class"]) == (p, its), f["name"] + ": wrong queue")
                q["hops"].append((number, hop))
                q["links"].setdefault(f["path"][hop - 1] if hop else None, []).append((number, hop))

    def line(self, port, hops):
        return [(max(self.flows[f]["longest"] for f, _ in hops), self.ports[port]["rate"])]

    def now(self, f, hop):
        return self.flows[f]["curves"][hop]

    def at_zero(self, f, hop):
        """The curve without delay by any queue of a cycle."""
        queue, port = self.flows[f]["queues"][hop - 1], self.flows[f]["path"][hop - 1]
        free = hop == 0 or queue not in self.cyclic or self.ports[port]["reshaped"]
        return self.now(f, hop) if free else self.at_zero(f, hop - 1)

    def grouped(self, port, hops, curves):
        """Arrivals over one link (None: from sources); each group at most the output of its queue upstream."""
        total, parts = [], {}
        for f, hop in hops:
            parts.setdefault(tuple(self.flows[f]["queues"][max(hop - 1, 0):hop + 1]), []).append((f, hop))
        for ends, some in parts.items():
            its = []
            for f, hop in some:
                its = add(its, curves(f, hop))
            free = port is None or self.ports[port]["reshaped"] or ends not in self.groups
            total = add(total, its if free else least(its, self.groups[ends]["curve"]))
        return total

    def over_link(self, port, hops, curves):
        """The same, limited by the capacity of the link."""
        if port is None or self.ports[port]["reshaped"]:
            return self.grouped(port, hops, curves)
        total = []
        for queue in {self.flows[f]["queues"][hop] for f, hop in hops}:
            some = [(f, hop) for f, hop in hops if self.flows[f]["queues"][hop] == queue]
            total = add(total, least(self.grouped(port, some, curves), self.line(port, some)))
        return least(total, self.line(port, hops))

    def arrivals(self, queues, curves, wanted=lambda f: True):
        """Arrivals at the queues of one port: of all flows, or of the given ones."""
        total, links = [], {}
        for q in queues:
            for port, hops in q["links"].items():
                links.setdefault(port, []).extend(hops)
        for port, hops in links.items():
            some = self.grouped(port, [hop for hop in hops if wanted(hop[0])], curves)
            total = add(total, least(some, self.over_link(port, hops, curves)))
        return total

    def check_service(self, q, what):
        port, its, here = self.ports[q["port"]], q["class"], [x for x in self.queues if x["port"] == q["port"]]
        longest, rate = {x["class"]: self.line(x["port"], x["hops"])[0][0] for x in here}, port["rate"]
        wait, high = Fraction(0), []
        low = max([port["best_effort"]] + [l for c, l in longest.items() if its is not None and c > its])
        if port["scheduler"] == "priority":
            high = self.arrivals([x for x in here if x["class"] < its], self.now)
        elif port["scheduler"] == "drr":
            quanta = port["quanta"]
            need(quanta[its] >= longest[its], what + ": a quantum below the longest packet")
            wait = sum(quanta[c] * (1 + longest[its] / quanta[its]) + l for c, l in longest.items() if c != its) / rate
            rate = rate * quanta[its] / sum(quanta[c] for c in longest)
        elif port["scheduler"] == "cbs":
            slopes = port["idle_slopes"]
            need(sum(slopes) < rate, what + ": the idle slopes use the whole link")
            first = longest[0] + max(longest[its], low) * slopes[0] / (rate - slopes[0]) if its and 0 in longest else 0
            wait, rate = (low + first) / rate, slopes[its]
        low = low if port["scheduler"] == "priority" else 0
        check_below(q["service"], [(port["latency"] + wait, Fraction(0), rate)], high, Fraction(0), low, what)

    def check_residual(self, queue, mine, claimed, what):
        """[beta(t) - alpha_x(t - theta)]^+ beyond theta, theta = h(alpha_x, beta): the FIFO service left for these flows."""
        q = self.queues[queue]
        rest = self.arrivals([q], self.now, lambda f: f not in mine)
        check_below(claimed, q["service"], rest, delay(rest, q["service"]) if rest else Fraction(0), 0, what)

    def check_output(self, queue, lines, mine, residual, what):
        q, longest = self.queues[queue], max(self.flows[f]["longest"] for f in mine)
        arrivals, later = self.arrivals([q], self.now, lambda f: f in mine), longest / self.ports[q["port"]]["rate"]
        need(residual and queue not in self.cyclic and arrivals[-1][1] <= residual[-1][2], what)
        for burst, rate in lines:
            need(rate >= arrivals[-1][1] and burst >= largest_output(arrivals, residual, rate, later), what)

    def check_flow(self, number, f):
        ports, name = [self.ports[p] for p in f["path"]], "flow " + f["name"]
        for hop, queue in enumerate(f["queues"]):
            what, before = f"{name}, hop {hop + 1}", f["queues"][hop - 1]
            if f["residuals"][hop]:
                self.check_residual(queue, {number}, f["residuals"][hop], what)
            first = hop == 0 or ports[hop - 1]["reshaped"]
            wait, known = (0, f["buckets"]) if first else (self.queues[before]["variation"], f["curves"][hop - 1])
            for line in f["curves"][hop]:
                if not any(line[0] >= b + r * wait and line[1] >= r for b, r in known):
                    need(not first, what)
                    self.check_output(before, [line], {number}, f["residuals"][hop - 1], what)
        wires = sum(p["wire"] for p in ports)
        need(f["tfa"] >= wires + sum(self.queues[q]["delay"] for q in f["queues"]), name + ": tfa")
        need(f["least"] <= wires + sum(f["shortest"] / p["rate"] for p in ports), name + ": its minimum delay")
        if f["sfa"] is not None:
            need(all(f["residuals"]) and not any(p["reshaped"] for p in ports[:-1]), name + ": sfa")
            steps = [(s, r[i + 1][0] - a if i + 1 < len(r) else None) for r in f["residuals"]
                     for i, (a, _, s) in enumerate(r)]
            steps = sorted(steps, key=lambda step: step[0])
            start, value, series = sum(r[0][0] for r in f["residuals"]), Fraction(0), []
            for slope, length in steps[:[length for _, length in steps].index(None) + 1]:
                series.append((start, value, slope))
                start, value = start + (length or 0), value + slope * (length or 0)
            between = sum(f["longest"] / p["rate"] for p in ports[:-1])
            need(f["sfa"] >= wires + between + delay(f["curves"][0], series), name + ": sfa")

    def check_order(self):
        """Outside of cycles, each queue depends only on earlier queues."""
        higher = lambda x, q: x["port"] == q["port"] and (x["class"] or 0) < (q["class"] or 0)
        rests = {n: {self.flows[f]["queues"][hop - 1] for f, hop in q["hops"]
                     if hop and not self.ports[self.flows[f]["path"][hop - 1]]["reshaped"]}
                 | {m for m, x in enumerate(self.queues) if higher(x, q)}
                 for n, q in enumerate(self.queues) if n not in self.cyclic}
        while rests:
            first = [n for n, on in rests.items() if not on & rests.keys()]
            need(first and not any(rests.pop(n) & self.cyclic for n in first), "queues listed outside of cycles are in one")

    def check(self):
        self.check_order()
        for number, q in enumerate(self.queues):
            what, port = f"queue {self.ports[q['port']]['name']}, class {q['class']}", self.ports[q["port"]]
            self.check_service(q, what + ": its service")
            arrivals, shortest = self.arrivals([q], self.now), min(self.flows[f]["shortest"] for f, _ in q["hops"])
            q["delay"], waits = q["variation"] + shortest / port["rate"], max(delay(arrivals, q["service"], shortest), 0)
            need(q["variation"] >= waits, what + ": its delay")
            need(q["backlog"] >= largest_output(arrivals, q["service"], arrivals[0][1], 0), what + ": its backlog")
            if number in self.cyclic and q["variation"] == waits:  # F(x) < x, or F(0) > 0
                most = [(port["latency"], Fraction(0), port["rate"])] if q["class"] is not None else q["service"]
                need(delay(self.arrivals([q], self.at_zero), most, shortest) > 0, what + ": F(x) = x and F(0) = 0")
        for (queue, following), group in self.groups.items():
            what, hops = f"flows from queue {queue} to {following}", self.queues[queue]["hops"]
            mine = {f for f, hop in hops if self.flows[f]["queues"][hop + 1:hop + 2] == [following]}
            self.check_residual(queue, mine, group["residual"], what)
            self.check_output(queue, group["curve"], mine, group["residual"], what)
        for number, f in enumerate(self.flows):
            self.check_flow(number, f)

def numbers(raw, key=""):
    """Texts as fractions; lines and pieces as tuples."""
    if isinstance(raw, dict):
        return {k: v if k in ("name", "scheduler") else numbers(v, k) for k, v in raw.items()}
    if isinstance(raw, list):
        rows = [numbers(each, key) for each in raw]
        return tuple(rows) if rows and key not in ("quanta", "idle_slopes") and isinstance(rows[0], Fraction) else rows
    return Fraction(raw) if isinstance(raw, str) else raw

def main():
    try:
        with open(sys.argv[1], encoding="utf-8") as file:
            raw = json.load(file)
        if (raw["certificate"], raw["form"]) != ("guarantee", 1):
            raise ValueError("another form")
        its = Certificate(numbers({key: raw[key] for key in ("ports", "queues", "flows", "groups", "cyclic")}))
        its.check()
    except (OSError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        return f"not a certificate of a guarantee: {error!r}", 2
    except Wrong as error:
        return f"does not hold: {error}", 1
    return f"holds: {len(its.flows)} flows, {len(its.queues)} queues, {len(its.cyclic)} of them in cycles", 0

if __name__ == "__main__":
    text, status = main()
    sys.exit(print(": ".join(sys.argv[1:] + [text])) or status)
