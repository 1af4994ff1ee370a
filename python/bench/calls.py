#!/usr/bin/python3
"""Overhead of the Python package: single calls, and calls with arrays.

  PYTHONPATH=build/release/python python/bench/calls.py [POINTS]

Medians; for arrays also the processor time, which is meaningful on a loaded machine.
"""

import resource
import statistics
import sys
import time
from typing import Callable

import numpy

import tailbound as tb


def call(calls: int = 3000) -> None:
    """One sizing from keywords to answer."""
    spans = []
    for _ in range(calls):
        begun = time.perf_counter()
        tb.buffer(inputs=16, load=0.9, drop=1e-15)
        spans.append(time.perf_counter() - begun)
    print(f"one sizing: {statistics.median(spans) * 1e6:.1f} us")


def spent() -> float:
    """Processor time of this process and its children [s]."""
    each = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in each)


def arrays(queries: int, times: int = 5) -> None:
    """Sizings over an array of loads."""
    loads = numpy.linspace(0.1, 0.95, queries)
    spans, efforts = [], []
    for _ in range(times):
        before, begun = spent(), time.perf_counter()
        buffers = tb.buffer(inputs=16, load=loads, drop=1e-15, progress=False).buffer
        spans.append(time.perf_counter() - begun)
        efforts.append(spent() - before)
    print(
        f"{queries} sizings: {statistics.median(spans):.2f} s, {statistics.median(efforts):.2f} s of processor time; "
        f"buffers {buffers.min()} .. {buffers.max()}"
    )


def as_arrays(queries: int = 10_000) -> None:
    """Conversion of many answers."""
    side = round(queries**0.5)
    loads = numpy.linspace(0.1, 0.95, side * side).reshape(side, side)

    def timed(what: str, make: Callable[[tb.Answers], object]) -> None:
        spans = []
        for _ in range(3):
            answers = tb.buffer(inputs=16, load=loads, drop=1e-15, progress=False)
            begun = time.perf_counter()
            make(answers)
            spans.append(time.perf_counter() - begun)
        print(f"{side} x {side} answers, {what}: {1000 * statistics.median(spans):.1f} ms")

    timed(".probability.middle", lambda answers: answers.probability.middle)
    timed(".probability.objects", lambda answers: answers.probability.objects)
    timed(".to_numpy()", lambda answers: answers.to_numpy())
    timed(".to_pandas()", lambda answers: answers.to_pandas())
    timed("str()", str)
    timed("_repr_html_()", lambda answers: answers._repr_html_())


if __name__ == "__main__":
    call()
    as_arrays()
    arrays(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
