// The table of sessions.
import { age, element, idOf, show, words } from "./elements.js";

const rows = document.getElementById("rows");
const filter = document.getElementById("filter");
const known = new Map();
let sessions = [];
let chosen = "";

filter.addEventListener("input", () => draw());

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

function draw() {
  const wanted = filter.value.trim().toLowerCase();
  const visible = sessions.filter((session) => textOf(session).includes(wanted));
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
  return [idOf(session.name), session.owner ?? "", ...labels].join(" ").toLowerCase();
}

function newRow(session) {
  const link = element("a", { href: `#${session.name}` }, idOf(session.name));
  const labels = element("span", { className: "labels" });
  const cells = ["owner", "now", "mode", "age"].map((name) => element("td", { className: name }));
  const [owner, now, mode, time] = cells;
  const node = element("tr", {}, element("th", { scope: "row" }, link, labels), ...cells);
  // The whole row is a large target for fingers. The link is the one for the keyboard.
  node.addEventListener("click", () => (location.hash = link.hash));
  return { node, link, labels, owner, now, mode, time };
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
