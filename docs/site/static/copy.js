// A block of commands has a button that copies what one types: lines that begin with "$ " or ">>> " (and their
// continuations) without these, or the whole block if there are none. Prompts are not selected with the text, and what a
// command prints is set apart from it.
const PROMPT = /^(\$|>>>|\.\.\.) /;

function typed(lines) {
  if (!lines.some((line) => /^(\$|>>>) /.test(line))) return null;
  let goes_on = false;
  return lines.map((line) => {
    const starts = PROMPT.test(line);
    const is = starts || goes_on;
    goes_on = is && line.endsWith("\\");
    return is;
  });
}

function mark(pre, lines, is_typed) {
  pre.replaceChildren(...lines.map((line, i) => {
    const span = document.createElement("span");
    span.className = is_typed[i] ? "typed" : "printed";
    const prompt = is_typed[i] ? line.match(PROMPT)?.[0] ?? "" : "";
    if (prompt) {
      const mark = document.createElement("span");
      mark.className = "prompt";
      mark.textContent = prompt;
      span.append(mark);
    }
    span.append(line.slice(prompt.length) + (i + 1 < lines.length ? "\n" : ""));
    return span;
  }));
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A page that is read from a folder may have no clipboard.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function button(of, text) {
  const made = document.createElement("button");
  made.className = "copy";
  made.type = "button";
  made.textContent = "Copy";
  made.addEventListener("click", async () => {
    await copy(text);
    made.textContent = "Copied";
    setTimeout(() => { made.textContent = "Copy"; }, 1500);
  });
  of.append(made);
}

for (const pre of document.querySelectorAll("article .highlight > pre")) {
  const lines = pre.textContent.replace(/\n$/, "").split("\n");
  const is_typed = typed(lines);
  // Python keeps its colours.
  if (is_typed && !pre.querySelector("span[class]")) mark(pre, lines, is_typed);
  const text = is_typed ? lines.filter((_, i) => is_typed[i]).map((line) => line.replace(PROMPT, "")).join("\n") : lines.join("\n");
  button(pre.parentElement, text);
}
// The command of a row is cut to a line; it is copied whole.
for (const code of document.querySelectorAll("table.reproduce td:last-child code")) {
  code.title = code.textContent;
  button(code.closest("td"), code.textContent);
}
