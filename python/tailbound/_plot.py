"""Draws the plots of the command with matplotlib, in the same style."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any, Optional

from ._errors import NoAnswer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The same colors, dashes and markers as in render/drawing/.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#c1649a", "#3f9bd1", "#4b4f58")
_DASHES = ("-", (0, (5, 3)))
_MARKERS = ("o", "s", "^", "D", "o", "s", "^", "D", "v", "x", "+", "*")
_FILLED = 4  # number of filled markers; the rest are open


def draw(picture: dict[str, Any], ax: "Optional[Axes]" = None, log_y: bool = False) -> "Axes":
    """Draws picture data of the extension module."""
    if ax is None:
        try:
            import matplotlib.pyplot as pyplot
        except ImportError as missing:
            raise ImportError("plot() needs matplotlib (python3-matplotlib)") from missing
        _, ax = pyplot.subplots(figsize=(8, 5.2), constrained_layout=True)
    powers, logarithmic = picture["powers_of_ten"], log_y or picture["log_y"]
    heights = [y for curve in picture["curves"] for _, y in curve["points"] if math.isfinite(y)]
    if logarithmic and not powers and not any(y > 0 for y in heights):
        raise NoAnswer("nothing to draw on a logarithmic axis: no value is positive")
    # Points are drawn on top of lines.
    for place, curve in sorted(enumerate(picture["curves"]), key=lambda each: each[1]["style"] in ("bars", "marks")):
        _curve(ax, curve, place if curve["colour"] is None else curve["colour"])
    _axes(ax, picture, powers, logarithmic, heights)
    return ax


def _curve(ax: "Axes", curve: dict[str, Any], place: int) -> None:
    points = [(x, y) for x, y in curve["points"] if math.isfinite(y)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    colour, dash = _COLOURS[place % len(_COLOURS)], _DASHES[place // len(_COLOURS) % len(_DASHES)]
    marker = _MARKERS[place % len(_MARKERS)]
    face = colour if place % len(_MARKERS) < _FILLED else "white"
    title, style = curve["title"] or None, curve["style"]
    if style in ("dashed", "rule") and len(xs) == 2 and xs[0] == xs[1]:  # a limit, drawn over the full height
        ax.axvline(xs[0], color="#444444", linestyle=(0, (6, 4)), linewidth=1.4, label=title)
    elif style == "points" or (len(xs) == 1 and style in ("line", "dashed", "steps")):  # a single point
        ax.plot(xs, ys, color=colour, linestyle="none", marker=marker, markerfacecolor=face, markersize=5, label=title)
    elif style == "span":
        ax.plot(xs, ys, color=colour, linestyle=dash, marker=marker, markerfacecolor=face, markersize=5, label=title)
    elif style == "line":
        every = {"marker": marker, "markersize": 5, "markerfacecolor": face} if curve["marked"] else {}
        ax.plot(xs, ys, color=colour, linestyle=dash, linewidth=2, label=title,
                markevery=[i for i, point in enumerate(points) if point in curve["marked"]], **every)  # fmt: skip
    elif style == "dashed":
        ax.plot(xs, ys, color=colour, linestyle=(0, (6, 4)), linewidth=1.4, label=title)
    elif style == "rule":
        ax.plot(xs, ys, color="#444444", linestyle=":", linewidth=1.3, label=title)
    elif style == "steps":
        ax.step(xs, ys, where="post", color=colour, linewidth=2, label=title)
    elif style == "marks":
        ax.plot(xs, ys, color="#222222", linestyle="none", marker="o", markersize=4, label=title)
        for (x, y), label in zip(curve["points"], curve["labels"]):
            if math.isfinite(y):
                ax.annotate(label, (x, y), xytext=(6, 5), textcoords="offset points", fontsize="small")
    else:  # bars
        ends = [end for (_, y), end in zip(curve["points"], curve["ends"]) if math.isfinite(y)]
        below = [min(y - low, 1e300) if math.isfinite(low) else 0 for y, (low, _) in zip(ys, ends)]
        above = [high - y if math.isfinite(high) else 0 for y, (_, high) in zip(ys, ends)]
        ax.errorbar(
            xs, ys, yerr=[below, above], color=colour, linestyle="none", marker=marker, markerfacecolor=face,
            markersize=4, capsize=3, label=title,
        )  # fmt: skip


def _axes(ax: "Axes", picture: dict[str, Any], powers: bool, logarithmic: bool, heights: list[float]) -> None:
    ax.set_title("\n".join(textwrap.wrap(picture["title"], 88)), fontsize="medium")
    ax.set_xlabel(picture["x_label"])
    ax.set_ylabel(picture["y_label"])
    ax.grid(color="#c8c8c8", linewidth=0.6)
    ax.spines["top"].set_visible(False)
    ax.spines["right"].set_visible(False)
    if powers or picture["x_powers_of_ten"]:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        power = FuncFormatter(lambda place, _: f"$10^{{{place:.0f}}}$")
    if picture["x_powers_of_ten"]:
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        ax.xaxis.set_major_formatter(power)
    if powers:
        ax.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=8))
        ax.yaxis.set_major_formatter(power)
        if heights and ax.get_ylim()[0] < math.floor(min(heights)):
            ax.set_ylim(bottom=math.floor(min(heights)))
    elif logarithmic:
        ax.set_yscale("log")
    else:
        ax.set_ylim(bottom=0)
    if len(picture["curves"]) > 1 and any(curve["title"] for curve in picture["curves"]):
        ax.legend(fontsize="small", frameon=False)
    if picture["note"]:
        ax.annotate(
            "\n".join(textwrap.wrap(picture["note"], 110)), (0.5, -0.17), xycoords="axes fraction", ha="center",
            va="top", fontsize="x-small",
        )  # fmt: skip
