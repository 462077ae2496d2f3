// Elements and text. Whatever a client chose, such as the name of a session, only ever becomes text.

/** Returns a new element. `properties` are set on it; names with a hyphen and `role` are attributes. */
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role" || name === "for") node.setAttribute(name, value);
    else node[name] = value;
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Sets the text of an element, if it has changed. */
export function show(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Tells a change to people who cannot see it. */
export function announce(text) {
  show(document.getElementById("announcer"), text);
}

/** Returns the seconds of a duration in JSON, such as "0.012s". Undefined stays undefined. */
export function seconds(duration) {
  return duration === undefined ? undefined : parseFloat(duration);
}

/** Returns a number with a unit. An unknown number is a dash. */
export function number(value, digits = 0, unit = "") {
  if (value === undefined || !Number.isFinite(value)) return "–";
  const text = value.toFixed(digits).replace("-", "−");
  return unit ? `${text} ${unit}` : text;
}

/** Returns a duration in JSON as milliseconds. */
export function milliseconds(duration, digits = 0) {
  const value = seconds(duration);
  return number(value === undefined ? undefined : value * 1000, digits, "ms");
}

/** Returns the time since a moment in words: 8 s, 12 min, 3 h 5 min. */
export function age(since) {
  const total = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1000));
  if (!Number.isFinite(total)) return "–";
  if (total < 60) return `${total} s`;
  if (total < 3600) return `${Math.floor(total / 60)} min`;
  return `${Math.floor(total / 3600)} h ${Math.floor(total / 60) % 60} min`;
}

/** Returns the name of an enumerator in words: MIC_MODE_VOICE_ISOLATION is "voice isolation". */
export function words(enumerator = "", prefix = "") {
  return String(enumerator).replace(prefix, "").replaceAll("_", " ").toLowerCase();
}

/** Returns the id of a session with the name "sessions/ID". */
export function idOf(name) {
  return name.replace(/^sessions\//, "");
}
