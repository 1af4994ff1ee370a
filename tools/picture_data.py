"""The content of a picture, for comparing two versions: its labels, and the positions of its lines and marks."""

import math
import re
import xml.etree.ElementTree

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
CLOSE = 1e-9  # relative: C libraries differ in last digits
NEAR = 0.5  # of a position in a picture, in its own units: rounding, invisible to the eye


def texts_differ(old, new):
    """Do two lines have different words, or numbers that differ by more than their last digits?"""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return True
    return not all(
        math.isclose(float(a), float(b), rel_tol=CLOSE) for a, b in zip(NUMBER.findall(old), NUMBER.findall(new))
    )


def picture_numbers(svg):
    """The program that drew it, all its labels, and the positions of its lines and marks."""
    root = xml.etree.ElementTree.fromstring(svg)
    producer = re.search(r"Produced by (GNUPLOT [^\s]+ patchlevel \S+)|Matplotlib v([\d.]+)", svg)
    # Matplotlib draws letters as shapes, with their text in comments.
    words, places = [comment.strip() for comment in re.findall(r"<!--(.*?)-->", svg, re.DOTALL)], []
    for element in root.iter():
        kind = element.tag.rpartition("}")[2]
        if kind == "text":
            words.append("".join(element.itertext()).strip())
        if kind in ("path", "polyline", "polygon", "line", "circle", "rect", "use", "text"):
            for attribute in ("d", "points", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "transform"):
                places += [float(number) for number in NUMBER.findall(element.get(attribute, ""))]
    return producer.group(0) if producer else "", words, places


def picture_differences(name, old, new):
    """The differences of two SVG files. For different versions of the drawing program, positions are not compared."""
    (old_producer, old_words, old_places), (producer, words, places) = map(picture_numbers, (old, new))
    if len(words) != len(old_words):
        return [f"{name}: different labels"]
    found = [f"{name}: {b!r}, was {a!r}" for a, b in zip(old_words, words) if texts_differ(a, b)]
    if producer == old_producer and not found:
        if len(places) != len(old_places):
            return [f"{name}: different lines"]
        far = max((abs(a - b) for a, b in zip(old_places, places)), default=0)
        if far > NEAR:
            found.append(f"{name}: a line or a mark is {far:.3g} units off")
    return found
