"use strict";
// The page is whole without this: it adds sorting, filtering, light and dark, and what opens.
const make = (name, given = {}, ...inside) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && key !== "list") node[key] = value;
    else node.setAttribute(key, value);
  }
  node.append(...inside);
  return node;
};
const sorted = (rows, key, sign) => [...rows].sort((a, b) => {
  const [x, y] = [key(a), key(b)];
  if (x === "" || y === "") return (x === "") - (y === "");
  const difference = x - y;
  return sign * (Number.isNaN(difference) ? (x < y ? -1 : x > y ? 1 : 0) : difference);
});
const turned = (heads, head) => {
  const was = head.getAttribute("aria-sort");
  const now = was === "descending" ? "ascending" : was === "ascending" ? "none" : "descending";
  heads.forEach((other) => other.removeAttribute("aria-sort"));
  if (now !== "none") head.setAttribute("aria-sort", now);
  return now;
};
for (const table of document.querySelectorAll("table[data-sort]")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const first = [...body.rows];
  heads.forEach((head, column) => {
    const button = make("button", { type: "button" });
    button.append(...[...head.childNodes].filter((node) => node.nodeName !== "SMALL"));
    head.prepend(button);
    button.addEventListener("click", () => {
      const now = turned(heads, head);
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      body.append(...(now === "none" ? first : sorted(first, key, now === "ascending" ? 1 : -1)));
    });
  });
  if (first.length < 8) continue;
  const said = make("output");
  const field = make("input", { type: "search", placeholder: "Filter rows", oninput: () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => words.every((word) => row.cells[0].textContent.toLowerCase().includes(word));
    first.forEach((row) => { row.hidden = !fits(row); });
    said.value = words.length ? `${first.filter((row) => !row.hidden).length} of ${first.length}` : "";
  } });
  field.setAttribute("aria-label", `Filter rows: ${table.parentNode.getAttribute("aria-label")}`);
  table.parentNode.before(make("p", { className: "tools" }, field, " ", said));
}
// A row under the pointer or the focus brings its system to the front in every figure.
const front = (at) => {
  for (const svg of document.querySelectorAll("figure svg")) {
    const own = at === undefined ? [] : [...svg.querySelectorAll(`[id$="-of-${at}"]`)];
    svg.classList.toggle("dim", own.length > 0);
    svg.querySelectorAll(".lit").forEach((node) => node.classList.remove("lit"));
    own.forEach((node) => node.classList.add("lit"));
  }
};
for (const row of document.querySelectorAll("tr[data-of]")) {
  row.addEventListener("pointerenter", () => front(row.dataset.of));
  row.addEventListener("pointerleave", () => front());
}
const questions = [...document.querySelectorAll("#worst details")];
if (questions.length) {
  const button = make("button", { type: "button" });
  const say = () => { button.textContent = questions.every((q) => q.open) ? "Close all" : "Open all"; };
  button.addEventListener("click", () => {
    const open = !questions.every((q) => q.open);
    questions.forEach((q) => { q.open = open; });
  });
  questions.forEach((q) => q.addEventListener("toggle", say));
  document.querySelector("#worst .tools").append(button);
  say();
}
const themes = { auto: "Light or dark: as the system", light: "Light", dark: "Dark" };
const theme = make("button", { type: "button", onclick: () => {
  const names = Object.keys(themes);
  show(names[(names.indexOf(document.documentElement.dataset.theme ?? "auto") + 1) % 3]);
} });
const show = (name) => {
  if (name === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = name;
  theme.textContent = themes[name];
};
show("auto");
document.querySelector(".page-tools").append(theme);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => {
  if (!one.open) { one.open = true; one.dataset.printed = ""; }
}));
addEventListener("afterprint", () => document.querySelectorAll("[data-printed]").forEach((one) => {
  one.open = false;
  delete one.dataset.printed;
}));
