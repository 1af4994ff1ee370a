"""Buffer sizes, delay percentiles and bounds for switches and networks, each number with its certainty.

>>> import tailbound as tb
>>> answer = tb.buffer(inputs=16, load=0.9, drop=1e-15)
>>> answer.buffer
Count(157 packets)
>>> answer.probability
Enclosure(8.7035435578e-16, certified to 10 digits)
>>> answer.probability < 1e-15
True
>>> tb.buffer(inputs=16, load=[0.5, 0.7, 0.9], drop=1e-15).buffer
array([ 26,  48, 157])

Each command of the command line is a function; ``help(tb.buffer)`` lists its keywords. Numbers are taken exactly:
0.9 is 9/10, as are "0.9", Fraction(9, 10) and Decimal("0.9"). A list may be a list, an array, a column of pandas or
text (``load="0.1:0.9:0.1"``): the answers are the same. Several arrays are broadcast against each other by the rules of
numpy; several lists as text run all combinations.
"""

from ._answers import Answer, Column, Result, Row, Table
from ._ask import grid
from ._columns import Numbers
from ._lists import Answers
from ._errors import Error, InvalidArgument, LimitExceeded, NoAnswer, ParseError, Stopped, Undecided, Unstable
from ._networks import Network
from ._commands import *
from ._commands import __all__ as _functions
from ._symbolic import Formula
from ._tailbound import __version__
from ._values import Approximation, Asymptote, Bound, Count, Enclosure, Estimate, Exact, Model, Number

__all__ = [
    "Answer",
    "Answers",
    "Approximation",
    "Asymptote",
    "Bound",
    "Column",
    "Count",
    "Enclosure",
    "Error",
    "Estimate",
    "Exact",
    "Formula",
    "InvalidArgument",
    "LimitExceeded",
    "Model",
    "Network",
    "NoAnswer",
    "Number",
    "Numbers",
    "ParseError",
    "Result",
    "Row",
    "Stopped",
    "Table",
    "Undecided",
    "Unstable",
    "__version__",
    "grid",
]
__all__ += _functions
