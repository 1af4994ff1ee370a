"""Many answers as arrays and tables: floats agree with the numbers, are fast, and tables are limited."""

import copy
import math
import pickle
import re
import time
from fractions import Fraction
from typing import Any, Callable

import numpy
import pandas
import pytest

import tailbound as tb
from tailbound import _tailbound
from tailbound._columns import Numbers
from tailbound._values import nearest

LOADS = numpy.linspace(0.1, 0.95, 10_000)


@pytest.fixture(scope="module")
def many() -> Any:
    return tb.buffer(inputs=16, load=LOADS, drop=1e-15, progress=False)


@pytest.fixture(scope="module")
def small() -> Any:
    """1e-400 and smaller, a subnormal, ordinary numbers, and a point without an answer."""
    return tb.buffer(inputs=16, load=[0.5, 0.9, 1.5], capacity=[[700], [560], [20]])


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def check(numbers: Any) -> int:
    """Each float agrees with its number."""
    for place in numpy.ndindex(numbers.shape):
        number = numbers[place]
        floats = [float(each[place]) for each in (numbers.middle, numbers.lower, numbers.upper)]
        if number is None:
            assert all(map(math.isnan, floats))
            continue
        assert floats == [nearest(number), number.lower, number.upper], number
        assert floats[1] <= floats[0] <= floats[2]
    return int(numbers.size)


def test_floats_agree_with_the_numbers(many: Any, small: Any) -> None:
    for key in ("probability", "probability_before", "mean_occupancy", "decay_rate", "loss"):
        part = getattr(many, key)[::97]
        assert check(part) == 104 and all(isinstance(each, (tb.Number, type(None))) for each in part.flat)
    checked = sum(check(getattr(small, key)) for key in ("probability", "mean_occupancy"))
    assert checked == 18
    kinds = set()
    for answer in (
        tb.buffer(inputs="4,16", load="0.5:0.9:0.1", drop=1e-15),
        tb.buffer(inputs=16, capacity="16,64", drop=1e-9, solve="load"),
        tb.buffer(shared=True, inputs="8,16", load=0.8, drop=1e-9),
        tb.buffer(inputs=8, load="0.5,0.6", burst=16, destination="per-packet", drop=1e-9),
        tb.simulate_tree(radix=4, levels=1, load="0.3,0.5", slots=3000, threads=1),
        tb.wormhole(topology="mesh", nodes=64, flits=32, loads="0.05,0.1"),
        tb.delay(radix=4, levels=[1, 2], load=0.5),
        tb.buffer(inputs=16, load=[0.5, 0.7], drop=1e-9, digits=12)[0:2],
    ):
        columns = answer._floats()
        for key in columns.keys():
            kind, *floats = columns.column(key)
            numbers = [{**result._times, **result.inputs, **result}.get(key) for result in answer.results]
            kinds.add(kind)
            if kind == "number":
                for row, number in enumerate(numbers):
                    if isinstance(number, tb.Number):
                        kinds.add(number.kind)
                        expected = nearest(number), number.lower, number.upper
                        assert all(same(float(column[row]), value) for column, value in zip(floats, expected)), (key, number)
            elif kind == "text":
                assert floats[0] == numbers
            elif kind in ("given", "whole"):
                assert all(same(float(a), math.nan if b is None else float(b)) for a, b in zip(floats[0], numbers))
    assert kinds >= {"number", "whole", "given", "text", "exact", "enclosure", "bound", "approximation", "model", "estimate"}


def test_numbers_outside_the_range_of_floats(small: Any) -> None:
    tiny = small.probability
    assert tiny.middle[0, 0] == 0 and tiny.lower[0, 0] == 0 and tiny.upper[0, 0] == 5e-324
    exponent = tiny.log10()[0, 0]
    assert exponent < -324 and numpy.log10(tiny)[0, 0] == exponent == numpy.log10(tiny[0, 0])
    text = f"{tiny[0, 0]:.4e}"
    assert float(text.split("e")[1]) == math.floor(exponent) and "0.0000e" not in text
    assert tiny[0, 0] > 0 and str(tiny[0, 0]).endswith(text[text.index("e") :])
    assert 0 < tiny.middle[1, 0] < 1e-307 and abs(tiny.log10()[1, 0] - tiny[1, 0].log10()) < 1e-12
    assert math.isnan(tiny.middle[0, 2]) and tiny[0, 2] is None and math.isnan(tiny.log10()[0, 2])


def test_numpy_and_matplotlib_accept_them(many: Any) -> None:
    import matplotlib.pyplot as pyplot

    probability = many.probability
    assert numpy.asarray(probability).dtype == float and numpy.asarray(probability, dtype=object)[3] == probability[3]
    assert numpy.allclose(numpy.log10(probability), numpy.log10(probability.middle), rtol=1e-15)
    assert numpy.sqrt(probability).dtype == float and numpy.isfinite(probability).all()
    _, ax = pyplot.subplots()
    pyplot.semilogy(LOADS, probability)
    assert (ax.lines[0].get_ydata(orig=False) == probability.middle).all() and (ax.lines[0].get_xdata() == LOADS).all()
    pyplot.close()
    assert pandas.Series(probability).dtype == float


def test_intervals_decide_comparisons_and_arithmetic() -> None:
    answers = tb.buffer(inputs=16, load=[0.5, 0.7, 0.9], drop=1e-15)
    assert (answers.probability < 1e-15).tolist() == [True, True, True]
    assert (1e-15 > answers.probability).all() and not (answers.probability >= 1e-15).any()
    inside = Fraction(answers.probability.middle[2])
    with pytest.raises(tb.Undecided):
        answers.probability < inside  # noqa: B015
    twice = 2 * answers.probability
    assert isinstance(twice, Numbers) and check(twice) == 3 and isinstance(twice[0], tb.Enclosure)
    assert (twice / answers.probability).lower.max() <= 2 <= (twice / answers.probability).upper.min()
    assert (numpy.array([1, 2, 3]) * answers.mean_occupancy)[2] == 3 * answers.mean_occupancy[2]


def test_numbers_as_arrays() -> None:
    answers = tb.buffer(inputs=[[8], [16]], load=[0.5, 0.7, 0.9], drop=1e-9)
    numbers = answers.probability
    assert (numbers.ndim, numbers.size, len(numbers), numbers.unit) == (2, 6, 2, "")
    assert numbers[1].shape == (3,) and numbers[:, 1].shape == (2,) and numbers[1, 1] == numbers[1][1]
    assert numbers[1].middle.tolist() == numbers.middle[1].tolist()
    assert [row.shape for row in numbers] == [(3,), (3,)] and numbers.tolist()[1][2] == numbers[1, 2]
    assert answers.mean_occupancy.unit == "packets"
    for again in (pickle.loads(pickle.dumps(numbers)), copy.copy(numbers)):
        assert again.middle.tolist() == numbers.middle.tolist() and again[1, 2] == numbers[1, 2]
    assert re.fullmatch(r"<Numbers: 2 x 3: [^,]*(, [^,]*){5}>", repr(numbers))
    with pytest.raises(TypeError):
        hash(numbers)


def test_columns_survive_a_pickle(many: Any) -> None:
    columns = many._floats()
    again = pickle.loads(pickle.dumps(columns))
    assert again.keys() == columns.keys() and len(again) == len(columns)
    for key in columns.keys():
        for a, b in zip(columns.column(key), again.column(key)):
            assert numpy.array_equal(a, b, equal_nan=True) if isinstance(a, numpy.ndarray) else a == b
    code = pickle.dumps(columns)
    with pytest.raises(Exception):
        pickle.loads(code.replace(len(columns).to_bytes(8, "little"), (len(columns) + 1).to_bytes(8, "little"), 1))
    joined = _tailbound.Columns()
    for part in (columns, tb.delay(radix=4, levels=1, load=0.5)._floats(), columns):
        joined.append(part)
    assert len(joined) == 2 * len(columns) + 1
    assert math.isnan(joined.column("probability")[1][len(columns)]) and joined.column("mean_queueing_slots")[0] == "number"
    assert joined.column("buffer")[1].dtype == float  # one row has none


def cheapest(work: Callable[[], Any], times: int = 3) -> float:
    """Processor time of the best of some runs, which is hardly affected by other load [s]."""
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return min(spent)


def test_ten_thousand_answers_are_fast(many: Any) -> None:
    """Value by value, each of these would take more than a second."""
    fresh = copy.copy(many)
    assert cheapest(lambda: fresh.probability.middle) < 0.05
    assert cheapest(fresh.to_numpy) < 0.05
    assert cheapest(fresh.to_pandas) < 0.05
    square = tb.buffer(inputs=16, load=LOADS.reshape(100, 100), drop=1e-15, progress=False)
    assert cheapest(square._repr_mimebundle_) < 0.1 and cheapest(lambda: str(square)) < 0.1


def test_frames(many: Any) -> None:
    frame, records = many.to_pandas(), many.to_numpy()
    assert len(frame) == len(records) == 10_000 and list(frame.columns) == list(records.dtype.names)
    assert frame["buffer"].dtype == numpy.int64 and (frame["buffer"] == many.buffer).all()
    assert (frame["probability"] == many.probability.middle).all() and (records["probability_upper"] == many.probability.upper).all()
    assert set(frame["traffic"]) == {"bernoulli"} and numpy.allclose(frame["load"], LOADS, rtol=1e-15)
    assert many.to_numpy("probability").dtype == float and many.to_numpy("load").tolist() == frame["load"].tolist()
    failed = tb.buffer(inputs=[[8], [16]], load=[0.5, 1.5, 0.9], drop=1e-9)
    assert failed.to_pandas().index.to_list() == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    objects = failed.to_pandas(objects=True)
    assert isinstance(objects["probability"].iloc[5], tb.Enclosure) and objects.index.equals(failed.to_pandas().index)
    several = tb.delay(radix=4, levels=[1, 2], load="0.3,0.5")
    assert several.to_pandas().index.to_list() == [0, 0, 1, 1] and len(several.mean_queueing_slots) == 2
    table = tb.occupancy(inputs=16, load=0.9, levels=[0, 50]).tail
    assert pickle.loads(pickle.dumps(table)).to_pandas().equals(table.to_pandas()) and len(table.to_pandas()) == 2


def test_shown_as_small_tables(many: Any) -> None:
    lines = str(many).splitlines()
    assert len(lines) == 22 and lines[0].startswith("load [packets/slot]  buffer [packets]  P(Q > buffer)  ") and lines[-1] == "... 9980 more answers"
    shown = many._repr_html_()
    assert shown.count("<tr>") == 51 and "... 9950 more answers" in shown and "<th>load" in shown
    square = tb.buffer(inputs=[[8], [16]], load=[0.5, 1.5, 0.9], drop=1e-9)
    assert str(square).splitlines()[0].startswith("inputs  load") and len(str(square).splitlines()) == 7
    assert len(str(tb.buffer(inputs=16, load=[1.5, 2], drop=1e-9)).splitlines()) == 3
    failing = tb.buffer(inputs=16, load=[0.5] * 30 + [1.5] * 2, drop=1e-9)
    assert str(failing).splitlines()[-1] == "... 12 more answers, 2 without an answer"
    several = tb.delay(radix=4, levels=[1] * 30, load="0.3,0.5")
    assert str(several).splitlines()[-1] == "... 20 more results of the first 20 answers, 10 more answers"
    long = tb.occupancy(inputs=16, load=0.9, levels="0:100:1").tail
    assert long._repr_html_().count("<tr>") == 51 and "... 51 more" in long._repr_html_()
    listed = tb.buffer(inputs=16, load="0.01:0.9:0.01", drop=1e-9)
    assert listed._repr_html_().count("<tr>") == 51 and "... 40 more" in listed._repr_html_()


def test_formats_of_one_number() -> None:
    x = tb.buffer(inputs=16, load=0.9, drop=1e-15).probability
    assert (f"{x:.3e}", f"{x:.3g}", f"{x:>20}", f"{x}") == ("8.704e-16", "8.7e-16", "8.7035435578e-16".rjust(20), "8.7035435578e-16")
    assert f"{tb.Exact('1/3'):.4f} {tb.Exact('1/3'):8.1%}" == "0.3333    33.3%"
    assert f"{tb.Bound('0.12341', True):.4f} {tb.Bound('0.12349', False):.4f}" == "0.1235 0.1234"
    assert f"{tb.Bound('1e-5', True):.2e} {tb.Bound('-1e-400', False):.1e}" == "1.00e-05 -1.0e-400"
    assert f"{tb.Estimate(2.3, 2.2, 2.4):.2f} {tb.Model(0.25):.1e} {tb.Approximation('0.5', 3):g}" == "2.30 2.5e-01 0.5"
    assert f"{tb.Exact(10**400):.2e} {tb.Exact(0):.1e} {tb.Bound(0, True):.1f}" == "1.00e+400 0.0e+00 0.0"
    assert tb.Exact(0).log10() == -math.inf and math.isnan(tb.Exact(-1).log10()) and tb.Exact(10**400).log10() == 400
    with pytest.raises(ValueError):
        f"{x:d}"
