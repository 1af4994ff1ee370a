// Results show the text of their pages from search_texts.js: a page read from a folder may fetch nothing.
const page_of = (url) => url.slice(DOCUMENTATION_OPTIONS.URL_ROOT.length).replace(/\.html$/, "");
window.fetch = async (url) => ({text: async () => PAGE_TEXTS[page_of(url)]});
// An option's name is that of its command and its own: "simulate switch --memory", not "simulate-switch.--memory".
const found_objects = Search.performObjectSearch;
Search.performObjectSearch = (...asked) => found_objects(...asked).map(([page, name, ...rest]) =>
  [page, name.replace(/^([^.]+)\.-/, (all, command) => `${command.replaceAll("-", " ")} -`), ...rest]);
Search.htmlToText = (text) => text;
