// One session: its levels, measurements, graphs, questions and events.
import { age, announce, element, idOf, show } from "./elements.js";
import { Controls } from "./controls.js";
import { EventList } from "./event-list.js";
import { apply, describe, route } from "./events.js";
import { factsOf } from "./facts.js";
import { nowOf } from "./list.js";
import { Measurements, table } from "./measurements.js";
import { Meter } from "./meter.js";
import { LastMinute } from "./minute.js";
import { QuestionList } from "./questions.js";
import { healthOf, troublesOf } from "./trouble.js";

/** The milliseconds between two changes of the numbers, which a person has to read, and of the graphs. */
const [readable, redrawn] = [500, 1000];
/** The milliseconds without a new frame after which nothing is measured. */
const longestSilence = 500;
/** A narrow page shows the parts below the levels as headings that can be opened. */
const narrow = matchMedia("(max-width: 36rem)");

narrow.addEventListener("change", () => {
  for (const part of document.querySelectorAll("#session > details")) part.open = !narrow.matches;
});

export class SessionView {
  constructor(node, name) {
    this.node = node;
    this.name = name;
    this.controls = new Controls(name, (change) => this.change(change));
    this.build();
  }

  build() {
    this.title = element("h2", { id: "session-title", tabIndex: -1 }, idOf(this.name));
    this.state = element("span", { className: "badge" });
    this.trouble = element("span", { className: "trouble" });
    this.facts = element("p", { className: "faint facts" });
    this.questions = new QuestionList(this.controls, () => this.title.focus());
    this.microphone = new Meter("Microphone");
    this.reference = new Meter("Reference");
    this.processed = new Meter("Processed voice");
    this.measurements = new Measurements();
    this.minute = new LastMinute();
    this.events = new EventList(this.name);
    this.about = element("div");
    this.graphs = part("The last minute", this.minute.node);
    this.graphs.addEventListener("toggle", () => this.minute.draw());
    this.node.classList.remove("over");
    this.node.replaceChildren(
      element("nav", {}, element("a", { href: "#", className: "back" }, "← All sessions")),
      element("div", { className: "head" },
        element("div", { className: "bar" }, this.title, this.state, this.trouble, this.controls.mute),
        this.facts, this.controls.problem),
      this.questions.node,
      element("section", { className: "card live", "aria-label": "Levels and measurements" },
        element("div", { className: "meters" }, this.microphone.node, this.reference.node,
          this.processed.node), this.measurements.node),
      part("Controls", this.controls.node), this.graphs,
      part("Latency and losses", this.measurements.latency.node, this.measurements.loss.node),
      part("Events", this.events.node), part("Engine, formats and settings", this.about));
  }

  /** Takes a message of WatchSession. */
  receive(message) {
    if (message.stats) return this.measure(message.stats);
    if (message.snapshot) {
      this.session = message.snapshot;
      this.included = Number(message.snapshot.lastEventId ?? 0);
    } else if (message.event) this.note(message.event);
    this.showSession();
  }

  note(event) {
    const id = Number(event.eventId);
    // No session has had so many events.
    if (!Number.isSafeInteger(id)) return;
    this.lastEvent = id;
    // The snapshot includes the effect of older events. Their questions may still be open.
    if (id > this.included) apply(this.session, event, this.controls.client);
    this.questions.note(event, this.session?.owner);
    this.events.add(event);
    const { text, isImportant } = describe(event);
    if (isImportant && id > this.included) announce(text);
  }

  /** Takes newer parts of the session, from the answer to a call. */
  change(parts) {
    if (!this.session) return;
    Object.assign(this.session, parts);
    this.showSession();
  }

  measure(stats) {
    if (this.session) Object.assign(this.session, healthOf(stats, this.session));
    const [now, frames] = [performance.now(), stats.flow?.framesProcessed];
    if (frames !== this.frames) [this.frames, this.progress] = [frames, now];
    const isMeasured = now - this.progress < longestSilence;
    this.minute.add(isMeasured ? stats : null, this.session);
    if (isMeasured) this.showLevels(stats.levels ?? {});
    else if (this.wasMeasured) this.clearLevels("no audio");
    this.wasMeasured = isMeasured;
    if (now - (this.shown ?? -readable) < readable) return;
    this.shown = now;
    this.measurements.show(stats, this.session, isMeasured);
    this.showState();
    if (!this.graphs.open || now - (this.drawn ?? -redrawn) < redrawn) return;
    this.drawn = now;
    requestAnimationFrame(() => this.minute.draw());
  }

  showLevels({ microphoneRmsDbfs = 0, processedRmsDbfs = 0, referenceRmsDbfs, noiseFloorDbfs }) {
    this.microphone.show(Number(microphoneRmsDbfs), noiseFloorDbfs);
    this.processed.show(Number(processedRmsDbfs));
    if (referenceRmsDbfs === undefined) this.reference.clear("none");
    else this.reference.show(Number(referenceRmsDbfs));
  }

  clearLevels(text) {
    for (const meter of [this.microphone, this.reference, this.processed]) meter.clear(text);
  }

  /** Shows what only events and snapshots change. */
  showSession() {
    if (!this.session || this.isOver) return;
    this.controls.show(this.session);
    this.minute.choose(this.session);
    this.showFacts(factsOf(this.session));
    this.showState();
  }

  /** Shows the engine, the formats and the settings, if they have changed. */
  showFacts(facts) {
    const text = facts.flat().join();
    if (text === this.aboutText) return;
    this.aboutText = text;
    const shown = table("Engine, formats and settings", facts.map(([name]) => name));
    shown.show(facts.map(([, value]) => value));
    this.about.replaceChildren(shown.node);
  }

  showState() {
    const session = this.session;
    if (!session || this.isOver) return;
    const state = nowOf(session);
    show(this.state, state.text);
    this.state.dataset.state = state.name;
    show(this.trouble, troublesOf(session).join(", "));
    const labels = Object.entries(session.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
    const facts = [`owner ${session.owner}`, `for ${age(session.createTime)}`, route(session.route),
      ...labels];
    show(this.facts, facts.filter(Boolean).join(" · "));
  }

  /** Shows that the session has ended. The graphs and the last measurements stay, in grey. */
  end(reason) {
    this.isOver = true;
    show(this.state, "ended");
    this.state.dataset.state = "ended";
    show(this.trouble, "");
    show(this.facts, reason);
    announce(reason);
    this.clearLevels("ended");
    this.node.classList.add("over");
    this.questions.end();
    this.controls.end();
  }
}

/** A part of the page with a heading. A narrow page shows only the heading at first. */
function part(name, ...children) {
  return element("details", { className: "card", open: !narrow.matches },
    element("summary", {}, element("h3", {}, name)), ...children);
}
