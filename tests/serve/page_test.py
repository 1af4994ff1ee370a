"""The page of the workbench in a browser: forms, live results, runs, comparison, links, and access control."""

import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import unittest
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "browser"))
from reports_test import SIZES, browser  # skips where there is no selenium

from workbench import Workbench, asked, command

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

LONG = "#simulate-tree?radix=4&levels=3&load=0.9&slots=100000&replications=1024"


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.workbench = Workbench("--time-limit", "60")  # also on a busy machine
        cls.addClassCleanup(cls.workbench.__exit__)
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)
        cls.saved = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.saved.cleanup)

    def look(self, size="laptop", scheme="light"):
        width, height = SIZES[size]
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, fragment=""):
        self.look()
        self.driver.get("about:blank")  # so that it is reloaded
        self.driver.get_log("browser")
        self.driver.get(self.workbench.link + fragment)
        self.until("the form", lambda: self.js("return document.querySelectorAll('.wb-field').length > 0"))

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.js("return document.querySelector(arguments[0])?.textContent ?? ''", selector)

    def until(self, what, holds, patience=60):
        WebDriverWait(self.driver, patience, poll_frequency=0.05).until(lambda _: holds(), what)

    def headline(self):
        """The answer and its settings."""
        return self.text("#shown .tb-answer header") or self.text("#shown")

    def type(self, selector, text):
        field = self.find(selector)
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys(text)

    def save(self, form, comparison=False):
        """The content of the download in this format."""
        folder = pathlib.Path(self.saved.name)
        for file in folder.iterdir():
            file.unlink()
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": self.saved.name})
        if not comparison:
            self.find("#saves > summary").click()
        self.find(f"#save-{form}" if comparison else f"[data-format={form}]").click()
        self.until("the download", lambda: any(not f.name.endswith(".crdownload") for f in folder.iterdir()))
        return next(folder.iterdir()).read_bytes()

    def quiet(self):
        """No errors on the console."""
        said = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.assertEqual(said, [])

    # ---

    def test_opens_with_a_result(self):
        self.open()
        self.until("the answer", lambda: "157-packet buffer" in self.headline())
        self.assertIn("tailbound buffer --inputs 16 --load 0.9 --drop 1e-15", self.text("#shell"))
        self.assertIn("tb.buffer(inputs=16, load=0.9, drop=1e-15)", self.text("#python"))
        self.assertEqual(self.save("json"), command("buffer", "--inputs", "16", "--load", "0.9", "--drop", "1e-15", "--format", "json").stdout)
        self.quiet()

    def test_the_command_line_is_one_for_a_shell(self):
        self.open("#buffer?inputs=16&arrivals=(3/5)/(1-2/5*z)&drop=1e-9")
        told = self.workbench.ask("buffer", inputs=16, arrivals="(3/5)/(1-2/5*z)", drop="1e-9")["command_line"]
        self.until("the line", lambda: self.text("#shell") == told)

    def test_every_form_answers(self):
        self.open()
        for question in json.loads(self.workbench.get("api/questions")[2])["questions"]:
            with self.subTest(question=question["name"]):
                self.choose(question["name"])
                if question["name"] in ("compare", "fit"):
                    self.find("#examples button").click()
                if question["live"]:
                    self.until("the answer", lambda: self.js("return document.querySelector('#shown .tb-answer') !== null && !document.querySelector('.wb-stale')"))
                    self.assertFalse(self.find("#refusal").is_displayed(), self.text("#refusal"))
                else:
                    self.assertTrue(self.find("#run").is_displayed())
                unnamed = self.js("return [...document.querySelectorAll('#form input, #form select, #form textarea, button')].filter(e => !(e.labels && e.labels.length) && !e.getAttribute('aria-label') && !e.textContent.trim()).map(e => e.outerHTML)")
                self.assertEqual([name for name in unnamed if "peek" not in name], [])
        self.quiet()

    def test_results_follow_a_slider(self):
        """Thirty moves per second, each answered or replaced by the next; prints how many were answered."""
        self.open()
        self.until("the answer", lambda: "157-packet buffer" in self.headline())
        before = int(self.js("return document.body.dataset.answers"))
        self.driver.set_script_timeout(60)
        moved = self.driver.execute_async_script("""
          const done = arguments[0], slider = document.querySelector('#o-load').closest('.wb-field').querySelector('[type=range]');
          let i = 0; const begun = performance.now();
          const timer = setInterval(() => {
            slider.value = 0.3 + 0.01 * (i % 60); slider.dispatchEvent(new Event('input'));
            if (++i === 30) { clearInterval(timer); done(performance.now() - begun); }
          }, 1000 / 30);""")
        self.until("the last answer", lambda: "load 0.59" in self.headline())
        answers = int(self.js("return document.body.dataset.answers")) - before
        print(f"\n{answers} answers to 30 moves in {moved / 1000:.1f} s", file=sys.stderr)
        self.assertGreaterEqual(answers, 2)
        self.until("the address", lambda: "load=0.59" in self.driver.current_url)
        self.quiet()

    def test_errors_appear_next_to_the_field(self):
        self.open()
        self.until("the answer", lambda: "157-packet buffer" in self.headline())
        self.type("#o-load", "nine")
        self.until("the error", lambda: "nine" in self.text("#o-load-wrong"))
        self.assertEqual(self.find("#o-load").get_attribute("aria-invalid"), "true")
        self.assertTrue(self.find("#refusal").is_displayed())
        self.type("#o-load", "0.8")
        self.until("the answer", lambda: "load 0.8" in self.headline())
        self.assertEqual(self.text("#o-load-wrong"), "")
        self.assertFalse(self.find("#refusal").is_displayed())

    def test_links_open_to_the_same_bytes(self):
        self.open("#buffer?inputs=8&load=0.3:0.9:0.2&drop=1e-12")
        self.until("the answer", lambda: self.js("return document.querySelectorAll('#shown table').length > 0"))
        self.type("#o-inputs", "12")
        self.until("the address", lambda: "inputs=12" in self.driver.current_url)
        self.until("the answer", lambda: "12 inputs" in self.headline())
        link, first = self.driver.current_url, self.save("json")
        self.driver.switch_to.new_window("tab")
        try:
            self.driver.get(link)
            self.until("the answer", lambda: "12 inputs" in self.headline())
            self.assertEqual(self.save("json"), first)
        finally:
            self.driver.close()
            self.driver.switch_to.window(self.driver.window_handles[0])
        self.assertEqual(first, command("buffer", "--inputs", "12", "--load", "0.3:0.9:0.2", "--drop", "1e-12", "--format", "json").stdout)

    def test_results_are_compared_in_one_plot(self):
        self.open("#buffer?inputs=16&load=0.1:0.9:0.1&drop=1e-15")
        self.until("the picture", lambda: self.js("return document.querySelector('#shown .tb-chart') !== null"))
        self.find("#keep").click()
        self.type("#o-inputs", "4")
        self.until("the answer", lambda: self.js("return document.querySelectorAll('#kept li').length === 2"))
        self.assertIn("inputs 16", self.text("#kept"))
        self.until("two curves", lambda: self.js("return document.querySelectorAll('#together .tb-key li').length >= 2"))
        self.until("the address", lambda: "inputs=4&" in self.driver.current_url and "|" in self.driver.current_url)
        link = self.driver.current_url
        self.open(link[link.index("#"):])
        self.until("the comparison", lambda: self.js("return document.querySelectorAll('#kept li').length === 2"))
        self.find("#kept button").click()
        self.assertFalse(self.find("#comparison").is_displayed())
        self.quiet()

    def test_a_single_result_and_a_sweep(self):
        self.open()
        self.until("the picture", lambda: self.js("return document.querySelectorAll('#shown .tb-chart').length") == 2)
        self.assertIn("buffer 157", self.js("return document.querySelector('#shown .tb-svg').textContent"))
        button = "return document.querySelector('#o-load').closest('.wb-field').querySelector('.wb-against')"
        self.js(button + ".click()")
        self.until("a curve", lambda: self.js("const data = tailbound.picture_data(document.querySelector('#shown .tb-picture')); return data.x.startsWith('load') ? data.curves[0].x.length : 0") > 10)
        self.assertRegex(self.js("return document.querySelector('#o-load').value"), r"^0\.\d+:0\.\d+:0\.\d+$")
        self.assertEqual(self.js(button + ".textContent"), "single value")
        self.js(button + ".click()")
        self.until("one answer", lambda: "157-packet buffer" in self.headline())
        # The list of every slider is accepted, or the field is restored.
        for name in self.js("return [...document.querySelectorAll('.wb-against')].map((b) => b.closest('.wb-field').querySelector('input').id)"):
            if name == "o-burst":  # of the default query: a minute of processor
                self.open("#buffer?inputs=4&load=0.5&drop=1e-3")
                self.until("the answer", lambda: "packet buffer" in self.headline())
            before = int(self.js("return document.body.dataset.answers"))
            self.js("document.getElementById(arguments[0]).closest('.wb-field').querySelector('.wb-against').click()", name)
            self.until("an answer", lambda: int(self.js("return document.body.dataset.answers")) > before or self.text(f"#{name}-wrong") or self.find("#refusal").is_displayed())
            self.open()
            self.until("the answer", lambda: "157-packet buffer" in self.headline())

    def test_a_comparison_is_saved(self):
        self.open("#buffer?inputs=16&load=0.1:0.9:0.1&drop=1e-15|buffer?inputs=4&load=0.1:0.9:0.1&drop=1e-15|buffer?inputs=64&load=0.1:0.9:0.1&drop=1e-15")
        self.until("the comparison", lambda: self.js("return document.querySelectorAll('#kept li').length") == 3)
        folder = pathlib.Path(self.saved.name)
        kept = {form: self.save(form, comparison=True).decode() for form in ("page", "csv", "svg")}
        self.assertEqual(len(kept["csv"].splitlines()), 1 + 3 * 9)
        xml.etree.ElementTree.fromstring(kept["svg"])
        for inputs in ("inputs 4", "inputs 16", "inputs 64"):
            for form in kept:
                self.assertIn(inputs, kept[form])
        colours = self.js("return [...document.querySelectorAll('#together [data-number]')].map((g) => g.getAttribute('class'))")
        self.assertEqual(colours, ["tb-c0", "tb-c1", "tb-c2"])
        page = folder / "mailed.html"
        page.write_text(kept["page"])
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(page.as_uri())
        self.assertEqual(self.js("return document.querySelectorAll('.tb-chart').length"), 4)
        self.quiet()

    def test_a_file_replaces_conflicting_options(self):
        network = (pathlib.Path(__file__).resolve().parents[2] / "data/networks/two_switches.toml").read_text()
        self.open("#delay?radix=4&levels=2&load=0.5")
        self.until("the answer", lambda: "4-ary" in self.headline())
        self.paste("o-network", network)
        self.until("the network", lambda: self.js("return document.querySelectorAll('#shown .tb-network').length") == 1)
        self.until("its address", lambda: "radix" not in self.driver.current_url.split("#")[1].split("@")[0])
        self.assertFalse(self.find("#refusal").is_displayed())
        self.paste("o-network", "")
        self.shows("4-ary", "#delay?radix=4&levels=2&load=0.5")

    def choose(self, name):
        self.js("const s = document.getElementById('question'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", name)

    def paste(self, field, text):
        self.js("const a = document.getElementById(arguments[0]); a.value = arguments[1]; a.dispatchEvent(new Event('input'))", field, text)

    def shows(self, text, fragment):
        """The answer and the address."""
        self.until(text, lambda: text in self.text("#shown") and not self.js("return document.querySelector('.wb-stale') !== null"))
        self.until(fragment, lambda: fragment in self.driver.current_url)

    def test_back_and_forward(self):
        """Ten states: each choice of a command and each run is an entry of the history, with its form and its result."""
        former = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")  # a history of its own: browsers keep 50 entries

        def close():
            self.driver.close()
            self.driver.switch_to.window(former)

        self.addCleanup(close)
        self.open("#buffer?inputs=16&load=0.8&drop=1e-9")
        states = [("46-packet buffer", "#buffer?inputs=16&load=0.8&drop=1e-9")]
        self.shows(*states[0])
        for command, states_after in (
            ("occupancy", [("mean occupancy", "#occupancy?inputs=16&load=0.8")]),
            ("multistage", [("tailbound multistage", "#multistage?nodes=64")]),
            ("wormhole", [("tailbound wormhole", "#wormhole?topology=mesh")]),
            ("network", [("tailbound network", "#network?SHAPE=fat-tree")]),
            ("buffer", [("46-packet buffer", "#buffer?inputs=16&load=0.8&drop=1e-9")]),
            ("simulate tree", []),
        ):
            self.choose(command)
            for state in states_after:
                self.shows(*state)
                states.append(state)
        self.until("the empty form", lambda: "Press Run" in self.text("#empty") and "#simulate-tree" in self.driver.current_url)
        states.append(("", "#simulate-tree?radix=4&levels=2&load=0.8"))
        for slots in ("1000", "2000"):
            self.js("for (const d of document.querySelectorAll('#form details')) d.open = true")
            self.type("#o-slots", slots)
            self.find("#run").click()
            self.until("the result", lambda: "Done" in self.text("#state"))
            states.append((f"{slots} slots", f"slots={slots}"))
            self.shows(*states[-1])
        self.assertEqual(len(states), 9)
        self.choose("pgf")
        self.until("the formula", lambda: "E[Q]" in self.text("#shown"))
        for walk, step in ((reversed(states), self.driver.back), (states[1:], self.driver.forward)):
            for text, fragment in walk:
                step()
                if text:
                    self.shows(text, fragment)
                else:  # the form before the first run
                    self.until("the empty form", lambda: "Press Run" in self.text("#empty"))
        self.driver.forward()
        self.until("the formula", lambda: "E[Q]" in self.text("#shown"))
        self.quiet()

    def test_shared_fields_keep_their_values(self):
        self.open("#buffer?inputs=16&load=0.8&drop=1e-12")
        self.shows("61-packet buffer", "drop=1e-12")
        self.choose("occupancy")
        self.shows("mean occupancy", "#occupancy?inputs=16&load=0.8&")
        self.type("#o-load", "0.5")
        self.shows("load 0.5", "load=0.5")
        self.choose("buffer")
        self.shows("load 0.5", "#buffer?inputs=16&load=0.5&drop=1e-12")
        self.type("#o-load", "0.5,0.6")
        self.shows("Minimum buffer", "0.6")
        self.choose("pgf")
        self.until("why not", lambda: "Not taken over from buffer: load 0.5,0.6" in self.text("#notice"))
        self.assertEqual(self.js("return document.getElementById('o-load').value"), "k*p")
        self.quiet()

    def test_a_run_belongs_to_the_server(self):
        """Another command, a reload and another window: the run goes on and is found again."""
        self.open(LONG)
        self.find("#run").click()
        self.until("progress", lambda: self.js("return document.getElementById('meter').value") > 0)
        self.choose("buffer")
        self.until("the answer of the other command", lambda: "packet buffer" in self.headline())
        self.assertIn("1 running", self.text("#active"))
        self.driver.back()
        self.until("the run", lambda: self.find("#progress").is_displayed())
        self.driver.refresh()
        self.until("the run", lambda: self.js("return document.getElementById('meter')?.value ?? 0") > 0)
        self.type("#o-load", "0.7")
        self.until("the mark", lambda: "Result of load 0.9. The form has moved on to load 0.7." in self.text("#moved").replace("Restore its settings", ""))
        self.find("#moved button").click()
        self.assertEqual(self.find("#o-load").get_attribute("value"), "0.9")
        self.assertFalse(self.find("#moved").is_displayed())
        self.open()
        self.find("#runs > summary").click()
        self.until("the list", lambda: "simulate tree --radix 4 --levels 3 --load 0.9" in self.text("#runs-list"))
        self.find("#runs-list .wb-open-run").click()
        self.until("the run", lambda: self.find("#progress").is_displayed())
        self.until("its address", lambda: "#simulate-tree?radix=4&levels=3&load=0.9" in self.driver.current_url)
        self.find("#stop").click()
        self.until("its end", lambda: self.text("#state").startswith(("Stopped", "No result")))
        self.quiet()

    def test_results_of_different_axes_are_compared_in_panels(self):
        links = ["buffer?inputs=16&load=0.1:0.9:0.1&drop=1e-9", "occupancy?inputs=16&load=0.9&until=1e-15", "network?SHAPE=fat-tree&radix=4&uniform=0.4", "buffer?inputs=4&load=0.1:0.9:0.1&drop=1e-9"]
        self.open("#" + "|".join([links[0], *links]))
        self.until("the comparison", lambda: self.js("return document.querySelectorAll('#kept li').length") == 4)
        titles = self.js("return [...document.querySelectorAll('#together figcaption')].map((c) => c.textContent)")
        self.assertEqual(len(titles), 2)
        self.assertTrue("inputs 16" in titles[0] and "inputs 4" in titles[0] and "occupancy" in titles[1], titles)
        self.assertEqual(self.js("return document.querySelectorAll('#together .tb-chart svg.tb-alive').length"), 2)
        self.assertEqual(self.text("#kept").count("No curves"), 1)  # the network
        page = self.save("page", comparison=True)
        self.assertLess(len(page), 500_000)
        self.assertEqual(page.count(b"<article"), 1 + 4)
        self.assertEqual(self.save("csv", comparison=True).decode().count("setting,"), 2)
        xml.etree.ElementTree.fromstring(self.save("svg", comparison=True))
        mailed = pathlib.Path(self.saved.name) / "mailed.html"
        mailed.write_bytes(page)
        self.driver.get(mailed.as_uri())
        self.assertEqual(self.js("return document.querySelectorAll('.tb-chart').length"), 2 + 3)
        self.quiet()

    def test_a_result_that_is_gone_is_not_compared(self):
        self.open("#buffer?inputs=16&load=0.8&drop=1e-9|buffer?inputs=4&load=0.8&drop=1e-9")
        self.until("both", lambda: "(current)" in self.text("#kept"))
        self.until("both curves", lambda: self.js("return document.querySelectorAll('#together .tb-key li').length >= 2"))
        self.assertNotRegex(self.save("csv", comparison=True).decode(), r"[1-9]\.\d{9}")  # digits that a logarithm does not have
        self.type("#o-load", "1.2")
        self.until("the error", lambda: self.find("#refusal").is_displayed())
        self.assertNotIn("(current)", self.text("#kept"))
        self.assertIn("Result of load 0.8. The form has moved on to load 1.2.", self.text("#moved"))

    def test_unknown_names_of_a_link(self):
        self.open("#buffer?inputs=16&load=0.8&drop=1e-9&criterio=loss|bufer?inputs=4")
        self.until("the names", lambda: "criterio; did you mean criterion?" in self.text("#notice") or "bufer" in self.text("#notice"))
        self.until("the command", lambda: "bufer; did you mean buffer?" in self.text("#notice"))
        self.open("#bufer?inputs=4")
        self.until("the command", lambda: "bufer; did you mean buffer?" in self.text("#notice"))
        self.open("#simulate-policed?network=mine.toml")
        self.until("the file", lambda: "mine.toml" in self.text("#notice"))

    def test_a_file_that_is_too_large(self):
        self.open("#delay?radix=4&levels=2&load=0.5")
        self.until("the answer", lambda: "4-ary" in self.headline())
        self.paste("o-network", "#" * 5_000_000)
        self.until("the error", lambda: "4 MiB" in self.text("#refusal"))
        self.assertIn("4 MiB", self.text("#o-network-wrong"))
        self.assertEqual(self.text("#state"), "No result")
        self.paste("o-network", "")
        self.shows("4-ary", "#delay?radix=4&levels=2&load=0.5")

    def test_empty_forms_explain_and_have_examples(self):
        self.open()
        for command, field in (("fit", "FILE"), ("compare", "FILE"), ("simulate policed", "network"), ("guarantee", "network")):
            with self.subTest(command=command):
                self.choose(command)
                if command != "guarantee":
                    self.until("the reason", lambda: "needs a file" in self.text("#empty"))
                    self.assertTrue(self.find("#empty").is_displayed())
                self.assertFalse(self.find("#refusal").is_displayed())
                self.assertEqual(self.text(".wb-wrong"), "")
                self.find("#examples button").click()
                if command == "simulate policed":
                    self.until("the file", lambda: self.js("return document.getElementById(arguments[0]).value", f"o-{field}"))
                    self.find("#run").click()
                self.until("the answer", lambda: self.js("return document.querySelector('#shown .tb-answer') !== null"))
                self.until("no error", lambda: not self.find("#refusal").is_displayed())
        self.quiet()

    def test_rows_without_an_answer(self):
        self.open("#buffer?inputs=16&load=0.5,0.9,1&drop=1e-9")
        self.until("the answer", lambda: "1 of 3 points has no answer" in self.headline())
        self.assertEqual(self.js("return document.querySelector('#shown .tb-answers tbody').rows.length"), 3)
        self.assertIn("see the status of the rows", self.text("#state"))

    def test_a_simulation_shows_a_partial_result(self):
        self.open(LONG)
        self.find("#run").click()
        self.until("a picture", lambda: self.js("return document.querySelectorAll('#shown .wb-so-far').length === 1 && document.querySelectorAll('#shown .tb-chart').length === 1"), 60)
        widest = "return (() => { const c = tailbound.chart_of(document.querySelector('#shown .tb-picture > div')).data.curves.find((c) => c.high); return c ? Math.max(...c.high.map((h, i) => h - c.low[i]).filter(Number.isFinite).slice(0, 5)) : null; })()"
        first = self.js(widest)
        self.assertIsNotNone(first)
        self.until("shorter bars", lambda: self.js(widest) < first, 60)
        self.find("#stop").click()
        self.until("the answer", lambda: "Stopped" in self.text("#state"))
        self.quiet()

    def test_a_simulation_is_stopped_and_saved(self):
        self.open(LONG)
        self.find("#run").click()
        self.until("progress", lambda: self.js("return document.getElementById('meter').value") > 0.00125, 60)
        self.find("#stop").click()
        self.until("the answer", lambda: "Stopped" in self.text("#state"))
        kept = json.loads(self.save("json"))
        self.assertIn("stopped", json.dumps(kept))
        self.assertTrue(self.save("page").lstrip().lower().startswith(b"<!doctype html>"))
        self.quiet()

    def test_keyboard_only(self):
        self.open("#simulate-tree?radix=4&levels=2&load=0.8&slots=2000")
        self.find("#o-load").send_keys(Keys.CONTROL, Keys.ENTER)
        self.until("the answer", lambda: "Done" in self.text("#state"))
        self.open()
        slider = self.find("#o-drop").find_element(By.XPATH, "../..").find_element(By.CSS_SELECTOR, "[type=range]")
        slider.send_keys(Keys.ARROW_RIGHT)
        self.until("the answer", lambda: "10\u221214" in self.headline())

    def test_no_page_is_wider_than_its_window(self):
        self.open("#buffer?inputs=16&load=0.1:0.9:0.1&drop=1e-15")
        self.until("the picture", lambda: self.js("return document.querySelector('#shown .tb-chart') !== null"))
        for size in SIZES:
            for scheme in ("light", "dark"):
                self.look(size, scheme)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth - innerWidth"), 0, size)

    def test_a_page_of_another_origin_cannot_read_it(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "index.html").write_text("<!doctype html><title>elsewhere</title>")

            class Quiet(http.server.SimpleHTTPRequestHandler):
                def log_message(self, *_):
                    pass

            with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder)) as other:
                threading.Thread(target=other.serve_forever, daemon=True).start()
                self.driver.get(f"http://127.0.0.1:{other.server_port}/index.html")
                self.driver.set_script_timeout(20)
                tried = self.driver.execute_async_script("""
                  const [link, body, done] = arguments, results = {};
                  const attempts = {
                    page: () => fetch(link).then((r) => r.text()),
                    questions: () => fetch(link + "api/questions").then((r) => r.text()),
                    ask: () => fetch(link + "api/ask", {method: "POST", body, headers: {"Content-Type": "application/json"}}).then((r) => r.text()),
                    plain: () => fetch(link + "api/ask", {method: "POST", body, headers: {"Content-Type": "text/plain"}}).then((r) => r.text()),
                    opaque: () => fetch(link, {mode: "no-cors"}).then((r) => r.text()),
                    script: () => new Promise((ok, no) => { const s = document.createElement("script"); s.src = link + "workbench.js"; s.onload = () => ok("loaded"); s.onerror = () => no(Error("refused")); document.head.append(s); }),
                    frame: () => new Promise((ok) => { const f = document.createElement("iframe"); f.src = link; f.onload = () => { try { ok(f.contentDocument ? f.contentDocument.body.textContent : ""); } catch { ok(""); } }; document.body.append(f); }),
                  };
                  Promise.all(Object.entries(attempts).map(([name, act]) => act().then((text) => { results[name] = text; }, (error) => { results[name] = "rejected: " + error; }))).then(() => done(results));
                """, self.workbench.link, json.dumps(asked("buffer", inputs=16, load="0.9", drop="1e-15")))
                other.shutdown()
        for name, text in tried.items():
            with self.subTest(name=name):
                self.assertTrue(text == "" or text.startswith("rejected"), text[:200])


if __name__ == "__main__":
    unittest.main()
