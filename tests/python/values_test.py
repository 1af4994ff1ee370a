"""Numbers: arithmetic, comparison, text and pickling preserve their intervals. Fractions are the reference."""

import itertools
import math
import operator
import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tailbound as tb
from conftest import cases
from tailbound import _decimals

fractions = st.one_of(
    st.fractions(max_denominator=10**6),
    st.builds(lambda n, e: Fraction(n) * Fraction(2) ** e, st.integers(-(2**60), 2**60), st.integers(-400, 400)),
    st.builds(Fraction, st.floats(allow_nan=False, allow_infinity=False)),
    st.sampled_from([Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 3)]),
)
OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


@st.composite
def proved(draw: Any) -> tuple[tb.Number, Fraction]:
    """A proved number, and a value that it contains."""
    truth = draw(fractions)
    kind = draw(st.sampled_from(["exact", "enclosure", "below", "above"]))
    if kind == "exact":
        return tb.Exact(truth), truth
    width = abs(draw(fractions))
    if kind == "enclosure":
        return tb.Enclosure(truth - width, truth + abs(draw(fractions))), truth
    return (tb.Bound(truth + width, True), truth) if kind == "below" else (tb.Bound(truth - width, False), truth)


@cases(40, 800)
@given(st.lists(proved(), min_size=8, max_size=8))
def test_arithmetic_encloses(numbers: Any) -> None:
    """256 cases each: every pair with every operation. Full depth: 2 10^5 cases."""
    for (a, x), (b, y), (sign, act) in itertools.product(numbers, numbers, OPERATIONS.items()):
        try:
            truth = act(x, y)
            found = act(a, b)
        except ZeroDivisionError:
            continue
        except OverflowError:
            raise
        except ArithmeticError as error:  # bounds on both sides give no interval
            assert "is unbounded" in str(error)
            continue
        assert found.lower_fraction <= truth <= found.upper_fraction, (a, sign, b)
        if isinstance(a, tb.Exact) and isinstance(b, tb.Exact):
            assert isinstance(found, tb.Exact) and found.value == truth


@cases(50, 4_000)
@given(st.lists(proved(), min_size=4, max_size=4), fractions, st.sampled_from(["fraction", "float", "int"]))
def test_scalars(numbers: Any, scalar: Fraction, kind: str) -> None:
    given_: Any = scalar
    if kind == "int":
        given_ = round(scalar)
    elif kind == "float":
        given_ = float(scalar)
    value = _decimals.exact(given_)
    for (a, x), act, swapped in itertools.product(numbers, OPERATIONS.values(), (False, True)):
        try:
            truth = act(value, x) if swapped else act(x, value)
            found = act(given_, a) if swapped else act(a, given_)
        except ZeroDivisionError:
            continue
        assert found.lower_fraction <= truth <= found.upper_fraction
        assert found.lower <= truth <= found.upper


@cases(100, 10_000)
@given(fractions, fractions, fractions)
def test_products_stay_narrow(a: Fraction, b: Fraction, scale: Fraction) -> None:
    """Ends are rounded to 128 bits, and not more."""
    lower, upper = sorted((a, b))
    product = tb.Enclosure(lower, upper) * scale
    ends = sorted((lower * scale, upper * scale))
    for got, true in zip((product.lower_fraction, product.upper_fraction), ends):
        assert abs(got - true) <= abs(true) / 2**127


@cases(30, 1_000)
@given(st.lists(proved(), min_size=6, max_size=6))
def test_comparison_never_guesses(numbers: Any) -> None:
    for (a, x), (b, y), act in itertools.product(numbers, numbers, (operator.lt, operator.le, operator.gt, operator.ge)):
        try:
            said = act(a, b)
        except tb.Undecided:
            assert not (isinstance(a, tb.Exact) and isinstance(b, tb.Exact))
            continue
        assert said == act(x, y)


@cases(100, 10_000)
@given(proved())
def test_round_trips(left: Any) -> None:
    a, _ = left
    again = pickle.loads(pickle.dumps(a))
    assert type(again) is type(a) and again == a and hash(again) == hash(a) and repr(again) == repr(a)
    assert again.lower_fraction == a.lower_fraction and again.upper_fraction == a.upper_fraction


@cases(100, 10_000)
@given(fractions, st.integers(2, 40))
def test_decimals_have_directed_rounding(value: Fraction, digits: int) -> None:
    down, up = (Fraction(_decimals.to_decimal(value, digits, way)) for way in ("down", "up"))  # type: ignore[arg-type]
    assert down <= value <= up
    assert up - down <= abs(value) * Fraction(2, 10 ** (digits - 1))
    assert Fraction(_decimals.to_decimal(value, digits)) in (down, up)


@cases(100, 10_000)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_are_their_shortest_decimal(value: float) -> None:
    meant = _decimals.exact(value)
    assert float(meant) == value
    assert meant == Fraction(Decimal(repr(value)))
    assert _decimals.exact(numpy.float64(value)) == meant


@cases(100, 10_000)
@given(fractions)
def test_floats_are_rounded_outward(value: Fraction) -> None:
    low, high = _decimals.float_down(value), _decimals.float_up(value)
    assert (math.isinf(low) or Fraction(low) <= value) and (math.isinf(high) or Fraction(high) >= value)
    assert high in (low, math.nextafter(low, math.inf))


@cases(60, 2_000)
@given(st.integers(1, 64), st.fractions(0, 1, max_denominator=1000), st.integers(1, 30))
def test_answers_round_trip(inputs: int, load: Fraction, exponent: int) -> None:
    """Parameters are returned exactly, and the answer does not depend on how they are written."""
    if not 0 < load < Fraction(99, 100):
        return
    answer = tb.buffer(inputs=inputs, load=load, drop=f"1e-{exponent}")
    assert answer.inputs["load"] == load and answer.inputs["inputs"] == inputs
    again = tb.buffer(inputs=inputs, load=str(load), drop=Decimal(f"1e-{exponent}"), digits=10)
    assert again.buffer == answer.buffer and again.probability == answer.probability
    assert answer.probability <= Fraction(1, 10**exponent)


@cases(12, 250)
@given(st.lists(st.floats(0.001, 0.99), min_size=1, max_size=16),
       st.sampled_from([float, numpy.float64, numpy.float32, numpy.longdouble, str, Decimal, Fraction]))  # fmt: skip
def test_arguments_are_taken_exactly(numbers: list[float], kind: Any) -> None:
    """To the last digit: alone, as an option, in an array of numbers or in a list."""
    loads = [kind(number) for number in numbers]
    meant = [Fraction(number) if kind in (Fraction, Decimal) else Fraction(str(load)) for number, load in zip(numbers, loads)]
    question = dict(inputs=2, drop=0.25)
    asked = {
        "alone": [tb.buffer(load=load, **question) for load in loads],
        "option": [tb.buffer(load=load, digits=10, **question) for load in loads],
        "array": list(tb.buffer(load=numpy.array(loads), **question)),
        "list": tb.buffer(load=[*loads, "1/2"], **question)[:-1],
    }
    for way, answers in asked.items():
        assert [answer.inputs["load"] for answer in answers] == meant, way


def test_equality_and_hashing() -> None:
    x = tb.Enclosure(1, 2)
    assert x == tb.Enclosure(1, 2) and x != tb.Enclosure(3, 4) and {x: 1}[tb.Enclosure(1, 2)] == 1
    assert tb.Exact("1/3") == Fraction(1, 3) and hash(tb.Exact("1/3")) == hash(Fraction(1, 3))
    assert tb.Exact(3) == 3 and x != 5 and x != "text" and x is not None
    with pytest.raises(tb.Undecided):
        x == 1.5  # noqa: B015
    with pytest.raises(tb.Undecided):
        x == tb.Enclosure(1, 3)  # noqa: B015


def test_plain_numbers_are_those_of_the_middle() -> None:
    x = tb.Enclosure("0.0999", "0.1001")
    assert float(x) == 0.1 and math.log10(x) == -1 and math.isclose(x, 0.1) and round(x, 2) == 0.1
    assert (math.floor(10 * x), math.ceil(11 * x), math.trunc(25 * x), int(25 * x), round(27 * x)) == (1, 2, 2, 2, 3)
    assert float(tb.Exact("1/3")) == 1 / 3 and Fraction(tb.Exact("1/3")) == Fraction(1, 3)
    numbers = (tb.Bound("0.3"), tb.Bound("0.3", False), tb.Estimate(0.3, 0, 2), tb.Approximation("0.3", 3), tb.Model(0.3), tb.Asymptote(0.3))
    for number in numbers:
        assert float(number) == pytest.approx(0.3, rel=1e-15) and round(number, 1) == 0.3 and math.ceil(number) == 1
    assert float(tb.Bound("0.3")) >= Fraction(3, 10) >= float(tb.Bound("0.3", False))  # conservative
    with pytest.raises(TypeError):
        Fraction(x)  # type: ignore[call-overload]


def test_units() -> None:
    packets, slots = tb.Exact(3, "packets"), tb.Exact(2, "slots")
    with pytest.raises(TypeError, match="cannot be added"):
        packets + slots  # noqa: B018
    with pytest.raises(TypeError, match="cannot be compared"):
        packets < slots  # noqa: B015
    assert (packets / slots).unit == "packets/slots" and (packets / packets).unit == "" and (2 * packets).unit == "packets"


def test_kinds_weaken() -> None:
    """Arithmetic with an unproved number gives an unproved number."""
    sure = tb.Enclosure(1, 2)
    assert isinstance(sure * tb.Model(2.0), tb.Model)
    assert isinstance(sure + tb.Approximation("0.5", 4), tb.Approximation)
    assert (tb.Approximation("1.5", 6) - tb.Approximation("1.4999", 6)).agreed_digits <= 2
    assert isinstance(2 * tb.Estimate(1, 0.9, 1.1), tb.Estimate)
    for make in (lambda: tb.Estimate(1, 0, 2) + tb.Estimate(1, 0, 2), lambda: tb.Estimate(1, 0, 2) * sure):
        with pytest.raises(TypeError):
            make()
    with pytest.raises(ZeroDivisionError):
        sure / tb.Enclosure(-1, 1)  # noqa: B018


def test_numpy_arrays_of_numbers() -> None:
    array = numpy.array([tb.Enclosure(1, 2), tb.Exact("1/2")])
    doubled = 2 * array
    assert doubled[0] == tb.Enclosure(2, 4) and doubled[1] == 1
    assert numpy.float64(0.1) * tb.Exact(10) == 1


def test_other_types_are_not_numbers() -> None:
    for other in ("1", None, [], object()):
        with pytest.raises(TypeError):
            tb.Exact(1) + other  # noqa: B018
        with pytest.raises(TypeError):
            tb.Exact(1) < other  # noqa: B015
    with pytest.raises(ValueError):
        tb.Enclosure(2, 1)
    with pytest.raises(ValueError):
        tb.Exact(math.nan)
