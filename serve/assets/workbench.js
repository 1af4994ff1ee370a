// The workbench page: forms generated from the command declarations (api/questions), live results while a slider moves,
// background runs with progress, and comparisons in one plot. The URL fragment holds the complete state of the form.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const page = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join("");
  const bare = (option) => option.replace(/^--/, "");
  const words = (text) => text.replace(/\s+/g, " ");

  let questions = [];
  let question = null;
  let values = {};      // text by option; "" is set but empty, absent is not set
  let files = {};       // content by file name
  let fields = {};      // by option: {root, set(text), complain(text)}
  let answer = null;    // the result on display: {asked, html, headline, formats, run}
  let kept = [];        // results to compare: {asked, label, headline, data}

  function made(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }

  // --- the query

  function given_options() {
    return question.options.filter((option) => option.name in values).map((option) => [option.name, values[option.name]]);
  }
  function asked_now() {
    const options = given_options();
    const named = new Set(question.options.filter((o) => o.kind === "file").map((o) => values[o.name]));
    return {
      question: question.name,
      options,
      files: Object.fromEntries(Object.entries(files).filter(([name]) => named.has(name))),
    };
  }
  const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

  function declared(name) {
    return questions.find((other) => other.name === name);
  }
  function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
  }
  function shell_line(asked) {
    const table = declared(asked.question).options;
    const line = ["tailbound", asked.question];
    for (const [name, value] of asked.options) {
      const kind = table.find((option) => option.name === name)?.kind;
      if (name.startsWith("--")) line.push(name);
      if (kind !== "flag" && !(kind === "words" && value === "")) line.push(quoted(value));
    }
    return line.join(" ");
  }
  const keywords = new Set(["and", "as", "class", "def", "for", "from", "global", "if", "import", "in", "is", "lambda", "not", "or", "with", "while", "yield"]);
  function python_name(name) {
    const word = bare(name).replaceAll("-", "_").toLowerCase();
    return keywords.has(word) ? word + "_" : word;
  }
  function python_call(asked) {
    const table = declared(asked.question).options;
    const given = asked.options.map(([name, value]) => {
      const kind = table.find((option) => option.name === name)?.kind;
      if (kind === "flag" || (kind === "words" && value === "")) return `${python_name(name)}=True`;
      const number = kind !== "file" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(value);
      const shown = number ? value : JSON.stringify(value);
      return name.startsWith("--") ? `${python_name(name)}=${shown}` : shown;
    });
    return `tb.${asked.question.replaceAll(" ", "_")}(${given.join(", ")})`;
  }

  // --- the URL

  function text_of(asked) {
    const parts = new URLSearchParams(asked.options.map(([name, value]) => [bare(name), value]));
    for (const [name, content] of Object.entries(asked.files)) parts.append("@" + name, content);
    return asked.question.replaceAll(" ", "-") + "?" + parts.toString();
  }
  function read_text(text) {
    const mark = text.indexOf("?");
    const found = questions.find((other) => other.name.replaceAll(" ", "-") === (mark < 0 ? text : text.slice(0, mark)));
    if (!found) return null;
    if (mark < 0) return opening(found.name);
    const asked = { question: found.name, options: [], files: {} };
    const come = [...new URLSearchParams(text.slice(mark + 1))];
    for (const [name, value] of come) if (name.startsWith("@")) asked.files[name.slice(1)] = value;
    for (const option of found.options)
      for (const [name, value] of come)
        if (name === bare(option.name) && !asked.options.some(([other]) => other === option.name)) asked.options.push([option.name, value]);
    return asked;
  }
  const longest_link = 100000;
  function address() {
    const all = [asked_now(), ...kept.filter((one) => !one.run).map((one) => one.asked)];
    return "#" + all.map(text_of).join("|");
  }
  let written_at = 0, writes = null;
  function write_address() {
    // Browsers allow only some hundred history changes per minute.
    clearTimeout(writes);
    writes = setTimeout(() => {
      written_at = Date.now();
      const made = address();
      history.replaceState(null, "", made.length > longest_link ? "#" + question.name.replaceAll(" ", "-") : made);
    }, Math.max(0, written_at + 400 - Date.now()));
  }

  // --- the form

  const decimals = (step) => (String(step).split(".")[1] || "").length;
  const plain = (text) => /^\s*(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?\s*%?\s*$/.test(text);
  function place_of(slider, text) {
    if (!plain(text)) return null;
    const number = parseFloat(text) / (text.includes("%") ? 100 : 1);
    if (!slider.powers_of_ten) return number;
    const parts = /^\s*([\d.]+)(?:[eE]([-+]?\d+))?/.exec(text);  // 1e-400 is not a double
    return Math.log10(parseFloat(parts[1])) + Number(parts[2] || 0);
  }
  function text_at(slider, place) {
    return slider.powers_of_ten ? `1e${place}` : Number(place).toFixed(decimals(slider.step));
  }

  const several = (text) => /[,:]/.test(text ?? "");
  // About sixteen values over the full range of a slider.
  function list_around({ least, most, step, powers_of_ten }) {
    if (powers_of_ten) {
      const exponents = [...new Set([...Array(6).keys()].map((i) => Math.round(most + ((least - most) * i) / 5)))];
      return exponents.map((e) => `1e${e}`).join(",");
    }
    const rough = (most - least) / 16, power = 10 ** Math.floor(Math.log10(rough));
    const wide = Math.max(step, [1, 2, 5, 10].map((f) => f * power).find((f) => f >= rough * 0.8));
    const digits = Math.max(decimals(step), Math.max(0, -Math.floor(Math.log10(wide) + 1e-9)));
    const from = Math.ceil(least / wide - 1e-9) * wide || wide;
    return `${from.toFixed(digits)}:${most.toFixed(digits)}:${wide.toFixed(digits)}`.replace(/(\.\d*?)0+(?=:|$)/g, "$1").replace(/\.(?=:|$)/g, "");
  }
  let tried = null;      // option turned into a list by its button; restored if the list is rejected
  let pasted = null;     // option whose file was just pasted; incompatible options are removed

  function change(name, text, moving = false) {
    if (text === null) delete values[name];
    else values[name] = text;
    changed(moving);
  }

  function field_of(option) {
    const id = "o-" + bare(option.name);
    const wide = option.kind === "file" || /EXPR|LIST|SIZES|P1|\.\./.test(option.type);
    const wrong = made("p", { class: "wb-wrong", id: id + "-wrong" });
    const help = made("p", { class: "wb-help", id: id + "-help" }, words(option.help));
    const described = `${id}-wrong ${id}-help`;
    const label = made("label", { for: id }, bare(option.name).replaceAll("-", " ").toLowerCase());
    if (option.required) label.append(made("span", { title: "required" }, " *"));
    const root = made("div", { class: "wb-field" + (wide ? " wb-wide" : "") + (option.kind === "flag" ? " wb-flag" : "") });
    const top = made("div", { class: "wb-top" }, label);
    let input, set, against = null;

    if (option.kind === "flag") {
      input = made("input", { type: "checkbox", id, "aria-describedby": described, on: { change: () => change(option.name, input.checked ? "" : null) } });
      set = (text) => { input.checked = text !== null; };
      top.append(input);
    } else if (option.choices) {
      input = made("select", { id, "aria-describedby": described, on: { change: () => change(option.name, input.value === "" ? null : input.value) } });
      input.append(made("option", { value: "" }, option.required ? "select" : option.default ? `default (${option.default})` : "default"), ...option.choices.map((name) => made("option", { value: name }, name)));
      set = (text) => {
        if (text !== null && ![...input.options].some((other) => other.value === text)) input.append(made("option", { value: text }, text));
        input.value = text ?? "";
      };
      top.append(input);
    } else if (option.kind === "file") {
      const usual = bare(option.name) === "network" ? "network.toml" : bare(option.name).toLowerCase() + ".txt";
      input = made("textarea", { id, spellcheck: "false", "aria-describedby": described });
      const chooser = made("input", { type: "file", "aria-label": `File for ${bare(option.name)}` });
      const take = (name, content) => {
        if (values[option.name] !== undefined && values[option.name] !== name) delete files[values[option.name]];
        if (content === "") return change(option.name, null);
        files[name] = content;
        pasted = option.name;
        change(option.name, name);
      };
      input.addEventListener("input", () => take(values[option.name] ?? usual, input.value));
      chooser.addEventListener("change", async () => {
        const file = chooser.files[0];
        if (!file) return;
        if (file.size > 3e6) return complain(option.name, "file too large (maximum 3 MB)");
        input.value = await file.text();
        take(file.name.replace(/^[.\s]+|[\/\u0000-\u001f]/g, "") || usual, input.value);
      });
      set = (text) => { input.value = text === null ? "" : files[text] ?? ""; };
      root.append(top, made("div", { class: "wb-file" }, chooser), input);
    } else {
      input = made("input", { type: "text", id, spellcheck: "false", autocapitalize: "off", placeholder: option.default ? `${option.type} (default ${option.default})` : option.type, "aria-describedby": described });
      let slider = null;
      const follow = () => {
        if (against) against.textContent = several(input.value) ? "single value" : "sweep";
        if (!slider) return;
        const place = place_of(option.slider, input.value);
        root.classList.toggle("wb-unset", place === null);
        if (place !== null) slider.value = place;
        slider.setAttribute("aria-valuetext", input.value || "not set");
      };
      input.addEventListener("input", () => { follow(); change(option.name, input.value.trim() === "" ? null : input.value.trim()); });
      set = (text) => { input.value = text ?? ""; follow(); };
      top.append(input);
      root.append(top);
      if (option.slider) {
        const { least, most, step } = option.slider;
        slider = made("input", { type: "range", min: least, max: most, step, value: least, "aria-label": `${bare(option.name)}, slider` });
        slider.addEventListener("input", () => {
          input.value = text_at(option.slider, slider.value);
          root.classList.remove("wb-unset");
          slider.setAttribute("aria-valuetext", input.value);
          change(option.name, input.value, true);
        });
        root.append(slider);
        if (question.draws) {
          let before = null;
          against = made("button", { type: "button", class: "wb-against", title: `Plot results over a range of ${bare(option.name)}`, on: { click: () => {
            const list = several(input.value) ? before ?? text_at(option.slider, slider.value) : list_around(option.slider);
            before = several(input.value) ? null : input.value;
            input.value = list;
            tried = before === null ? null : { name: option.name, before };
            follow();
            change(option.name, list);
          } } }, "sweep");
          label.append(against);
        }
        follow();
      }
    }
    if (!top.parentNode) root.append(top);
    root.append(wrong, help);
    fields[option.name] = {
      root, set,
      complain(text) {
        wrong.textContent = text;
        if (text) input.setAttribute("aria-invalid", "true");
        else input.removeAttribute("aria-invalid");
        if (text) for (let up = root.parentElement; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
      },
    };
    return root;
  }

  function folded(title, names, ...content) {
    return made("details", {}, made("summary", {}, title, made("span", {}, names.map((name) => bare(name).replaceAll("-", " ")).join(", "))), ...content);
  }

  // Options that are set are visible. The rest of each group is folded.
  function show_form() {
    fields = {};
    const groups = new Map();
    for (const option of question.options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
    const whole = [], rest = [];
    for (const [heading, options] of groups) {
      const opened = new Set(question.opening.map(([name]) => name));
      const shown = options.filter((option) => option.name in values || option.required || opened.has(option.name));
      const others = options.filter((option) => !shown.includes(option));
      const title = heading || "Parameters";
      const names = others.map((option) => option.name);
      if (!shown.length) {
        rest.push(made("fieldset", { class: "wb-rest", "aria-label": title }, folded(title, names, ...others.map(field_of))));
        continue;
      }
      const group = made("fieldset", {}, made("legend", {}, title), ...shown.map(field_of));
      if (others.length) group.append(folded("More options", names, ...others.map(field_of)));
      whole.push(group);
    }
    at("form").replaceChildren(...whole, ...rest);
    for (const option of question.options) fields[option.name].set(values[option.name] ?? null);
    at("purpose").textContent = question.purpose[0].toUpperCase() + question.purpose.slice(1);
    at("controls").hidden = question.live;
    document.title = `${question.name} - tailbound workbench`;
  }

  function complain(name, text) {
    fields[name]?.complain(text);
  }
  function forgive() {
    for (const field of Object.values(fields)) field.complain("");
    at("refusal").hidden = true;
  }

  // --- results

  async function post(path, body, signal) {
    const come = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
    return come;
  }

  function duration(time) {
    if (time < 0.9995e-3) return `${(time * 1e6).toFixed(0)} µs`;
    if (time < 0.9995) return `${(time * 1e3).toPrecision(time < 0.0995 ? 2 : 3)} ms`;
    if (time < 59.5) return `${time.toPrecision(3)} s`;
    return time < 3600 ? `${Math.floor(time / 60)} min ${Math.round(time % 60)} s` : `${Math.floor(time / 3600)} h ${Math.round((time % 3600) / 60)} min`;
  }
  function state(text) {
    if (at("state").textContent !== text) at("state").textContent = text;
  }

  let rest = null;
  function show_answer(come, asked, run) {
    const shown = at("shown");
    // Avoid layout jumps below while results replace one another.
    shown.style.minHeight = `${shown.offsetHeight}px`;
    clearTimeout(rest);
    rest = setTimeout(() => { shown.style.minHeight = ""; say_headline(); }, 700);
    const open = [...shown.querySelectorAll("details")].map((details) => details.open);
    pasted = tried = null;
    const html = come.html ?? '<p class="wb-refusal">The result is too large to display. Use Download instead.</p>';
    // Existing plots are updated in place.
    const page = made("template", {});
    page.innerHTML = html;
    const living = [...shown.querySelectorAll(".tb-picture")];
    const figures = [...page.content.querySelectorAll(".tb-picture")];
    if (answer?.asked.question === asked.question && living.length === figures.length)
      figures.forEach((figure, i) => tailbound.renew_picture(living[i], figure));
    shown.replaceChildren(page.content);
    shown.querySelectorAll("details").forEach((details, i) => { if (open[i] !== undefined) details.open = open[i]; });
    shown.classList.remove("wb-stale");
    tailbound.enliven(shown);
    answer = { asked, headline: come.headline || "", draws: come.draws, run, html };
    at("peek").innerHTML = shown.querySelector(".tb-answer h1")?.innerHTML ?? "";
    at("keep").disabled = false;
    document.body.dataset.answers = Number(document.body.dataset.answers || 0) + 1;
    show_comparison();
    show_formats();
  }
  function say_headline() {
    if (answer && !document.querySelector(".wb-stale")) at("shown").setAttribute("aria-label", answer.headline);
  }

  // Errors appear above the result, and next to the option that they name.
  function show_refusal(error, come = {}) {
    at("shown").classList.add("wb-stale");
    // A pasted file takes precedence: options that conflict with it are removed one by one.
    if (pasted && error.option && error.option !== pasted && error.option in values && /left out|omitted|instead|not given|cannot be combined/.test(error.legal ?? "")) {
      delete values[error.option];
      show_form();
      return changed();
    }
    if (tried && error.option === tried.name) {
      const { name, before } = tried;
      tried = null;
      values[name] = before;
      fields[name].set(before);
      changed();
      return setTimeout(() => complain(name, "only a single value is supported here"), 0);
    }
    const beside = error.option && fields[error.option];
    if (beside) complain(error.option, /^(not )?given/.test(error.legal) ? error.message : `${error.value === "" ? "empty" : error.value}: must be ${error.legal}`);
    const box = at("refusal");
    box.replaceChildren(error.message);
    if (come.too_long)
      box.append(made("button", { type: "button", class: "tb-button", on: { click: () => begin_run() } }, "Run in background"));
    box.hidden = false;
    at("peek").textContent = error.message;
    state(come.status === 4 ? "Stopped" : "No result");
    at("keep").disabled = true;
  }

  // At most one query is pending. The newest one waits, and cancels the pending one if that takes too long.
  let on_its_way = null, waiting = false, long = null;
  const enough = 250;
  // While a slider moves, the analysis answers. The simulation runs once the slider rests.
  const unchecked = "--analysis", at_rest = 350;
  let rests = null;
  async function ask(moving = false) {
    clearTimeout(rests);
    if (on_its_way) {
      waiting = true;
      long = long ?? setTimeout(() => on_its_way?.abort(), Math.max(0, on_its_way.begun + enough - Date.now()));
      return;
    }
    const asked = asked_now();
    const quick = moving && !(unchecked in values) && !("--simulate" in values) && question.options.some((option) => option.name === unchecked);
    const sent = quick ? { ...asked, options: [...asked.options, [unchecked, ""]] } : asked;
    const control = new AbortController();
    on_its_way = control;
    control.begun = Date.now();
    const slow = setTimeout(() => state("Computing"), 300);
    try {
      const come = await (await post("api/ask", { ...sent, page }, control.signal)).json();
      if (come.replaced || control.signal.aborted || question.name !== asked.question) return;
      if (running) return;
      forgive();
      if (come.error) return show_refusal(come.error, come);
      show_answer(come, asked, null);
      state(`Computed in ${duration(come.seconds)}`);
      if (quick) rests = setTimeout(ask, at_rest);
    } catch (error) {
      if (error.name !== "AbortError") lost();
    } finally {
      clearTimeout(slow);
      clearTimeout(long);
      long = null;
      on_its_way = null;
      if (waiting) {
        waiting = false;
        ask(moving);
      }
    }
  }
  function lost() {
    state("Disconnected");
    at("refusal").replaceChildren("The workbench server does not respond. Restart it with: tailbound serve");
    at("refusal").hidden = false;
  }

  function changed(moving = false) {
    write_address();
    show_elsewhere();
    if (question.live) return ask(moving);
    if (answer && !same(answer.asked, asked_now())) at("shown").classList.add("wb-stale");
    else at("shown").classList.remove("wb-stale");
    if (!running) state(answer ? "Parameters changed: run again" : "Ready to run");
  }
  function show_elsewhere() {
    const asked = asked_now();
    at("shell").textContent = shell_line(asked);
    at("python").textContent = "import tailbound as tb\n" + python_call(asked);
  }

  // --- runs

  let running = null;
  async function begin_run() {
    if (running) return;
    forgive();
    const asked = asked_now();
    running = { asked };
    show_running(true);
    state("Starting");
    try {
      const come = await (await post("api/runs", asked)).json();
      if (come.error) return show_refusal(come.error, come);
      running.name = come.run;
      for (let seen = 0;;) {
        const now = await (await fetch(`api/runs/${running.name}?seen=${seen}`)).json();
        if (now.error && now.state !== "ended") return show_refusal(now.error, now);
        if (now.state === "ended") {
          if (question.name !== asked.question) return;
          if (now.error) return show_refusal(now.error, now);
          show_answer(now, asked, running.name);
          changed();
          state(now.stopped ? `Stopped after ${duration(now.seconds)}: partial result` : `Done in ${duration(now.seconds)}`);
          return;
        }
        if (now.html && question.name === asked.question) {
          seen = now.looks;
          show_so_far(now.html);
        }
        at("meter").value = now.progress;
        at("told").textContent = `${Math.floor(100 * now.progress)} %, ${duration(now.seconds)}${now.left > 0 ? `, ${duration(now.left)} left` : ""}`;
        await new Promise((done) => setTimeout(done, now.seconds < 3 ? 150 : 400));
      }
    } catch {
      lost();
    } finally {
      running = null;
      show_running(false);
    }
  }
  // The plot of the partial result: its error bars shrink as the simulation proceeds.
  let growing = null;
  function show_so_far(html) {
    const page = made("template", {});
    page.innerHTML = html;
    const figure = page.content.querySelector(".tb-picture");
    const title = "Partial result: " + (page.content.querySelector("h1")?.textContent ?? "");
    const shown = at("shown");
    shown.classList.remove("wb-stale");
    if (!figure) {
      growing = null;
      return shown.replaceChildren(made("p", { class: "wb-so-far" }, title), ...page.content.querySelectorAll(".tb-lines"));
    }
    const data = tailbound.picture_data(figure);
    if (growing && shown.contains(growing.box)) {
      growing.title.textContent = title;
      return growing.chart.update(data);
    }
    const box = made("div", { class: "tb-chart" }), said = made("p", { class: "wb-so-far" }, title);
    shown.replaceChildren(said, made("figure", { class: "tb-picture" }, box));
    growing = { box, title: said, chart: tailbound.chart(box, data) };
  }
  function show_running(on) {
    at("progress").hidden = !on;
    at("controls").hidden = question.live && !on;
    at("run").disabled = on;
    at("stop").hidden = !on;
    at("stop").disabled = false;
    at("meter").value = 0;
    at("told").textContent = "";
    if (on) state("Running");
  }
  async function stop_run() {
    at("stop").disabled = true;
    if (running?.name) await post(`api/runs/${running.name}/stop`, {}).catch(lost);
  }

  // --- comparison

  const pictures = (asked_html) => {
    const box = document.createElement("template");
    box.innerHTML = asked_html;
    const figure = box.content.querySelector(".tb-picture");
    return figure ? tailbound.picture_data(figure) : null;
  };
  // Names each result by the parameters in which the results differ.
  function labels(all) {
    const texts = all.map((one) => new Map(one.asked.options));
    const names = [...new Set(texts.flatMap((text) => [...text.keys()]))];
    const differ = names.filter((name) => texts.some((text) => text.get(name) !== texts[0].get(name)));
    const several = new Set(all.map((one) => one.asked.question)).size > 1;
    return all.map((one, i) => {
      const said = differ.filter((name) => texts[i].has(name)).map((name) => (bare(name) + " " + texts[i].get(name)).trim());
      return (several ? [one.asked.question, ...said] : said).join(", ") || one.asked.question;
    });
  }
  // Data curves are colored in this order. A target shared by several results is drawn once.
  function curves_of(answers, name_of) {
    const curves = [], targets = new Set();
    let place = 0;
    for (const one of answers)
      for (const curve of one.data.curves) {
        const data = !["rule", "marks"].includes(curve.style);
        if (curve.style === "rule") {
          if (targets.has(curve.title)) continue;
          targets.add(curve.title);
          curves.push(curve);
          continue;
        }
        // Only the last mark of each result is labeled, to avoid clutter.
        const labels = curve.labels?.map((label, i) => (i === curve.labels.length - 1 ? label : ""));
        curves.push({ ...curve, ...(labels && { labels }), place: data ? place++ : 0, title: data ? [name_of(one), curve.title].filter(Boolean).join(": ") : "" });
      }
    return curves;
  }
  let together = null, box_of_together = null, compared = null;
  function show_comparison() {
    const section = at("comparison");
    section.hidden = kept.length === 0;
    if (kept.length === 0) return at("together").replaceChildren();
    const now = answer && !kept.some((one) => same(one.asked, answer.asked)) ? [{ ...answer, data: pictures(answer.html), now: true }] : [];
    const all = [...kept, ...now];
    const names = labels(all);
    for (const button of ["save-page", "save-csv", "save-svg"]) at(button).hidden = all.length < 2;
    at("kept").replaceChildren(...all.map((one, i) => made("li", {},
      made("b", {}, names[i] + (one.now ? " (current)" : "")),
      made("p", { class: "wb-headline" }),
      one.now ? "" : made("button", { type: "button", class: "tb-button", "aria-label": `Remove ${names[i]}`, on: { click: () => { kept.splice(kept.indexOf(one), 1); write_address(); show_comparison(); } } }, "Remove"))));
    at("kept").querySelectorAll(".wb-headline").forEach((said, i) => { said.innerHTML = tailbound.in_html(all[i].headline); });
    const drawn = all.filter((one) => one.data);
    const first = drawn[0]?.data;
    const alike = drawn.filter((one) => one.data.x === first.x && one.data.y === first.y && !one.data.powers === !first.powers && !one.data.xpowers === !first.xpowers);
    if (!first) return at("together").replaceChildren(made("p", {}, "These results have no plot. Click \u201csweep\u201d next to a parameter to create one."));
    if (all.length < 2) return at("together").replaceChildren(made("p", {}, "Change a parameter to plot both results together."));
    const data = {
      ...first,
      title: alike.length < drawn.length ? `${first.title} (results with different axes are omitted)` : "",
      note: "",
      curves: curves_of(alike, (one) => names[all.indexOf(one)]),
    };
    delete data.view;  // it is that of the first result only
    compared = { all, names, data, svg: () => together.svg_file() };
    if (together && at("together").contains(box_of_together)) return together.update(data);
    box_of_together = made("div", { class: "tb-chart" });
    at("together").replaceChildren(made("figure", { class: "tb-picture" }, box_of_together));
    together = tailbound.chart(box_of_together, data);
  }
  function keep() {
    if (!answer || kept.some((one) => same(one.asked, answer.asked))) return;
    kept.push({ asked: answer.asked, headline: answer.headline, html: answer.html, data: pictures(answer.html), run: answer.run });
    write_address();
    show_comparison();
    at("comparison").scrollIntoView({ block: "nearest" });
  }

  // --- download

  const formats = [["page", "HTML page", "html"], ["json", "JSON", "json"], ["csv", "CSV", "csv"], ["markdown", "Markdown", "md"], ["table", "Text", "txt"], ["svg", "SVG image", "svg"], ["png", "PNG image", "png"]];
  function show_formats() {
    at("saves").classList.toggle("wb-off", !answer);
    for (const button of at("formats").children)
      button.disabled = !answer || ((button.dataset.format === "svg" || button.dataset.format === "png") && !answer.draws);
  }
  async function save(format, ending) {
    at("saves").open = false;
    if (!answer) return;
    try {
      const come = answer.run ? await fetch(`api/runs/${answer.run}/${format}`) : await post(`api/answer/${format}`, answer.asked);
      if (!come.headers.get("Content-Disposition")) {
        const told = await come.json();
        return show_refusal(told.error ?? { message: "this result is no longer available; run it again" }, told);
      }
      hand_over(await come.blob(), `tailbound-${answer.asked.question.replaceAll(" ", "-")}.${ending}`);
    } catch {
      lost();
    }
  }

  // --- download of a comparison

  function hand_over(blob, name) {
    const link = made("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  function save_comparison(text, type, ending) {
    hand_over(new Blob([text], { type }), `tailbound-comparison.${ending}`);
  }
  function comparison_csv() {
    const { data } = compared;
    const power = (value) => (value === null || value === undefined ? "" : data.powers ? tailbound.power_text(value, 12) : String(value));
    const lines = [["setting", data.x, data.y, "lower", "upper"]];
    for (const curve of data.curves)
      curve.x.forEach((x, i) => lines.push([curve.title || curve.labels?.[i] || "", data.xpowers ? tailbound.power_text(x, 12) : x, power(curve.y[i]), power(curve.low?.[i]), power(curve.high?.[i])]));
    return lines.map((line) => line.map((text) => tailbound.csv_cell(String(text))).join(",")).join("\n") + "\n";
  }
  // A self-contained page with all compared results.
  async function comparison_page() {
    const [style, script] = await Promise.all(["report.css", "report.js"].map(async (name) => (await fetch(name)).text()));
    const { escaped } = tailbound;
    const figure = `<figure class="tb-picture"><figcaption>${escaped(compared.names.join(" \u2013 "))}</figcaption><div class="tb-canvas">${compared.svg()}</div>` +
      `<script type="application/json" class="tb-data">${JSON.stringify(compared.data).replaceAll("<", "\\u003c")}</` + "script></figure>";
    const each = compared.all.map((one, i) => `<h2>${escaped(compared.names[i])}</h2><pre>${escaped(shell_line(one.asked))}</pre>${one.html}`).join("\n<hr>\n");
    return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<title>tailbound: ${escaped(compared.names.join(", "))}</title><style>${style}</style></head>\n<body class="tb-page"><main>` +
      `<article class="tb-answer"><header><h1>Comparison of ${compared.all.length} results</h1></header>${figure}${each}</article>` +
      `</main><script>${script}</` + "script></body></html>\n";
  }

  async function copy(text, button) {
    const before = button.dataset.says ?? (button.dataset.says = button.textContent);
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Copy failed";
    }
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  // --- start

  function take(asked) {
    question = declared(asked.question);
    values = Object.fromEntries(asked.options);
    files = { ...asked.files };
    at("question").value = question.name;
  }
  function open_question(asked) {
    if (running) {  // its result could not be displayed
      stop_run();
      at("progress").hidden = true;
    }
    take(asked);
    answer = null;
    at("shown").replaceChildren();
    at("peek").textContent = "";
    at("keep").disabled = true;
    show_form();
    forgive();
    show_formats();
    changed();
  }
  function opening(name) {
    return { question: name, options: declared(name).opening, files: {} };
  }

  async function open_address() {
    const [first, ...others] = location.hash.slice(1).split("|");
    const asked = first ? read_text(first) : null;
    kept = [];
    open_question(asked ?? opening(questions[0].name));
    for (const text of others) {
      const one = read_text(text);
      if (!one) continue;
      const come = await (await post("api/ask", one)).json();
      if (come.html) kept.push({ asked: one, headline: come.headline, html: come.html, data: pictures(come.html), run: null });
    }
    if (others.length) {
      write_address();
      show_comparison();
    }
  }

  const heading = (name) => (name.startsWith("simulate") ? "Simulation" : name.startsWith("validate") ? "Model vs. simulation" : "Analysis");
  async function begin() {
    const come = await (await fetch("api/questions")).json();
    questions = come.questions;
    at("version").textContent = come.version;
    const groups = new Map();
    for (const { name } of questions) {
      const group = heading(name);
      if (!groups.has(group)) groups.set(group, made("optgroup", { label: group }));
      groups.get(group).append(made("option", { value: name }, name));
    }
    at("question").append(...groups.values());
    at("question").addEventListener("change", (event) => open_question(opening(event.target.value)));
    at("form").addEventListener("submit", (event) => {
      event.preventDefault();
      if (question.live && !at("run").disabled && at("controls").hidden) ask();
      else begin_run();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        if (question.live) ask();
        else begin_run();
      }
      if (event.key === "Escape") at("saves").open = false;
    });
    document.addEventListener("click", (event) => { if (!at("saves").contains(event.target)) at("saves").open = false; });
    at("stop").addEventListener("click", stop_run);
    at("keep").addEventListener("click", keep);
    at("save-csv").addEventListener("click", () => save_comparison(comparison_csv(), "text/csv", "csv"));
    at("save-svg").addEventListener("click", () => save_comparison(compared.svg(), "image/svg+xml", "svg"));
    at("save-page").addEventListener("click", async () => save_comparison(await comparison_page(), "text/html", "html"));
    at("link").addEventListener("click", () => {
      const made = address();
      if (made.length > longest_link) return state("The files are too large for a link. Copy the command line instead.");
      history.replaceState(null, "", made);
      copy(location.href, at("link"));
    });
    at("formats").append(...formats.map(([format, title, ending]) => made("button", { type: "button", "data-format": format, on: { click: () => save(format, ending) } }, title)));
    for (const button of document.querySelectorAll("[data-copies]"))
      button.addEventListener("click", () => copy(at(button.dataset.copies).textContent, button));
    at("peek").addEventListener("click", () => at("answer").scrollIntoView({ behavior: "smooth" }));
    new IntersectionObserver(([seen]) => at("peek").classList.toggle("wb-away", seen.isIntersecting), { threshold: 0.05 }).observe(at("shown"));
    document.querySelector(".wb-skip").addEventListener("click", (event) => { event.preventDefault(); at("answer").focus(); });
    addEventListener("hashchange", open_address);
    addEventListener("pagehide", () => {
      if (running?.name) navigator.sendBeacon(`api/runs/${running.name}/stop`, new Blob(["{}"], { type: "application/json" }));
    });
    await open_address();
  }
  begin().catch(lost);
})();
