"""Networks written by other programs are read: graphs by networkx, igraph and Graphviz."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any, Callable

import networkx
import numpy
import pytest

import tailbound as tb

SPEEDS = (10, 25, 40, 100)


def graphs() -> list[networkx.Graph]:
    """Ten graphs with speeds; names with blanks, quotes and letters beyond ASCII among them."""
    made = [
        networkx.path_graph(5),
        networkx.cycle_graph(7),
        networkx.star_graph(6),
        networkx.petersen_graph(),
        networkx.grid_2d_graph(3, 4),
        networkx.gnp_random_graph(20, 0.2, seed=3),
        networkx.barbell_graph(4, 2),
        networkx.complete_bipartite_graph(3, 5),
        networkx.karate_club_graph(),
        networkx.relabel_nodes(networkx.balanced_tree(2, 3), {i: f"Zürich {i}" for i in range(15)}),
    ]
    draw = random.Random(5)
    for place, graph in enumerate(made):
        graph.remove_nodes_from(list(networkx.isolates(graph)))
        for node in graph.nodes:
            graph.nodes[node].clear()
        for a, b in graph.edges:
            graph.edges[a, b].clear()
            graph.edges[a, b]["capacity"] = SPEEDS[0] if place == 0 else draw.choice(SPEEDS)
    return [networkx.relabel_nodes(graph, {node: str(node) for node in graph}) for graph in made]


def links_of(graph: networkx.Graph) -> "Counter[tuple[str, str, Fraction]]":
    slowest = min(capacity for _, _, capacity in graph.edges(data="capacity"))
    return Counter((*sorted((a, b)), Fraction(capacity, slowest)) for a, b, capacity in graph.edges(data="capacity"))


def links_read(path: Path) -> "Counter[tuple[str, str, Fraction]]":
    file = tomllib.loads(tb.network(shape="import", file=path).file)
    found: Counter[tuple[str, str, Fraction]] = Counter()
    for link in file["link"]:
        found[(*sorted((link["from"], link["to"])), Fraction(link.get("rate", 1)))] += 2 if link.get("both") else 1
    assert all(count % 2 == 0 for count in found.values())
    return Counter({link: count // 2 for link, count in found.items()})


def by_graphviz(graph: networkx.Graph, path: Path, command: list[str]) -> None:
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '\\"') + '"'

    text = "graph {\n" + "".join(f"{quoted(a)} -- {quoted(b)} [capacity={c}];\n" for a, b, c in graph.edges(data="capacity")) + "}\n"
    path.write_bytes(subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout)


def by_igraph(graph: networkx.Graph, path: Path, write: str) -> None:
    igraph: Any = pytest.importorskip("igraph")
    names = list(graph.nodes)
    made = igraph.Graph([(names.index(a), names.index(b)) for a, b in graph.edges])
    made.vs["name"] = names
    made.es["capacity"] = [float(capacity) for _, _, capacity in graph.edges(data="capacity")]
    getattr(made, write)(str(path))


WRITERS: dict[str, Callable[[networkx.Graph, Path], object]] = {
    "networkx.graphml": lambda graph, path: networkx.write_graphml(graph, path),
    "networkx.gml": lambda graph, path: networkx.write_gml(graph, path),
    "networkx.json": lambda graph, path: path.write_text(json.dumps(networkx.node_link_data(graph))),
    "igraph.graphml": lambda graph, path: by_igraph(graph, path, "write_graphml"),
    "igraph.gml": lambda graph, path: by_igraph(graph, path, "write_gml"),
    "igraph.dot": lambda graph, path: by_igraph(graph, path, "write_dot"),
    "dot.dot": lambda graph, path: by_graphviz(graph, path, ["dot", "-Tdot"]),
    "neato.dot": lambda graph, path: by_graphviz(graph, path, ["neato", "-Txdot"]),
    "canon.dot": lambda graph, path: by_graphviz(graph, path, ["dot", "-Tcanon"]),
    "gv2gml.gml": lambda graph, path: by_graphviz(graph, path, ["gv2gml"]),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_read_back(writer: str, tmp_path: Path) -> None:
    if writer.startswith(("dot", "neato", "canon", "gv2gml")) and not shutil.which("dot"):
        pytest.skip("Graphviz is not installed")
    for place, graph in enumerate(graphs()):
        path = tmp_path / f"{place}.{writer}"
        WRITERS[writer](graph, path)
        assert links_read(path) == links_of(graph), (writer, place)


def test_edge_lists(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    for graph in graphs():
        if any(" " in name for name in graph):
            continue
        networkx.write_edgelist(graph, path, data=True)
        assert links_read(path) == links_of(graph)
        networkx.write_weighted_edgelist(networkx.Graph((a, b, {"weight": c}) for a, b, c in graph.edges(data="capacity")), path)
        assert links_read(path) == links_of(graph)
    pandas = pytest.importorskip("pandas")
    for graph in graphs():
        pandas.DataFrame(list(graph.edges(data="capacity")), columns=["source", "target", "capacity"]).to_csv(path)
        assert links_read(path) == links_of(graph)


def test_network_arguments() -> None:
    """Nodes of any type, numpy scalars, answers of network()."""
    ring = networkx.cycle_graph(4)
    ring.add_edges_from((i, 10 + i) for i in range(4))
    answer = tb.delay(network=networkx.Graph(ring, flows=[(10, 12, 0.5), (11, 12, numpy.float64(0.25))]), analysis=True)
    assert [result.inputs["flow"] for result in answer.results] == ["10 -> 12", "11 -> 12"]
    made = tb.network(shape="leaf-spine", leaves=numpy.int64(2), spines=2, hosts=2, uniform=numpy.float32(0.5))
    assert tb.delay(network=made).results[0].inputs["network"]
    with pytest.raises(TypeError, match="answer of buffer"):
        tb.delay(network=tb.buffer(inputs=4, load=0.5, drop=1e-6))
    fast = networkx.Graph()
    fast.add_edge("a", "s", capacity="100G")
    fast.add_edge("s", "b", capacity=numpy.int64(25))
    text = tb.Network.from_networkx(fast, flows=[("a", "b", "20G")]).toml()
    assert 'rate = "100G"' in text and 'rate = "25G"' in text
    assert tb.delay(network=tb.Network.from_networkx(fast, flows=[("a", "b", "20G")])).results
    twice = networkx.MultiGraph([("a", "s"), ("s", "t"), ("s", "t"), ("t", "b")])
    assert tb.delay(network=tb.Network.from_networkx(twice, flows=[("a", "b", 0.5)])).results
    with pytest.raises(ValueError, match="the same str"):
        tb.Network.from_networkx(networkx.Graph([(1, "1")]))
