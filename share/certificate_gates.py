"""Gates of check_certificate.py: windows of a class and what is surely sent in them (T, section 5)."""
import itertools

from certificate_curves import FLAT, ZERO, less, need, since, until, values

def find_windows(q):
    """T (5.1), (5.2)"""
    port, its, rate, here = q["port"], q["class"], q["rate"], q["port"]["queues"]
    q["cycle"], guard = sum(entry["time"] for entry in port["gates"]), port["guard"]
    need(all(entry["time"] > 0 for entry in port["gates"]) and guard in ("fit", "static", "overrun")
         and port["scheduler"] == "priority" and port["best_effort"] == 0 and not port["preemptable"], q["name"])
    times = {c: [] for c in here}  # when each class is open: maximal intervals of five cycles, two of them before 0
    for c, found in times.items():
        t = -2 * q["cycle"]
        for entry in 5 * port["gates"]:
            if entry["open"][c]:
                found.append((found.pop()[0] if found and found[-1][1] == t else t, t + entry["time"]))
            t += entry["time"]
    need(times[its], q["name"] + ": its gate is never open")
    around = lambda c, window: [w for w in times[c] if w[0] <= window[0] and window[1] <= w[1]]
    mine = [w for w in times[its] if 0 <= w[0] < q["cycle"]]  # empty: always open
    shared = [c for c in here if any(o < e and p < d for o, d in times[its] for p, e in times[c])]
    above = [c for c in shared if c < its and all(around(c, w) for w in mine or times[its])]
    q["above"], q["apart"] = [here[c] for c in above], [here[c] for c in shared if c < its and c not in above]
    q["low"] = max([here[c]["longest"] for c in shared if c > its], default=ZERO)
    guards = {"fit": lambda c: here[c]["longest"], "static": lambda c: port["max_sdu"][c], "overrun": lambda c: ZERO}
    guarded = {c: guards[guard](c) for c in here}
    need(guard != "static" or all(guarded[c] >= here[c]["longest"] for c in here), q["name"] + ": max_sdu")
    windows = []
    for opens, closes in mine:
        lost = ZERO
        for c, o, e in ((c, o, e) for c in here for o, e in times[c] if o < opens):
            begins, sent = min(opens, e - (guarded[c] / rate if guard == "static" else 0)), here[c]["longest"] / rate
            if begins >= o and (c > its or c != its and guard == "overrun"):
                lost = max(lost, (min(opens + sent, e) if guard == "fit" else begins + sent) - opens)
        unused = max([guarded[its]] + [guarded[c] - rate * (around(c, (opens, closes))[0][1] - closes) for c in above])
        opens, closes = opens + port["error"], closes - port["error"]
        left = max(rate * (closes - opens - lost), ZERO)
        carried = max(left - unused, ZERO)
        if guard != "overrun" and not q["above"] and not q["apart"] and left >= guarded[its]:
            carried = max(carried, (carried // q["longest"] + 1) * q["shortest"])
        windows.append({"opens": opens, "closes": closes, "lost": lost, "unused": unused, "carried": carried})
        q["low"] = max(q["low"], rate * lost) if guard == "overrun" else q["low"]
    need(q["windows"] == windows, q["name"] + ": its windows")

def through_gate(q, end):
    """C |U| of T (5.3): a line below it for all windows, or for each of them until `end`."""
    windows, rate, wait = q["windows"], q["rate"], q["port"]["latency"]
    if not windows:
        return [[(ZERO, -rate * wait - q["low"], rate)]]
    slope = sum(w["carried"] for w in windows) / q["cycle"]
    need(slope > 0, q["name"] + ": no window surely carries a packet")

    def steps(last, until_time):
        pieces, value = [FLAT], ZERO
        for n in itertools.count(windows.index(last) + 1):
            w = windows[n % len(windows)]
            if w["carried"] > 0:
                start = (w["opens"] + n // len(windows) * q["cycle"] + w["lost"] + wait
                         - last["closes"] + (last["unused"] + q["low"]) / rate)
                if start >= until_time:
                    return until(pieces, until_time)
                pieces += [(start, value, rate), (start + w["carried"] / rate, value := value + w["carried"], ZERO)]

    lags = []
    for last in windows:
        far = 3 * q["cycle"] + wait + (last["unused"] + q["low"]) / rate
        lags.append(max(values(less([(ZERO, ZERO, slope)], steps(last, far)))[:-1]))
    line = [(ZERO, -max(lags), slope)]
    return [line] if end is None else [steps(last, end) + since(line, end) for last in windows]
