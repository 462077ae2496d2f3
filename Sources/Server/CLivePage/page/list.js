// The table of sessions.
import { age, element, idOf, show, words } from "./elements.js";
import { troublesOf } from "./trouble.js";

const rows = document.getElementById("rows");
const filter = document.getElementById("filter");
const headings = [...document.querySelectorAll("#sessions thead button")];
/** Compares names as people do: desk-3 comes before desk-10. */
const names = new Intl.Collator("en", { numeric: true, sensitivity: "base" });
/** The order of each column. Sessions that are equal in a column are in the order of their names. */
const orders = {
  session: (a, b) => names.compare(idOf(a.name), idOf(b.name)),
  owner: (a, b) => names.compare(a.owner ?? "", b.owner ?? ""),
  now: (a, b) => names.compare(nowOf(a).text, nowOf(b).text),
  trouble: (a, b) => troublesOf(b).length - troublesOf(a).length
    || names.compare(troublesOf(a).join(), troublesOf(b).join()),
  mode: (a, b) => names.compare(a.activeMicMode ?? "", b.activeMicMode ?? ""),
  age: (a, b) => Date.parse(b.createTime) - Date.parse(a.createTime),
};
const known = new Map();
let sessions = [];
let chosen = "";
let sorting = { column: "session", isReversed: false };

filter.addEventListener("input", () => draw());
for (const heading of headings) {
  heading.addEventListener("click", () => sort(heading.dataset.column));
}

/** Shows these sessions. `isComplete` tells whether the server has no others. */
export function list(all, isComplete) {
  sessions = all;
  show(document.getElementById("count"), isComplete ? `${all.length}` : `${all.length}+`);
  document.getElementById("empty").hidden = all.length > 0;
  document.getElementById("more").hidden = isComplete;
  draw();
}

/** Marks the session with a name. */
export function choose(name) {
  chosen = name;
  draw();
}

/** Moves the focus to the row of a session, if there is one. */
export function focus(name) {
  (known.get(name)?.link ?? document.getElementById("content")).focus();
}

/** Sorts by a column, or turns its order round. */
function sort(column) {
  sorting = { column, isReversed: sorting.column === column && !sorting.isReversed };
  for (const heading of headings) {
    const order = sorting.isReversed ? "descending" : "ascending";
    const cell = heading.closest("th");
    if (heading.dataset.column === column) cell.setAttribute("aria-sort", order);
    else cell.removeAttribute("aria-sort");
  }
  draw();
}

function compare(a, b) {
  const order = orders[sorting.column](a, b);
  return (sorting.isReversed ? -order : order) || orders.session(a, b);
}

function draw() {
  const wanted = filter.value.trim().toLowerCase();
  const visible = sessions.filter((session) => textOf(session).includes(wanted)).sort(compare);
  const names = new Set(visible.map((session) => session.name));
  for (const [name, row] of known) {
    if (names.has(name)) continue;
    row.node.remove();
    known.delete(name);
  }
  visible.forEach((session, index) => {
    const row = known.get(session.name) ?? newRow(session);
    known.set(session.name, row);
    update(row, session);
    if (rows.children[index] !== row.node) rows.insertBefore(row.node, rows.children[index] ?? null);
  });
}

function textOf(session) {
  const labels = Object.entries(session.labels ?? {}).flat();
  return [idOf(session.name), session.owner ?? "", session.clientHost ?? "", ...labels,
    ...troublesOf(session)].join(" ").toLowerCase();
}

function newRow(session) {
  const link = element("a", { href: `#${session.name}` }, idOf(session.name));
  const labels = element("span", { className: "labels" });
  const cells = ["owner", "now", "trouble", "mode", "age"].map((name) =>
    element("td", { className: name }));
  const [owner, now, trouble, mode, time] = cells;
  const node = element("tr", {}, element("th", { scope: "row" }, link, labels), ...cells);
  // The whole row is a large target for fingers. The link is the one for the keyboard.
  node.addEventListener("click", () => (location.hash = link.hash));
  return { node, link, labels, owner, now, trouble, mode, time };
}

function update(row, session) {
  if (session.name === chosen) row.link.setAttribute("aria-current", "true");
  else row.link.removeAttribute("aria-current");
  row.node.classList.toggle("chosen", session.name === chosen);
  const labels = Object.entries(session.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
  show(row.labels, labels.join(" · "));
  show(row.owner, session.owner ?? "");
  const state = nowOf(session);
  show(row.now, state.text);
  row.now.dataset.state = state.name;
  show(row.trouble, troublesOf(session).join(", "));
  show(row.mode, words(session.activeMicMode, "MIC_MODE_"));
  show(row.time, age(session.createTime));
}

/** Returns the most important thing about a session now. */
export function nowOf(session) {
  if (session.state === "STATE_SUSPENDED") return { name: "suspended", text: "disconnected" };
  if (session.mute?.muted) {
    return { name: "muted", text: session.mutedSpeechActive ? "talks while muted" : "muted" };
  }
  const near = session.voiceActive;
  const far = session.farEndVoiceActive;
  if (near && far) return { name: "talks", text: "both talk" };
  if (near) return { name: "talks", text: "talks" };
  if (far) return { name: "listens", text: "far end talks" };
  return { name: "quiet", text: "quiet" };
}
