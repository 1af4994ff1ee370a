#!/usr/bin/python3
"""Opens the report of every command in a browser: at three sizes, light and dark, by keyboard, and without JavaScript.

  reports_test.py TAILBOUND [unittest's options]

Uses headless Chromium with selenium; without them the test is skipped (status 77).
"""
import csv
import io
import json
import math
import shutil
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    sys.exit(77)

import reports

SIZES = {"desktop": (1440, 900), "laptop": (1280, 720), "phone": (390, 844)}
LARGEST = 500_000  # bytes of a report


def browser(scripts=True):
    options = webdriver.ChromeOptions()
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--force-color-profile=srgb"):
        options.add_argument(word)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    from selenium.webdriver.chrome.service import Service
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.files = reports.render(cls.executable, cls.folder.name)
        cls.driver = browser()
        cls.addClassCleanup(cls.driver.quit)

    # --- the browser

    def look(self, size="desktop", scheme="light", scripts=True):
        width, height = SIZES[size]
        send = self.driver.execute_cdp_cmd
        send("Emulation.setDeviceMetricsOverride",
             {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": size == "phone"})
        send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        send("Emulation.setScriptExecutionDisabled", {"value": not scripts})

    def open(self, name):
        self.driver.get(f"file://{self.files[name]}")

    def js(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def requests(self):
        """Files and URLs requested since the last call."""
        asked = []
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                asked.append(message["params"]["request"]["url"])
        return [url for url in asked if not url.startswith("data:")]

    # --- all reports

    def test_every_command_has_a_report(self):
        here = {" ".join(line.split()[:2]) if line.startswith(("simulate", "validate")) else line.split()[0]
                for line in reports.QUESTIONS.values()}
        self.assertEqual(set(reports.commands(self.executable)) - reports.NOT_HERE - here, set())

    def test_sizes_and_schemes(self):
        """On a phone and on a larger screen, opened at one size and resized to the other, in one scheme each. Sizes and schemes
        alternate between reports, as all share the same style."""
        for number, name in enumerate(self.files):
            sizes = [("desktop", "light"), ("phone", "dark")] if number % 2 == 0 else [("laptop", "dark"), ("phone", "light")]
            for place, (size, scheme) in enumerate(sizes if number % 4 < 2 else sizes[::-1]):
                with self.subTest(report=name, size=size, scheme=scheme):
                    self.look(size, scheme)
                    if place == 0:
                        self.requests()
                        self.open(name)
                        self.assertEqual(self.requests(), [f"file://{self.files[name]}"])
                    self.check_fits(size, scheme)
                    self.check_names(name)
            wrong = [entry for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
            self.assertEqual(wrong, [], name)
            self.assertEqual(len(self.all(".tb-picture .tb-alive")) > 0, name not in reports.NO_PICTURES, name)

    def check_fits(self, size, scheme):
        width, paper = self.js("return [document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]")
        self.assertLessEqual(width, SIZES[size][0])
        self.assertEqual(sum(map(int, paper[4:-1].split(","))) > 380, scheme == "light")

    def check_names(self, name):
        """Every focusable element has an accessible name."""
        nameless = self.js("""
            const named = (element) => (element.getAttribute("aria-label") || element.textContent).trim() !== "";
            const unnamed = [...document.querySelectorAll("button, a, summary, [tabindex], svg[role]")]
              .filter((element) => element.checkVisibility() && !named(element));
            const untitled = [...document.querySelectorAll("table")].filter((table) => !table.caption?.textContent.trim());
            return [...unnamed, ...untitled].map((element) => element.outerHTML.slice(0, 200));""")
        self.assertEqual(nameless, [], name)
        self.assertEqual(self.js("return [document.documentElement.lang, document.querySelectorAll('h1').length]"), ["en", 1], name)

    def test_small_enough(self):
        for name, file in self.files.items():
            self.assertLess(file.stat().st_size, LARGEST, name)

    def test_contrast(self):
        """Contrast of text of at least 4.5 to 1, in both schemes (WCAG 2.1, 1.4.3)."""
        self.open("buffer")
        for scheme in ("light", "dark"):
            self.look("desktop", scheme)
            for ink in ("--tb-ink", "--tb-soft", "--tb-accent", "--tb-good", "--tb-bad"):
                for paper in ("--tb-paper", "--tb-card", "--tb-faint"):
                    self.assertGreater(self.contrast(ink, paper), 4.5, (scheme, ink, paper))

    def contrast(self, ink, paper):
        def luminance(colour):
            text = self.js(f"return getComputedStyle(document.documentElement).getPropertyValue('{colour}')").strip()
            parts = [int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        darker, lighter = sorted((luminance(ink), luminance(paper)))
        return (lighter + 0.05) / (darker + 0.05)

    def test_keyboard_reaches_everything(self):
        self.look()
        for name in ("buffer", "occupancy", "buffer_list"):
            self.open(name)
            wanted = self.js("""
                const all = [...document.querySelectorAll("button, a[href], summary, [tabindex='0']")];
                all.forEach((element, i) => { element.dataset.stop = i; });
                return all.filter((element) => element.checkVisibility() && element.tabIndex >= 0).map((element) => element.dataset.stop);""")
            reached = set()
            for _ in range(len(wanted) + 2):
                ActionChains(self.driver).send_keys(Keys.TAB).perform()
                reached.add(self.js("return document.activeElement.dataset.stop ?? ''"))
            self.assertEqual(set(wanted) - reached, set(), name)

    def test_without_scripts(self):
        """Text, tables and drawings are present; controls that need a script are not."""
        self.look(scripts=False)
        try:
            for name in ("buffer", "occupancy", "buffer_list", "sweep"):
                self.open(name)
                self.assertEqual(self.all("button"), [], name)
                self.assertGreater(len(self.find("h1").text), 20)
                self.assertGreater(len(self.all("td")), 3)
                curves = self.js("return [...document.querySelectorAll('.tb-picture svg .tb-curve, .tb-picture svg .tb-marker')].map((path) => path.getAttribute('d'))")
                self.assertEqual(len(curves) > 0, name not in reports.NO_PICTURES)
                if curves:
                    self.assertGreater(self.find(".tb-picture .tb-svg").size["height"], 200)
                    self.assertTrue(all(path.startswith("M") for path in curves))
        finally:
            self.look()

    # --- numbers

    def tip(self):
        return self.find(".tb-tip").text if self.all(".tb-tip") and self.find(".tb-tip").is_displayed() else ""

    def test_numbers_show_both_ends(self):
        self.look()
        self.open("buffer")
        number = self.find(".tb-lines .tb-number[data-kind=enclosure]")
        ActionChains(self.driver).move_to_element(number).perform()
        shown = self.tip()
        self.assertIn("enclosure, certified to 10 digits", shown)
        low, high = (float(number.get_attribute(f"data-{end}")) for end in ("low", "high"))
        self.assertTrue(low <= 8.7035435578e-16 * (1 + 1e-10) and 8.7035435578e-16 * (1 - 1e-10) <= high and low < high)
        for end in ("low", "high"):
            self.assertIn(number.get_attribute(f"data-{end}").replace("e-", " \u00d7 10\u2212"), shown.replace("\u00a0", " "))
        ActionChains(self.driver).move_to_element(self.find("h1")).perform()
        self.assertEqual(self.tip(), "")
        # The same by keys, and read aloud.
        self.js("arguments[0].focus()", number)
        self.assertEqual(self.tip(), shown)
        self.assertEqual(number.get_attribute("aria-describedby"), self.find(".tb-tip").get_attribute("id"))
        ActionChains(self.driver).send_keys(Keys.ESCAPE).perform()
        self.assertEqual(self.tip(), "")

    def test_numbers_of_a_table_by_arrows(self):
        self.look()
        self.open("occupancy")
        self.js("arguments[0].focus()", self.find(".tb-nested td[tabindex='0']"))
        before = self.tip()
        ActionChains(self.driver).send_keys(Keys.ARROW_DOWN).perform()
        self.assertNotEqual(self.tip(), before)
        self.assertIn("at least", self.tip())
        self.assertEqual(len(self.all(".tb-nested td[tabindex='0']")), 1)

    # --- tables

    def column(self, selector, place):
        return self.js("return [...document.querySelector(arguments[0]).tBodies[0].rows].map((row) => row.cells[arguments[1]].textContent)",
                       selector, place)

    def test_sort(self):
        self.look()
        self.open("buffer_list")
        heads = [head.text for head in self.all(".tb-table th")]
        place = next(i for i, head in enumerate(heads) if head.startswith("buffer"))
        before = self.column("table", place)
        head = self.all(".tb-table th")[place]
        turns = []
        for _ in range(3):
            head.find_element(By.CSS_SELECTOR, ".tb-sort").send_keys(Keys.ENTER)
            turns.append((head.get_attribute("aria-sort"), self.column("table", place)))
        up = sorted(before, key=int)
        self.assertEqual(turns, [("ascending", up), ("descending", up[::-1]), (None, before)])
        self.assertNotEqual(before, up)

    def test_sort_below_what_doubles_hold(self):
        self.open("buffer")
        order = self.js("""
            document.body.innerHTML = `<div class="tb-table"><div><table><caption>t</caption><thead><tr><th>p</th></tr></thead><tbody>` +
              ["1e-400", "0", "2.5e-399", "-3e5", "1e-9", "0.02", "9.99e-401", "1e-400"].map((p) => `<tr><td>${p}</td></tr>`).join("") + "</tbody></table></div></div>";
            tailbound.enliven(document.body);
            document.querySelector(".tb-sort").click();
            return [...document.querySelectorAll("td")].map((cell) => cell.textContent);""")
        self.assertEqual(order, ["-3e5", "0", "9.99e-401", "1e-400", "1e-400", "2.5e-399", "1e-9", "0.02"])

    def test_copy(self):
        self.look()
        self.open("occupancy")
        self.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
        button = self.find(".tb-nested .tb-button")
        # What it says goes again soon: it is written down when it comes.
        self.js("""const said = window.said = [];
            new MutationObserver((all, watcher) => said.push(document.querySelector(".tb-nested .tb-button").textContent))
              .observe(document.querySelector(".tb-nested .tb-button"), { childList: true, characterData: true, subtree: true });""")
        button.click()
        copied = self.driver.execute_async_script(
            "const done = arguments[0]; setTimeout(() => navigator.clipboard.readText().then(done, (e) => done(String(e))), 50);")
        rows = list(csv.reader(io.StringIO(copied)))
        self.assertEqual(rows[0][:4], ["n [packets]", "P(Q > n)", "P(Q > n) lower", "P(Q > n) upper"])
        self.assertEqual(len(rows) - 1, len(self.all(".tb-nested tbody tr")))
        self.assertTrue(all(len(row) == len(rows[0]) for row in rows))
        for row in rows[1:]:
            self.assertLessEqual(float(row[2]), float(row[3]))
        self.assertEqual(self.js("return window.said;")[0], "Copied")

    # --- pictures

    def view(self):
        return self.js("return {...tailbound.chart_of(document.querySelector('.tb-chart')).view}")

    def focus_chart(self):
        self.js("document.querySelector('.tb-alive').focus()")

    def drag(self, x0, y0, x1, y1):
        """Shares of the plot's area."""
        box = self.js("""const c = tailbound.chart_of(document.querySelector('.tb-chart')); c.svg.scrollIntoView({block: "center"});
                         const r = c.svg.getBoundingClientRect(); return [r.left + c.left, r.top + c.top, c.inner_width, c.inner_height]""")
        at = lambda x, y: (round(box[0] + x * box[2]), round(box[1] + y * box[3]))
        chain = ActionChains(self.driver, duration=0)
        chain.w3c_actions.pointer_action.move_to_location(*at(x0, y0)).pointer_down()
        chain.w3c_actions.pointer_action.move_to_location(*at((x0 + x1) / 2, (y0 + y1) / 2))
        chain.w3c_actions.pointer_action.move_to_location(*at(x1, y1)).pointer_up()
        chain.perform()

    def ticks(self):
        return self.js("return [...document.querySelectorAll('.tb-alive .tb-ticks text[text-anchor=end]')].map((t) => t.textContent)")

    def test_distribution_to_1e_300(self):
        """From the whole, down to 1e-300, and through it from end to end."""
        self.look()
        self.open("occupancy")
        whole = self.view()
        self.assertLess(whole["y0"], -299)
        self.assertGreater(whole["y1"], -0.5)
        self.assertIn("10\u2212300", self.ticks())
        # The last tenth by a drag along the axis: y follows.
        self.drag(0.9, 0.5, 1.0, 0.5)
        deep = self.view()
        self.assertAlmostEqual(deep["x0"], whole["x0"] + 0.9 * (whole["x1"] - whole["x0"]), delta=0.01 * whole["x1"])
        self.assertTrue(-302 < deep["y0"] < -299 and -275 < deep["y1"] < -265, deep)
        self.focus_chart()
        for _ in range(6):
            ActionChains(self.driver).send_keys("+").perform()
        near = self.view()
        self.assertAlmostEqual((near["x1"] - near["x0"]) / (deep["x1"] - deep["x0"]), 2.0 ** -6, places=9)
        labels = self.ticks()
        self.assertGreater(len(labels), 2)
        self.assertEqual(len(set(labels)), len(labels))
        self.assertRegex(labels[0].replace("\u00a0", " "), r"^(\d(\.\d+)? \u00d7 )?10\u22122\d\d$")
        # The asymptote, a line between points far away, lies on the curve here.
        curve, line = self.js("""
            const chart = tailbound.chart_of(document.querySelector(".tb-chart")), tail = chart.curves[0];
            const i = tail.x.findIndex((x) => x > (chart.view.x0 + chart.view.x1) / 2);
            return [[chart.x(tail.x[i]), chart.y(tail.ys[i])], document.querySelector(".tb-alive .tb-dashed").getAttribute("d")];""")
        x0, y0, x1, y1 = (float(number) for number in line[1:].replace("L", " ").split()[:4])
        self.assertAlmostEqual(y0 + (curve[0] - x0) / (x1 - x0) * (y1 - y0), curve[1], delta=3)
        # Back to the head of the curve by keys alone.
        ActionChains(self.driver).send_keys("---").perform()
        for _ in range(20):
            if self.view()["x0"] <= 0:
                break
            ActionChains(self.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_LEFT * 40).key_up(Keys.SHIFT).perform()
        self.assertLessEqual(self.view()["x0"], 0)
        ActionChains(self.driver).send_keys("0").perform()
        self.assertEqual(self.view(), whole)
        # A box of both ranges, and a double click.
        self.drag(0.2, 0.2, 0.6, 0.7)
        boxed = self.view()
        self.assertAlmostEqual(boxed["y1"], whole["y1"] + 0.2 * (whole["y0"] - whole["y1"]), delta=3)
        self.assertAlmostEqual(boxed["y0"], whole["y1"] + 0.7 * (whole["y0"] - whole["y1"]), delta=3)
        ActionChains(self.driver).double_click(self.find(".tb-alive")).perform()
        self.assertEqual(self.view(), whole)

    def test_values_are_read_by_keys(self):
        self.look()
        self.open("occupancy")
        table = dict(zip(self.column(".tb-nested table", 0), self.column(".tb-nested table", 1)))
        self.focus_chart()
        for presses in (1, 1, 3, 60):
            ActionChains(self.driver).send_keys(Keys.ARROW_RIGHT * presses).perform()
            name, level, probability = self.js("""return [...document.querySelectorAll('.tb-tip b, .tb-tip dl:not(.tb-others) dd')].map((e) =>
                e.innerHTML.replace('&nbsp;\u00d7&nbsp;10<sup>', 'e').replace(/^10<sup>/, '1e').replace('</sup>', '').replace('\u2212', '-'))""")
            in_table = float(table[level].replace("\u00a0\u00d7\u00a010", "e").replace("\u2212", "-"))
            self.assertAlmostEqual(float(probability) / in_table, 1, delta=1e-4)
            self.assertIn(probability, self.find(".tb-said").get_attribute("textContent"))

    def test_curves_on_and_off(self):
        self.look()
        self.open("buffer_list")
        curves = lambda: len(self.all(".tb-alive g[data-number]"))
        self.assertEqual(curves(), 2)
        switch = self.find(".tb-key button")
        switch.click()
        self.assertEqual((curves(), switch.get_attribute("aria-pressed")), (1, "false"))
        switch.send_keys(Keys.SPACE)
        self.assertEqual((curves(), switch.get_attribute("aria-pressed")), (2, "true"))

    def test_logarithmic_axis(self):
        self.look()
        self.open("buffer_list")
        axis = next(button for button in self.all(".tb-tools .tb-button") if button.text == "Logarithmic axis")
        linear = self.view()
        axis.click()
        points = self.js("return tailbound.picture_data(document.querySelector('.tb-picture')).curves.flatMap((c) => c.y)")
        self.assertEqual(self.view()["y1"], math.ceil(math.log10(max(points))))
        axis.click()
        self.assertEqual(self.view(), linear)

    def test_error_bars(self):
        self.look()
        self.open("validate_buffer")
        bars = [path.get_attribute("d") for path in self.all(".tb-alive .tb-bars")]
        points = self.js("return tailbound.picture_data(document.querySelector('.tb-picture')).curves.filter((c) => c.style === 'bars').map((c) => c.x.length)")
        self.assertGreater(sum(points), 0)
        self.assertEqual([path.count("M") for path in bars], points)

    def test_a_hundred_curves(self):
        self.look()
        self.open("sweep")
        self.assertEqual(self.js("return tailbound.picture_data(document.querySelector('.tb-picture')).curves.length"), 100)
        colours = self.js("return [...document.querySelectorAll('.tb-alive g[data-number]')].map((group) => group.getAttribute('stroke'))")
        self.assertEqual(len(colours), 100)
        self.assertGreater(len(set(colours)), 90)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        sys.exit(77)
    Reports.executable = sys.argv.pop(1)
    unittest.main()
