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
    for curve in picture["curves"]:
        if curve["style"] == "marks":
            _labels(ax, curve)
    return ax


def _labels(ax: "Axes", curve: dict[str, Any]) -> None:
    """The names of the marks, toward the middle of the axes, whose size they do not change."""
    for (x, y), label in zip(curve["points"], curve["labels"]):
        if not math.isfinite(y):
            continue
        across, up = ax.transAxes.inverted().transform(ax.transData.transform((x, y)))
        right, below = across > 0.6, across > 0.6 or up > 0.97  # a falling curve is free above its right and below its left
        ax.annotate(
            label, (x, y), xytext=(-6 if right else 6, -5 if below else 5), textcoords="offset points", fontsize="small",
            ha="right" if right else "left", va="top" if below else "bottom", annotation_clip=True, in_layout=False,
        )  # fmt: skip


def _fitted(ax: "Axes", text: str, size: float, upward: bool = False) -> str:
    """The text in lines that are at most as long as the axis.

    :param size: of the letters [points]; on average one is about half as wide
    """
    box = ax.get_window_extent()
    points = (box.height if upward else box.width) * 72 / ax.figure.dpi
    return "\n".join(textwrap.wrap(text, max(12, int(points / (0.52 * size)))))


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
    else:  # bars
        ends = [end for (_, y), end in zip(curve["points"], curve["ends"]) if math.isfinite(y)]
        below = [min(y - low, 1e300) if math.isfinite(low) else 0 for y, (low, _) in zip(ys, ends)]
        above = [high - y if math.isfinite(high) else 0 for y, (_, high) in zip(ys, ends)]
        ax.errorbar(
            xs, ys, yerr=[below, above], color=colour, linestyle="none", marker=marker, markerfacecolor=face,
            markersize=4, capsize=3, label=title,
        )  # fmt: skip


def _axes(ax: "Axes", picture: dict[str, Any], powers: bool, logarithmic: bool, heights: list[float]) -> None:
    ax.set_title(_fitted(ax, picture["title"], 10), fontsize="medium")
    ax.set_xlabel(_fitted(ax, picture["x_label"], 10))
    ax.set_ylabel(_fitted(ax, picture["y_label"], 10, upward=True))
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
        ax.annotate(  # below the label of the axis
            _fitted(ax, picture["note"], 7), (0.5, 0), xytext=(0, -36 - 12 * ax.get_xlabel().count("\n")), xycoords="axes fraction",
            textcoords="offset points", ha="center", va="top", fontsize="x-small",
        )  # fmt: skip
