#!/usr/bin/python3
"""Overhead of the Python package: single calls, and calls with arrays.

  PYTHONPATH=build/release/python python/bench/calls.py [POINTS]

Each measurement in Python is paired with a C++ loop over the same points in the same run; medians are reported, so that
other load affects both equally. For arrays the processor time is shown too, which is meaningful on a loaded machine.
"""

import resource
import statistics
import sys
import time
from typing import Callable

import numpy

import tailbound as tb
from tailbound import _tailbound


def call_overhead(pairs: int = 3000) -> None:
    """One sizing from keywords to answer, compared with answers::answer() for the same query."""
    one = _tailbound.sizings({"inputs": 16, "load": 0.9, "drop": 1e-15}, 1)
    assert one is not None
    python, loop = [], []
    for _ in range(pairs):
        begun = time.perf_counter()
        tb.buffer(inputs=16, load=0.9, drop=1e-15)
        python.append(time.perf_counter() - begun)
        loop.append(one.seconds_of_loop(1))
    a, b = statistics.median(python) * 1e6, statistics.median(loop) * 1e6
    print(f"one sizing: {a:.1f} us from Python, {b:.1f} us in C++: the call costs {a - b:.1f} us")


def spent() -> float:
    """Processor time of this process and its children [s]."""
    each = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in each)


def arrays(queries: int, pairs: int = 3) -> None:
    """Sizings over an array of loads, compared with a C++ loop on as many processes that stores nothing."""
    loads = numpy.linspace(0.1, 0.95, queries)
    sizings = _tailbound.sizings({"inputs": 16, "load": loads, "drop": 1e-15}, queries)
    assert sizings is not None
    from tailbound._ask import cores

    ratios, efforts = [], []
    for _ in range(pairs):
        before, begun = spent(), time.perf_counter()
        buffers = tb.buffer(inputs=16, load=loads, drop=1e-15, progress=False).buffer
        python, python_effort = time.perf_counter() - begun, spent() - before
        before = spent()
        loop = sizings.seconds_of_loop(cores())
        loop_effort = spent() - before
        ratios.append(loop / python)
        efforts.append(loop_effort / python_effort)
        print(
            f"{queries} sizings on {cores()} processes: {python:.2f} s from Python, {loop:.2f} s in C++ "
            f"({python_effort:.2f} and {loop_effort:.2f} s of processor time); buffers {buffers.min()} .. {buffers.max()}"
        )
    print(
        f"medians of {pairs} pairs: {100 * statistics.median(ratios):.1f} % of the rate of C++, "
        f"{100 * statistics.median(efforts):.1f} % by processor time"
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
    call_overhead()
    as_arrays()
    arrays(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
