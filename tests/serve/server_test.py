"""The server of the workbench: its answers equal those of the command line, and no request brings it down."""

import collections
import contextlib
import http.client
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from workbench import FULL, TAILBOUND, Workbench, asked, command, words

ROOT = pathlib.Path(__file__).resolve().parents[2]
MIB = 1 << 20

# A query for every form, as on the page or smaller; fast.
LIVE = [
    ("buffer", dict(inputs=16, load="0.9", drop="1e-15")),
    ("buffer", dict(inputs=16, load="0.5:0.9:0.1", drop="1e-15")),
    ("buffer", dict(shared=True, inputs=8, load="0.5", drop="1e-6")),
    ("occupancy", dict(inputs=16, load="0.9", until="1e-15")),
    ("delay", dict(radix=16, levels=3, load="0.8")),
    ("multistage", dict(nodes=64, hot="0.08", loads="0.3,0.8")),
    ("wormhole", dict(topology="mesh", nodes=64, flits=32)),
    ("network", dict(SHAPE="fat-tree", radix=4, uniform="0.4")),
    ("broadcast", dict(dimensions=3, virtual_channels=4, flits=32, broadcast="0.01")),
]
RUNS = [
    ("simulate tree", dict(radix=4, levels=2, load="0.8", slots=2000)),
    ("simulate switch", dict(inputs=4, load="0.8", slots=2000)),
    ("simulate multistage", dict(nodes=16, hot="0.08", loads="0.3", slots=2000)),
    ("simulate wormhole", dict(topology="mesh", nodes=16, flits=8, loads="0.05", cycles=4000)),
    ("simulate hypercube", dict(dimensions=3, virtual_channels=2, flits=8, broadcast="0.01", rates="0.002", cycles=4000)),
    ("validate buffer", dict(inputs=4, load="0.8", slots=2000)),
    ("validate delay", dict(radix=4, levels=2, load="0.8", slots=2000)),
]
LONG = asked("simulate tree", radix=4, levels=3, load="0.9", slots=100000, replications=1024)


def times(workbench):
    """Processor time of each worker [ticks]."""
    found = {}
    for process in workbench.processes()[1:]:
        with contextlib.suppress(OSError):
            fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) != workbench.process.pid:  # the process that begins them
                found[process] = int(fields[11])
    return found


def ended(workbench, name, patience=60):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        state = json.loads(workbench.get(f"api/runs/{name}")[2])
        if state.get("state") == "ended":
            return state
        time.sleep(0.02)
    raise AssertionError("the run has not ended")


class Answers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workbench = Workbench("--time-limit", "60")  # also on a busy machine
        cls.addClassCleanup(cls.workbench.__exit__)

    def same_as_the_command(self, question, options, content, name):
        told = command(*words(question, **options), "--format", name)
        self.assertIn(told.returncode, (0, 1), told.stderr)
        self.assertEqual(content, told.stdout)

    def test_every_form_answers_as_the_command_line_does(self):
        for question, options in LIVE:
            with self.subTest(question=question, options=options):
                shown = self.workbench.ask(question, **options)
                self.assertNotIn("error", shown)
                self.assertIn("tb-answer", shown["html"])
                self.assertNotRegex(shown["html"], r"<style|<script(?! type=\"application/json\")|\sstyle=|\son\w+=")
                self.same_as_the_command(question, options, self.workbench.post("api/answer/json", asked(question, **options)), "json")

    def test_the_command_line_shown_is_equivalent(self):
        shown = self.workbench.ask("buffer", inputs=16, arrivals="(3/5)/(1-2/5*z)", drop="1e-9")
        self.assertIn("--arrivals '(3/5)/(1-2/5*z)'", shown["command_line"])

    def test_every_format(self):
        question, options = LIVE[1]
        for name, known in (("csv", "csv"), ("markdown", "markdown"), ("table", "table")):
            content = self.workbench.post(f"api/answer/{name}", asked(question, **options))
            self.same_as_the_command(question, options, content, known)
        page = self.workbench.post("api/answer/page", asked(question, **options))
        self.assertTrue(page.lstrip().lower().startswith(b"<!doctype html>"))
        if command("buffer", "--inputs", "2", "--load", "0.1,0.2", "--drop", "1e-3", "--plot", "/dev/null.svg").returncode == 0:
            self.assertIn(b"<svg", self.workbench.post("api/answer/svg", asked(question, **options)))

    def test_formulas_are_text(self):
        shown = self.workbench.ask("pgf", inputs="k", load="k*p", moments=True)
        self.assertIn("E[Q]", shown["html"])
        content = self.workbench.post("api/answer/table", asked("pgf", inputs="k", load="k*p", moments=True))
        self.assertEqual(content, command("pgf", "--inputs", "k", "--load", "k*p", "--moments").stdout)

    def test_files_are_uploaded(self):
        text = (ROOT / "data/networks/two_switches.toml").read_text()
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "n.toml").write_text(text)
            told = command("delay", "--network", "n.toml", "--format", "json", folder=folder).stdout
        self.assertEqual(self.workbench.post("api/answer/json", asked("delay", {"n.toml": text}, network="n.toml")), told)

    def test_no_other_file_is_read(self):
        for asked_for in (
            asked("delay", network="/etc/passwd"),
            asked("buffer", pmf="/etc/passwd", drop="1e-9"),
            asked("delay", {"/etc/passwd": "x"}, network="/etc/passwd"),
            asked("delay", {"../n.toml": "x"}, network="../n.toml"),
            asked("simulate tree", radix=4, levels=2, load="0.8", checkpoint="/tmp/x"),
            asked("simulate tree", radix=4, levels=2, load="0.8", resume="/etc/passwd"),
            asked("reproduce", output="/tmp/x"),
            asked("sweep", PLAN="x", store="/tmp/x"),
            asked("serve"),
        ):
            with self.subTest(asked_for=asked_for):
                self.assertEqual(self.workbench.request("POST", self.workbench.path + "api/ask", json.dumps(asked_for))[0], 400)
        # Options that take a file or another value, and files that name files.
        refused = self.workbench.ask("buffer", inputs=8, load="0.5", drop="1e-6", sizes="/etc/passwd")
        self.assertEqual(refused["error"]["option"], "--sizes")
        self.assertNotIn("root", json.dumps(refused).replace("/etc/passwd", ""))
        network = (ROOT / "data/networks/two_switches.toml").read_text()
        network = 'matrix = "/etc/passwd"\n' + re.split(r"\[\[flow\]\]", network)[0]
        refused = self.workbench.ask("delay", {"n.toml": network}, network="n.toml")
        self.assertIn("error", refused)
        self.assertNotIn("root:", json.dumps(refused))

    def test_errors_name_the_option(self):
        refused = self.workbench.ask("buffer", inputs=16, load="nine", drop="1e-15")
        self.assertEqual(refused["error"]["option"], "--load")
        told = command("buffer", "--inputs", "16", "--load", "nine", "--drop", "1e-15").stderr.decode()
        self.assertIn(refused["error"]["message"], told)
        refused = self.workbench.ask("buffer", inputs=16, laod="0.5")
        self.assertIn("--load", refused["error"]["message"])

    def test_forms_know_the_defaults(self):
        questions = {question["name"]: question["options"] for question in json.loads(self.workbench.get("api/questions")[2])["questions"]}
        defaults = {option["name"]: option.get("default") for option in questions["wormhole"]}
        self.assertEqual([defaults[name] for name in ("--buffer-flits", "--lengths", "--nodes")], ["1", "fixed", None])

    def test_every_choice_of_the_forms_is_legal(self):
        for question in json.loads(self.workbench.get("api/questions")[2])["questions"]:
            for option in question["options"]:
                for choice in option.get("choices", []):
                    shown = json.loads(self.workbench.post("api/ask", {"question": question["name"], "options": [[option["name"], choice]]}))
                    error = shown.get("error", {})
                    with self.subTest(question=question["name"], option=option["name"], choice=choice):
                        self.assertFalse(error.get("option") == option["name"] and error.get("value") == choice and "one of" in error["legal"], error)

    def test_simulations_are_started_and_polled(self):
        for question, options in RUNS if FULL else RUNS[::3]:
            with self.subTest(question=question):
                name = json.loads(self.workbench.post("api/runs", asked(question, **options)))["run"]
                self.assertIn("html", ended(self.workbench, name))
                self.same_as_the_command(question, options, self.workbench.get(f"api/runs/{name}/json")[2], "json")

    def test_a_stopped_simulation_has_a_partial_result(self):
        name = json.loads(self.workbench.post("api/runs", LONG))["run"]
        end = time.monotonic() + 60
        while json.loads(self.workbench.get(f"api/runs/{name}")[2])["progress"] < 0.0015 and time.monotonic() < end:
            time.sleep(0.05)
        self.workbench.post(f"api/runs/{name}/stop", {})
        state = ended(self.workbench, name)
        self.assertTrue(state["stopped"], state)
        self.assertEqual(state["status"], 4)
        kept = json.loads(self.workbench.get(f"api/runs/{name}/json")[2])
        self.assertIn("stopped", json.dumps(kept))
        self.assertIn(b"stopped", self.workbench.get(f"api/runs/{name}/table")[2].lower())

    def test_runs_are_listed_with_their_queries(self):
        network = (ROOT / "data/networks/plant.toml").read_text()
        query = asked("simulate policed", {"plant.toml": network}, network="plant.toml", packets=2000)
        name = json.loads(self.workbench.post("api/runs", query))["run"]
        ended(self.workbench, name)
        [run] = [run for run in json.loads(self.workbench.get("api/runs")[2])["runs"] if run["run"] == name]
        self.assertEqual((run["question"], run["options"], run["files"], run["state"]), (query["question"], query["options"], ["plant.toml"], "ended"))
        self.assertTrue(run.get("headline"), run)
        self.assertGreaterEqual(run["ago"], run["seconds"])
        self.assertNotIn("html", run)
        self.assertEqual(json.loads(self.workbench.get(f"api/runs/{name}?asked")[2])["asked"], query)
        self.assertNotIn("asked", json.loads(self.workbench.get(f"api/runs/{name}")[2]))

    def test_a_body_that_is_too_large(self):
        """The response arrives although the client sends everything first."""
        query = asked("delay", {"n.toml": "#" * (6 * MIB)}, network="n.toml")
        status, _, content = self.workbench.request("POST", self.workbench.path + "api/ask", json.dumps(query))
        self.assertEqual(status, 413)
        self.assertIn("4 MiB", json.loads(content)["error"]["message"])
        self.assertNotIn("error", self.workbench.ask("buffer", **LIVE[0][1]))

    def test_examples(self):
        for name in ("plant.toml", "two_switches.toml"):
            self.assertEqual(self.workbench.get(f"examples/{name}")[2], (ROOT / "data/networks" / name).read_bytes())
        trace = (ROOT / "data/traffic/requests.csv").read_bytes()
        example = self.workbench.get("examples/requests.csv")[2]
        self.assertTrue(trace.startswith(example) and example.endswith(b"\n"))
        self.assertIn("html", self.workbench.ask("fit", {"t.csv": example.decode()}, FILE="t.csv", link_gbps=1, time_unit="ns"))

    def test_limit_of_concurrent_runs(self):
        names = []
        for _ in range(4):
            told = json.loads(self.workbench.post("api/runs", LONG))
            names += [told["run"]] if "run" in told else []
        self.assertEqual(len(names), 2)
        for name in names:
            self.workbench.post(f"api/runs/{name}/stop", {})
        for name in names:
            ended(self.workbench, name)

    def test_a_new_query_of_a_page_cancels_the_previous_one(self):
        slow = dict(asked("occupancy", inputs=64, load="0.99", until="1e-300", arithmetic="exact"), page="one")
        before = []
        first = threading.Thread(target=lambda: before.append(json.loads(self.workbench.post("api/ask", slow))))
        first.start()
        time.sleep(0.3)
        begun = time.monotonic()
        quick = json.loads(self.workbench.post("api/ask", dict(asked(*LIVE[0][:1], **LIVE[0][1]), page="one")))
        first.join()
        self.assertIn("157-packet buffer", quick["headline"])
        self.assertTrue(before[0].get("replaced"), before)
        self.assertLess(time.monotonic() - begun, 5)


class Limits(unittest.TestCase):
    def test_time_limit(self):
        with Workbench("--time-limit", "0.5") as workbench:
            shown = workbench.ask("occupancy", inputs=64, load="0.99", until="1e-300", arithmetic="exact")
            self.assertTrue(shown.get("too_long") or "error" in shown, shown)
            self.assertNotIn("error", workbench.ask("buffer", **LIVE[0][1]))

    def test_memory_limit(self):
        with Workbench("--memory-limit", "300MB", "--time-limit", "30") as workbench:
            shown = workbench.ask("occupancy", inputs=16, load="0.9", levels="0:9999999:1")
            self.assertIn("error", shown)
            self.assertNotIn("error", workbench.ask("buffer", **LIVE[0][1]))

    def test_bad_options(self):
        for option, value in (("--port", "70000"), ("--port", "x"), ("--host", "no.such.host.invalid"), ("--time-limit", "none"), ("--runs", "0"), ("--memory-limit", "none"), ("--memory-limit", "1MB")):
            told = command("serve", "--no-open", option, value)
            self.assertEqual(told.returncode, 2, told)
            self.assertIn(option.encode(), told.stderr)
        with Workbench() as workbench:
            told = command("serve", "--no-open", "--port", str(workbench.port))
            self.assertEqual(told.returncode, 2, told)
            self.assertIn(b"--port", told.stderr)


class Ends(unittest.TestCase):
    def end(self, how, begin):
        with Workbench() as workbench:
            begin(workbench)
            processes = workbench.processes()
            self.assertEqual(workbench.zombies(), 0)
            status, said = workbench.end(how)
            self.assertEqual([p for p in processes if pathlib.Path(f"/proc/{p}").exists()], [])
            return status, said

    def test_with_nothing_to_do(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGXCPU):
            self.assertEqual(self.end(how, lambda workbench: workbench.ask("buffer", **LIVE[0][1])), (0, ""))

    def test_in_the_middle_of_simulations(self):
        def begin(workbench):
            for _ in range(2):
                workbench.post("api/runs", LONG)
            time.sleep(0.2)

        status, said = self.end(signal.SIGTERM, begin)
        self.assertEqual(status, 4)
        self.assertIn("2 simulations", said)

    def test_in_the_middle_of_answers_and_connections(self):
        def begin(workbench):
            slow = asked("occupancy", inputs=64, load="0.99", until="1e-300", arithmetic="exact")
            begun = [threading.Thread(target=self.quietly, args=(workbench, slow), daemon=True) for _ in range(3)]
            for thread in begun:
                thread.start()
            self.idle = [socket.create_connection(("127.0.0.1", workbench.port)) for _ in range(20)]
            time.sleep(0.3)

        begun = time.monotonic()
        self.assertEqual(self.end(signal.SIGTERM, begin)[0], 0)
        self.assertLess(time.monotonic() - begun, 20)
        for connection in self.idle:
            connection.close()

    def test_a_killed_worker_is_reported_with_its_signal(self):
        with Workbench() as workbench:
            before, got = times(workbench), []
            slow = asked("occupancy", inputs=64, load="0.99", until="1e-300", arithmetic="exact")
            asker = threading.Thread(target=lambda: got.append(json.loads(workbench.post("api/ask", slow))))
            asker.start()
            # The one that computes: others wait for the next query.
            while not (busy := [p for p, ticks in times(workbench).items() if ticks > before.get(p, 0) + 20]) and not got:
                time.sleep(0.01)
            for worker in busy:
                os.kill(worker, signal.SIGKILL)
            asker.join(60)
            self.assertEqual(got[0]["error"]["message"], "a worker process was ended by signal 9 (SIGKILL)")

    def quietly(self, workbench, slow):
        try:
            workbench.post("api/ask", slow)
        except (OSError, AssertionError, Exception):  # its connection is closed
            pass

    def test_killed(self):
        with Workbench() as workbench:
            workbench.post("api/runs", LONG)
            processes = workbench.processes()
            workbench.process.kill()
            workbench.process.wait()
            end = time.monotonic() + 10
            left = processes
            while left and time.monotonic() < end:
                left = [p for p in left if pathlib.Path(f"/proc/{p}").exists()]
                time.sleep(0.05)
            self.assertEqual(left, [])


class Kills(unittest.TestCase):
    """If any of its processes is killed, an answer is complete, marked as incomplete, or missing; no process is left."""

    QUESTION = dict(inputs=64, load="0.5:0.99:0.001", drop="1e-15")

    def test_at_random_moments(self):
        first = random.SystemRandom().randrange(1 << 31)
        kills = 200 if FULL else 20
        ends = collections.Counter()
        whole = command(*words("buffer", **self.QUESTION), "--format", "json").stdout
        workbench = Workbench()
        for seed in range(first, first + kills):
            with self.subTest(seed=seed):
                draws = random.Random(seed)
                got = []
                asker = threading.Thread(target=self.ask, args=(workbench, got))
                asker.start()
                time.sleep(draws.uniform(0, 0.15))
                processes = workbench.processes()
                victim, how = draws.choice(processes), draws.choice([signal.SIGKILL, signal.SIGTERM])
                with contextlib.suppress(ProcessLookupError):
                    os.kill(victim, how)
                asker.join(60)
                self.assertFalse(asker.is_alive())
                ends["none" if not got else "whole" if got[0] == whole else "reported"] += 1
                if got and got[0] != whole:
                    told = json.loads(got[0])
                    self.assertTrue(told.keys() & {"error", "replaced"} or told.get("stopped"), told)
                if victim in processes[:2]:  # the server or the fork server
                    self.end(workbench)
                    workbench = Workbench()
        self.end(workbench)
        print(f"{kills} random kills, of the seeds from {first} on; answers: {dict(ends)}", file=sys.stderr)

    def ask(self, workbench, got):
        with contextlib.suppress(OSError, http.client.HTTPException):
            got.append(workbench.request("POST", workbench.path + "api/answer/json", json.dumps(asked("buffer", **self.QUESTION)))[2])

    def end(self, workbench):
        processes = workbench.processes()
        with workbench, contextlib.suppress(ProcessLookupError):
            workbench.end()
        left, until = processes, time.monotonic() + 10
        while left and time.monotonic() < until:
            left = [p for p in left if pathlib.Path(f"/proc/{p}").exists()]
            time.sleep(0.01)
        self.assertEqual(left, [])


class Again(unittest.TestCase):
    def test_what_processes_are_forked_of_is_started_again(self):
        with Workbench() as workbench:
            for _ in range(3):
                self.assertNotIn("error", workbench.ask("buffer", **LIVE[0][1]))
                for process in workbench.processes()[2:]:  # all except the server and the supervisor of the fork server
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                end = time.monotonic() + 20
                answer = {"error": "none yet"}
                while "error" in answer and time.monotonic() < end:
                    with contextlib.suppress(AssertionError):  # 503 while there is no worker
                        answer = workbench.ask("buffer", **LIVE[0][1])
                    time.sleep(0.05)
                self.assertNotIn("error", answer)

    def test_a_truncated_answer_states_the_reason(self):
        with Workbench("--time-limit", "1") as workbench:
            told = workbench.ask("simulate tree", radix=4, levels=2, load=0.8, slots=10**9, threads=1)
            self.assertNotIn("on request", json.dumps(told))
            self.assertTrue(told["status"] == 1 or told.get("too_long"), told)


class Secret(unittest.TestCase):
    """The link is available only to the user who started the workbench."""

    SEARCH = "import glob,sys\nseen=''\nfor name in glob.glob('/proc/[0-9]*/cmdline')+glob.glob('/proc/[0-9]*/environ')+glob.glob('/tmp/*')+glob.glob(sys.argv[1]+'/*'):\n    try: seen+=open(name,errors='replace').read(1<<20)\n    except OSError: pass\nprint(sys.argv[2][::-1] in seen)"

    def test_the_link_is_in_no_process_list_and_no_readable_file(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            opener, told = pathlib.Path(folder, "xdg-open"), pathlib.Path(folder, "told")
            opener.write_text(f'#!/bin/sh\nstat -c %a "$1" > {told}.mode; printf %s "$1" > {told}; sleep 20\n')
            opener.chmod(0o755)
            environment = dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}", DISPLAY=":9", XDG_RUNTIME_DIR=folder)
            with subprocess.Popen([TAILBOUND, "serve"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as server:
                try:
                    link = server.stdout.readline().strip()
                    token = link.rstrip("/").rsplit("/", 1)[1]
                    end = time.monotonic() + 20
                    while not (told.exists() and told.read_text()) and time.monotonic() < end:
                        time.sleep(0.02)
                    page = pathlib.Path(told.read_text())
                    self.assertEqual(pathlib.Path(f"{told}.mode").read_text().strip(), "600")
                    self.assertIn(f'url={link}"', page.read_text())
                    for cmdline in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
                        with contextlib.suppress(OSError):
                            self.assertNotIn(token.encode(), cmdline.read_bytes())
                    if os.geteuid() == 0:
                        # The token is passed in reverse, otherwise the search would find itself.
                        search = ["runuser", "-u", "nobody", "--", "/usr/bin/python3", "-c", self.SEARCH, folder, token[::-1]]
                        self.assertEqual(subprocess.run(search, capture_output=True, text=True).stdout, "False\n")
                        asks = ["runuser", "-u", "nobody", "--", "/usr/bin/python3", "-c", "import sys,urllib.request\ntry: print(urllib.request.urlopen(sys.argv[1]).status)\nexcept Exception as error: print(error.code)"]
                        for path in ("", "api/questions"):
                            told_other = subprocess.run([*asks, link.replace(token, "0" * 32) + path], capture_output=True, text=True)
                            self.assertEqual(told_other.stdout, "403\n", told_other.stderr)
                finally:
                    server.terminate()
                    server.wait(20)
            self.assertFalse(page.exists())


class Strangers(unittest.TestCase):
    """Requests from anywhere but the page are rejected."""

    @classmethod
    def setUpClass(cls):
        cls.workbench = Workbench()
        cls.addClassCleanup(cls.workbench.__exit__)

    def status(self, method="POST", path=None, body="", **headers):
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        path = self.workbench.path + "api/ask" if path is None else path
        return self.workbench.request(method, path, body, given)[0]

    def test_only_this_address(self):
        body = json.dumps(asked("buffer", **LIVE[0][1]))
        own = f"127.0.0.1:{self.workbench.port}"
        self.assertEqual(self.status(body=body), 200)
        self.assertEqual(self.status(body=body, Host=f"localhost:{self.workbench.port}"), 200)
        for host in ("evil.example", f"evil.example:{self.workbench.port}", "127.0.0.1", "127.0.0.1:1", own + ".evil.example", "", f"127.0.0.1.evil:{self.workbench.port}"):
            with self.subTest(host=host):
                self.assertEqual(self.status(body=body, Host=host), 403)
        twice = f"POST {self.workbench.path}api/ask HTTP/1.1\r\nHost: {own}\r\nHost: evil.example\r\n\r\n".encode()
        self.assertIn(b" 403 ", self.workbench.raw(twice))

    def test_only_its_own_pages(self):
        body = json.dumps(asked("buffer", **LIVE[0][1]))
        own = f"http://127.0.0.1:{self.workbench.port}"
        self.assertEqual(self.status(body=body, Origin=own), 200)
        for origin in ("null", "http://evil.example", f"https://127.0.0.1:{self.workbench.port}", "http://127.0.0.1:1", f"http://localhost:{self.workbench.port}"):
            with self.subTest(origin=origin):
                self.assertEqual(self.status(body=body, Origin=origin), 403)
        for site in ("cross-site", "same-site"):
            self.assertEqual(self.status("GET", self.workbench.path, Sec_Fetch_Site=site), 403)
        # Navigation to the page itself is allowed from anywhere, such as from the link file.
        goes = dict(Sec_Fetch_Site="cross-site", Sec_Fetch_Mode="navigate", Sec_Fetch_Dest="document")
        self.assertEqual(self.status("GET", self.workbench.path, **goes), 200)
        self.assertEqual(self.status("GET", self.workbench.path + "api/questions", **goes), 403)
        self.assertEqual(self.status("GET", self.workbench.path, **dict(goes, Sec_Fetch_Dest="iframe")), 403)
        self.assertEqual(self.status("OPTIONS", Origin="http://evil.example"), 403)
        self.assertEqual(self.status("OPTIONS"), 405)

    def test_only_with_the_token(self):
        token = self.workbench.path.strip("/")
        self.assertRegex(token, "^[0-9a-f]{32}$")
        wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
        for path in ("/", "/api/questions", f"/{wrong}/", f"/{wrong}/api/questions", f"/{token[:-1]}/", f"/{token}0/", f"/{token.upper()}x/", f"/{token}", "//", f"/x/../{token}/"):
            with self.subTest(path=path):
                self.assertEqual(self.status("GET", path), 403)
        with Workbench() as other:
            self.assertNotEqual(other.path, self.workbench.path)

    def test_security_headers(self):
        for path in ("", "workbench.js", "workbench.css", "report.js", "report.css", "icon.svg", "api/questions", "nothing"):
            status, headers, _ = self.workbench.get(path)
            self.assertEqual(status, 404 if path == "nothing" else 200)
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")
            self.assertEqual(headers["Cache-Control"], "no-store")
            self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
            self.assertNotIn("unsafe", headers["Content-Security-Policy"])
            self.assertIsNone(headers["Access-Control-Allow-Origin"])

    def test_no_files_of_the_machine(self):
        for path in ("../../etc/passwd", "..%2f..%2fetc/passwd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", "page.html/../../x"):
            status, _, content = self.workbench.get(path)
            self.assertIn(status, (403, 404), path)
            self.assertNotIn(b"root:", content)

    def test_loopback_alone(self):
        listening = subprocess.run(["cat", f"/proc/{self.workbench.process.pid}/net/tcp"], capture_output=True, text=True).stdout
        local = [line.split()[1] for line in listening.splitlines()[1:] if line.split()[3] == "0A"]
        own = [address for address in local if int(address.split(":")[1], 16) == self.workbench.port]
        self.assertEqual([address.split(":")[0] for address in own], ["0100007F"])


class Promises(unittest.TestCase):
    """A response says whether its connection stays open, and it does."""

    @classmethod
    def setUpClass(cls):
        cls.workbench = Workbench()
        cls.addClassCleanup(cls.workbench.__exit__)

    def head(self, method="GET", path="api/questions", version="1.1", more=(), token=True):
        start = f"{method} {self.workbench.path if token else '/'}{path} HTTP/{version}"
        return "\r\n".join([start, f"Host: 127.0.0.1:{self.workbench.port}", *more, "", ""]).encode()

    def posted(self, path, body, version="1.1", more=()):
        length = f"Content-Length: {len(body)}"
        return self.head("POST", path, version, ["Content-Type: application/json", length, *more]) + body

    def requests(self):
        """Status: requests that have it, and whether the connection can stay open after them."""
        body = json.dumps(asked("buffer", **LIVE[0][1])).encode()
        bad = json.dumps(asked("buffer", pmf="/etc/passwd", drop="1e-9")).encode()
        for version, more, kept in (("1.1", [], True), ("1.1", ["Connection: close"], False), ("1.1", ["Connection: x, CLOSE"], False),
                                    ("1.0", [], False), ("1.0", ["Connection: keep-alive"], True), ("1.0", ["Connection: Keep-Alive"], True)):
            yield 200, self.head(version=version, more=more), kept
            yield 200, self.head("HEAD", version=version, more=more), kept
            yield 200, self.posted("api/ask", body, version, more), kept
            yield 404, self.head(path="nothing", version=version, more=more), kept
            yield 404, self.head("HEAD", "nothing", version, more), kept
            yield 404, self.posted("nothing", b"[" * 500_000, version, more), kept
            yield 400, self.posted("api/ask", bad, version, more), kept
            yield 400, self.posted("api/ask", b"[" * 500_000, version, more), kept
        long = ["X: " + "y" * 5000] * 20
        yield 400, self.head(more=["Content-Length: 5"]) + b"12345", False
        yield 400, self.head(more=["Range: bytes=0-1"]), False
        yield 400, b"nonsense\r\n\r\n", False
        yield 400, self.head(more=long), False
        yield 403, self.head(token=False), False
        yield 403, self.posted("api/ask", body, more=["Origin: http://evil.example"]), False
        yield 405, self.head("DELETE"), False
        yield 411, self.head("POST", "api/ask", more=["Content-Type: application/json"]), False
        yield 413, self.posted("api/ask", body).replace(b"Length: %d" % len(body), b"Length: 99999999"), False
        yield 414, self.head(path="a" * 300), False
        yield 414, self.head(path="a" * 20000), False
        yield 415, self.posted("api/ask", body).replace(b"application/json", b"text/plain"), False

    def response(self, stream, method):
        """(status, headers, body) of the next response on a connection; None at its end."""
        line = stream.readline()
        if not line:
            return None
        headers = http.client.parse_headers(stream)
        body = b"" if method == "HEAD" else stream.read(int(headers["Content-Length"]))
        return int(line.split()[1]), headers, body

    def test_what_it_says_is_so(self):
        for status, request, keeps in self.requests():
            method = request.split(b" ", 1)[0].decode()
            with self.subTest(request=request[:160]), socket.create_connection(("127.0.0.1", self.workbench.port), timeout=60) as connection:
                stream = connection.makefile("rb")
                connection.sendall(request)
                found, headers, _ = self.response(stream, method)
                self.assertEqual(found, status)
                self.assertEqual(headers.get_all("Connection"), ["keep-alive" if keeps else "close"])
                self.assertEqual("Keep-Alive" in headers, keeps)
                if keeps:
                    connection.sendall(self.head(more=["Connection: close"]))
                    self.assertEqual(self.response(stream, "GET")[0], 200)
                self.assertIsNone(self.response(stream, "GET"))

    def test_requests_sent_together_are_answered_in_order(self):
        body = json.dumps(asked("buffer", **LIVE[0][1])).encode()
        sent = [self.head(path="nothing"), self.posted("api/ask", body), self.head("HEAD"), self.head(path="nothing"), self.posted("nothing", b"[" * 100_000),
                self.head(path="workbench.css"), self.head("DELETE"), self.head()]
        with socket.create_connection(("127.0.0.1", self.workbench.port), timeout=60) as connection:
            stream = connection.makefile("rb")
            connection.sendall(b"".join(sent))
            for request, status in zip(sent, (404, 200, 200, 404, 404, 200, 405)):
                self.assertEqual(self.response(stream, request.split(b" ", 1)[0].decode())[0], status, request[:80])
            self.assertIsNone(self.response(stream, "GET"))  # after the last, which said so


class Storm(unittest.TestCase):
    """Malformed requests, many connections, slow clients: the server survives without leaking resources."""

    def test_it_survives(self):
        with Workbench() as workbench:
            workbench.ask("buffer", **LIVE[0][1])
            descriptors, before = workbench.descriptors(), workbench.resident()

            self.malformed(workbench, 10000 if FULL else 1000)
            self.still_answers(workbench)
            self.many(workbench, 200)
            self.still_answers(workbench)
            self.slow(workbench, 200 if FULL else 80)
            self.big(workbench)
            self.still_answers(workbench)

            end = time.monotonic() + 30
            while (workbench.descriptors() > descriptors + 6 or workbench.resident() > before + 32 * MIB) and time.monotonic() < end:
                time.sleep(0.1)
            self.assertLessEqual(workbench.descriptors(), descriptors + 6)
            self.assertLessEqual(workbench.resident(), before + 32 * MIB)
            self.assertEqual(workbench.zombies(), 0)
            self.assertEqual(workbench.end()[0], 0)

    def still_answers(self, workbench):
        begun = time.monotonic()
        while True:
            try:
                self.assertIn("157-packet buffer", workbench.ask("buffer", **LIVE[0][1])["headline"])
                break
            except AssertionError as refused:
                # While idle connections are being closed, none may be free; a retry succeeds.
                if refused.args[0][:1] != (503,) or time.monotonic() - begun > 30:
                    raise
                time.sleep(0.05)
        self.assertLess(time.monotonic() - begun, 30)

    def malformed(self, workbench, count):
        seed = random.Random(1)
        good = json.dumps(asked("buffer", **LIVE[0][1])).encode()
        host = f"Host: 127.0.0.1:{workbench.port}\r\n".encode()
        path = workbench.path.encode()

        def noise(most):
            return bytes(seed.randrange(256) for _ in range(seed.randrange(most)))

        def posted(body, more=b"", length=None):
            head = b"POST " + path + b"api/ask HTTP/1.1\r\n" + host + b"Content-Type: application/json\r\n" + more
            return head + b"Content-Length: %d\r\n\r\n" % (len(body) if length is None else length) + body

        def mutated(sent):
            made = bytearray(sent)
            for _ in range(seed.randrange(1, 8)):
                place = seed.randrange(len(made))
                what = seed.randrange(3)
                if what == 0:
                    made[place] = seed.randrange(256)
                elif what == 1:
                    del made[place : place + seed.randrange(20)]
                else:
                    made[place:place] = noise(20)
            return bytes(made)

        def json_noise():
            things = ["{}", "[]", "null", "1e999", '"x"', "[" * 5000, '{"question":1}', '{"question":"buffer"}',
                      '{"question":"buffer","options":[["--load"]]}', '{"question":"buffer","options":[["--load",1]]}',
                      '{"question":"buffer","options":[["--load","' + "9" * 3000 + '"]]}',
                      '{"question":"buffer","options":[["--load","0.9"],["--load","0.9"]]}',
                      '{"question":"buffer","options":{},"files":[]}', '{"question":"\\u0000"}', '{"question":"buffer","options":[],"files":{"":"x"}}',
                      '{"a":' * 2000 + "1" + "}" * 2000, "\ufeff{}", "\xff\xfe"]
            return seed.choice(things).encode("utf-8", "replace")

        makers = [
            lambda: noise(400),
            lambda: mutated(posted(good)),
            lambda: mutated(b"GET " + path + b" HTTP/1.1\r\n" + host + b"\r\n"),
            lambda: posted(json_noise()),
            lambda: posted(good, length=seed.choice([0, 1, 10**9, 10**18, len(good) + 5])),
            lambda: posted(good, b"Transfer-Encoding: chunked\r\n"),
            lambda: posted(good, b"Content-Encoding: gzip\r\n"),
            lambda: posted(good, b"Range: bytes=" + b"0-1," * 1500 + b"0-1\r\n"),
            lambda: posted(good, b"X: " + b"a" * seed.randrange(20000) + b"\r\n"),
            lambda: posted(good, b"".join(b"X%d: y\r\n" % i for i in range(seed.randrange(6000)))),
            lambda: b"GET /" + b"a" * seed.randrange(20000) + b" HTTP/1.1\r\n" + host + b"\r\n",
            lambda: b"GET " + path + b"%" * 200 + b" HTTP/1.1\r\n" + host + b"\r\n",
            lambda: seed.choice([b"PUT", b"DELETE", b"PRI", b"CONNECT", b"TRACE", b""]) + b" " + path + b" HTTP/1.1\r\n" + host + b"\r\n",
            lambda: b"GET " + path + seed.choice([b"", b" HTTP/9.9", b" HTTP/1.1 x", b" FTP/1.0"]) + b"\r\n" + host + b"\r\n",
            lambda: b"\r\n" * seed.randrange(300),
            lambda: b"GET " + path + b" HTTP/1.1\r\n" + host + b"Content-Length: -5\r\n\r\n",
            lambda: posted(b"--x\r\n" * 300, b"Content-Type: multipart/form-data; boundary=x\r\n"),
        ]
        for i in range(count):
            come = workbench.raw(makers[i % len(makers)](), wait=20)
            # Every response is well-formed, and never an internal error.
            self.assertTrue(come == b"" or come.startswith(b"HTTP/1.1 "), come[:80])
            self.assertNotIn(b" 500 ", come[:20])
            self.assertIsNone(workbench.process.poll())

    def many(self, workbench, count):
        """Many idle connections at once; a request is answered nevertheless."""
        idle = [socket.create_connection(("127.0.0.1", workbench.port)) for _ in range(count)]
        self.still_answers(workbench)
        self.assertLess(workbench.descriptors(), 200)
        for connection in idle:
            connection.close()
        # And many requests.
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(self.asked_once(workbench))) for _ in range(60 if not FULL else count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertGreater(sum("headline" in answer for answer in answers), 10)

    def asked_once(self, workbench):
        try:
            return workbench.ask("buffer", **LIVE[0][1])
        except (OSError, AssertionError, Exception):  # rejected with 503, or closed
            return {}

    def slow(self, workbench, count):
        """Clients that send single bytes slowly."""
        head = f"POST {workbench.path}api/ask HTTP/1.1\r\nHost: 127.0.0.1:{workbench.port}\r\n".encode()
        clients = []
        for i in range(count):
            client = socket.create_connection(("127.0.0.1", workbench.port))
            client.sendall(head[: 1 + i % len(head)])
            clients.append(client)
        for _ in range(20 if FULL else 3):
            for client in clients:
                try:
                    client.sendall(b"a")
                except OSError:
                    pass
            self.still_answers(workbench)
            time.sleep(1 if FULL else 0.05)
        for client in clients:
            client.close()

    def big(self, workbench):
        """Endless bodies and headers."""
        own = f"Host: 127.0.0.1:{workbench.port}\r\n".encode()
        post = b"POST " + workbench.path.encode() + b"api/ask HTTP/1.1\r\n" + own + b"Content-Type: application/json\r\n"
        begun = workbench.resident()
        for head, block in (
            (post + b"Content-Length: 99999999\r\n\r\n", b"[" * MIB),
            (post + b"Transfer-Encoding: chunked\r\n\r\n", b"10000\r\n" + b"a" * 0x10000 + b"\r\n"),
            (post, b"X: y\r\n" * 100000),
            (post + b"X: ", b"y" * MIB),
        ):
            with socket.create_connection(("127.0.0.1", workbench.port), timeout=20) as connection:
                try:
                    connection.sendall(head)
                    for _ in range(50):
                        connection.sendall(block)
                except OSError:
                    pass  # closed
            self.assertLess(workbench.resident(), begun + 128 * MIB)
        deep = ("[" * 2_000_000).encode()
        self.assertEqual(workbench.request("POST", workbench.path + "api/ask", deep)[0], 400)
        self.assertLess(workbench.resident(), begun + 128 * MIB)


if __name__ == "__main__":
    unittest.main()
