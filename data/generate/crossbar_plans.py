#!/usr/bin/env python3
"""Writes the sweep plans of the simulated tables of input-queued switches: data/crossbar/*.toml.

    crossbar_plans.py FOLDER
"""
import pathlib
import sys

PORTS = [2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
LOW = [0.1, 0.2, 0.3, 0.4]
USUAL = [0.5, 0.6, 0.7, 0.8]
MIDDLE = [0.85, 0.875, 0.9, 0.925]
HIGH = [0.95, 0.96, 0.97, 0.98]
KNEE = [0.55, 0.58, 0.62, 0.64, 0.66, 0.68]  # of one iteration
FEW = [0.82, 0.84, 0.86, 0.89, 0.91, 0.935, 0.94]  # where 2 and 3 iterations cease to suffice
REPLICATIONS = 4
TAILS = '"0.1,0.01,1e-3,1e-4,1e-5"'


def slots(cells, ports, load):
    """Of each replication, so that all receive about so many cells; two digits."""
    number = cells / (REPLICATIONS * ports * load)
    digits = 10 ** max(0, len(str(int(number))) - 2)
    return int(-(-number // digits) * digits)


def block(ports, loads, cells, **options):
    lines = ["[[query]]", 'command = "simulate crossbar"', f"inputs = {ports}", f"load = {loads}"]
    for name, value in options.items():
        lines.append(f"{name.replace('_', '-')} = {value}")
    lines += [f"slots = {slots(cells, ports, sum(loads) / len(loads))}", f"drop = {TAILS}", ""]
    return "\n".join(lines)


def voq_plan():
    blocks = []
    for ports in PORTS:
        for loads, cells in ((LOW, 1e7), (USUAL, 4e7), (MIDDLE, 5e7), (HIGH, 5e7)):
            counts = [n for n in (1, 2, 3, 4) if n < ports]
            blocks.append(block(ports, loads, cells, scheduler='"islip"', iterations=counts))
            blocks.append(block(ports, loads, cells, scheduler='["islip", "pim"]', iterations='"all"'))
            blocks.append(block(ports, loads, cells, scheduler='"greedy"'))
            deep = [1, 2, 4] if ports in (2, 4, 8, 16, 32, 64) else 1
            blocks.append(block(ports, loads, cells, scheduler='"crosspoint"', crosspoint=deep))
        blocks.append(block(ports, KNEE, 1e7, scheduler='"islip"', iterations=1))
        if ports > 2:
            blocks.append(block(ports, FEW, 2e7, scheduler='"islip"', iterations=[2, 3] if ports > 3 else 2))
            blocks.append(block(ports, FEW[-2:], 3e7, scheduler='"islip"', iterations='"all"'))
    for ports in (2, 4, 8, 16):
        blocks.append(block(ports, LOW[2:] + USUAL + MIDDLE + HIGH[:1], 4e6, scheduler='"maxweight"'))
    return blocks


def speedup_plan():
    blocks = []
    for ports in (4, 16, 64):
        loads = [0.5, 0.7, 0.8, 0.9, 0.95]
        speedups = [1.05, 1.1, 1.25, 1.5, 2]
        blocks.append(block(ports, loads, 1e7, scheduler='"islip"', iterations=1, speedup=speedups))
        blocks.append(block(ports, loads, 1e7, scheduler='"islip"', iterations='"all"', speedup=speedups))
        blocks.append(block(ports, loads, 1e7, scheduler='"fifo"', speedup=2))
    return blocks


def burst_plan():
    """With the output-queued switch that receives the same packets: its mean is the divisor of the ratio."""
    blocks = []
    loads = [0.3, 0.5, 0.7, 0.8]
    for ports in (4, 16, 64):
        for burst, cells in ((4, 1e7), (16, 2e7), (64, 4e7)):
            for those in (loads, [0.9]) if burst > 9 else (loads,):  # a burst of 4 cannot offer 0.9
                common = {"burst": burst}
                counts = [1, 4] if ports > 4 else [1]
                blocks.append(block(ports, those, cells, scheduler='"islip"', iterations=counts, **common))
                blocks.append(block(ports, those, cells, scheduler='["islip", "pim"]', iterations='"all"', **common))
                blocks.append(block(ports, those, cells, scheduler='["greedy", "crosspoint"]', **common))
                number = slots(cells, ports, sum(those) / len(those))
                blocks.append("\n".join(["[[query]]", 'command = "simulate switch"', f"inputs = {ports}",
                                         f"load = {those}", f"burst = {burst}", f"slots = {number}", ""]))
    return blocks


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, blocks in (("voq", voq_plan()), ("speedup", speedup_plan()), ("bursts", burst_plan())):
        head = f"# Written by data/generate/crossbar_plans.py. Its results become data/crossbar/{name}.csv.\n\n"
        (folder / f"{name}.toml").write_text(head + "\n".join(blocks))


main()
