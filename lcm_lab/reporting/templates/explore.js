// Every question, from the data in the page: a table to sort and filter, and a dialog that opens one.
{
  const data = JSON.parse(document.getElementById("data")?.textContent ?? "null");
  const host = document.getElementById("explorer");
  if (data && host) {
    const PAGE = 50;
    const keys = [...document.getElementById("keys").children];
    const icon = (at) => keys[at].cloneNode(true);
    const board = [...document.querySelectorAll("#result tbody tr[data-of]")];
    const order = board.length ? board.map((row) => +row.dataset.of) : data.systems.map((_, i) => i);
    const told = (value) => (value === null ? "–" : data.unit ? String(value) : value.toFixed(2).replace(/^0/, ""));
    const when = (minutes) => (minutes === "" ? "" : new Date(minutes * 6e4).toISOString().slice(0, 16).replace("T", " "));
    const found = (topic, at) => topic.gold.some(([sign, grade]) => grade >= data.relevant && topic.hits[at].includes(sign));
    let rows = data.topics, shown = PAGE, by = null, open = -1;
    const hidden = new Set();

    // What is asked of the table.
    const text = make("input", { type: "search", placeholder: "Words of the question, or its id" });
    text.setAttribute("aria-label", "Filter questions by words");
    const choice = (name, options) => make("label", {}, `${name} `, make("select", { ariaLabel: name }, ...options.map(([value, said]) => new Option(said, value))));
    const types = [...new Set(data.topics.map((topic) => topic.type))].filter(Boolean);
    const systems = [["", "any"], ...order.map((at) => [String(at), data.systems[at]])];
    const type = choice("Type", [["", "all"], ...types.map((name) => [name, name])]);
    const finds = choice("Found by", systems);
    const lacks = choice("missed by", systems);
    const count = make("output");
    const form = make("form", { className: "tools ask", onsubmit: (event) => event.preventDefault() }, text, ...(types.length > 1 ? [type] : []), finds, lacks, count);
    const value = (label) => label.querySelector("select").value;

    // The table.
    const heads = [];
    const head = (given, key, look = "") => {
      const node = make("th", { scope: "col", className: look }, make("button", { type: "button", onclick: () => {
        const now = turned(heads, node);
        by = now === "none" ? null : { key, sign: now === "ascending" ? 1 : -1 };
        refresh();
      } }, ...given));
      heads.push(node);
      return node;
    };
    const score = (at) => (topic) => topic.values[at] ?? "";
    const names = order.map((at) => {
      const node = head([icon(at), make("span", { className: "vertical" }, data.systems[at])], score(at));
      node.title = `Sort by ${data.measure} of ${data.systems[at]}`;
      return node;
    });
    const body = make("tbody");
    const table = make("table", { className: "questions" }, make("thead", {}, make("tr", {},
      head(["Question"], (topic) => topic.query), ...(types.length > 1 ? [head(["Type"], (topic) => topic.type, "word")] : []), ...names)), body);
    const more = make("button", { type: "button", onclick: () => { shown += PAGE; draw(); } });
    const scroll = make("div", { className: "scroll", tabIndex: 0 }, table);
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", "Every question");
    const line = (topic, at) => {
      const opener = make("button", { type: "button", className: "opener", dir: "auto", onclick: () => look(at) }, topic.query);
      const cells = order.map((system) => {
        const cell = make("td", { className: "heat" }, told(topic.values[system]));
        cell.style.setProperty("--m", topic.values[system] ?? 0);
        return cell;
      });
      const row = make("tr", { onclick: (event) => { if (event.target !== opener) look(at); } },
        make("th", { scope: "row" }, opener), ...(types.length > 1 ? [make("td", { className: "word" }, topic.type)] : []), ...cells);
      return row;
    };
    const draw = () => {
      body.replaceChildren(...rows.slice(0, shown).map(line));
      more.hidden = shown >= rows.length;
      more.textContent = `Show ${Math.min(PAGE, rows.length - shown)} more`;
      count.value = `${rows.length.toLocaleString("en")} of ${data.topics.length.toLocaleString("en")} questions`;
    };
    const refresh = () => {
      const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
      const [kind, has, not] = [types.length > 1 ? value(type) : "", value(finds), value(lacks)];
      rows = data.topics.filter((topic) => words.every((word) => `${topic.qid} ${topic.query}`.toLowerCase().includes(word))
        && (!kind || topic.type === kind) && (has === "" || found(topic, +has))
        && (not === "" || (topic.gold.some(([, grade]) => grade >= data.relevant) && !found(topic, +not))));
      if (by) rows = sorted(rows, by.key, by.sign);
      shown = PAGE;
      draw();
    };
    form.addEventListener("input", refresh);
    host.append(form, scroll, make("p", { className: "tools" }, more));
    host.hidden = false;
    draw();

    // One question.
    const dialog = make("dialog", { className: "question" });
    const title = make("h2", { id: "asked", dir: "auto" });
    const facts = make("p", { className: "facts" });
    const gold = make("ul", { className: "messages wanted" });
    const lists = make("div", { className: "lists", tabIndex: 0 });
    lists.setAttribute("role", "region");
    lists.setAttribute("aria-label", "The first hits of every system");
    const place = make("output");
    const step = (by) => { if (rows[open + by]) look(open + by); };
    const before = make("button", { type: "button", onclick: () => step(-1) }, "← Previous");
    const after = make("button", { type: "button", onclick: () => step(1) }, "Next →");
    const whole = make("button", { type: "button", onclick: () => {
      whole.textContent = dialog.classList.toggle("whole") ? "Short texts" : "Whole texts";
    } }, "Whole texts");
    const shut = make("button", { type: "button", onclick: () => dialog.close() }, "Close");
    const chips = make("p", { className: "tools chips" }, ...order.map((at) => {
      const box = make("input", { type: "checkbox", checked: true, onchange: () => {
        if (box.checked) hidden.delete(at); else hidden.add(at);
        look(open);
      } });
      return make("label", {}, box, icon(at), data.systems[at]);
    }));
    dialog.setAttribute("aria-labelledby", "asked");
    dialog.append(make("div", { className: "bar" }, place, whole, before, after, shut), title, facts,
      make("h3", {}, "Should be found"), gold, make("h3", {}, "Was found"),
      make("details", { className: "plain" }, make("summary", {}, "Choose systems"), chips), lists);
    document.body.append(dialog);
    const message = (number, rank, grade) => {
      const [docno, who, minutes, words] = data.messages[number];
      const said = [data.people[who], when(minutes), docno].filter(Boolean).join(" · ");
      const mark = grade ? [make("span", { className: "mark" }, grade >= data.relevant ? `relevant (${grade})` : `related (${grade})`), " · "] : [];
      const item = make("li", { className: grade >= data.relevant ? "gold" : grade ? "near" : "" }, make("span", { className: "rank" }, String(rank)),
        make("div", {}, make("div", { className: "who" }, ...mark, said), make("div", { className: "text", dir: "auto" }, words)));
      item.dataset.of = number;
      return item;
    };
    const column = (topic, at) => {
      const grades = new Map(topic.gold);
      const number = (sign) => topic.rows[data.signs.indexOf(sign)];
      const hits = [...topic.hits[at]].map((sign, i) => message(number(sign), i + 1, grades.get(sign) ?? 0));
      const lost = topic.why[at].map(([sign, why, rank]) => {
        const name = data.messages[number(sign)][0];
        return make("li", {}, make("b", {}, name), ` ${data.whys[why].replace("{n}", (rank ?? 0).toLocaleString("en"))}`);
      });
      return make("div", { className: "list" },
        make("h4", {}, icon(at), data.systems[at], make("span", { className: "value" }, `${data.measure} ${told(topic.values[at])}`)),
        make("ol", { className: "messages" }, ...(hits.length ? hits : [make("li", {}, make("span"), make("div", {}, "No hits."))])),
        ...(lost.length ? [make("h5", {}, "Missed"), make("ul", { className: "missed" }, ...lost)] : []));
    };
    const look = (at) => {
      open = at;
      const topic = rows[at];
      title.textContent = topic.query;
      facts.textContent = [topic.type, topic.facts].filter(Boolean).join(" · ");
      gold.replaceChildren(...topic.gold.map(([sign, grade]) => message(topic.rows[data.signs.indexOf(sign)], "", grade)));
      if (!topic.gold.length) gold.append(make("li", {}, make("span"), make("div", {}, "Nothing is judged relevant.")));
      const left = lists.scrollLeft;
      lists.replaceChildren(...order.filter((one) => !hidden.has(one)).map((one) => column(topic, one)));
      lists.scrollLeft = left;
      place.value = `${(at + 1).toLocaleString("en")} of ${rows.length.toLocaleString("en")}`;
      [before.disabled, after.disabled] = [at === 0, at === rows.length - 1];
      if (!dialog.open) dialog.showModal();
      history.replaceState(null, "", `#q=${encodeURIComponent(topic.qid)}`);
    };
    const alike = (number) => dialog.querySelectorAll("li[data-of]").forEach((item) => item.classList.toggle("alike", item.dataset.of === number));
    dialog.addEventListener("pointerover", (event) => alike(event.target.closest("li[data-of]")?.dataset.of));
    dialog.addEventListener("close", () => {
      history.replaceState(null, "", "#questions");
      body.rows[open]?.querySelector("button").focus();
    });
    dialog.addEventListener("keydown", (event) => {
      if (event.target.closest("input, select, .lists") && event.key.startsWith("Arrow")) return;
      if (event.key === "ArrowLeft" || event.key === "k") step(-1);
      if (event.key === "ArrowRight" || event.key === "j") step(1);
    });
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || dialog.open || event.target.closest("input, select, textarea")) return;
      event.preventDefault();
      text.focus();
    });
    const asked = () => {
      const qid = location.hash.startsWith("#q=") ? decodeURIComponent(location.hash.slice(3)) : null;
      const at = qid === null ? -1 : data.topics.findIndex((topic) => topic.qid === qid);
      if (at >= 0) { rows = data.topics; look(at); }
    };
    addEventListener("hashchange", asked);
    asked();
  }
}
