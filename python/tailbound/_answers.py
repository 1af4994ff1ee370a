"""Answers: the results of a command as numbers."""

from __future__ import annotations

import base64
import functools
import html
import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence, Union

from ._columns import Numbers, column_array, frame_of, plain_value, records_of
from ._display import HTML_ROWS, TEXT_ROWS, certainty, html_table, html_value, shown, text_table, varying
from ._errors import NoAnswer
from ._tailbound import Columns
from ._values import Approximation, Asymptote, Bound, Count, Enclosure, Estimate, Exact, Model

_MOST_DRAWN = 1000  # a notebook draws at most this many answers by itself; more take seconds: plot()

if TYPE_CHECKING:
    import numpy
    import pandas
    from matplotlib.axes import Axes


class Column(NamedTuple):
    """Description of a key of an answer.

    >>> import tailbound as tb
    >>> tb.buffer(inputs=16, load=0.9, drop=1e-15).columns["buffer"].unit
    'packets'
    """

    key: str  #: "mean_occupancy"
    heading: str  #: "mean occupancy"
    unit: str  #: "packets"; "" if it has none
    meaning: str  #: description
    hidden: bool  #: not shown in tables for people


def _end(binary: tuple[Any, int]) -> Any:
    mantissa, exponent = binary
    if isinstance(mantissa, float):
        return mantissa
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def _table_maker(answer: "Answer", result: int, sizes: Sequence[tuple[str, int]]) -> Callable[[int], Table]:
    return lambda table: answer._table(result, table, sizes[table][0])


def _bounded(lower: Any, upper: Any, unit: str, digits: int) -> Any:
    if isinstance(lower, float) or isinstance(upper, float):
        return Bound(lower, False, unit) if isinstance(upper, float) else Bound(upper, True, unit)
    return Enclosure(lower, upper, unit, digits)


_MAKERS: dict[str, Callable[[Any, str, int], Any]] = {
    "count": lambda raw, unit, digits: Count(raw[1], unit),
    "given": lambda raw, unit, digits: Fraction(*raw[1]),
    "givens": lambda raw, unit, digits: [Fraction(*each) for each in raw[1]],
    "text": lambda raw, unit, digits: raw[1],
    "texts": lambda raw, unit, digits: raw[1],
    "flag": lambda raw, unit, digits: raw[1],
    "exact": lambda raw, unit, digits: Exact(Fraction(*raw[1]), unit),
    "enclosure": lambda raw, unit, digits: _bounded(_end(raw[1]), _end(raw[2]), unit, digits),
    "bound": lambda raw, unit, digits: Bound(_end(raw[1]), raw[2], unit),
    "fraction_bound": lambda raw, unit, digits: Bound(Fraction(*raw[1]), raw[2], unit),
    "approximation": lambda raw, unit, digits: Approximation(_end(raw[1]), raw[2], unit),
    "asymptote": lambda raw, unit, digits: Asymptote(raw[1], unit),
    "model": lambda raw, unit, digits: Model(raw[1], unit),
    "estimate": lambda raw, unit, digits: Estimate(raw[1], raw[2], raw[3], raw[4], unit),
}


def value_of(raw: Any, unit: str, digits: int) -> Any:
    """Converts a value of the extension module."""
    return None if raw is None else _MAKERS[raw[0]](raw, unit, digits)


class Row(Mapping[str, Any]):
    """Values by key, also available as attributes. Each is converted on access.

    >>> import tailbound as tb
    >>> row = tb.occupancy(inputs=16, load=0.9, levels=[0, 50]).tail[1]
    >>> list(row), row.level
    (['level', 'probability', 'certainty', 'method'], Count(50 packets))
    """

    __slots__ = ("_raw", "_columns", "_digits")

    def __init__(self, cells: Sequence[tuple[str, Any]], columns: Mapping[str, Column], digits: int) -> None:
        self._raw, self._columns, self._digits = dict(cells), columns, digits

    def __getitem__(self, key: str) -> Any:
        return value_of(self._raw[key], self._columns[key].unit if key in self._columns else "", self._digits)

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        if key not in self._raw:
            raise AttributeError(f"no key {key!r}; available keys: {', '.join(self._raw) or 'none'}")
        return self[key]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._raw]

    def __getstate__(self) -> Any:
        return None, {name: getattr(self, name) for name in self.__slots__}

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{key}: {shown(value)}" for key, value in self.items()) + "}"


class Table(Sequence[Row]):
    """A table of an answer: its rows, and its columns by key.

    >>> import tailbound as tb
    >>> tail = tb.occupancy(inputs=16, load=0.9, levels=[0, 50, 157]).tail
    >>> len(tail), tail["level"]
    (3, [Count(0 packets), Count(50 packets), Count(157 packets)])
    """

    def __init__(
        self, key: str, meaning: str, columns: Mapping[str, Column], rows: list[Row], floats: Callable[[], Columns]
    ) -> None:
        self.key, self.meaning, self.columns, self._rows, self._floats = key, meaning, columns, rows, floats

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, place: Any) -> Any:
        """A row, a slice of rows, or a column by its key."""
        if isinstance(place, str):
            if place not in self.columns:
                raise KeyError(f"{self.key} has no column {place!r}; available columns: {', '.join(self._keys())}")
            return [row.get(place) for row in self._rows]
        return self._rows[place]

    def _keys(self) -> list[str]:
        return [key for key in self.columns if any(key in row for row in self._rows)]

    def to_pandas(self, objects: bool = False) -> "pandas.DataFrame":
        """As a DataFrame of floats, with interval ends in KEY_lower and KEY_upper; ``objects`` keeps the numbers."""
        return frame_of(self._floats(), lambda: self._rows, objects)

    def __getstate__(self) -> Any:
        return {**self.__dict__, "_floats": functools.partial(_same, self._floats())}

    def __repr__(self) -> str:
        return f"<{self.key}: {len(self)} rows of {', '.join(self._keys())}>"

    def _repr_html_(self) -> str:
        return html_table(self._rows[:HTML_ROWS], self.columns, _left_out(len(self), HTML_ROWS))


class Result(Row):
    """The results for one point of a query, by key; ``inputs`` are its parameters, ``tables`` its tables.

    >>> import tailbound as tb
    >>> result = tb.buffer(inputs=16, load=0.9, drop=1e-15).results[0]
    >>> result.buffer, result.inputs["load"]
    (Count(157 packets), Fraction(9, 10))
    """

    __slots__ = ("inputs", "tables")
    inputs: Row
    tables: "Mapping[str, Table]"

    def __init__(
        self, cells: Sequence[tuple[str, Any]], columns: Mapping[str, Column], digits: int, inputs: Row, tables: Mapping[str, Table]
    ) -> None:
        super().__init__(cells, columns, digits)
        self.inputs, self.tables = inputs, tables

    def __getattr__(self, key: str) -> Any:
        if not key.startswith("_") and key not in self._raw and key in self.tables:
            return self.tables[key]
        return super().__getattr__(key)

    def __getstate__(self) -> Any:
        return None, {name: getattr(self, name) for name in (*Row.__slots__, *self.__slots__)}


class _Tables(Mapping[str, Table]):
    """Tables of a result, each read on access."""

    def __init__(self, sizes: Sequence[tuple[str, int]], make: Callable[[int], Table]) -> None:
        self._keys = [key for key, _ in sizes]
        self._make, self._made = make, {}  # type: ignore[var-annotated]

    def __getitem__(self, key: str) -> Table:
        if key not in self._made:
            if key not in self._keys:
                raise KeyError(key)
            self._made[key] = self._make(self._keys.index(key))
        return self._made[key]  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __reduce__(self) -> Any:
        return dict, (dict(self),)


class _Frozen:
    """Everything that an answer can show, independent of the extension module; used for pickling."""

    def __init__(self, shown: Any) -> None:
        self._content = shown.content()
        self._written = {
            (form, quiet): shown.written(form, quiet) for form in ("table", "json", "csv", "markdown") for quiet in (False, True)
        }
        self._tables = [
            [shown.table(i, j) for j in range(len(result[2]))] for i, result in enumerate(self._content["results"])
        ]
        self._columns: Columns = shown.columns()
        self._table_columns: list[list[Columns]] = [
            [shown.table_columns(i, j) for j in range(len(result[2]))] for i, result in enumerate(self._content["results"])
        ]
        self._pictures: dict[str, Any] = {}
        for kind in ("picture", "svg"):
            try:
                self._pictures[kind] = getattr(shown, kind)()
            except NoAnswer as none:
                self._pictures[kind] = none

    def content(self) -> Any:
        return self._content

    def written(self, form: str, quiet: bool = False) -> str:
        return str(self._written[form, quiet])

    def table(self, result: int, table: int) -> Any:
        return self._tables[result][table]

    def columns(self) -> Columns:
        return self._columns

    def table_columns(self, result: int, table: int) -> Columns:
        return self._table_columns[result][table]

    def picture(self) -> Any:
        return self._kept("picture")

    def svg(self) -> str:
        return str(self._kept("svg"))

    def _kept(self, kind: str) -> Any:
        kept = self._pictures[kind]
        if isinstance(kept, NoAnswer):
            raise kept
        return kept


class Answer:
    """The answer to a query: its numbers by key, and the output of the command.

    An answer with a single point contains numbers. An answer to a list (``load="0.1:0.9:0.1"``) contains arrays, in
    the order of the command's output.

    >>> import tailbound as tb
    >>> answer = tb.buffer(inputs=16, load=0.9, drop=1e-15)
    >>> answer.buffer
    Count(157 packets)
    >>> answer["probability"]
    Enclosure(8.7035435578e-16, certified to 10 digits)
    >>> print(answer.headline)
    A 157-packet buffer suffices: P(Q > 157) <= 1e-15.
    >>> print(answer.text(quiet=True), end="")
    157
    """

    def __init__(self, shown: Any) -> None:
        self._shown = shown
        self._results: Optional[list[Result]] = None

    # --- parameters and results

    def _content(self) -> Any:
        if "_made" not in self.__dict__:
            self.__dict__["_made"] = self._shown.content()
        return self.__dict__["_made"]

    @property
    def command(self) -> str:
        """The command: "buffer", "simulate tree"."""
        return str(self._content()["command"])

    @property
    def headline(self) -> str:
        """A sentence: the answer, or the title of the table."""
        return str(self._content()["headline"])

    @property
    def notes(self) -> list[str]:
        """Notes on the accuracy of the numbers, one paragraph each."""
        return list(self._content()["notes"])

    @property
    def digits(self) -> int:
        """Requested number of digits of proved numbers."""
        return int(self._content()["digits"])

    @property
    def ok(self) -> bool:
        """False if `validate` finds that the analysis underestimates (exit status 1 of the command)."""
        return bool(self._content()["status"] == 0)

    @property
    def stopped(self) -> str:
        """How much was finished when Ctrl-C stopped the query: "4 of 9 points"; "" if the answer is complete."""
        content = self._content()
        return str(content["stopped_after"] or "stopped") if content["stopped"] else ""

    @property
    def columns(self) -> dict[str, Column]:
        """Heading, unit and meaning of each key, of inputs and results."""
        content = self._content()
        return {column[0]: Column(*column) for column in (*content["inputs"], *content["results_columns"])}

    @property
    def results(self) -> list[Result]:
        """The results, one per point of the query."""
        if self._results is None:
            content, digits = self._content(), self.digits
            asked = {column[0]: Column(*column) for column in content["inputs"]}
            found = {column[0]: Column(*column) for column in content["results_columns"]}
            self._results = []
            for place, (inputs, cells, sizes, *_) in enumerate(content["results"]):
                tables = _Tables(sizes, _table_maker(self, place, sizes))
                self._results.append(Result(cells, found, digits, Row(inputs, asked, digits), tables))
        return self._results

    def _table(self, result: int, table: int, key: str) -> Table:
        for name, meaning, columns in self._content()["tables"]:
            if name == key:
                layout = {column[0]: Column(*column) for column in columns}
                rows = [Row(cells, layout, self.digits) for cells in self._shown.table(result, table)]
                return Table(key, meaning, layout, rows, functools.partial(self._shown.table_columns, result, table))
        raise KeyError(key)

    @property
    def shape(self) -> tuple[int, ...]:
        """() for a single point; (n,) for a list."""
        count = len(self.results)
        return () if count == 1 else (count,)

    def __len__(self) -> int:
        return len(self.results)

    @property
    def inputs(self) -> Any:
        """The parameters by key; for a list of points a list of these."""
        asked = [result.inputs for result in self.results]
        return asked[0] if len(asked) == 1 else asked

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables of a single result. For several results see ``results``."""
        if len(self.results) != 1:
            raise ValueError(f"there are {len(self.results)} results with separate tables; use .results")
        return self.results[0].tables

    def keys(self) -> list[str]:
        """All keys with values, and the keys of tables."""
        seen: dict[str, None] = {}
        for result in self.results:
            seen.update(dict.fromkeys(result))
            seen.update(dict.fromkeys(result.tables))
        return list(seen)

    def __getitem__(self, key: Any) -> Any:
        """By key: a result or a parameter, for several points an array. By number: the results of one point."""
        if not isinstance(key, str):
            return self.results[key]
        count = len(self._content()["results"])
        return self._values(key)[0] if count == 1 else self._column(key, (count,), [], self._values)

    def _values(self, key: str) -> list[Any]:
        """The value of each result."""
        if key not in self.keys() and not any(key in result.inputs for result in self.results):
            raise KeyError(f"no key {key!r}; available keys: {', '.join(self.keys()) or 'none'}")
        return [result.get(key, result.tables.get(key, result.inputs.get(key))) for result in self.results]

    def _column(self, key: str, shape: tuple[int, ...], without: Sequence[int], values: Callable[[str], list[Any]]) -> Any:
        return column_array(self._floats(), key, shape, without, lambda: self.columns[key].unit, functools.partial(values, key))

    def _floats(self) -> Columns:
        """All results, one row each."""
        if "_columns" not in self.__dict__:
            self.__dict__["_columns"] = self._shown.columns()
        return self.__dict__["_columns"]  # type: ignore[no-any-return]

    def _rows(self) -> list[Mapping[str, Any]]:
        return [{**result.inputs, **result} for result in self.results]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __getattr__(self, key: str) -> Any:
        if key.startswith("_"):
            raise AttributeError(key)
        try:
            return self[key]
        except KeyError as missing:
            raise AttributeError(missing.args[0]) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.keys()]

    # --- output of the command

    def text(self, quiet: bool = False) -> str:
        """The text output of the command; ``quiet`` omits explanations, except the remarks of formulas."""
        return str(self._shown.written("table", quiet))

    def json(self, quiet: bool = False) -> str:
        """The output of ``--format json``."""
        return str(self._shown.written("json", quiet))

    def csv(self, quiet: bool = False) -> str:
        """The output of ``--format csv``."""
        return str(self._shown.written("csv", quiet))

    def markdown(self, quiet: bool = False) -> str:
        """The output of ``--format markdown``."""
        return str(self._shown.written("markdown", quiet))

    def html(self, quiet: bool = False) -> str:
        """The output of ``--format html``: a complete page for a browser."""
        return str(self._shown.written("html", quiet))

    def picture(self) -> dict[str, Any]:
        """The picture as data: titles, labels and curves.  :raises NoAnswer: there is nothing to draw"""
        picture = dict(self._shown.picture())
        if all(len(curve["points"]) < 2 for curve in picture["curves"]):
            raise NoAnswer("nothing to draw: a single point; use a list of values")
        return picture

    def svg(self) -> str:
        """The plot of the command as SVG, as ``--plot FILE.svg`` writes it. For a network, its drawing.

        :raises NoAnswer: there is nothing to draw

        >>> import tailbound as tb
        >>> tb.buffer(inputs=16, load=0.9, drop=1e-15).svg()[:4]
        '<svg'
        """
        return str(self._shown.svg())

    def plot(self, ax: "Optional[Axes]" = None, log_y: bool = False) -> "Axes":
        """Draws the plot of the command with matplotlib. ``svg()`` needs no matplotlib.

        :param ax: axes to draw into (default: a new figure)
        :param log_y: logarithmic y axis
        :raises NoAnswer: there is nothing to draw; most commands need several points

        >>> import matplotlib; matplotlib.use("Agg")
        >>> import tailbound as tb
        >>> ax = tb.buffer(inputs=16, load="0.1:0.9:0.1", drop=1e-9).plot()
        >>> ax.get_xlabel()
        'load [packets/slot]'
        """
        from ._plot import draw

        return draw(self.picture(), ax, log_y)

    def to_pandas(self, objects: bool = False) -> "pandas.DataFrame":
        """As a DataFrame, one row per result: parameters, then results.

        Numbers are floats. The ends of their intervals are in KEY_lower and KEY_upper, rounded outward. With ``objects``
        the DataFrame contains the numbers themselves.

        >>> import tailbound as tb
        >>> frame = tb.buffer(inputs=16, load="0.5,0.9", drop=1e-15).to_pandas()
        >>> list(frame["buffer"])
        [26, 157]
        """
        return frame_of(self._floats(), self._rows, objects)

    def to_numpy(self, key: Optional[str] = None) -> "numpy.ndarray[Any, Any]":
        """The values of a key as floats or integers. Without a key: a structured array with the columns of ``to_pandas``.

        >>> import tailbound as tb
        >>> tb.buffer(inputs=16, load=[0.5, 0.9], drop=1e-15).to_numpy("buffer")
        array([ 26, 157])
        """
        import numpy

        if key is None:
            return records_of(self._floats(), self._rows)
        found = self[key]
        if isinstance(found, Numbers):
            return found.middle
        flat = list(found.flat) if isinstance(found, numpy.ndarray) else [found]
        plain: numpy.ndarray[Any, Any] = numpy.array([plain_value(value) for value in flat]).reshape(self.shape)
        return plain

    def __repr__(self) -> str:
        return self.text().rstrip("\n")

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        results = self.results
        parts = [f"<p>{html.escape(self.headline)}</p>"] if self.headline else []
        if len(results) == 1:
            columns = self.columns
            rows = "".join(
                f"<tr><th style='text-align:left'>{html.escape(columns[key].heading)}</th><td style='text-align:left'>"
                f"{html_value(value, with_unit=True)}</td><td style='text-align:left'>{html.escape(certainty(value))}</td></tr>"
                for key, value in results[0].items()
                if value is not None and not columns[key].hidden
            )
            parts.append(f"<table>{rows}</table>" if rows else "")
            for table in results[0].tables.values():
                parts.append(table._repr_html_())
        else:
            different = varying([result.inputs for result in results])
            more = {column[0]: Column(*column) for column in self._content()["text_columns"]}  # percentiles, for instance
            first = [
                {**{key: result.inputs.get(key) for key in different}, **result, **Row(content[4], more, self.digits)}
                for result, content in zip(results[:HTML_ROWS], self._content()["results"])
            ]
            parts.append(html_table(first, {**self.columns, **more}, _left_out(len(results), HTML_ROWS)))
        if not parts or not any(parts):
            parts.append(f"<pre>{html.escape(self.text())}</pre>")
        parts += [f"<p><small>{html.escape(note)}</small></p>" for note in self.notes]
        return "\n".join(parts)

    def _svg(self) -> Optional[str]:
        try:
            return self.svg()
        except NoAnswer:
            return None

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """For notebooks: the table, and the plot below it if there is one."""
        shown = self._repr_html_()
        svg = self._svg()
        if svg is not None:
            coded = base64.b64encode(svg.encode()).decode()
            shown += f'\n<img alt="{html.escape(self.headline)}" src="data:image/svg+xml;base64,{coded}"/>'
        return {"text/plain": repr(self), "text/html": shown}

    def __getstate__(self) -> Any:
        return {"_shown": self._shown if isinstance(self._shown, _Frozen) else _Frozen(self._shown)}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._results = None


class Answers(Answer):
    """Answers to a call with arrays or lists, in the shape to which these are broadcast.

    A key gives an array: of integers, or of :class:`Numbers` with the floats ``middle``, ``lower`` and ``upper``; None
    marks points without an answer. An index gives one answer, or raises its error. A slice gives some of the rows.

    >>> import tailbound as tb
    >>> answers = tb.buffer(inputs=[[8], [16]], load=[0.5, 0.8, 0.9], drop=1e-9)
    >>> answers.shape
    (2, 3)
    >>> answers.buffer
    array([[15, 43, 88],
           [16, 46, 94]])
    >>> answers[1, 2].mean_occupancy
    Exact(4.696875 packets)
    >>> answers.probability.middle.shape
    (2, 3)
    >>> print(answers[0])
    inputs  load [packets/slot]  buffer [packets]  P(Q > buffer)     mean occupancy [packets]  decay rate
    8       0.5                  15                5.1451752919e-10  0.71875                   1.4028244605
    8       0.8                  43                6.8863514290e-10  2.2                       0.4877811708
    8       0.9                  88                9.3209165545e-10  4.44375                   0.23562170535
    """

    def __init__(self, shape: tuple[int, ...], answers: Any, given: Iterable[str] = ()) -> None:
        """:param given: the keywords that were arrays; tables show these parameters"""
        super().__init__(None)
        self._shape, self._answers, self._given = shape, answers, tuple(given)

    @property
    def shape(self) -> tuple[int, ...]:
        """The broadcast shape."""
        return self._shape

    @property
    def size(self) -> int:
        """Number of answers."""
        return math.prod(self._shape)

    def __len__(self) -> int:
        return self._shape[0]

    def _at(self, place: int) -> Answer:
        found = self._answers.at(place)
        if isinstance(found, BaseException):
            raise found
        return found  # type: ignore[no-any-return]

    @property
    def flat(self) -> Iterator[Optional[Answer]]:
        """All answers in the order of the array; None for a point without an answer."""
        for place in range(self.size):
            found = self._answers.at(place)
            yield None if isinstance(found, BaseException) else found

    @property
    def errors(self) -> list[tuple[tuple[int, ...], NoAnswer]]:
        """The points without an answer: (index, error) of each."""
        found = ((place, self._answers.at(place)) for place in self._answers.without_answer())
        return [(_unravelled(place, self._shape), error) for place, error in found]

    def _content(self) -> Any:
        for answer in self.flat:
            if answer is not None:
                return answer._content()
        raise NoAnswer("no point has an answer")

    @property
    def ok(self) -> bool:
        """True if every point has an answer and is ok."""
        return all(answer is not None and answer.ok for answer in self.flat)

    @property
    def results(self) -> list[Result]:
        """The results of all points with an answer, in the order of the array."""
        return [result for answer in self.flat if answer is not None for result in answer.results]

    def keys(self) -> list[str]:
        """The keys of the first point with an answer."""
        for answer in self.flat:
            if answer is not None:
                return answer.keys()
        return []

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, str):
            return self._column(place, self._shape, self._answers.without_answer(), self._answers.values)
        if isinstance(place, slice):
            rows = range(*place.indices(self._shape[0]))
            row = math.prod(self._shape[1:])
            taken = [self._answers.at(first * row + at) for first in rows for at in range(row)]
            return Answers((len(rows), *self._shape[1:]), Listed(taken), self._given)
        if isinstance(place, tuple) or len(self._shape) == 1:
            return self._at(_ravelled(place, self._shape))
        part = _Part(self._answers, _wrapped(place, self._shape[0]), math.prod(self._shape[1:]))
        return Answers(self._shape[1:], part, self._given)

    def _floats(self) -> Columns:
        return self._answers.columns()  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    @property
    def inputs(self) -> Any:
        """The parameters by key, for each point with an answer."""
        return [result.inputs for result in self.results]

    def _written(self, form: str, quiet: bool) -> str:
        together = self._answers.together()
        if together is not None:
            return str(together.written(form, quiet))
        return "\n".join(answer._shown.written(form, quiet) for answer in self.flat if answer is not None)

    def text(self, quiet: bool = False) -> str:
        """As one table if the command has one for lists; otherwise all answers one after the other."""
        return self._written("table", quiet)

    def json(self, quiet: bool = False) -> str:
        """As one document; otherwise one document per line."""
        return self._written("json", quiet)

    def csv(self, quiet: bool = False) -> str:
        """As one table; otherwise the tables one after the other."""
        return self._written("csv", quiet)

    def markdown(self, quiet: bool = False) -> str:
        """As one table; otherwise all answers one after the other."""
        return self._written("markdown", quiet)

    def html(self, quiet: bool = False) -> str:
        """As one page, if the command has one for lists."""
        together = self._answers.together()
        if together is None:
            raise NoAnswer("no combined page for these arrays; use a list as text, or one point at a time")
        return str(together.written("html", quiet))

    def picture(self) -> dict[str, Any]:
        """The plot of all points. Commands without plots for arrays need a list as text."""
        return dict(self._together().picture())

    def svg(self) -> str:
        """The plot of all points as SVG."""
        return str(self._together().svg())

    def _together(self) -> Any:
        together = self._answers.together()
        if together is None:
            raise NoAnswer('no plot for these arrays; use a list as text: load="0.1:0.9:0.1"')
        return together

    def to_pandas(self, objects: bool = False) -> "pandas.DataFrame":
        """As a DataFrame, one row per result, with the array index as index."""
        import numpy
        import pandas

        places = numpy.setdiff1d(numpy.arange(self.size), self._answers.without_answer())
        floats = self._floats()
        if len(floats) != len(places):  # several results in an answer
            places = numpy.repeat(places, [len(answer) for answer in self.flat if answer is not None])
        where = numpy.unravel_index(places, self._shape)
        index = pandas.MultiIndex.from_arrays(where) if len(where) > 1 else pandas.Index(where[0])
        return frame_of(floats, self._rows, objects, index)

    def _first(self, most: int) -> tuple[list[Mapping[str, Any]], str]:
        """The results of the first answers, and a remark on the omitted ones."""
        found: list[Answer] = list(itertools.islice((answer for answer in self.flat if answer is not None), most))
        failed = len(self._answers.without_answer())
        left = self.size - failed - len(found)
        results = [result for answer in found for result in answer.results]
        rows = results[:most]
        different = {*varying([result.inputs for result in results]), *self._given}
        parts = [f"{left} more answers"] if left else []
        if len(results) > most:
            parts.insert(0, f"{len(results) - most} more results of the first {len(found)} answers")
        if failed:
            parts.append(f"{failed} without an answer")
        shown_rows: list[Mapping[str, Any]] = [
            {**{key: value for key, value in result.inputs.items() if key in different}, **result} for result in rows
        ]
        return shown_rows, f"... {', '.join(parts)}" if parts else ""

    def __repr__(self) -> str:
        rows, more = self._first(TEXT_ROWS)
        return text_table(rows, self.columns, more) if rows else f"no answers: {more}"

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        rows, more = self._first(HTML_ROWS)
        title = f"{' x '.join(map(str, self._shape))} answers"
        return f"<p>{title}</p>" + html_table(rows, self.columns if rows else {}, more)

    def _svg(self) -> Optional[str]:
        return super()._svg() if self.size <= _MOST_DRAWN else None

    def __getstate__(self) -> Any:
        return {"_shape": self._shape, "_answers": self._answers, "_given": self._given}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._shown = self._results = None


class Listed:
    """A list of answers or errors."""

    def __init__(self, found: Sequence[Union[Answer, NoAnswer]]) -> None:
        self._found = list(found)
        self._columns: Optional[Columns] = None

    def at(self, place: int) -> Union[Answer, NoAnswer]:
        return self._found[place]

    def without_answer(self) -> list[int]:
        return [place for place, found in enumerate(self._found) if isinstance(found, BaseException)]

    def together(self) -> Any:
        return None

    def columns(self) -> Columns:
        if self._columns is None:
            self._columns = Columns()
            for found in self._found:
                if not isinstance(found, BaseException):
                    self._columns.append(found._floats())
        return self._columns

    def values(self, key: str) -> list[Any]:
        return [None if isinstance(found, BaseException) else found[key] for found in self._found]


class Rows:
    """The rows of lists that were each one run of the command, in the order of an array."""

    def __init__(
        self,
        lists: Sequence[Any],
        rows: Sequence[tuple[int, int]],
        error_of: Callable[[int, str], NoAnswer],
        whole: Optional[Columns] = None,
    ) -> None:
        """:param lists: of the extension module
        :param rows: for each position of the array the list and its row
        :param whole: the columns of all rows, if they are in this order
        """
        self._lists, self._rows, self._error_of = list(lists), rows, error_of
        self._refused = [dict(shown.refused()) for shown in self._lists]
        self._columns = None if any(self._refused) or len(self._lists) > 1 else whole

    def at(self, place: int) -> Union[Answer, NoAnswer]:
        number, row = self._rows[place]
        reason = self._refused[number].get(row)
        return Answer(self._lists[number].part(row)) if reason is None else self._error_of(place, reason)

    def without_answer(self) -> list[int]:
        if not any(self._refused):
            return []
        return [place for place, (number, row) in enumerate(self._rows) if row in self._refused[number]]

    def together(self) -> Any:
        return self._lists[0] if len(self._lists) == 1 else None

    def columns(self) -> Columns:
        if self._columns is None:
            self._columns = Columns()
            for number, rows in self._in_turn():
                self._columns.append(self._lists[number].columns_of(rows))
        return self._columns

    def values(self, key: str) -> list[Any]:
        first = Answer(self._lists[0].part(next(row for number, row in self._rows if row not in self._refused[number])))
        if key not in first.columns:
            raise KeyError(f"no key {key!r}; available keys: {', '.join(first.keys())}")
        unit, digits = first.columns[key].unit, first.digits
        found = iter([value_of(raw, unit, digits) for number, rows in self._in_turn() for raw in self._lists[number].values(key, rows)])
        return [None if row in self._refused[number] else next(found) for number, row in self._rows]

    def _in_turn(self) -> Iterator[tuple[int, list[int]]]:
        """The answered rows, as long as they are of the same list."""
        answered = (each for each in self._rows if each[1] not in self._refused[each[0]])
        for number, rows in itertools.groupby(answered, key=lambda each: each[0]):
            yield number, [row for _, row in rows]

    def __reduce__(self) -> Any:
        return Listed, ([self.at(place) for place in range(len(self._rows))],)


class _Part:
    """A row of an array of answers."""

    def __init__(self, whole: Any, row: int, size: int) -> None:
        self._whole, self._first, self._size = whole, row * size, size

    def at(self, place: int) -> Any:
        return self._whole.at(self._first + place)

    def without_answer(self) -> list[int]:
        return [each - self._first for each in self._whole.without_answer() if 0 <= each - self._first < self._size]

    def together(self) -> Any:
        return None

    @functools.cached_property
    def _listed(self) -> Listed:
        return Listed([self.at(place) for place in range(self._size)])

    def columns(self) -> Columns:
        return self._listed.columns()

    def values(self, key: str) -> list[Any]:
        return self._listed.values(key)


# --- helpers


def _wrapped(place: int, size: int) -> int:
    if not -size <= place < size:
        raise IndexError(f"index {place} is out of range for size {size}")
    return place % size


def _ravelled(place: Any, shape: tuple[int, ...]) -> int:
    places = place if isinstance(place, tuple) else (place,)
    if len(places) != len(shape):
        raise IndexError(f"{len(places)} indices for an array of {len(shape)} dimensions")
    flat = 0
    for each, size in zip(places, shape):
        flat = flat * size + _wrapped(each, size)
    return flat


def _unravelled(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    places = []
    for size in reversed(shape):
        places.append(place % size)
        place //= size
    return tuple(reversed(places))


def _left_out(count: int, most: int) -> str:
    return f"... {count - most} more" if count > most else ""


def _same(thing: Any) -> Any:
    return thing
