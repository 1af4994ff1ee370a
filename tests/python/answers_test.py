"""Answers: conversion of arguments, broadcasting, typed errors, Ctrl-C, plots."""

import ctypes
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx
import numpy
import pandas
import pytest
import sympy

import tailbound as tb
from conftest import FULL
from tailbound import _decimals, _tailbound

ASKED: dict[str, Any] = {"inputs": 16, "load": 0.9, "drop": 1e-15}


@pytest.mark.parametrize(
    "load", [0.9, "0.9", "9/10", "90%", Fraction(9, 10), Decimal("0.9"), numpy.float64(0.9), numpy.float32(0.9),
             sympy.Rational(9, 10), tb.Exact("0.9")]
)  # fmt: skip
def test_numbers_are_taken_as_typed(load: Any) -> None:
    answer = tb.buffer(inputs=numpy.int64(16), load=load, drop=1e-15)
    assert answer.inputs["load"] == Fraction(9, 10) and answer.buffer == 157


def test_the_fast_path_agrees_with_the_command() -> None:
    """Sizes are computed without option parsing; `digits` goes through it."""
    for load in (0.2, 0.55, "3/4"):
        for criterion in ("overflow", "loss"):
            quick = tb.buffer(inputs=8, load=load, drop=1e-9, criterion=criterion)
            slow = tb.buffer(inputs=8, load=load, drop=1e-9, criterion=criterion, digits=10)
            assert quick.json() == slow.json() and quick.text() == slow.text()
    assert _tailbound.size_buffer({"inputs": 16, "load": 0.9, "drop": 1e-15}) is not None
    assert _tailbound.size_buffer({"inputs": 16, "load": 1.5, "drop": 1e-15}) is None


def test_broadcasting() -> None:
    loads = numpy.array([0.5, 0.7, 0.9])
    answers = tb.buffer(inputs=[[8], [16]], load=loads, drop=1e-9)
    assert isinstance(answers, tb.Answers) and answers.shape == (2, 3) and answers.size == 6
    for i, inputs in enumerate((8, 16)):
        for j, load in enumerate(loads):
            assert answers.buffer[i, j] == tb.buffer(inputs=inputs, load=load, drop=1e-9).buffer
    assert answers[1].buffer.tolist() == answers.buffer[1].tolist()
    for part in (slice(None, -1), slice(1, 5), slice(None, None, -1), slice(2, 2)):
        assert answers[part].buffer.tolist() == answers.buffer[part].tolist()
        assert [row.shape for row in answers[part]] == [answers.shape[1:]] * len(answers.buffer[part])
    one, other = answers[1, -1].results[0], tb.buffer(inputs=16, load=0.9, drop=1e-9).results[0]
    assert {**one.inputs, **one} == {**other.inputs, **other}
    probabilities = answers.probability
    assert probabilities.objects.dtype == object and probabilities.shape == (2, 3)
    assert all(each < Fraction(1, 10**9) for each in probabilities.flat)
    frame = answers.to_pandas()
    assert list(frame["buffer"]) == answers.buffer.reshape(-1).tolist()
    assert (frame["probability_lower"] <= frame["probability_upper"]).all()
    assert list(answers.to_numpy().dtype.names) == frame.columns.to_list() and answers.to_numpy().size == 6
    assert answers.to_numpy("mean_occupancy").shape == (2, 3)


def test_numbers_agree_with_the_json() -> None:
    """Both ends of every number, to the digits written by the command, and its kind."""
    compared = 0
    for answer in (
        tb.buffer(inputs="4,16", load="0.5:0.9:0.1", drop=1e-15),
        tb.buffer(inputs=16, load=0.9, drop=1e-15, digits=40),
        tb.buffer(inputs=16, capacity=64, drop=1e-9, solve="load"),
        tb.buffer(shared=True, inputs=16, load=0.8, drop=1e-9),
        tb.buffer(inputs=8, load=0.6, burst=16, destination="per-packet", drop=1e-9),
        tb.simulate_tree(radix=4, levels=1, load=0.5, slots=3000, threads=1),
        tb.wormhole(topology="mesh", nodes=64, flits=32, loads="0.05,0.1"),
    ):
        shown = max(17, answer.digits + 3)
        for result, written in zip(answer.results, json.loads(answer.json())["results"]):
            for key, value in result.items():
                if not isinstance(value, tb.Number):
                    continue
                entry = written[key]
                assert entry["kind"] == value.kind
                if isinstance(value, (tb.Exact, tb.Enclosure)):
                    assert (entry["lower"], entry["upper"]) == (value.lower_text(shown), value.upper_text(shown))
                elif isinstance(value, tb.Bound):
                    text = value.upper_text(shown) if value.is_upper else value.lower_text(shown)
                    assert text in (entry.get("upper"), entry.get("lower"), entry.get("value"))
                elif isinstance(value, tb.Approximation):
                    assert Fraction(str(entry["value"])) == Fraction(_decimals.to_decimal(value.value, min(17, value.agreed_digits + 2)))
                else:
                    assert float(entry["value"]) == value.value  # type: ignore[attr-defined]
                compared += 1
    assert compared > 60


def test_lists_as_text_agree_with_the_command() -> None:
    answer = tb.buffer(inputs="8,16", load="0.5,0.7,0.9", drop=1e-9)
    assert answer.shape == (6,) and len(answer.results) == 6
    assert answer.buffer.tolist() == tb.buffer(inputs=[[8], [16]], load=[0.5, 0.7, 0.9], drop=1e-9).buffer.flatten().tolist()


def test_broadcasting_of_other_commands() -> None:
    answers = tb.delay(radix=4, levels=[1, 2], load=0.5)
    assert answers.shape == (2,)
    means = answers.to_numpy("mean_queueing_slots").tolist()
    assert means == sorted(means)
    strings = tb.buffer(inputs=4, load=0.5, drop=1e-6, criterion=["overflow", "loss"])
    assert strings.buffer.shape == (2,)
    levels = tb.occupancy(inputs=16, load=[0.5, 0.9], levels=[0, 10])
    assert levels.shape == (2,) and len(levels[1].tail) == 2


def test_many_on_all_cores() -> None:
    """The same results from any worker."""
    from tailbound import _ask

    found = list(_ask._on_all_cores(lambda place: tb.buffer(inputs=4, load=0.5, drop=f"1e-{place + 3}"), range(5)))
    assert [answer.buffer for answer in found] == [tb.buffer(inputs=4, load=0.5, drop=f"1e-{i + 3}").buffer for i in range(5)]
    assert found[0].text() == tb.buffer(inputs=4, load=0.5, drop=1e-3).text()
    with pytest.raises(tb.Unstable):
        list(_ask._on_all_cores(lambda place: tb.buffer(inputs=4, load=1.5, drop=1e-3), range(5)))


def test_a_killed_process_is_reported() -> None:
    from tailbound import _ask

    def work(place: int) -> int:
        if place == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return place

    iteration = iter(_ask._on_all_cores(work, range(8)))
    with pytest.raises(RuntimeError, match="ended by signal 9"):
        list(iteration)


def test_points_without_an_answer() -> None:
    answers = tb.buffer(inputs=16, load=[0.5, 1.5, 0.9], drop=1e-9)
    assert numpy.array_equal(answers.buffer, [16, numpy.nan, 94], equal_nan=True)
    with pytest.raises(tb.Unstable):
        answers[1]
    (place, error), = answers.errors
    assert place == (1,) and isinstance(error, tb.NoAnswer)
    with pytest.raises(tb.InvalidArgument):
        tb.buffer(inputs=16, load=[0.5, -1], drop=1e-9)
    with pytest.raises(ValueError):
        tb.buffer(inputs=16, load=[], drop=1e-9)
    with pytest.raises(ValueError):
        tb.buffer(inputs=[1, 2, 3], load=[0.1, 0.2], drop=1e-9)


def test_errors() -> None:
    with pytest.raises(tb.InvalidArgument, match="^drop is 2; it must be") as caught:
        tb.buffer(inputs=16, load=0.9, drop=2)
    assert isinstance(caught.value, ValueError)
    assert (caught.value.argument, caught.value.value) == ("drop", "2")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.argument, again.legal) == (str(caught.value), "drop", caught.value.legal)
    with pytest.raises(tb.NoAnswer, match="unstable"):
        tb.buffer(inputs=16, load=1.5, drop=1e-9)
    with pytest.raises(TypeError, match="unexpected keyword argument 'input'; did you mean 'inputs'"):
        tb.buffer(input=16)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="load is of type"):
        tb.buffer(inputs=16, load=object(), drop=1e-9)
    with pytest.raises(TypeError, match="shared is 'yes'"):
        tb.buffer(inputs=16, load=0.9, drop=1e-9, shared="yes")  # type: ignore[arg-type]
    with pytest.raises(AttributeError, match="did you mean 'buffer'\\? available keys: buffer"):
        tb.buffer(**ASKED).bufer  # noqa: B018
    with pytest.raises(KeyError):
        tb.buffer(**ASKED)["bufer"]  # noqa: B018


def test_pickling_answers() -> None:
    for answer in (tb.buffer(**ASKED), tb.occupancy(inputs=16, load=0.9, levels=[0, 50]), tb.buffer(**{**ASKED, "load": "0.5,0.9"})):
        again = pickle.loads(pickle.dumps(answer))
        assert again.text() == answer.text() and again.json() == answer.json() and again.keys() == answer.keys()
        assert again._repr_html_() == answer._repr_html_()
    many = tb.buffer(**{**ASKED, "load": [0.5, 2, 0.9]})
    again = pickle.loads(pickle.dumps(many))
    assert numpy.array_equal(again.buffer, many.buffer, equal_nan=True) and again[0].text() == many[0].text()
    assert str(again) == str(many) and isinstance(again.errors[0][1], tb.Unstable)


def test_networks(tmp_path: Path) -> None:
    described = {
        "hosts": ["a", "b", "c"], "switches": ["s"],
        "links": [{"from": ["a", "b", "c"], "to": "s", "both": True}],
        "flows": [("a", "c", 0.5), {"from": "b", "to": "c", "rate": Fraction(1, 3)}],
    }  # fmt: skip
    network = tb.Network.from_dict(described)
    network.save(tmp_path / "star.toml")
    graph = networkx.Graph([("a", "s"), ("b", "s"), ("c", "s")], flows=[("a", "c", 0.5), ("b", "c", "1/3")])
    answers = [tb.delay(network=each) for each in (tmp_path / "star.toml", described, network, graph, network.to_networkx())]
    numbers = [[result.mean_queueing_slots for result in answer.results] for answer in answers]
    assert len(numbers[0]) == 2 and all(each == numbers[0] for each in numbers)
    with pytest.raises(ValueError, match="unknown key 'host'"):
        tb.delay(network={"host": ["a"]})
    digraph = networkx.DiGraph([("a", "s"), ("s", "b")], flows=[("a", "b", 0.25)])
    assert tb.delay(network=digraph).results[0].inputs["flow"] == "a -> b"
    with pytest.raises(tb.Error):
        tb.delay(network={"hosts": ["a", "b"], "switches": [], "flows": [("a", "b", 0.5)]})


def test_sympy() -> None:
    z, p, k = sympy.symbols("z p k")
    formula = tb.pgf(inputs=k, load=k * p, of="arrivals").sympy()
    assert sympy.simplify(formula - (1 - p + p * z) ** k) == 0
    geometric = sympy.Rational(3, 5) / (1 - 0.4 * z)
    assert tb.buffer(arrivals=geometric, drop=1e-9).buffer == tb.buffer(arrivals="(3/5)/(1-2/5*z)", drop=1e-9).buffer
    poisson = tb.pgf(traffic="poisson", load="lambda", of="arrivals").sympy()
    assert sympy.simplify(poisson - sympy.exp(sympy.Symbol("lambda") * (z - 1))) == 0
    assert tb.buffer(arrivals=sympy.exp(sympy.Rational(1, 2) * (z - 1)), drop=1e-9).buffer == tb.buffer(
        traffic="poisson", load=0.5, drop=1e-9
    ).buffer
    queue = tb.pgf(inputs=4, load=0.8).sympy()
    mean = sympy.limit(sympy.diff(sympy.cancel(queue), z), z, 1)
    assert tb.buffer(inputs=4, load=0.8, drop=1e-9).mean_occupancy == Fraction(int(mean.p), int(mean.q))
    with pytest.raises(ValueError):
        tb.buffer(arrivals=sympy.pi * z, drop=1e-9)
    with pytest.raises(tb.ParseError):
        tb.buffer(arrivals=sympy.sqrt(z) + sympy.sin(z), drop=1e-9)


def test_pictures() -> None:
    import matplotlib.pyplot as pyplot

    for answer in (
        tb.buffer(inputs="8,16", load="0.1:0.9:0.2", drop=1e-9),
        tb.occupancy(inputs=16, load=0.9, until=1e-12),
        tb.delay(radix=4, levels=2, load=0.8, ccdf="0:20:1"),
        tb.multistage(nodes=64, hot=0.08, loads="0.1:0.9:0.2"),
        tb.buffer(inputs=16, load=[0.2, 0.5, 0.8], drop=1e-9),
        tb.buffer(**ASKED),
    ):
        picture = answer.picture()
        ax = answer.plot()
        assert ax.get_xlabel() == picture["x_label"] and ax.get_ylabel() == picture["y_label"]
        assert len(ax.lines) >= len(picture["curves"])
        xs = [x for curve in picture["curves"] for x, _ in curve["points"]]
        assert ax.get_xlim()[0] <= min(xs) and max(xs) <= ax.get_xlim()[1]
        bundle = answer._repr_mimebundle_()
        assert "<table" in bundle["text/html"] and "data:image/svg+xml;base64," in bundle["text/html"]
        pyplot.close(ax.figure)
    figure, ax = pyplot.subplots()
    assert tb.occupancy(inputs=16, load=0.9, until=1e-6).plot(ax=ax) is ax
    pyplot.close(figure)
    with pytest.raises(tb.NoAnswer):
        tb.pgf(inputs="k", load="k*p").plot()
    # A network has a drawing but no curves.
    network = tb.network("fat-tree", radix=4, uniform=0.4)
    assert ">core0<" in network.svg() and "data:image/svg+xml" in network._repr_mimebundle_()["text/html"]
    with pytest.raises(tb.NoAnswer, match="svg"):
        network.plot()
    # The same picture as in the file of the command.
    assert pickle.loads(pickle.dumps(tb.buffer(**ASKED))).svg() == tb.buffer(**ASKED).svg()


def test_simulation_and_verdict() -> None:
    answer = tb.simulate_tree(radix=4, levels=1, load=0.5, slots=3000, threads=1)
    assert isinstance(answer.mean_queueing_slots, tb.Estimate) and answer.mean_queueing_slots.unit == "slots"
    frame = answer.percentiles.to_pandas()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == len(answer.percentiles)
    assert isinstance(tb.validate_multistage(nodes=16, hot=0.1, loads=0.3, slots=2000).ok, bool)


def test_progress() -> None:
    told: list[tuple[float, float]] = []
    tb.simulate_tree(radix=4, levels=2, load=0.7, slots=400_000, threads=1, progress=lambda done, left: told.append((done, left)))
    assert all(0 <= done <= 1 for done, _ in told)


def interrupt_after(seconds: float) -> None:
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()


def test_ctrl_c_stops_a_simulation() -> None:
    begun = time.monotonic()
    interrupt_after(0.3)
    with pytest.raises(tb.Stopped) as caught:
        tb.simulate_tree(radix=8, levels=3, load=0.8, slots=10**8)
    assert time.monotonic() - begun < 30
    if caught.value.partial is not None:
        assert caught.value.partial.stopped
    assert tb.buffer(**ASKED).buffer == 157


def test_ctrl_c_stops_a_list() -> None:
    """Its points are computed by processes, which are ended."""
    interrupt_after(0.3)
    with pytest.raises(KeyboardInterrupt):
        tb.buffer(inputs=300, load="0.99:0.9999:0.0001", drop=1e-300, digits=200)
    assert tb.buffer(**ASKED).buffer == 157


def test_ctrl_c_abandons_work_that_does_not_check() -> None:
    """In a separate process, since abandoned work continues until the process ends."""
    code = """
import os, signal, threading, time
import tailbound as tb
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.monotonic()
try:
    tb.buffer(inputs=1000, load="0.9999", drop="1e-3000", digits=2000)
except KeyboardInterrupt:
    print("ended" if time.monotonic() - begun < 20 else "late")
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert (run.stdout, run.returncode) == ("ended\n", 0), run.stderr


def test_threads_take_turns() -> None:
    """Queries of several Python threads, fast and slow ones."""
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for i in range(20):
                assert tb.buffer(inputs=16, load=0.9, drop=1e-15).buffer == 157
                load = Fraction(seed + 1, 7)
                assert tb.buffer(inputs=4, load=load, drop=1e-6, digits=12).inputs["load"] == load
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


class MallInfo(ctypes.Structure):
    """Memory allocated by malloc (glibc)."""

    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")]  # fmt: skip


def in_use() -> tuple[int, int]:
    """Allocated bytes of malloc and blocks of Python. The memory of the process is less precise: the allocator keeps
    some, and the system moves pages in and out."""
    gc.collect()
    mallinfo2 = ctypes.CDLL(None).mallinfo2
    mallinfo2.restype = MallInfo
    info = mallinfo2()
    return info.uordblks + info.hblkhd, sys.getallocatedblocks()


def test_no_leak() -> None:
    """Allocated memory after many calls equals that after some. At full depth one object lost in 50 calls is
    detected."""
    calls = 200_000 if FULL else 6_000

    def ask(count: int) -> None:
        for i in range(count):
            answer = tb.buffer(inputs=2, load=0.1, drop=1e-3)
            if i % 50 == 0:
                answer.text()
                answer.probability  # noqa: B018
                try:
                    tb.buffer(inputs=2, load=0.1, drop=3)
                except tb.InvalidArgument:
                    pass

    ask(2_000)
    bytes_before, blocks_before = in_use()
    ask(calls)
    bytes_after, blocks_after = in_use()
    print(f"{calls} calls: {bytes_after - bytes_before} bytes and {blocks_after - blocks_before} blocks more")
    assert bytes_after - bytes_before < 60_000  # caches of threads, independent of the number of calls
    assert blocks_after - blocks_before < 500 + calls // 100
