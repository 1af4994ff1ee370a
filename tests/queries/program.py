"""Runs the program, reads its numbers, and judges its rejections."""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import threading
import time
from fractions import Fraction

SLOWEST = 50  # seconds in which a loaded machine answers or rejects every query of the table: all but two take 0.1 to 3


class Reply:
    def __init__(self, words, status, out, err, late, seconds):
        self.words, self.status, self.out, self.err, self.late, self.seconds = words, status, out, err, late, seconds
        self.document = None
        if status in (0, 1) and out.startswith("{"):
            try:
                self.document = json.loads(out)
            except ValueError:
                self.status = 3
                self.err += "\nstandard output is not JSON"

    @property
    def rows(self):
        """Those that have an answer: a list keeps the others, with the reason."""
        every = self.document["results"] if self.document else []
        return [row for row in every if row.get("status", "answered") == "answered"]

    def reason(self):
        """What a rejection says, in a line, without the name of the program and the hint to its help."""
        lines = [line for line in self.err.strip().split("\n") if line and not line.startswith("Try '")]
        return re.sub(r"^tailbound [a-z ]*: ", "", " ".join(lines))


class Program:
    def __init__(self, path, jobs=None, slowest=SLOWEST):
        self.path, self.slowest = os.path.abspath(path), slowest
        self.lock, self.known = threading.Lock(), {}
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs or os.cpu_count())
        self.cwd = None

    def start(self, words):
        """The reply to this query, later; requested once."""
        key = tuple(words)
        with self.lock:
            if key not in self.known:
                self.known[key] = self.pool.submit(self.run, list(words))
            return self.known[key]

    def ask(self, words):
        return self.start(words).result()

    def run(self, words):
        child = subprocess.Popen([self.path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 text=True, errors="replace", start_new_session=True, cwd=self.cwd)
        late, began = False, time.monotonic()
        try:
            out, err = child.communicate(timeout=self.slowest * 4)  # judged by its --time-limit
        except subprocess.TimeoutExpired:
            late = True
            os.killpg(child.pid, signal.SIGKILL)
            out, err = child.communicate()
        return Reply(words, child.returncode, out, err, late, time.monotonic() - began)

    def option_tables(self):
        """{command: {option: kind}}, kind "flag", "file", "value" or the list of its choices."""
        text, tables = self.ask(["schema", "--completion", "bash"]).out, {}
        for command, names in re.findall(r"^    '([^']*)'\) options='([^']*)'", text, flags=re.M):
            tables[command] = {name: "flag" for name in names.split() if name not in ("--help", "--version")}
        value = r"^    '([^']*) (--[a-z-]+)'(?: \| '[^']*')?\)(?: words='([^']*)'| words=\$options| (file|folder)s=yes)? ;;"
        for command, name, choices, file in re.findall(value, text, flags=re.M):
            tables[command][name] = choices.split() or ("file" if file == "file" else "value")
        return {command: its for command, its in tables.items() if its}


def ends(number):
    """The range in which a number says the truth lies, and its kind."""
    if number is None:
        return None
    if not isinstance(number, dict):
        return float(Fraction(str(number))), float(Fraction(str(number))), "exact"
    kind = number["kind"]
    if kind == "exact":
        x = float(Fraction(str(number.get("exact") or number["value"])))
        return x, x, kind
    if kind == "enclosure":
        return float(number["lower"]), float(number["upper"]), kind
    value = float(Fraction(str(number["value"])))
    if kind == "bound":
        return (0.0, value, kind) if number.get("side", "upper") == "upper" else (value, float("inf"), kind)
    if kind == "estimate":
        if number.get("upper") is None or number.get("lower") is None:
            return None  # too few counts for an interval
        half = max(number["upper"] - value, value - number["lower"])
        # 95 % are 2 standard errors; 6 of them are exceeded in one of 1e8 numbers, and rare events have few counts.
        return value - 3 * half - 1e-3, value + 3 * half + 1e-3, kind
    digits = number.get("agreed_digits")
    if digits:
        return value * (1 - 10.0 ** (1 - digits)), value * (1 + 10.0 ** (1 - digits)), kind
    return None  # a model: not claimed to be near


def holds(number, truth, slack=2e-9):
    """None if nothing is claimed."""
    range_ = ends(number)
    if range_ is None or truth is None:
        return None
    low, high, _ = range_
    return low - abs(truth) * slack - 1e-300 <= truth <= high + abs(truth) * slack + 1e-300


OPTION = re.compile(r"--[a-z][a-z-]+")
ADVICE = re.compile(r"\b(use|give|needs?|must be|lower|raise|belongs? to|in place of|add|try|choose|take|allow|request|pass|instead)\b")
COMMANDS = re.compile(r"\b(simulate|validate|delay|occupancy|buffer|guarantee|compare|pgf|fit)\b")


# Not a rejection but the answer: no value of what is requested meets the target, or every one does.
VERDICT = re.compile(r"every (load|burst length) meets|already miss|still meet the target|does not suffice|would have to exceed")


def without_way_out(reply):
    """Why a rejection leaves its reader alone; empty if it names an option or a command, and what to do with it."""
    said = reply.reason()
    if not said:
        return "says nothing"
    if re.search(r"internal failure|Traceback|assert|std::|terminate|bad_alloc", said):
        return "internal: " + said
    if not (OPTION.search(said) or COMMANDS.search(said)):
        return "names no option or command: " + said
    if not ADVICE.search(said):
        return "says not what to do: " + said
    return ""


class Known:
    """Failures that are known, each with the row of the list of defects that will mend it: lines of a file "name<TAB>what is
    said<TAB>row<TAB>reason", of which the first two are regular expressions. Those whose reason begins with "--deep:" are
    seen only there."""

    def __init__(self, path):
        self.path, self.rows = path, []
        for line in path.read_text().splitlines():
            if line and not line.startswith("#"):
                name, said, row, reason = line.split("\t")
                self.rows.append((re.compile(name), re.compile(said), row, reason))
        self.used = set()

    def late(self, name):
        """Is it known that there is no answer in time?"""
        return any(of_name.search(name) and of_text.search("no answer within the time limit") and not reason.startswith("--deep:")
                   for of_name, of_text, _, reason in self.rows)

    def covers(self, name, said):
        found = [number for number, (of_name, of_text, _, _) in enumerate(self.rows) if of_name.search(name) and of_text.search(said)]
        self.used.update(found)
        return bool(found)

    def mended(self):
        """What no failure is like any more: the list must only get shorter."""
        return [f"{self.path.name}: no failure is like '{row[0].pattern}', '{row[1].pattern}' ({row[2]}) any more: take it off the list"
                for number, row in enumerate(self.rows) if number not in self.used and not row[3].startswith("--deep:")]
