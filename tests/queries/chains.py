"""Queues solved a second time, without code or formulas of the program: elimination of finite Markov chains.

Elimination without subtraction keeps the relative error of every probability near 1e-13, however small it is. A queue
without limit is cut where its tail no longer changes the answer.
"""

import itertools
import math
from fractions import Fraction


def law_of_rows(rows):
    """The stationary law of a chain, rows[i] = {j: probability}, of one recurrent class.

    States are eliminated from the last one down: where steps down are short only a band of the matrix fills up.
    """
    rows, into = [dict(row) for row in rows], [set() for _ in rows]
    for state, row in enumerate(rows):
        for to in row:
            if to > state:
                into[to].add(state)
    steps, first = [], 0
    for state in range(len(rows) - 1, 0, -1):
        lower = [(to, p) for to, p in rows[state].items() if to < state]
        leaving, comes = math.fsum(p for _, p in lower), []
        if not lower:
            first = state  # none below is reached again
            break
        for other in into[state]:
            weight = rows[other].pop(state)
            comes.append((other, weight))
            for to, p in lower:
                if to not in rows[other] and to > other:
                    into[to].add(other)
                rows[other][to] = rows[other].get(to, 0.0) + weight * p / leaving
        steps.append((state, leaving, comes))
    law = [0.0] * len(rows)
    law[first] = 1.0
    for state, leaving, comes in reversed(steps):
        law[state] = sum(law[other] * weight for other, weight in comes) / leaving
    whole = math.fsum(law)
    return [x / whole for x in law]


def law_of(phases, served, places):
    """P(queue = q, phase) of Q' = min(max(Q - served, 0) + arrivals, places - 1).

    phases[i] = [(packets, next phase, probability)]; the state is q * phases + phase.
    """
    width, rows = len(phases), []
    for q, phase in itertools.product(range(places), range(width)):
        row = {}
        for packets, to, p in phases[phase]:
            if p:
                state = min(max(q - served, 0) + packets, places - 1) * width + to
                row[state] = row.get(state, 0.0) + p
        rows.append(row)
    return law_of_rows(rows)


class Queue:
    """One queue: what arrives (phases as above), what is served per slot."""

    def __init__(self, phases, served=1):
        self.phases = [[(b, to, float(p)) for b, to, p in row if p] for row in phases]
        self.served = served
        self.most = max(b for row in self.phases for b, _, _ in row)
        alone = law_of([[(0, to, p) for _, to, p in row] for row in self.phases], 1, 1)
        self.load = sum(alone[i] * b * p for i, row in enumerate(self.phases) for b, _, p in row)
        self.tails_ = None

    @staticmethod
    def of_pmf(pmf, served=1):
        return Queue([[(n, 0, p) for n, p in enumerate(pmf)]], served)

    def loss(self, capacity):
        """Fraction of the packets lost with this buffer."""
        if capacity == 0:
            return 1.0 if self.load else 0.0
        law, width, lost = law_of(self.phases, self.served, capacity + 1), len(self.phases), 0.0
        for state, weight in enumerate(law):
            q, phase = divmod(state, width)
            kept = max(q - self.served, 0)
            lost += weight * sum(p * max(kept + b - capacity, 0) for b, _, p in self.phases[phase])
        return lost / self.load

    def tails(self):
        """P(Q > n) without limit, as far as the cut does not matter; None if the queue would grow."""
        if self.tails_ is None:
            never_more = self.most <= self.served
            if self.load >= self.served * (1 - 1e-12) and not never_more:
                return None
            places = self.most + 1 if never_more else 2000 // len(self.phases) ** 2 + 200
            law, width = law_of(self.phases, self.served, places), len(self.phases)
            sums, left = [], 0.0
            for q in range(places - 1, -1, -1):
                sums.append(left)
                left += math.fsum(law[q * width : (q + 1) * width])
            self.tails_ = sums[::-1]
            self.known = places if never_more else sum(1 for x in self.tails_ if x > self.tails_[-2] * 1e10)
        return self.tails_

    def tail(self, n):
        """P(Q > n); None where it is not known to nine digits."""
        tails = self.tails()
        if tails is None:
            return None
        if self.most <= self.served and n >= self.most:
            return 0.0
        return tails[n] if n < self.known else None

    def mean(self):
        tails = self.tails()
        return None if tails is None or tails[-2] > 1e-14 else math.fsum(tails)


def product(*pmfs):
    """The law of a sum of independent numbers."""
    law = [1.0]
    for pmf in pmfs:
        new = [0.0] * (len(law) + len(pmf) - 1)
        for i, x in enumerate(law):
            for j, y in enumerate(pmf):
                new[i + j] += x * y
        law = new
    return law


def cut(terms, least=1e-25):
    """The terms of an endless law up to where nothing is left."""
    law, left = [], 1.0
    for p in terms:
        law.append(p)
        left -= p
        if p < least and left < 1e-9:
            return law
    return law


def poisson(mean):
    def terms():
        p = math.exp(-mean)
        for n in itertools.count(1):
            yield p
            p *= mean / n

    return cut(terms())


def geometric(p):
    """From 0 on: p (1 - p)^n."""
    return cut(p * (1 - p) ** n for n in itertools.count())


def on_off(inputs, load, burst, on_rate=1, per_packet=False):
    """Phases of independent on-off sources of a switch with as many outputs as inputs: what one output gets."""
    load, burst, on_rate, share = Fraction(load), Fraction(burst), Fraction(on_rate), Fraction(1, inputs)
    on, stop = load / on_rate, 1 / burst
    start = stop * on / (1 - on)
    if per_packet or inputs == 1:  # off, on
        moves, sends = [[1 - start, start], [stop, 1 - stop]], [Fraction(0), on_rate * share]
    else:  # off, on and to this output, on and to another
        moves = [[1 - start, start * share, start * (1 - share)], [stop, 1 - stop, 0], [stop, 0, 1 - stop]]
        sends = [Fraction(0), on_rate, Fraction(0)]
    states = sorted({tuple(sorted(s)) for s in itertools.product(range(len(moves)), repeat=inputs)})
    number, phases = {state: i for i, state in enumerate(states)}, []
    for state in states:
        entries = {(0, ()): Fraction(1)}
        for each in state:
            new = {}
            for (sum_, to), p in entries.items():
                for sent, to_one in itertools.product((0, 1), range(len(moves))):
                    q = moves[each][to_one] * (sends[to_one] if sent else 1 - sends[to_one])
                    if q:
                        key = (sum_ + sent, tuple(sorted((*to, to_one))))
                        new[key] = new.get(key, 0) + p * q
            entries = new
        phases.append([(sum_, number[to], p) for (sum_, to), p in entries.items()])
    return phases


def loss_of_md1(load, capacity):
    """Fraction lost of M/D/1 with a buffer of `capacity`, the packet in service included: after departures, then by the
    share of the time in service."""
    if capacity == 0:
        return 1.0
    batch = poisson(load)
    # After departures 0 .. capacity - 1 are left; what does not fit while one is served is lost.
    places, rows = capacity, []
    for q in range(places):
        at = max(q, 1) - 1
        rows.append([batch[n] if n < len(batch) else 0.0 for n in range(places - at)])
        rows[-1][-1] += max(1.0 - math.fsum(rows[-1]), 0.0)
    law = law_of_rows([{max(q, 1) - 1 + n: p for n, p in enumerate(row) if p} for q, row in enumerate(rows)])
    busy = 1 / (law[0] / load + 1)  # departures per slot
    return 1 - busy / load


def waits(queue, longest):
    """P(wait > t), t = 0 .. longest, of a packet: what is left of the slot before, and what its slot puts ahead of it."""
    tails = queue.tails()
    if tails is None:
        return None
    width, law = len(queue.phases), law_of(queue.phases, queue.served, len(tails))
    above = [0.0] * (longest + 1)
    for state, weight in enumerate(law):
        q, phase = divmod(state, width)
        left = max(q - queue.served, 0)
        for b, _, p in queue.phases[phase]:
            for t in range(longest + 1):
                above[t] += weight * p * max(b - max(queue.served * (t + 1) - left, 0), 0)
    return [x / queue.load for x in above]


def thinned(phases, share):
    """Arrivals of which each packet is kept with this probability."""
    all_ = []
    for row in phases:
        law = {}
        for b, to, p in row:
            for kept in range(b + 1):
                law[kept, to] = law.get((kept, to), 0.0) + float(p) * math.comb(b, kept) * share**kept * (1 - share) ** (b - kept)
        all_.append([(n, to, p) for (n, to), p in law.items()])
    return all_


class TwoClasses:
    """Strict priority, one packet per slot; law[a, b] is the probability of a packets of the first class and b of the second."""

    def __init__(self, law):
        self.law = {key: float(p) for key, p in law.items() if p}
        self.first = Queue.of_pmf([sum(p for (a, _), p in self.law.items() if a == n) for n in range(max(a for a, _ in law) + 1)])
        self.tails_ = None

    def chain(self, room1, room2):
        rows = []
        for q2, q1 in itertools.product(range(room2 + 1), range(room1 + 1)):
            row, (left1, left2) = {}, self.left(q1, q2)
            for (a, b), p in self.law.items():
                to = min(left2 + b, room2) * (room1 + 1) + min(left1 + a, room1)
                row[to] = row.get(to, 0.0) + p
            rows.append(row)
        return law_of_rows(rows)

    @staticmethod
    def left(q1, q2):
        return max(q1 - 1, 0), q2 if q1 else max(q2 - 1, 0)

    def lower_loss(self, room):
        """Fraction of the second class lost, with a buffer of this size for each class; None for too many states."""
        if room == 0:
            return 1.0
        if room > 12:
            return None
        lost = 0.0
        for state, weight in enumerate(self.chain(room, room)):
            q2, q1 = divmod(state, room + 1)
            left = self.left(q1, q2)[1]
            lost += weight * sum(p * max(left + b - room, 0) for (_, b), p in self.law.items())
        return lost / sum(p * b for (_, b), p in self.law.items())

    def lower_tail(self, n):
        """P(Q2 > n) without limit; None if it is not known to nine digits."""
        if self.tails_ is None:
            self.tails_ = []
            room1 = next((n for n in range(20) if (self.first.tail(n) or 1) < 1e-15), None)
            if room1 is not None:
                law, room2, above = self.chain(room1, 60), 60, 0.0
                for q2 in range(room2, -1, -1):
                    self.tails_.append(above)
                    above += math.fsum(law[q2 * (room1 + 1) : (q2 + 1) * (room1 + 1)])
                self.tails_.reverse()
        return self.tails_[n] if n < len(self.tails_) - 1 and self.tails_[n] > self.tails_[-2] * 1e10 else None


def memory_of_two(law, memory, shared):
    """A switch of two outputs, law[a, b] packets for them in a slot. `shared`: P(T > memory) without limit and, with it, the
    fraction lost where packets that do not fit are chosen at random."""
    law = {key: float(p) for key, p in law.items()}
    limit = memory if shared else 24
    states = [s for s in itertools.product(range(limit + 1), repeat=2) if not shared or sum(s) <= memory]
    number, rows = {s: i for i, s in enumerate(states)}, []
    for a, b in states:
        row, left = {}, (max(a - 1, 0), max(b - 1, 0))
        for comes, p in law.items():
            for new, share in placed(left, comes, memory) if shared else [((left[0] + comes[0], left[1] + comes[1]), 1.0)]:
                to = number[min(new[0], limit), min(new[1], limit)]
                row[to] = row.get(to, 0.0) + p * share
        rows.append(row)
    weights = dict(zip(states, law_of_rows(rows)))
    if not shared:
        return sum(weight for s, weight in weights.items() if sum(s) > memory)
    lost = sum(weight * p * max(max(a - 1, 0) + max(b - 1, 0) + sum(comes) - memory, 0)
               for (a, b), weight in weights.items() for comes, p in law.items())
    return lost / sum(p * sum(comes) for comes, p in law.items())


def placed(left, comes, memory):
    """Where at most two packets of a slot go: what fits, in an order drawn at random."""
    over = sum(left) + sum(comes) - memory
    if over <= 0:
        return [((left[0] + comes[0], left[1] + comes[1]), 1.0)]
    if over == sum(comes):
        return [(left, 1.0)]
    if comes == (1, 1):  # one of them fits
        return [((left[0] + 1, left[1]), 0.5), ((left[0], left[1] + 1), 0.5)]
    return [((left[0] + comes[0] // 2, left[1] + comes[1] // 2), 1.0)]
