"""Lists in which a tenth of the points has no answer: the others are answered, in every format and from arrays."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Callable

import numpy
import pytest

import tailbound as tb


def _values(count: int, first: float, last: float, impossible: float) -> list[str]:
    """Decimals; every tenth is impossible."""
    possible = [f"{first + (last - first) * i / count:.6f}" for i in range(count)]
    return [str(impossible) if i % 10 == 9 else text for i, text in enumerate(possible)]


_SWITCH = {"inputs": 4, "slots": 400, "replications": 2, "threads": 1}
_MESH = {"topology": "mesh", "nodes": 16, "flits": 4, "cycles": 2000, "replications": 2, "threads": 1}
_CUBE = {"dimensions": 3, "virtual_channels": 2, "flits": 4, "broadcast": "0.1"}
_TREE = {"radix": 4, "levels": 1, "slots": 1000, "replications": 2, "threads": 1}

CASES = [
    (tb.buffer, {"inputs": 16, "drop": "1e-9"}, "load", _values(1000, 0.05, 0.95, 1.5)),
    (tb.buffer, {"inputs": 4, "drop": "1e-6", "shared": True}, "load", _values(30, 0.2, 0.8, 1)),
    (tb.buffer, {"inputs": 4, "drop": "1e-6", "sizes": "64:1,256:1"}, "load", _values(1000, 0.1, 0.9, 1.5)),
    (tb.occupancy, {"inputs": 16, "levels": "0,10"}, "load", _values(1000, 0.05, 0.95, 1.5)),
    (tb.delay, {"radix": 4, "levels": 1}, "load", _values(1000, 0.05, 0.95, 1)),
    (tb.wormhole, {"topology": "mesh", "nodes": 16, "flits": 16}, "loads", _values(1000, 0.01, 0.3, 5)),
    (tb.broadcast, _CUBE, "rates", _values(200, 0.001, 0.02, 0.9)),
    (tb.simulate_switch, _SWITCH, "load", _values(20, 0.1, 0.8, 1)),
    (tb.simulate_tree, _TREE, "load", _values(20, 0.1, 0.8, 1)),
    (tb.simulate_wormhole, _MESH, "loads", _values(20, 0.05, 0.2, 0.9)),
    (tb.simulate_hypercube, {**_CUBE, "cycles": 2000, "replications": 2, "threads": 1}, "rates", _values(20, 0.005, 0.02, 0.9)),
    (tb.validate_buffer, {**_SWITCH, "slots": 2000}, "load", _values(20, 0.3, 0.8, 1)),
    (tb.validate_switch, {**_SWITCH, "slots": 2000}, "load", _values(10, 0.3, 0.6, 1)),
    (tb.validate_delay, {**_TREE, "slots": 2000}, "load", _values(20, 0.3, 0.8, 1)),
    (tb.validate_wormhole, _MESH, "loads", _values(20, 0.05, 0.2, 0.9)),
    (tb.validate_broadcast, {**_CUBE, "cycles": 4000, "replications": 2, "threads": 1}, "rates", _values(20, 0.005, 0.02, 0.9)),
]


@pytest.mark.parametrize("ask, given, key, values", CASES, ids=lambda value: getattr(value, "__name__", None))
def test_points_without_an_answer_keep_their_row(
    ask: Callable[..., Any], given: dict[str, Any], key: str, values: list[str]
) -> None:
    answer = ask(**given, **{key: ",".join(values)})
    rejected = [i for i, value in enumerate(values) if i % 10 == 9]
    assert not answer.ok and not answer.stopped
    name = key if key in answer.columns else key.removesuffix("s")
    assert [float(result.inputs[name]) for result in answer.results] == [float(value) for value in values]
    assert [i for i, result in enumerate(answer.results) if result["status"] == "no answer"] == rejected
    assert all(answer.results[i]["reason"] for i in rejected)
    assert {result["status"] for i, result in enumerate(answer.results) if i not in rejected} == {"answered"}
    counted = f"{len(rejected)} of {len(values)} points {'has' if len(rejected) == 1 else 'have'} no answer"
    assert counted in answer.headline

    written = json.loads(answer.json())["results"]
    assert [i for i, row in enumerate(written) if row["status"] == "no answer"] == rejected
    rows = list(csv.DictReader(io.StringIO(answer.csv(quiet=True))))
    assert [float(row[name]) for row in rows if row["status"] == "no answer"] == [float(values[i]) for i in rejected]
    assert {float(row[name]) for row in rows} == {float(value) for value in values}  # one with tables has several rows
    assert answer.text().count("no answer\n") == len(rejected)
    assert answer.markdown() and answer.html()

    answered = [value for i, value in enumerate(values) if i % 10 != 9]
    alone = ask(**given, **{key: ",".join(answered)})
    found = [result for i, result in enumerate(answer.results) if i not in rejected]
    if "threads" not in given:  # a simulation of more points is shorter for each
        for one, other in zip(found, alone.results):
            assert {**one, "status": None} == {**other, "status": None}


def test_a_list_without_any_answer_says_why() -> None:
    with pytest.raises(tb.NoAnswer, match="unstable"):
        tb.buffer(inputs=16, load="1.5,1.6", drop="1e-9")
    with pytest.raises(tb.NoAnswer, match="saturated at load 3"):
        tb.wormhole(topology="mesh", nodes=16, flits=16, loads="3,5")


@pytest.mark.parametrize(
    "ask, given, key, values",
    [case for case in CASES if case[2] == "load" and "threads" not in case[1]],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_an_array_is_the_list(ask: Callable[..., Any], given: dict[str, Any], key: str, values: list[str]) -> None:
    listed = ask(**given, **{key: ",".join(values)})
    array = ask(**given, **{key: numpy.array([float(value) for value in values])})
    assert array.shape == (len(values),)
    assert [place for (place,), _ in array.errors[:3]] == [9, 19, 29][: len(array.errors)]
    assert array.csv() == listed.csv()
    for key_ in ("buffer", "memory", "mean_occupancy", "mean_latency_slots"):
        if key_ in listed.keys():
            ours, theirs = array[key_], listed[key_]
            assert [repr(value) for value in getattr(ours, "flat", ours)] == [repr(value) for value in getattr(theirs, "flat", theirs)]


def test_a_grid_is_the_list_of_combinations() -> None:
    drops, loads = ["1e-6", "1e-9"], [0.5, 1.5, 0.9]
    grid = tb.buffer(inputs=16, drop=[[each] for each in drops], load=loads)  # the command varies the target fastest
    assert grid.shape == (2, 3)
    for i, drop in enumerate(drops):
        for j, load in enumerate(loads):
            if load < 1:
                assert grid.buffer[i, j] == tb.buffer(inputs=16, drop=drop, load=load).buffer
    assert sorted(place for place, _ in grid.errors) == [(0, 1), (1, 1)]
    with pytest.raises(tb.Unstable):
        grid[0, 1]


def test_arrays_along_one_axis_are_taken_in_pairs() -> None:
    pairs = tb.buffer(inputs=16, load=[0.5, 0.9], drop=[1e-6, 1e-9])
    assert pairs.buffer.tolist() == [tb.buffer(inputs=16, load=0.5, drop=1e-6).buffer, tb.buffer(inputs=16, load=0.9, drop=1e-9).buffer]
