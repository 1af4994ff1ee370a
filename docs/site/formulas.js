// Every formula of the pages is one that KaTeX understands. formulas.js PAGE...; exit 1 if not.
const katex = require("/usr/share/javascript/katex/katex.js");
const fs = require("fs");
let formulas = 0, wrong = 0;
for (const page of process.argv.slice(2)) {
  const text = fs.readFileSync(page, "utf8").replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, "");
  const look = (formula, displayMode) => {
    ++formulas;
    try {
      katex.renderToString(formula, {displayMode, strict: false});
    } catch (error) {
      ++wrong;
      console.error(`${page}: ${formula}: ${error.message}`);
    }
    return "";
  };
  const inline = text.replace(/^\$\$\n([\s\S]*?)\n\$\$/gm, (all, formula) => look(formula, true));
  if (inline.replace(/\$([^$\n]+)\$/g, (all, formula) => look(formula, false)).includes("$")) {
    ++wrong;
    console.error(`${page}: a $ that begins or ends nothing`);
  }
}
if (wrong > 0) console.error(`${wrong} of ${formulas} formulas are wrong`);
process.exit(wrong > 0 ? 1 : 0);
