"""The linear program of a route (P, section 8), for check_certificate.py.

Variables: ("x", j, k), date k at queue j of the route; ("A", s, k), data of set s by then. A row says that the sum of
factor times variable is at most a limit.
"""
from fractions import Fraction

from certificate_curves import ZERO, hull, need, risen, total

class Program:
    def __init__(self, its, number, queues):
        """`its`: the certificate; queues: of a route of flow `number`."""
        self.its, self.flow, self.queues, self.sets = its, its.flows[number], queues, {}
        need(all(q["bounded"] and not q["preemptable"] and q["port"]["cut_through"] is None for q in queues)
             and not any(q["port"]["reshaped"] for q in queues[:-1]), "no linear program applies to this route")
        position = {q["number"]: j for j, q in enumerate(queues)}
        for f, flow in enumerate(its.flows):
            parts = []  # of the route: first and last queue, the one before; first and last hop of the flow
            passed = ((position[q["number"]], hop) for hop, q in enumerate(flow["queues"]) if q["number"] in position)
            for j, hop in sorted(passed):
                before = flow["before"][hop]
                if parts and parts[-1][1] + 1 == j and before == parts[-1][4]:
                    parts[-1] = (parts[-1][0], j, *parts[-1][2:4], hop)
                else:
                    parts.append((j, j, None if before is None else flow["queues"][before]["number"], hop, hop))
            for *part, joins, _ in parts:
                self.sets.setdefault(tuple(part), []).append((f, joins))
        self.ends = list(self.sets)

    def x(self, j, k):
        need(0 <= j <= len(self.queues) and 0 <= k <= len(self.queues) - j, "no such date")
        return "x", j, k

    def amount(self, some, k, later, factor=1):
        """Data of sets between two dates."""
        need(all(0 <= k < later <= len(self.queues) - self.ends[s][0] for s in some), "no such window")
        return [(("A", s, date), sign * factor) for s in some for date, sign in ((k, 1), (later, -1))]

    def sets_at(self, j):
        return [s for s, (first, last, _) in enumerate(self.ends) if first <= j <= last]

    def before(self, s, j):
        """The queue from which a set comes to queue j; none: from sources or regulators."""
        first, _, queue = self.ends[s]
        q = self.queues[j - 1] if j > first else None if queue is None else self.its.queues[queue]
        return None if q is None or q["port"]["reshaped"] else q

    def row(self, kind, j, k, later, of, line):
        """Terms and limit: P (8.2), (8.4), (8.5), (8.6)."""
        q, its, last = self.queues[j], self.its, j + 1 == len(self.queues)
        rate, wire = q["rate"], ZERO if last else q["port"]["wire"]
        if kind == "order":
            return [(self.x(j, k + 1), 1), (self.x(j, k), -1)], ZERO
        if kind == "passage":
            packet = ZERO if last else q["shortest"] if k else self.flow["shortest"]
            return [(self.x(j, k), 1), (self.x(j + 1, k), -1)], -wire - packet / rate
        if kind == "delay":
            least = self.flow["shortest"] if last else ZERO
            return [(self.x(j + 1, k), 1), (self.x(j, k), -1)], q["variation"] + (q["shortest"] - least) / rate + wire
        if kind == "data":
            return self.amount([of], k, k + 1, -1), ZERO
        if kind == "service":
            start, value, slope = [piece for piece in risen(its.services(q, its.now)[0]) if piece[2] > 0][line]
            wait, packet = (ZERO, self.flow["shortest"]) if last else (wire + q["longest"] / rate, ZERO)
            terms = [(self.x(j + 1, k), slope), (self.x(j, k + 1), -slope)] + self.amount(self.sets_at(j), k, k + 1, -1)
            need(k == len(self.queues) - j - 1, "no start of a service")
            return terms, slope * (wait + start) - value - packet
        if kind == "link":
            some = [s for s in self.sets_at(j) if (b := self.before(s, j)) and b["port"] is its.ports[of]]
            longest = {}  # by whether they can be interrupted there
            for s in some:
                cut, flows = self.before(s, j)["preemptable"], (its.flows[f] for f, _ in self.sets[self.ends[s]])
                longest[cut] = max(longest.get(cut, ZERO), *(flow["longest"] for flow in flows))
            burst, rate = sum(longest.values()), its.ports[of]["rate"]
        else:
            some = [of]
            if kind == "group":
                (queue, following), lines = list(its.groups.items())[of]
                some = [s for s in self.sets_at(j) if self.ends[s][0] == j and self.before(s, j) is its.queues[queue]]
                need(some and following == q["number"], "no such group")
                curve = hull(lines)
            else:
                need(kind == "flows" and self.ends[of][0] == j, "no such row")
                curve = total([hull(its.flows[f]["curves"][hop]) for f, hop in self.sets[self.ends[of]]])
            start, value, rate = curve[line]
            burst = value - rate * start
        return self.amount(some, k, later) + [(self.x(j, later), rate), (self.x(j, k), -rate)], burst

    def bound(self, rows):
        """The delay that a sum of factor times row proves: it must be about the dates of departure and arrival."""
        sums, limit = {}, ZERO
        for *row, factor in rows:
            (terms, most), factor = self.row(*row), Fraction(factor)
            need(factor >= 0, "a negative multiplier")
            limit += factor * most
            for variable, its in terms:
                sums[variable] = sums.get(variable, ZERO) + factor * its
        wanted = {("x", len(self.queues), 0): 1, ("x", 0, 0): -1}
        need({variable: its for variable, its in sums.items() if its} == wanted, "the rows are not about the delay")
        return limit + self.flow["shortest"] / self.queues[-1]["rate"] + self.queues[-1]["port"]["wire"]
