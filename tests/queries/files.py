"""The files that the queries of options.py read, and the readers: several files each that say the same."""

import json
import random
import struct
import subprocess

RING = [["A", "a"], ["B", "b"], ["C", "c"], ["D", "d"]]

POLICED = """
units = { size = "bytes", time = "us", rate = "Mbit/s" }
hosts = ["a", "b", "z"]
switches = ["s"]
[[link]]
from = ["a", "b"]
to = "s"
rate = 100
[[link]]
from = "s"
to = "z"
rate = 100
latency = 4
[[flow]]
name = "axis3"
from = "a"
to = "z"
bucket = { rate = 2, burst = 256 }
packet = { max = 256, min = 84 }
[[flow]]
name = "other"
from = "b"
to = "z"
bucket = { rate = 40, burst = 3000 }
packet = { max = 1500, min = 84 }
"""

NETWORK = """
hosts = ["camera", "desk", "archive"]
switches = ["left"]
[[link]]
from = ["camera", "desk", "archive"]
to = "left"
both = true
[[flow]]
from = "camera"
to = "desk"
rate = 0.4
[[flow]]
from = "archive"
to = "desk"
rate = 0.3
"""


def trace(seed=1, slots=3000, unit=512, scale=1, form="%d"):
    """A CSV trace of packets of one slot, three inputs."""
    draw, lines = random.Random(seed), ["time,bytes"]
    for slot in range(slots):
        lines += [f"{form % (slot * unit * scale)},64"] * sum(draw.random() < 0.2 for _ in range(3))
    return "\n".join(lines) + "\n"


def times(text, spell):
    """The same trace, each time in ns spelled otherwise."""
    head, *lines = text.strip().split("\n")
    return "\n".join([head] + [f"{spell(int(line.split(',')[0]))},{line.split(',')[1]}" for line in lines]) + "\n"


def pcap(text, nanoseconds=True):
    """A capture of a raw link type with the same times and lengths."""
    data = struct.pack("<IHHiIII", 0xA1B23C4D if nanoseconds else 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    for line in text.strip().split("\n")[1:]:
        at, size = map(int, line.split(","))
        data += struct.pack("<IIII", at // 10**9, at % 10**9 if nanoseconds else at % 10**9 // 1000, 1, size) + b"\x45"
    return data


def traffic_file(counts, **more):
    return json.dumps({"traffic": "independent slots", "trace": "own", "slot_ns": 512.0, "cell_bytes": 64, "trusted": True,
                       "slots": sum(counts), "slots_with_so_many_cells": counts, **more})


def plan(loads):
    return f'[[query]]\ncommand = "buffer"\ninputs = 4\nload = {loads}\ndrop = 1e-3\n'


def basic(program, folder):
    """Writes what options.py names FOLDER/..."""
    ring = (program.root / "data/networks/worm_ring.toml").read_text()
    files = {
        "pmf.txt": "1/2\n1/4\n1/4\n", "pmf2.txt": "0.7\n0.1\n0.2\n", "list.txt": "0.5\n0.25\n0.125\n",
        "traffic.json": traffic_file([600, 300, 100]), "traffic2.json": traffic_file([700, 250, 50]),
        "matrix.csv": "0.3,0.3\n0.2,0.4\n", "matrix2.csv": "0.1,0.3\n0.2,0.2\n", "joint.csv": "0,0,0.6\n1,0,0.2\n0,1,0.2\n",
        "blocks.json": "[[[0.7, 0.1], [0.2, 0.3]], [[0.1, 0.1], [0.2, 0.3]]]",
        "ring.csv": "from,to,rate\na,c,0.2\nb,d,0.2\nc,a,0.2\nd,b,0.2\n", "ring2.toml": ring.replace("1/3", "1/4"),
        "other.toml": NETWORK, "policed.toml": POLICED, "trace.csv": trace(), "plan.toml": plan([0.5, 0.6])}
    for name, text in files.items():
        (folder / name).write_text(text)
    for part in "12":
        words = ["buffer", "--inputs", "4", "--load", "0.5,0.6", "--drop", "1e-3", "--part", f"{part}/2", "--output", str(folder / f"part{part}")]
        subprocess.run([program.path, *words], check=True, capture_output=True)
