// A query {question, options, files} as a shell command, as a Python call and as a link.
"use strict";
const query_texts = (questions) => {
  const bare = (option) => option.replace(/^--/, "");
  const declared = (name) => questions.find((other) => other.name === name);
  const in_link = (name) => name.replaceAll(" ", "-");

  function key(asked) {
    return JSON.stringify([asked.question, asked.options, Object.entries(asked.files).sort()]);
  }
  const same = (one, other) => key(one) === key(other);

  function quoted(word) {
    return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
  }
  const kind_of = (asked, name) => declared(asked.question)?.options.find((option) => option.name === name)?.kind;
  function shell_line(asked) {
    const line = ["tailbound", asked.question];
    for (const [name, value] of asked.options) {
      const kind = kind_of(asked, name);
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
    const given = asked.options.map(([name, value]) => {
      const kind = kind_of(asked, name);
      if (kind === "flag" || (kind === "words" && value === "")) return `${python_name(name)}=True`;
      const number = kind !== "file" && /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/.test(value);
      const shown = number ? value : JSON.stringify(value);
      return name.startsWith("--") ? `${python_name(name)}=${shown}` : shown;
    });
    return `tb.${asked.question.replaceAll(" ", "_")}(${given.join(", ")})`;
  }

  function link_of(asked) {
    const parts = new URLSearchParams(asked.options.map(([name, value]) => [bare(name), value]));
    for (const [name, content] of Object.entries(asked.files)) parts.append("@" + name, content);
    return in_link(asked.question) + "?" + parts.toString();
  }

  // The number of letters to change, add or drop.
  function distance(one, other) {
    let row = [...Array(other.length + 1).keys()];
    for (let i = 1; i <= one.length; ++i) {
      const next = [i];
      for (let j = 1; j <= other.length; ++j)
        next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)));
      row = next;
    }
    return row[other.length];
  }
  function suggestion(name, names) {
    const [nearest] = names.map((other) => [other, distance(name, other)]).sort((a, b) => a[1] - b[1])[0];
    return distance(name, nearest) <= Math.max(1, name.length / 3) ? `; did you mean ${nearest}?` : "";
  }
  // The query (null if the command is unknown) and what is wrong, as sentences for the user.
  function read_link(text) {
    const [command, parameters] = [text.split("?", 1)[0], text.includes("?") ? text.slice(text.indexOf("?") + 1) : null];
    const found = questions.find((other) => in_link(other.name) === command);
    if (!found) return { asked: null, faults: [`Unknown command in the link: ${command}${suggestion(command, questions.map(({ name }) => in_link(name)))}`] };
    if (parameters === null) return { asked: opening(found.name), faults: [] };
    const asked = { question: found.name, options: [], files: {} }, faults = [];
    const come = [...new URLSearchParams(parameters)];
    for (const [name, value] of come) if (name.startsWith("@")) asked.files[name.slice(1)] = value;
    for (const option of found.options)
      for (const [name, value] of come)
        if (name === bare(option.name) && !asked.options.some(([other]) => other === option.name)) asked.options.push([option.name, value]);
    const names = found.options.map((option) => bare(option.name));
    for (const [name] of come)
      if (!name.startsWith("@") && !names.includes(name))
        faults.push(`Unknown parameter in the link, ignored: ${name}${suggestion(name, names)}`);
    return { asked: with_contents(asked, faults), faults };
  }
  // Without file names whose content is missing: those of examples, and of links that are too long.
  function with_contents(asked, faults = []) {
    const has = ([name, value]) => kind_of(asked, name) !== "file" || value in asked.files;
    for (const [name, value] of asked.options.filter((pair) => !has(pair)))
      faults.push(`The link names the file ${value} of ${bare(name)} without its content: select or paste it`);
    return { ...asked, options: asked.options.filter(has) };
  }
  function opening(name) {
    return with_contents({ question: name, options: declared(name).opening, files: {} });
  }
  return { bare, declared, same, shell_line, python_call, link_of, read_link, opening };
};
