"""Numbers with a stated certainty.

Each has a *kind* (docs/contract.md): :class:`Exact`, :class:`Enclosure`, :class:`Bound`, :class:`Approximation`,
:class:`Asymptote`, :class:`Model`, :class:`Estimate`; and :class:`Count`, an integer with a unit.

A comparison that the intervals do not decide raises :class:`Undecided`. Arithmetic on proved numbers gives proved
numbers: ends are rounded outward. Plain operands are taken exactly: 0.9 is 9/10.
"""

from __future__ import annotations

import html
import math
import sys
from fractions import Fraction
from numbers import Rational
from typing import Any, Callable, ClassVar, Literal, Optional, Union, cast

from ._decimals import (
    End, Rounding, decimal_exponent, exact, float_down, float_near, float_up, formatted, log10, plain, rounded, to_decimal,
)  # fmt: skip
from ._errors import Undecided

Scalar = Any  # int, float, Fraction, Decimal, numpy and SymPy numbers

_BITS = 128  # precision of ends computed by arithmetic, if the operands do not have more
_INFINITY = math.inf


class Number:
    """Base class of the numbers of an answer: kind, unit and interval.

    See :class:`Exact`, :class:`Enclosure` and the others.

    >>> import tailbound as tb
    >>> mean = tb.buffer(inputs=16, load=0.9, drop=1e-15).mean_occupancy
    >>> mean.kind, mean.unit, str(mean)
    ('exact', 'packets', '4.696875')
    """

    __slots__ = ("unit",)
    kind: ClassVar[str] = ""
    unit: str  #: "packets", "slots"; "" if it has none

    # The parts that define a number, except its unit, for equality, hashing and pickling.
    def _parts(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self._parts(), self.unit)

    # --- interval

    @property
    def lower_fraction(self) -> End:
        """The exact lower end: a Fraction, or minus infinity as a float."""
        return -_INFINITY

    @property
    def upper_fraction(self) -> End:
        """The exact upper end: a Fraction, or infinity as a float."""
        return _INFINITY

    @property
    def lower(self) -> float:
        """The lower end as a float, rounded down."""
        return float_down(self.lower_fraction)

    @property
    def upper(self) -> float:
        """The upper end as a float, rounded up."""
        return float_up(self.upper_fraction)

    def lower_text(self, digits: int = 17) -> str:
        """The lower end in decimal, rounded down, for mpmath, decimal and other programs.

        >>> Exact("1/3").lower_text(5), Exact("1/3").upper_text(5)
        ('0.33333', '0.33334')
        """
        end = self.lower_fraction
        return to_decimal(end, digits, "down") if isinstance(end, Fraction) else str(end)

    def upper_text(self, digits: int = 17) -> str:
        """The upper end in decimal, rounded up."""
        end = self.upper_fraction
        return to_decimal(end, digits, "up") if isinstance(end, Fraction) else str(end)

    def to_mpmath(self) -> Any:
        """The interval as an mpmath interval, at the precision of mpmath.iv.

        >>> import mpmath
        >>> third = Exact("1/3").to_mpmath()
        >>> 3 * third.a <= 1 <= 3 * third.b
        True
        """
        from mpmath import iv

        digits = max(20, iv.dps + 3)
        return iv.mpf([self.lower_text(digits), self.upper_text(digits)])

    def __contains__(self, value: Scalar) -> bool:
        """Is a number within the interval?

        >>> 2 in Enclosure(1, 3), 4 in Enclosure(1, 3)
        (True, False)
        """
        return bool(self.lower_fraction <= exact(value) <= self.upper_fraction)

    # --- as text

    def _brief(self) -> str:
        raise NotImplementedError

    @property
    def certainty(self) -> str:
        """The certainty as text: "exact", "certified to 10 digits"."""
        return self.kind

    def __str__(self) -> str:
        return self._brief()

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        words = "" if self.certainty == type(self).__name__.lower() else f", {self.certainty}"
        return f"{type(self).__name__}({self._brief()}{unit}{words})"

    def _repr_html_(self) -> str:
        unit = f" {html.escape(self.unit)}" if self.unit else ""
        return f'<span title="{html.escape(self.certainty)}">{html.escape(self._brief())}{unit}</span>'

    def __format__(self, form: str) -> str:
        """As text; with a format, as a single number: the nearest one, for a bound rounded conservatively.

        >>> x = Enclosure("8.70354e-16", "8.70355e-16")
        >>> f"{x:.3e}", f"{Bound('0.12341'):.4f}", f"{Exact('1e-400'):.1e}", f"{x:>14}"
        ('8.704e-16', '0.1235', '1.0e-400', '     8.704e-16')
        """
        if not form or form[-1] in "s<>^0123456789":
            return format(str(self), form)
        return formatted(self._single(), form, self._rounding())

    def log10(self) -> float:
        """The decimal logarithm of the value, also outside the range of floats; used by numpy.log10.

        >>> Exact("1e-400").log10()
        -400.0
        """
        return log10(self._single())

    # The single number that represents it, and the direction in which that is rounded.
    def _single(self) -> End:
        return self.value  # type: ignore[attr-defined, no-any-return]

    def _rounding(self) -> Rounding:
        return "nearest"

    # --- as a plain number

    def __float__(self) -> float:
        """The nearest float to the value or to the middle; of a bound rounded conservatively. For ``math`` and numpy.

        >>> import math
        >>> x = Enclosure("0.0999", "0.1001")
        >>> float(x), math.log10(x), round(x, 2), math.ceil(10 * x)
        (0.1, -1.0, 0.1, 1)
        """
        return nearest(self)

    def __round__(self, digits: Optional[int] = None) -> Any:
        """Of the same number: an int, or with ``digits`` a float."""
        return round(self._whole_of()) if digits is None else float(round(self._whole_of(), digits))

    def __trunc__(self) -> int:
        return int(math.trunc(self._whole_of()))

    def __floor__(self) -> int:
        return int(math.floor(self._whole_of()))

    def __ceil__(self) -> int:
        return int(math.ceil(self._whole_of()))

    def __int__(self) -> int:
        return self.__trunc__()

    def _whole_of(self) -> Any:
        single = self._single()
        return single if isinstance(single, Fraction) else float(single)

    def __bool__(self) -> bool:
        return not (self == 0)

    # --- comparison

    def _interval(self) -> tuple[End, End]:
        return self.lower_fraction, self.upper_fraction

    def _undecided(self, sign: str, other: tuple[End, End]) -> Undecided:
        return Undecided(f"whether {_interval_text(*self._interval())} {sign} {_interval_text(*other)} is not known")

    def _compare(
        self,
        other: Any,
        sign: str,
        surely: Callable[[tuple[End, End], tuple[End, End]], bool],
        surely_not: Callable[[tuple[End, End], tuple[End, End]], bool],
    ) -> bool:
        theirs = _interval_of(other, self.unit)
        if theirs is None:
            return NotImplemented
        mine = self._interval()
        if surely(mine, theirs):
            return True
        if surely_not(mine, theirs):
            return False
        raise self._undecided(sign, theirs)

    def __lt__(self, other: Any) -> bool:
        return self._compare(other, "<", lambda a, b: a[1] < b[0], lambda a, b: a[0] >= b[1])

    def __le__(self, other: Any) -> bool:
        return self._compare(other, "<=", lambda a, b: a[1] <= b[0], lambda a, b: a[0] > b[1])

    def __gt__(self, other: Any) -> bool:
        return self._compare(other, ">", lambda a, b: a[0] > b[1], lambda a, b: a[1] <= b[0])

    def __ge__(self, other: Any) -> bool:
        return self._compare(other, ">=", lambda a, b: a[0] >= b[1], lambda a, b: a[1] < b[0])

    def __eq__(self, other: object) -> bool:
        """Equal if all parts are equal; unequal if the intervals are disjoint; otherwise undecided."""
        if type(other) is type(self):
            same = self._parts() == other._parts()  # type: ignore[attr-defined]
            if same:
                return bool(self.unit == other.unit)  # type: ignore[attr-defined]
        theirs = _interval_of(other, self.unit, strict=False)
        if theirs is None:
            return NotImplemented
        mine = self._interval()
        if mine[1] < theirs[0] or mine[0] > theirs[1]:
            return False
        if mine[0] == mine[1] == theirs[0] == theirs[1]:
            return True
        raise self._undecided("==", theirs)

    def __hash__(self) -> int:
        return hash((self.kind, self._parts()))

    # --- arithmetic

    def __add__(self, other: Any) -> "Number":
        return _combine("+", self, other)

    def __radd__(self, other: Any) -> "Number":
        return _combine("+", other, self)

    def __sub__(self, other: Any) -> "Number":
        return _combine("-", self, other)

    def __rsub__(self, other: Any) -> "Number":
        return _combine("-", other, self)

    def __mul__(self, other: Any) -> "Number":
        return _combine("*", self, other)

    def __rmul__(self, other: Any) -> "Number":
        return _combine("*", other, self)

    def __truediv__(self, other: Any) -> "Number":
        return _combine("/", self, other)

    def __rtruediv__(self, other: Any) -> "Number":
        return _combine("/", other, self)

    def __neg__(self) -> "Number":
        return _combine("*", self, -1)

    def __pos__(self) -> "Number":
        return self

    def __abs__(self) -> "Number":
        lower, upper = self._interval()
        if lower >= 0:
            return self
        if upper <= 0:
            return -self
        raise Undecided(f"the sign of {_interval_text(lower, upper)} is not known")


class Exact(Number):
    """The true value itself, a rational number.

    >>> third = Exact("1/3", "packets")
    >>> third, third * 3, third == Fraction(1, 3), Fraction(third), float(third)
    (Exact(0.33333333333 packets), Exact(1 packets), True, Fraction(1, 3), 0.3333333333333333)
    """

    __slots__ = ("value",)
    kind = "exact"
    value: Fraction  #: the value

    def __init__(self, value: Scalar, unit: str = "") -> None:
        self.value, self.unit = exact(value), unit

    def _parts(self) -> tuple[Any, ...]:
        return (self.value,)

    @property
    def lower_fraction(self) -> End:
        return self.value

    @property
    def upper_fraction(self) -> End:
        return self.value

    def _brief(self) -> str:
        text = plain(self.value)
        return text if len(text) <= 17 and "/" not in text else to_decimal(self.value, 11)

    @property
    def numerator(self) -> int:
        """Of the fraction in lowest terms."""
        return self.value.numerator

    @property
    def denominator(self) -> int:
        """Of the fraction in lowest terms."""
        return self.value.denominator

    def __hash__(self) -> int:
        return hash(self.value)


Rational.register(Exact)  # Fraction(x) takes it


class Enclosure(Number):
    """A closed interval that is proved to contain the true value.

    >>> x = Enclosure("0.1234567890", "0.1234567891")
    >>> x, x < 0.2, x.lower <= x.upper
    (Enclosure(0.123456789, certified to 9 digits), True, True)
    >>> 2 * x - 1
    Enclosure(-0.753086422, certified to 9 digits)
    """

    __slots__ = ("_lower", "_upper", "digits")
    kind = "enclosure"
    digits: int  #: requested digits; no more are shown

    def __init__(self, lower: Scalar, upper: Scalar, unit: str = "", digits: int = 10) -> None:
        self._lower, self._upper = exact(lower), exact(upper)
        if self._lower > self._upper:
            raise ValueError(f"the lower end {lower} of an enclosure exceeds its upper end {upper}")
        self.unit, self.digits = unit, digits

    def _parts(self) -> tuple[Any, ...]:
        return self._lower, self._upper

    def __reduce__(self) -> tuple[Any, ...]:
        return Enclosure, (self._lower, self._upper, self.unit, self.digits)

    @property
    def lower_fraction(self) -> Fraction:
        return self._lower

    @property
    def upper_fraction(self) -> Fraction:
        return self._upper

    @property
    def middle(self) -> Fraction:
        """Halfway between the ends."""
        return (self._lower + self._upper) / 2

    def _single(self) -> End:
        return self.middle

    @property
    def relative_width(self) -> float:
        """(upper - lower) / smallest magnitude, rounded up; infinite if the interval contains 0."""
        if self._lower == self._upper:
            return 0.0
        if self._lower <= 0 <= self._upper:
            return _INFINITY
        return float_up((self._upper - self._lower) / min(abs(self._lower), abs(self._upper)))

    @property
    def certified_digits(self) -> int:
        """Certain decimal digits, at most the requested number."""
        return min(self._digits(), self.digits)

    def _digits(self) -> int:
        if self._lower == self._upper:
            return sys.maxsize
        if self._lower <= 0 <= self._upper:
            return 0
        width = (self._upper - self._lower) / min(abs(self._lower), abs(self._upper))
        digits = -decimal_exponent(width)
        if width > Fraction(1, 10**digits) if digits >= 0 else True:
            digits -= 1
        return max(0, digits)

    @property
    def certainty(self) -> str:
        return f"certified to {self.certified_digits} digits"

    def _brief(self) -> str:
        for digits in range(self.digits + 1, 0, -1):
            text = to_decimal(self._lower, digits)
            if text == to_decimal(self._upper, digits):
                return text
        return f"{to_decimal(self._lower, 3, 'down')} .. {to_decimal(self._upper, 3, 'up')}"


class Bound(Number):
    """The true value is at most this (``is_upper``), or at least this.

    >>> loss = Bound("1e-9", True)
    >>> loss, loss <= 1e-9, loss + 1 < 2
    (Bound(at most 1e-9), True, True)
    """

    __slots__ = ("value", "is_upper")
    kind = "bound"
    value: Fraction  #: the bound, exactly
    is_upper: bool  #: is the true value at most this (or at least)?

    def __init__(self, value: Scalar, is_upper: bool = True, unit: str = "") -> None:
        self.value, self.is_upper, self.unit = exact(value), bool(is_upper), unit

    def _parts(self) -> tuple[Any, ...]:
        return self.value, self.is_upper

    @property
    def lower_fraction(self) -> End:
        return -_INFINITY if self.is_upper else self.value

    @property
    def upper_fraction(self) -> End:
        return self.value if self.is_upper else _INFINITY

    @property
    def certainty(self) -> str:
        return "proved upper bound" if self.is_upper else "proved lower bound"

    def _brief(self) -> str:
        text = plain(self.value)
        return text if len(text) <= 12 and "/" not in text else to_decimal(self.value, 11, "up" if self.is_upper else "down")

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        return f"Bound({'at most' if self.is_upper else 'at least'} {self._brief()}{unit})"

    def _rounding(self) -> Rounding:
        return "up" if self.is_upper else "down"


class _Unproved(Number):
    """Numbers without an interval. They are compared by their value."""

    __slots__ = ("value",)
    value: Any

    def _parts(self) -> tuple[Any, ...]:
        return (self.value,)

    def _interval(self) -> tuple[End, End]:
        value = self.value
        end = exact(value) if math.isfinite(value) else value
        return end, end

    def __contains__(self, value: Scalar) -> bool:
        raise TypeError(f"{self!r} has no interval")

    def to_mpmath(self) -> Any:
        raise TypeError(f"{self!r} has no interval")


class Approximation(_Unproved):
    """A numerical value without proof: the arithmetic has converged to the digits stated.

    >>> Approximation("0.125", 3), Approximation("0.125", 3) / 2
    (Approximation(0.125, converged to 3 digits; not proved), Approximation(0.0625, converged to 3 digits; not proved))
    """

    __slots__ = ("agreed_digits",)
    kind = "approximation"
    value: Fraction  #: the computed value
    agreed_digits: int  #: to which the arithmetic has converged

    def __init__(self, value: Scalar, agreed_digits: int, unit: str = "") -> None:
        self.value, self.agreed_digits, self.unit = exact(value), int(agreed_digits), unit

    def _parts(self) -> tuple[Any, ...]:
        return self.value, self.agreed_digits

    @property
    def certainty(self) -> str:
        return f"converged to {self.agreed_digits} digits; not proved"

    def _brief(self) -> str:
        digits = min(max(self.agreed_digits, 1), 12)
        text = plain(self.value)
        return text if len(text) <= digits + 2 and "/" not in text else to_decimal(self.value, digits)


class Asymptote(_Unproved):
    """Its ratio to the true value tends to 1 in a limit; nothing is guaranteed at a finite point.

    >>> Asymptote(0.25, "packets")
    Asymptote(0.25 packets)
    """

    __slots__ = ()
    kind = "asymptote"
    value: float  #: the asymptote

    def __init__(self, value: float, unit: str = "") -> None:
        self.value, self.unit = float(value), unit

    def _brief(self) -> str:
        return f"{self.value:.5g}"


class Model(_Unproved):
    """Result of an approximate model. Its error against the real system is not bounded.

    >>> latency = Model(39.8995, "cycles")
    >>> latency, latency * 2, float(latency)
    (Model(39.8995 cycles), Model(79.799 cycles), 39.8995)
    """

    __slots__ = ()
    kind = "model"
    value: float  #: result of the model

    def __init__(self, value: float, unit: str = "") -> None:
        self.value, self.unit = float(value), unit

    def _brief(self) -> str:
        return f"{self.value:.6g}"


class Estimate(Number):
    """A statistical estimate with its confidence interval.

    >>> mean = Estimate(2.30, 2.29, 2.31, 0.95, "packets")
    >>> mean, mean < 3
    (Estimate(2.300 +- 0.01 packets, 95 % interval), True)
    >>> mean < 2.3
    Traceback (most recent call last):
        ...
    tailbound._errors.Undecided: whether [2.29, 2.31] < [2.3, 2.3] is not known
    """

    __slots__ = ("value", "_lower", "_upper", "confidence")
    kind = "estimate"
    value: float  #: the estimate
    confidence: float  #: coverage of the interval, 0 to 1

    def __init__(self, value: float, lower: float, upper: float, confidence: float = 0.95, unit: str = "") -> None:
        self.value, self._lower, self._upper = float(value), float(lower), float(upper)
        self.confidence, self.unit = float(confidence), unit

    def _parts(self) -> tuple[Any, ...]:
        return self.value, self._lower, self._upper, self.confidence

    @property
    def lower_fraction(self) -> End:
        return exact(self._lower) if math.isfinite(self._lower) else self._lower

    @property
    def upper_fraction(self) -> End:
        return exact(self._upper) if math.isfinite(self._upper) else self._upper

    @property
    def lower(self) -> float:
        return self._lower

    @property
    def upper(self) -> float:
        return self._upper

    @property
    def certainty(self) -> str:
        return f"{100 * self.confidence:g} % interval"

    def _brief(self) -> str:
        value, lower, upper = self.value, self._lower, self._upper
        if math.isinf(upper):
            return f"{value:.5g}" if math.isinf(lower) else f"{value:.6g} ({lower:.6g} .. ?)"
        if value == int(value) and lower == int(lower) and upper == int(upper):
            return f"{int(value)} ({int(lower)} .. {int(upper)})"
        if value == 0:
            return f"0 (below {upper:.2g})"
        half = upper - value
        if half == 0 or (lower > 0 and abs(value - lower - half) > 1e-3 * half):
            return f"{value:.6g} ({lower:.6g} .. {upper:.6g})"
        digits = math.floor(math.log10(abs(value))) - math.floor(math.log10(half)) + 2 if half > 0 else 8
        return f"{value:#.{min(max(digits, 2), 8)}g} +- {half:.2g}"


class Count(int):
    """An exact integer with a unit. It is an int.

    >>> size = Count(157, "packets")
    >>> size, size + 1, size == 157, size.unit
    (Count(157 packets), 158, True, 'packets')
    """

    kind: ClassVar[str] = "count"
    unit: str  #: "packets", "slots"; "" if it has none

    def __new__(cls, value: int, unit: str = "") -> "Count":
        made = super().__new__(cls, value)
        made.unit = unit
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return Count, (int(self), self.unit)

    def __repr__(self) -> str:
        return f"Count({int(self)}{' ' + self.unit if self.unit else ''})"

    def __str__(self) -> str:
        return int.__repr__(self)

    @property
    def lower(self) -> float:
        """As a float, rounded down."""
        return float_down(Fraction(int(self)))

    @property
    def upper(self) -> float:
        """As a float, rounded up."""
        return float_up(Fraction(int(self)))

    @property
    def lower_fraction(self) -> Fraction:
        """The number."""
        return Fraction(int(self))

    @property
    def upper_fraction(self) -> Fraction:
        """The number."""
        return Fraction(int(self))

    @property
    def certainty(self) -> str:
        """ "exact"."""
        return "exact"


def nearest(number: Number) -> float:
    """A single float: the one nearest to the value or to the middle; for a bound, rounded conservatively."""
    if isinstance(number, Bound):
        return number.upper if number.is_upper else number.lower
    return float_near(number._single())


# --- helpers


def _interval_text(lower: End, upper: End) -> str:
    def text(end: End) -> str:
        if isinstance(end, float):
            return str(end)
        short = plain(end)
        return short if len(short) <= 17 and "/" not in short else to_decimal(end, 17)

    return f"[{text(lower)}, {text(upper)}]"


def _interval_of(other: Any, unit: str, strict: bool = True) -> Optional[tuple[End, End]]:
    if isinstance(other, Number):
        if strict and unit and other.unit and unit != other.unit:
            raise TypeError(f"{unit} and {other.unit} cannot be compared")
        if not strict and unit and other.unit and unit != other.unit:
            return None
        return other._interval()
    if isinstance(other, float) and math.isinf(other):
        return other, other
    if isinstance(other, str):
        return None
    try:
        value = exact(other)
    except (TypeError, ValueError):
        return None
    return value, value


Operator = Literal["+", "-", "*", "/"]
_NO_NUMBER = cast("Number", NotImplemented)


def _unit(operator: Operator, left: Any, right: Any) -> str:
    a, b = getattr(left, "unit", ""), getattr(right, "unit", "")
    if operator in "+-":
        if a and b and a != b:
            raise TypeError(f"{a} and {b} cannot be added")
        return a or b
    if operator == "*":
        return f"{a}*{b}" if a and b else a or b
    if a == b:
        return ""
    return f"{a}/{b}" if a and b else a if a else f"1/{b}"


def _combine(operator: Operator, left: Any, right: Any) -> Number:
    numbers = [each for each in (left, right) if isinstance(each, Number)]
    for each in (left, right):
        if not isinstance(each, Number):
            if isinstance(each, str):
                return _NO_NUMBER
            try:
                exact(each)
            except TypeError:
                return _NO_NUMBER
    unit = _unit(operator, left, right)
    kinds = [type(each) for each in numbers]
    if Estimate in kinds:
        return _of_estimate(operator, left, right, unit)
    if any(issubclass(kind, _Unproved) for kind in kinds):
        return _unproved(operator, left, right, unit)
    return _proved(operator, left, right, unit)


def _ends(value: Any) -> tuple[End, End]:
    if isinstance(value, Number):
        return value._interval()
    number = exact(value)
    return number, number


def _plus(a: End, b: End) -> End:
    # Infinities of different sign do not occur: lower ends are never plus infinity.
    if isinstance(a, float):
        return a
    return b if isinstance(b, float) else a + b


def _times(a: End, b: End) -> End:
    if a == 0 or b == 0:
        return Fraction(0)  # an infinite end means "unbounded": 0 times any number is 0
    if isinstance(a, float) or isinstance(b, float):
        return math.copysign(_INFINITY, (1 if a > 0 else -1) * (1 if b > 0 else -1))
    return a * b


def _over(a: End, b: End) -> End:
    if isinstance(b, float):
        return Fraction(0)
    return _times(a, 1 / b)


def _proved(operator: Operator, left: Any, right: Any, unit: str) -> Number:
    (a, b), (c, d) = _ends(left), _ends(right)
    if operator == "/" and c <= 0 <= d:
        raise ZeroDivisionError(f"{_interval_text(c, d)} may be 0")
    if operator == "+":
        lower, upper = _plus(a, c), _plus(b, d)
    elif operator == "-":
        lower, upper = _plus(a, -d), _plus(b, -c)
    else:
        act = _times if operator == "*" else _over
        all_ends = [act(x, y) for x in (a, b) for y in (c, d)]
        lower, upper = min(all_ends), max(all_ends)
    if lower == upper and isinstance(lower, Fraction):
        if isinstance(left, Enclosure) or isinstance(right, Enclosure):
            return Enclosure(lower, upper, unit, _digits(left, right))
        return Exact(lower, unit)
    if isinstance(lower, float) and isinstance(upper, float):
        raise ArithmeticError(f"the interval of {left!r} {operator} {right!r} is unbounded")
    bits = max(_BITS, _bits(left), _bits(right))
    if isinstance(lower, float):
        return Bound(rounded(_fraction(upper), True, bits), True, unit)
    if isinstance(upper, float):
        return Bound(rounded(lower, False, bits), False, unit)
    return Enclosure(rounded(lower, False, bits), rounded(upper, True, bits), unit, _digits(left, right))


def _fraction(end: End) -> Fraction:
    assert isinstance(end, Fraction)
    return end


def _bits(value: Any) -> int:
    if isinstance(value, Enclosure):
        return max(value._lower.numerator.bit_length(), value._upper.numerator.bit_length()) if _binary(value) else 0
    return 0


def _binary(value: Enclosure) -> bool:
    return all(end.denominator & (end.denominator - 1) == 0 for end in (value._lower, value._upper))


def _digits(*values: Any) -> int:
    asked = [value.digits for value in values if isinstance(value, Enclosure)]
    return max(asked) if asked else 10


_ACTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _middle(value: Any) -> Fraction:
    if isinstance(value, _Unproved):
        return exact(value.value)
    if isinstance(value, Enclosure):
        return value.middle
    if isinstance(value, Bound):
        raise TypeError(f"{value!r} cannot be combined with a number that is not proved")
    return exact(value.value if isinstance(value, Exact) else value)


def _error(value: Any) -> Fraction:
    """Error of an approximation, from its agreed digits."""
    if isinstance(value, Approximation):
        return abs(value.value) * Fraction(1, 10**value.agreed_digits)
    return Fraction(0)


def _unproved(operator: Operator, left: Any, right: Any, unit: str) -> Number:
    result = _ACTIONS[operator](_middle(left), _middle(right))
    for kind in (Model, Asymptote):
        if isinstance(left, kind) or isinstance(right, kind):
            return kind(result.numerator / result.denominator, unit)
    if operator in "+-":
        error = _error(left) + _error(right)
        relative = error / abs(result) if result else Fraction(1)
    else:
        relative = sum((_error(each) / abs(_middle(each)) for each in (left, right) if _error(each)), Fraction(0))
    digits = -decimal_exponent(relative) if relative else 1000
    if relative > Fraction(1, 10**digits) if digits > 0 else False:
        digits -= 1
    return Approximation(result, max(0, digits), unit)


def _of_estimate(operator: Operator, left: Any, right: Any, unit: str) -> Number:
    for each in (left, right):
        if isinstance(each, Number) and not isinstance(each, (Estimate, Exact)):
            raise TypeError(f"an estimate cannot be combined with a number that is {each.certainty}; use .value")
    if isinstance(left, Estimate) and isinstance(right, Estimate):
        raise TypeError("the combined interval of two estimates is unknown; use .value")
    estimate, other = (left, right) if isinstance(left, Estimate) else (right, left)
    scalar = float(exact(other.value if isinstance(other, Exact) else other))
    if operator == "/" and estimate is right and estimate._lower <= 0 <= estimate._upper:
        raise ZeroDivisionError(f"{estimate!r} may be 0")

    def act(value: float) -> float:
        return float(_ACTIONS[operator](value, scalar) if estimate is left else _ACTIONS[operator](scalar, value))

    ends = sorted((act(estimate._lower), act(estimate._upper)))
    return Estimate(act(estimate.value), ends[0], ends[1], estimate.confidence, unit)


Value = Union[Number, Count]
