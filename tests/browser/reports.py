"""Small queries, one or two for each command, and their reports."""
import pathlib
import re
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAPLE = "data/reference/maple/gp_slotted_queue.txt"

# Name of the report -> the command line. FOLDER is that of the reports.
QUESTIONS = {
    "buffer": "buffer --inputs 16 --load 0.9 --drop 1e-15 --packet-bytes 64 --link-gbps 100",
    "buffer_list": "buffer --inputs 4,16 --load 0.1:0.9:0.1 --drop 1e-15",
    "buffer_shared": "buffer --shared --inputs 8 --load 0.8 --sizes imix --cell-bytes 64 --drop 1e-9 --criterion loss",
    "buffer_classes": "buffer --inputs 16 --classes 0.3,0.3,0.25 --drop 1e-9 --packet-bytes 64",
    "fit": "fit data/traffic/requests.csv --time-unit ns --link-gbps 1",
    "simulate_classes": "simulate classes --inputs 4 --classes 0.4,0.4 --slots 20000",
    "simulate_buffer": "simulate buffer --inputs 4 --load 0.6 --burst 4 --slots 20000",
    "occupancy": "occupancy --inputs 16 --load 0.9 --until 1e-300",
    "delay": "delay --radix 16 --levels 3 --load 0.8 --link-gbps 100 --packet-bytes 64",
    "delay_list": "delay --radix 4 --levels 2 --load 0.3:0.9:0.1",
    "delay_network": "delay --network data/networks/two_switches.toml --drop 1e-9",
    "guarantee": "guarantee --bucket '100 x 1/125,4' --drop 1e-9",
    "guarantee_network": "guarantee --network data/networks/plant.toml",
    "guarantee_headroom": "guarantee --headroom --link-gbps 100,400 --cable 0:2000:500",
    "network": "network fat-tree --radix 4 --uniform 0.4",
    "pgf": "pgf --inputs k --load k*p --moments",
    "crossbar": "crossbar --inputs 16 --scheduler islip,pim,tdm --load 0.5:0.9:0.1 --percentiles 99,99.99",
    "multistage": "multistage --nodes 64 --hot 0.08 --loads 0.1:0.9:0.1",
    "wormhole": "wormhole --topology mesh --nodes 64 --flits 32 --fractions 10%,30%,50%,70%,80%,90%",
    "broadcast": "broadcast --dimensions 3 --virtual-channels 4 --flits 32 --broadcast 0.01 --fractions 10%,50%,80%",
    "simulate_tree": "simulate tree --radix 4 --levels 2 --load 0.8 --slots 4000 --seed 3 --threads 1",
    "simulate_switch": "simulate switch --inputs 4 --load 0.8 --memory 10,20 --threshold 1/2,2 --slots 5000 --threads 1",
    "simulate_wormhole": "simulate wormhole --topology mesh --nodes 16 --flits 8 --fractions 20%,60% --cycles 8000 --threads 1",
    "simulate_hypercube": "simulate hypercube --dimensions 3 --virtual-channels 3 --flits 16 --broadcast 0.02"
                          " --fractions 20%,60% --cycles 8000 --threads 1",
    "simulate_multistage": "simulate multistage --nodes 16 --hot 0.08 --loads 0.3,0.8 --slots 2000 --threads 1",
    "simulate_policed": "simulate policed --network data/networks/plant.toml --packets 20000",
    "validate_buffer": "validate buffer --inputs 4 --load 0.8 --slots 20000 --levels 0:40:10 --threads 1",
    "validate_delay": "validate delay --radix 4 --levels 2 --load 0.8 --slots 8000 --threads 1",
    "simulate_crossbar": "simulate crossbar --inputs 4 --load 0.5,0.8 --scheduler islip,pim,greedy --slots 5000 --threads 1",
    "validate_crossbar": "validate crossbar --inputs 8 --load 0.8 --iterations 3 --slots 20000 --threads 1",
    "validate_switch": "validate switch --inputs 4 --load 0.8 --slots 20000 --memory 5,10,20 --threads 1",
    "validate_wormhole": "validate wormhole --topology mesh --nodes 16 --flits 16 --loads 0.05,0.2 --cycles 8000 --threads 1",
    "validate_broadcast": "validate broadcast --dimensions 3 --virtual-channels 3 --flits 16 --broadcast 0.02"
                          " --fractions 20%,60% --cycles 8000 --threads 1",
    "validate_multistage": "validate multistage --nodes 16 --hot 0.08 --loads 0.3,0.8 --slots 4000 --threads 1",
    "compare": f"compare {MAPLE} --inputs 16 --load 0.9",
    "reproduce": "reproduce singh-dally-5 --quick --output FOLDER/figures",
    "merge": "merge FOLDER/part",
    "sweep": "sweep FOLDER/hundred.toml --store FOLDER/store.db",
    "schema": "schema buffer",
}
NO_PICTURES = {"simulate_policed", "network", "pgf", "compare", "reproduce", "schema"}
NOT_HERE = {"serve"}  # it is a page itself

# A hundred curves in one picture.
HUNDRED = """[[query]]
command = "buffer"
inputs = ["2:101:1"]
load = ["0.3:0.9:0.2"]
drop = 1e-9

[picture]
x = "load"
y = "buffer"
"""


def commands(executable):
    """The commands listed in the help."""
    text = subprocess.run([executable, "--help"], capture_output=True, text=True, check=True).stdout
    found = []
    for name in re.findall(r"^  ([a-z]+)  +\S", text, re.M):
        below = subprocess.run([executable, name, "--help"], capture_output=True, text=True).stdout
        if name in ("simulate", "validate"):
            found += [f"{name} {sub}" for sub in re.findall(r"^  ([a-z]+)  +\S", below, re.M)]
        else:
            found.append(name)
    return found


def render(executable, folder):
    """Writes all reports to the folder; name -> path."""
    folder = pathlib.Path(folder)
    (folder / "hundred.toml").write_text(HUNDRED)

    def run(line):
        words = [word.replace("FOLDER", str(folder)) for word in shlex.split(line)]
        done = subprocess.run([executable, *words], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode in (0, 1), f"{line}: {done.stderr}"
        return done.stdout

    run(f"simulate tree --radix 4 --levels 2 --load 0.8 --slots 4000 --threads 1 --part 1/1 --output {folder}/part")

    def report(name):
        file = folder / f"{name}.html"
        file.write_text(run(QUESTIONS[name] + " --format html"))
        return name, file

    with ThreadPoolExecutor(2) as pool:
        files = dict(pool.map(report, QUESTIONS))
    files["index of reproduce"] = folder / "figures/index.html"
    return files
