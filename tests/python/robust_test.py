"""Random bad arguments raise an exception of Python or of this package, and never crash the interpreter."""

import os
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tailbound as tb
from conftest import cases
from tailbound import _commands, _tailbound

PLAUSIBLE = ["0.5", "1e-9", "16", "0", "-1", "1/0", "", "nan", "inf", "0.1:0.9:0.1", "1,2", "bernoulli", "poisson", "loss",
             "overflow", "load", "imix", "mesh", "1e999999999", "٣", "\x00", "a" * 5000, "((((((z", "z^z^z", "%", "90%"]  # fmt: skip
values = st.one_of(
    st.sampled_from(PLAUSIBLE),
    st.integers(-(10**30), 10**30),
    st.integers(0, 64),
    st.floats(),
    st.floats(0, 1),
    st.fractions(),
    st.decimals(),
    st.text(max_size=20),
    st.booleans(),
    st.none(),
    st.binary(max_size=5),
    st.lists(st.one_of(st.floats(0, 1), st.integers(-3, 40), st.text(max_size=3), st.none()), max_size=4),
    st.builds(numpy.array, st.lists(st.floats(), max_size=3)),
    st.builds(object),
    st.dictionaries(st.text(max_size=4), st.integers(), max_size=2),
)
# Commands that are fast for any parameters; simulations and networks may take hours.
QUICK = {"buffer": 9, "pgf": 8, "multistage": 7, "broadcast": 7}
FEW = {"inputs": st.one_of(values, st.integers(1, 8)), "load": st.one_of(values, st.floats(0.01, 0.9)),
       "drop": st.one_of(values, st.floats(1e-9, 0.5)), "dimensions": st.integers(-1, 8), "nodes": st.sampled_from([2, 16, 64, 0, "x"])}  # fmt: skip
HEAVY = {"digits", "arithmetic", "blocks", "pmf", "matrix", "sizes", "shared", "burst", "traffic", "solve", "arrivals",
         "outputs", "threshold", "capacity", "packets_per_slot"}  # fmt: skip
EXPECTED = (tb.Error, TypeError, ValueError, ImportError)


@st.composite
def questions(draw: Any) -> tuple[str, dict[str, Any]]:
    name = draw(st.sampled_from(sorted(QUICK)))
    keys = [key for key in getattr(_commands, f"_{name.upper()}") if key not in HEAVY or name == "pgf"]
    chosen = draw(st.lists(st.sampled_from(keys), max_size=QUICK[name], unique=True))
    return name, {key: draw(FEW.get(key, values)) for key in chosen}


@cases(400, 20_000)
@given(questions())
def test_bad_arguments(question: tuple[str, dict[str, Any]]) -> None:
    name, given_ = question
    try:
        answer = getattr(tb, name)(**given_, progress=False)
        answer.text(), answer.json(), answer.keys()
    except EXPECTED:
        pass


@cases(300, 5_000)
@given(st.dictionaries(st.sampled_from(["inputs", "load", "drop", "capacity", "criterion", "packets_per_slot", "x"]), values))
def test_bad_arguments_of_the_fast_path(given_: dict[str, Any]) -> None:
    shown = _tailbound.size_buffer(given_)
    if shown is not None:
        assert shown.written("table")


@cases(200, 5_000)
@given(values, values, values)
def test_bad_numbers(a: Any, b: Any, c: Any) -> None:
    for make in (
        lambda: tb.Exact(a, "packets"),
        lambda: tb.Enclosure(a, b, digits=5),
        lambda: tb.Bound(a, c is not None),
        lambda: tb.Exact(1) + a,
        lambda: tb.Estimate(a, b, c),
        lambda: tb.grid(a, b, 1) if isinstance(a, float) and isinstance(b, float) and abs(a) + abs(b) < 1e3 else None,
    ):
        try:
            repr(make())
        except (TypeError, ValueError, ArithmeticError, MemoryError):
            pass


def test_the_extension_module() -> None:
    """The extension module with nonsensical arguments."""
    for bad in (None, 1, "x", {}, [], [("a",)], [(1, 2)], [("--load", "0.5")] * 3):
        for command in ("buffer", "", "nonsense", "simulate", 5):
            try:
                _tailbound.ask(command, bad, None)  # type: ignore[arg-type]
            except (TypeError, tb.Error):
                pass
    shown = _tailbound.size_buffer({"inputs": 2, "load": 0.5, "drop": Fraction(1, 2)})
    assert shown is None  # the package converts fractions to text
    shown = _tailbound.size_buffer({"inputs": 2, "load": 0.5, "drop": 0.5})
    assert shown is not None
    for place in ((0, 0), (5, 0), (0, 99)):
        try:
            shown.table(*place)
        except IndexError:
            pass


@pytest.mark.parametrize("key", ["inputs", "load", "drop", "packets_per_slot"])
def test_booleans_are_not_numbers(key: str) -> None:
    right: dict[str, Any] = dict(inputs=4, load=0.5, drop=0.125)
    for given_ in (True, numpy.True_, [True, False], numpy.array([True])):
        with pytest.raises(TypeError, match=key):
            tb.buffer(**{**right, key: given_})


def test_a_time_limit_ends_a_query_and_the_next_one_is_answered() -> None:
    long = dict(inputs=32, load=0.6, burst=1000, drop=1e-9)  # minutes
    with pytest.raises(tb.LimitExceeded, match="time limit of 0.3 s"):
        tb.buffer(**long, time_limit=0.3)
    with pytest.raises(ChildProcessError):  # no worker is left
        os.waitpid(-1, os.WNOHANG)
    assert tb.buffer(inputs=16, load=0.9, drop=1e-15, time_limit=1000).buffer == 157
    with pytest.raises(tb.LimitExceeded) as late:
        tb.simulate_tree(radix=4, levels=3, load=0.8, slots=10**9, threads=1, time_limit=0.5)
    assert late.value.partial is None or late.value.partial.stopped
    with pytest.raises(tb.InvalidArgument, match="time_limit is 0"):
        tb.buffer(inputs=16, load=0.9, drop=1e-15, time_limit=0)
