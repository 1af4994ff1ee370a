"""Exceptions, with the messages of the command line and its options as keywords."""

from __future__ import annotations

from typing import Any

from ._words import Spec, in_keywords


class Error(Exception):
    """Base class of all errors of the library.

    >>> import tailbound as tb
    >>> issubclass(tb.NoAnswer, tb.Error)
    True
    """


class InvalidArgument(Error, ValueError):
    """An argument has the wrong form or is out of range.

    >>> import tailbound as tb
    >>> try:
    ...     tb.buffer(inputs=16, load=0.9, drop=2)
    ... except tb.InvalidArgument as error:
    ...     print(error)
    ...     print(error.argument, "|", error.value, "|", error.legal)
    drop is 2; it must be greater than 0 and less than 1
    drop | 2 | greater than 0 and less than 1
    """

    argument: str  #: the keyword, if it is one: "packets_per_slot"
    value: str  #: the value given, as text
    legal: str  #: the legal range: a phrase that completes "must be ..."

    def __init__(self, message: str, argument: str = "", value: str = "", legal: str = "") -> None:
        super().__init__(message)
        self.argument = argument[2:].replace("-", "_") if argument.startswith("--") else argument
        self.value, self.legal = value, legal

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.argument, self.value, self.legal)


class ParseError(Error, ValueError):
    """A text (an expression, a file) cannot be read. Positions count from 1; line 0 means "no position".

    >>> import tailbound as tb
    >>> try:
    ...     tb.buffer(arrivals="2z", drop=1e-9)
    ... except tb.ParseError as error:
    ...     print(error)
    arrivals:1:2: an operator is missing; write 2*z for a product, not 2z
    """

    source: str  #: the text or file
    line: int
    column: int

    def __init__(self, message: str, source: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.source, self.line, self.column = source, line, column

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.source, self.line, self.column)


class NoAnswer(Error):
    """The query is valid but has no answer: an unstable queue, an unreachable target.

    >>> import tailbound as tb
    >>> try:
    ...     tb.buffer(inputs=16, load=1, drop=1e-9)
    ... except tb.NoAnswer as error:
    ...     print(type(error).__name__)
    Unstable
    """


class Unstable(NoAnswer):
    """The load reaches or exceeds the capacity of the server."""


class LimitExceeded(NoAnswer):
    """The answer would exceed a stated limit of memory, time or digits. For a time_limit, ``partial`` is the answer to
    the part that was finished; otherwise None.
    """

    partial: Any  #: an Answer, marked as stopped; or None

    def __init__(self, message: str = "", partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


class Stopped(NoAnswer, KeyboardInterrupt):
    """Ctrl-C stopped a query. ``partial`` is the answer to the part that was finished, or None.

    It is also a KeyboardInterrupt, so that handlers of KeyboardInterrupt catch it.

    >>> import tailbound as tb
    >>> issubclass(tb.Stopped, KeyboardInterrupt), tb.Stopped("stopped on request").partial
    (True, None)
    """

    partial: Any  #: an Answer or Answers, marked as stopped; or None

    def __init__(self, message: str = "stopped on request", partial: Any = None) -> None:
        super().__init__(message)
        self.partial = partial


def speak_python(error: Error, spec: Spec) -> None:
    """Replaces options in an error message by keywords."""
    error.args = tuple(in_keywords(each, spec) if isinstance(each, str) else each for each in error.args)
    if isinstance(error, InvalidArgument):
        error.legal = in_keywords(error.legal, spec)
    if isinstance(error, ParseError):
        error.source = in_keywords(error.source, spec)


class Undecided(ArithmeticError):
    """A comparison that cannot be decided because intervals overlap.

    >>> import tailbound as tb
    >>> try:
    ...     tb.Enclosure(1, 3) < tb.Enclosure(2, 4)
    ... except tb.Undecided as error:
    ...     print(error)
    whether [1, 3] < [2, 4] is not known
    """
