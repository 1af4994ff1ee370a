"""Many answers as arrays: floats from the extension module, and the numbers behind them."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Sequence

from ._values import Count, Number, nearest

if TYPE_CHECKING:
    import numpy
    import pandas

    Floats = numpy.ndarray[Any, Any]

# These numpy functions use the intervals of the numbers; all others use the floats of ``middle``.
_COMPARISONS = frozenset("less less_equal greater greater_equal equal not_equal".split())
_EXACT = _COMPARISONS | frozenset("add subtract multiply divide true_divide negative positive absolute".split())
_SHOWN = 6  # numbers in a repr


class Numbers:
    """An array of numbers. ``middle``, ``lower`` and ``upper`` are arrays of floats; an index gives the number itself.

    NaN marks points without an answer, infinity an unknown end. Arithmetic and comparisons with
    ``+ - * / < <= > >= == !=`` use the interval of each number. Other functions of numpy, and matplotlib, use the
    floats of ``middle``.

    Numbers outside the range of floats are kept: 1e-400 has a ``middle`` of 0, a ``lower`` of 0 and an ``upper`` of
    5e-324; ``log10()`` and ``numpy.log10`` give -400, and a format such as ``f"{numbers[0]:.3e}"`` shows 1.000e-400.

    >>> import numpy, tailbound as tb
    >>> probability = tb.buffer(inputs=16, load=[0.5, 0.9], capacity=157).probability
    >>> probability.middle[1], probability.lower[1] <= probability.upper[1]
    (8.703543557817181e-16, True)
    >>> numpy.log10(probability).round(3), probability < 1e-20
    (array([-90.537, -15.06 ]), array([ True, False]))
    >>> probability[1]
    Enclosure(8.7035435578e-16, certified to 10 digits)
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self, middle: "Floats", lower: "Floats", upper: "Floats", unit: str, objects: Callable[[], Any]
    ) -> None:
        self._floats, self._unit = (middle, lower, upper), unit
        self._make = objects
        self._made: Any = None

    @property
    def middle(self) -> "Floats":
        """The nearest floats: the middle of an interval, the value of a bound."""
        return self._floats[0]

    @property
    def lower(self) -> "Floats":
        """The lower ends, rounded down."""
        return self._floats[1]

    @property
    def upper(self) -> "Floats":
        """The upper ends, rounded up."""
        return self._floats[2]

    @property
    def unit(self) -> str:
        """ "packets", "slots"; "" if there is none."""
        return self._unit

    @property
    def objects(self) -> "Floats":
        """The numbers themselves as an array of objects, None for points without an answer. Created on first use."""
        if self._made is None:
            self._made = self._make()
        return self._made  # type: ignore[no-any-return]

    def log10(self) -> "Floats":
        """log10 of the middle, also outside the range of floats."""
        import numpy

        with numpy.errstate(divide="ignore", invalid="ignore"):
            logarithms: "Floats" = numpy.array(numpy.log10(self.middle))
        # Subnormal floats have lost digits.
        for place in zip(*numpy.nonzero((numpy.abs(self.middle) < 2.3e-308) | numpy.isinf(self.middle))):
            number: Any = self.objects[place]
            if number is not None:
                logarithms[place] = number.log10()
        return logarithms

    # --- as an array

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self.middle.shape)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return int(self.middle.ndim)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self.middle.size)

    def __len__(self) -> int:
        return len(self.middle)

    def __getitem__(self, place: Any) -> Any:
        middle, lower, upper = (floats[place] for floats in self._floats)
        if getattr(middle, "ndim", 0) == 0:
            return self.objects[place]
        return Numbers(middle, lower, upper, self.unit, lambda: self.objects[place])

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    @property
    def flat(self) -> Iterator[Any]:
        """All numbers in the order of the array."""
        return iter(self.objects.flat)

    def tolist(self) -> list[Any]:
        """The numbers in nested lists."""
        return list(self.objects.tolist())

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> "Floats":
        import numpy

        if dtype is not None and numpy.dtype(dtype) == object:
            return self.objects
        floats: "Floats" = numpy.array(self.middle, dtype=dtype)
        return floats

    def __array_ufunc__(self, function: Any, method: str, *given: Any, **keywords: Any) -> Any:
        import numpy

        if function is numpy.log10 and method == "__call__" and not keywords:
            return given[0].log10()
        if function.__name__ not in _EXACT or method != "__call__":
            plain = [each.middle if isinstance(each, Numbers) else each for each in given]
            return getattr(function, method)(*plain, **keywords)
        arrays = numpy.broadcast_arrays(*(each.objects if isinstance(each, Numbers) else each for each in given))
        missing = functools.reduce(numpy.logical_or, [array == None for array in arrays if array.dtype == object])  # noqa: E711
        if not missing.any():
            found = function(*arrays, **keywords)
        else:  # without an answer: compares like NaN
            some = function(*(array[~missing] for array in arrays), **keywords)
            compares = function.nout == 1 and function.__name__ in _COMPARISONS
            found = numpy.full(missing.shape, function.__name__ == "not_equal" if compares else None, dtype=bool if compares else object)
            found[~missing] = some
        return array_of(list(found.flat), found.shape) if found.dtype == object and function.__name__ not in _COMPARISONS else found

    def __reduce__(self) -> Any:
        return array_of, (list(self.flat), self.shape)

    def __repr__(self) -> str:
        first = ", ".join("NaN" if each is None else str(each) for each in itertools.islice(self.flat, _SHOWN))
        more = ", ..." if self.size > _SHOWN else ""
        unit = f" {self.unit}" if self.unit else ""
        return f"<Numbers: {' x '.join(map(str, self.shape))}{unit}: {first}{more}>"


def _through_numpy(name: str, swapped: bool = False) -> Callable[..., Any]:
    def act(self: Numbers, *other: Any) -> Any:
        import numpy

        function = getattr(numpy, name)
        return function(*other, self) if swapped else function(self, *other)

    return act


for _operator, _name in {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power",
}.items():  # fmt: skip
    setattr(Numbers, f"__{_operator}__", _through_numpy(_name))
    setattr(Numbers, f"__r{_operator}__", _through_numpy(_name, swapped=True))
for _operator, _name in {
    "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal",
    "neg": "negative", "pos": "positive", "abs": "absolute",
}.items():  # fmt: skip
    setattr(Numbers, f"__{_operator}__", _through_numpy(_name))


def array_of(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Counts as an array of integers (of floats with NaN if one is missing), other Number objects as Numbers, anything else
    as objects."""
    import numpy

    if any(isinstance(value, Count) for value in values) and all(value is None or isinstance(value, Count) for value in values):
        return numpy.array([math.nan if value is None else int(value) for value in values]).reshape(shape)
    array = numpy.empty(len(values), dtype=object)
    array[:] = values
    array = array.reshape(shape)
    numbers = [value for value in values if isinstance(value, Number)]
    if not numbers or not all(value is None or isinstance(value, Number) for value in values):
        return array

    def floats(of: Callable[[Number], float]) -> Any:
        return numpy.array([math.nan if value is None else of(value) for value in values], dtype=float).reshape(shape)

    ends = operator.attrgetter("lower"), operator.attrgetter("upper")
    return Numbers(floats(nearest), floats(ends[0]), floats(ends[1]), numbers[0].unit, lambda: array)


def column_array(
    columns: Any, key: str, shape: tuple[int, ...], unit: Callable[[], str], values: Callable[[], Sequence[Any]], lacking: bool
) -> Any:
    """A column as an array of integers or Numbers; built from ``values`` if the column holds neither.

    :param values: the values of all positions, None if missing
    :param lacking: does the column lack some of them?
    """
    import numpy

    fits = key in columns.keys() and len(columns) == math.prod(shape) and not lacking
    column = columns.column(key) if fits else ("other",)
    if column[0] == "whole":
        return column[1].reshape(shape)
    if column[0] != "number":
        return array_of(values(), shape)

    def objects() -> Any:
        array = numpy.empty(len(columns), dtype=object)
        array[:] = values()
        return array.reshape(shape)

    middle, lower, upper = (floats.reshape(shape) for floats in column[1:4])
    return Numbers(middle, lower, upper, unit(), objects)


# --- as tables


def plain_columns(columns: Any, rows: Callable[[], Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
    """Plain values by key, with interval ends as KEY_lower and KEY_upper.

    :param columns: columns of the extension module
    :param rows: the same rows, for values that are not in the columns
    """
    import numpy

    plain: dict[str, Any] = {}
    for key in columns.keys():
        kind, *data = columns.column(key)
        if kind in ("whole", "given"):
            plain[key] = data[0]
        elif kind == "number":
            plain[key] = data[0]
            if data[3]:
                plain[f"{key}_lower"], plain[f"{key}_upper"] = data[1], data[2]
        elif kind == "none":
            plain[key] = numpy.full(len(columns), math.nan)
        else:
            values = data[0] if kind == "text" else [plain_value(row.get(key)) for row in rows()]
            plain[key] = numpy.empty(len(columns), dtype=object)
            plain[key][:] = values
    return plain


def plain_value(value: Any) -> Any:
    """A number as float or int; anything else unchanged."""
    if value is None:
        return math.nan
    if isinstance(value, Count):
        return int(value)
    if isinstance(value, Number):
        return nearest(value)
    return float(value) if isinstance(value, Fraction) else value


def frame_of(
    plain: Mapping[str, Any], rows: Callable[[], Sequence[Mapping[str, Any]]], objects: bool, index: Any = None
) -> "pandas.DataFrame":
    """Rows as a DataFrame, of plain values or of the numbers themselves."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas (python3-pandas)") from missing
    if objects:
        return pandas.DataFrame([dict(row) for row in rows()], index=index)
    return pandas.DataFrame(plain, index=index)


def records_of(plain: Mapping[str, Any]) -> "Floats":
    """Rows as a structured array."""
    import numpy

    records: "Floats" = numpy.empty(len(next(iter(plain.values()), ())), dtype=[(key, column.dtype) for key, column in plain.items()])
    for key, column in plain.items():
        records[key] = column
    return records
