"""The links and flows of a network file of policed flows (docs/networks.md), for check_certificate.py."""
import itertools
import re
import tomllib
from fractions import Fraction

UNITS = {"bytes": 8, "bits": 1, "ns": Fraction(1, 10**9), "us": Fraction(1, 10**6), "ms": Fraction(1, 1000), "s": 1,
         "bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9}

def exact(value):
    """A number, or "1/3"."""
    over, _, under = str(value).partition("/")
    return Fraction(over) / Fraction(under or 1)

def listed(value):
    return value if isinstance(value, list) else [value]

def names(text):
    """The names of "s[0..3], edge[0..1]_[0..1]"; the last range changes fastest."""
    for each in text.split(","):
        words = re.split(r"\[\s*(\d+)\s*\.\.\s*(\d+)\s*\]", each.strip())
        for its in itertools.product(*(range(int(a), int(b) + 1) for a, b in zip(words[1::3], words[2::3]))):
            yield words[0] + "".join(f"{n}{word}" for n, word in zip(its, words[3::3]))

def whole(formula, variables):
    """A formula of whole numbers; quotients are rounded down."""
    if not re.fullmatch(r"(\w+|[-+/%() ]|\*(?!\*))+", formula):
        raise ValueError(f"{formula} is no formula")
    return eval(formula.replace("/", "//"), {"__builtins__": {}}, variables)

def assignments(ranges, variables):
    """All values of "i = 0..7, j = i+1..7", split at commas."""
    if not ranges:
        yield variables
        return
    name, first, last = re.fullmatch(r"\s*(\w+)\s*=(.*)\.\.(.*)", ranges[0]).groups()
    for n in range(whole(first, variables), whole(last, variables) + 1):
        yield from assignments(ranges[1:], variables | {name: n})

class Network:
    def __init__(self, text):
        raw = tomllib.loads(text, parse_float=Fraction)
        units = {key: UNITS[unit] for key, unit in raw.get("units", {}).items()}
        self.byte = UNITS["bytes"] / Fraction(units["size"]) if units else Fraction(0)
        self.rate_unit = units["rate"] * Fraction(units["time"]) / units["size"] if units else Fraction(1)
        self.classes = [its["name"] for its in raw.get("class", [])] or ["all"]
        self.error = exact(raw.get("clock_error", 0))
        hosts = raw.get("hosts", [])
        self.hosts, self.links = set(names(hosts) if isinstance(hosts, str) else hosts), {}
        for table in raw["link"]:
            for ends in self.ends(table):
                for way in [ends, ends[::-1]] if table.get("both") else [ends]:
                    if way in self.links:
                        raise ValueError(f"the link {way} is listed twice")
                    self.links[way] = self.port(table)
        self.flows = [self.flow(table) for table in raw["flow"]]

    def ends(self, table):
        if "each" not in table and "pairs" not in table:
            yield from itertools.product(listed(table["from"]), listed(table["to"]))
            return
        pairs = ({"i": i, "j": j} for i, j in table.get("pairs", []))
        for its in assignments(table["each"].split(","), {}) if "each" in table else pairs:
            yield tuple(re.sub(r"\[([^]]*)\]", lambda formula: str(whole(formula[1], its)), table[end])
                        for end in ("from", "to"))

    def of_classes(self, value, missing=None):
        """A number for all classes, or one for each."""
        return tuple(exact(value.get(c, missing) if isinstance(value, dict) else value) for c in self.classes)

    def among(self, some):
        return [c in listed(some) for c in self.classes]

    def port(self, table):
        number = lambda key: exact(table.get(key, 0))
        slopes = table.get("idle_slope", {})
        if isinstance(slopes, dict):
            slopes = [slopes[c] for c in self.classes[:2]] if slopes else []
        else:
            slopes = [slopes] * len(self.classes[:2])
        gates = [{"time": exact(entry["time"]), "open": self.among(entry["open"])} for entry in table.get("gates", [])]
        return {"rate": exact(table.get("rate", 1)) * self.rate_unit,
                "latency": number("latency"), "wire": number("wire"),
                "scheduler": table.get("scheduler", "fifo"), "best_effort": number("best_effort"),
                "quanta": self.of_classes(table["quantum"]) if "quantum" in table else [],
                "idle_slopes": tuple(exact(slope) * self.rate_unit for slope in slopes) or [],
                "gates": gates, "guard": table.get("guard", "fit"), "error": self.error if "clock" in table else 0,
                "max_sdu": self.of_classes(table["max_sdu"], missing=0) if "max_sdu" in table else [],
                "preemptable": self.among(table["preemptable"]) if "preemptable" in table else [],
                "fragment": table.get("fragment", 64), "reshaped": table.get("reshape", False),
                "cut_through": exact(table["cut_through"]) if "cut_through" in table else None}

    def flow(self, table):
        """Its words in a certificate, except its path."""
        packet = table.get("packet", 1)
        high, low = (packet["max"], packet.get("min", packet["max"])) if isinstance(packet, dict) else (packet, packet)
        to = [name for each in listed(table["to"]) for name in names(each)]
        name = table.get("name", f"{table['from']} -> {', '.join(to)}")
        clocked = None
        if "period" in table:
            error = self.error if "clock" in table else 0
            period, jitter = exact(table["period"]), exact(table.get("jitter", 0)) + 2 * error
            buckets = [(exact(high) * (1 + jitter / period), exact(high) / period)]
            if "clock" in table:
                offset = exact(table.get("offset", 0)) - error
                offset = offset if offset >= 0 else offset % period
                clocked = {"clock": table["clock"], "offset": offset, "period": period, "jitter": jitter}
        else:
            buckets = [(exact(b["burst"]), exact(b["rate"]) * self.rate_unit) for b in listed(table["bucket"])]
        its = {"name": name, "class": self.classes.index(table["class"]) if "class" in table else 0,
               "buckets": buckets, "longest": exact(high), "shortest": exact(low), "clocked": clocked}
        return its, table["from"], to, table.get("path", "shortest")

    def distance(self, source, destination):
        """Fewest links; hosts do not forward."""
        reached, edge = {source}, [source]
        for links in itertools.count(1):
            edge = [b for a, b in self.links if a in edge and b not in reached]
            reached |= set(edge)
            if destination in reached or not edge:
                return links if edge else None
            edge = [node for node in edge if node not in self.hosts]

    def difference(self, raw):
        """The first claim of a certificate about the network that this file lacks, or None. `raw`: its numbers."""
        if raw["byte"] != self.byte or raw["classes"] != self.classes or len(raw["flows"]) != len(self.flows):
            return "units, classes or number of flows"
        by_name = {f"{a} -> {b}": (a, b) for a, b in self.links}
        if len(by_name) < len(self.links):
            return "two links with the same name"
        for number, port in enumerate(raw["ports"]):
            its = self.links.get(by_name.get(port["name"]), {}) | {"name": port["name"]}
            if its.get("max_sdu"):  # of classes without one their longest packet
                here = [flow for flow in raw["flows"] if number in flow["path"]]
                its["max_sdu"] = tuple(sdu or max([flow["longest"] for flow in here if flow["class"] == c], default=sdu)
                                       for c, sdu in enumerate(its["max_sdu"]))
            if port != its:
                return f"the link {port['name']}"
        for flow, (its, source, to, path) in zip(raw["flows"], self.flows):
            if {key: flow[key] for key in its} != its:
                return f"the flow {its['name']}"
            links = [by_name[raw["ports"][port]["name"]] for port in flow["path"]]
            before = [None, *(flow["before"][1:] or range(len(links) - 1))]
            ends = flow["destinations"] or [{"name": to[0], "hop": len(links) - 1}]
            joined = all(links[hop][0] == links[before[hop]][1] for hop in range(1, len(links)))
            if [end["name"] for end in ends] != to or not joined:
                return f"the path of the flow {its['name']}"
            paths = path if isinstance(path, list) and len(to) > 1 else [path] * len(to)
            for end, given in zip(ends, paths, strict=True):
                hop, nodes = end["hop"], [links[end["hop"]][1]]
                while hop is not None:
                    nodes.insert(0, links[hop][0])
                    hop = before[hop]
                if nodes[0] != source or nodes[-1] != end["name"]:
                    return f"the path of the flow {its['name']}"
                if isinstance(given, list):
                    given = [stop for stop in given if isinstance(stop, str)]  # numbers: parallel links
                    stops = given if given and given[0] == source else [source, *given]
                    stops = stops if stops[-1] == end["name"] and len(stops) > 1 else [*stops, end["name"]]
                    fits = nodes == stops
                else:
                    fits = len(nodes) - 1 == self.distance(source, end["name"])
                if not fits:
                    return f"the path of the flow {its['name']}"
        return None
