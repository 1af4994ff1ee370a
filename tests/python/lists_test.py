"""One kind of list: text, lists, arrays and columns of pandas give the same answers. Lists in which a tenth of the points
has no answer: the others are answered, in every format and from arrays."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Callable

import numpy
import pandas
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
    (tb.buffer, {"inputs": 16, "drop": "1e-9"}, "load", _values(100, 0.05, 0.95, 1.5)),
    (tb.buffer, {"inputs": 4, "drop": "1e-6", "shared": True}, "load", _values(30, 0.2, 0.8, 1)),
    (tb.buffer, {"inputs": 4, "drop": "1e-6", "sizes": "64:1,256:1"}, "load", _values(100, 0.1, 0.9, 1.5)),
    (tb.occupancy, {"inputs": 16, "levels": "0,10"}, "load", _values(100, 0.05, 0.95, 1.5)),
    (tb.delay, {"radix": 4, "levels": 1}, "load", _values(100, 0.05, 0.95, 1)),
    (tb.wormhole, {"topology": "mesh", "nodes": 16, "flits": 16}, "loads", _values(100, 0.01, 0.3, 5)),
    (tb.broadcast, _CUBE, "rates", _values(50, 0.001, 0.02, 0.9)),
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


NAN = float("nan")


def test_a_list_is_the_same_however_it_is_given() -> None:
    loads = [0.5, 0.7, 0.9]
    for ask, given in ((tb.buffer, dict(inputs=16, drop=1e-9)), (tb.delay, dict(radix=4, levels=2))):
        text = ask(**given, load="0.5,0.7,0.9")  # type: ignore[operator]
        for form in (loads, tuple(loads), numpy.array(loads), pandas.Series(loads), tb.grid("0.5", "0.9", "0.2"), "0.5:0.9:0.2"):
            other = ask(**given, load=form)  # type: ignore[operator]
            assert type(other) is type(text) is tb.Answers and other.shape == text.shape == (3,)
            assert other.to_pandas().equals(text.to_pandas()) and repr(other.to_numpy()) == repr(text.to_numpy())
            assert (repr(other), other._repr_html_(), other.text(), other.svg()) == (repr(text), text._repr_html_(), text.text(), text.svg())
            assert other.keys() == text.keys() and other.inputs == text.inputs and len(other.results) == 3
            assert isinstance(other[0], tb.Answer) and [type(each) for each in other] == [tb.Answer] * 3
    assert tb.buffer(inputs=16, drop=1e-9, load=[0.5]).shape == tb.buffer(inputs=16, drop=1e-9, load="0.5:0.5:0.1").shape == (1,)
    assert tb.wormhole(topology="mesh", nodes=16, flits=4, loads=[0.1]).shape == (1,) and tb.buffer(inputs=16, drop=1e-9, load="0.5").shape == ()


def test_percentiles_are_columns() -> None:
    answers = tb.delay(radix=4, levels=2, load=[0.3, 0.9], percentiles=[50, 99.99])
    by_hand = [[row["latency_slots"] for row in result.percentiles] for result in answers.results]
    frame = answers.to_pandas()
    assert frame[["latency_slots_50", "latency_slots_99.99"]].to_numpy().tolist() == by_hand
    assert answers["latency_slots_99.99"].tolist() == frame["latency_slots_99.99"].tolist() and answers["latency_slots_99.99"].dtype.kind == "i"
    assert answers[1]["latency_slots_99.99"] == by_hand[1][1] and answers.percentiles[0][1].latency_slots == by_hand[0][1]
    assert "99.99 %" in str(answers).splitlines()[0] and "99.99 %" in answers._repr_html_()
    simulated = tb.simulate_tree(radix=4, levels=1, load=[0.3, 0.5], slots=1000, threads=1)
    assert (simulated.to_pandas()["latency_slots_99_upper"] >= simulated["latency_slots_99"].middle).all()
    classes = tb.simulate_classes(inputs=4, classes="0.3,0.4", percentiles=[99], slots=1000, threads=1, schedule="strict,drr")
    assert "class_2_wait_slots_99" in classes.to_pandas() and "class 2 99 % wait" in str(classes[0:1])
    curves = [curve["title"] for curve in answers.picture()["curves"]]
    assert any("99.99" in title for title in curves), curves


def test_missing_values_are_a_reason_of_their_row() -> None:
    masked = numpy.ma.array([0.5, 0.7, 0.9], mask=[False, True, False])
    for form, reason in (([0.5, NAN, 0.9], "nan"), ([0.5, None, 0.9], "None"), (numpy.array([0.5, NAN, 0.9]), "nan"), (masked, "masked"),
                         (pandas.Series([0.5, None, 0.9]), "nan"), (pandas.Series([0.5, None, 0.9], dtype="Float64"), "missing"),
                         ("0.5,nan,0.9", "nan")):  # fmt: skip
        answers = tb.buffer(inputs=16, load=form, drop=1e-9)
        assert numpy.array_equal(answers.buffer, [16, NAN, 94], equal_nan=True), form
        assert answers.reason.tolist()[1] == f"load is {reason}" and answers.status.tolist() == ["answered", "no answer", "answered"]
        frame = answers.to_pandas()
        assert numpy.array_equal(frame["load"], [0.5, NAN, 0.9], equal_nan=True) and frame["inputs"].tolist() == [16] * 3
        assert numpy.isnan(answers.to_numpy("probability")[1]) and answers.to_numpy()["reason"][1] == f"load is {reason}"
        assert str(answers).splitlines()[2].split()[:3] == ["NaN"] * 3 and f"load is {reason}" in answers._repr_html_()
        assert not answers.ok and len(answers.errors) == 1 and len(answers.results) == 3 and "buffer" in answers.svg()
        with pytest.raises(tb.NoAnswer, match="load is"):
            answers[1]
    worms = tb.wormhole(topology="mesh", nodes=16, flits=4, loads=[0.1, NAN, 0.2])
    assert numpy.isnan(worms.to_pandas()["load"]).tolist() == [False, True, False]
    with pytest.raises(tb.InvalidArgument, match="levels has a value that is nan"):
        tb.occupancy(inputs=16, load=0.9, levels=[0, NAN])
    pairs = tb.buffer(inputs=16, load=[0.5, 1.5, NAN], drop=[1e-6, 1e-9, 1e-9]).to_pandas()
    assert numpy.array_equal(pairs["load"], [0.5, 1.5, NAN], equal_nan=True) and pairs["drop"].tolist() == [1e-6, 1e-9, 1e-9]
    assert pairs["inputs"].tolist() == [16] * 3 and pairs["reason"][1].startswith("the queue is unstable")
    nothing = tb.buffer(inputs=16, load=[NAN, 1.5], drop=1e-9).to_pandas()
    assert nothing.columns.to_list() == ["load", "status", "reason"] and nothing["load"].tolist()[1] == 1.5


def test_masks_and_lists_of_indices() -> None:
    answers = tb.buffer(inputs=[[8], [16]], load=[0.5, 1.5, 0.9], drop=1e-9)
    numbers = answers.to_numpy("probability")
    for place in (answers.buffer > 20, [0], [1, 0], (slice(None), [0, 2]), (Ellipsis, 2), numpy.array([[True, False, True], [False] * 3]), (1,)):
        assert numpy.array_equal(answers[place].to_numpy("probability"), numbers[place], equal_nan=True)
    assert answers[answers.probability < 1e-10].shape == (0,) and answers[:, 1:1].buffer.shape == (2, 0)
    assert answers[1, -1].buffer == 94 and answers[-1][0].buffer == 16
    assert (2 * answers.probability)[0, 1] is None and not (answers.probability < 1)[0, 1] and (answers.probability != 1)[0, 1]
    for place in (2, (0, 3), [5], numpy.array([True])):
        with pytest.raises(IndexError):
            answers[place]


def test_pairs_of_arrays_are_not_simulated_either(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = tb.delay(radix=4, levels=[1, 2], load=[0.3, 0.5])
    assert pairs[1].json() == tb.delay(radix=4, levels=2, load=0.5, analysis=True).json()
