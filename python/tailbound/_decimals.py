"""Exact numbers from input, and decimals of exact numbers with directed rounding."""

from __future__ import annotations

import math
import re
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from numbers import Rational
from typing import Any, Literal, Union

End = Union[Fraction, float]  # an end of an interval; a float only if infinite
Rounding = Literal["down", "nearest", "up"]

_EXPONENT = re.compile(r"[eE][+-]?(\d+)")
EXPONENT_LIMIT = 100_000  # for numbers given as text or Decimal, as in the rest of the library


def exact(value: Any) -> Fraction:
    """The exact value. A float becomes its shortest decimal, so that 0.9 is 9/10.

    >>> exact(0.9), exact("1/3"), exact(Decimal("1e-15")) == Fraction(1, 10**15)
    (Fraction(9, 10), Fraction(1, 3), True)
    """
    if isinstance(value, bool):
        raise TypeError("a truth value is not a number")
    if isinstance(value, int):
        return Fraction(int(value))
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(value.adjusted()) > EXPONENT_LIMIT:
            raise ValueError(f"{value} is not a number within the limits")
        return Fraction(value)
    if isinstance(value, float) and type(value).__module__ != "numpy":
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return Fraction(repr(value))
    if isinstance(value, str):
        exponent = _EXPONENT.search(value)
        if len(value) > 10_000 or (exponent and len(exponent.group(1)) > 6):
            raise ValueError("a number may have at most 10000 characters, its exponent at most six")
        return Fraction(value)
    if isinstance(value, Rational):  # integers of numpy, rationals of SymPy and others
        return Fraction(int(value.numerator), int(value.denominator))
    if type(value).__module__ == "numpy":
        text = str(value)  # for a float32 its own shortest decimal
        return Fraction(text)
    if getattr(value, "is_Rational", False):  # rationals of SymPy that are not numbers.Rational
        return Fraction(int(value.p), int(value.q))
    raise TypeError(f"{type(value).__name__} is not an exact number")


def power_of_ten(exponent: int) -> Fraction:
    return Fraction(10**exponent) if exponent >= 0 else Fraction(1, 10**-exponent)


def decimal_exponent(value: Fraction) -> int:
    """floor(log10 |value|), value != 0."""
    size = abs(value)
    exponent = math.floor((size.numerator.bit_length() - size.denominator.bit_length() - 1) * 0.30102999566398120)
    while size >= power_of_ten(exponent + 1):
        exponent += 1
    return exponent


def to_decimal(value: Fraction, digits: int, rounding: Rounding = "nearest") -> str:
    """``value`` with ``digits`` significant digits and directed rounding; scientific if very small or large.

    >>> to_decimal(Fraction(1, 3), 5), to_decimal(Fraction(1, 3), 5, "up"), to_decimal(Fraction(1, 10**9), 3)
    ('0.33333', '0.33334', '1.00e-9')
    """
    if value == 0:
        return "0"
    wanted = max(2, digits)
    exponent = decimal_exponent(value)
    scaled = abs(value) * power_of_ten(wanted - 1 - exponent)
    away = (rounding == "up") == (value > 0)
    if rounding == "nearest":
        mantissa = round(scaled)
    else:
        mantissa = math.ceil(scaled) if away else math.floor(scaled)
    text = str(mantissa)
    exponent += len(text) - wanted  # a carry to the next power of ten
    text = text[:wanted]
    sign = "-" if value < 0 else ""
    if exponent < -5 or exponent > 16:
        return f"{sign}{text[0]}.{text[1:]}e{exponent}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{text}"
    if exponent + 1 >= len(text):
        return sign + text + "0" * (exponent + 1 - len(text))
    return f"{sign}{text[: exponent + 1]}.{text[exponent + 1:]}"


def plain(value: Fraction) -> str:
    """A decimal if it is short and exact, otherwise the fraction.

    >>> plain(Fraction(9, 10)), plain(Fraction(1, 10**15)), plain(Fraction(1, 3))
    ('0.9', '1e-15', '1/3')
    """
    longest = 60
    if value == 0:
        return "0"
    if value * power_of_ten(longest - 1 - decimal_exponent(value)) % 1 != 0:
        fraction = f"{value.numerator}/{value.denominator}" if value.denominator != 1 else str(value.numerator)
        return fraction if len(fraction) <= 80 else "about " + to_decimal(value, 12)
    mantissa, _, power = to_decimal(value, longest, "down").partition("e")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}e{power}" if power else mantissa


def float_down(value: End) -> float:
    """The largest float that is at most ``value``."""
    return _outward(value, up=False)


def float_up(value: End) -> float:
    """The smallest float that is at least ``value``."""
    return _outward(value, up=True)


def float_near(value: End) -> float:
    """The nearest float; 0 or infinity outside the range of floats."""
    if isinstance(value, float):
        return value
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def log10(value: End) -> float:
    """log10 of a number of any size; like numpy, minus infinity for 0 and NaN for negative numbers.

    >>> log10(Fraction(1, 10**400)), log10(Fraction(0))
    (-400.0, -inf)
    """
    if value <= 0:
        return -math.inf if value == 0 else math.nan
    near = float_near(value)
    if isinstance(value, float) or _SMALLEST_NORMAL <= near < math.inf:
        return math.log10(near)
    exponent = decimal_exponent(value)
    return exponent + math.log10(float_near(value / power_of_ten(exponent)))


def formatted(value: End, form: str, rounding: Rounding = "nearest") -> str:
    """``format(value, form)``, also outside the range of floats, and with directed rounding.

    >>> formatted(Fraction(1, 3), ".3e"), formatted(Fraction(1, 3), ".3e", "up"), formatted(Fraction(1, 10**400), ".2g")
    ('3.333e-01', '3.334e-01', '1e-400')
    """
    near = float_near(value)
    if isinstance(value, float) or value == 0 or (rounding == "nearest" and _SMALLEST_NORMAL <= abs(near) < math.inf):
        return format(near, form)
    with localcontext(Context(60, _ROUNDINGS[rounding], -EXPONENT_LIMIT * 10, EXPONENT_LIMIT * 10)):
        text = format((Decimal(value.numerator) / value.denominator).normalize(), form)
    return re.sub(r"(?<=e[+-])(\d)$", r"0\1", text)


_ROUNDINGS = {"down": ROUND_FLOOR, "nearest": ROUND_HALF_EVEN, "up": ROUND_CEILING}
_SMALLEST_NORMAL = sys.float_info.min


def _outward(value: End, up: bool) -> float:
    if isinstance(value, float):
        return value
    nearest = float_near(value)
    if math.isinf(nearest):
        beyond = (nearest > 0) == up
        return nearest if beyond else math.copysign(_LARGEST, nearest)
    back = Fraction(nearest)
    if up and back < value:
        return math.nextafter(nearest, math.inf)
    if not up and back > value:
        return math.nextafter(nearest, -math.inf)
    return nearest


_LARGEST = math.nextafter(math.inf, 0.0)


def rounded(value: Fraction, up: bool, bits: int) -> Fraction:
    """``value`` rounded outward to a binary number of ``bits`` bits.

    >>> rounded(Fraction(1, 3), False, 4), rounded(Fraction(1, 3), True, 4)
    (Fraction(5, 16), Fraction(11, 32))
    """
    numerator, denominator = value.numerator, value.denominator
    if numerator == 0 or (denominator & (denominator - 1) == 0 and numerator.bit_length() <= bits):
        return value
    shift = numerator.bit_length() - denominator.bit_length() - bits
    if shift >= 0:
        quotient, rest = divmod(numerator, denominator << shift)
    else:
        quotient, rest = divmod(numerator << -shift, denominator)
    if up and rest:
        quotient += 1
    return Fraction(quotient << shift) if shift >= 0 else Fraction(quotient, 1 << -shift)
