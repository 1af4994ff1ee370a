"""Networks from dicts and graphs, written as network files (docs/networks.md)."""

from __future__ import annotations

import json
import os
from decimal import Decimal
from fractions import Fraction
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from ._answers import Answer
from ._decimals import exact

Flow = Union[Mapping[str, Any], Sequence[Any]]


class Network:
    """Hosts, switches, links and flows, for ``network=``.

    :param hosts: names of the nodes that send and receive
    :param switches: names of the nodes that forward
    :param links: dicts with ``from``, ``to`` (a name or a list of names), ``rate`` [packets/slot, default 1] and
        ``both`` (also the reverse link); or tuples (from, to) and (from, to, rate) for links in both directions
    :param flows: dicts with ``from``, ``to``, ``rate`` [packets/slot] and the further keys of docs/networks.md
        (``burst``, ``path``, ...); or tuples (from, to, rate)
    :param traffic: the [traffic] section of a file: ``{"uniform": 0.3}``

    Rates are taken exactly: 0.3 is 3/10.

    >>> import tailbound as tb
    >>> net = tb.Network(hosts=["a", "b"], switches=["s"], links=[("a", "s"), ("b", "s")], flows=[("a", "b", 0.3)])
    >>> print(net.toml())
    hosts = ["a", "b"]
    switches = ["s"]
    <BLANKLINE>
    [[link]]
    from = "a"
    to = "s"
    both = true
    <BLANKLINE>
    [[link]]
    from = "b"
    to = "s"
    both = true
    <BLANKLINE>
    [[flow]]
    from = "a"
    to = "b"
    rate = "3/10"
    <BLANKLINE>
    >>> tb.delay(network=net).results[0].inputs["flow"]
    'a -> b'
    """

    def __init__(
        self,
        hosts: Iterable[str] = (),
        switches: Iterable[str] = (),
        links: Iterable[Any] = (),
        flows: Iterable[Flow] = (),
        traffic: Optional[Mapping[str, Any]] = None,
        name: str = "",
    ) -> None:
        self.hosts, self.switches = list(map(str, hosts)), list(map(str, switches))
        self.links = [_link(link) for link in links]
        self.flows = [_flow(flow) for flow in flows]
        self.traffic, self.name = dict(traffic or {}), name

    @classmethod
    def from_dict(cls, described: Mapping[str, Any]) -> "Network":
        """From the keys of a network file: hosts, switches, link (or links), flow (or flows), traffic, name.

        >>> Network.from_dict({"hosts": ["a"], "switches": ["s"], "link": [{"from": "a", "to": "s"}]}).hosts
        ['a']
        """
        known = {"name", "hosts", "switches", "link", "links", "flow", "flows", "traffic"}
        for key in described:
            if key not in known:
                raise ValueError(f"unknown key {key!r} of a network; known keys: {', '.join(sorted(known))}")
        return cls(
            described.get("hosts", ()),
            described.get("switches", ()),
            [*described.get("link", ()), *described.get("links", ())],
            [*described.get("flow", ()), *described.get("flows", ())],
            described.get("traffic"),
            described.get("name", ""),
        )

    @classmethod
    def from_networkx(
        cls, graph: Any, flows: Optional[Iterable[Flow]] = None, traffic: Optional[Mapping[str, Any]] = None
    ) -> "Network":
        """From a networkx graph. Edges of a Graph are links in both directions, edges of a DiGraph in one.

        The node attribute ``kind`` ("host" or "switch") determines the type of a node. Without it a node with one
        neighbor is a host, any other a switch. The edge attribute ``rate`` is the rate of the link; without it
        ``capacity``, ``speed`` or ``bandwidth`` is its speed, a number in Gbit/s or text such as "25G". Nodes may be of
        any type; their names are their ``str()``. Parallel edges of a MultiGraph are parallel links of a bundle. Flows
        are ``flows``, or ``graph.graph["flows"]``.

        >>> import networkx
        >>> star = networkx.Graph([("a", "s"), ("b", "s"), ("c", "s")])
        >>> net = Network.from_networkx(star, flows=[("a", "c", 0.5), ("b", "c", 0.25)])
        >>> net.hosts, net.switches
        (['a', 'b', 'c'], ['s'])
        """
        directed = bool(graph.is_directed())
        around = graph.to_undirected(as_view=True) if directed else graph
        kinds = {}
        for node, attributes in graph.nodes(data=True):
            kind = attributes.get("kind") or ("host" if len(list(around.neighbors(node))) == 1 else "switch")
            if kind not in ("host", "switch"):
                raise ValueError(f"kind of {node!r} is {kind!r}; it must be 'host' or 'switch'")
            kinds[node] = kind
        if len({str(node) for node in kinds}) != len(kinds):
            raise ValueError("two nodes of the graph have the same str()")
        links = [
            {"from": a, "to": b, "rate": _rate(attributes), "both": not directed}
            for a, b, attributes in graph.edges(data=True)
        ]
        return cls(
            [node for node, kind in kinds.items() if kind == "host"],
            [node for node, kind in kinds.items() if kind == "switch"],
            links,
            graph.graph.get("flows", ()) if flows is None else flows,
            graph.graph.get("traffic") if traffic is None else traffic,
            str(graph.graph.get("name", "") or ""),
        )

    def to_networkx(self) -> Any:
        """As a networkx DiGraph, with the flows in ``graph["flows"]``."""
        import networkx

        graph = networkx.DiGraph(name=self.name, flows=self.flows, traffic=self.traffic)
        graph.add_nodes_from(self.hosts, kind="host")
        graph.add_nodes_from(self.switches, kind="switch")
        for link in self.links:
            for a in _names(link["from"]):
                for b in _names(link["to"]):
                    graph.add_edge(a, b, rate=link.get("rate", 1))
                    if link.get("both"):
                        graph.add_edge(b, a, rate=link.get("rate", 1))
        return graph

    def toml(self) -> str:
        """The text of the network file."""
        blocks = []
        head = [f"name = {_toml(self.name)}"] if self.name else []
        blocks.append("\n".join([*head, f"hosts = {_toml(self.hosts)}", f"switches = {_toml(self.switches)}"]))
        blocks += ["[[link]]\n" + _entries(link) for link in self.links]
        blocks += ["[[flow]]\n" + _entries(flow) for flow in self.flows]
        if self.traffic:
            blocks.append("[traffic]\n" + _entries(self.traffic))
        return "\n\n".join(blocks) + "\n"

    def save(self, path: "Union[str, os.PathLike[str]]") -> None:
        """Writes the network file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.toml())

    def __repr__(self) -> str:
        return (
            f"<Network: {len(self.hosts)} hosts, {len(self.switches)} switches, {len(self.links)} links, "
            f"{len(self.flows)} flows>"
        )


def network_text(value: Any) -> Optional[tuple[str, str]]:
    """Name and text of a Network, a dict, a networkx graph or an answer of tb.network(); None for a file name."""
    if isinstance(value, Answer):
        if value.command != "network":
            raise TypeError(f"network is an answer of {value.command}; it must be an answer of network, or a network")
        return str(value["name"]), str(value["file"])
    if isinstance(value, Mapping):
        value = Network.from_dict(value)
    elif hasattr(value, "is_directed") and hasattr(value, "nodes"):
        value = Network.from_networkx(value)
    return (value.name or "network", value.toml()) if isinstance(value, Network) else None


def _rate(attributes: Mapping[str, Any]) -> Any:
    if "rate" in attributes:
        return attributes["rate"]
    for key in ("capacity", "speed", "bandwidth"):
        if key in attributes:
            value = attributes[key]
            return value if isinstance(value, str) and not value.replace(".", "").isdigit() else f"{value}G"
    return 1


def _names(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _link(link: Any) -> dict[str, Any]:
    if isinstance(link, Mapping):
        return _with_names(link)
    made = {"from": str(link[0]), "to": str(link[1]), "both": True}
    return {**made, "rate": link[2]} if len(link) > 2 else made


def _flow(flow: Flow) -> dict[str, Any]:
    if isinstance(flow, Mapping):
        return _with_names(flow)
    if len(flow) != 3:
        raise ValueError(f"a flow must be (from, to, rate) or a dict, not {flow!r}")
    return {"from": str(flow[0]), "to": str(flow[1]), "rate": flow[2]}


def _with_names(described: Mapping[str, Any]) -> dict[str, Any]:
    """Node names are the str() of the nodes, which may be of any type."""
    made = dict(described)
    for key in ("from", "to", "path"):
        if key in made:
            made[key] = list(map(str, made[key])) if isinstance(made[key], list) else str(made[key])
    return made


def _entries(values: Mapping[str, Any]) -> str:
    return "\n".join(f"{key} = {_toml(value)}" for key, value in values.items() if value is not None)


def _toml(value: Any) -> str:
    if isinstance(value, bool) or type(value).__name__ == "bool_":  # numpy's
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, (float, Fraction, Decimal)):
        number = exact(value)
        return f'"{number.numerator}/{number.denominator}"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    try:
        number = exact(value)
    except TypeError:
        return json.dumps(str(value), ensure_ascii=False)  # a node of any type
    return str(number.numerator) if number.denominator == 1 else f'"{number.numerator}/{number.denominator}"'
