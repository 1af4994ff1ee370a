"""Formulas: TeX becomes HTML when the site is built, and plain words where pages are searched."""

import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree as ElementTree

from docutils.nodes import SkipNode, Text, math, math_block
from sphinx.util import logging

logger = logging.getLogger(__name__)


class Setter:
    """One process of KaTeX for the whole site; each formula is set once."""

    def __init__(self):
        self.process, self.known = None, {}

    def __call__(self, formula, display):
        if (formula, display) not in self.known:
            if self.process is None:
                script = pathlib.Path(__file__).with_name("formulas.js")
                self.process = subprocess.Popen(
                    ["node", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
                )
            self.process.stdin.write(json.dumps({"formula": formula, "display": display}) + "\n")
            self.known[formula, display] = json.loads(self.process.stdout.readline())
        return self.known[formula, display]

    def html(self, node, display):
        result = self(node.astext(), display)
        if "error" in result:
            logger.warning("%s: %s", node.astext(), result["error"], location=node)
        # The page has no TeX, not even where only a program reads it.
        return re.sub(r"<annotation.*?</annotation>", "", result.get("html", ""), flags=re.S)


set_formula = Setter()


def inline_math(writer, node):
    writer.body.append(f'<span class="math">{set_formula.html(node, False)}</span>')
    raise SkipNode


def display_math(writer, node):
    writer.body.append(f'<div class="math">{set_formula.html(node, True)}</div>')
    raise SkipNode


def grouped(text):
    return text if re.fullmatch(r"[\w.]*|\(.*\)", text) else f"({text})"


def words(element):
    """An element of MathML as one line of text."""
    name = element.tag.split("}")[-1]
    parts = [words(child) for child in element]
    if name == "annotation":
        return ""
    if name == "mfrac":
        return f"{grouped(parts[0])}/{grouped(parts[1])}"
    if name in ("msub", "munder"):
        return f"{parts[0]}_{grouped(parts[1])}"
    if name == "msup" and parts[1].strip("\u2032") == "":
        return parts[0] + parts[1]
    if name in ("msup", "mover"):
        return f"{parts[0]}^{grouped(parts[1])}"
    if name in ("msubsup", "munderover"):
        return f"{parts[0]}_{grouped(parts[1])}^{grouped(parts[2])}"
    if name == "msqrt":
        return f"sqrt({''.join(parts)})"
    if name in ("mtr", "mlabeledtr", "mtd"):
        return " " + "".join(parts) + " "
    if name == "mspace":
        return " "
    text = (element.text or "").strip(" ")
    if name == "mo" and re.fullmatch(r"[=<>≤≥≠≈+→←⟺⇔∈:×±]", text):
        text = f" {text} "
    return text + "".join(parts)


def in_words(node):
    """A formula as search results show it."""
    mathml = re.search(r"<math.*?</math>", set_formula.html(node, isinstance(node, math_block)), flags=re.S)
    text = words(ElementTree.fromstring(mathml.group(0))) if mathml else ""
    return re.sub(r"[\u2061\u200b\u00a0\s]+", " ", text).strip()


def without_formulas(doctree):
    """A copy of a page in which every formula is text."""
    copy = doctree.deepcopy()
    for node in list(copy.findall(lambda node: isinstance(node, (math, math_block)))):
        node.replace_self(Text(in_words(node)))
    return copy
