// The events of one session: a list that can be searched and exported.
import { element, idOf, show } from "./elements.js";
import { describe } from "./events.js";

/** The events that are kept: as many as the server keeps of a session. */
const mostKept = 1000;
const mostShown = 200;

export class EventList {
  constructor(name) {
    this.name = name;
    this.events = [];
    /** The events that the list does not show yet. */
    this.added = [];
    this.search = element("input", { type: "search", placeholder: "Find", autocomplete: "off" });
    this.important = element("input", { type: "checkbox", id: "important" });
    this.export = element("button", { type: "button" }, "Export");
    this.export.title = "Exports the events that are found as lines of JSON";
    this.list = element("ol", { className: "events" });
    this.count = element("p", { className: "faint count-of-events", role: "status" });
    for (const control of [this.search, this.important]) {
      control.addEventListener("input", () => this.draw());
    }
    this.export.addEventListener("click", () => this.download());
    this.node = element("div", {},
      element("div", { className: "bar" },
        element("label", {}, element("span", { className: "unseen" }, "Find an event"), this.search),
        element("label", { className: "check" }, this.important, "Important"), this.export),
      this.count, this.list);
  }

  /** Adds an event as the server sent it. */
  add(event) {
    const entry = { event, ...describe(event) };
    this.events.push(entry);
    if (this.events.length > mostKept) this.events.shift();
    this.added.push(entry);
    if (this.added.length > 1) return;
    requestAnimationFrame(() => {
      this.put(this.added.splice(0));
    });
  }

  isFound({ kind, text, isImportant }) {
    const wanted = this.search.value.trim().toLowerCase();
    return (isImportant || !this.important.checked) && `${kind} ${text}`.toLowerCase().includes(wanted);
  }

  get found() {
    return this.events.filter((entry) => this.isFound(entry));
  }

  /** Shows the events that are found anew. */
  draw() {
    this.added = [];
    this.list.replaceChildren();
    this.put(this.events);
  }

  /** Puts those of some newer events on top of the list that are found. */
  put(entries) {
    const items = entries.filter((entry) => this.isFound(entry)).slice(-mostShown).reverse();
    this.list.prepend(...items.map(({ event, text, isImportant }) =>
      element("li", { className: isImportant ? "important" : "" },
        element("time", { dateTime: event.time }, new Date(event.time).toLocaleTimeString()),
        element("span", {}, text))));
    while (this.list.children.length > mostShown) this.list.lastChild.remove();
    const { found } = this;
    show(this.count, found.length < this.events.length
      ? `${found.length} of ${this.events.length} events` : "");
  }

  /** Saves the events that are found as lines of JSON, the oldest first. */
  download() {
    const lines = this.found.map(({ event }) => `${JSON.stringify(event)}\n`);
    const href = URL.createObjectURL(new Blob(lines, { type: "application/jsonl" }));
    element("a", { href, download: `${idOf(this.name)}-events.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
  }
}
