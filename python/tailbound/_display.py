"""Rows of answers as text and HTML tables with a limited number of rows."""

from __future__ import annotations

import html
import math
from fractions import Fraction
from typing import Any, Iterable, Mapping, Sequence

from ._decimals import plain
from ._values import Number

TEXT_ROWS = 20
HTML_ROWS = 50


def shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, Fraction):
        return plain(value)
    if isinstance(value, float) and math.isnan(value):
        return "NaN"
    if isinstance(value, list):
        return " ".join(map(shown, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _cell(row: Mapping[str, Any], key: str) -> Any:
    """What a row shows; a number that a point without an answer would have is NaN."""
    value = row.get(key)
    return math.nan if value is None and row.get("status") == "no answer" else value


def certainty(value: Any) -> str:
    return value.certainty if isinstance(value, Number) else ""


def html_value(value: Any, with_unit: bool = False) -> str:
    unit = getattr(value, "unit", "") if with_unit else ""
    return html.escape(shown(value) + (f" {unit}" if unit else ""))


def varying(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys of parameters that vary between rows, among those that have them."""
    keys = dict.fromkeys(key for row in rows for key in row)
    return [key for key in keys if len({shown(row[key]) for row in rows if key in row}) > 1]


def _keys(rows: Iterable[Mapping[str, Any]], columns: Mapping[str, Any]) -> list[str]:
    keys: dict[str, None] = {}
    for row in rows:
        keys.update(dict.fromkeys(key for key in row if not (key in columns and columns[key].hidden)))
    return list(keys)


def _heading(key: str, columns: Mapping[str, Any]) -> str:
    column = columns.get(key)
    if column is None or not column.heading:
        return key
    return str(column.heading) + (f" [{column.unit}]" if column.unit else "")


def text_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any], more: str = "") -> str:
    """:param more: the last line: a remark on omitted rows"""
    keys = _keys(rows, columns)
    cells = [[_heading(key, columns) for key in keys], *([shown(_cell(row, key)) for key in keys] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
    return "\n".join([*lines, *([more] if more else [])])


def html_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, Any], more: str = "") -> str:
    """:param more: a paragraph below: a remark on omitted rows"""
    keys = _keys(rows, columns)

    def cell(value: Any) -> str:
        return f'<td title="{html.escape(certainty(value))}">{html_value(value)}</td>'

    head = "".join(f"<th>{html.escape(_heading(key, columns))}</th>" for key in keys)
    body = "".join("<tr>" + "".join(cell(_cell(row, key)) for key in keys) + "</tr>" for row in rows)
    below = f"<p>{html.escape(more)}</p>" if more else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"
