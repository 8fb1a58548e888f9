"use strict";
// The page is whole without this; it adds sorting by column, and opening every question at once.
for (const table of document.querySelectorAll("table[data-sort]")) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];
  const first = [...body.rows];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...[...head.childNodes].filter((node) => node.nodeName !== "SMALL"));
    head.prepend(button);
    button.addEventListener("click", () => {
      const was = head.getAttribute("aria-sort");
      const now = was === "descending" ? "ascending" : was === "ascending" ? "none" : "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (now !== "none") head.setAttribute("aria-sort", now);
      body.append(...(now === "none" ? first : sorted(first, column, now === "ascending" ? 1 : -1)));
    });
  });
}
function sorted(rows, column, sign) {
  const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
  return [...rows].sort((a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    const difference = x - y;
    return sign * (Number.isNaN(difference) ? (x < y ? -1 : x > y ? 1 : 0) : difference);
  });
}
const questions = [...document.querySelectorAll("#worst details")];
if (questions.length) {
  const tools = document.querySelector("#worst .tools");
  const button = document.createElement("button");
  button.type = "button";
  const say = () => { button.textContent = questions.every((q) => q.open) ? "Close all" : "Open all"; };
  button.addEventListener("click", () => {
    const open = !questions.every((q) => q.open);
    questions.forEach((q) => { q.open = open; });
  });
  questions.forEach((q) => q.addEventListener("toggle", say));
  tools.append(button);
  say();
}
addEventListener("beforeprint", () => questions.forEach((q) => { q.open = true; }));
