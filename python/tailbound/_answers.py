"""Answers: the results of a command as numbers."""

from __future__ import annotations

import base64
import functools
import html
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, NamedTuple, Optional, Sequence

from ._columns import Numbers, frame_of, plain_columns, plain_value, records_of
from ._display import HTML_ROWS, certainty, html_table, html_value, shown
from ._errors import NoAnswer
from ._tailbound import Columns
from ._words import similar
from ._values import Approximation, Asymptote, Bound, Count, Enclosure, Estimate, Exact, Model

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
    "plain": lambda raw, unit, digits: raw[1],
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
            raise AttributeError(f"no key {key!r}; {similar(key, self._raw)}available keys: {', '.join(self._raw) or 'none'}")
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
        return frame_of(plain_columns(self._floats(), lambda: self._rows), lambda: self._rows, objects)

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

    __slots__ = ("inputs", "tables", "_times", "_also")
    inputs: Row
    tables: "Mapping[str, Table]"

    def __init__(
        self, cells: Sequence[tuple[str, Any]], columns: Mapping[str, Column], digits: int, inputs: Row,
        tables: Mapping[str, Table] = {}, times: Mapping[str, Any] = {}, also: Mapping[str, Any] = {},
    ) -> None:  # fmt: skip
        """:param times: the percentiles by key: latency_slots_99.99
        :param also: what a table of several results shows next to the keys
        """
        super().__init__(cells, columns, digits)
        self.inputs, self.tables, self._times, self._also = inputs, tables, times, also

    def found(self, key: str) -> Any:
        """A result, table, parameter or percentile; None if there is none of this name."""
        for part in (self, self.tables, self.inputs, self._times):
            if key in part:
                return part[key]
        return None

    def row(self) -> dict[str, Any]:
        """Parameters, results and percentiles."""
        return {**self.inputs, **self, **self._times}

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

    def content(self, results: bool = True) -> Any:
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

    Several points (``load=[0.5, 0.9]``, ``load="0.1:0.9:0.1"``) give :class:`Answers`.

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
        """Heading, unit and meaning of each key, of inputs, results and percentiles."""
        content = self._content()
        parts = (content["inputs"], content["results_columns"], content["percentile_columns"])
        return {column[0]: Column(*column) for part in parts for column in part}

    def _more_columns(self) -> dict[str, Column]:
        """Of the entries of tables of several results that are no keys: percentiles, for instance."""
        content = self._content()
        return {column[0]: Column(*column) for column in content["text_columns"] or content["percentile_columns"]}

    @property
    def results(self) -> list[Result]:
        """The results, one per point of the query."""
        if self._results is None:
            content, digits, columns, more = self._content(), self.digits, self.columns, self._more_columns()
            self._results = []
            for place, (inputs, cells, sizes, _, text_cells, percentiles) in enumerate(content["results"]):
                tables = _Tables(sizes, _table_maker(self, place, sizes))
                times = Row(percentiles, columns, digits)
                seen = text_cells or [cell for cell in percentiles if not cell[0].startswith("queueing")] or percentiles
                also = Row([cell for cell in seen if cell[0] in more], more, digits)
                self._results.append(Result(cells, columns, digits, Row(inputs, columns, digits), tables, times, also))
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
        """() for a single point; (n,) for a list; the broadcast shape of arrays."""
        return ()

    def __len__(self) -> int:
        return len(self.results)

    @property
    def inputs(self) -> Any:
        """The parameters by key."""
        return self.results[0].inputs

    @property
    def tables(self) -> Mapping[str, Table]:
        """The tables by key."""
        return self.results[0].tables

    def keys(self) -> list[str]:
        """All keys with values, and the keys of tables."""
        seen: dict[str, None] = {}
        for result in self.results:
            seen.update(dict.fromkeys(result))
            seen.update(dict.fromkeys(result.tables))
        return list(seen)

    def __getitem__(self, key: Any) -> Any:
        """By key: a result, a table or a parameter. By number: the results."""
        if not isinstance(key, str):
            return self.results[key]
        self._require(key)
        return self.results[0].found(key)

    def _require(self, key: str) -> None:
        if key not in self.keys() and key not in self.columns:
            raise KeyError(f"no key {key!r}; {similar(key, self.keys())}available keys: {', '.join(self.keys()) or 'none'}")

    def _floats(self) -> Columns:
        """All results, one row each."""
        if "_columns" not in self.__dict__:
            self.__dict__["_columns"] = self._shown.columns()
        return self.__dict__["_columns"]  # type: ignore[no-any-return]

    def _plain(self) -> dict[str, Any]:
        """The same as plain arrays by key."""
        return plain_columns(self._floats(), self._rows)

    def _rows(self) -> list[Mapping[str, Any]]:
        return [result.row() for result in self.results]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    if not TYPE_CHECKING:  # the types of the keys are in _commands.pyi

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
        picture = dict(self._drawn().picture())
        if all(len(curve["points"]) < 2 for curve in picture["curves"]):
            raise NoAnswer("nothing to draw: a single point; use a list of values")
        return picture

    def _drawn(self) -> Any:
        return self._shown

    def svg(self) -> str:
        """The plot of the command as SVG, as ``--plot FILE.svg`` writes it. For a network, its drawing.

        :raises NoAnswer: there is nothing to draw

        >>> import tailbound as tb
        >>> tb.buffer(inputs=16, load=0.9, drop=1e-15).svg()[:4]
        '<svg'
        """
        return str(self._drawn().svg())

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

        Numbers are floats. The ends of their intervals are in KEY_lower and KEY_upper, rounded outward. Percentiles are
        columns: latency_slots_99.99. A point without an answer has NaN, and its reason. With ``objects`` the DataFrame
        contains the numbers themselves.

        >>> import tailbound as tb
        >>> frame = tb.buffer(inputs=16, load="0.5,0.9", drop=1e-15).to_pandas()
        >>> list(frame["buffer"])
        [26, 157]
        """
        return frame_of(self._plain(), self._rows, objects)

    def to_numpy(self, key: Optional[str] = None) -> "numpy.ndarray[Any, Any]":
        """The values of a key as floats or integers. Without a key: a structured array with the columns of ``to_pandas``.

        >>> import tailbound as tb
        >>> tb.buffer(inputs=16, load=[0.5, 0.9], drop=1e-15).to_numpy("buffer")
        array([ 26, 157])
        """
        import numpy

        if key is None:
            return records_of(self._plain())
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
        parts = [f"<p>{html.escape(self.headline)}</p>"] if self.headline else []
        columns = self.columns
        for result in self.results:
            rows = "".join(
                f"<tr><th style='text-align:left'>{html.escape(columns[key].heading)}</th><td style='text-align:left'>"
                f"{html_value(value, with_unit=True)}</td><td style='text-align:left'>{html.escape(certainty(value))}</td></tr>"
                for key, value in result.items()
                if value is not None and not columns[key].hidden
            )
            parts.append(f"<table>{rows}</table>" if rows else "")
            parts += [table._repr_html_() for table in result.tables.values()]
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


def _left_out(count: int, most: int) -> str:
    return f"... {count - most} more" if count > most else ""


def _same(thing: Any) -> Any:
    return thing
