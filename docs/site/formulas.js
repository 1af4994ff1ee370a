// Sets formulas: each line of standard input is JSON {formula, display}, each line of the output {html} or {error}.
const katex = require("/usr/share/javascript/katex/katex.js");
const lines = require("readline").createInterface({input: process.stdin});
lines.on("line", (line) => {
  const {formula, display} = JSON.parse(line);
  let result;
  try {
    result = {html: katex.renderToString(formula, {displayMode: display, strict: false})};
  } catch (error) {
    result = {error: error.message};
  }
  console.log(JSON.stringify(result));
});
