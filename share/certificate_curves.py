"""Curves of check_certificate.py: pieces (start, value, slope), continuous from the right.

The starts rise from 0, the last piece has no end. Arrivals in any window, or the service since a busy period began.
"""
import itertools
import math
from bisect import bisect_left, bisect_right
from fractions import Fraction

class Wrong(Exception):
    """A claim that does not hold."""

def need(holds, what):
    if not holds:
        raise Wrong(what)

ZERO = Fraction(0)
FLAT = (ZERO, ZERO, ZERO)

def hull(lines):
    """The minimum of lines (burst, rate)."""
    pieces, (t, (b, r)) = [], (ZERO, min(lines))
    while True:
        pieces.append((t, b + r * t, r))
        later = [((d - b) / (r - s), s, d) for d, s in lines if s < r]
        if not later:
            return pieces
        t, r, b = min(later)

def total(plus, minus=()):
    """The sum of curves, without others."""
    changes, pieces, constant, slope = [], [], ZERO, ZERO
    for sign, curve in [(1, curve) for curve in plus] + [(-1, curve) for curve in minus]:
        c, r = ZERO, ZERO
        for t, value, rate in curve:
            at_zero = value - rate * t if rate else value
            changes.append((t, at_zero - c, rate - r) if sign > 0 else (t, c - at_zero, r - rate))
            c, r = at_zero, rate
    changes.sort(key=lambda change: change[0])
    for t, c, r in changes:
        constant, slope = constant + c, slope + r if r else slope
        if pieces and pieces[-1][0] == t:
            pieces.pop()
        pieces.append((t, constant + slope * t if slope else constant, slope))
    return pieces or [FLAT]

def less(one, other):
    return total([one], [other])

def scaled(curve, factor):
    return [(t, factor * value, factor * slope) for t, value, slope in curve]

def spans(curve):
    """Of each piece: start, value, slope; end, limit of the value there; None, None of the last one."""
    for (t, value, slope), (end, _, _) in zip(curve, curve[1:]):
        yield t, value, slope, end, value + slope * (end - t)
    yield *curve[-1], None, None

def least(one, other):
    """The minimum."""
    pieces, i, j, t = [], 0, 0, ZERO
    while True:
        low, high = sorted((v if t == start else v + s * (t - start), s) for start, v, s in (one[i], other[j]))
        ends = [curve[k + 1][0] for curve, k in ((one, i), (other, j)) if k + 1 < len(curve)]
        pieces.append((t, *low))
        if low[1] > high[1]:
            meet = t + (high[0] - low[0]) / (low[1] - high[1])
            if not ends or meet < min(ends):
                pieces.append((meet, high[0] + high[1] * (meet - t), high[1]))
        if not ends:
            return pieces
        t = min(ends)
        i, j = (k + (k + 1 < len(curve) and curve[k + 1][0] == t) for curve, k in ((one, i), (other, j)))

def until(curve, t):
    return [piece for piece in curve if piece[0] < t]

def since(curve, t):
    begun = [piece for piece in curve if piece[0] <= t]
    return [(t, begun[-1][1] + begun[-1][2] * (t - begun[-1][0]), begun[-1][2])] + curve[len(begun):]

def moved(curve, time):
    """curve(t + time); where t + time < 0, curve(0)."""
    pieces = since(curve, time) if time > 0 else curve
    return [(ZERO, pieces[0][1], ZERO)] * (time < 0) + [(t - time, v, s) for t, v, s in pieces]

def values(curve):
    """At the ends of its pieces."""
    return [v for _, value, _, end, limit in spans(curve) for v in ((value,) if end is None else (value, limit))]

def top(curve):
    """Its supremum."""
    need(curve[-1][2] <= 0, "the arrival rate exceeds the service rate")
    return max(values(curve))

def latest(curve):
    """The function sup {t: curve(t) <= y} of y."""
    need(curve[-1][2] > 0, "no service in the long run")
    pieces = list(spans(curve))
    lows = [value if end is None else min(value, limit) for _, value, _, end, limit in pieces]
    lows = list(itertools.accumulate(lows[::-1], min))[::-1]
    def found(y):
        if y < lows[0]:
            return ZERO
        t, value, slope, end, limit = pieces[bisect_right(lows, y) - 1]
        return end if end is not None and limit <= y else t + (y - value) / slope
    return found

def risen(curve):
    """A convex curve from where it stays above 0; 0 before."""
    t = latest(curve)(ZERO)
    return [FLAT] * (t > 0) + since(curve, t)

def delay(arrivals, service, less_data=ZERO):
    """sup over t of the time by which more than arrivals(t) - less_data is served, minus t."""
    need(arrivals[-1][2] <= service[-1][2], "the arrival rate exceeds the service rate")
    served, levels, delays = latest(service), sorted(set(values(service))), []
    for t, value, slope, end, limit in spans(arrivals):
        delays.append(served(max(value - less_data, ZERO)) - t)
        if end is not None:
            delays.append(served(max(limit - less_data, ZERO)) - end)
        if slope > 0:  # between, where the corners of the service are reached
            stop = len(levels) if end is None else bisect_left(levels, limit - less_data)
            delays += [served(y) - t - (y + less_data - value) / slope
                       for y in levels[bisect_right(levels, max(value - less_data, ZERO)):stop]]
    return max(delays)

def in_series(services):
    """Convex curves: all pieces by their slopes."""
    pieces, t, value = [], ZERO, ZERO
    parts = ((slope, end and end - start) for curve in services for start, _, slope, end, _ in spans(curve))
    for slope, length in sorted(parts, key=lambda part: part[0]):
        pieces.append((t, value, slope))
        if length is None:
            return pieces
        t, value = t + length, value + slope * length

def packets(curve, low, high, end, more):
    """T (1.1) until `end`, then the curve: n <= curve/low packets of `low` to `high`, each longer by `more`."""
    counts, n, mixed = [(ZERO, curve[0][1] // low, ZERO)], curve[0][1] // low, high > low and not more
    for t, value, slope, stop, _ in spans(until(curve, end) or curve[:1]):
        stop = end if stop is None else min(stop, end)
        while slope > 0 and t + ((n + 1) * low - value) / slope <= stop and not (mixed and n * high >= (n + 1) * low):
            n += 1
            counts.append((t + (n * low - value) / slope, n, ZERO))
    if mixed and n * high >= (n + 1) * low:  # from here on packets of other lengths bring as much as the curve
        end = min(end, counts[-1][0])
    steps = least(curve, scaled(counts, high)) if high > low else scaled(counts, high)
    if more:
        steps, curve = total([steps, scaled(counts, more)]), scaled(curve, 1 + more / low)
    return until(steps, end) + since(curve, end)

def common_period(periods):
    return Fraction(math.lcm(*(p.numerator for p in periods)), math.gcd(*(p.denominator for p in periods)))

def one_clock(packets_of, end):
    """T (7.1) until `end`, of (first, spread, period, length)."""
    hyper = common_period([period for _, _, period, _ in packets_of])
    starts = sum(hyper / period for _, _, period, _ in packets_of)
    if starts * sum((end + spread) / period + 1 for _, spread, period, _ in packets_of) > 100_000:
        return None  # as the program: the flows' own curves then
    sums = []
    for first, spread, period, _ in packets_of:
        for m in range(int(hyper / period)):
            s, data, own = first + spread + m * period, ZERO, []
            for f, v, t, length in packets_of:
                arrives = f + math.ceil((s - v - f) / t) * t - s
                while arrives <= end:
                    own.append((max(arrives, ZERO), length))
                    arrives += t
            for t, length in sorted(own):
                sums.append((t, data := data + length))
    pieces = [FLAT]
    for t, data in sorted(sums):
        if data > pieces[-1][1]:
            pieces = (pieces[:-1] if pieces[-1][0] == t else pieces) + [(t, data, ZERO)]
    return pieces
