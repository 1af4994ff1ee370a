"""For every command some quick queries, and for every option a value that makes a difference where it is accepted.

A new command or option without an entry here fails the test `relations`.
"""

DATA = "data/"
SIMULATED = "--slots 1000 --replications 2 --threads 1"
CYCLES = "--cycles 1000 --replications 2 --threads 1"
CUBE = "--dimensions 3 --virtual-channels 2 --flits 8 --broadcast 0.1 --rates 0.01"
MESH = "--topology mesh --nodes 4x4 --flits 4 --loads 0.1"
MIX = "--topology mesh --nodes 4x4 --virtual-channels 2 --buffer-flits 4 --flits 1:3,5:2 --loads 0.1"
CLASSES = "--topology mesh --nodes 4x4 --buffer-flits 4 --class 'ask flits=1 to=0,3; reply flits=5 answers=ask' --loads 0.05"
RING = "--network data/networks/worm_ring.toml --flits 4 --fractions 0.4"
TRAFFIC = {
    "inputs": "--inputs 4 --load 0.6",
    "rates": "--rates 0.3,0.2,0.1",
    "Poisson": "--traffic poisson --load 0.6",
    "M/D/1": "--traffic md1 --load 0.6",
    "formula": "--arrivals (3/5)/(1-2/5*z)",
    "law": "--arrivals 0.8+0.2*zipf(1,4)",
    "pmf": "--pmf FOLDER/pmf.txt",
}
CORRELATED = {
    "bursts": "--inputs 2 --load 0.5 --burst 4 --on-rate 0.9",
    "packet bursts": "--inputs 2 --load 0.5 --burst 4 --destination per-packet",
    "blocks": "--blocks data/traffic/two_inputs.json",
    "classes": "--inputs 4 --classes 0.3,0.2",
    "joint": "--joint data/traffic/two_classes.csv",
    "incast": "--incast 3,2 --load 0.5",
    "incast rate": "--incast 3,2,0.05",
    "file": "--traffic-file FOLDER/traffic.json",
}
TREE = "--radix 3 --levels 2 --load 0.6"
NETWORK = "--network data/networks/two_switches.toml"
SPINE = "--network data/networks/leaf_spine.toml --uniform 0.3"

# command: {name: the words behind it}. FOLDER has the files of readers.py.
BASES = {
    "buffer": {
        **{name: f"{words} --drop 1e-2" for name, words in {**TRAFFIC, **CORRELATED}.items()},
        "capacity": "--inputs 4 --load 0.6 --capacity 3",
        "loss": "--inputs 4 --load 1.5 --capacity 3 --criterion loss",
        "class drops": "--inputs 4 --classes 0.3,0.2 --class-drops 1e-2,1e-1",
        "solve load": "--inputs 4 --capacity 3 --drop 1e-2 --solve load",
        "solve burst": "--inputs 4 --load 0.5 --capacity 20 --drop 1e-2 --solve burst",
        "shared": "--shared --inputs 3 --load 0.6 --drop 1e-2",
        "shared loss": "--shared --inputs 3 --load 0.6 --capacity 8 --threshold 1 --criterion loss",
        "shared matrix": "--shared --matrix FOLDER/matrix.csv --drop 1e-2",
        "shared load": "--shared --inputs 3 --capacity 20 --drop 1e-2 --solve load",
        "shared ports": "--shared --load 0.6 --capacity 20 --drop 1e-2 --solve ports",
        "shared threshold": "--shared --inputs 3 --load 0.6 --capacity 20 --drop 1e-2 --solve threshold",
        "shared cells": "--shared --inputs 3 --load 0.6 --sizes 64:2,200:1 --capacity 12 --criterion loss",
        "one incast": "--incast 5,3 --spread 3 --drop 5e-1",
        "sizes": "--sizes 64:2,200:1 --inputs 3 --load 0.6 --capacity 12",
        "cells": "--sizes 64:2,200:1 --arrive cells --inputs 3 --load 0.6 --capacity 12",
        "police": "--police 0.6,3 --inputs 3 --capacity 4",
        "messages": "--police 0.6,3 --message 2 --inputs 3 --capacity 8",
        "offered": "--police 0.6,3 --offered 0.4 --inputs 3 --capacity 4",
    },
    "occupancy": {name: f"{words} --levels 0,3" for name, words in {**TRAFFIC, **CORRELATED}.items()},
    "pgf": {**{name: f"{words} --moments" for name, words in TRAFFIC.items() if name not in ("law", "M/D/1")}, "bursts": "--inputs 2 --load 0.5 --burst 4 --destination per-packet"},
    "compare": {name: f"FOLDER/list.txt {words}" for name, words in TRAFFIC.items()},
    "fit": {"trace": "FOLDER/trace.csv --time-unit ns --link-gbps 1"},
    "crossbar": {
        "islip": "--inputs 4 --load 0.6 --drop 1e-2 --percentiles 99 --ccdf 9", "fifo": "--scheduler fifo --inputs 4 --load 0.5 --drop 1e-2 --ccdf 9",
        "maximum": "--scheduler fifo --inputs 4 --saturation", "buffers": "--scheduler fifo --inputs 3 --output-buffer 2 --saturation",
        "pim": "--scheduler pim --inputs 8 --iterations 2 --saturation", "crosspoint": "--scheduler crosspoint --inputs 4 --load 0.6",
        "tdm": "--scheduler tdm --inputs 4 --load 0.6 --ccdf 3 --drop 1e-2", "ccf": "--scheduler ccf --inputs 4 --load 0.6 --drop 1e-2 --ccdf 1",
        "bursts": "--scheduler ccf --inputs 4 --load 0.6 --burst 4", "speedup": "--inputs 16 --load 0.85 --speedup 1.25 --drop 1e-3",
        "solve load": "--scheduler tdm --inputs 4 --capacity 20 --drop 1e-2 --solve load",
    },
    "delay": {
        "tree": f"{TREE} --analysis", "tree buffers": f"{TREE} --drop 1e-2 --analysis", "tree reorder": f"{TREE} --reorder 1e-2 --analysis",
        "bursts": "--radix 2 --levels 1 --load 0.5 --burst 4 --analysis", "classes": "--radix 4 --classes 0.3,0.3 --analysis",
        "network": f"{NETWORK} --analysis --percentiles 99", "spine": f"{SPINE} --analysis --percentiles 99 --flow \"h1 -> h5\"",
        "solve": f"{NETWORK} --solve load-scale --percentiles 99 --within 9", "delays": "--delays FOLDER/pmf.txt --flow-rate 0.3 --reorder 1e-2",
    },
    "guarantee": {
        "bucket": "--bucket \"4 x 0.2,5\"", "bucket drop": "--bucket \"4 x 0.2,5\" --drop 1e-2", "periodic": "--periodic \"10 x 20\" --drop 1e-2",
        "start-ups": "--periodic \"10 x 20\" --ever 1e-2", "sporadic": "--sporadic \"10 x 20\" --capacity 3",
        "solve": "--bucket \"n x 1/50,3\" --capacity 20 --drop 1e-2 --solve flows", "network": "--network data/networks/plant.toml",
        "headroom": "--headroom --link-gbps 100 --cable 100 --packet-bytes 1500",
        "crossbar": "--crossbar 4 --row 0.5,4 --column 0.5,6",
    },
    "multistage": {"hot spot": "--nodes 16 --hot 0.1 --loads 0.3", "plain": "--nodes 16 --hot 0 --loads 0.3"},
    "wormhole": {"mesh": MESH, "fat-tree": "--topology butterfly-fat-tree --nodes 16 --flits 4 --loads 0.1",
                 "hot": f"{MESH} --pattern hot-spot --hot-share 0.1", "hypercube": "--topology hypercube --nodes 16 --flits 4 --loads 0.1", "ring": RING, "mix": MIX, "classes": CLASSES},
    "broadcast": {"cube": CUBE},
    "reproduce": {},
    "simulate tree": {"tree": f"{TREE} {SIMULATED}", "bursts": f"{TREE} --burst 4 {SIMULATED}", "network": f"{NETWORK} {SIMULATED}",
                      "spine": f"{SPINE} {SIMULATED}", "reorder": f"{TREE} --reorder {SIMULATED}",
                      "credits": f"{SPINE} --buffer 3 --flow-control credit --round-trip 3 {SIMULATED}",
                      "pauses": f"--network data/networks/leaf_spine.toml --uniform 0.6 --buffer 3 --flow-control pause --headroom 1 {SIMULATED}"},
    "simulate switch": {"inputs": f"--inputs 3 --load 0.6 {SIMULATED}", "memory": f"--inputs 3 --load 0.9 --memory 8 {SIMULATED}",
                        "sizes": f"--inputs 3 --load 0.6 --sizes 64:2,200:1 {SIMULATED}", "bursts": f"--inputs 3 --load 0.6 --burst 4 {SIMULATED}"},
    "simulate crossbar": {
        "islip": f"--inputs 4 --load 0.6 --ccdf 2 --drop 0.1 {SIMULATED}", "fifo": f"--inputs 6 --load 0.65 --scheduler fifo --output-speedup 2 --output-buffer 4 {SIMULATED}",
        "crosspoint": f"--inputs 3 --load 0.6 --scheduler crosspoint {SIMULATED}", "ccf": f"--inputs 3 --load 0.6 --scheduler ccf --priorities 0.5,0.5 {SIMULATED}",
        "bursts": f"--inputs 3 --load 0.4 --burst 4 --buffer 3 {SIMULATED}", "hot": f"--inputs 3 --load 0.5 --hot 0.1 --voq-buffer 3 {SIMULATED}",
        "unbalanced": f"--inputs 3 --load 0.6 --unbalanced 0.5 {SIMULATED}", "rates": f"--rates 0.8,0.5,0.5 {SIMULATED}", "matrix": f"--matrix FOLDER/matrix.csv --scheduler greedy {SIMULATED}",
        "rare": "--inputs 3 --load 0.5 --rare 4 --of input --slots 1000 --threads 1",
    },
    "simulate buffer": {**{name: f"{words} {SIMULATED}" for name, words in {**TRAFFIC, **CORRELATED}.items() if name != "M/D/1"},
                        "capacity": f"--inputs 4 --load 1.5 --capacity 3 {SIMULATED}"},
    "simulate classes": {"classes": f"--inputs 3 --classes 0.4,0.4 {SIMULATED}", "bursts": f"--inputs 3 --classes 0.4,0.4 --burst 4 {SIMULATED}",
                         "drr": f"--inputs 3 --classes 0.4,0.4 --schedule drr {SIMULATED}"},
    "simulate policed": {"plant": "--network data/networks/plant.toml --packets 2000"},
    "simulate multistage": {"hot spot": f"--nodes 16 --hot 0.1 --loads 0.9 {SIMULATED}"},
    "simulate wormhole": {"mesh": f"{MESH} {CYCLES}", "hot": f"{MESH} --pattern hot-spot --hot-share 0.1 {CYCLES}",
                          "channels": f"{MESH} --virtual-channels 2 --buffer-flits 4 {CYCLES}", "ring": f"{RING} {CYCLES}", "mix": f"{MIX} {CYCLES}", "classes": f"{CLASSES} {CYCLES}"},
    "simulate hypercube": {"cube": f"{CUBE} {CYCLES}"},
    "validate delay": {"tree": f"{TREE} {SIMULATED}", "network": f"{NETWORK} {SIMULATED}"},
    "validate buffer": {"inputs": f"--inputs 3 --load 0.6 {SIMULATED}", "bursts": f"--inputs 2 --load 0.5 --burst 4 {SIMULATED}",
                        "classes": f"--inputs 3 --classes 0.3,0.3 {SIMULATED}", "sizes": f"--inputs 3 --load 0.6 --sizes 64:2,200:1 --capacity 8 {SIMULATED}"},
    "validate crossbar": {"islip": f"--inputs 4 --load 0.6 --drop 0.1,0.01 {SIMULATED}", "pim": f"--inputs 4 --load 0.6 --scheduler pim --iterations all --drop 0.1 {SIMULATED}",
                          "crosspoint": f"--inputs 4 --load 0.6 --scheduler crosspoint --drop 0.1 {SIMULATED}", "bursts": f"--inputs 4 --load 0.6 --scheduler ccf --burst 4 --drop 0.1 {SIMULATED}",
                          "speedup": f"--inputs 16 --load 0.85 --speedup 1.25 --drop 0.1 {SIMULATED}"},
    "validate switch": {"inputs": f"--inputs 3 --load 0.6 --memory 4,8 {SIMULATED}", "loss": f"--inputs 3 --load 0.6 --criterion loss --memory 8 {SIMULATED}"},
    "validate multistage": {"hot spot": f"--nodes 16 --hot 0.1 --loads 0.9 {SIMULATED}"},
    "validate wormhole": {"mesh": f"{MESH} {CYCLES}", "mix": f"{MIX} {CYCLES}", "classes": f"{CLASSES} {CYCLES}"},
    "validate broadcast": {"cube": f"{CUBE} {CYCLES}"},
    "network": {shape: shape for shape in ("fat-tree", "leaf-spine", "mesh", "torus", "hyperx", "dragonfly", "slimfly", "jellyfish")}
    | {"import": "import data/networks/two_speeds.dot"},
    "sweep": {"plan": "FOLDER/plan.toml --store FOLDER/STORE.db --jobs 1"},
    "merge": {"parts": "FOLDER/part1 FOLDER/part2"},
    "schema": {"keys": "buffer"},
    "serve": {},
}
# Commands that are not run here, and what tests them.
ELSEWHERE = {"reproduce": "tests/reproduce", "serve": "tests/serve"}

# A value that differs from those of BASES and from the default. "command --option" takes precedence.
VALUES = {
    "--inputs": "5", "--load": "0.45", "--loads": "0.2", "--rates": "0.25,0.25", "broadcast --rates": "0.005", "simulate hypercube --rates": "0.005",
    "validate broadcast --rates": "0.005", "--arrivals": "0.9+0.1*uniform(1,4)", "--pmf": "FOLDER/pmf2.txt", "--blocks": "FOLDER/blocks.json",
    "--burst": "3", "--on-rate": "0.75", "--classes": "0.2,0.25", "--class-drops": "1e-1,1e-2", "--traffic-file": "FOLDER/traffic2.json",
    "--incast": "4,2,0.04", "--joint": "FOLDER/joint.csv", "--packets-per-slot": "2", "--drop": "0.05", "--capacity": "5", "--spread": "2", "--outputs": "6",
    "--threshold": "1/2", "--matrix": "FOLDER/matrix2.csv", "--sizes": "64:1,300:1", "--cell-bytes": "100", "--police": "0.5,2", "--offered": "0.3",
    "--message": "3", "--digits": "20", "compare --digits": "6", "compare --first": "1", "--packet-bytes": "100", "--link-gbps": "40", "--hop-ns": "75",
    "--levels": "1,2", "delay --levels": "3", "simulate tree --levels": "3", "validate delay --levels": "1", "network --levels": "2",
    "--scheduler": "greedy", "--iterations": "1", "--crosspoint": "2", "--speedup": "1.5", "--output-speedup": "2", "--output-buffer": "3",
    "crossbar --burst": "5", "crossbar --outputs": "5", "crossbar --percentiles": "99.9", "crossbar --ccdf": "10,12",
    "--until": "0.1", "--radix": "5", "network --radix": "6", "--network": "FOLDER/other.toml", "wormhole --network": "FOLDER/ring2.toml",
    "simulate wormhole --network": "FOLDER/ring2.toml", "validate wormhole --network": "FOLDER/ring2.toml", "guarantee --network": "FOLDER/policed.toml",
    "simulate policed --network": "FOLDER/policed.toml", "--uniform": "0.2", "--load-scale": "0.7", "--without": "spine1", "network --without": "1 random",
    "--flow": "camera -> desk", "guarantee --flow": "axis3", "simulate policed --flow": "axis3", "--percentiles": "75", "--ccdf": "1,2", "--reorder": "0.1",
    "--reorder-levels": "1,2", "--flow-rate": "0.2", "--within": "7", "--within-ns": "500", "--delays": "FOLDER/pmf2.txt", "--bucket": "3 x 0.25,4",
    "--periodic": "8 x 15", "--sporadic": "8 x 15", "--ever": "0.4", "--cable": "300", "--sender-ns": "500", "--pause-quanta": "300",
    "--receiver-ns": "400", "--shortest": "128", "--return-bytes": "2000", "--return-gbps": "40", "--metre-ns": "6", "--phy-ns": "100",
    "--of": None, "--as": None, "--require": "14", "--time-unit": None, "--framing": "24", "--input-gbps": "3", "--buffer": "2", "--nodes": "64", "wormhole --nodes": "4", "simulate wormhole --nodes": "4",
    "validate wormhole --nodes": "4", "--switch": "4", "--combining": "3", "--service": "2", "--hot": "0.2", "--dimensions": "4",
    "wormhole --dimensions": "1", "simulate wormhole --dimensions": "1", "validate wormhole --dimensions": "1", "--concentration": "2", "--virtual-channels": "3",
    "--buffer-flits": "2", "--router-cycles": "2", "--link-cycles": "2", "--credit-cycles": "2", "--flits": "6", "--class": "ask flits=2 to=0,3; reply flits=5 answers=ask", "--think-cycles": "40", "--hot-node": "5", "--hot-share": "0.2",
    "--fractions": "0.35", "--channels": "3", "--broadcast": "0.2", "--startup": "3", "--occupancy": "1,3", "--rare": "3", "--hop": "2", "--slots": "1500",
    "--cycles": "1500", "--seed": "7", "--warmup": "200", "--replications": "3", "--half-width": "30%", "--memory": "6", "--weights": "3,1",
    "--buffers": "2,3", "--packets": "3000", "--precision": "5%", "--leaves": "5", "--spines": "3", "--uplink-rate": "2", "--sides": "3,3",
    "--route-seed": "7", "--speed-unit": "Mbit/s", "--routers": "3", "--wires": "1", "--groups": "5", "--prime": "4", "--switches": "12", "--degree": "3", "--hosts": "17", "--shared-memory": "all",
    "simulate tree --buffer": "2", "simulate switch --buffer": "2", "simulate crossbar --buffer": "2", "--voq-buffer": "2", "--unbalanced": "0.4",
    "--priorities": "0.4,0.6", "simulate crossbar --speedup": "1.5", "simulate crossbar --output-speedup": "3", "simulate crossbar --output-buffer": "2", "simulate crossbar --outputs": "5", "simulate crossbar --of": "voq",
    "simulate crossbar --iterations": "1", "validate crossbar --burst": "5",
    "--crossbar": "2", "guarantee --speedup": "3", "--row": "0.4,7", "--column": "0.4,3", "--flow-control": "pause", "--ingress": "fifo", "--round-trip": "4", "simulate tree --headroom": "2", "simulate tree --output-buffer": "2",
    # Where another program reads or the screen shows: not JSON.
    "--part": "1/2", "--format": "csv", "--release": "far",
}
# They change no number: the answer stays the same to the last character.
NEUTRAL = {"--threads": "2", "--time-limit": "55", "--memory-limit": "3GB", "--checkpoint-every": "30", "--jobs": "2", "--exact": None, "--normalize": None,
           "--retry": None}
# The same in every query of a command: set in the first one only, except with --deep.
EVERYWHERE = {"--plot", "--title", "--log-y", "--format", "--output", "--quiet", "--time-limit", "--memory-limit", "--checkpoint", "--checkpoint-every", "--resume",
              "--seed", "--threads", "--slots", "--cycles", "--replications", "--warmup", "--half-width", "--part"}
# Of these commands every other query without --deep: what describes traffic or a network is the same as in others.
HALF = {"occupancy", "pgf", "compare", "network", "wormhole", "simulate wormhole", "simulate tree"}
# Not requested here: why.
SLOW = {"--simulate": "a simulation of seconds", "--checkpoint": "written in runs of more than a minute", "--analysis": "a pair of pairs.py", "--saturation": "a search of seconds"}
# Where an option cannot act, by what the query is.
WITHOUT_EFFECT = {
    "delay --routing | bursts": "one level", "delay --without | spine": "the flow does not pass there", "fit --arrive | trace": "packets of one cell",
    "fit --inputs | trace": "independent slots", "fit --input-gbps | trace": "times differ", "network --quiet": "a file", "schema --quiet": "a schema", "pgf --quiet": "a formula",
    "network --route | dragonfly": "with minimal its default", "sweep --part": "a part of two is not one of four", "compare --digits": "more digits, the same verdict",
    "simulate tree --allow-deadlock | credits": "no cycle", "simulate tree --allow-deadlock | pauses": "no cycle",
    "simulate wormhole --network | ring": "fractions of the saturation load", "--log-y": "the axis is logarithmic already", "pgf --packets-per-slot | bursts": "the formulas are those of the arrivals",
}
# They write a file, or need one of an earlier run.
FILES = {"--plot": "FOLDER/NEW.svg", "--output": "FOLDER/NEW.txt", "--save-traffic": "FOLDER/NEW.json",
         "--certificate": "FOLDER/NEW.cert", "--resume": "FOLDER/absent", "--store": "FOLDER/NEW.db", "--add": "FOLDER/absent"}
OF_PICTURES = {"--port": "s3 -> s4", "--title": "Another title", "--log-y": None, "--curve": "throughput"}
