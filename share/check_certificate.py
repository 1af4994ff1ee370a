#!/usr/bin/env python3
"""Checks a certificate of `tailbound guarantee --certificate FILE` in exact fractions.

    python3 check_certificate.py FILE [NETWORK.toml]

Each claim of FILE is verified from those that it depends on; nothing is searched for. With NETWORK.toml, FILE must
also be about the links and flows of this network (certificate_network.py). Equations: P, of
docs/derivations/policed_traffic.md; T, of docs/derivations/time_sensitive.md. Exit status 0: all claims hold. 1: a
claim does not hold; it is named. 2: FILE is not a certificate.
"""
import json
import sys
from fractions import Fraction

from certificate_curves import (ZERO, Wrong, common_period, delay, hull, in_series, latest, least, less, moved, need,
                                one_clock, packets, risen, scaled, since, top, total, until)
from certificate_gates import find_windows, through_gate
from certificate_network import Network
from certificate_program import Program

def index(number):
    if type(number) is not int or number < 0:
        raise ValueError(f"{number!r} is not a position in a list")
    return number

def grouped(items, key):
    parts = {}
    for item in items:
        parts.setdefault(key(item), []).append(item)
    return parts.items()

class Certificate:
    def __init__(self, raw):
        self.ports, self.queues, self.flows, self.byte = raw["ports"], raw["queues"], raw["flows"], raw["byte"]
        self.groups = {(index(g["queue"]), index(g["next"])): g["curve"] for g in raw["groups"]}
        self.stages = [dict(zip(map(index, raw["cyclic"]), stage, strict=True)) for stage in raw["stages"]]
        self.now = self.stages[-1] if self.stages else {}  # variations of the queues in cycles
        need(len(self.now) == len(raw["cyclic"]) and len(self.groups) == len(raw["groups"])
             and len({port["name"] for port in self.ports}) == len(self.ports), "something is listed twice")
        for port in self.ports:
            need(port["rate"] > 0 <= min(port["latency"], port["wire"], port["best_effort"], self.byte), port["name"])
            port["queues"] = {}
        for number, q in enumerate(self.queues):
            port, its = self.ports[index(q["port"])], q["class"]
            need((its is None) == (port["scheduler"] == "fifo") and its not in port["queues"], f"queue {number}: class")
            port["queues"][its] = q
            q.update(number=number, port=port, rate=port["rate"], hops=[], name=f"{port['name']}, class {its}",
                     preemptable=any(port["preemptable"]) and port["preemptable"][its])
        for number, f in enumerate(self.flows):
            its = [self.ports[index(p)] for p in f["path"]]
            f["queues"] = [port["queues"][None if port["scheduler"] == "fifo" else index(f["class"])] for port in its]
            f["before"] = [None, *(f["before"][1:] if f["before"] else range(len(its) - 1))]
            need(len(set(f["path"])) == len(its) == len(f["before"]) == len(f["outputs"]) == len(f["curves"])
                 and all(index(before) < hop for hop, before in enumerate(f["before"]) if hop), f["name"] + ": path")
            need(0 < f["shortest"] <= f["longest"] and all(b >= f["longest"] and r > 0 for b, r in f["buckets"]),
                 f["name"] + ": packets")
            for hop, q in enumerate(f["queues"]):
                q["hops"].append((number, hop))
        for q in self.queues:
            q["longest"] = max(self.flows[f]["longest"] for f, _ in q["hops"])
            q["shortest"] = min(self.flows[f]["shortest"] for f, _ in q["hops"])
            q["over"] = {}  # longest packets that come over a link, by whether they can be interrupted there
            for f, before in ((f, before) for f, hop in q["hops"] if (before := self.previous(f, hop))):
                link = before["port"]["name"], before["preemptable"]
                q["over"][link] = max(q["over"].get(link, 0), self.flows[f]["longest"])

    # --- Arrivals
    def previous(self, f, hop):
        """The queue before; none if the flow comes from its source or a regulator."""
        before = self.flows[f]["before"][hop]
        q = None if before is None else self.flows[f]["queues"][before]
        return None if q is None or q["port"]["reshaped"] else q

    def known(self, f, hop, x):
        """By how much the flow's buckets are shifted before a queue, and other lines; x: variations in cycles."""
        flow, q = self.flows[f], self.previous(f, hop)
        if q is None:
            return ZERO, []
        if not q["bounded"]:
            return None, [(flow["longest"], q["rate"])]
        late, (shift, lines) = x.get(q["number"], q["variation"]), self.known(f, flow["before"][hop], x)
        return (None if shift is None else shift + late,
                [(b + r * late, r) for b, r in lines] if q["number"] in x else flow["outputs"][hop])

    def lines(self, f, hop, x):
        shift, lines = self.known(f, hop, x)
        return lines + ([] if shift is None else [(b + r * shift, r) for b, r in self.flows[f]["buckets"]])

    def of_flow(self, f, hop, x, end, more):
        flow = self.flows[f]
        if end is not None:
            return packets(hull(self.lines(f, hop, x)), flow["shortest"], flow["longest"], end, more)
        curve = hull(flow["curves"][hop] if x is self.now else self.lines(f, hop, x))
        return scaled(curve, 1 + more / flow["shortest"]) if more else curve

    def clocked(self, f, hop, x):
        """The clock of a flow with an offset, first, spread, period: T, section 7."""
        flow, clock = self.flows[f], self.flows[f]["clocked"]
        if clock is None or hop == 0:
            return clock and (clock["clock"], clock["offset"], clock["jitter"], clock["period"])
        q, known = self.previous(f, hop), self.clocked(f, flow["before"][hop], x)
        if not known or q is None or not q["bounded"] or flow["queues"][hop]["port"]["cut_through"] is not None:
            return None
        first, spread = q["shortest"] / q["rate"] + q["port"]["wire"], x.get(q["number"], q["variation"])
        return known[0], known[1] + first, known[2] + spread, known[3]

    def limit(self, level, some, x, end, more):
        """What limits flows over one link; of one queue; of one group; of one clock."""
        q, queues = self.previous(*some[0]), [self.flows[f]["queues"][hop] for f, hop in some]
        if level == 3:
            if len(some) == 1 or end is None:
                return None
            return one_clock([(*self.clocked(f, hop, x)[1:], self.flows[f]["longest"] + more) for f, hop in some], end)
        if q is None or level == 2:
            lines = q and self.groups.get((q["number"], queues[0]["number"]))
        else:
            links = [(q["port"]["name"], cut) for cut in (False, True)]  # T, section 4: a packet of each kind
            lines = [(sum(max(its["over"].get(link, ZERO) for its in queues) for link in links), q["rate"])]
        return lines and scaled(hull(lines), 1 + more / min(self.flows[f]["shortest"] for f, _ in some))

    def arrivals(self, hops, x, end=None, more=ZERO, level=0):
        """Of flows at queues of one port; in whole packets until `end`, if given; each packet longer by `more`."""
        key = [lambda f, hop: q["port"]["name"] if (q := self.previous(f, hop)) else None,
               lambda f, hop: self.flows[f]["queues"][hop]["number"],
               lambda f, hop: q["number"] if (q := self.previous(f, hop)) else None,
               lambda f, hop: its[0] if (its := self.clocked(f, hop, x)) else f, lambda f, hop: f][level]
        parts = []
        for _, some in grouped(hops, lambda each: key(*each)):
            if level == 4:
                parts.append(self.of_flow(*some[0], x, end, more))
                continue
            parts.append(self.arrivals(some, x, end, more, level + 1))
            line = self.limit(level, some, x, end, more)
            if line:
                parts[-1] = least(parts[-1], until(line, end) + since(parts[-1], end) if level == 3 else line)
        return parts[0] if len(parts) == 1 else total(parts)

    # --- Service
    def services(self, q, x, end=None):
        """What higher classes leave, before the positive part: one curve, or one for each window; x, end as above."""
        port, its, here, rate = q["port"], q["class"], q["port"]["queues"], q["rate"]
        wait, low, taken = port["latency"], ZERO, []  # taken: by queues, in a time longer by, packets longer by
        lower = [here[c] for c in here if its is not None and c > its]
        if port["gates"]:
            taken = [(q["above"], ZERO, ZERO)]
            for other in q["apart"]:
                need(other["bounded"], q["name"] + ": a higher class has no bound")
                taken.append(([other], x.get(other["number"], other["variation"]) + other["shortest"] / rate, ZERO))
        elif port["scheduler"] == "priority":  # P (4.4), T (4.1), (4.2)
            need(not any(port["preemptable"]) or port["fragment"] in (64, 128, 192, 256) and self.byte > 0
                 and sorted(port["preemptable"]) == port["preemptable"], q["name"] + ": preemption")
            cut = any(port["preemptable"]) and not q["preemptable"]
            uncut = self.byte * (143 + port["fragment"] - 64)
            low = max(min(size, uncut) if cut and preemptable else size for size, preemptable in
                      [(port["best_effort"], True)] + [(other["longest"], other["preemptable"]) for other in lower])
            higher = [here[c] for c in here if c < its]
            for cuts, some in grouped(higher, lambda other: q["preemptable"] and not other["preemptable"]):
                taken.append((some, ZERO, 24 * self.byte if cuts else ZERO))
        elif port["scheduler"] == "drr":  # P (4.5)
            quanta = port["quanta"]
            need(all(quanta[c] >= here[c]["longest"] for c in here), q["name"] + ": a quantum below the longest packet")
            turn = 1 + q["longest"] / quanta[its]
            wait += sum(quanta[c] * turn + here[c]["longest"] for c in here if c != its) / rate
            rate = rate * quanta[its] / sum(quanta[c] for c in here)
        elif port["scheduler"] == "cbs":  # P (4.6), (4.7)
            slopes, most = port["idle_slopes"], max([port["best_effort"]] + [other["longest"] for other in lower])
            need(sum(slopes) < rate and min(slopes) > 0, q["name"] + ": the idle slopes use the whole link")
            if its and 0 in here:
                wait += (here[0]["longest"] + max(q["longest"], most) * slopes[0] / (rate - slopes[0])) / rate
            wait, rate = wait + most / rate, slopes[its]
        minus = [[(ZERO, low, ZERO)]]
        for some, later, more in taken:
            need(all(other["bounded"] for other in some), q["name"] + ": a higher class has no bound")
            hops = [each for other in some for each in other["hops"]]
            minus.append(moved(self.arrivals(hops, x, None if end is None else end + later, more), later))
        bases = through_gate(q, end) if port["gates"] else [[(ZERO, -rate * wait, rate)]]
        return [total([base], minus) for base in bases]

    def bounds(self, q, x, whole):
        """Variation and backlog of a queue, of the concave curves, P (4.3), (4.1), or in whole packets, T (1.2)."""
        arrivals, services = self.arrivals(q["hops"], x), self.services(q, x)
        if whole:
            slack = less(services[0], arrivals)
            end = latest(slack)(ZERO) if slack[-1][2] > 0 else self.repeated(q, x, arrivals, services[0])
            served = latest(services[0])(since(arrivals, end)[0][1])
            arrivals, services = self.arrivals(q["hops"], x, end), self.services(q, x, served)
            if slack[-1][2] == 0:
                *_, (t, value, slope) = arrivals = until(arrivals, end)
                arrivals.append((end, value + slope * (end - t), ZERO))
        if q["preemptable"]:  # T (4.3)
            variation = max(delay(arrivals, service) for service in services) - q["shortest"] / q["rate"]
        else:
            variation = max(delay(arrivals, service, q["shortest"]) for service in services)
        return max(variation, ZERO), max(top(least(less(arrivals, f), arrivals)) for f in services)

    def repeated(self, q, x, arrivals, service):
        """At equal rates: a time from which on arrivals and service repeat, raised, and a common period later."""
        its, periods = q["port"], [q["cycle"]] if q["port"]["gates"] else []
        others = [other for c, other in its["queues"].items() if its["scheduler"] == "priority" and c < q["class"]]
        for f, hop in (each for other in [q] + others for each in other["hops"]):
            flow, (shift, lines) = self.flows[f], self.known(f, hop, x)
            need(len(flow["buckets"]) == 1 and flow["shortest"] == flow["longest"] and shift is not None and not lines,
                 q["name"] + ": equal rates of flows that are not periodic")
            periods.append(flow["longest"] / flow["buckets"][0][1])
        return max(arrivals[-1][0], service[-1][0], latest(service)(ZERO)) + common_period(periods)

    # --- Claims
    def residual(self, q, mine):
        """P (4.8): the service that is left to these flows."""
        rest, service = [each for each in q["hops"] if each[0] not in mine], risen(self.services(q, self.now)[0])
        need(q["bounded"] and not q["preemptable"], q["name"] + ": no residual service")
        if not rest:
            return service
        others = self.arrivals(rest, self.now)
        return risen(less(service, moved(others, -delay(others, service))))

    def check_output(self, q, lines, mine, what):
        """P (5.1)"""
        need(q["number"] not in self.now, what)
        residual = self.residual(q, mine)
        arrivals = self.arrivals([each for each in q["hops"] if each[0] in mine], self.now)
        arrivals = moved(arrivals, max(self.flows[f]["longest"] for f in mine) / q["rate"])
        for burst, rate in lines:
            flat = [piece for piece in arrivals if piece[2] <= rate]
            need(flat, what)
            steep = [(ZERO, flat[0][1] - rate * flat[0][0], rate)] * (flat[0][0] > 0)
            need(burst >= top(less(steep + flat, residual)), what)

    def check_flow(self, number, f):
        for hop, q in enumerate(f["queues"]):
            what, before, lines = f"flow {f['name']} at {q['name']}: ", self.previous(number, hop), f["outputs"][hop]
            if before and before["bounded"] and before["number"] not in self.now:
                late, (_, earlier) = before["variation"], self.known(number, f["before"][hop], self.now)
                lines = [(b, r) for b, r in lines if not any(b >= c + s * late and r >= s for c, s in earlier)]
                if lines:
                    self.check_output(before, lines, {number}, what + "its output")
            else:
                need(not lines, what + "its output")
            known = self.lines(number, hop, self.now)
            need(all(any(b >= c and r >= s for c, s in known) for b, r in f["curves"][hop]), what + "its curve")
            if hop and q["port"]["cut_through"] is not None:
                last = f["queues"][f["before"][hop]]["port"]
                need(last["rate"] >= q["rate"] and not last["gates"] and not any(last["preemptable"])
                     and not last["reshaped"] and q["port"]["cut_through"] > 0, what + "cut-through")
        ends = [index(one["hop"]) for one in f["destinations"]] or [len(f["path"]) - 1]
        for route, hop in zip(f["routes"], ends, strict=True):
            hops = [hop]
            while hops[0]:
                hops.insert(0, f["before"][hops[0]])
            self.check_route(number, f, route, [f["queues"][hop] for hop in hops])

    def check_route(self, number, f, route, queues):
        headers = [q["port"]["cut_through"] for q in queues[1:]] + [None]
        sent = lambda sizes: sum((size if header is None else min(size, header)) / q["rate"]
                                 for q, size, header in zip(queues, sizes, headers))
        wires, name = sum(q["port"]["wire"] for q in queues), f"flow {f['name']}: "
        need(route["least"] <= wires + sent([f["shortest"]] * len(queues)), name + "its minimum delay")
        if route["tfa"] is not None:
            need(all(q["bounded"] for q in queues), name + "a queue has no bound")
            most = sum(q["variation"] for q in queues) + sent([q["shortest"] for q in queues])
            need(route["tfa"] >= wires + most, name + "tfa")  # P (5.3), T (6.1)
        if route["sfa"] is not None:
            need(not any(q["port"]["reshaped"] for q in queues[:-1]), name + "sfa")
            whole = delay(hull(f["curves"][0]), in_series([self.residual(q, {number}) for q in queues]))
            need(route["sfa"] >= wires + whole + sum(f["longest"] / q["rate"] for q in queues[:-1]), name + "sfa")
        if route["lp"] is not None:
            need(route["lp"]["delay"] >= Program(self, number, queues).bound(route["lp"]["rows"]), name + "lp")

    def check_cycles(self):
        """The certificate of P, section 5; each later stage by the one before, T (1.3)."""
        for n, y in (self.stages[0] if self.stages else {}).items():
            waits = self.bounds(self.queues[n], self.stages[0], False)[0]
            need(y > waits or y == waits and self.bounds(self.queues[n], dict.fromkeys(self.now, ZERO), False)[0] > 0,
                 self.queues[n]["name"] + ": F(x) <= x at the first stage")
        for x, y in zip(self.stages, self.stages[1:]):
            for n in y:
                need(y[n] >= x[n] or any(y[n] >= self.bounds(self.queues[n], x, whole)[0] for whole in (False, True)),
                     self.queues[n]["name"] + ": a later stage")

    def check_order(self):
        """Outside of cycles, each queue depends only on earlier queues."""
        rests = {}
        for n, q in enumerate(self.queues):
            on = [self.previous(*each) for each in q["hops"]]
            if q["port"]["scheduler"] == "priority":
                on += [other for c, other in q["port"]["queues"].items() if c < q["class"]]
            if q["bounded"] and n not in self.now:
                rests[n] = {other["number"] for other in on if other and other["bounded"]}
        while rests:
            first = [n for n, on in rests.items() if not on & rests.keys()]
            need(first and not any(rests.pop(n) & self.now.keys() for n in first), "a queue is in a cycle")

    def check(self):
        self.check_order()
        bounded = [q for q in self.queues if q["bounded"]]
        for q in bounded:
            if q["port"]["gates"]:
                find_windows(q)
            else:
                need(not q["windows"], q["name"] + ": its windows")
        self.check_cycles()
        for q in bounded:
            variation, backlog = self.bounds(q, self.now, q["whole"])
            need(q["variation"] >= self.now.get(q["number"], variation), q["name"] + ": its variation")
            need(q["backlog"] >= backlog, q["name"] + ": its backlog")
        for (before, after), lines in self.groups.items():
            q = self.queues[before]
            mine = {f for f, hop in self.queues[after]["hops"] if self.previous(f, hop) is q}
            self.check_output(q, lines, mine, f"flows from {q['name']} to {self.queues[after]['name']}")
        for number, f in enumerate(self.flows):
            self.check_flow(number, f)

FACTS = ("byte", "classes", "ports", "flows", "queues", "groups", "cyclic", "stages")

def numbers(raw, key=""):
    """Texts as fractions, except names and rows; lines as tuples."""
    if isinstance(raw, dict):
        return {k: numbers(v, k) for k, v in raw.items()}
    if isinstance(raw, list):
        rows = [numbers(each, key) for each in raw]
        return tuple(rows) if rows and isinstance(rows[0], Fraction) else rows
    text = key in ("name", "scheduler", "guard", "classes", "clock", "rows")
    return Fraction(raw) if isinstance(raw, str) and not text else raw

def verdict(certificate, network=None):
    """Of the texts of both: what is found, and the exit status."""
    try:
        raw = json.loads(certificate, parse_float=Fraction, parse_constant=Fraction)
        if (raw["certificate"], raw["form"]) != ("guarantee", 2):
            raise ValueError("another form")
        facts = {key: raw[key] for key in FACTS}
        its = Certificate(numbers(facts))
        if network is not None:
            other = Network(network).difference(numbers(facts))
            need(not other, f"the network file says otherwise: {other}")
        its.check()
    except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        return f"not a certificate of a guarantee: {error!r}", 2
    except Wrong as error:
        return f"does not hold: {error}", 1
    return f"holds: {len(its.flows)} flows, {len(its.queues)} queues, {len(its.now)} of them in cycles", 0

def main():
    try:
        texts = [open(name, encoding="utf-8").read() for name in sys.argv[1:]]
        text, status = verdict(*texts) if len(texts) in (1, 2) else (__doc__.split("\n\n")[1].strip(), 2)
    except (OSError, UnicodeError) as error:
        text, status = f"cannot be read: {error}", 2
    print(": ".join(sys.argv[1:] + [text]))
    return status

if __name__ == "__main__":
    sys.exit(main())
