// Results kept for comparison: their curves in one plot for each pair of axes, and downloads of all of them.
"use strict";
const comparison_of = ({ at, made, texts, hand_over, removed }) => {
  const { bare, same, shell_line } = texts;
  const kept = [];       // results with their queries and pictures
  let compared = null;   // on display: {all, names, panels}
  let charts = new Map();

  const pictures = (html) => {
    const box = document.createElement("template");
    box.innerHTML = html;
    return [...box.content.querySelectorAll(".tb-picture")].map(tailbound.picture_data);
  };
  function add({ asked, headline, html, run }) {
    if (!kept.some((one) => same(one.asked, asked))) kept.push({ asked, headline, html, run, pictures: pictures(html) });
  }

  // Names each result by the parameters in which the results differ.
  function labels(all) {
    const options = all.map((one) => new Map(one.asked.options));
    const names = [...new Set(options.flatMap((option) => [...option.keys()]))];
    const differ = names.filter((name) => options.some((option) => option.get(name) !== options[0].get(name)));
    const several = new Set(all.map((one) => one.asked.question)).size > 1;
    return all.map((one, i) => {
      const said = differ.filter((name) => options[i].has(name)).map((name) => (bare(name) + " " + options[i].get(name)).trim());
      return (several ? [one.asked.question, ...said] : said).join(", ") || one.asked.question;
    });
  }
  const axes = (data) => JSON.stringify([data.x, data.y, !data.powers, !data.xpowers]);
  // One panel for each pair of axes: {key, title, data, names}.
  function panels_of(all, names) {
    const panels = new Map();
    all.forEach((one, i) => {
      for (const data of one.pictures) {
        const key = axes(data);
        if (!panels.has(key)) panels.set(key, { key, parts: [] });
        panels.get(key).parts.push({ name: names[i], data });
      }
    });
    return [...panels.values()].map(({ key, parts }) => {
      const data = { ...parts[0].data, note: "", curves: curves_of(parts) };
      delete data.view;  // it is that of the first result only
      data.title = `${data.y} versus ${data.x}: ${[...new Set(parts.map((part) => part.name))].join("; ")}`;
      return { key, data };
    });
  }
  // Data curves are colored in this order. A target shared by several results is drawn once.
  function curves_of(parts) {
    const curves = [], targets = new Set();
    let place = 0;
    for (const { name, data } of parts)
      for (const curve of data.curves) {
        if (curve.style === "rule") {
          if (!targets.has(curve.title)) curves.push(curve);
          targets.add(curve.title);
          continue;
        }
        // Only the last mark of each result is labeled, to avoid clutter.
        const labels = curve.labels?.map((label, i) => (i === curve.labels.length - 1 ? label : ""));
        const is_data = curve.style !== "marks";
        curves.push({ ...curve, ...(labels && { labels }), place: is_data ? place++ : 0, title: is_data ? [name, curve.title].filter(Boolean).join(": ") : "" });
      }
    return curves;
  }

  // `now` is the result of the form, if it has one.
  function show(now) {
    at("comparison").hidden = kept.length === 0;
    if (kept.length === 0) {
      charts = new Map();
      return at("together").replaceChildren();
    }
    const all = now && !kept.some((one) => same(one.asked, now.asked)) ? [...kept, { ...now, pictures: pictures(now.html), now: true }] : [...kept];
    const names = labels(all), panels = panels_of(all, names);
    const drawn = panels.length > 0 && all.length > 1;
    at("save-page").hidden = all.length < 2;
    at("save-csv").hidden = at("save-svg").hidden = !drawn;
    at("kept").replaceChildren(...all.map((one, i) => {
      const said = made("p", { class: "wb-headline" });
      said.innerHTML = tailbound.in_html(one.headline);
      const item = made("li", {}, made("b", {}, names[i] + (one.now ? " (current)" : "")), said);
      if (!one.pictures.length) item.append(made("p", { class: "wb-headline" }, "No curves: in full on the HTML page, not in the plots, CSV and SVG."));
      if (!one.now) item.append(made("button", { type: "button", class: "tb-button", "aria-label": `Remove ${names[i]}`, on: { click: () => { kept.splice(kept.indexOf(one), 1); removed(); } } }, "Remove"));
      return item;
    }));
    compared = { all, names, panels };
    if (!drawn) {
      charts = new Map();
      return at("together").replaceChildren(made("p", {}, panels.length ? "Change a parameter to plot both results together."
        : "These results have no plot. Click \u201csweep\u201d next to a parameter to create one."));
    }
    const before = charts;
    charts = new Map();
    const boxes = panels.map(({ key, data }) => {
      const chart = before.get(key) ?? { box: made("div", { class: "tb-chart" }), caption: made("figcaption", {}) };
      chart.figure ??= made("figure", { class: "tb-picture" }, chart.caption, chart.box);
      chart.caption.textContent = panels.length > 1 ? data.title : "";
      charts.set(key, chart);
      return chart.figure;
    });
    const shown = [...at("together").children];
    if (shown.length !== boxes.length || shown.some((box, i) => box !== boxes[i])) at("together").replaceChildren(...boxes);
    for (const { key, data } of panels) {
      const chart = charts.get(key);
      if (chart.living) chart.living.update(data);
      else chart.living = tailbound.chart(chart.box, data);
    }
  }

  // --- downloads

  // Logarithms have ten digits, of which those before the point are lost to the value.
  function power(log) {
    return tailbound.power_text(log, 9 - Math.max(0, Math.ceil(Math.log10(Math.abs(log) + 1e-300))));
  }
  function csv() {
    const block = ({ data }) => {
      const number = (value, powers) => (value === null || value === undefined ? "" : powers ? power(value) : String(value));
      const lines = [["setting", data.x, data.y, "lower", "upper"]];
      for (const curve of data.curves)
        curve.x.forEach((x, i) => lines.push([curve.title || curve.labels?.[i] || "", number(x, data.xpowers), ...[curve.y, curve.low, curve.high].map((ys) => number(ys?.[i], data.powers))]));
      return lines.map((line) => line.map((text) => tailbound.csv_cell(String(text))).join(",")).join("\n") + "\n";
    };
    return compared.panels.map(block).join("\n");
  }
  const drawing = ({ key }) => charts.get(key).living.svg_file();
  // The panels one below the other.
  function svg() {
    const files = compared.panels.map(drawing);
    if (files.length === 1) return files[0];
    const sizes = files.map((file) => /width="([\d.]+)" height="([\d.]+)"/.exec(file).slice(1).map(Number));
    const width = Math.max(...sizes.map(([wide]) => wide));
    let y = 0;
    const parts = files.map((file, i) => {
      const part = file.replace("<svg ", `<svg y="${y}" `);
      y += sizes[i][1];
      return part;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}">${parts.join("")}</svg>`;
  }
  // A self-contained page with all compared results.
  async function page() {
    const [style, script] = await Promise.all(["report.css", "report.js"].map(async (name) => (await fetch(name)).text()));
    const { escaped } = tailbound;
    const figures = at("together").querySelector(".tb-chart") ? compared.panels.map((panel) =>
      `<figure class="tb-picture"><figcaption>${escaped(panel.data.title)}</figcaption><div class="tb-canvas">${drawing(panel)}</div>` +
      `<script type="application/json" class="tb-data">${JSON.stringify(panel.data).replaceAll("<", "\\u003c")}</` + "script></figure>").join("\n") : "";
    const each = compared.all.map((one, i) => `<hr>\n<h2>${escaped(compared.names[i])}</h2><pre>${escaped(shell_line(one.asked))}</pre>${one.html}`).join("\n");
    const own = ".tb-page main > .tb-answer > :is(.tb-picture, hr, h2) { margin-top: 2.5rem; } .tb-page main > .tb-answer > pre { white-space: pre-wrap; overflow-wrap: anywhere; margin-bottom: 2rem; }";
    return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
      `<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">` +
      `<title>tailbound: ${escaped(compared.names.join(", "))}</title><style>${style} ${own}</style></head>\n<body class="tb-page"><main>` +
      `<article class="tb-answer"><header><h1>Comparison of ${compared.all.length} results</h1></header>${figures}${each}</article>` +
      `</main><script>${script}</` + "script></body></html>\n";
  }
  for (const [ending, type, text] of [["csv", "text/csv", csv], ["svg", "image/svg+xml", svg], ["html", "text/html", page]])
    at(ending === "html" ? "save-page" : `save-${ending}`).addEventListener("click", async () => hand_over(new Blob([await text()], { type }), `tailbound-comparison.${ending}`));
  return { kept, add, show };
};
