// One session: its levels, measurements, graphs, questions and events.
import { age, announce, element, idOf, milliseconds, number, show } from "./elements.js";
import { Controls } from "./controls.js";
import { apply, describe, Questions, route } from "./events.js";
import { History, LaneGraph, LineGraph } from "./graphs.js";
import { nowOf } from "./list.js";
import { Meter, quietest } from "./meter.js";

const mostEvents = 200;

/** Measurements with a heading, and a function of the statistics. */
const tiles = [
  ["Echo reduction", (s) => number(s.echo?.echoReturnLossEnhancementDb, 1, "dB"),
    (s) => (s.echo?.converged ? "converged" : "not converged")],
  ["Echo delay", (s) => milliseconds(s.echo?.delay), (s) => (s.echo?.delay ? "" : "not found")],
  ["Drift", (s) => number(s.timing?.driftPpm, 1, "ppm"), () => ""],
  ["Voice", (s) => number((s.levels?.speechProbability ?? 0) * 100, 0, "%"), () => "probability"],
  ["Other audio", (s) => number(s.duckingGainDb ?? 0, 0, "dB"), () => "gain"],
];
const latencies = [
  ["Microphone behind real time", (s) => milliseconds(s.timing?.inputLag)],
  ["Jitter of the microphone", (s) => milliseconds(s.timing?.jitter, 1)],
  ["Processing of a frame, median", (s) => milliseconds(s.timing?.frameProcessingP50, 2)],
  ["Processing of a frame, 99 %", (s) => milliseconds(s.timing?.frameProcessingP99, 2)],
  ["Output that waits", (s) => milliseconds(s.timing?.outputBacklog)],
  ["Buffer of the far end", (s) => milliseconds(s.farEnd?.delay)],
  ["Buffer of other audio", (s) => milliseconds(s.otherAudio?.delay)],
];
const losses = [
  ["Samples concealed", "samplesConcealed"], ["Reference missing, frames", "referenceFramesMissing"],
  ["Microphone late, samples", "microphoneSamplesLate"],
  ["Output dropped, chunks", "outputChunksDropped"], ["Connections lost", "suspensions"],
];

export class SessionView {
  constructor(node, name) {
    this.node = node;
    this.name = name;
    this.history = new History();
    this.questions = new Questions();
    this.hidden = new Set();
    this.controls = new Controls(name, (change) => this.change(change));
    this.build();
  }

  build() {
    this.title = element("h2", { id: "session-title", tabIndex: -1 }, idOf(this.name));
    this.state = element("span", { className: "badge" });
    this.facts = element("p", { className: "faint facts" });
    this.asked = element("div", { className: "questions" });
    this.microphone = new Meter("Microphone");
    this.processed = new Meter("Processed voice");
    this.tiles = tiles.map(([name]) => {
      const [value, note] = [element("b", {}, "–"), element("small")];
      return { value, note, node: element("div", { className: "tile" },
        element("span", {}, name), value, note) };
    });
    const canvas = (className) => element("canvas", { className, role: "img" });
    const [levels, echo, voices] = [canvas("tall"), canvas("tall"), canvas("lanes")];
    this.graphs = [
      new LineGraph(levels, { low: -72, high: 0, step: 24, unit: "dBFS", lines: [
        { key: "microphone", colour: "--microphone", name: "microphone" },
        { key: "processed", colour: "--voice", name: "processed voice" }] }),
      new LineGraph(echo, { low: 0, high: 48, step: 12, unit: "dB", lines: [
        { key: "reduction", colour: "--voice", name: "echo reduction", filled: true }] }),
      new LaneGraph(voices, [
        { key: "near", short: "near", colour: "--voice", name: "the near end talks" },
        { key: "far", short: "far", colour: "--microphone", name: "the far end talks" },
        { key: "muted", short: "mute", colour: "--danger", name: "muted" }]),
    ];
    this.latency = table("Latency", latencies);
    this.loss = table("Losses", losses);
    this.events = element("ol", { className: "events" });
    const legend = element("p", { className: "legend" },
      element("span", { className: "microphone" }, "microphone"),
      element("span", { className: "voice" }, "processed voice"));
    this.node.replaceChildren(
      element("nav", {}, element("a", { href: "#", className: "back" }, "← All sessions")),
      element("div", { className: "head" }, element("div", { className: "bar" }, this.title, this.state),
        this.facts),
      this.asked,
      element("section", { className: "card live", "aria-label": "Levels and measurements" },
        element("div", { className: "meters" }, this.microphone.node, this.processed.node),
        element("div", { className: "tiles" }, ...this.tiles.map((tile) => tile.node))),
      this.controls.node,
      element("section", { className: "card graphs", "aria-label": "The last minute" },
        element("figure", {}, element("figcaption", {}, "Levels, dBFS", legend), levels),
        element("figure", {}, element("figcaption", {}, "Echo reduction, dB"), echo),
        element("figure", {}, element("figcaption", {}, "Voices"), voices)),
      element("section", { className: "card" }, element("h3", {}, "Latency"), this.latency.node,
        element("h3", {}, "Losses"), this.loss.node),
      element("section", { className: "card" }, element("h3", {}, "Events"), this.events));
  }

  /** Takes a message of WatchSession. */
  receive(message) {
    if (message.snapshot) {
      this.session = message.snapshot;
      this.included = Number(message.snapshot.lastEventId ?? 0);
    } else if (message.event) this.note(message.event);
    else if (message.stats) this.measure(message.stats);
    this.showState();
  }

  note(event) {
    const id = Number(event.eventId);
    // No session has had so many events.
    if (!Number.isSafeInteger(id)) return;
    this.lastEvent = id;
    // The snapshot includes the effect of older events. Their questions may still be open.
    if (id > this.included) apply(this.session, event, this.controls.client);
    if (this.questions.note(event)) this.ask();
    const { text, isImportant } = describe(event);
    const time = new Date(event.time).toLocaleTimeString();
    this.events.prepend(element("li", { className: isImportant ? "important" : "" },
      element("time", {}, time), element("span", {}, text)));
    while (this.events.children.length > mostEvents) this.events.lastChild.remove();
    if (isImportant && id > this.included) announce(text);
  }

  /** Takes newer parts of the session, from the answer to a call. */
  change(parts) {
    if (!this.session) return;
    Object.assign(this.session, parts);
    this.showState();
  }

  measure(stats) {
    const levels = stats.levels ?? {};
    const [microphone, processed] = [levels.microphoneRmsDbfs ?? 0, levels.processedRmsDbfs ?? 0];
    this.microphone.show(Number(microphone), Number(levels.noiseFloorDbfs ?? quietest));
    this.processed.show(Number(processed));
    tiles.forEach(([, value, note], index) => {
      show(this.tiles[index].value, value(stats));
      show(this.tiles[index].note, note(stats));
    });
    this.latency.show(latencies.map(([, value]) => value(stats)));
    this.loss.show(losses.map(([, key]) => String(stats.flow?.[key] ?? 0)));
    this.isReduced = stats.reduced ?? false;
    this.history.add({
      time: performance.now() / 1000, microphone: Number(microphone), processed: Number(processed),
      reduction: stats.echo?.echoReturnLossEnhancementDb, near: this.session?.voiceActive,
      far: this.session?.farEndVoiceActive, muted: this.session?.mute?.muted,
    });
    this.draw();
  }

  draw() {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      const now = performance.now() / 1000;
      for (const graph of this.graphs) graph.draw(this.history.points, now);
    });
  }

  showState() {
    const session = this.session;
    if (!session || this.isOver) return;
    const state = nowOf(session);
    show(this.state, state.text);
    this.state.dataset.state = state.name;
    const labels = Object.entries(session.labels ?? {}).map(([name, value]) => `${name}: ${value}`);
    const facts = [`owner ${session.owner}`, `for ${age(session.createTime)}`, route(session.route),
      ...labels, this.isReduced ? "reduced by overload" : ""];
    show(this.facts, facts.filter(Boolean).join(" · "));
    this.controls.show(session);
  }

  /** Shows the questions that wait. Only the media client can answer them. */
  ask() {
    const owner = this.session?.owner || "the media client";
    this.asked.replaceChildren(...[...this.questions.open].filter(([id]) => !this.hidden.has(id))
      .map(([id, question]) => {
        const [text, ...buttons] = question.kind === "injection"
          ? this.injectionQuestion(question, owner) : this.gestureQuestion(question, owner);
        const hide = element("button", { type: "button", className: "quiet" }, "Hide");
        hide.addEventListener("click", () => {
          this.hidden.add(id);
          this.ask();
          this.title.focus();
        });
        return element("div", { className: "question", role: "alert" }, ...text,
          element("div", { className: "bar" }, ...buttons, hide));
      }));
  }

  injectionQuestion({ client, usage }, owner) {
    const isOwn = client === this.controls.client;
    const text = [
      element("p", {}, element("b", {}, isOwn ? "This page" : client),
        " asks to speak into this session:"),
      element("blockquote", {}, usage),
      element("p", { className: "faint" },
        `Only the media client, ${owner}, can answer. You can close the session to injected speech.`),
    ];
    return [text, this.button("Accept no injected speech", () => this.controls.setInjection(false))];
  }

  gestureQuestion({ muted }, owner) {
    const text = [
      element("p", {}, `A button asks to ${muted ? "mute" : "unmute"} this session.`),
      element("p", { className: "faint" },
        `The media client, ${owner}, decides. You can change the mute state yourself.`),
    ];
    return [text, this.button(muted ? "Mute" : "Unmute", () => this.controls.setMute(muted))];
  }

  button(text, action) {
    const button = element("button", { type: "button" }, text);
    button.addEventListener("click", action);
    return button;
  }

  /** Shows that the session has ended. The last measurements stay. */
  end(reason) {
    this.isOver = true;
    show(this.state, "ended");
    this.state.dataset.state = "ended";
    show(this.facts, reason);
    announce(reason);
    this.asked.replaceChildren();
    this.controls.end();
  }
}

/** A table of two columns, whose values change. */
function table(name, lines) {
  const cells = lines.map(() => element("td", {}, "–"));
  const rows = lines.map(([label], index) =>
    element("tr", {}, element("th", { scope: "row" }, label), cells[index]));
  return {
    node: element("table", { className: "facts", "aria-label": name }, element("tbody", {}, ...rows)),
    show: (values) => values.forEach((value, index) => show(cells[index], value)),
  };
}
