"""Pairs of lines that say the same: other units, a constraint that does not bind, another spelling."""

import re
from fractions import Fraction as F

# Keys of an answer that say how it was computed, or repeat the query in its own spelling.
INCIDENTAL = {"method", "bits", "certainty", "arithmetic", "traffic", "inputs", "rates", "pmf", "blocks", "arrivals", "shared", "name", "seconds",
              "decay_rate", "sources", "file", "hop_sources", "expression", "generating_function", "parameters", "trace", "port", "flow", "flows", "bytes", "cable_m", "cable", "metre_ns", "sizes", "cell_bytes",
              "digits", "printed", "printed_digits", "agreed_digits", "agreed_digits_min", "agreed_digits_min_index", "doubles", "written", "line", "cause", "class", "bucket", "police_burst", "sizes", "event_rate_exact", "unused_hosts"}
# A list in one value has a meaning of its own, or each value is a part of one answer.
NO_LISTS = {"--percentiles", "--ccdf", "--levels", "--occupancy", "--classes", "--rates", "--police", "--incast", "--class-drops", "--reorder-levels",
            "--weights", "--buffers", "--sizes", "--bucket", "--periodic", "--sporadic", "--sides", "--without", "--flow", "--memory", "--seed", "--priorities", "simulate crossbar --drop",
            "validate crossbar --drop", "--class"}
PERCENT_ALREADY = {"--percentiles"}


def decimal(value):
    try:
        return F(value[:-1]) / 100 if value.endswith("%") else F(value)
    except (ValueError, ZeroDivisionError):
        return None


def spellings_of_number(text, option):
    number = decimal(text)
    found = [str(number), f"{number.numerator * 2}/{number.denominator * 2}"]
    exponent = 3
    if (number * 10**9).denominator == 1:
        found += [f"{int(number * 10**9)}e-9", f"{float(number) * 10**exponent:.12g}e-{exponent}", f"{float(number):.9f}".rstrip("0") + "00"]
        if number.denominator == 1:
            found += [f"{int(number)}.0", f"+{int(number)}", f"{int(number)}e0"]
        elif option not in PERCENT_ALREADY and number < 1:
            found += [f"{float(number * 100):.12g}%", f"{float(number):.12g}"[1:]]
    if option in PERCENT_ALREADY:
        found.append(f"{float(number / 100):.12g}")
    return [each for each in dict.fromkeys(found) if each != text]


def spellings(option, value):
    """Other ways to write a value. Each may be rejected, and else must have the same answer."""
    items = value.split(",")
    if all(decimal(item) is not None for item in items):
        each = [spellings_of_number(item, option) for item in items]
        found = [",".join(other[i] if i < len(other) else item for other, item in zip(each, items)) for i in range(max(map(len, each)))]
        if len(items) > 1:
            found.append(", ".join(items))
        return found
    if re.fullmatch(r"\d+ x [\d.,/]+", value):  # flows
        count, rest = value.split(" x ")
        number, *more = rest.split(",")
        return [f"{count}x{rest}", ",".join([f"{count} x {F(number)}", *more]), f"1 x {rest}; {int(count) - 1} x {rest}"]
    if re.fullmatch(r"[\d:.,]+", value) and ":" in value and option == "--sizes":
        sizes = [item.split(":") for item in items]
        return [",".join(f"{a}:{2 * int(b)}" for a, b in sizes), ",".join(f"{a}:{b}" for a, b in reversed(sizes)), ", ".join(items)]
    return []


BINOMIAL = ["--inputs 4 --load 0.6", "--rates 0.15,0.15,0.15,0.15", "--arrivals (17/20+3/20*z)^4", "--arrivals binomial(4,3/20)",
            "--arrivals \"(0.85 + 0.15*z)^4\""]
SAME_TRAFFIC = {
    "equal inputs": BINOMIAL,
    "unequal rates": ["--rates 0.3,0.2", "--rates 0.2,0.3", "--arrivals (7/10+3/10*z)*(4/5+z/5)"],
    "geometric": ["--arrivals (3/5)/(1-2/5*z)", "--arrivals geometric(3/5)", "--arrivals negbin(1,0.6)", "--arrivals 3/(5-2*z)", "--arrivals 1/(5/3-2/3*z)"],
    "Pascal": ["--arrivals ((4/5)/(1-1/5*z))^2", "--arrivals negbin(2,4/5)", "--arrivals 16/(25-10*z+z^2)"],
    "Poisson": ["--traffic poisson --load 0.6", "--arrivals exp(3/5*(z-1))", "--arrivals \"exp(0.6*z - 0.6)\""],
    "uniform": ["--arrivals \"0.7 + 0.3*uniform(0,2)\"", "--arrivals \"7/10+(1+z+z^2)/10\"", "--arrivals 0.8+0.1*z+0.1*z^2"],
    "Zipf": ["--arrivals 0.7+0.3*zipf(1,2)", "--arrivals 0.7+0.2*z+0.1*z^2"],
    "one input of bursts": ["--inputs 1 --load 0.5 --burst 4", "--inputs 1 --load 0.5 --burst 4 --destination per-packet",
                            "--inputs 1 --load 0.5 --burst 4 --traffic onoff --on-rate 1"],
    "bursts without memory": ["--inputs 4 --load 0.6 --burst 2.5 --destination per-packet", "--inputs 4 --load 0.6", "--inputs 4 --load 0.6 --burst 5/2 --destination per-packet"],
    "bursts as matrices": ["--inputs 2 --load 0.6 --burst 4 --destination per-packet", "--blocks data/traffic/two_inputs.json", "--blocks data/traffic/two_inputs.csv"],
}
QUERIES = ["buffer {} --drop 1e-2", "buffer {} --capacity 2", "buffer {} --capacity 2 --criterion loss", "occupancy {} --levels 0,1,5",
             "buffer {} --packets-per-slot 2 --capacity 2"]
INDEPENDENT = ["buffer {} --drop 1e-2 --criterion loss", "occupancy {} --until 1e-4", "pgf {} --moments", "compare FOLDER/list.txt {}",
               "buffer {} --packets-per-slot 2 --capacity 2 --criterion loss", "buffer {} --capacity 2 --drop 1e-2 --solve load",
               "buffer {} --capacity 2 --drop 1e-2 --solve speedup"]


def same_traffic():
    for name, forms in SAME_TRAFFIC.items():
        correlated = any("--burst" in form for form in forms)
        for query in QUERIES + ([] if correlated else INDEPENDENT):
            requested = [form.replace(" --load 0.6", "") if "--solve load" in query else form for form in forms]
            if query.startswith("pgf"):
                requested = [form for form in requested if not re.search(r"binomial|negbin|geometric|zipf|uniform", form)]  # formulas only
            if "--solve" in query and name == "Pascal":
                continue  # many seconds
            if "--packets-per-slot" in query and name == "one input of bursts":
                continue
            if "--solve load" in query and name not in ("geometric", "uniform", "Zipf"):
                continue  # what is scaled differs
            yield ("spelling", f"{name} | {query}", *[query.format(form) for form in requested])


SPELLED = {
    "short options": ["buffer --inputs 4 --load 0.6 --drop 1e-2", "buffer -i 4 -l 0.6 -d 1e-2", "buffer --inputs=4 --load=0.6 --drop=1e-2"],
    "range": ["buffer --inputs 4 --load 0.2,0.4,0.6 --drop 1e-2", "buffer --inputs 4 --load 0.2:0.6:0.2 --drop 1e-2", "buffer --inputs 4 --load 20%:60%:20% --drop 1%"],
    "levels": ["occupancy --inputs 4 --load 0.6 --levels 0,1,2,3", "occupancy --inputs 4 --load 0.6 --levels 0:3:1", "occupancy --inputs 4 --load 0.6 --levels 0:1:1,2,3"],
    "sizes by name": ["buffer --sizes imix --inputs 4 --load 0.6 --capacity 50", "buffer --sizes 64:7,594:4,1518:1 --inputs 4 --load 0.6 --capacity 50",
                      "buffer --sizes data/traffic/imix.txt --inputs 4 --load 0.6 --capacity 50"],
    "one class": ["buffer --inputs 4 --load 0.6 --capacity 3", "buffer --inputs 4 --classes 0.6 --capacity 3"],
    "one class, loss": ["buffer --inputs 4 --load 0.6 --capacity 3 --criterion loss", "buffer --inputs 4 --classes 0.6 --capacity 3 --criterion loss"],
    "one class, delay": ["delay --radix 4 --levels 1 --load 0.6 --percentiles 99 --analysis", "delay --radix 4 --classes 0.6 --percentiles 99 --analysis"],
    "class targets": ["buffer --inputs 4 --classes 0.3,0.2 --drop 1e-2", "buffer --inputs 4 --classes 0.3,0.2 --class-drops 1e-2,1e-2"],
    "shared memory": ["buffer --shared --inputs 2 --load 0.6 --drop 1e-2", "buffer --shared --rates 0.6,0.6 --drop 1e-2"],
    "shared memory, matrix": ["buffer --shared --rates 0.6,0.6 --drop 1e-2", "buffer --shared --matrix FOLDER/even.csv --drop 1e-2"],
    "outputs": ["buffer --shared --inputs 3 --load 0.6 --drop 1e-2", "buffer --shared --inputs 3 --outputs 3 --load 0.6 --drop 1e-2"],
    "a buffer in bytes": ["buffer --inputs 4 --load 0.6 --capacity 5 --packet-bytes 64", "buffer --inputs 4 --load 0.6 --capacity 330B --packet-bytes 64"],
    "one incast at once": ["buffer --incast 5,3 --capacity 10", "buffer --incast 5,3 --spread 1 --capacity 10"],
    "incast by load": ["buffer --incast 3,2,1/12 --capacity 4", "buffer --incast 3,2 --load 0.5 --capacity 4", "buffer --incast 3,2,8.333333333333333333333333333333333333e-2 --capacity 4"],
    "flows merged": ["guarantee --bucket \"4 x 0.2,5\"", "guarantee --bucket \"2 x 0.2,5; 2 x 1/5,5\"", "guarantee --bucket \"1 x 0.2,5;1 x 0.2,5;1 x 20%,5;1 x 2e-1,5\""],
    "flows merged, drop": ["guarantee --bucket \"4 x 0.2,5\" --drop 1e-2", "guarantee --bucket \"2 x 0.2,5; 2 x 1/5,5\" --drop 1e-2"],
    "periodic merged": ["guarantee --periodic \"10 x 20\" --drop 1e-2", "guarantee --periodic \"4 x 20; 6 x 20\" --drop 1e-2", "guarantee --periodic \"10 x 20,1\" --drop 1e-2"],
    "periodic capacity merged": ["guarantee --periodic \"10 x 20\" --capacity 4", "guarantee --periodic \"5 x 20; 5 x 20\" --capacity 4"],
    "sporadic merged": ["guarantee --sporadic \"10 x 20\"", "guarantee --sporadic \"4 x 20; 6 x 20\"", "guarantee --bucket \"10 x 1/20,1\""],
    "start-ups merged": ["guarantee --periodic \"10 x 20\" --ever 1e-2", "guarantee --periodic \"4 x 20; 6 x 20\" --ever 1e-2"],
    "mesh, dimensions": ["wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1", "wormhole --topology mesh --nodes 16 --dimensions 2 --flits 4 --loads 0.1"],
    "hot spot without heat": ["wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1", "wormhole --topology mesh --nodes 4x4 --flits 4 --loads 0.1 --pattern uniform"],
    "tree default": ["delay --radix 3 --levels 2 --load 0.6 --analysis", "delay --radix 3 --levels 2 --load 0.6 --routing random-root --analysis",
                     "delay --radix 3 --levels 2 --load 0.6 --hops chain --analysis"],
    "percentiles": ["delay --radix 3 --levels 2 --load 0.6 --analysis --percentiles 99.9", "delay --radix 3 --levels 2 --load 0.6 --analysis --percentiles 0.999"],
    "police message of one": ["buffer --police 0.6,3 --inputs 3 --capacity 4", "buffer --police 0.6,3 --inputs 3 --capacity 4 --message 1"],
    "traffic by name": ["buffer --inputs 4 --load 0.6 --drop 1e-2", "buffer --traffic bernoulli --inputs 4 --load 0.6 --drop 1e-2"],
    "classes as a table": ["occupancy --inputs 2 --classes 0.4,0.2 --levels 0,2", "occupancy --joint FOLDER/two_classes.csv --levels 0,2"],
    "simulated rates": ["simulate switch --inputs 3 --load 0.6 --slots 1000", "simulate switch --rates 0.6,0.6,0.6 --slots 1000"],
    "traffic file as probabilities": ["occupancy --traffic-file FOLDER/traffic.json --levels 0,2", "occupancy --pmf FOLDER/as_traffic.txt --levels 0,2"],
    "normalized": ["occupancy --pmf FOLDER/pmf.txt --levels 0,2 --packets-per-slot 2", "occupancy --pmf FOLDER/pmf_times_8.txt --normalize --levels 0,2 --packets-per-slot 2"],
    "arithmetic": ["buffer --inputs 4 --load 0.6 --capacity 3"] + [f"buffer --inputs 4 --load 0.6 --capacity 3 --arithmetic {name}" for name in ("double", "multiprecision", "interval", "exact")],
    "digits": ["occupancy --inputs 4 --load 0.6 --levels 0,9", "occupancy --inputs 4 --load 0.6 --levels 0,9 --digits 40"],
}

UNITS = {
    "packet bytes": ["buffer --inputs 4 --load 0.6 --drop 1e-2 --packet-bytes 9000", "buffer --inputs 4 --load 0.6 --drop 1e-2 --packet-bytes 9KB", "buffer --inputs 4 --load 0.6 --drop 1e-2 --packet-bytes 9e3"],
    "link rate": [f"buffer --inputs 4 --load 0.6 --drop 1e-2 --packet-bytes 64 --link-gbps {rate}" for rate in ("400", "400G", "4e2", "0.4T", "400000M")],
    "headroom rate": [f"guarantee --headroom --link-gbps {rate} --cable 100 --packet-bytes 1500" for rate in ("100", "100G", "0.1T", "1e2")],
    "cable": ["guarantee --headroom --link-gbps 100 --cable 100 --metre-ns 5", "guarantee --headroom --link-gbps 100 --cable 50 --metre-ns 10", "guarantee --headroom --link-gbps 100 --cable 250 --metre-ns 2"],
    "pause quanta": ["guarantee --headroom --link-gbps 100 --cable 100 --pause-quanta 100", "guarantee --headroom --link-gbps 100 --cable 100 --sender-ns 512"],
    "cells": ["buffer --sizes 64:2,200:1 --inputs 3 --load 0.6 --capacity 12", "buffer --sizes 128:2,400:1 --cell-bytes 128 --inputs 3 --load 0.6 --capacity 12"],
    "cells, trains": ["buffer --sizes 64:2,200:1 --arrive cells --inputs 3 --load 0.6 --capacity 12", "buffer --sizes 128:2,400:1 --cell-bytes 128 --arrive cells --inputs 3 --load 0.6 --capacity 12"],
    "latency in ns": ["delay --network data/networks/two_switches.toml --solve load-scale --percentiles 99 --within 10", "delay --network data/networks/two_switches.toml --solve load-scale --percentiles 99 --within-ns 51.2 --packet-bytes 64 --link-gbps 100"],
    "buckets in slots": ["guarantee --network FOLDER/policed.toml", "guarantee --network FOLDER/policed_bits.toml"],
}

SLACK = {
    "peak above any burst": ["guarantee --bucket \"4 x 0.2,5\"", "guarantee --bucket \"4 x 0.2,5,1000\"", "guarantee --bucket \"4 x 0.2,5,10\"", "guarantee --bucket \"4 x 0.2,5,6\""],
    "peak above any burst, one flow": ["guarantee --bucket \"1 x 1/5,4\"", "guarantee --bucket \"1 x 1/5,4,100\"", "guarantee --bucket \"1 x 1/5,4,5\""],
    "peak and its usual burst": ["guarantee --bucket \"4 x 0.2,20,5\"", "guarantee --bucket \"4 x 0.2,20,5,5\"", "guarantee --bucket \"4 x 20%,20,500%,5\""],
    "peak burst above the bucket": ["guarantee --bucket \"4 x 0.2,5\" --drop 1e-2", "guarantee --bucket \"4 x 0.2,5,0.3,5\" --drop 1e-2"],
    "peak above any burst, drop": ["guarantee --bucket \"4 x 0.2,5\" --drop 1e-2", "guarantee --bucket \"4 x 0.2,5,1000\" --drop 1e-2"],
    "peak above any burst, capacity": ["guarantee --bucket \"4 x 0.2,5\" --capacity 6", "guarantee --bucket \"4 x 0.2,5,1000\" --capacity 6"],
    "a class of rate 0 (or rejected)": ["occupancy --inputs 4 --classes 0.3,0.3 --levels 0,2", "occupancy --inputs 4 --classes 0.3,0.3,0 --levels 0,2"],
    "a class that never sends (or rejected)": ["occupancy --joint FOLDER/joint.csv --levels 0,2", "occupancy --joint FOLDER/joint_silent.csv --levels 0,2"],
    "an input of rate 0 (or rejected)": ["buffer --rates 0.3,0.2,0.1 --drop 1e-2", "buffer --rates 0.3,0.2,0.1,0 --drop 1e-2"],
    "a silent input of a switch (or rejected)": ["buffer --shared --rates 0.6,0.6 --outputs 2 --drop 1e-2", "buffer --shared --rates 0.6,0.6,0 --outputs 2 --drop 1e-2"],
    "probabilities of 0": ["occupancy --pmf FOLDER/pmf2.txt --levels 0,2", "occupancy --pmf FOLDER/pmf2_zeros.txt --levels 0,2"],
    "matrices of 0": ["occupancy --blocks FOLDER/blocks.json --levels 0,2", "occupancy --blocks FOLDER/blocks_zero.json --levels 0,2"],
    "counts of 0": ["occupancy --traffic-file FOLDER/traffic.json --levels 0,2", "occupancy --traffic-file FOLDER/traffic_zero.json --levels 0,2"],
    "a threshold without end": ["buffer --shared --inputs 3 --load 0.6 --capacity 8 --criterion loss", "buffer --shared --inputs 3 --load 0.6 --capacity 8 --criterion loss --threshold 1000"],
    "a memory without end": ["simulate switch --inputs 3 --load 0.6 --slots 1000", "simulate switch --inputs 3 --load 0.6 --slots 1000 --memory 1000000",
                             "simulate switch --inputs 3 --load 0.6 --slots 1000 --buffer 1000000", "simulate switch --inputs 3 --load 0.6 --slots 1000 --memory 1000000 --threshold 1000"],
    "buffers without end, tree": ["simulate tree --radix 3 --levels 2 --load 0.6 --slots 1000", "simulate tree --radix 3 --levels 2 --load 0.6 --slots 1000 --buffer 20000"],
    "buffers without end, classes": ["simulate classes --inputs 3 --classes 0.4,0.4 --slots 1000", "simulate classes --inputs 3 --classes 0.4,0.4 --slots 1000 --buffers 100000,100000"],
    "combining without end": ["multistage --nodes 16 --hot 0.1 --loads 0.2 --combining unlimited", "multistage --nodes 16 --hot 0.1 --loads 0.2 --combining 5000"],
    "combining without a hot spot": ["simulate multistage --nodes 16 --hot 0 --loads 0.2 --slots 1000 --combining 2", "simulate multistage --nodes 16 --hot 0 --loads 0.2 --slots 1000 --combining 2 --wiring baseline"],
    "an idle host": ["delay --network FOLDER/other.toml --analysis --percentiles 99 --ccdf 0,2", "delay --network FOLDER/other_idle.toml --analysis --percentiles 99 --ccdf 0,2"],
    "an idle host, buffers": ["delay --network FOLDER/other.toml --analysis --drop 1e-2", "delay --network FOLDER/other_idle.toml --analysis --drop 1e-2"],
    "an idle host, load": ["delay --network FOLDER/other.toml --solve load-scale", "delay --network FOLDER/other_idle.toml --solve load-scale"],
    "an idle host, guarantee": ["guarantee --network FOLDER/policed.toml", "guarantee --network FOLDER/policed_idle.toml"],
    "an idle slow link": ["delay --network FOLDER/speeds.toml --analysis --percentiles 99 --packet-bytes 1500", "delay --network FOLDER/speeds_idle.toml --analysis --percentiles 99 --packet-bytes 1500"],
    "a label of no meaning": ["delay --network FOLDER/other.toml --analysis --percentiles 99", "delay --network FOLDER/other_classes.toml --analysis --percentiles 99"],
    "more percentiles": ["delay --radix 3 --levels 2 --load 0.6 --analysis --ccdf 3 --percentiles 99", "delay --radix 3 --levels 2 --load 0.6 --analysis --ccdf 3 --percentiles 99 --digits 10"],
    "limits": ["buffer --inputs 4 --load 0.6 --drop 1e-2", "buffer --inputs 4 --load 0.6 --drop 1e-2 --time-limit none --memory-limit none"],
    "more replications than needed": ["simulate switch --inputs 3 --load 0.6 --slots 1000 --replications 2 --threads 1", "simulate switch --inputs 3 --load 0.6 --slots 1000 --replications 2 --threads 2"],
}


def all_pairs():
    yield from same_traffic()
    for relation, table in (("spelling", SPELLED), ("units", UNITS), ("does not bind", SLACK)):
        for name, lines in table.items():
            if len(lines) > 1:
                yield (relation, name, *lines)
