"use strict";
(() => {
  const root = document.documentElement;

  // Colors: those of the system until the button says otherwise.
  const toggle = document.getElementById("theme");
  const show = (theme) => {
    root.dataset.theme = theme;
    toggle.textContent = theme === "dark" ? "Light colors" : "Dark colors";
  };
  toggle.hidden = false;
  toggle.addEventListener("click", () => show(root.dataset.theme === "dark" ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) =>
    show(event.matches ? "dark" : "light"));
  show(root.dataset.theme);

  // The label of the mark nearest to the pointer.
  const labels = JSON.parse(document.getElementById("charts").textContent);
  const tip = document.getElementById("tip");
  const REACH = 24; // pixels
  const lines = (chart, number) => {
    if (chart.texts) return chart.texts[number].split("\n");
    const [tasks, values, outside] = chart.spots[number];
    const named = tasks.slice(0, labels.most).map((task) => labels.tasks[task].join("  "));
    if (tasks.length > labels.most) named.push(`and ${tasks.length - labels.most} more tasks`);
    named.push(...chart.names.map((name, place) => `${name} = ${values[place]}`));
    return outside ? [...named, "left outside"] : named;
  };
  const nearest = (place, event) => {
    let [found, least] = [null, REACH];
    for (const mark of place.querySelectorAll("[data-spot]")) {
      const box = mark.getBoundingClientRect();
      const far = Math.hypot(
        box.left + box.width / 2 - event.clientX, box.top + box.height / 2 - event.clientY);
      if (far < least) [found, least] = [mark, far];
    }
    return found;
  };
  const point = (place, event) => {
    const mark = nearest(place, event);
    tip.hidden = !mark;
    for (const other of document.querySelectorAll(".pointed")) other.classList.remove("pointed");
    if (!mark) return;
    mark.classList.add("pointed");
    tip.replaceChildren(...lines(labels.charts[place.id], mark.dataset.spot).map((text) => {
      const line = document.createElement("div");
      line.dir = "auto";
      line.textContent = text;
      return line;
    }));
    const [box, size] = [mark.getBoundingClientRect(), tip.getBoundingClientRect()];
    const below = box.bottom + 8 + size.height < innerHeight;
    tip.style.left = `${Math.max(4, Math.min(innerWidth - size.width - 4, box.left))}px`;
    tip.style.top = `${below ? box.bottom + 8 : Math.max(4, box.top - 8 - size.height)}px`;
  };
  for (const place of document.querySelectorAll(".place")) {
    for (const name of ["pointermove", "pointerdown"])
      place.addEventListener(name, (event) => point(place, event));
    place.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") tip.hidden = true; // a finger that is lifted has pointed
    });
  }
  addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
  addEventListener("pointerdown", (event) => {
    if (!event.target.closest(".place")) tip.hidden = true;
  });

  // Frames that hide columns or rows say so.
  const frames = [...document.querySelectorAll(".scroll")];
  for (const frame of frames) {
    frame.after(document.createElement("p"));
    frame.nextSibling.className = "hint";
  }
  const hint = () => {
    for (const frame of frames) {
      const wider = frame.scrollWidth > frame.clientWidth + 1;
      const longer = frame.scrollHeight > frame.clientHeight + 1;
      frame.classList.toggle("wider", wider);
      frame.classList.toggle("longer", longer);
      const says = [wider && "More columns: scroll sideways →", longer && "More rows: scroll down ↓"];
      frame.nextSibling.textContent = says.filter(Boolean).join("\u2003");
    }
  };
  new ResizeObserver(hint).observe(root);
  for (const details of document.querySelectorAll("details"))
    details.addEventListener("toggle", hint);
  hint();

  // The section that is being read, in the contents.
  const links = [...document.querySelectorAll("#contents a")];
  const mark = () => {
    const parts = links.map((link) => document.getElementById(link.hash.slice(1)));
    const passed = parts.filter((part) => part.getBoundingClientRect().top < innerHeight / 3);
    const current = passed.length ? `#${passed.at(-1).id}` : links[0]?.hash;
    for (const link of links)
      if (link.hash === current) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  addEventListener("scroll", mark, { passive: true });
  mark();
  const folded = document.getElementById("folded");
  folded.addEventListener("click", (event) => {
    if (event.target.closest("a")) folded.open = false;
  });

  // Copy a program; where the browser has no clipboard for us, the text is selected.
  const copy = async (button, code) => {
    const range = document.createRange();
    range.selectNodeContents(code);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected: press Ctrl-C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  for (const code of document.querySelectorAll(".code code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy: ${code.closest("pre").getAttribute("aria-label")}`);
    button.addEventListener("click", () => copy(button, code));
    code.closest(".code").append(button);
  }

  // Sort a table by a column: numbers by their key, words by what they say, empty cells last.
  const compare = (column, sign) => (one, other) => {
    const [a, b] = [one.cells[column], other.cells[column]];
    const empty = (a.textContent === "") - (b.textContent === "");
    if (empty) return empty;
    if (a.dataset.key !== undefined && b.dataset.key !== undefined)
      return sign * (Number(a.dataset.key) - Number(b.dataset.key));
    return sign * a.textContent.localeCompare(b.textContent, "en", { numeric: true });
  };
  const sort = (heading) => {
    const table = heading.closest("table");
    const upwards = heading.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", upwards ? "ascending" : "descending");
    const rows = [...table.tBodies[0].rows];
    rows.sort(compare(heading.cellIndex, upwards ? 1 : -1));
    table.tBodies[0].append(...rows);
  };
  for (const button of document.querySelectorAll("table.sortable th button"))
    button.addEventListener("click", () => sort(button.closest("th")));
})();
