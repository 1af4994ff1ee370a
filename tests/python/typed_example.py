"""Example of a typed program; checked by mypy --strict (types_test.py)."""

from fractions import Fraction

import tailbound as tb


def least_buffer(inputs: int, load: float, drop: Fraction) -> int:
    """Buffer size of an output queue [packets]."""
    try:
        answer = tb.buffer(inputs=inputs, load=load, drop=drop)
    except tb.Unstable:
        return -1
    probability: tb.Number = answer.probability
    assert probability <= drop and probability.upper_fraction <= drop
    size: tb.Count = answer.buffer
    return size


def curve(loads: list[float]) -> dict[float, float]:
    """Mean occupancy versus load."""
    answers = tb.buffer(inputs=16, load=loads, drop=1e-9)
    return {load: float(mean) for load, mean in zip(loads, answers.mean_occupancy)}


def formula() -> str:
    """In LaTeX."""
    return tb.pgf(inputs="k", load="k*p").latex()


if __name__ == "__main__":
    print(least_buffer(16, 0.9, Fraction(1, 10**15)), curve([0.5, 0.9]), formula())
