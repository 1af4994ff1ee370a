"""Answers to lists and arrays: one kind, however the list was given."""

from __future__ import annotations

import functools
import html
import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

from ._answers import Answer, Column, Result, Row, _Frozen, value_of
from ._columns import column_array, frame_of, plain_columns
from ._display import HTML_ROWS, TEXT_ROWS, html_table, text_table, varying
from ._errors import NoAnswer
from ._tailbound import Columns

if TYPE_CHECKING:
    import pandas

_MOST_DRAWN = 1000  # a notebook draws at most this many answers by itself; more take seconds: plot()


class Answers(Answer):
    """Answers to a list or to arrays, in the shape to which these are broadcast.

    A list of a parameter is the same as text, list, numpy array or column of pandas. A key gives an array: of integers,
    or of :class:`Numbers` with the floats ``middle``, ``lower`` and ``upper``. An index gives one answer, or raises its
    error; a slice, a mask or a list of indices gives some of the rows. A point without an answer keeps its place: its
    numbers are NaN, and ``reason`` says why.

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
    >>> print(answers[answers.buffer > 40])
    inputs  load [packets/slot]  buffer [packets]  P(Q > buffer)     mean occupancy [packets]  decay rate
    8       0.8                  43                6.8863514290e-10  2.2                       0.4877811708
    8       0.9                  88                9.3209165545e-10  4.44375                   0.23562170535
    16      0.8                  46                6.3339872020e-10  2.3                       0.45753663726
    16      0.9                  94                9.3713201790e-10  4.696875                  0.22046721096
    """

    def __init__(self, shape: tuple[int, ...], points: "Points", given: Iterable[str] = ()) -> None:
        """:param given: the keywords that were lists; tables show these parameters"""
        super().__init__(None)
        self._shape, self._points, self._given = shape, points, tuple(given)

    @property
    def shape(self) -> tuple[int, ...]:
        """(n,) for a list; the broadcast shape of arrays."""
        return self._shape

    @property
    def size(self) -> int:
        """Number of points."""
        return math.prod(self._shape)

    def __len__(self) -> int:
        return self._shape[0]

    @property
    def flat(self) -> Iterator[Optional[Answer]]:
        """All answers in the order of the array; None for a point without an answer."""
        return (None if isinstance(found, BaseException) else found for found in map(self._points.at, range(self.size)))

    @property
    def errors(self) -> list[tuple[tuple[int, ...], NoAnswer]]:
        """The points without an answer: (index, error) of each."""
        return [(_unravelled(place, self._shape), refused.error()) for place, refused in self._points.refused.items()]

    def _content(self) -> Any:
        run = self._points.run
        return self._points.first()._content() if run is None else self._points.head_of(run)

    @property
    def headline(self) -> str:
        """A sentence: the answer, or the title of the table; for several runs of the command the shape."""
        return super().headline if self._points.run is not None else f"{' x '.join(map(str, self._shape))} answers"

    @property
    def ok(self) -> bool:
        """True if every point has an answer and is ok."""
        if self._points.refused:
            return False
        return super().ok if self._points.run is not None else all(answer is not None and answer.ok for answer in self.flat)

    @property
    def columns(self) -> dict[str, Column]:
        """Heading, unit and meaning of each key, of inputs, results and percentiles."""
        found = self._points.first().columns if self._points.has_answer else {}
        return {**_OF_REFUSED, **found} if self._points.refused else found

    def _more_columns(self) -> dict[str, Column]:
        return self._points.first()._more_columns() if self._points.has_answer else {}

    @property
    def results(self) -> list[Result]:
        """The results of all points in the order of the array; of a point without an answer ``status`` and ``reason``."""
        return list(itertools.chain.from_iterable(map(self._points.results_at, range(self.size))))

    def keys(self) -> list[str]:
        """The keys of the first point with an answer; with ``status`` and ``reason`` if a point has none."""
        keys = self._points.first().keys() if self._points.has_answer else []
        return list(dict.fromkeys([*keys, *_OF_REFUSED])) if self._points.refused else keys

    def __getitem__(self, place: Any) -> Any:
        """By key: an array. By index: one answer. By slice, mask or list of indices: some of the rows."""
        if isinstance(place, str):
            self._require(place)
            return column_array(
                self._floats(), place, self._shape, lambda: self.columns[place].unit, lambda: self._points.values(place),
                self._points.completed(place),
            )  # fmt: skip
        if isinstance(place, int) and len(self._shape) == 1 and -self.size <= place < self.size:
            return self._at(place % self.size)
        import numpy

        places = numpy.arange(self.size).reshape(self._shape)[place]
        if numpy.ndim(places) == 0:
            return self._at(int(places))
        return Answers(places.shape, self._points.take(places.reshape(-1).tolist()), self._given)

    def _at(self, place: int) -> Answer:
        found = self._points.at(place)
        if isinstance(found, BaseException):
            raise found
        return found

    def _floats(self) -> Columns:
        return self._points.columns

    def _plain(self) -> dict[str, Any]:
        return self._points.plain(self._rows)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))

    @property
    def inputs(self) -> Any:
        """The parameters by key, for each result."""
        return [result.inputs for result in self.results]

    @property
    def tables(self) -> Mapping[str, Any]:
        """Each point has its own."""
        raise ValueError(f"there are {self.size} points with separate tables; use answers[i].tables or answers.results")

    # --- output

    def _written(self, form: str, quiet: bool) -> str:
        run = self._points.run
        if run is not None:
            return str(run.written(form, quiet))
        return "\n".join(str(getattr(answer, form)(quiet)) for answer in self.flat if answer is not None)

    def text(self, quiet: bool = False) -> str:
        """As one table if the command has one for lists; otherwise all answers one after the other."""
        run = self._points.run
        return str(run.written("table", quiet)) if run is not None else self._written("text", quiet)

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
        """As one page, if the command has one for the list."""
        return str(self._drawn("page").written("html", quiet))

    def _drawn(self, what: str = "plot") -> Any:
        run = self._points.run
        if run is None:
            raise NoAnswer(f"no {what} of parts of a list, or of arrays that vary together: take the whole list or grid, or plot a key")
        return run

    def to_pandas(self, objects: bool = False) -> "pandas.DataFrame":
        """As a DataFrame, one row per result, with the array index as index; see :meth:`Answer.to_pandas`."""
        import numpy
        import pandas

        where = numpy.unravel_index(numpy.repeat(numpy.arange(self.size), self._points.counts), self._shape)
        index = pandas.MultiIndex.from_arrays(where) if len(where) > 1 else pandas.Index(where[0])
        return frame_of(self._plain(), self._rows, objects, index)

    def _first(self, most: int) -> tuple[list[Mapping[str, Any]], str]:
        """The results of the first points, and a remark on the omitted ones."""
        found = min(most, self.size)
        results = [result for place in range(found) for result in self._points.results_at(place)]
        different = {*varying([result.inputs for result in results]), *self._given}
        parts = [f"{self.size - found} more answers"] if self.size > found else []
        if len(results) > most:
            parts.insert(0, f"{len(results) - most} more results of the first {found} answers")
        unanswered = len(self._points.refused)
        if unanswered and self.size > found:
            parts.append(f"{unanswered} without an answer")
        answered = {"status": "answered"} if unanswered else {}
        rows: list[Mapping[str, Any]] = [
            {
                **{key: value for key, value in result.inputs.items() if _is_of(key, different)},
                **{key: value for key, value in result.items() if key not in _OF_REFUSED}, **result._also, **answered,
                **{key: result[key] for key in _OF_REFUSED if key in result},
            }
            for result in results[:most]
        ]  # fmt: skip
        return rows, f"... {', '.join(parts)}" if parts else ""

    def _as_table(self, make: Callable[..., str], most: int) -> str:
        rows, more = self._first(most)
        return make(rows, {**self.columns, **self._more_columns()}, more)

    def __repr__(self) -> str:
        if not self._given and self._points.run is not None:  # several results of one point, such as flows
            return self.text().rstrip("\n")
        return self._as_table(text_table, TEXT_ROWS)

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        notes = "".join(f"\n<p><small>{html.escape(note)}</small></p>" for note in self.notes) if self._points.run else ""
        return f"<p>{html.escape(self.headline)}</p>" + self._as_table(html_table, HTML_ROWS) + notes

    def _svg(self) -> Optional[str]:
        return super()._svg() if self.size <= _MOST_DRAWN else None

    def __getstate__(self) -> Any:
        return {"_shape": self._shape, "_points": self._points, "_given": self._given}

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state)
        self._shown = self._results = None


_OF_REFUSED = {
    "status": Column("status", "status", "", "answered, or no answer", False),
    "reason": Column("reason", "reason", "", "why there is no answer", False),
}


def _is_of(key: str, keywords: Iterable[str]) -> bool:
    return key in keywords or key + "s" in keywords


class Refused:
    """A point without an answer."""

    def __init__(
        self, reason: str, inputs: Mapping[str, Any], row: Optional[tuple[int, int]] = None, ask: Optional[Callable[[], Any]] = None
    ) -> None:
        """:param inputs: its values of the keywords that are arrays
        :param row: its run and row, if the command has listed it
        :param ask: asks for this point alone, and raises its error
        """
        self.reason, self.inputs, self.row = reason, inputs, row
        self._ask, self._error = ask, None if ask is not None else NoAnswer(reason)

    @staticmethod
    def because(error: NoAnswer, inputs: Mapping[str, Any]) -> "Refused":
        made = Refused(str(error), inputs)
        made._error = error
        return made

    def error(self) -> NoAnswer:
        if self._error is None and self._ask is not None:
            self._error = NoAnswer(self.reason)
            try:
                self._ask()
            except NoAnswer as none:
                self._error = none
        assert self._error is not None
        return self._error

    def result(self) -> Result:
        """For tables, like that of a row of the command."""
        inputs = [(key, ("plain", value)) for key, value in self.inputs.items()]
        return Result([("status", ("text", "no answer")), ("reason", ("text", self.reason))], _OF_REFUSED, 10, Row(inputs, {}, 10))

    def __reduce__(self) -> Any:
        return Refused.because, (self.error(), self.inputs), {"row": self.row}


#: A row of a run of the command (their numbers), an answer of its own, or a point without one.
Entry = Union[tuple[int, int], Answer, Refused]


class Points:
    """The points of a list, in its order."""

    def __init__(self, entries: Sequence[Entry], runs: Sequence[Any] = ()) -> None:
        """:param runs: of the extension module"""
        self.entries, self.runs = list(entries), list(runs)
        self._first: Optional[Answer] = None
        self._head: Any = None

    def at(self, place: int) -> Union[Answer, NoAnswer]:
        entry = self.entries[place]
        if isinstance(entry, Refused):
            return entry.error()
        return Answer(self.runs[entry[0]].part(entry[1])) if isinstance(entry, tuple) else entry

    def results_at(self, place: int) -> list[Result]:
        entry = self.entries[place]
        if not isinstance(entry, Refused):
            found = self.at(place)
            assert isinstance(found, Answer)
            return found.results
        return [entry.result()] if entry.row is None else Answer(self.runs[entry.row[0]].part(entry.row[1])).results

    def take(self, places: Iterable[int]) -> "Points":
        taken = Points([self.entries[place] for place in places], self.runs)
        taken._first = self.first() if self.has_answer else None  # its keys, if none of these has an answer
        return taken

    @functools.cached_property
    def refused(self) -> dict[int, Refused]:
        """The points without an answer, by place."""
        return {place: entry for place, entry in enumerate(self.entries) if isinstance(entry, Refused)}

    @functools.cached_property
    def has_answer(self) -> bool:
        return self._first is not None or len(self.refused) < len(self.entries)

    def first(self) -> Answer:
        """The first answer."""
        if self._first is None:
            place = next((place for place in range(len(self.entries)) if place not in self.refused), None)
            if place is None:
                raise NoAnswer("no point has an answer")
            found = self.at(place)
            assert isinstance(found, Answer)
            self._first = found
        return self._first

    @functools.cached_property
    def run(self) -> Any:
        """The run of the command, if the points are its rows, all of them; otherwise None."""
        rows = [row for row in map(_row_of, self.entries) if row is not None]
        whole = len(self.runs) == 1 and len(rows) == len(set(rows)) == len(self.runs[0])
        return self.runs[0] if whole and not any(isinstance(entry, Answer) for entry in self.entries) else None

    def head_of(self, run: Any) -> Any:
        """The document without its results."""
        if self._head is None:
            self._head = run.content(False)
        return self._head

    @functools.cached_property
    def counts(self) -> list[int]:
        """Rows of each point."""
        return [len(entry._floats()) if isinstance(entry, Answer) else 1 for entry in self.entries]

    @functools.cached_property
    def columns(self) -> Columns:
        """All results, one row each; a row of a point that the command has not listed is empty."""
        if self.run is not None and [_row_of(entry) for entry in self.entries] == [(0, row) for row in range(len(self.run))]:
            return self.run.columns()  # type: ignore[no-any-return]
        columns = Columns()
        for number, places in self._in_turn():
            if number is not None:
                columns.append(self.runs[number].columns_of([self._row(place)[1] for place in places]))
                continue
            for place in places:
                entry = self.entries[place]
                columns.append(entry._floats() if isinstance(entry, Answer) else Columns(1))
        return columns

    def _row(self, place: int) -> tuple[int, int]:
        row = _row_of(self.entries[place])
        assert row is not None
        return row

    def _in_turn(self) -> Iterator[tuple[Optional[int], list[int]]]:
        """The places, as long as they are of the same run; None: of none."""

        def run_of(place: int) -> Optional[int]:
            row = _row_of(self.entries[place])
            return None if row is None else row[0]

        for number, places in itertools.groupby(range(len(self.entries)), key=run_of):
            yield number, list(places)

    @functools.cached_property
    def _unlisted(self) -> dict[int, Refused]:
        """Of the points without an answer those that the command has not listed."""
        return {place: refused for place, refused in self.refused.items() if refused.row is None}

    def completed(self, key: str) -> bool:
        """Does ``columns`` lack values of unlisted points?"""
        return bool(self._unlisted) and (key in _OF_REFUSED or key in self._given)

    def values(self, key: str) -> list[Any]:
        """The value of each point; None if it has none."""
        found: list[Any] = []
        for number, places in self._in_turn():
            if number is None:
                found += [self._own(self.entries[place], key) for place in places]
                continue
            first = self.first() if self.has_answer else None
            if first is not None and key in first.keys() and key not in first.columns:  # a table
                found += [result.tables.get(key) for place in places for result in self.results_at(place)]
                continue
            column = first.columns.get(key) if first is not None else None
            unit, digits = column.unit if column is not None else "", first.digits if first is not None else 10
            raws = self.runs[number].values(key, [self._row(place)[1] for place in places])
            absent = "answered" if key == "status" and self._unlisted else None
            found += [absent if raw is None else value_of(raw, unit, digits) for raw in raws]
        return found

    def _own(self, entry: Entry, key: str) -> Any:
        if isinstance(entry, Refused):
            return {**entry.inputs, "status": "no answer", "reason": entry.reason}.get(key)
        assert isinstance(entry, Answer)
        if key in _OF_REFUSED:
            return "answered" if key == "status" else None
        return entry[key] if isinstance(entry, Answers) else entry.results[0].found(key)

    def plain(self, rows: Callable[[], Sequence[Mapping[str, Any]]]) -> dict[str, Any]:
        """Plain arrays by key, one entry per result."""
        import numpy

        plain = plain_columns(self.columns, rows)
        if not self._unlisted:
            return plain
        size = len(self.columns)
        places = numpy.concatenate([[0], numpy.cumsum(self.counts)])[list(self._unlisted)].astype(int)
        for key in self.first().results[0].inputs if self.has_answer else ():  # the same of all points
            if key in plain and key not in self._given and len({*map(str, numpy.delete(plain[key], places))}) == 1:
                plain[key][places] = numpy.delete(plain[key], places)[0]
        plain = {**{key: _of_objects(size, math.nan) for key in self._given if key not in plain}, **plain}
        plain.setdefault("status", _of_objects(size, "answered"))
        plain.setdefault("reason", _of_objects(size, math.nan))
        for at, refused in zip(places, self._unlisted.values()):
            plain["status"][at], plain["reason"][at] = "no answer", refused.reason
            for key, value in refused.inputs.items():
                plainly = float(value) if isinstance(value, Fraction) else value
                if plain[key].dtype != object and isinstance(plainly, str):
                    plain[key] = plain[key].astype(object)
                plain[key][at] = plainly
        for key in self._given:  # if no point has an answer
            if plain[key].dtype == object and all(isinstance(value, float) for value in plain[key]):
                plain[key] = plain[key].astype(float)
        return plain

    @property
    def _given(self) -> list[str]:
        """The parameters of the points that the command has not listed."""
        return list(dict.fromkeys(key for refused in self._unlisted.values() for key in refused.inputs))

    def __reduce__(self) -> Any:
        if self.run is not None:
            return Points, (self.entries, [self.run if isinstance(self.run, _FrozenRun) else _FrozenRun(self.run)])
        return Points, ([self.entries[place] if place in self.refused else self.at(place) for place in range(len(self.entries))],)


def _of_objects(size: int, value: Any) -> Any:
    import numpy

    return numpy.full(size, value, dtype=object)


def _row_of(entry: Entry) -> Optional[tuple[int, int]]:
    return entry if isinstance(entry, tuple) else entry.row if isinstance(entry, Refused) else None


class _FrozenRun(_Frozen):
    """A run of the command with several rows."""

    def __init__(self, shown: Any) -> None:
        super().__init__(shown)
        self._parts = [_Frozen(shown.part(row)) for row in range(len(shown))]

    def __len__(self) -> int:
        return len(self._parts)

    def part(self, row: int) -> _Frozen:
        return self._parts[row]

    def columns_of(self, rows: Sequence[int]) -> Columns:
        columns = Columns()
        for row in rows:
            columns.append(self._parts[row].columns())
        return columns

    def values(self, key: str, rows: Sequence[int]) -> list[Any]:
        """As in the extension module."""
        found = []
        for row in rows:
            inputs, cells, _, _, _, percentiles = self._content["results"][row]
            found.append({**dict(percentiles), **dict(inputs), **{cell: raw for cell, raw in cells if raw is not None}}.get(key))
        return found


def _unravelled(place: int, shape: tuple[int, ...]) -> tuple[int, ...]:
    places = []
    for size in reversed(shape):
        places.append(place % size)
        place //= size
    return tuple(reversed(places))
