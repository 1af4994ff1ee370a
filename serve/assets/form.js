// The fields of a form, made from the declarations of the options.
"use strict";
const form_fields = ({ made, bare, value_of, content_of, change, paste, sweep, draws }) => {
  const words = (text) => text.replace(/\s+/g, " ");
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
      input.addEventListener("input", () => paste(option.name, value_of(option.name) ?? usual, input.value));
      chooser.addEventListener("change", async () => {
        const file = chooser.files[0];
        if (!file) return;
        if (file.size > 6e7) return complain("the file is too large: a request may have 4 MiB");  // the server would not read it to its end
        input.value = await file.text();
        paste(option.name, file.name.replace(/^[.\s]+|[\/\u0000-\u001f]/g, "") || usual, input.value);
      });
      set = (text) => { input.value = text === null ? "" : content_of(text); };
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
        if (draws) {
          let before = null;
          against = made("button", { type: "button", class: "wb-against", title: `Plot results over a range of ${bare(option.name)}`, on: { click: () => {
            const list = several(input.value) ? before ?? text_at(option.slider, slider.value) : list_around(option.slider);
            before = several(input.value) ? null : input.value;
            input.value = list;
            follow();
            sweep(option.name, list, before);
          } } }, "sweep");
          label.append(against);
        }
        follow();
      }
    }
    if (!top.parentNode) root.append(top);
    root.append(wrong, help);
    function complain(text) {
      wrong.textContent = text;
      if (text) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
      if (text) for (let up = root.parentElement; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
    }
    return { root, set, complain, focus: () => input.focus() };
  }

  function folded(title, names, ...content) {
    return made("details", {}, made("summary", {}, title, made("span", {}, names.map((name) => bare(name).replaceAll("-", " ")).join(", "))), ...content);
  }

  return { field_of, folded };
};
