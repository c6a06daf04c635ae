"use strict";
(() => {
  const root = document.documentElement;
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const settings = { responsive: true, displayModeBar: false, scrollZoom: false };
  const solid = document.getElementById("solid-chart");

  // Colors are names of CSS variables: look them up in the theme that is on.
  const painted = (value, key, style) => {
    if (Array.isArray(value)) return value.map((item) => painted(item, key, style));
    if (value !== null && typeof value === "object")
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, painted(item, name, style)]));
    return key.endsWith("color") ? style.getPropertyValue(value).trim() : value;
  };

  const drawsInThreeDimensions = () => {
    const canvas = document.createElement("canvas");
    return Boolean(canvas.getContext("webgl") || canvas.getContext("experimental-webgl"));
  };
  if (solid && !drawsInThreeDimensions()) {
    delete charts["solid-chart"];
    solid.closest("figure").hidden = true;
    document.getElementById("turns").hidden = true;
    document.getElementById("no-webgl").hidden = false;
  }

  // A narrow place is looked at from further away.
  const camera = (place, layout) => {
    const { eye, center } = layout.scene.camera;
    const far = Math.max(1, Math.min(1.7, 560 / place.clientWidth));
    return { center, eye: { x: far * eye.x, y: far * eye.y, z: far * eye.z } };
  };

  const draw = (width) => {
    const style = getComputedStyle(root);
    for (const [id, chart] of Object.entries(charts)) {
      const place = document.getElementById(id);
      const { data, layout } = painted(chart, "", style);
      if (width) layout.width = Math.min(width, place.clientWidth);
      if (layout.scene) layout.scene.camera = place.layout?.scene.camera ?? camera(place, layout);
      // On a touch screen a finger on a flat chart scrolls the page.
      if (!layout.scene && matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
      Plotly.react(place, data, layout, settings);
    }
  };

  const toggle = document.getElementById("theme");
  const show = (theme, width) => {
    root.dataset.theme = theme;
    toggle.textContent = theme === "dark" ? "Light colors" : "Dark colors";
    draw(width);
  };
  toggle.addEventListener("click", () => show(root.dataset.theme === "dark" ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) =>
    show(event.matches ? "dark" : "light"));
  show(root.dataset.theme);

  let before = root.dataset.theme;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme;
    show("light", 640);
  });
  addEventListener("afterprint", () => show(before));

  // Turn the solid by buttons, for those who do not drag.
  const turn = (way) => {
    const eye = solid.layout.scene.camera.eye;
    const flat = Math.hypot(eye.x, eye.y);
    const length = Math.hypot(flat, eye.z);
    const step = Math.PI / 12;
    const around = Math.atan2(eye.y, eye.x) + step * ((way === "left") - (way === "right"));
    const limit = Math.PI / 2 - 0.05;
    const up = Math.atan2(eye.z, flat) + step * ((way === "up") - (way === "down"));
    const height = Math.max(-limit, Math.min(limit, up));
    Plotly.relayout(solid, {
      "scene.camera.eye": {
        x: length * Math.cos(height) * Math.cos(around),
        y: length * Math.cos(height) * Math.sin(around),
        z: length * Math.sin(height),
      },
    });
  };
  for (const button of document.querySelectorAll("[data-turn]"))
    button.addEventListener("click", () => turn(button.dataset.turn));

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
