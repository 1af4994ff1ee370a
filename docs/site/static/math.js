// Sets what Sphinx wrote as \( .. \) and \[ .. \], once the page is there.
document.addEventListener("DOMContentLoaded", () => {
  for (const element of document.querySelectorAll(".math")) {
    const text = element.textContent.trim();
    const display = text.startsWith("\\[");
    const formula = text.replace(/^\\[[(]/, "").replace(/\\[\])]$/, "");
    if (window.katex) katex.render(formula, element, {displayMode: display, throwOnError: false});
  }
});
