// The workbench page: forms generated from the command declarations (api/questions), live results while a slider moves,
// runs on the server, and comparisons. The URL fragment holds the complete state of the form; each choice of a command
// and each run is an entry of the browser's history.
"use strict";
(() => {
  const at = (id) => document.getElementById(id);
  const page = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16)).join("");

  let questions = [], texts = null, comparison = null;
  let question = null;
  let values = {};      // text by option; "" is set but empty, absent is not set
  let files = {};       // content by file name
  let fields = {};      // by option: {root, set(text), complain(text)}
  let answer = null;    // the result on display: {asked, html, headline, draws, run}
  let failed = false;   // the last query had no result
  let viewed = null;    // the run on display: its name, its query, whether it has ended
  let runs = [];        // those of the server

  function made(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
      else if (value !== null && value !== false) element.setAttribute(key, value === true ? "" : value);
    }
    element.append(...children);
    return element;
  }
  const button = (text, act, attributes = {}) => made("button", { type: "button", class: "tb-button", ...attributes, on: { click: act } }, text);
  const bare = (option) => texts.bare(option);

  // --- the query

  function asked_now() {
    const options = question.options.filter((option) => option.name in values).map((option) => [option.name, values[option.name]]);
    const named = new Set(question.options.filter((o) => o.kind === "file").map((o) => values[o.name]));
    return {
      question: question.name,
      options,
      files: Object.fromEntries(Object.entries(files).filter(([name]) => named.has(name))),
    };
  }
  const is_of_form = (asked) => texts.same(asked, asked_now());
  // Files that the command requires, or that its example has.
  function lacking() {
    const usual = new Set(question.opening.map(([name]) => name));
    return question.options.filter((option) => option.kind === "file" && (option.required || usual.has(option.name)) && !(option.name in values));
  }

  // --- the URL and the history

  const longest_link = 100000;
  function address(asked = asked_now()) {
    return "#" + [asked, ...comparison.kept.filter((one) => !one.run).map((one) => one.asked)].map(texts.link_of).join("|");
  }
  let written_at = 0, writes = null;
  function write_entry(how, asked = asked_now()) {
    clearTimeout(writes);
    writes = null;
    written_at = Date.now();
    const link = address(asked), too_long = link.length > longest_link;
    const kept = comparison.kept.map(({ run, asked: its }) => (run ? { run } : { asked: its }));
    const entry = { run: viewed?.name ?? null, kept };
    try {
      history[how](too_long ? { ...entry, asked } : entry, "", too_long ? "#" + question.name.replaceAll(" ", "-") : link);
    } catch {  // more than a browser keeps
      history[how]({ run: entry.run }, "", "#" + question.name.replaceAll(" ", "-"));
    }
  }
  function write_address() {
    // Browsers allow only some hundred history changes per minute.
    clearTimeout(writes);
    writes = setTimeout(() => write_entry("replaceState"), Math.max(0, written_at + 400 - Date.now()));
  }
  function say(faults) {
    at("notice").replaceChildren(...faults.map((fault) => made("span", {}, fault)), button("Close", () => say([])));
    at("notice").hidden = !faults.length;
  }

  // --- the form

  let tried = null;      // option turned into a list by its button; restored if the list is rejected
  let pasted = null;     // option whose file was just pasted; incompatible options are removed
  let displaced = {};    // by file option: the values of the options that its file has removed
  let last = {};         // by command: its form when another command was chosen
  let shared = {};       // by option: the last value that was not that of an example
  let carried = null;    // {from, names, faults}: values brought from another command and not yet accepted

  function change(name, text, moving = false) {
    if (text === null) delete values[name];
    else values[name] = text;
    carried?.names.delete(name);
    changed(moving);
  }
  function paste(option, name, content) {
    if (values[option] !== undefined && values[option] !== name) delete files[values[option]];
    if (content !== "") {
      files[name] = content;
      pasted = option;
      return change(option, name);
    }
    const back = Object.entries(displaced[option] ?? {}).filter(([other]) => !(other in values));
    delete displaced[option];
    Object.assign(values, Object.fromEntries(back));
    delete values[option];
    if (back.length) show_form();
    changed();
  }
  function sweep(name, list, before) {
    tried = before === null ? null : { name, before };
    change(name, list);
  }

  // Options that are set are visible. The rest of each group is folded.
  function show_form() {
    const focused = document.activeElement?.id;
    const { field_of, folded } = form_fields({ made, bare, value_of: (name) => values[name], content_of: (name) => files[name] ?? "", change, paste, sweep, draws: question.draws });
    fields = Object.fromEntries(question.options.map((option) => [option.name, field_of(option)]));
    const root_of = (option) => fields[option.name].root;
    const groups = new Map();
    for (const option of question.options) groups.set(option.group, [...(groups.get(option.group) ?? []), option]);
    const whole = [], rest = [];
    const opened = new Set(question.opening.map(([name]) => name));
    for (const [heading, options] of groups) {
      const shown = options.filter((option) => option.name in values || option.required || opened.has(option.name));
      const others = options.filter((option) => !shown.includes(option));
      const title = heading || "Parameters";
      const names = others.map((option) => option.name);
      if (!shown.length) {
        rest.push(made("fieldset", { class: "wb-rest", "aria-label": title }, folded(title, names, ...others.map(root_of))));
        continue;
      }
      const group = made("fieldset", {}, made("legend", {}, title), ...shown.map(root_of));
      if (others.length) group.append(folded("More options", names, ...others.map(root_of)));
      whole.push(group);
    }
    at("form").replaceChildren(...whole, ...rest);
    for (const option of question.options) fields[option.name].set(values[option.name] ?? null);
    if (focused?.startsWith("o-")) at(focused)?.focus();
    at("purpose").textContent = question.purpose[0].toUpperCase() + question.purpose.slice(1);
    at("examples").replaceChildren(...example_buttons());
    at("examples").hidden = !example_buttons().length;
    document.title = `${question.name} - tailbound workbench`;
  }

  const examples = {
    "fit FILE": "requests.csv",
    "compare FILE": "gp_slotted_queue.txt",
    "delay --network": "two_switches.toml",
    "guarantee --network": "plant.toml",
    "simulate policed --network": "plant.toml",
    "simulate tree --network": "two_switches.toml",
    "wormhole --network": "worm_ring.toml",
    "simulate wormhole --network": "worm_ring.toml",
  };
  function example_buttons() {
    const offered = question.options.map((option) => [option.name, examples[`${question.name} ${option.name}`]]).filter(([, file]) => file);
    return offered.map(([name, file]) => button(`Load example: ${file}`, () => load_example(name, file)));
  }
  async function load_example(name, file) {
    try {
      const content = await (await fetch(`examples/${file}`)).text();
      paste(name, file, content);
      show_form();
    } catch {
      lost();
    }
  }

  function complain(name, text) {
    fields[name]?.complain(text);
  }
  function forgive() {
    for (const field of Object.values(fields)) field.complain("");
    at("refusal").hidden = true;
    failed = false;
  }

  // --- results

  // The JSON of the server; errors of HTTP in the same form.
  async function requested(path, body, signal) {
    const come = await fetch(path, body === undefined ? { signal } : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal });
    try {
      return await come.json();
    } catch (error) {
      if (error.name === "AbortError") throw error;
      return { error: { message: `the server answered: ${come.status} ${come.statusText}` } };
    }
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
    pasted = tried = carried = null;
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
    tailbound.enliven(shown);
    answer = { asked, headline: come.headline || "", draws: come.draws, run, html };
    failed = false;
    at("peek").innerHTML = shown.querySelector(".tb-answer h1")?.innerHTML ?? "";
    document.body.dataset.answers = Number(document.body.dataset.answers || 0) + 1;
    show_all();
  }
  function say_headline() {
    if (answer && !document.querySelector(".wb-stale")) at("shown").setAttribute("aria-label", answer.headline);
  }

  // Whatever depends on the form, on the result and on the run.
  function show_all() {
    show_moved();
    show_empty();
    show_controls();
    show_formats();
    at("keep").disabled = !answer || failed;
    comparison.show(answer && !failed && is_of_form(answer.asked) ? answer : null);
  }
  const going = () => viewed !== null && !viewed.ended;
  // Marks a result whose settings are no longer those of the form.
  function show_moved() {
    const asked = going() ? viewed.asked : answer?.asked;
    const moved = Boolean(asked && !is_of_form(asked));
    at("shown").classList.toggle("wb-stale", moved || failed);
    at("moved").hidden = !moved;
    at("form-of").hidden = !moved;
    if (!moved) return;
    const its = Object.fromEntries(asked.options);
    const told = (name, its_values) => (name in its_values ? `${bare(name)} ${its_values[name]}`.trim() : `no ${bare(name)}`);
    const differ = question.options.map((option) => option.name).filter((name) => its[name] !== values[name]);
    const list = (of) => differ.slice(0, 5).map((name) => told(name, of)).join(", ") + (differ.length > 5 ? ", .." : "");
    at("moved").replaceChildren(
      made("span", {}, differ.length ? `Result of ${list(its)}. The form has moved on to ${list(values)}.` : "The files of the form have changed since this result."),
      button("Restore its settings", () => { take(asked); show_form(); forgive(); changed(); }));
  }
  // Before the first result: what the command needs.
  function show_empty() {
    const lacks = lacking();
    const empty = !answer && !going() && !failed && (lacks.length > 0 || !question.live);
    at("empty").hidden = !empty;
    if (!empty) return;
    const sentence = (help) => `${help[0].toUpperCase()}${help.slice(1).replace(/\s+/g, " ")}.`;
    const said = lacks.map((option) => made("p", {}, `It needs a file. ${sentence(option.help)} Select or paste one in the form${example_buttons().length ? ", or start with an example." : "."}`));
    if (!lacks.length)
      said.push(made("p", {}, "Press Run, or Ctrl + Enter in the form. The result so far is shown while it runs, with shrinking intervals."),
                made("p", {}, "A run belongs to the server: it survives a reload of this page, and the menu Runs opens it again."));
    at("empty").replaceChildren(made("h2", {}, `${at("purpose").textContent}.`), ...said, ...(lacks.length ? example_buttons() : []));
  }

  // Errors appear above the result, and next to the option that they name.
  function show_refusal(error, come = {}) {
    // A pasted file takes precedence: options that conflict with it are removed one by one.
    if (pasted && error.option && error.option !== pasted && error.option in values && /left out|omitted|instead|not given|cannot be combined/.test(error.legal ?? "")) {
      (displaced[pasted] ??= {})[error.option] = values[error.option];
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
    if (carried?.names.has(error.option) || (carried?.names.size && question.live && come.status === 2)) return leave_behind(error);
    failed = true;
    const named = error.option && fields[error.option] ? error.option : pasted;
    if (named) complain(named, named === error.option && !/^(not )?given/.test(error.legal) ? `${error.value === "" ? "empty" : error.value}: must be ${error.legal}` : error.message);
    const box = at("refusal");
    box.replaceChildren(error.message);
    if (come.too_long) box.append(button("Run in background", begin_run));
    box.hidden = false;
    at("peek").textContent = error.message;
    state(come.status === 4 ? "Stopped" : "No result");
    show_all();
  }
  // Values of another command that do not fit this one.
  function leave_behind(error) {
    const names = carried.names.has(error.option) ? [error.option] : [...carried.names];
    const usual = new Map(question.opening);
    carried.faults.push(`Not taken over from ${carried.from}: ${names.map((name) => `${bare(name)} ${values[name]}`.trim()).join(", ")} (${error.message})`);
    say(carried.faults);
    for (const name of names) {
      carried.names.delete(name);
      if (usual.has(name)) values[name] = usual.get(name);
      else delete values[name];
    }
    show_form();
    changed();
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
    const slow = setTimeout(() => { state("Computing"); show_moved(); }, 300);
    try {
      const come = await requested("api/ask", { ...sent, page }, control.signal);
      if (come.replaced || control.signal.aborted || viewed || question.name !== asked.question || (lacking().length && !is_of_form(asked))) return;
      forgive();
      if (come.error) return show_refusal(come.error, come);
      show_answer(come, asked, null);
      state(`Computed in ${duration(come.seconds)}${come.status === 1 ? ", not everything: see the status of the rows" : ""}`);
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
        if (question.live && !viewed && !lacking().length) ask(moving);
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
    const asked = asked_now();
    at("shell").textContent = texts.shell_line(asked);
    at("python").textContent = "import tailbound as tb\n" + texts.python_call(asked);
    if (viewed && question.live && viewed.asked && !is_of_form(viewed.asked)) leave_run();
    if (question.live && !viewed && !lacking().length) return ask(moving);
    if (!going() && lacking().length) {
      if (question.live) forget_answer();
      forgive();
    }
    if (!going()) state(lacking().length ? "No file yet" : answer ? (is_of_form(answer.asked) ? "Result of these parameters" : "Parameters changed: run again") : "Ready to run");
    show_all();
  }
  function forget_answer() {
    answer = null;
    failed = false;
    at("shown").replaceChildren();
    at("peek").textContent = "";
  }

  // --- runs: they belong to the server; the page shows one of them, and lists all

  async function begin_run() {
    if (at("run").disabled) return;
    const [lacks] = lacking();
    if (lacks) {
      complain(lacks.name, "select or paste a file");
      return fields[lacks.name].focus();
    }
    forgive();
    const asked = asked_now();
    state("Starting");
    at("run").disabled = true;
    try {
      const come = await requested("api/runs", asked);
      at("run").disabled = false;
      if (come.error) return show_refusal(come.error, come);
      if (viewed?.asked) write_entry("replaceState", viewed.asked);  // the entry of the previous run shows its settings
      else if (writes) write_entry("replaceState");
      forget_answer();
      view_run(come.run, asked);
      write_entry("pushState");
    } catch {
      at("run").disabled = false;
      lost();
    }
  }
  const polled = (seconds) => new Promise((done) => setTimeout(done, seconds < 3 ? 150 : 400));
  async function view_run(name, asked) {
    const own = viewed = { name, asked, ended: false };
    at("meter").value = 0;
    at("told").textContent = "";
    state("Running");
    show_all();
    list_runs().catch(lost);
    try {
      for (let seen = 0;;) {
        const now = await requested(`api/runs/${name}?seen=${seen}`);
        if (viewed !== own) return;
        if (now.state !== "runs") {
          own.ended = true;
          if (now.error) show_refusal(now.error, now);
          else {
            show_answer(now, asked, name);
            state(now.stopped ? `Stopped after ${duration(now.seconds)}: partial result` : `Done in ${duration(now.seconds)}`);
          }
          return list_runs();
        }
        if (now.html) {
          seen = now.looks;
          show_so_far(now.html);
        }
        at("meter").value = now.progress;
        at("told").textContent = progress_text(now);
        await polled(now.seconds);
        if (viewed !== own) return;
      }
    } catch {
      if (viewed === own) lost();
    }
  }
  function progress_text(run) {
    return `${Math.floor(100 * run.progress)} %, ${duration(run.seconds)}${run.left > 0 ? `, ${duration(run.left)} left` : ""}`;
  }
  function leave_run() {
    viewed = null;
    growing = null;
    forget_answer();
  }
  // The plot of the partial result: its error bars shrink as the simulation proceeds.
  let growing = null;
  function show_so_far(html) {
    const page = made("template", {});
    page.innerHTML = html;
    const figure = page.content.querySelector(".tb-picture");
    const title = "Partial result: " + (page.content.querySelector("h1")?.textContent ?? "");
    const settings = page.content.querySelector(".tb-settings") ?? "";
    const shown = at("shown");
    if (!figure) {
      growing = null;
      return shown.replaceChildren(made("p", { class: "wb-so-far" }, title), settings, ...page.content.querySelectorAll(".tb-lines"));
    }
    const data = tailbound.picture_data(figure);
    if (growing && shown.contains(growing.box)) {
      growing.title.textContent = title;
      return growing.chart.update(data);
    }
    const box = made("div", { class: "tb-chart" }), said = made("p", { class: "wb-so-far" }, title);
    shown.replaceChildren(said, settings, made("figure", { class: "tb-picture" }, box));
    growing = { box, title: said, chart: tailbound.chart(box, data) };
  }
  function show_controls() {
    at("progress").hidden = !going();
    at("controls").hidden = question.live && !going();
    at("run").disabled = going() && is_of_form(viewed.asked);
    at("stop").hidden = !going();
  }
  async function stop_run(name) {
    await requested(`api/runs/${name}/stop`, {}).catch(lost);
    await list_runs().catch(lost);
  }

  // The list is renewed while a run goes on, which also tells the server that a page is open.
  let lists = null;
  async function list_runs() {
    clearTimeout(lists);
    runs = (await requested("api/runs")).runs ?? [];
    show_runs();
    if (runs.some((run) => run.state === "runs")) lists = setTimeout(() => list_runs().catch(lost), 1000);
    return runs;
  }
  const items = new Map();  // by run: renewed in place, so that the focus stays
  function show_runs() {
    const active = runs.filter((run) => run.state === "runs").length;
    at("active").textContent = active ? ` (${active} running)` : runs.length ? ` (${runs.length})` : "";
    for (const name of items.keys()) if (!runs.some(({ run }) => run === name)) items.delete(name);
    for (const run of runs) {
      if (!items.has(run.run)) {
        const line = texts.shell_line({ ...run, files: {} }).replace("tailbound ", "");
        const said = made("span", {}), stop = button("Stop", () => stop_run(run.run), { "aria-label": `Stop ${line}` });
        items.set(run.run, { said, stop, root: made("li", {}, button(line, () => open_run(run.run), { class: "wb-open-run" }), said, stop) });
      }
      const { root, said, stop } = items.get(run.run);
      said.textContent = run.state === "runs" ? progress_text(run)
        : (run.error ? `no result: ${run.error.message}` : run.stopped ? `stopped after ${duration(run.seconds)}` : `done in ${duration(run.seconds)}`) + `, started ${duration(run.ago)} ago`;
      stop.hidden = run.state !== "runs";
      root.classList.toggle("wb-viewed", viewed?.name === run.run);
    }
    const list = [...at("runs-list").children], wanted = runs.map((run) => items.get(run.run).root);
    if (list.length !== wanted.length || list.some((item, i) => item !== wanted[i])) at("runs-list").replaceChildren(...wanted);
    at("no-runs").hidden = runs.length > 0;
  }
  const asked_of = async (name) => (await requested(`api/runs/${name}?asked&seen=${2 ** 31 - 1}`)).asked;
  async function open_run(name) {
    at("runs").open = false;
    try {
      const asked = await asked_of(name);
      if (asked) open_question(asked, "pushState", { name, asked });
      else await list_runs();
    } catch {
      lost();
    }
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
    const { run, asked } = answer;
    try {
      if (run && !(await list_runs()).some((one) => one.run === run)) return say(["The result of this run is no longer on the server: run it again"]);
      const come = run ? await fetch(`api/runs/${run}/${format}`)
        : await fetch(`api/answer/${format}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(asked) });
      if (!come.headers.get("Content-Disposition")) return say([(await come.json()).error?.message ?? "No result in this format"]);
      hand_over(await come.blob(), `tailbound-${asked.question.replaceAll(" ", "-")}.${ending}`);
    } catch {
      lost();
    }
  }
  function hand_over(blob, name) {
    const link = made("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }
  function keep() {
    if (!answer) return;
    comparison.add(answer);
    write_address();
    show_all();
    at("comparison").scrollIntoView({ block: "nearest" });
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

  // --- commands and entries

  function take(asked) {
    question = texts.declared(asked.question);
    values = Object.fromEntries(asked.options);
    files = { ...asked.files };
    at("question").value = question.name;
  }
  // Shows a form, and a run if given, in this entry of the history or in a new one.
  function open_question(asked, how, run = null) {
    if (writes) write_entry("replaceState");
    leave_run();
    take(asked);
    pasted = tried = carried = null;
    displaced = {};
    rests = clearTimeout(rests);
    say([]);
    show_form();
    forgive();
    if (run) view_run(run.name, run.asked);
    write_entry(how);
    changed();
  }
  function remember() {
    const usual = new Map(texts.opening(question.name).options);
    for (const option of question.options) {
      const text = values[option.name];
      if (text === undefined) delete shared[option.name];
      else if (usual.get(option.name) !== text || option.name in shared) shared[option.name] = { text, kind: option.kind, from: question.name, content: files[text] };
    }
    last[question.name] = asked_now();
  }
  // Fields that two commands share keep their values.
  function choose(name) {
    remember();
    const asked = last[name] ?? texts.opening(name);
    const mine = new Map(asked.options), contents = { ...asked.files }, names = new Set();
    let from = "";
    for (const option of texts.declared(name).options) {
      const other = shared[option.name];
      if (!other || other.kind !== option.kind || (option.choices && !option.choices.includes(other.text)) || mine.get(option.name) === other.text) continue;
      mine.set(option.name, other.text);
      if (option.kind === "file") contents[other.text] = other.content;
      names.add(option.name);
      from = other.from;
    }
    open_question({ question: name, options: [...mine], files: contents }, "pushState");
    carried = { from, names, faults: [] };
    pasted = question.options.find((option) => option.kind === "file" && names.has(option.name))?.name ?? null;
  }
  // The form of the address, with the run and the comparison of the entry; from a link, the newest run with its settings.
  async function open_entry(entry, with_comparison) {
    clearTimeout(writes);
    writes = null;
    const [first, ...others] = location.hash.slice(1).split("|");
    const read = entry?.asked ? { asked: entry.asked, faults: [] } : first ? texts.read_link(first) : { asked: null, faults: [] };
    const asked = read.asked ?? texts.opening(questions[0].name), faults = read.faults;
    const all = await list_runs();
    const names = entry ? [entry.run] : all.filter((run) => !texts.declared(asked.question).live && run.question === asked.question).map((run) => run.run);
    let run = null;
    for (const name of names) {
      const its = all.some((one) => one.run === name) ? await asked_of(name) : null;
      if (!its && name) faults.push("The result of this run is no longer on the server: run it again");
      if (!its || !(entry || texts.same(its, asked))) continue;
      run = { name, asked: its };
      break;
    }
    open_question(asked, "replaceState", run);
    say(faults);
    if (with_comparison) await open_comparison(entry?.kept ?? others.map((text) => texts.read_link(text)), faults);
  }
  async function open_comparison(kept, faults) {
    for (const one of kept) {
      faults.push(...(one.faults ?? []));
      if (!one.run && !one.asked) continue;
      const come = await requested(one.run ? `api/runs/${one.run}?asked` : "api/ask", one.run ? undefined : one.asked);
      const asked = one.asked ?? come.asked;
      if (come.html && asked) comparison.add({ asked, headline: come.headline, html: come.html, run: one.run ?? null });
      else faults.push(`Not in the comparison: ${asked ? texts.shell_line(asked) : "a run"} (${come.error?.message ?? "no result"})`);
    }
    if (faults.length) say(faults);
    if (!kept.length) return;
    write_address();
    show_all();
  }

  const heading = (name) => (name.startsWith("simulate") ? "Simulation" : name.startsWith("validate") ? "Model vs. simulation" : "Analysis");
  async function begin() {
    const come = await requested("api/questions");
    questions = come.questions;
    texts = query_texts(questions);
    comparison = comparison_of({ at, made, texts, hand_over, removed: () => { write_address(); show_all(); } });
    at("version").textContent = come.version;
    const groups = new Map();
    for (const { name } of questions) {
      const group = heading(name);
      if (!groups.has(group)) groups.set(group, made("optgroup", { label: group }));
      groups.get(group).append(made("option", { value: name }, name));
    }
    at("question").append(...groups.values());
    at("question").addEventListener("change", (event) => choose(event.target.value));
    const act = () => (question.live && !viewed ? (lacking().length || ask()) : begin_run());
    at("form").addEventListener("submit", (event) => {
      event.preventDefault();
      act();
    });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        act();
      }
      if (event.key === "Escape") at("saves").open = at("runs").open = false;
    });
    document.addEventListener("click", (event) => {
      for (const menu of [at("saves"), at("runs")]) if (!menu.contains(event.target)) menu.open = false;
    });
    at("runs").addEventListener("toggle", () => { if (at("runs").open) list_runs().catch(lost); });
    at("stop").addEventListener("click", () => { if (going()) stop_run(viewed.name); });
    at("keep").addEventListener("click", keep);
    at("link").addEventListener("click", () => {
      if (address().length > longest_link) return state("The files are too large for a link. Copy the command line instead.");
      write_entry("replaceState");
      copy(location.href, at("link"));
    });
    at("formats").append(...formats.map(([format, title, ending]) => made("button", { type: "button", "data-format": format, on: { click: () => save(format, ending) } }, title)));
    for (const button of document.querySelectorAll("[data-copies]"))
      button.addEventListener("click", () => copy(at(button.dataset.copies).textContent, button));
    at("peek").addEventListener("click", () => at("answer").scrollIntoView({ behavior: "smooth" }));
    new IntersectionObserver(([seen]) => at("peek").classList.toggle("wb-away", seen.isIntersecting), { threshold: 0.05 }).observe(at("shown"));
    document.querySelector(".wb-skip").addEventListener("click", (event) => { event.preventDefault(); at("answer").focus(); });
    addEventListener("popstate", (event) => open_entry(event.state, !event.state).catch(lost));
    await open_entry(history.state, true);
  }
  begin().catch(lost);
})();
