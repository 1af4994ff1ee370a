"""Every reader of a file, with several files each that say the same."""

import json
import re

import files

# What reads what the fuzz targets of tests/fuzz read.
READS = {
    "coefficient_list": "list of coefficients", "pmf_file": "probabilities", "blocks": "matrices of arrivals", "joint": "classes",
    "trace": "CSV trace", "pcap": "capture", "traffic_matrix": "traffic matrix", "network": "network", "imports": "network of another program",
    "worm_network": "wormhole network", "expression": "formula", "rational": "number", "failures": "failures", "fabric": "fabric",
}
LISTS = {
    "lines": "0.5\n0.25\n0.125\n", "fractions": "1/2\n1/4\n1/8\n", "exponents": "5e-1\n2.5e-1\n1.25e-1\n", "savetxt": "5.000000000000000000e-01\n2.500000000000000000e-01\n1.250000000000000000e-01\n",
    "maple": "[1/2, 1/4, 1/8]\n", "maple_assigned": "q := [1/2, 1/4, 1/8];\n", "pari": "[1/2, 1/4, 1/8]~\n", "mathematica": "{1/2, 1/4, 1/8}\n", "maxima": "[1/2,1/4,1/8]\n",
    "numpy": "[0.5   0.25  0.125]\n", "python": "[0.5, 0.25, 0.125]\n", "json": "[0.5, 0.25, 0.125]", "fortran": "  5.0D-01\n  2.5D-01\n  1.25D-01\n", "hex": "0x1p-1\n0x1p-2\n0x1p-3\n",
    "comma": "0,5\n0,25\n0,125\n", "windows": "0.5\r\n0.25\r\n0.125\r\n", "comment": "# Q\n0.5\n0.25\n0.125\n", "r": "[1] 0.500 0.250 0.125\n",
}
PMFS = {
    "lines": "1/2\n1/4\n1/4\n", "decimals": "0.5\n0.25\n0.25\n", "pairs": "0 0.5\n1 0.25\n2 0.25\n", "pairs_in_any_order": "2 1/4\n0 1/2\n1 1/4\n", "list": "[1/2, 0.25, 1/4]\n",
    "exponents": "5e-1\n2.5E-1\n250e-3\n", "zeros": "0.50\n0.250\n0.25\n0\n", "windows": "0.5\r\n0.25\r\n0.25\r\n", "comments": "# of a slot\n0.5\n\n0.25\n0.25 # two\n",
}
BLOCKS = {
    "list.json": "[[[0.7, 0.1], [0.2, 0.3]], [[0.1, 0.1], [0.2, 0.3]]]", "object.json": '{"blocks": [[["7/10", 0.1], [2e-1, 0.3]], [[0.1, "1/10"], [0.2, 0.30]]]}',
    "rows.csv": "0.7,0.1\n0.2,0.3\n\n0.1,0.1\n0.2,0.3\n", "commented.csv": "# D_0\n7/10, 1/10\n0.20, 3e-1\n\n# D_1\n0.1, 0.1\n0.2, 0.3\n", "windows.csv": "0.7,0.1\r\n0.2,0.3\r\n\r\n0.1,0.1\r\n0.2,0.3\r\n",
}
JOINT = {
    "plain.csv": "0,0,0.6\n1,0,0.2\n0,1,0.2\n", "named.csv": "control,data,probability\n0,0,3/5\n1,0,1/5\n0,1,1/5\n", "order.csv": "0,1,2e-1\n1,0,0.2\n0,0,0.6\n", "spaces.csv": "0, 0, 0.6\n1, 0, 0.2\n0, 1, 0.2\n",
    "windows.csv": "0,0,0.6\r\n1,0,0.2\r\n0,1,0.2\r\n",
}
SIZES = {
    "blanks": "64 2\n200 1\n", "commas": "64,2\n200,1\n", "percent": "64 66\n200 33\n", "comments": "# bytes weight\n64 2\n\n200 1\n", "fractions": "64 2/3\n200 1/3\n", "named": "bytes weights\n64 2\n200 1\n",
    "cumulated": "bytes cdf\n64 2/3\n200 1\n", "exponents": "64 2e0\n200 1.0\n",
}
MATRICES = {
    "square.csv": ",camera,desk,archive\ncamera,0,0.4,0\ndesk,0,0,0\narchive,0,0.3,0\n", "semicolons.csv": ";camera;desk;archive\ncamera;0;0.4;0\ndesk;0;0;0\narchive;0;0.3;0\n",
    "tabs.csv": "\tcamera\tdesk\tarchive\ncamera\t0\t0.4\t0\ndesk\t0\t0\t0\narchive\t0\t0.3\t0\n", "fractions.csv": ",camera,desk,archive\ncamera,0,2/5,0\ndesk,0,0,0\narchive,0,3e-1,0\n",
    "pairs.csv": "from,to,rate\ncamera,desk,0.4\narchive,desk,0.3\n", "windows.csv": ",camera,desk,archive\r\ncamera,0,0.4,0\r\ndesk,0,0,0\r\narchive,0,0.3,0\r\n",
    "order.csv": ",archive,camera,desk\narchive,0,0,0.3\ncamera,0,0,0.4\ndesk,0,0,0\n",
}
NETWORKS = {
    "plain.toml": files.NETWORK,
    "spelled.toml": files.NETWORK.replace("0.4", '"2/5"').replace("0.3", "3e-1"),
    "ranges.toml": files.NETWORK.replace('switches = ["left"]', 'switches = "left"'),
    "one_by_one.toml": re.sub(r"\[\[link\]\]\nfrom = \[.*?both = true\n", "".join(f'[[link]]\nfrom = "{h}"\nto = "left"\nboth = true\n' for h in ("camera", "desk", "archive")), files.NETWORK, flags=re.S),
    "paths.toml": files.NETWORK.replace("rate = 0.4", 'rate = 0.4\npath = ["left"]'),
    "integers.toml": files.NETWORK.replace("both = true", "both = true\nrate = 1"),
    "windows.toml": files.NETWORK.replace("\n", "\r\n"),
}
EDGES = [("h1", "s"), ("h2", "s"), ("h3", "s")]
GRAPHS = {
    "graph.dot": "graph {\n" + "".join(f"  {a} -- {b};\n" for a, b in EDGES) + "}\n",
    "directed.dot": "digraph {\n" + "".join(f"  {a} -> {b};\n  {b} -> {a};\n" for a, b in EDGES) + "}\n",
    "graph.gml": "graph [\n" + "".join(f'  node [ id {i} label "{n}" ]\n' for i, n in enumerate(["h1", "h2", "h3", "s"])) + "".join(f"  edge [ source {i} target 3 ]\n" for i in range(3)) + "]\n",
    "graph.graphml": '<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">\n' + "".join(f'<node id="{n}"/>\n' for n in ("h1", "h2", "h3", "s")) + "".join(f'<edge source="{a}" target="{b}"/>\n' for a, b in EDGES) + "</graph></graphml>\n",
    "edges.txt": "".join(f"{a} {b}\n" for a, b in EDGES),
    "edges.csv": "source,target\n" + "".join(f"{a},{b}\n" for a, b in EDGES),
    "cables.csv": "source,source port,destination,destination port\n" + "".join(f"{a},1,{b},{i}\n" for i, (a, b) in enumerate(EDGES)),
    "graph.json": json.dumps({"nodes": [{"id": n} for n in ("h1", "h2", "h3", "s")], "links": [{"source": a, "target": b} for a, b in EDGES]}),
    "lab.yml": "topology:\n  links:\n" + "".join(f'  - endpoints: ["{a}:e1", "{b}:e{i}"]\n' for i, (a, b) in enumerate(EDGES)),
}
POLICED = {
    "policed.toml": files.POLICED,
    "policed_bits.toml": files.POLICED.replace('size = "bytes", time = "us", rate = "Mbit/s"', 'size = "bits", time = "us", rate = "Mbit/s"')
    .replace("256", "2048").replace("84", "672").replace("3000", "24000").replace("1500", "12000"),
    "policed_ns.toml": files.POLICED.replace('time = "us"', 'time = "ns"').replace("latency = 4", "latency = 4000"),
    "policed_kbit.toml": files.POLICED.replace("Mbit/s", "kbit/s").replace("rate = 100", "rate = 100000").replace("rate = 2,", "rate = 2000,").replace("rate = 40", "rate = 40000"),
    "policed_spelled.toml": files.POLICED.replace("rate = 100", "rate = 1e2").replace("latency = 4", 'latency = "8/2"').replace("rate = 2,", "rate = 2.0,"),
}
FORMULAS = {"factored": "(3/5+2/5*z)^2*z^0", "expanded": "9/25+12/25*z+4/25*z^2", "spaced": " ( 0.6 + 0.4*z ) ** 2 ", "powers": "(3/5+2/5*z)*(3/5+2/5*z)", "quotient": "(9+12*z+4*z^2)/25", "decimals": "0.36+0.48*z+.16*z^2"}


def uncovered(root):
    return [path.name for path in sorted((root / "tests/fuzz").glob("fuzz_*.cpp")) if path.stem.removeprefix("fuzz_") not in READS]


def written(folder, group, variants, more=""):
    place = folder / group
    place.mkdir(exist_ok=True)
    found = []
    for name, text in variants.items():
        path = place / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        found.append((path, more))
    return found


def traces(folder):
    text = files.trace()
    spelled = {"ns.csv": (text, "ns")}
    for unit, scale in (("us", 3), ("ms", 6), ("s", 9)):
        spelled[f"{unit}.csv"] = (files.times(text, lambda t, s=scale: f"{t // 10**s}.{t % 10**s:0{s}d}"), unit)
        spelled[f"{unit}_exponents.csv"] = (files.times(text, lambda t, s=scale: f"{t}e-{s}"), unit)
        spelled[f"{unit}_savetxt.csv"] = (files.times(text, lambda t, s=scale: "%.18e" % (t / 10**s)), unit)
    spelled["ns_floats.csv"] = (files.times(text, lambda t: f"{t}.0"), "ns")
    spelled["ns_columns.csv"] = ("bytes,time\n" + "".join(f"{b},{t}\n" for t, b in (line.split(",") for line in text.split()[1:])), "ns")
    spelled["ns_windows.csv"] = (text.replace("\n", "\r\n"), "ns")
    spelled["ns_nameless.csv"] = (text.partition("\n")[2], "ns")
    found = []
    for name, (content, unit) in spelled.items():
        found += written(folder, "traces", {name: content}, f" --time-unit {unit}".split())
    return found


def related(folder):
    """Files of pairs.py."""
    idle = '\n[[link]]\nfrom = "idle"\nto = "{}"\nboth = true\n'
    for name, text in {
        "even.csv": "0.3,0.3\n0.3,0.3\n", "two_classes.csv": "0,0,49/100\n1,0,28/100\n0,1,14/100\n2,0,4/100\n0,2,1/100\n1,1,4/100\n",
        "as_traffic.txt": "0.6\n0.3\n0.1\n", "pmf_times_8.txt": "4\n2\n2\n", "joint_silent.csv": "0,0,0,0.6\n1,0,0,0.2\n0,1,0,0.2\n", "pmf2_zeros.txt": "0.7\n0.1\n0.2\n0\n0\n",
        "blocks_zero.json": "[[[0.7, 0.1], [0.2, 0.3]], [[0.1, 0.1], [0.2, 0.3]], [[0, 0], [0, 0]]]", "traffic_zero.json": files.traffic_file([600, 300, 100, 0]),
        "other_idle.toml": files.NETWORK.replace('"archive"]\nswitches', '"archive", "idle"]\nswitches') + idle.format("left"),
        "other_classes.toml": files.NETWORK.replace("rate = 0.4", "rate = 0.4\nclass = 2").replace("rate = 0.3", "rate = 0.3\nclass = 2"),
        "policed_idle.toml": files.POLICED.replace('"z"]\nswitches', '"z", "idle"]\nswitches') + idle.format("s").replace("both = true", "rate = 100"),
        "policed_bits.toml": POLICED["policed_bits.toml"],
        "speeds.toml": files.NETWORK.replace("both = true", "both = true\nrate = 4"),
        "speeds_idle.toml": files.NETWORK.replace('"archive"]\nswitches', '"archive", "idle"]\nswitches').replace("both = true", "both = true\nrate = 4") + idle.format("left") + "rate = 1\n",
    }.items():
        (folder / name).write_text(text)


def all_readers(program, folder):
    """(reader, query with FILE, [(file, words of its own)]): the first is the plain one."""
    yield "list of coefficients", "compare FILE --inputs 4 --load 0.6 --of tail", [(p, []) for p, _ in written(folder, "lists", LISTS)]
    yield "list of coefficients", "compare FILE --arrivals 1/2+z/2", [(p, []) for p, _ in written(folder, "lists2", LISTS)]
    for query in ("occupancy --pmf FILE --levels 0,3", "buffer --pmf FILE --packets-per-slot 2 --capacity 2 --criterion loss", "pgf --pmf FILE --moments"):
        yield "probabilities", query, [(p, []) for p, _ in written(folder, "pmfs", PMFS)]
    yield "delays", "delay --delays FILE --flow-rate 0.3 --reorder 1e-2", [(p, []) for p, _ in written(folder, "pmfs", PMFS)]
    yield "matrices of arrivals", "occupancy --blocks FILE --levels 0,3", [(p, []) for p, _ in written(folder, "blocks", BLOCKS)]
    yield "classes", "occupancy --joint FILE --levels 0,3", [(p, []) for p, _ in written(folder, "joint", JOINT)]
    yield "packet sizes", "buffer --sizes FILE --inputs 3 --load 0.6 --capacity 12", [(p, []) for p, _ in written(folder, "sizes", SIZES)]
    yield "CSV trace", "fit FILE --link-gbps 1 --buffer 3", traces(folder)
    capture = files.trace()
    one_link = "\n".join(line + (",1" if line[0].isdigit() else ",input") for line in capture.strip().split("\n")) + "\n"
    yield "capture", "fit FILE --link-gbps 1 --inputs 2 --buffer 3", written(folder, "captures", {"trace.csv": one_link}, ["--time-unit", "ns"]) + written(folder, "captures", {"trace.pcap": files.pcap(capture)}, [])
    for query in ("delay --network FILE --analysis --percentiles 99 --ccdf 0,2", "delay --network FILE --analysis --drop 1e-2", "simulate tree --network FILE --slots 500 --threads 1"):
        yield "network", query, [(p, []) for p, _ in written(folder, "networks", NETWORKS)]
    (folder / "no_flows.toml").write_text(files.NETWORK.partition("[[flow]]")[0])
    yield "traffic matrix", f"delay --network {folder}/no_flows.toml --matrix FILE --analysis --percentiles 99", [(p, []) for p, _ in written(folder, "matrices", MATRICES)]
    yield "network of another program", "delay --network FILE --uniform 0.5 --analysis --percentiles 99 --ccdf 0,2", [(p, []) for p, _ in written(folder, "graphs", GRAPHS)]
    yield "policed network", "guarantee --network FILE", [(p, []) for p, _ in written(folder, "policed", POLICED)]
    ring = (program.root / "data/networks/worm_ring.toml").read_text()
    rings = {"ring.toml": ring, "windows.toml": ring.replace("\n", "\r\n"), "commented.toml": "# another head\n" + ring}
    yield "wormhole network", "wormhole --network FILE --flits 4 --fractions 0.4", [(p, []) for p, _ in written(folder, "rings", rings)]
    counts = {"plain.json": files.traffic_file([600, 300, 100]), "indented.json": json.dumps(json.loads(files.traffic_file([600, 300, 100])), indent=4), "scaled.json": files.traffic_file([1200, 600, 200])}
    yield "traffic file", "occupancy --traffic-file FILE --levels 0,2", [(p, []) for p, _ in written(folder, "traffics", counts)]
    plans = {"plan.toml": files.plan([0.5, 0.6]), "range.toml": files.plan('["0.5:0.6:0.1"]'), "text.toml": files.plan('["1/2", "60%"]'), "windows.toml": files.plan([0.5, 0.6]).replace("\n", "\r\n")}
    yield "plan", "sweep FILE --store FOLDER/STORE.db --jobs 1", [(p, []) for p, _ in written(folder, "plans", plans)]
