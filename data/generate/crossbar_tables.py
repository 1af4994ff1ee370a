#!/usr/bin/env python3
"""Writes data/crossbar/voq.csv, speedup.csv and bursts.csv from the results of their sweep plans.

    tailbound sweep data/crossbar/voq.toml --store voq.db --format json --output voq.json     (and the others)
    crossbar_tables.py voq.json speedup.json bursts.json FOLDER
"""
import json
import math
import pathlib
import sys

COLUMN = {"delay_slots": "d", "input": "i", "voq": "v"}


def results(path):
    """Without those that had not become stationary."""
    return [r for r in json.loads(pathlib.Path(path).read_text())["results"]
            if r["status"] == "answered" and not r.get("saturated")]


def parameter(result):
    """Iterations (0: until nothing is added), or cells of a crosspoint."""
    if result["scheduler"] == "crosspoint":
        return result["crosspoint"]
    iterations = result.get("iterations", "all")
    return 0 if iterations == "all" else int(iterations)


def number(text):
    return float(text)


def half_width(estimate):
    return 100 * (estimate["upper"] - estimate["lower"]) / 2 / estimate["value"]


def between_levels(tail, name, probability):
    """A size that fewer than 10 observations exceed, at low loads: ln P is linear between 0, 1 and 2."""
    known = [row[name]["value"] for row in tail[:3]] if tail and tail[0].get(name) else []
    for n, (above, below) in enumerate(zip(known, known[1:])):
        if above >= probability > below > 0:
            return n + math.log(above / probability) / math.log(above / below)
    return None


def sizes(result, targets):
    """[key of COLUMN, target] -> text"""
    found = {}
    for row in result["sizes"]:
        for name, key in COLUMN.items():
            value = row[name] and row[name]["value"]
            if value is None and name != "delay_slots":
                value = between_levels(result["tail"], name, float(row["drop"]))
            found[key, float(row["drop"])] = "" if value is None else f"{value:.3f}"
    return [found[key, target] for key in targets for target in targets[key]]


def output_queued(ports, load):
    return (ports - 1) * load / (2 * ports * (1 - load))


def voq(path):
    tails = {key: [float(f"1e-{i}") for i in range(1, 6)] for key in COLUMN.values()}
    rows = []
    for r in results(path):
        mean, load = r["mean_delay_slots"], number(r["load"])
        rows.append([r["scheduler"], parameter(r), r["inputs"], load,
                     f"{mean['value'] / output_queued(r['inputs'], load):.5g}", f"{half_width(mean):.2g}",
                     *sizes(r, tails)])
    names = [f"{key}{i}" for key in COLUMN.values() for i in range(1, 6)]
    return ["scheduler", "parameter", "ports", "load", "ratio", "percent", *names], rows


def speedup(path):
    rows = []
    for r in results(path):
        load = number(r["load"])
        rows.append([r["scheduler"], parameter(r), r["inputs"], number(r["speedup"]), load,
                     f"{r['mean_delay_slots']['value'] / output_queued(r['inputs'], load):.5g}",
                     *sizes(r, {"i": [1e-3, 1e-5]})])
    return ["scheduler", "parameter", "ports", "speedup", "load", "ratio", "i3", "i5"], rows


def bursts(path):
    """The output-queued switch of the same arrivals: E[T] = inputs load (1 + E[D]), as simulated."""
    own = {}
    for r in results(path):
        if r["command"] == "simulate switch":
            mean = r["mean_total"]["value"] / (r["inputs"] * number(r["load"])) - 1
            own[r["inputs"], r["burst"], r["load"]] = mean
    rows = []
    for r in results(path):
        if r["command"] == "simulate crossbar":
            mean = r.get("own") or own[r["inputs"], r["burst"], r["load"]]
            rows.append([r["scheduler"], parameter(r), r["inputs"], number(r["burst"]), number(r["load"]),
                         f"{r['mean_delay_slots']['value'] / mean:.4g}"])
    return ["scheduler", "parameter", "ports", "burst", "load", "ratio"], rows


HEADS = {
    "voq": """\
# Simulated switches with virtual output queues at speedup 1: ratio of the mean delay to that of the output queue,
# half-width of its 95 % interval in percent, and sizes of delay (d), packets of an input (i) and of a VOQ (v) that are
# exceeded with probability 1e-1 .. 1e-5, between whole numbers (empty: below 0, or hardly seen).
# parameter: iterations of pim and islip (0: until nothing is added), cells of a crosspoint. Independent uniform packets:
# 1e7 a point below load 0.5, 4e7 to 5e7 above (greedy 1e7 to 5e7, maxweight 4e6). Plan: voq.toml, from which some
# points differ in their number of slots; data/generate/crossbar_tables.py
""",
    "speedup": """\
# Simulated switches with `speedup` phases per slot: ratio of the mean delay to that of the output queue, and packets of
# an input that are exceeded with probability 1e-3 and 1e-5. Independent uniform packets, 1e7 a point; parameter as in
# voq.csv. Plan: speedup.toml; data/generate/crossbar_tables.py
""",
    "bursts": """\
# Simulated switches with virtual output queues: ratio of the mean delay to that of the output queue with the same
# packets, in bursts of mean length `burst`, one output each; parameter as in voq.csv. Plan: bursts.toml;
# data/generate/crossbar_tables.py
""",
}


def main():
    folder = pathlib.Path(sys.argv[4])
    for name, make, path in zip(HEADS, (voq, speedup, bursts), sys.argv[1:4]):
        names, rows = make(path)
        rows.sort(key=lambda row: [str(x) if isinstance(x, str) else float(x) for x in row[:5]])
        text = HEADS[name] + ",".join(names) + "\n"
        text += "".join(",".join(str(x) for x in row) + "\n" for row in rows)
        (folder / f"{name}.csv").write_text(text)


main()
