"""Random networks of policed flows, as text: all schedulers, gates, preemption, cut-through, trees, rings, clocks, overload."""

from random import Random


def listed(names):
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def of_classes(values):
    return "{ " + ", ".join(f"{key} = {value}" for key, value in values.items()) + " }"


def table(keys):
    return "{ " + ", ".join(f"{key} = {value}" for key, value in keys.items()) + " }"


class Draft:
    """One network: a row, a ring or a star of up to four switches with two hosts each."""

    def __init__(self, seed):
        draw = self.draw = Random(seed)
        self.size = draw.choice(["bytes", "bytes", "bytes", "bits"])
        self.unit = 8 if self.size == "bits" else 1  # of sizes, in bytes
        self.switches = draw.randint(1, 4)
        self.shape = draw.choice(["row", "row", "ring", "star"]) if self.switches > 2 else "row"
        self.both = self.shape == "star" or self.switches == 1 or self.shape == "row" and self.chance(0.5)
        self.classes = ["high", "middle", "low", "files"][: draw.choice([1, 2, 2, 3, 3, 4])]
        self.kinds = draw.sample(["fifo", "priority", "drr", "cbs", "gates", "preemption"], 2)
        self.speed = draw.choice([1, 2, 10, 125])  # of links between switches [bytes/us]
        self.clocks = self.chance(0.4)
        self.error = draw.choice([0, 0.5, 2])
        self.lengths = {c: self.length() for c in self.classes}
        self.most = max(high for high, _ in self.lengths.values())

    def chance(self, probability):
        return self.draw.random() < probability

    def length(self):
        high = self.unit * self.draw.choice([10, 20, 84, 100, 200, 1000])
        return high, high if self.chance(0.6) else self.draw.choice([high // 2, max(high // 10, 1)])

    def each(self, value):
        """A table of a value for each class, from its longest packet."""
        return of_classes({c: value(high) for c, (high, _) in self.lengths.items()})

    def link(self, ends, host=False):
        draw = self.draw
        kind = "fifo" if host and self.chance(0.5) or len(self.classes) == 1 and self.chance(0.5) else draw.choice(self.kinds)
        if kind == "cbs" and len(self.classes) > 2:
            kind = "priority"  # other classes have no guarantee
        rate = 8 * self.speed * (draw.choice([1, 1, 2, 10]) if host else 1)  # Mbit/s
        keys = {**ends, "rate": rate, "scheduler": f'"{kind if kind in ("fifo", "drr", "cbs") else "priority"}"'}
        if self.chance(0.5):
            keys["latency"] = draw.choice([2, 0.5, 4, 16, 1000] if self.chance(0.9) else [5000])
        if self.chance(0.3):
            keys["wire"] = draw.choice([0.25, 3])
        if self.chance(0.1):
            keys["reshape"] = "true"
        if kind == "drr":
            keys["quantum"] = self.each(lambda high: high * draw.randint(1, 3))
        elif kind == "cbs":
            keys["idle_slope"] = of_classes({c: rate * draw.choice([20, 30, 45]) / 100 for c in self.classes})
        elif kind == "gates":
            keys |= self.gates(rate)
        elif kind == "preemption":
            keys["preemptable"] = listed(self.classes[draw.randint(0, len(self.classes) - 1) :])
            keys["fragment"] = draw.choice([64, 64, 128, 256])
        if kind in ("priority", "cbs", "preemption") and self.chance(0.4):
            keys["best_effort"] = draw.choice([self.most, self.most // 2])
        if not host and kind in ("fifo", "priority", "drr", "cbs") and self.chance(0.15):
            keys["cut_through"] = 5 * self.unit
        return "[[link]]\n" + "\n".join(f"{key} = {value}" for key, value in keys.items())

    def gates(self, rate):
        draw, longest = self.draw, round(8 * self.most / self.unit / rate, 3)
        entries = [(draw.choice([1, 2, 3.5, 5, 8]), [c for c in self.classes if self.chance(0.5)]) for _ in range(draw.randint(2, 4))]
        entries += [(draw.choice([2, 3, 6]), [c]) for c in self.classes if not any(c in some for _, some in entries) or self.chance(0.2)]
        if self.chance(0.3):
            entries.insert(draw.randint(0, len(entries)), (0.25, []))
        guard = draw.choice(["fit", "fit", "static", "overrun"])
        lists = [table({"time": round(time * longest, 4), "open": listed(some)}) for time, some in entries]
        keys = {"gates": "[ " + ", ".join(lists) + " ]", "guard": f'"{guard}"'}
        if self.clocks:
            keys |= {"clock": '"plc"', "gate_offset": draw.choice([0, 3])}
        return keys | ({"max_sdu": self.each(lambda high: high + draw.choice([0, 0, high // 2]))} if guard == "static" else {})

    def flow(self, number, share):
        """`share` of the speed."""
        draw, start = self.draw, self.draw.randrange(self.switches)
        source = f"h{2 * start + draw.randint(0, 1)}"
        ends = [s for s in range(self.switches) if self.both or self.shape == "ring" or s >= start]
        hosts = [f"h{2 * s + side}" for s in ends for side in (0, 1) if f"h{2 * s + side}" != source]
        to = draw.sample(hosts, min(draw.choice([1, 1, 1, 2, 3]), len(hosts)))
        its = draw.choice(self.classes)
        high, low = self.lengths[its]
        keys = {"name": f'"f{number}"', "from": f'"{source}"', "to": listed(to) if len(to) > 1 else f'"{to[0]}"', "class": f'"{its}"'}
        rate = 8 * share * self.speed  # Mbit/s
        if high == low and self.chance(0.6):
            period = 8 * high / self.unit / rate
            keys |= {"packet": high, "period": f'"{round(7 * period)}/7"' if self.chance(0.2) else max(round(period), 1)}
            if self.chance(0.4):
                keys["jitter"] = draw.choice([1, 10, 100])
            if self.clocks and self.chance(0.7):
                keys |= {"clock": '"plc"', "offset": draw.choice([0, 3, round(period / 2, 1), round(period / 3)])}
        else:
            keys["packet"] = high if high == low else table({"max": high, "min": low})
            bucket = lambda times, burst: table({"rate": max(round(times * rate, 2), 0.01), "burst": burst})
            sustained = bucket(1, high * draw.choice([1, 1, 2, 5]))
            keys["bucket"] = f"[{sustained}, {bucket(4, high)}]" if self.chance(0.2) else sustained
        return "[[flow]]\n" + "\n".join(f"{key} = {value}" for key, value in keys.items())

    def text(self):
        draw, last, hosts = self.draw, self.switches - 1, '"h[2*i]" "h[2*i+1]"'.split()
        units = table({"size": f'"{self.size}"', "time": '"us"', "rate": '"Mbit/s"'})
        lines = [f"units = {units}", f'hosts = "h[0..{2 * last + 1}]"', f'switches = "s[0..{last}]"']
        lines += [f'[[class]]\nname = "{c}"' for c in self.classes]
        of_switch = {"each": f'"i = 0..{last}"'}
        for host in hosts:
            lines.append(self.link(of_switch | {"from": host, "to": '"s[i]"'}, True))
            lines.append(self.link(of_switch | {"from": '"s[i]"', "to": host}))
        if self.shape == "ring":
            lines.append(self.link(of_switch | {"from": '"s[i]"', "to": f'"s[(i+1)%{self.switches}]"'}))
        elif self.shape == "star":
            lines.append(self.link({"from": '"s0"', "to": listed(f"s{i}" for i in range(1, self.switches)), "both": "true"}))
        elif self.switches > 1:
            ends = {"each": f'"i = 0..{last - 1}"', "from": '"s[i]"', "to": '"s[i+1]"'}
            lines.append(self.link(ends | ({"both": "true"} if self.both else {})))
        count, load = draw.randint(1, 9), draw.choice([0.3, 0.6, 0.6, 0.6, 0.9, 1, 1, 1.5])
        lines += [self.flow(number, load / count * draw.choice([1, 1, 1, 2, 0.5])) for number in range(count)]
        if self.error and any("clock = " in line for line in lines):
            lines.insert(0, f"clock_error = {self.error}")
        return "\n".join(lines) + "\n"


def network(seed):
    return Draft(seed).text()
