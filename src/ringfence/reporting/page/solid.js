"use strict";
// Three parameters at once: a closed surface, the plain ranges around it and the best
// configurations, drawn as SVG from any side. No library, no WebGL.
(() => {
  const { solid } = JSON.parse(document.getElementById("charts").textContent);
  const place = document.getElementById("solid-chart");
  if (!solid || !place) return;
  const [WIDTH, HEIGHT, STEP] = [560, 460, Math.PI / 12];
  const NAMESPACE = document.querySelector("svg").namespaceURI;
  const view = { around: Math.PI * 0.22, up: Math.PI * 0.13 };

  const add = (parent, tag, attributes, text) => {
    const made = document.createElementNS(NAMESPACE, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  };
  const cross = (a, b) => [
    a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];

  // Where a point of the unit cube is seen: pixels, and how near it is.
  const looker = () => {
    const [c, s, cu, su] = [
      Math.cos(view.around), Math.sin(view.around), Math.cos(view.up), Math.sin(view.up)];
    const toEye = [c * cu, s * cu, su];
    const right = [-s, c, 0];
    const up = [-c * su, -s * su, cu];
    const size = 250;
    const seen = (p) => {
      const q = [p[0] - 0.5, p[1] - 0.5, p[2] - 0.5];
      return [WIDTH / 2 + size * dot(q, right), HEIGHT / 2 - 6 - size * dot(q, up), dot(q, toEye)];
    };
    return { seen, toEye };
  };
  const path = (...points) =>
    "M" + points.map((p) => `${p[0].toFixed(1)} ${p[1].toFixed(1)}`).join("L");

  // The faces behind, with lines at the ticks.
  const walls = (svg, { seen, toEye }) => {
    for (let axis = 0; axis < 3; axis++) {
      const behind = toEye[axis] > 0 ? 0 : 1;
      const [one, other] = [(axis + 1) % 3, (axis + 2) % 3];
      const at = (u, v) => {
        const p = [0, 0, 0];
        [p[axis], p[one], p[other]] = [behind, u, v];
        return seen(p);
      };
      add(svg, "path", { d: path(at(0, 0), at(1, 0), at(1, 1), at(0, 1)) + "Z", class: "wall" });
      for (const [u] of solid.axes[one].ticks)
        add(svg, "path", { d: path(at(u, 0), at(u, 1)), class: "grid" });
      for (const [v] of solid.axes[other].ticks)
        add(svg, "path", { d: path(at(0, v), at(1, v)), class: "grid" });
    }
  };

  // The part of the surface that faces the eye, farthest first; the group is seen through, its
  // triangles are not, so that no seam shows.
  const surface = (svg, { seen, toEye }) => {
    const group = add(svg, "g", { class: "surface" });
    const corners = solid.corners.map(seen);
    const facing = [];
    for (const numbers of solid.triangles) {
      const [a, b, c] = numbers.map((n) => solid.corners[n]);
      const normal = cross(minus(b, a), minus(c, a));
      const length = Math.hypot(...normal);
      if (length === 0 || dot(normal, toEye) <= 0) continue;
      const light = (0.35 * normal[0] + 0.15 * normal[1] + 0.9 * normal[2]) / length;
      const near = numbers.reduce((sum, n) => sum + corners[n][2], 0);
      facing.push({ numbers, near, share: 70 - 30 * light });
    }
    facing.sort((one, other) => one.near - other.near);
    for (const { numbers, share } of facing)
      add(group, "path", {
        d: path(...numbers.map((n) => corners[n])) + "Z",
        style: `--share:${share.toFixed(1)}%`,
      });
  };

  const fence = (svg, { seen }) => {
    const ends = [solid.lower, solid.upper];
    const corner = (bits) => seen([0, 1, 2].map((axis) => ends[(bits >> axis) & 1][axis]));
    let d = "";
    for (let bits = 0; bits < 8; bits++)
      for (let axis = 0; axis < 3; axis++)
        if (!(bits & (1 << axis))) d += path(corner(bits), corner(bits | (1 << axis)));
    add(svg, "path", { d, class: "fence" });
  };

  const points = (svg, { seen }) => {
    const drawn = solid.points.map((p, number) => ({ at: seen(p), outside: p[3], number }));
    drawn.sort((one, other) => one.outside - other.outside || one.at[2] - other.at[2]);
    for (const { at, outside, number } of drawn) {
      const kind = outside ? "cross" : "dot";
      add(svg, "use", {
        href: `#${kind}`, class: kind, x: at[0].toFixed(1), y: at[1].toFixed(1),
        "data-spot": number,
      });
    }
  };

  // Labels along the outer edges; one that would touch another is left out.
  const labels = (svg, { seen, toEye }) => {
    const taken = [];
    const middle = seen([0.5, 0.5, 0.5]);
    const put = (text, at, out, name) => {
      const anchor = out[0] > 0.35 ? "start" : out[0] < -0.35 ? "end" : "middle";
      const made = add(svg, "text", {
        x: at[0], y: at[1] + 4 + 4 * out[1], class: name, style: `text-anchor:${anchor}` }, text);
      let box = made.getBBox();
      const over = Math.min(0, WIDTH - 2 - box.x - box.width) || Math.max(0, 2 - box.x);
      if (over) {
        made.setAttribute("x", at[0] + over);
        box = made.getBBox();
      }
      const touches = (other) =>
        box.x < other.x + other.width + 3 && other.x < box.x + box.width + 3 &&
        box.y < other.y + other.height && other.y < box.y + box.height;
      if (taken.some(touches)) made.remove();
      else taken.push(box);
    };
    const edges = [0, 1, 2].map((axis) => {
      // Of the four edges along an axis, the one that is seen farthest out to the left or below.
      const others = [0, 1, 2].filter((other) => other !== axis);
      let best = null;
      for (let bits = 0; bits < 4; bits++) {
        const base = [0, 0, 0];
        others.forEach((other, place) => { base[other] = (bits >> place) & 1; });
        const at = (u) => seen(base.map((value, place) => (place === axis ? u : value)));
        const center = at(0.5);
        const away = [center[0] - middle[0], center[1] - middle[1]];
        const score = axis === 2 ? -away[0] : away[1] * Math.sign(toEye[2] || 1);
        if (!best || score > best.score) best = { score, at, away };
      }
      const length = Math.hypot(...best.away) || 1;
      return { ...best, out: axis === 2 ? [-1, 0] : best.away.map((part) => part / length) };
    });
    const shifted = (at, out, by) => [at[0] + by * out[0], at[1] + by * out[1]];
    edges.forEach(({ at, out }, axis) => {
      const { title } = solid.axes[axis];
      if (axis === 2) put(`↑ ${title}`, shifted(at(1), [0, -1], 16), [0, -0.5], "title");
      else put(title, shifted(at(0.5), out, 44), out, "title");
    });
    edges.forEach(({ at, out }, axis) => {
      for (const [u, text] of solid.axes[axis].ticks) put(text, shifted(at(u), out, 10), out, "tick");
    });
  };

  const svg = add(place, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart" });
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", place.dataset.says);
  const draw = () => {
    svg.replaceChildren();
    const look = looker();
    walls(svg, look);
    surface(svg, look);
    fence(svg, look);
    points(svg, look);
    labels(svg, look);
    place.dataset.around = view.around.toFixed(4);
    place.dataset.up = view.up.toFixed(4);
  };
  const turn = (around, up) => {
    view.around += around;
    view.up = Math.max(0.02, Math.min(Math.PI / 2 - 0.02, view.up + up));
    draw();
  };
  draw();
  place.hidden = false;

  // By buttons, and by dragging; a finger that moves up or down scrolls the page.
  const ways = { left: [STEP, 0], right: [-STEP, 0], up: [0, STEP], down: [0, -STEP] };
  for (const button of document.querySelectorAll("[data-turn]"))
    button.addEventListener("click", () => turn(...ways[button.dataset.turn]));
  let held = null;
  place.addEventListener("pointerdown", (event) => {
    held = [event.clientX, event.clientY];
    place.setPointerCapture(event.pointerId);
  });
  place.addEventListener("pointermove", (event) => {
    if (!held) return;
    const [dx, dy] = [event.clientX - held[0], event.clientY - held[1]];
    held = [event.clientX, event.clientY];
    turn(-dx / 120, event.pointerType === "touch" ? 0 : dy / 120);
  });
  for (const end of ["pointerup", "pointercancel"])
    place.addEventListener(end, () => { held = null; });
})();
