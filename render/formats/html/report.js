// Makes a report interactive: numbers show their ends, tables can be sorted and copied, plots can be zoomed.
// Without this script the report is complete as text, tables and SVG. All controls are created here, so that none is
// visible without a function. Only classes are used for styles: the page's policy may forbid style attributes.
//
//   tailbound.enliven(element)        makes everything within it interactive; skips what already is
//   tailbound.chart(element, data)    draws data (from picture_data()) into an empty element; {update(data)}
//   tailbound.chart_of(element)       the chart drawn there
//   tailbound.picture_data(figure)    the data of a figure.tb-picture
//   tailbound.renew_picture(living, figure)   replaces a new figure with an interactive one, updated to its data
//   tailbound.csv(table)              a table as CSV with the ends of its numbers; csv_cell(text): one cell
//   tailbound.in_html(text)           plain text as HTML with superscript powers of ten; escaped(text): unchanged
//   tailbound.power_text(log, digits) 10^log as text, also outside the range of a double
"use strict";
const tailbound = (() => {
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => escapes[c]);

  function made(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  function button(text, act, label) {
    const element = made("button", { type: "button", class: "tb-button" }, text);
    if (label) element.setAttribute("aria-label", label);
    element.addEventListener("click", () => act(element));
    return element;
  }

  // For screen readers only.
  let said = null;
  function say(text) {
    if (!said) document.body.append((said = made("div", { class: "tb-said", role: "status", "aria-live": "polite" })));
    said.textContent = text;
  }

  async function copy(text, from) {
    const before = from.textContent;
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {  // pages that may use the clipboard only through a selection
      const area = made("textarea", { class: "tb-said" });
      area.value = text;
      from.after(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      from.focus();
    }
    from.textContent = done ? "Copied" : "Copy failed";
    say(from.textContent);
    setTimeout(() => { from.textContent = before; }, 1500);
  }

  // --- numbers

  // A decimal of any size as [sign, exponent, mantissa], so that 1e-400 sorts before 1e-399; null if not a number.
  function magnitude(text) {
    const parts = /^\s*([-+]?)(\d+)(?:\.(\d*))?(?:[eE]([-+]?\d+))?(?![\w/])/.exec(text);
    if (!parts) return null;
    const digits = parts[2] + (parts[3] || "");
    const first = digits.search(/[1-9]/);
    if (first < 0) return [0, 0, 0];
    const sign = parts[1] === "-" ? -1 : 1;
    const exponent = parts[2].length - 1 - first + Number(parts[4] || 0);
    return [sign, sign * exponent, sign * Number(digits[first] + "." + digits.slice(first + 1, first + 18))];
  }

  // The text of a cell for sorting and copying: with all digits that the page contains.
  const full = (cell) => cell.dataset.value ?? cell.dataset.low ?? cell.dataset.high ?? cell.textContent.trim();

  let tip = null;
  let tipped = null;
  function hide_tip() {
    if (tip) tip.hidden = true;
    if (tipped) tipped.removeAttribute("aria-describedby");
    tipped = null;
  }
  function place_tip(rect) {
    tip.hidden = false;
    const width = tip.offsetWidth, height = tip.offsetHeight, room = document.documentElement.clientWidth;
    const above = rect.top > height + 12;
    const x = Math.max(8, Math.min(rect.left + rect.width / 2 - width / 2, room - width - 8));
    tip.style.left = `${x + scrollX}px`;
    tip.style.top = `${(above ? rect.top - height - 8 : rect.bottom + 8) + scrollY}px`;
  }
  function made_tip() {
    if (!tip) document.body.append((tip = made("div", { class: "tb-tip", role: "tooltip", id: "tb-tip", hidden: "" })));
    return tip;
  }
  function show_number(element) {
    const number = element.dataset;
    const rows = [["value", number.value], ["exact value", number.exact], ["at least", number.low], ["at most", number.high]]
      .filter(([, text]) => text);
    made_tip().innerHTML = `<b>${escaped(number.kind)}</b>${number.sure ? ", " + escaped(number.sure) : ""}` +
      (rows.length ? `<dl>${rows.map(([name, text]) => `<dt>${name}</dt><dd>${in_html(text)}</dd>`).join("")}</dl>` : "");
    hide_tip();
    tipped = element;
    element.setAttribute("aria-describedby", "tb-tip");
    place_tip(element.getBoundingClientRect());
  }

  // --- tables

  function csv_cell(text) {
    return /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
  }

  function csv(table) {
    const told = (cell) => !cell.matches(".tb-ends");  // the CSV has separate columns for the ends
    const heads = [...table.tHead.rows[0].cells].filter(told).map((cell) => {
      const unit = cell.querySelector("small");
      const name = (cell.querySelector(".tb-sort") || cell).firstChild.textContent.trim();
      return unit ? `${name} [${unit.textContent.trim()}]` : name;
    });
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].filter(told));
    const with_ends = heads.map((_, i) => rows.some((row) => row[i] && row[i].dataset.low && row[i].dataset.high));
    const lines = [heads.flatMap((head, i) => (with_ends[i] ? [head, head + " lower", head + " upper"] : [head]))];
    for (const row of rows)
      lines.push(row.flatMap((cell, i) => {
        // A row heading contains its description in a span, a number its unit in <small>.
        const text = cell.tagName === "TH" ? cell.firstChild.textContent : cell.dataset.value ?? cell.textContent.trim();
        return with_ends[i] ? [text, cell.dataset.low ?? "", cell.dataset.high ?? ""] : [text];
      }));
    return lines.map((line) => line.map(csv_cell).join(",")).join("\n") + "\n";
  }

  function compare(a, b) {
    const x = magnitude(a), y = magnitude(b);
    if (x && y) return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
    if (x || y) return x ? -1 : 1;
    return a.localeCompare(b);
  }

  function sort_by(table, column) {
    const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
    table.rows_as_given ??= [...body.rows];
    const turn = { ascending: "descending", descending: "none" }[heads[column].getAttribute("aria-sort")] || "ascending";
    for (const head of heads) head.removeAttribute("aria-sort");
    if (turn === "none") return body.append(...table.rows_as_given);
    heads[column].setAttribute("aria-sort", turn);
    const keyed = table.rows_as_given.map((row) => [row.cells[column] ? full(row.cells[column]) : "", row]);
    keyed.sort((a, b) => (turn === "ascending" ? compare(a[0], b[0]) : compare(b[0], a[0])));
    body.append(...keyed.map(([, row]) => row));
  }

  // The numbers of a table are a single tab stop. Arrow keys move between them.
  function go_in(table, event) {
    const cell = event.target.closest("td[data-kind]");
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!cell || !by) return;
    const rows = [...table.tBodies[0].rows];
    let row = rows.indexOf(cell.parentElement), column = cell.cellIndex;
    for (;;) {
      row += by[0];
      column += by[1];
      const next = rows[row] && rows[row].cells[column];
      if (!next) break;
      if (!next.dataset.kind) continue;
      cell.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
      break;
    }
    event.preventDefault();
  }

  function enliven_table(box) {
    const table = box.querySelector("table");
    const sorts = table.tBodies[0].rows.length > 1;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!sorts || box.closest(".tb-found")) return;
      const sort = made("button", { type: "button", class: "tb-sort" }, ...head.childNodes);
      sort.addEventListener("click", () => sort_by(table, column));
      head.append(sort);
    });
    const first = table.querySelector("td[data-kind]");
    if (first) first.tabIndex = 0;
    table.addEventListener("keydown", (event) => go_in(table, event));
    const scroll = table.parentElement;
    const mark = () => box.classList.toggle("tb-more", scroll.scrollLeft + scroll.clientWidth < scroll.scrollWidth - 2);
    scroll.addEventListener("scroll", mark, { passive: true });
    new ResizeObserver(mark).observe(scroll);
    box.prepend(made("div", { class: "tb-tools" },
                     button("Copy CSV", (pressed) => copy(csv(table), pressed), `Copy as CSV: ${table.caption.textContent}`)));
  }

  // --- pictures

  const colours = 6, told_apart = 12, most_markers = 300;
  const on_top = (curve) => (curve.style === "bars" || curve.style === "marks" ? 1 : 0);
  const neutral = (curve) => curve.style === "rule" || curve.style === "marks";
  const is_data = (curve) => !neutral(curve) && curve.style !== "dashed";

  // Class and color of a curve, as in the static SVG.
  function look(curve, number, count) {
    if (neutral(curve)) return 'class="tb-neutral"';
    const place = curve.place ?? number;
    if (count <= told_apart) return `class="tb-c${place % colours}${Math.floor(place / colours) % 2 ? " tb-dash" : ""}"`;
    const hue = 250 - (250 * (place % count)) / (count - 1);
    return `class="tb-many" stroke="hsl(${hue.toFixed(0)} 70% 48%)" fill="hsl(${hue.toFixed(0)} 70% 48%)"`;
  }

  // Typesets powers of ten in text that is already escaped.
  const minus = (text) => text.replace(/(^|[\s([=,;])-(?=\d)/g, "$1\u2212");
  const typeset = (text, raised) => minus(text).replace(/<=|&lt;=/g, "\u2264").replace(/(&gt;|>)=/g, "\u2265").replace(/\+-/g, "\u00b1")
    .replace(/(?<![\w./-])(\d+(?:\.\d+)?)e([-+]?)0*(\d+)(?![\w])/g, (_, mantissa, sign, digits) =>
      (/^1(\.0+)?$/.test(mantissa) ? "10" : `${mantissa}\u00a0\u00d7\u00a010`) + raised((sign === "-" ? "\u2212" : "") + digits));
  // Names of the pictures on the page, which stay as they are written.
  const names = new Set();
  let any_name = null;
  function keep_names(more) {
    const count = names.size;
    for (const name of more || []) names.add(name);
    if (names.size === count) return;
    const longest_first = [...names].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    any_name = new RegExp(`(?<!\\w)(${longest_first.join("|")})(?!\\w)`);
  }
  // Split at a group, every second piece is a name.
  const in_pieces = (text, set) => any_name ? text.split(any_name).map((piece, i) => (i % 2 ? escaped : set)(piece)).join("") : set(text);
  const in_html = (text) => in_pieces(text, (piece) => typeset(escaped(piece), (power) => `<sup>${power}</sup>`));
  // Text after an exponent returns to the baseline.
  const in_svg = (text) => in_pieces(text, (piece) => typeset(escaped(piece), (power) => `<tspan dy="-4.6" font-size="9">${power}</tspan><tspan dy="4.6">\u200b</tspan>`))
    .replace(/<tspan dy="4.6">\u200b<\/tspan>$/, "");

  const as_shown = (text) => in_svg(text).replace(/<[^>]*>/g, "");

  const measures = {};
  const widths = new Map();
  function width_of(text, size = 12) {
    const key = `${size} ${text}`;
    if (!widths.has(key)) {
      if (!measures[size]) {
        measures[size] = document.createElement("canvas").getContext("2d");
        measures[size].font = `${size}px ${getComputedStyle(document.body).fontFamily}`;
      }
      if (widths.size > 5000) widths.clear();
      widths.set(key, measures[size].measureText(text).width);
    }
    return widths.get(key);
  }
  function lines_of(text, size, room) {
    const lines = [];
    for (const word of text.split(/\s+/)) {
      const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
      if (lines.length && width_of(longer, size) <= room) lines[lines.length - 1] = longer;
      else lines.push(word);
    }
    return lines;
  }
  // A line through a single point would be invisible.
  const has_markers = (curve) => ["marks", "bars", "points", "span"].includes(curve.style) || curve.x.length === 1;
  const has_line = (curve) => !["marks", "bars", "points"].includes(curve.style);

  function marker(x, y, kind) {
    const at = `M${x.toFixed(1)} ${y.toFixed(1)}`;
    if (kind % 4 === 0) return `${at}m-3.5 0a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0`;
    if (kind % 4 === 1) return `${at}m-3.5 -3.5h7v7h-7z`;
    if (kind % 4 === 2) return `${at}m0 -4.6l4.2 7.2h-8.4z`;
    return `${at}m0 -4.6l4.6 4.6l-4.6 4.6l-4.6 -4.6z`;
  }

  // 1, 2 or 5 times a power of ten that divides the span into at most `most` steps.
  function step_of(span, most) {
    const power = 10 ** Math.floor(Math.log10(span / most));
    return ([1, 2, 5].find((factor) => span / (factor * power) <= most * (1 + 1e-9)) || 10) * power;
  }

  // `largest` of the axis: all its numbers have one form.
  function tick_text(value, step, largest) {
    if (Math.abs(value) < step / 2) return "0";
    const digits = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
    if (digits > 5 || largest >= 1e7) return value.toPrecision(Math.max(1, Math.min(12, Math.ceil(Math.log10(Math.abs(value) / step)) + 1)));
    return value.toFixed(digits);
  }

  // 10^log, also outside the range of a double: "8.704e-316".
  function power_text(log, digits = 4) {
    if (log > -5 && log < 6) return String(Number((10 ** log).toPrecision(digits)));
    let exponent = Math.floor(log);
    let mantissa = (10 ** (log - exponent)).toPrecision(digits);
    if (Number(mantissa) >= 10) [mantissa, exponent] = [(1).toPrecision(digits), exponent + 1];
    return `${mantissa}e${exponent}`;
  }

  // Ticks of a logarithmic axis, [place, text]: integer powers of ten, or 1, 2 and 5 times these, or finer.
  const few_powers = 2.75;
  function power_ticks(low, high, most) {
    const ticks = [];
    if (high - low >= few_powers) {
      const step = Math.max(1, step_of(high - low, most));
      for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9; ++i) ticks.push([i * step, `1e${Math.round(i * step)}`]);
      return ticks;
    }
    const e = Math.floor(low);
    const from = 10 ** (low - e), to = 10 ** (high - e);  // in units of 10^e, from 1 to 1000
    const wide = high - low > 0.7;
    const step = wide ? 0 : step_of(to - from, most);
    const values = [];
    if (wide) for (let p = 0; p < 4; ++p) values.push(10 ** p, 2 * 10 ** p, 5 * 10 ** p);
    else for (let i = Math.ceil(from / step); i * step <= to; ++i) values.push(i * step);
    for (const value of values) {
      if (value < from * (1 - 1e-9) || value > to * (1 + 1e-9)) continue;
      const log = e + Math.log10(value);
      const digits = wide ? 1 : Math.max(1, Math.ceil(Math.log10(value) - Math.log10(step) - 1e-9) + 1);
      ticks.push([log, power_text(log, Math.min(digits, 12))]);
    }
    return ticks;
  }

  // The part of a line from a to b that is near the plot, in pixels; null if none is.
  const far = 1e4;
  function clipped(a, b) {
    if ([...a, ...b].every((value) => Math.abs(value) <= far)) return [a, b];
    let [from, to] = [0, 1];
    for (const axis of [0, 1]) {
      const along = b[axis] - a[axis];
      const ends = [(-far - a[axis]) / along, (far - a[axis]) / along].sort((s, t) => s - t);
      if (along === 0 && Math.abs(a[axis]) > far) return null;
      if (along !== 0) [from, to] = [Math.max(from, ends[0]), Math.min(to, ends[1])];
    }
    if (from > to) return null;
    const at = (t) => (t === 0 ? a : t === 1 ? b : [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
    return [at(from), at(to)];
  }

  let hints = 0;
  class Chart {
    constructor(host, data) {
      this.host = host;
      this.hidden = new Set();
      this.key = made("ul", { class: "tb-key" });
      this.canvas = made("div", { class: "tb-canvas" });
      this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      this.canvas.append(this.svg);
      const tools = made("div", { class: "tb-tools" });
      this.axis = button("", () => this.turn_axis());
      tools.append(this.axis, button("Zoom in", () => this.zoom(0.5)), button("Zoom out", () => this.zoom(2)),
                   button("Reset zoom", () => this.show_all()));
      this.everything = button("Hide all curves", () => this.switch_all());
      tools.prepend(this.everything);
      this.hint = made("p", { class: "tb-hint" });
      this.hint.textContent = "Drag to zoom, double-click to reset. Keys: arrows follow a curve, + and - zoom, Shift+arrows pan, 0 resets the view.";
      host.append(this.key, tools, this.canvas, this.hint);
      this.svg.setAttribute("class", "tb-svg tb-alive");
      this.svg.setAttribute("tabindex", "0");
      this.svg.setAttribute("role", "application");
      this.svg.setAttribute("aria-roledescription", "chart");
      this.hint.id = `tb-hint-${++hints}`;
      this.svg.setAttribute("aria-describedby", this.hint.id);
      this.listen();
      this.update(data);
      new ResizeObserver(() => this.svg.clientWidth !== this.width && this.draw()).observe(this.canvas);
    }

    // Replaces the data. A zoomed view is kept.
    update(data) {
      const same_axes = this.data && this.data.x === data.x && this.data.y === data.y && this.zoomed;
      this.data = data;
      this.log = data.powers || data.log;
      this.here = null;
      this.count = data.curves.filter(is_data).length;
      const label = `${data.title}. ${data.curves.length} curve${data.curves.length === 1 ? "" : "s"}: ` +
        `${data.y} versus ${data.x}.`;
      this.svg.setAttribute("aria-label", label);
      this.everything.hidden = data.curves.length <= told_apart;
      this.place();
      this.find_whole();
      if (!same_axes) this.view = { ...this.whole };
      this.draw_key();
      this.draw();
    }

    // y in axis coordinates: log10 on a logarithmic axis; null if it cannot be shown.
    placed(value) {
      if (value === null || value === undefined) return null;
      if (this.data.powers || !this.log) return value;
      return value > 0 ? Math.log10(value) : null;
    }
    place() {
      this.curves = this.data.curves.map((curve) => {
        const ys = curve.y.map((y) => this.placed(y));
        let sorted = true;
        for (let i = 1; i < curve.x.length; ++i) sorted &&= curve.x[i] >= curve.x[i - 1];
        return { ...curve, ys, sorted, lows: curve.low?.map((y) => this.placed(y)), highs: curve.high?.map((y) => this.placed(y)) };
      });
      const can_turn = !this.data.powers && this.data.curves.some((curve) => curve.y.some((y) => y > 0));
      this.axis.hidden = !can_turn;
      this.axis.textContent = this.log ? "Linear axis" : "Logarithmic axis";
    }

    turn_axis() {
      this.log = !this.log;
      this.place();
      this.find_whole();
      this.view = { ...this.whole };
      this.draw();
      say(this.log ? "Logarithmic axis" : "Linear axis");
    }

    // Range of the visible points with x from a to b.
    extent(a = -Infinity, b = Infinity) {
      let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
      this.curves.forEach((curve, number) => {
        if (this.hidden.has(number)) return;
        for (let i = 0; i < curve.x.length; ++i) {
          const x = curve.x[i], y = curve.ys[i];
          if (x === null || y === null || x < a || x > b) continue;
          x0 = Math.min(x0, x);
          x1 = Math.max(x1, x);
          y0 = Math.min(y0, y);
          y1 = Math.max(y1, y, curve.highs?.[i] ?? y);
        }
      });
      return { x0, x1, y0, y1 };
    }
    find_whole() {
      if (this.data.view && this.hidden.size === 0 && this.log === (this.data.powers || this.data.log)) {
        const [x0, x1, y0, y1] = this.data.view;  // as in the static picture
        this.whole = { x0, x1, y0, y1 };
        return;
      }
      const all = this.extent();
      if (all.x0 > all.x1) return void (this.whole = { x0: 0, x1: 1, y0: 0, y1: 1 });
      const margin = all.x1 > all.x0 ? 0.02 * (all.x1 - all.x0) : 0.5;
      this.whole = { x0: all.x0 - margin, x1: all.x1 + margin };
      if (this.log) {
        this.whole.y0 = Math.floor(all.y0);
        this.whole.y1 = Math.max(Math.ceil(all.y1), this.whole.y0 + 1);
      } else {
        this.whole.y0 = Math.min(all.y0, 0);
        this.whole.y1 = all.y1 > this.whole.y0 ? all.y1 + 0.06 * (all.y1 - this.whole.y0) : this.whole.y0 + 1;
      }
    }

    get zoomed() {
      return ["x0", "x1", "y0", "y1"].some((end) => this.view[end] !== this.whole[end]);
    }

    // --- drawing

    x(value) { return this.left + ((value - this.view.x0) / (this.view.x1 - this.view.x0)) * this.inner_width; }
    y(value) { return this.top + ((this.view.y1 - value) / (this.view.y1 - this.view.y0)) * this.inner_height; }
    x_at(pixel) { return this.view.x0 + ((pixel - this.left) / this.inner_width) * (this.view.x1 - this.view.x0); }
    y_at(pixel) { return this.view.y1 - ((pixel - this.top) / this.inner_height) * (this.view.y1 - this.view.y0); }

    draw() {
      this.width = this.canvas.clientWidth || this.width || 860;  // 0 while detached from the page
      this.height = Math.round(Math.max(300, Math.min(444, this.width * 0.5163)));
      [this.top, this.right] = [14, 18];
      this.inner_height = this.height - this.top - 52;
      const { x0, x1, y0, y1 } = this.view;
      const most = Math.max(3, Math.floor(this.inner_height / 36));
      let y_ticks;
      if (this.log) {
        y_ticks = power_ticks(y0, y1, most);
      } else {
        const step = step_of(y1 - y0, most);
        y_ticks = [];
        for (let i = Math.ceil(y0 / step - 1e-9); i * step <= y1 + 1e-9 * step; ++i) y_ticks.push([i * step, tick_text(i * step, step, Math.max(-y0, y1))]);
      }
      const y_label = lines_of(this.data.y, 13, this.inner_height);
      this.left = 26 + 17 * y_label.length + Math.max(8, ...y_ticks.map(([, text]) => width_of(as_shown(text))));
      this.inner_width = this.width - this.left - this.right;
      const foot = this.top + this.inner_height;
      let grid = "", ticks = "";
      for (const [at, text] of y_ticks) {
        const y = this.y(at).toFixed(1);
        grid += `M${this.left} ${y}h${this.inner_width}`;
        ticks += `<text x="${this.left - 8}" y="${Number(y) + 4}" text-anchor="end">${in_svg(text)}</text>`;
      }
      // As many as fit without overlapping labels.
      let x_ticks = [];
      for (let most_x = 10; most_x >= 1; --most_x) {
        const step = this.data.xpowers ? Math.max(1, step_of(x1 - x0, most_x)) : step_of(x1 - x0, most_x);
        x_ticks = [];
        if (this.data.xpowers) x_ticks = power_ticks(x0, x1, most_x);
        else for (let i = Math.ceil(x0 / step - 1e-9); i * step <= x1 + 1e-9 * step; ++i) x_ticks.push([i * step, tick_text(i * step, step, Math.max(-x0, x1))]);
        const widest = Math.max(0, ...x_ticks.map(([, text]) => width_of(as_shown(text))));
        if ((widest + 14) * x_ticks.length <= this.inner_width || x_ticks.length <= 2) break;
      }
      for (const [at, text] of x_ticks) {
        const x = this.x(at).toFixed(1);
        grid += `M${x} ${this.top}V${foot}`;
        ticks += `<text x="${x}" y="${foot + 18}" text-anchor="middle">${in_svg(text)}</text>`;
      }
      const order = [...this.curves.keys()].sort((a, b) => on_top(this.curves[a]) - on_top(this.curves[b]) || a - b);
      const curves = order.map((number) => (this.hidden.has(number) ? "" : this.curve_svg(this.curves[number], number))).join("");
      // Markers at the border are drawn in full; a zoomed plot is clipped.
      const play = this.zoomed ? 0 : 6;
      const frame = [this.left - play, this.top - play, this.inner_width + 2 * play, this.inner_height + 2 * play];
      this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
      this.svg.innerHTML = `<path class="tb-grid" d="${grid}"/><path class="tb-axis" d="M${this.left} ${this.top}V${foot}H${this.width - this.right}"/>` +
        `<g class="tb-ticks">${ticks}</g>` +
        `<text class="tb-label" x="${this.left + this.inner_width / 2}" y="${foot + 40}" text-anchor="middle">${in_svg(this.data.x)}</text>` +
        y_label.map((line, i) => `<text class="tb-label" transform="translate(${18 + 17 * i} ${this.top + this.inner_height / 2}) rotate(-90)" text-anchor="middle">${in_svg(line)}</text>`).join("") +
        `<path class="tb-cross" visibility="hidden"/>` +
        `<svg x="${frame[0]}" y="${frame[1]}" width="${frame[2]}" height="${frame[3]}" viewBox="${frame.join(" ")}">${curves}</svg>` +
        `<g class="tb-neutral">${this.labels_svg()}</g>` +
        `<rect class="tb-box" width="0" height="0" hidden=""/><circle class="tb-here" r="5" visibility="hidden"/>`;
      this.cross = this.svg.querySelector(".tb-cross");
      this.box = this.svg.querySelector(".tb-box");
      this.mark = this.svg.querySelector(".tb-here");
      if (this.here) this.show_point(false);
    }

    // The points to draw: those in view and one on either side, reduced to the minimum and maximum per pixel column.
    visible(curve) {
      const points = [];
      const { x0, x1 } = this.view;
      let from = 0, to = curve.x.length - 1;
      if (curve.sorted) {
        while (from < to && curve.x[from + 1] < x0) ++from;
        while (to > from && curve.x[to - 1] > x1) --to;
      }
      const group = Math.max(1, Math.floor((2 * (to - from)) / Math.max(400, this.inner_width * 2)));
      for (let i = from; i <= to; i += group) {
        let least = -1, greatest = -1;
        for (let j = i; j < Math.min(i + group, to + 1); ++j) {
          if (curve.ys[j] === null || curve.x[j] === null) continue;
          if (least < 0 || curve.ys[j] < curve.ys[least]) least = j;
          if (greatest < 0 || curve.ys[j] > curve.ys[greatest]) greatest = j;
        }
        if (least < 0) continue;
        points.push(Math.min(least, greatest));
        if (least !== greatest) points.push(Math.max(least, greatest));
      }
      return points;
    }

    curve_svg(curve, number) {
      const points = this.visible(curve);
      const place = curve.place ?? number;
      // Coordinates far outside the plot would lose precision. Clamping suffices for steps and marks.
      const within = (y) => Math.max(-far, Math.min(far, y));
      // A dashed line or rule of two points at the same x is a limit, drawn over the full height.
      const limit = ["dashed", "rule"].includes(curve.style) && curve.x.length === 2 && curve.x[0] === curve.x[1];
      let line = "";
      if (limit) {
        line = `M${this.x(curve.x[0]).toFixed(1)} ${this.top}V${this.top + this.inner_height}`;
      } else if (curve.style === "steps") {
        for (const i of points) {
          const x = within(this.x(curve.x[i])).toFixed(1), y = within(this.y(curve.ys[i])).toFixed(1);
          line += line ? `H${x}V${y}` : `M${x} ${y}`;
        }
      } else if (has_line(curve)) {
        let last = null, end = null;
        for (const i of points) {
          const here = [this.x(curve.x[i]), this.y(curve.ys[i])];
          const part = last && clipped(last, here);
          if (part) {
            if (end !== part[0]) line += `M${part[0][0].toFixed(1)} ${part[0][1].toFixed(1)}`;
            line += `L${part[1][0].toFixed(1)} ${part[1][1].toFixed(1)}`;
          }
          end = part && part[1];
          last = here;
        }
      }
      let svg = line ? `<path class="tb-curve tb-${curve.style}" d="${line}"/>` : "";
      if (curve.style === "bars") {
        let bars = "";
        for (const i of points) {
          const high = curve.highs?.[i], x = this.x(curve.x[i]) - 3;
          if (high === undefined || high === null) continue;
          const low = Math.max(this.view.y0, curve.lows[i] ?? this.view.y0);  // open end: down to the axis
          bars += `M${x.toFixed(1)} ${within(this.y(high)).toFixed(1)}h6m-3 0V${within(this.y(low)).toFixed(1)}m-3 0h6`;
        }
        svg += `<path class="tb-curve tb-bars" d="${bars}"/>`;
      }
      const kind = curve.style === "marks" ? 0 : place;
      // Of a computed line, the points requested.
      const marked = has_markers(curve) ? points.map((i) => [curve.x[i], curve.ys[i]])
        : (curve.marked?.x ?? []).map((x, i) => [x, this.placed(curve.marked.y[i])]).filter(([x, y]) => x !== null && y !== null);
      if (marked.length && (marked.length <= most_markers || !has_line(curve)))
        svg += `<path class="tb-marker" d="${marked.map(([x, y]) => marker(within(this.x(x)), within(this.y(y)), kind)).join("")}"/>`;
      return `<g ${look(curve, number, this.count)} data-number="${number}">${svg}</g>`;
    }

    // Labels next to their marks, without overlaps or clipping; those of the last points first.
    labels_svg() {
      const taken = [], texts = [];
      const foot = this.top + this.inner_height, end = this.left + this.inner_width;
      const lines = this.curves.filter((curve, number) => !this.hidden.has(number) && !on_top(curve) && curve.style !== "rule")
        .map((curve) => this.visible(curve).map((i) => [this.x(curve.x[i]), this.y(curve.ys[i])]));
      const crossed = (at, length) => lines.some((line) => line.some(([x, y], i) => {
        if (i === 0) return false;
        const [a, b] = line[i - 1];
        if (Math.max(a, x) < at.x || Math.min(a, x) > at.x + length) return false;
        const steps = 1 + Math.min(500, Math.floor(Math.hypot(x - a, y - b) / 4));
        for (let k = 0; k <= steps; ++k) {
          const px = a + ((x - a) * k) / steps, py = b + ((y - b) * k) / steps;
          if (px > at.x && px < at.x + length && py > at.y && py < at.y + 15) return true;
        }
        return false;
      }));
      this.curves.forEach((curve, number) => {
        if (!curve.labels || this.hidden.has(number)) return;
        for (let i = curve.x.length; i-- > 0;) {
          const label = curve.labels[i], x = this.x(curve.x[i]), y = this.y(curve.ys[i]);
          if (!label || curve.ys[i] === null || x < this.left - 5 || x > end + 5 || y < this.top - 5 || y > foot + 5) continue;
          const length = width_of(as_shown(label));
          const boxes = [[7, -20], [-7 - length, 7], [7, 7], [-7 - length, -20], [7, -34], [-7 - length, 21]]
            .map(([right, down]) => ({ x: x + right, y: y + down }))
            .filter((at) => at.x >= this.left && at.x + length <= this.width && at.y >= this.top - 6 && at.y + 15 <= foot &&
              taken.every((other) => at.x >= other.x + other.length || at.x + length <= other.x || at.y >= other.y + 15 || at.y + 15 <= other.y));
          const box = boxes.find((at) => !crossed(at, length)) ?? boxes[0];
          if (!box) continue;
          taken.push({ ...box, length });
          texts.push(`<text x="${box.x.toFixed(1)}" y="${(box.y + 11).toFixed(1)}">${in_svg(label)}</text>`);
        }
      });
      return texts.join("");
    }

    // The current view as a standalone SVG file with legend, colors and background.
    svg_file() {
      const style = getComputedStyle(document.documentElement);
      const colour = (name) => style.getPropertyValue(name).trim();
      const samples = [...this.key.querySelectorAll(".tb-sample")].map((sample) => sample.innerHTML);
      const entries = this.curves.map((curve, number) => ({ curve, number })).filter(({ curve }) => curve.title)
        .map((entry, i) => ({ ...entry, sample: samples[i] })).filter(({ number }) => !this.hidden.has(number));
      const keys = entries.map(({ curve, sample }, i) => {
        return `<g transform="translate(${this.left} ${12 + 19 * i})">${sample}<text x="32" y="10" fill="${colour("--tb-ink")}">${in_svg(curve.title)}</text></g>`;
      }).join("");
      const head = 12 + 19 * entries.length + 6;
      const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).map((rule) => rule.cssText)
        .filter((rule) => /^\.tb-(svg|grid|axis|curve|bars|dashed|rule|steps|dash|marker|c\d|neutral|many|label)/.test(rule)).join("\n")
        .replace(/var\((--tb-[\w-]+)\)/g, (_, name) => colour(name));
      return `<svg xmlns="http://www.w3.org/2000/svg" class="tb-svg" width="${this.width}" height="${this.height + head}" viewBox="0 0 ${this.width} ${this.height + head}">` +
        `<style>${escaped(rules)} text { font: 12px Helvetica, Arial, sans-serif; }</style><rect width="100%" height="100%" fill="${colour("--tb-card")}"/>` +
        `${keys}<g transform="translate(0 ${head})">${this.svg.innerHTML.replace(/ hidden=""/, ' visibility="hidden"').replaceAll("&nbsp;", "\u00a0")}</g></svg>`;
    }

    draw_key() {
      this.key.replaceChildren();
      this.curves.forEach((curve, number) => {
        if (!curve.title) return;
        const line = curve.style === "bars" ? '<path class="tb-curve tb-bars" d="M13 0V12"/>'
          : has_line(curve) ? `<path class="tb-curve tb-${curve.style}" d="M0 6H26"/>` : "";
        const mark = has_markers(curve) || curve.marked ? `<path class="tb-marker" d="${marker(13, 6, curve.style === "marks" ? 0 : curve.place ?? number)}"/>` : "";
        const pressed = made("button", { type: "button", "aria-pressed": String(!this.hidden.has(number)) });
        pressed.innerHTML = `<svg class="tb-sample" viewBox="0 0 26 12" aria-hidden="true"><g ${look(curve, number, this.count)}>${line}${mark}</g></svg><span>${in_html(curve.title)}</span>`;
        pressed.addEventListener("click", () => this.switch_curve(number, pressed));
        for (const [event, on] of [["pointerenter", true], ["pointerleave", false], ["focus", true], ["blur", false]])
          pressed.addEventListener(event, () => this.stress(on ? number : null));
        this.key.append(made("li", {}, pressed));
      });
      this.key.hidden = this.key.childElementCount < 2;
    }

    stress(number) {
      for (const group of this.svg.querySelectorAll("[data-number]"))
        group.classList.toggle("tb-faded", number !== null && !this.hidden.has(number) && group.dataset.number !== String(number));
    }

    switch_curve(number, pressed) {
      const was_zoomed = this.zoomed;
      if (!this.hidden.delete(number)) this.hidden.add(number);
      pressed.setAttribute("aria-pressed", String(!this.hidden.has(number)));
      this.after_switch(was_zoomed);
    }
    switch_all() {
      const was_zoomed = this.zoomed, hide = this.hidden.size === 0;
      this.hidden = new Set(hide ? this.curves.keys() : []);
      for (const pressed of this.key.querySelectorAll("button")) pressed.setAttribute("aria-pressed", String(!hide));
      this.after_switch(was_zoomed);
    }
    after_switch(was_zoomed) {
      this.everything.textContent = this.hidden.size === 0 ? "Hide all curves" : "Show all curves";
      this.hide_point();
      this.find_whole();
      if (!was_zoomed) this.view = { ...this.whole };
      this.draw();
    }

    // --- zooming

    // Zooming ends at the precision of a double.
    look_at(view) {
      const fine = (a, b) => b - a > 1e-11 * Math.max(1e-300, Math.abs(a), Math.abs(b));
      if (!fine(view.x0, view.x1) || !fine(view.y0, view.y1)) return;
      this.view = view;
      this.draw();
    }
    // Zooms about the selected point, or the center.
    zoom(factor) {
      const { x0, x1, y0, y1 } = this.view;
      const point = this.here && this.curves[this.here.curve];
      const cx = point ? point.x[this.here.point] : (x0 + x1) / 2, cy = point ? point.ys[this.here.point] : (y0 + y1) / 2;
      this.look_at({ x0: cx - (cx - x0) * factor, x1: cx + (x1 - cx) * factor, y0: cy - (cy - y0) * factor, y1: cy + (y1 - cy) * factor });
    }
    move(right, up) {
      const { x0, x1, y0, y1 } = this.view, dx = 0.2 * right * (x1 - x0), dy = 0.2 * up * (y1 - y0);
      this.look_at({ x0: x0 + dx, x1: x1 + dx, y0: y0 + dy, y1: y1 + dy });
    }
    show_all() {
      this.hide_point();
      this.view = { ...this.whole };
      this.draw();
    }
    // Zooms to a range of x; y adapts to the points there.
    look_at_range(x0, x1) {
      const there = this.extent(x0, x1);
      if (there.y0 > there.y1) return this.look_at({ ...this.view, x0, x1 });
      const margin = 0.06 * (there.y1 - there.y0) || 0.5 * Math.abs(there.y0) || 0.5;
      this.look_at({ x0, x1, y0: there.y0 - margin, y1: there.y1 + margin });
    }

    // --- reading

    // The nearest visible point within `reach` pixels.
    nearest(px, py, reach) {
      let best = null;
      this.curves.forEach((curve, number) => {
        if (this.hidden.has(number) || curve.style === "rule") return;
        for (const i of this.visible(curve)) {
          const distance = Math.hypot(this.x(curve.x[i]) - px, this.y(curve.ys[i]) - py);
          if (distance < (best?.distance ?? reach)) best = { curve: number, point: i, distance };
        }
      });
      return best;
    }
    value_text(curve, value) {
      if (value === null || value === undefined) return "?";
      return this.log ? power_text(value, 5) : String(Number(value.toPrecision(7)));
    }
    // Points of the other curves at about this x: the current step, or the nearest point.
    at_place(x) {
      const found = [];
      this.curves.forEach((curve, number) => {
        if (this.hidden.has(number) || curve.style === "rule" || curve.style === "marks" || curve.x.length === 0) return;
        let best = -1;
        curve.x.forEach((other, i) => {
          if (other === null || curve.ys[i] === null || (curve.style === "steps" && other > x)) return;
          if (best < 0 || Math.abs(other - x) < Math.abs(curve.x[best] - x)) best = i;
        });
        const near = best >= 0 && (curve.style === "steps" || Math.abs(this.x(curve.x[best]) - this.x(x)) < 25);
        if (near) found.push({ curve: number, point: best });
      });
      return found;
    }
    point_text(curve, i) {
      const text = this.value_text(curve, curve.ys[i]);
      return curve.highs ? `${text} (${this.value_text(curve, curve.lows[i])} .. ${this.value_text(curve, curve.highs[i])})` : text;
    }
    show_point(aloud) {
      const curve = this.curves[this.here.curve], i = this.here.point;
      const x = this.x(curve.x[i]), y = this.y(curve.ys[i]);
      this.mark.setAttribute("cx", x);
      this.mark.setAttribute("cy", y);
      const inside = x >= this.left - 1 && x <= this.width && y >= this.top - 6 && y <= this.top + this.inner_height + 6;
      for (const shown of [this.mark, this.cross]) shown.setAttribute("visibility", inside ? "visible" : "hidden");
      if (!inside) return hide_tip();
      this.cross.setAttribute("d", `M${x.toFixed(1)} ${this.top}V${this.top + this.inner_height}`);
      const name = curve.labels?.[i] || curve.title || this.data.y;
      const place = this.data.xpowers ? power_text(curve.x[i], 5) : String(Number(curve.x[i].toPrecision(9)));
      const others = this.at_place(curve.x[i]).filter((one) => one.curve !== this.here.curve);
      const most = 11;
      const rows = others.slice(0, most).map((one) => [this.curves[one.curve].title || this.data.y, this.point_text(this.curves[one.curve], one.point)]);
      const more = others.length > most ? `<dt>${others.length - most} more</dt><dd></dd>` : "";
      const row = ([what, text]) => `<dt>${in_html(what)}</dt><dd>${in_html(text)}</dd>`;
      made_tip().innerHTML = `<b>${in_html(name)}</b><dl>${row([this.data.x, place])}${row([this.data.y, this.point_text(curve, i)])}</dl>` +
        (rows.length ? `<dl class="tb-others">${rows.map(row).join("")}${more}</dl>` : "");
      hide_tip();
      place_tip(this.mark.getBoundingClientRect());
      if (aloud) say(`${name}: ${this.data.x} ${place}, ${this.data.y} ${this.point_text(curve, i)}`);
    }
    hide_point() {
      this.here = null;
      for (const shown of [this.mark, this.cross]) shown?.setAttribute("visibility", "hidden");
      hide_tip();
    }
    // Moves along the curve, or to another curve at about the same x.
    go(right, down) {
      const shown = [...this.curves.keys()].filter((number) => !this.hidden.has(number) && this.curves[number].style !== "rule" && this.curves[number].ys.some((y) => y !== null));
      if (shown.length === 0) return;
      if (!this.here) {
        const first = shown[0];
        this.here = { curve: first, point: this.curves[first].ys.findIndex((y) => y !== null) };
      } else if (right) {
        const ys = this.curves[this.here.curve].ys;
        let i = this.here.point + right;
        while (i >= 0 && i < ys.length && ys[i] === null) i += right;
        if (i >= 0 && i < ys.length) this.here.point = i;
      } else {
        const x = this.curves[this.here.curve].x[this.here.point];
        const next = shown[(shown.indexOf(this.here.curve) + down + shown.length) % shown.length];
        let best = -1;
        this.curves[next].x.forEach((other, i) => {
          if (this.curves[next].ys[i] !== null && (best < 0 || Math.abs(other - x) < Math.abs(this.curves[next].x[best] - x))) best = i;
        });
        this.here = { curve: next, point: best };
      }
      this.bring_into_view();
      this.show_point(true);
    }
    bring_into_view() {
      const curve = this.curves[this.here.curve], x = curve.x[this.here.point], y = curve.ys[this.here.point];
      const view = { ...this.view };
      for (const [value, low, high] of [[x, "x0", "x1"], [y, "y0", "y1"]]) {
        const span = view[high] - view[low];
        if (value < view[low]) [view[low], view[high]] = [value - 0.1 * span, value + 0.9 * span];
        if (value > view[high]) [view[low], view[high]] = [value - 0.9 * span, value + 0.1 * span];
      }
      if (view.x0 !== this.view.x0 || view.y0 !== this.view.y0) this.look_at(view);
    }

    listen() {
      let start = null;
      const at = (event) => {
        const rect = this.svg.getBoundingClientRect(), scale = this.width / rect.width;
        return [(event.clientX - rect.left) * scale, (event.clientY - rect.top) * scale];
      };
      const clamp = ([x, y]) => [Math.max(this.left, Math.min(this.width - this.right, x)), Math.max(this.top, Math.min(this.top + this.inner_height, y))];
      const low = 16;  // pixels: a flatter box selects a range of x
      const box_of = (a, b) => {
        const flat = Math.abs(a[1] - b[1]) < low;
        return { x: Math.min(a[0], b[0]), w: Math.abs(a[0] - b[0]), y: flat ? this.top : Math.min(a[1], b[1]), h: flat ? this.inner_height : Math.abs(a[1] - b[1]), flat };
      };
      this.svg.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        start = clamp(at(event));
        this.svg.setPointerCapture(event.pointerId);
      });
      this.svg.addEventListener("pointermove", (event) => {
        const now = at(event);
        if (!start) {
          const found = this.nearest(now[0], now[1], 40);
          if (!found) return this.hide_point();
          this.here = found;
          return this.show_point(false);
        }
        const box = box_of(start, clamp(now));
        for (const [name, value] of [["x", box.x], ["y", box.y], ["width", box.w], ["height", box.h]]) this.box.setAttribute(name, value);
        this.box.removeAttribute("hidden");
        this.hide_point();
      });
      const end = (event, cancelled) => {
        if (!start) return;
        const box = box_of(start, clamp(at(event)));
        start = null;
        this.box.setAttribute("hidden", "");
        this.box.setAttribute("width", 0);
        if (cancelled || box.w < 6) return;
        if (box.flat) this.look_at_range(this.x_at(box.x), this.x_at(box.x + box.w));
        else this.look_at({ x0: this.x_at(box.x), x1: this.x_at(box.x + box.w), y0: this.y_at(box.y + box.h), y1: this.y_at(box.y) });
      };
      this.svg.addEventListener("pointerup", (event) => end(event, false));
      this.svg.addEventListener("pointercancel", (event) => end(event, true));
      this.svg.addEventListener("pointerleave", () => !start && document.activeElement !== this.svg && this.hide_point());
      this.svg.addEventListener("dblclick", () => this.show_all());
      this.svg.addEventListener("blur", () => this.hide_point());
      this.svg.addEventListener("keydown", (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
        if (by && event.shiftKey) this.move(by[0], by[1]);
        else if (by) this.go(by[0], -by[1]);
        else if (event.key === "+" || event.key === "=") this.zoom(0.5);
        else if (event.key === "-") this.zoom(2);
        else if (event.key === "0" || event.key === "Home") this.show_all();
        else if (event.key === "Escape") this.hide_point();
        else return;
        event.preventDefault();
      });
    }
  }

  const charts = new WeakMap();
  function chart(element, data) {
    const drawn = new Chart(element, data);
    charts.set(element, drawn);
    return drawn;
  }

  function picture_data(figure) {
    const data = JSON.parse(figure.querySelector(".tb-data").textContent);
    keep_names(data.names);
    return data;
  }

  // Replaces the static drawing with the interactive chart.
  function enliven_picture(figure) {
    const data = picture_data(figure);
    figure.querySelector(".tb-key")?.remove();
    const former = figure.querySelector(".tb-canvas");
    const host = made("div", { class: "tb-chart" });
    former.replaceWith(host);
    figure.append(chart(host, data).hint);  // after the note of the picture
  }

  // Puts an interactive figure in the place of a new static one, and updates it to the new data.
  function renew_picture(living, figure) {
    const drawn = charts.get(living.querySelector(".tb-chart"));
    if (!drawn) return false;
    living.querySelector("figcaption").replaceChildren(...figure.querySelector("figcaption").childNodes);
    living.querySelector(".tb-picture-note")?.remove();
    const note = figure.querySelector(".tb-picture-note");
    if (note) living.querySelector(".tb-chart").after(note);
    living.querySelector(".tb-data").textContent = figure.querySelector(".tb-data").textContent;
    figure.replaceWith(living);
    drawn.update(picture_data(living));
    return true;
  }

  // --- everything

  const alive = new WeakSet();
  const each = (element, selector, act) => {
    for (const found of [...element.querySelectorAll(selector), ...(element.matches?.(selector) ? [element] : [])])
      if (!alive.has(found)) {
        alive.add(found);
        act(found);
      }
  };

  function enliven(element) {
    each(element, ".tb-table", enliven_table);
    each(element, ".tb-picture", enliven_picture);
    each(element, ".tb-command, .tb-text", (section) => {
      const code = section.querySelector("code");
      section.querySelector("pre").before(made("div", { class: "tb-tools" },
                                               button("Copy", (pressed) => copy(code.textContent, pressed), "Copy the text")));
    });
  }

  const number_at = (event) => event.target.closest?.("[data-kind]");
  document.addEventListener("pointerover", (event) => { const number = number_at(event); if (number) show_number(number); });
  document.addEventListener("pointerout", (event) => { if (number_at(event) && tipped !== document.activeElement) hide_tip(); });
  document.addEventListener("focusin", (event) => { const number = number_at(event); if (number) show_number(number); else if (tipped) hide_tip(); });
  document.addEventListener("focusout", (event) => { if (number_at(event)) hide_tip(); });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape" && tipped) hide_tip(); });
  document.addEventListener("scroll", (event) => { if (tipped && event.target !== document) hide_tip(); }, true);
  addEventListener("beforeprint", () => { for (const folded of document.querySelectorAll(".tb-answer details")) folded.open = true; });

  return { enliven, chart, picture_data, renew_picture, csv, csv_cell, power_text, escaped, in_html, chart_of: (element) => charts.get(element) };
})();
globalThis.tailbound = tailbound;
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => tailbound.enliven(document.body));
else tailbound.enliven(document.body);
