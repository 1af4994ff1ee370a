"""Runs commands: converts keywords to options and broadcasts arrays."""

from __future__ import annotations

import functools
import itertools
import math
import os
import pickle
import re
import sys
import time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Optional, Sequence, Union

from . import _tailbound
from ._answers import Answer, value_of
from ._errors import Error, InvalidArgument, LimitExceeded, NoAnswer, Stopped, speak_python
from ._lists import Answers, Entry, Points, Refused
from ._networks import Network, network_text
from ._progress import Meter, Progress
from ._symbolic import Formula, formula_text, is_formula
from ._values import Count, Exact
from ._words import Spec

if TYPE_CHECKING:
    import numpy

#: A number or a name. Numbers are taken exactly: 0.9 is 9/10. Arrays and lists are broadcast.
Given = Union[int, float, Fraction, Decimal, str, Exact, Sequence[Any], "numpy.ndarray[Any, Any]", Any]
#: A file name.
File = Union[str, "os.PathLike[str]"]
#: An option with or without a value; or several values.
Words = Union[bool, int, str, "os.PathLike[str]", Any]
#: A network: a file, a Network, a dict (docs/networks.md), a networkx graph or an answer of network().
Net = Union[str, "os.PathLike[str]", Network, Mapping[str, Any], Any]


def grid(first: Any, last: Any, step: Any) -> list[Fraction]:
    """Exact values first, first + step, ..., last, like "0.1:0.9:0.1" on the command line.

    >>> import tailbound as tb
    >>> tb.grid(0.7, 0.9, 0.1)
    [Fraction(7, 10), Fraction(4, 5), Fraction(9, 10)]
    """
    from ._decimals import exact

    begin, end, by = exact(first), exact(last), exact(step)
    if by == 0 or (end - begin) / by < 0:
        raise ValueError(f"steps of {step} do not lead from {first} to {last}")
    return [begin + i * by for i in range(math.floor((end - begin) / by) + 1)]


def ask(command: str, spec: Spec, arguments: Mapping[str, Any]) -> Any:
    """Runs a command.

    :param spec: for each keyword the name of the option, its type ("text", "list", "flag", "words", "file" or "network")
        and its legal names
    :param arguments: the keywords, including "progress"; None and False mean not given
    """
    given = {key: value for key, value in arguments.items() if value is not None and value is not False}
    time_limit = _seconds(given.pop("time_limit", None))
    if command == "buffer" and time_limit is None:
        shown = _tailbound.size_buffer(given)
        if shown is not None:
            return Answer(shown)
    progress: Progress = given.pop("progress", None) if "progress" in given else arguments.get("progress")
    given = {key: _with_gaps(spec[key][1], value) for key, value in given.items()}
    arrays = {key: value for key, value in given.items() if _is_array(value) and (spec[key][1] in ("text", "file") or _gaps(value))}
    contents: dict[str, str] = {}
    ready = {key: value if key in arrays else _text(key, spec[key][1], value, contents) for key, value in given.items()}
    if arrays:
        return _broadcast(command, spec, ready, arrays, contents, progress, time_limit)
    return _one(command, spec, ready, contents, progress, time_limit)


def _seconds(time_limit: Any) -> Optional[float]:
    if time_limit is None:
        return None
    seconds = float(time_limit)
    if not 0.001 <= seconds <= 1e9:
        raise InvalidArgument(
            f"time_limit is {time_limit}; it must be from 0.001 to 1e9 seconds", "time_limit", str(time_limit), "from 0.001 to 1e9 seconds"
        )
    return seconds


def _one(
    command: str,
    spec: Spec,
    given: Mapping[str, str],
    contents: Mapping[str, str],
    progress: Progress,
    time_limit: Optional[float] = None,
) -> Any:
    words = [(spec[key][0], text) for key, text in given.items()]
    meter = Meter(progress)
    try:
        shown, cut, late = _tailbound.ask(command, words, meter.callback, dict(contents), time_limit)
    except Error as error:
        speak_python(error, spec)
        raise
    finally:
        meter.close()
    if command == "pgf":
        answer: Answer = Formula(shown, _Again(spec, given))
    else:
        listed = _listed(spec, given, shown)
        answer = Answer(shown)
        if listed or len(shown) > 1:
            answer = Answers((len(shown),), _points_of(shown, functools.partial(_row_alone, command, spec, given, contents, listed)), listed)
    if late and answer.stopped:
        raise LimitExceeded(f"the time limit of {time_limit:g} s is reached; finished: {answer.stopped}", answer)
    if cut:
        raise Stopped(f"stopped on request: {answer.stopped or 'everything was finished'}", answer)
    return answer


def _listed(spec: Spec, given: Mapping[str, str], shown: Any) -> list[str]:
    """The keywords whose lists are the points of the answer."""
    lists = {key: text for key, text in given.items() if isinstance(text, _Joined) or (spec[key][1] != "file" and re.search("[,:;]", text))}
    if not lists:
        return []
    rows, found = list(range(len(shown))), []
    names = shown.columns().keys()
    for key, text in lists.items():
        name = _column_of(key, names)
        values = shown.values(name, rows) if name else []
        kinds = {value[0] for value in values if value is not None}
        if len(rows) == 1:
            found += [key] if kinds and kinds <= {"count", "given"} else []
        elif kinds and kinds <= {"count", "given", "text"} and (isinstance(text, _Joined) or len(set(map(str, values))) > 1):
            found.append(key)
    return found


def _column_of(key: str, names: Sequence[str]) -> Optional[str]:
    """The parameter of an answer that a keyword gives: of ``loads`` it is ``load``."""
    return next((name for name in (key, key.removesuffix("s")) if name in names), None)


def _points_of(shown: Any, alone: Callable[[Any, int], Any]) -> Points:
    refused = dict(shown.refused())
    return Points(
        [Refused(refused[row], {}, (0, row), functools.partial(alone, shown, row)) if row in refused else (0, row) for row in range(len(shown))],
        [shown],
    )


def _row_alone(
    command: str, spec: Spec, given: Mapping[str, str], contents: Mapping[str, str], listed: Sequence[str], shown: Any, row: int
) -> Any:
    """Asks for a row of a list without an answer, which raises its error."""
    names = shown.columns().keys()
    values = {key: value_of(shown.values(_column_of(key, names), [row])[0], "", 10) for key in listed}
    return _one(command, spec, {**given, **{key: number_text(key, value) for key, value in values.items()}}, contents, False)


class _Again:
    """Writes the same formula for another program."""

    def __init__(self, spec: Spec, given: Mapping[str, str]) -> None:
        self._spec, self._given = spec, dict(given)

    def __call__(self, language: str) -> Formula:
        formula: Formula = _one("pgf", self._spec, {**self._given, "as_": language}, {}, False)
        return formula


# --- arguments as text


def _is_array(value: Any) -> bool:
    if isinstance(value, (list, tuple, range)):
        return True
    return getattr(value, "ndim", 0) != 0 and hasattr(value, "__array__")


class _Joined(str):
    """A list as text."""


def _text(key: str, takes: str, value: Any, contents: dict[str, str]) -> str:
    if takes == "flag":
        if value is not True:
            raise TypeError(f"{key} is {value!r}; it must be True or False")
        return ""
    if takes == "words":
        return "" if value is True else number_text(key, value)
    if takes == "network":
        text = network_text(value)
        if text is not None:
            value = text[0]
            contents[value] = text[1]
    if takes == "list" and _is_array(value):
        return _Joined(",".join(number_text(key, each) for each in _flat(value)))
    return number_text(key, value)


def _gap(value: Any) -> str:
    """Why a value of a list is none: "nan"; "" if it is one."""
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return {"NoneType": "None", "MaskedConstant": "masked"}.get(type(value).__name__, "missing")
    if isinstance(value, str):
        return "nan" if value.strip().lower() == "nan" else ""
    try:
        return "nan" if math.isnan(value) else ""
    except (TypeError, ValueError, OverflowError):
        return ""


def _gaps(value: Any) -> dict[int, str]:
    """The places of a list without a value, and why."""
    if isinstance(value, (list, tuple, range)) and not any(map(_is_array, value)):
        return {place: reason for place, each in enumerate(value) if (reason := _gap(each))}
    import numpy

    if isinstance(value, numpy.ma.MaskedArray):
        mask = numpy.broadcast_to(value.mask, value.shape).reshape(-1)
        return {**{int(place): "masked" for place in numpy.flatnonzero(mask)}, **{p: r for p, r in _gaps(value.data).items() if not mask[p]}}
    array = _array_of("", value)
    if array.dtype.kind in "iu":
        return {}
    if array.dtype.kind == "f":
        return {int(place): "nan" for place in numpy.flatnonzero(numpy.isnan(array))}
    return {place: reason for place, each in enumerate(array.reshape(-1)) if (reason := _gap(each))}


def _with_gaps(takes: str, value: Any) -> Any:
    """A list as text that has a nan among its values, as a list."""
    if takes in ("text", "list") and isinstance(value, str) and "," in value and ":" not in value:
        values = value.split(",")
        if any(map(_gap, values)):
            return values
    return value


def _flat(value: Any) -> Iterable[Any]:
    if hasattr(value, "__array__"):
        import numpy

        array = numpy.asarray(value)
        if array.ndim != 1:
            raise ValueError(f"a list must have one dimension, not {array.ndim}")
        return list(array)
    return list(value)


def number_text(key: str, value: Any) -> str:
    """The exact value of an argument, as on a command line."""
    kind = type(value)
    if kind is float:
        return repr(value)
    if isinstance(value, bool):
        raise TypeError(f"{key} is {value!r}; it must be a number or text")
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int.__repr__(int(value) if isinstance(value, Count) else value)
    if isinstance(value, float):  # for numpy floats str() gives the shortest decimal
        return str(value) if kind.__module__ == "numpy" else repr(float(value))
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, Exact):
        return f"{value.value.numerator}/{value.value.denominator}"
    if kind.__module__ == "numpy" and getattr(value, "ndim", 1) == 0 and value.dtype.kind in "iufO":
        return number_text(key, value.item()) if value.dtype.kind == "O" else str(value)
    if is_formula(value):
        return formula_text(value)
    raise TypeError(f"{key} is of type {kind.__name__}; it must be a number, text, or an array or list of them")


# --- arrays


def _broadcast(
    command: str,
    spec: Spec,
    given: dict[str, Any],
    arrays: Mapping[str, Any],
    contents: Mapping[str, str],
    progress: Progress,
    time_limit: Optional[float],
) -> Answers:
    try:
        import numpy
    except ImportError as missing:
        raise ImportError("arrays and lists need numpy (python3-numpy)") from missing
    columns = {key: _array_of(key, value) for key, value in arrays.items()}
    gaps = {key: _gaps(value) for key, value in arrays.items()}
    shape = numpy.broadcast_shapes(*(column.shape for column in columns.values()))
    count = math.prod(shape)
    if count == 0:
        raise InvalidArgument(f"{', '.join(arrays)} is empty; it must be at least one value", next(iter(arrays)), "empty", "at least one value")
    places = {
        key: numpy.broadcast_to(numpy.arange(column.size).reshape(column.shape), shape).reshape(-1).tolist() for key, column in columns.items()
    }
    flat = {key: column.reshape(-1) for key, column in columns.items()}
    given = dict(given)
    if count > 1 and "analysis" in spec and "simulate" not in given:  # the default of lists
        alone = {**given, "analysis": ""}
    else:
        alone = given

    def question(place: int) -> dict[str, str]:
        return {key: number_text(key, flat[key][places[key][place]]) if key in flat else value for key, value in alone.items()}

    def inputs_of(place: int) -> dict[str, Any]:
        return {key: math.nan if places[key][place] in gaps[key] else _plainly(key, flat[key][places[key][place]]) for key in columns}

    def gap_of(place: int) -> str:
        return ", ".join(f"{key} is {gaps[key][places[key][place]]}" for key in columns if places[key][place] in gaps[key])

    asked = [place for place in range(count) if not (any(gaps.values()) and gap_of(place))]
    found: Optional[Points] = None
    if time_limit is None and asked:
        found = _rows(command, spec, given, columns, gaps, places, shape, question, contents, progress)
    if found is None:
        for key in columns:
            if spec[key][1] == "list":
                raise InvalidArgument(f"{key} has a value that is {next(iter(gaps[key].values()))}", key, "nan", "numbers")
        entries = dict(zip(asked, _each(command, spec, asked, question, inputs_of, contents, progress, time_limit)))
        found = Points([entries.get(place) or Refused(gap_of(place), inputs_of(place)) for place in range(count)])
    elif len(asked) < count:
        rows = found
        found = Points([Refused(gap_of(place), inputs_of(place)) if gap_of(place) else rows.entries[place] for place in range(count)], rows.runs)
    names = found.first().columns if found.has_answer else {}
    for refused in found.refused.values():
        refused.inputs = {_column_of(key, list(names)) or key: value for key, value in refused.inputs.items()}
    return Answers(shape, found, arrays)


def _plainly(key: str, value: Any) -> Any:
    """A number of an array as a fraction; a name as text."""
    text = number_text(key, value)
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text


def _array_of(key: str, value: Any) -> Any:
    import numpy

    array = numpy.asarray(value)
    if array.dtype.kind in "iuf":
        return array
    if array.dtype.kind == "b":
        raise TypeError(f"{key} is an array of truth values; it must be numbers or texts")
    ragged = numpy.empty(numpy.shape(array), dtype=object)
    ragged[...] = numpy.array(value, dtype=object) if array.dtype.kind != "O" else array
    return ragged


def cores() -> int:
    """Number of available cores."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_MOST_LISTED = 10_000  # entries of a list of the command


def _rows(
    command: str,
    spec: Spec,
    given: Mapping[str, Any],
    columns: Mapping[str, Any],
    gaps: Mapping[str, Mapping[int, str]],
    places: Mapping[str, Sequence[int]],
    shape: tuple[int, ...],
    question: Callable[[int], dict[str, str]],
    contents: Mapping[str, str],
    progress: Progress,
) -> Optional[Points]:
    """The arrays as lists of the command, whose rows are all combinations. Points at gaps have some other row.

    :return: None if they are not: several arrays vary along one axis, or the command has no such lists
    """
    import numpy

    axes = {key: [axis for axis, size in enumerate((1,) * (len(shape) - column.ndim) + column.shape) if size > 1] for key, column in columns.items()}
    if command == "pgf" or sum(map(len, axes.values())) > len(set().union(*axes.values())):
        return None
    if any(spec[key][1] == "file" for key in columns):
        return None
    kept = {key: [place for place in range(column.size) if place not in gaps[key]] for key, column in columns.items()}
    texts = {key: [number_text(key, columns[key].reshape(-1)[place]) for place in kept[key]] for key in columns}
    if any("," in text or ":" in text for column in texts.values() for text in column):
        return None
    longest = max(texts, key=lambda key: len(texts[key]))
    if any(len(column) > _MOST_LISTED for key, column in texts.items() if key != longest):
        return None
    # Of each point the numbers of its values in the lists; at a gap some number.
    number = {key: numpy.zeros(columns[key].size, dtype=int) for key in columns}
    for key in columns:
        number[key][kept[key]] = numpy.arange(len(kept[key]))
        number[key] = number[key][places[key]]
    runs: list[Any] = []
    entries = numpy.zeros((math.prod(shape), 2), dtype=int)
    for first in range(0, len(texts[longest]), _MOST_LISTED):
        part = {**texts, longest: texts[longest][first : first + _MOST_LISTED]}
        try:
            answer = _one(command, spec, {**given, **{key: _Joined(",".join(column)) for key, column in part.items()}}, contents, progress)
        except Stopped:
            raise
        except NoAnswer:  # point by point, each with its error
            return None
        except InvalidArgument as wrong:
            if wrong.argument in texts and wrong.value and "," not in wrong.value:
                raise
            return None
        run = answer._points.run if isinstance(answer, Answers) else answer._shown
        order = _order(run.columns(), part)
        if order is None:
            return None
        within = (number[longest] >= first) & (number[longest] < first + _MOST_LISTED)
        at = [number[key][within] - (first if key == longest else 0) for key in order]
        entries[within, 0] = len(runs)
        entries[within, 1] = numpy.ravel_multi_index(at, [len(part[key]) for key in order])
        runs.append(run)
    refused = [dict(run.refused()) for run in runs]

    def entry(place: int, run: int, row: int) -> Entry:
        if row not in refused[run]:
            return run, row
        alone = _Alone(command, spec, question, place, contents)
        return Refused(refused[run][row], {}, (run, row), alone)

    return Points([entry(place, run, row) for place, (run, row) in enumerate(entries.tolist())], runs)


def _order(columns: Any, lists: Mapping[str, Sequence[str]]) -> Optional[Sequence[str]]:
    """The keywords of the lists, the one that varies slowest first; None if the rows are not their combinations."""
    import numpy

    from ._decimals import exact

    sizes = {key: len(texts) for key, texts in lists.items()}
    if len(columns) != math.prod(sizes.values()):
        return None
    found: dict[str, Any] = {}
    wanted: dict[str, Any] = {}
    for key, texts in lists.items():
        name = _column_of(key, columns.keys())
        if name is None:
            return None
        kind, *values = columns.column(name)
        if kind not in ("whole", "given", "text"):
            return None
        found[key] = numpy.array(values[0], dtype=object if kind == "text" else float)
        try:
            numbers: list[Any] = [text if kind == "text" else float(exact(text) if "/" in text else text) for text in texts]
            wanted[key] = numpy.array(numbers, dtype=found[key].dtype)
        except ValueError:
            return None
    for order in itertools.permutations(lists):
        at = numpy.unravel_index(numpy.arange(len(columns)), [sizes[key] for key in order])
        if all((found[key] == wanted[key][places]).all() for key, places in zip(order, at)):
            return order
    return None


class _Alone:
    """Asks for a point of an array alone."""

    def __init__(
        self, command: str, spec: Spec, question: Callable[[int], dict[str, str]], place: int, contents: Mapping[str, str]
    ) -> None:
        self._command, self._spec, self._question, self._place, self._contents = command, spec, question, place, contents

    def __call__(self) -> Any:
        return _one(self._command, self._spec, self._question(self._place), self._contents, False)


def _each(
    command: str,
    spec: Spec,
    places: Sequence[int],
    question: Callable[[int], dict[str, str]],
    inputs_of: Callable[[int], dict[str, Any]],
    contents: Mapping[str, str],
    progress: Progress,
    time_limit: Optional[float],
) -> Sequence[Union[Answer, Refused]]:
    """One point after the other; if that takes long, the rest on all cores."""
    found: list[Union[Answer, Refused]] = []
    meter = Meter(progress)
    begun = time.monotonic()
    count = len(places)

    def one(place: int) -> Union[Answer, Refused]:
        try:
            return _one(command, spec, question(place), contents, False, time_limit)  # type: ignore[no-any-return]
        except Stopped:
            raise
        except NoAnswer as none:
            return Refused.because(none, inputs_of(place))

    def tell() -> None:
        if meter.callback is not None:
            spent = time.monotonic() - begun
            meter.callback(len(found) / count, spent / len(found) * (count - len(found)))

    try:
        while len(found) < count:
            found.append(one(places[len(found)]))
            tell()
            spent = time.monotonic() - begun
            rest = count - len(found)
            # Simulations have their own threads.
            if cores() > 1 and "threads" not in spec and rest > 1 and spent > 0.2 and spent / len(found) * rest > 1:
                for answer in _on_all_cores(one, places[len(found) :]):
                    found.append(answer)
                    tell()
    except (KeyboardInterrupt, Stopped):
        partial = Answers((len(found),), Points(found)) if found else None
        raise Stopped(f"stopped on request: {len(found)} of {count} points", partial) from None
    finally:
        meter.close()
    return found


def _on_all_cores(one: Callable[[int], Any], places: Sequence[int]) -> Iterable[Any]:
    """Yields one(place) in order. The forked worker processes end with the iteration."""

    def work(number: int) -> bytes:
        try:
            return pickle.dumps((one(places[number]), None))
        except Exception as error:
            return pickle.dumps((None, error))

    sys.stdout.flush()
    sys.stderr.flush()
    forked = _tailbound.forked(work, len(places), cores())
    try:
        for _ in places:
            answer, error = pickle.loads(forked.next())
            if error is not None:
                raise error
            yield answer
    finally:
        del forked  # a traceback would keep it and its processes alive
